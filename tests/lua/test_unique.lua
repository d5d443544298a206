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

-- W = diag(7/2, 7/2, 1): 2 W - A - W B W is definite where mu a < 2 and (7/2) mu/a < 2, so below 2/sqrt(7/2) = 1.069
test("in space: one contact of a ball is proved to have one answer below a bound of friction", function()
  local ball = k.ball { velocity = { -1, 0.3, -5 } }
  equal(k.impact(ball, k.law.moreau { mu = 1.06, e = 0.5 }).unique, true)
  equal(k.impact(ball, k.law.moreau { mu = 1.1, e = 0.5 }).unique, nil)
end)

-- points of a body of mass 1 and moments 1/3 on a floor 0.5 below its centre
local function on_points(points, mu)
  local J, W, v, u = {}, {}, {}, { 0.4, 0.1, -1.5, 0.1, 0.2, 0.3 }
  for _, p in ipairs(points) do
    J[#J + 1] = { 1, 0, 0, 0, -0.5, -p[2] }
    J[#J + 1] = { 0, 1, 0, 0.5, 0, p[1] }
    J[#J + 1] = { 0, 0, 1, p[2], -p[1], 0 }
  end
  for a = 1, #J do
    W[a], v[a] = {}, 0
    for q = 1, 6 do v[a] = v[a] + J[a][q] * u[q] end
    for b = 1, #J do
      W[a][b] = 0
      for q = 1, 6 do W[a][b] = W[a][b] + J[a][q] * J[b][q] * (q > 3 and 3 or 1) end
    end
  end
  return k.solve({ dim = 3, W = W, v = v }, k.law.moreau { mu = mu, e = 0 })
end

test("in space: two and three feet have one answer, a fourth foot that slides too is a continuum", function()
  equal(on_points({ { 1, 0 }, { -0.5, 0.9 } }, 0.5).unique, true)
  equal(on_points({ { 1, 0 }, { -0.5, 0.9 }, { -0.5, -0.9 } }, 0.5).unique, true)
  equal(on_points({ { 1, 0 }, { -0.5, 0.9 }, { -0.5, -0.9 }, { 0.3, 0.2 } }, 0.1).unique, false)
end)

test("in space: several answers of the plane are several there", function()
  local rod = k.rod { velocity = { -0.449539577, -0.4327110963 }, spin = -0.35422251381759, angle = 1.4604990635858,
    gaps = { 0, 0 }, gravity = 0 }
  local flat = k.impact(rod, k.law.moreau { mu = 2.5, e = 0 })
  local at, W, v = { 1, 3, 4, 6 }, {}, {}
  for i = 1, 6 do
    W[i], v[i] = {}, 0
    for j = 1, 6 do W[i][j] = i == j and 1 or 0 end
  end
  for i, a in ipairs(at) do
    v[a] = flat.solutions[1].velocity[i]
    for j, b in ipairs(at) do
      W[a][b] = flat.W[i][j]
      v[a] = v[a] - W[a][b] * flat.solutions[1].impulse[j]
    end
  end
  equal(k.solve({ dim = 3, W = W, v = v }, k.law.moreau { mu = 2.5, e = 0 }).unique, false)
end)
