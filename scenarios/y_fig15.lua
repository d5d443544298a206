-- Jia, Fig 15: velocities after the impact over friction, compliance and restitution

local k = require "knock"
local scenario = require "knock.scenario"
local given = scenario {
  n = 201, -- points of each curve
}
local T = k.figure.math

local ball = k.ball { mass = 1, radius = 1, velocity = { -1, 0, -5 }, spin = { 0, 2, 0 } }
local base = { mu = 0.4, e = 0.5, eta = math.sqrt(17 / 14) }
local sets = {
  { "mu", 0, 1, T"$\\mu$" }, { "eta", 1, 3, T"$\\eta_0$" }, { "e", 0, 1, T"$e$" },
}

local function law(name, x, slip)
  local t = { published_slip = slip }
  for key, value in pairs(base) do t[key] = value end
  t[name] = x
  return k.law.compliant(t)
end

local f = k.figure { rows = 1, cols = 3, style = "ieee2", key = "shared" }
for p, set in ipairs(sets) do
  local x = k.linspace(set[2], set[3], given.n)
  for i, slip in ipairs { false, true } do
    local Vx, wy, best = {}, {}, 1
    for j = 1, #x do
      local hit = k.impact(ball, law(set[1], x[j], slip))
      Vx[j], wy[j] = hit.velocity[1], hit.spin[2]
      if Vx[j] > Vx[best] then best = j end
    end
    local how = slip and ", as printed" or ""
    f[p]:line { x = x, y = Vx, colour = 1, dash = slip and "dotted" or "solid", width = slip and 0.8 or 1.2, label = p == 2 and T("$V_x$" .. how) or nil }
    f[p]:line { x = x, y = wy, colour = 2, dash = slip and "dotted" or "dashed", width = slip and 0.8 or 1.2, label = p == 2 and T("$\\omega_y$" .. how) or nil }
    scenario.say(("largest V_x over %s%s: at"):format(set[1], slip and ", as the paper's program" or ""), x[best], nil, ({ mu = 0.36, e = 0.22 })[set[1]])
    scenario.say("  and there V_x", Vx[best], "m/s", ({ mu = 0.575906 })[set[1]])
  end
  f[p]:hline(0)
  f[p].x, f[p].y = { label = set[4], range = { set[2], set[3] } }, { label = p == 1 and T"$V_x$ (m/s), $\\omega_y$ (rad/s)" or "" }
end
scenario.save(f, "y_fig15")
