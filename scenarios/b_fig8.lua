-- Batlle, Fig 8: crutch walking, a crutch tip strikes the ground, the feet do not

local k = require "knock"
local scenario = require "knock.scenario"
local phases = require "knock.scenario.phases"
local given = scenario {
  rate = 2, -- rate of the legs [rad/s]
  v = 0, -- vertical velocity of the feet [m/s]
  k = 1e9, -- stiffness of the ground [N/m]
  mu = 0, -- friction
  e = 1, -- restitution
}

-- both points are taken as in contact, as the paper does (the tip stands 0.101 m below the feet)
local walker = k.crutch_walker { u = { 0, given.v, given.rate, 0, 0, 0 }, gravity = 0 }
local hit = k.impact(walker, k.law.compliant { k = given.k, mu = given.mu, e = given.e })

scenario.say("v_n of feet and tip before", { hit.contact_velocity_before[2], hit.contact_velocity_before[4] }, "m/s")
scenario.say("v_n of feet and tip after", { hit.contact_velocity[2], hit.contact_velocity[4] }, "m/s")
scenario.say("impulses", { hit.impulse[2], hit.impulse[4] }, "N s")
for _, event in ipairs(hit.events) do
  if event.kind == "open" then scenario.say((event.contact == 1 and "feet" or "tip") .. " open", 1e3 * event.t, "ms") end
end
scenario.say("kinetic energy before and after", { hit.energy.before, hit.energy.after }, "J")

local f = hit:plot("vibration", { points_named = { "feet", "tip" } })
scenario.save(phases(f, hit), "b_fig8")
scenario.save(walker:plot { bare = true }, "b_fig8_walker")
