-- Cycles: the compass gait, its limit cycle, its multipliers and its basin
--
-- (a) both legs in the phase plane over one step: a leg stands (blue), then swings (orange); (b) the multipliers in the unit
-- circle; (c) returns that starts with other rates take to come near the cycle, white: never. --n 400 makes it fine.

local k = require "knock"
local scenario = require "knock.scenario"
local T = k.figure.math

local p = scenario {
  slope = 3, -- of the ground [degrees]
  mu = 2, -- friction
  n = 32, -- starts of the basin, each way
  iterations = 30, -- returns after which a start counts as lost
}

local law = k.law.moreau { mu = p.mu, e = 0 }
local c = k.cycle(k.compass { slope = math.rad(p.slope) }, law, { map = "step" })
scenario.say("angles after a step", { c.q[3], c.q[4] }, "rad")
scenario.say("rates after a step", { c.u[3], c.u[4] }, "rad/s")
scenario.say("period", c.period, "s")
local texts = {}
for i = 1, 3 do
  local m = c.multipliers[i]
  texts[i] = type(m) == "table" and ("%.6f %+.6fi"):format(m[1], m[2]) or ("%.6f"):format(m)
end
scenario.say("multipliers", table.concat(texts, ", "))
scenario.say("what the law says of heel strike", c.sequence)

local branch = k.continue(c, { parameter = "slope", to = 0.09, stop = true })
if branch.events[1] then scenario.say("first period doubling at a slope of", math.deg(branch.events[1].value), "degrees") end

local b = k.basin(c, { x = { 7, k.linspace(0.7, 1.7, p.n) }, y = { 8, k.linspace(-0.8, 2, p.n) }, iterations = p.iterations, t_max = 4 })
scenario.say("starts that come to the cycle", tostring(b):match "cycle 1: (%d+)" or 0)
for j = 1, #b.y do
  for i = 1, #b.x do if b.z[j][i] == 0 then b.returns[j][i] = 0 / 0 end end
end

local f = k.figure { rows = 1, cols = 3, height = 6.5 }
local orbit = c:plot { curves = { { "q3", "u3" }, { "q4", "u4" } }, labels = { "stands", "swings" } }
f.panels[1], f.panels[2] = orbit[1], orbit[2]
f[1].x, f[1].y = { label = T"$\\theta$", unit = "rad" }, { label = T"$\\omega$", unit = "rad/s" }
f[1].key = "above"
f[3]:heat { x = b.x, y = b.y, z = b.returns }
f[3]:points { x = { c.u[3] }, y = { c.u[4] }, colour = "red", mark = "disc", size = 4 }
f[3].x, f[3].y = { label = T"$\\omega_1$", unit = "rad/s" }, { label = T"$\\omega_2$", unit = "rad/s" }
f[3].c = { label = "returns" }
f[3].key = false
scenario.save(f, "cycle_compass")
