-- Paper B: the rod of Table 1 and the walker on crutches of Tables 2 and 3.

local k = require "knock"

-- the paper follows its points through flights of up to 0.7 ms until all leave for good: an endless window
local springs = k.law.vibration { window = math.huge } -- the paper's own method
local family = k.law.compliant { mu = 0, e = 1, window = math.huge } -- the same physics by the law of paper Y

local unit_slip = "Table 1 says mm/s; the numbers are cm/s"
local gap_slip = "Table 1 says 35 and 25 um; its velocities come out with 350 and 250 um"
local by_eye = "a time read off the figure by eye ('around', 'roughly'); the data that give Table 1 give this time"

-- ---- Example I: the rod ---------------------------------------------------------------------------

local function rod_hit(gap, spin, law)
  local body = k.rod { gaps = { gap, 0 }, velocity = { 0, -1 }, spin = spin, gravity = 0 }
  return k.impact(body, (law or springs):with { k = 1e8 })
end

local cases = {
  { fig = 2, gap = 0, spin = 0, printed = { "113.10", "59.49" }, reference = { "1.1310258925", "0.594929365" } },
  { fig = 3, gap = 350e-6, spin = 0, printed = { "121.54", "32.04" }, reference = { "1.2153622611", "0.3203995614" } },
  { fig = 4, gap = 0, spin = -1, printed = { "62.99", "258.86" }, reference = { "0.6298845511", "2.5885729247" } },
  { fig = 5, gap = 250e-6, spin = -1, printed = { "65.31", "253.06" }, exact = { 32 / 49, 124 / 49 },
    reference = { "32/49", "124/49" } },
}

local function final_velocities(add, case, hit)
  local other = rod_hit(case.gap, case.spin, family)
  for i, end_name in ipairs { "P", "Q" } do
    local v = hit.contact_velocity[2 * i]
    add { where = ("Table 1, Fig %d"):format(case.fig), what = ("v_n+(%s)"):format(end_name), unit = "mm/s",
      printed = case.printed[i], computed = 1000 * v, expect = "printed slip", repeated = 100 * v, reason = unit_slip }
    add { where = "REFERENCE B", source = "reference", what = ("Fig %d, v_n+(%s)"):format(case.fig, end_name), unit = "m/s",
      printed = case.reference[i], value = case.exact and case.exact[i], computed = v }
    add { kind = "self-check", where = ("3, Fig %d"):format(case.fig), what = ("v_n+(%s) by law.compliant"):format(end_name), unit = "m/s",
      printed = "as by modes", value = v, computed = other.contact_velocity[2 * i] }
  end
  add { kind = "self-check", where = ("Fig %d"):format(case.fig), what = "kinetic energy after / before", printed = "1", value = 1,
    computed = hit.energy.after / hit.energy.before }
end

-- the n-th event of a kind at a contact (1 is P, 2 is Q), in ms
local function time(hit, kind, contact, n)
  for _, ev in ipairs(hit.events) do
    if ev.kind == kind and ev.contact == contact then
      n = n - 1
      if n == 0 then return 1000 * ev.t end
    end
  end
  error(("reproduce: no %s at contact %d"):format(kind, contact))
end

local P, Q = 1, 2

local phases = {
  { 2, "P opens", "0.2475", "open", P, 1 }, { 2, "Q opens", "0.2752", "open", Q, 1 },
  { 3, "Q opens", "0.0594", "open", Q, 1 }, { 3, "P closes", "0.2335", "close", P, 1 },
  { 3, "Q closes", "0.3586", "close", Q, 1 }, { 3, "Q opens again", "0.4208", "open", Q, 2 },
  { 3, "P opens", "0.5459", "open", P, 1 }, { 3, "Q closes again", "1.2513", "close", Q, 2 },
  { 3, "Q opens at last", "1.3106", "open", Q, 3 },
  { 4, "Q opens", "0.0622", "open", Q, 1 }, { 4, "Q closes", "0.1455", "close", Q, 1 },
  { 4, "Q opens again", "0.211", "open", Q, 2 }, { 4, "P opens", "0.3005", "open", P, 1 },
}

local seen = {
  { 3, "P closes ('around')", "0.22", "close", P, 1 }, { 3, "Q closes ('around')", "0.35", "close", Q, 1 },
  { 4, "Q opens ('roughly')", "0.06", "open", Q, 1, "agrees" }, { 4, "Q closes ('roughly')", "0.14", "close", Q, 1 },
}

local function times(add, hits)
  for _, p in ipairs(seen) do
    add { where = ("4.1, Fig %d"):format(p[1]), what = p[2], unit = "ms", printed = p[3], computed = time(hits[p[1]], p[4], p[5], p[6]),
      expect = p[7] or "printed slip", to = 0.015, reason = by_eye }
  end
  for _, p in ipairs(phases) do
    add { where = "REFERENCE B", source = "reference", what = ("Fig %d, %s"):format(p[1], p[2]), unit = "ms", printed = p[3],
      computed = time(hits[p[1]], p[4], p[5], p[6]) }
  end
  add { where = "4.1, Fig 2", what = "part of the impact with both in contact", unit = "%", printed = "90",
    computed = 100 * time(hits[2], "open", P, 1) / time(hits[2], "open", Q, 1) }
end

-- The gap of P in um for which v_n+(Q) is the printed one, by bisection near 350 um.
local function gap_of_figure_3()
  local target, low, high = 0.3204, 340e-6, 352e-6
  local function above(gap) return rod_hit(gap, 0).contact_velocity[4] > target end
  local at_low = above(low)
  if above(high) == at_low then return 0 / 0 end
  for _ = 1, 50 do
    local middle = 0.5 * (low + high)
    if above(middle) == at_low then low = middle else high = middle end
  end
  return 1e6 * low
end

-- The smallest gap of P in um from which on the ends never touch together, and Newton's rule holds four times.
local function gap_of_figure_5()
  local low, high = 0, 250e-6
  for _ = 1, 50 do
    local middle = 0.5 * (low + high)
    local v = rod_hit(middle, -1).contact_velocity
    if math.abs(v[2] - 32 / 49) < 1e-9 and math.abs(v[4] - 124 / 49) < 1e-9 then high = middle else low = middle end
  end
  return 1e6 * high
end

local function gaps(add)
  local g3, g5 = gap_of_figure_3(), gap_of_figure_5()
  add { where = "Table 1, Fig 3", what = "gap of P that gives v_n+(Q)", unit = "um", printed = "35", computed = g3,
    expect = "printed slip", repeated = g3 / 10, reason = gap_slip }
  add { where = "Table 1, Fig 5", what = "smallest gap of P that gives v_n+", unit = "um", printed = "25", computed = g5,
    expect = "printed slip", slip = g5 > 25.5 and g5 <= 250, reason = gap_slip .. ", and with no gap below the computed one" }
end

-- Fig 5 is Newton's rule four times: the chain of single impacts must give the same numbers
local function newton_four_times(add, hit)
  local rod = k.rod { gaps = { 250e-6, 0 }, velocity = { 0, -1 }, spin = -1, gravity = 0 }
  local chain = k.impact(rod, k.law.sequential { law = k.law.newton { e = 1 }, window = math.huge })
  for i, end_name in ipairs { "P", "Q" } do
    add { kind = "self-check", where = "4.1, Fig 5", what = ("v_n+(%s), Newton's rule"):format(end_name), unit = "m/s", printed = "as by springs",
      value = hit.contact_velocity[2 * i], computed = chain.contact_velocity[2 * i] }
  end
end

local function rod(add)
  local hits = {}
  for _, case in ipairs(cases) do
    hits[case.fig] = rod_hit(case.gap, case.spin)
    final_velocities(add, case, hits[case.fig])
  end
  gaps(add)
  times(add, hits)
  newton_four_times(add, hits[5])
end

-- ---- Example II: the walker -----------------------------------------------------------------------

local table_2 = {
  { "m", "kg", "mass", { "22.54", "40.46", "3.92", "4.28" } },
  { "I_G", "kg m^2", "inertia", { "2.07", "2.66", "0.044", "0.433" } },
  { "l", "m", "length", { "0.93", "0.51", "0.33", "1.25" } },
  { "a", "m", "centre", { "0.51", "0.34", "0.14", "0.33" } },
}

local function walker_data(add, walker)
  local values, parts = walker:parameters(), { "legs", "torso", "upper arms", "arms + crutches" }
  for _, row in ipairs(table_2) do
    for i, text in ipairs(row[4]) do
      add { kind = "echo", where = "Table 2", what = row[1] .. " of " .. parts[i], unit = row[2], printed = text, computed = values[row[3]][i] }
    end
  end
  add { kind = "echo", where = "4.2", what = "mass without 1.2 kg of crutches", unit = "kg", printed = "70", computed = walker.M[1][1] - 1.2 }
  for i, text in ipairs { "15", "10", "150", "-20" } do
    add { kind = "echo", where = "Table 3", what = ("q_%d"):format(i + 2), unit = "deg", printed = text, computed = math.deg(walker.q[i + 2]) }
  end
end

local walks = {
  { fig = 8, u = { 0, 0, 2, 0, 0, 0 }, before = { "0", "-2.02654" }, after = { "0.06695438", "2.0265425" },
    impulse = { "0", "8.89774928" }, open = { { "tips", 2, "0.1472" } } },
  { fig = 9, u = { 0, -0.5, 1, 0, 0, 0 }, before = { "-0.5", "-1.51327" }, after = { "0.45433145", "1.78175577" },
    impulse = { "38.7616708", "6.5932643" }, open = { { "tips", 2, "0.14645" }, { "feet", 1, "0.64253" } } },
}

local function walk(add, case)
  local hit = k.impact(k.crutch_walker { u = case.u, gravity = 0 }, springs:with { k = 1e9 })
  local function row(what, unit, text, computed) add { where = "REFERENCE B", source = "reference",
    what = ("Fig %d, %s"):format(case.fig, what), unit = unit, printed = text, computed = computed } end
  for i, point in ipairs { "feet", "tips" } do
    row("v_n-(" .. point .. ")", "m/s", case.before[i], hit.contact_velocity_before[2 * i])
    row("v_n+(" .. point .. ")", "m/s", case.after[i], hit.contact_velocity[2 * i])
    row("impulse on " .. point, "N s", case.impulse[i], hit.impulse[2 * i])
  end
  for _, o in ipairs(case.open) do row(o[1] .. " open", "ms", o[3], time(hit, "open", o[2], 1)) end
  add { kind = "self-check", where = ("4.2, Fig %d"):format(case.fig), what = "kinetic energy after / before", printed = "1", value = 1,
    computed = hit.energy.after / hit.energy.before }
end

return {
  letter = "B",
  title = "Batlle, Barjau, Font-Llagunes, linear vibrational multi-point impact",
  rows = function(add)
    rod(add)
    walker_data(add, k.crutch_walker {})
    for _, case in ipairs(walks) do walk(add, case) end
  end,
}
