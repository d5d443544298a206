-- Stiff runs: strong dampers and springs take implicit steps, with the numbers that explicit ones give in many more.
local k = require "knock"

local function with(o, method)
  local out = { method = method }
  for key, value in pairs(o) do out[key] = value end
  return out
end

-- the same run by both methods: events, states at their times and at the end
local function agree(m, law, o, tolerance)
  local a, b = k.simulate(m, law, with(o, "explicit")), k.simulate(m, law, with(o, "implicit"))
  equal({ a.status, b.status, #b.events }, { "ok", "ok", #a.events })
  equal(a.effort.implicit, 0)
  assert(b.effort.implicit > 0.95 * b.effort.steps) -- all but a few beside the end of sliding
  for i, event in ipairs(a.events) do
    equal(b.events[i].kind, event.kind)
    near(b.events[i].t, event.t, tolerance)
    near(b.events[i].q, event.q, tolerance)
  end
  for i = 1, 9 do near(b:at(o.t_end * i / 9).q, a:at(o.t_end * i / 9).q, tolerance) end
  return a, b
end

-- ---- closed form -----------------------------------------------------------------------------------------------

test("a link on a strong damper, in closed form, in a few steps", function()
  -- I x'' + c x' + s x = 0, I = m l^2 / 3 = 1, s = 1: rates r = -c/2 +- sqrt(c^2/4 - 1)
  for _, c in ipairs { 100, 1e3, 1e5, 1e7 } do
    local m = k.arm { n = 1, length = 1, mass = 3, stiffness = 1, damping = c, gravity = 0, q = { 1 }, u = { 0 }, floor = -10 }
    local run = k.simulate(m, k.law.newton {}, { t_end = 3 * c })
    local fast = -c / 2 - math.sqrt(c * c / 4 - 1)
    local slow = 1 / fast
    for i = 1, 7 do
      local t = 3 * c * i / 7
      near(run:at(t).q[1], (fast * math.exp(slow * t) - slow * math.exp(fast * t)) / (fast - slow), 1e-11)
    end
    assert(run.effort.steps < 300, run.effort.steps)
    near(run.ledger.residual, 0, 1e-13)
  end
end)

-- ---- against the explicit method ----------------------------------------------------------------------------------

local function fallen(damping)
  return k.arm { n = 6, length = 0.5, damping = damping, q = { 1.2, -0.2, -0.2, -0.2, -0.2, -0.2 }, floor = 0 }
end

test("impacts, contact with friction and release come at the same times", function()
  local a, b = agree(fallen(3), k.law.stronge { e = 0.3, mu = 0.4 }, { t_end = 3 }, 1e-9)
  assert(#a.events > 8 and 4 * b.effort.steps < a.effort.steps)
  a, b = agree(fallen(30), k.law.stronge { e = 0, mu = 0.4 }, { t_end = 3 }, 1e-9)
  assert(10 * b.effort.steps < a.effort.steps)
end)

test("a wall with a strong damper", function()
  local a, b = agree(k.bar { k_w = 400, c_w = 1e5 }, k.law.stronge {}, { t_end = 2 }, 1e-9)
  assert(10 * b.effort.steps < a.effort.steps)
end)

test("bodies that turn in space, on ball joints with dampers", function()
  local m = k.mechanism {
    bodies = {
      { name = "top", joint = "ball", mass = 1, com = { 0, 0, -0.5 }, inertia = { 0.1, 0.1, 0.02 }, damping = 2 },
      { name = "tip", parent = "top", joint = "ball", at = { 0, 0, -1 }, mass = 0.1, com = { 0, 0, -0.1 }, inertia = { 1e-4, 1e-4, 1e-5 }, damping = 0.5 } },
    q = { top = { math.cos(0.4), math.sin(0.4), 0, 0 } }, u = { top = { 0, 1, 2 } } }
  local a, b = agree(m, k.law.newton {}, { t_end = 2 }, 1e-8)
  assert(20 * b.effort.steps < a.effort.steps, b.effort.steps)
end)

test("a tree in the plane: a cart, two arms and a slide, with dampers", function()
  local function body(name, parent, joint, at, damping)
    return { name = name, parent = parent, joint = joint, at = at, mass = 1, com = { 0.3, 0.1 }, inertia = 0.1, damping = damping, axis = joint == "slide" and { 1, 0.5 } or nil,
      stiffness = joint == "slide" and 40 or nil }
  end
  local m = k.mechanism { plane = true, bodies = {
    body("cart", nil, "slide", { 0, 0 }, 0.1), body("a", "cart", "hinge", { 0.5, 0 }, 0.1), body("b", "a", "hinge", { 1, 0 }, 80),
    body("s", "a", "slide", { 0.2, 0 }, 60), body("c", "cart", "hinge", { -0.5, 0 }, 50) } }
  local a, b = agree(m, k.law.newton {}, { t_end = 2 }, 1e-8)
  assert(4 * b.effort.steps < a.effort.steps, b.effort.steps)
end)

test("many damped links take no more evaluations than few", function()
  local function evaluations(n)
    local q, u = {}, {}
    for i = 1, n do q[i], u[i] = i == 1 and -1.2 or 0, 0 end
    local m = k.arm { n = n, length = 1 / n, mass = 1 / n, damping = 0.1, q = q, u = u, floor = -10 }
    return k.simulate(m, k.law.newton {}, { t_end = 1, rtol = 1e-6, method = "implicit", keep = false }).effort.evaluations
  end
  local few, many = evaluations(16), evaluations(256)
  assert(many < 4 * few, many .. " " .. few) -- differences alone would take 512 for each Jacobian
end)

test("a loop that is closed stays closed", function()
  local function bar(name, parent, at, damping)
    return { name = name, parent = parent, at = at, joint = "hinge", mass = 1, com = { 0.5, 0 }, inertia = 1 / 12, damping = damping, points = { tip = { 1, 0 } } }
  end
  local m = k.mechanism { plane = true, bodies = { bar("a", nil, { 0, 0 }, 50), bar("b", "a", { 1, 0 }, 20), bar("c", nil, { 1, 0 }, 0) },
    loops = { { "b.tip", "c.tip" } }, q = { a = 1, b = -1, c = 1 } }
  local a, b = agree(m, k.law.newton {}, { t_end = 3 }, 1e-8)
  assert(4 * b.effort.steps < a.effort.steps, b.effort.steps)
  near(b.last.q[1] + b.last.q[2], 0, 1e-8) -- a parallelogram
end)

test("derivatives of a stiff run are those of the explicit one", function()
  local m = k.arm { n = 2, length = 0.5, damping = { 5, 1 }, q = { 0.3, 0.2 }, u = { 0, 0 }, floor = -10 }
  local function monodromy(method) return k.simulate(m, k.law.newton {}, { t_end = 0.5, method = method, rtol = 1e-10 }):monodromy().matrix end
  local a, b = monodromy "explicit", monodromy "implicit"
  for i = 1, 4 do for j = 1, 4 do near(b[i][j], a[i][j], 1e-7) end end
end)

-- ---- the choice ---------------------------------------------------------------------------------------------------

local function chain(n, damping)
  local q, still = { 0.5 }, { 0 }
  for i = 2, n do q[i], still[i] = 0, 0 end
  return k.arm { n = n, length = 1 / n, mass = 1 / n, damping = damping, q = q, u = still, floor = -10 }
end

test("auto takes implicit steps where they get further, and none elsewhere", function()
  local loose = k.simulate(chain(16, 0), k.law.newton {}, { t_end = 1, rtol = 1e-6 })
  equal(loose.effort.implicit, 0)
  local run = k.simulate(chain(16, 0.1), k.law.newton {}, { t_end = 1 })
  local all = k.simulate(chain(16, 0.1), k.law.newton {}, { t_end = 1, method = "explicit", keep = false })
  assert(run.effort.implicit > 10 and 10 * run.effort.steps < all.effort.steps)
  for i = 1, 16 do near(run.last.q[i], all.last.q[i], 1e-8) end
end)

test("a chain of 96 links with dampers, which took a million steps", function()
  local run = k.simulate(chain(96, 0.1), k.law.newton {}, { t_end = 1, rtol = 1e-6 })
  local fine = k.simulate(chain(96, 0.1), k.law.newton {}, { t_end = 1, rtol = 1e-9 })
  assert(run.effort.steps < 300 and fine.effort.steps < 600)
  for i = 1, 96 do near(run.last.q[i], fine.last.q[i], 1e-5) end
  near(fine.ledger.residual, 0, 1e-7)
end)

test("where explicit steps are asked for, a note says what else there is", function()
  local run = k.simulate(chain(8, 1), k.law.newton {}, { t_end = 1, rtol = 1e-6, method = "explicit" })
  assert(run.notes[1]:find("stiff", 1, true) and run.notes[1]:find("implicit", 1, true))
  raises(function() k.simulate(chain(2, 0), k.law.newton {}, { t_end = 1, method = "fast" }) end, "method", "auto|explicit|implicit")
end)

test("what is kept has a limit, and what there is by then stays", function()
  local run = k.simulate(chain(8, 0), k.law.newton {}, { t_end = 100, max_bytes = 1e5 })
  equal(run.status, "limit")
  assert(run.message:find("100 kB", 1, true) and run.message:find("keep = false", 1, true), run.message)
  assert(run.t_end > 0.01 and run:at(run.t_end / 2).q[1] == run:at(run.t_end / 2).q[1])
  local last = k.simulate(chain(8, 0), k.law.newton {}, { t_end = run.t_end, keep = false, max_bytes = 1e5 })
  equal(last.status, "ok")
end)

test("sliding in space that stops: beside its end there are no Jacobians", function()
  -- slip of a ball (v + w x r) falls by 7/2 mu g; it rolls after 2 |slip| / (7 mu g)
  for _, method in ipairs { "explicit", "implicit" } do
    for _, spin in ipairs { 0, 3, 11 } do
      local ball = k.ball { radius = 0.5, mass = 2, position = { 0, 0, 0.5 }, velocity = { 1, 2, 0 }, spin = { spin, 0, 0 } }
      local run = k.simulate(ball, k.law.newton { e = 0 }, { t_end = 2, mu = 0.3, method = method })
      local slip = math.sqrt(1 + (2 + 0.5 * spin) ^ 2)
      local stop
      for _, event in ipairs(run.events) do if event.kind == "stick" then stop = event.t end end
      near(stop, 2 * slip / (7 * 0.3 * 9.81), 1e-9)
      equal(run.status, "ok")
    end
  end
  -- two links on ball joints and dampers that come down on their points, sliding
  local function link(name, parent, a)
    return { name = name, parent = parent, joint = parent and "ball" or "free", at = parent and { 0.25, 0, 0 } or nil, mass = 0.5, com = { a / 2, 0, 0 },
      inertia = { 0.01, 0.015, 0.012 }, damping = parent and 0.1 or nil, points = { p = { a, 0.05, 0 }, r = { a, -0.05, 0 }, s = { 0, 0.05, 0.05 } } }
  end
  local contacts = {}
  for _, b in ipairs { "b1", "b2" } do for _, p in ipairs { "p", "r", "s" } do contacts[#contacts + 1] = { b .. "." .. p, "floor" } end end
  local m = k.mechanism { bodies = { link("b1", nil, 0.3), link("b2", "b1", 0.4) }, contacts = contacts, obstacles = { floor = { point = { 0, 0, 0 }, normal = { 0, 0, 1 } } },
    q = { b1 = { 0, 0, 0.5, math.cos(0.3), math.sin(0.3), 0, 0 } }, u = { b1 = { 0.3, 0.1, 0, 0.2, -0.3, 0.4 } } }
  agree(m, k.law.moreau { mu = 0.4, e = 0.2 }, { t_end = 0.5, rtol = 1e-10 }, 1e-7)
end)
