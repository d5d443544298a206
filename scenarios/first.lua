local k = require "knock"

local arm = k.double_pendulum { q = { -1.2, 0.7 }, u = { 1, -4 } } -- its tip meets the floor

for _, name in ipairs { "newton", "poisson", "stronge" } do
  local hit = k.impact(arm, k.law[name] { e = 0.5, mu = 0.5 })
  print(("%-8s loses %.4f J:"):format(name, hit.energy.lost))
  for _, event in ipairs(hit.events) do
    print(("  %-15s at %.4f N s"):format(event.kind, event.impulse))
  end
end
