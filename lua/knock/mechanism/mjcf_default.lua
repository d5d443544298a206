-- <default> classes of MJCF: attributes that elements have unless they say otherwise.

local defaults = {}

-- a class: attributes by tag, over those of its parent
local function read_class(s, e, parent, name)
  local class = setmetatable({}, { __index = parent })
  s.classes[name] = class
  for _, child in ipairs(e) do
    if child.tag == "default" then read_class(s, child, class, child.attr.class or name)
    else class[child.tag] = setmetatable(child.attr, { __index = parent and parent[child.tag] }) end
  end
  return class
end

function defaults.read(s)
  s.classes = { main = {} }
  for _, e in ipairs(s.r.root) do
    if e.tag == "default" then s.classes.main = read_class(s, e, s.classes.main, e.attr.class or "main") end
  end
end

--- The attributes that `tag` has by its own class, the childclass around it, or the main one.
function defaults.class_of(s, e, childclass, tag)
  local name = e.attr.class or childclass or "main"
  local class = s.classes[name]
  if not class then s.r:fail(e, "there is no default class '%s'", name) end
  return class[tag]
end

--- The element with the defaults under its own attributes.
function defaults.filled(e, attributes)
  if not attributes then return e end
  local attr, at = {}, attributes
  local chain = {}
  while at do
    table.insert(chain, 1, at)
    local meta = getmetatable(at)
    at = meta and meta.__index
  end
  for _, layer in ipairs(chain) do for key, value in next, layer do attr[key] = value end end
  for key, value in pairs(e.attr) do attr[key] = value end
  return setmetatable({ attr = attr }, { __index = e })
end

return defaults
