-- Showpiece: Newton's cradle by three laws
--
-- Balls in a row, --left of them come in together. Newton's law for all contacts at once, single impacts in turn, and
-- linear springs all keep the energy (e = 1) and the momentum, yet they disagree on the velocities.
-- (a) velocities after the impact; (b) the balls over time with the springs.

local k = require "knock"
local scenario = require "knock.scenario"
local T = k.figure.math

local p = scenario {
  n = 5, -- balls
  left = 1, -- balls that come in
  v = 1, -- their velocity [m/s]
  e = 1, -- restitution
  k = 1e8, -- stiffness between the balls [N/m]
}

local v0 = {}
for i = 1, p.n do v0[i] = i <= p.left and p.v or 0.0 end
local cradle = k.chain { n = p.n, velocity = v0 }
local laws = {
  { "at once", k.law.newton { e = p.e } },
  { "in turn", k.law.sequential { law = k.law.newton { e = p.e } } },
  { "springs", k.law.compliant { e = p.e, k = p.k } },
}

local f = k.figure { rows = 1, cols = 2, height = 7 }
local width, springs = 0.26, nil
local numbers = {}
for i = 1, p.n do numbers[i] = i end
for l, law in ipairs(laws) do
  local hit = k.impact(cradle, law[2])
  local x, momentum = {}, 0
  for i = 1, p.n do
    x[i] = i + (l - 2) * width
    momentum = momentum + hit.velocity[i] * cradle.mass
  end
  f[1]:bars { x = x, y = hit.velocity, w = width * 0.92, colour = ({ "blue", "orange", "green" })[l], border = "black", width = 0.4, label = law[1] }
  scenario.say(law[1], hit.velocity, "m/s")
  scenario.say("  momentum and energy after", { momentum, hit.energy.after }, "N s, J")
  springs = hit
end
f[1]:points { x = numbers, y = v0, mark = "ring", colour = "black", label = "before" }
f[1]:hline(0)
f[1].x, f[1].y = { label = "ball", range = { 0.4, p.n + 0.6 } }, { label = "velocity", unit = "m/s" }
f[1].key = "above"

-- every ball's velocity with the springs: m dv = p of its left contact - p of its right contact
local trace = require "knock.draw.trace".of(springs)
for i = 1, p.n do
  local y = {}
  for j = 1, trace.n do
    local left, right = i > 1 and trace[trace.p[i - 1]][j] or 0, i < p.n and trace[trace.p[i]][j] or 0
    y[j] = v0[i] + (left - right) / cradle.mass
  end
  f[2]:line { x = trace.t, y = y, label = ("ball %d"):format(i), colour = i }
end
f[2]:hline(0)
f[2].x, f[2].y = { label = T"$t$", unit = "s" }, { label = "velocity, with springs", unit = "m/s" }
f[2].key = "above"
scenario.save(f, "show_cradle")
