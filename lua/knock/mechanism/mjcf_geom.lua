-- Geoms of MJCF: their masses as solid bodies, and the shapes that may touch.

local declare = require "knock.mechanism.declare"
local spatial = require "knock.mechanism.spatial"

local geom = {}

local pi = math.pi
local known = { name = true, class = true, type = true, size = true, fromto = true, pos = true, quat = true, euler = true, axisangle = true,
  xyaxes = true, zaxis = true, mass = true, density = true, contype = true, conaffinity = true, rgba = true, material = true, group = true }

-- volume, and moments xx, yy, zz over the mass, of solid shapes with their axis along z
local solids = {}

function solids.sphere(a)
  local i = 0.4 * a[1] ^ 2
  return 4 / 3 * pi * a[1] ^ 3, { i, i, i }
end

function solids.box(a) -- half lengths
  return 8 * a[1] * a[2] * a[3], { (a[2] ^ 2 + a[3] ^ 2) / 3, (a[1] ^ 2 + a[3] ^ 2) / 3, (a[1] ^ 2 + a[2] ^ 2) / 3 }
end

function solids.ellipsoid(a)
  return 4 / 3 * pi * a[1] * a[2] * a[3], { (a[2] ^ 2 + a[3] ^ 2) / 5, (a[1] ^ 2 + a[3] ^ 2) / 5, (a[1] ^ 2 + a[2] ^ 2) / 5 }
end

function solids.cylinder(a) -- radius, half length
  local i = (3 * a[1] ^ 2 + 4 * a[2] ^ 2) / 12
  return 2 * pi * a[1] ^ 2 * a[2], { i, i, a[1] ^ 2 / 2 }
end

-- a cylinder of length 2 h between two half balls of radius r
function solids.capsule(a)
  local r, h = a[1], a[2]
  local tube, ball = 2 * pi * r ^ 2 * h, 4 / 3 * pi * r ^ 3
  local volume = tube + ball
  local across = tube * (3 * r ^ 2 + 4 * h ^ 2) / 12 + ball * (0.4 * r ^ 2 + h ^ 2 + 0.75 * r * h)
  local along = tube * r ^ 2 / 2 + ball * 0.4 * r ^ 2
  return volume, { across / volume, across / volume, along / volume }
end

-- fromto gives place, turn and half length of what is long; z points from the second end to the first
local function stretch(r, e, g)
  local ends = r:numbers(e, "fromto", 6)
  if not ends then return end
  local a, b = { ends[1], ends[2], ends[3] }, { ends[4], ends[5], ends[6] }
  local d = spatial.minus(a, b)
  g.centre = { (a[1] + b[1]) / 2, (a[2] + b[2]) / 2, (a[3] + b[3]) / 2 }
  g.turn = spatial.from_z(d)
  local half = math.sqrt(d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2) / 2
  if g.kind == "capsule" or g.kind == "cylinder" then g.size[2] = half
  else g.size[2], g.size[3] = g.size[1], half end
end

local function bits(r, e, name) return math.tointeger(r:number(e, name, 1)) or r:fail(e, "%s of <geom> must be a whole number", name) end

--- { kind, size, centre, turn, mass, inertia (six, in its own axes), touches }
function geom.read(s, e, turn_of)
  local r = s.r
  r:known(e, known)
  local g = { kind = r:word(e, "type", "sphere"), size = { table.unpack(r:numbers(e, "size", nil, {})) }, name = e.attr.name, line = e.line,
    centre = r:numbers(e, "pos", 3, { 0, 0, 0 }), turn = turn_of(s, e), mass = 0, inertia = { 0, 0, 0, 0, 0, 0 } }
  g.type_bits, g.affinity_bits = bits(r, e, "contype"), bits(r, e, "conaffinity")
  g.touches = g.type_bits ~= 0 or g.affinity_bits ~= 0
  g.solid = solids[g.kind] ~= nil
  stretch(r, e, g)
  local solid = solids[g.kind]
  if not solid then return g end
  local wanted = { sphere = 1, capsule = 2, cylinder = 2, box = 3, ellipsoid = 3 }
  if #g.size < wanted[g.kind] then r:fail(e, "size of a %s must be %d number%s, got %d", g.kind, wanted[g.kind], wanted[g.kind] == 1 and "" or "s", #g.size) end
  local volume, moments = solid(g.size)
  g.mass = r:number(e, "mass", volume * r:number(e, "density", 1000))
  g.inertia = { g.mass * moments[1], 0, 0, g.mass * moments[2], 0, g.mass * moments[3] }
  return g
end

local function ends(g, shift)
  local half = spatial.turn(g.turn, { 0, 0, g.size[2] })
  local c = spatial.minus(g.centre, shift)
  return spatial.minus(c, half), spatial.add(c, half)
end

-- a name that the body has not got yet: "torso.torso" is fine, "torso.mass" is a number
local function shape_name(body, wanted)
  local name = wanted:gsub("[^%w_%-]", "_")
  if not name:find "^[%a_]" then name = "_" .. name end
  if declare.is_taken(name) or declare.is_number(name) then name = name .. "_" end
  local base, i = name, 1
  while body.spheres[name] or body.capsules[name] or body.boxes[name] do
    i = i + 1
    name = base .. "_" .. i
  end
  return name
end

--- A shape of a body, whose origin is at `shift` in MuJoCo's axes.
function geom.add(s, g, body, shift, i)
  if not g.touches then return end
  table.insert(s.geoms, g)
  local name = shape_name(body, g.name or "g" .. i)
  if g.kind == "sphere" then
    body.spheres[name] = { at = spatial.minus(g.centre, shift), radius = g.size[1] }
  elseif g.kind == "capsule" then
    local from, to = ends(g, shift)
    body.capsules[name] = { from = from, to = to, radius = g.size[1] }
  elseif g.kind == "box" then
    body.boxes[name] = { at = spatial.minus(g.centre, shift), turn = g.turn, size = { 2 * g.size[1], 2 * g.size[2], 2 * g.size[3] } }
  else
    s.r:skip(g, ("a geom of type %s as a shape"):format(g.kind))
  end
end

--- A geom of the world.
function geom.obstacle(s, g, i)
  if not g.touches then return end
  table.insert(s.geoms, g)
  g.fixed = true
  local name = s.r:name({ line = g.line }, nil, (g.name or (g.kind == "plane" and "floor" or "obstacle" .. i)):gsub("[^%w_%-]", "_"))
  if g.kind == "plane" then
    s.obstacles[name] = { point = g.centre, normal = spatial.turn(g.turn, { 0, 0, 1 }) }
  elseif g.kind == "sphere" then
    s.obstacles[name] = { at = g.centre, radius = g.size[1] }
  elseif g.kind == "capsule" then
    local from, to = ends(g, { 0, 0, 0 })
    s.obstacles[name] = { from = from, to = to, radius = g.size[1] }
  else
    s.r:skip(g, ("a geom of type %s as an obstacle"):format(g.kind))
  end
end

--- Geoms and obstacles that MuJoCo lets pass through each other by contype and conaffinity are told: here they touch.
function geom.tell_apart(s)
  for _, o in ipairs(s.geoms) do
    for _, g in ipairs(s.geoms) do
      local meet = g.type_bits & o.affinity_bits ~= 0 or o.type_bits & g.affinity_bits ~= 0
      if o.fixed and not g.fixed and not meet then s.r:skip(g, "that contype and conaffinity keep a geom and an obstacle apart") end
    end
  end
end

return geom
