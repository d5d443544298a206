-- Paper Y, the ball: sections 1 and 8.1. The pencil of 8.2 is in jia_pencil.lua.

local k = require "knock"

local eta = math.sqrt(17 / 14)
local coulomb = k.law.compliant { mu = 0.4, e = 0.5, eta = eta }
local as_printed = coulomb:with { published_slip = true }

local function ball(velocity, spin)
  return k.ball { mass = 1, radius = 1, velocity = velocity or { -1, 0, -5 }, spin = spin or { 0, 2, 0 } }
end

-- ---- reasons --------------------------------------------------------------------------------------

local slip = "for 0 < e < 1 the paper's program slips in restitution with e mu, not mu, against Coulomb "
  .. "and its own (46), (51) (inferred from the numbers); with that put in the number comes out"
local step = "the paper steps in normal impulse by Euler steps of 5e-5 from a singular start; "
  .. "exact between events here, it differs in the last digits only"
local both = slip .. ", up to its Euler steps of 5e-5"
local chain = both .. ", which add up from bounce to bounce"
local energy = "the printed energies use 0.1 w^2 where (1/2)(2/5) w^2 = 0.2 w^2 is right"
local energy_slip = energy .. ", and the final velocities carry the program's slip (e mu in restitution)"
local energy_step = energy .. "; what is left is the Euler step (V_z = 2.5001 in Table 1)"

-- Its Euler steps are 5e-5 N s: five of them are allowed in an impulse or a velocity, 5/2 as much in the spin
-- (79), 7/2 as much in the contact velocity (84), and five times that after five bounces.
local velocity_to = 5 * 5e-5
local spin_to, contact_to = 5 / 2 * velocity_to, 7 / 2 * velocity_to

-- ---- 8.1.1: one impact ----------------------------------------------------------------------------

local function event(hit, kind)
  for _, ev in ipairs(hit.events) do if ev.kind == kind then return ev end end
  error("reproduce: no " .. kind .. " in the impact")
end

-- rate of the tangential spring while slipping, x' = x n'/n, at the first sample where `inside` holds
local function spring_rate(hit, inside)
  local path = hit:trace(4)
  for i = 1, path.n do
    if path.x_n[i] < 0 and inside(path, i) then return path.x_t1[i] / path.x_n[i] end
  end
end

local function slipping_at_start(path, i) return path.mode[i] == 2 and path.phase[i] == 0 end
local function slipping_in_restitution(path, i) return path.mode[i] == 2 and path.phase[i] == 1 end

local function velocities(add, right, printed)
  local where = "8.1.1"
  add { where = where, what = "V_x after, e = 0.5", unit = "m/s", printed = "0.570984", computed = right.velocity[1],
    expect = "printed slip", repeated = printed.velocity[1], to = velocity_to, reason = both }
  add { where = where, what = "V_z after, e = 0.5", unit = "m/s", printed = "2.5", computed = right.velocity[3] }
  add { where = where, what = "omega_y after, e = 0.5", unit = "rad/s", printed = "-1.92746", computed = right.spin[2],
    expect = "printed slip", repeated = printed.spin[2], to = spin_to, reason = both }
  add { where = "REFERENCE Y", source = "reference", what = "V_x after, Coulomb", unit = "m/s", printed = "0.544090155",
    computed = right.velocity[1] }
  add { where = "REFERENCE Y", source = "reference", what = "omega_y after, Coulomb", unit = "rad/s",
    printed = "-1.860225388", computed = right.spin[2] }
  add { where = "REFERENCE Y", source = "reference", what = "V_x after, slip put in", unit = "m/s", printed = "0.57097376",
    computed = printed.velocity[1] }
  add { where = "REFERENCE Y", source = "reference", what = "omega_y after, slip put in", unit = "rad/s",
    printed = "-1.92743440", computed = printed.spin[2] }
end

local function events(add, hit)
  add { where = "8.1.1, Fig 11", what = "I_z at slip to stick", unit = "N s", printed = "0.62485",
    computed = event(hit, "stick").impulse, expect = "printed slip", to = velocity_to, reason = step }
  add { where = "8.1.1, Fig 11", what = "I_z at the end of compression", unit = "N s", printed = "5",
    computed = event(hit, "compression_end").impulse }
  add { where = "8.1.1, Fig 11", what = "I_z at stick to slip", unit = "N s", printed = "7.36575",
    computed = event(hit, "slip").impulse, expect = "printed slip", to = velocity_to, reason = step }
  add { where = "8.1.1, Fig 11", what = "I_z at the end", unit = "N s", printed = "7.5", computed = event(hit, "end").impulse }
  add { where = "REFERENCE Y", source = "reference", what = "I_z at slip to stick", unit = "N s", printed = "0.625",
    computed = event(hit, "stick").impulse }
  add { where = "REFERENCE Y", source = "reference", what = "I_z at stick to slip", unit = "N s", printed = "7.365581970",
    computed = event(hit, "slip").impulse }
end

local function curves(add, right, printed)
  local stick, reverse = event(right, "stick"), event(right, "slip")
  add { where = "Fig 12(a)", what = "v_t at the start", unit = "m/s", printed = "-3", computed = right.contact_velocity_before[1] }
  add { where = "Fig 12(a)", what = "v_t at the end", unit = "m/s", printed = "2.49847", computed = right.contact_velocity[1],
    expect = "printed slip", repeated = printed.contact_velocity[1], to = contact_to, reason = both }
  add { where = "Fig 12(b)", what = "spring rate at the start", unit = "m/s", printed = "-2.42852",
    computed = spring_rate(right, slipping_at_start) * right.contact_velocity_before[3],
    expect = "printed slip", to = contact_to, reason = step }
  add { where = "Fig 12(b)", what = "spring rate at slip to stick", unit = "m/s", printed = "-2.12528",
    computed = stick.velocity[1], expect = "printed slip", to = contact_to, reason = step }
  add { where = "Fig 12(b)", what = "spring rate before the reversal", unit = "m/s", printed = "2.59255",
    computed = reverse.velocity[1], expect = "printed slip", to = contact_to, reason = step }
  add { where = "Fig 12(b)", what = "spring rate after the reversal", unit = "m/s", printed = "-2.29806",
    computed = spring_rate(right, slipping_in_restitution) * reverse.velocity[3], expect = "printed slip",
    repeated = spring_rate(printed, slipping_in_restitution) * event(printed, "slip").velocity[3], to = contact_to, reason = both }
  add { where = "REFERENCE Y", source = "reference", what = "spring rate after the reversal, Coulomb", unit = "m/s",
    printed = "-4.596", computed = spring_rate(right, slipping_in_restitution) * reverse.velocity[3] }
end

-- (82), (84) and the contact velocity of Table 1
local function inertia(add)
  local W = ball().W
  add { where = "(84)", what = "dv_t/dI_t, m = 1", unit = "1/kg", printed = "7/(2m)", value = 7 / 2, computed = W[1][1] }
  add { where = "(82)", what = "S_11, m = 1", unit = "1/kg", printed = "-5/(2m)", value = -5 / 2, computed = 1 - W[1][1] }
  local v = ball(nil, { 6, 6, 0 }).v
  for i, text in ipairs { "-7", "6", "-5" } do
    add { where = "8.1.2", what = "v_0" .. ("xyz"):sub(i, i) .. " of Table 1", unit = "m/s", printed = text, computed = v[i] }
  end
end

-- the paper's wrong kinetic energy, for the velocities after (or before) a hit
local function wrong_energy(velocity, spin)
  local v, w = 0, 0
  for i = 1, 3 do v, w = v + velocity[i] ^ 2, w + spin[i] ^ 2 end
  return 0.5 * v + 0.1 * w
end

local function energies(add, right, printed)
  local before = wrong_energy(right.before.velocity, right.before.spin)
  add { where = "8.1.1", what = "energy before", unit = "J", printed = "13.4", computed = right.energy.before,
    expect = "printed slip", repeated = before, reason = energy }
  add { where = "8.1.1", what = "energy after, e = 0.5", unit = "J", printed = "3.65977", computed = right.energy.after,
    expect = "printed slip", repeated = wrong_energy(printed.velocity, printed.spin), to = 5e-4, reason = energy_slip }
  add { where = "8.1.1", what = "lost by the normal impact", unit = "J", printed = "9.375", computed = right.energy.restitution }
end

local function extremes(add)
  local plastic, elastic = k.impact(ball(), coulomb:with { e = 0 }), k.impact(ball(), coulomb:with { e = 1 })
  local function row(what, unit, text, computed) add { where = "8.1.4", what = what, unit = unit, printed = text,
    computed = computed, expect = "printed slip", to = unit == "m/s" and velocity_to or spin_to, reason = step } end
  row("V_x after, e = 0", "m/s", "0.554553", plastic.velocity[1])
  row("omega_y after, e = 0", "rad/s", "-1.88638", plastic.spin[2])
  row("V_x after, e = 1", "m/s", "-0.089745", elastic.velocity[1])
  row("omega_y after, e = 1", "rad/s", "-0.275637", elastic.spin[2])
  add { where = "8.1.4", what = "V_z after, e = 1", unit = "m/s", printed = "5", computed = elastic.velocity[3] }
  for _, r in ipairs { { "V_x, e = 0", "0.554538947", plastic.velocity[1] }, { "omega_y, e = 0", "-1.886347367", plastic.spin[2] },
    { "V_x, e = 1", "-0.08974388", elastic.velocity[1] }, { "omega_y, e = 1", "-0.27564030", elastic.spin[2] } } do
    add { where = "REFERENCE Y", source = "reference", what = r[1], printed = r[2], computed = r[3] }
  end
  local before = wrong_energy(plastic.before.velocity, plastic.before.spin)
  local after0, after1 = wrong_energy(plastic.velocity, plastic.spin), wrong_energy(elastic.velocity, elastic.spin)
  local function lost(hit) return 100 * (1 - hit.energy.after / hit.energy.before) end
  add { where = "8.1.4", what = "energy after, e = 0", unit = "J", printed = "0.5096", computed = plastic.energy.after,
    expect = "printed slip", repeated = after0, reason = energy }
  add { where = "8.1.4", what = "energy lost, e = 0", unit = "%", printed = "96.197", computed = lost(plastic),
    expect = "printed slip", repeated = 100 * (1 - after0 / before), reason = energy }
  add { where = "8.1.4", what = "energy after, e = 1", unit = "J", printed = "12.5119", computed = elastic.energy.after,
    expect = "printed slip", repeated = after1, to = 5e-4, reason = energy_step }
  add { where = "8.1.4", what = "energy lost, e = 1", unit = "%", printed = "6.628", computed = lost(elastic),
    expect = "printed slip", repeated = 100 * (1 - after1 / before), to = 4e-3, reason = energy_step }
  add { where = "REFERENCE Y", source = "reference", what = "energy before", unit = "J", printed = "13.8", computed = plastic.energy.before }
end

-- ---- 8.1.2: bounces -------------------------------------------------------------------------------

-- the hits of n bounces; between two of them V_z turns round
local function bounces(law, n, spin)
  local hits, b = {}, ball(nil, spin)
  for i = 1, n do
    hits[i] = k.impact(b, law)
    local v = hits[i].velocity
    b = ball({ v[1], v[2], -v[3] }, hits[i].spin)
  end
  return hits
end

local function figure_1(add)
  local right, printed = bounces(coulomb, 5), bounces(as_printed, 5)
  local function row(what, unit, text, read) add { where = "1, Fig 1(j)", what = what, unit = unit, printed = text,
    computed = read(right[5]), expect = "printed slip", repeated = read(printed[5]), to = 5 * (unit == "m/s" and velocity_to or spin_to), reason = chain } end
  row("V_x after 5 bounces", "m/s", "-0.088333", function(h) return h.velocity[1] end)
  row("omega_y after 5 bounces", "rad/s", "-0.279167", function(h) return h.spin[2] end)
  add { where = "1, Fig 1(j)", what = "V_z after 5 bounces", unit = "m/s", printed = "0.155565", computed = right[5].velocity[3],
    expect = "printed slip", to = 5 * velocity_to, reason = step .. ", and adds up from bounce to bounce" }
  local function turns(hits)
    local n = 0
    for i = 3, 5 do if hits[i].velocity[1] * hits[i].before.velocity[1] < 0 then n = n + 1 end end
    return n
  end
  add { where = "1, Fig 1(f,h,j)", what = "reversals of V_x in bounces 3 to 5", printed = "0", computed = turns(right),
    expect = "printed slip", repeated = turns(printed), reason = slip }
end

local table_1 = {
  { "0.898164", "-1.627", "2.5001", "1.93251", "1.25459", "0" },
  { "1.07356", "-1.77734", "1.2501", "1.55665", "0.816088", "0" },
  { "0.945075", "-1.66721", "0.62515", "1.83198", "1.13731", "0" },
  { "1.04278", "-1.75096", "0.31226", "1.62268", "0.893038", "0" },
  { "0.964192", "-1.68359", "0.15645", "1.79102", "1.08952", "0" },
  { "1.02640", "-1.73697", "0.07825", "1.65758", "0.933841", "0" },
  { "0.996746", "-1.7115", "0.03915", "1.72126", "1.00813", "0" },
  { "1.00251", "-1.71643", "0.01955", "1.70891", "0.993732", "0" },
}

-- the bounce that follows a printed row, by the law with the slip put in: V, then omega
local function next_of_row(row)
  local x = {}
  for j, text in ipairs(row) do x[j] = tonumber(text) end
  return k.impact(ball({ x[1], x[2], -x[3] }, { x[4], x[5], x[6] }), as_printed)
end

local function table_rows(add)
  local names = { "V_x", "V_y", "V_z", "omega_x", "omega_y", "omega_z" }
  local right = bounces(coulomb, 8, { 6, 6, 0 })
  local function read(hit, j) return j <= 3 and hit.velocity[j] or hit.spin[j - 3] end
  for i, row in ipairs(table_1) do
    local printed = i == 1 and k.impact(ball(nil, { 6, 6, 0 }), as_printed) or next_of_row(table_1[i - 1])
    for j, text in ipairs(row) do
      local unit = j <= 3 and "m/s" or "rad/s"
      local t = { where = "Table 1, row " .. i, what = names[j], unit = unit, printed = text, computed = read(right[i], j) }
      if j < 6 then t.expect, t.repeated, t.to = "printed slip", read(printed, j), j <= 3 and velocity_to or spin_to end
      if j == 3 then t.reason, t.repeated = step, nil
      elseif j < 6 then t.reason = both .. (i > 1 and "; put in from the row above" or "") end
      add(t)
    end
  end
  local first = k.impact(ball(nil, { 6, 6, 0 }), as_printed)
  for j, text in ipairs { "0.89814151", "-1.62697843", "2.5", "1.93255392", "1.25464624" } do
    add { where = "REFERENCE Y", source = "reference", what = "Table 1, row 1, slip put in, " .. names[j], printed = text,
      computed = read(first, j) }
  end
end

return {
  letter = "Y",
  title = "Jia, three-dimensional impact with tangential compliance",
  slip = slip, both = both, velocity_to = velocity_to, spin_to = spin_to,
  coulomb = coulomb, as_printed = as_printed, ball = ball,
  rows = function(add)
    local right, printed = k.impact(ball(), coulomb), k.impact(ball(), as_printed)
    inertia(add)
    velocities(add, right, printed)
    events(add, right)
    curves(add, right, printed)
    energies(add, right, printed)
    figure_1(add)
    table_rows(add)
    extremes(add)
    require "knock.reproduce.jia_sweeps"(add)
    require "knock.reproduce.jia_pencil"(add)
  end,
}
