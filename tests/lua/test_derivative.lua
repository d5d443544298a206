-- hit:derivative by name, for laws inside laws and for lists: against five points of k.impact itself.
local k = require "knock"

-- d(u after)/d(parameter) by five points; f(x) is the hit with the parameter at x
local function by_points(f, x, h)
  local at = function(s) return f(x + s * h).u end
  local a, b, c, d, out = at(-2), at(-1), at(1), at(2), {}
  for i = 1, #a do out[i] = (a[i] - 8 * b[i] + 8 * c[i] - d[i]) / (12 * h) end
  return out
end

local function column(d, name)
  local out = {}
  for i = 1, #d.rows do
    for j, have in ipairs(d.columns) do if have == name then out[i] = d.matrix[i][j] end end
  end
  return out
end

-- both ends of a rod at once, with friction, at an angle
local rod = k.rod { length = 2, mass = 1.5, position = { 0, 0 }, angle = 0, velocity = { 0.7, -1.3 }, spin = 0.4 }

local function chain(e, mu) return k.law.sequential { law = k.law.compliant { e = e, mu = mu } } end

test("a number of the law inside a chain", function()
  local d = k.impact(rod, chain(0.6, 0.3)):derivative { "law.mu", "law.e" }
  near(column(d, "law.mu"), by_points(function(x) return k.impact(rod, chain(0.6, x)) end, 0.3, 1e-3), 1e-8)
  near(column(d, "law.e"), by_points(function(x) return k.impact(rod, chain(x, 0.3)) end, 0.6, 1e-3), 1e-8)
end)

test("an entry of a list of the law inside a chain, and the whole list", function()
  local e, mu = { 0.6, 0.5 }, { 0.3, 0.4 }
  local d = k.impact(rod, chain(e, mu)):derivative { "mu[1]", "mu[2]", "e[1]", "e[2]", "mu" }
  equal(d.route, "events")
  for c = 1, 2 do
    local with = function(list, x) return { c == 1 and x or list[1], c == 2 and x or list[2] } end
    near(column(d, ("mu[%d]"):format(c)), by_points(function(x) return k.impact(rod, chain(e, with(mu, x))) end, mu[c], 1e-3), 1e-8)
    near(column(d, ("e[%d]"):format(c)), by_points(function(x) return k.impact(rod, chain(with(e, x), mu)) end, e[c], 1e-3), 1e-8)
  end
  near(column(d, "mu"), by_points(function(x) return k.impact(rod, chain(e, { mu[1] + x, mu[2] + x })) end, 0, 1e-3), 1e-8)
end)

test("in space each law says that it went event by event", function()
  local pencil = k.pencil { velocity = { -1, 0.3, -5 }, spin = { 0.2, 1, -0.5 } }
  for _, law in ipairs { k.law.stronge { e = 0.5, mu = 0.4 }, k.law.poisson { e = 0.5, mu = 0.4 },
    k.law.newton { e = 0.5, mu = 0.4 }, k.law.compliant { e = 0.5, mu = 0.4 } } do
    local d = k.impact(pencil, law):derivative { "law.mu", "law.e" }
    equal(d.route, "events")
    near(column(d, "law.mu"), by_points(function(x) return k.impact(pencil, law:with { mu = x }) end, 0.4, 1e-3), 1e-7)
    near(column(d, "law.e"), by_points(function(x) return k.impact(pencil, law:with { e = x }) end, 0.5, 1e-3), 1e-7)
  end
end)

test("how the model was derived is said, in the print too", function()
  local d = k.impact(rod, k.law.moreau { e = 0.5, mu = 0.3 }):derivative()
  equal({ d.model, d.error }, { "exact", 0 })
  equal(tostring(d):match "^[^\n]*", "d(u after), by active set; the model's M and J: exact")
  local mine = k.model { coordinates = { "z", "a" }, mass = function(q) return { { 1, 0.2 * math.cos(q[2]) }, { 0.2 * math.cos(q[2]), 0.5 } } end,
    q = { 0.3, 0.4 }, u = { -1, 0.2 }, gap = function(q) return q[1] - 0.3 + 0.2 * (math.sin(q[2]) - math.sin(0.4)) end }
  d = k.impact(mine, k.law.newton { e = 0.5 }):derivative()
  equal(d.model, "differences")
  equal(d.error > 0 and d.error < 1e-6, true)
end)

test("a hinge stops along and across its wall at one impulse: that is no tie", function()
  local m = k.mechanism { gravity = 0, bodies = { { name = "bob", joint = "hinge", axis = { 0, 1, 0 }, mass = 1.3, com = { 0, 0, -0.7 },
    inertia = { 0.05, 0.05, 0.02 }, points = { tip = { 0, 0, -1 } } } },
    obstacles = { wall = { point = { 0.35, 0, 0 }, normal = { -1, 0, 0 } } }, contacts = { { "bob.tip", "wall" } },
    q = { bob = -math.asin(0.35) }, u = { bob = -1.2 } }
  local law = k.law.stronge { e = 0.5, mu = 0.2 }
  local d = k.impact(m, law):derivative { "mu", "e" }
  equal(d.tie, false)
  near(column(d, "mu"), by_points(function(x) return k.impact(m, law:with { mu = x }) end, 0.2, 1e-3), 1e-7)
  near(column(d, "e"), by_points(function(x) return k.impact(m, law:with { e = x }) end, 0.5, 1e-3), 1e-7)
  near(d.matrix[1][2], k.impact(m, law).u[1] / -1.2, 1e-9) -- a rigid impact is of degree one in the speeds
end)

-- The four corners of a brick that falls flat and slides share their load as contacts do that give a little, all alike, and each
-- share is another velocity: modes alone do not say how it changes.
test("four corners that slide: differences of the answer that the law chooses", function()
  local brick = k.mechanism { bodies = { { name = "b", joint = "free", mass = 1, inertia = { 5 / 12, 1 / 6, 5 / 12 }, boxes = { b = { at = { 0, 0, 0 }, size = { 1, 2, 1 } } } } },
    obstacles = { floor = { point = { 0, 0, 0 }, normal = { 0, 0, 1 } } }, q = { b = { 0, 0, 0.5, 1, 0, 0, 0 } }, u = { b = { 0.3, 0.1, -1, 0.2, 0.3, 0.5 } } }
  local law, step = k.law.moreau { mu = 0.3, e = 0.5 }, 1e-4
  local hit = k.impact(brick, law)
  equal(hit.flags.continuum, true)
  local d = hit:derivative()
  for j = 1, 6 do
    local function shifted(by)
      local u = {}
      for i = 1, 6 do u[i] = hit.u_before[i] + (i == j and by or 0) end
      return k.impact(brick:at(brick.q, u), law).u
    end
    local more, less = shifted(step), shifted(-step)
    for i = 1, 6 do near(d.u[i][j], (more[i] - less[i]) / (2 * step), 1e-5) end
  end
end)

-- Balls in a row that rest and touch: u+ has a part s^1.5 of the side on which a contact opens first. law.vibration has the same springs
-- (n = 1, e = 1), and on the other side it is smooth: differences there, extrapolated, are the judge.
test("where a row of balls begins to touch the stated error is that of the derivative", function()
  local set = { n = 4, mass = { 1, 2, 0.7, 1.3 } }
  local at = function(i, s)
    local v = { 1, 0, 0, 0 }
    v[i] = v[i] + s
    return k.impact(k.chain { n = 4, mass = set.mass, velocity = v }, k.law.vibration {}).u
  end
  local d = k.impact(k.chain(set), k.law.lzb { e = 1, exponent = 1 }):derivative()
  local largest, far, h, zero = 0, 0, 1e-5, at(1, 0)
  for i, side in ipairs { 1, 1, 1, -1 } do
    local whole, half = at(i, side * h), at(i, side * h / 2)
    for j = 1, 4 do
      local judge = (4 * half[j] - whole[j] - 3 * zero[j]) / (side * h)
      largest, far = math.max(largest, math.abs(judge)), math.max(far, math.abs(judge - d.matrix[j][4 + i]))
    end
  end
  equal(d.tie, false)
  equal(far <= d.error * largest, true)
  equal(far * 10 > d.error * largest, true)
end)

-- A derivative in other units is the same one: lengths by s, D_ij by what u_i and what it changes with are. Steps were 0.05 m, or as far
-- as a normal is long, and parts with different units were compared with each other. Before, balls of 1e-6 m were off by 0.83 (said by
-- .error), of 1e6 m by 8.5e-9 (not said); the rod on a free body by 0.84 at 1e-6 m, and at 1e-9 m "the matrix is singular".
local function balls(s)
  return k.pair { radius = s, mass = { 1, 2 }, orientation1 = { 0.6, 0, 0, 0.8 }, position1 = { 0.6 * s, 0.8 * s, math.sqrt(3) * s },
    position2 = { 0, 0, 0 }, velocity1 = { 0, 0.2 * s, -s }, velocity2 = { 0.1 * s, 0, 0 }, spin1 = { 1, 2, 3 } }
end

local function rod(s)
  local small = { 0.01 * s * s, 0.01 * s * s, 0.01 * s * s }
  return k.mechanism { bodies = {
    { name = "trunk", joint = "free", mass = 1, inertia = { 0.02 * s * s, 0.03 * s * s, 0.04 * s * s } },
    { name = "rod", parent = "trunk", joint = "slide", axis = { 1, 0, 0 }, mass = 0.5, inertia = small },
    { name = "arm", parent = "trunk", joint = "hinge", axis = { 0, 1, 0 }, mass = 0.5, com = { 0.1 * s, 0, 0.1 * s }, inertia = small, lower = -0.1 } },
    q = { trunk = { 0, 0, 0.5 * s, 0.8, 0, 0, 0.6 }, rod = 0.1 * s, arm = -0.1 }, u = { trunk = { 0.3 * s, 0, 0, 1, 2, 3 }, rod = 0, arm = -1 } }
end

for name, case in pairs { balls = { balls, "mmmrrrmmmrrr", 1e-9 }, ["a rod on a free body"] = { rod, "mmmrrrmr", 1e-12 } } do
  test(name .. ": the same derivative from nanometres to megametres", function()
    local make, units, tol = table.unpack(case)
    local law = k.law.stronge { e = 0.5, mu = 0.3 }
    local one = k.impact(make(1), law):derivative()
    for _, s in ipairs { 1e-9, 1e-6, 1e-3, 1e3, 1e6 } do
      local d = k.impact(make(s), law):derivative()
      equal({ d.route, d.model }, { one.route, one.model })
      assert(d.error < tol, d.error)
      local function unit(i) return units:sub(i, i) == "m" and s or 1 end
      for i = 1, #units do
        for j = 1, #units do
          near(d.q[i][j] * unit(j) / unit(i), one.q[i][j], 1e-11)
          near(d.u[i][j] * unit(j) / unit(i), one.u[i][j], 1e-11)
        end
      end
    end
  end)
end

-- A foot and a stop strike together: rows in m/s and rad/s, impulses in N s and N m s. Before, at 1e-3 m lzb said .tie, and at 1e-9 m an
-- error of 0.18, where nothing changes but the unit.
test("foot and stop together: what is said of a derivative does not depend on the unit", function()
  local function machine(s)
    return k.mechanism { plane = true, bodies = {
      { name = "base", joint = "free", mass = 1, inertia = 0.1 * s * s, points = { foot = { 0.1 * s, -0.2 * s } } },
      { name = "arm", parent = "base", joint = "hinge", at = { 0.1 * s, 0.05 * s }, mass = 0.5, com = { 0.2 * s, 0.1 * s }, inertia = 0.02 * s * s, lower = 0 } },
      obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } }, q = { base = { 0, 0.2 * s, 0 }, arm = 0 }, u = { base = { 0.3 * s, -s, 0.5 }, arm = -2 } }
  end
  local one
  for _, s in ipairs { 1, 1e-9, 1e-6, 1e-3, 1e4 } do
    local d = k.impact(machine(s), k.law.lzb { e = 0.5, mu = 0.3, exponent = 1, stiffness = { 1, 2 * s * s } }):derivative()
    one = one or d
    equal(d.tie, false)
    assert(d.error < 1e-9, d.error)
    for i = 1, 4 do
      for j = 1, 4 do
        local unit = (j < 3 and s or 1) / (i < 3 and s or 1)
        near(d.q[i][j] * unit, one.q[i][j], 1e-8)
        near(d.u[i][j] * unit, one.u[i][j], 1e-8)
      end
    end
  end
end)

test("a law in Lua, alone and inside a chain: what it does not tell is not asked for", function()
  local law = k.law { name = "mine", parameters = { e = 0.5 }, solve = function(problem, p) return { impulse = { -(1 + p.e) * problem.v[1] / problem.W(1, 1) } } end }
  local point = k.particle { position = { 0 }, velocity = { -2 } }
  for _, l in ipairs { law, k.law.sequential { law = law } } do
    near(k.impact(point, l):derivative({}).matrix[1][2], -0.5, 1e-9)
  end
  near(k.impact(point, law):derivative({ "e" }).matrix[1][3], 2, 1e-9)
end)

-- a point on a round obstacle of radius r, in Lua, which says no units of its coordinates
local function round(r)
  return k.model { name = "round", coordinates = { "x", "y" }, mass = { 1, 1 }, q = { 0.6 * r, 0.8 * r }, u = { -1, -2 },
    gap = function(q) return math.sqrt(q[1] ^ 2 + q[2] ^ 2) - r end,
    jacobian = function(q)
      local s = math.sqrt(q[1] ^ 2 + q[2] ^ 2)
      return { { -q[2] / s, q[1] / s }, { q[1] / s, q[2] / s } }
    end }
end

test("models in Lua, of a nanometre and of a thousand kilometres", function()
  -- it sticks: u+ = -e (u n) n = 0.5 (x + 2 y) (x, y)/r^2
  local wanted = k.impact(round(1), k.law.stronge { mu = 0.3, e = 0.5 }):derivative {}
  near({ wanted.matrix[1][1], wanted.matrix[1][2], wanted.matrix[2][1] }, { 0.608, -0.456, -0.656 }, 1e-11)
  for _, r in ipairs { 1e-9, 1e-6, 1e-3, 1e6, 1e9 } do
    local d = k.impact(round(r), k.law.stronge { mu = 0.3, e = 0.5 }, { contacts = { 1 }, touch = 1 }):derivative {}
    for i = 1, 2 do
      for j = 1, 2 do near(d.matrix[i][j] * r, wanted.matrix[i][j], 1e-10) end
    end
    assert(d.error < 1e-10, d.error)
  end
end)
