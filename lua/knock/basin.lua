-- k.basin: which cycle a start leads to, on a grid of starts.

local core = require "knock.core"
local depends = require "knock.study.depends"
local host = require "knock.host"
local options_of = require "knock.options"
local return_map = require "knock.study.return_map"

local Basin = { __name = "basin" }
Basin.__index = Basin

function Basin:__tostring()
  local counts, parts = {}, {}
  for _, row in ipairs(self.z) do for _, v in ipairs(row) do counts[v] = (counts[v] or 0) + 1 end end
  for v, n in pairs(counts) do parts[#parts + 1] = ("%s: %d"):format(v == 0 and "none" or "cycle " .. v, n) end
  table.sort(parts)
  return ("basin on %d x %d starts over %s, %s: %s"):format(#self.x, #self.y, self.names[1], self.names[2], table.concat(parts, ", "))
end

--- basin:plot([{what =, ...}]) -> figure
--- The starts as a heat map: the number of the cycle they lead to (0: none), or what = "returns", how many it took.
function Basin:plot(options) return require "knock.draw.cycle".basin(self, options) end

local check = options_of.define("k.basin", {
  { "x", "table", "{ number of a state, values } along the horizontal axis" },
  { "y", "table", "{ number of a state, values } along the vertical axis" },
  { "at", "column", "the other numbers of the state; by default those of the cycle" },
  { "cycles", "table", "cycles to look for; by default the one given" },
  { "iterations", "integer", "returns after which a start counts as lost", default = 60, min = 1 },
  { "near", "number", "distance at which a cycle is reached, of the largest number in the state", default = 0.01, above = 0 },
  { "parameters", "table", "of the map" },
  { "rtol", "number", "relative tolerance of the integrator: a basin needs no more", default = 1e-5, above = 0 },
  { "t_max", "number", "longest time of one return; that of the cycle unless given", unit = "s", above = 0 },
  { "file", "string", "file to write when all is done; a journal beside it keeps what there is" },
  { "resume", "boolean", "go on with the journal of the file" },
  { "jobs", "number", "workers; 0 is one per core" },
}, "basin")

local function distance(x, to)
  local most = 0
  for i = 1, #to do most = math.max(most, math.abs(x[i] - to[i])) end
  return most
end

-- the cycle that x has come to, or nil; any of its states will do
local function reached(x, cycles, near)
  for i, c in ipairs(cycles) do
    for _, state in ipairs(c.X) do
      if distance(x, state) < near * c.size then return i end
    end
  end
end

local function iterate(P, x, p, cycles, o)
  for n = 1, o.iterations do
    local y = P:step(x, p)
    if not y then return 0, n end
    x = y.x
    local i = reached(x, cycles, o.near)
    if i then return i, n end
  end
  return 0, o.iterations
end

-- cell (r, k) of a column of lists
local function entry(column, r, k)
  local row = column[r]
  return type(row) == "number" and row or row[k]
end

local function axis(a, which)
  local at, values = type(a) == "table" and math.tointeger(a[1]), type(a) == "table" and a[2]
  if not at or type(values) ~= "table" and getmetatable(values) ~= "matrix" or #values == 0 then
    host.fail(("basin: %s must be { number of a state, values }, as { 3, k.linspace(-1, 1, 100) }"):format(which))
  end
  return at, return_map.list(values)
end

local function targets(c, o)
  local out = {}
  if not o.cycles and type(c) ~= "table" then host.fail "basin: a map needs cycles = {...} to look for" end
  for i, one in ipairs(o.cycles or { c }) do
    if not return_map.is_cycle(one) then host.fail "basin: cycles must be what k.cycle gives" end
    local size = 1e-12
    for _, x in ipairs(one.X) do for j = 1, #x do size = math.max(size, math.abs(x[j])) end end
    out[i] = { X = one.X, size = size }
  end
  return out
end

--- k.basin(cycle | map, {x = {i, values}, y = {j, values}, ...}) -> basin
--- Starts of the cycle's return map on a grid of two numbers of the state, the others as `at` says: .z[j][i] is the number of
--- the cycle that is reached (0: none within `iterations` returns, or the motion ends), .returns how many it took. Runs on
--- all cores as a sweep, with file and resume; a map, a function of (x, p), needs cycles = {...}. States are put back onto the contacts that the cycle stands on.
---
---     local f = function(x) return { 2 * x[1] / (1 + x[1] ^ 2), 0.5 * x[2] } end
---     local c = k.cycle(f, { guess = {0.9, 0.1} })
---     local b = k.basin(c, { x = {1, {-2, -1, 1, 2}}, y = {2, {0}}, jobs = 1 })
---     print(table.concat(b.z[1], " ")) --> 0 0 1 1
local function basin(c, o)
  o = check(o)
  local map, start, p, stance = return_map.from(c, { guess = o.at, parameters = o.parameters }, "basin", "at")
  local P, i, xs = map:loose(o), axis(o.x, "x")
  local j, ys = axis(o.y, "y")
  local base, cycles = return_map.list(o.at or start), targets(c, o)
  for which, number in pairs { x = i, y = j } do
    if number < 1 or number > #base then host.fail(("basin: %s: a state has the numbers 1 to %d, got %d"):format(which, #base, number)) end
  end
  if i == j then host.fail(("basin: x and y must be different numbers of the state, got %d twice"):format(i)) end
  for key, value in pairs(o.parameters or {}) do p[key] = value end
  local sweep = require "knock.sweep"
  local run = sweep { y = ys }:run(function(s)
    local z, n = {}, {}
    for k, value in ipairs(xs) do
      local x = { table.unpack(base) }
      x[i], x[j] = value, s.y
      z[k], n[k] = iterate(P, P:project(x, p, stance), p, cycles, o)
    end
    return { z = core.matrix(z), n = core.matrix(n) }
  end, { file = o.file, resume = o.resume, jobs = o.jobs }, depends(P, o, base, p, cycles))
  local z, n, all_z, all_n = {}, {}, run:column "z", run:column "n"
  for r = 1, #ys do
    z[r], n[r] = {}, {}
    for k = 1, #xs do z[r][k], n[r][k] = math.tointeger(entry(all_z, r, k)) or 0, entry(all_n, r, k) end
  end
  local names = { "x" .. i, "x" .. j }
  return setmetatable({ x = xs, y = ys, z = z, returns = n, names = names }, Basin)
end

return basin
