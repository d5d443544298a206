-- law.compliant where time scales are far apart: exact, and as cheap as what happens.
local k = require "knock"

local function timed(f, most)
  local start = os.clock()
  local result = f()
  local took = os.clock() - start
  if took > most then error(("took %.1f ms"):format(1e3 * took), 2) end
  return result
end

-- Uncoupled and never slipping: the tangential spring swings on its own, v_t = u cos(sqrt(kt W_tt) t) until
-- the contact opens at t = (1 + e) pi / (2 sqrt(k W_nn)); what it holds then is lost.
test("one contact, tangential spring up to 10^7 times as fast as the normal one", function()
  for digits = 0, 7 do
    local eta, e, u = 10.0 ^ -digits, 0.6, 0.8
    local a = timed(function()
      return k.solve({ W = { { 2, 0, 0 }, { 0, 2, 0 }, { 0, 0, 1 } }, v = { u, 0, -1 }, dim = 3 },
        k.law.compliant { mu = math.huge, e = e, eta = eta, k = 1e8 })
    end, 0.2)
    equal(a.status, "ok")
    local v = u * math.cos(math.sqrt(2) / eta * (1 + e) * math.pi / 2)
    near(a.velocity, { v, 0, e }, 1e-13 / eta + 1e-13)
  end
end)

-- The same plane impact with a third row that nothing moves: in space slip is walked step by step, also with
-- mu = 1e-13, which is no friction at all. Two ways to one answer.
local function in_space(W, v)
  local place, W3, v3 = { 1, 3, 4, 6 }, {}, { 0, 0, 0, 0, 0, 0 }
  for i = 1, 6 do W3[i] = { 0, 0, 0, 0, 0, 0 } end
  W3[2][2], W3[5][5] = 1, 1
  for i = 1, 4 do
    v3[place[i]] = v[i]
    for j = 1, 4 do W3[place[i]][place[j]] = W[i][j] end
  end
  return k.problem { W = W3, v = v3, gap = { 0, 0 }, dim = 3 }
end

test("two contacts with any e, with and without friction: modes and steps agree", function()
  local W = { { 2, .3, 0.1, 0 }, { .3, 1, 0, -.6 }, { 0.1, 0, 2, .2 }, { 0, -.6, .2, 1.5 } }
  for _, v in ipairs { { 1, -1, 1, -.3 }, { 1, -1, 1, 0 }, { 1, -.2, 1, -1 }, { .2, -.2, -.3, -1 } } do
    for _, e in ipairs { { .5, .5 }, { .1, .3 }, { 1e-2, .9 }, { .9, 1e-3 }, { 1e-3, 1e-3 }, { 1, 1e-4 } } do
      for _, mu in ipairs { 0, 0.05, 0.3, 0.8 } do
        local plane, space = k.problem { W = W, v = v, gap = { 0, 0 }, dim = 2 }, in_space(W, v)
        local by_modes = k.solve(plane, k.law.compliant { e = e, mu = mu, window = 0 })
        local by_steps = k.solve(space, k.law.compliant { e = e, mu = mu == 0 and 1e-13 or mu, window = 0 })
        equal({ by_modes.status, by_steps.status }, { "ok", "ok" })
        for i, place in ipairs { 1, 3, 4, 6 } do near(by_modes.impulse[i], by_steps.impulse[place], 2e-10) end
        near(by_modes.energy.friction, by_steps.energy.friction, 2e-10)
        equal(by_modes.flags.open_ledger, nil)
      end
    end
  end
end)

test("two contacts: e down to 1e-8, stiffness 10^10 apart", function()
  for digits = 1, 8 do
    local hit = timed(function() return k.impact(k.rod {}, k.law.compliant { e = 10.0 ^ -digits }) end, 0.05)
    equal(hit.status, "ok")
    near(hit.audit.ledger, 0, 1e-12)
  end
  for _, W in ipairs { { { 1, .3 }, { .3, 1 } }, { { 1, -.9 }, { -.9, 1 } }, { { 2, -1 }, { -1, 2 } } } do
    for _, v in ipairs { { -1, -1 }, { 0, -1 }, { -.01, -1 }, { -1, 0 } } do
      for _, ratio in ipairs { 1, 1e3, 1e6, 1e10 } do
        local p, stiff = k.problem { W = W, v = v, gap = { 0, 0 }, dim = 1 }, { 1e8, 1e8 / ratio }
        local a = timed(function() return k.solve(p, k.law.compliant { k = stiff }) end, 0.1)
        local b = timed(function() return k.solve(p, k.law.vibration { k = stiff }) end, 0.1)
        equal({ a.status, b.status }, { "ok", "ok" })
        near(a.impulse, b.impulse, 1e-9)
      end
    end
  end
end)
