-- Mechanism: Newton's cradle of pendulums whose bodies touch
--
-- Balls on strings (hinges with massless rods) that touch at rest, the first let go from an angle. The same cradle by three
-- laws: in turn, linear springs, and springs with a little loss. (a) the cradle; (b) angles over time with
-- springs; (c) how the energy of the last ball tells the laws apart.

local k = require "knock"
local scenario = require "knock.scenario"
local T = k.figure.math

local p = scenario {
  n = 5, -- balls
  length = 0.3, -- of the strings [m]
  radius = 0.02, -- of the balls [m]
  mass = 0.1, -- of a ball [kg]
  angle = 0.6, -- of the first string [rad]
  e = 0.97, -- restitution of the lossy law
  t = 5, -- how long [s]
}

local bodies, contacts = {}, {}
local I = 0.4 * p.mass * p.radius ^ 2
for i = 1, p.n do
  bodies[i] = { name = "ball" .. i, joint = "hinge", at = { (i - 1) * 2 * p.radius, 0 }, mass = p.mass, com = { 0, -p.length }, inertia = I,
    spheres = { skin = { at = { 0, -p.length }, radius = p.radius } } }
  if i > 1 then contacts[i - 1] = { ("ball%d.skin"):format(i - 1), ("ball%d.skin"):format(i) } end
end
local cradle = k.mechanism { name = "cradle", plane = true, bodies = bodies, contacts = contacts, q = { ball1 = -p.angle } }

local laws = {
  { "in turn", k.law.sequential { law = k.law.newton { e = 1 } }, "blue" },
  { "springs", k.law.compliant { e = 1 }, "orange" },
  { ("springs, e = %g"):format(p.e), k.law.compliant { e = p.e }, "green" },
}

local f = k.figure { rows = 1, cols = 3, height = 7, letters = true }
local outline = require "knock.draw.mechanism"
outline.draw(f[1], { outline.outline(cradle) }, "all")
outline.axes(f[1], true)

for i, law in ipairs(laws) do
  local run = k.simulate(cradle, law[2], { t_end = p.t, samples = 2000 })
  local c = run:sample(1500)
  local share = {}
  for j = 1, c.n do
    local w, q = c[("ball%d.rate"):format(p.n)][j], c["ball" .. p.n][j]
    share[j] = (0.5 * (p.mass * p.length ^ 2 + I) * w ^ 2 + p.mass * 9.81 * p.length * (1 - math.cos(q))) * 1000
  end
  f[3]:line { x = c.t, y = share, label = law[1], colour = law[3], dash = i }
  scenario.say(law[1] .. ": impacts", run.impacts, "")
  scenario.say("  energy lost", run.ledger.start - run.ledger["end"], "J")
  if law[1] == "springs" then
    for i = 1, p.n do f[2]:line { x = c.t, y = c["ball" .. i], label = ("ball %d"):format(i), colour = i } end
  end
end
f[2].x, f[2].y = { label = T"$t$", unit = "s", range = { 0, 2.5 } }, { label = "angle, with springs", unit = "rad" }
f[2].key = "above"
f[3].x, f[3].y = { label = T"$t$", unit = "s" }, { label = "energy of the last ball", unit = "mJ" }
f[3].key = "above"
scenario.save(f, "mech_cradle")
