-- Runs from the script's side.
local k = require "knock"

local function here() return debug.getinfo(2, "l").currentline end

local function first(run, kind, n)
  n = n or 1
  for _, e in ipairs(run.events) do
    if e.kind == kind then
      n = n - 1
      if n == 0 then return e end
    end
  end
end

local function count(run, kind)
  local n = 0
  for _, e in ipairs(run.events) do if e.kind == kind then n = n + 1 end end
  return n
end

local drop = k.particle { position = { 0, 1 }, velocity = { 2, 0 } }
local fall = math.sqrt(2 / 9.81)

-- ---- what comes back ---------------------------------------------------------------------------------

test("events carry kind, time and state", function()
  local run = k.simulate(drop, k.law.newton { e = 0.5 }, { t_end = 1 })
  local e = run.events[1]
  equal(e.kind, "impact")
  near(e.t, fall, 1e-13)
  near(e.q, { 2 * fall, 0 }, 1e-12)
  near(e.u, { 2, -9.81 * fall }, 1e-12)
  near(e.u_after, { 2, 9.81 * fall / 2 }, 1e-12)
  equal(e.contacts, { 1 })
  near(e.impulse, { 0, 1.5 * 9.81 * fall }, 1e-12)
  equal(run.events[#run.events].kind, "stop")
  equal(run.why, "t_end")
  equal(run.status, "ok")
  equal(run.message, nil)
end)

-- flights of e, e^2, e^3 ... times the first one: t = t1 (1 + 2 e + 2 e^2 + ...)
test("a series of bounces ends at the sum of its flights", function()
  for _, e in ipairs { 0.2, 0.5, 0.8 } do
    local run = k.simulate(drop, k.law.newton { e = e }, { t_end = 8 })
    local exact = fall * (1 + e) / (1 - e)
    near(first(run, "zeno", 1).t / exact, 1, 1e-9)
    near(run:at(8).q[2], 0, 1e-12)
  end
end)

test("an impact has its full hit", function()
  local ball = k.ball { velocity = { -1, 0, -5 }, spin = { 0, 2, 0 } }
  local law = k.law.compliant { mu = 0.4, e = 0.5, eta = math.sqrt(17 / 14) }
  local run = k.simulate(ball, law, { t_end = 1, max_impacts = 2 })
  local hit, direct = run.events[1].hit, k.impact(ball, law)
  near(hit.velocity, direct.velocity, 1e-14)
  equal(#hit.events, #direct.events)
  equal(run.events[1].hit, hit)
  near(first(run, "impact", 2).hit.u, first(run, "impact", 2).u_after, 1e-13)
end)

test("states at any time, before and after an impact", function()
  local run = k.simulate(drop, k.law.newton { e = 1 }, { t_end = 1 })
  local s = run:at(0.3)
  near(s.q, { 0.6, 1 - 9.81 * 0.09 / 2 }, 1e-12)
  near(s.energy, 9.81 + 2, 1e-11)
  equal(s.mode, { "open" })
  near(s.model.velocity, s.u, 0)
  local t = run.events[1].t
  near(run:at(t, "before").u[2], -9.81 * fall, 1e-12)
  near(run:at(t).u[2], 9.81 * fall, 1e-12)
  raises(function() run:at(2) end, "run: t must be between 0 and 1 s, got 2")
  raises(function() run:at() end, "at: t must be a number of s, got nil")
  raises(function() run:at(0.1, "during") end, "'before' or 'after'")
end)

test("columns at even times and at events, two rows at an impact", function()
  local run = k.simulate(drop, k.law.newton { e = 1 }, { t_end = 1, samples = 101 })
  equal(#run.t, 103)
  equal(run.t[1], 0)
  equal(run.t[#run.t], 1)
  for i = 2, #run.t do if run.t[i] < run.t[i - 1] then error "times go back" end end
  local rows = 0
  for i = 1, #run.t do
    near(run.energy[i], 9.81 + 2, 1e-11)
    near(run.q1[i], 2 * run.t[i], 1e-12)
    if run.t[i] == run.events[1].t then rows = rows + 1 end
  end
  equal(rows, 2)
  equal(run.q.rows, 103)
  near(run.velocity1[50], 2, 1e-12)
  equal(run.columns.units.f_n, "N")
  equal(#k.simulate(drop, k.law.newton { e = 1 }, { t_end = 1, rate = 1000 }).t, 1003)
end)

test("contact forces and the ledger", function()
  local run = k.simulate(k.particle { position = { 0, 0 }, velocity = { 2, 0 } },
    k.law.stronge { e = 0, mu = 0.3 }, { t_end = 1 })
  equal(run.events[1].kind, "contact")
  equal(run.events[1].mode, "slip")
  near(first(run, "stick").t, 2 / (0.3 * 9.81), 1e-12)
  near(run:at(0.1).force, { -0.3 * 9.81, 9.81 }, 1e-12)
  near(run.ledger.sliding, 2, 1e-12)
  near(run.ledger.residual, 0, 1e-12)
  equal(run:at(0.1).mode[1], "slip")
  equal(run:at(0.9).mode[1], "stick")
end)

test("a run prints as a page", function()
  local text = tostring(k.simulate(drop, k.law.newton { e = 0.5 }, { t_end = 5 }))
  for _, part in ipairs { "particle with law.newton", "impact", "zeno", "contact 1", "ledger", "t_end" } do
    if not text:find(part, 1, true) then error("the page lacks " .. part .. ":\n" .. text) end
  end
end)

test("runs are never changed and misspelt fields get a hint", function()
  local run = k.simulate(drop, k.law.newton { e = 0.5 }, { t_end = 0.1 })
  raises(function() run.t = 1 end, "a run is never changed")
  raises(function() return run.event end, "a run has no field 'event' (did you mean 'events'?)")
end)

-- ---- functions of the script --------------------------------------------------------------------------

test("events by name, with direction, stop and reset", function()
  local run = k.simulate(k.particle { position = { 0, 0 }, velocity = { 0, 3 } }, k.law.newton { e = 1 }, {
    t_end = 3,
    events = {
      top = function(_, _, u) return u[2] end,
      low = { function(_, q) return q[2] - 0.2 end, direction = "falling" },
    },
  })
  equal(first(run, "user").name, "top")
  near(first(run, "user").t, 3 / 9.81, 1e-12)
  equal(first(run, "user", 2).name, "low")

  run = k.simulate(drop, k.law.newton { e = 1 }, { t_end = 3,
    events = { half = { function(_, q) return q[2] - 0.5 end, stop = true } } })
  equal(run.why, "user")
  near(run.t_end, math.sqrt(1 / 9.81), 1e-12)

  run = k.simulate(drop, k.law.newton { e = 1 }, { t_end = 1,
    events = { back = { function(_, q) return q[1] - 0.5 end, reset = function(_, _, u) return nil, { -u[1], u[2] } end } } })
  near(first(run, "user").u_after[1], -2, 1e-12)
  near(run.last.position[1], 0.5 - 2 * 0.75, 1e-11)
end)

test("truths fire once, and a reset may not go inside", function()
  local law = k.law.newton { e = 0.5 }
  local run = k.simulate(drop, law, { t_end = 0.4, events = { late = function(t) return t > 0.2 end } })
  equal(#run.events, 2)
  near(run.events[1].t, 0.2, 1e-12)
  run = k.simulate(drop, law, { t_end = 1, events = { sink = { function(t) return t - 0.1 end, reset = function() return { 0, -0.5 } end } } })
  equal(run.status, "callback")
  equal(run.message, "event 'sink' at t = 0.1 s: its reset is inside the obstacle: gap 1 is -0.5 m")
  near(run.t_end, 0.1, 1e-13) -- what was computed is there, in the state before the reset
  near(run.last.q, { 0.2, 1 - 9.81 / 2 * 0.01 }, 1e-12)
  near(run:at(0.05).q, { 0.1, 1 - 9.81 / 2 * 0.0025 }, 1e-12)
end)

test("a run that ends at an impact ends after it", function()
  local run = k.simulate(drop, k.law.newton { e = 1 }, { t_end = 3, max_impacts = 1 })
  local t = run.events[1].t
  equal(run:at(t).u[2] > 0 and run:at(t, "before").u[2] < 0, true)
  run = k.simulate(drop, k.law.newton { e = 1 }, { t_end = t })
  equal(run.why, "t_end")
  equal(run.events[1].kind, "impact")
  equal(#k.simulate(drop, k.law.newton {}, { t_end = 0 }).events, 1)
end)

test("stop takes numbers and truths", function()
  local run = k.simulate(drop, k.law.newton { e = 1 }, { t_end = 3, stop = function(t) return t > 0.25 end })
  near(run.t_end, 0.25, 1e-12)
  run = k.simulate(drop, k.law.newton { e = 1 }, { t_end = 3, stop = function(_, q) return q[1] - 1 end })
  near(run.t_end, 0.5, 1e-12)
  equal(run.why, "user")
end)

test("forces written in Lua, and the work they do", function()
  local run = k.simulate(k.particle { position = { 0, 10 }, velocity = { 0, 0 }, gravity = 0 }, k.law.newton {},
    { t_end = 2, force = function(t) return { 3 * t, 0 } end })
  near(run.last.position[1], 4, 1e-11)
  near(run.ledger.work, 18, 1e-10)
  near(run.ledger.residual, 0, 1e-10)
end)

test("a model written in Lua moves as its twin in C", function()
  local g, l = 9.81, 1
  local twin = k.model {
    name = "twin", coordinates = { "q1", "q2" }, q = { -0.2, 0.7 }, u = { 0, 0 },
    mass = function(q)
      local c = math.cos(q[2])
      return { { 5 / 3 + c, 1 / 3 + c / 2 }, { 1 / 3 + c / 2, 1 / 3 } }
    end,
    gap = function(q) return l * math.sin(q[1]) + l * math.sin(q[1] + q[2]) + 1.2 end,
    jacobian = function(q)
      local s1, c1, s2, c2 = math.sin(q[1]), math.cos(q[1]), math.sin(q[1] + q[2]), math.cos(q[1] + q[2])
      return { { -l * (s1 + s2), -l * s2 }, { l * (c1 + c2), l * c2 } }
    end,
    forces = function(q, u)
      local s, c1, c2 = math.sin(q[2]) / 2, math.cos(q[1]), math.cos(q[1] + q[2])
      return { s * (2 * u[1] + u[2]) * u[2] - g * (1.5 * c1 + c2 / 2), -s * u[1] * u[1] - g * c2 / 2 }
    end,
    potential = function(q) return g * (1.5 * math.sin(q[1]) + 0.5 * math.sin(q[1] + q[2])) end,
  }
  local law, options = k.law.stronge { e = 0.5, mu = 0.3 }, { t_end = 3, rtol = 1e-11 }
  local a = k.simulate(twin, law, options)
  local b = k.simulate(k.double_pendulum { q = { -0.2, 0.7 }, u = { 0, 0 }, floor = -1.2 }, law, options)
  equal(#a.events, #b.events)
  for i, e in ipairs(a.events) do
    equal(e.kind, b.events[i].kind)
    near(e.t, b.events[i].t, 1e-9)
    near(e.q, b.events[i].q, 1e-9)
    near(e.u, b.events[i].u, 1e-9)
  end
  near(a.ledger.start, b.ledger.start, 1e-12)
  near(a.ledger["end"], b.ledger["end"], 1e-9)
end)

test("standing constraints hold: a pendulum in x and y on a rod, that meets a wall", function()
  local function bob(q, u)
    return k.model {
      name = "bob", coordinates = { "x", "y" }, q = q, u = u, mass = { 2, 2 },
      gap = function(p) return p[1] + 0.3 end, jacobian = { { 1, 0 } },
      constraints = function(p) return { { p[1], p[2] } } end,
      forces = function() return { 0, -2 * 9.81 } end,
      potential = function(p) return 2 * 9.81 * p[2] end,
    }
  end
  local angle, l = 1.0, 1.3
  local start = { l * math.sin(angle), -l * math.cos(angle) }
  local run = k.simulate(bob(start, { 0, 0 }), k.law.newton { e = 1 }, { t_end = 5, rtol = 1e-11 })
  equal(run.impacts > 1, true)
  for i = 1, #run.t do
    near(math.sqrt(run.q1[i] ^ 2 + run.q2[i] ^ 2), l, 1e-8)
    near(run.energy[i], run.energy[1], 1e-7)
  end
  -- the time to the wall by the energy: dt = l dphi / v, midpoints of 1e5 parts after the substitution
  -- sin(phi/2) = sin(angle/2) sin(s), which takes the singularity of the start away
  local m, g, sum, n = math.sin(angle / 2), 9.81, 0, 100000
  local s_end = -math.asin(math.sin(math.asin(0.3 / l) / 2) / m)
  local h = (math.pi / 2 - s_end) / n
  for i = 1, n do
    local s = s_end + (i - 0.5) * h
    sum = sum + h / math.sqrt(1 - (m * math.sin(s)) ^ 2)
  end
  near(run.events[1].t, math.sqrt(l / g) * sum, 1e-9)
  raises(function() k.simulate(bob(start, { 1, 1 }), k.law.newton {}, { t_end = 1 }) end,
    "simulate: the speeds of bob break standing constraint 1: A u is")
end)

-- ---- back in time -------------------------------------------------------------------------------------

test("the pencil before its impact (Fig 18)", function()
  local pencil = k.pencil {}
  local back = k.simulate(pencil, k.law.newton {}, { t_end = -0.4, backward = true, rate = 10 })
  equal(back.t_end, -0.4)
  equal(#back.t, 5)
  near(back:at(0).q, pencil.q, 1e-15)
  local forth = k.simulate(back.last, k.law.newton {}, { t_start = -0.4, t_end = 0.1, max_impacts = 1 })
  near(forth.events[1].t, 0, 1e-8)
  near(forth.events[1].u, pencil.u, 1e-7)
end)

-- ---- bad input ----------------------------------------------------------------------------------------

test("bad options name the argument and the script's line", function()
  local law = k.law.newton {}
  local line = here() + 1
  raises(function() k.simulate(drop, law, { t_end = -1 }) end,
    "test_simulate.lua:" .. line .. ": simulate: t_end = -1 s is before the start at 0 s")
  raises(function() k.simulate(drop, law, {}) end, "simulate: t_end must be a number of s, got nothing")
  raises(function() k.simulate(drop, law, { t_end = 1, rtol = 0 }) end, "simulate: rtol must be a number between 1e-14 and 0.1, got 0")
  raises(function() k.simulate(drop, law, { t_end = 1, rtoll = 1e-9 }) end, "unknown parameter 'rtoll' (did you mean 'rtol'?)")
  raises(function() k.simulate(drop, law, { t_end = 1, event = {} }) end, "unknown parameter 'event' (did you mean 'events'?)")
  raises(function() k.simulate(drop, law, { t_end = 1, force = 3 }) end, "simulate: force must be a function of t, q, u, got 3")
  raises(function() k.simulate(drop, law, { t_end = 1, events = { 3 } }) end, "events must be a table of functions by name")
  raises(function() k.simulate(drop, law, { t_end = 1, events = { up = 3 } }) end, "simulate: events.up must be a function of t, q, u, got 3")
  raises(function() k.simulate(drop, law, { t_end = 1, events = { up = { print, direction = "left" } } }) end,
    "events.up: direction must be 'falling', 'rising' or 'both', got a string ('left')")
  raises(function() k.simulate(drop, law, { t_end = 1, events = { up = { print, halt = true } } }) end,
    "events.up: unknown field 'halt'")
  raises(function() k.simulate(law, law, { t_end = 1 }) end, "simulate: argument 1 must be a model")
  raises(function() k.simulate(drop, drop, { t_end = 1 }) end, "simulate: argument 2 must be a law")
end)

test("a start inside the wall is refused", function()
  raises(function() k.simulate(drop:at { 0, -0.1 }, k.law.newton {}, { t_end = 1 }) end,
    "simulate: particle starts inside the obstacle: gap 1 is -0.1 m")
end)

test("a function that returns nonsense is named with its time", function()
  local law = k.law.newton {}
  raises(function() k.simulate(drop, law, { t_end = 1, force = function() return { 1 } end }) end,
    "simulate: force at t = 0 s: must return 2 numbers, got 1")
  raises(function() k.simulate(drop, law, { t_end = 1, force = function() return "down" end }) end,
    "must return 2 numbers, got a string ('down')")
  raises(function() k.simulate(drop, law, { t_end = 1, force = function() error "no idea" end }) end,
    "simulate: force at t = 0 s", "no idea")
  raises(function() k.simulate(drop, law, { t_end = 1, events = { bad = function() return {} end } }) end,
    "simulate: event 'bad' at t = 0 s")
  raises(function() k.simulate(drop, law, { t_end = 1, events = { bad = function() return 1 / 0 end } }) end,
    "simulate: event 'bad' at t = 0 s", "infinite")
end)

test("a law that cannot take the contacts says which and when", function()
  local corner = k.particle { position = { 0, 0 }, velocity = { 2, 0 }, planes = { { 0, 1, 0 }, { -1, 0, -1 } } }
  local run = k.simulate(corner, k.law.stronge {}, { t_end = 2 })
  equal(run.status, "unsupported")
  equal(run.message, "at t = 0.5 s contacts 1, 2 touch: law.stronge takes one contact, got 2: use law.sequential{law = ...}, law.moreau, law.glocker, law.lzb or law.compliant")
end)

test("a function that knows its own run does not keep it alive", function()
  local kept = setmetatable({}, { __mode = "v" })
  do
    local run
    run = k.simulate(drop, k.law.newton {}, { t_end = 0.1, events = { me = function(t) return run and 1 or 1 + t end } })
    kept[1] = run
  end
  collectgarbage() collectgarbage()
  equal(kept[1], nil)
end)

test("a straight chain that no contact feels falls: links at its end, still at rest, do not set the tolerance", function()
  local function fallen(atol)
    local bodies = {}
    for i = 1, 64 do
      bodies[i] = { name = "l" .. i, parent = i > 1 and "l" .. i - 1 or nil, joint = "hinge", at = { i > 1 and 0.1 or 0, 0 }, mass = 0.1,
        com = { 0.05, 0 }, inertia = 1e-4 }
    end
    return k.simulate(k.mechanism { plane = true, bodies = bodies }, k.law.plastic {}, { t_end = 0.2, rtol = 1e-10, atol = atol, max_steps = 5000 })
  end
  local run, exact = fallen(), fallen(1e-14)
  equal({ run.status, exact.status }, { "ok", "ok" })
  for j = 1, 64 do near(run:at(0.2).q[j], exact:at(0.2).q[j], 1e-8) end
end)
