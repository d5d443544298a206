-- Mechanism: a biped with knees falls on its two feet
--
-- A trunk, two thighs, two shanks; hips and knees with springs and dampers, knees with stops that do not let them bend
-- forward. Dropped with one foot ahead, it lands on both feet one after the other. (a) the fall; (b) the heights of the
-- feet and their impacts; (c) the energy, with what the impacts, the feet that slide, and the dampers take.

local k = require "knock"
local scenario = require "knock.scenario"
local T = k.figure.math

local p = scenario {
  height = 0.12, -- of the lower foot over the floor at the start [m]
  mu = 0.7, -- friction of the feet
  e = 0.1, -- restitution of the feet and of the knees' stops
  t = 0.7, -- how long [s]
}

local function leg(side, sign)
  return { name = side .. "_thigh", parent = "trunk", joint = "hinge", at = { 0, 0 }, mass = 7, com = { 0, -0.18 }, inertia = 0.1, stiffness = 500, rest = 0.35 * sign, damping = 30 },
    { name = side .. "_shank", parent = side .. "_thigh", joint = "hinge", at = { 0, -0.42 }, mass = 4, com = { 0, -0.18 }, inertia = 0.06,
      stiffness = 450, rest = -0.25, damping = 25, upper = 0, points = { foot = { 0, -0.42 } } }
end

local thigh1, shank1 = leg("left", 1)
local thigh2, shank2 = leg("right", -1)
local q = { left_thigh = 0.45, left_shank = -0.3, right_thigh = -0.2, right_shank = -0.35 }
local function foot(thigh, shank) return -0.42 * math.cos(thigh) - 0.42 * math.cos(thigh + shank) end
local low = math.min(foot(q.left_thigh, q.left_shank), foot(q.right_thigh, q.right_shank))
q.trunk = { 0, p.height - low, 0.03 }

local biped = k.mechanism { name = "biped", plane = true, q = q,
  bodies = { { name = "trunk", joint = "free", mass = 45, com = { 0, 0.28 }, inertia = 2, capsules = { back = { from = { 0, 0.05 }, to = { 0, 0.5 }, radius = 0.09 } } },
    thigh1, shank1, thigh2, shank2 },
  obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } },
  contacts = { { "left_shank.foot", "floor" }, { "right_shank.foot", "floor" } } }

local law = k.law.moreau { e = p.e, mu = { foot = p.mu, stop = 0 } }
local run = k.simulate(biped, law, { t_end = p.t })
local first = {}
for _, event in ipairs(run.events) do
  for _, c in ipairs(event.kind == "impact" and event.contacts or {}) do first[c] = first[c] or event.t end
end
scenario.say("the right foot lands at", first[2], "s")
scenario.say("the left foot lands at", first[1], "s")
scenario.say("impacts", run.impacts, "")
scenario.say("ledger closes to", math.abs(run.ledger.residual), "J")

local f = k.figure { rows = 1, cols = 3, height = 7, letters = true }
local outline = require "knock.draw.mechanism"
local pictures, times = {}, { 0, math.min(first[1], first[2]), p.t }
for i, t in ipairs(times) do
  pictures[i] = outline.outline(biped, run:at(t).q)
  for _, s in ipairs(pictures[i]) do for j = 1, #s.x do s.x[j] = s.x[j] + 0.95 * (i - 1) end end
end
outline.draw(f[1], pictures, "all")
outline.axes(f[1], true)
for i, t in ipairs(times) do
  f[1]:text { x = 0.95 * (i - 1), y = -0.1, text = T(("%.2g s"):format(t)), side = "center", dy = -0.4 }
end

local c = run:sample(1500)
for i, side in ipairs { "right", "left" } do
  local gap, mm, hits = c[("gap(%s_shank.foot/floor)"):format(side)], {}, {}
  for j = 1, c.n do mm[j] = gap[j] * 1000 end
  for _, event in ipairs(run.events) do
    for _, contact in ipairs(event.kind == "impact" and event.contacts or {}) do if contact == 3 - i then hits[#hits + 1] = event.t end end
  end
  local zero = {}
  for j = 1, #hits do zero[j] = 0 end
  f[2]:line { x = c.t, y = mm, label = side .. " foot", colour = i }
  f[2]:points { x = hits, y = zero, mark = i == 1 and "diamond" or "ring", colour = i, label = "it strikes" }
end
f[2].x, f[2].y = { label = T"$t$", unit = "s", range = { 0, 0.3 } }, { label = "height", unit = "mm" }
f[2].key = "above"

local heat, lost = {}, {}
for i = 1, c.n do heat[i], lost[i] = -c.work[i], c.lost[i] + c.sliding[i] end
f[3]:line { x = c.t, y = c.energy, label = "energy", colour = 1 }
f[3]:line { x = c.t, y = lost, label = "impacts and sliding", colour = 2 }
f[3]:line { x = c.t, y = heat, label = "dampers", colour = 3 }
f[3].x, f[3].y = { label = T"$t$", unit = "s" }, { label = "energy", unit = "J" }
f[3].key = "above"
scenario.save(f, "mech_biped")
