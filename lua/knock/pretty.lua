-- Values as a person wants to see them: nested tables with sorted keys, cycles and limits, matrices,
-- models, laws, hits, runs and tables by their own tostring, colours on a terminal.

local M = { colour = false, depth = 4, items = 40, width = 80 }

local codes = { number = "36", string = "32", boolean = "35", ["nil"] = "90", key = "34", dim = "90" }

local function paint(kind, text)
  local code = M.colour and codes[kind]
  return code and ("\27[%sm%s\27[0m"):format(code, text) or text
end

local function number(x)
  if math.type(x) == "integer" then return tostring(x) end
  if x ~= x then return "nan" end
  if x == math.huge or x == -math.huge then return x > 0 and "inf" or "-inf" end
  local short = ("%.14g"):format(x)
  return short:find "[.eEn]" and short or short .. ".0"
end

local function quoted(s)
  return '"' .. s:gsub('[%c"\\]', function(c)
    local known = { ["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r", ['"'] = '\\"', ["\\"] = "\\\\" }
    return known[c] or ("\\%d"):format(c:byte())
  end) .. '"'
end

-- numbers first, then strings, then the rest by their text
local order = { number = 1, string = 2, boolean = 3 }
local function by_key(a, b)
  local x, y = order[type(a)] or 4, order[type(b)] or 4
  if x ~= y then return x < y end
  if x <= 2 then return a < b end
  return tostring(a) < tostring(b)
end

local show

local function show_key(key, state)
  if type(key) == "string" and key:match "^[%a_][%w_]*$" then return paint("key", key) end
  return "[" .. show(key, state, 99) .. "]"
end

-- the parts of a table: list items without keys, then key = value
local function parts_of(t, state, depth)
  local parts, n, shown = {}, #t, 0
  local function add(text) shown = shown + 1; parts[#parts + 1] = text end
  for i = 1, n do
    if shown >= M.items then break end
    local item = rawget(t, i)
    if item == nil then item = t[i] end -- lists that fill themselves
    add(show(item, state, depth + 1))
  end
  local keys = {}
  for key in next, t do
    if not (math.type(key) == "integer" and key >= 1 and key <= n) then keys[#keys + 1] = key end
  end
  table.sort(keys, by_key)
  for _, key in ipairs(keys) do
    if shown >= M.items then break end
    add(show_key(key, state) .. " = " .. show(rawget(t, key), state, depth + 1))
  end
  local left = n + #keys - shown
  if left > 0 then parts[#parts + 1] = paint("dim", ("... %d more"):format(left)) end
  return parts
end

local function plain_length(text) return utf8.len((text:gsub("\27%[%d*m", ""))) or #text end

-- as many parts in a line as fit
local function fill(parts, depth)
  local lines, line, used = {}, "{ ", 2
  for i, part in ipairs(parts) do
    local piece = part .. (i < #parts and ", " or " }")
    local n = plain_length(piece)
    if i > 1 and 2 * depth + used + n > M.width then
      lines[#lines + 1] = line:gsub("%s+$", "")
      line, used = ("  "):rep(depth + 1), 2
    end
    line, used = line .. piece, used + n
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

local function show_table(t, state, depth)
  if state[t] then return paint("dim", "<cycle>") end
  if next(t) == nil and #t == 0 then return "{}" end
  if depth >= M.depth then return paint("dim", "{...}") end
  state[t] = true
  local parts = parts_of(t, state, depth)
  state[t] = nil
  local length, broken = 2 * depth + 4, false
  for _, part in ipairs(parts) do
    length = length + plain_length(part) + 2
    broken = broken or part:find "\n"
  end
  if length <= M.width and not broken then return "{ " .. table.concat(parts, ", ") .. " }" end
  if not broken then return fill(parts, depth) end
  local indent = ("  "):rep(depth + 1)
  return "{\n" .. indent .. table.concat(parts, ",\n" .. indent) .. "\n" .. ("  "):rep(depth) .. "}"
end

--- Whether it is k, or a table of functions in it (k.law, k.mechanism ...): these are what they hold.
function M.is_module(x)
  local k = package.loaded.knock
  if x == k then return k ~= nil end
  for _, value in next, k or {} do if value == x then return type(x) == "table" end end
  return false
end

local function has_tostring(x)
  local meta = debug.getmetatable(x)
  return type(meta) == "table" and (rawget(meta, "__tostring") or rawget(meta, "__name") and not M.is_module(x))
end

-- a function of knock's by its name and its first line of help, others as Lua shows them
local function show_function(f)
  local doc, k = require "knock.doc", package.loaded.knock
  for owner, list in pairs(doc.catalog().functions) do
    local home = owner == "k" and k or k and rawget(k, (owner:gsub("^k%.", "")))
    for name, entry in pairs(list) do
      if type(home) == "table" and rawget(home, name) == f then
        return ("%s%s: help %s"):format(owner == "k" and "k." or owner .. ".", name, name), entry
      end
    end
  end
  for _, entry in ipairs(doc.catalog().models) do if k and rawget(k, entry.name) == f then return ("k.%s{...}: a model, see help %s"):format(entry.name, entry.name) end end
  for _, entry in ipairs(doc.catalog().laws) do if k and rawget(k.law, entry.name) == f then return ("k.law.%s{...}: a law, see help law.%s"):format(entry.name, entry.name) end end
  if f == rawget(_G, "help") then return "help: type help, or help ball" end
end

function show(x, state, depth)
  local kind = type(x)
  if kind == "function" and package.loaded.knock then
    local ok, text = pcall(show_function, x)
    if ok and text then return text end
  end
  if kind == "number" then return paint("number", number(x)) end
  if kind == "string" then return paint("string", quoted(x)) end
  if kind == "boolean" or kind == "nil" then return paint(kind, tostring(x)) end
  if kind == "table" and not has_tostring(x) then return show_table(x, state, depth) end
  local text = tostring(x)
  if depth == 0 then return text end
  return (text:gsub("\n.*", " ..."))
end

--- The text of one value.
function M.text(x) return show(x, {}, 0) end

return M
