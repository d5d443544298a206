-- Where a result comes from: lines `key: value` for every file knock writes.

local core = require "knock.core"
local records = core.records
local host = require "knock.host"

local M = {}

--- The bytes of a file, nil when there is none. One that is there and cannot be read is an error: a result must not
--- say that it had no script.
local function contents(path)
  if not path then return nil end
  local f, why, code = io.open(path, "rb")
  if not f and (code == 2 or code == 20) then return nil end -- no such file, no such folder
  if not f then host.fail(("cannot read %s"):format(why)) end
  local text, trouble = f:read "a"
  f:close()
  if not text then host.fail(("cannot read %s: %s"):format(path, trouble)) end
  return text
end

--- The script's name and the SHA-256 of its text; "(interactive)" and nil without a script.
function M.script()
  local name = rawget(_G, "arg") and arg[-1] and arg[0] -- arg[0] alone is the program
  local text = contents(name)
  if not text then return "(interactive)", nil end
  return name, records.sha256(text)
end

--- UTC time; SOURCE_DATE_EPOCH, when set, makes files the same byte for byte.
local function utc()
  local fixed = tonumber(os.getenv "SOURCE_DATE_EPOCH")
  return os.date("!%Y-%m-%dT%H:%M:%SZ", fixed)
end

-- options that only say how to run, not what: they are no part of a result
local how = { ["--jobs"] = 1, ["--resume"] = 0, ["--shard"] = 1, ["--join"] = 0, ["--mem-limit"] = 1, ["--cpu-limit"] = 1, ["--sandbox"] = 0 }

-- every word of the command line, -e code and the script's arguments among them; arg[0] may not be the first
local function all_words()
  local first, all = 0, {}
  if type(rawget(_G, "arg")) ~= "table" then return all end
  while arg[first - 1] do first = first - 1 end
  for i = first, #arg do all[#all + 1] = tostring(arg[i]) end
  return all
end

--- The words of the command line that say what is computed: without the program and options like --jobs. What
--- stands behind the script is the script's own.
function M.words()
  local words, i, all = {}, 2, all_words()
  local script = #all - (arg and #arg or 0) -- place of arg[0]
  while i <= #all do
    local skip = (script == 1 or i < script) and how[all[i]:match "^[^=]*"]
    if skip then
      i = i + (all[i]:find "=" and 0 or skip)
    else
      words[#words + 1] = all[i]
    end
    i = i + 1
  end
  return words
end

local function command()
  local words = { (all_words()[1] or "knock"):match "[^/]*$" }
  for _, word in ipairs(M.words()) do
    words[#words + 1] = word:find "[^%w%-_./=,:+]" and ("'%s'"):format(word) or word
  end
  return (table.concat(words, " "):gsub("%c", " "))
end

--- The lines that go into every file; `more` adds {key, value} pairs.
function M.lines(more)
  local script, sha = M.script()
  local lines = {
    ("knock: %s%s"):format(host.version, host.describe ~= "" and (" (%s)"):format(host.describe) or ""),
    ("libraries: %s, %s"):format(_VERSION, records.lapack),
    "script: " .. script,
  }
  if sha then lines[#lines + 1] = "script-sha256: " .. sha end
  for _, pair in ipairs(more or {}) do lines[#lines + 1] = pair[1] .. ": " .. tostring(pair[2]) end
  lines[#lines + 1] = "command: " .. command()
  lines[#lines + 1] = "date: " .. utc()
  return table.concat(lines, "\n") .. "\n"
end

M.contents = contents

--- {key = value} of such lines.
function M.parse(text)
  local map = {}
  for key, value in (text or ""):gmatch "([^\n:]+): ([^\n]*)" do map[key] = value end
  return map
end

return M
