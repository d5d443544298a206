-- Batlle, Fig 3: a rod falls flat, Q first

local k = require "knock"
local scenario = require "knock.scenario"
local phases = require "knock.scenario.phases"
local given = scenario {
  gap = 350, -- gap of P at the start [micrometres]
  v = -1, -- velocity of the mass centre [m/s]
  spin = 0, -- angular velocity [rad/s]
  k = 1e8, -- stiffness of the ground [N/m]
  mu = 0, -- friction
  e = 1, -- restitution
}

-- the rod's data are not in the paper; these give every digit of its Table 1 (knock reproduce B)
local rod = k.rod { velocity = { 0, given.v }, spin = given.spin, gaps = { given.gap * 1e-6, 0 }, gravity = 0 }
local hit = k.impact(rod, k.law.compliant { k = given.k, mu = given.mu, e = given.e })

-- printed in cm/s, not in mm/s as the paper says
scenario.say("v_n of P and Q after", { hit.contact_velocity[2], hit.contact_velocity[4] }, "m/s", { 1.2154, 0.3204 })
for _, event in ipairs(hit.events) do
  if event.kind == "open" or event.kind == "close" then
    scenario.say(("%s %s"):format(event.contact == 1 and "P" or "Q", event.kind == "open" and "opens" or "closes"), 1e3 * event.t, "ms")
  end
end
scenario.say("kinetic energy before and after", { hit.energy.before, hit.energy.after }, "J")

scenario.save(phases(hit:plot("vibration", { points_named = { "P", "Q" } }), hit), "b_fig3")
