-- Sweeps: the same question over many parameters, on all cores, in files that last.
--
--   local s = k.sweep { vx = k.linspace(-15, 15, 301), mu = {0.2, 0.4} }
--   local r = s:run(function(p) return { Vx = p.vx * p.mu } end)

local core = require "knock.core"
local records = core.records
local host = require "knock.host"
local design = require "knock.design"
local fingerprint = require "knock.fingerprint"
local provenance = require "knock.provenance"
require "knock.table"

local sweep = {}
sweep.__index = sweep

local function fail(format, ...) host.fail(("sweep: " .. format):format(...)) end

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
function sweep:sample(i) return design.sample(self.design, i) end

--- A sweep over the samples for which f(p) holds.
function sweep:filter(f) return wrap(design.filter(self.design, f)) end

--- Sets the units of axes: s:units{ vx = "m/s" }.
function sweep:units(map)
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

local known = { file = "string", resume = "boolean", jobs = "number", live = "any", seed = "number",
  units = "table", fields = "table", watch = "function" }

local function check_options(o)
  for key, value in pairs(o) do
    local want = known[key]
    if not want then
      local near = host.nearest(tostring(key), known)
      fail("unknown option '%s'%s", key, near and (" (did you mean '%s'?)"):format(near) or "")
    end
    if want ~= "any" and type(value) ~= want then
      fail("%s must be a %s, got %s", key, want, type(value))
    end
  end
end

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

-- ---- the journal ------------------------------------------------------------------------------------------

local function units_text(units)
  local parts = {}
  for name, unit in pairs(units) do parts[#parts + 1] = ("%s=%s"):format(name, unit) end
  table.sort(parts)
  return table.concat(parts, ";")
end

-- lines for every file: where it comes from, and the fingerprint; the rest of a journal's header with o.file
local function header_of(s, o, seed, shard, shards, body)
  local text, units = design.text(s.design), units_text(o.units or {})
  local fields = type(o.fields) == "table" and table.concat(o.fields, "\n") or ""
  local lines = provenance.lines(fingerprint.of {
    samples = #s, seed = seed, design = text, body = body, fields = units .. "\n\n" .. fields })
  if not o.file then return lines end
  return lines, lines .. ("shard: %d/%d\nunits: %s\ndesign: %s\n"):format(shard, shards, units, text)
end

-- the lines of a journal's header that go into the finished file
local function lines_of(header) return (header:match "^(.-\n)shard: %d") end

-- refuses a journal of another sweep and says why
local function check_journal(path, old, header)
  local why = fingerprint.difference(old, header)
  if not why and old:match "\nshard: ([^\n]*)" ~= header:match "\nshard: ([^\n]*)" then why = "it is another shard" end
  if why then fail("'%s' is the journal of another sweep: %s; remove it to start afresh", path, why) end
end

local function exists(path)
  local f = io.open(path, "rb")
  if f then f:close() end
  return f ~= nil
end

local function journal_of(file, shard, shards)
  return shards == 1 and file .. ".journal" or ("%s.%d-of-%d.journal"):format(file, shard, shards)
end

-- ---- running -------------------------------------------------------------------------------------------------

-- a table with the axes as its first columns
local function axes_table(d, units)
  local t = records.new_table()
  for k, axis in ipairs(d.axes) do
    t:add(axis.name, units[axis.name] or axis.unit, design.column(d, k))
  end
  return t
end

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

local function set_units(t, units)
  for _, name in ipairs(t:names()) do
    if units[name] then t:unit(name, units[name]) end
  end
end

-- the part that is done, and the file with everything when all is done
local function finish(t, info, o, journal, text, shards)
  set_units(t, o.units or {})
  t:set_provenance(text)
  if info.rows then t = t:rows(info.rows) end
  if info.done == info.total and o.file and shards == 1 then
    t:write(o.file)
    if info.lost == 0 then records.remove_journal(journal) end
  end
  return t
end

local function say(info, o)
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

-- a finished file of this very sweep needs no second run; that of another one is told, and written anew
local function finished(o, header)
  if not (o.resume and exists(o.file)) then return nil end
  local ok, t = pcall(records.read_table, o.file)
  local why = not ok and "it cannot be read" or fingerprint.difference(t.provenance, header)
  if not why then return t end
  io.stderr:write(("sweep: '%s' is the result of another sweep: %s; running this one\n"):format(o.file, why))
end

-- nil, or the header of the unfinished journal to go on with
local function unfinished(o, journal, header)
  if not journal or not exists(journal) then return nil end
  local old, holder = records.journal_header(journal)
  if holder then fail("'%s' is in use by %s", journal, holder) end
  if not o.resume then
    fail("'%s' holds an unfinished sweep: resume = true (or --resume) goes on, removing it starts afresh", journal)
  end
  check_journal(journal, old, header)
  return old
end

-- `make(i)` gives the fields of sample i; `body` is a text that changes when what is computed does
local function run(s, o, make, body)
  check_options(o)
  if o.resume == nil then o.resume = host.options.resume ~= nil end
  local seed = whole("seed", o.seed or host.options.seed or 0, math.mininteger)
  local jobs = whole("jobs", o.jobs or host.options.jobs or 0, 0)
  local shard, shards = shard_option()
  if shards > 1 and not o.file then fail "--shard needs a sweep with file = ..." end
  local text, header = header_of(s, o, seed, shard, shards, body)
  local journal = o.file and journal_of(o.file, shard, shards)
  local old = unfinished(o, journal, header)
  local whole_table = o.file and not old and finished(o, header)
  if whole_table then
    return whole_table, { done = #s, total = #s, failed = 0, lost = 0, interrupted = false }
  end
  if old then text = lines_of(old) end
  local t = axes_table(s.design, o.units or {})
  local draw = o.live and require "knock.draw.live".sweep(t, o.live, s.design.axes[1].name)
  local function watch(done, n)
    if o.watch then o.watch(done, n) end
    draw(done, n)
  end
  local info = records.run_sweep {
    table = t, body = make, jobs = jobs, seed = seed, journal = journal, header = header,
    resume = old ~= nil, shard = shard, shards = shards, watch = draw and watch or o.watch,
  }
  if draw then draw(info.done, #s, true) end
  info.total = #s
  say(info, o)
  return finish(t, info, o, journal, text, shards), info
end

-- the code of a function without its names and lines; C functions have none
local function code_of(f)
  local ok, code = pcall(string.dump, f, true)
  return ok and code or "C"
end

--- Runs f(p) for every sample and returns a table with the axes, the fields that f returns, and a status.
-- Options: file, resume, jobs, seed, units, fields (of a hit that f returns), watch(done, n),
-- live (true, or what t:plot takes: draws while it runs).
function sweep:run(f, o)
  if type(f) ~= "function" then fail("run needs a function of the parameters, got a %s", type(f)) end
  o = o or {}
  if type(o) ~= "table" then fail("the options of run must be a table, got a %s", type(o)) end
  local copy = {}
  for key, value in pairs(o) do copy[key] = value end
  return run(self, copy, body_of(self, f, copy.fields), code_of(f))
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
  local of, rest = key:match "^(%a+)%.(.*)$"
  return { column = axis.name, key = rest or key, of = of or "", element = element }
end

-- a list of fields, whose columns get names like velocity1, or { Vx = "velocity[1]" }
local function outputs(fields)
  local list, names = {}, {}
  local add = function(name, text)
    local key, element = port(text)
    list[#list + 1] = { name = name, key = key, element = element }
  end
  for _, text in ipairs(fields) do add(text:gsub("%[(%d+)%]", "%1"):gsub("%.", "_"), text) end
  for name in pairs(fields) do if type(name) == "string" then names[#names + 1] = name end end
  table.sort(names)
  for _, name in ipairs(names) do add(name, fields[name]) end
  if #list == 0 then fail "impact needs the fields to keep, as in { Vx = \"velocity[1]\" }" end
  return list
end

--- Impacts of one model and one law over the sweep, without a call of Lua per sample.
-- Axes set parameters by name; `map` says which when names differ: { vx = "velocity[1]" }. Fields of the
-- hit are "velocity[1]", "spin", "impulse[3]", "energy.friction", ...: a list, or { Vx = "velocity[1]" }.
-- Options: map, file, jobs.
function sweep:impact(model, law, fields, o)
  o = o or {}
  if type(fields) ~= "table" then fail("impact needs a table of fields, got a %s", type(fields)) end
  local t, inputs = axes_table(self.design, o.units or {}), {}
  for i, axis in ipairs(self.design.axes) do inputs[i] = input(axis, o.map or {}) end
  local jobs = whole("jobs", o.jobs or host.options.jobs or 0, 0)
  local info = { total = #self, done = #self, lost = 0 }
  info.failed = records.run_lane(t, model, law, inputs, outputs(fields), jobs)
  say(info, o)
  t:set_provenance(provenance.lines { { "samples", #self } })
  if o.file then t:write(o.file) end
  return t, info
end

-- ---- merging shards --------------------------------------------------------------------------------------------

--- k.sweep.merge(file) -> table
--- Joins the journals of all shards of a sweep into its file: what `knock merge` does.
local function merge(file)
  local journals, n = {}, nil
  for count = 1, 4096 do
    if exists(journal_of(file, 1, count)) then n = count end
  end
  if not n then fail("there is no journal of '%s'", file) end
  for i = 1, n do
    journals[i] = journal_of(file, i, n)
    if not exists(journals[i]) then fail("the journal '%s' is missing", journals[i]) end
  end
  local first = records.journal_header(journals[1])
  for i = 2, n do
    local why = fingerprint.difference(first, records.journal_header(journals[i]))
    if why then fail("'%s' is the journal of another sweep than '%s': %s", journals[i], journals[1], why) end
  end
  local d = design.parse(first:match "\ndesign: ([^\n]*)")
  local t = axes_table(d, {})
  local info = records.fill_from_journals(t, table.unpack(journals))
  if info.rows then fail("%d of %d samples are missing: run their shards with --resume", #t - info.done, #t) end
  local units = {}
  for name, unit in (first:match "\nunits: ([^\n]*)"):gmatch "([^;=]+)=([^;]*)" do units[name] = unit end
  set_units(t, units)
  t:set_provenance(lines_of(first)):write(file)
  for _, path in ipairs(journals) do records.remove_journal(path) end
  return t
end

-- ---- the module --------------------------------------------------------------------------------------------------

--- k.sweep{axis = values, ...} -> sweep
--- All combinations of the axes' values; k.sweep.zip, .random, .lhs and .sobol make other designs. Values are
--- numbers, vectors, strings or booleans. {"name", values} entries keep their order, the last runs fastest.
---
---     print(#k.sweep{ vx = k.linspace(-1, 1, 5), mu = {0, 0.2} }) --> 10

local module = { merge = merge }
for _, kind in ipairs { "grid", "zip", "random", "lhs", "sobol" } do
  module[kind] = function(spec)
    if type(spec) ~= "table" then fail("%s needs a table of axes, got a %s", kind, type(spec)) end
    return wrap(design[kind](spec))
  end
end

return setmetatable(module, { __call = function(_, spec) return module.grid(spec) end })
