-- Batlle, Fig 9: crutch walking, feet and crutch tip strike the ground together

local scenario = require "knock.scenario"
local walker = require "knock.scenario.walker"
local given = scenario {
  rate = 1, -- rate of the legs [rad/s]
  v = -0.5, -- vertical velocity of the feet [m/s]
  k = 1e9, -- stiffness of the ground [N/m]
  mu = 0, -- friction
  e = 1, -- restitution
}

local _, figure = walker(given)
scenario.save(figure, "b_fig9")
