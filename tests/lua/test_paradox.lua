-- Painleve's paradox in runs: impacts without collision, and states with several answers.
local k = require "knock"

-- A slender rod, m = 1, half-length 1, its lower end P on the floor at `angle`, sliding with v; G is 1 m from P along the rod.
-- W = I + 3 r r^T with r = (s, -c), so W_tt = 1 + 3 s^2, W_tn = -3 s c, W_nn = 1 + 3 c^2.
local function rod(angle, v, spin)
  local c, s = math.cos(angle), math.sin(angle)
  return k.rod { length = 2, part = 1, angle = angle, floor = 0, position = { c, s }, velocity = { v - (spin or 0) * s, (spin or 0) * c }, spin = spin or 0 }
end

local function first_event(run) return run.events[1] end

local angle, mu = 0.9, 3
local c, s = math.cos(angle), math.sin(angle)
local Wtt, Wtn, Wnn = 1 + 3 * s * s, -3 * s * c, 1 + 3 * c * c

-- With v_t = -1 friction is +mu p_n: v_t = -1 + (W_tn + mu W_tt) p_n and v_n = (W_nn + mu W_tn) p_n < 0 until sliding stops at p_n = 1/(W_tn + mu W_tt).
-- It sticks from there on (|W_tn/W_tt| < mu): v_n grows by (W_nn - W_tn^2/W_tt) p_n.
local stops = 1 / (Wtn + mu * Wtt)
local deep = (Wnn + mu * Wtn) * stops -- v_n there
local m_n = Wnn - Wtn * Wtn / Wtt
local compressed = stops - deep / m_n

test("the Painleve rod: an impact without collision, in closed form", function()
  assert(Wnn + mu * Wtn < 0 and math.abs(Wtn / Wtt) < mu)
  local e = 0.5
  -- what compression takes: to `deep` and back to 0; stronge gives back e^2 of it, poisson e times the impulse of compression
  local work = -deep * stops / 2 + deep * deep / m_n / 2
  local cases = {
    { k.law.plastic { mu = mu }, compressed, 0 }, { k.law.moreau { mu = mu, e = e }, compressed, 0 }, { k.law.newton { mu = mu, e = e }, compressed, 0 },
    { k.law.stronge { mu = mu, e = e }, compressed + e * math.sqrt(2 * work / m_n), e * math.sqrt(2 * work * m_n) },
    { k.law.sequential { law = k.law.stronge { mu = mu, e = e } }, compressed + e * math.sqrt(2 * work / m_n), e * math.sqrt(2 * work * m_n) },
    { k.law.poisson { mu = mu, e = e }, (1 + e) * compressed, e * compressed * m_n }, { k.law.glocker { mu = mu, e = e }, (1 + e) * compressed, e * compressed * m_n } }
  for _, case in ipairs(cases) do
    local law, p_n, v_n = table.unpack(case)
    local run = k.simulate(rod(angle, -1), law, { t_end = 0.01 })
    local event = first_event(run)
    equal({ run.status, event.kind, event.t, event.contact }, { "ok", "impact without collision", 0, 1 })
    near(event.impulse[2], p_n, 1e-11)
    near(event.impulse[1], (1 - Wtn * p_n) / Wtt, 1e-11) -- v_t+ = 0
    for i = 1, 2 do near(event.hit.impulse[i], event.impulse[i], 0) end
    near(event.hit.contact_velocity, { 0, v_n }, 1e-11)
    near(event.hit.audit.ledger, 0, 1e-10)
    near(run.ledger.residual, 0, 1e-10)
    equal(run.notes[1]:find "1 impact without collision" ~= nil, true)
  end
end)

test("the compliant law makes it too, and tends to the rigid one as eta goes to 0", function()
  local function pn(law) return first_event(k.simulate(rod(angle, -1), law, { t_end = 1e-3 })).impulse[2] end
  local rigid = pn(k.law.stronge { mu = mu, e = 0.5 })
  local off = math.abs(pn(k.law.compliant { mu = mu, e = 0.5, eta = 1e-2 }) - rigid)
  assert(off < 1e-2 and math.abs(pn(k.law.compliant { mu = mu, e = 0.5, eta = 1e-3 }) - rigid) < off / 5)
  near(pn(k.law.lzb { mu = mu, e = 0.5, exponent = 1 }), rigid, 1e-7)
end)

test("rods that slide with too much friction go on, whatever their state", function()
  math.randomseed(5)
  local paradoxes = 0
  for _ = 1, 60 do
    local r = math.random
    local run = k.simulate(rod(0.3 + 1.25 * r(), -4 * r(), 6 * r() - 3), k.law.moreau { mu = 1.34 + 2 * r(), e = 0 }, { t_end = 0.5 })
    equal(run.status, "ok")
    assert(math.abs(run.ledger.residual) < 1e-8, run.ledger.residual)
    for _, e in ipairs(run.events) do paradoxes = paradoxes + (e.kind == "impact without collision" and 1 or 0) end
  end
  assert(paradoxes > 20, paradoxes)
end)

-- W_nn + mu W_tn goes to 0 from above: forces grow beyond bounds, and sliding stops there by an impact; before, the run did
test("sliding that comes to the singularity of its force goes on by an impact", function()
  for _, case in ipairs { { 0.77096887714747, 1.5871578995437, 1.5424885983393, -4.5434178784274 }, { 0.80774718246925, 1.6235873402835, 1.0551375477742, -4.4700036992084 } } do
    local a, friction, spin, v = table.unpack(case)
    local run = k.simulate(rod(a, v, spin), k.law.moreau { mu = friction, e = 0 }, { t_end = 0.4 })
    equal({ run.status, run.events[1].kind, run.events[2].kind }, { "ok", "contact", "impact without collision" })
    local at = run.events[2].hit.model
    local cos, sin = math.cos(at.q[3]), math.sin(at.q[3])
    near(1 + 3 * cos * (cos - friction * sin), 0, 1e-3) -- where it happens
    near(run.events[2].hit.contact_velocity, { 0, 0 }, 1e-7)
    near(run.ledger.residual, 0, 1e-8)
  end
end)

test("a law that makes no impact of it: the run stops and says so", function()
  local run = k.simulate(rod(angle, -1), k.law.newton { e = 0 }, { t_end = 1, mu = mu })
  equal({ run.status, run.why, run.impacts }, { "no solution", "failed", 0 })
  equal(run.message, "no contact force satisfies the laws at t = 0 s (Painleve), and law.newton makes no impact of it")
end)

-- W_nn + mu W_tn < 0 and the free acceleration of P upwards: it may leave, slide on (which cannot last), or jam
test("several answers: all leave where sliding on cannot last, and the run says so", function()
  local run = k.simulate(rod(angle, -1, 5), k.law.moreau { mu = mu, e = 0 }, { t_end = 0.05 })
  equal({ run.status, #run.events, run.impacts }, { "ok", 1, 0 })
  near(run:at(0.05).force, { 0, 0, 0, 0 }, 0)
  equal(run.notes[1]:find "several motions satisfied the laws" ~= nil, true)
  local slow = k.simulate(rod(angle, -1, 5), k.law.moreau { mu = 0.3, e = 0 }, { t_end = 0.05 })
  equal(#slow.notes, 0) -- too little friction for that
end)

test("there is no derivative through it", function()
  local run = k.simulate(rod(angle, -1), k.law.moreau { mu = mu, e = 0 }, { t_end = 0.05 })
  raises(function() run:monodromy() end, "no derivative through the impact without collision at t = 0 s")
end)

-- n = 3, 4: runs of random stacks that stopped by "no contact force satisfies the laws"; n^2 g/20 is a stack that stands
test("stacks with mu above 1 come to rest", function()
  local stack = dofile(test_dir .. "/loose_help.lua").stack
  for _, case in ipairs {
    { 3, 0.018949720769192348, k.law.glocker { e = 0.086325373386498511, mu = 1.4989362172714085 } },
    { 4, -0.07227082545504393, k.law.moreau { e = 0.38983286067558831, mu = 1.3401288187471785 } } } do
    local n, tilt, law = table.unpack(case)
    local run = k.simulate(stack(n, tilt), law, { t_end = 1 })
    equal(run.status, "ok")
    near(run.ledger.residual, 0, 1e-11)
    near(run.ledger["end"], 9.81 * n * n * 0.05, 1e-6)
  end
end)

-- Two contacts at rest: the second one alone would wedge itself in as it slides (W_nn - mu W_nt < 0), but the first one, which
-- stands, holds it. Of all 16 combinations of modes one alone fits (found by trying them, in 15 digits): stick, slide.
test("a contact that slides beside one that stands is held by both", function()
  local W = k.matrix { { 1.29556, -1.01463, 0.261844, 0.164459 }, { -1.01463, 2.71811, 2.27739, 1.72819 }, { 0.261844, 2.27739, 4.96078, 3.13947 },
    { 0.164459, 1.72819, 3.13947, 2.90865 } }
  local a = { 3.8771684375749, -10.504359149499, -4.3342347136344, -7.9186881381023 }
  local M = W:inv()
  local mass, forces, jacobian = {}, {}, {}
  for i = 1, 4 do
    mass[i], jacobian[i], forces[i] = {}, {}, 0
    for j = 1, 4 do
      mass[i][j], jacobian[i][j] = (M[i][j] + M[j][i]) / 2, i == j and 1 or 0
      forces[i] = forces[i] + mass[i][j] * a[j]
    end
  end
  local m = k.model { name = "two feet", coordinates = { "x1", "z1", "x2", "z2" }, mass = function() return mass end,
    gap = function(q) return { q[2], q[4] } end, jacobian = function() return jacobian end, forces = function() return forces end, q = { 0, 0, 0, 0 }, u = { 0, 0, 0, 0 } }
  local run = k.simulate(m, k.law.moreau { mu = 1, e = 0 }, { t_end = 0.5 })
  equal(run.status, "ok")
  local at = run:at(0.25)
  near(at.force, { 1.0759385351023736, 4.895959171533273, -3.116746027615408, 3.116746027615408 }, 1e-9)
  near(at.q, { 0, 0, 1.420941086252892 * 0.25 ^ 2 / 2, 0 }, 1e-9)
end)

-- A wheel whose inertia is 1e-13 m l^2 stands on a spoke as any other does: only the digits are missing, W has 1e13 of condition.
test("forces that rounding hides are not called Painleve's", function()
  for _, inertia in ipairs { 1e-11, 1e-13 } do
    local run = k.simulate(k.rimless_wheel { inertia = inertia }, k.law.moreau { mu = 9, e = 0 }, { t_end = 1 })
    equal(run.status, "no solution")
    assert(run.message:find("W of contact 1 has condition 1e+1", 1, true) and not run.message:find "Painleve", run.message)
  end
end)
