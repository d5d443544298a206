-- Jia, Fig 18: motion of the pencil, 0.4 s before to 0.4 s after the impact, two views

local k = require "knock"
local scenario = require "knock.scenario"
local given = scenario {
  mu = 0.8, -- coefficient of friction
  e = 0.5, -- energetic restitution
  eta = math.sqrt(17 / 14), -- tangential compliance eta0
  step = 0.1, -- time between two pictures [s]
}
local T = k.figure.math
local mechanism = require "knock.draw.mechanism"

local law = k.law.compliant { mu = given.mu, e = given.e, eta = given.eta }
local pencil = k.pencil {}
local hit = k.impact(pencil, law)
-- back in time from the velocities before the impact, on in time from those after it
local before = k.simulate(pencil, law, { t_end = -4 * given.step, backward = true, max_events = 1 })
local after = k.simulate(hit.after, law, { t_end = 4 * given.step })
scenario.say("velocity in the first picture", before:at(-4 * given.step).model.velocity, "m/s")
scenario.say("velocity in the last picture", after:at(4 * given.step).model.velocity, "m/s")

-- the view along x: the outline of the pencil turned by a right angle about z
local half = math.sqrt(0.5)
local function turned(q)
  -- quaternion of a turn by -90 degrees about z, times q; the same for the position
  local w, x, y, z = q[4], q[5], q[6], q[7]
  return k.matrix { { q[2] }, { -q[1] }, { q[3] }, { half * (w + z) }, { half * (x + y) }, { half * (y - x) }, { half * (z - w) } }
end

-- nine pictures side by side in each view; the fifth is the impact
local function shifted(shapes, by)
  for _, shape in ipairs(shapes) do for i = 1, #shape.x do shape.x[i] = shape.x[i] + by end end
  return shapes
end

local f = k.figure { rows = 2, cols = 1, style = "ieee2" }
local apart = 3.6 -- [m]
for view = 1, 2 do
  local panel, pictures, strong = f[view], {}, {}
  for i = -4, 4 do
    local t = i * given.step
    local q = (i < 0 and before or after):at(t).q
    if view == 2 then q = turned(q) end
    local shapes = shifted(mechanism.outline(pencil, q), apart * i - q[1])
    pictures[#pictures + 1], strong[#pictures + 1] = shapes, true
    panel:text { x = apart * i, y = -0.55, text = ("%+.1f s"):format(t):gsub("%+0.0", "0"):gsub("-", "\u{2212}"), side = "center" }
  end
  mechanism.draw(panel, pictures, "all")
  mechanism.axes(panel, true)
  panel.x.range, panel.y.range = { -4.6 * apart, 4.6 * apart }, { -0.9, 4 }
  if view == 1 then mechanism.scale(panel, 4.5 * apart - 1, 3.6, 1, "1 m") end
  panel.title = view == 1 and T"seen along $y$" or T"seen along $-x$"
end
scenario.save(f, "y_fig18")
