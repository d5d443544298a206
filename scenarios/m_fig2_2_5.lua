-- Morgan, Figs 2.2 to 2.5: an impact of the double pendulum, step by step in the plane of its speeds
--
-- (a) the first direction L_n + mu L_t from the speeds before, (b) where its line meets v_t = 0 and v_n = 0,
-- (c) friction turns round at v_t = 0 (or holds the tip, if it can: --mu 1.5), (d) the end of compression found anew.
-- The paper gives no numbers.

local k = require "knock"
local scenario = require "knock.scenario"
local plane_of = require "knock.scenario.plane"

local p = scenario {
  q = { -1.2, 0.7 }, -- angles of the links [rad]
  v = { -0.6, -3 }, -- velocity of the tip before the impact, t and n [m/s]
  mu = 0.5, -- friction
  e = 0.6, -- energetic restitution
}
local m = k.double_pendulum { q = p.q, u = { 0, 0 } }
m = m:at(nil, m.J:solve(p.v))
local hit = k.impact(m, k.law.stronge { mu = p.mu, e = p.e })
local plane = plane_of(hit, p.mu)

local t, n = plane.tangential, plane.normal
local m_stick = -hit.W[1][2] / hit.W[1][1]
local sticks = p.mu > 0 and math.abs(m_stick) <= p.mu
local turned = sticks and m_stick / p.mu or -plane.sign -- friction after the tangential pause, in parts of mu
local again = plane:meet(t, turned, 2)
if t.p < 0 or t.p > n.p then
  error("m_fig2_2_5: with these arguments the tip does not stop sliding in compression; m_fig2_9 shows such impacts", 0)
end
scenario.say("speeds before", plane.start, "rad/s")
scenario.say("m = -W_tn / W_tt (stick if |m| <= mu)", m_stick)
scenario.say("p_n at the tangential pause", t.p, "N s")
scenario.say("p_n at the normal pause of the first line", n.p, "N s")
scenario.say("p_n at the normal pause, found anew", t.p + again.p, "N s")
for _, e in ipairs(hit.events) do scenario.say(("p_n at %s"):format(e.kind:gsub("_", " ")), e.impulse, "N s") end

plane:box { plane.start, t, n, again }
local f = k.figure { rows = 2, cols = 2, height = 14 }
for i = 1, 4 do plane:axes(f[i], i == 1) end
local first = 0.9 * t.p

plane:components(f[1], plane.start, plane.sign, first, true)
plane:point(f[1], plane.start, "star", "start")

plane:line(f[2], plane.start, n, { label = "first line" })
plane:point(f[2], plane.start, "star")
plane:point(f[2], t, "wedge", "tangential pause")
plane:point(f[2], n, "diamond", "normal pause")

plane:line(f[3], plane.start, t)
plane:line(f[3], t, n, { colour = "grey", dash = "dotted" })
plane:components(f[3], t, turned, 0.75 * again.p, false)
plane:point(f[3], plane.start, "star")
plane:point(f[3], t, "wedge")

plane:line(f[4], t, n, { colour = "grey", dash = "dotted", label = "no longer valid" })
plane:line(f[4], plane.start, t)
plane:line(f[4], t, again)
plane:point(f[4], plane.start, "star")
plane:point(f[4], t, "wedge")
plane:point(f[4], n, "rhomb")
plane:point(f[4], again, "diamond", "normal pause, found anew")
scenario.save(f, "m_fig2_2_5")
