local reproduce = require "knock.reproduce"
local show = require "knock.reproduce.show"
local command = require "knock.command.reproduce"

local papers = reproduce.run()

local function each(f) for _, paper in ipairs(papers) do for _, row in ipairs(paper.rows) do f(row, paper) end end end

-- what the command writes, and its exit code
local function output(...)
  local write, text = io.write, {}
  io.write = function(...) for _, s in ipairs { ... } do text[#text + 1] = s end end
  local ok, code = pcall(command, ...)
  io.write = write
  if not ok then error(code) end
  return table.concat(text), code
end

test("every verdict is the expected one", function()
  local wrong = {}
  each(function(row) if not row.expected then wrong[#wrong + 1] = row.paper .. " " .. row.where .. " " .. row.what end end)
  equal(table.concat(wrong, "; "), "")
end)

test("verdicts are given by the last printed digit", function()
  equal(reproduce.half_unit "0.4518", 0.5e-4)
  equal(reproduce.half_unit "-5", 0.5)
  equal(reproduce.half_unit "1.2e-3", 0.5e-4)
  equal(reproduce.verdict { printed = "0.45", computed = 0.4549 }, "agrees")
  equal(reproduce.verdict { printed = "0.45", computed = 0.4551 }, "not reproducible")
  equal(reproduce.verdict { printed = "0.45", computed = 0.5, repeated = 0.4501 }, "printed slip")
  equal(reproduce.verdict { printed = "0.45", computed = 0.5, repeated = 0.46 }, "not reproducible")
  equal(reproduce.verdict { printed = "0.450", computed = 0.4511, to = 2e-3 }, "printed slip")
  equal(reproduce.verdict { printed = "0.450", computed = 0.4531, to = 2e-3 }, "not reproducible")
  equal(reproduce.verdict { printed = "x", value = 2, computed = 2 + 1e-9 }, "not reproducible")
end)

test("a printed slip that agrees, or an agreement that does not, is unexpected: exit code 1", function()
  local real = package.loaded["knock.reproduce.johnson"]
  local function with(row)
    package.loaded["knock.reproduce.johnson"] = { letter = "J", title = "none", rows = function(add) add(row) end }
    local text, code = output "J"
    package.loaded["knock.reproduce.johnson"] = real
    return code, text:find("UNEXPECTED", 1, true) ~= nil
  end
  equal({ with { where = "x", what = "y", printed = "1", computed = 1 } }, { 0, false })
  equal({ with { where = "x", what = "y", printed = "1", computed = 2 } }, { 1, true })
  equal({ with { where = "x", what = "y", printed = "1", computed = 1, expect = "printed slip", reason = "z" } }, { 1, true })
  equal({ with { where = "x", what = "y", printed = "1", computed = 2, expect = "not reproducible", reason = "z" } }, { 0, false })
end)

-- every number of REFERENCE.md's tables and text that a paper prints, or that it gives for one
local numbers = {
  J = "0.4518 0.451753951",
  Y = [[0.62485 0.625 5 7.36575 7.365581970 0.570984 0.544090155 -1.92746 -1.860225388 0.554553 -1.88638 0.554538947
    -1.886347367 -0.089745 -0.275637 -0.08974388 -0.27564030 0.57097376 -1.92743440 0.89814151 -1.62697843 2.5 1.93255392
    1.25464624 13.4 3.65977 0.5096 13.8 -2.29806 -4.596 1.64616 12.65 4.71624 3.86262 0.668974 5.365 4.03748368 0.33073659
    5.78989136 -0.29264334 3.28989136 -0.2994713 -1.77427842 -0.5 1.07671013 3.94918288 5.39493694 0.90386946 0.36 0.575887
    0.34 0.556552 0.22 0.690117988 0.690114484 -5 9 1.4 3 0.898164 -1.627 2.5001 1.93251 1.25459 1.07356 -1.77734 1.2501 1.55665 0.816088
    0.945075 -1.66721 0.62515 1.83198 1.13731 1.04278 -1.75096 0.31226 1.62268 0.893038 0.964192 -1.68359 0.15645 1.79102
    1.08952 1.02640 -1.73697 0.07825 1.65758 0.933841 0.996746 -1.7115 0.03915 1.72126 1.00813 1.00251 -1.71643 0.01955
    1.70891 0.993732 -0.088333 0.155565 -0.279167 9.375 2.49847 -2.42852 -2.12528 2.59255 0.575906 -1.93976 0.13 0.16
    96.197 12.5119 6.628 -3.50114 -1.91447 -0.467507 2.865 0.101238 -1.59079 -8.5 12.5 -8.0 6.0 -3.5 1.5 2.4 2.8]],
  B = [[113.10 59.49 121.54 32.04 62.99 258.86 65.31 253.06 1.1310258925 0.594929365 1.2153622611 0.3203995614 0.6298845511
    2.5885729247 32/49 124/49 35 25 0.2475 0.2752 0.0594 0.2335 0.3586 0.4208 0.5459 1.2513 1.3106 0.0622 0.1455 0.211 0.3005
    -2.02654 0.06695438 2.0265425 0.1472 8.89774928 -0.5 -1.51327 0.45433145 1.78175577 38.7616708 6.5932643 0.14645 0.64253
    90 0.22 0.35 0.06 0.14 22.54 40.46 3.92 4.28 2.07 2.66 0.044 0.433 0.93 0.51 0.33 1.25 0.34 70 15 10 150 -20]],
  F = [[0.289280912 -0.08833967 0.75919768 -0.42008924 4.97169398 -0.54071134 1.23543548 0.35545937 3.55459367 10.7933244
    0.491395492 0.564384882 0.635360660 0.413753590 0.289764642 0.202636687 0.849514371 0.540423758 0.352536898 1.88188840
    1.36407059 1.05135039 2.00 5.00 10.00 7.00 1.00 0.60 0.50 0.1667]],
}

test("every number that REFERENCE.md and the papers print is there", function()
  for letter, text in pairs(numbers) do
    local there, missing = {}, {}
    each(function(row) if row.paper == letter then there[row.printed] = true end end)
    for number in text:gmatch "%S+" do if not there[number] then missing[#missing + 1] = number end end
    equal(letter .. ": " .. table.concat(missing, " "), letter .. ": ")
  end
end)

test("a number that does not agree has its reason in one line", function()
  each(function(row)
    equal(row.verdict == "agrees", row.reason == nil)
    if row.reason then equal(row.reason:find "\n", nil) end
  end)
end)

test("what the paper prints follows with its slip put in, by the option of that name only", function()
  local k = require "knock"
  local ball = k.ball { velocity = { -1, 0, -5 }, spin = { 0, 2, 0 } }
  local law = k.law.compliant { mu = 0.4, e = 0.5, eta = math.sqrt(17 / 14) }
  near(k.impact(ball, law).velocity[1], 0.544090155, 1e-9)
  near(k.impact(ball, law:with { published_slip = true }).velocity[1], 0.570984, 2e-5)
end)

-- The ball of paper Y by hand, with k0 = 1: slip, then stick from in compression until in restitution, then slip.
--   compression  n = 5 sin t, v_n = -5 cos t; slip: v = v0 + 3.5 mu 5 (1 - cos t), x' = mu eta^2 v_n, stick where v = x'
--   stick        x'' = -3.5 x / eta^2;  restitution: force 5 cos(s/e) at s after the end of compression
--   slip again   where |x| / eta^2 = mu 5 cos(s/e); what is left of the normal impulse is 5 e (1 - sin(s/e))
local function by_hand(e, friction_left)
  local mu, eta2, v0 = 0.4, 17 / 14, -3
  local c = (-v0 - 17.5 * mu) / (5 * mu * eta2 - 17.5 * mu)
  local t1, w = math.acos(c), math.sqrt(3.5 / eta2)
  local x1, v1 = -5 * mu * eta2 * math.sin(t1), v0 + 17.5 * mu * (1 - c)
  local function x(t) return x1 * math.cos(w * t) + v1 / w * math.sin(w * t) end
  local function v(t) return -x1 * w * math.sin(w * t) + v1 * math.cos(w * t) end
  local stuck = math.pi / 2 - t1
  local function slips(s) return math.abs(x(stuck + s)) / eta2 > 5 * mu * math.cos(s / e) end
  local high, n = 0, 20000
  repeat high = high + e * math.pi / 2 / n until slips(high)
  local low = high - e * math.pi / 2 / n
  for _ = 1, 60 do
    local middle = 0.5 * (low + high)
    if slips(middle) then high = middle else low = middle end
  end
  local sign = x(stuck + low) > 0 and -1 or 1
  return -1 + (v(stuck + low) - v0) / 3.5 + sign * friction_left * mu * 5 * e * (1 - math.sin(low / e))
end

test("the ball's V_x by hand, with Coulomb and with the program's slip, for several e", function()
  local k = require "knock"
  local ball = k.ball { velocity = { -1, 0, -5 }, spin = { 0, 2, 0 } }
  for _, e in ipairs { 0.22, 0.4, 0.5, 0.7 } do
    local law = k.law.compliant { mu = 0.4, e = e, eta = math.sqrt(17 / 14) }
    near(k.impact(ball, law).velocity[1], by_hand(e, 1), 1e-11)
    near(k.impact(ball, law:with { published_slip = true }).velocity[1], by_hand(e, e), 1e-11)
  end
end)

test("the pencil's printed impulse follows from none of the moments, with or without the slip", function()
  local k = require "knock"
  for _, Q in ipairs { 0.90386946, 0.97944079, 1.91447368 / 1.64616, 0.2 } do
    for _, slip in ipairs { false, true } do
      local law = k.law.compliant { mu = 0.8, e = 0.5, eta = math.sqrt(17 / 14), published_slip = slip }
      local p = k.impact(k.pencil { Q = Q }, law).impulse
      local off = math.max(math.abs(p[1] - 3.86262), math.abs(p[2] - 0.668974), math.abs(p[3] - 5.365))
      assert(off > 0.05, ("Q = %g comes within %g"):format(Q, off))
    end
  end
end)

test("papers are found by letter and by name; another name is a mistake", function()
  equal({ reproduce.find "Y", reproduce.find "jia", reproduce.find "b" }, { "jia", "jia", "batlle" })
  equal(reproduce.find "K", nil)
  local text = output "M"
  equal(text:find "^M%. Morgan" ~= nil, true)
end)

test("JSON has every row with its numbers in full", function()
  local text = show.json(papers)
  local lua = text:gsub('"([%w%- ]+)":', "['%1'] ="):gsub("%[\n", "{\n"):gsub("\n  %]", "\n  }"):gsub("null", "nil")
  local read = load("return " .. lua)()
  local n = reproduce.count(papers)
  equal(#read.rows, n.total)
  equal(read.counts["printed slip"], n["printed slip"])
  equal(read.counts.kinds, n.kinds)
  local i = 0
  each(function(row)
    i = i + 1
    equal({ read.rows[i].printed, read.rows[i].computed, read.rows[i].verdict }, { row.printed, row.computed, row.verdict })
  end)
end)

test("every row says what kind of check it is; data of the paper that knock was given are no checks", function()
  local known, n = {}, reproduce.count(papers)
  for _, kind in ipairs(reproduce.kinds) do known[kind] = true end
  each(function(row)
    assert(known[row.kind], row.what .. " is of no kind")
    if row.kind == "recomputed" then equal(row.source, "reference") end
    if row.where:find "Table 2" and row.paper == "B" then equal(row.kind, "echo") end
    if row.what:find "%(default%)" then equal(row.kind, "echo") end
  end)
  local sum = 0
  for _, count in pairs(n.kinds) do sum = sum + count end
  equal(sum, n.total)
  assert(show.text(papers):find "within an allowance that was picked after the fact")
end)

test("a verdict that rests on an allowance says so, one within the printed digits does not", function()
  equal({ reproduce.verdict { printed = "0.450", computed = 0.4511, to = 2e-3 } }, { "printed slip", true })
  equal({ reproduce.verdict { printed = "0.450", computed = 0.5, repeated = 0.4502, to = 2e-3 } }, { "printed slip" })
  equal({ reproduce.verdict { printed = "0.450", computed = 0.5, repeated = 0.4512, to = 2e-3 } }, { "printed slip", true })
end)

test("Markdown has a line with nine cells for every row", function()
  local rows = 0
  for line in show.markdown(papers):gmatch "[^\n]+" do
    if line:find "^| " and not line:find "^| kind" and not line:find "^|%-" then
      rows = rows + 1
      local _, bars = line:gsub("\\|", ""):gsub("|", "")
      equal(bars, 10)
    end
  end
  equal(rows, reproduce.count(papers).total)
end)
