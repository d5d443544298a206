-- Showpiece: one impact by five laws
--
-- A double pendulum strikes the floor with a sliding tip. (a) the plane of impulses after Routh: all laws push the impulse
-- along the cone of friction; they differ in when they stop, and springs along the floor bend the path. (b) tangential
-- velocity of the tip after the impact over that before.

local k = require "knock"
local scenario = require "knock.scenario"
local trace = require "knock.draw.trace"
local T = k.figure.math

local p = scenario {
  q = { -1.3, -0.5 }, -- angles of the links [rad]
  v = { 1, -1 }, -- velocity of the tip before the impact, t and n [m/s]
  mu = 0.2, -- friction
  e = 0.7, -- restitution
  eta = 1.1, -- sqrt(normal / tangential stiffness) of the springs
  n = 201, -- velocities in (b)
}

local m = k.double_pendulum { q = p.q, u = { 0, 0 } }
local function at(v) return m:at(nil, m.J:solve(v)) end
local laws = {
  { "plastic", k.law.plastic { mu = p.mu }, "square" },
  { "Newton", k.law.newton { mu = p.mu, e = p.e }, "disc" },
  { "Poisson", k.law.poisson { mu = p.mu, e = p.e }, "triangle" },
  { "Stronge", k.law.stronge { mu = p.mu, e = p.e }, "diamond" },
  { "springs", k.law.compliant { mu = p.mu, e = p.e, eta = p.eta }, "ring" },
}

local f = k.figure { rows = 1, cols = 2, height = 8 }
local hits, low, high, top = {}, 0, 0, 0
for l, law in ipairs(laws) do
  local hit = k.impact(at(p.v), law[2])
  hits[l] = hit
  scenario.say(law[1] .. ": velocity of the tip after", hit.contact_velocity, "m/s")
  scenario.say("  impulse", hit.impulse, "N s")
  scenario.say("  kinetic energy after / before", hit.energy.after / hit.energy.before)
  low, high, top = math.min(low, hit.impulse[1]), math.max(high, hit.impulse[1]), math.max(top, hit.impulse[2])
end
local wide = 1.25 * math.max(high, -low, p.mu * top)
top = 1.12 * top

-- v + W p = 0, row by row: where the tip does not slide, where it does not sink
local W, a = hits[1].W, f[1]
local function straight(row, label, dash)
  local xs, ys = {}, {}
  for i = 0, 1 do
    if row == 1 then
      ys[i + 1] = i * top
      xs[i + 1] = -(p.v[1] + W[1][2] * ys[i + 1]) / W[1][1]
    else
      xs[i + 1] = (2 * i - 1) * wide
      ys[i + 1] = -(p.v[2] + W[2][1] * xs[i + 1]) / W[2][2]
    end
  end
  a:line { x = xs, y = ys, colour = "dark", dash = dash, width = 0.8, label = T(label), counts = false }
end
a:line { x = { -p.mu * top, 0, p.mu * top }, y = { top, 0, top }, colour = "grey", dash = "solid", width = 0.8, label = "cone", counts = false }
straight(1, "$v_t = 0$", "dashed")
straight(2, "$v_n = 0$", "dashdot")
for _, l in ipairs { 2, 5 } do
  local t = trace.of(hits[l])
  a:line { x = t[t.p[1]], y = t[t.p[2]], colour = l, dash = "solid", width = 1.3 }
end
for l, law in ipairs(laws) do
  a:points { x = { hits[l].impulse[1] }, y = { hits[l].impulse[2] }, mark = law[3], colour = l, label = law[1], size = 5 }
end
a.x, a.y = { label = T"$p_t$", unit = "N s", range = { -wide, wide } }, { label = T"$p_n$", unit = "N s", range = { 0, top } }
a.key = "above"

local vt = k.linspace(-2, 2, p.n)
for l, law in ipairs(laws) do
  local y = {}
  for i = 1, p.n do y[i] = k.impact(at { vt[i], p.v[2] }, law[2]).contact_velocity[1] end
  f[2]:line { x = vt, y = y, label = law[1], colour = l }
end
f[2]:hline(0)
f[2].x, f[2].y = { label = T"$v_t$ before", unit = "m/s" }, { label = T"$v_t$ after", unit = "m/s" }
f[2].key = "above"
scenario.save(f, "show_laws")
