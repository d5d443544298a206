-- Mechanism: a chain is dropped on the floor
--
-- Links on hinges, the first one free in the air, every end of a link may touch. Let go hanging in an arc it lands link by
-- link. (a) the chain at four times; (b) the force of the whole floor, filtered over 20 ms, beside the chain's weight;
-- (c) energy: what is left, what the impacts took, and what sliding took.

local k = require "knock"
local scenario = require "knock.scenario"
local T = k.figure.math

local p = scenario {
  n = 12, -- links
  length = 0.1, -- of a link [m]
  mass = 0.05, -- of a link [kg]
  height = 0.6, -- of the lowest point at the start [m]
  mu = 0.4, -- friction at the floor
  e = 0, -- restitution
  damping = 2e-4, -- of the hinges [N m s/rad]
  t = 0.9, -- how long [s]
}

local bodies, q = {}, {}
local turn = 2.2 / p.n -- the arc: each link turned a little against the one before
for i = 1, p.n do
  bodies[i] = { name = "link" .. i, parent = i > 1 and "link" .. i - 1 or nil, joint = i > 1 and "hinge" or "free", at = i > 1 and { p.length, 0 } or nil,
    mass = p.mass, com = { p.length / 2, 0 }, inertia = p.mass * p.length ^ 2 / 12, damping = i > 1 and p.damping or nil, points = { tip = { p.length, 0 } } }
  q["link" .. i] = turn
end
bodies[1].points.start = { 0, 0 }
-- the arc hangs down in its middle, a little askew
local angle, x, z, lowest = -1.25, 0, 0, 0
for i = 1, p.n do
  if i > 1 then angle = angle + turn end
  x, z = x + p.length * math.cos(angle), z + p.length * math.sin(angle)
  lowest = math.min(lowest, z)
end
q.link1 = { -x / 2, p.height - lowest, -1.25 }

local chain = k.mechanism { name = "chain", plane = true, bodies = bodies, obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } }, q = q }
local run = k.simulate(chain, k.law.moreau { e = p.e, mu = p.mu }, { t_end = p.t })
scenario.say("impacts", run.impacts, "")
scenario.say("energy lost by impacts", run.ledger.restitution + run.ledger.friction, "J")
scenario.say("ledger closes to", math.abs(run.ledger.residual), "J")

local f = k.figure { rows = 1, cols = 3, height = 7, letters = true }
local outline = require "knock.draw.mechanism"
local pictures = {}
for i, t in ipairs { 0, 0.4 * p.t, 0.5 * p.t, p.t } do pictures[i] = outline.outline(chain, run:at(t).q) end
outline.draw(f[1], pictures, { true, false, false, true })
outline.axes(f[1])

-- impulse of the floor by momentum: sum of m (v + g t), so that impacts count; its rate over a window is the force
local function momentum(t)
  local m = chain:at(run:at(t).q, run:at(t).u)
  local p_ = m.M * m.u
  return p_[2]
end
local times, force, window = {}, {}, 0.02
local weight = p.n * p.mass * 9.81
for i = 0, 300 do
  local t = window + (p.t - 2 * window) * i / 300
  times[#times + 1] = t
  force[#force + 1] = (momentum(t + window / 2) - momentum(t - window / 2)) / window + weight
end
f[2]:line { x = times, y = force, label = "floor", colour = "blue" }
f[2]:line { x = { 0, p.t }, y = { weight, weight }, label = "weight of the chain", colour = "dark", dash = "dashed" }
f[2].key = "above"
f[2].x, f[2].y = { label = T"$t$", unit = "s" }, { label = "force of the floor, over 20 ms", unit = "N" }

local c = run:sample(1200)
f[3]:line { x = c.t, y = c.energy, label = "energy", colour = 1 }
f[3]:line { x = c.t, y = c.lost, label = "lost in impacts", colour = 2 }
f[3]:line { x = c.t, y = c.sliding, label = "lost by sliding", colour = 3 }
f[3].x, f[3].y = { label = T"$t$", unit = "s" }, { label = "energy", unit = "J" }
f[3].key = "above"
scenario.save(f, "mech_chain")
