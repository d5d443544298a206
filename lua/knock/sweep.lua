-- Sweeps: the same question over many parameters, on all cores, in files that last.
--
--   local s = k.sweep { vx = k.linspace(-15, 15, 301), mu = {0.2, 0.4} }
--   local r = s:run(function(p) return { Vx = p.vx * p.mu } end)

local core = require "knock.core"
local records = core.records
local host = require "knock.host"
local options_of = require "knock.options"
local design = require "knock.design"
local file = require "knock.sweep_file"
require "knock.table"

local sweep = { __name = "sweep" }
sweep.__index = sweep

local function fail(format, ...) host.fail((("sweep: " .. format):format(...):gsub("%c", "?"))) end

local function wrap(d) return setmetatable({ design = d }, sweep) end

-- ---- what a sweep says of itself ------------------------------------------------------------------------

function sweep:__len() return design.count(self.design) end

function sweep:__tostring()
  local parts = {}
  for i, axis in ipairs(self.design.axes) do
    parts[i] = ("%s (%d)"):format(axis.name, #axis.values)
  end
  return ("sweep of %d samples over %s"):format(#self, table.concat(parts, ", "))
end

--- The parameters of sample i.
function sweep:sample(i)
  local at = math.tointeger(i)
  if not at or at < 1 or at > #self then fail("sample: i must be a whole number from 1 to %d, got %s", #self, host.got(i)) end
  return design.sample(self.design, at)
end

--- A sweep over the samples for which f(p) holds.
function sweep:filter(f) return wrap(design.filter(self.design, f)) end

--- Sets the units of axes: s:units{ vx = "m/s" }.
function sweep:units(map)
  if type(map) ~= "table" then fail("units needs { axis = unit, ... }, got %s", host.got(map)) end
  for name, unit in pairs(map) do
    local found
    for _, axis in ipairs(self.design.axes) do
      if axis.name == name then axis.unit = unit; found = true end
    end
    if not found then fail("there is no axis '%s'", name) end
  end
  return self
end

-- ---- options -----------------------------------------------------------------------------------------------

-- what each option is; `nil` defaults are told in its text. One table per function: checks, help and Tab.
local common = {
  { "file", "string", "file to write when all is done (.csv, .jsonl, .h5); a journal beside it keeps what there is" },
  { "resume", "boolean", "go on with the journal of the file, or give the finished file back (also --resume)" },
  { "jobs", "number", "workers; 0 is one per core (also --jobs)" },
  { "units", "table", "units of axes and results: { vx = \"m/s\" }" },
  { "watch", "function", "watch(done, n) is called some times a second" },
  { "live", "any", "true, or what t:plot takes: a figure that grows while the sweep runs" },
}
local run_options = { table.unpack(common) }
run_options[#run_options + 1] = { "seed", "number", "of math.random in the samples (also --seed)" }
run_options[#run_options + 1] = { "fields", "table", "fields to keep of what the function returns, as of a hit" }
local impact_options = { table.unpack(common) }
impact_options[#impact_options + 1] = { "map", "table", "which parameter an axis sets: { vx = \"velocity[1]\" }" }
impact_options[#impact_options + 1] = { "keep", "boolean", "false: rows go to the file alone, in constant memory" }

local check_run = options_of.define("sweep:run", run_options, "sweep: run")
local check_impact = options_of.define("sweep:impact", impact_options, "sweep: impact")

local function whole(name, value, low)
  local x = math.tointeger(tonumber(value))
  if not x or x < low then fail("%s must be a whole number of at least %d, got %s", name, low, tostring(value)) end
  return x
end

-- "2/5" from --shard: the second of five parts
local function shard_option()
  local text = host.options.shard
  if not text then return 1, 1 end
  local i, n = text:match "^(%d+)/(%d+)$"
  i, n = math.tointeger(i), math.tointeger(n)
  if not i or i < 1 or i > n then fail("--shard must be i/n with 1 <= i <= n, got '%s'", text) end
  return i, n
end

-- ---- running -------------------------------------------------------------------------------------------------

-- what a sample function may return, as a table of named fields
local function fields_of(value, fields)
  if type(value) == "table" and not fields then return value end
  if fields then
    local row = {}
    for _, name in ipairs(fields) do row[name] = value[name] end
    return row
  end
  return { value = value }
end

local function body_of(s, f, fields)
  local d = s.design
  return function(i) return fields_of(f(design.sample(d, i)), fields) end
end

local function say(info, o)
  if info.watch_error ~= nil then
    io.stderr:write(("sweep: watch failed and was not called again: %s\n"):format(tostring(info.watch_error)))
  end
  if info.interrupted then
    io.stderr:write(("sweep: interrupted after %d of %d samples%s\n"):format(info.done, info.total,
      o.file and "; resume = true (or --resume) goes on" or ""))
  elseif info.failed > 0 then
    io.stderr:write(("sweep: %d of %d samples failed: see the columns status and message\n"):format(
      info.failed, info.total))
    if info.lost > 0 and o.file then
      io.stderr:write(("sweep: %d of them killed their worker; --resume tries them again\n"):format(info.lost))
    end
  end
end

-- what is watched while a sweep runs: the script's function, and a figure that grows
local function watcher(o, t, first)
  local draw = o.live and require "knock.draw.live".sweep(t, o.live, first)
  if not draw then return o.watch end
  return function(done, n)
    if o.watch then o.watch(done, n) end
    draw(done, n)
  end, draw
end

-- Runs a job { design, samples, text, body or lane, columns }: the one engine behind run and impact.
local function run(job, o)
  if o.resume == nil then o.resume = host.options.resume ~= nil end
  job.seed = whole("seed", o.seed or host.options.seed or 0, math.mininteger)
  local jobs = whole("jobs", o.jobs or host.options.jobs or 0, 0)
  job.shard, job.shards = shard_option()
  if host.options.join and (job.shards > 1 or not o.file) then fail "--join needs a sweep with file = ..., and no --shard" end
  if job.shards > 1 and not o.file then fail "--shard needs a sweep with file = ..." end
  if o.keep == false and not o.file then fail "keep = false needs a file to write to" end
  if o.file then records.check_file(o.file) end
  local lines, header = file.header_of(job, o)
  if host.options.join then return require "knock.sweep_join".run(job, o, header, jobs) end
  job.lines, job.journal = lines, o.file and file.journal_of(o.file, job.shard, job.shards)
  local old = file.unfinished(o, job.journal, header)
  local whole_table = o.file and not old and file.finished(o, header)
  if whole_table then
    whole_table:info { done = job.samples, total = job.samples, failed = file.failed(whole_table, o), lost = 0, interrupted = false,
      complete = true }
    return whole_table
  end
  if old then job.lines = file.lines_of(old) end
  local t = records.new_table()
  local watch, draw = watcher(o, t, job.design.axes[1].name)
  local info = records.run_sweep {
    table = t, design = file.for_engine(job.design, o.units or {}), body = job.body, lane = job.lane, jobs = jobs,
    seed = job.seed, journal = job.journal, header = header, resume = old ~= nil, shard = job.shard,
    shards = job.shards, watch = watch, stream = o.keep == false,
  }
  if draw then draw(info.done, job.samples, true) end
  info.total = job.samples
  say(info, o)
  t:info(info)
  return file.finish(job, t, info, o)
end

-- the code of a function without its names and lines; C functions have none
local function code_of(f)
  local ok, code = pcall(string.dump, f, true)
  return ok and code or "C"
end

--- sweep:run(f[, options]) -> table
--- Calls f(p) for every sample, on all cores; p holds the values of the axes by name. f returns a table of named fields,
--- or one value; returning nothing is an error. The table has the axes, the fields and a status for each sample; a
--- sample that fails is a row with its message. Ctrl-C keeps what is done. t:info() says how many samples are done, failed or lost,
--- and whether the sweep was interrupted.
---
---     local t = k.sweep{ e = {0, 0.5, 1} }:run(function(p)
---       return { v = k.impact(k.ball{ velocity = {0, 0, -4} }, k.law.newton{ e = p.e }).velocity[3] }
---     end)
---     print(t.v[2]) --> 2.0
function sweep:run(f, o, depends) -- depends: a text, what its numbers hang on besides the code of f
  options_of.colon(getmetatable(self) == sweep, "run", "a sweep")
  if type(f) ~= "function" then fail("run needs a function of the parameters, got %s", host.got(f)) end
  o = check_run(o)
  return run({ design = self.design, samples = #self, text = code_of(f) .. (depends or ""), body = body_of(self, f, o.fields) }, o)
end

-- ---- the fast lane ---------------------------------------------------------------------------------------------

-- "velocity[1]" -> "velocity", 1
local function port(text)
  local key, element = text:match "^([%w_.]+)%[(%d+)%]$"
  return key or text, math.tointeger(element)
end

-- which parameter an axis sets: of the model when it has one of that name, else of the law
local function input(axis, map)
  local key, element = port(map[axis.name] or axis.name)
  local of, rest = key:match "^(law)%.(.*)$"
  if not of then of, rest = key:match "^(model)%.(.*)$" end -- "leg.mass" is one word
  return { column = axis.name, key = rest or key, of = of or "", element = element }
end

-- a list of fields, whose columns get names like velocity1, or { Vx = "velocity[1]" }
local function outputs(fields)
  local list, names = {}, {}
  if type(fields) ~= "table" then fail("impact needs a list of fields of a hit, got %s", host.got(fields)) end
  local add = function(name, text)
    local key, element = port(text)
    list[#list + 1] = { name = name, key = key, element = element }
  end
  for _, text in pairs(fields) do if type(text) ~= "string" then fail("impact: a field of a hit is a string, as in \"velocity[1]\", got %s", host.got(text)) end end
  for _, text in ipairs(fields) do add(text:gsub("%[(%d+)%]", "%1"):gsub("%.", "_"), text) end
  for name in pairs(fields) do if type(name) == "string" then names[#names + 1] = name end end
  table.sort(names)
  for _, name in ipairs(names) do add(name, fields[name]) end
  if #list == 0 then fail "impact needs the fields to keep, as in { Vx = \"velocity[1]\" }" end
  return list
end

-- the design with the units of the parameters that its axes set, where they have none
local function with_units(d, units)
  local copy, axes = {}, {}
  for key, value in pairs(d) do copy[key] = value end
  for i, axis in ipairs(d.axes) do
    axes[i] = { name = axis.name, values = axis.values, unit = axis.unit ~= "" and axis.unit or units[axis.name] or "" }
  end
  copy.axes = axes
  return copy
end

--- sweep:impact(model, law, fields[, options]) -> table
--- Impacts of one model and one law over the sweep, without a call of Lua per sample: the fast way.
--- * An axis sets the parameter of its name, of the model or else of the law; map = { vx = "velocity[1]" } says which when names differ;
--- map = { friction = "mu.foot" } sets an entry of a list by the names of contacts, mu = { foot = 0.8, stop = 0 }.
--- * fields of the hit become columns: a list, or { Vx = "velocity[1]" } with names of your own; "velocity[1]", "spin", "impulse[3]",
--- "energy.friction" ...
---
---     local t = k.sweep{ e = {0, 0.5, 1} }:impact(k.ball{ velocity = {0, 0, -4} }, k.law.newton{}, { v = "velocity[3]" })
---     print(t.v[2]) --> 2.0
function sweep:impact(model, law, fields, o)
  options_of.colon(getmetatable(self) == sweep, "impact", "a sweep")
  o = check_impact(o)
  local function is(kind, x, n, example)
    if getmetatable(x) ~= kind then fail("impact: argument %d must be a %s, as %s makes one, got %s", n, kind, example, host.got(x)) end
  end
  is("model", model, 1, "k.ball{}")
  is("law", law, 2, "k.law.stronge{}")
  if type(fields) ~= "table" then fail("impact needs a list of fields, as {\"velocity[1]\"}, got %s", host.got(fields)) end
  local lane = { model = model, law = law, inputs = {}, outputs = outputs(fields) }
  for i, axis in ipairs(self.design.axes) do lane.inputs[i] = input(axis, o.map or {}) end
  local columns, units, text = records.describe_lane(file.for_engine(self.design, {}), lane)
  local ports = {}
  for i, port in ipairs(lane.inputs) do ports[i] = ("%s=%s%s[%s]"):format(port.column, port.of, port.key, port.element) end
  for i, port in ipairs(lane.outputs) do ports[#ports + 1] = ("%s=%s[%s]"):format(port.name, port.key, port.element) end
  return run({ design = with_units(self.design, units), samples = #self, lane = lane, columns = columns,
    text = table.concat(ports, "\n") .. "\n" .. text }, o)
end

-- ---- the module --------------------------------------------------------------------------------------------------

--- k.sweep{axis = values, ...} -> sweep
--- All combinations of the axes' values; k.sweep.zip, .random, .lhs and .sobol make other designs. Values are
--- numbers, vectors, strings or booleans. {"name", values} entries keep their order, the last runs fastest.
---
---     print(#k.sweep{ vx = k.linspace(-1, 1, 5), mu = {0, 0.2} }) --> 10

local module = { merge = file.merge }
for _, kind in ipairs { "grid", "zip", "random", "lhs", "sobol" } do
  module[kind] = function(spec)
    if type(spec) ~= "table" then fail("%s needs a table of axes, got %s", kind, host.got(spec)) end
    options_of.dot(spec, "sweep")
    return wrap(design[kind](spec))
  end
end

return setmetatable(module, { __call = function(_, spec) return module.grid(spec) end })
