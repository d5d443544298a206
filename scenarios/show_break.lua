-- Showpiece: one ball into ten, the break
--
-- Ten discs in a triangle touch each other, an eleventh strikes the first a little off the middle: nineteen contacts with
-- friction act together (38 rows, 33 speeds). Velocities right after the impact by four laws: (a) Moreau's rule ends all contacts
-- at once, (b) Hertz contacts (law.lzb) and (c) springs send a wave through the rack, (d) single impacts, one after the other in the
-- order of the contacts' numbers. Arrows: velocities, one disc's width is 0.5 m/s.

local k = require "knock"
local scenario = require "knock.scenario"

local p = scenario {
  e = 0.9, -- restitution
  mu = 0.1, -- friction between discs
  speed = 1, -- of the eleventh [m/s]
  off = 0.1, -- how far it aims beside the middle, in radii
}

local radius, mass = 0.03, 0.17
local bodies, contacts, q, centres = {}, {}, {}, {}
local function disc(name, x, y)
  bodies[#bodies + 1] = { name = name, joint = "free", mass = mass, inertia = 0.4 * mass * radius ^ 2, spheres = { skin = { radius = radius } } }
  centres[#centres + 1], q[name] = { x, y }, { x, y, 0 }
end
local row = math.sqrt(3) * radius
for i = 0, 3 do
  for j = 0, i do disc("b" .. #bodies + 1, i * row, (2 * j - i) * radius) end
end
local aim = p.off * radius
disc("cue", -math.sqrt((2 * radius) ^ 2 - aim ^ 2), aim)
for a = 1, #centres do
  for b = a + 1, #centres do
    local dx, dy = centres[b][1] - centres[a][1], centres[b][2] - centres[a][2]
    if math.sqrt(dx * dx + dy * dy) < 2.001 * radius then contacts[#contacts + 1] = { bodies[a].name .. ".skin", bodies[b].name .. ".skin" } end
  end
end

local rack = k.mechanism { name = "rack", plane = true, gravity = { 0, 0 }, bodies = bodies, contacts = contacts, q = q, u = { cue = { p.speed, 0, 0 } } }
scenario.say("contacts", #contacts)

local laws = {
  { "Moreau", k.law.moreau { e = p.e, mu = p.mu } },
  { "Hertz contacts", k.law.lzb { e = p.e, mu = p.mu } },
  { "springs", k.law.compliant { e = p.e, mu = p.mu } },
  { "one by one", k.law.sequential { law = k.law.stronge { e = p.e, mu = p.mu } } },
}

local f = k.figure { rows = 2, cols = 2, height = 13 }
local outline = require "knock.draw.mechanism"
for l, law in ipairs(laws) do
  local hit = k.impact(rack, law[2])
  outline.draw(f[l], { outline.outline(rack) }, "all")
  outline.axes(f[l], true)
  f[l].x.range, f[l].y.range = { -0.17, 0.25 }, { -0.16, 0.16 }
  local x, y, dx, dy = {}, {}, {}, {}
  for i = 1, #bodies do
    x[i], y[i], dx[i], dy[i] = centres[i][1], centres[i][2], hit.u[3 * i - 2] * 4 * radius, hit.u[3 * i - 1] * 4 * radius
  end
  f[l]:arrows { x = x, y = y, dx = dx, dy = dy, colour = "red", width = 1.6 }
  f[l]:text { x = -0.06, y = 0.11, text = law[1], side = "center" }
  scenario.say(law[1] .. ": velocity of the cue after", { hit.u[31], hit.u[32] }, "m/s")
  scenario.say("  energy left", 100 * hit.energy.after / hit.energy.before, "%")
end
scenario.save(f, "show_break")
