-- Jia, Fig 11: impulse curve of a ball that strikes a table, with its events

local k = require "knock"
local scenario = require "knock.scenario"
local given = scenario {
  mu = 0.4, -- coefficient of friction
  e = 0.5, -- energetic restitution
  eta = math.sqrt(17 / 14), -- tangential compliance eta0
  vx = -1, -- velocity V_x before [m/s]
  vz = -5, -- velocity V_z before [m/s]
  wy = 2, -- spin omega_y before [rad/s]
}

local ball = k.ball { mass = 1, radius = 1, velocity = { given.vx, 0, given.vz }, spin = { 0, given.wy, 0 } }
local hit = k.impact(ball, k.law.compliant { mu = given.mu, e = given.e, eta = given.eta })

-- what the paper prints at (83): slip to stick, end of compression, stick to slip
local printed = { stick = 0.62485, compression_end = 5, slip = 7.36575, ["end"] = 7.5 }
for _, event in ipairs(hit.events) do
  if event.kind ~= "open" then scenario.say(event.kind .. " at I_z", event.impulse, "N s", printed[event.kind]) end
end
-- the printed ones carry a slip of the author's program: knock reproduce Y says which
scenario.say("V_x after", hit.velocity[1], "m/s", 0.570984)
scenario.say("omega_y after", hit.spin[2], "rad/s", -1.92746)

scenario.save(scenario.rename(hit:plot "impulse", { p_x = "I_x", p_y = "I_y", p_n = "I_z", p_t = "I_x" }), "y_fig11") -- the paper calls impulses I
