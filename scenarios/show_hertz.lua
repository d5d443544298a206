-- Showpiece: Newton's cradle with Hertz contacts
--
-- A row of balls, the first comes in; law.lzb with contact forces F = K d^n. (a) velocities after: linear springs (n = 1, the
-- same as law.compliant) leave all balls moving, Hertz contacts (n = 1.5) come nearer to the textbook, in which only the last one leaves;
-- (b) forces between the balls over time with Hertz contacts: a wave; (c) the last ball's velocity over n, with e = 1 and less.

local k = require "knock"
local scenario = require "knock.scenario"
local T = k.figure.math

local p = scenario {
  n = 5, -- balls
  v = 1, -- velocity of the first one [m/s]
  e = 0.9, -- restitution of the lossy line in (c)
  stiffness = 1.7e10, -- of Hertz's contacts [N/m^1.5]: steel balls of 25 mm radius
  mass = 0.51, -- of a ball [kg]
  most = 4, -- largest exponent in (c)
  points = 31, -- in (c)
}

local v0, numbers = {}, {}
for i = 1, p.n do v0[i], numbers[i] = i == 1 and p.v or 0.0, i end
local cradle = k.chain { n = p.n, mass = p.mass, velocity = v0 }
local function lzb(n, e) return k.law.lzb { exponent = n, e = e, stiffness = p.stiffness } end

local f = k.figure { rows = 1, cols = 3, height = 7, letters = true }
local laws = {
  { "springs", k.law.compliant { e = 1 } },
  { "LZB, n = 1", lzb(1, 1) },
  { "LZB, n = 1.5", lzb(1.5, 1) },
  { "in turn", k.law.sequential { law = k.law.newton { e = 1 } } },
}
local hertz
for l, law in ipairs(laws) do
  local hit = k.impact(cradle, law[2])
  local x, momentum = {}, 0
  for i = 1, p.n do
    x[i] = i + (l - 2.5) * 0.21
    momentum = momentum + hit.velocity[i] * p.mass
  end
  f[1]:bars { x = x, y = hit.velocity, w = 0.19, colour = l, border = "black", width = 0.4, label = law[1] }
  scenario.say(law[1], hit.velocity, "m/s")
  scenario.say("  momentum and energy after", { momentum, hit.energy.after }, "N s, J")
  if l == 3 then hertz = hit end
end
f[1]:hline(0)
f[1].x, f[1].y = { label = "ball", range = { 0.4, p.n + 0.6 } }, { label = "velocity after", unit = "m/s" }
f[1].key = "above"

local trace = require "knock.draw.trace".of(hertz)
local t = {}
for j = 1, trace.n do t[j] = trace.t[j] * 1e6 end
for i = 1, p.n - 1 do
  local y, force = {}, hertz.path[("F%d_n"):format(i)]
  for j = 1, trace.n do y[j] = force[j] / 1000 end
  f[2]:line { x = t, y = y, label = ("%d and %d"):format(i, i + 1), colour = i }
end
scenario.say("the impact lasts", t[#t], "us")
f[2].x, f[2].y = { label = T"$t$", unit = "µs" }, { label = "force, n = 1.5", unit = "kN" }
f[2].key = "above"

local ns = k.linspace(1, p.most, p.points)
for l, e in ipairs { 1, p.e } do
  local last = {}
  for i = 1, p.points do last[i] = k.impact(cradle, lzb(ns[i], e)).velocity[p.n] end
  f[3]:line { x = ns, y = last, label = ("e = %g"):format(e), colour = l }
end
f[3].x, f[3].y = { label = T"exponent $n$" }, { label = "velocity of the last ball", unit = "m/s" }
f[3].key = "above"
scenario.save(f, "show_hertz")
