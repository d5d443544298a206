-- Sweeps: the fast lane (time and memory per sample, a stream to a file), 10,000 ball impacts of Fig 14a by it and
-- through a Lua function, workers against one, the cost of starting workers, memory for a million samples, and what
-- files cost per number. tests/bench/bench_claim.c has the cost of sharing a sweep (--join).
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

-- a double pendulum over a million cases: 24 bytes of results each
local pendulum, stronge = k.double_pendulum { q = { -0.9, 0.5 }, u = { -1, -2 } }, k.law.stronge { e = 0.5, mu = 0.3 }
local cases = k.sweep { u1 = k.linspace(-3, 3, 1000), mu = k.linspace(0, 0.7, 1000) }
local wanted, how = { "rates[1]", "impulse" }, { map = { u1 = "u[1]" }, jobs = 1 }
local each = best(3, function() cases:impact(pendulum, stronge, wanted, how) end) / 1e6
print(("fast lane, double pendulum, one core:          %7.0f ns per sample (at most 250)"):format(each * 1e9))

collectgarbage()
local start = rss "VmRSS"
local kept = cases:impact(pendulum, stronge, wanted, how)
print(("its table:                                     %7.1f bytes per sample for 40 of numbers (16 are axes)"):format(
  (rss "VmRSS" - start) * 2 ^ 20 / 1e6))

local base = os.tmpname()
local function timed(f) local t = wall() f() return wall() - t end
local numbers = 1e6 * 5
for _, ending in ipairs { ".csv", ".h5" } do
  local ok, seconds = pcall(timed, function() kept:write(base .. ending) end)
  if ok then
    print(("a million rows to %-4s                         %7.0f ns per number"):format(ending, seconds / numbers * 1e9))
    os.remove(base .. ending)
  end
end
-- the same bytes by HDF5 and by fwrite, in turns: CPU time, children included (ticks of 10 ms, so over many), least of five
local function cpu()
  local ticks = io.open "/proc/self/stat":read "a":match "%) %S (.*)"
  local sum = 0
  for n in ticks:gsub("^" .. ("%S+ "):rep(10), ""):match "^%d+ %d+ %d+ %d+":gmatch "%d+" do sum = sum + n * 10 end
  return sum
end
local function each_of(n, f)
  local t = cpu()
  for _ = 1, n do f() end
  return (cpu() - t) / n
end
local raw, ms, ms_raw = ("12345678"):rep(numbers), math.huge, math.huge
for _ = 1, 5 do
  ms_raw = math.min(ms_raw, each_of(8, function() local f = io.open(base .. ".raw", "wb") f:write(raw) f:close() end))
  ms = math.min(ms, each_of(8, function() kept:write(base .. ".h5") end))
end
print(("HDF5 against fwrite of as many bytes:          %7.1f ms to %.1f ms, %.1f times (at most 2)"):format(ms, ms_raw, ms / ms_raw))
os.remove(base .. ".h5") os.remove(base .. ".raw")
raw = nil

kept = nil
collectgarbage()
local peak = rss "VmHWM"
local stream = timed(function()
  k.sweep { u1 = k.linspace(-3, 3, 3000), mu = k.linspace(0, 0.7, 1000) }:impact(pendulum, stronge, wanted,
    { map = { u1 = "u[1]" }, file = base .. ".csv", keep = false })
end)
print(("3,000,000 samples streamed to a file:          %7.2f s, %.0f MB more at the peak"):format(stream, rss "VmHWM" - peak))
os.remove(base .. ".csv")
os.remove(base)

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
