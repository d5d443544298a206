-- Jia, Fig 17: impulse curve of a pencil that strikes a desk, and its three projections

local k = require "knock"
local scenario = require "knock.scenario"
local given = scenario {
  mu = 0.8, -- coefficient of friction
  e = 0.5, -- energetic restitution
  eta = math.sqrt(17 / 14), -- tangential compliance eta0
  tilt = math.pi / 3, -- tilt [rad]
  Q = 0, -- moment about the mass centre; 0: the right one [kg m^2]
}

local pencil = k.pencil { tilt = given.tilt, Q = given.Q > 0 and given.Q or nil }
local hit = k.impact(pencil, k.law.compliant { mu = given.mu, e = given.e, eta = given.eta })

scenario.say("impulse", hit.impulse, "N s", { 3.86262, 0.668974, 5.365 })
scenario.say("velocity after", hit.velocity, "m/s", { -0.467507, 0.668974, 2.865 })
scenario.say("spin after", hit.spin, "rad/s", { 0.101238, -1.59079, -0.5 })
for _, event in ipairs(hit.events) do
  if event.kind ~= "open" then scenario.say(event.kind .. " at I_z", event.impulse, "N s") end
end
scenario.save(scenario.rename(hit:plot "impulse", { p_x = "I_x", p_y = "I_y", p_n = "I_z", p_t = "I_x" }), "y_fig17") -- the paper calls impulses I
