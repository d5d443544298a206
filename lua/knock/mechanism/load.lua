-- k.mechanism.load: a file of URDF or MJCF becomes a declaration, a start within its stops, and a model.

local core = require "knock.core"
local declare = require "knock.mechanism.declare"
local host = require "knock.host"
local options_of = require "knock.options"
local Reader = require "knock.mechanism.xml"

local check = options_of.define("k.mechanism.load", {
  { "root", "string", "how the first link of a URDF stands in the world", choices = { "fixed", "free" }, default = "fixed" },
  { "obstacles", "table", "obstacles, as in k.mechanism" },
  { "contacts", "table", "pairs that may touch; every shape against every obstacle by default" },
  { "springs", "table", "springs between points, as in k.mechanism" },
  { "loops", "table", "points that stay together" },
  { "points", "table", "points of bodies by body, as { foot = { sole = {0, 0, -0.1} } }" },
  { "gravity", "number|column", "gravity: one number pulls down, a list is a vector", unit = "m/s^2" },
  { "q", "table|column", "where it starts, by body" },
  { "u", "table|column", "how fast it starts, by body" },
  { "view", "column", "direction to the eye of pictures" },
  { "name", "string", "its name" },
}, "mechanism.load")

local function read_text(file)
  if type(file) ~= "string" then host.fail(("mechanism.load: file must be a name, got %s"):format(host.got(file))) end
  local f, why = io.open(file, "rb")
  if not f then host.fail(("mechanism.load: %s"):format(why)) end
  local text = f:read "a"
  f:close()
  if not text then host.fail(("mechanism.load: %s cannot be read"):format(file)) end
  return text
end

-- a start within the stops: the nearest place to zero
local function within_stops(t, given)
  local q = {}
  for _, b in ipairs(t.bodies) do
    local low, high = b.lower or -math.huge, b.upper or math.huge
    if low > 0 or high < 0 then q[b.name] = low > 0 and low or high end
  end
  for key, value in pairs(given or {}) do q[key] = value end
  return q
end

local function merge(t, o)
  for _, key in ipairs { "contacts", "springs", "loops", "gravity", "u", "view", "name" } do if o[key] ~= nil then t[key] = o[key] end end
  for key, value in pairs(o.obstacles or {}) do
    t.obstacles = t.obstacles or {}
    t.obstacles[key] = value
  end
  for body, points in pairs(o.points or {}) do
    local found
    for _, b in ipairs(t.bodies) do
      if b.name == body then b.points, found = points, true end
    end
    if not found then host.fail(("mechanism.load: points: no body is called '%s'"):format(tostring(body))) end
  end
  local list = type(o.q) == "table" and o.q[1] ~= nil or type(o.q) == "userdata"
  if list then t.q = o.q else
    for name, value in pairs(within_stops(t, t.q)) do
      t.q = t.q or {}
      t.q[name] = value
    end
    for name, value in pairs(o.q or {}) do
      t.q = t.q or {}
      t.q[name] = value
    end
  end
  return t
end

return function(file, changes)
  local o = check(changes)
  local r = Reader.new(file, read_text(file))
  local reader = r.root.tag == "mujoco" and "mjcf" or "urdf"
  if r.root.tag ~= "mujoco" and r.root.tag ~= "robot" then
    host.fail(("mechanism.load: %s: a URDF file starts with <robot>, an MJCF file with <mujoco>, got <%s>"):format(file, r.root.tag))
  end
  local t = merge(require("knock.mechanism." .. reader)(r, o.root), o)
  t.check = false
  local spec, values = declare.read(t)
  spec.notes, spec.file = r:all_notes(), file
  return core.mechanisms.build(spec, values)
end
