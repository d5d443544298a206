-- Showpiece: the Painleve rod and all its solutions
--
-- The lower end of a slender rod slides ahead on a rough floor and moves off it, slowly. Without friction it leaves. With
-- enough of it, at some angles three answers are consistent: it leaves, it stops dead, and one between in which it goes on
-- sliding. (a) normal impulse of every solution over the angle, (b) velocity of the end after.

local k = require "knock"
local scenario = require "knock.scenario"
local T = k.figure.math

local p = scenario {
  v = { 1, 0.01 }, -- velocity of the end before, t and n [m/s]
  mu = 1.6, -- friction; the paradox needs more than 4/3
  n = 361, -- angles
}

-- a rod of mass 1 and half-length 1, its end at (c, s) from the centre: W = I + 3 r r^T, r across the rod
local function problem(angle)
  local c, s = math.cos(angle), math.sin(angle)
  return { dim = 2, W = { { 1 + 3 * s * s, -3 * s * c }, { -3 * s * c, 1 + 3 * c * c } }, v = p.v }
end

local law = k.law.moreau { mu = p.mu, e = 0 }
local kinds = { leaves = { x = {}, y = {}, z = {} }, stops = { x = {}, y = {}, z = {} }, slides = { x = {}, y = {}, z = {} } }
local angles, most, from, to = k.linspace(-math.pi / 2, -math.pi / 6, p.n), 0, nil, nil
for i = 1, p.n do
  local answer = k.solve(problem(angles[i]), law)
  for _, one in ipairs(answer.solutions) do
    local pn, vt = one.impulse[2], one.velocity[1]
    local kind = pn == 0 and "leaves" or math.abs(vt) < 1e-12 and "stops" or "slides"
    local to_list = kinds[kind]
    table.insert(to_list.x, angles[i] * 180 / math.pi)
    table.insert(to_list.y, pn)
    table.insert(to_list.z, vt)
  end
  if #answer.solutions > 1 then
    from, to = from or angles[i], angles[i]
  end
  most = math.max(most, #answer.solutions)
end
scenario.say("most solutions at one angle", most)
scenario.say("several from, to", { from * 180 / math.pi, to * 180 / math.pi }, "degrees")

local f = k.figure { rows = 1, cols = 2, height = 8 }
for l, name in ipairs { "leaves", "stops", "slides" } do
  local list = kinds[name]
  for panel = 1, 2 do
    f[panel]:points { x = list.x, y = panel == 1 and list.y or list.z, label = name, colour = l, mark = ({ "disc", "ring", "square" })[l], size = 2 }
  end
end
f[1].x, f[1].y = { label = "angle", unit = "deg" }, { label = T"$p_n$", unit = "N s" }
f[2].x, f[2].y = { label = "angle", unit = "deg" }, { label = T"$v_t$ after", unit = "m/s" }
f[1].key, f[2].key = "above", "above"
scenario.save(f, "show_painleve")
