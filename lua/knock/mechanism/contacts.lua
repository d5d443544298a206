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
  local pair = name:match "^[^#]+"
  local a, b = pair:match "^(.-)/(.*)$"
  local function last(part) return part:match "[^.]+$" end
  local function first(part) return part:find "%." and part:match "^[^.]+" or nil end
  local function dotted(part) return part:find "%." and part or nil end
  local parts, bodies = { dotted(a) }, { first(a) }
  parts[#parts + 1], bodies[#bodies + 1] = dotted(b), first(b)
  return { { name }, { pair }, parts, { last(a), last(b) }, bodies, { "other" } }
end

-- the number that a table by names has for one contact
local function pick(law, key, by, name, used)
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
    if found then
      used[found] = true
      return by[found]
    end
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

-- the law with plain lists for the contacts of a model, or those with these numbers.
local function resolve(law, model, ids)
  local info = core.mechanisms.info(model)
  if not info then host.fail(("law.%s: contacts of %s have no names: give a list"):format(law.name, model.name)) end
  local names, changes = core.mechanisms.names(law), {}
  for key, by in pairs(names ~= true and names or {}) do
    check_used(law, key, by, info.contacts)
    local list = {}
    if ids then
      for i, c in ipairs(ids) do list[i] = pick(law, key, by, info.contacts[c], {}) end
    else
      for i, name in ipairs(info.contacts) do list[i] = pick(law, key, by, name, {}) end
    end
    changes[key] = list
  end
  for _, p in ipairs(law:describe()) do
    if type(p.value) == "userdata" and getmetatable(p.value) == "law" and core.mechanisms.names(p.value) then
      changes[p.key] = resolve(p.value, model, ids)
    end
  end
  return law:with(changes)
end

return resolve
