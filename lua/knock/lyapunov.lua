-- k.lyapunov: how fast neighbours part, in the mean.

local core = require "knock.core"
local host = require "knock.host"
local options_of = require "knock.options"
local return_map = require "knock.study.return_map"

local check = options_of.define("k.lyapunov", {
  { "guess", "column", "where a map starts; by default the cycle" },
  { "parameters", "table", "of the map" },
  { "transient", "integer", "returns that are let go", default = 100, min = 0 },
  { "iterations", "integer", "returns that count", default = 2000, min = 1 },
}, "lyapunov")

-- columns of Q made orthogonal in turn; logarithms of their lengths are added up
local function orthogonal(columns, sums)
  for j, v in ipairs(columns) do
    for k = 1, j - 1 do
      local w, dot = columns[k], 0
      for i = 1, #v do dot = dot + v[i] * w[i] end
      for i = 1, #v do v[i] = v[i] - dot * w[i] end
    end
    local size = 0
    for i = 1, #v do size = size + v[i] ^ 2 end
    size = math.sqrt(size)
    sums[j] = sums[j] + math.log(size)
    for i = 1, #v do v[i] = size > 0 and v[i] / size or 0 end
  end
end

local function of_map(P, x, p, o)
  local n, time = #x, 0
  for _ = 1, o.transient do
    local y, why = P:step(x, p)
    if not y then return nil, why end
    x = y.x
  end
  local columns, sums = {}, {}
  for j = 1, n do
    columns[j], sums[j] = {}, 0
    for i = 1, n do columns[j][i] = i == j and 1 or 0 end
  end
  for _ = 1, o.iterations do
    local y, why = P:step(x, p)
    if not y then return nil, why end
    P:derive(y)
    for j, v in ipairs(columns) do columns[j] = return_map.list(y.left * (y.right * core.matrix(v))) end
    orthogonal(columns, sums)
    x, time = y.x, time + y.period
  end
  local out = {}
  for j = 1, n do out[j] = sums[j] / time end
  table.sort(out, function(a, b) return a > b end)
  return out
end

--- k.lyapunov(run | cycle | map[, {guess =, iterations =, ...}]) -> exponents
--- Lyapunov exponents, largest first: of a run [1/s], by its variational equations and saltations with directions made
--- orthogonal as it goes; of a map, a function of (x, p), per return; of a cycle's return map [1/s], from the cycle or `guess`. A
--- direction that contact takes away has the exponent -infinity.
---
---     local f = function(x) return { 4 * x[1] * (1 - x[1]) } end
---     local l = k.lyapunov(f, { guess = {0.3}, iterations = 20000 })
---     print(math.abs(l[1] - math.log(2)) < 0.01) --> true
local function lyapunov(what, o)
  if type(what) == "userdata" then return core.growth_run(what) end
  o = check(o)
  if type(what) ~= "table" and type(what) ~= "function" then host.fail "lyapunov: takes a run, a cycle, or a function of (x, p)" end
  local P, start, p = return_map.from(what, o, "lyapunov")
  local x = o.guess or start
  for key, value in pairs(type(what) == "table" and o.parameters or {}) do p[key] = value end
  local out, why = of_map(P, return_map.list(x), p, o)
  if not out then host.fail("lyapunov: " .. tostring(why)) end
  return out
end

return lyapunov
