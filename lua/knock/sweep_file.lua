-- Files of a sweep: the header and the name of its journal, what goes on and what is finished, merging.

local records = require "knock.core".records
local host = require "knock.host"
local design = require "knock.design"
local fingerprint = require "knock.fingerprint"
local provenance = require "knock.provenance"
require "knock.table"

local M = {}

local function fail(format, ...) host.fail((("sweep: " .. format):format(...):gsub("%c", "?"))) end

-- ---- the journal ------------------------------------------------------------------------------------------

-- { name = unit } as one line of Lua
local function units_text(units)
  local parts = {}
  for name, unit in pairs(units) do
    if type(name) ~= "string" or type(unit) ~= "string" then fail "units must be a table of texts, as { vx = \"m/s\" }" end
    parts[#parts + 1] = ("[%s]=%s"):format(design.literal(name), design.literal(unit))
  end
  table.sort(parts)
  return "{" .. table.concat(parts, ",") .. "}"
end

-- { name, unit, width } of the fast lane's columns as one line of Lua
local function columns_text(columns)
  local parts = {}
  for i, c in ipairs(columns) do
    parts[i] = ("{name=%s,unit=%s,width=%d}"):format(design.literal(c.name), design.literal(c.unit), c.width)
  end
  return "{" .. table.concat(parts, ",") .. "}"
end

-- lines for every file: where it comes from, and the fingerprint; the rest of a journal's header with o.file
function M.header_of(job, o)
  local text, units = design.text(job.design), units_text(o.units or {})
  local fields = type(o.fields) == "table" and table.concat(o.fields, "\n") or ""
  local columns = job.columns and columns_text(job.columns)
  local lines = provenance.lines(fingerprint.of {
    samples = job.samples, seed = job.seed, design = text, body = job.text,
    fields = units .. "\n\n" .. fields .. (columns or "") })
  if not o.file then return lines end
  return lines, lines .. ("shard: %d/%d\nunits: %s\n%sdesign: %s\n"):format(job.shard, job.shards, units,
    columns and ("columns: %s\n"):format(columns) or "", text)
end

-- the lines of a journal's header that go into the finished file
function M.lines_of(header) return (header:match "^(.-\n)shard: %d") end

-- refuses a journal of another sweep and says why
local function check_journal(path, old, header)
  local why = fingerprint.difference(old, header)
  if not why and old:match "\nshard: ([^\n]*)" ~= header:match "\nshard: ([^\n]*)" then why = "it is another shard" end
  if why then fail("'%s' is the journal of another sweep: %s; remove it to start afresh", path, why) end
end

function M.exists(path)
  local f = io.open(path, "rb")
  if f then f:close() end
  return f ~= nil
end

function M.journal_of(file, shard, shards)
  return shards == 1 and file .. ".journal" or ("%s.%d-of-%d.journal"):format(file, shard, shards)
end

-- the design as the engine takes it: the values of each axis in a table of their own, and how often they repeat
function M.for_engine(d, units)
  local list, inner = { samples = design.count(d), keep = d.keep }, 1
  for k = #d.axes, 1, -1 do
    local axis = d.axes[k]
    local values = records.new_table():add(axis.name, units[axis.name] or axis.unit, axis.values)
    list[k] = { values, d.kind == "points" and 1 or inner }
    inner = inner * #axis.values
  end
  return list
end

local function set_units(t, units)
  for _, name in ipairs(t:names()) do
    if units[name] then t:unit(name, units[name]) end
  end
end

-- from the journal to the file without a table between them; samples that killed their worker are in no journal
local function stream(job, t, info, o)
  if info.lost > 0 then
    fail("%d samples killed their worker and are in no file: --resume tries them again", info.lost)
  end
  t:set_provenance(job.lines)
  records.stream_journals({ table = t, design = M.for_engine(job.design, o.units or {}), columns = job.columns,
    paths = { job.journal }, messages = info.failed > 0 }, o.file)
end

-- the file with everything when all is done
function M.finish(job, t, info, o)
  local write = info.complete and o.file and job.shards == 1
  if o.keep == false then
    if write then stream(job, t, info, o) end
  else
    set_units(t, o.units or {})
    t:set_provenance(job.lines)
    if write then t:write(o.file) end
  end
  if write and info.lost == 0 then records.remove_journal(job.journal) end
  return t
end

-- a finished file of this very sweep needs no second run; that of another one is told, and written anew
function M.finished(o, header)
  if not (o.resume and M.exists(o.file)) then return nil end
  local ok, t = pcall(o.keep == false and records.read_columns or records.read_table, o.file)
  local why = not ok and "it cannot be read" or fingerprint.difference(t.provenance, header)
  if not why then return t end
  io.stderr:write(("sweep: '%s' is the result of another sweep: %s; running this one\n"):format(o.file, why))
end

-- how many samples of a finished file failed; nil where its rows are not read
function M.failed(t, o)
  if o.keep == false then return nil end
  local n = 0
  for _, status in ipairs(t.status) do if status ~= "ok" then n = n + 1 end end
  return n
end

-- nil, or the header of the unfinished journal to go on with
function M.unfinished(o, journal, header)
  if not journal or not M.exists(journal) then return nil end
  local old, holder = records.journal_header(journal)
  if holder then fail("'%s' is in use by %s", journal, holder) end
  if not o.resume then
    fail("'%s' holds an unfinished sweep: resume = true (or --resume) goes on, removing it starts afresh", journal)
  end
  check_journal(journal, old, header)
  return old
end

-- ---- merging shards --------------------------------------------------------------------------------------------

-- the journals of all shards of a file; nil when there is none
local function shards_of(file)
  local journals, n = {}, nil
  for count = 1, 4096 do
    if M.exists(M.journal_of(file, 1, count)) then n = count end
  end
  for i = 1, n or 0 do
    journals[i] = M.journal_of(file, i, n)
    if not M.exists(journals[i]) then fail("the journal '%s' is missing", journals[i]) end
  end
  return n and journals
end

-- Joins journals into the file; `open`: somebody may still be writing them.
function M.join_journals(file, journals, open)
  local first = records.journal_header(journals[1])
  for i = 2, #journals do
    local why = fingerprint.difference(first, records.journal_header(journals[i]))
    if why then fail("'%s' is the journal of another sweep than '%s': %s", journals[i], journals[1], why) end
  end
  local d = design.parse(first:match "\ndesign: ([^\n]*)")
  local t, columns = records.new_table(), first:match "\ncolumns: ([^\n]*)"
  local info = records.fill_from_journals { table = t, design = M.for_engine(d, {}), paths = journals, open = open,
    columns = columns and design.parse(columns) }
  if not info.complete then fail("%d of %d samples are missing: run their shards with --resume", #t - info.done, #t) end
  set_units(t, design.parse(first:match "\nunits: ([^\n]*)"))
  return t:set_provenance(M.lines_of(first)):write(file)
end

--- k.sweep.merge(file) -> table
--- Joins the journals of all shards of a sweep into its file: what `knock merge` does.
function M.merge(file)
  local join = require "knock.sweep_join"
  if join.has_folder(file) then return join.merge(file) end
  local journals = shards_of(file)
  if not journals then fail("there is no journal of '%s'", file) end
  local t = M.join_journals(file, journals)
  for _, path in ipairs(journals) do records.remove_journal(path) end
  return t
end

return M
