-- Paper Y, section 8.2: the pencil.

local k = require "knock"

local moment = "(85) carries a cone's moment about its vertex to the mass centre as if it were the centroid's; "
  .. "right is m_k (3 r^2/20 + 3 h2^2/80 + (h - 3 h2/4)^2) for the cone"
local pencil_wrong = "follows from none of: the right moment, (85), (85) with r = 1 (which (92) was made with: h/Q = 1.64616), "
  .. "with or without the program's slip; the four events of Fig 17 hold"
local pencil_near = "only I_y, V_y and omega_1 come near (4e-4), with (85), r = 1 and the program's slip; I_x and I_z then do not, "
  .. "so it " .. pencil_wrong
local pencil_energy = "the printed energies use a moment of 0.2 about every axis"

-- (85) as it stands
local function printed_moment(m, r, h1, h2, h)
  local l = h1 / 2 + h2 - h
  return m / (h1 + h2 / 3) * (h1 * ((3 * r ^ 2 + h1 ^ 2) / 12 + l ^ 2) + h2 / 3 * (3 / 5 * (r ^ 2 / 4 + h2 ^ 2) + h ^ 2))
end

local function geometry(add, pencil)
  local h = pencil.position[3] / math.sin(math.pi / 3)
  add { where = "8.2", what = "h", unit = "m", printed = "(6h1^2+12h1h2+3h2^2)/(12h1+4h2)",
    value = (6 * 9 + 12 * 3 * 0.5 + 3 * 0.25) / (36 + 2), computed = h }
  local wrong = printed_moment(1, 0.5, 3, 0.5, h)
  add { where = "(85)", what = "Q_11 for (89)", unit = "kg m^2", printed = ("(85) = %.8f"):format(wrong), value = wrong,
    computed = pencil.M[4][4], expect = "printed slip", slip = math.abs(wrong - 0.97944079) < 5e-9, reason = moment }
  add { where = "REFERENCE Y", source = "reference", what = "Q for (89)", unit = "kg m^2", printed = "0.90386946",
    computed = pencil.M[4][4] }
  local with_h = k.pencil { Q = printed_moment(1, 1, 3, 0.5, h) }
  add { where = "REFERENCE Y", source = "reference", what = "h/Q behind (92): (85), r = 1", printed = "1.64616",
    computed = h / with_h.M[4][4] }
end

local function start(add, hit)
  local v = hit.contact_velocity_before
  add { where = "8.2", what = "v_0x", unit = "m/s", printed = "-3.50114", computed = v[1] }
  add { where = "8.2", what = "v_0y", unit = "m/s", printed = "-1.91447", computed = v[2] }
  add { where = "8.2", what = "v_0z", unit = "m/s", printed = "0", computed = v[3], expect = "printed slip",
    slip = v[3] < 0, reason = "v_0 is called the contact velocity but printed without its normal part: the speed of sliding" }
end

local function answer(add, hit)
  local function row(where, what, unit, text, computed, reason)
    add { where = where, what = what, unit = unit, printed = text, computed = computed, expect = "not reproducible",
      reason = reason or pencil_wrong }
  end
  local near = { false, pencil_near, false }
  for i, text in ipairs { "3.86262", "0.668974", "5.365" } do row("Fig 17", "I_" .. ("xyz"):sub(i, i), "N s", text, hit.impulse[i], near[i]) end
  for i, text in ipairs { "-0.467507", "0.668974", "2.865" } do row("(92)", "V_" .. ("xyz"):sub(i, i), "m/s", text, hit.velocity[i], near[i]) end
  row("(92)", "omega_1", "rad/s", "0.101238", hit.spin[1], pencil_near)
  row("(92)", "omega_2", "rad/s", "-1.59079", hit.spin[2])
  add { where = "(92)", what = "omega_3", unit = "rad/s", printed = "-0.5", computed = hit.spin[3] }
  local v, w = hit.before.velocity, hit.before.spin
  local wrong = 0.5 * (v[1] ^ 2 + v[2] ^ 2 + v[3] ^ 2) + 0.1 * (w[1] ^ 2 + w[2] ^ 2 + w[3] ^ 2)
  add { where = "8.2", what = "energy before", unit = "J", printed = "12.65", computed = hit.energy.before,
    expect = "printed slip", repeated = wrong, reason = pencil_energy }
  row("8.2", "energy after", "J", "4.71624", hit.energy.after)
end

local function reference(add, hit)
  local function row(what, unit, text, computed)
    add { where = "REFERENCE Y", source = "reference", what = "pencil, " .. what, unit = unit, printed = text, computed = computed }
  end
  for i, text in ipairs { "4.03748368", "0.33073659", "5.78989136" } do row("I_" .. ("xyz"):sub(i, i), "N s", text, hit.impulse[i]) end
  for i, text in ipairs { "-0.29264334", "0.33073659", "3.28989136" } do row("V_" .. ("xyz"):sub(i, i), "m/s", text, hit.velocity[i]) end
  for i, text in ipairs { "-0.2994713", "-1.77427842", "-0.5" } do row("omega_" .. i, "rad/s", text, hit.spin[i]) end
  local printed = { { "stick", "1.07671013" }, { "compression_end", "3.94918288" }, { "slip", "5.39493694" } }
  for i, p in ipairs(printed) do
    if hit.events[i].kind ~= p[1] then error("reproduce: the pencil's events are not those of Fig 17") end
    row("I_z at " .. p[1], "N s", p[2], hit.events[i].impulse)
  end
end

return function(add)
  local pencil = k.pencil {}
  local hit = k.impact(pencil, k.law.compliant { mu = 0.8, e = 0.5, eta = math.sqrt(17 / 14) })
  geometry(add, pencil)
  start(add, hit)
  answer(add, hit)
  reference(add, hit)
end
