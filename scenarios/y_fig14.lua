-- Jia, Fig 14: velocities after the impact over V_0x and over omega_0y

local k = require "knock"
local scenario = require "knock.scenario"
local given = scenario {
  mu = 0.4, -- coefficient of friction
  e = 0.5, -- energetic restitution
  eta = math.sqrt(17 / 14), -- tangential compliance eta0
  n = 301, -- points of each curve
}
local T = k.figure.math

local ball = k.ball { mass = 1, radius = 1, velocity = { -1, 0, -5 }, spin = { 0, 2, 0 } }
local laws = {
  k.law.compliant { mu = given.mu, e = given.e, eta = given.eta },
  k.law.compliant { mu = given.mu, e = given.e, eta = given.eta, published_slip = true },
}

local function curve(law, values, change)
  local Vx, wy = {}, {}
  for i = 1, #values do
    local hit = k.impact(ball:with(change(values[i])), law)
    Vx[i], wy[i] = hit.velocity[1], hit.spin[2]
  end
  return Vx, wy
end

local f = k.figure { rows = 1, cols = 2, style = "ieee2" }
local sets = {
  { k.linspace(-15, 15, given.n), function(x) return { velocity = { x, 0, -5 } } end, { label = T"$V_{0x}$", unit = "m/s" } },
  { k.linspace(-10, 10, given.n), function(x) return { spin = { 0, x, 0 } } end, { label = T"$\\omega_{0y}$", unit = "rad/s" } },
}
for p, set in ipairs(sets) do
  for i, law in ipairs(laws) do
    local Vx, wy = curve(law, set[1], set[2])
    local how = i == 1 and "" or ", as printed"
    f[p]:line { x = set[1], y = Vx, colour = 1, dash = i == 1 and "solid" or "dotted", width = i == 1 and 1.2 or 0.8, label = T("$V_x$" .. how) }
    f[p]:line { x = set[1], y = wy, colour = 2, dash = i == 1 and "dashed" or "dotted", width = i == 1 and 1.2 or 0.8, label = T("$\\omega_y$" .. how) }
  end
  f[p].x, f[p].y = set[3], { label = T"$V_x$ (m/s), $\\omega_y$ (rad/s)" }
  f[p]:hline(0)
end
-- full slip: Coulomb gives an impulse of mu I_z = 3, the paper's program 5/2
for i, law in ipairs(laws) do
  local hit = k.impact(ball:with { velocity = { -15, 0, -5 } }, law)
  scenario.say("I_x at V_0x = -15" .. (i == 2 and ", as the paper's program" or ""), hit.impulse[1], "N s", 2.5)
end
scenario.save(f, "y_fig14")
