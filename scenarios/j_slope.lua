-- Johnson, section 4: a ball falls on a slope and slides down it, eqs (26)-(37), closed form beside the block matrix

local k = require "knock"
local scenario = require "knock.scenario"
local given = scenario {
  theta = 30, -- slope [degrees]
  v = -1, -- z' before [m/s]
  m = 1, -- mass [kg]
  e = 0, -- restitution; practice 3 asks for e > 0
}
local T = k.figure.math

local theta = math.rad(given.theta)
local s, c = math.sin(theta), math.cos(theta)
local ball = k.particle { position = { 0, 0 }, velocity = { 0, given.v }, mass = given.m, planes = { { s, c, 0 } } }
local hit = k.impact(ball, k.law.newton { e = given.e })
local block = k.solve.block { M = { { given.m, 0 }, { 0, given.m } }, A = { { s, c } }, u = { 0, given.v }, e = given.e }

scenario.say("x'+ and z'+ by k.impact", hit.u, "m/s")
scenario.say("x'+ and z'+ by the block matrix", block.u, "m/s")
scenario.say("x'+ and z'+ in closed form", { -(1 + given.e) * s * c * given.v, (1 - (1 + given.e) * c * c) * given.v }, "m/s")
scenario.say("P^ by the block matrix", block.P[1], "N s")
scenario.say("P^ in closed form", (1 + given.e) * given.m * c * given.v, "N s")

-- velocities from the origin, before and after; their difference, from tip to tip, is along the normal of the plane
local f = k.figure { style = "ieee1" }
local size = 1.3 * math.abs(given.v)
f[1]:line { x = { -size * c, size * c }, y = { size * s, -size * s }, colour = "black", dash = "solid", width = 1.5, label = "plane" }
f[1]:arrows { x = { 0 }, y = { 0 }, dx = { 0 }, dy = { given.v }, colour = 2, width = 1.2, label = T"before" }
f[1]:arrows { x = { 0 }, y = { 0 }, dx = { hit.u[1] }, dy = { hit.u[2] }, colour = 1, width = 1.2, label = T"after" }
f[1]:arrows { x = { 0 }, y = { given.v }, dx = { hit.u[1] }, dy = { hit.u[2] - given.v }, colour = 3, width = 1.2, label = T"change" }
f[1].equal = true
f[1].x, f[1].y = { label = T"$\\dot x$", unit = "m/s" }, { label = T"$\\dot z$", unit = "m/s" }
scenario.save(f, "j_slope")
