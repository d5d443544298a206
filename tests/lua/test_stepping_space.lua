-- labels: slow
-- A brick that falls on its corners in space, tumbles and slides, against Moreau's time stepping as in
-- test_stepping.lua: written out here, sharing nothing with knock. It ends before it lies flat: then two corners land
-- at one time, which steps do not always see as one.
local k = require "knock"

local G, DT, T = 9.80665, 2.5e-5, 0.175

-- ---- rotations ----

local function rotation(q)
  local w, x, y, z = q[1], q[2], q[3], q[4]
  return { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
    { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
    { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } }
end

-- q after the time h with the spin s in the body's axes
local function turned(q, s1, s2, s3, h)
  local size = math.sqrt(s1 ^ 2 + s2 ^ 2 + s3 ^ 2)
  local c, f = math.cos(size * h / 2), size > 0 and math.sin(size * h / 2) / size or h / 2
  local x, y, z = f * s1, f * s2, f * s3
  return { q[1] * c - q[2] * x - q[3] * y - q[4] * z, q[1] * x + q[2] * c + q[3] * z - q[4] * y,
    q[1] * y - q[2] * z + q[3] * c + q[4] * x, q[1] * z + q[2] * y - q[3] * x + q[4] * c }
end

-- ---- the brick ----

local function corners(half)
  local list = {}
  for i = 0, 7 do
    list[i + 1] = { (i // 4 * 2 - 1) * half[1], (i // 2 % 2 * 2 - 1) * half[2], (i % 2 * 2 - 1) * half[3] }
  end
  return list
end

local function inertia(half) -- of 1 kg
  local a, b, c = half[1] ^ 2, half[2] ^ 2, half[3] ^ 2
  return { (b + c) / 3, (a + c) / 3, (a + b) / 3 }
end

local function brick(half, x, q, u)
  local points, contacts = {}, {}
  for i, p in ipairs(corners(half)) do points["p" .. i], contacts[i] = p, { "box.p" .. i, "floor" } end
  return k.mechanism { name = "brick", gravity = G, bodies = { { name = "box", joint = "free", mass = 1, inertia = inertia(half), points = points } },
    obstacles = { floor = { point = { 0, 0, 0 }, normal = { 0, 0, 1 } } }, contacts = contacts,
    q = { box = { x[1], x[2], x[3], q[1], q[2], q[3], q[4] } }, u = { box = u } }
end

-- ---- time stepping ----

-- velocity of a corner along axis i of the world: u_i and the spin times p x (A^T e_i)
local function along(c, i, u) return u[i] + c.arm[i][1] * u[4] + c.arm[i][2] * u[5] + c.arm[i][3] * u[6] end

local function push(c, i, u, I, p)
  u[i] = u[i] + p
  for j = 1, 3 do u[3 + j] = u[3 + j] + c.arm[i][j] * p / I[j] end
end

local function closed(x, q, points, I, last)
  local A, list = rotation(q), {}
  for n, p in ipairs(points) do
    if x[3] + A[3][1] * p[1] + A[3][2] * p[2] + A[3][3] * p[3] <= 0 then
      local c = { n = n, arm = {}, w = {}, p = last[n] or { 0, 0, 0 } }
      for i, a in ipairs(A) do
        c.arm[i] = { p[2] * a[3] - p[3] * a[2], p[3] * a[1] - p[1] * a[3], p[1] * a[2] - p[2] * a[1] }
        c.w[i] = 1 + c.arm[i][1] ^ 2 / I[1] + c.arm[i][2] ^ 2 / I[2] + c.arm[i][3] ^ 2 / I[3]
      end
      list[#list + 1] = c
    end
  end
  return list
end

-- one contact after the other: p_n >= 0 against v_n >= 0, p_t in the disc mu p_n against the slip
local function relax(list, u, I, mu)
  for _ = 1, 20000 do
    local change, size = 0, 0
    for _, c in ipairs(list) do
      local p, rho, new = c.p, 1 / (c.w[1] + c.w[2]), {}
      new[3] = math.max(0, p[3] - along(c, 3, u) / c.w[3])
      push(c, 3, u, I, new[3] - p[3])
      for i = 1, 2 do new[i] = p[i] - rho * along(c, i, u) end
      local part = math.min(1, mu * new[3] / math.max(1e-300, math.sqrt(new[1] ^ 2 + new[2] ^ 2)))
      for i = 1, 2 do
        new[i] = part * new[i]
        push(c, i, u, I, new[i] - p[i])
      end
      for i = 1, 3 do change, size = math.max(change, math.abs(new[i] - p[i])), math.max(size, new[i]) end
      c.p = new
    end
    if change <= 1e-9 * size then return end
  end
end

-- gravity, and Euler's equations by the midpoint rule
local function fly(u, I)
  local function rate(a, b, c) return (I[2] - I[3]) * b * c / I[1], (I[3] - I[1]) * c * a / I[2], (I[1] - I[2]) * a * b / I[3] end
  local a, b, c = rate(u[4], u[5], u[6])
  a, b, c = rate(u[4] + DT / 2 * a, u[5] + DT / 2 * b, u[6] + DT / 2 * c)
  u[3], u[4], u[5], u[6] = u[3] - DT * G, u[4] + DT * a, u[5] + DT * b, u[6] + DT * c
end

local function stepping(half, x, q, u, mu)
  local points, I, last = corners(half), inertia(half), {}
  x, u = { table.unpack(x) }, { table.unpack(u) }
  local function move()
    for i = 1, 3 do x[i] = x[i] + DT / 2 * u[i] end
    q = turned(q, u[4], u[5], u[6], DT / 2)
  end
  for _ = 1, math.floor(T / DT + 0.5) do
    move()
    local list = closed(x, q, points, I, last)
    fly(u, I)
    for _, c in ipairs(list) do for i = 1, 3 do push(c, i, u, I, c.p[i]) end end
    relax(list, u, I, mu)
    last = {}
    for _, c in ipairs(list) do last[c.n] = c.p end
    move()
  end
  return x, rotation(q)
end

-- ---- both ----

-- in dt times the jumps of the velocity that jumps most; turns and spins as ways of the furthest corner
local function apart(half, x, q, u, mu)
  local run = k.simulate(brick(half, x, q, u), k.law.moreau { mu = mu, e = 0 }, { t_end = T })
  equal(run.status, "ok")
  local last, size, far, jumps = run:at(T).q, math.sqrt(half[1] ^ 2 + half[2] ^ 2 + half[3] ^ 2), 0, {}
  local X, A = stepping(half, x, q, u, mu)
  local B = rotation { last[4], last[5], last[6], last[7] }
  for i = 1, 3 do
    far = math.max(far, math.abs(X[i] - last[i]))
    for j = 1, 3 do far = math.max(far, size * math.abs(A[i][j] - B[i][j])) end
  end
  for i = 1, 6 do
    jumps[i] = 0
    for _, e in ipairs(run.events) do
      if e.kind == "impact" then jumps[i] = jumps[i] + (i > 3 and size or 1) * math.abs(e.u_after[i] - e.u[i]) end
    end
  end
  return far / (DT * math.max(table.unpack(jumps))), run.impacts
end

local function tilted(a, b, c, d)
  local n = math.sqrt(a * a + b * b + c * c + d * d)
  return { a / n, b / n, c / n, d / n }
end

test("a brick falls, tumbles and slides in space", function()
  for i, case in ipairs {
    { { 0.08, 0.06, 0.03 }, { 0, 0, 0.15 }, tilted(1, 0.2, -0.1, 0.3), { 0.5, -0.2, 0, 1, -0.5, 0.3 }, 0.4 },
    { { 0.1, 0.09, 0.05 }, { 0, 0, 0.15 }, tilted(1, -0.3, 0.1, 0), { 0.2, 0.4, 0, 0, 1, 1 }, 0.3 },
    { { 0.05, 0.07, 0.1 }, { 0, 0, 0.15 }, tilted(1, 0.05, 0.1, -0.2), { -0.6, 0.1, 0, -1, 0, 1 }, 0.7 },
  } do
    local far, impacts = apart(table.unpack(case))
    assert(far < 1 and impacts > 1, ("case %d: %g, %d impacts"):format(i, far, impacts))
  end
end)
