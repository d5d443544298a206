-- Cycles: the woodpecker toy comes down its pole, peck by peck
--
-- A sleeve with play on a pole, a bird on a spring: it slides, jams by friction, pecks, and falls free in turn. (a) its angles
-- over one cycle; (b) the bird's phase plane; (c) multipliers. Data after Glocker (1995) and Leine (2003).

local k = require "knock"
local scenario = require "knock.scenario"
local T = k.figure.math

local p = scenario {
  mu = 0.3, -- friction of the sleeve and the beak
  e = 0.5, -- restitution of the beak
  c = 0.0056, -- stiffness of the spring [N m/rad]
}

local m_bird, m_sleeve, J_sleeve, J_bird, g = 0.0045, 0.0003, 5e-9, 7e-7, 9.81
local l_m, l_g, l_s, h_s, h_m, r_m, r_0 = 0.010, 0.015, 0.0201, 0.02, 0.0058, 0.0031, 0.0025

local toy = k.model { coordinates = { "y", "sleeve", "bird" }, q = { 0, -0.1034, -0.2788 }, u = { -0.3411, 0, -7.4583 },
  mass = { { m_bird + m_sleeve, m_bird * l_m, m_bird * l_g }, { m_bird * l_m, J_sleeve + m_bird * l_m ^ 2, m_bird * l_m * l_g },
    { m_bird * l_g, m_bird * l_m * l_g, J_bird + m_bird * l_g ^ 2 } },
  gap = function(q) return { l_m + l_g - l_s - r_0 - h_s * q[3], r_m - r_0 + h_m * q[2], r_m - r_0 - h_m * q[2] } end,
  jacobian = function() return { { 1, l_m, l_g - l_s }, { 0, 0, -h_s }, { 1, r_m, 0 }, { 0, h_m, 0 }, { 1, r_m, 0 }, { 0, -h_m, 0 } } end,
  forces = function(q)
    local spring = p.c * (q[2] - q[3])
    return { -(m_bird + m_sleeve) * g, -spring - m_bird * g * l_m, spring - m_bird * g * l_g }
  end }
local law = k.law.moreau { e = { p.e, 0, 0 }, mu = p.mu }

-- where the bird swings up through -0.3 rad, while the sleeve holds; how far down it has come is forgotten
local swing = { function(_, q) return q[3] + 0.3 end, direction = "rising" }
local c = k.cycle(toy, law, { section = swing, map = function(q, u) return { 0, q[2], q[3] }, u end, t_max = 1 })
scenario.say("period", c.period, "s")
scenario.say("way down in one period", -c.run.events[#c.run.events].q[1] * 1e3, "mm")
local texts = {}
for i, m in ipairs(c.multipliers) do texts[i] = type(m) == "table" and ("%.6f %+.6fi"):format(m[1], m[2]) or ("%.6g"):format(m) end
scenario.say("multipliers", table.concat(texts, ", "))
scenario.say("stable", tostring(c.stable))
scenario.say("events", c.sequence)

local f = k.figure { rows = 1, cols = 3, height = 6.5 }
local columns = c.run:sample(600)
f[1]:line { x = columns.t, y = columns.q3, colour = 1, dash = "solid", label = "bird" }
f[1]:line { x = columns.t, y = columns.q2, colour = 2, label = "sleeve" }
f[1].x, f[1].y = { label = T"$t$", unit = "s", air = 0 }, { label = "angle", unit = "rad" }
f[1].key = "above"
local orbit = c:plot { x = "q3", y = "u3" }
f.panels[2], f.panels[3] = orbit[1], orbit[2]
f[2].x, f[2].y = { label = "angle of the bird", unit = "rad" }, { label = "rate", unit = "rad/s" }
scenario.save(f, "cycle_woodpecker")
