-- One fingerprint of a sweep: what its results depend on, as far as that is known before it runs.
--
-- Its parts are lines `key: value` in the journal and in the finished file, with the fingerprint of them all as
-- the last one; so another sweep is not only noticed, it can be said what has changed.

local records = require "knock.core".records
local host = require "knock.host"
local provenance = require "knock.provenance"

local M = {}

-- in the order in which a difference is told
local parts = {
  { "knock", "knock has changed" },
  { "samples", "the number of samples has changed" },
  { "design-sha256", "the axes or their values have changed" },
  { "seed", "the seed has changed" },
  { "script-sha256", "the script has changed" },
  { "command-sha256", "the arguments, the options or the -e code have changed" },
  { "modules-sha256", "a module that the script loads has changed" },
  { "files-sha256", "a file that the script runs (dofile, loadfile) or reads (k.read) has changed" },
  { "body-sha256", "the function, the model or the law has changed" },
  { "fields-sha256", "the fields or their units have changed" },
}

-- lists of words and numbers of words alike have one text each
local function joined(list)
  local out = {}
  for i, word in ipairs(list) do out[i] = ("%d:%s"):format(#word, word) end
  return table.concat(out, ",")
end

-- the file that a module came from, nil for knock's own and those of Lua
local function module_file(name)
  if name == "knock" or name:find "^knock%." then return nil end
  for _, path in ipairs { package.path, package.cpath } do
    local ok, file = pcall(package.searchpath, name, path)
    if ok and file then return file end
  end
end

-- name and contents of every module that is loaded
local function modules()
  local names, list = {}, {}
  for name in pairs(package.loaded) do if type(name) == "string" then names[#names + 1] = name end end
  table.sort(names)
  for _, name in ipairs(names) do
    local file = module_file(name)
    local text = file and provenance.contents(file)
    if text then list[#list + 1] = name; list[#list + 1] = records.sha256(text) end
  end
  return list
end

-- name and contents of every file that the script ran by dofile or loadfile, or read by k.read; "gone" when it is
-- not there any more
local function files()
  local names, list = {}, {}
  for path in pairs(records.files_read()) do names[#names + 1] = path end
  table.sort(names)
  for _, path in ipairs(names) do
    local text = provenance.contents(path)
    list[#list + 1] = path
    list[#list + 1] = text and records.sha256(text) or "gone"
  end
  return list
end

--- The parts and the fingerprint as {key, value} pairs. `what`: samples, seed, and as texts design, body, fields.
function M.of(what)
  local _, script = provenance.script()
  local values = {
    knock = ("%s%s"):format(host.version, host.describe ~= "" and (" (%s)"):format(host.describe) or ""),
    samples = what.samples, seed = what.seed,
    ["design-sha256"] = records.sha256(what.design),
    ["script-sha256"] = script or "none",
    ["command-sha256"] = records.sha256(joined(provenance.words())),
    ["modules-sha256"] = records.sha256(joined(modules())),
    ["files-sha256"] = records.sha256(joined(files())),
    ["body-sha256"] = records.sha256(what.body),
    ["fields-sha256"] = records.sha256(what.fields),
  }
  local pairs_, all = {}, {}
  for i, part in ipairs(parts) do
    local key = part[1]
    all[i] = key .. ": " .. tostring(values[key])
    if key ~= "knock" and key ~= "script-sha256" then pairs_[#pairs_ + 1] = { key, values[key] } end
  end
  pairs_[#pairs_ + 1] = { "fingerprint", records.sha256(table.concat(all, "\n")) }
  return pairs_
end

--- nil, or why two headers are of different sweeps: "the seed has changed (seed: 1, now 2)".
function M.difference(old_text, new_text)
  local old, new = provenance.parse(old_text), provenance.parse(new_text)
  if old.fingerprint and old.fingerprint == new.fingerprint then return nil end
  for _, part in ipairs(parts) do
    local key, reason = part[1], part[2]
    local a, b = old[key] or "none", new[key] or "none"
    if a ~= b then
      local short = function(x) return #x == 64 and x:sub(1, 12) or x end
      return ("%s (%s: %s, now %s)"):format(reason, key, short(a), short(b))
    end
  end
  return "it has no fingerprint, or another one"
end

return M
