-- Cycles and monodromies with contacts that stand, stick and turn back over a phase, and of mechanisms with loops.
local k = require "knock"

local function size(m) return type(m) == "table" and math.sqrt(m[1] ^ 2 + m[2] ^ 2) or math.abs(m) end

-- ---- a block on a floor, with a spring, a damper and forcing ---------------------------------------------------------

local w = 1.1
local T = 2 * math.pi / w
local floor = k.law.moreau { mu = 0.1, e = 0 }
local block = k.particle { position = { 0.3, 0 }, velocity = { 0.4, 0 }, gravity = 10 }

local function pulled(amplitude, phase)
  return function(t, q, u) return { -q[1] - 0.1 * u[1] + amplitude * math.cos(w * t + phase), 0 } end
end

local function settled(force)
  local events = k.simulate(block, floor, { t_end = 20 * T, force = force, keep = false }).events
  return k.cycle(block, floor, { force = force, period = T, guess = { q = events[#events].q, u = events[#events].u } })
end

-- x and its rate one period later, by five points
local function by_differences(c, force)
  local function go(dx, dv)
    local e = k.simulate(block:at({ c.q[1] + dx, 0 }, { c.u[1] + dv, 0 }), floor, { t_end = T, force = force, rtol = 1e-11 }).events
    return { e[#e].q[1], e[#e].u[1] }
  end
  local rows, h = { {}, {} }, 1e-4
  for j = 1, 2 do
    local at = function(s) return go(j == 1 and s * h or 0, j == 2 and s * h or 0) end
    local a, b, d, e = at(-2), at(-1), at(1), at(2)
    for i = 1, 2 do rows[i][j] = (a[i] - 8 * b[i] + 8 * d[i] - e[i]) / (12 * h) end
  end
  return k.matrix(rows)
end

test("sliding that turns back without a rest has its own saltation", function()
  local force = pulled(2, 0)
  local c = settled(force)
  equal(c.sequence, "contact1 slip1 slip1")
  equal(c.Y[1].rank, 2)
  local M, D = c.run:monodromy().matrix, by_differences(c, force)
  for i, a in ipairs { 1, 3 } do for j, b in ipairs { 1, 3 } do near(M[a][b], D[i][j], 1e-6) end end
  equal({ c.multipliers[3], c.multipliers[4] }, { 0, 0 })
end)

test("a cycle that sticks twice in a period has one multiplier that is not an exact zero", function()
  local force = pulled(1.4, 0)
  local c = settled(force)
  equal(c.sequence, "contact1 stick1 slip1 stick1 slip1")
  local D = by_differences(c, force)
  near(c.multipliers[1], D[1][1] + D[2][2], 1e-6) -- the trace: the other one is zero
  equal({ c.multipliers[2], c.multipliers[3], c.multipliers[4] }, { 0, 0, 0 })
end)

test("the section may lie in the phase that sticks", function()
  local c = settled(pulled(1.4, 1.73))
  equal(c.u[1], 0)
  equal(c.sequence, "contact1 slip1 stick1 slip1 stick1")
  near(c.multipliers[1], settled(pulled(1.4, 0)).multipliers[1], 1e-7) -- whichever time the period is cut at
  equal({ c.multipliers[2], c.multipliers[3], c.multipliers[4] }, { 0, 0, 0 })
end)

-- ---- a parallelogram: two cranks and a coupler that never turns, one pendulum in truth ---------------------------------

local l, crank, bar = 1.2, 0.8, 1.5 -- metres, kg of each crank, kg of the coupler
local inertia = 2 * crank * l ^ 2 / 3 + bar * l ^ 2
local weight = 9.81 * (crank * l + bar * l)
local wf = 2.2
local Tf = 2 * math.pi / wf

local function parallelogram(redundant, q, u)
  local rod = function(name, at, x0)
    return { name = name, joint = "hinge", at = { x0, 0 }, mass = crank, com = { l / 2, 0 }, inertia = crank * l ^ 2 / 12,
      points = { tip = { l, 0 } } }
  end
  local loops = { { "coupler.far", "right.tip" } }
  if redundant then loops[2] = { "right.tip", "coupler.far" } end
  return k.mechanism { plane = true, loops = loops, q = { left = q, coupler = -q, right = q }, u = { left = u, coupler = -u, right = u },
    bodies = { rod("left", nil, 0), { name = "coupler", parent = "left", joint = "hinge", at = { l, 0 }, mass = bar, com = { 1, 0 },
      inertia = 0.3, points = { far = { 2, 0 }, low = { 1, 0 } } }, rod("right", nil, 2) },
    obstacles = { wall = { point = { 1.1, 0 }, normal = { -1, 0 } } }, contacts = { { "coupler.low", "wall" } } }
end

local function torque(t, q, u) return { 3 * math.cos(wf * t) - 1.5 * u[1], 0, 0 } end

-- angle from the x axis, gravity along -z
local function pendulum(q, u)
  return k.model { coordinates = { "a" }, mass = { { inertia } }, q = { q }, u = { u },
    gap = function(x) return 1.1 - 1 - l * math.cos(x[1]) end, jacobian = function(x) return { { l * math.sin(x[1]) } } end,
    forces = function(x, v, t) return { -weight * math.cos(x[1]) + 3 * math.cos(wf * t) - 1.5 * v[1] } end }
end

test("a parallelogram is a pendulum: two multipliers, and exact zeros for what the loop holds", function()
  local law = k.law.newton { e = 0.5 }
  local start = -1.7
  local run = k.simulate(pendulum(start, 0), law, { t_end = 20 * Tf })
  local last = run.events[#run.events]
  local flat = k.cycle(pendulum(start, 0), law, { period = Tf, guess = { q = last.q, u = last.u } })
  for _, redundant in ipairs { false, true } do
    local m = parallelogram(redundant, flat.q[1], flat.u[1])
    local c = k.cycle(m, law, { force = torque, period = Tf, guess = { q = m.q, u = m.u } })
    equal({ c.Y[1].rank, #c.multipliers }, { 2, 6 })
    near({ c.q[1], c.u[1] }, { flat.q[1], flat.u[1] }, 1e-8)
    near({ size(c.multipliers[1]), size(c.multipliers[2]) }, { size(flat.multipliers[1]), size(flat.multipliers[2]) }, 1e-7)
    for i = 3, 6 do equal(c.multipliers[i], 0) end
    equal(c.sequence, flat.sequence)
  end
end)
