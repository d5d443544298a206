-- Styles: plots/<name>.gp, gnuplot files whose knock_ variables say what knock needs to know.
-- A style can also be a path to such a file, or a table: { base = "ieee1", size = 7 }.

local host = require "knock.host"

local style = {}
local cache = {}
local short = { ieee = "ieee1", elsevier = "elsevier1" }

local function read(path)
  local file = io.open(path, "r")
  if not file then return nil end
  local text = file:read "a"
  file:close()
  return text
end

local function parse(source, out)
  for line in source:gmatch "[^\n]+" do
    local name, value = line:match "^knock_(%w+)%s*=%s*(.-)%s*$"
    if name then
      out[name] = tonumber(value) or value:match "^'([^']*)'$" or value
    elseif not line:match "^%s*#" and not line:match "^%s*$" then
      out.commands[#out.commands + 1] = line
    end
  end
  return out
end

local function find(name)
  local path = name
  if not name:find "[/.]" then path = ("%s/plots/%s.gp"):format(host.home, short[name] or name) end
  local source = read(path)
  if source then return source end
  host.fail(("plot: no style '%s' (there are %s; or give a path)"):format(name, table.concat(style.names(), ", ")))
end

function style.names()
  return { "ieee1", "ieee2", "elsevier1", "elsevier2", "slides", "screen" }
end

local function words(s)
  local out = {}
  for word in s:gmatch "%S+" do out[#out + 1] = word end
  return out
end

local function load(name)
  local source = find(name)
  local base = source:match "knock_base%s*=%s*'([%w_-]+)'"
  local out = base and load(base) or { commands = {} }
  return parse(source, out)
end

local function named(name)
  if cache[name] then return cache[name] end
  local s = load(name)
  s.name = name
  if type(s.width) ~= "number" or type(s.size) ~= "number" then
    host.fail(("plot: style '%s' must set knock_width (cm) and knock_size (pt)"):format(name))
  end
  s.colours, s.dashes = words(s.colours), words(s.dashes)
  cache[name] = s
  return s
end

function style.get(what)
  if type(what) ~= "table" then return named(what) end
  return setmetatable(what, { __index = named(rawget(what, "base") or "ieee1") })
end

return style
