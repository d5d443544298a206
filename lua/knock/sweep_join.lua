-- Sweeps that many workers share (--join): chunks are claimed in the folder FILE.sweep, each worker keeps a journal
-- there, and the first that finds all chunks done merges them into the file.

local records = require "knock.core".records
local host = require "knock.host"
local fingerprint = require "knock.fingerprint"

local M = {}

local function fail(format, ...) host.fail((("sweep: " .. format):format(...):gsub("%c", "?"))) end

local function folder_of(file) return file .. ".sweep" end

-- seconds without a sign of life after which a worker's chunk is given to another one
local function patience()
  local text = os.getenv "KNOCK_PATIENCE"
  local x = text and tonumber(text) or 60
  if not (x and x > 0) then fail("KNOCK_PATIENCE must be a positive number of seconds, got '%s'", text) end
  return x
end

function M.has_folder(file) return host.files(folder_of(file)) ~= nil end

local function journals_in(folder)
  local list = {}
  for _, name in ipairs(host.files(folder) or {}) do
    if name:find "%.journal$" and name ~= "header.journal" then list[#list + 1] = folder .. "/" .. name end
  end
  table.sort(list)
  table.insert(list, 1, folder .. "/header.journal") -- its header is everybody's
  return list
end

local function remove(folder)
  records.remove_folder(folder .. "/merge")
  records.remove_folder(folder)
end

--- Joins the journals of all workers into the file, and removes the folder.
function M.merge(file)
  local folder = folder_of(file)
  local t = require "knock.sweep_file".join_journals(file, journals_in(folder), true)
  remove(folder)
  return t
end

-- the folder with the header of the sweep: true when we are the first, checked otherwise
local function enter(folder, header)
  if not host.make_folder(folder) or not host.make_folder(folder .. "/merge") then
    fail("cannot make the folder '%s'", folder)
  end
  local path = folder .. "/header.journal"
  if records.new_journal(path, header) then return true end
  local why = fingerprint.difference(records.journal_header(path), header)
  if why then fail("'%s' is the folder of another sweep: %s; remove it to start afresh", folder, why) end
end

-- the finished file, when it is of this sweep
local function result(o, header)
  return require "knock.sweep_file".finished({ resume = true, file = o.file, keep = o.keep }, header)
end

local function complete(t, job)
  t:info { done = job.samples, total = job.samples, failed = 0, lost = 0, interrupted = false, complete = true }
  return t
end

local function work(job, o, header, jobs, folder)
  local info = records.run_sweep {
    table = records.new_table(), design = require "knock.sweep_file".for_engine(job.design, o.units or {}),
    body = job.body, lane = job.lane, jobs = jobs, seed = job.seed, header = header, watch = o.watch, stream = true,
    join = folder, patience = patience(),
  }
  if info.terminated then
    io.stderr:write(("sweep: asked to end after %d samples; others, or the next call, go on\n"):format(info.done))
    os.exit(0, true)
  end
  if info.interrupted then fail("interrupted after %d samples; others, or the next call with --join, go on", info.done) end
end

--- One worker of a sweep. Returns when all of it is done, whoever did it, with the whole table.
function M.run(job, o, header, jobs)
  local t = result(o, header)
  if t then return complete(t, job) end
  local folder = folder_of(o.file)
  if enter(folder, header) then
    t = result(o, header) -- others may have merged, and removed the folder, between the two looks
    if t then
      remove(folder)
      return complete(t, job)
    end
  end
  local ok, why = pcall(work, job, o, header, jobs, folder)
  if ok and records.claim_merge(folder .. "/merge", patience()) then
    M.merge(o.file)
  end
  t = result(o, header) -- also when the folder vanished because somebody else was faster
  if t then return complete(t, job) end
  error(ok and ("sweep: '%s' did not appear"):format(o.file) or why, 0)
end

return M
