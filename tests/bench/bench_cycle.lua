-- What cycles cost, in CPU time: knock tests/bench/bench_cycle.lua
--
-- Goals: monodromy at most 4 times its run; a cycle of the compass gait from a rough guess within 50 ms; a branch of 200
-- points within 3 s; a basin of 400 x 400 starts within 60 s on two cores. bench.budget guards their instructions.
local k = require "knock"

-- best of a few, so that a busy machine disturbs little
local function cost(times, body)
  local best = math.huge
  for _ = 1, 5 do
    local start = os.clock()
    for _ = 1, times do body() end
    best = math.min(best, (os.clock() - start) / times)
  end
  return best
end

local function report(name, value, unit, most)
  print(("%-74s %8.3g %s, goal %g%s"):format(name, value, unit, most, value <= most and "" or "  (missed)"))
end

local law = k.law.moreau { mu = 9, e = 0 }
local walker = k.compass {}
local run = k.simulate(walker, law, { t_end = 1.2, samples = 0 })
local once = cost(40, function() k.simulate(walker, law, { t_end = 1.2, samples = 0 }) end)
report("compass, 1.2 s: monodromy over run", cost(40, function() run:monodromy() end) / once, "times", 4)
local pendulum = k.double_pendulum { q = { 1.2, 1.2 }, u = { 0, 0 }, floor = -1.05 }
local stronge = k.law.stronge { mu = 0.1, e = 0.9 }
local dance = k.simulate(pendulum, stronge, { t_end = 4, samples = 0 })
local whole = cost(10, function() k.simulate(pendulum, stronge, { t_end = 4, samples = 0 }) end)
report("double pendulum on a floor, 4 s: monodromy over run", cost(10, function() dance:monodromy() end) / whole, "times", 4)

local rough = k.compass { rates = { 1.25, 0.2 } }
report("cycle of the compass gait from a rough guess", 1e3 * cost(5, function() k.cycle(rough, law, { map = "step" }) end), "ms", 50)

local c = k.cycle(walker, law, { map = "step" })
local points = 0
local branch = cost(1, function()
  points = #k.continue(c, { parameter = "slope", to = 0.09, points = 200, longest = 0.008, step = 0.008 })
end)
report(("branch over the slope, %d points, for 200"):format(points), branch * 200 / points, "s", 3)

-- as k.basin does it, in this process
local n, P = 24, c.map:loose { rtol = 1e-5, t_max = 4 }
local function reached(x)
  for i = 1, #x do if math.abs(x[i] - c.x[i]) > 0.01 then return false end end
  return true
end
local basin = cost(1, function()
  for _, a in ipairs(k.linspace(0.7, 1.7, n)) do
    for _, b in ipairs(k.linspace(-0.8, 2, n)) do
      local x = { table.unpack(c.x) }
      x[7], x[8] = a, b
      x = P:project(x, {}, c.Y[1].stance)
      for _ = 1, 30 do
        local y = P:step(x, {})
        x = y and y.x
        if not x or reached(x) then break end
      end
    end
  end
end)
report(("basin of the compass gait, %d x %d starts, for 400 x 400 on two cores"):format(n, n), basin * (400 / n) ^ 2 / 2, "s", 60)
