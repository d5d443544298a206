-- Johnson, practice 4: kinetic energy is kept at e = 1 and lost for e < 1, shown for a two-link arm and a ball on a slope

local k = require "knock"
local scenario = require "knock.scenario"
local given = scenario {
  theta = 30, -- slope under the ball [degrees]
  n = 51, -- how many values of e
}

local theta = math.rad(given.theta)
local down = math.asin(math.sin(0.9) / 0.8)
local bodies = {
  { "two-link arm", k.arm { n = 2, length = { 1, 0.8 }, mass = { 2, 1 }, q = { 0.9, -0.9 - down }, u = { -1, -0.5 }, floor = 0 } },
  { "ball on a slope", k.particle { position = { 0, 0 }, velocity = { 0, -1 }, planes = { { math.sin(theta), math.cos(theta), 0 } } } },
}

-- T+ = T- - (1 - e^2) v_n^2 / (2 W_nn): all that can be lost is the energy of the normal motion
local kept, es, names, worst = {}, {}, {}, 0
for i, body in ipairs(bodies) do
  kept[i], names[i] = {}, body[1]
  for j = 1, given.n do
    local e = (j - 1) / (given.n - 1)
    local hit = k.impact(body[2], k.law.newton { e = e })
    local vn, W = hit.contact_velocity_before[2], hit.W[2][2]
    es[j], kept[i][j] = e, hit.energy.after / hit.energy.before
    worst = math.max(worst, math.abs(hit.energy.after - hit.energy.before + (1 - e * e) * vn ^ 2 / W / 2))
  end
  scenario.say(body[1] .. ": part kept at e = 0", kept[i][1])
  scenario.say(body[1] .. ": part kept at e = 1", kept[i][given.n])
end
scenario.say("largest difference from the proof's formula", worst, "J")

scenario.save(k.plot { x = es, y = kept, label = names, xlabel = k.figure.math"restitution $e$", ylabel = "kinetic energy after / before" }, "j_practice4")
