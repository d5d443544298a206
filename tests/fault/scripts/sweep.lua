local k = require "knock"
os.clock()
local t = k.sweep { a = { 1, 2, 3, 4 } }:run(function(p) return { y = p.a ^ 2 } end, { jobs = 2, file = "s.csv" })
print(#t, t.y[4], #k.read "s.csv")
