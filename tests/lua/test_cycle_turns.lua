-- Cycles of models whose coordinates are not rates of their speeds: a ball that turns, by quaternions.
local k = require "knock"

local function size(m) return type(m) == "table" and math.sqrt(m[1] ^ 2 + m[2] ^ 2) or math.abs(m) end

local w = 0.9
local T = 2 * math.pi / w
local law = k.law.newton { e = 0.6, mu = 0.1 }

-- springs on all six directions; it is shaken along x and z and about z, and hits the plane z = -1.8 (radius 1)
local ball = k.ball { gravity = 0, offset = -1.8, position = { 0.1, 0, 0.2 }, velocity = { 0, 0, 0.3 } }
local function shake(t, q, u)
  local turn = { 2 * q[4] * q[5], 2 * q[4] * q[6], 2 * q[4] * q[7] } -- about one axis: the sine of the angle
  return { -0.3 * u[1] - 2 * q[1] + 2 * math.cos(w * t + 1), -0.3 * u[2] - 2 * q[2], -0.1 * u[3] - q[3] + math.cos(w * t + 3),
    0.4 * (-0.3 * u[4] - 3 * turn[1]), 0.4 * (-0.3 * u[5] - 3 * turn[2]), 0.4 * (-0.4 * u[6] - 2 * turn[3] + 0.5 * math.cos(w * t)) }
end

local function settled(m, o, smooth)
  local law = smooth or law
  local events = k.simulate(m, law, { t_end = 12 * T, keep = false, force = o.force }).events
  o.period, o.guess = T, { q = events[#events].q, u = events[#events].u }
  return k.cycle(m, law, o)
end

-- multipliers of the map by five points, with turns about the world's axes that are made here
local function by_differences(c)
  local function turned(q, axis, angle) -- (cos, sin axis) q
    local s, v, p = math.cos(angle / 2), { 0, 0, 0 }, { q[4], q[5], q[6], q[7] }
    v[axis] = math.sin(angle / 2)
    return { q[1], q[2], q[3], s * p[1] - v[1] * p[2] - v[2] * p[3] - v[3] * p[4],
      s * p[2] + v[1] * p[1] + v[2] * p[4] - v[3] * p[3], s * p[3] + v[2] * p[1] + v[3] * p[2] - v[1] * p[4],
      s * p[4] + v[3] * p[1] + v[1] * p[3] - v[2] * p[2] }
  end
  local function go(j, h)
    local q, u = { table.unpack(c.x, 1, 7) }, { table.unpack(c.x, 8) }
    if j <= 3 then q[j] = q[j] + h elseif j <= 6 then q = turned(q, j - 3, h) else u[j - 6] = u[j - 6] + h end
    local e = k.simulate(ball:at(q, u), law, { t_end = T, rtol = 1e-11, force = shake }).events
    return e[#e].q, e[#e].u
  end
  local function direction(q, u) -- small turns: twice the vector part of q conj(q0)
    local a, b = q, c.x
    local out = { a[1], a[2], a[3] }
    out[4] = 2 * (-a[4] * b[5] + a[5] * b[4] - a[6] * b[7] + a[7] * b[6])
    out[5] = 2 * (-a[4] * b[6] + a[6] * b[4] - a[7] * b[5] + a[5] * b[7])
    out[6] = 2 * (-a[4] * b[7] + a[7] * b[4] - a[5] * b[6] + a[6] * b[5])
    for i = 1, 6 do out[6 + i] = u[i] end
    return out
  end
  local rows, h = {}, 1e-3
  for i = 1, 12 do rows[i] = {} end
  for j = 1, 12 do
    local at = {}
    for s = -2, 2 do if s ~= 0 then at[s] = direction(go(j, s * h)) end end
    for i = 1, 12 do rows[i][j] = (at[-2][i] - 8 * at[-1][i] + 8 * at[1][i] - at[2][i]) / (12 * h) end
  end
  local re, _, im = k.matrix(rows):eig()
  local list = {}
  for i = 1, 12 do list[i] = im and im[i] ~= 0 and { re[i], im[i] } or re[i] end
  table.sort(list, function(a, b) return size(a) > size(b) end)
  return list
end

test("a ball that turns: all multipliers are those of the map", function()
  local c = settled(ball, { force = shake })
  equal({ #c.q, #c.u, #c.multipliers, c.stable }, { 7, 6, 12, true })
  equal(select(2, c.sequence:gsub("impact", "")), 1)
  for i, m in ipairs(by_differences(c)) do near(size(c.multipliers[i]), size(m), 1e-6) end
end)

test("without friction its height and its angle are those of a model of two coordinates", function()
  local c = settled(ball, { force = shake }, k.law.newton { e = 0.6 })
  local flat = settled(k.model { coordinates = { "z", "angle" }, mass = { { 1, 0 }, { 0, 1 } }, q = { 0.2, 0 }, u = { 0.3, 0 },
    gap = function(q) return q[1] + 0.8 end, jacobian = function() return { { 1, 0 } } end, forces = function(q, u, t)
      return { -0.1 * u[1] - q[1] + math.cos(w * t + 3), -0.4 * u[2] - 2 * math.sin(q[2]) + 0.5 * math.cos(w * t) }
    end }, {}, k.law.newton { e = 0.6 })
  near({ c.q[3], c.u[3], c.u[6] }, { flat.q[1], flat.u[1], flat.u[2] }, 1e-7)
  near(2 * math.atan(c.q[7] / c.q[4]), flat.q[2], 1e-7)
end)

test("and its branch over a parameter", function()
  local c = settled(ball, { force = shake })
  local b = k.continue(c, { parameter = "law.e", to = 0.7, step = 0.2, longest = 0.3, grazing = false })
  equal(b.why, "end of the range")
  local last = k.cycle(ball, k.law.newton { e = 0.7, mu = 0.1 }, { force = shake, period = T, guess = { q = c.q, u = c.u } })
  near(b.points[#b.points].x, last.x, 1e-7)
end)

test("a body that turns once in each period comes back as the negative quaternion", function()
  -- about z it is pulled along with the angle w t: phi'' = -0.4 phi' - 0.3 sin(phi), phi = angle - w t; upright by a spring
  local pull = function(t, q, u)
    local bx, by = 2 * (q[5] * q[7] + q[4] * q[6]), 2 * (q[6] * q[7] - q[4] * q[5])
    local sin, cos = 2 * q[4] * q[7], q[4] ^ 2 - q[7] ^ 2
    local phi = sin * math.cos(w * t) - cos * math.sin(w * t)
    return { -q[1] - u[1], -q[2] - u[2], -q[3] - u[3], 0.4 * (by - u[4]), 0.4 * (-bx - u[5]), 0.4 * (-0.4 * (u[6] - w) - 0.3 * phi) }
  end
  local c = k.cycle(ball:with { offset = -9 }, law, { force = pull, period = T,
    guess = { q = { 0.1, 0, 0.2, math.cos(0.2), 0, 0, math.sin(0.2) }, u = { 0, 0, 0, 0, 0, 0.8 } } })
  near(c.u, { 0, 0, 0, 0, 0, w }, 1e-8)
  near(math.abs(c.q[4]), 1, 1e-8)
  near(c.Y[1].q[4], -c.q[4], 1e-8)
  near(size(c.multipliers[1]), math.exp(-0.2 * T), 1e-8)
  near(size(c.multipliers[2]), math.exp(-0.2 * T), 1e-8)
end)

-- ---- a pendulum of a mechanism in space, on a hinge and on a ball joint, that strikes a wall ------------------------------

local function pendulum(joint)
  local bob = { name = "bob", joint = joint, axis = joint == "hinge" and { 0, 1, 0 } or nil, mass = 1.3, com = { 0, 0, -0.7 },
    inertia = { 0.05, 0.05, 0.02 }, damping = 0.6, points = { tip = { 0, 0, -1 } } }
  return k.mechanism { bodies = { bob }, obstacles = { wall = { point = { 0.35, 0, 0 }, normal = { -1, 0, 0 } } },
    contacts = { { "bob.tip", "wall" } } }
end

test("along and across the wall it stops at once, and that is no tie: a ball joint has the hinge's multipliers among its own", function()
  local stronge, drive = k.law.stronge { e = 0.5, mu = 0.2 }, 2.1
  local period = 2 * math.pi / drive
  local function cycle(m, force)
    local events = k.simulate(m, stronge, { t_end = 20 * period, force = force, keep = false }).events
    return k.cycle(m, stronge, { period = period, force = force, guess = { q = events[#events].q, u = events[#events].u } })
  end
  local hinge = cycle(pendulum "hinge", function(t) return { 2.5 * math.cos(drive * t) } end)
  local ball_joint = cycle(pendulum "ball", function(t) return { 0, 2.5 * math.cos(drive * t), 0 } end)
  equal({ hinge.sequence, ball_joint.sequence, #ball_joint.multipliers }, { "impact1", "impact1", 6 })
  near(ball_joint.u[2], hinge.u[1], 1e-8)
  for _, m in ipairs(hinge.multipliers) do
    local nearest = math.huge
    for _, other in ipairs(ball_joint.multipliers) do nearest = math.min(nearest, type(other) == "number" and math.abs(other - m) or nearest) end
    near(nearest, 0, 1e-8)
  end
end)
