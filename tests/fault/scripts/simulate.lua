local k = require "knock"
os.clock()
local run = k.simulate(k.particle { position = { 0, 1 }, velocity = { 1, 0 } }, k.law.newton { e = 0.5 }, { t_end = 1 })
print(#run.events, run.t_end, run:at(0.5).q)
