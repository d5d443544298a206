local k = require "knock"
local t = k.sweep { a = { 1, 2, 3 } }:run(function(p) return { y = p.a * 2 } end, { jobs = 1 })
t:write "warm.h5" -- so that what is done once is done
k.read "warm.h5" -- by the library, in a process of its own
os.remove "warm.h5"
os.clock()
t:write "t.h5"
local back = k.read "t.h5"
print(#back, back.y[1], back.y[2], back.y[3])
