local k = require "knock"
os.clock()
local ball = k.ball { velocity = { -1, 0, -5 }, spin = { 0, 2, 0 } }
local arm = k.arm { n = 3, q = { 0.4, 0.3, -0.5 }, u = { 0, -1, 0.5 } }
print(ball, ball:with { mass = 2 }.mass, arm.energy.kinetic, k.double_pendulum {}.q)
print(pcall(k.ball, { mass = -1 }))
local mine = k.model { coordinates = { "z" }, mass = function() return { { 1 } } end, gap = function(q) return q[1] end, jacobian = function() return { { 1 } } end, q = { 0 }, u = { -1 } }
print(k.impact(mine, k.law.newton { e = 0.5 }).u)
