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

-- mu = 1e-300 is no friction at all, but slip phases are walked step by step: the other way to the answer
test("two contacts with any e: modes and steps agree", function()
  local W = { { 2, 0, 0.1, 0 }, { 0, 1, 0, -.6 }, { 0.1, 0, 2, 0 }, { 0, -.6, 0, 1.5 } }
  for _, v in ipairs { { 1, -1, 1, -.3 }, { 1, -1, 1, 0 }, { 1, -.2, 1, -1 } } do
    for _, e in ipairs { { .5, .5 }, { .1, .3 }, { 1e-2, .9 }, { .9, 1e-3 }, { 1e-3, 1e-3 }, { 1, 1e-4 } } do
      local p = k.problem { W = W, v = v, gap = { 0, 0 }, dim = 2 }
      local by_modes = timed(function() return k.solve(p, k.law.compliant { e = e, window = 0 }) end, 0.05)
      local by_steps = k.solve(p, k.law.compliant { e = e, mu = 1e-300, window = 0 })
      equal({ by_modes.status, by_steps.status }, { "ok", "ok" })
      near(by_modes.impulse, by_steps.impulse, 1e-10)
      near(by_modes.flags.open_ledger and 1 or 0, 0, 0)
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
