-- Designs: which sample has which parameters.
--
-- A design is plain data: { kind, n, axes = { {name, unit, values} ... } }. A grid has one value for
-- each combination (the last axis runs fastest); the others ("points") have one value per sample
-- and axis. A filter keeps a list of sample numbers.

local host = require "knock.host"

local M = {}

-- control characters of names do not reach the terminal
local function fail(format, ...) host.fail((("sweep: " .. format):format(...):gsub("%c", "?"))) end

-- ---- axes ----------------------------------------------------------------------------------------

local function is_matrix(x) return type(x) == "userdata" and getmetatable(x) and x.rows ~= nil end

-- a list of values: numbers, strings, booleans or vectors; a single value is a list of one
local function values_of(name, x)
  local list = {}
  if type(x) == "number" or type(x) == "string" or type(x) == "boolean" then return { x } end
  if type(x) ~= "table" and not is_matrix(x) then
    fail("axis '%s' must be a list of values, got %s", name, host.got(x))
  end
  for i = 1, #x do list[i] = x[i] end
  if #list == 0 then fail("axis '%s' is empty", name) end
  for i, v in ipairs(list) do
    local kind = type(v)
    if kind ~= "number" and kind ~= "string" and kind ~= "boolean" and kind ~= "table" and not is_matrix(v) then
      fail("axis '%s' holds a %s at place %d: values are numbers, vectors, strings or booleans", name, kind, i)
    end
    if kind ~= type(list[1]) then fail("axis '%s' mixes a %s and a %s", name, type(list[1]), kind) end
  end
  return list
end

local function check_name(name, seen)
  if type(name) ~= "string" or not name:match "^[%a_][%w_.%-]*$" then
    fail("an axis needs a plain name, got %s", tostring(name))
  end
  if seen[name] then fail("axis '%s' is given twice", name) end
  if name == "status" or name == "message" then fail("an axis cannot be called '%s'", name) end
  seen[name] = true
end

-- named entries in alphabetical order; entries {"name", values} keep the order they are in, in front
local function entries(spec, skip)
  local list, names, seen = {}, {}, {}
  for i, pair in ipairs(spec) do
    if type(pair) ~= "table" then fail("entry %d must be {\"name\", values}, got %s", i, host.got(pair)) end
    check_name(pair[1], seen)
    list[i] = { name = pair[1], spec = pair[2], unit = pair.unit or "" }
  end
  for key in pairs(spec) do
    if type(key) == "string" and not skip[key] then names[#names + 1] = key end
  end
  table.sort(names)
  for _, name in ipairs(names) do
    check_name(name, seen)
    list[#list + 1] = { name = name, spec = spec[name], unit = "" }
  end
  if #list == 0 then fail "a sweep needs at least one axis" end
  return list
end

local function lists(spec)
  local axes = entries(spec, {})
  for _, axis in ipairs(axes) do
    axis.values = values_of(axis.name, axis.spec)
    axis.spec = nil
  end
  return axes
end

local MOST = 1 << 48 -- samples

--- k.sweep.grid{axis = values, ...} -> sweep
--- All combinations of the axes' values; k.sweep{...} is the same. {"name", values} entries keep their order.
---
---     print(#k.sweep.grid{ e = {0, 0.5, 1}, mu = {0.1, 0.2} }) --> 6
function M.grid(spec)
  local axes, n = lists(spec), 1
  for _, axis in ipairs(axes) do
    if #axis.values > MOST // n then fail("too many samples: the axes up to '%s' have more than 2^48 combinations", axis.name) end
    n = n * #axis.values
  end
  return { kind = "grid", n = n, axes = axes }
end

--- k.sweep.zip{axis = values, ...} -> sweep
--- The first values together, then the second ones, and so on: lists of one length.
---
---     print(k.sweep.zip{ e = {0, 0.5}, mu = {0.1, 0.2} }:sample(2).mu) --> 0.2
function M.zip(spec)
  local axes = lists(spec)
  local n, first = #axes[1].values, axes[1].name
  for _, axis in ipairs(axes) do
    if #axis.values ~= n then
      fail("zipped axes must have one length, got '%s' with %d and '%s' with %d", first, n, axis.name, #axis.values)
    end
  end
  return { kind = "points", n = n, axes = axes }
end

-- ---- samples of a box --------------------------------------------------------------------------------

-- splitmix64: one number in [0, 1) per call, the same everywhere
local function generator(seed)
  local state = seed
  return function()
    state = state + 0x9E3779B97F4A7C15
    local z = state
    z = (z ~ (z >> 30)) * 0xBF58476D1CE4E5B9
    z = (z ~ (z >> 27)) * 0x94D049BB133111EB
    z = z ~ (z >> 31)
    return (z >> 11) * 0x1p-53
  end
end

local function shuffled(n, random)
  local order = {}
  for i = 1, n do
    local j = math.floor(random() * i) + 1
    order[i] = order[j]
    order[j] = i
  end
  return order
end

-- unit samples: for each axis a function(n) -> list of n numbers in [0, 1)
local unit = {}

function unit.random(n, _, random)
  local x = {}
  for i = 1, n do x[i] = random() end
  return x
end

-- one sample in each of n equal slices, in random order
function unit.lhs(n, _, random)
  local order, x = shuffled(n, random), {}
  for i = 1, n do x[i] = (order[i] - 1 + random()) / n end
  return x
end

-- Sobol's sequence, with the primitive polynomials and initial numbers of Joe and Kuo:
-- {degree, polynomial, m1, m2, ...} for the second axis on
local sobol_table = {
  { 1, 0, 1 }, { 2, 1, 1, 3 }, { 3, 1, 1, 3, 1 }, { 3, 2, 1, 1, 1 }, { 4, 1, 1, 1, 3, 3 },
  { 4, 4, 1, 3, 5, 13 }, { 5, 2, 1, 1, 5, 5, 17 }, { 5, 4, 1, 1, 5, 5, 5 }, { 5, 7, 1, 1, 7, 11, 19 },
  { 5, 11, 1, 1, 5, 1, 1 }, { 5, 13, 1, 1, 1, 3, 11 }, { 5, 14, 1, 3, 5, 5, 31 },
  { 6, 1, 1, 3, 3, 9, 7, 49 }, { 6, 13, 1, 1, 1, 15, 21, 21 }, { 6, 16, 1, 3, 1, 13, 27, 49 },
  { 6, 19, 1, 1, 1, 15, 7, 5 }, { 6, 22, 1, 3, 1, 15, 13, 25 }, { 6, 25, 1, 1, 5, 5, 19, 61 },
  { 7, 1, 1, 3, 7, 11, 23, 15, 103 }, { 7, 4, 1, 3, 7, 13, 13, 15, 69 },
}

-- direction numbers v[1..32] of an axis (from 1), as integers of 32 bits
local function directions(axis)
  local v = {}
  if axis == 1 then
    for k = 1, 32 do v[k] = 1 << (32 - k) end
    return v
  end
  local row = sobol_table[axis - 1]
  if not row then fail("sobol samples have at most %d axes, got %d", #sobol_table + 1, axis) end
  local s, a = row[1], row[2]
  for k = 1, s do v[k] = row[2 + k] << (32 - k) end
  for k = s + 1, 32 do
    v[k] = v[k - s] ~ (v[k - s] >> s)
    for j = 1, s - 1 do
      if (a >> (s - 1 - j)) & 1 == 1 then v[k] = v[k] ~ v[k - j] end
    end
  end
  return v
end

-- Gray-code order; a random digital shift (from the seed) moves the first point off the corner
function unit.sobol(n, axis, random)
  local v, x, list = directions(axis), 0, {}
  local shift = math.floor(random() * 0x1p32)
  for i = 1, n do
    list[i] = (x ~ shift) * 0x1p-32
    local c, bits = 1, i - 1
    while bits & 1 == 1 do bits = bits >> 1; c = c + 1 end
    x = x ~ v[c]
  end
  return list
end

local function range_of(axis)
  local r = axis.spec
  if type(r) ~= "table" or #r < 2 or type(r[1]) ~= "number" or type(r[2]) ~= "number" then
    fail("axis '%s' must be a range {low, high} or {low, high, 'log'}", axis.name)
  end
  local low, high = r[1], r[2]
  if not (low <= high) or low ~= low or high - low == math.huge then
    fail("axis '%s' must be a range with low <= high, got {%g, %g}", axis.name, low, high)
  end
  if r[3] ~= "log" then return function(x) return low + x * (high - low) end end
  if low <= 0 then fail("axis '%s' has a logarithmic range, which must be positive, got {%g, %g}", axis.name, low, high) end
  return function(x) return low * (high / low) ^ x end
end

local function box(kind, spec)
  local n = spec.n
  if math.type(n) ~= "integer" or n < 1 then fail("n must be a positive whole number, got %s", tostring(n)) end
  local axes = entries(spec, { n = true, seed = true })
  local seed = math.tointeger(spec.seed or tonumber(host.options.seed or 0))
  if not seed then fail("seed must be a whole number, got %s", tostring(spec.seed)) end
  local random = generator(seed)
  for i, axis in ipairs(axes) do
    local scale = range_of(axis)
    axis.values = unit[kind](n, i, random)
    for j, x in ipairs(axis.values) do axis.values[j] = scale(x) end
    axis.spec = nil
  end
  return { kind = "points", n = n, axes = axes, seed = seed }
end

--- k.sweep.random{n =, axis = {low, high}, ..., seed =} -> sweep
--- n independent samples of a box: numbers between low and high, evenly spread; {low, high, "log"} spreads their
--- logarithm evenly. seed (a whole number, else --seed, else 0) makes other samples.
---
---     print(#k.sweep.random{ n = 100, vx = {-5, 5}, mu = {0.01, 1, "log"} }) --> 100
function M.random(spec) return box("random", spec) end
--- k.sweep.lhs{n =, axis = {low, high}, ..., seed =} -> sweep
--- A Latin hypercube: n samples of a box so that each axis has one sample in each of n equal slices. Axes and seed are
--- those of k.sweep.random: {low, high}, or {low, high, "log"} for slices equal in their logarithm.
---
---     local s = k.sweep.lhs{ n = 4, e = {0, 1} }
---     local quarters = {}
---     for i = 1, 4 do quarters[math.floor(4 * s:sample(i).e) + 1] = true end
---     print(#quarters) --> 4
function M.lhs(spec) return box("lhs", spec) end
--- k.sweep.sobol{n =, axis = {low, high}, ..., seed =} -> sweep
--- Sobol's low-discrepancy sequence: n samples that fill a box evenly, best with n a power of two. Axes and seed are those
--- of k.sweep.random.
---
---     print(#k.sweep.sobol{ n = 64, e = {0, 1}, mu = {0, 0.5} }) --> 64
function M.sobol(spec) return box("sobol", spec) end

-- ---- samples of a design ------------------------------------------------------------------------------

-- Number of samples.
function M.count(d) return d.keep and #d.keep or d.n end

-- The parameters of sample i as a table.
function M.sample(d, i)
  i = d.keep and d.keep[i] or i
  local p = {}
  if d.kind == "points" then
    for _, axis in ipairs(d.axes) do p[axis.name] = axis.values[i] end
    return p
  end
  local rest = i - 1
  for k = #d.axes, 1, -1 do
    local values = d.axes[k].values
    p[d.axes[k].name] = values[rest % #values + 1]
    rest = rest // #values
  end
  return p
end

-- All values of one axis (by number), sample after sample.
function M.column(d, k)
  local axis, list, n = d.axes[k], {}, M.count(d)
  local size, inner = #axis.values, 1
  for j = k + 1, #d.axes do inner = inner * #d.axes[j].values end
  for i = 1, n do
    local at = d.keep and d.keep[i] or i
    list[i] = axis.values[d.kind == "points" and at or (at - 1) // inner % size + 1]
  end
  return list
end

-- A design with the samples for which f(p) holds.
function M.filter(d, f)
  if type(f) ~= "function" then fail("filter needs a function of the parameters, got %s", host.got(f)) end
  local keep = {}
  for i = 1, M.count(d) do
    if f(M.sample(d, i)) then keep[#keep + 1] = d.keep and d.keep[i] or i end
  end
  if #keep == 0 then fail "the filter leaves no sample" end
  return { kind = d.kind, n = d.n, axes = d.axes, seed = d.seed, keep = keep }
end

-- ---- as text, for journals ------------------------------------------------------------------------------

local function literal(v)
  if type(v) == "number" then
    if v ~= v then return "(0/0)" end
    if v == math.huge or v == -math.huge then return v > 0 and "(1/0)" or "(-1/0)" end
    if math.type(v) == "integer" then return tostring(v) end
    local text = ("%.17g"):format(v)
    return text:find "[.e]" and text or text .. ".0" -- it stays a number, and its column one of numbers
  end
  if type(v) == "string" then return (("%q"):format(v):gsub("\n", "n"):gsub("\r", "\\r")) end
  if type(v) == "boolean" then return tostring(v) end
  local parts = {}
  for i = 1, #v do parts[i] = literal(v[i]) end
  return "{" .. table.concat(parts, ",") .. "}"
end

M.literal = literal

-- The design as one line of Lua.
function M.text(d)
  local parts = {}
  for i, axis in ipairs(d.axes) do
    parts[i] = ("{name=%q,unit=%s,values=%s}"):format(axis.name, literal(axis.unit), literal(axis.values))
  end
  return ("{kind=%q,n=%d,axes={%s}%s}"):format(d.kind, d.n, table.concat(parts, ","),
    d.keep and (",keep=" .. literal(d.keep)) or "")
end

-- The design back from its text.
function M.parse(text)
  local chunk = load("return " .. text, "=design", "t", {})
  local ok, d = pcall(chunk or error)
  if not ok or type(d) ~= "table" then fail "the journal holds no design" end
  return d
end

return M
