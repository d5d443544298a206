local k = require "knock"
os.clock()
local ball = k.ball { velocity = { -1, 0, -5 }, spin = { 0, 2, 0 } }
for _, law in ipairs { k.law.newton { e = 0.5 }, k.law.poisson { e = 0.5, mu = 0.4 }, k.law.stronge { e = 0.5, mu = 0.4 }, k.law.compliant { e = 0.5, mu = 0.4 } } do
  local hit = k.impact(ball, law)
  print(hit.velocity, hit.energy.after, #hit.events)
end
print(k.compare(ball, { k.law.newton {}, k.law.compliant { mu = 0.2 } }))
print(k.solve.planar { W = { { 3, 0 }, { 0, 1 } }, v = { 1, -1 }, mu = 0.3, e = 0.5 }.impulse)
print(k.eye(3):solve { 1, 2, 3 }, (k.matrix { { 2, 1 }, { 1, 3 } }):eig())
