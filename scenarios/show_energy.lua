-- Showpiece: Newton's restitution with friction can create energy; Poisson's and Stronge's do not here
--
-- A double pendulum meets the floor while its tip slides. (a) kinetic energy after over before the impact, as
-- the tip slides in faster or slower; above 1 energy came from nowhere. (b) where in the plane of tangential velocity
-- and friction Newton's law does so: on the bright side of the line. This is the paradox of Kane and Levinson; Stronge's
-- energetic restitution resolves it.

local k = require "knock"
local scenario = require "knock.scenario"
local T = k.figure.math

local p = scenario {
  q = { -1.3, -0.5 }, -- angles of the links [rad]
  vn = -1, -- normal velocity of the tip before the impact [m/s]
  most = 2, -- largest tangential velocity [m/s]
  mu = 0.5, -- friction
  e = 0.9, -- restitution
  n = 401, -- velocities on the curves
  grid = 81, -- cells of the map, each way
}

local m = k.double_pendulum { q = p.q, u = { 0, 0 } }
local function ratio(law, vt)
  local hit = k.impact(m:at(nil, m.J:solve { vt, p.vn }), law, { status = true })
  return hit.status == "ok" and hit.energy.after / hit.energy.before or 0 / 0
end

local f = k.figure { rows = 1, cols = 2, height = 7 }
local vt = k.linspace(-p.most, p.most, p.n)
local worst = { -math.huge }
for i, name in ipairs { "newton", "poisson", "stronge" } do
  local law, y, top, at = k.law[name] { mu = p.mu, e = p.e }, {}, -math.huge, 0
  for j = 1, p.n do
    y[j] = ratio(law, vt[j])
    if y[j] > top then top, at = y[j], vt[j] end
  end
  f[1]:line { x = vt, y = y, label = name:gsub("^%l", string.upper), colour = i }
  scenario.say(("%s: largest T after / T before"):format(name), top)
  scenario.say("  at v_t before", at, "m/s")
  if top > worst[1] then worst = { top, at } end
end
f[1]:hline(1)
if worst[1] > 1 then f[1]:points { x = { worst[2] }, y = { worst[1] }, mark = "ring", colour = "black", label = "most" } end
f[1].x, f[1].y = { label = T"$v_t$ before", unit = "m/s" }, { label = "kinetic energy after / before", range = { 0, nil } }
f[1].key = "above"

local mus, xs, z, gained = k.linspace(0, 1, p.grid), k.linspace(-p.most, p.most, p.grid), {}, 0
for j = 1, p.grid do
  z[j] = {}
  local law = k.law.newton { mu = mus[j], e = p.e }
  for i = 1, p.grid do
    z[j][i] = ratio(law, xs[i])
    if z[j][i] > 1 then gained = gained + 1 end
  end
end
scenario.say("part of the map where Newton creates energy", 100 * gained / p.grid ^ 2, "%")
f[2]:heat { x = xs, y = mus, z = z }
f[2]:contour { x = xs, y = mus, z = z, levels = { 1 }, colour = "white", width = 1.4 }
f[2]:text { x = 0.42 * p.most, y = 0.6, text = "more than", colour = "black" }
f[2]:text { x = 0.42 * p.most, y = 0.52, text = "before", colour = "black" }
f[2]:text { x = -0.95 * p.most, y = 0.6, text = "less than", colour = "white" }
f[2]:text { x = -0.95 * p.most, y = 0.52, text = "before", colour = "white" }
f[2].x, f[2].y, f[2].c = { label = T"$v_t$ before", unit = "m/s" }, { label = T"$\\mu$" }, { label = "energy after / before, Newton" }
scenario.save(f, "show_energy")
