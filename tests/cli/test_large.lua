-- k.arm{ n = 20000 }: energy, printing and simulating take memory and time that grow with the links.

local shell = dofile(test_dir .. "/shell.lua")
local knock = shell.knock
local slower = os.getenv "KNOCK_TEST_SLOWER"

-- a matrix of 20000 x 20000 takes 3.2 GB: with 200 MB there is none
test("an arm of 20000 links is printed, weighed and simulated within 200 MB", function()
  shell.write("arm.lua", [[
    local k = require "knock"
    local arm = k.arm { n = 20000 }
    print(#tostring(arm) < 3000, arm.energy.kinetic > 0)
    local run = k.simulate(arm, k.law.newton {}, { t_end = 1e-4 })
    print(run.t_end, #run.model.q)]])
  local result = knock(('"$K" %s arm.lua'):format(slower and "" or "--mem-limit 200M"))
  equal(result.err, "")
  equal(result.out, "true\ttrue\n0.0001\t20000\n")
end)

test("the kinetic energy of an arm is u^T M u / 2", function()
  shell.write("energy.lua", [[
    local k = require "knock"
    local arm = k.arm { n = 7, q = { 0.4, 0.3, -0.5, 0.2, -1, 0.7, 0.1 }, u = { 1, -2, 0.5, 3, -1, 0.2, -0.7 }, slope = 0.3,
      length = { 1, 2, 0.5, 1, 0.7, 1.1, 0.3 }, mass = { 1, 0, 3, 0.2, 0.5, 1, 2 }, centre = { .5, 1, -.1, .5, .3, .6, .2 }, floor = -20 }
    local twice = 0
    for i = 1, 7 do for j = 1, 7 do twice = twice + arm.u[i] * arm.M[i][j] * arm.u[j] end end
    print(math.abs(arm.energy.kinetic - twice / 2) < 1e-13 * twice, twice > 0)]])
  local result = knock '"$K" energy.lua'
  equal(result.err, "")
  equal(result.out, "true\ttrue\n")
end)

test("Ctrl-C works inside a run of 20000 links", function()
  shell.write("long.lua", [[
    local k = require "knock"
    local arm = k.arm { n = 20000 }
    print "ready" io.stdout:flush()
    k.simulate(arm, k.law.newton {}, { t_end = 100, keep = false })]])
  local result = shell.interrupt('"$K" long.lua', 1)
  equal(result.code, 130)
  equal(result.seconds < (slower and 10 or 3), true)
end)

shell.finish()
