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

--- run.events:table() -> table
--- The events of a run, one row each: t, event (its kind), contacts, name (of user events), mode, why, lost, q1 ..., u1 ...
--- (before), u_after1 ..., impulse1 ... in the order of the contacts that took part.
local function events_table(events) return records.events_table(events):set_provenance(provenance.lines {}) end

-- "x.csv" -> "x.events.csv"
local function events_path(path)
  local stem, ending = path:match "^(.*[^/.])(%.[^./]+)$"
  return (stem or path) .. ".events" .. (ending or "")
end

--- run:write(path[, n]) -> run
--- Writes all columns of the run with their units (.csv, .jsonl or .h5 by the ending), at n even times and at all
--- events, and the events beside them: run:write "x.csv" makes x.csv and x.events.csv. k.read reads both.
local function run_write(run, path, n)
  if type(path) ~= "string" then host.fail(("run: write needs the name of a file, got %s"):format(host.got(path))) end
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
