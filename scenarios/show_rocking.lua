-- Showpiece: the rocking block with friction
--
-- A block, tilted and let go, rocks from corner to corner. Where a corner strikes while the other stands, law.moreau with e = 0
-- lets the old corner go and the new one hold: the rate falls by Housner's factor 1 - 3/2 sin^2(alpha), tan(alpha) =
-- width/height, when friction can take the impulse, that is when mu >= 3 b h/(4 h^2 + b^2) (half width b, half height h).
-- (a) angle over time, with Housner's envelope; (b) rate after over rate before, for blocks of all shapes and several mu.

local k = require "knock"
local scenario = require "knock.scenario"
local T = k.figure.math

local p = scenario {
  width = 0.2, -- of the block in (a) [m]
  height = 1, -- of all blocks [m]
  tilt = 0.9, -- at the start, part of the angle at which it would fall over
  mu = 0.6, -- friction in (a)
  t = 6, -- how long [s]
  n = 121, -- shapes in (b)
}

local function block(width, angle)
  local b, h, m = width / 2, p.height / 2, 10
  local c, s = math.cos(angle or 0), math.sin(angle or 0)
  return k.mechanism { name = "block", plane = true,
    bodies = { { name = "block", joint = "free", mass = m, inertia = m * (b * b + h * h) / 3, com = { 0, h },
      points = { left = { -b, 0 }, right = { b, 0 } } } },
    obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } },
    contacts = { { "block.left", "floor" }, { "block.right", "floor" } },
    -- it stands on its left corner, turned counterclockwise
    q = { block = { b * c - b, b * s, angle or 0 } } }
end

local function housner(width)
  local alpha = math.atan(width, p.height)
  return 1 - 1.5 * math.sin(alpha) ^ 2
end

local slender = math.atan(p.width, p.height)
local run = k.simulate(block(p.width, p.tilt * slender), k.law.moreau { e = 0, mu = p.mu }, { t_end = p.t })
local hits = {}
for _, event in ipairs(run.events) do if event.kind == "impact" then hits[#hits + 1] = event end end
local worst = 0
for _, event in ipairs(hits) do
  local before, after = run:at(event.t, "before").u.block[3], run:at(event.t).u.block[3]
  worst = math.max(worst, math.abs(after / before - housner(p.width)))
end
scenario.say("impacts", #hits)
scenario.say("Housner's factor", housner(p.width))
scenario.say("largest difference from it", worst)

-- (a) the way, and Housner's highest angles: energies above the flat position fall by the factor's square
local f = k.figure { rows = 1, cols = 2, height = 8 }
local c, degrees = run:sample(1200), {}
for i = 1, c.n do degrees[i] = c["block.angle"][i] * 180 / math.pi end
f[1]:line { x = c.t, y = degrees, colour = 1, label = "angle" }
local high = { x = {}, y = {} }
for i = 1, #hits - 1 do
  local left = housner(p.width) ^ (2 * i) * (math.cos(slender - p.tilt * slender) - math.cos(slender))
  local angle = slender - math.acos(math.cos(slender) + left)
  high.x[i], high.y[i] = (hits[i].t + hits[i + 1].t) / 2, (-1) ^ i * angle * 180 / math.pi
end
f[1]:points { x = high.x, y = high.y, mark = "ring", colour = 2, label = "Housner" }
f[1]:hline(0)
f[1].x, f[1].y = { label = T"$t$", unit = "s" }, { label = "angle", unit = "deg" }

-- (b) it lands flat, turning about its left corner with rate -1
local function factor(width, law)
  local landing = block(width)
  local b = width / 2
  local hit = k.impact(landing:at(landing.q, { 0, -b, -1 }), law, { contacts = { 1, 2 }, status = true })
  return hit.status == "ok" and -hit.u[3] or 0 / 0
end
local ratios, theory = k.linspace(0.01, 1.6, p.n), {}
for i = 1, p.n do theory[i] = math.max(0, housner(ratios[i] * p.height)) end
local laws = { { "no friction", k.law.moreau { e = 0, mu = 0 } }, { T"$\\mu = 0.2$", k.law.moreau { e = 0, mu = 0.2 } },
  { T"$\\mu = 0.4$", k.law.moreau { e = 0, mu = 0.4 } }, { T"$\\mu = 0.8$", k.law.moreau { e = 0, mu = 0.8 } } }
for l, one in ipairs(laws) do
  local y = {}
  for i = 1, p.n do y[i] = factor(ratios[i] * p.height, one[2]) end
  f[2]:line { x = ratios, y = y, label = one[1], colour = l }
end
f[2]:line { x = ratios, y = theory, label = "Housner", colour = "black", dash = "dotted" }
f[2].x, f[2].y = { label = "width / height" }, { label = "rate after / rate before" }
f[1].key, f[2].key = "above", "above"
scenario.save(f, "show_rocking")
