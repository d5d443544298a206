-- Cycles: the simplest walker's long and short steps, and how long steps double
--
-- Angle of the stance leg after a step over the slope: stable cycles solid, unstable ones dashed, period doublings marked;
-- light feet, after Garcia, Chatterjee, Ruina and Coleman (1998).

local k = require "knock"
local scenario = require "knock.scenario"
local T = k.figure.math

local p = scenario {
  foot = 1e-4, -- mass of a foot over that of the hip
  from = 0.004, -- lowest slope [rad]
  to = 0.0188, -- highest [rad]
  doublings = 1, -- branches of twice the period that are followed
}

local law = k.law.moreau { mu = 9, e = 0 }
local function walker(angle, rate)
  return k.compass { hip_mass = 1, leg_mass = p.foot, a = 0, b = 1, gravity = 1, slope = 0.009, pass = 0.12, lift = 0.02,
    angles = { 0.009 - angle, 0.009 + angle }, rates = { rate, 0.92 * rate } }
end

local long = k.cycle(walker(0.2003, 0.1998), law, { map = "step" })
local short = k.cycle(walker(0.1939, 0.2040), law, { map = "step" })
scenario.say("long step: angle", 0.009 - long.q[3], "rad", 0.2003109)
scenario.say("its multipliers, real and imaginary part", { long.multipliers[1][1], math.abs(long.multipliers[1][2]) })
scenario.say("short step: angle", 0.009 - short.q[3], "rad")
scenario.say("its largest multiplier", short.multipliers[1])

local function follow(c)
  local down = k.continue(c, { parameter = "slope", to = p.from, longest = 0.1, step = 0.05 })
  local up = k.continue(c, { parameter = "slope", to = p.to, longest = 0.1, step = 0.05 })
  return down, up
end

local down, up = follow(long)
local short_down, short_up = follow(short)
local branches, last = { up, short_down, short_up }, up
for i = 1, p.doublings do
  local event
  for _, e in ipairs(last.events) do if e.kind == "period doubling" then event = event or e end end
  if not event then break end
  scenario.say(("period doubling %d at a slope of"):format(i), event.value, "rad", i == 1 and 0.0151 or nil)
  last = last:switch(event, { points = 40 })
  branches[#branches + 1] = last
end
for _, e in ipairs(last.events) do scenario.say(("then %s at"):format(e.kind), e.value, "rad") end

-- every state of a cycle of several steps
local function angles(point)
  local out = {}
  for i, x in ipairs(point.X) do out[i] = point.p.slope - x[3] end
  return out
end
local f = down:plot { y = angles, with = branches, colours = { 1, 1, 2, 2, 3, 4, 5 }, ylabel = T"$\\theta$ after a step", xlabel = T"slope $\\gamma$" }
f[1].x.unit, f[1].y.unit, f[1].x.tics = "rad", "rad", { { "0.005", 0.005 }, { "0.010", 0.01 }, { "0.015", 0.015 } }
scenario.save(f, "cycle_simplest")
