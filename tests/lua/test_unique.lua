-- Whether an answer is the only one: isolated others, and continua of them, against closed forms.

local k = require "knock"

-- p_n follows from the normal rows; the tangential rows are one: p_t1 + p_t2 = -0.6, and the ends are
-- where the foot with the smaller load has all its friction, 5 p_n2, to one side or the other
test("a flat rod that sticks: a continuum of impulses, one velocity", function()
  local hit = k.impact(k.rod { velocity = { 0.6, -1 }, spin = 0.2, gaps = { 0, 0 } }, k.law.moreau { mu = 5, e = 0 })
  equal(hit.unique, true)
  equal(#hit.solutions, 1)
  local one = hit.solutions[1]
  equal(one.continuum, "impulses")
  equal(#one.ends, 2)
  local n1, n2 = 23 / 30, 7 / 30
  table.sort(one.ends, function(a, b) return a.impulse[1] < b.impulse[1] end)
  near(one.ends[1].impulse, k.matrix { -0.6 - 5 * n2, n1, 5 * n2, n2 }, 1e-12)
  near(one.ends[2].impulse, k.matrix { -0.6 + 5 * n2, n1, -5 * n2, n2 }, 1e-12)
  for _, at in ipairs(one.ends) do near(at.velocity, k.matrix { 0, 0, 0, 0 }, 1e-12) end
end)

test("a rod that slides stands alone", function()
  local hit = k.impact(k.rod { velocity = { 0.6, -1 }, spin = 0.2, gaps = { 0, 0 } }, k.law.moreau { mu = 0.1, e = 0 })
  equal(hit.unique, true)
  equal(hit.solutions[1].continuum, nil)
end)

test("of three answers the one that sticks with both feet is a continuum; open means zero", function()
  local hit = k.impact(k.rod { velocity = { -0.449539577, -0.4327110963 }, spin = -0.35422251381759, angle = 1.4604990635858,
    gaps = { 0, 0 }, gravity = 0 }, k.law.moreau { mu = 2.5, e = 0 })
  equal(hit.unique, false)
  equal(#hit.solutions, 3)
  local continua = 0
  for _, one in ipairs(hit.solutions) do
    continua = continua + (one.continuum == "impulses" and 1 or 0)
    for c = 1, 2 do
      local t, n = one.impulse[2 * c - 1], one.impulse[2 * c]
      if one.velocity[2 * c] > 1e-9 then equal(t, 0.0) equal(n, 0.0) end
      assert(n >= 0 and math.abs(t) <= 2.5 * n * (1 + 1e-15))
    end
  end
  equal(continua, 1)
end)

-- between two walls: p_1 = p_2 + 0.1, and p_2 = t may press as it likes: v_t = 1 - 0.3 (0.1 + 2 t) down to 0
test("a block between two walls: a continuum of velocities, with its ends", function()
  local a = k.solve({ dim = 2, v = { 1, -0.1, 1, 0.1 },
    W = { { 1, 0, 1, 0 }, { 0, 1, 0, -1 }, { 1, 0, 1, 0 }, { 0, -1, 0, 1 } } }, k.law.moreau { mu = 0.3, e = 0 })
  equal(a.unique, false)
  local seen
  for _, one in ipairs(a.solutions) do
    if one.continuum == "velocities" then
      seen = true
      equal(#one.ends, 2)
      table.sort(one.ends, function(x, y) return x.velocity[1] < y.velocity[1] end)
      near(one.ends[1].velocity[1], 0, 1e-12)
      near(one.ends[1].impulse[4], (1 / 0.3 - 0.1) / 2, 1e-12)
      near(one.ends[2].velocity[1], 0.97, 1e-12)
      near(one.ends[2].impulse[4], 0, 1e-12)
    end
  end
  assert(seen)
end)
