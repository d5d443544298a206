-- Jia, Table 1: velocity and spin of a ball after each of eight bounces

local k = require "knock"
local scenario = require "knock.scenario"
local given = scenario {
  mu = 0.4, -- coefficient of friction
  e = 0.5, -- energetic restitution
  eta = math.sqrt(17 / 14), -- tangential compliance eta0
  bounces = 8, -- how many
}
local T = k.figure.math

local printed = {
  { 0.898164, -1.627, 2.5001, 1.93251, 1.25459 }, { 1.07356, -1.77734, 1.2501, 1.55665, 0.816088 },
  { 0.945075, -1.66721, 0.62515, 1.83198, 1.13731 }, { 1.04278, -1.75096, 0.31226, 1.62268, 0.893038 },
  { 0.964192, -1.68359, 0.15645, 1.79102, 1.08952 }, { 1.0264, -1.73697, 0.07825, 1.65758, 0.933841 },
  { 0.996746, -1.7115, 0.03915, 1.72126, 1.00813 }, { 1.00251, -1.71643, 0.01955, 1.70891, 0.993732 },
}

-- each bounce starts from the velocities after the last one with V_z turned round
local function bounces(law)
  local ball, out = k.ball { mass = 1, radius = 1, velocity = { -1, 0, -5 }, spin = { 6, 6, 0 } }, {}
  for i = 1, given.bounces do
    local hit = k.impact(ball, law)
    out[i] = { hit.velocity[1], hit.velocity[2], hit.velocity[3], hit.spin[1], hit.spin[2] }
    ball = ball:with { velocity = { hit.velocity[1], hit.velocity[2], -hit.velocity[3] }, spin = hit.spin }
  end
  return out
end

local coulomb = bounces(k.law.compliant { mu = given.mu, e = given.e, eta = given.eta })
local program = bounces(k.law.compliant { mu = given.mu, e = given.e, eta = given.eta, published_slip = true })
for i, row in ipairs(coulomb) do scenario.say(("V, omega_xy after bounce %d"):format(i), row, nil, printed[i]) end
local worst = 0
for i = 1, math.min(8, given.bounces) do
  for j = 1, 5 do worst = math.max(worst, math.abs(program[i][j] - printed[i][j])) end
end
scenario.say("printed table against the program's slip, worst", worst)

-- the table as a picture: printed against both variants
local f = k.figure { rows = 1, cols = 2, style = "ieee2" }
local n = {}
for i = 1, given.bounces do n[i] = i end
local function column(rows, j)
  local out = {}
  for i = 1, #rows do out[i] = rows[i][j] end
  return out
end
for p, j in ipairs { 1, 5 } do
  f[p]:line { x = n, y = column(coulomb, j), colour = 1, dash = "solid", label = "Coulomb" }
  f[p]:line { x = n, y = column(program, j), colour = 2, dash = "dashed", label = "as the paper's program" }
  if given.bounces >= 8 then f[p]:points { x = { 1, 2, 3, 4, 5, 6, 7, 8 }, y = column(printed, j), colour = "black", mark = "ring", label = "as printed" } end
  f[p].x = { label = "bounce", tics = 1, range = { 0.5, given.bounces + 0.5 } }
end
f[1].y, f[2].y = { label = T"$V_x$", unit = "m/s" }, { label = T"$\\omega_y$", unit = "rad/s" }
scenario.save(f, "y_table1")
