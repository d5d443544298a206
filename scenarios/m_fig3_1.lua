-- Morgan, Fig 3.1: the double pendulum falls on the floor, again and again
--
-- (a) the links at equal times, with the path of the tip, (b) height of the tip over the floor with its impacts, by
-- Stronge's law in closed form.

local k = require "knock"
local scenario = require "knock.scenario"
local T = k.figure.math

local p = scenario {
  q = { -0.35, 0.5 }, -- angles of the links at the start [rad]
  u = { 0, 0 }, -- their rates [rad/s]
  floor = -1.6, -- height of the floor over the support [m]
  mu = 0.3, -- friction
  e = 0.7, -- energetic restitution
  t = 1.5, -- how long [s]
  n = 16, -- positions shown
}
local m = k.double_pendulum { q = p.q, u = p.u, floor = p.floor }
local run = k.simulate(m, k.law.stronge { mu = p.mu, e = p.e }, { t_end = p.t })

local count, shown = 0, 6
for _, e in ipairs(run.events) do
  if e.kind == "impact" then
    count = count + 1
    if count <= shown then
      local a, b = run:at(e.t, "before"), run:at(e.t)
      scenario.say(("impact %d: time"):format(count), e.t, "s")
      scenario.say("  kinetic energy before and after", { a.kinetic, b.kinetic }, "J")
    end
  end
end
local first, last = run:at(0), run:at(run.t_end)
scenario.say("impacts", count)
scenario.say("energy at the start, at the end, and lost", { first.energy, last.energy, last.lost }, "J")

local c = run:sample(1200)
local x, z = {}, {}
for i = 1, #c.t do
  x[i] = math.cos(c.q1[i]) + math.cos(c.q1[i] + c.q2[i])
  z[i] = math.sin(c.q1[i]) + math.sin(c.q1[i] + c.q2[i])
end

local strobe = run:plot { kind = "strobe", n = p.n }
local f = k.figure { rows = 1, cols = 2, height = 6.6, strobe[1] }
f[1]:line { x = x, y = z, colour = "red", dash = "solid", width = 0.7, label = "path of the tip" }
f[1].key, f[1].y.range = "above", { p.floor - 0.25, 0.35 }
local gap = run:plot "gap"
f.panels[2] = gap[1]
f[2].key = "above"
f[2].y.label, f[2].y.range = "height of the tip", { -0.05, nil }
scenario.save(f, "m_fig3_1")
