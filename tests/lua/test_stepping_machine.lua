-- labels: slow
-- Bodies on hinges and ball joints in space that fall on a floor with friction, against Moreau's time stepping of the loose
-- bodies, whose joints are kept by projection: nothing is shared, neither the mechanics of trees nor events nor laws.
local k = require "knock"

local G, T = 9.81, 0.3

-- ---- vectors, and rotations by quaternions w, x, y, z ----

local function plus(a, b, s) return { a[1] + s * b[1], a[2] + s * b[2], a[3] + s * b[3] } end
local function cross(a, b) return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] } end
local function times(a, b)
  local sum = 0
  for i = 1, #a do sum = sum + a[i] * b[i] end
  return sum
end

local function rotation(q)
  local w, x, y, z = q[1], q[2], q[3], q[4]
  return { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
    { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
    { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } }
end
local function out(A, p) return { times(A[1], p), times(A[2], p), times(A[3], p) } end -- into the world's axes
local function back(A, p) return plus(plus({ A[1][1] * p[1], A[1][2] * p[1], A[1][3] * p[1] }, A[2], p[2]), A[3], p[3]) end

local function product(a, b)
  return { a[1] * b[1] - a[2] * b[2] - a[3] * b[3] - a[4] * b[4], a[1] * b[2] + a[2] * b[1] + a[3] * b[4] - a[4] * b[3],
    a[1] * b[3] - a[2] * b[4] + a[3] * b[1] + a[4] * b[2], a[1] * b[4] + a[2] * b[3] - a[3] * b[2] + a[4] * b[1] }
end
local function about(axis, angle) -- by an angle about a unit vector
  local s = math.sin(angle / 2)
  return { math.cos(angle / 2), s * axis[1], s * axis[2], s * axis[3] }
end

-- ---- the machine: as knock is told, and as loose bodies ----

local function mechanism(m, q, u)
  local bodies, contacts = {}, {}
  for i, b in ipairs(m) do
    local points = {}
    for j, p in ipairs(b.points) do points["p" .. j], contacts[#contacts + 1] = p, { "b" .. i .. ".p" .. j, "floor" } end
    bodies[i] = { name = "b" .. i, joint = i == 1 and "free" or b.axis and "hinge" or "ball", parent = b.parent and "b" .. b.parent, at = b.at,
      axis = b.axis, mass = b.mass, com = b.com, inertia = b.inertia, points = points }
  end
  return k.mechanism { gravity = G, bodies = bodies, contacts = contacts, obstacles = { floor = { point = { 0, 0, 0 }, normal = { 0, 0, 1 } } }, q = q, u = u }
end

-- mass centre, turn, velocity and spin of each body; q and u by joints
local function loose(m, q, u)
  local list, vel = {}, {}
  for i, b in ipairs(m) do
    local o, vo, turn, spin, p = nil, nil, nil, nil, list[b.parent]
    if not p then
      o, vo, turn, spin = { table.unpack(q[1], 1, 3) }, { table.unpack(u[1], 1, 3) }, { table.unpack(q[1], 4, 7) }, { table.unpack(u[1], 4, 6) }
    else
      local r, own = q[i], u[i]
      if b.axis then r, own = about(b.axis, q[i]), plus({ 0, 0, 0 }, b.axis, u[i]) end
      turn, spin = product(p.q, r), plus(back(rotation(r), p.spin), own, 1)
      o, vo = plus(p.o, out(p.A, b.at), 1), plus(p.vo, out(p.A, cross(p.spin, b.at)), 1)
    end
    local A = rotation(turn)
    list[i] = { o = o, vo = vo, q = turn, A = A, spin = spin, x = plus(o, out(A, b.com), 1) }
    local v = plus(vo, out(A, cross(spin, b.com)), 1)
    for j = 1, 3 do vel[6 * i - 6 + j], vel[6 * i - 3 + j] = v[j], spin[j] end
  end
  return list, vel
end

local function by_joints(m, flat, free, ball) -- knock's q or u, joint by joint
  local list, at = { { table.unpack(flat, 1, free) } }, free
  for i = 2, #m do
    local n = m[i].axis and 1 or ball
    list[i] = n == 1 and flat[at + 1] or { table.unpack(flat, at + 1, at + n) }
    at = at + n
  end
  return list
end

-- ---- rows: speeds in terms of the bodies' velocities (world) and spins (body), 6 numbers each ----

local function zeros(n)
  local r = {}
  for i = 1, n do r[i] = 0 end
  return r
end

-- adds the speed of point p of body i (from its mass centre, in its axes) along d, s times
local function point_speed(row, state, i, p, d, s)
  local turn = cross(p, back(state[i].A, d))
  for j = 1, 3 do row[6 * i - 6 + j], row[6 * i - 3 + j] = row[6 * i - 6 + j] + s * d[j], row[6 * i - 3 + j] + s * turn[j] end
end

local function per_mass(m, row)
  local r = {}
  for i, b in ipairs(m) do
    for j = 1, 3 do r[6 * i - 6 + j], r[6 * i - 3 + j] = row[6 * i - 6 + j] / b.mass, row[6 * i - 3 + j] / b.inertia[j] end
  end
  return r
end

local AXES = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }

-- two directions across a
local function across(a)
  local t = cross(a, math.abs(a[1]) < 0.6 and AXES[1] or AXES[2])
  local n = math.sqrt(times(t, t))
  t = { t[1] / n, t[2] / n, t[3] / n }
  return { t, cross(a, t) }
end

-- rows that a joint keeps at 0, with how far it is open
local function joint_rows(m, state, i, list)
  local b, own, p = m[i], state[i], state[m[i].parent]
  local from, to = plus(b.at, m[b.parent].com, -1), plus({ 0, 0, 0 }, b.com, -1)
  local open = plus(plus(own.x, out(own.A, to), 1), plus(p.x, out(p.A, from), 1), -1)
  for j, d in ipairs(AXES) do
    local row = zeros(6 * #m)
    point_speed(row, state, i, to, d, 1)
    point_speed(row, state, b.parent, from, d, -1)
    list[#list + 1] = { g = row, open = open[j] }
  end
  if not b.axis then return end
  local mine = out(own.A, b.axis)
  for _, t in ipairs(across(out(p.A, b.axis))) do -- d(t . mine)/dt = (mine x t) . (spin - spin of the parent)
    local row, way = zeros(6 * #m), cross(mine, t)
    local here, there = back(own.A, way), back(p.A, way)
    for j = 1, 3 do row[6 * i - 3 + j], row[6 * b.parent - 3 + j] = here[j], -there[j] end
    list[#list + 1] = { g = row, open = times(t, mine) }
  end
end

local function add(u, y, s)
  for i = 1, #u do u[i] = u[i] + s * y[i] end
end

-- all of them, made orthonormal with M^-1: g_i M^-1 g_j = (i == j)
local function joints(m, state)
  local list = {}
  for i = 2, #m do joint_rows(m, state, i, list) end
  for i, c in ipairs(list) do
    for j = 1, i - 1 do
      local part = times(c.g, list[j].y)
      add(c.g, list[j].g, -part)
      c.open = c.open - part * list[j].open
    end
    c.y = per_mass(m, c.g)
    local n = math.sqrt(times(c.g, c.y))
    for r = 1, #c.g do c.g[r], c.y[r] = c.g[r] / n, c.y[r] / n end
    c.open = c.open / n
  end
  return list
end

local function project(list, u)
  for _, c in ipairs(list) do add(u, c.y, -times(c.g, u)) end
end

-- ---- one step ----

local function move(state, u, h)
  for i, s in ipairs(state) do
    local spin = { table.unpack(u, 6 * i - 2, 6 * i) }
    local size = math.sqrt(times(spin, spin))
    s.x = plus(s.x, { table.unpack(u, 6 * i - 5, 6 * i - 3) }, h)
    if size > 0 then s.q = product(s.q, about({ spin[1] / size, spin[2] / size, spin[3] / size }, size * h)) end
    s.A = rotation(s.q)
  end
end

-- moves, and closes joints again
local function go(m, state, u, h)
  move(state, u, h)
  local list, off = joints(m, state), zeros(#u)
  for _, c in ipairs(list) do add(off, c.y, -c.open) end
  move(state, off, 1)
end

-- gravity, and Euler's equations by the midpoint rule
local function fly(m, u, h)
  for i, b in ipairs(m) do
    u[6 * i - 3] = u[6 * i - 3] - h * G
    local I, w = b.inertia, { table.unpack(u, 6 * i - 2, 6 * i) }
    local mid = w
    for _ = 1, 2 do
      local c = cross(mid, { I[1] * mid[1], I[2] * mid[2], I[3] * mid[3] })
      mid = plus(w, { c[1] / I[1], c[2] / I[2], c[3] / I[3] }, -h / 2)
    end
    for j = 1, 3 do u[6 * i - 3 + j] = 2 * mid[j] - w[j] end
  end
end

-- points at or below the floor: three rows each, with the impulses of the step before
local function closed(m, state, held, last)
  local list = {}
  for i, b in ipairs(m) do
    for j, place in ipairs(b.points) do
      local p = plus(place, b.com, -1)
      if state[i].x[3] + out(state[i].A, p)[3] <= 0 then
        local c = { p = last[8 * i + j] or { 0, 0, 0 }, key = 8 * i + j, g = {}, y = {}, w = {} }
        for d, way in ipairs(AXES) do
          c.g[d] = zeros(6 * #m)
          point_speed(c.g[d], state, i, p, way, 1)
          c.y[d] = per_mass(m, c.g[d])
          project(held, c.y[d])
          c.w[d] = times(c.g[d], c.y[d])
        end
        list[#list + 1] = c
      end
    end
  end
  return list
end

-- one contact after the other: p_n >= 0 against v_n >= 0, p_t in the disc mu p_n against the slip
local function relax(list, u, mu)
  for _ = 1, 20000 do
    local change, size = 0, 0
    for _, c in ipairs(list) do
      local rho, new = 1 / (c.w[1] + c.w[2]), { 0, 0, math.max(0, c.p[3] - times(c.g[3], u) / c.w[3]) }
      add(u, c.y[3], new[3] - c.p[3])
      for d = 1, 2 do new[d] = c.p[d] - rho * times(c.g[d], u) end
      local part = math.min(1, mu * new[3] / math.max(1e-300, math.sqrt(new[1] ^ 2 + new[2] ^ 2)))
      for d = 1, 2 do
        new[d] = part * new[d]
        add(u, c.y[d], new[d] - c.p[d])
      end
      for d = 1, 3 do change, size = math.max(change, math.abs(new[d] - c.p[d])), math.max(size, new[d]) end
      c.p = new
    end
    if change <= 1e-9 * size then return end
  end
end

local function stepped(m, q, u, mu, h)
  local state, vel = loose(m, q, u)
  local last = {}
  for _ = 1, math.floor(T / h + 0.5) do
    go(m, state, vel, h / 2)
    local held = joints(m, state)
    fly(m, vel, h)
    project(held, vel)
    local list = closed(m, state, held, last)
    for _, c in ipairs(list) do for d = 1, 3 do add(vel, c.y[d], c.p[d]) end end
    relax(list, vel, mu)
    last = {}
    for _, c in ipairs(list) do last[c.key] = c.p end
    go(m, state, vel, h / 2)
  end
  return state
end

-- ---- both ----

-- how far apart mass centres and axes (as ways of a point at 0.5 m) are
local function apart(a, b)
  local most = 0
  for i = 1, #a do
    for j = 1, 3 do
      most = math.max(most, math.abs(a[i].x[j] - b[i].x[j]))
      for l = 1, 3 do most = math.max(most, 0.5 * math.abs(a[i].A[j][l] - b[i].A[j][l])) end
    end
  end
  return most
end

local function compare(m, q, u, mu)
  local names_q, names_u = {}, {}
  for i = 1, #m do names_q["b" .. i], names_u["b" .. i] = q[i], u[i] end
  local model = mechanism(m, names_q, names_u)
  local function ours(friction)
    local run = k.simulate(model, k.law.moreau { mu = friction, e = 0 }, { t_end = T })
    equal(run.status, "ok")
    local s = run:at(T)
    return loose(m, by_joints(m, s.q, 7, 4), by_joints(m, s.u, 6, 3)), run
  end
  local right, run = ours(mu)
  return apart(stepped(m, q, u, mu, 2e-4), right), apart(stepped(m, q, u, mu, 5e-5), right), apart(ours(1.1 * mu), right), run.impacts
end

local function unit(v)
  local n = math.sqrt(times(v, v))
  for i = 1, #v do v[i] = v[i] / n end
  return v
end

-- start of the first body, whose turn is made a unit quaternion
local function start(x, y, z, ...) return { x, y, z, table.unpack(unit { ... }) } end

local machines = {
  ["two bodies on a third one"] = { { -- a hinge, a ball joint
      { mass = 0.53, inertia = { 0.0142, 0.0196, 0.0175 }, com = { -0.1, -0.04, 0.02 }, points = { { -0.07, -0.21, -0.09 }, { -0.35, -0.21, -0.32 }, { -0.19, 0.32, 0.36 } } },
      { mass = 1.48, inertia = { 0.0227, 0.0224, 0.0134 }, com = { 0.01, 0.1, -0.13 }, points = { { -0.31, -0.43, -0.31 }, { -0.5, -0.21, 0.49 }, { 0.32, -0.5, -0.49 } },
        parent = 1, at = { -0.07, -0.2, 0.16 }, axis = unit { -0.19, -0.7, -0.68 } },
      { mass = 0.82, inertia = { 0.0198, 0.0157, 0.0225 }, com = { 0.08, 0.04, -0.01 }, points = { { -0.37, -0.21, -0.09 }, { -0.32, -0.5, -0.04 }, { -0.44, -0.11, 0.4 } },
        parent = 1, at = { -0.3, 0.14, 0.13 } } },
    { start(0, 0, 0.1, 0.5, 0.45, 0.51, -0.54), 0.74, unit { 0.56, 0.59, -0.36, -0.45 } },
    { { 0.7, -0.08, -0.2, -2.1, 1.64, 1 }, 1.58, { 1.55, -0.3, -1.65 } } },
  ["three bodies in a row"] = { {
      { mass = 1.39, inertia = { 0.0164, 0.0213, 0.0158 }, com = { 0.11, 0.07, -0.14 }, points = { { 0.02, 0.47, 0.43 }, { 0.2, -0.34, 0.1 }, { 0.17, 0.01, 0.39 } } },
      { mass = 0.99, inertia = { 0.0159, 0.0181, 0.0212 }, com = { -0.04, 0.09, 0.07 }, points = { { 0.06, -0.48, -0.31 }, { 0.5, 0.35, 0.02 }, { -0.08, -0.25, -0.07 } },
        parent = 1, at = { 0.1, -0.06, 0.27 }, axis = unit { -0.65, -0.75, 0.09 } },
      { mass = 0.58, inertia = { 0.0209, 0.0163, 0.0177 }, com = { 0.12, 0.11, 0.02 }, points = { { -0.48, -0.03, -0.05 }, { 0.12, 0.14, -0.38 }, { 0.09, -0.48, -0.35 } },
        parent = 2, at = { -0.36, 0.38, -0.34 } } },
    { start(0, 0, 0.55, -0.55, -0.21, 0.61, 0.54), 0.9, unit { -0.25, 0.85, 0.47, -0.04 } },
    { { -0.7, 0.51, -0.7, 1.95, -0.33, -2.87 }, 1.45, { -0.07, 0.38, 1.64 } } },
}

for name, machine in pairs(machines) do
  test(name .. " fall in space as small steps say", function()
    local m, q, u = table.unpack(machine)
    local coarse, fine, other, impacts = compare(m, q, u, 0.4) -- other: what a tenth of the friction makes
    assert(impacts > 2 and 2 * fine < coarse and 10 * fine < other, ("%.2e, %.2e, %.2e, %d impacts"):format(coarse, fine, other, impacts))
  end)
end
