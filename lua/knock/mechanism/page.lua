-- help "mechanisms": everything a declaration can hold. The numbers come from the tables that make them parameters.

local core = require "knock.core"

local head = [[
k.mechanism{...} declares any machine: a tree of rigid bodies on joints. It is a model like
any other: every law, k.impact, k.simulate, sweeps, figures and films take it.

  local hopper = k.mechanism {
    plane = true,                     -- x to the right, z up; without it: in space, z up
    gravity = 9.81,                   -- a number pulls down; or a vector
    bodies = {                        -- parents first; the parent is "world" unless said
      { name = "hip", joint = "free", mass = 10, inertia = 0.5 },
      { name = "leg", parent = "hip", joint = "hinge", at = {0, 0}, mass = 1,
        com = {0, -0.4}, inertia = 0.05, points = { foot = {0, -0.8} },
        stiffness = 20, rest = 0.2, lower = -1, upper = 1 },
    },
    obstacles = { floor = { point = {0, 0}, normal = {0, 1} } },
    contacts = { { "foot", "floor" } }, -- default: every shape and point, every obstacle
    q = { hip = {0, 1, 0}, leg = 0.3 }, u = { hip = {0.5, 0, 0} },
  }

Joints
  fixed   does not move
  hinge   turns about its axis: one angle; in the plane counterclockwise
  slide   moves along its axis: one length
  ball    in space: q is a quaternion w, x, y, z, u the spin in the body's axes
  free    on the world. Plane: x, z, angle and their rates. Space: x, y, z and a quaternion;
          u is the velocity in the world's axes, then the spin in the body's
Several joints in a row: bodies without mass between them (universal, cylindrical, planar).
]]

local tail = [[

Contacts
  points, spheres, capsules and boxes meet planes, fixed ones or those of other bodies;
  spheres and capsules meet each other. lower and upper are stops: contacts with one row that
  the law strikes like any other. Contacts are called "leg.foot/floor" and "leg.lower"; boxes
  and capsules over a plane make several, "trunk.box/floor#1" ...
  Laws take lists by these names, from the whole name to a body, "stop" or "other":
    k.law.compliant{ e = 0.5, mu = { foot = 0.8, stop = 0 } }
Forces
  springs and dampers of joints, constant torques, torque = function(t, q, u) ... end (q.leg,
  u.leg by name), and between points springs = { { "leg.foot", "anchor", stiffness = 100,
  rest = 0.5 } }; an obstacle { at = {0, 2} } is a point of the world.
Loops
  loops = { { "a.tip", "b.tip" } } keeps two points together, redundant ones too. A start that
  is open by less than 1 % of the size is closed; another one is refused with the distance.
Names
  m.q.leg, m.q.hip (a vector), m.q["hip.x"], m["leg.rate"]; m:with{ ["leg.mass"] = 2 },
  m:with{ q = { leg = 0.1 } }, m:at{ leg = 0.1 }; columns of runs: leg, leg.rate,
  gap(leg.foot/floor), f_n(leg.foot/floor); sweeps take "leg.mass", "leg.q".
Files
  k.mechanism.load "robot.urdf" reads URDF and a subset of MJCF; m.notes names, with its line,
  what has no counterpart here (meshes, actuators, tendons ...). m:save "robot.lua" writes a
  declaration that gives the mechanism back.
Pictures
  m:plot(), run:plot "strobe", run:animate; in space `view` is the direction to the eye.
check = false lets inertias pass that no body can have.]]

local function unit(x)
  if x.unit == "" then return "" end
  if x.unit == "1" then return "" end
  return x.unit == x.slide_unit and x.unit or x.unit .. " or " .. x.slide_unit
end

local function rows(of, title)
  local lines = { title }
  for _, x in ipairs(core.mechanisms.numbers(of)) do
    local key = x.key == "" and "name" or x.key
    lines[#lines + 1] = ("  %-10s %-22s %s"):format(key, unit(x), x.doc)
  end
  return table.concat(lines, "\n")
end

return function()
  return table.concat({ head, rows("body", "Numbers of a body"), "",
    rows("point", "points = { name = {x, z} }"), rows("sphere", "spheres = { name = { ... } }"), rows("capsule", "capsules = { name = { ... } }"),
    rows("box", "boxes = { name = { ... } }"), rows("plane", "planes = { name = { ... } }, and obstacles"), rows("spring", "springs"), tail }, "\n")
end
