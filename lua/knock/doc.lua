-- All documentation in one index: models, laws and functions from the C tables, functions and fields of
-- the Lua side from its comments, commands and topics. help, the man page, the reference and the editor
-- annotations are made from it.

local core = require "knock.core"
local host = require "knock.host"

local M = {}

-- ---- comments of the Lua side ------------------------------------------------------------------------------------

-- A documented function is a block of `---` lines in front of a function. In `files`, the owner of what
-- `local x = {}; function x:name` documents: the key is the file, the value maps variables to owners.
local files = {
  { "cycle", "cycle" }, { "continue", "branch" }, { "basin", "basin" }, { "bifurcation", "bifurcation" }, { "lyapunov", "k" },
  { "compare", "k" }, { "problem", "k" }, { "solve", "k.solve" }, { "sweep", "sweep" }, { "table", "table" },
  { "design", "k.sweep" }, { "read", "k" }, { "figure", "figure" }, { "plot", "k" }, { "draw/methods", "k" },
  { "mechanism", "k" },
  { "derivative", "hit" }, { "monodromy", "run" },
  { "run_table", "run" }, { "draw/layer", "panel" }, { "check", "k" },
}

local function read_lines(name)
  local f = io.open(("%s/lua/knock/%s.lua"):format(host.home, name))
  local lines = {}
  if not f then return lines end
  for line in f:lines() do lines[#lines + 1] = line end
  f:close()
  return lines
end

-- "function sweep:run(f, o)" -> "run", "sweep:run(f, o)"; local functions are nobody's business
local function declaration(line)
  local path, arguments = line:match "^function%s+([%w_.:]+)(%b())"
  if not path then return nil end
  return path:match "[%w_]+$", path .. arguments
end

-- A first line like "k.solve.block{M =, ...} -> ..." is the usage, and says the owner and the name; text may
-- follow it behind a colon.
local function usage_of(text, owner, line)
  local path = text[1] and text[1]:match "^([%a_]+[.:][%w_.:]+)%s*[%({]"
  if not path then
    local name, usage = declaration(line)
    return owner, name, usage and usage:gsub("^methods:", owner .. ":"):gsub("^M%.", owner .. "."), nil
  end
  local usage = table.remove(text, 1)
  local head, rest = usage:match "^(.-[%)}][^:]*): (.*)$"
  if head then
    usage = head
    table.insert(text, 1, rest)
  end
  return path:match "^(.*)[.:]", path:match "[%w_]+$", usage
end

local function add_block(functions, owner, block, line)
  local text, example = {}, {}
  for _, each in ipairs(block) do
    local code = each:match "^    (.*)"
    if code then example[#example + 1] = code else text[#text + 1] = each:match "^%s*(.-)%s*$" end
  end
  local name, usage
  owner, name, usage = usage_of(text, owner, line)
  if not name or name:sub(1, 1) == "_" then return end
  functions[owner] = functions[owner] or {}
  local words = table.concat(text, " "):gsub("%s+$", ""):gsub(" %* ", "\n* ") -- "* " starts a point of a list
  functions[owner][name] = functions[owner][name] or { usage = usage, doc = words,
    example = #example > 0 and table.concat(example, "\n") or nil }
end

local function lua_functions(functions)
  for _, file in ipairs(files) do
    local block, open = {}, false
    for _, line in ipairs(read_lines(file[1])) do
      local text = line:match "^%-%-%-? ?(.*)"
      if line:find "^%-%-%- " or line == "---" then
        block[#block + 1] = text
        open = true
      elseif open and text then
        block[#block + 1] = text
      else
        if #block > 0 then add_block(functions, file[2], block, line) end
        block, open = {}, false
      end
    end
  end
end

-- ---- the index -----------------------------------------------------------------------------------------------------

local index

-- files of lua/ that describe options of their functions when they are loaded
local with_options = { "knock.cycle", "knock.continue", "knock.basin", "knock.bifurcation", "knock.lyapunov", "knock.draw.cycle",
  "knock.check", "knock.figure", "knock.plot", "knock.sweep", "knock.draw.hit", "knock.draw.run", "knock.draw.mechanism",
  "knock.draw.compare", "knock.draw.table", "knock.draw.live" }

--- { models, laws, functions, fields, commands } with the Lua side included; made once.
function M.catalog()
  if index then return index end
  local c = core.catalog()
  local functions = {}
  for owner, list in pairs(c.functions) do
    if owner == "knock" then owner = "k" end
    if owner ~= "records" then
      functions[owner] = functions[owner] or {}
      for name, f in pairs(list) do functions[owner][name] = f end
    end
  end
  lua_functions(functions)
  for _, name in ipairs(with_options) do require(name) end
  index = { models = c.models, laws = c.laws, functions = functions, fields = c.fields,
    options = c.options, commands = host.commands }
  return index
end

local function by_name(list, name)
  for _, entry in ipairs(list) do if entry.name == name then return entry end end
end

--- The model `name`, or nil.
function M.model(name) return by_name(M.catalog().models, name) end
--- The law `name` (with or without "law." in front), or nil.
function M.law(name) return by_name(M.catalog().laws, (name:gsub("^law%.", ""))) end

--- The command `name` of the command line, or nil.
function M.command(name) return by_name(M.catalog().commands, name) end
--- How a command is called, for those who called it otherwise.
function M.usage(name) return ("usage: %s\n"):format(M.command(name).usage) end

--- Parameter names of a builder: "ball", "law.newton"; nil when it is none.
function M.parameter_names(chain)
  local entry = chain:find "^law%." and M.law(chain) or M.model(chain)
  if not entry then return nil end
  local names = {}
  for i, p in ipairs(entry.params) do names[i] = p.key end
  return names
end

--- The options of a function of an owner ("k", "hit"), as a list like the parameters of a model; or nil.
function M.options(owner, name)
  local all = M.catalog().options
  return all[owner .. "." .. name] or all[owner .. ":" .. name]
end

--- Names of the options of a function as it is called, "k.simulate" or "anything:plot"; nil when it has none.
function M.option_names(call)
  local names, seen, method = {}, {}, call:match ":([%w_]+)$"
  for name, list in pairs(M.catalog().options) do
    if name == call or method and name:match ":([%w_]+)$" == method then
      for _, p in ipairs(list) do
        if not seen[p.key] then names[#names + 1], seen[p.key] = p.key, true end
      end
    end
  end
  return #names > 0 and names or nil
end

--- Names of the fields, and not the methods, that a value of knock's has; `kind` is what the help calls it.
function M.field_names(value, kind)
  local names = {}
  for _, field in ipairs(M.catalog().fields[kind] or {}) do names[#names + 1] = field[1] end
  if kind == "model" or kind == "law" then
    for _, p in ipairs(value:describe()) do names[#names + 1] = p.key end
  end
  if kind == "table" then for _, name in ipairs(value:names()) do names[#names + 1] = name end end
  local model = kind == "model" and value or kind == "hit" and value.model
  for _, group in ipairs(model and model.groups or {}) do names[#names + 1] = group.name end
  return names
end

--- Functions named `name`: a list of { owner, name, entry }; "owner.name" and "owner:name" are more exact.
function M.functions(name)
  local owner, rest = name:match "^(.-)[.:]([%w_]+)$"
  local found = {}
  for each, list in pairs(M.catalog().functions) do
    local entry = list[rest or name]
    if entry and (not owner or owner == each or "k." .. owner == each) then
      found[#found + 1] = { each, rest or name, entry }
    end
  end
  table.sort(found, function(a, b) return a[1] < b[1] end)
  return found
end

--- Every name that help knows, once.
function M.names()
  local names, seen, c = {}, {}, M.catalog()
  local function add(name)
    if not seen[name] then names[#names + 1], seen[name] = name, true end
  end
  for _, entry in ipairs(c.models) do add(entry.name) end
  for _, entry in ipairs(c.laws) do add(entry.name) add("law." .. entry.name) end
  for _, list in pairs(c.functions) do for name in pairs(list) do add(name) end end
  for kind in pairs(c.fields) do add(kind) end
  for _, entry in ipairs(c.commands) do add(entry.name) end
  for _, topic in ipairs { "models", "laws", "functions", "commands", "scenarios", "units", "mechanisms", "cluster", "sandbox", "promises", "session" } do add(topic) end
  return names
end

return M
