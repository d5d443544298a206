-- Johnson, practice 3: the ball on a slope with restitution e: velocity and impulse over the slope
--
-- P is the impulse as the paper writes it: the ground gives -P.

local k = require "knock"
local scenario = require "knock.scenario"
local given = scenario {
  v = -1, -- z' before [m/s]
  m = 1, -- mass [kg]
  e = { 0, 0.5, 1 }, -- three restitutions
}
local T = k.figure.math

local function slope(theta, e)
  local s, c = math.sin(theta), math.cos(theta)
  local ball = k.particle { position = { 0, 0 }, velocity = { 0, given.v }, mass = given.m, planes = { { s, c, 0 } } }
  return k.impact(ball, k.law.newton { e = e })
end

local f = k.figure { cols = 3, style = "ieee2", key = "shared" }
local worst = 0
for _, e in ipairs(given.e) do
  local theta, x, z, p = {}, {}, {}, {}
  for i = 0, 90 do
    local a = math.rad(i)
    local hit = slope(a, e)
    theta[i + 1], x[i + 1], z[i + 1], p[i + 1] = i, hit.u[1], hit.u[2], -hit.impulse[2]
    -- the closed form
    local s, c = math.sin(a), math.cos(a)
    worst = math.max(worst, math.abs(x[i + 1] + (1 + e) * s * c * given.v), math.abs(z[i + 1] - (1 - (1 + e) * c * c) * given.v),
      math.abs(p[i + 1] - (1 + e) * given.m * c * given.v))
  end
  for i, y in ipairs { x, z, p } do f[i]:line { x = theta, y = y, label = i == 1 and T(("$e$ = %g"):format(e)) or nil } end
  local at30 = slope(math.rad(30), e)
  scenario.say(("x'+, z'+ at 30 degrees, e = %g"):format(e), at30.u, "m/s")
end
scenario.say("largest difference from the closed form", worst)

for i, label in ipairs { T"$\\dot x^+$", T"$\\dot z^+$", T"$P$" } do
  f[i].x, f[i].y = { label = T"$\\theta$", unit = "deg" }, { label = label, unit = i < 3 and "m/s" or "N s" }
end
scenario.save(f, "j_practice3")
