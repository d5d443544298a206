-- URDF: a robot as ROS writes it. Links become bodies, joints their joints; boxes, spheres and capsules of <collision>
-- become shapes. What has no counterpart here is named with its line.

local spatial = require "knock.mechanism.spatial"

local zero = { 0, 0, 0 }

-- place and turn of an <origin>
local function origin(r, e)
  local o = r:first(e, "origin")
  if not o then return zero, { 1, 0, 0, 0 } end
  r:known(o, { xyz = true, rpy = true })
  return r:numbers(o, "xyz", 3, zero), spatial.rpy(r:numbers(o, "rpy", 3, zero))
end

-- ---- links -------------------------------------------------------------------------------------------------

local function inertial(r, link, body)
  local e = r:first(link, "inertial")
  body.mass = 0
  if not e then return end
  local place, turn = origin(r, e)
  local mass, I = r:first(e, "mass"), r:first(e, "inertia")
  body.mass = mass and r:number(mass, "value", 0) or 0
  body.com = place
  if not I then return end
  local six = {}
  for i, name in ipairs { "ixx", "ixy", "ixz", "iyy", "iyz", "izz" } do six[i] = r:number(I, name, 0) end
  r:check_inertia(I, body.name, six)
  body.inertia = spatial.turn_inertia(turn, six)
end

local function collision(r, e, body, n)
  local geometry = r:first(e, "geometry")
  local shape = geometry and geometry[1]
  if not shape then return r:skip(e, "<collision> without a shape") end
  local place, turn = origin(r, e)
  local name = ("c%d"):format(n)
  if shape.tag == "sphere" then
    body.spheres[name] = { at = place, radius = r:number(shape, "radius", 0) }
  elseif shape.tag == "box" then
    body.boxes[name] = { at = place, turn = turn, size = r:numbers(shape, "size", 3, zero) }
  elseif shape.tag == "capsule" then
    local half = spatial.turn(turn, { 0, 0, r:number(shape, "length", 0) / 2 })
    body.capsules[name] = { from = spatial.minus(place, half), to = spatial.add(place, half), radius = r:number(shape, "radius", 0) }
  else
    r:skip(shape, ("a <%s> as a collision shape"):format(shape.tag))
  end
end

local function read_link(r, link)
  local body = { of = r:needs(link, "name"), name = r:name(link, link.attr.name), spheres = {}, boxes = {}, capsules = {} }
  inertial(r, link, body)
  local n = 0
  for _, e in ipairs(link) do
    if e.tag == "collision" then
      n = n + 1
      collision(r, e, body, n)
    elseif e.tag ~= "inertial" then
      r:skip(e, ("<%s> of a link"):format(e.tag))
    end
  end
  return body
end

-- ---- joints ------------------------------------------------------------------------------------------------

local kinds = { revolute = "hinge", continuous = "hinge", prismatic = "slide", fixed = "fixed", floating = "floating", planar = "planar" }

local function link_of(r, joint, tag, links)
  local e = r:first(joint, tag)
  if not e then r:fail(joint, "joint '%s' has no <%s>", joint.attr.name or "?", tag) end
  local body = links[r:needs(e, "link")]
  if not body then r:fail(e, "there is no link called '%s'", e.attr.link) end
  return body
end

local function limits(r, joint, body, kind)
  local e = r:first(joint, "limit")
  if not e then return end
  if kind == "revolute" or kind == "prismatic" then
    body.lower, body.upper = r:number(e, "lower", 0), r:number(e, "upper", 0)
    if body.lower > body.upper then r:fail(e, "lower is above upper at joint '%s'", joint.attr.name or "?") end
  end
  for _, name in ipairs { "effort", "velocity" } do if e.attr[name] then r:skip(e, ("%s of <limit>"):format(name)) end end
end

local function dynamics(r, joint, body)
  local e = r:first(joint, "dynamics")
  if not e then return end
  body.damping = r:number(e, "damping", 0)
  if r:number(e, "friction", 0) ~= 0 then r:skip(e, "friction of <dynamics>") end
end

local function read_joint(r, joint, links)
  local kind = r:needs(joint, "type")
  local mine = kinds[kind]
  if not mine then r:fail(joint, "joints of type '%s' are not known", kind) end
  local body, parent = link_of(r, joint, "child", links), link_of(r, joint, "parent", links)
  if body.parent_body then r:fail(joint, "link '%s' has two parents", body.name) end
  body.parent_body, body.kind, body.joint_line = parent, mine, joint.line
  body.at, body.turn = origin(r, joint)
  local axis = r:first(joint, "axis")
  body.axis = axis and r:numbers(axis, "xyz", 3, { 1, 0, 0 }) or { 1, 0, 0 }
  if mine == "hinge" or mine == "slide" then
    limits(r, joint, body, kind)
    dynamics(r, joint, body)
  end
  for _, e in ipairs(joint) do
    if not ({ origin = 1, parent = 1, child = 1, axis = 1, limit = 1, dynamics = 1 })[e.tag] then r:skip(e, ("<%s> of a joint"):format(e.tag)) end
  end
end

-- ---- the tree ----------------------------------------------------------------------------------------------

local function plain(body, joint, parent, at, turn)
  body.joint, body.parent, body.at, body.turn = joint, parent, at, turn
  if joint ~= "hinge" and joint ~= "slide" then body.axis = nil end
  body.parent_body, body.kind, body.joint_line = nil, nil, nil
  return body
end

-- several joints in a row by bodies without mass
local function row(r, bodies, body, parent, steps)
  local at, turn = body.at, body.turn
  for i = 1, #steps - 1 do
    local name = r:name({ line = body.joint_line or 0 }, nil, body.name .. "_" .. i)
    bodies[#bodies + 1] = { name = name, parent = parent, joint = steps[i][1], axis = steps[i][2], at = at, turn = turn }
    parent, at, turn = name, nil, nil
  end
  body.axis = steps[#steps][2]
  bodies[#bodies + 1] = plain(body, steps[#steps][1], parent, at, turn)
end

local slides = { { "slide", { 1, 0, 0 } }, { "slide", { 0, 1, 0 } }, { "slide", { 0, 0, 1 } } }

-- two directions across an axis
local function across(axis)
  local q = spatial.from_z(axis)
  return spatial.turn(q, { 1, 0, 0 }), spatial.turn(q, { 0, 1, 0 })
end

-- a root link called "world" that is nothing but a name
local function is_world(body) return body.of == "world" and body.mass == 0 and not next(body.spheres) and not next(body.boxes) and not next(body.capsules) end

local function add_body(r, bodies, body, root, called)
  local parent = body.parent_body and called[body.parent_body]
  called[body] = body.name
  if not body.parent_body and is_world(body) then
    called[body] = "world"
    return
  end
  body.of = nil
  if not body.parent_body then
    bodies[#bodies + 1] = plain(body, root, nil, nil, nil)
  elseif body.kind == "floating" then
    row(r, bodies, body, parent, { slides[1], slides[2], slides[3], { "ball" } })
  elseif body.kind == "planar" then
    local a, b = across(body.axis)
    row(r, bodies, body, parent, { { "slide", a }, { "slide", b }, { "hinge", body.axis } })
  else
    bodies[#bodies + 1] = plain(body, body.kind, parent, body.at, body.turn)
  end
end

local function in_order(r, links, order, root)
  local bodies, children, called = {}, {}, {}
  for _, body in ipairs(order) do
    local parent = body.parent_body or "none"
    children[parent] = children[parent] or {}
    table.insert(children[parent], body)
  end
  if not children.none then r:fail(r.root, "the joints make a circle: no link is the root") end
  local function visit(body)
    local mine = children[body]
    add_body(r, bodies, body, root, called)
    for _, child in ipairs(mine or {}) do visit(child) end
  end
  for _, body in ipairs(children.none) do visit(body) end
  if #children.none > 1 then r:note(r.root, "%d links have no parent; each hangs on the world", #children.none) end
  return bodies
end

local ignored = { material = true, transmission = true, gazebo = true, sensor = true }

--- A declaration for k.mechanism. `root` is how the first link stands in the world: "fixed" or "free".
return function(r, root)
  if r.root.tag ~= "robot" then r:fail(r.root, "a URDF file starts with <robot>, got <%s>", r.root.tag) end
  local links, order = {}, {}
  for _, e in ipairs(r.root) do
    if e.tag == "link" then
      if links[e.attr.name or ""] then r:fail(e, "two links are called '%s'", e.attr.name) end
      local body = read_link(r, e)
      links[e.attr.name], order[#order + 1] = body, body
    end
  end
  for _, e in ipairs(r.root) do
    if e.tag == "joint" then read_joint(r, e, links)
    elseif e.tag ~= "link" then r:skip(e, ignored[e.tag] and ("<%s>"):format(e.tag) or ("<%s>, which is not known,"):format(e.tag)) end
  end
  if #order == 0 then r:fail(r.root, "there is no <link>") end
  return { name = (r.root.attr.name or "robot"):gsub("[^%w_%-]", "_"), bodies = in_order(r, links, order, root or "fixed") }
end
