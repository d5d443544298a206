-- law.vibration on chains and on springs of very unlike stiffness.
local k = require "knock"

local function agree(model_or_problem, law_a, law_b, tol)
  local solve = model_or_problem.W and k.solve or k.impact
  local a, b = solve(model_or_problem, law_a), solve(model_or_problem, law_b)
  equal({ a.status, b.status }, { "ok", "ok" })
  near(a.impulse, b.impulse, tol)
  return a
end

test("a chain of 7 balls is over at once, and 100 within half a second", function()
  for _, n in ipairs { 5, 6, 7, 8, 20, 100 } do
    local start = os.clock()
    local hit = k.impact(k.chain { n = n }, k.law.vibration {})
    local took = os.clock() - start
    if took > 0.5 then error(("%d balls took %.2f s"):format(n, took)) end
    equal(hit.status, "ok")
    near(hit.energy.lost, 0, 1e-12)
    near(hit.impulse, k.impact(k.chain { n = n }, k.law.compliant {}).impulse, 1e-13 * n)
  end
end)

-- Balls 1 and 2 are driven together by a soft spring between 2 and a wall: many swings of the stiff
-- one in one of the soft one. Contact 1 alone makes k1 -> infinity: one body of both masses.
test("springs 10^10 apart: as many steps as things happen", function()
  for _, W in ipairs { { { 1, .3 }, { .3, 1 } }, { { 1, -.9 }, { -.9, 1 } }, { { 2, -1 }, { -1, 2 } } } do
    for _, v in ipairs { { -1, -1 }, { 0, -1 }, { -.01, -1 }, { -1, 0 } } do
      for _, ratio in ipairs { 1, 1e2, 1e4 } do
        agree(k.problem { W = W, v = v, gap = { 0, 0 }, dim = 1 }, k.law.vibration { k = { 1e8, 1e8 / ratio } },
          k.law.compliant { k = { 1e8, 1e8 / ratio } }, 1e-10)
      end
      local p = k.problem { W = W, v = v, gap = { 0, 0 }, dim = 1 }
      local start = os.clock()
      local a = p:solve(k.law.vibration { k = { 1e8, 1e-2 } })
      if os.clock() - start > 0.05 then error(("took %.3f s"):format(os.clock() - start)) end
      equal(a.status, "ok")
      near(a.energy.lost, 0, 1e-9)
    end
  end
end)
