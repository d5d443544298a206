-- A declaration of k.mechanism{...} in order: names to places, shapes to parts, numbers to parameters. What a
-- script got wrong is said here; what needs numbers (masses, inertias, the start) the core checks.

local core = require "knock.core"
local host = require "knock.host"

local declare = {}

-- ---- words -----------------------------------------------------------------------------------------------

local known = {
  mechanism = { "name", "plane", "gravity", "bodies", "obstacles", "contacts", "springs", "loops", "q", "u", "view", "check" },
  body = { "name", "parent", "joint", "at", "turn", "axis", "mass", "com", "inertia", "stiffness", "rest", "damping", "torque", "armature",
    "lower", "upper", "points", "spheres", "capsules", "boxes", "planes" },
  spring = { "name", 1, 2, "stiffness", "damping", "rest" },
  contact = { 1, 2 },
  loop = { 1, 2 },
}

local joints = { space = { "fixed", "hinge", "slide", "ball", "free" }, plane = { "fixed", "hinge", "slide", "free" } }

-- the numbers of each shape, those that may be absent with a question mark
local shapes = {
  point = { "at" },
  sphere = { "at?", "radius" },
  capsule = { "from", "to", "radius" },
  box = { "at?", "turn?", "size" },
  plane = { "point", "normal" },
}
local kinds = { { "points", "point" }, { "spheres", "sphere" }, { "capsules", "capsule" }, { "boxes", "box" }, { "planes", "plane" } }

local function came(value)
  if type(value) == "string" then return ("'%s'"):format(value:sub(1, 40)) end
  if type(value) == "number" or type(value) == "boolean" then return tostring(value) end
  return value == nil and "nothing" or "a " .. type(value)
end

local function check_keys(d, what, t, list)
  local set = {}
  for _, key in ipairs(list) do set[key] = true end
  for key in pairs(t) do
    if not set[key] then
      local near = type(key) == "string" and host.nearest(key, set)
      d:fail("%sunknown key '%s'%s", what and what .. ": " or "", tostring(key),
        (near and " (did you mean '%s'?)" or " (there are: %s)"):format(near or table.concat(list, ", ")))
    end
  end
end

-- names that models and vectors have for themselves
local taken
function declare.is_taken(name)
  if not taken then
    taken = { gravity = true, view = true, world = true, stop = true, other = true, all = true, law = true, model = true }
    for _, type in ipairs { "model", "matrix" } do
      for key in pairs(core.types[type] or {}) do taken[key] = true end
    end
    for _, field in ipairs(core.catalog().fields.model or {}) do taken[field[1] or field.name] = true end
  end
  return taken[name]
end

-- columns of a run, which its bodies cannot be called
local columns = {}
for name in ("t n names units kinetic potential energy work sliding lost reset"):gmatch "%a+" do columns[name] = true end
function declare.is_column(name) return columns[name] end

-- numbers of a body, which its shapes cannot be called
function declare.is_number(name)
  for _, key in ipairs(known.body) do if key == name then return true end end
  return name == "q" or name == "u" or name == "rate"
end

local function check_name(d, what, name)
  if type(name) ~= "string" then d:fail("%s must have a name, got %s", what, came(name)) end
  if not name:find "^[%a_][%w_%-]*$" then
    d:fail("%s: the name '%s' must be letters, digits, _ and -, with a letter first", what, name:sub(1, 40))
  end
  if declare.is_taken(name) then d:fail("%s: '%s' has a meaning already; choose another name", what, name) end
end

-- a list of named tables: {{name = "a", ...}} as it is, {a = {...}} in the order of its names
local function in_order(d, what, t)
  if t == nil then return {} end
  if type(t) ~= "table" then d:fail("%s must be a table, got %s", what, came(t)) end
  local list, names = {}, {}
  for i, item in ipairs(t) do
    if type(item) ~= "table" then d:fail("%s[%d] must be a table, got %s", what, i, came(item)) end
    list[i] = { item.name, item }
  end
  for key in pairs(t) do if type(key) == "string" then names[#names + 1] = key end end
  table.sort(names)
  for _, name in ipairs(names) do list[#list + 1] = { name, t[name] } end
  return list
end

-- ---- parts -----------------------------------------------------------------------------------------------

local methods = {}
methods.__index = methods

function methods:fail(format, ...) host.fail(("%s: " .. format):format(self.spec.name, ...)) end

function methods:part(name, body, shape)
  if self.part_at[name] then self:fail("two things are called '%s'", name) end
  local parts = self.spec.parts
  parts[#parts + 1] = { name = name, body = body, shape = shape }
  self.part_at[name] = #parts
end

-- "foot" means "leg.foot" when only one body has a foot
local function remember_short(d, short, name)
  d.short[short] = d.short[short] == nil and name or false
end

local function add_shape(d, body, kind, name, t)
  local owner = body > 0 and d.spec.bodies[body].name or nil
  local full = owner and owner .. "." .. name or name
  check_name(d, owner and ("%s.%s"):format(owner, name) or ("obstacle '%s'"):format(tostring(name)), name)
  d:part(full, body, kind)
  if owner then remember_short(d, name, full) end
  if kind == "point" then
    d.values[full] = t.at or t
    return
  end
  if type(t) ~= "table" then d:fail("%s must be a table, got %s", full, came(t)) end
  local keys = { "name" }
  for _, key in ipairs(shapes[kind]) do keys[#keys + 1] = key:match "^%w+" end
  check_keys(d, full, t, keys)
  for _, key in ipairs(shapes[kind]) do
    local word, optional = key:match "^(%w+)(%??)"
    if t[word] == nil and optional == "" then d:fail("%s: %s is missing", full, word) end
    d.values[full .. "." .. word] = t[word]
  end
end

local function kind_of(d, name, t)
  if type(t) ~= "table" then d:fail("obstacle '%s' must be a table, got %s", name, came(t)) end
  if t.normal ~= nil or t.point ~= nil then return "plane" end
  if t.from ~= nil or t.to ~= nil then return "capsule" end
  if t.radius ~= nil then return "sphere" end
  if t.at ~= nil then return "point" end
  d:fail("obstacle '%s' must be a plane {point =, normal =}, a sphere {at =, radius =}, a capsule {from =, to =, radius =} or a point {at =}", name)
end

-- ---- bodies ----------------------------------------------------------------------------------------------

local function joint_of(d, what, joint)
  local list = joints[d.spec.plane and "plane" or "space"]
  for _, word in ipairs(list) do if word == joint then return joint end end
  local near = type(joint) == "string" and host.nearest(joint, list)
  d:fail("joint of %s must be one of %s%s, got %s%s", what, table.concat(list, ", "), d.spec.plane and " in the plane" or "", came(joint),
    near and (" (did you mean '%s'?)"):format(near) or "")
end

local function parent_of(d, what, parent)
  if parent == nil or parent == "world" then return 0 end
  if d.body_at[parent] then return d.body_at[parent] end
  for _, b in ipairs(d.bodies) do
    if type(b) == "table" and b.name == parent then d:fail("the parent of %s, '%s', must come before it", what, tostring(parent)) end
  end
  local near = type(parent) == "string" and host.nearest(parent, d.body_at)
  d:fail("%s: no body is called '%s'%s", what, tostring(parent), near and (" (did you mean '%s'?)"):format(near) or "")
end

-- three numbers, six, or 3 x 3 in space become six
local function six(d, what, I)
  local ok, n = pcall(function() return #I end)
  if type(I) == "number" or not ok then d:fail("%s.inertia must be three numbers, six or 3 x 3 in space, got %s", what, came(I)) end
  if n == 6 then return I end
  if n ~= 3 then d:fail("%s.inertia must be three numbers, six or 3 x 3 in space, got %d", what, n) end
  if type(I[1]) == "number" then return { I[1], 0, 0, I[2], 0, I[3] } end
  for i = 1, 3 do
    for j = 1, i - 1 do
      if I[i][j] ~= I[j][i] then d:fail("%s.inertia must be symmetric, got %g and %g", what, I[i][j], I[j][i]) end
    end
  end
  return { I[1][1], I[1][2], I[1][3], I[2][2], I[2][3], I[3][3] }
end

-- numbers of a body that its joint does not have
local only = {
  axis = { hinge = true, slide = true }, stiffness = { hinge = true, slide = true }, rest = { hinge = true, slide = true },
  lower = { hinge = true, slide = true }, upper = { hinge = true, slide = true }, torque = { hinge = true, slide = true },
  armature = { hinge = true, slide = true },
  damping = { hinge = true, slide = true, ball = true },
  at = { fixed = true, hinge = true, slide = true, ball = true }, turn = { fixed = true, hinge = true, slide = true, ball = true },
}

local function body_numbers(d, b)
  local what, space = b.name, not d.spec.plane
  for _, key in ipairs { "mass", "com", "at", "turn", "axis", "stiffness", "rest", "damping", "torque", "armature", "lower", "upper" } do
    local value = b[key]
    local driven = key == "torque" and type(value) == "function"
    if value ~= nil and only[key] and not only[key][b.joint] and not (driven and b.joint ~= "fixed") then
      d:fail("%s: %s has no meaning for a joint that is %s", what, key, b.joint)
    end
    if key == "axis" and value ~= nil and not space and b.joint == "hinge" then
      d:fail("%s: a hinge in the plane has no axis to choose", what)
    end
    if not driven then d.values[what .. "." .. key] = value end
  end
  if space and b.axis == nil and (b.joint == "hinge" or b.joint == "slide") then
    d:fail("%s: axis is missing: a %s in space needs one, as axis = {0, 1, 0}", what, b.joint)
  end
  if not space and b.axis == nil and b.joint == "slide" then
    d:fail("%s: axis is missing: a slide needs one, as axis = {1, 0}", what)
  end
  if b.lower ~= nil and b.upper ~= nil and type(b.lower) == "number" and type(b.upper) == "number" and b.lower > b.upper then
    d:fail("%s: lower must not be above upper, got %g and %g", what, b.lower, b.upper)
  end
  d.values[what .. ".inertia"] = b.inertia ~= nil and space and six(d, what, b.inertia) or b.inertia
end

local function add_body(d, i, b)
  if type(b) ~= "table" then d:fail("bodies[%d] must be a table, got %s", i, came(b)) end
  check_name(d, ("bodies[%d]"):format(i), b.name)
  if declare.is_column(b.name) then d:fail("bodies[%d]: '%s' is a column of every run; choose another name", i, b.name) end
  check_keys(d, b.name, b, known.body)
  if d.body_at[b.name] then d:fail("two bodies are called '%s'", b.name) end
  if type(b.joint) ~= "string" then
    d:fail("%s: joint is missing: it must be one of %s", b.name, table.concat(joints[d.spec.plane and "plane" or "space"], ", "))
  end
  d.spec.bodies[i] = { name = b.name, parent = parent_of(d, b.name, b.parent), joint = joint_of(d, b.name, b.joint),
    stops = (b.lower ~= nil and 1 or 0) + (b.upper ~= nil and 2 or 0), torque = type(b.torque) == "function" and b.torque or nil }
  d.body_at[b.name] = i
  body_numbers(d, b)
end

local function add_body_shapes(d, i, b)
  for _, kind in ipairs(kinds) do
    local list = b[kind[1]]
    if list ~= nil and type(list) ~= "table" then d:fail("%s.%s must be a table, got %s", b.name, kind[1], came(list)) end
    for _, item in ipairs(in_order(d, b.name .. "." .. kind[1], list)) do add_shape(d, i, kind[2], item[1], item[2]) end
  end
end

local function check_moves(d)
  for _, b in ipairs(d.spec.bodies) do if b.joint ~= "fixed" then return end end
  d:fail "no body can move: all joints are fixed"
end

-- ---- pairs: contacts, springs, loops ----------------------------------------------------------------------

local function find_part(d, what, name)
  local full = type(name) == "string" and (d.part_at[name] and name or d.short[name])
  if full then return d.part_at[full] end
  if d.short[name] == false then d:fail("%s: several bodies have a '%s'; write the body's name before it, as leg.%s", what, name, name) end
  if type(name) == "string" and d.body_at[name] then
    d:fail("%s: '%s' is a body; name one of its points or shapes, as %s.tip", what, name, name)
  end
  local near = type(name) == "string" and (host.nearest(name, d.part_at) or host.nearest(name, d.short))
  d:fail("%s: no point, shape or obstacle is called %s%s", what, came(name), near and (" (did you mean '%s'?)"):format(near) or "")
end

local round = { point = true, sphere = true, capsule = true }

-- why two parts cannot touch each other, or nil
local function why_not(a, b)
  if a.shape == "plane" and b.shape == "plane" then return "both are planes" end
  if a.shape == "plane" or b.shape == "plane" then return nil end
  if not round[a.shape] or not round[b.shape] then return "a box can meet planes only" end
  if a.shape == "point" and b.shape == "point" then return "points have no size: give one of them a radius (a sphere)" end
end

local function add_contact(d, what, a, b)
  local parts = d.spec.parts
  local reason = why_not(parts[a], parts[b])
  if reason then d:fail("%s: '%s' and '%s' cannot touch: %s", what, parts[a].name, parts[b].name, reason) end
  local list = d.spec.contacts
  list[#list + 1] = { a = a, b = b }
end

local function two(d, what, item, list)
  if type(item) ~= "table" then d:fail("%s must be two names, as {\"foot\", \"floor\"}, got %s", what, came(item)) end
  check_keys(d, what, item, list)
  if item[1] == nil or item[2] == nil then d:fail("%s must be two names, as {\"foot\", \"floor\"}", what) end
  return find_part(d, what, item[1]), find_part(d, what, item[2])
end

-- whether a joint between a body and the world lets it move
local function can_move(d, i)
  while i > 0 and d.spec.bodies[i].joint == "fixed" do i = d.spec.bodies[i].parent end
  return i > 0
end

local function add_contacts(d, contacts)
  local parts = d.spec.parts
  if contacts ~= nil then
    if type(contacts) ~= "table" then d:fail("contacts must be a list of pairs, got %s", came(contacts)) end
    for i, item in ipairs(contacts) do
      local what = ("contacts[%d]"):format(i)
      add_contact(d, what, two(d, what, item, known.contact))
    end
    return
  end
  for a, part in ipairs(parts) do -- every shape and point that can move against every obstacle
    for b, obstacle in ipairs(parts) do
      if can_move(d, part.body) and part.shape ~= "plane" and obstacle.body == 0 and obstacle.shape ~= "point" and not why_not(part, obstacle) then
        add_contact(d, "contacts", a, b)
      end
    end
  end
end

local function centre(d, what, part)
  local shape = d.spec.parts[part].shape
  if shape ~= "point" and shape ~= "sphere" then d:fail("%s: '%s' must be a point or a sphere, it is a %s", what, d.spec.parts[part].name, shape) end
  return part
end

local function add_springs(d, springs)
  for i, item in ipairs(in_order(d, "springs", springs)) do
    local name, t = item[1] or "spring" .. i, item[2]
    if type(t) ~= "table" then d:fail("spring '%s' must be a table, got %s", name, came(t)) end
    check_name(d, ("springs[%d]"):format(i), name)
    local a, b = two(d, name, t, known.spring)
    d.spec.springs[i] = { name = name, a = centre(d, name, a), b = centre(d, name, b) }
    for _, key in ipairs { "stiffness", "damping", "rest" } do d.values[name .. "." .. key] = t[key] end
  end
end

local function add_loops(d, loops)
  if loops ~= nil and type(loops) ~= "table" then d:fail("loops must be a list of pairs of points, got %s", came(loops)) end
  for i, item in ipairs(loops or {}) do
    local what = ("loops[%d]"):format(i)
    local a, b = two(d, what, item, known.loop)
    d.spec.loops[i] = { a = centre(d, what, a), b = centre(d, what, b) }
  end
end

-- ---- all together ----------------------------------------------------------------------------------------

local function gravity_of(d, gravity)
  if gravity == nil then gravity = 9.81 end
  if type(gravity) ~= "number" then return gravity end
  return d.spec.plane and { 0, -gravity } or { 0, 0, -gravity }
end

local function start(t)
  local name = t.name == nil and "mechanism" or t.name
  local spec = { name = name, plane = t.plane or false, lenient = t.check == false, bodies = {}, parts = {}, contacts = {}, springs = {}, loops = {} }
  local d = setmetatable({ spec = spec, values = {}, bodies = t.bodies, body_at = {}, part_at = {}, short = {} }, methods)
  if type(name) ~= "string" or not name:find "^[%w_%-]+$" then
    spec.name = "mechanism"
    d:fail("name must be letters, digits, _ and -, got %s", came(name))
  end
  return d
end

--- spec, values for core.mechanisms.build
function declare.read(t)
  if type(t) ~= "table" then host.fail(("mechanism: takes a table, got %s"):format(came(t))) end
  local d = start(t)
  check_keys(d, nil, t, known.mechanism)
  if type(t.bodies) ~= "table" or #t.bodies == 0 then d:fail("bodies must be a list of at least one body, got %s", type(t.bodies) == "table" and "none" or came(t.bodies)) end
  for i, b in ipairs(t.bodies) do add_body(d, i, b) end
  for i, b in ipairs(t.bodies) do add_body_shapes(d, i, b) end
  check_moves(d)
  for _, item in ipairs(in_order(d, "obstacles", t.obstacles)) do
    if d.body_at[item[1]] then d:fail("a body and an obstacle are both called '%s'", item[1]) end
    add_shape(d, 0, kind_of(d, tostring(item[1]), item[2]), item[1], item[2])
  end
  add_contacts(d, t.contacts)
  add_springs(d, t.springs)
  add_loops(d, t.loops)
  d.values.gravity = gravity_of(d, t.gravity)
  if t.view ~= nil and d.spec.plane then d:fail "view has no meaning in the plane" end
  d.values.view, d.values.q, d.values.u = t.view, t.q, t.u
  return d.spec, d.values
end

return declare
