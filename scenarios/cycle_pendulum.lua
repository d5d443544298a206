-- Cycles: how fast two double pendulums on one floor part, by their Lyapunov exponent
--
-- (a) largest exponent over the restitution, of runs with impacts on the floor and of the same pendulum that misses it; (b) how
-- the estimate settles with the length of the run.

local k = require "knock"
local scenario = require "knock.scenario"

local p = scenario {
  q = { 1.2, 1.2 }, -- angles of the links at the start [rad]
  floor = -1.05, -- height of the floor over the support [m]
  t = 12, -- length of a run [s]
  n = 6, -- restitutions
}

local function exponent(e, t, floor)
  local pendulum = k.double_pendulum { q = p.q, u = { 0, 0 }, floor = floor }
  local run = k.simulate(pendulum, k.law.stronge { mu = 0, e = e }, { t_end = t, rtol = 1e-10, samples = 0 })
  return k.lyapunov(run)[1], run
end

local e, on_floor, free = {}, {}, {}
local alone = exponent(1, p.t, -3)
for i, x in ipairs(k.linspace(0.9, 1, p.n)) do
  e[i], on_floor[i], free[i] = x, exponent(x, p.t, p.floor), alone
end
scenario.say("largest exponent with e = 1", on_floor[#on_floor], "1/s")
scenario.say("and without a floor", alone, "1/s")

local t, settle = {}, {}
for i, s in ipairs(k.linspace(2, p.t, 8)) do t[i], settle[i] = s, exponent(1, s, p.floor) end

local f = k.figure { rows = 1, cols = 2, height = 6.5 }
f[1]:line { x = e, y = on_floor, colour = 1, dash = "solid", label = "on the floor" }
f[1]:points { x = e, y = on_floor, colour = 1, mark = "disc", size = 3 }
f[1]:line { x = e, y = free, colour = 2, dash = "dashed", label = "without a floor" }
f[1].x, f[1].y = { label = "restitution" }, { label = "largest exponent", unit = "1/s", range = { 0 } }
f[1].key = "above"
f[2]:line { x = t, y = settle, colour = 1, dash = "solid" }
f[2]:points { x = t, y = settle, colour = 1, mark = "disc", size = 3 }
f[2].x, f[2].y = { label = "length of the run", unit = "s" }, { label = "largest exponent", unit = "1/s", range = { 0 } }
scenario.save(f, "cycle_pendulum")
