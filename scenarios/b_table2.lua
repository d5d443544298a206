-- Batlle, Tables 2 and 3, and Fig 7: the person on crutches
--
-- Prints the segments and the two initial states with the velocities after their impacts; the figure shows the
-- walker with the velocities of feet and tips before and after the impact, (a) of Fig 8 and (b) of Fig 9.

local k = require "knock"
local scenario = require "knock.scenario"
local outline = require "knock.draw.mechanism"
local T = k.figure.math

local p = scenario {
  k = 1e9, -- stiffness of the ground [N/m]
  e = 1, -- restitution
  scale = 0.2, -- length of the arrows [m per m/s]
}
local walker = k.crutch_walker {}

print "Table 2         legs     torso    upper arms  arms + crutches"
for _, row in ipairs { { "mass", "m [kg]" }, { "inertia", "I_G [kg m^2]" }, { "length", "l [m]" }, { "centre", "a [m]" } } do
  local v = walker[row[1]]
  print(("  %-12s  %-7g  %-7g  %-10g  %-7g"):format(row[2], v[1], v[2], v[3], v[4]))
end
local mass = 0
for i = 1, 4 do mass = mass + walker.mass[i] end
print(("  total mass %g kg: 70 kg of person and 1.2 kg of crutches"):format(mass))

-- height of the tip: feet, then up and down the chain
local angle, x, z = 0, 0, 0
for i = 1, 4 do
  angle = angle + walker.q[i + 2]
  x, z = x + walker.length[i] * math.sin(angle), z + walker.length[i] * math.cos(angle)
end
print(("  tips at x = %.4f m, z = %.4f m: below the feet, yet taken as in contact"):format(x, z))

print "Table 3    q' before                      v_n before (feet, tips)    v_n after [m/s]        energy [J]"
local f = k.figure { rows = 1, cols = 2, height = 8, key = "shared" }
for i, case in ipairs { { 8, { 0, 0, 2, 0, 0, 0 } }, { 9, { 0, -0.5, 1, 0, 0, 0 } } } do
  local hit = k.impact(walker:with { u = case[2] }, k.law.compliant { k = p.k, e = p.e })
  local v0, v = hit.contact_velocity_before, hit.contact_velocity
  print(("  Fig. %d   (%s)   %9.5f, %9.5f       %.6f, %.6f     %.4f"):format(case[1], table.concat(case[2], ", "), v0[2], v0[4], v[2], v[4], hit.energy.after))
  local panel = f[i]
  outline.draw(panel, { outline.outline(walker) }, "all")
  outline.axes(panel)
  for _, a in ipairs { { v0, -0.03, "grey", "velocity before" }, { v, 0.03, "red", ("velocity after (%g m for 1 m/s)"):format(p.scale) } } do
    local vel = a[1]
    panel:arrows { x = { a[2], x + a[2] }, y = { 0, z }, dx = { p.scale * vel[1], p.scale * vel[3] }, dy = { p.scale * vel[2], p.scale * vel[4] },
                   colour = a[3], dash = "solid", width = 1.2, label = i == 1 and a[4] or nil }
  end
end
scenario.save(f, "b_table2")
