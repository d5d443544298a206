-- Which contact of a mechanism a name means, and laws whose lists are by such names.
--
-- "leg.foot/floor#2" is meant, from the most special word on, by its own name, by "leg.foot/floor", by "leg.foot", by "foot" or
-- "floor", by "leg"; "leg.lower" (a stop) also by "stop". "other" means what nothing else does.

local core = require "knock.core"
local host = require "knock.host"

-- words that mean a contact, in groups from the most special on
local function words_of(name)
  local body, side = name:match "^([^./]+)%.([^./]+)$"
  if side == "lower" or side == "upper" then return { { name }, { body }, { "stop" }, { "other" } } end
  local pair = name:match "^[^#]+" or name
  local a, b = pair:match "^(.-)/(.*)$"
  if not a then return { { name }, { pair }, { "other" } } end -- a problem's own words
  local function last(part) return part:match "[^.]+$" end
  local function first(part) return part:find "%." and part:match "^[^.]+" or nil end
  local function dotted(part) return part:find "%." and part or nil end
  local parts, bodies = { dotted(a) }, { first(a) }
  parts[#parts + 1], bodies[#bodies + 1] = dotted(b), first(b)
  return { { name }, { pair }, parts, { last(a), last(b) }, bodies, { "other" } }
end

-- the word of a table by names that means one contact
local function pick(law, key, by, name)
  for _, group in ipairs(words_of(name)) do
    local found
    for _, word in ipairs(group) do
      if by[word] ~= nil and word ~= found then
        if found and by[found] ~= by[word] then
          host.fail(("law.%s: %s: contact '%s' is meant by '%s' and by '%s'"):format(law.name, key, name, found, word))
        end
        found = word
      end
    end
    if found then return found end
  end
  host.fail(("law.%s: %s says nothing of contact '%s' (add it, or other = ...)"):format(law.name, key, name))
end

local function check_used(law, key, by, contacts)
  local used, words = { other = true }, {}
  for _, name in ipairs(contacts) do
    for _, group in ipairs(words_of(name)) do for _, word in ipairs(group) do used[word], words[word] = true, true end end
  end
  for word in pairs(by) do
    if not used[word] then
      local near = host.nearest(word, words)
      host.fail(("law.%s: %s: no contact is called '%s'%s; there are %s"):format(law.name, key, word, near and (" (did you mean '%s'?)"):format(near) or "",
        table.concat(contacts, ", ")))
    end
  end
end

-- the law with plain lists for the contacts called `contacts`, or those of them with the numbers `ids`
local function resolve(law, contacts, ids)
  local names, changes = core.mechanisms.names(law), {}
  for key, by in pairs(names ~= true and names or {}) do
    check_used(law, key, by, contacts)
    local list = {}
    for i = 1, ids and #ids or #contacts do list[i] = by[pick(law, key, by, contacts[ids and ids[i] or i])] end
    changes[key] = list
  end
  for _, p in ipairs(law:describe()) do
    if type(p.value) == "userdata" and getmetatable(p.value) == "law" and core.mechanisms.names(p.value) then
      changes[p.key] = resolve(p.value, contacts, ids)
    end
  end
  return law:with(changes)
end

local function names_of(law, model)
  local info = core.mechanisms.info(model)
  if not info then host.fail(("law.%s: contacts of %s have no names: give a list"):format(law.name, model.name)) end
  return info.contacts
end

local module = {}

-- the law for the contacts of a model, or those of them with these numbers
function module.of_model(law, model, ids) return resolve(law, names_of(law, model), ids) end

-- The law for a problem: problem.names are those of the model's contacts, and problem.contacts says which of them take part (all).
function module.of_problem(law, problem)
  local names = problem.names
  if type(names) ~= "table" then
    host.fail(("solve: law.%s has lists by the names of contacts, and the problem has no names (names = {\"foot\", ...})"):format(law.name))
  end
  for i = 1, #names do
    if type(names[i]) ~= "string" then host.fail(("solve: names[%d] must be the name of a contact, got %s"):format(i, host.got(names[i]))) end
  end
  local ids, rows = problem.contacts, math.tointeger(problem.rows or #problem.v)
  for i, c in ipairs(ids or {}) do
    if not names[c] then host.fail(("solve: contacts[%d] is %s, and there are %d names"):format(i, host.got(c), #names)) end
  end
  local n = type(problem.dim) == "table" and #problem.dim or math.tointeger(problem.dim) and rows // problem.dim or 1
  if #(ids or names) ~= n then host.fail(("solve: names must be one for each of %d contacts, got %d"):format(n, #(ids or names))) end
  return resolve(law, names, ids)
end

-- the numbers of the contacts that one word of the law's list `key` means
function module.meant(law, model, key, word)
  local names, ids = core.mechanisms.names(law), {}
  local by = type(names) == "table" and names[key]
  if not by then host.fail(("law.%s: %s is not by the names of contacts, so it has no '%s'"):format(law.name, key, word)) end
  if by[word] == nil then
    local near = host.nearest(word, by)
    host.fail(("law.%s: %s has no entry '%s'%s"):format(law.name, key, word, near and (" (did you mean '%s'?)"):format(near) or ""))
  end
  for i, name in ipairs(names_of(law, model)) do
    if pick(law, key, by, name) == word then ids[#ids + 1] = i end
  end
  if #ids == 0 then host.fail(("law.%s: %s.%s means no contact: others take its place"):format(law.name, key, word)) end
  return ids
end

return module
