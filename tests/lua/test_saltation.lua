-- Derivatives through impacts from the script's side, saltation and monodromy, against closed forms and against
-- differences that the test takes itself.
local k = require "knock"

local oscillator = dofile(test_dir .. "/oscillator.lua")
local stick = k.law.moreau { mu = 9, e = 0 }

-- ---- one impact ------------------------------------------------------------------------------------------------------

test("hit:derivative names its rows and columns, and its route", function()
  local hit = k.impact(k.ball { velocity = { 1, 0, -2 } }, k.law.newton { e = 0.5 })
  local d = hit:derivative { "e", "law.mu", "mass" }
  equal(d.columns[1], "q1")
  equal(d.columns[#d.columns], "mass")
  near(d.e[3], 2, 1e-12)
  near(d.u[3][3], -0.5, 1e-12)
  equal(d.tie, false)
  equal(d.route ~= nil, true)
  raises(function() hit:derivative { "weight" } end, "weight")
  raises(function() hit:derivative { "velocity" } end, "velocity[1]")
end)

test("derivatives with q, u and parameters are those of differences, law by law", function()
  local base = k.double_pendulum { q = { -1.2, 0.7 }, u = { -1, -1 }, floor = -1.41155733 }
  local laws = { k.law.newton { e = 0.6, mu = 0.2 }, k.law.stronge { e = 0.6, mu = 0.4 }, k.law.poisson { e = 0.6, mu = 0.4 },
    k.law.compliant { e = 0.6, mu = 0.4, eta = 1.1 }, k.law.moreau { e = 0.6, mu = 0.4 }, k.law.glocker { e = 0.6, mu = 0.4 },
    k.law.sequential { law = k.law.stronge { e = 0.6, mu = 0.4 } }, k.law.vibration {} }
  for _, law in ipairs(laws) do
    local at = function(q, u, m) return k.impact((m or base):at(q, u), law, { contacts = { 1 } }).u end
    local d = k.impact(base, law, { contacts = { 1 } }):derivative { "mass" }
    local h = 1e-5
    for j = 1, 2 do
      local q1, q2, u1, u2 = { -1.2, 0.7 }, { -1.2, 0.7 }, { -1, -1 }, { -1, -1 }
      q1[j], q2[j], u1[j], u2[j] = q1[j] + h, q2[j] - h, u1[j] + h, u2[j] - h
      local a, b, c, e = at(q1), at(q2), at(nil, u1), at(nil, u2)
      for i = 1, 2 do
        near(d.q[i][j], (a[i] - b[i]) / (2 * h), 1e-6)
        near(d.u[i][j], (c[i] - e[i]) / (2 * h), 1e-6)
      end
    end
    if law.name == "compliant" or law.name == "stronge" then
      local more, less = at(nil, nil, base:with { mass = 1 + h }), at(nil, nil, base:with { mass = 1 - h })
      for i = 1, 2 do near(d.mass[i], (more[i] - less[i]) / (2 * h), 1e-6) end
    end
  end
end)

-- ---- saltation -------------------------------------------------------------------------------------------------------

test("the bouncing ball's saltation is closed", function()
  local e, g, h = 0.7, 9.8, 1
  local run = k.simulate(k.particle { position = { 0, h }, velocity = { 0.3, 0 }, gravity = g }, k.law.newton { e = e }, { t_end = 0.8 })
  local X, v = run:saltation(1).matrix, math.sqrt(2 * g * h)
  local want = { { 1, 0, 0, 0 }, { 0, -e, 0, 0 }, { 0, 0, 1, 0 }, { 0, (1 + e) * g / v, 0, -e } }
  for i = 1, 4 do near(X[i], want[i], 1e-9) end
  raises(function() run:saltation(7) end, "event 7 is not one of")
end)

test("a grazing impact says so, with the square root's coefficient", function()
  local g = 9.8
  local ball = k.particle { position = { 0, 0 }, velocity = { 0, math.sqrt(2 * g) * (1 + 1e-13) }, gravity = g,
    planes = { { 0, -1, -1 } } }
  local run = k.simulate(ball, k.law.newton { e = 0.5 }, { t_end = 0.6 }) -- meets the ceiling at 2e-6 m/s
  local s = run:saltation(1)
  equal(s.kind, "impact")
  equal(s.flags.grazing, true)
  near(s.coefficient, math.sqrt(2 * g), 1e-9)
  equal(tostring(s):find "grazing" ~= nil, true)
end)

test("contacts that close together have one matrix for each order", function()
  local rod = k.rod { position = { 0, 1 }, velocity = { 0, 0 }, floor = 0, centre = 2 }
  local run = k.simulate(rod, k.law.moreau { e = 0.5, mu = 0 }, { t_end = 0.6 })
  local s = run:saltation(1)
  equal(#s.orders, 2)
  equal(s.orders[1].contacts, { 1, 2 })
  equal(s.difference > 0.1, true)
  -- with x the tilt, the first end to arrive takes its half of the speed: signs differ between orders
  local run2 = k.simulate(rod:with { spin = 0.3 }, k.law.moreau { e = 0.5, mu = 0 }, { t_end = 0.44 })
  equal(run2:saltation(1).orders, nil)
end)

-- ---- monodromy ---------------------------------------------------------------------------------------------------------

test("determinant of a forced oscillator's monodromy with one impact", function()
  local zeta, w, e = 0.02, 0.8, 0.8
  local T = 2 * math.pi / w
  local run = k.simulate(oscillator { zeta = zeta, w = w, wall = 1.6, x = 0.2, u = 0.5 }, k.law.newton { e = e }, { t_end = T })
  local impacts = 0
  for _, event in ipairs(run.events) do if event.kind == "impact" then impacts = impacts + 1 end end
  equal(impacts, 1)
  near(run:monodromy().matrix:det() / (e ^ 2 * math.exp(-2 * zeta * T)), 1, 1e-9)
end)

test("monodromy with impact, stick, slip and release is that of differences", function()
  -- a rod that lands on one end, slides, and tips over
  local law = k.law.moreau { mu = 0.3, e = 0 }
  local rod = k.rod { position = { 0, 1.3 }, angle = 0.5, velocity = { 1, 0 }, spin = 0.2, floor = 0, centre = 2, part = 1 }
  local options = { t_end = 0.6, rtol = 1e-12 }
  local run = k.simulate(rod, law, options)
  local M, h = run:monodromy().matrix, 1e-5
  local last = function(q, u)
    local r = k.simulate(rod:at(q, u), law, options)
    local e, x = r.events[#r.events], {}
    for i = 1, 3 do x[i], x[3 + i] = e.q[i], e.u[i] end
    return x
  end
  for j = 1, 6 do
    local ends = {}
    for s = -1, 1, 2 do
      local q, u = {}, {}
      for i = 1, 3 do q[i], u[i] = rod.q[i] + (j == i and s * h or 0), rod.u[i] + (j == 3 + i and s * h or 0) end
      ends[s] = last(q, u)
    end
    for i = 1, 6 do near(M[i][j], (ends[1][i] - ends[-1][i]) / (2 * h), 1e-5) end
  end
end)

test("contact that stays loses directions exactly", function()
  local run = k.simulate(k.compass {}, stick, { t_end = 0.9 })
  local m = run:monodromy()
  equal(m.rank, 5)
  for i = 6, 8 do equal(m.multipliers[i], 0) end
end)
