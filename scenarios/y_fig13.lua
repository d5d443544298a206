-- Jia, Fig 13: path of the bouncing ball on the table, seen from above

local k = require "knock"
local scenario = require "knock.scenario"
local given = scenario {
  mu = 0.4, -- coefficient of friction
  e = 0.5, -- energetic restitution
  eta = math.sqrt(17 / 14), -- tangential compliance eta0
  bounces = 8, -- how many
}
local T = k.figure.math

local ball = k.ball { mass = 1, radius = 1, position = { 0, 0, 1 }, velocity = { -1, 0, -5 }, spin = { 6, 6, 0 } }
local run = k.simulate(ball, k.law.compliant { mu = given.mu, e = given.e, eta = given.eta }, { t_end = 2 })

local x, y = {}, {}
for _, event in ipairs(run.events) do
  if event.kind == "impact" and #x < given.bounces then x[#x + 1], y[#y + 1] = event.q[1], event.q[2] end
end
scenario.say("place of the last bounce", { x[#x], y[#y] }, "m")
-- how far the path leaves the straight line from the first to the last bounce
local length, most = math.sqrt((x[#x] - x[1]) ^ 2 + (y[#y] - y[1]) ^ 2), 0
for i = 1, #x do
  most = math.max(most, math.abs((x[#x] - x[1]) * (y[i] - y[1]) - (y[#y] - y[1]) * (x[i] - x[1])) / length)
end
scenario.say("largest distance from the straight line", most, "m")

local f = k.figure {}
f:line { x = { x[1], x[#x] }, y = { y[1], y[#y] }, colour = "grey", dash = "dashed", label = "straight" }
f:line { x = x, y = y, colour = 1, dash = "solid", label = "path of the ball" }
f:points { x = x, y = y, colour = "black", mark = "disc", label = "bounces", size = 3 }
f[1].x, f[1].y = { label = T"$x$", unit = "m" }, { label = T"$y$", unit = "m" }
f[1].equal = true
scenario.save(f, "y_fig13")
