-- Batlle, Tables 1 to 3: the rod's final velocities, and the crutch walker's two impacts

local k = require "knock"
local scenario = require "knock.scenario"
local given = scenario {
  k = 1e8, -- stiffness under the rod [N/m]
}
local T = k.figure.math

-- Table 1, with its two slips in print: velocities are in cm/s, gaps ten times as large
local rows = {
  { "2", { 0, 0 }, 0, { 1.131, 0.5949 } }, { "3", { 350e-6, 0 }, 0, { 1.2154, 0.3204 } },
  { "4", { 0, 0 }, -1, { 0.6299, 2.5886 } }, { "5", { 250e-6, 0 }, -1, { 0.6531, 2.5306 } },
}
for _, row in ipairs(rows) do
  local rod = k.rod { velocity = { 0, -1 }, spin = row[3], gaps = row[2], gravity = 0 }
  local hit = k.impact(rod, k.law.compliant { k = given.k })
  scenario.say(("Fig %s: v_n of P and Q after"):format(row[1]), { hit.contact_velocity[2], hit.contact_velocity[4] }, "m/s", row[4])
end
-- Tables 2 and 3: the walker
for _, case in ipairs { { "8", { 0, 0, 2, 0, 0, 0 } }, { "9", { 0, -0.5, 1, 0, 0, 0 } } } do
  local hit = k.impact(k.crutch_walker { u = case[2], gravity = 0 }, k.law.compliant { k = 1e9 })
  scenario.say(("Fig %s: v_n of feet and tips after"):format(case[1]), { hit.contact_velocity[2], hit.contact_velocity[4] }, "m/s")
end

-- a picture of what the table says: final velocities over the gap of P, for both motions
local f = k.figure { rows = 1, cols = 2, style = "ieee2" }
for p, spin in ipairs { 0, -1 } do
  local gaps, P, Q = k.linspace(0, 500e-6, 401), {}, {}
  for i = 1, #gaps do
    local hit = k.impact(k.rod { velocity = { 0, -1 }, spin = spin, gaps = { gaps[i], 0 }, gravity = 0 }, k.law.compliant { k = given.k })
    P[i], Q[i] = hit.contact_velocity[2], hit.contact_velocity[4]
  end
  f[p]:line { x = gaps, y = P, label = T"$v_n^{+}$(P)", colour = 1 }
  f[p]:line { x = gaps, y = Q, label = T"$v_n^{+}$(Q)", colour = 2 }
  local at = p == 1 and { 0, 350e-6 } or { 0, 250e-6 }
  f[p]:points { x = { at[1], at[1], at[2], at[2] }, y = { rows[2 * p - 1][4][1], rows[2 * p - 1][4][2], rows[2 * p][4][1], rows[2 * p][4][2] },
                colour = "black", mark = "ring", label = "Table 1" }
  f[p].title = spin == 0 and "falls flat" or "falls and turns"
  f[p].x, f[p].y = { label = "gap of P", unit = "m" }, { label = T"$v_n^{+}$", unit = "m/s" }
end
scenario.save(f, "b_table1")
