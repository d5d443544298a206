-- Axes that look chosen: ranges, tics, SI prefixes.

local axis = {}

local floor, ceil, abs, log, huge, max = math.floor, math.ceil, math.abs, math.log, math.huge, math.max

local same = 1e-12 -- values closer than this part of their size differ by rounding, and their numbers have no more digits
local nothing = 1e-300

-- the one of 1, 2, 2.5, 5 x 10^k that gives about `count` steps in `span`; of whole numbers when there are no others
local function nice_step(span, count, whole)
  local power = 10.0 ^ floor(log(span / count, 10) + 1e-9)
  local best, miss = power, huge
  for _, m in ipairs { 1, 2, 2.5, 5, 10 } do
    local off = abs(log(span / (m * power) / count))
    local fits = not whole or m * power % 1 == 0
    if fits and off < miss - 1e-9 then best, miss = m * power, off end
  end
  return whole and max(best, 1) or best
end

local function decimals(step)
  for d = 0, 12 do
    local scaled = step * 10.0 ^ d
    if abs(scaled - floor(scaled + 0.5)) < 1e-6 * scaled then return d end
  end
  return 12
end

-- a limit on a round number when that wastes little, with a little air when the data touch it
local function limit(value, step, span, outward, air)
  local wanted = value + outward * air * span
  local waste = (air == 0 and 0.05 or 0.08) * span
  for _, part in ipairs { 1, 2, 5, 10 } do
    local fine = step / part
    local snapped = (outward < 0 and floor(wanted / fine + 1e-9) or ceil(wanted / fine - 1e-9)) * fine
    if abs(snapped - wanted) <= waste then return snapped end
  end
  return wanted
end

-- Are all values whole, and more than a few? Steps of a walker, spokes and counts have no halves between them.
function axis.whole(layers, which)
  local low, high = huge, -huge
  for _, l in ipairs(layers) do
    local column = l.counts ~= false and l[which]
    for i = 1, column and math.min(#column, 10000) or 0 do
      local v = column[i]
      if v == v and v % 1 ~= 0 then return false end
      if v == v then low, high = math.min(low, v), max(high, v) end
    end
  end
  return high - low >= 3
end

-- linear axis: data from low to high -> {low, high, step, first tic, decimals}
function axis.linear(low, high, count, air, fixed_low, fixed_high, zero_is_end, whole)
  local size = max(abs(low), abs(high))
  if not (high - low > same * size and size > nothing) then
    local pad = size > nothing and size * 0.1 or 1
    low, high = low - pad, high + pad
    if fixed_low and fixed_high then fixed_low, fixed_high = low, high end -- colours of one value
  end
  local span = high - low
  if abs(low) < 1e-9 * span then low = 0 end
  if abs(high) < 1e-9 * span then high = 0 end
  local step = nice_step(span * (1 + 2 * air), count, whole)
  -- zero is a natural end: no air below data that start there
  local ends = zero_is_end ~= false
  local a = fixed_low or (ends and low == 0 and 0 or limit(low, step, span, -1, air))
  local b = fixed_high or (ends and high == 0 and 0 or limit(high, step, span, 1, air))
  if fixed_low and fixed_high then step = nice_step(b - a, count, whole) end
  return { low = a, high = b, step = step, whole = whole, decimals = decimals(step) }
end

-- other tics for the same range, after the box has found its size
function axis.retic(a, count)
  if a.log or a.labels or a.fixed_step then return end
  a.step = nice_step(a.high - a.low, count, a.whole)
  a.decimals = decimals(a.step)
end

-- decades between numbers: every third, fifth ... of those that count from 10^0
local function every(decades)
  for _, n in ipairs { 1, 2, 3, 5, 10, 20, 50, 100, 200 } do if n >= decades then return n end end
end

function axis.log(low, high, fixed_low, fixed_high)
  local a, b = floor(log(low, 10) + 1e-9), ceil(log(high, 10) - 1e-9)
  if b <= a then b = a + 1 end
  return { low = fixed_low or 10.0 ^ a, high = fixed_high or 10.0 ^ b, log = true,
           every = every((b - a) / 6) }
end

local prefixes = { [-9] = "n", [-6] = "µ", [-3] = "m", [0] = "", [3] = "k", [6] = "M", [9] = "G" }
local takes_prefix = { s = true, m = true, N = true, J = true, W = true, Pa = true, Hz = true,
                       ["N s"] = true, ["N/m"] = true, ["m/s"] = true }

-- how to show values of this size: factor, and the unit to write
function axis.scale(size, unit)
  if not (size > nothing) or size == huge then return 1, unit end
  local power = 3 * floor((log(size, 10) + (size < 1 and 1 or 0)) / 3 + 1e-9) -- 0.55 ms, but 300 MN
  if takes_prefix[unit] and (size < 0.02 or size >= 2e4) and prefixes[power] then
    local head = unit:match "^%a+"
    if head == "m" and unit == "m/s" and power == -3 then return 1e3, "mm/s" end
    return 10.0 ^ -power, prefixes[power] .. unit
  end
  if size < 0.01 or size >= 1e5 then
    local exponent = floor(log(size, 10) + 1e-9)
    return 10.0 ^ -exponent, unit, exponent
  end
  return 1, unit
end

-- the labels gnuplot will write at the tics, to measure them
function axis.labels(a)
  if a.log then return { "10−00" } end
  if a.labels then
    local out = {}
    for i, pair in ipairs(a.labels) do out[i] = pair[1] end
    return out
  end
  local out = {}
  local first = ceil(a.low / a.step - 1e-9)
  for i = first, floor(a.high / a.step + 1e-9) do
    out[#out + 1] = (("%." .. a.decimals .. "f"):format(i * a.step):gsub("-", "−"))
  end
  return out
end

return axis
