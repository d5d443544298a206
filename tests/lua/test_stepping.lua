-- labels: slow
-- Whole runs against a method that knows no events: Moreau's time stepping (midpoint, velocities and impulses in
-- steps of 25 us, projected Gauss-Seidel), written out here for boxes in the plane and sharing nothing with knock.
-- It meets each impact at the end of a step, dt/2 late on average and dt at most, so that a place may be off by dt
-- times all jumps of its speed together; a law that is off by one per cent at one impact is further off than that.
local k = require "knock"

local HALF, LOW, MASS, INERTIA, G = 0.1, 0.05, 1, (0.2 ^ 2 + 0.1 ^ 2) / 12, 9.80665
local DT, T = 2.5e-5, 0.4
local TOUCH = 1e-13 -- rounding of places

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
      if gap <= TOUCH then
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

-- moves q and u by n steps of dt
local function stepping(q, u, e, mu, dt, n)
  local last = {}
  for _ = 1, n do
    for i = 1, #q do q[i] = q[i] + dt / 2 * u[i] end
    local list = closed(q, u, e, last)
    for i = 2, #u, 3 do u[i] = u[i] - dt * G end
    relax(list, u, mu)
    last = {}
    for _, c in ipairs(list) do last[c.key] = c end
    for i = 1, #q do q[i] = q[i] + dt / 2 * u[i] end
  end
end

local function flat(boxes)
  local list = {}
  for _, box in ipairs(boxes) do table.move(box, 1, 3, #list + 1, list) end
  return list
end

-- ---- both ----

-- how far the two are apart, in dt times the jumps of the speed that jumps most; angles as ways of a corner
local function apart(q0, u0, e, mu)
  local run = k.simulate(stack(q0, u0), k.law.moreau { e = e, mu = mu }, { t_end = T })
  equal(run.status, "ok")
  local q, last, jumps, far = flat(q0), run:at(T).q, {}, 0
  stepping(q, flat(u0), e, mu, DT, math.floor(T / DT + 0.5))
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

-- ---- impacts that follow each other within nanoseconds ----

-- first and last time of impacts with less than `apart` between them
local function clusters(run, apart)
  local list = {}
  for _, event in ipairs(run.events) do
    if event.kind == "impact" then
      local last = list[#list]
      if last and event.t - last.to < apart then last.to = event.t else list[#list + 1] = { from = event.t, to = event.t } end
    end
  end
  return list
end

-- Boxes that fall on each other without restitution: corners that had come to rest together leave by nanometres, and the
-- next impact meets them some nanoseconds later (three within 24 ns at 94.637 ms of the first), which no whole run of steps
-- resolves: with steps of 0.1 us it ends 0.3 mm elsewhere. Each cluster of impacts by itself, from knock's state 30 ns
-- before it in steps of 1 ns.
test("impacts within nanoseconds of each other, each cluster of them by itself", function()
  local cases = {
    { { { -0.00011259534194755366, 0.080005766046108748, -0.064371446561413317 }, { -0.014967042879118089, 0.21576792893662847, 0.023543502778131581 },
        { 0.011949833015233186, 0.33561445057778733, -0.062927552051335128 } },
      { { -0.038250987990318785, -0.051291753840880194, 0.16500663579286701 }, { -0.19297342548274932, -0.23673476568505497, -0.35271314952318433 },
        { 0.16178997127768202, -0.12693734577137797, -0.017689548800812638 } }, 0.47352847220635175 },
    { { { -0.0154424929449381, 0.088017286092647154, 0.055860933376705141 }, { -0.0057052356254907906, 0.21248060608841765, 0.064671351458542692 },
        { -0.014758154501383753, 0.33652303472457901, 0.041095532452857797 } },
      { { 0.31796900908886538, -0.007401864866427188, 0.37686453768732808 }, { 0.36923290919604168, -0.18261189156447735, 0.95285697124388058 },
        { 0.10390734730969375, -0.19150168103291942, 0.0024580831010134752 } }, 0.39861279196122218 },
  }
  local around, dt, compared = 3e-8, 1e-9, 0
  for _, case in ipairs(cases) do
    local run = k.simulate(stack(case[1], case[2]), k.law.moreau { e = 0, mu = case[3] }, { t_end = T })
    for _, c in ipairs(clusters(run, 1e-7)) do
      local n = math.ceil((c.to - c.from + 2 * around) / dt)
      local before, after = run:at(c.from - around), run:at(c.from - around + n * dt)
      local q, u = {}, {}
      for i = 1, 9 do q[i], u[i] = before.q[i], before.u[i] end
      stepping(q, u, 0, case[3], dt, n)
      for i = 1, 9 do near((i % 3 == 0 and HALF or 1) * (u[i] - after.u[i]), 0, 2e-6) end -- of jumps up to 0.6 m/s
      compared = compared + 1
    end
  end
  assert(compared >= 20, compared)
end)
