-- k.mechanism{...}: names, closed forms, loops, torques, laws by contact, and one clear line for what is wrong.
local k = require "knock"

local function hopper(changes)
  local t = { plane = true, name = "hopper", gravity = 9.81,
    bodies = {
      { name = "hip", joint = "free", mass = 10, inertia = 0.5 },
      { name = "leg", parent = "hip", joint = "hinge", at = { 0, 0 }, mass = 1, com = { 0, -0.4 }, inertia = 0.05, points = { foot = { 0, -0.8 } },
        stiffness = 20, damping = 0.1, rest = 0.2, lower = -1, upper = 1 },
    },
    obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } }, contacts = { { "foot", "floor" } },
    q = { hip = { 0, 1, 0 }, leg = 0.3 }, u = { hip = { 0.5, 0, 0 } } }
  for key, value in pairs(changes or {}) do t[key] = value end
  return k.mechanism(t)
end

-- ---- names ---------------------------------------------------------------------------------------------------

test("q and u by body, by component, and as parameters", function()
  local m = hopper()
  equal(m.q.leg, 0.3)
  near(m.q.hip, { 0, 1, 0 }, 0)
  equal(m.u["hip.vx"], 0.5)
  equal(m["leg.rate"], 0.0)
  equal(m:with { ["leg.mass"] = 2 }["leg.mass"], 2.0)
  equal(m:with { ["leg.q"] = 0.1 }.q.leg, 0.1)
  equal(m:with { q = { leg = 0.1 } }.q["hip.z"], 1.0)
  near(m:with { q = { 0, 2, 0.1, 0.2 } }.q, { 0, 2, 0.1, 0.2 }, 0)
  equal(m:at({ leg = -0.5 }, { hip = { 1, 2, 3 } }).q.leg, -0.5)
  equal(m:at(nil, { leg = 4 }).u.leg, 4.0)
  equal(m:at { leg = -0.5 }:with { ["leg.mass"] = 3 }.q.leg, -0.5)
  equal(m:at { leg = -0.5 }:with { ["leg.q"] = 0.3 }.q.leg, 0.3)
end)

test("columns, tables and events speak by name", function()
  local run = k.simulate(hopper(), k.law.newton { e = 0.5, mu = 0.3 }, { t_end = 0.3 })
  local c = run:sample(5)
  equal(c.units["leg.rate"], "rad/s")
  equal(c.units["gap(leg.lower)"], "rad")
  equal(c.units["f_n(leg.foot/floor)"], "N")
  near(c["gap(leg.foot/floor)"][1], 1 - 0.8 * math.cos(0.3), 1e-14)
  equal(run:table(3):unit "hip.vx", "m/s")
  equal(run.events[1].q.leg ~= nil, true)
  local named = k.simulate(hopper(), k.law.newton {}, { t_end = 0.2, events = { swing = function(_, q) return q.leg - 0.29 end } })
  equal(named.events[1].name, "swing")
  near(run:at(0.1).q.leg, run:at(0.1).q[4], 0)
  near(run.events[1].hit.u.leg, run.events[1].hit["leg.rate"], 0)
  equal(tostring(run):find("leg.foot/floor", 1, true) ~= nil, true)
end)

test("sweeps, fast lanes and prepared functions take names", function()
  local m = hopper { q = { hip = { 0, 0.8 * math.cos(0.3), 0 }, leg = 0.3 }, u = { hip = { 0.5, -1, 0 } } }
  local law = k.law.newton { e = 0.5 }
  local f = k.prepare(m, law, { "leg.mass", "leg.u" }, { "leg.rate" })
  near(f(2, 0.3), k.impact(m:with { ["leg.mass"] = 2, ["leg.u"] = 0.3 }, law)["leg.rate"], 1e-15)
  local t = k.sweep { ["leg.mass"] = k.linspace(1, 2, 3) }:impact(m, law, { rate = "leg.rate" })
  near(t.rate[3], f(2, 0), 1e-15)
end)

test("print shows the tree, short also for a long chain", function()
  local text = tostring(hopper())
  equal(text:find("hopper: 2 bodies in the plane, 4 speeds", 1, true) ~= nil, true)
  equal(text:find("`- leg  hinge", 1, true) ~= nil, true)
  local bodies = {}
  for i = 1, 300 do bodies[i] = { name = "b" .. i, parent = i > 1 and "b" .. i - 1 or nil, joint = "hinge", at = { 1, 0 }, mass = 1, com = { 0.5, 0 }, inertia = 0.1 } end
  local _, lines = tostring(k.mechanism { plane = true, bodies = bodies }):gsub("\n", "\n")
  equal(lines < 50, true)
end)

test("Tab knows the names", function()
  local words = require "knock.complete".words
  _G.tab_hopper = hopper()
  equal(words("tab_hopper.q.l", #"tab_hopper.q."), { "leg" })
  equal(words('tab_hopper["leg.ma', #'tab_hopper["leg.'), { "leg.mass" })
  equal(words('tab_hopper:with{ ["hip.v', #'tab_hopper:with{ ["hip.'), { "hip.vx", "hip.vz" })
  _G.tab_hopper = nil
end)

-- ---- closed forms --------------------------------------------------------------------------------------------

-- a hinge without gravity between stops at 0 and 1 rad, started at 0.5 with 1 rad/s: legs of 0.5, 1/e, 1/e^2 ... s
test("a hinge with stops: times of its bounces in closed form, for every law that takes one row", function()
  local m = k.mechanism { plane = true, gravity = 0, q = { arm = 0.5 }, u = { arm = 1 },
    bodies = { { name = "arm", joint = "hinge", mass = 2, com = { 0.3, 0 }, inertia = 0.1, lower = 0, upper = 1 } } }
  equal(m.dim, 1)
  local e = 0.7
  for _, law in ipairs { k.law.newton { e = e }, k.law.stronge { e = e }, k.law.poisson { e = e }, k.law.compliant { e = e }, k.law.moreau { e = e } } do
    local run = k.simulate(m, law, { t_end = 7 })
    local t, n = 0.5, 0
    for _, event in ipairs(run.events) do
      if event.kind == "impact" then
        near(event.t, t, 1e-9)
        n = n + 1
        t = t + 1 / e ^ n
      end
    end
    equal(n, 4)
    near(run:at(7).u[1], e ^ 4, 1e-12)
  end
end)

test("two spheres on springs: one oscillator, its period and its bounces", function()
  -- symmetric: each sphere swings on its spring about x = +-1 and meets the other at x = +-0.2 in the middle
  local kk, mass, r = 50, 2, 0.2
  local w = math.sqrt(kk / mass)
  local m = k.mechanism { plane = true, gravity = 0,
    bodies = {
      { name = "left", joint = "slide", axis = { 1, 0 }, mass = mass, spheres = { skin = { radius = r } }, points = { hook = { 0, 0 } } },
      { name = "right", joint = "slide", axis = { 1, 0 }, mass = mass, spheres = { skin = { radius = r } }, points = { hook = { 0, 0 } } } },
    obstacles = { a = { at = { -3, 0 } }, b = { at = { 3, 0 } } },
    springs = { { "left.hook", "a", stiffness = kk, rest = 2 }, { "right.hook", "b", stiffness = kk, rest = 2 } },
    contacts = { { "left.skin", "right.skin" } }, q = { left = -2.5, right = 2.5 } }
  local run = k.simulate(m, k.law.newton { e = 1 }, { t_end = 5, rtol = 1e-12, atol = 1e-12 })
  local half = math.acos(-(1 - r) / 1.5) / w -- from -2.5 (amplitude 1.5 about -1) to -0.2
  local n = 0
  for _, event in ipairs(run.events) do
    if event.kind == "impact" then
      near(event.t, half * (2 * n + 1), 1e-9)
      n = n + 1
    end
  end
  equal(n >= 5, true)
  near(run:at(5).energy, 2 * kk * 1.5 ^ 2 / 2, 1e-9)
end)

-- ground 4, crank 1, coupler 3, rocker 2.5 (Grashof): the rocker's angle follows from the crank's
local function fourbar(angle, rate)
  local ground, crank, coupler, rocker = 4, 1, 3, 2.5
  local ax, az = crank * math.cos(angle), crank * math.sin(angle)
  local dx, dz = ground - ax, -az
  local d = math.sqrt(dx * dx + dz * dz)
  local beta = math.acos((coupler ^ 2 + d ^ 2 - rocker ^ 2) / (2 * coupler * d))
  local theta = math.atan(dz, dx) + beta -- coupler, above
  local bx, bz = ax + coupler * math.cos(theta), az + coupler * math.sin(theta)
  local phi = math.atan(bz, bx - ground)
  -- velocity: crank w1, coupler w2, rocker w3 by the loop's two equations
  local s = math.sin(theta - phi)
  local w2, w3 = rate * crank * math.sin(angle - phi) / (coupler * math.sin(phi - theta)), rate * crank * math.sin(angle - theta) / (rocker * -s)
  return theta, phi, w2, w3
end

test("a four-bar linkage against its closed form, with energy kept and no drift", function()
  local a0, w0 = 0.7, 3
  local theta, phi, w2, w3 = fourbar(a0, w0)
  local function bar(name, parent, at, length, mass)
    return { name = name, parent = parent, joint = "hinge", at = at, mass = mass, com = { length / 2, 0 }, inertia = mass * length ^ 2 / 12, points = { tip = { length, 0 } } }
  end
  for _, redundant in ipairs { false, true } do
    local loops = { { "coupler.tip", "rocker.tip" } }
    if redundant then loops[2] = { "rocker.tip", "coupler.tip" } end
    local m = k.mechanism { plane = true, bodies = { bar("crank", nil, { 0, 0 }, 1, 1), bar("coupler", "crank", { 1, 0 }, 3, 2), bar("rocker", nil, { 4, 0 }, 2.5, 1.5) },
      loops = loops, q = { crank = a0, coupler = theta - a0, rocker = phi }, u = { crank = w0, coupler = w2 - w0, rocker = w3 } }
    local start = m.energy.total
    local run = k.simulate(m, k.law.newton {}, { t_end = 10, rtol = 1e-10, atol = 1e-10 })
    equal(run.status, "ok")
    for _, t in ipairs { 0, 1.3, 4.7, 10 } do
      local at = run:at(t)
      local th, ph, v2, v3 = fourbar(at.q[1], at.u[1])
      near(math.sin(at.q[1] + at.q[2] - th), 0, 1e-9)
      near(math.sin(at.q[3] - ph), 0, 1e-9)
      near(at.u[1] + at.u[2], v2, 1e-7)
      near(at.u[3], v3, 1e-7)
      near(at.energy, start, 1e-7 * math.abs(start) + 1e-7)
    end
  end
end)

test("a machine in space keeps energy and momentum over 10 s", function()
  local m = k.mechanism { gravity = 0, bodies = {
    { name = "trunk", joint = "free", mass = 3, inertia = { 0.2, 0.3, 0.25 } },
    { name = "arm", parent = "trunk", joint = "ball", at = { 0.3, 0, 0.1 }, mass = 1, com = { 0.2, 0, 0 }, inertia = { 0.01, 0.03, 0.03 } },
    { name = "hand", parent = "arm", joint = "hinge", axis = { 0, 1, 0 }, at = { 0.4, 0, 0 }, mass = 0.5, com = { 0.1, 0, 0.05 }, inertia = { 0.004, 0.006, 0.005 } },
    { name = "tail", parent = "trunk", joint = "slide", axis = { 1, 0, 1 }, at = { -0.3, 0, 0 }, mass = 0.4, stiffness = 5 } },
    u = { trunk = { 0.1, 0.2, -0.1, 1, 0.5, -0.7 }, arm = { 1, -2, 0.5 }, hand = 2, tail = 0.3 } }
  -- linear momentum: M u along the three translations of the root
  local function momentum(at)
    local g = m:at(at.q, at.u)
    local p = g.M * g.u
    return { p[1], p[2], p[3] }
  end
  local run = k.simulate(m, k.law.newton {}, { t_end = 10, rtol = 1e-11, atol = 1e-11 })
  local a, b = run:at(0), run:at(10)
  near(b.energy, a.energy, 1e-8 * a.energy)
  near(momentum(b), momentum(a), 1e-8)
end)

test("torque by a function of time, place and speed, and its work in the ledger", function()
  local t = { plane = true, gravity = 0, bodies = { { name = "wheel", joint = "hinge", inertia = 2, torque = function(time, q, u) return 3 * math.cos(time) - 0.5 * u.wheel end } } }
  local run = k.simulate(k.mechanism(t), k.law.newton {}, { t_end = 2, rtol = 1e-12, atol = 1e-12 })
  -- 2 u' + 0.5 u = 3 cos t: u = A cos t + B sin t - A exp(-t/4), A = 0.5 * 3 / (4 + 0.25), B = 4 A
  local A = 1.5 / 4.25
  local B = 4 * A
  near(run:at(2).u[1], A * math.cos(2) + B * math.sin(2) - A * math.exp(-0.5), 1e-10)
  near(run.ledger.residual, 0, 1e-9)
  t.bodies[1].torque = function() return "x" end
  raises(function() k.simulate(k.mechanism(t), k.law.newton {}, { t_end = 1 }) end, "torque of 'wheel' must return 1 number, got a string")
  t.bodies[1].torque = function() error "no power today" end
  raises(function() k.simulate(k.mechanism(t), k.law.newton {}, { t_end = 1 }) end, "no power today")
end)

test("a turned box over a tilted plane: the gaps of its corners, and a capsule's of its ends", function()
  local c, sn = math.cos(0.3), math.sin(0.3)
  local n = { 0.2, -0.3, 0.9 }
  local size = math.sqrt(0.2 ^ 2 + 0.3 ^ 2 + 0.9 ^ 2)
  local m = k.mechanism { bodies = { { name = "die", joint = "free", mass = 1, inertia = { 1, 1, 1 },
    boxes = { skin = { at = { 0.1, 0.2, 0.3 }, turn = { math.cos(0.15), 0, 0, math.sin(0.15) }, size = { 1, 2, 3 } } },
    capsules = { rod = { from = { 0, 0, -1 }, to = { 1, 0, 1 }, radius = 0.1 } } } },
    obstacles = { ramp = { point = { 0, 0, -4 }, normal = n } }, q = { die = { 0.5, -0.5, 1, 1, 0, 0, 0 } } }
  local want = {}
  for _, z in ipairs { -1.5, 1.5 } do for _, y in ipairs { -1, 1 } do for _, x in ipairs { -0.5, 0.5 } do
    local place = { 0.5 + 0.1 + c * x - sn * y, -0.5 + 0.2 + sn * x + c * y, 1 + 0.3 + z + 4 }
    want[#want + 1] = (n[1] * place[1] + n[2] * place[2] + n[3] * place[3]) / size
  end end end
  for _, p in ipairs { { 0, 0, -1 }, { 1, 0, 1 } } do
    want[#want + 1] = (n[1] * (0.5 + p[1]) + n[2] * (-0.5 + p[2]) + n[3] * (1 + p[3] + 4)) / size - 0.1
  end
  local got = {}
  for i, x in ipairs(m.gap) do got[i] = x end
  table.sort(want)
  table.sort(got)
  near(got, want, 1e-14)
end)

-- ---- laws ----------------------------------------------------------------------------------------------------

local function two_feet()
  return k.mechanism { plane = true, bodies = {
    { name = "trunk", joint = "free", mass = 5, inertia = 0.4 },
    { name = "left", parent = "trunk", joint = "hinge", at = { -0.2, 0 }, mass = 1, com = { 0, -0.3 }, inertia = 0.03, points = { foot = { 0, -0.6 } }, lower = -0.5 },
    { name = "right", parent = "trunk", joint = "hinge", at = { 0.2, 0 }, mass = 1, com = { 0, -0.3 }, inertia = 0.03, points = { foot = { 0, -0.6 } }, upper = 0.5 } },
    obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } },
    q = { trunk = { 0, 0.6, 0 } }, u = { trunk = { 0.3, -1, 0.1 } } }
end

test("every law that takes several contacts strikes two feet and obeys its audit", function()
  local m = two_feet()
  for _, law in ipairs { k.law.newton { e = 0.5 }, k.law.plastic {}, k.law.compliant { e = 0.5, mu = 0.4 }, k.law.moreau { e = 0.5, mu = 0.4 }, k.law.glocker { e = 0.5, mu = 0.4 },
    k.law.sequential { law = k.law.stronge { e = 0.5, mu = 0.4 } }, k.law.vibration {} } do
    local hit = k.impact(m, law)
    equal(hit.status, "ok")
    near(hit.audit.momentum, 0, 1e-12)
    near(hit.audit.velocity, 0, 1e-12)
    near(hit.audit.ledger, 0, 1e-10)
  end
end)

-- ---- what is wrong -------------------------------------------------------------------------------------------

test("bad declarations: one clear line each", function()
  local function body(changes)
    local b = { name = "a", joint = "hinge", mass = 1, inertia = 1 }
    for key, value in pairs(changes) do b[key] = value end
    return b
  end
  local function refuses(t, ...)
    t.plane = t.plane ~= false
    raises(function() k.mechanism(t) end, ...)
  end
  local floor = { floor = { point = { 0, 0 }, normal = { 0, 1 } } }
  refuses({ bodies = {} }, "bodies must be a list of at least one body")
  refuses({ bodies = { body { parent = "b" } } }, "no body is called 'b'")
  refuses({ bodies = { body { parent = "b" }, body { name = "b" } } }, "the parent of a, 'b', must come before it")
  refuses({ bodies = { body {}, body {} } }, "two bodies are called 'a'")
  refuses({ bodies = { body { mass = 0, inertia = 0 } } }, "the mass matrix is singular")
  refuses({ plane = false, bodies = { body { axis = { 0, 0, 1 }, inertia = { 1, 1, 5 } } } }, "a.inertia is that of no body")
  refuses({ plane = false, bodies = { body { axis = { 0, 0, 0 }, inertia = { 1, 1, 1 } } } }, "a.axis must have a direction")
  refuses({ plane = false, bodies = { body { inertia = { 1, 1, 1 } } } }, "a: axis is missing")
  refuses({ bodies = { body { points = { p = { 0, 0 }, r = { 1, 0 } } } }, contacts = { { "p", "r" } } }, "cannot touch")
  refuses({ bodies = { body { points = { p = { 0, 0 } }, planes = { s = { point = { 0, 0 }, normal = { 0, 1 } } } } }, contacts = { { "p", "s" } } }, "which are on the same body")
  refuses({ bodies = { body { points = { p = { 1, 0 } } } }, obstacles = { floor = { point = { 0, 0.5 }, normal = { 0, 1 } } } }, "'a.p/floor' starts inside the obstacle: gap is -0.5 m")
  refuses({ bodies = { body { lower = 0.2 } } }, "'a.lower' starts beyond its stop: gap is -0.2 rad")
  refuses({ bodies = { body { lower = 2, upper = 1 } } }, "lower must not be above upper")
  refuses({ bodies = { body { joint = "hing" } } }, "joint of a must be one of", "did you mean 'hinge'")
  refuses({ bodies = { body { joint = "ball" } } }, "in the plane, got 'ball'")
  refuses({ bodies = { { name = "a", mass = 1 } } }, "joint is missing")
  refuses({ bodies = { body { mas = 1 } } }, "unknown key 'mas' (did you mean 'mass'?)")
  refuses({ bodys = {} }, "unknown key 'bodys' (did you mean 'bodies'?)")
  refuses({ bodies = { body { mass = "heavy" } } }, "a.mass must be a non-negative number of kg, got a string")
  refuses({ bodies = { body { com = { 1, 2, 3 } } } }, "a.com must be a list of 2 numbers of m")
  refuses({ bodies = { body { name = "gap" } } }, "'gap' has a meaning already")
  refuses({ bodies = { body { name = "a b" } } }, "must be letters, digits")
  refuses({ bodies = { body { points = { mass = { 0, 0 } } } } }, "'a.mass'")
  refuses({ bodies = { body { points = { p = { 0, -1 } } } }, contacts = { { "p", "flor" } }, obstacles = floor }, "called 'flor' (did you mean 'floor'?)")
  refuses({ bodies = { body {} }, q = { b = 1 } }, "q: no body is called 'b'")
  refuses({ bodies = { body {} }, q = { a = { 1, 2 } } }, "a.q must be a number of rad")
  refuses({ bodies = { body {} }, obstacles = { rock = { size = 1 } } }, "obstacle 'rock' must be a plane")
  refuses({ bodies = { body { joint = "fixed" } } }, "no body can move")
  refuses({ bodies = { body { points = { p = { 1, 0 } } }, body { name = "b", at = { 3, 0 }, points = { p = { 1, 0 } } } }, loops = { { "a.p", "b.p" } } }, "the loops do not close", "3 m apart")
  refuses({ bodies = { body { points = { p = { 1, 0 } } }, body { name = "b", points = { p = { 1, 0 } } } }, loops = { { "p", "b.p" } } }, "several bodies have a 'p'")
  raises(function() k.mechanism(3) end, "mechanism: takes a table, got 3")
  raises(function() return hopper().q.lag end, "no entry is called 'lag' (did you mean 'leg'?)")
  equal(hopper().q.rows, 4)
  raises(function() k.mechanism { plane = true, bodys = {} } end, ": mechanism: unknown key 'bodys'")
  raises(function() hopper():with { q = { lag = 1 } } end, "no body is called 'lag' (did you mean 'leg'?)")
  raises(function() hopper():at { leg = "x" } end, "q of 'leg' must be 1 number, got a string")
end)

-- ---- contacts that carry nothing ------------------------------------------------------------------------------------

-- The first ball of a cradle strikes n - 1 others. By newton with e = 1 for all of them at once these go on together, as one
-- pendulum of their mass: two pendulums tell the whole story. They touch each other all the time and carry nothing but
-- rounding, which had been told as endless release and contact.
local function cradle(n, others)
  local r, l, bodies, contacts = 0.02, 0.3, {}, {}
  for i = 1, n do
    local m = i > 1 and 0.1 * others / (n - 1) or 0.1
    bodies[i] = { name = "ball" .. i, joint = "hinge", at = { (i - 1) * 2 * r, 0 }, mass = m, com = { 0, -l }, inertia = 0.4 * m * r ^ 2,
      spheres = { skin = { at = { 0, -l }, radius = r } } }
    if i > 1 then contacts[i - 1] = { ("ball%d.skin"):format(i - 1), ("ball%d.skin"):format(i) } end
  end
  return k.mechanism { plane = true, bodies = bodies, contacts = contacts, q = { ball1 = -0.6 } }
end

test("balls of a cradle that swing together carry nothing: newton, e = 1", function()
  for _, n in ipairs { 3, 5 } do
    local run = k.simulate(cradle(n, n - 1), k.law.newton { e = 1 }, { t_end = 5, max_steps = 5000 })
    local two = k.simulate(cradle(2, n - 1), k.law.newton { e = 1 }, { t_end = 5 })
    equal(run.status, "ok")
    equal(run.impacts, two.impacts)
    equal(run.impacts >= 9, true)
    local at = {}
    for _, e in ipairs(run.events) do if e.kind == "impact" then at[#at + 1] = e.t end end
    local i = 0
    for _, e in ipairs(two.events) do
      if e.kind == "impact" then i = i + 1 near(at[i], e.t, 1e-8) end
    end
    for b = 1, n do near(run.last.q["ball" .. b], two.last.q["ball" .. math.min(b, 2)], 1e-7) end
    near(run.ledger["end"], run.ledger.start, 1e-9)
  end
end)

-- Mass centres at their origins, all free: nothing but the tied points says how large it is. Rounding was too much for its size of 0.
test("free bodies are held together by points away from their mass centres", function()
  local function body(name, point) return { name = name, joint = "free", mass = 1, inertia = 0.1, com = { 0, 0 }, points = { p = point } } end
  local q = { a = { 0.1, 0.2, 0.3 }, b = { 0, 0, -0.4 } }
  local ca, sa, cb, sb = math.cos(0.3), math.sin(0.3), math.cos(-0.4), math.sin(-0.4)
  q.b[1] = 0.1 + 0.3 * ca - 0.1 * sa - (-0.2 * cb - 0.1 * sb)
  q.b[2] = 0.2 + 0.3 * sa + 0.1 * ca - (-0.2 * sb + 0.1 * cb)
  for _, far in ipairs { 0, 0.7, 1e3, 12345.678 } do
    q.a[1], q.b[1] = q.a[1] + far, q.b[1] + far
    local m = k.mechanism { plane = true, gravity = 0, bodies = { body("a", { 0.3, 0.1 }), body("b", { -0.2, 0.1 }) }, loops = { { "a.p", "b.p" } }, q = q }
    near(m.q.a, q.a, 1e-12)
    q.a[1], q.b[1] = q.a[1] - far, q.b[1] - far
  end
  local open = { a = { q.a[1], q.a[2] + 1e-3, q.a[3] }, b = q.b } -- well below a hundredth of 0.3 m: closed, half way by each
  local m = k.mechanism { plane = true, bodies = { body("a", { 0.3, 0.1 }), body("b", { -0.2, 0.1 }) }, loops = { { "a.p", "b.p" } }, q = open }
  assert(math.abs(m.q.a[2] - open.a[2]) < 1e-3 and math.abs(m.q.a[2] - open.a[2]) > 1e-4, m.q.a[2] - open.a[2])
  raises(function()
    k.mechanism { plane = true, bodies = { body("a", { 0.3, 0.1 }), body("b", { -0.2, 0.1 }) }, loops = { { "a.p", "b.p" } }, q = { a = q.a, b = { 0, 0, 0 } } }
  end, "the loops do not close")
end)
