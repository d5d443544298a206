-- Tables of options, described once: the same list checks what a script gives, fills in the defaults, and is
-- what help and Tab show. Functions in C describe theirs by a core_schema; both are in core.options by the
-- name of the function.
--
--   local check = options.define("figure:save", {
--     { "keep", "boolean", "leaves the data and a gnuplot script beside the figure" },
--     { "style", "string", "look of the page", choices = { "ieee1", "slides" } },
--     { "dpi", "number", "resolution", unit = "1/inch", default = 300, above = 0 },
--   })
--   o = check(o)        -- a copy with the defaults; errors name the function, the option and what came
--
-- A kind is a type of Lua, several with | between them, "integer", "column" (a list or a vector) or "any".

local core = require "knock.core"
local host = require "knock.host"

local options = { all = core.options }

local function matches(kind, value)
  for word in kind:gmatch "[^|]+" do
    local t = type(value)
    if word == "any" or word == t then return true end
    if word == "integer" and math.tointeger(value) then return true end
    if word == "column" and (t == "table" or getmetatable(value) == "matrix") then return true end
  end
  return false
end

local nouns = { integer = "a whole number", column = "a list or a vector of numbers", boolean = "true or false",
  ["function"] = "a function", any = "anything" }

-- "a number above 0", "one of line, points": what an option expects, in words
local function expects(p)
  if p.choices then return "one of " .. table.concat(p.choices, ", ") end
  local parts = {}
  for word in p.kind:gmatch "[^|]+" do parts[#parts + 1] = nouns[word] or "a " .. word end
  local text = table.concat(parts, " or ")
  if p.above then text = text .. " above " .. p.above end
  if p.min and p.max then text = text .. (" from %g to %g"):format(p.min, p.max) elseif p.min then text = text .. " of at least " .. p.min end
  return p.unit ~= "" and p.unit ~= "1" and text .. " of " .. p.unit or text
end

local came = host.got

local function allowed(p, value)
  if p.choices then
    for _, word in ipairs(p.choices) do if word == value then return true end end
    return p.kind ~= "string" and type(value) ~= "string" and matches(p.kind, value)
  end
  if not matches(p.kind, value) then return false end
  if type(value) ~= "number" then return true end
  return not (p.above and value <= p.above or p.min and value < p.min or p.max and value > p.max or value ~= value)
end

--- k:plot{...} for k.plot{...}: an error that says so.
function options.dot(o, name)
  local meta = type(o) == "table" and getmetatable(o)
  if type(meta) == "table" and meta.__name == "knock" then host.fail(("%s: use a dot, as in k.%s{...}, not a colon"):format(name, name)) end
end

local function unknown(owner, key, known, value, first)
  if type(key) == "number" then
    host.fail(("%s: takes named options, as in {%s = ...}, got %s"):format(owner, first or "name", came(value)))
  end
  local near = type(key) == "string" and host.nearest(key, known)
  host.fail(("%s: unknown option '%s'%s"):format(owner, tostring(key), near and (" (did you mean '%s'?)"):format(near) or ""))
end

--- Describes the options of a function and gives the function that checks them: check(o) is a copy of o with
--- defaults. List items ([1], [2] ...) pass where `list` says what they are. `owner` starts the messages.
function options.define(name, list, owner)
  owner = owner or name:match "[%w_]+$"
  local known, shown = {}, {}
  for i, p in ipairs(list) do
    p.key, p.kind, p.doc, p.unit = p[1], p[2], p[3], p.unit or ""
    p.expects = expects(p)
    known[p.key] = p
    shown[i] = { key = p.key, kind = p.kind, unit = p.unit, doc = p.doc, expects = p.expects, choices = p.choices and table.concat(p.choices, "|"),
      default = p.default == nil and "nil" or tostring(p.default), n = 1 }
  end
  options.all[name] = shown
  return function(o)
    local copy = {}
    if o ~= nil and type(o) ~= "table" then host.fail(("%s: takes a table of options, got %s"):format(owner, came(o))) end
    options.dot(o, owner)
    for key, value in pairs(o or {}) do
      local p = known[key]
      if p == nil and not (list.list and math.type(key) == "integer") then unknown(owner, key, known, value, list[1] and list[1][1]) end
      if p and not allowed(p, value) then host.fail(("%s: %s must be %s, got %s"):format(owner, key, p.expects, came(value))) end
      copy[key] = value
    end
    for _, p in ipairs(list) do if copy[p.key] == nil then copy[p.key] = p.default end end
    return copy
  end
end

--- The lists one after the other, for functions that share some.
function options.join(...)
  local out = {}
  for _, list in ipairs { ... } do
    out.list = out.list or list.list
    for _, p in ipairs(list) do out[#out + 1] = p end
  end
  return out
end

--- Refuses keys of `given` that are not in the list `names`; `what` is what they belong to: "plot: axis x".
function options.only(what, given, names)
  if type(given) ~= "table" then host.fail(("%s: expected a table { name = value, ... }, got %s"):format(what, came(given))) end
  local known = {}
  for _, name in ipairs(names) do known[name] = true end
  for key, value in pairs(given) do if not known[key] then unknown(what, key, known, value, names[1]) end end
end

--- x.plot(...) for x:plot(...): an error that says so. `is` tells whether the first argument is what it should be.
function options.colon(is, name, of)
  if not is then host.fail(("%s is a method of %s: use : as in x:%s(...), not a dot"):format(name, of, name)) end
end

return options
