-- labels: slow
-- Whole runs against a method that knows no events: Moreau's time stepping (midpoint, velocities and impulses in
-- steps of 25 us, projected Gauss-Seidel), written out here for boxes in the plane and sharing nothing with knock.
-- It meets each impact at the end of a step, dt/2 late on average and dt at most, so that a place may be off by dt
-- times all jumps of its speed together; a law that is off by one per cent at one impact is further off than that.
local k = require "knock"

local HALF, LOW, MASS, INERTIA, G = 0.1, 0.05, 1, (0.2 ^ 2 + 0.1 ^ 2) / 12, 9.80665
local DT, T = 2.5e-5, 0.4

-- ---- knock's own ----

local function stack(q, u)
  local bodies, contacts, at, speeds = {}, {}, {}, {}
  for i = 1, #q do
    local name = "b" .. i
    bodies[i] = { name = name, joint = "free", mass = MASS, inertia = INERTIA, points = { l = { -HALF, -LOW }, r = { HALF, -LOW } },
      planes = { top = { point = { 0, LOW }, normal = { 0, 1 } } } }
    at[name], speeds[name] = q[i], u[i]
    for _, side in ipairs { "l", "r" } do contacts[#contacts + 1] = { name .. "." .. side, i == 1 and "floor" or ("b%d.top"):format(i - 1) } end
  end
  return k.mechanism { name = "stack", plane = true, gravity = G, bodies = bodies, contacts = contacts, q = at, u = speeds,
    obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } } }
end

-- ---- time stepping ----

-- corner `side` of box i above the floor or the top of the box below: gap, normal and place
local function corner(q, i, side)
  local x, z, a = q[3 * i - 2], q[3 * i - 1], q[3 * i]
  local px, pz = x + math.cos(a) * side * HALF + math.sin(a) * LOW, z + math.sin(a) * side * HALF - math.cos(a) * LOW
  if i == 1 then return pz, 0, 1, px, pz end
  local b = q[3 * i - 3]
  local nx, nz = -math.sin(b), math.cos(b)
  return (px - q[3 * i - 5]) * nx + (pz - q[3 * i - 4]) * nz - LOW, nx, nz, px, pz
end

-- speed of the place (px, pz) of box i along (dx, dz), against the box below: { index, factor } pairs, W of the row
local function row(q, i, dx, dz, px, pz)
  local r, w = {}, 0
  for j, sign in pairs { [i] = 1, [i - 1] = -1 } do
    if j > 0 then
      local arm = dz * (px - q[3 * j - 2]) - dx * (pz - q[3 * j - 1])
      for n, factor in ipairs { dx, dz, arm } do r[#r + 1] = { 3 * j - 3 + n, sign * factor, (n == 3 and 1 / INERTIA or 1 / MASS) * sign * factor } end
    end
  end
  for _, entry in ipairs(r) do w = w + entry[2] * entry[3] end
  return { entries = r, w = w }
end

local function along(r, u)
  local sum = 0
  for _, e in ipairs(r.entries) do sum = sum + e[2] * u[e[1]] end
  return sum
end

local function push(r, u, p)
  if p ~= 0 then for _, e in ipairs(r.entries) do u[e[1]] = u[e[1]] + e[3] * p end end
end

-- rows of the corners that have closed at the midpoint, with the impulse of the last step as a first guess
local function closed(q, u, e, last)
  local list = {}
  for i = 1, #q // 3 do
    for side = -1, 1, 2 do
      local gap, nx, nz, px, pz = corner(q, i, side)
      local key = 2 * i + (side + 1) // 2
      if gap <= 0 then
        local c = { key = key, n = row(q, i, nx, nz, px, pz), t = row(q, i, nz, -nx, px, pz), pn = 0, pt = 0 }
        local v = along(c.n, u)
        c.wanted = v < 0 and -e * v or 0
        if last[key] then c.pn, c.pt = last[key].pn, last[key].pt end
        list[#list + 1] = c
      end
    end
  end
  return list
end

-- impulses p with v_n = wanted or p_n = 0, and |p_t| <= mu p_n against the slip: one row after the other
local function relax(list, u, mu)
  for _, c in ipairs(list) do push(c.n, u, c.pn) push(c.t, u, c.pt) end
  for _ = 1, 5000 do
    local change, size = 0, 0
    for _, c in ipairs(list) do
      local pn = math.max(0, c.pn - (along(c.n, u) - c.wanted) / c.n.w)
      push(c.n, u, pn - c.pn)
      local pt = math.max(-mu * pn, math.min(mu * pn, c.pt - along(c.t, u) / c.t.w))
      push(c.t, u, pt - c.pt)
      change, size = math.max(change, math.abs(pn - c.pn), math.abs(pt - c.pt)), math.max(size, pn)
      c.pn, c.pt = pn, pt
    end
    if change <= 1e-10 * size then return end
  end
end

local function stepping(q0, u0, e, mu)
  local q, u, last = {}, {}, {}
  for i = 1, #q0 do for j = 1, 3 do q[#q + 1], u[#u + 1] = q0[i][j], u0[i][j] end end
  for _ = 1, math.floor(T / DT + 0.5) do
    for i = 1, #q do q[i] = q[i] + DT / 2 * u[i] end
    local list = closed(q, u, e, last)
    for i = 2, #u, 3 do u[i] = u[i] - DT * G end
    relax(list, u, mu)
    last = {}
    for _, c in ipairs(list) do last[c.key] = c end
    for i = 1, #q do q[i] = q[i] + DT / 2 * u[i] end
  end
  return q
end

-- ---- both ----

-- how far the two are apart, in dt times the jumps of the speed that jumps most; angles as ways of a corner
local function apart(q0, u0, e, mu)
  local run = k.simulate(stack(q0, u0), k.law.moreau { e = e, mu = mu }, { t_end = T })
  equal(run.status, "ok")
  local q, last, jumps, far = stepping(q0, u0, e, mu), run:at(T).q, {}, 0
  for i = 1, #q do
    local length = i % 3 == 0 and HALF or 1
    jumps[i], far = 0, math.max(far, length * math.abs(last[i] - q[i]))
    for _, event in ipairs(run.events) do
      if event.kind == "impact" then jumps[i] = jumps[i] + length * math.abs(event.u_after[i] - event.u[i]) end
    end
  end
  return far / (DT * math.max(table.unpack(jumps)))
end

local function agree(cases)
  for i, case in ipairs(cases) do
    local far = apart(table.unpack(case))
    assert(far < 1, ("case %d: %g"):format(i, far))
  end
end

test("a box falls on a corner, rocks, slides and comes to rest", function()
  agree {
    { { { 0, 0.08, 0.1 } }, { { 0.5, 0, 1 } }, 0, 0.3 }, { { { 0, 0.09, -0.07 } }, { { -0.3, 0, 0.4 } }, 0, 0.05 },
    { { { 0, 0.08, 0.1 } }, { { 0.5, 0, 1 } }, 0.5, 0.3 }, { { { 0, 0.1, 0.02 } }, { { 0.2, -0.5, -1 } }, 0.3, 0.6 },
  }
end)

-- without restitution: with it corners follow each other closer than a step, which takes them as one impact; both agree
-- when steps are shorter (1 us, two minutes)
test("a box falls on another one that lands, slides and rocks itself", function()
  agree {
    { { { 0, 0.08, 0.05 }, { 0.01, 0.21, -0.06 } }, { { 0.3, 0, 0 }, { -0.2, 0, 1 } }, 0, 0.4 },
    { { { 0, 0.08, -0.08 }, { 0.02, 0.22, 0.03 } }, { { -0.4, 0, 0.5 }, { 0.1, 0, 0 } }, 0, 0.15 },
  }
end)

test("three boxes on each other", function()
  agree { { { { 0, 0.08, 0.05 }, { 0.01, 0.21, -0.06 }, { -0.01, 0.34, 0.02 } }, { { 0.3, 0, 0 }, { -0.2, 0, 1 }, { 0, 0, 0 } }, 0, 0.5 } }
end)
