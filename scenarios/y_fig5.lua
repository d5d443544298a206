-- Jia, Fig 5: strain energy of a particle that meets a table, over the impulse

local k = require "knock"
local scenario = require "knock.scenario"
local given = scenario {
  e = 0.5, -- energetic restitution
  m = 1, -- mass [kg]
  v = -1, -- velocity before [m/s]
}
local T = k.figure.math

local particle = k.particle { mass = given.m, position = { 0 }, velocity = { given.v } }
local hit = k.impact(particle, k.law.compliant { e = given.e })
local path = hit:trace(200)

-- (11): two halves of one parabola; the second is lower by what is lost, (1 - e^2) m v^2 / 2
local I, E = {}, {}
local jumped = false
for i = 1, path.n do
  if path.phase[i] == 1 and not jumped then
    jumped = true
    I[#I + 1], E[#E + 1] = path.p_n[i], -given.v * path.p_n[i] - path.p_n[i] ^ 2 / (2 * given.m)
    I[#I + 1], E[#E + 1] = 0 / 0, 0 / 0
  end
  I[#I + 1], E[#E + 1] = path.p_n[i], path.strain[i]
end
local most = given.m * given.v ^ 2 / 2
scenario.say("greatest strain energy", most, "J")
scenario.say("lost at greatest compression", hit.energy.restitution, "J")
scenario.say("impulse at the end", hit.impulse[1], "N s")

local f = k.figure {}
f:line { x = I, y = E, colour = 1, dash = "solid" }
f:line { x = { -given.m * given.v, -given.m * given.v }, y = { most, given.e ^ 2 * most }, colour = "grey", dash = "dashed", width = 0.7 }
f:points { x = { -given.m * given.v, -given.m * given.v * (1 + given.e) }, y = { most, 0 }, mark = "disc", colour = "black" }
f:label { x = -given.m * given.v, y = most, text = T"$-m v_0$", dx = 0.8, dy = 0 }
f:label { x = -1.02 * given.m * given.v, y = 0.05 * most, text = T"$-(1+e)m v_0$" }
f[1].x, f[1].y = { label = T"$I$", unit = "N s" }, { label = T"$E$", unit = "J" }
scenario.save(f, "y_fig5")
