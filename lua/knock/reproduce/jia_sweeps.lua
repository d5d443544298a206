-- Paper Y, sections 8.1.3 and 8.1.4: what its Figures 14 and 15 show, by both variants of the law.

local k = require "knock"

local function common() return require "knock.reproduce.jia" end

-- the place in (low, high) where f changes from false to true
local function where(low, high, f)
  for _ = 1, 60 do
    local middle = 0.5 * (low + high)
    if f(middle) then high = middle else low = middle end
  end
  return 0.5 * (low + high)
end

local function sticks(hit)
  for _, ev in ipairs(hit.events) do if ev.kind == "stick" then return true end end
  return false
end

-- ---- Figure 14 ------------------------------------------------------------------------------------

-- the first value outside [inside, outside) from which on the contact slips throughout
local function full_slip(inside, outside, law, body)
  return where(inside, outside, function(x) return not sticks(k.impact(body(x), law)) end)
end

local function figure_14(add)
  local Y = common()
  local function by_vx(vx) return Y.ball { vx, 0, -5 } end
  local function by_wy(wy) return Y.ball(nil, { 0, wy, 0 }) end
  local function row(what, unit, text, computed, repeated)
    local t = { where = "8.1.3, Fig 14", what = what, unit = unit, printed = text, computed = computed }
    if repeated then t.expect, t.repeated, t.reason = "printed slip", repeated, Y.slip end
    add(t)
  end
  local middle = where(-4, 8, function(x) return k.impact(by_vx(x), Y.coulomb).impulse[1] < 0 end)
  row("V0x about which the curves are anti-symmetric", "m/s", "2", middle)
  row("V0x below which it slips throughout", "m/s", "-5", full_slip(2, -15, Y.coulomb, by_vx))
  row("V0x above which it slips throughout", "m/s", "9", full_slip(2, 15, Y.coulomb, by_vx))
  row("omega_0y below which it slips", "rad/s", "-8.0", full_slip(-1, -10, Y.coulomb, by_wy))
  row("omega_0y above which it slips", "rad/s", "6.0", full_slip(-1, 10, Y.coulomb, by_wy))
  local rigid = k.law.stronge { mu = 0.4, e = 0.5 }
  row("V0x below, without compliance", "m/s", "-8.5", full_slip(2, -15, rigid, by_vx))
  row("V0x above, without compliance", "m/s", "12.5", full_slip(2, 15, rigid, by_vx))
  for _, case in ipairs { { -15, "2.5", "-4.25", "3" }, { 15, "-2.5", "8.25", "-3" } } do
    local right, printed = k.impact(by_vx(case[1]), Y.coulomb), k.impact(by_vx(case[1]), Y.as_printed)
    local at = (", V0x = %d"):format(case[1])
    row("I_x in full slip" .. at, "N s", case[2], right.impulse[1], printed.impulse[1])
    row("omega_y in full slip" .. at, "rad/s", case[3], right.spin[2], printed.spin[2])
    add { where = "REFERENCE Y", source = "reference", what = "I_x in full slip, Coulomb" .. at, unit = "N s", printed = case[4],
      computed = right.impulse[1] }
  end
  for _, case in ipairs { { -10, "-3.5" }, { 10, "1.5" } } do
    local right, printed = k.impact(by_wy(case[1]), Y.coulomb), k.impact(by_wy(case[1]), Y.as_printed)
    row(("V_x in full slip, omega_0y = %d"):format(case[1]), "m/s", case[2], right.velocity[1], printed.velocity[1])
  end
  local slope = k.impact(by_wy(10), Y.coulomb).spin[2] - k.impact(by_wy(9), Y.coulomb).spin[2]
  row("slope of omega_y in full slip", nil, "1", slope)
end

-- ---- Figure 15 ------------------------------------------------------------------------------------

-- the largest V_x over the values of a parameter of the law: where, V_x, omega_y
local function largest(law, name, values)
  local best
  for _, x in ipairs(values) do
    local hit = k.impact(common().ball(), law:with { [name] = x })
    if not best or hit.velocity[1] > best[2] then best = { x, hit.velocity[1], hit.spin[2] } end
  end
  return best
end

local function steps(low, high, n)
  local out = {}
  for i = 0, n do out[i + 1] = low + (high - low) * i / n end
  return out
end

-- where V_x (or omega_y) of the ball passes zero between two values of a parameter
local function zero(law, name, low, high, read)
  local function value(x) return read(k.impact(common().ball(), law:with { [name] = x })) end
  local start = value(low) > 0
  return where(low, high, function(x) return (value(x) > 0) ~= start end)
end

local function vx(hit) return hit.velocity[1] end
local function wy(hit) return hit.spin[2] end

local function over_friction(add)
  local Y = common()
  local values = steps(0, 1, 100)
  local right, printed = largest(Y.coulomb, "mu", values), largest(Y.as_printed, "mu", values)
  local function row(what, unit, text, i, to) add { where = "8.1.4, Fig 15(a)", what = what, unit = unit, printed = text,
    computed = right[i], expect = "printed slip", repeated = printed[i], to = to, reason = to and Y.both or Y.slip } end
  row("mu of the largest V_x", nil, "0.36", 1)
  row("largest V_x", "m/s", "0.575906", 2, Y.velocity_to)
  row("omega_y there", "rad/s", "-1.93976", 3, Y.spin_to)
  for _, case in ipairs { { "mu where the spin turns", "0.13", wy }, { "mu where the bounce turns", "0.16", vx } } do
    add { where = "8.1.4, Fig 15(a)", what = case[1], printed = case[2], computed = zero(Y.coulomb, "mu", 0.05, 0.3, case[3]),
      expect = "printed slip", repeated = zero(Y.as_printed, "mu", 0.05, 0.3, case[3]), reason = Y.slip }
  end
  for _, case in ipairs { { "mu of the largest V_x, Coulomb", "0.34", right[1] }, { "largest V_x, Coulomb", "0.556552", right[2] },
    { "largest V_x, slip put in", "0.575887", printed[2] } } do
    add { where = "REFERENCE Y", source = "reference", what = case[1], printed = case[2], computed = case[3] }
  end
end

local by_eye = "the paper says 'slightly less than 1.5' of a curve with steps of 0.05; the largest value is at 1.4 in both variants"

local function over_compliance(add)
  local Y = common()
  local right = largest(Y.coulomb, "eta", steps(1, 3, 40))
  add { where = "8.1.4, Fig 15(b)", what = "eta_0 of the largest V_x", printed = "1.5", computed = right[1],
    expect = "printed slip", to = 0.1, reason = by_eye }
  add { where = "REFERENCE Y", source = "reference", what = "eta_0 of the largest V_x", printed = "1.4", computed = right[1] }
  add { where = "8.1.4, Fig 15(b)", what = "eta_0 where the bounce turns", printed = "2.4", computed = zero(Y.coulomb, "eta", 2, 3, vx) }
  add { where = "8.1.4, Fig 15(b)", what = "eta_0 where the spin turns", printed = "2.8", computed = zero(Y.coulomb, "eta", 2, 3, wy) }
end

local function over_restitution(add)
  local Y = common()
  local right, printed = largest(Y.coulomb, "e", steps(0, 1, 100)), largest(Y.as_printed, "e", steps(0, 1, 100))
  add { where = "8.1.4, Fig 15(c)", what = "e of the largest V_x", printed = "0.22", computed = right[1] }
  add { where = "REFERENCE Y", source = "reference", what = "largest V_x over e, slip put in", unit = "m/s",
    printed = "0.690117988", computed = printed[2] }
  add { where = "REFERENCE Y", source = "reference", what = "largest V_x over e, Coulomb", unit = "m/s",
    printed = "0.690114484", computed = right[2] }
end

return function(add)
  figure_14(add)
  over_friction(add)
  over_compliance(add)
  over_restitution(add)
end
