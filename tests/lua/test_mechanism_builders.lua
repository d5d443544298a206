-- The builders rebuilt as mechanisms: W, v, gaps, impacts to 1e-12, runs to 1e-9.
local k = require "knock"

local floor = { floor = { point = { 0, 0 }, normal = { 0, 1 } } }

-- a chain of links along x at q = 0, as k.arm and k.double_pendulum count their angles
local function links(n, length, mass, centre, inertia, more)
  local bodies = {}
  for i = 1, n do
    bodies[i] = { name = "l" .. i, parent = i > 1 and "l" .. i - 1 or nil, joint = "hinge", at = { i > 1 and length[i - 1] or 0, 0 },
      mass = mass[i], com = { centre[i], 0 }, inertia = inertia[i] }
    for key, value in pairs(more or {}) do bodies[i][key] = value[i] end
  end
  bodies[n].points = { tip = { length[n], 0 } }
  return bodies
end

-- relative to the largest entry
local function close(a, b, tol)
  local size = 1e-3
  for i = 1, #b do size = math.max(size, type(b[i]) == "number" and math.abs(b[i]) or 0) end
  near(a, b, tol * size)
end

local function rows(A)
  local list = {}
  for i = 1, A.rows do for j = 1, A.cols do list[#list + 1] = A[i][j] end end
  return list
end

local function statics(m, g, tol)
  close(rows(g.W), rows(m.W), tol)
  close(g.v, m.v, tol)
  near(g.gap, m.gap, tol * 10)
  near(g.energy.kinetic, m.energy.kinetic, tol * m.energy.kinetic)
end

local function impacts(m, g, laws)
  for _, law in ipairs(laws) do
    local a, b = k.impact(m, law), k.impact(g, law)
    equal(b.status, a.status)
    for i = 1, #a.impulses do close(b.impulses[i], a.impulses[i], 1e-12) end
    near(b.energy.after, a.energy.after, 1e-12 * a.energy.before)
  end
end

local function runs(m, g, law, t_end, of)
  local options = { t_end = t_end, rtol = 1e-11, atol = 1e-12 }
  local a, b = k.simulate(m, law, options), k.simulate(g, law, options)
  equal(b.status, a.status)
  equal(#b.events, #a.events)
  equal(a.impacts > 0, true)
  for i = 1, #a.events do
    equal(b.events[i].kind, a.events[i].kind)
    near(b.events[i].t, a.events[i].t, 1e-9)
  end
  local x, y = a:at(t_end), b:at(t_end)
  near(y.energy, x.energy, 1e-9 * math.max(1, math.abs(x.energy)))
  if of then near(of(y, true), of(x, false), 1e-9) end
end

local laws = { k.law.stronge { e = 0.6, mu = 0.3 }, k.law.newton { e = 0.4, mu = 0.2 }, k.law.compliant { e = 0.7, mu = 0.4 } }

test("double_pendulum: W, v, forces, impacts, a run", function()
  local q, u = { -1.2, 0.7 }, { -1, -1 }
  local m = k.double_pendulum { q = q, u = u, mass = { 1, 2 }, length = { 1, 0.8 } }
  local height = math.sin(-1.2) + 0.8 * math.sin(-0.5)
  local g = k.mechanism { plane = true, bodies = links(2, { 1, 0.8 }, { 1, 2 }, { 0.5, 0.4 }, { 1 / 12, 2 * 0.64 / 12 }),
    obstacles = { floor = { point = { 0, height }, normal = { 0, 1 } } }, q = { l1 = -1.2, l2 = 0.7 }, u = { l1 = -1, l2 = -1 } }
  statics(m, g, 1e-12)
  close(rows(g.M), rows(m.M), 1e-12)
  close(g.forces, m.forces, 1e-12)
  impacts(m, g, laws)
  runs(m, g, k.law.stronge { e = 0.5, mu = 0.2 }, 1.5, function(s) return s.q end)
end)

test("arm with springs, dampers and torques, and a joint that touches", function()
  local n, one = 5, { 1, 0.7, 0.5, 0.9, 0.6 }
  local mass, centre, inertia = { 2, 1, 0.5, 1, 0.8 }, { 0.4, 0.3, 0.2, 0.5, 0.3 }, { 0.1, 0.05, 0.02, 0.06, 0.03 }
  local springs = { stiffness = { 3, 2, 1, 0.5, 0.2 }, rest = { 0.1, 0.2, 0, -0.1, 0.3 }, damping = { 0.1, 0.2, 0.1, 0, 0.3 }, torque = { 1, 0, -0.5, 0.2, 0 } }
  local q, u = { -0.5, 0.3, -0.2, 0.4, -0.6 }, { 0.3, -0.4, 0.2, -0.5, 0.1 }
  local m = k.arm { n = n, length = one, mass = mass, centre = centre, inertia = inertia, q = q, u = u, contacts = { 3, 5 }, floor = -2, slope = 0.1,
    stiffness = springs.stiffness, rest = springs.rest, damping = springs.damping, torque = springs.torque }
  local bodies = links(n, one, mass, centre, inertia, springs)
  bodies[3].points = { knee = { one[3], 0 } }
  local nx, nz = -math.sin(0.1), math.cos(0.1)
  local g = k.mechanism { plane = true, bodies = bodies, obstacles = { floor = { point = { -2 * nx, -2 * nz }, normal = { nx, nz } } }, q = q, u = u }
  statics(m, g, 1e-12)
  close(rows(g.M), rows(m.M), 1e-12)
  close(g.forces, m.forces, 1e-12)
  runs(m, g, k.law.compliant { e = 0.5, mu = 0.2 }, 1, function(s) return s.q end)
end)

test("rod with both ends over one floor", function()
  local m = k.rod { angle = 0.3, position = { 0, 2 }, velocity = { 0.5, -1 }, spin = 0.4, floor = 0 }
  local g = k.mechanism { plane = true, bodies = { { name = "rod", joint = "free", mass = 1, inertia = 4 / 12, points = { P = { -1, 0 }, Q = { 3, 0 } } } },
    obstacles = floor, q = { rod = { 0, 2, 0.3 } }, u = { rod = { 0.5, -1, 0.4 } } }
  statics(m, g, 1e-12)
  runs(m, g, k.law.compliant { e = 0.6, mu = 0.3 }, 2, function(s) return s.q end)
  runs(m, g, k.law.moreau { e = 0.6, mu = 0.3 }, 0.9, function(s) return s.q end)
end)

test("ball: spin in the body's axes instead of the world's", function()
  local m = k.ball { position = { 0, 0, 1.5 }, velocity = { 1, 0.5, -2 }, spin = { 1, -2, 0.5 }, radius = 0.5, mass = 2 }
  local g = k.mechanism { bodies = { { name = "ball", joint = "free", mass = 2, inertia = { 0.2, 0.2, 0.2 }, spheres = { skin = { radius = 0.5 } } } },
    obstacles = { floor = { point = { 0, 0, 0 }, normal = { 0, 0, 1 } } }, q = { ball = { 0, 0, 1.5, 1, 0, 0, 0 } }, u = { ball = { 1, 0.5, -2, 1, -2, 0.5 } } }
  statics(m, g, 1e-12)
  runs(m, g, k.law.stronge { e = 0.6, mu = 0.3 }, 1.2, function(s) return { s.q[1], s.q[2], s.q[3], s.u[1], s.u[2], s.u[3] } end)
  local low = k.ball { velocity = { 1, 0.5, -2 }, spin = { 1, -2, 0.5 }, radius = 0.5, mass = 2 }
  impacts(low, g:at { ball = { 0, 0, 0.5, 1, 0, 0, 0 } }, laws)
end)

test("pencil", function()
  local m = k.pencil { spin = { -1, -0.5, -0.5 } }
  local p = m:parameters()
  local x = m.q
  local I = m.M
  -- point of the pencil in its own axes: along its axis, below the mass centre
  local tilt, z = p.tilt, x[3]
  local Q, axial = I[4][4], I[6][6]
  local reach = z / math.sin(tilt)
  local g = k.mechanism { bodies = { { name = "pencil", joint = "free", mass = 1, inertia = { Q, Q, axial }, points = { point = { 0, 0, -reach } } } },
    obstacles = { desk = { point = { 0, 0, 0 }, normal = { 0, 0, 1 } } }, q = x, u = m.u }
  statics(m, g, 1e-12)
  impacts(m, g, laws)
  runs(m, g, k.law.stronge { e = 0.5, mu = 0.4 }, 0.4, function(s) return { s.q[1], s.q[2], s.q[3], s.u[1], s.u[2], s.u[3] } end)
end)

test("crutch walker: feet, torso, arms and crutches", function()
  local q, u = { 0, 0, 0.26, 0.17, 2.4, -0.35 }, { 0, -0.2, 2, 0.1, -0.3, 0.2 }
  local m = k.crutch_walker { floor = 0, q = q, u = u }
  local function segment(name, parent, i, at)
    return { name = name, parent = parent, joint = parent and "hinge" or "free", at = parent and { 0, at } or nil, mass = m.mass[i], com = { 0, m.centre[i] }, inertia = m.inertia[i] }
  end
  local bodies = { segment("legs", nil, 1), segment("torso", "legs", 2, m.length[1]), segment("upper", "torso", 3, m.length[2]), segment("arms", "upper", 4, m.length[3]) }
  bodies[1].points, bodies[4].points = { feet = { 0, 0 } }, { tips = { 0, m.length[4] } }
  local function turned(x) return { legs = { x[1], x[2], -x[3] }, torso = -x[4], upper = -x[5], arms = -x[6] } end
  local g = k.mechanism { plane = true, bodies = bodies, obstacles = floor, q = turned(q), u = turned(u) }
  statics(m, g, 1e-12)
  impacts(m, g, laws)
  runs(m:with { q = { 0, 0.2, 0.26, 0.17, 2.4, -0.35 } }, g:with { q = turned { 0, 0.2, 0.26, 0.17, 2.4, -0.35 } }, k.law.compliant { e = 0.3, mu = 0.5 }, 0.4)
end)

test("pair of balls", function()
  local m = k.pair { mass = { 1, 2 }, radius = { 0.5, 1 }, position1 = { 0.3, 0.2, 2 }, position2 = { 0, 0, 0 }, velocity1 = { 0.1, 0.2, -1 }, spin1 = { 1, 0, 2 } }
  local function ball(name, mass, r) return { name = name, joint = "free", mass = mass, inertia = { 0.4 * mass * r * r, 0.4 * mass * r * r, 0.4 * mass * r * r }, spheres = { skin = { radius = r } } } end
  local g = k.mechanism { gravity = 0, bodies = { ball("a", 1, 0.5), ball("b", 2, 1) }, contacts = { { "a.skin", "b.skin" } },
    q = { a = { 0.3, 0.2, 2, 1, 0, 0, 0 } }, u = { a = { 0.1, 0.2, -1, 1, 0, 2 } } }
  statics(m, g, 1e-12)
  runs(m, g, k.law.stronge { e = 0.8, mu = 0.3 }, 1.5)
end)

test("chain of balls on slides", function()
  local m = k.chain { n = 4, mass = { 1, 2, 0.5, 1 }, radius = 0.1, gaps = 0.05, velocity = { 1, 0, -0.5, 0.2 }, wall = "both" }
  local bodies, pairs_, q, u = {}, {}, {}, {}
  for i = 1, 4 do
    local name = "b" .. i
    bodies[i] = { name = name, joint = "slide", axis = { 1, 0 }, mass = m.mass[i], spheres = { skin = { radius = 0.1 } } }
    q[name], u[name] = m.q[i], m.u[i]
    if i > 1 then pairs_[#pairs_ + 1] = { "b" .. i - 1 .. ".skin", name .. ".skin" } end
  end
  table.insert(pairs_, 1, { "b1.skin", "left" })
  pairs_[#pairs_ + 1] = { "b4.skin", "right" }
  local g = k.mechanism { plane = true, gravity = 0, bodies = bodies, contacts = pairs_, q = q, u = u, obstacles = {
    left = { point = { m.q[1] - 0.15, 0 }, normal = { 1, 0 } }, right = { point = { m.q[4] + 0.15, 0 }, normal = { -1, 0 } } } }
  near(g.gap, m.gap, 1e-12)
  for i = 1, 5 do
    near(g.v[2 * i], m.v[i], 1e-12)
    for j = 1, 5 do near(g.W[2 * i][2 * j], m.W[i][j], 1e-12) end
  end
  runs(m, g, k.law.newton { e = 0.8 }, 2, function(s) return s.q end)
end)
