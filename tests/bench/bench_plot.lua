-- Speed of figures: knock tests/bench/bench_plot.lua
--
-- Targets: a million points to PNG in 0.5 s, to PDF in 1.5 s and 1 MB; 300 points saved in 150 ms; 20 figures
-- with one gnuplot.

local k = require "knock"
local gnuplot = require "knock.gnuplot"

local folder = os.tmpname()
os.remove(folder)
assert(require "knock.host".make_folder(folder))

local function wave(n)
  local x, y = {}, {}
  for i = 1, n do
    x[i] = i / n * 10
    y[i] = math.sin(50 * x[i]) * math.exp(-x[i] / 5) + 0.1 * math.sin(i * i)
  end
  return x, y
end

-- shortest of several: others use this machine too
local function best(times, f)
  local least = math.huge
  for _ = 1, times do
    local start = gnuplot.clock()
    f()
    least = math.min(least, gnuplot.clock() - start)
  end
  return least
end

local failed = 0
local function report(what, value, unit, target)
  local good = value <= target
  if not good then failed = failed + 1 end
  print(("%-44s %10.4g %-3s (target %g) %s"):format(what, value, unit, target, good and "ok" or "TOO MUCH"))
end

local function size(path)
  local f = assert(io.open(path, "rb"))
  local n = f:seek "end"
  f:close()
  return n
end

k.plot { y = { 1, 2 } }:save(folder .. "/warm.svg") -- starts gnuplot
local small_x, small_y = wave(300)
for _, ending in ipairs { "svg", "pdf", "png" } do
  report("300 points to " .. ending, 1e3 * best(5, function() k.plot { x = small_x, y = small_y }:save(folder .. "/small." .. ending) end), "ms", 150)
end
local x, y = wave(1000000)
local vx, vy = gnuplot.column(x), gnuplot.column(y)
report("1e6 points (lists) to png", best(3, function() k.plot { x = x, y = y }:save(folder .. "/big.png") end), "s", 0.5)
report("1e6 points (vectors) to png", best(3, function() k.plot { x = vx, y = vy }:save(folder .. "/big.png") end), "s", 0.5)
report("1e6 points to pdf", best(3, function() k.plot { x = x, y = y }:save(folder .. "/big.pdf") end), "s", 1.5)
report("its size", size(folder .. "/big.pdf") / 2 ^ 20, "MB", 1)
report("1e6 points as marks to pdf", best(1, function() k.plot { x = x, y = y, kind = "points", size = 0.5 }:save(folder .. "/marks.pdf") end), "s", 1.5)
report("its size", size(folder .. "/marks.pdf") / 2 ^ 20, "MB", 1)
for i = 1, 20 do k.plot { x = small_x, y = small_y }:save(folder .. "/many.svg") end
report("starts of gnuplot", gnuplot.starts(), "", 1)
os.execute("rm -r " .. folder)
os.exit(failed == 0)
