-- What readers of XML share: attributes as numbers, a list of what was not understood, names that we can use.

local core = require "knock.core"
local host = require "knock.host"
local declare = require "knock.mechanism.declare"

local Reader = {}
Reader.__index = Reader

--- A reader of the text of one file.
function Reader.new(file, text)
  local root, why = core.mechanisms.xml(text)
  if not root then host.fail(("mechanism: %s: %s"):format(file, why)) end
  return setmetatable({ file = file, root = root, skipped = {}, order = {}, notes = {}, names = {} }, Reader)
end

function Reader:fail(e, format, ...) host.fail(("mechanism: %s:%d: " .. format):format(self.file, e.line, ...)) end

function Reader:note(e, format, ...) self.notes[#self.notes + 1] = ("line %d: " .. format):format(e.line, ...) end

--- What is there but not used: counted by its words, told once with its first line.
function Reader:skip(e, what)
  local s = self.skipped[what]
  if s then s.n = s.n + 1 return end
  self.skipped[what] = { n = 1, line = e.line }
  self.order[#self.order + 1] = what
end

--- All notes, those of skipped things at the end.
function Reader:all_notes()
  local list = { table.unpack(self.notes) }
  for _, what in ipairs(self.order) do
    local s = self.skipped[what]
    list[#list + 1] = s.n == 1 and ("line %d: %s is not used"):format(s.line, what) or ("line %d and %d more: %s is not used"):format(s.line, s.n - 1, what)
  end
  return list
end

function Reader:first(e, tag)
  for _, child in ipairs(e) do if child.tag == tag then return child end end
end

--- Numbers of an attribute: n of them, or any number of them; `default` when it is absent.
function Reader:numbers(e, name, n, default)
  local text = e.attr[name]
  if text == nil then return default end
  local list = {}
  for word in text:gmatch "%S+" do
    local x = tonumber(word)
    if not x or x ~= x then self:fail(e, "%s of <%s> must be numbers, got '%s'", name, e.tag, word:sub(1, 30)) end
    list[#list + 1] = x + 0.0
  end
  if n and #list ~= n then self:fail(e, "%s of <%s> must be %d number%s, got %d", name, e.tag, n, n == 1 and "" or "s", #list) end
  return list
end

function Reader:number(e, name, default)
  local list = self:numbers(e, name, 1)
  return list and list[1] or default
end

function Reader:word(e, name, default) return e.attr[name] or default end

function Reader:needs(e, name)
  if e.attr[name] == nil then self:fail(e, "<%s> has no %s", e.tag, name) end
  return e.attr[name]
end

--- Attributes that a reader does not know are told.
function Reader:known(e, list)
  for name in pairs(e.attr) do
    if not list[name] then self:skip(e, ("%s of <%s>"):format(name, e.tag)) end
  end
end


--- A name that mechanisms allow and nothing else has: "l_arm link" becomes "l_arm_link".
function Reader:name(e, wanted, fallback)
  local name = (wanted or fallback):gsub("[^%w_%-]", "_")
  if not name:find "^[%a_]" then name = "_" .. name end
  if declare.is_taken(name) or declare.is_column(name) then name = name .. "_" end
  local base, i = name, 1
  while self.names[name] do
    i = i + 1
    name = base .. "_" .. i
  end
  self.names[name] = true
  if wanted and name ~= wanted then self:note(e, "'%s' is called '%s' here", wanted, name) end
  return name
end

--- Six moments that no body can have are told, and taken as they are.
function Reader:check_inertia(e, body, I)
  local a, b, c = core.mechanisms.odd_inertia(I)
  if a then self:note(e, "the inertia of '%s' is that of no body (principal moments %.4g, %.4g, %.4g kg m^2); it is used as it is", body, a, b, c) end
end

return Reader
