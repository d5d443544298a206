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
local before = k.simulate(pencil, law, { t_end = -0.4, backward = true, max_impacts = 1 })
local after = k.simulate(hit.after, law, { t_end = 0.4 })
scenario.say("velocity 0.4 s before", before:at(-0.4).model.velocity, "m/s")
scenario.say("velocity 0.4 s after", after:at(0.4).model.velocity, "m/s")

-- the view along x: the outline of the pencil turned by a right angle about z
local half = math.sqrt(0.5)
local function turned(q)
  -- quaternion of a turn by -90 degrees about z, times q; the same for the position
  local w, x, y, z = q[4], q[5], q[6], q[7]
  return k.matrix { { q[2] }, { -q[1] }, { q[3] }, { half * (w + z) }, { half * (x + y) }, { half * (y - x) }, { half * (z - w) } }
end

local f = k.figure { rows = 1, cols = 2, style = "ieee2" }
local times = {}
for i = -4, 4 do times[#times + 1] = i * given.step end
for view = 1, 2 do
  local pictures, strong = {}, {}
  for i, t in ipairs(times) do
    local q = (t < 0 and before or after):at(t).q
    pictures[i] = mechanism.outline(pencil, view == 2 and turned(q) or q)
    strong[i] = t == 0
  end
  mechanism.draw(f[view], pictures, strong)
  mechanism.axes(f[view])
  f[view].x.label = view == 1 and T"$x$" or T"$y$"
  f[view].x.range, f[view].y.range = view == 1 and { -1.1, 4.7 } or { -2.9, 2.9 }, { -0.4, 4.2 }
  f[view].title = view == 1 and T"seen along $y$" or T"seen along $-x$"
end
scenario.save(f, "y_fig18")
