-- k.bifurcation: brute force. Let the map run at each value of a parameter, and keep what it settles on.

local core = require "knock.core"
local depends = require "knock.study.depends"
local host = require "knock.host"
local options_of = require "knock.options"
local return_map = require "knock.study.return_map"

local Diagram = { __name = "bifurcation" }
Diagram.__index = Diagram

function Diagram:__tostring()
  return ("bifurcation diagram over %s: %d values, %d points, %d returns"):format(self.parameter, #self.values, #self.p, self.returns)
end

--- bifurcation:plot([{xlabel =, ylabel =, ...}]) -> figure
--- The points over the parameter.
function Diagram:plot(options) return require "knock.draw.cycle".bifurcation(self, options) end

local check = options_of.define("k.bifurcation", {
  { "parameter", "string", "name of the parameter" },
  { "values", "column", "its values" },
  { "transient", "integer", "returns that are let go at each value", default = 300, min = 0 },
  { "keep", "integer", "returns that are kept", default = 100, min = 1 },
  { "of", "integer|function", "what is kept: the number of a state, or a function of the state and the return", default = 1 },
  { "guess", "column", "where each value starts; by default the cycle" },
  { "what", "string", "its name", default = "x" },
  { "parameters", "table", "of a map: its second argument" },
  { "file", "string", "file to write when all is done; a journal beside it keeps what there is" },
  { "resume", "boolean", "go on with the journal of the file" },
  { "jobs", "number", "workers; 0 is one per core" },
}, "bifurcation")

-- `keep` numbers after the transient; NaN where the motion has ended
local function settle(P, x, p, o)
  local out = {}
  for n = 1, o.transient + o.keep do
    local y = x and P:step(x, p)
    x = y and y.x
    if n > o.transient then
      local value = 0 / 0
      if y then value = type(o.of) == "function" and o.of(x, y) or x[o.of] end
      out[n - o.transient] = value
    end
  end
  return out
end

--- k.bifurcation(cycle | map, {parameter =, values =, transient =, keep =, of =, ...}) -> bifurcation
--- Brute force over a sweep: at each value of the parameter the cycle's return map runs for `transient` returns, and the next
--- `keep` are kept (.p and .v are the points). Runs on all cores, with file and resume.
---
---     local f = function(x, p) return { p.r * x[1] * (1 - x[1]) } end
---     local c = k.cycle(f, { guess = {0.6}, parameters = { r = 2.5 } })
---     local b = k.bifurcation(c, { parameter = "r", values = {2.8, 3.2}, keep = 2, jobs = 1 })
---     print(("%.4f %.4f"):format(b.v[1], b.v[3])) --> 0.6429 0.7995
local function bifurcation(c, o)
  o = check(o)
  if not o.parameter or not o.values then host.fail "bifurcation: needs parameter = a name and values = a list" end
  local P, start, given, stance = return_map.from(c, o, "bifurcation")
  local values = return_map.list(o.values)
  start = return_map.list(o.guess or start)
  local sweep = require "knock.sweep"
  local t = sweep { value = values }:run(function(s)
    local p = {}
    for key, value in pairs(given) do p[key] = value end
    p[o.parameter] = s.value
    return { v = core.matrix(settle(P, P:project(start, p, stance), p, o)) }
  end, { file = o.file, resume = o.resume, jobs = o.jobs }, depends(P, o, start, given))
  local b = { parameter = o.parameter, values = values, p = {}, v = {}, what = o.what, returns = #values * (o.transient + o.keep) }
  local all = t:column "v"
  for i = 1, #values do
    local row = all[i]
    for k = 1, o.keep do
      local v = type(row) == "number" and row or row[k]
      if v == v then b.p[#b.p + 1], b.v[#b.v + 1] = values[i], v end
    end
  end
  return setmetatable(b, Diagram)
end

return bifurcation
