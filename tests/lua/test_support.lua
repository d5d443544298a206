-- What holds a body at rest, as a script sees it: forces that are the only ones, or not, and motions that are.
local k = require "knock"

-- a plank on three feet in the plane, pushed to the right
local function plank(n, push)
  return k.model {
    name = "plank", coordinates = { "x", "z", "angle" }, q = { 0, 0, 0 }, u = { 0, 0, 0 }, mass = { 2, 2, 0.5 },
    gap = function(q)
      local g = {}
      for i = 1, n do g[i] = q[2] + (i - (n + 1) / 2) * math.sin(q[3]) end
      return g
    end,
    jacobian = function(q)
      local J, c, s = {}, math.cos(q[3]), math.sin(q[3])
      for i = 1, n do
        local r = i - (n + 1) / 2
        J[#J + 1], J[#J + 2] = { 1, 0, -r * s }, { 0, 1, r * c }
      end
      return J
    end,
    forces = function() return { push, -2 * 9.81, 0 } end, check = false,
  }
end

test("three feet share a load that two could carry, and the state says so", function()
  local run = k.simulate(plank(3, 3), k.law.moreau { e = 0, mu = 0.5 }, { t_end = 0.1 })
  local at = run:at(0.05)
  equal(at.redundant, true)
  equal(at.unique, true)
  near(at.force, { -1, 6.54, -1, 6.54, -1, 6.54 }, 1e-9)
end)

test("two feet have friction to share, one point has forces of its own", function()
  local run = k.simulate(plank(2, 3), k.law.moreau { e = 0, mu = 0.5 }, { t_end = 0.1 })
  equal(run:at(0.05).redundant, true)
  near(run:at(0.05).force, { -1.5, 9.81, -1.5, 9.81 }, 1e-9)
  local ball = k.simulate(k.particle { position = { 0, 0 }, velocity = { 1, 0 } }, k.law.moreau { e = 0, mu = 0.5 }, { t_end = 0.1 })
  equal(ball:at(0.05).redundant, false)
  equal(ball:at(0.05).unique, true)
end)

test("a load beyond the last foot tips the plank over it", function()
  local run = k.simulate(plank(3, 0), k.law.moreau { e = 0, mu = 0.5 }, { t_end = 0.01, force = function() return { 0, 0, -30 } end })
  equal(run.status, "ok")
  -- about the foot at +1: (30 - 2 g) / (0.5 + 2)
  near(run:at(0.01).u[3], -(30 - 2 * 9.81) / 2.5 * 0.01, 1e-5)
end)

-- A block turns about its left corner, rate -1, and lands flat; I = m (b^2 + h^2)/3 about the centre. The right corner holds and
-- the left one leaves when mu >= 3 b h/(4 h^2 + b^2): rate -(1 - 3/2 b^2/(b^2 + h^2)) (Housner). With less friction it slides:
-- p_t = -mu p_n, p_n (W_nn - mu W_tn) = 2 b, W_nn = 1/m + b^2/I, W_tn = b h/I, rate -1 + (b - mu h) p_n/I, 0 when that is positive.
test("a rocking block loses Housner's share, more when its corner slides", function()
  math.randomseed(7)
  local slides, stands = 0, 0
  for _ = 1, 200 do
    local b, h, m, mu = 0.1 + math.random(), 0.5 + math.random(), 1 + 5 * math.random(), math.random()
    local I = m * (b * b + h * h) / 3
    local block = k.mechanism { plane = true, name = "block",
      bodies = { { name = "block", joint = "free", mass = m, inertia = I, com = { 0, h }, points = { left = { -b, 0 }, right = { b, 0 } } } },
      obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } }, contacts = { { "block.left", "floor" }, { "block.right", "floor" } } }
    local rate = k.impact(block:at(block.q, { 0, -b, -1 }), k.law.moreau { e = 0, mu = mu }, { contacts = { 1, 2 } }).u[3]
    local wanted = -(1 - 1.5 * b * b / (b * b + h * h))
    if mu < 3 * b * h / (4 * h * h + b * b) then
      local pn = 2 * b / (1 / m + b * b / I - mu * b * h / I)
      wanted, slides = -1 + (b - mu * h) * pn / I, slides + 1
    end
    if wanted >= 0 then wanted, stands = 0, stands + 1 end
    near(rate, wanted, 1e-12)
  end
  assert(slides > 30 and slides < 170 and stands > 5, slides .. " slide, " .. stands .. " stand")
end)

-- ---- loose boxes on each other: corners on tops, all may tip, slide, bounce ----

local loose = dofile(test_dir .. "/loose_help.lua")
local stack = loose.stack

-- dropped, they come to rest on each other: what is left is the potential energy of a stack that stands
local function comes_to_rest(n, tilt, law)
  local run = k.simulate(stack(n, tilt), law, { t_end = 1 })
  equal(run.status, "ok")
  assert(math.abs(run.ledger.residual) < 1e-11, run.ledger.residual)
  local at = run:at(1)
  near(at.potential, 9.81 * 0.1 * n * n / 2, 1e-9)
  assert(at.kinetic < 1e-18, at.kinetic)
  for c = 1, 2 * n do assert(math.abs(at.gap[c]) < 1e-12, at.gap[c]) end
end

test("a stack: a corner that leaves slowly while it is inside, by less than touch, leaves", function()
  comes_to_rest(2, -0.044953957703608882, k.law.moreau { e = 0.053831122928654287, mu = 0.32288874309120386 })
end)

test("a stack: corners that landing presses down land with it", function()
  comes_to_rest(5, -0.021269532966389715, k.law.moreau { e = 0.54339330720046242, mu = 0.3535326798877384 })
end)

test("a stack: sliding that is over sooner than time can tell turns round from rest", function()
  comes_to_rest(4, -0.0022408318855513753, k.law.moreau { e = 0.5657255592557181, mu = 0.96330985712881945 })
end)

test("a stack: corners without a force may leave, though they hardly do", function()
  comes_to_rest(5, -0.096977330559603003, k.law.moreau { e = 0.54708050225517968, mu = 0.36783108306217338 })
end)

test("stacks that are dropped come to rest", function()
  math.randomseed(11)
  for _ = 1, 4 do
    local n, tilt, e, mu = math.random(1, 5), 0.1 * (math.random() - 0.5), 0.6 * math.random(), 0.3 + 0.7 * math.random()
    comes_to_rest(n, tilt, k.law.moreau { e = e, mu = mu })
  end
end)

-- One end of an edge sets out from rest, the other still slides, and stops sooner than the difference along the motion that
-- gives the direction of the first (1e-5 of the run's time) looks ahead.
test("a brick on its edge in space: one end sets out while the other stops", function()
  local q = { 0.18073145389043077, 0.021585996785767482, 0.13538160000684379, 0.6696295309052015, -0.66971211214905768, -0.22690457650926293, 0.22714817045197586 }
  local u = { -0.015044022442754252, -0.011522164616971859, -0.011999040555849048, 8.6482200500454757e-09, 2.37750592742306e-05, -0.13998956731097728 }
  local brick = loose.brick(0.085763059491267335, 0.1353504124981571, 0.10637918191644123, q, u)
  local run = k.simulate(brick, k.law.moreau { e = 0.38305335230038984, mu = 0.97049319619673213 }, { t_end = 0.5 })
  equal(run.status, "ok")
  assert(math.abs(run.ledger.residual) < 1e-11)
end)

-- Three feet of a jointed body: two come to stand, and with them the third, which was sliding when its mode was chosen.
test("a doll in space: landing takes the speed of a foot that slides", function()
  local function body(name, parent, at, mass, length)
    return { name = name, parent = parent, joint = parent and "hinge" or "free", at = parent and { 0, 0, at } or nil, axis = parent and { 0, 1, 0 } or nil,
      mass = mass, com = { 0, 0, -length / 2 }, inertia = { 0.02, 0.02, 0.01 }, points = { tip = { 0, 0, -length }, mid = { 0.05, 0, -length / 2 } } }
  end
  local b3 = body("b3", "b2", -0.34138281854501434, 1.3198128088091003, 0.34138281854501434)
  b3.lower, b3.upper, b3.damping = -0.6, 0.6, 0.05
  local doll = k.mechanism { name = "doll", obstacles = { floor = { point = { 0, 0, 0 }, normal = { 0, 0, 1 } } },
    bodies = { body("b1", nil, nil, 0.62543092243902354, 0.23556332948479308), body("b2", "b1", -0.44333159698828806, 1.4461765902687573, 0.44333159698828806), b3 },
    contacts = { { "b1.tip", "floor" }, { "b1.mid", "floor" }, { "b2.tip", "floor" }, { "b3.tip", "floor" }, { "b3.mid", "floor" } },
    q = { b1 = { 0, 0, 3, 1, 0.01944296748842771, 0.20514442927676452, 0 }, b2 = 0.26558960074615423, b3 = -0.21922329982081556 } }
  local run = k.simulate(doll, k.law.moreau { e = 0.005581409924246738, mu = 0.91695812868614557 }, { t_end = 2 })
  equal(run.status, "ok")
  assert(math.abs(run.ledger.residual) < 1e-9, run.ledger.residual)
end)

-- A law sees exact zeros where contacts stood before the blow: J u leaves 1e-18 m/s there, which law.compliant and law.lzb could take
-- for the direction of slip.
test("a stack: contacts that stood have no speed in the next impact", function()
  local rounding, stood, calls = 0, 0, 0
  local watching = k.law { name = "watching", parameters = { mu = 0.5 }, solve = function(pr)
    local list, W = {}, {}
    for i = 1, pr.rows do list[i] = pr.v[i] end
    for i = 1, pr.rows do
      W[i] = {}
      for j = 1, pr.rows do W[i][j] = pr.W[i][j] end
    end
    calls = calls + 1
    for i = 1, calls == 1 and 8 or 0 do -- the four that stand, at the first blow
      if list[i] == 0 then stood = stood + 1 elseif math.abs(list[i]) < 1e-12 then rounding = rounding + 1 end
    end
    local impulse, all = k.solve({ dim = 2, W = W, v = list }, k.law.moreau { e = 0.2, mu = 0.5 }).impulse, {}
    for i = 1, pr.rows do all[i] = impulse[i] end
    return all
  end }
  local three = stack(3, 0)
  local q = {} -- two stand, a little skew, the third falls on them
  for i = 1, 3 do q[3 * i - 2], q[3 * i - 1], q[3 * i] = 0.013 * i, 0.05 + 0.1 * (i - 1) + (i == 3 and 0.1 or 0), i == 3 and 0.1 or 0 end
  local run = k.simulate(three:at(q), watching, { t_end = 0.3 })
  equal(run.status, "ok")
  equal(stood, 8)
  equal(rounding, 0)
end)

test("a stack: event.hit has the impulses that the run had", function()
  for name, law in pairs { moreau = k.law.moreau { e = 0.3, mu = 0.5 }, compliant = k.law.compliant { e = 0.3, mu = 0.5 }, newton = k.law.newton { e = 0.3 } } do
    local run, hits = k.simulate(stack(3, 0.03), law, { t_end = 0.15 }), 0
    for _, event in ipairs(run.events) do
      if event.kind == "impact" then
        local of, most, off, hit = {}, 0, 0, event.hit
        for i, c in ipairs(hit.contacts) do of[c] = i end
        for i, c in ipairs(event.contacts) do
          for row = 2 * i - 1, 2 * i do
            local again = of[c] and hit.impulse[2 * of[c] - 2 * i + row] or 0
            most, off = math.max(most, math.abs(event.impulse[row])), math.max(off, math.abs(again - event.impulse[row]))
          end
        end
        hits = hits + 1
        assert(off <= 1e-8 * most, ("%s at %.9g s: %g of %g N s"):format(name, event.t, off, most))
      end
    end
    assert(hits > 30, hits)
  end
end)

-- two tables on a slope, three feet each; what the other one weighs is nothing to a table that stands by itself
test("a table shares its load as if it were alone", function()
  local slope, g = 0.2, 9.81
  local function forces(masses)
    local bodies, contacts, q = {}, {}, {}
    for i, m in ipairs(masses) do
      local name = "table" .. i
      bodies[i] = { name = name, joint = "free", mass = m, inertia = m / 3, com = { 0.1, 0.5 }, points = { a = { -1, 0 }, b = { 0.3, 0 }, c = { 1, 0 } } }
      q[name] = { 3 * i * math.cos(slope), -3 * i * math.sin(slope), -slope }
      for _, foot in ipairs { "a", "b", "c" } do contacts[#contacts + 1] = { name .. "." .. foot, "hill" } end
    end
    local m = k.mechanism { name = "tables", plane = true, gravity = g, bodies = bodies, contacts = contacts, q = q,
      obstacles = { hill = { point = { 0, 0 }, normal = { math.sin(slope), math.cos(slope) } } } }
    local run = k.simulate(m, k.law.moreau { e = 0, mu = 0.5 }, { t_end = 0.1 })
    equal({ run.status, run:at(0.05).redundant }, { "ok", true })
    return run:at(0.05).force
  end
  local alone, beside = forces { 2 }, forces { 2, 2e8 }
  local sum = { 0, 0 }
  for i = 1, 6 do
    near(beside[i], alone[i], 1e-9)
    sum[2 - i % 2] = sum[2 - i % 2] + alone[i]
  end
  near(sum[2], 2 * g * math.cos(slope), 1e-9)
  near(math.abs(sum[1]), 2 * g * math.sin(slope), 1e-9)
end)

test("loose boxes do not feel each other", function()
  local function drop(first, last)
    local run = k.simulate(loose.row(first, last), k.law.moreau { e = 0, mu = 0.3 }, { t_end = 0.3 })
    equal(run.status, "ok")
    return run:at(0.3).q
  end
  local all = drop(1, 12)
  for i = 1, 12 do
    local one = drop(i, i)
    for j = 1, 3 do near(all[3 * (i - 1) + j], one[j], 1e-8) end
  end
end)
