-- The crutch walker of paper B, example II: both points are taken as in contact, as the paper does
-- (the tip stands 0.101 m below the feet). Says the numbers and gives the walker and the figure.

local k = require "knock"
local scenario = require "knock.scenario"
local phases = require "knock.scenario.phases"

local names = { "feet", "tip" }

return function(given)
  local walker = k.crutch_walker { u = { 0, given.v, given.rate, 0, 0, 0 }, gravity = 0 }
  local hit = k.impact(walker, k.law.compliant { k = given.k, mu = given.mu, e = given.e })
  local before, after = hit.contact_velocity_before, hit.contact_velocity
  scenario.say("v_n of feet and tip before", { before[2], before[4] }, "m/s")
  scenario.say("v_n of feet and tip after", { after[2], after[4] }, "m/s")
  scenario.say("impulses", { hit.impulse[2], hit.impulse[4] }, "N s")
  for _, event in ipairs(hit.events) do
    if event.kind == "open" then scenario.say(names[event.contact] .. " open", 1e3 * event.t, "ms") end
  end
  scenario.say("kinetic energy before and after", { hit.energy.before, hit.energy.after }, "J")
  return walker, phases(hit:plot("vibration", { points_named = names }), hit)
end
