-- Paper J: the falling ball, the ball on a slope, the block matrix and the practice problems.

local k = require "knock"

-- ---- 1: the ball ----------------------------------------------------------------------------------

local function falling_ball(add)
  local ball = k.particle { position = { 1 }, velocity = { 0 }, mass = 2, gravity = 9.8 }
  local run = k.simulate(ball, k.law.plastic {}, { t_end = 0.6 })
  local impact = run.events[1]
  add { where = "(4)", what = "time of impact", unit = "s", printed = "0.4518", computed = impact.t }
  add { where = "REFERENCE J", source = "reference", what = "time of impact", unit = "s", printed = "0.451753951", computed = impact.t }
  add { where = "(2), (4)", what = "z' before", unit = "m/s", printed = "-g t_i", value = -math.sqrt(2 * 9.8), computed = impact.u[1] }
  add { where = "1", what = "z' after", unit = "m/s", printed = "0", computed = run:at(impact.t).u[1] }
  add { where = "(7)", what = "P (= -impulse)", unit = "N s", printed = "m z'-", value = 2 * impact.u[1], computed = -impact.hit.impulse[1] }
end

-- ---- 4 and practice 3: the slope --------------------------------------------------------------------

local theta, mass, fall = 0.5, 2, -3

local function slope_velocities(add, e, where)
  local s, c = math.sin(theta), math.cos(theta)
  local body = k.particle { position = { 0, 0 }, velocity = { 0, fall }, mass = mass, planes = { { s, c, 0 } } }
  local hit = k.impact(body, k.law.newton { e = e })
  local answer = k.solve.block { M = { { mass, 0 }, { 0, mass } }, A = { { s, c } }, u = { 0, fall }, e = e }
  local with = e == 0 and "" or (", e = %g"):format(e)
  local function row(what, unit, text, value, computed)
    add { where = where, what = what .. with, unit = unit, printed = text, value = value, computed = computed }
  end
  local f, g = e == 0 and "" or "(1+e) ", e == 0 and "sin^2 z'-" or "(1-(1+e)cos^2) z'-"
  local x, z, P = -(1 + e) * s * c * fall, (1 - (1 + e) * c ^ 2) * fall, (1 + e) * mass * c * fall
  row("x'+", "m/s", "-" .. f .. "sin cos z'-", x, hit.u[1])
  row("z'+", "m/s", g, z, hit.u[2])
  row("P^", "N s", f .. "m cos z'-", P, -hit.impulses[1][#hit.impulses[1]])
  row("x'+, block matrix", "m/s", "-" .. f .. "sin cos z'-", x, answer.u[1])
  row("z'+, block matrix", "m/s", g, z, answer.u[2])
  row("P^, block matrix", "N s", f .. "m cos z'-", P, answer.P[1])
  return answer
end

local function daggers(add, answer)
  local s, c = math.sin(theta), math.cos(theta)
  local function row(what, text, value, computed) add { where = "(35)", what = what, printed = text, value = value, computed = computed } end
  row("M+ (1,1)", "cos^2/m", c * c / mass, answer.M_dagger[1][1])
  row("M+ (1,2)", "-sin cos/m", -s * c / mass, answer.M_dagger[1][2])
  row("M+ (2,2)", "sin^2/m", s * s / mass, answer.M_dagger[2][2])
  row("A+ (1)", "sin", s, answer.A_dagger[1][1])
  row("A+ (2)", "cos", c, answer.A_dagger[1][2])
  row("Lambda+", "-m", -mass, answer.L_dagger[1])
end

-- ---- the identities of (22), (24), (25) -------------------------------------------------------------

-- the arm of practice 1: two links, the tip on the ground, which is the x axis
local function arm()
  local down = math.asin(math.sin(0.9) / 0.8)
  return k.arm { n = 2, length = { 1, 0.8 }, mass = { 2, 1 }, q = { 0.9, -0.9 - down }, u = { -1, -0.5 }, floor = 0 }
end

local function identities(add, M, A)
  local b = k.solve.block { M = M, A = A, u = { -1, -0.5 } }
  local I = k.matrix { { 1, 0 }, { 0, 1 } }
  local function size(X) return X:norm() end
  add { kind = "self-check", where = "(22)", what = "|M+ M + A+' A - I|", printed = "0", value = 0, computed = size(b.M_dagger * M + b.A_dagger:t() * A - I) }
  add { kind = "self-check", where = "(24)", what = "|A+ M + Lambda+ A|", printed = "0", value = 0, computed = size(b.A_dagger * M + b.L_dagger * A) }
  add { kind = "self-check", where = "(25)", what = "|M A+' + A' Lambda+|", printed = "0", value = 0, computed = size(M * b.A_dagger:t() + A:t() * b.L_dagger) }
  local W = A * M:inv() * A:t()
  local typo = "printed (A M^-1 A)^-1, which has no meaning for a row A; (A M^-1 A^T)^-1 is meant"
  add { kind = "self-check", where = "(24), (44)", what = "-Lambda+ by (A M^-1 A^T)^-1", printed = "(A M^-1 A)^-1", value = 0 / 0,
    computed = -b.L_dagger[1], expect = "printed slip", slip = math.abs(-b.L_dagger[1] * W[1] - 1) < 1e-12, reason = typo }
end

-- ---- practice -------------------------------------------------------------------------------------

local function practice_1(add, body)
  local hit = k.impact(body, k.law.plastic {})
  local A = k.matrix { { body.J[2][1], body.J[2][2] } }
  local b = k.solve.block { M = body.M, A = A, u = body.u }
  for i = 1, 2 do
    add { kind = "self-check", where = "practice 1", what = ("two-link arm, q%d'+"):format(i), unit = "rad/s", printed = "(23)", value = b.u[i], computed = hit.u[i] }
  end
  add { kind = "self-check", where = "practice 1", what = "two-link arm, P^", unit = "N s", printed = "(24)", value = b.P[1], computed = -hit.impulse[2] }
end

local function practice_2(add)
  local m, vx = 1.5, 2
  local s = math.sqrt(0.5)
  local body = k.particle { position = { 3, 0 }, velocity = { vx, 0 }, mass = m, gravity = 0,
    planes = { { 0, 1, 0 }, { -1, -1, -3 } } }
  local hit = k.impact(body, k.law.plastic { bilateral = true })
  add { where = "practice 2", what = "x'+", unit = "m/s", printed = "0", computed = hit.u[1] }
  add { where = "practice 2", what = "y'+", unit = "m/s", printed = "0", computed = hit.u[2] }
  local b = k.solve.block { M = { { m, 0 }, { 0, m } }, A = { { 0, 1 }, { -1, -1 } }, u = { vx, 0 } }
  add { where = "practice 2", what = "P^_1", unit = "N s", printed = "-m x'-", value = -m * vx, computed = b.P[1] }
  add { where = "practice 2", what = "P^_2", unit = "N s", printed = "-m x'-", value = -m * vx, computed = b.P[2] }
  add { where = "practice 2", what = "impulse normal to the second plane", unit = "N s", printed = "m x'- / sqrt(1/2)", value = m * vx / s,
    computed = hit.impulses[2][2] }
end

local function practice_4(add, body)
  for _, case in ipairs { { 1, "1" }, { 0.5, "1 - (1-e^2) T_n/T" }, { 0, "1 - T_n/T" } } do
    local e = case[1]
    local hit = k.impact(body, k.law.newton { e = e })
    local vn, W = hit.contact_velocity_before[2], hit.W[2][2]
    local part = 0.5 * vn ^ 2 / W / hit.energy.before
    add { where = "practice 4", what = ("energy kept, e = %g"):format(e), printed = case[2], value = 1 - (1 - e * e) * part,
      computed = hit.energy.after / hit.energy.before }
  end
end

return {
  letter = "J",
  title = "Johnson, impacts: plastic and elastic",
  rows = function(add)
    falling_ball(add)
    daggers(add, slope_velocities(add, 0, "(31)-(37)"))
    slope_velocities(add, 0.5, "practice 3")
    local body = arm()
    identities(add, body.M, k.matrix { { body.J[2][1], body.J[2][2] } })
    practice_1(add, body)
    practice_2(add)
    practice_4(add, body)
  end,
}
