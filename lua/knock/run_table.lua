-- Runs and their events as tables: to write, to plot, to look at.

local core = require "knock.core"
local records = core.records
local host = require "knock.host"
local provenance = require "knock.provenance"
require "knock.table"

--- run:table([n]) -> table
--- The columns of run:sample(n) as a table: t, q1 ..., u1 ..., gaps, forces, energies, with their units.
---
---     local run = k.simulate(k.ball{ velocity = {1, 0, -1} }, k.law.newton{ e = 0.5 }, { t_end = 1 })
---     print(run:table(3):unit "energy") --> J
local function run_table(run, n)
  local columns, t = run:sample(n), records.new_table()
  for _, name in ipairs(columns.names) do t:add(name, columns.units[name] or "", columns[name]) end
  return t:set_provenance(provenance.lines { { "model", run.model.name }, { "law", run.law.name }, { "status", run.status } })
end

-- q1, q2 ... for a list of vectors; missing where an event has none
local function spread(t, events, key, unit)
  local width = 0
  for _, e in ipairs(events) do width = math.max(width, e[key] and #e[key] or 0) end
  for j = 1, width do
    local column = {}
    for i, e in ipairs(events) do column[i] = e[key] and e[key][j] or 0 / 0 end
    t:add(key .. j, unit, column)
  end
end

-- a column of texts or numbers, only when some event has one
local function single(t, events, key, unit, missing)
  local column, some = {}, false
  for i, e in ipairs(events) do
    local value = rawget(e, key)
    some = some or value ~= nil
    if value == nil then column[i] = missing else column[i] = value end
  end
  if some then t:add(key, unit, column) end
end

-- the contacts of an impact as "1 2"
local function contacts_of(events)
  local list, some = {}, false
  for i, e in ipairs(events) do
    local words = {}
    for k, c in ipairs(rawget(e, "contacts") or { rawget(e, "contact") }) do words[k] = tostring(c) end
    list[i] = table.concat(words, " ")
    some = some or list[i] ~= ""
  end
  return some and list
end

--- run.events:table() -> table
--- The events of a run, one row each: t, event (its kind), contacts, name (of user events), mode, why, lost, q1 ..., u1 ...
--- (before), u_after1 ..., impulse1 ... in the order of the contacts that took part.
local function events_table(events)
  local t, kinds, times = records.new_table(), {}, {}
  for i, e in ipairs(events) do kinds[i], times[i] = e.kind, e.t end
  t:add("t", "s", times):add("event", "", kinds) -- t.kind would be a method
  local contacts = contacts_of(events)
  if contacts then t:add("contacts", "", contacts) end
  for _, key in ipairs { "name", "mode", "why", "status" } do single(t, events, key, "", "") end
  single(t, events, "lost", "J", 0 / 0)
  spread(t, events, "q", "")
  spread(t, events, "u", "")
  spread(t, events, "u_after", "")
  spread(t, events, "impulse", "N s")
  return t:set_provenance(provenance.lines {})
end

-- "x.csv" -> "x.events.csv"
local function events_path(path)
  local stem, ending = path:match "^(.*[^/.])(%.[^./]+)$"
  return (stem or path) .. ".events" .. (ending or "")
end

--- run:write(path[, n]) -> run
--- Writes all columns of the run with their units (.csv, .jsonl or .h5 by the ending), at n even times and at all
--- events, and the events beside them: run:write "x.csv" makes x.csv and x.events.csv. k.read reads both.
local function run_write(run, path, n)
  if type(path) ~= "string" then host.fail(("run: write needs the name of a file, got a %s"):format(type(path))) end
  run_table(run, n):write(path)
  events_table(run.events):write(events_path(path))
  return run
end

rawset(core.types.run, "table", run_table)
rawset(core.types.run, "write", run_write)

local events = core.types.events
rawset(events, "table", events_table)

--- run.events:write(path) -> events
--- Writes run.events:table() to a file.
rawset(events, "write", function(self, path)
  events_table(self):write(path)
  return self
end)

--- run.events:plot{ x =, y =, ... } -> figure
--- A figure of the events' columns, as table:plot draws them.
rawset(events, "plot", function(self, o) return events_table(self):plot(o) end)
