-- What the layout of figures promises: keys, frames, marks at the very end of an axis, paths from their start.
local k = require "knock"
local trace = require "knock.draw.trace"

local function two(labels, options)
  local f = k.figure { cols = 2, key = options and options.key }
  for p = 1, 2 do
    for i, label in ipairs(labels[p] or {}) do f[p]:line { x = { 0, 1 }, y = { i, 2 * i }, label = label } end
  end
  return f
end

local function words(items)
  local out = {}
  for i, item in ipairs(items) do out[i] = item.layer.label end
  return out
end

test("panels with the same key share one, above them all", function()
  local plan = two({ { "a", "b" }, { "a", "b" } }):plan()
  equal(words(plan.key.items), { "a", "b" })
  equal({ plan.panels[1].key, plan.panels[2].key }, {})
  local lowest = math.huge
  for _, item in ipairs(plan.key.items) do lowest = math.min(lowest, plan.h - plan.head_room + item.y) end
  for _, p in ipairs(plan.panels) do assert(p.box.top <= lowest, "the key is above the headings") end
end)

test("other keys stay with their panels, unless one key is asked for", function()
  local plan = two({ { "a", "b" }, { "a", "c" } }):plan()
  equal(plan.key, nil)
  assert(plan.panels[1].key and plan.panels[2].key)
  equal(words(two({ { "a", "b" }, { "a", "c" } }, { key = "shared" }):plan().key.items), { "a", "b", "c" })
  equal(words(two({ { "a" }, { "" } }, { key = "shared" }):plan().key.items), { "a" })
  equal(two({ { "a", "b" }, { "a", "b" } }, { key = false }):plan().key, nil)
end)

test("a key names curves before marks", function()
  local f = k.figure {}
  f[1]:points { x = { 0.5 }, y = { 1 }, label = "mark" }
  f[1]:line { x = { 0, 1 }, y = { 0, 2 }, label = "curve" }
  equal(words(f:plan().panels[1].key.items), { "curve", "mark" })
end)

test("a curve along zero is not hidden by the frame; one that only starts there begins at it", function()
  local function low(y) return k.figure {}:line { x = { 0, 1, 2, 3, 4 }, y = y }:plan().panels[1].axes.y.low end
  equal(low { 0, 1, 2, 3, 4 }, 0)
  assert(low { 0, 0, 0, 3, 4 } < 0)
  local top = k.figure {}:line { x = { 0, 1, 2, 3, 4 }, y = { -4, -3, 0, 0, 0 } }:plan().panels[1].axes.y.high
  assert(top > 0)
end)

test("rounding dust beyond a limit is drawn, and leaves no trace in the tics", function()
  local axes = k.figure {}:points { x = { -2e-16, 1 + 2e-16, 0.5 }, y = { 1, 2, 3 } }
  axes[1].x = { range = { 0, 1 } }
  local x = axes:plan().panels[1].axes.x
  assert(x.from <= -2e-16 and x.from > -1e-9 and x.low == 0, "clipped at the low end")
  equal(require "knock.draw.axis".labels(x)[1], "0.0")
  local wide = k.figure {}:points { x = { -0.5, 1 }, y = { 1, 2 } }
  wide[1].x = { range = { 0, 1 } }
  equal(wide:plan().panels[1].axes.x.from, nil) -- that is no dust
end)

-- a hit whose path has, or has not, a sample before the impact
local function with_start(hit)
  return setmetatable({}, { __index = function(_, key)
    if key ~= "trace" then return hit[key] end
    return function(_, n)
      local p, out = hit:trace(n), nil
      out = { n = p.n + 1, names = p.names, units = p.units, events = {} }
      for _, name in ipairs(p.names) do
        out[name] = { 0.0 }
        for i = 1, #p[name] do out[name][i + 1] = p[name][i] end
      end
      for i, name in ipairs { "v_t1", "v_t2", "v_n" } do out[name][1] = hit.contact_velocity_before[i] end
      for i, e in ipairs(p.events) do out.events[i] = { kind = e.kind, contact = e.contact, t = e.t, impulse = e.impulse, at = e.at + 1 } end
      return out
    end
  end })
end

test("a path is drawn from before the impact, once, whether the law gives that sample or not", function()
  local ball = k.ball { velocity = { -1, 0, -5 }, spin = { 0, 2, 0 } }
  for _, law in ipairs { k.law.stronge { e = 0.5, mu = 0.4 }, k.law.compliant { e = 0.5, mu = 0.4 } } do
    local hit = k.impact(ball, law)
    local starts = trace.of(hit)
    equal({ starts.p_n[1], starts.v_n[1] }, { 0.0, -5.0 })
    assert(starts.p_n[2] > 0 or starts.v_t1[2] ~= starts.v_t1[1], "doubled")
    if hit:trace(10).p_n[1] > 0 then -- today's laws
      local same = trace.of(with_start(hit))
      equal(same.n, starts.n)
      for _, name in ipairs { "p_n", "v_n", "v_t1" } do near(same[name], starts[name], 0) end
      for i, e in ipairs(same.list) do equal({ e.kind, e.at }, { starts.list[i].kind, starts.list[i].at }) end
    end
  end
end)

-- the widest number below an axis, and the room from one number to the next, in points
local function crowding(plan, p)
  local axis, text = require "knock.draw.axis", require "knock.draw.text"
  local widest, x = 0, p.axes.x
  for _, label in ipairs(axis.labels(x)) do widest = math.max(widest, text.width(label) * plan.style.size) end
  return widest, x.step / (x.high - x.low) * (p.box.r - p.box.l)
end

test("numbers below narrow panels keep apart", function()
  for _, high in ipairs { 0.000155, 0.00127, 0.0155, 1.27, 15.5, 1270, 155000 } do
    for cols = 1, 4 do
      local f = k.figure { cols = cols }
      for i = 1, cols do f[i]:line { x = { 0, high }, y = { 0, 1 } } end
      local plan = f:plan "ieee2"
      local widest, room = crowding(plan, plan.panels[1])
      assert(room - widest >= 1.15 * plan.style.size, ("%g in %d columns: %.1f pt from one to the next, %.1f pt wide"):format(high, cols, room, widest))
    end
  end
end)

test("the heading of a panel keeps clear of the number at the top of its axis", function()
  local f = k.figure { cols = 2 }
  f[1]:line { x = { 0, 1 }, y = { 0.3, 2 } }
  f[2]:line { x = { 0, 1 }, y = { 0, 1 } }
  f[1].y, f[1].title = { range = { 0, 2 } }, "falls flat"
  local plan = f:plan()
  local p = plan.panels[1]
  assert(p.box.top - 0.75 * plan.style.size - p.box.t >= 1.3 * plan.style.size, "from the middle of the heading to the middle of the number")
end)

test("equal scales: a tall picture is drawn with the widened range, circles stay round", function()
  local f = k.figure {}
  f[1]:line { x = { 0, 0.1 }, y = { 0, 5 } }
  f[1].equal = true
  local p = f:plan().panels[1]
  local function drawn(a) return (a.to or a.high) - (a.from or a.low) end
  near(drawn(p.axes.x) / (p.box.r - p.box.l) / (drawn(p.axes.y) / (p.box.t - p.box.b)), 1, 1e-3)
end)
test("counts have no halves between them, and powers count from 10^0", function()
  local function labels(a) return require "knock.draw.axis".labels(a) end
  local x = k.plot { x = { 0, 1, 2, 3, 4, 5 }, y = { 0.1, 0.2, 0.3, 0.4, 0.5, 0.6 } }:plan().panels[1].axes.x
  for _, s in ipairs(labels(x)) do assert(s:match "^%d+$", s) end
  local y = k.plot { y = { 1, 2, 2, 3, 3, 3, 7.5 }, kind = "histogram" }:plan().panels[1].axes.y
  equal(labels(y), { "0", "1", "2", "3" })
  local t = k.plot { x = { 0, 1, 2, 3 }, y = { 0, 1, 4, 9 }, xlabel = "t [s]" }:plan().panels[1].axes.x
  equal(labels(t)[2], "0.5") -- times have
  local f = k.plot { x = { 1, 2 }, y = { 1e-30, 1e20 }, logy = true }
  equal(f:plan().panels[1].axes.y.every, 10)
  local page = require "knock.draw.script".page(f:plan(), "cairo", function() return "'d'" end)
  assert(page:find("set ytics 1e-30,1e+10", 1, true))
end)

