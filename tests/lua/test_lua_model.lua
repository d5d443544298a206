-- Models and laws written in Lua: the same numbers as their twins in C, and errors that say where.
local k = require "knock"
local sin, cos = math.sin, math.cos

-- ---- the double pendulum again, from its mass matrix and the height of its tip alone --------------

local definition = {
  name = "twin",
  coordinates = { "q1", "q2" },
  q = { -1.2, 0.7 },
  u = { -1, -1 },
  parameters = { l = 1, m = 1, g = 9.81, floor = sin(-1.2) + sin(-0.5) },
  mass = function(q, p)
    local I, c = p.m * p.l ^ 2 / 12, cos(q[2])
    local a1, a2, b = I + 5 / 4 * p.m * p.l ^ 2, I + p.m * p.l ^ 2 / 4, p.m * p.l ^ 2 / 2
    return { { a1 + a2 + 2 * b * c, a2 + b * c }, { a2 + b * c, a2 } }
  end,
  gap = function(q, p) return p.l * (sin(q[1]) + sin(q[1] + q[2])) - p.floor end,
  position = function(q, p)
    return { p.l * (cos(q[1]) + cos(q[1] + q[2])), p.l * (sin(q[1]) + sin(q[1] + q[2])) }
  end,
  potential = function(q, p) return p.g * p.m * p.l * (1.5 * sin(q[1]) + 0.5 * sin(q[1] + q[2])) end,
}

local function changed(changes)
  local copy = {}
  for key, value in pairs(definition) do copy[key] = value end
  for key, value in pairs(changes) do copy[key] = value end
  return copy
end

local twin, pendulum = k.model(definition), k.double_pendulum { q = { -1.2, 0.7 }, u = { -1, -1 } }
local stronge = k.law.stronge { e = 0.5, mu = 0.3 }

test("a Lua twin has the matrices, forces and energies of the C model", function()
  for i = 1, 2 do
    near(twin.M[i], pendulum.M[i], 1e-15)
    near(twin.J[i], pendulum.J[i], 1e-12)
    near(twin.W[i], pendulum.W[i], 1e-11)
  end
  near(twin.forces, pendulum.forces, 1e-11)
  near(twin.gap, pendulum.gap, 1e-15)
  near(twin.energy.potential, pendulum.energy.potential, 1e-13)
  near(twin.energy.kinetic, pendulum.energy.kinetic, 1e-13)
end)

test("a Lua twin bounces as the C model does, by differences and by its own jacobian", function()
  local exact = k.model(changed { jacobian = function(q, p)
    local s1, s12, c1, c12 = sin(q[1]), sin(q[1] + q[2]), cos(q[1]), cos(q[1] + q[2])
    return { { -p.l * (s1 + s12), -p.l * s12 }, { p.l * (c1 + c12), p.l * c12 } }
  end })
  for _, u in ipairs { { -1, -1 }, { -3, 2 }, { 1, -4 }, { -0.1, -2 } } do
    local want = k.impact(pendulum:with { u = u }, stronge)
    near(k.impact(twin:with { u = u }, stronge).u, want.u, 1e-11)
    local hit = k.impact(exact:with { u = u }, stronge)
    near(hit.u, want.u, 1e-13)
    near(hit.energy.after, want.energy.after, 1e-13)
  end
end)

test("what is made by differences is said", function()
  local hit = k.impact(twin, stronge)
  equal(hit.flags.by_differences, true)
  equal(hit.notes[1], "jacobian by differences of gap and position, forces by differences of mass and potential")
  if not tostring(twin):find("note: jacobian by differences", 1, true) then error(tostring(twin)) end
  equal(k.impact(pendulum, stronge).flags.by_differences, nil)
end)

test("with changes parameters and keeps the functions", function()
  local long = twin:with { l = 2, floor = 2 * definition.parameters.floor }
  equal(long.l, 2.0)
  equal(twin.l, 1.0)
  near(k.impact(long, stronge).u, k.impact(pendulum:with { length = 2 }, stronge).u, 1e-11)
  raises(function() twin:with { ll = 2 } end, "twin: unknown parameter 'll' (did you mean 'l'?)")
end)

test("standing constraints hold through an impact", function()
  -- a bead on the line z = x: both speeds stay equal, half of the momentum goes into the line
  local bead = k.model { coordinates = { "x", "z" }, mass = { 2, 2 }, q = { 0, 0 }, u = { -1, -1 },
    gap = function(q) return q[2] end, constraints = function() return { { 1, -1 } } end }
  local hit = k.impact(bead, k.law.stronge { e = 0.5 })
  near(hit.u, { 0.5, 0.5 }, 1e-14)
  near(hit.impulse, { 6 }, 1e-14)
  near(hit.audit.momentum, 0, 1e-14)
end)

test("a constant mass matrix, a number, or its diagonal will do", function()
  local function ball(mass)
    return k.model { coordinates = { "x", "z" }, mass = mass, u = { 1, -3 }, gap = function(q) return q[2] end }
  end
  for _, mass in ipairs { { 2, 3 }, { { 2, 0 }, { 0, 3 } } } do
    near(k.impact(ball(mass), k.law.stronge { e = 0.5 }).impulse, { 13.5 }, 1e-13)
  end
  local one = k.model { coordinates = { "z" }, mass = 3, u = { -3 }, gap = function(q) return q[1] end }
  near(k.impact(one, stronge).impulse, { 13.5 }, 1e-13)
end)

-- ---- errors ----------------------------------------------------------------------------------------

test("an error in a function of the script says which function and which line", function()
  local line = debug.getinfo(1, "l").currentline + 1
  local bad = changed { mass = function(q) return q.x.y end }
  raises(function() k.impact(k.model(bad), stronge) end, "twin: mass: ", "test_lua_model.lua:" .. line .. ": matrix: no field or method 'x'")
  raises(function() k.model(changed { gap = function() error { 1 } end }) end, "twin: gap: table")
  raises(function() return k.model(changed { potential = function() error "up" end }).energy end, "twin: potential: ", "up")
end)

test("results of a wrong kind or size are refused by name", function()
  raises(function() k.model(changed { gap = function() return "far" end }) end, "twin: gap: must return numbers, got a string ('far')")
  raises(function() k.model(changed { gap = function() end }) end, "twin: gap: must return numbers, got nil")
  raises(function() return k.model(changed { mass = function() return { 1, 2, 3 } end }).M end,
    "twin: mass: must return 2 x 2 numbers, got 3 x 1")
  raises(function() return k.model(changed { gap = function() return 0 / 0 end }).gap end, "returned a NaN")
end)

test("definitions are checked", function()
  raises(function() k.model { mass = 1 } end, "model: coordinates must be a list of names")
  raises(function() k.model(changed { mas = 1 }) end, "model: unknown key 'mas' (did you mean 'mass'?)")
  raises(function() k.model(changed { colour = 1 }) end, "own values go into parameters = {}")
  raises(function() k.model(changed { q = { 1 } }) end, "twin: q must be a list of 2 numbers, got 1")
  raises(function() k.model(changed { parameters = { l = "long" } }) end, "model: parameters.l must be a number", "got a string")
end)

test("a singular mass is said", function()
  raises(function() k.impact(k.model(changed { mass = { 0, 0 } }), stronge) end, "twin: the mass matrix is singular")
end)

test("a model that its own functions know can be collected", function()
  local seen = setmetatable({}, { __mode = "k" })
  do
    local m
    m = k.model { coordinates = { "z" }, mass = 1, gap = function(q) return m and q[1] * m.q[1] or q[1] end }
    seen[m] = true
  end
  for _ = 1, 4 do collectgarbage() end
  equal(next(seen), nil)
end)

test("Lua models work inside coroutines, and coroutines inside their functions", function()
  local inner = changed { gap = function(q, p)
    return coroutine.wrap(function() return k.impact(twin, stronge).u[1] * 0 + definition.gap(q, p) end)()
  end }
  local m = k.model(inner)
  local u = coroutine.wrap(function() return k.impact(m, stronge).u end)()
  near(u, k.impact(twin, stronge).u, 1e-13)
end)

-- ---- laws ------------------------------------------------------------------------------------------

local mine = k.law { name = "mine", parameters = { e = 0.5 }, solve = function(problem, p)
  local out, n = {}, problem.rows
  for i = 1, n do out[i] = 0 end
  out[n] = -(1 + p.e) * problem.v[n] / problem.W[n][n]
  return { impulse = out }
end }

test("a Lua law without friction equals stronge without friction", function()
  for _, e in ipairs { 0, 0.3, 1 } do
    local want = k.impact(pendulum, k.law.stronge { e = e })
    local hit = k.impact(pendulum, mine:with { e = e })
    near(hit.u, want.u, 1e-14)
    near(hit.energy.restitution, want.energy.restitution, 1e-14)
    near(hit.audit.ledger, 0, 1e-14)
    equal(hit.events[#hit.events].kind, "end")
  end
end)

test("a Lua law that creates energy is flagged", function()
  equal(k.impact(pendulum, mine:with { e = 2 }).flags.gains_energy, true)
  equal(k.impact(pendulum, mine).flags.gains_energy, nil)
end)

test("a Lua law can report its own events and ledger", function()
  local l = k.law { solve = function(problem)
    return { impulse = { 0, 2 }, friction = 0.25, duration = 0.5,
      events = { { kind = "compression_end", contact = 1, p = { 0, 1 }, t = 0.25 }, { kind = "end", contact = 1, p = { 0, 2 }, t = 0.5 } } }
  end }
  local hit = k.impact(pendulum, l)
  equal(hit.duration, 0.5)
  equal(hit.events[1].kind, "compression_end")
  equal(hit.events[1].t, 0.25)
  near(hit.energy.friction, 0.25)
  near(hit.audit.ledger, 0, 1e-14)
end)

test("what goes wrong in a Lua law is said", function()
  local function with(solve) return function() return k.impact(pendulum, k.law { name = "bad", solve = solve }) end end
  raises(with(function() end), "law.bad: solve: must return a table with the impulse, got nil")
  raises(with(function() error "boom" end), "law.bad: solve: ", "boom")
  raises(with(function() return { 1, 2, 3 } end), "impulse must be 2 numbers, got 3")
  raises(with(function() return { impulse = { 1, 0 / 0 } } end), "impulse holds a NaN")
  raises(with(function() return { status = "jam" } end), "law.bad: jam")
  equal(k.impact(pendulum, k.law { solve = function() return { status = "jam" } end }, { status = true }).status, "jam")
  raises(function() k.law {} end, "law: solve must be a function of the problem")
end)

-- ---- the parts against each other (mdl.lua, mdl2.lua) -----------------------------------------------

-- a point over the floor; o replaces parts of it
local function point(o)
  local d = { coordinates = { "x", "z" }, mass = { 1, 1 }, gap = function(q) return q[2] end,
    potential = function(q) return 9.81 * q[2] end, q = { 0, 1 }, u = { 1, 0 } }
  for key, value in pairs(o) do d[key] = value end
  return k.model(d)
end
local off = " (check = false switches this off)"

test("an unsymmetric or indefinite mass is refused when the model is made", function()
  raises(function() point { mass = function() return { { 1, 0.5 }, { 0, 1 } } end } end,
    "model: mass must be symmetric, M[1][2] is 0.5 and M[2][1] is 0" .. off)
  raises(function() point { mass = function() return { { 1, 0 }, { 0.5, 1 } } end } end, "mass must be symmetric")
  raises(function() point { mass = { { 1, 2 }, { 2, 1 } } } end, "model: mass must be positive")
  raises(function() point { mass = { { 1, 1 }, { 1, 1 } } } end, "model: the mass matrix is singular")
  point { mass = { { 1, 0.5 }, { 0.5, 1 } } }
end)

test("a jacobian that contradicts gap or position is refused", function()
  raises(function() point { jacobian = function() return { { 0, -1 } } end } end,
    "model: jacobian contradicts gap: row n of contact 1 has -1 for speed 2, differences of the gap[1] give 1" .. off)
  raises(function() point { jacobian = function() return { { 1, 0 }, { 0.3, 1 } } end } end,
    "row n of contact 1 has 0.3 for speed 1, differences of the gap[1] give 0")
  raises(function() point { jacobian = { { 2, 0 }, { 0, 1 } }, position = function(q) return { q } end } end,
    "jacobian contradicts position: row t of contact 1 has 2 for speed 1, differences of the position[1][1] give 1")
  point { jacobian = { { 1, 0 }, { 0, 1 } }, position = function(q) return { q } end }
  -- right where the model stands, wrong beside it
  raises(function()
    k.model { coordinates = { "a" }, mass = 1, gap = function(q) return math.sin(q[1]) end, jacobian = function() return { 1 } end }
  end, "jacobian contradicts gap")
end)

test("an edge of gap where the model stands is no contradiction", function()
  local m = k.model { coordinates = { "x" }, mass = 1, gap = function(q) return math.abs(q[1]) end,
    jacobian = function(q) return { q[1] < 0 and -1 or 1 } end }
  near(m.gap[1], 0)
end)

test("forces that contradict mass and potential are refused, and damping is told by power", function()
  raises(function() point { forces = function() return { 0, 9.81 } end } end, "model: forces contradict mass and potential")
  point { forces = function() return { 0, -9.81 } end }
  local function damped(q, u) return { -0.3 * u[1], -9.81 } end
  raises(function() point { forces = damped } end, "and without power = it must be 0 W" .. off)
  raises(function() point { forces = damped, power = function(_, u) return 0.3 * u[1] ^ 2 end } end, "and power tells")
  point { forces = damped, power = function(_, u) return -0.3 * u[1] ^ 2 end }
  -- a centrifugal force of the wrong sign
  local function polar(sign)
    return k.model { coordinates = { "r", "a" }, mass = function(q) return { 1, q[1] ^ 2 } end, gap = function(q) return q[1] end,
      potential = function() return 0 end, q = { 1, 0 }, u = { 0.5, 1 },
      forces = function(q, u) return { sign * q[1] * u[2] ^ 2, -2 * q[1] * u[1] * u[2] } end }
  end
  polar(1)
  raises(function() polar(-1) end, "forces contradict mass and potential")
end)

test("friction without tangential rows is refused, not ignored", function()
  local rough, said = k.law.stronge { e = 0.5, mu = 0.3 }, "model: friction (mu = 0.3) has no tangential rows to act on"
  raises(function() k.impact(point { q = { 0, 0 }, u = { 1, -1 } }, rough) end, said)
  raises(function() k.simulate(point {}, rough, { t_end = 0.6 }) end, said)
  raises(function() k.simulate(point { q = { 0, 0 } }, k.law.plastic {}, { t_end = 1, mu = 0.5 }) end, "friction (mu = 0.5)")
  local hit = k.impact(point { q = { 0, 0 }, u = { 1, -1 }, check = false }, rough)
  near(hit.u, { 1, 0.5 }, 1e-12)
  assert(table.concat(hit.notes, "|"):find "friction had nothing to act on")
  near(k.impact(point { q = { 0, 0 }, u = { 1, -1 }, position = function(q) return { q } end }, rough).u, { 0.55, 0.5 }, 1e-9)
end)

test("check = false takes what the checks refuse", function()
  point { mass = { { 1, 0.5 }, { 0, 1 } }, check = false }
  point { jacobian = function() return { { 0, -1 } } end, check = false }
  point { forces = function() return { 0, 9.81 } end, check = false }
  raises(function() point { check = 0 } end, "model: check must be false")
end)

test("what a function of the model says is never lost, and never 'ok'", function()
  local go = function(o) return function() k.simulate(point(o), k.law.stronge { e = 0.5 }, { t_end = 1 }) end end
  raises(go { mass = function() error "oops" end }, "model: mass: ", ": oops")
  raises(go { mass = function() error "oops" end, check = false }, "model: mass: ", ": oops")
  raises(go { gap = function() return math.huge end, check = false }, "model: gap: returned a NaN or an infinity")
  raises(go { gap = function() return 0 / 0 end, check = false }, "model: gap: returned a NaN or an infinity")
  raises(function() point { coordinates = { "x", "x" } } end, "model: coordinates[1] and [2] are both called 'x'")
end)

test("a gap that jumps is named, not 'got 0 contacts'", function()
  local run = k.simulate(point { gap = function(q) return q[2] < 0.5 and -0.1 or q[2] end }, k.law.stronge { e = 0.5 }, { t_end = 1 })
  equal(run.message:find("a gap jumps through zero", 1, true) ~= nil, true)
end)
