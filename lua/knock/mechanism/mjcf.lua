-- MJCF, the XML of MuJoCo: bodies, joints, inertials, and geoms of the kinds that we have. Several joints of one body become
-- bodies without mass in a row. What has no counterpart here is named with its line.

local spatial = require "knock.mechanism.spatial"
local defaults = require "knock.mechanism.mjcf_default"
local geom = require "knock.mechanism.mjcf_geom"

local zero = { 0, 0, 0 }

-- ---- angles and frames -------------------------------------------------------------------------------------

local function angle(s, x) return s.degrees and math.rad(x) or x end

-- one after the other: lower case about turning axes, capitals about fixed ones
local function of_euler(s, euler)
  local axes, q = { x = { 1, 0, 0 }, y = { 0, 1, 0 }, z = { 0, 0, 1 } }, { 1, 0, 0, 0 }
  for i = 1, 3 do
    local letter = s.eulerseq:sub(i, i)
    local step = spatial.about(axes[letter:lower()], angle(s, euler[i]))
    q = letter:lower() == letter and spatial.times(q, step) or spatial.times(step, q)
  end
  return q
end

-- The turn of an element: quat, axisangle, xyaxes, zaxis or euler. When a default class and the element say it in different
-- words, MuJoCo takes the last one in this order.
local function turn_of(s, e)
  local r = s.r
  local euler = r:numbers(e, "euler", 3)
  if euler then return of_euler(s, euler) end
  local z = r:numbers(e, "zaxis", 3)
  if z then return spatial.from_z(z) end
  local xy = r:numbers(e, "xyaxes", 6)
  if xy then return spatial.from_xy({ xy[1], xy[2], xy[3] }, { xy[4], xy[5], xy[6] }) end
  local about = r:numbers(e, "axisangle", 4)
  if about then return spatial.about(about, angle(s, about[4])) end
  return spatial.unit(r:numbers(e, "quat", 4, { 1, 0, 0, 0 }))
end

-- ---- joints ------------------------------------------------------------------------------------------------

local joint_known = { name = true, class = true, type = true, pos = true, axis = true, range = true, limited = true, stiffness = true,
  springref = true, ref = true, damping = true, armature = true }

-- what joints of many speeds have in MuJoCo and not here
local without = { free = { "stiffness", "damping", "armature" }, ball = { "stiffness", "armature" } }

local function limits(s, e, body, scale)
  local range = s.r:numbers(e, "range", 2)
  local limited = s.r:word(e, "limited", "auto")
  if not range or limited == "false" or (limited == "auto" and (not s.autolimits or range[1] >= range[2])) then return end
  local ref = s.r:number(e, "ref", 0)
  body.lower, body.upper = scale(range[1] - ref), scale(range[2] - ref)
end

local function joint(s, e)
  local r, kind = s.r, s.r:word(e, "type", "hinge")
  if kind ~= "hinge" and kind ~= "slide" and kind ~= "ball" and kind ~= "free" then r:fail(e, "joints of type '%s' are not known", kind) end
  r:known(e, joint_known)
  local scale = kind == "hinge" and function(x) return angle(s, x) end or function(x) return x end
  local j = { kind = kind, anchor = r:numbers(e, "pos", 3, zero), name = e.attr.name, line = e.line }
  if kind == "free" or kind == "ball" then
    if e.attr.range then r:skip(e, ("range of a %s joint"):format(kind)) end
    for _, name in ipairs(without[kind]) do
      if r:number(e, name, 0) ~= 0 then r:skip(e, ("%s of a %s joint"):format(name, kind)) end
    end
    j.damping = kind == "ball" and r:number(e, "damping") or nil
    return j
  end
  j.damping = r:number(e, "damping")
  j.axis = r:numbers(e, "axis", 3, { 0, 0, 1 })
  j.stiffness, j.armature = r:number(e, "stiffness"), r:number(e, "armature")
  j.rest = scale(r:number(e, "springref", 0) - r:number(e, "ref", 0))
  limits(s, e, j, scale)
  return j
end


-- ---- masses ------------------------------------------------------------------------------------------------

-- of an <inertial>, in the body's axes
local function inertial(s, e, name)
  local r = s.r
  local mass, place, turn = r:number(e, "mass", 0), r:numbers(e, "pos", 3, zero), turn_of(s, e)
  local I = { 0, 0, 0, 0, 0, 0 }
  local three, six = r:numbers(e, "diaginertia", 3), r:numbers(e, "fullinertia", 6)
  if three then I = { three[1], 0, 0, three[2], 0, three[3] } end
  if six then I = { six[1], six[4], six[5], six[2], six[6], six[3] } end
  r:check_inertia(e, name, I)
  return mass, place, spatial.turn_inertia(turn, I)
end

-- the sum of solid geoms
local function of_geoms(s, geoms)
  local mass, c = 0, { 0, 0, 0 }
  for _, g in ipairs(geoms) do
    if not g.solid then s.r:skip(g, ("the mass of a geom of type %s"):format(g.kind)) end
    mass = mass + g.mass
    for i = 1, 3 do c[i] = c[i] + g.mass * g.centre[i] end
  end
  if mass == 0 then return 0, zero, { 0, 0, 0, 0, 0, 0 } end
  for i = 1, 3 do c[i] = c[i] / mass end
  local I = { 0, 0, 0, 0, 0, 0 }
  for _, g in ipairs(geoms) do
    local own, more = spatial.turn_inertia(g.turn, g.inertia), spatial.carry(g.mass, spatial.minus(g.centre, c))
    for i = 1, 6 do I[i] = I[i] + own[i] + more[i] end
  end
  return mass, c, I
end

-- ---- bodies ------------------------------------------------------------------------------------------------

-- the joints of a body in a row; the last one carries it. Its origin is at the last joint's anchor.
local function carry(s, e, name, parent, at, turn, joints)
  local last = joints[#joints] or { kind = "fixed", anchor = zero }
  local from = zero -- anchor of the joint before, in the body's axes
  for i = 1, #joints - 1 do
    local j = joints[i]
    local step = s.r:name(e, j.name, name .. "_" .. i)
    local place = i == 1 and spatial.add(at, spatial.turn(turn, j.anchor)) or spatial.minus(j.anchor, from)
    s.bodies[#s.bodies + 1] = { name = step, parent = parent, joint = j.kind, at = place, turn = i == 1 and turn or nil, axis = j.axis,
      stiffness = j.stiffness, rest = j.rest, damping = j.damping, armature = j.armature, lower = j.lower, upper = j.upper }
    parent, from = step, j.anchor
  end
  local first = #joints <= 1
  local place = first and spatial.add(at, spatial.turn(turn, last.anchor)) or spatial.minus(last.anchor, from)
  local body = { name = name, parent = parent, joint = last.kind, axis = last.axis, stiffness = last.stiffness, rest = last.rest,
    damping = last.damping, armature = last.armature, lower = last.lower, upper = last.upper, spheres = {}, capsules = {}, boxes = {} }
  if last.kind == "free" then
    if not first then s.r:fail(e, "a free joint must be the only one of its body") end
    if parent ~= "world" then s.r:fail(e, "a free joint is possible in the world only") end
    s.q[name] = { at[1], at[2], at[3], turn[1], turn[2], turn[3], turn[4] }
  else
    body.at, body.turn = place, first and turn or nil
  end
  s.bodies[#s.bodies + 1] = body
  return body, last.kind == "free" and zero or last.anchor
end

local body_known = { name = true, pos = true, quat = true, euler = true, axisangle = true, zaxis = true, xyaxes = true, childclass = true }
local in_body = { body = true, joint = true, freejoint = true, geom = true, inertial = true }

local function geoms_of(s, e, class)
  local list = {}
  for _, child in ipairs(e) do
    if child.tag == "geom" then list[#list + 1] = geom.read(s, defaults.filled(child, defaults.class_of(s, child, class, "geom")), turn_of) end
  end
  return list
end

local read_body

local function read_children(s, e, name, shift, class)
  for _, child in ipairs(e) do
    if child.tag == "body" then read_body(s, child, name, shift, class)
    elseif not in_body[child.tag] then s.r:skip(child, ("<%s> of a body"):format(child.tag)) end
  end
end

-- shift: where the axes of MuJoCo's parent have their origin in ours
function read_body(s, e, parent, shift, class)
  local r = s.r
  r:known(e, body_known)
  class = e.attr.childclass or class
  local name = r:name(e, e.attr.name, "body")
  local joints = {}
  for _, child in ipairs(e) do
    if child.tag == "joint" then joints[#joints + 1] = joint(s, defaults.filled(child, defaults.class_of(s, child, class, "joint")))
    elseif child.tag == "freejoint" then joints[#joints + 1] = { kind = "free", anchor = zero, line = child.line } end
  end
  local at, turn = r:numbers(e, "pos", 3, zero), turn_of(s, e)
  if s.global then -- every place is in the world's axes: let the body have these
    if e.attr.quat or e.attr.euler or e.attr.axisangle or e.attr.zaxis or e.attr.xyaxes then r:fail(e, "a turned body with coordinate = 'global' is not read") end
    at = zero
  end
  local body, anchor = carry(s, e, name, parent, spatial.minus(at, shift), turn, joints)
  local geoms, given = geoms_of(s, e, class), r:first(e, "inertial")
  local mass, c, I
  if given and (s.fromgeom ~= "true" or #geoms == 0) then mass, c, I = inertial(s, given, name)
  else mass, c, I = of_geoms(s, s.fromgeom == "false" and {} or geoms) end
  body.mass, body.com, body.inertia = mass, spatial.minus(c, anchor), I
  for i, g in ipairs(geoms) do geom.add(s, g, body, anchor, i) end
  read_children(s, e, name, anchor, class)
end

-- ---- the file ----------------------------------------------------------------------------------------------

local function compiler(s)
  for _, e in ipairs(s.r.root) do
    if e.tag == "compiler" then
      s.r:known(e, { angle = true, eulerseq = true, inertiafromgeom = true, autolimits = true, coordinate = true, settotalmass = true })
      s.total = s.r:number(e, "settotalmass", s.total)
      s.degrees = s.r:word(e, "angle", s.degrees and "degree" or "radian") == "degree"
      s.eulerseq = s.r:word(e, "eulerseq", s.eulerseq)
      s.fromgeom = s.r:word(e, "inertiafromgeom", s.fromgeom)
      s.autolimits = s.r:word(e, "autolimits", "true") == "true"
      s.global = s.r:word(e, "coordinate", "local") == "global"
    end
  end
end

local function option(s, e)
  local g = s.r:numbers(e, "gravity", 3)
  if g then s.gravity = g end
  for name in pairs(e.attr) do if name ~= "gravity" and name ~= "timestep" then s.r:skip(e, ("%s of <option>"):format(name)) end end
  for _, flags in ipairs(e) do
    for name, value in pairs(flags.attr) do
      if name == "gravity" then s.weightless = value == "disable" else s.r:skip(flags, ("%s of <%s>"):format(name, flags.tag)) end
    end
  end
end

local function world(s, e)
  for i, g in ipairs(geoms_of(s, e, nil)) do geom.obstacle(s, g, i) end
  read_children(s, e, "world", zero, nil)
end

-- settotalmass: all masses and moments by one factor
local function scale_masses(s)
  if not s.total or s.total <= 0 then return end
  local sum = 0
  for _, b in ipairs(s.bodies) do sum = sum + (b.mass or 0) end
  for _, b in ipairs(s.bodies) do
    b.mass = b.mass and b.mass * s.total / sum
    for i = 1, b.inertia and 6 or 0 do b.inertia[i] = b.inertia[i] * s.total / sum end
  end
end

local quiet = { compiler = true, default = true, worldbody = true, option = true, size = true, asset = true, visual = true, statistic = true }

--- A declaration for k.mechanism.
return function(r)
  local s = { r = r, bodies = {}, obstacles = {}, geoms = {}, q = {}, gravity = { 0, 0, -9.81 }, degrees = true, eulerseq = "xyz", fromgeom = "auto", autolimits = true }
  compiler(s)
  defaults.read(s)
  for _, e in ipairs(r.root) do
    if e.tag == "option" then option(s, e)
    elseif e.tag == "include" then r:fail(e, "<include> is not read: put the files together first")
    elseif not quiet[e.tag] then r:skip(e, ("<%s>"):format(e.tag)) end
  end
  local found = false
  for _, e in ipairs(r.root) do
    if e.tag == "worldbody" then
      world(s, e)
      found = true
    end
  end
  if not found or #s.bodies == 0 then r:fail(r.root, "there is no <body> in <worldbody>") end
  scale_masses(s)
  geom.tell_apart(s)
  return { name = (r.root.attr.model or "robot"):gsub("[^%w_%-]", "_"), gravity = s.weightless and zero or s.gravity, bodies = s.bodies,
    obstacles = s.obstacles, q = s.q }
end
