-- Saltation and monodromy of each kind of event, against closed forms.
local k = require "knock"

local function matrix_near(A, rows, tol)
  for i, row in ipairs(rows) do
    for j, x in ipairs(row) do near(A[i][j], x, tol) end
  end
end

test("a block that slides and stops: x = x0 + v^2/(2 mu g), and nothing else is left", function()
  local mu, g, v = 0.4, 9.81, 2
  local block = k.particle { position = { 0, 0 }, velocity = { v, 0 }, gravity = g }
  local run = k.simulate(block, k.law.moreau { mu = mu, e = 0 }, { t_end = 1 })
  local m = run:monodromy()
  matrix_near(m.matrix, { { 1, 0, v / (mu * g), 0 }, { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, { 0, 0, 0, 0 } }, 1e-8)
  equal(m.rank, 1)
  for i = 2, 4 do equal(m.multipliers[i], 0) end
end)

test("a block that slides all the time keeps two directions", function()
  local block = k.particle { position = { 0, 0 }, velocity = { 9, 0 } }
  local m = k.simulate(block, k.law.moreau { mu = 0.4, e = 0 }, { t_end = 1 }):monodromy()
  equal(m.rank, 2)
  matrix_near(m.matrix, { { 1, 0, 1, 0 }, { 0, 0, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 0 } }, 1e-8)
end)

test("a plastic landing: the time of arrival shifts what slides on", function()
  -- falls from h, lands with e = 0 without friction and goes on at its speed along the floor
  local g, h, v = 10, 1.25, 3
  local run = k.simulate(k.particle { position = { 0, h }, velocity = { v, 0 }, gravity = g }, k.law.moreau { mu = 0, e = 0 }, { t_end = 1 })
  local m = run:monodromy()
  equal(m.rank, 2)
  matrix_near(m.matrix, { { 1, 0, 1, 0 }, { 0, 0, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 0 } }, 1e-8)
end)

test("with friction the landing takes mu v_n from the sliding speed", function()
  local g, h, v, mu, T = 10, 1.25, 6, 0.2, 1
  local run = k.simulate(k.particle { position = { 0, h }, velocity = { v, 0 }, gravity = g }, k.law.moreau { mu = mu, e = 0 }, { t_end = T })
  local t, w = 0.5, math.sqrt(2 * g * h) -- arrival; speed there
  -- x(T) = v t + (v - mu w)(T - t) - mu g (T - t)^2/2,  t = (z' + sqrt(z'^2 + 2 g z))/g,  w = g t - z'
  local dt_z, dt_w = 1 / w, 1 / g
  local dw_z, dw_w = g / w, 0
  local dx = function(dt, dw) return v * dt - mu * dw * (T - t) - (v - mu * w) * dt + mu * g * (T - t) * dt end
  local dv = function(dt, dw) return -mu * dw + mu * g * dt end
  matrix_near(run:monodromy().matrix, { { 1, dx(dt_z, dw_z), 1, dx(dt_w, dw_w) }, { 0, 0, 0, 0 }, { 0, dv(dt_z, dw_z), 1, dv(dt_w, dw_w) },
    { 0, 0, 0, 0 } }, 1e-7)
end)

test("a reset of the user, at a function of the user", function()
  -- flies at u, and doubles its speed at x = 1: x(T) = 1 + 2 u (T - (1 - x0)/u)
  local run = k.simulate(k.particle { position = { 0, 5 }, velocity = { 2, 0 }, gravity = 0 }, k.law.newton {}, { t_end = 1, events = {
    line = { function(_, q) return q[1] - 1 end, reset = function(_, q, u) return q, { 2 * u[1], u[2] } end } } })
  equal(run.events[1].kind, "user")
  local m = run:monodromy().matrix
  matrix_near(m, { { 2, 0, 2, 0 }, { 0, 1, 0, 1 }, { 0, 0, 2, 0 }, { 0, 0, 0, 1 } }, 1e-8)
  matrix_near(run:saltation(1).matrix, { { 2, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 2, 0 }, { 0, 0, 0, 1 } }, 1e-8)
end)

test("a reset that depends on time", function()
  -- at x = 1 the speed becomes 1 + t: x(T) = 1 + (1 + t)(T - t), t = (1 - x0)/u
  local run = k.simulate(k.particle { position = { 0, 5 }, velocity = { 2, 0 }, gravity = 0 }, k.law.newton {}, { t_end = 1, events = {
    line = { function(_, q) return q[1] - 1 end, reset = function(t, q, u) return q, { 1 + t, u[2] } end } } })
  local t, T = 0.5, 1
  local slope = (T - t) - (1 + t)
  local m = run:monodromy().matrix
  near(m[1][1], slope * -1 / 2, 1e-8)
  near(m[1][3], slope * -(1 - 0) / 4, 1e-8)
  near(m[3][1], -1 / 2, 1e-8)
  near(m[3][3], -1 / 4, 1e-8)
end)

test("bounces that end say so", function()
  local run = k.simulate(k.particle { position = { 0, 1 }, velocity = { 1, 0 } }, k.law.newton { e = 0.5 }, { t_end = 3 })
  local m = run:monodromy()
  equal(m.flags.zeno, true)
  equal(m.rank, 2)
  equal(tostring(m):find "series of bounces" ~= nil, true)
end)

test("stick that breaks loose: static friction larger than sliding friction", function()
  -- a block on a floor, pulled by a spring whose end moves: F = t, breaks loose at t = mu_s m g, then slides
  local mu, hold, g = 0.2, 0.4, 10
  local block = k.model { coordinates = { "x", "z" }, mass = { 1, 1 }, q = { 0, 0 }, u = { 0, 0 }, gap = function(q) return q[2] end,
    jacobian = function() return { { 1, 0 }, { 0, 1 } } end, forces = function(q, u, t) return { t - q[1], -g } end }
  local law = k.law.stronge { mu = mu, mu_static = hold, e = 0 }
  local run = k.simulate(block, law, { t_end = 5, rtol = 1e-11 })
  local M, h, ends = run:monodromy().matrix, 1e-4, {}
  for s = -1, 1, 2 do
    local r = k.simulate(block:at({ s * h, 0 }, { 0, 0 }), law, { t_end = 5, rtol = 1e-11 })
    local last = r.events[#r.events]
    ends[s] = { last.q[1], last.u[1] }
  end
  near(M[1][1], (ends[1][1] - ends[-1][1]) / (2 * h), 1e-6)
  near(M[3][1], (ends[1][2] - ends[-1][2]) / (2 * h), 1e-6)
end)

test("a run without its steps has no monodromy", function()
  local run = k.simulate(k.particle { position = { 0, 1 }, velocity = { 1, 0 } }, k.law.newton { e = 0.5 }, { t_end = 1, keep = false })
  raises(function() run:monodromy() end, "keep = false")
end)

test("rotations in space: the monodromy of a pencil in flight", function()
  local pencil = k.pencil { }
  local run = k.simulate(pencil:at(nil, { 0.3, 0.1, 9, 0.5, -1, 2 }), k.law.stronge { e = 0.5, mu = 0.3 }, { t_end = 0.1 })
  local m = run:monodromy()
  equal(m.rank, 12)
  equal(m.matrix.rows, 12)
end)

test("springs are derived event by event, with their parameters", function()
  local base = k.double_pendulum { q = { -1.2, 0.7 }, u = { -1, -1 }, floor = -1.41155733 }
  local law = k.law.compliant { e = 0.6, mu = 0.4, eta = 1.1 }
  local d = k.impact(base, law, { contacts = { 1 } }):derivative { "e", "mu", "eta" }
  equal(d.route, "events")
  equal(d.error < 1e-9, true) -- that of the model's differences alone
  local h = 1e-5
  for _, name in ipairs { "e", "mu", "eta" } do
    local high = k.impact(base, law:with { [name] = law[name] + h }, { contacts = { 1 } }).u
    local low = k.impact(base, law:with { [name] = law[name] - h }, { contacts = { 1 } }).u
    for i = 1, 2 do near(d[name][i], (high[i] - low[i]) / (2 * h), 1e-7) end
  end
end)

test("how good the derivatives of the forces are is said", function()
  local run = k.simulate(k.double_pendulum { floor = -3 }, k.law.newton {}, { t_end = 0.5, rtol = 1e-12 })
  local m = run:monodromy()
  equal(m.flow_error > 0 and m.flow_error < 1e-9, true)
  equal(tostring(m):find("flow by differences, error ", 1, true) ~= nil, true)
  -- against the run itself, by five points: what is said is about what it is
  local h, rows = 1e-3, {}
  local q, u = run:at(0).q, run:at(0).u
  for j = 1, 4 do
    local go = function(s)
      local a, b = { q[1], q[2] }, { u[1], u[2] }
      if j <= 2 then a[j] = a[j] + s * h else b[j - 2] = b[j - 2] + s * h end
      local e = k.simulate(k.double_pendulum { floor = -3 }:at(a, b), k.law.newton {}, { t_end = 0.5, rtol = 1e-12 }).last
      return { e.q[1], e.q[2], e.u[1], e.u[2] }
    end
    local a, b, c, d = go(-2), go(-1), go(1), go(2)
    for i = 1, 4 do
      rows[i] = rows[i] or {}
      rows[i][j] = (a[i] - 8 * b[i] + 8 * c[i] - d[i]) / (12 * h)
    end
  end
  matrix_near(m.matrix, rows, 1e-7)
end)

-- The tip strikes the floor at the very start and slides on it: its directions are free before the impact, and held after it.
test("an impact at the start that ends in contact", function()
  local law, how, step = k.law.moreau { mu = 0.4, e = 0 }, { t_end = 0.1, rtol = 1e-12 }, 1e-5
  local m = k.double_pendulum {}
  local run = k.simulate(m, law, how)
  equal({ run.events[1].kind, run.events[2].kind, run.events[2].t }, { "impact", "contact", 0.0 })
  local X = run:monodromy()
  for j = 1, 2 do
    local function shifted(by) return k.simulate(m:at(m.q, { m.u[1] + (j == 1 and by or 0), m.u[2] + (j == 2 and by or 0) }), law, how):at(0.1) end
    local more, less = shifted(step), shifted(-step)
    for i = 1, 2 do
      near(X.matrix[i][2 + j], (more.q[i] - less.q[i]) / (2 * step), 1e-8)
      near(X.matrix[2 + i][2 + j], (more.u[i] - less.u[i]) / (2 * step), 1e-8)
    end
  end
end)

-- A body that lands and slides, in other units. Directions that contact takes away were found beside metres and radians as they are:
-- where a metre is 1e9 lengths, others went with them. Before, 1e-9 m was off by 3e-6; a machine of 7e-9 m whose times are 1e-5 s by 0.04.
test("what contact leaves of the directions, from nanometres to kilometres", function()
  local function body(s, T)
    local a = s / T ^ 2
    return k.mechanism { gravity = { -0.56 * a, -0.87 * a, -9.81 * a }, bodies = { { name = "body", joint = "free", mass = 1,
      com = { 0.1 * s, 0.04 * s, 0.08 * s }, inertia = { 0.27 * s * s, 0.3 * s * s, 0.23 * s * s }, points = { foot = { -0.38 * s, 0.31 * s, -0.15 * s } } } },
      obstacles = { floor = { point = { 0, 0, 0 }, normal = { -0.13, -0.03, 1 } } },
      q = { body = { 0, 0, 0.6 * s, 0.8, 0, 0.6, 0 } }, u = { body = { 0.3 * s / T, 0.1 * s / T, 0, 1 / T, 2 / T, 3 / T } } }
  end
  local law, one = k.law.moreau { mu = 0.6, e = 0 }, nil
  for _, unit in ipairs { { 1, 1 }, { 1e-9, 1 }, { 7e-9, 1e-5 }, { 1e-6, 1e-3 }, { 1e-3, 1 }, { 1e3, 10 } } do
    local s, T = unit[1], unit[2]
    local run = k.simulate(body(s, T), law, { t_end = 0.6 * T, rtol = 1e-11 })
    equal({ run.events[1].kind, run.events[2].kind, #run.events }, { "impact", "contact", 3 })
    local X = run:monodromy()
    one = one or X.matrix
    equal(X.rank, 8)
    local function of(i) return ((i - 1) % 6 < 3 and s or 1) / (i > 6 and T or 1) end
    for i = 1, 12 do
      for j = 1, 12 do near(X.matrix[i][j] * of(j) / of(i), one[i][j], 1e-8) end
    end
  end
end)

-- A pendulum swings from its stop and back, by T(u) = 2 K(u/(2 w))/w, and every swing comes back as it went (e = 1). The run is
-- told to last for long: differences of its forces were made over a part of that, 8e-7 of the multiplier for 100 s.
test("differences are made over what the run went, not over what it might", function()
  local w2 = 9.81 * 0.5 / 0.35
  local m = k.mechanism { plane = true, gravity = 9.81, bodies = { { name = "a", joint = "hinge", mass = 1, inertia = 0.1, com = { 0, -0.5 }, lower = 0 } },
    q = { a = 0 }, u = { a = 1.5 } }
  local function period(u) -- by the arithmetic-geometric mean
    local x, y = 1, math.sqrt(1 - u * u / (4 * w2))
    for _ = 1, 8 do x, y = (x + y) / 2, math.sqrt(x * y) end
    return math.pi / (x * math.sqrt(w2))
  end
  local slope = (8 * (period(1.501) - period(1.499)) - (period(1.502) - period(1.498))) / 0.012
  for _, t_end in ipairs { 1.2, 10, 100, 1000 } do
    local run = k.simulate(m, k.law.newton { e = 1 }, { t_end = t_end, max_events = 1, rtol = 1e-12 })
    near(run.events[1].t, period(1.5), 1e-9)
    if t_end > 2 then -- just after the impact, at a time that stands: q = -u dT
      matrix_near(run:monodromy().matrix, { { 1, -1.5 * slope }, { 0, 1 } }, 1e-9)
    end
  end
  local c = k.cycle(m, k.law.newton { e = 1 }, { section = "impact" })
  near(c.multipliers[1], 1, 1e-9)
end)
