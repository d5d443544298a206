-- Morgan, Fig 2.9: two impacts of the double pendulum without a change of slip
--
-- (a) the impact ends before the path reaches v_t = 0, (b) the path goes away from v_t = 0 all the time.

local k = require "knock"
local scenario = require "knock.scenario"
local plane_of = require "knock.scenario.plane"

local p = scenario {
  q = { -1.2, 0.7 }, -- angles of the links [rad]
  a = { -3, -2.5 }, -- velocity of the tip before the first impact, t and n [m/s]
  b = { 0.6, -2.5 }, -- and before the second
  mu = 0.5, -- friction
  e = 0.6, -- energetic restitution
}
local m = k.double_pendulum { q = p.q, u = { 0, 0 } }

local f = k.figure { rows = 1, cols = 2, height = 8 }
for i, v in ipairs { p.a, p.b } do
  local hit = k.impact(m:at(nil, m.J:solve(v)), k.law.stronge { mu = p.mu, e = p.e })
  local plane = plane_of(hit, p.mu)
  local letter = i == 1 and "(a)" or "(b)"
  scenario.say(letter .. " velocity of the tip after", hit.contact_velocity, "m/s")
  scenario.say(letter .. " p_n at the tangential pause (not used)", plane.tangential.p, "N s")
  scenario.say(letter .. " p_n at the normal pause and at the end", { plane.normal.p, hit.impulse[2] }, "N s")
  plane:box(plane:corners())
  plane:axes(f[i], i == 1)
  plane:path(f[i], i == 1)
end
f[2].key = "above"
scenario.save(f, "m_fig2_9")
