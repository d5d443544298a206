-- What Tab offers: globals, fields, methods, keywords, parameter names inside `k.ball{`, module names
-- after require, topics after help and a question mark, and file names inside strings.

local host = require "knock.host"

local M = {}

local keywords = { "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
  "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while" }

-- ---- where we are ------------------------------------------------------------------------------------------------

-- Walks over the text as Lua's lexer would: the quote that is open at the end (with its place), and the
-- stack of open brackets with theirs.
local function scan(text)
  local at, open, quote = 1, {}, nil
  while at <= #text do
    local c = text:sub(at, at)
    if c == '"' or c == "'" then
      local close = at + 1
      while close <= #text and text:sub(close, close) ~= c do
        close = close + (text:sub(close, close) == "\\" and 2 or 1)
      end
      if close > #text then quote = { c, at } end
      at = close
    elseif text:find("^%-%-", at) then
      at = text:find("\n", at, true) or #text
    elseif c == "{" or c == "(" or c == "[" then
      open[#open + 1] = { c, at }
    elseif c == "}" or c == ")" or c == "]" then
      open[#open] = nil
    end
    at = at + 1
  end
  return quote, open
end

-- the value of a chain like k.law.newton or f[1].x, without calling anything of the script's
local function value_of(chain)
  local value = _G
  for name in chain:gmatch "[%w_]+" do
    name = name:find "^%d" and tonumber(name) or name
    if type(value) ~= "table" and type(value) ~= "userdata" then return nil end
    local ok, next_value = pcall(function()
      if value == _G then return rawget(_G, name) end
      return value[name]
    end)
    if not ok then return nil end
    value = next_value
  end
  return value
end

-- ---- candidates --------------------------------------------------------------------------------------------------

local function add_keys(list, t)
  for key in next, t do
    if type(key) == "string" and key:match "^[%a_][%w_]*$" and not key:match "^__" then list[#list + 1] = key end
  end
end

-- globals that a person may want: not _3 and the like
local function global_names()
  local list = {}
  add_keys(list, _G)
  for i = #list, 1, -1 do if list[i]:match "^_%d*$" then table.remove(list, i) end end
  for _, name in ipairs(keywords) do list[#list + 1] = name end
  return list
end

-- what k has for people: models, and what the help describes; the rest are rooms of its own
local function public_names()
  local catalog, list = require "knock.doc".catalog(), { "law" }
  for _, entry in ipairs(catalog.models) do list[#list + 1] = entry.name end
  for name in pairs(catalog.functions.k or {}) do if name ~= "catalog" then list[#list + 1] = name end end
  for owner in pairs(catalog.functions) do list[#list + 1] = owner:match "^k%.([%a_]+)$" end
  return list
end

-- Things of knock's by the name the help has for them; nil for what belongs to the script.
local function kind_of(value)
  local meta = debug.getmetatable(value)
  if type(meta) ~= "table" or require "knock.pretty".is_module(value) then return nil end
  local name, is_list = rawget(meta, "__name"), type(value) == "table" and rawget(meta, "__pairs")
  if is_list and value.write == require "knock.core".types.events.write then return "run.events" end
  return type(name) == "string" and name:gsub("^knock%.", "") or nil
end

-- after a colon: documented methods; of the script's own tables, and of libraries, their functions
local function method_names(value)
  local list, kind = {}, kind_of(value)
  local known = kind and require "knock.doc".catalog().functions[kind]
  if type(value) == "string" then add_keys(list, string) end
  for name in pairs(known or {}) do list[#list + 1] = name end
  if known or type(value) ~= "table" then return list end
  local meta = debug.getmetatable(value)
  local class = type(meta) == "table" and rawget(meta, "__index")
  for _, t in ipairs { value, type(class) == "table" and class or nil } do
    for key, f in next, t do
      if type(f) == "function" and type(key) == "string" and key:match "^[%a_][%w_]*$" and not key:match "^__" then list[#list + 1] = key end
    end
  end
  return list
end

-- after a point: fields; modules have their functions there
local function field_names(value)
  local list, kind = {}, kind_of(value)
  if value == package.loaded.knock then return public_names() end
  if type(value) == "table" and not kind then add_keys(list, value) end
  if kind then
    for _, name in ipairs(require "knock.doc".field_names(value, kind)) do list[#list + 1] = name end
  end
  if kind == "matrix" then add_keys(list, require "knock.core".mechanisms.labels(value) or {}) end -- m.q.leg
  for i = #list, 1, -1 do if list[i]:find "[^%w_]" then table.remove(list, i) end end -- m["leg.mass"] is typed otherwise
  return list
end

-- m["leg. and m:with{ ["leg. : parameters, coordinates and speeds of a mechanism
local function mechanism_names(text)
  local chain = text:match "([%a_][%w_.]*)%[$" or text:match "([%a_][%w_.]*):with%s*%(?%s*{[^{}]*%[$"
  local value = chain and value_of(chain)
  if value == nil or kind_of(value) ~= "model" or not require "knock.core".mechanisms.info(value) then return nil end
  local list = {}
  for _, p in ipairs(value:describe()) do list[#list + 1] = p.key end
  for _, g in ipairs(value.groups) do list[#list + 1] = g.name end
  return list
end

-- names inside the innermost open brace: parameters of the builder in front of it, or options of the function
-- whose argument it is, k.simulate(m, l, { and f:save("x.pdf", {
local function parameter_names(text, open)
  local doc, brace, outer = require "knock.doc", open[#open][2], open[#open - 1]
  local chain = text:sub(1, brace - 1):match "([%a_][%w_.:]*)%s*$"
  if chain then return doc.parameter_names((chain:gsub("^k%.", ""))) or doc.option_names(chain) end
  if not outer or outer[1] ~= "(" then return nil end
  local call = text:sub(1, outer[2] - 1):match "([%a_][%w_.]*[.:][%w_]+)%s*$" or text:sub(1, outer[2] - 1):match "(:[%w_]+)%s*$"
  return call and doc.option_names(call)
end

local function module_names()
  local list = {}
  for name in next, package.loaded do list[#list + 1] = name end
  for name in next, package.preload do list[#list + 1] = name end
  return list
end

local function topics()
  local doc = require "knock.doc"
  local list = doc.names()
  for _, law in ipairs(doc.catalog().laws) do list[#list + 1] = "law." .. law.name end
  return list
end

-- ---- putting it together -------------------------------------------------------------------------------------------

local function matching(list, word)
  local found, seen = {}, {}
  for _, name in ipairs(list) do
    if name:sub(1, #word) == word and not seen[name] then
      seen[name] = true
      found[#found + 1] = name
    end
  end
  table.sort(found)
  return found
end

local function file_names(word)
  local dir, stem = word:match "^(.*/)([^/]*)$"
  if not dir then dir, stem = "", word end
  local found = {}
  for _, name in ipairs(host.files(dir == "" and "." or dir) or {}) do
    if name:sub(1, #stem) == stem and (stem ~= "" or name:sub(1, 1) ~= ".") then found[#found + 1] = dir .. name end
  end
  table.sort(found)
  return found
end

-- the plots that a thing has: after hit:plot "
local function plot_kinds(text)
  local chain = text:match "([%a_][%w_.]*):plot%s*%(?%s*$"
  local value = chain and value_of(chain)
  local kind = value ~= nil and kind_of(value)
  if not kind then return nil end
  pcall(require, "knock.draw." .. kind)
  for _, p in ipairs(require "knock.options".all[kind .. ":plot"] or {}) do
    local list = {}
    for word in (p.choices or p.doc):gmatch "[%a_]+" do list[#list + 1] = word end
    if p.key == "kind" then return list end
  end
end

local function in_string(text, quote)
  local word = text:sub(quote[2] + 1)
  local kinds = plot_kinds(text:sub(1, quote[2] - 1)) or mechanism_names(text:sub(1, quote[2] - 1))
  if kinds then return matching(kinds, word), quote[1] end
  if text:sub(1, quote[2] - 1):match "require%s*%(?%s*$" then return matching(module_names(), word), quote[1] end
  if text:sub(1, quote[2] - 1):match "%f[%w_]help%s*%(?%s*$" then return matching(topics(), word), quote[1] end
  local files = file_names(word)
  return files, #files == 1 and files[1]:sub(-1) ~= "/" and quote[1] or nil
end

-- "?ba" asks for help; the question mark, and "law." in front of a point, are words of their own
local function question(text, start)
  local blanks, topic = text:match "^(%s*%?%s*)(.*)$"
  local found = matching(topics(), topic)
  for i, name in ipairs(found) do found[i] = (blanks .. name):sub(start + 1) end
  return found
end

--- Completions of the word text:sub(start + 1), and the character behind a single one.
function M.words(text, start)
  if text:find "^%s*%?" then return question(text, start) end
  local quote, open = scan(text)
  if quote then return in_string(text, quote) end
  local word = text:sub(start + 1)
  local chain, mark = text:sub(1, start):match "([%a_][%w_.%[%]]*)([.:])$"
  if chain then return matching((mark == ":" and method_names or field_names)(value_of(chain)), word) end
  if text:sub(1, start):match "[\"'%]]%]?%)?:$" then return matching(method_names "", word) end -- ("x"):rep
  local brace = open[#open]
  if brace and brace[1] == "{" and text:sub(brace[2] + 1, start):match "[,{]?%s*$" and not text:sub(brace[2], start):match "=%s*$" then
    local names = parameter_names(text, open)
    local found = names and matching(names, word)
    if found and #found > 0 then return found, "=" end
  end
  return matching(global_names(), word)
end

return M
