-- Batlle, Fig 8: crutch walking, a crutch tip strikes the ground, the feet do not

local scenario = require "knock.scenario"
local walker = require "knock.scenario.walker"
local given = scenario {
  rate = 2, -- rate of the legs [rad/s]
  v = 0, -- vertical velocity of the feet [m/s]
  k = 1e9, -- stiffness of the ground [N/m]
  mu = 0, -- friction
  e = 1, -- restitution
}

local body, figure = walker(given)
scenario.save(figure, "b_fig8")
local picture = body:plot { bare = true }
require "knock.draw.mechanism".scale(picture[1], 0.25, 0.08, 0.5, "0.5 m")
scenario.save(picture, "b_fig8_walker")
