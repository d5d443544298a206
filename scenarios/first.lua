-- The first scenario: a ball meets a hard and a soft floor.
local k = require "knock"

local ball = k.ball { mass = 1, radius = 1, velocity = { -1, 0, -5 }, spin = { 0, 2, 0 } }
local hard = k.law.stronge { mu = 0.4, e = 0.5 }
local soft = k.law.compliant { mu = 0.4, e = 0.5, eta = math.sqrt(17 / 14) }

for _, law in ipairs { hard, soft } do
  local hit = k.impact(ball, law) -- the ball is not changed; hit holds everything
  print(("velocity %s m/s, spin %s rad/s"):format(hit.velocity, hit.spin))
  for _, event in ipairs(hit.events) do
    print(("  %-15s at %.4f N s"):format(event.kind, event.impulse))
  end
end
