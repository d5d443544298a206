-- Johnson, practice 1: a two-link arm meets the ground plastically: velocity and impulse, by law and by block matrix

local k = require "knock"
local scenario = require "knock.scenario"
local given = scenario {
  l = { 1, 0.8 }, -- lengths of the links [m]
  m = { 2, 1 }, -- masses of the links [kg]
  q1 = 52, -- angle of the first link from the ground [degrees]
  u = { -1, -0.5 }, -- joint rates before [rad/s]
  e = 0, -- restitution
}
local T = k.figure.math

-- the second link goes down so far that the tip is on the ground, the x axis
local function arm(q1)
  local down = math.asin(given.l[1] * math.sin(q1) / given.l[2])
  return k.arm { n = 2, length = given.l, mass = given.m, q = { q1, -q1 - down }, u = given.u, floor = 0 }
end
local law = k.law.newton { e = given.e }

local body = arm(math.rad(given.q1))
local hit = k.impact(body, law)
local block = k.solve.block { M = body.M, A = { { body.J[2][1], body.J[2][2] } }, u = body.u, e = given.e }
scenario.say("joint rates after, by k.impact", hit.u, "rad/s")
scenario.say("joint rates after, by the block matrix", block.u, "rad/s")
scenario.say("P^ (the ground gives -P^)", block.P[1], "N s")
scenario.say("energy before and after", { hit.energy.before, hit.energy.after }, "J")

-- the arm, and the answer over its first angle as long as the tip reaches the ground
local f = k.figure { cols = 2, style = "ieee2" }
local mechanism = require "knock.draw.mechanism"
mechanism.draw(f[1], { mechanism.outline(body, body.q) }, "all")
mechanism.axes(f[1], true)
local most = math.asin(math.min(1, given.l[2] / given.l[1]))
local angle, rates1, rates2, impulse = {}, {}, {}, {}
for i = 1, 99 do
  local q1 = most * i / 100
  local h = k.impact(arm(q1), law)
  angle[i], rates1[i], rates2[i], impulse[i] = math.deg(q1), h.u[1], h.u[2], h.impulse[2]
end
f[2]:line { x = angle, y = rates1, label = T"$\\dot q_1^+$ (rad/s)" }
f[2]:line { x = angle, y = rates2, label = T"$\\dot q_2^+$ (rad/s)" }
f[2]:line { x = angle, y = impulse, label = T"impulse (N s)" }
f[2].x, f[2].y = { label = T"$q_1$", unit = "deg" }, { label = "after the impact" }
scenario.save(f, "j_practice1")
