-- Showpiece: the double pendulum dances on the floor
--
-- (a) its last positions, and the path of the tip; (b) two dances that began a billionth of a radian apart: how far
-- apart their tips are, with the impacts of the first. --film saves a film of it too.

local k = require "knock"
local scenario = require "knock.scenario"
local T = k.figure.math

local p = scenario {
  q = { 1.2, 1.2 }, -- angles of the links at the start [rad]
  u = { 0, 0 }, -- their rates [rad/s]
  floor = -1.05, -- height of the floor over the support [m]
  mu = 0.02, -- friction
  e = 0.99, -- energetic restitution
  t = 8, -- how long [s]
  apart = 1e-9, -- difference of the two starts [rad]
  film = false, -- a film, show_dance.gif
}

local law = k.law.stronge { mu = p.mu, e = p.e }
local function dance(more)
  local pendulum = k.double_pendulum { q = { p.q[1] + more, p.q[2] }, u = p.u, floor = p.floor }
  return k.simulate(pendulum, law, { t_end = p.t, rtol = 1e-12, atol = 1e-14 })
end
local function tip(q1, q2) return math.cos(q1) + math.cos(q1 + q2), math.sin(q1) + math.sin(q1 + q2) end

local run, other = dance(0), dance(p.apart)

local times = {}
for _, e in ipairs(run.events) do if e.kind == "impact" then times[#times + 1] = e.t end end
scenario.say("impacts", #times)
scenario.say("first impact at", times[1] or 0 / 0, "s")
local first, last = run:at(0), run:at(run.t_end)
scenario.say("energy at the start, at the end, and lost", { first.energy, last.energy, last.lost }, "J")

-- distance of the tips, at even times
local ts, d, d_at = k.linspace(0, math.min(run.t_end, other.t_end), 800), {}, {}
local function distance(t)
  local a, b = run:at(t).q, other:at(t).q
  local ax, az = tip(a[1], a[2])
  local bx, bz = tip(b[1], b[2])
  return math.max(1e-16, math.sqrt((ax - bx) ^ 2 + (az - bz) ^ 2))
end
for i = 1, #ts do d[i] = distance(ts[i]) end
for i, t in ipairs(times) do d_at[i] = distance(t) end
scenario.say("distance of the tips at the end", d[#d], "m")

local c, x, z = run:sample(3000), {}, {}
for i = 1, #c.t do x[i], z[i] = tip(c.q1[i], c.q2[i]) end
local strobe = run:plot { kind = "strobe", n = 7, from = 0.94 * p.t, whole = true }
local f = k.figure { rows = 1, cols = 2, height = 8, strobe[1] }
f[1]:line { x = x, y = z, colour = "red", dash = "solid", width = 0.5, label = "path of the tip" }
f[1].key, f[1].y.range = "above", { p.floor - 0.35, 2.1 }
f[2]:line { x = ts, y = d, colour = 1, dash = "solid" }
if #times > 0 then f[2]:points { x = times, y = d_at, mark = "disc", colour = "black", size = 3, label = "impact" } end
f[2].x, f[2].y = { label = T"$t$", unit = "s" }, { label = "distance of the tips", unit = "m", scale = false, log = true }
f[2].key = "above"
scenario.save(f, "show_dance")
if p.film then run:animate(scenario.path "show_dance.gif", { trail = "contact" }) end
