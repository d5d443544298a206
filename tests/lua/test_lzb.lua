-- Stacks that fall on each other by law.lzb: waves through many contacts, most of which wait for their load or rattle down to rest.
local k = require "knock"

local loose = dofile(test_dir .. "/loose_help.lua")

local function comes_to_rest(n, tilt, law)
  local run = k.simulate(loose.stack(n, tilt), law, { t_end = 1 })
  equal(run.status, "ok", run.message)
  assert(math.abs(run.ledger.residual) < 1e-10)
  for i, u in ipairs(run.last.u) do assert(math.abs(u) < 1e-9, "u" .. i .. " = " .. u) end
end

test("contacts that wait for their load do not begin and end without time", function()
  comes_to_rest(5, -0.021269532966389715, k.law.lzb { e = 0.54339330720046242, mu = 0.3535326798877384 })
end)

test("boxes that rattle on each other come to rest", function()
  comes_to_rest(3, 0.0078634365806977691, k.law.lzb { e = 0.33280981888172517, mu = 0.72651211038734309 })
end)

test("boxes of round numbers that fall flat: exact ties", function()
  for n = 1, 3 do comes_to_rest(n, 0.05, k.law.lzb { e = 0.2, mu = 0.5 }) end
end)

-- slip that hardly turns: |v_t|^2 has a double root where it stops, which rounding hid (off by 2.6e-8, up to 2e-5 in others)
test("slip in space that stops all but straight stops", function()
  local problem = { dim = 3, v = {2.5818366706563491, 1.1533360000381239, -1.6118341765987068, }, W = {{3.4479595060997013, 0.54119182585736003, -1.9081751631298265, }, {0.54119182585736003, 4.8727697936457783, 0.64259452020461916, }, {-1.9081751631298265, 0.64259452020461916, 2.7893123609354591, }, } }
  local e, mu = 0.99533061771687226, 0.84116502025948514
  local wanted = k.solve(problem, k.law.stronge { e = e, mu = mu }).impulse
  for _, n in ipairs { 1, 1.5, 2 } do near(k.solve(problem, k.law.lzb { e = e, mu = mu, exponent = n }).impulse, wanted, 1e-11) end
end)

-- Bricks that are dropped on a floor, flat or on a corner. The last bounces rock them a little, and corners that are not quite on one
-- level creep on each other by 1e-10 of the speeds, which friction cannot stop: that was followed without end.
test("bricks in space come to rest, or tip on", function()
  math.randomseed(3)
  for case = 1, 8 do
    local a, b, c, flat = 0.05 + 0.1 * math.random(), 0.05 + 0.1 * math.random(), 0.05 + 0.1 * math.random(), case % 2 == 0
    local w, size = {}, 0
    for i = 1, 4 do w[i] = math.random() - 0.5 size = size + w[i] ^ 2 end
    for i = 1, 4 do w[i] = w[i] / math.sqrt(size) end
    local q = flat and { 0, 0, c + 0.05, 1, 0, 0, 0 } or { 0, 0, 0.4, w[1], w[2], w[3], w[4] }
    local u = { math.random() - 0.5, math.random() - 0.5, 0, 0, 0, flat and 3 * math.random() or 0 }
    local law = k.law.lzb { e = 0.7 * math.random(), mu = 0.1 + math.random(), exponent = case % 4 < 2 and 1 or 1.5 }
    local run = k.simulate(loose.brick(a, b, c, q, u), law, { t_end = 1.2 })
    equal(run.status, "ok", run.message)
    assert(math.abs(run.ledger.residual) < 1e-9, run.ledger.residual)
    if flat then near(run.last.q[3], c, 1e-9) end
  end
end)

-- A foot and a hinge's stop strike together: rows in m/s and rad/s. The energy that springs may hold left out the foot, whose W is small
-- beside the stop's in micrometres, and law.lzb said that they jam: for mu from 0.5 on at 1e-6 m and less.
test("foot and stop together, from nanometres to megametres", function()
  local function machine(s)
    return k.mechanism { plane = true, bodies = {
      { name = "base", joint = "free", mass = 1, inertia = 0.1 * s * s, points = { foot = { -0.5 * s, -0.2 * s } } },
      { name = "arm", parent = "base", joint = "hinge", at = { 0.3 * s, 0.05 * s }, mass = 0.5, com = { 0.2 * s, 0.1 * s }, inertia = 0.02 * s * s, lower = 0 } },
      obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } }, q = { base = { 0, 0.2 * s, 0 }, arm = 0 }, u = { base = { -0.5 * s, -s, 0.5 }, arm = -1 } }
  end
  for _, mu in ipairs { 0.1, 0.5, 1.5 } do
    local one
    for _, s in ipairs { 1, 1e-9, 1e-6, 1e-3, 1e6 } do
      local hit = k.impact(machine(s), k.law.lzb { e = 0.5, mu = mu, exponent = 1, stiffness = { 1, s * s } })
      local u = { hit.u[1] / s, hit.u[2] / s, hit.u[3], hit.u[4] }
      one = one or u
      near(u, one, 1e-9)
    end
  end
end)
