-- Sweeps: Fig 14a's 10,000 ball impacts by the fast lane and through a Lua function, workers against
-- one, the cost of starting workers, and memory for a million samples.
--
--   build/knock tests/bench/bench_sweep.lua

local k = require "knock"

local function wall()
  local f = io.popen "date +%s%N"
  local t = tonumber(f:read "l") * 1e-9
  f:close()
  return t
end

local function best(n, f)
  local least = math.huge
  for _ = 1, n do
    local t = os.clock()
    f()
    least = math.min(least, os.clock() - t)
  end
  return least
end

local function rss(who)
  for line in io.lines "/proc/self/status" do
    local kb = line:match(who .. ":%s+(%d+)")
    if kb then return tonumber(kb) / 1024 end
  end
end

local ball = k.ball { velocity = { -1, 0, -5 }, spin = { 0, 2, 0 } }
local law = k.law.compliant { mu = 0.4, e = 0.5, eta = math.sqrt(17 / 14) }
local s = k.sweep { vx = k.linspace(-15, 15, 10000) }

local lane = best(5, function()
  s:impact(ball, law, { Vx = "velocity[1]", wy = "spin[2]" }, { map = { vx = "velocity[1]" }, jobs = 1 })
end)
print(("fast lane, 10,000 compliant impacts, one core: %7.2f ms (at most 20)"):format(lane * 1e3))

local body = function(p)
  local hit = k.impact(ball:with { velocity = { p.vx, 0, -5 } }, law)
  return { Vx = hit.velocity[1], wy = hit.spin[2] }
end
local t = wall()
for _ = 1, 5 do s:run(body, { jobs = 1 }) end
print(("through a Lua function, one worker:            %7.2f ms (at most 3 times that)"):format((wall() - t) / 5 * 1e3))

local busy = function(p)
  local x = p.a
  for _ = 1, 40000 do x = x * 0.999 + 1e-3 end
  return { x = x }
end
local long = k.sweep { a = k.linspace(0, 1, 4000) }
local times = {}
for jobs = 1, 2 do
  t = wall()
  long:run(busy, { jobs = jobs })
  times[jobs] = wall() - t
end
-- the same work as separate programs: what the machine has to give just now
local alone = ("%s -e 'local x = 0 for _ = 1, 8e7 do x = x * 0.999 + 1e-3 end'"):format(arg[-1])
t = wall()
os.execute(alone)
local one = wall() - t
t = wall()
os.execute(alone .. " & " .. alone .. "; wait")
local pair = wall() - t
print(("two separate programs:                         %7.2f times as fast as one"):format(2 * one / pair))
print(("1 worker %.2f s, 2 workers %.2f s: %.2f times as fast (at least 1.7)"):format(times[1], times[2], times[1] / times[2]))

local tiny = k.sweep { a = { 1, 2 } }
t = wall()
for _ = 1, 20 do tiny:run(function() return { b = 1 } end, { jobs = 2 }) end
print(("a sweep of two samples on two workers:         %7.2f ms (start-up under 5)"):format((wall() - t) / 20 * 1e3))

collectgarbage()
local before = rss "VmRSS"
t = wall()
local million = k.sweep { a = k.linspace(0, 1, 1000), b = k.linspace(0, 1, 1000) }
local r = million:run(function(p) return { y = p.a * p.b } end)
print(("1,000,000 samples through Lua: %.1f s, peak %.0f MB (%.0f MB before)"):format(wall() - t, rss "VmHWM", before))
