-- Johnson, practice 2: a point mass that slides on one constraint meets a second one: both rows together give q'+ = 0

local k = require "knock"
local scenario = require "knock.scenario"
local given = scenario {
  m = 1, -- mass [kg]
  v = 1, -- x' before [m/s]
}
local T = k.figure.math

local block = k.solve.block { M = { { given.m, 0 }, { 0, given.m } }, A = { { 0, 1 }, { -1, -1 } }, u = { given.v, 0 } }
scenario.say("q'+ with both rows", block.u, "m/s")
scenario.say("P^ (the ground gives -P^)", block.P, "N s")

-- the same by a law, whose rows have unit length: y >= 0 and (3 - x - y)/sqrt(2) >= 0, at (3, 0)
local function wall(angle) -- of the second constraint's normal from the -x axis, downwards
  local nx, ny = -math.cos(angle), -math.sin(angle)
  return k.particle { position = { 3, 0 }, velocity = { given.v, 0 }, mass = given.m, gravity = 0,
    planes = { { 0, 1, 0 }, { nx, ny, 3 * nx } } }
end
local hit = k.impact(wall(math.rad(45)), k.law.plastic { bilateral = true })
scenario.say("q'+ by k.impact", hit.u, "m/s")
scenario.say("impulse normal to each", { hit.impulses[1][2], hit.impulses[2][2] }, "N s")
local one = k.solve.block { M = { { given.m, 0 }, { 0, given.m } }, A = { { -1, -1 } }, u = { given.v, 0 } }
scenario.say("q'+ with the second row only (into the ground)", one.u, "m/s")

-- for any slope of the second constraint the point stops; only the impulses change
local degrees, first, second, speed = {}, {}, {}, {}
for i = 0, 80 do
  local h = k.impact(wall(math.rad(i)), k.law.plastic { bilateral = true })
  degrees[i + 1], first[i + 1], second[i + 1] = i, h.impulses[1][2], h.impulses[2][2]
  speed[i + 1] = math.sqrt(h.u[1] ^ 2 + h.u[2] ^ 2)
end
local f = k.plot { x = degrees, y = { first, second, speed }, xlabel = "slope of the second constraint [deg]",
  ylabel = T"impulse (N s), speed (m/s)", label = { T"$p_1$", T"$p_2$", "speed after" } }
scenario.save(f, "j_practice2")
