-- Showpiece: a biped's heel strikes while its other foot stands on the toe
--
-- A trunk, two straight legs, two feet with stiff ankles. It vaults over the toe behind until the heel ahead meets the floor: two
-- contacts with friction act together, and the law decides whether the toe stays, slides or leaves. (a) the strike, with the
-- impulse of the heel by law.moreau; (b) normal impulses of the heel, thin: of the toe, over the angle of the legs; (c) the part of
-- the energy that the strike takes. In short steps the toe leaves by every law; in long ones it is pressed down, and springs that
-- give along the floor part from the rigid laws.

local k = require "knock"
local scenario = require "knock.scenario"
local T = k.figure.math

local p = scenario {
  angle = 20, -- between each leg and the vertical in (a) [degrees]
  speed = 1.2, -- of the hip before [m/s]
  mu = 0.7, -- friction
  e = 0.2, -- restitution of the laws that have some
  pitch = 20, -- of both feet [degrees]
  n = 60, -- angles
}

local length, heel, toe = 0.9, 0.06, 0.2 -- leg; heel and toe from the ankle, along the sole [m]

-- places of heel or toe from the ankle of a foot pitched by `angle`: 0.07 below it
local function turned(x, z, angle)
  local c, s = math.cos(angle), math.sin(angle)
  return c * x - s * z, s * x + c * z
end

local function foot(name, leg, turn)
  return { name = name, parent = leg, joint = "fixed", at = { 0, -length }, turn = turn, mass = 1, com = { 0.06, -0.05 }, inertia = 0.004,
    points = { heel = { -heel, -0.07 }, toe = { toe, -0.07 } },
    capsules = { sole = { from = { -heel + 0.01, -0.06 }, to = { toe - 0.01, -0.06 }, radius = 0.01 } } }
end
local function leg(name)
  return { name = name, parent = "trunk", joint = "hinge", at = { 0, 0 }, mass = 10, com = { 0, -0.4 }, inertia = 0.7,
    capsules = { bone = { from = { 0, -0.05 }, to = { 0, -length + 0.05 }, radius = 0.04 } } }
end

-- legs at +-angle, the heel ahead and the toe behind on the floor, at the x that are given too; all turns about the toe as one
local function strike(angle)
  local pitch = math.rad(p.pitch)
  local hx, hz = turned(-heel, -0.07, pitch) -- toes up
  local tx, tz = turned(toe, -0.07, -pitch) -- heel up
  local ax, az = turned(0, -length, angle)
  local bx, bz = turned(0, -length, -angle)
  -- a trunk that leans by `lean` turns the legs so that both points are on the floor
  local lean = -math.atan(az + hz - bz - tz, ax + hx - bx - tx)
  local x, z = turned(bx + tx, bz + tz, lean)
  local rate = -p.speed / math.sqrt(x * x + z * z)
  return k.mechanism { name = "biped", plane = true,
    bodies = { { name = "trunk", joint = "free", mass = 45, com = { 0, 0.3 }, inertia = 2,
        capsules = { back = { from = { 0, 0.05 }, to = { 0, 0.55 }, radius = 0.08 } } },
      leg "ahead", foot("foot", "ahead", pitch - angle), leg "behind", foot("last", "behind", angle - pitch) },
    obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } },
    contacts = { { "foot.heel", "floor" }, { "last.toe", "floor" } },
    q = { trunk = { 0, -z, lean }, ahead = angle, behind = -angle },
    u = { trunk = { rate * z, -rate * x, rate } } }, { (turned(ax + hx, az + hz, lean)), x }
end

local laws = {
  { "plastic (Moreau)", k.law.moreau { e = 0, mu = p.mu } },
  { "Moreau", k.law.moreau { e = p.e, mu = p.mu } },
  { "Glocker", k.law.glocker { e = p.e, mu = p.mu } },
  { "LZB", k.law.lzb { e = p.e, mu = p.mu } },
  { "springs", k.law.compliant { e = p.e, mu = p.mu } },
  { "one by one", k.law.sequential { law = k.law.stronge { e = p.e, mu = p.mu } } },
}

-- (a)
local f = k.figure { rows = 1, cols = 3, height = 7 }
local outline = require "knock.draw.mechanism"
local pose, places = strike(math.rad(p.angle))
local hit = k.impact(pose, laws[2][2])
outline.draw(f[1], { outline.outline(pose, pose.q) }, "all")
outline.axes(f[1], true)
for c = 1, 2 do
  f[1]:arrows { x = { places[c] }, y = { 0 }, dx = { hit.impulse[2 * c - 1] / 60 }, dy = { hit.impulse[2 * c] / 60 }, colour = 2, width = 1.6 }
end
scenario.say("impulse of the heel", { hit.impulse[1], hit.impulse[2] }, "N s")
scenario.say("velocity of the toe after", { hit.contact_velocity[3], hit.contact_velocity[4] }, "m/s")

-- (b), (c)
local angles, degrees = k.linspace(math.rad(10), math.rad(50), p.n), {}
for i = 1, p.n do degrees[i] = math.deg(angles[i]) end
for l, law in ipairs(laws) do
  local heels, toes, lost, pressed = {}, {}, {}, nil
  for i = 1, p.n do
    local one = k.impact(strike(angles[i]), law[2])
    heels[i], toes[i] = one.impulse[2], one.impulse[4]
    lost[i] = 100 * (1 - one.energy.after / one.energy.before)
    if toes[i] > 0 then pressed = pressed or degrees[i] end
  end
  f[2]:line { x = degrees, y = heels, label = law[1], colour = l }
  f[2]:line { x = degrees, y = toes, colour = l, width = 0.7 }
  f[3]:line { x = degrees, y = lost, label = law[1], colour = l }
  scenario.say(law[1] .. ": the toe is pressed down from", pressed, "degrees")
end
f[2].x, f[2].y = { label = "angle of the legs", unit = "deg" }, { label = T"$p_n$ of heel and toe", unit = "N s" }
f[3].x, f[3].y = { label = "angle of the legs", unit = "deg" }, { label = "energy lost", unit = "%" }
f[2].key, f[3].key = "above", "above"
scenario.save(f, "show_heel")
