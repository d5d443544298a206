-- Batlle, Fig 6: displacements and velocities of the ends of the rod of Fig 5

local k = require "knock"
local scenario = require "knock.scenario"
local given = scenario {
  gap = 250, -- gap of P at the start [micrometres]
  spin = -1, -- angular velocity [rad/s]
}
local T = k.figure.math
local trace = require "knock.draw.trace"
local phases = require "knock.scenario.phases"

local rod = k.rod { velocity = { 0, -1 }, spin = given.spin, gaps = { given.gap * 1e-6, 0 }, gravity = 0 }
local hit = k.impact(rod, k.law.compliant { k = 1e8 })

-- the ends strike one after the other, so Newton's rule with e = 1, four times, gives the same
local newton = k.law.newton { e = 1 }
local model, order = rod, {}
local steps = { t = {}, {}, {} } -- the velocities between the impacts, changed at once where compression ends
local function step(t)
  table.insert(steps.t, t)
  for c = 1, 2 do table.insert(steps[c], model.J[2 * c][2] * model.u[2] + model.J[2 * c][3] * model.u[3]) end
end
step(0)
for _, event in ipairs(hit.events) do
  if event.kind == "compression_end" then
    order[#order + 1] = event.contact
    step(event.t)
    model = k.impact(model, newton, { contacts = { event.contact } }):next()
    step(event.t)
  end
end
step(1.05 * hit.duration)
scenario.say("v_n of P and Q after, by springs", { hit.contact_velocity[2], hit.contact_velocity[4] }, "m/s")
scenario.say(("v_n after, by Newton's rule %d times"):format(#order), { model.v[2], model.v[4] }, "m/s")

local t = trace.of(hit, 200)
local f = k.figure { rows = 1, cols = 2, style = "ieee2" }
local names = { "P", "Q" }
for c = 1, 2 do
  f[2]:line { x = steps.t, y = steps[c], colour = "light", dash = "solid", width = 2.4, label = c == 1 and "Newton's rule" or nil }
end
for c = 1, 2 do
  f[1]:line { x = t.t, y = t[t.x[2 * c]], label = T(("$\\delta_n$(%s)"):format(names[c])), colour = c }
  f[2]:line { x = t.t, y = t[t.v[2 * c]], label = T(("$v_n$(%s)"):format(names[c])), colour = c }
end
for i, what in ipairs { { T"$\\delta_n$", "m" }, { T"$v_n$", "m/s" } } do
  f[i]:hline(0)
  f[i].x, f[i].y = { label = T"$t$", unit = "s" }, { label = what[1], unit = what[2] }
end
scenario.save(phases(f, hit), "b_fig6")
