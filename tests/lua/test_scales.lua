-- The same run in other units: lengths x L, times x T, masses x M. Nothing may change but the numbers' units.
local k = require "knock"

-- ---- mechanisms, each as a function of the units: model, law, end of the run, scales of q and u ------------

local function accelerate(L, T) return 9.81 * L / T ^ 2 end

local cases = {
  ["a ball with friction"] = function(L, T, M)
    local v = L / T
    return k.ball { mass = M, radius = 0.1 * L, velocity = { v, 0.3 * v, 0 }, spin = { 0, 2 / T, 1 / T }, position = { 0, 0, 0.6 * L },
      gravity = accelerate(L, T) }, k.law.stronge { e = 0.6, mu = 0.2 }, 3 * T, { L, L, L, 1, 1, 1, 1 }, { v, v, v, 1 / T, 1 / T, 1 / T }
  end,
  ["a ball on springs"] = function(L, T, M)
    local v = L / T
    return k.ball { mass = M, radius = 0.1 * L, velocity = { v, 0, 0 }, spin = { 0, 2 / T, 0 }, position = { 0, 0, 0.6 * L }, gravity = accelerate(L, T) },
      k.law.compliant { e = 0.6, mu = 0.2, k = 1e6 * M / T ^ 2 }, 3 * T, { L, L, L, 1, 1, 1, 1 }, { v, v, v, 1 / T, 1 / T, 1 / T }
  end,
  ["a rod on its ends"] = function(L, T, M)
    local v = L / T
    return k.rod { mass = M, part = 1, length = L, angle = 0.5, position = { 0, L }, velocity = { 0.4 * v, 0 }, spin = 0.3 / T, floor = 0,
      gravity = accelerate(L, T) }, k.law.sequential { law = k.law.stronge { e = 0.3, mu = 0.3 } }, 4 * T, { L, L, 1 }, { v, v, 1 / T }
  end,
  ["a double pendulum"] = function(L, T, M)
    return k.double_pendulum { length = L, mass = M, q = { -0.6, 0.5 }, u = { -1 / T, -1 / T }, floor = -1.3 * L, gravity = accelerate(L, T) },
      k.law.stronge { e = 0.5, mu = 0.4 }, T, { 1, 1 }, { 1 / T, 1 / T }
  end,
  ["a stack of three"] = function(L, T, M)
    local v = L / T
    return k.chain { n = 3, mass = M, wall = "left", gravity = accelerate(L, T), gaps = 0.05 * L, radius = 0.05 * L, velocity = 0 },
      k.law.newton { e = 0.5 }, 3 * T, { L, L, L }, { v, v, v }
  end,
}

local function same(name, a, b, T, M, L, tol)
  equal(b.status, "ok")
  equal(b.impacts, a.impacts)
  local kinds = {}
  for i, run in ipairs { a, b } do
    kinds[i] = {}
    for _, e in ipairs(run.events) do table.insert(kinds[i], e.kind .. (e.mode or "") .. (e.contact or "")) end
  end
  equal(kinds[2], kinds[1])
  for i = 1, #a.events do near(b.events[i].t / T, a.events[i].t, tol) end
  local E = M * L ^ 2 / T ^ 2
  for _, word in ipairs { "restitution", "friction", "sliding", "bounces", "residual" } do
    near(b.ledger[word] / E, a.ledger[word], tol)
  end
end

for name, make in pairs(cases) do
  test(name .. ": the same run over twelve decades of lengths, times and masses", function()
    local model, law, t_end = make(1, 1, 1)
    local unit = k.simulate(model, law, { t_end = t_end })
    equal(unit.status, "ok")
    for _, s in ipairs { { 1e-6, 1, 1 }, { 1e6, 1, 1 }, { 1, 1e-6, 1 }, { 1, 1e6, 1 }, { 1, 1, 1e-6 }, { 1, 1, 1e6 }, { 1e-9, 1e-6, 1e-12 },
      { 1e-6, 1e-3, 1e-12 }, { 1e9, 1e4, 1e15 }, { 1e-3, 1, 1 } } do
      local L, T, M = s[1], s[2], s[3]
      local model, law, t_end, of_q, of_u = make(L, T, M)
      local run = k.simulate(model, law, { t_end = t_end })
      same(name, unit, run, T, M, L, 2e-8)
      for i, scale in ipairs(of_q) do near(run.last.q[i] / scale, unit.last.q[i], 1e-7) end
      for i, scale in ipairs(of_u) do near(run.last.u[i] / scale, unit.last.u[i], 1e-7) end
    end
  end)
end

-- ---- figures ------------------------------------------------------------------------------------------------

-- how many curves each panel has, their labels and how many points
local function curves(figure)
  local list = {}
  for _, panel in ipairs(figure) do
    for _, layer in ipairs(panel.layers) do
      list[#list + 1] = ("%s %s %d"):format(tostring(layer.kind), type(layer.label) == "table" and "text" or tostring(layer.label), layer.x and #layer.x or 0)
    end
  end
  return list
end

test("figures of a run of a grain of 1e-12 kg and 5 um have what those of a ball of 1 kg have", function()
  local make = cases["a ball with friction"]
  local figures = {}
  for i, s in ipairs { { 1, 1, 1 }, { 5e-5, 1e-2, 1e-12 } } do
    local model, law, t_end = make(s[1], s[2], s[3])
    local run = k.simulate(model, law, { t_end = t_end, samples = 50 })
    figures[i] = { curves(run:plot { x = "t", y = "energy" }), curves(run:plot { x = "t", y = { "kinetic", "potential", "lost" } }), curves(run:plot {}) }
  end
  equal(figures[2], figures[1])
end)

-- A stop of a hinge has its gap in rad, the foot beside it in metres: the leg's mass matrix says what a radian is worth.
-- Times stay the same, as gravity goes with the lengths. Before, 1e-6 m was good to 6e-5 and 1e-9 m to nothing.
test("a hopper with stops, from nanometres to kilometres", function()
  local function hopper(s)
    return k.mechanism { plane = true, gravity = 9.81 * s,
      bodies = {
        { name = "hip", joint = "free", mass = 10, inertia = 0.5 * s * s },
        { name = "leg", parent = "hip", joint = "hinge", at = { 0, 0 }, mass = 1, com = { 0, -0.4 * s }, inertia = 0.05 * s * s,
          points = { foot = { 0, -0.8 * s } }, stiffness = 20 * s * s, damping = 0.1 * s * s, rest = 0.2, lower = -0.5, upper = 0.5 },
      },
      obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } }, contacts = { { "foot", "floor" } },
      q = { hip = { 0, s, 0 }, leg = 0.3 }, u = { hip = { 0.5 * s, 0, 0 } } }
  end
  local law = k.law.moreau { e = 0.5, mu = 0.3 }
  local one = k.simulate(hopper(1), law, { t_end = 1.2 })
  equal(one.status, "ok")
  for _, s in ipairs { 1e-9, 1e-6, 1e-3, 1e3 } do
    local run = k.simulate(hopper(s), law, { t_end = 1.2 })
    equal(#run.events, #one.events)
    for i, e in ipairs(run.events) do
      equal(e.kind, one.events[i].kind)
      near(e.t, one.events[i].t, 1e-11)
    end
    local q, want = run.last.q, one.last.q
    near({ q[1] / s, q[2] / s, q[3], q[4] }, { want[1], want[2], want[3], want[4] }, 1e-11)
    local last = #one.events
    while not one.events[last].hit do last = last - 1 end
    near(run.events[last].hit.u[4], one.events[last].hit.u[4], 1e-9)
  end
end)

-- Stops alone: a slide's gap is in metres, a hinge's in rad. A metre of the slide, that is 1e-9 of the hinge's, was rounding before.
test("stops of a slide and of a hinge alone, from nanometres to kilometres", function()
  local function machine(s)
    return k.mechanism { plane = true, gravity = 9.81 * s, bodies = {
      { name = "cart", joint = "slide", axis = { 1, 0 }, mass = 2, stiffness = 30, lower = -0.2 * s, upper = 0.3 * s },
      { name = "arm", parent = "cart", joint = "hinge", mass = 1, com = { 0, -0.4 * s }, inertia = 0.05 * s * s, lower = -0.6, upper = 0.5 } },
      q = { cart = 0.1 * s, arm = 0.4 }, u = { cart = 1.5 * s, arm = 2 } }
  end
  local law = k.law.moreau { e = 0.7 }
  local one = k.simulate(machine(1), law, { t_end = 1.5 })
  equal(one.status, "ok")
  assert(one.impacts > 3, one.impacts)
  for _, s in ipairs { 1e-9, 1e-6, 1e-3, 1e3 } do
    local run = k.simulate(machine(s), law, { t_end = 1.5 })
    equal(#run.events, #one.events)
    for i, e in ipairs(run.events) do
      equal({ e.kind, e.contact }, { one.events[i].kind, one.events[i].contact })
      near(e.t, one.events[i].t, 1e-10)
    end
    near({ run.last.q[1] / s, run.last.q[2] }, { one.last.q[1], one.last.q[2] }, 1e-9)
  end
end)

-- Rounding of a gap in metres was that of forces and of functions of the user too: far away, or with small numbers, a contact was
-- released at 0.84 s (1e-9 kg, 1e6 m away) or 1.14 s (1e-12 kg, 1 km), and a function fired at 2e-6 s or at 1.02 s. Right is 1 s.
test("forces and functions of the user end at their own zeros, small ones and far away too", function()
  local law = k.law.moreau { mu = 0, e = 0 }
  for _, x in ipairs { 0, 1e3, 1e6 } do
    for _, small in ipairs { 1, 1e-6, 1e-9, 1e-12 } do
      local falls = k.simulate(k.particle { position = { x, 0 }, velocity = { 0, 0 } }, law, { t_end = 2,
        events = { due = function(t) return small * (1 - t * t) end } })
      local slides = k.simulate(k.particle { position = { x, 0 }, velocity = { 1, 0 }, mass = small, gravity = 9.81 }, law, { t_end = 2,
        force = function(t) return { 0, 9.81 * small * t * t } end })
      for run, kinds in pairs { [falls] = { "contact", "due", "stop" }, [slides] = { "contact", "release", "stop" } } do
        local told = {}
        for i, e in ipairs(run.events) do told[i] = e.name or e.kind end
        equal(told, kinds)
        near(run.events[2].t, 1, 1e-9)
      end
    end
  end
end)

-- A quaternion has four numbers and three speeds. Behind it the place of a slide was measured by a number of the quaternion, which is
-- of the size of 1: 1e-9 of that touched, and the slide was known to 1e-12 m. Before, 1e-3 m was good to 2e-6 with 32 of 41 events,
-- 1e-6 m to 7e-5, and 1e-9 m had 3 events and was off by 1e-2.
test("a slide on a free body in space, from nanometres to kilometres", function()
  local function machine(s)
    return k.mechanism { gravity = 9.81 * s, bodies = {
      { name = "trunk", joint = "free", mass = 1, inertia = { 0.02 * s * s, 0.03 * s * s, 0.04 * s * s }, points = { foot = { 0.1 * s, 0.2 * s, -0.3 * s } } },
      { name = "rod", parent = "trunk", joint = "slide", axis = { 1, 0, 0 }, mass = 0.5, inertia = { 0.01 * s * s, 0.01 * s * s, 0.01 * s * s },
        stiffness = 30, rest = -0.1 * s, lower = -0.05 * s, upper = 0.2 * s } },
      obstacles = { floor = { point = { 0, 0, 0 }, normal = { 0, 0, 1 } } },
      q = { trunk = { 0, 0, 0.5 * s, 0.8, 0, 0, 0.6 }, rod = 0.1 * s }, u = { trunk = { 0.3 * s, 0, 0, 1, 2, 3 }, rod = 0 } }
  end
  local law = k.law.moreau { e = 0.5, mu = 0.3 }
  local one = k.simulate(machine(1), law, { t_end = 1 })
  equal(one.status, "ok")
  assert(one.impacts > 10, one.impacts)
  for _, s in ipairs { 1e-9, 1e-6, 1e-3, 1e3 } do
    local run = k.simulate(machine(s), law, { t_end = 1 })
    equal(#run.events, #one.events)
    for i, e in ipairs(run.events) do
      equal({ e.kind, e.contact }, { one.events[i].kind, one.events[i].contact })
      near(e.t, one.events[i].t, 1e-10)
    end
    local q, want = run.last.q, one.last.q
    for i = 1, 8 do near(q[i] / (i > 3 and i < 8 and 1 or s), want[i], 1e-10) end
  end
end)

-- The flap's stop carries 0.03 s^2 N m until t = 1 s, beside 10.8 s N under the base: N m in a machine of nanometres are not 1e-10 of
-- N, which carry nothing. Before, the stop of 1e-9 m never let go, and pulled.
test("a stop beside a load lets go at its own zero, from nanometres to megametres", function()
  for _, s in ipairs { 1e-9, 1e-6, 1e-3, 1, 1e3, 1e6 } do
    local m = k.mechanism { plane = true, gravity = 9.81 * s, bodies = {
      { name = "base", joint = "slide", axis = { 0, 1 }, mass = 1, points = { foot = { 0, 0 } } },
      { name = "flap", parent = "base", joint = "hinge", mass = 0.1, inertia = 0.005 * s * s, lower = 0 } },
      obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } }, q = { base = 0, flap = 0 } }
    local run = k.simulate(m, k.law.moreau { mu = 0, e = 0 }, { t_end = 2, force = function(t) return { 0, -0.03 * s * s * (1 - t) } end })
    equal({ run.events[3].kind, run.events[3].contact }, { "release", 2 })
    near(run.events[3].t, 1, 1e-9)
    near(run.last.q[2], 1, 1e-9) -- 0.03 (t - 1)^3 / (6 0.005)
  end
end)

-- Of 300 s^2 N m in a stop the light foot beside it knows nothing: 1e-10 of them, taken for N, would be more than its 1e-4 s N.
test("a light foot beside the torque of a stop lets go at its own zero, from nanometres to megametres", function()
  for _, s in ipairs { 1e-9, 1e-3, 1, 1e3, 1e6 } do
    local m = k.mechanism { plane = true, gravity = 9.81 * s, bodies = {
      { name = "base", joint = "slide", axis = { 0, 1 }, mass = 1, points = { foot = { 0, 0 } } },
      { name = "flap", parent = "base", joint = "hinge", mass = 0.1, inertia = 0.005 * s * s, lower = 0 },
      { name = "light", joint = "slide", axis = { 0, 1 }, mass = 0.1, points = { foot = { 0, 0 } } } },
      obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } }, q = { base = 0, flap = 0, light = 0 } }
    local lift = function(t) return { 0, -300 * s * s, (0.981 - 1e-4 * (1 - t)) * s } end
    local run = k.simulate(m, k.law.moreau { mu = 0, e = 0 }, { t_end = 2, force = lift })
    local release = run.events[#run.events - 1]
    equal({ release.kind, release.contact }, { "release", 2 })
    near(release.t, 1, 1e-9)
    near(run.last.q[3] / s, 1e-3 / 6, 1e-9) -- 1e-4 (t - 1)^3 / (6 0.1)
  end
end)

-- Nothing but its walls says how long a particle's way is. It was speed times t_end: with 1e9 s half a metre was nothing, and the
-- particle touched the wall at t = 0: between two it lay still, before one it turned at once.
test("a particle comes to its wall in time, however long the run may last", function()
  local function times(p, t_end)
    local run, list = k.simulate(p, k.law.newton { e = 0.5 }, { t_end = t_end, max_events = 3 }), {}
    for _, e in ipairs(run.events) do if e.kind == "impact" then list[#list + 1] = e.t end end
    return list
  end
  for _, s in ipairs { 1e-9, 1, 1e6 } do
    local function at(x, planes) return k.particle { position = { x * s, 0.3 * s }, velocity = { s, 0 }, gravity = 0, planes = planes } end
    for _, t_end in ipairs { 10, 1e3, 1e6, 1e9, 1e12 } do
      for n, t in ipairs(times(at(0.25, { { 1, 0, 0 }, { -1, 0, -s } }), t_end)) do near(t, ({ 0.75, 2.75, 6.75 })[n], 1e-9) end
      for n, t in ipairs(times(at(0, { { 1, 0, 0 }, { -1, 0, -s } }), t_end)) do near(t, ({ 1, 3, 7 })[n], 1e-9) end
      local alone = times(at(0.25, { { -1, 0, -s } }), t_end)
      equal(#alone, 1)
      near(alone[1], 0.75, 1e-9)
    end
  end
end)

test("a hit prints every row in its own unit", function()
  local m = k.mechanism { plane = true, bodies = {
    { name = "cart", joint = "slide", axis = { 1, 0 }, mass = 2, lower = 0 },
    { name = "arm", parent = "cart", joint = "hinge", mass = 1, com = { 0, -0.4 }, inertia = 0.05, lower = 0 } }, u = { cart = -1, arm = -2 } }
  local text = tostring(k.impact(m, k.law.moreau { e = 0.5 }))
  for _, words in ipairs { "cart.lower +%([%d.]+%) N s ", "arm.lower +%([%d.]+%) N m s ", "end +all +%([^)]*%) m/s, rad/s" } do
    equal(text:find(words) ~= nil and "found" or text, "found")
  end
  local path, units = k.impact(m, k.law.compliant { e = 0.5 }).path, {}
  for _, name in ipairs(path.names) do units[name] = path.units[name] end
  equal({ units.p1_n, units.p2_n, units.v1_n, units.v2_n, units.F1_n, units.F2_n }, { "N s", "N m s", "m/s", "rad/s", "N", "N m" })
  local alone = tostring(k.impact(m, k.law.moreau { e = 0.5 }, { contacts = { 2 } }))
  equal(alone:find "end +[%w.]+ +[%d.]+ N m s +%([%d.]+%) rad/s" ~= nil and "found" or alone, "found")
end)
