local k = require "knock"
local hit = k.impact(k.ball { velocity = { -1, 0, -5 }, spin = { 0, 2, 0 } }, k.law.compliant { mu = 0.4, e = 0.5 })
os.clock()
hit:plot "impulse" :save("p.svg", "p.png")
print "drawn"
