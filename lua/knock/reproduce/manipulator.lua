-- Paper F: the bar on a sliding mass that meets a sprung wall. The paper prints its data and formulas; the
-- numbers behind its Figures 4 to 9 are those of an independent computation.

local k = require "knock"

local table_1 = { m_s = 5, m_w = 10, k_s = 5, c_w = 1 }
local table_2 = { m_s = 1, m_w = 1, k_s = 400, k_w = 5, c_w = 7 }

local function bar(values, more)
  local t = {}
  for name, value in pairs(values) do t[name] = value end
  for name, value in pairs(more) do t[name] = value end
  return k.bar(t)
end

local function event(run, kind, n)
  for _, ev in ipairs(run.events) do
    if ev.kind == kind then
      n = n - 1
      if n == 0 then return ev end
    end
  end
  error("reproduce: no " .. kind .. " in the run")
end

local function reference(add, what, unit, text, computed)
  add { where = "REFERENCE F", source = "reference", what = what, unit = unit, printed = text, computed = computed }
end

-- ---- Table 1, Figures 4 to 6 ------------------------------------------------------------------------

local printed_1 = {
  { "m_b", "kg", "2.00" }, { "m_s", "kg", "5.00" }, { "m_w", "kg", "10.00" }, { "k_s", "N/m", "5.00" }, { "k_w", "N/m", "10.00" },
  { "c_s", "N s/m", "7.00" }, { "c_w", "N s/m", "1.00" }, { "length", "m", "1.00" }, { "distance", "m", "0.60" },
  { "centre", "m", "0.50" }, { "M_theta", "N m", "10.00" }, { "I_b", "kg m^2", "0.1667" },
}

local function data(add)
  local values = k.bar {}:parameters()
  for _, row in ipairs(printed_1) do
    add { kind = "echo", where = "Table 1", what = row[1] .. " (default)", unit = row[2], printed = row[3], computed = values[row[1]] }
  end
  add { kind = "echo", where = "Tables 1, 2", what = "I_b = m_b l^2 / 12", unit = "kg m^2", printed = "0.1667",
    computed = values.m_b * values.length ^ 2 / 12 }
end

local function first_contact(add, run)
  local impact = event(run, "impact", 1)
  local after = event(run, "contact", 1)
  reference(add, "Table 1, first contact", "s", "0.289280912", impact.t)
  for i, text in ipairs { "-0.08833967", "0.75919768", "0" } do reference(add, "Table 1, q_" .. i, nil, text, impact.q[i]) end
  for i, text in ipairs { "-0.42008924", "4.97169398", "0" } do reference(add, "Table 1, u_" .. i .. " before", nil, text, impact.u[i]) end
  for i, text in ipairs { "-0.54071134", "1.23543548", "0.35545937" } do reference(add, "Table 1, u_" .. i .. " after", nil, text, after.u[i]) end
  reference(add, "Table 1, impulse", "N s", "3.55459367", impact.hit.impulse[2])
  reference(add, "Table 1, F_N just after", "N", "10.7933244", run:at(impact.t).force[2])
end

local function stiffness(add)
  for i, case in ipairs { { 10, "0.491395492", 4 }, { 400, "0.564384882", 5 }, { 1000, "0.635360660", 6 } } do
    local run = k.simulate(bar(table_1, { k_w = case[1] }), k.law.plastic {}, { t_end = 0.7, rtol = 1e-11 })
    if i == 1 then first_contact(add, run) end
    reference(add, ("Fig %d, released, k_w = %d"):format(case[3], case[1]), "s", case[2], event(run, "release", 1).t)
  end
end

-- ---- Table 2, Figures 7 to 9 ------------------------------------------------------------------------

local function torque(add)
  local cases = {
    { 5, 7, "0.413753590", "0.849514371", "1.88188840" },
    { 10, 8, "0.289764642", "0.540423758", "1.36407059" },
    { 20, 9, "0.202636687", "0.352536898", "1.05135039" },
  }
  for _, case in ipairs(cases) do
    local run = k.simulate(bar(table_2, { M_theta = case[1] }), k.law.plastic {}, { t_end = 2, rtol = 1e-11 })
    local name = ("Fig %d, M_theta = %d, "):format(case[2], case[1])
    reference(add, name .. "first contact", "s", case[3], event(run, "impact", 1).t)
    reference(add, name .. "released", "s", case[4], event(run, "release", 1).t)
    reference(add, name .. "second contact", "s", case[5], event(run, "impact", 2).t)
  end
end

-- ---- (4.32) to (4.35) -------------------------------------------------------------------------------

-- velocities after a plastic impact by (4.32) and (4.33), as they are meant: v_s+, omega+, v_w+
local function by_formula(b, theta, vs, w, vw)
  local c, s, d, l = math.cos(theta), math.sin(theta), b.centre, b.length
  local m_tot = b.m_s + b.m_b + b.m_w
  local I_tot = b.I_b + b.m_b * d ^ 2 * s ^ 2 + b.m_w * l * (l - d) * c ^ 2
  local r1 = (b.m_s + b.m_b) * vs + b.m_w * vw + b.m_b * w * d * c
  local r2 = -b.m_s * vs * d * c + b.m_w * vw * (l - d) * c + (b.I_b + b.m_b * d ^ 2 * s ^ 2) * w
  local a1, a2 = (b.m_b * d + b.m_w * l) * c, (b.m_s * d - b.m_w * (l - d)) * c
  local D = a1 * a2 + m_tot * I_tot
  local v, omega = (r1 * I_tot - r2 * a1) / D, (r1 * a2 + r2 * m_tot) / D
  return v, omega, v + omega * l * c
end

local function formulas(add, theta, where)
  local u = { -0.4, 5, 0.1 }
  if theta > 1.5 then u[1] = 0.4 end
  local b = bar(table_1, {})
  local body = b:at({ b.distance - b.length * math.sin(theta), theta, 0 }, u) -- the tip at the wall
  local hit = k.impact(body, k.law.plastic {})
  local v, omega, vw = by_formula(b:parameters(), theta, u[1], u[2], u[3])
  add { where = where, what = "v_s+", unit = "m/s", printed = where, value = v, computed = hit.u[1] }
  add { where = where, what = "omega+", unit = "rad/s", printed = where, value = omega, computed = hit.u[2] }
  add { where = where, what = "v_w+", unit = "m/s", printed = "(4.26)", value = vw, computed = hit.u[3] }
  return hit, u
end

local function upright(add)
  local hit, u = formulas(add, math.pi / 2, "(4.33), 90 deg")
  add { where = "(4.35)", what = "v_s+ at 90 deg", unit = "m/s", printed = "((m_s+m_b)v_s + m_w v_w)/m_tot",
    value = (7 * u[1] + 10 * u[3]) / 17, computed = hit.u[1] }
  add { where = "(4.35)", what = "omega+ at 90 deg", unit = "rad/s", printed = "omega-", value = u[2], computed = hit.u[2] }
end

return {
  letter = "F",
  title = "A manipulator with plastic impact: bar, slider and sprung wall",
  rows = function(add)
    data(add)
    stiffness(add)
    torque(add)
    formulas(add, 0.75, "(4.33)")
    upright(add)
  end,
}
