-- The manual in its forms, all from the same index: the man page, the reference in Markdown, the
-- annotations for editors (LuaLS), and JSON for machines.

local doc = require "knock.doc"
local help = require "knock.help"
local host = require "knock.host"

local M = {}

local function sorted(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys)
  local i = 0
  return function()
    i = i + 1
    if keys[i] then return keys[i], t[keys[i]] end
  end
end

local function unit_text(unit) return unit ~= "" and unit ~= "1" and unit or "" end

-- ---- man page ------------------------------------------------------------------------------------------------------

-- text for roff: backslashes, and lines that would start a request
local function roff(text) return (text:gsub("\\", "\\e"):gsub("-", "\\-"):gsub("^%.", "\\&."):gsub("\n%.", "\n\\&.")) end

-- lines that start with "* " are points of a list
local function man_points(text) return (roff(text):gsub("\n%* ", "\n.br\n\\(bu ")) end

-- the options of a function: name (default unit): what it is
local function man_options(owner, f)
  local out = {}
  for _, p in ipairs(doc.options(owner, f.usage:match "[%w_]+[.:]([%w_]+)" or "") or {}) do
    local unit = p.kind == "value" and "" or unit_text(p.unit)
    out[#out + 1] = ("\n.br\n.I %s\n(%s%s): %s"):format(roff(p.key), roff(help.default_text(p)), unit ~= "" and " " .. roff(unit) or "", roff(p.doc))
  end
  return table.concat(out)
end

local function man_entries(out, title, entries, prefix)
  out[#out + 1] = ".SH " .. title
  for _, entry in ipairs(entries) do
    out[#out + 1] = (".TP\n.B %s%s\n%s"):format(prefix, roff(entry.name), roff(entry.doc))
    for _, p in ipairs(entry.params) do
      local unit = unit_text(p.unit)
      out[#out + 1] = (".br\n.I %s\n(%s%s): %s"):format(roff(p.key), roff(help.default_text(p)),
        unit ~= "" and p.kind ~= "object" and " " .. roff(unit) or "", roff(p.doc))
    end
  end
end

local function usage_lines() -- of this very program
  local f = io.popen(("'%s' --help"):format((arg[-1] or "knock"):gsub("'", "'\\''")))
  local text = f and f:read "a" or ""
  if f then f:close() end
  return text
end

local function man_commands(out)
  out[#out + 1] = ".SH COMMANDS"
  for _, c in ipairs(doc.catalog().commands) do
    out[#out + 1] = (".TP\n.B %s\n%s"):format(roff(c.usage), roff(c.about))
    for _, part in ipairs { c.options or "", c.example } do
      if part ~= "" then out[#out + 1] = (".IP\n.nf\n%s\n.fi"):format(roff(part)) end
    end
  end
end

--- The man page knock(1).
function M.man()
  local out = { ('.TH KNOCK 1 "" "knock %s" "User Commands"'):format(roff(host.version)),
    ".SH NAME\nknock \\- a workbench for impacts",
    ".SH SYNOPSIS\n.B knock\n[options] [script [args]]\n.br\n.B knock\n[options] command [args]",
    ".SH DESCRIPTION\nknock computes what happens when bodies hit each other. It embeds Lua 5.4 and adds models, laws of "
      .. "impact, and functions that compare, simulate, sweep, record and plot. Without a script it "
      .. "starts a session, or runs standard input when that is no terminal. In scripts, "
      .. "\n.B require \\(dqknock\\(dq\ngives the module that is called k below. Units are SI, angles are in radians.",
    ".SH USAGE AND EXIT STATUS\n.nf\n" .. roff(usage_lines()) .. ".fi" }
  man_commands(out)
  local c = doc.catalog()
  man_entries(out, "MODELS", c.models, "k.")
  man_entries(out, "LAWS", c.laws, "k.law.")
  out[#out + 1] = ".SH FUNCTIONS"
  for owner, list in sorted(c.functions) do
    for _, f in sorted(list) do out[#out + 1] = (".TP\n.B %s\n%s%s"):format(roff(f.usage), man_points(f.doc), man_options(owner, f)) end
  end
  out[#out + 1] = ".SH FILES\n.TP\n.I $XDG_STATE_HOME/knock/history\nwhat was typed in sessions\n.TP\n"
    .. ".I $XDG_CONFIG_HOME/knock/init.lua\nrun when a session starts, unless \\-\\-no\\-init"
  out[#out + 1] = ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nno colours\n.TP\n.B KNOCK_HOME\nthe folder with lua, plots and "
    .. "scenarios\n.TP\n.B LUA_INIT\nas in lua(1)\n.TP\n.B SOURCE_DATE_EPOCH\nthe time that goes into files"
  return table.concat(out, "\n") .. "\n"
end

-- ---- Markdown ------------------------------------------------------------------------------------------------------

local function cell(text) return (text:gsub("|", "\\|"):gsub("\n", " ")) end

local function markdown_entries(out, title, entries, prefix)
  out[#out + 1] = ("## %s\n"):format(title)
  for _, entry in ipairs(entries) do
    out[#out + 1] = ("### `%s%s`\n\n%s\n"):format(prefix, entry.name, entry.doc)
    if entry.paper ~= "" then out[#out + 1] = ("Paper: %s\n"):format(entry.paper) end
    out[#out + 1] = "| parameter | default | unit | expects | meaning |\n|---|---|---|---|---|"
    for _, p in ipairs(entry.params) do
      out[#out + 1] = ("| `%s` | %s | %s | %s | %s |"):format(p.key, cell(help.default_text(p)),
        p.kind == "object" and "" or unit_text(p.unit), cell(p.expects), cell(p.doc))
    end
    out[#out + 1] = ("\n```lua\n%s\n```\n"):format(entry.example)
  end
end

local function markdown_commands(out)
  out[#out + 1] = "## Commands\n"
  for _, c in ipairs(doc.catalog().commands) do
    out[#out + 1] = ("### `%s`\n\n%s\n\n```\n%s%s\n```\n"):format(c.usage, c.about,
      c.options and c.options .. "\n\n" or "", c.example)
  end
end

--- The reference in Markdown.
function M.markdown()
  local c, out = doc.catalog(), { ("# knock %s: reference\n"):format(host.version), help.page "units", "" }
  markdown_commands(out)
  markdown_entries(out, "Models", c.models, "k.")
  markdown_entries(out, "Laws", c.laws, "k.law.")
  out[#out + 1] = "## Functions\n"
  for owner, list in sorted(c.functions) do
    out[#out + 1] = ("### %s\n"):format(owner)
    for _, f in sorted(list) do
      out[#out + 1] = ("- `%s`  \n  %s"):format(f.usage, (f.doc:gsub("\n", "\n  ")))
      for _, p in ipairs(doc.options(owner, f.usage:match "[%w_]+[.:]([%w_]+)" or "") or {}) do
        local unit = p.kind == "value" and "" or unit_text(p.unit)
        out[#out + 1] = ("  - `%s` = %s%s: %s (%s)"):format(p.key, help.default_text(p), unit ~= "" and " " .. unit or "", p.doc, p.expects)
      end
      if f.example then out[#out + 1] = ("  ```lua\n  %s\n  ```"):format((f.example:gsub("\n", "\n  "))) end
    end
    out[#out + 1] = ""
  end
  out[#out + 1] = "## Fields\n"
  for kind, fields in sorted(c.fields) do
    out[#out + 1] = ("### %s\n\n| field | unit | meaning |\n|---|---|---|"):format(kind)
    for _, f in ipairs(fields) do out[#out + 1] = ("| `%s` | %s | %s |"):format(f[1], unit_text(f[2]), cell(f[3])) end
    out[#out + 1] = ""
  end
  return table.concat(out, "\n")
end

-- ---- LuaLS ---------------------------------------------------------------------------------------------------------

local types = { number = "number", integer = "integer", boolean = "boolean", vector = "number[]|matrix",
  list = "number|number[]|matrix", matrix = "number[][]|matrix", choice = "string", object = "law" }

local function luals_builder(out, class, path, entry)
  out[#out + 1] = ("---@class %s.parameters"):format(class)
  for _, p in ipairs(entry.params) do
    local unit = unit_text(p.unit)
    out[#out + 1] = ("---@field %s%s %s # %s (default %s%s)"):format(p.key, p.default == nil and "" or "?",
      types[p.kind] or "any", p.doc, help.default_text(p), unit ~= "" and p.kind ~= "object" and " " .. unit or "")
  end
  out[#out + 1] = ("\n---%s\n---@param parameters? %s.parameters\n---@return %s\nfunction %s(parameters) end\n"):format(
    entry.doc, class, path:find "law" and "law" or "model", path)
end

local function class_fields(out, kind, fields)
  out[#out + 1] = "---@class " .. kind
  for _, f in ipairs(fields) do
    local unit = unit_text(f[2])
    out[#out + 1] = ("---@field %s any # %s%s"):format(f[1], f[3], unit ~= "" and " [" .. unit .. "]" or "")
  end
  out[#out + 1] = ("local %s = {}\n"):format(kind)
end

--- Annotations for editors with the Lua language server.
function M.luals()
  local c = doc.catalog()
  local out = { "---@meta knock", ("-- made by `knock manual luals`, knock %s\n"):format(host.version) }
  local classes = { sweep = {}, figure = {} }
  for kind, fields in pairs(c.fields) do classes[kind] = fields end
  for kind, fields in sorted(classes) do class_fields(out, kind, fields) end
  out[#out + 1] = "local k = {}\nk.law = {}\nk.solve = {}\n"
  for _, entry in ipairs(c.models) do luals_builder(out, "knock." .. entry.name, "k." .. entry.name, entry) end
  for _, entry in ipairs(c.laws) do luals_builder(out, "knock.law." .. entry.name, "k.law." .. entry.name, entry) end
  for owner, list in sorted(c.functions) do
    local path = classes[owner] and owner .. ":" or owner:find "^k" and owner .. "." or nil
    for name, f in sorted(list) do
      if path and path ~= "k.sweep." then
        out[#out + 1] = ("---`%s`\n---%s\nfunction %s%s(...) end\n"):format(f.usage, f.doc:gsub("\n", "\n---"), path, name)
      end
    end
  end
  out[#out + 1] = "return k"
  return table.concat(out, "\n") .. "\n"
end

-- ---- completion of shells ---------------------------------------------------------------------------------------

-- options as `knock --help` lists them, and commands: { word, text }
local function words()
  local options, commands = {}, {}
  for line in usage_lines():gmatch "[^\n]+" do
    local option, text = line:match "^  (%-%-?[%w-]+).-%s%s+(.*)$"
    if option and option ~= "--" and option ~= "-" then options[#options + 1] = { option, text } end
  end
  for i, c in ipairs(doc.catalog().commands) do commands[i] = { c.name, c.doc } end
  return options, commands
end

local function firsts(list)
  local names = {}
  for i, entry in ipairs(list) do names[i] = entry[1] end
  return table.concat(names, " ")
end

local function topics()
  local names = doc.names()
  table.sort(names)
  return table.concat(names, " ")
end

-- the scenarios that draw: what gallery takes
local function scenario_names()
  local list = {}
  for _, file in ipairs(require "knock.host".files(require "knock.host".home .. "/scenarios") or {}) do
    list[#list + 1] = file:match "^(%a+_.*)%.lua$"
  end
  table.sort(list)
  return table.concat(list, " ")
end

--- Completion for bash.
function M.bash()
  local options, commands = words()
  return ([[
# bash completion for knock, made by `knock manual bash`
_knock() {
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} before=${COMP_WORDS[COMP_CWORD-1]}
  case $before in
    --term) COMPREPLY=($(compgen -W "pdf svg png tex txt dumb" -- "$word")); return ;;
    --out|-o) COMPREPLY=($(compgen -d -- "$word")); return ;;
    --sandbox) [ "$word" = "=" ] && { COMPREPLY=(lua); return; } ;;
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "OPTIONS" -- "$word")); return ;;
  esac
  if [ "$command" = help ]; then
    COMPREPLY=($(compgen -W "TOPICS" -- "$word"))
  elif [ "$command" = reproduce ]; then
    COMPREPLY=($(compgen -W "johnson jia batlle manipulator morgan --json --markdown" -- "$word"))
  elif [ "$command" = gallery ]; then
    COMPREPLY=($(compgen -W "SCENARIOS" -- "$word"))
  elif [ "$command" = manual ]; then
    COMPREPLY=($(compgen -W "man markdown luals bash zsh" -- "$word"))
  elif [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W "COMMANDS" -- "$word") $(compgen -f -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _knock knock
]]):gsub("OPTIONS", firsts(options)):gsub("COMMANDS", firsts(commands)):gsub("TOPICS", topics()):gsub("SCENARIOS", scenario_names()), nil
end

--- Completion for zsh.
function M.zsh()
  local options, commands = words()
  local out = { "#compdef knock", "# made by `knock manual zsh`", "local -a commands options", "commands=(" }
  local function quote(text) return (text:gsub("'", "'\\''"):gsub(":", "\\:")) end
  for _, c in ipairs(commands) do out[#out + 1] = ("  '%s:%s'"):format(c[1], quote(c[2])) end
  out[#out + 1] = ")\noptions=("
  for _, o in ipairs(options) do out[#out + 1] = ("  '%s:%s'"):format(o[1], quote(o[2])) end
  out[#out + 1] = ")"
  out[#out + 1] = ([=[
if [[ $words[CURRENT] == -* ]]; then
  _describe option options
elif (( CURRENT == 2 )); then
  _describe command commands
  _files
elif [[ $words[2] == help ]]; then
  compadd TOPICS
else
  _files
fi]=]):gsub("TOPICS", topics())
  return table.concat(out, "\n") .. "\n"
end

-- ---- JSON ----------------------------------------------------------------------------------------------------------

local function json(x)
  if type(x) == "table" then
    local parts = {}
    if #x > 0 or next(x) == nil then
      for i, value in ipairs(x) do parts[i] = json(value) end
      return "[" .. table.concat(parts, ",") .. "]"
    end
    for key, value in sorted(x) do parts[#parts + 1] = json(tostring(key)) .. ":" .. json(value) end
    return "{" .. table.concat(parts, ",") .. "}"
  end
  if type(x) == "string" then
    return '"' .. x:gsub('[%c"\\]', function(c) return ("\\u%04x"):format(c:byte()) end) .. '"'
  end
  if type(x) == "number" and (x ~= x or x == math.huge or x == -math.huge) then return '"' .. tostring(x) .. '"' end
  if math.type(x) == "float" then return ("%.17g"):format(x) end
  return tostring(x)
end

--- Any value of tables, strings, numbers and booleans as JSON.
M.json = json

return M
