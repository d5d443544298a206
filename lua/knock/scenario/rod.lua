-- Batlle's Figs 2 to 5: a rod of which one half is heavy falls on both its ends P and Q. One impact for all of them;
-- each scenario says its figure, its start, and what the paper prints.
--
--   require "knock.scenario.rod" { figure = "b_fig3", gap = 350, v = -1, spin = 0, printed = { 1.2154, 0.3204 } }

local k = require "knock"
local scenario = require "knock.scenario"
local phases = require "knock.scenario.phases"

local function say_phases(hit)
  for _, event in ipairs(hit.events) do
    if event.kind == "open" or event.kind == "close" then
      scenario.say(("%s %s"):format(event.contact == 1 and "P" or "Q", event.kind == "open" and "opens" or "closes"), 1e3 * event.t, "ms")
    end
  end
end

return function(of)
  local given = scenario {
    gap = of.gap, -- gap of P at the start [micrometres]
    v = of.v, -- velocity of the mass centre [m/s]
    spin = of.spin, -- angular velocity [rad/s]
    k = 1e8, -- stiffness of the ground [N/m]
    mu = 0, -- friction
    e = 1, -- restitution
  }
  -- the rod's data are not in the paper; these give every digit of its Table 1 (knock reproduce B)
  local rod = k.rod { velocity = { 0, given.v }, spin = given.spin, gaps = { given.gap * 1e-6, 0 }, gravity = 0 }
  local hit = k.impact(rod, k.law.compliant { k = given.k, mu = given.mu, e = given.e })
  -- printed in cm/s, not in mm/s as the paper says
  scenario.say("v_n of P and Q after", { hit.contact_velocity[2], hit.contact_velocity[4] }, "m/s", of.printed)
  say_phases(hit)
  scenario.say("kinetic energy before and after", { hit.energy.before, hit.energy.after }, "J")
  scenario.save(phases(hit:plot("vibration", { points_named = { "P", "Q" } }), hit), of.figure)
end
