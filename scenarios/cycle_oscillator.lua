-- Cycles: an oscillator that begins to touch its wall, and what grazing does
--
-- (a) speed of the cycle at the start of each period over the place of the wall: the cycle that does not touch ends where it
-- grazes, and brute force shows what follows; (b) a cycle with impacts, and (c) its multipliers.

local k = require "knock"
local scenario = require "knock.scenario"
local T = k.figure.math

local p = scenario {
  zeta = 0.05, -- damping
  w = 0.7, -- frequency of the force over the oscillator's
  e = 0.8, -- restitution
  values = 16, -- places of the wall, brute force
  keep = 10, -- periods kept at each
}

local amplitude = 1 / math.sqrt((1 - p.w ^ 2) ^ 2 + (2 * p.zeta * p.w) ^ 2)
local period, law = 2 * math.pi / p.w, k.law.newton { e = p.e }
local oscillator = k.model { coordinates = { "x" }, mass = { 1 }, q = { 0 }, u = { 0 }, parameters = { wall = 1.1 * amplitude },
  gap = function(q, s) return s.wall - q[1] end, jacobian = function() return { { -1 } } end,
  forces = function(q, u, t) return { -2 * p.zeta * u[1] - q[1] + math.cos(p.w * t) } end }

local c = k.cycle(oscillator, law, { period = period })
scenario.say("determinant of the free cycle, and in closed form", { c.multipliers[1][1] ^ 2 + c.multipliers[1][2] ^ 2, math.exp(-2 * p.zeta * period) })
local branch = k.continue(c, { parameter = "wall", to = 0.9 * amplitude })
for _, e in ipairs(branch.events) do if e.kind == "grazing" then scenario.say("grazes with the wall at", e.value, "m", amplitude) end end

local b = k.bifurcation(c, { parameter = "wall", values = k.linspace(0.9 * amplitude, 1.02 * amplitude, p.values), of = 2, guess = { -0.5, 0 }, transient = 30,
  keep = p.keep, what = "speed" })

-- a cycle with impacts, from where it settles
local near = oscillator:with { wall = 0.4 * amplitude }
local run = k.simulate(near, law, { t_end = 30 * period, keep = false })
local last = run.events[#run.events]
local hits = k.cycle(near, law, { period = period, guess = { q = last.q, u = last.u } })
local m = hits.multipliers
local det = type(m[1]) == "table" and m[1][1] ^ 2 + m[1][2] ^ 2 or m[1] * m[2]
local n = select(2, hits.sequence:gsub("impact", ""))
scenario.say("impacts in one period", n)
scenario.say("determinant with them, and in closed form", { det, p.e ^ (2 * n) * math.exp(-2 * p.zeta * period) })

local f = k.figure { rows = 1, cols = 3, height = 6.5 }
f[1]:points { x = b.p, y = b.v, colour = "black", mark = "disc", size = 1.5, label = "brute force" }
local xs, ys = {}, {}
for i, point in ipairs(branch.points) do xs[i], ys[i] = point.value, point.x[2] end
f[1]:line { x = xs, y = ys, colour = 1, dash = "solid", label = "free cycle" }
f[1]:vline(amplitude, { dash = "dotted" })
f[1].x, f[1].y = { label = "wall", unit = "m", range = { 0.89 * amplitude, 1.03 * amplitude } }, { label = "speed each period", unit = "m/s" }
f[1].key = "above"
local orbit = hits:plot()
f.panels[2], f.panels[3] = orbit[1], orbit[2]
f[2].x, f[2].y = { label = T"$x$", unit = "m" }, { label = T"$\\dot x$", unit = "m/s" }
scenario.save(f, "cycle_oscillator")
