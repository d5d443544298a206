-- Morgan, Fig 2.7: when an impact of the double pendulum ends, and with which speeds
--
-- (a) the path in the plane of the speeds, (b) the normal work E_n: the impact ends when it has come back up to
-- (1 - e^2) of its lowest value.

local k = require "knock"
local scenario = require "knock.scenario"
local plane_of = require "knock.scenario.plane"
local trace = require "knock.draw.trace"
local T = k.figure.math

local p = scenario {
  q = { -1.2, 0.7 }, -- angles of the links [rad]
  v = { -0.6, -3 }, -- velocity of the tip before the impact, t and n [m/s]
  mu = 0.5, -- friction
  e = 0.6, -- energetic restitution
}
local m = k.double_pendulum { q = p.q, u = { 0, 0 } }
local hit = k.impact(m:at(nil, m.J:solve(p.v)), k.law.stronge { mu = p.mu, e = p.e })
local plane = plane_of(hit, p.mu)
local t = plane.t

local least = math.min(table.unpack(t.work))
local last = (1 - p.e ^ 2) * least
scenario.say("speeds before", hit.u_before, "rad/s")
scenario.say("speeds after", hit.u, "rad/s")
scenario.say("velocity of the tip after", hit.contact_velocity, "m/s")
scenario.say("impulse", hit.impulse, "N s")
scenario.say("E_n, lowest and at the end", { least, t.work[t.n] }, "J")

plane:box(plane:corners())
local f = k.figure { rows = 1, cols = 2, height = 8 }
plane:axes(f[1], true)
plane:path(f[1], true)

local high = 1.08 * t.impulse[t.n]
f[2]:line { x = { 0, high }, y = { least, least }, colour = "grey", dash = "dotted", width = 0.9 }
f[2]:line { x = { 0, high }, y = { last, last }, colour = "grey", dash = "dotted", width = 0.9 }
f[2]:line { x = t.impulse, y = t.work, colour = "blue", dash = "solid", width = 1.4 }
trace.mark(f[2], t, t.impulse, t.work, false)
f[2]:text { x = 0.02 * high, y = least, text = T"lowest $E_n$", dy = 0.9 }
f[2]:text { x = t.impulse[t.n] / 2, y = last, text = T"$(1 - e^2)$ of it", dy = 0.9, side = "center" }
f[2]:hline(0)
f[2].x, f[2].y = { label = T"$p_n$", unit = "N s", range = { 0, high } }, { label = T"$E_n$", unit = "J" }
scenario.save(f, "m_fig2_7")
