-- Johnson, section 1: a ball falls and stays on the ground; without impact it would fall through it, eqs (1)-(7)

local k = require "knock"
local scenario = require "knock.scenario"
local given = scenario {
  z = 1, -- height at the start [m]
  g = 9.8, -- gravity [m/s^2]
  m = 1, -- mass [kg]
  e = 0, -- restitution; 0 is the paper's plastic impact
  t_end = 1, -- end of the motion [s]
}
local T = k.figure.math

local ball = k.particle { position = { given.z }, velocity = { 0 }, mass = given.m, gravity = given.g }
local run = k.simulate(ball, k.law.newton { e = given.e }, { t_end = given.t_end })
local impact = run.events[1]

scenario.say("time of impact", impact.t, "s", given.z == 1 and given.g == 9.8 and "0.4518" or nil)
scenario.say("z' before", impact.u[1], "m/s")
scenario.say("z' after", impact.hit.u[1], "m/s")
scenario.say("P = m z'- (what the ball gives the ground)", -impact.hit.impulse[1], "N s")

-- the same fall if nothing happened
local t, z, v = {}, {}, {}
for i = 0, 100 do
  local s = given.t_end * i / 100
  t[i + 1], z[i + 1], v[i + 1] = s, given.z - 0.5 * given.g * s * s, -given.g * s
end

local f = run:plot { "panels", y = { "q1", "u1" }, style = "ieee2", xrange = { 0, given.t_end }, labels = { T"$z$", T"$\\dot z$" } }
f[1]:line { x = t, y = z, colour = 2, dash = "dashed", label = "no impact" }
f[2]:line { x = t, y = v, colour = 2, dash = "dashed" }
f[1]:hline(0)
scenario.save(f, "j_ball")
