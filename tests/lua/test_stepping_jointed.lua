-- labels: slow
-- Jointed bodies that fall on a floor with friction, against Moreau's time stepping written out here. M, J, gaps and forces
-- come from the model (MuJoCo judges those); when things touch, stick, slide, leave and lie down does not.
local k = require "knock"

-- links in a row: length, mass, inertia, damping and angle of each
local function row(links, height, turn, u)
  local bodies, contacts, q = {}, { { "b1.o", "floor" } }, { b1 = { 0, height, turn } }
  for i, link in ipairs(links) do
    bodies[i] = { name = "b" .. i, parent = i > 1 and "b" .. i - 1 or nil, joint = i > 1 and "hinge" or "free", at = i > 1 and { 0.3, 0 } or nil, mass = link[2],
      com = { link[1] / 2, 0 }, inertia = link[3], damping = i > 1 and link[4] or nil, points = { p = { link[1], 0 }, o = { 0, 0 } } }
    contacts[#contacts + 1] = { "b" .. i .. ".p", "floor" }
    if i > 1 then q["b" .. i] = link[5] end
  end
  return k.mechanism { plane = true, bodies = bodies, contacts = contacts, obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } }, q = q, u = { b1 = u } }
end

local function add(u, Y, x)
  for i = 1, #u do u[i] = u[i] + Y[i] * x end
end

local function times(a, b)
  local sum = 0
  for i = 1, #a do sum = sum + a[i] * b[i] end
  return sum
end

-- one row of J: itself, M^-1 of it, and its entry of W
local function contact_row(J, inverse, r, n)
  local j, Y = {}, {}
  for i = 1, n do j[i] = J[r][i] end
  for i = 1, n do
    Y[i] = 0
    for l = 1, n do Y[i] = Y[i] + inverse[i][l] * j[l] end
  end
  return { j = j, Y = Y, w = times(j, Y), p = 0 }
end

-- sweeps over the closed contacts, e = 0, until nothing changes
local function relax(rows, mu, u)
  for _ = 1, 400 do
    local change = 0
    local function to(row, p)
      add(u, row.Y, p - row.p)
      change, row.p = math.max(change, math.abs(p - row.p)), p
    end
    for _, c in ipairs(rows) do
      to(c.n, math.max(0, c.n.p - times(c.n.j, u) / c.n.w))
      local limit = mu * c.n.p
      to(c.t, math.max(-limit, math.min(limit, c.t.p - times(c.t.j, u) / c.t.w)))
    end
    if change < 1e-13 then return end
  end
end

local function stepped(m, mu, h, T)
  local q, u = {}, {}
  for i = 1, #m.q do q[i], u[i] = m.q[i], m.u[i] end
  for _ = 1, math.floor(T / h + 0.5) do
    add(q, u, h / 2)
    local now = m:at(q, u)
    local inverse, J, gap, rows = now.M:inv(), nil, now.gap, {}
    add(u, inverse * now.forces, h)
    for c = 1, #gap do
      if gap[c] <= 0 then
        J = J or now.J
        rows[#rows + 1] = { t = contact_row(J, inverse, 2 * c - 1, #u), n = contact_row(J, inverse, 2 * c, #u) }
      end
    end
    relax(rows, mu, u)
    add(q, u, h / 2)
  end
  return q
end

local function apart(a, b)
  local most = 0
  for i = 1, #a do most = math.max(most, math.abs(a[i] - b[i])) end
  return most
end

local machines = {
  { "two links", row({ { 0.45, 0.8, 0.02, 0 }, { 0.5, 0.6, 0.015, 0.03, -0.8 } }, 0.6, 0.4, { 0.4, 0, 0.7 }), 0.3 },
  { "three links", row({ { 0.4, 0.5, 0.02, 0 }, { 0.35, 0.9, 0.03, 0.01, 0.7 }, { 0.5, 0.4, 0.012, 0.04, -0.5 } }, 0.6, -0.2, { 0.3, 0, -0.5 }), 0.4 },
}

for _, machine in ipairs(machines) do
  local name, m, mu = table.unpack(machine)
  test(name .. " come down as small steps say", function()
    local function ours(friction) return k.simulate(m, k.law.moreau { mu = friction, e = 0 }, { t_end = 0.6 }) end
    local run = ours(mu)
    equal(run.status, "ok")
    assert(#run.events > 4)
    near(run.ledger.bounces, 0, 1e-7)
    local coarse, fine = apart(stepped(m, mu, 5e-5, 0.6), run.last.q), apart(stepped(m, mu, 6.25e-6, 0.6), run.last.q)
    local other = apart(ours(1.1 * mu).last.q, run.last.q) -- what a tenth of the friction makes
    assert(2 * fine < coarse and 4 * fine < other, ("%.2e, %.2e, %.2e"):format(coarse, fine, other))
  end)
end
