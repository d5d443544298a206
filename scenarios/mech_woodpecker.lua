-- Mechanism: the woodpecker toy
--
-- A sleeve slides down a pole with play; a bird on a spring hangs on it, tips, strikes the pole with its beak, and lets the
-- sleeve slip by a little at every peck. Three bodies, three contacts with friction, law.moreau. Masses and lengths after
-- Glocker's toy (the geometry here is exact, his is linear in the angles). (a) the toy as it pecks, and most of a period later (pale); (b) the way down;
-- (c) the limit cycle of the bird, with its impacts.

local k = require "knock"
local scenario = require "knock.scenario"
local T = k.figure.math

local p = scenario {
  mu = 0.3, -- friction at the pole
  e = 0.5, -- restitution of the beak; that of the sleeve is 0
  c = 0.0056, -- spring between sleeve and bird [N m/rad]
  r0 = 2.5e-3, -- half the pole's width [m]
  rM = 3.1e-3, -- half the sleeve's width inside [m]
  hM = 5.8e-3, -- half its height [m]
  lM = 10e-3, -- from the pole's middle to the spring [m]
  lG = 15e-3, -- from the spring to the bird's mass centre [m]
  lS = 20.1e-3, -- from there back to its beak [m]
  hS = 20e-3, -- the beak over it [m]
  t = 1.5, -- how long [s]
}

local toy = k.mechanism { name = "woodpecker", plane = true,
  bodies = {
    { name = "lift", joint = "slide", axis = { 0, 1 } }, -- no mass: the sleeve slides and turns
    { name = "sleeve", parent = "lift", joint = "hinge", mass = 0.0003, inertia = 5e-9, points = { low = { p.rM, -p.hM }, top = { p.rM, p.hM } } },
    { name = "bird", parent = "sleeve", joint = "hinge", at = { p.lM, 0 }, mass = 0.0045, com = { p.lG, 0 }, inertia = 7e-7, stiffness = p.c,
      points = { beak = { p.lG - p.lS, p.hS } } },
  },
  obstacles = { pole = { point = { p.r0, 0 }, normal = { 1, 0 } } },
  q = { sleeve = -0.1, bird = -0.18 }, u = { lift = -0.34, bird = -7.5 } }

local law = k.law.moreau { mu = p.mu, e = { beak = p.e, sleeve = 0 } }
local run = k.simulate(toy, law, { t_end = p.t })

-- pecks, and what happens from one to the next when the motion has settled
local pecks = {}
for _, event in ipairs(run.events) do
  if event.kind == "impact" and event.contact == 3 then pecks[#pecks + 1] = event end
end
local first, last = pecks[#pecks - 1], pecks[#pecks]
local period = last.t - first.t
scenario.say("period from peck to peck", period, "s")
scenario.say("way down in one period", (first.q.lift - last.q.lift) * 1000, "mm")
scenario.say("bird's rate before the peck", last.u.bird + last.u.sleeve, "rad/s")
scenario.say("change from the peck before", math.abs(last.u.bird - first.u.bird), "rad/s")

local f = k.figure { rows = 1, cols = 3, height = 6.5, letters = true }
local outline = require "knock.draw.mechanism"
local pictures = {}
for i, t in ipairs { first.t, first.t + 0.72 * period } do pictures[i] = outline.outline(toy, run:at(t).q) end
outline.draw(f[1], pictures, { true, false })
outline.axes(f[1], true)

local c = run:sample(3000)
local mm = {}
for i = 1, c.n do mm[i] = c.lift[i] * 1000 end
f[2]:line { x = c.t, y = mm, colour = "blue" }
f[2].x, f[2].y = { label = T"$t$", unit = "s" }, { label = "height of the sleeve", unit = "mm" }

-- the cycle: angle and rate of the bird against the world, over the last period
local angle, rate = {}, {}
for i = 0, 600 do
  local at = run:at(first.t + period * i / 600 * 0.999999)
  angle[#angle + 1], rate[#rate + 1] = at.q[2] + at.q[3], at.u[2] + at.u[3]
end
f[3]:line { x = angle, y = rate, colour = "blue" }
local marks = { [1] = { "sleeve", "orange", "disc" }, [3] = { "beak", "green", "diamond" } }
local shown = {}
for _, event in ipairs(run.events) do
  local look = event.kind == "impact" and event.t > first.t and event.t <= last.t and marks[event.contact]
  if look then
    f[3]:points { x = { event.q.sleeve + event.q.bird }, y = { event.u.sleeve + event.u.bird }, colour = look[2], mark = look[3], label = not shown[look[1]] and look[1] .. " strikes" or nil }
    shown[look[1]] = true
  end
end
f[3].x, f[3].y = { label = "angle of the bird", unit = "rad" }, { label = "its rate", unit = "rad/s" }
f[3].key = "above"
scenario.save(f, "mech_woodpecker")
