-- Series of bounces end where their sums end: by the flights of each contact, steady ones, and with the friction of all contacts.
local k = require "knock"
local g = 9.81

-- from a height h: sqrt(2 h/g) and flights of 2 e sqrt(2 h/g), 2 e^2 ...
local function limit(h, e) return math.sqrt(2 * h / g) * (1 + e) / (1 - e) end

local function told(run, kind, contact)
  for _, event in ipairs(run.events) do
    if event.kind == kind and (not contact or event.contact == contact) then return event.t end
  end
end

-- What came before the bounces is none of them: the limit was 1.6e-6 s late here.
test("a series does not begin with the impact on another wall", function()
  for _, e in ipairs { 0.1, 0.3, 0.6 } do
    local m = k.particle { position = { 0.05, 1 }, velocity = { -0.3, 0 }, gravity = g, planes = { { 1, 0, 0 }, { 0, 1, 0 } } }
    local run = k.simulate(m, k.law.newton { e = e }, { t_end = 4 })
    near(told(run, "zeno", 2), limit(1, e), 1e-13)
    near(told(run, "contact", 2), limit(1, e), 1e-13)
  end
end)

-- Flights cut short by a ceiling are no part of the series that follows, though they are those of the floor.
test("a series begins when its flights are steady", function()
  for _, e in ipairs { 0.02, 0.1, 0.3 } do
    local m = k.particle { position = { 0, 0.5 }, velocity = { 0, -60 }, gravity = g, planes = { { 0, 1, 0 }, { 0, -1, -1 } } }
    local run = k.simulate(m, k.law.newton { e = e }, { t_end = 9 })
    local v, t = math.sqrt(60 ^ 2 + 2 * g * 0.5), (math.sqrt(60 ^ 2 + 2 * g * 0.5) - 60) / g -- at the floor
    v = e * v
    while v * v > 2 * g do -- up to the ceiling at 1 m, and down again
      local w = math.sqrt(v * v - 2 * g)
      t = t + 2 / (v + w) + 2 / (e * w + math.sqrt(e * e * w * w + 2 * g))
      v = e * math.sqrt(e * e * w * w + 2 * g)
    end
    near(told(run, "zeno", 1), t + 2 * v / g / (1 - e), 1e-12)
  end
end)

-- Flights were counted from any impact to the next: 6e-8 to 4e-5 s wrong here.
test("two loose balls bounce as if each were alone", function()
  for _, e in ipairs { 0.1, 0.2, 0.3, 0.5 } do
    local function ball(name) return { name = name, joint = "free", mass = 1, inertia = 0.1, points = { p = { 0, 0 } } } end
    local m = k.mechanism { plane = true, gravity = g, bodies = { ball "a", ball "b" },
      obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } }, q = { a = { 0, 1, 0 }, b = { 1, 0.9999, 0 } } }
    local run = k.simulate(m, k.law.newton { e = e }, { t_end = 4 })
    near(told(run, "zeno", 1), limit(1, e), 1e-12)
    near(told(run, "zeno", 2), limit(0.9999, e), 1e-12)
  end
end)

-- A sledge slides while a load bounces on it. All of its friction is that of the whole weight from the drop to the end of the
-- bounces, so v = v0 - mu g t from there on, whatever the bounces do. The sledge lacked the friction of the load's last ones.
test("what lands presses those that slide below it", function()
  for _, e in ipairs { 0.2, 0.5, 0.8 } do
    local mu, v0, ends = 0.4, 9, limit(0.1, e)
    local m = k.mechanism { plane = true, gravity = g,
      bodies = {
        { name = "rail", joint = "slide", axis = { 1, 0 } },
        { name = "sledge", parent = "rail", joint = "slide", axis = { 0, 1 }, mass = 2, points = { keel = { 0, 0 } } },
        { name = "load", parent = "sledge", joint = "slide", axis = { 0, 1 }, mass = 1, lower = 0 } },
      obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } }, contacts = { { "sledge.keel", "floor" } },
      q = { load = 0.1 }, u = { rail = v0 } }
    local run = k.simulate(m, k.law.moreau { e = e, mu = mu }, { t_end = 3 })
    equal(run.status, "ok")
    near(told(run, "zeno"), ends, 1e-11)
    near(run:at(ends + 1e-3).u[1], v0 - mu * g * (ends + 1e-3), 1e-12)
    near(told(run, "stick"), v0 / (mu * g), 1e-12)
    assert(math.abs(run.ledger.residual) < 1e-11, run.ledger.residual)
  end
end)

-- A ball that bounces down a slope is a kilometre away when its hops are 1e-11 m: what rounds its gap there made them grow again,
-- and the bounces went on for ever, just above the height at which they are summed.
test("bounces end far away too", function()
  local e, slope, mu = 0.9811, 0.3, 0.2
  local down, into = g * math.sin(slope), g * math.cos(slope)
  local m = k.mechanism { plane = true, gravity = { down, -into }, bodies = { { name = "a", joint = "free", mass = 1, inertia = 0.1, points = { p = { 0, 0 } } } },
    obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } }, q = { a = { 0, 1, 0 } } }
  local ends = math.sqrt(2 / into) * (1 + e) / (1 - e)
  local run = k.simulate(m, k.law.moreau { e = e, mu = mu }, { t_end = ends + 1, max_events = 2000 })
  equal(run.status, "ok")
  assert(run.last.q[1] > 1000)
  near(told(run, "zeno"), ends, 1e-9 * ends)
end)
