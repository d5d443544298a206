-- Runs that end early or start in corners: what was computed comes back, and what happened is said.
local k = require "knock"

local function count(run, kind)
  local n = 0
  for _, e in ipairs(run.events) do if e.kind == kind then n = n + 1 end end
  return n
end

local drop = k.particle { position = { 0, 1 }, velocity = { 2, 0 } }
local fall = math.sqrt(2 / 9.81)

-- ---- what was computed comes back -----------------------------------------------------------------------

test("a second contact under a law for one (lost.lua): the run up to there is the answer", function()
  local rod = k.rod { part = 1, length = 2, angle = 0.5, position = { 0, 5 }, velocity = { 1, 0 }, spin = 0.3, floor = 0 }
  local run = k.simulate(rod, k.law.stronge { e = 0, mu = 0.3 }, { t_end = 10 })
  equal(run.status, "unsupported")
  equal(run.why, "failed")
  near(run.t_end, 1.072512736, 1e-8)
  equal(run.message:find("contacts 1, 2 touch: law.stronge takes one contact", 1, true) ~= nil, true)
  near(run:at(0.5).q[2], 5 - 9.81 / 8, 1e-10)
  equal(count(run, "impact"), 2)
  near(run.ledger.residual, 0, 1e-10)
end)

test("an error or a NaN in a force leaves the run up to it, with the reason (lost.lua)", function()
  local ball, law = k.particle { position = { 0, 1 } }, k.law.newton { e = 0.9 }
  local forces = { ["sensor file ended"] = function(t) if t > 4 then error "sensor file ended" end return { 0, 0 } end,
    ["number 1 is nan"] = function(t) return { t > 4 and 0 / 0 or 0, 0 } end,
    ["must return 2 numbers, got 1"] = function(t) return t > 4 and { 1 } or { 0, 0 } end }
  local whole = k.simulate(ball, law, { t_end = 5 })
  for text, force in pairs(forces) do
    local run = k.simulate(ball, law, { t_end = 5, force = force })
    equal(run.status, "callback")
    equal(run.message:find("simulate: force at t = 4", 1, true) ~= nil, true)
    equal(run.message:find(text, 1, true) ~= nil, true)
    near(run.t_end, 4, 1e-9)
    near(run.last.q, whole:at(4).q, 1e-8)
    near(run:at(2).u, whole:at(2).u, 1e-9)
    equal(#run.t > 500, true)
  end
  local run = k.simulate(ball, law, { t_end = 5, events = { e = function(t) return t < 2 and 1 or error "no more" end } })
  equal(run.status, "callback")
  near(run.t_end, 2, 1e-9)
end)

test("a model in Lua that fails late leaves the run up to there", function()
  local function m(bad)
    return k.model { coordinates = { "x", "z" }, mass = function(q) if bad and q[1] > 1 then error "off the map" end return { { 1, 0 }, { 0, 1 } } end,
      gap = function(q) return q[2] end, jacobian = function() return { { 1, 0 }, { 0, 1 } } end,
      forces = function() return { 0, -9.81 } end, q = { 0, 1 }, u = { 1, 0 } }
  end
  local run = k.simulate(m(true), k.law.newton { e = 0.5 }, { t_end = 3 })
  equal(run.status, "callback")
  equal(run.message:find("off the map", 1, true) ~= nil, true)
  near(run.t_end, 1, 1e-9)
  equal(count(run, "impact"), 2)
  near(run.last.q[1], 1, 1e-9)
end)

-- ---- starts on a section -----------------------------------------------------------------------------------

test("an event function that starts within rounding of zero does not fire there (ev0.lua)", function()
  local m = k.particle { position = { 0, 10 }, velocity = { 0, 0 } }
  for _, case in ipairs { { 0, 1 }, { -1e-300, 1 }, { -1e-17, 1 }, { 1e-17, 1 }, { -1e-12, 1e-12 } } do
    local run = k.simulate(m, k.law.newton {}, { t_end = 1, events = { e = { function(t) return t + case[1] end, direction = "rising", stop = true } } })
    near(run.t_end, case[2], 1e-18)
  end
end)

test("a section by cancelling coordinates: neither a start on it nor a reset onto it is a crossing", function()
  -- two coordinates that meet again at every full second: g = q1 - q2 with rounding of both in it
  local m = k.model { coordinates = { "a", "b", "z" }, mass = function() return { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } end,
    gap = function(q) return q[3] end, jacobian = function() return { { 0, 0, 1 } } end, forces = function() return { 0, 0, 0 } end,
    q = { 0.1 + 0.2, 0.3, 1 }, u = { 1, 0, 0 } } -- g = 5.6e-17 at the start
  local run = k.simulate(m, k.law.newton {}, { t_end = 3.5, events = {
    swap = { function(t, q) return q[1] - q[2] end, direction = "rising" },
    back = { function(t, q) return q[1] - 1.3 end, reset = function(t, q, u) return { q[1] - 1, q[2], q[3] }, u end } } })
  equal(run.status, "ok")
  for _, e in ipairs(run.events) do if e.kind == "user" and e.name == "swap" then error(("swap at %.17g"):format(e.t)) end end
  equal(count(run, "user"), 3)
end)

-- ---- forces that cannot be followed ------------------------------------------------------------------------

test("a force that switches without end ends in a status that names it (s4.lua)", function()
  local ball = k.particle { position = { 0, 100 }, velocity = { 1, 0 } }
  local run = k.simulate(ball, k.law.newton { e = 0.5 }, { t_end = 5, force = function(t, q, u) return { u[1] > 0 and -1 or 1, 0 } end })
  equal(run.status, "limit")
  equal(run.message:find("the function `force` switches without end or jumps", 1, true) ~= nil, true)
  near(run.t_end, 1, 1e-3) -- where it begins to slide along u1 = 0
  near(run:at(0.5).u[1], 0.5, 1e-9)
  -- a linear congruence: the same on every machine
  local x = 1
  run = k.simulate(ball, k.law.newton {}, { t_end = 5, force = function() x = (16807 * x) % 2147483647 return { x / 2147483647, 0 } end })
  equal(run.status, "limit")
  -- also where the contact is so near that it has a much shorter time than the motion
  local near_floor = k.particle { position = { 0, 1e-6 }, velocity = { 1, 0 }, gravity = 0 }
  run = k.simulate(near_floor, k.law.newton {}, { t_end = 5, max_steps = 100000, force = function(t, q, u) return { u[1] > 0 and -1 or 1, 0 } end })
  equal(run.message:find("the function `force` switches without end or jumps", 1, true) ~= nil, true)
  -- the model's own forces are named by the model
  local m = k.model { coordinates = { "x", "z" }, mass = function() return { { 1, 0 }, { 0, 1 } } end, gap = function(q) return q[2] end,
    jacobian = function() return { { 1, 0 }, { 0, 1 } } end, forces = function(q, u) return { u[1] > 0 and -1 or 1, 0 } end, q = { 0, 1 }, u = { 1, 0 } }
  run = k.simulate(m, k.law.newton {}, { t_end = 5 })
  equal(run.status, "limit")
  equal(run.message:find("the forces of", 1, true) ~= nil, true)
  run = k.simulate(ball, k.law.newton {}, { t_end = 1, max_steps = 3, h_max = 0.01, force = function() return { 0, 0 } end })
  equal(run.status, "limit")
  equal(run.message:find("(max_steps)", 1, true) ~= nil, true)
end)

test("a motion that goes on for ever is no force that switches without end", function()
  local pendulum = k.double_pendulum { q = { 1, 0.7 }, u = { 0, 0 } }
  local run = k.simulate(pendulum, k.law.stronge { e = 1, mu = 0 }, { t_end = 1e9, max_steps = 40000, samples = 0 })
  equal(run.message:find("(max_steps)", 1, true) ~= nil, true)
  equal(run.t_end > 1000, true)
end)

test("the hit of an impact is the one that the run solved, also of a law that draws random numbers", function()
  local solved = 0
  local dice = k.law { name = "dice", solve = function(p)
    solved = solved + 1
    return { 0, -(1 + math.random()) * p.v[2] / p.W[2][2] }
  end }
  local run = k.simulate(k.particle { position = { 0, 1 }, velocity = { 1, 0 } }, dice, { t_end = 4 }) -- the third comes by 2.3 s
  local impacts, at_first = 0, solved
  for _, event in ipairs(run.events) do
    if event.kind == "impact" then
      local hit = event.hit
      impacts = impacts + 1
      equal(hit.impulse[2], event.impulse[2])
      equal(hit.u[2], event.u_after[2])
      equal(hit.path.p_n[#hit.path.p_n], event.impulse[2])
      equal(hit.events[#hit.events].impulse, event.impulse[2])
    end
  end
  equal(impacts > 2, true)
  equal(solved, at_first)
end)

-- differences of a constant gap gave J = 4e-14 of rounding, and scales of 1e13 m: 1e-4 off with status ok
test("a coordinate that no contact feels keeps its accuracy: a knife edge on a slope (mdl.lua)", function()
  local skate = k.model {
    coordinates = { "x", "y", "th" }, mass = { 1, 1, 0.1 }, gap = function() return 1 end,
    potential = function(q) return -9.81 * math.sin(0.3) * q[1] end,
    constraints = function(q) return { { math.sin(q[3]), -math.cos(q[3]), 0 } } end,
    q = { 0, 0, 0 }, u = { 0, 0, 2 },
  }
  local run = k.simulate(skate, k.law.plastic {}, { t_end = 5, rtol = 1e-11 })
  local G, w, T = 9.81 * math.sin(0.3), 2, 5 -- s'' = G cos(w t) along the edge, from rest
  near(run.last.q[1], G / (2 * w * w) * math.sin(w * T) ^ 2, 1e-9)
  near(run.last.q[2], G / (2 * w * w) * (w * T - 0.5 * math.sin(2 * w * T)), 1e-9)
  equal(math.abs(run.ledger.residual) < 1e-9, true)
end)

test("derivatives by differences with a tolerance below them are said to be slow", function()
  local m = k.model { coordinates = { "x", "z" }, mass = function() return { { 1, 0 }, { 0, 1 } } end, gap = function(q) return q[2] end,
    potential = function(q) return 9.81 * q[2] + q[1] ^ 4 end, q = { 0, 1 }, u = { 1, 0 } }
  local function said(rtol)
    local run = k.simulate(m, k.law.newton {}, { t_end = 0.1, rtol = rtol })
    return tostring(run):find("by differences are good to about 1e-11", 1, true) ~= nil
  end
  equal(said(1e-12), true)
  equal(said(1e-9), false)
end)

-- ---- many events ---------------------------------------------------------------------------------------------

test("keep = false keeps no events and constant memory; events are made when they are looked at", function()
  local ball, law = k.particle { position = { 0, 1 }, velocity = { 0, 0 } }, k.law.newton { e = 1 }
  local run = k.simulate(ball, law, { t_end = 1e9, max_impacts = 20000, keep = false })
  equal(run.impacts, 20000)
  equal(#run.events, 1)
  equal(run.events[1].kind, "stop")
  near(run.ledger.residual, 0, 1e-8)
  run = k.simulate(ball, law, { t_end = 1e9, max_impacts = 20000, samples = 0 })
  collectgarbage()
  local before = collectgarbage "count"
  local events = run.events
  equal(#events, 20001)
  near(events[20000].t, fall * (2 * 20000 - 1), 1e-9 * events[20000].t)
  equal(events[20000], events[20000]) -- one table per event
  equal(events[0], nil)
  equal(events[20002], nil)
  collectgarbage()
  equal(collectgarbage "count" - before < 50, true) -- kB: two tables, not 20,000
  local n = 0
  for i, e in pairs(events) do n = n + 1 if n ~= i or not e.kind then error "pairs" end if n == 5 then break end end
  equal(select("#", table.unpack(events, 1, 3)), 3)
  equal(tostring(events[1].hit.velocity[2] > 0), "true")
end)

-- a loop over all events kept each of them: 1.1 GB of 1e6
test("events that nobody holds are collected, one that somebody holds stays the same", function()
  local ball = k.particle { position = { 0, 1 }, velocity = { 0, 0 } }
  local events = k.simulate(ball, k.law.newton { e = 1 }, { t_end = 1e9, max_impacts = 20000, samples = 0 }).events
  local held, hit = events[7], events[7].hit
  held.note = "mine"
  collectgarbage()
  local before, most, n = collectgarbage "count", 0, 0
  for i, e in ipairs(events) do
    n = n + (e.kind == "impact" and 1 or 0)
    if i % 1000 == 0 then
      collectgarbage()
      most = math.max(most, collectgarbage "count" - before)
    end
  end
  equal(n, 20000)
  equal(most < 100, true) -- kB: 1,000 events are 700 kB
  equal(rawequal(events[7], held), true)
  equal(rawequal(events[7].hit, hit), true)
  equal(events[7].note, "mine")
end)

-- a column of run.events:table() from the events themselves; nil where none has the field
local function column_of(events, value)
  local column, some = {}, false
  for i, e in ipairs(events) do
    column[i] = value(e)
    some = some or column[i] ~= nil
  end
  return some and column or nil
end

local function same_columns(events)
  local t, seen = events:table(), 0
  local names = {}
  for _, name in ipairs(t:names()) do names[name] = true end
  local function check(name, value, missing)
    local wanted = column_of(events, value)
    equal(names[name] or false, wanted ~= nil)
    if not wanted then return end
    seen = seen + 1
    local column = t:column(name)
    for i = 1, #events do
      local w, x = wanted[i], column[i]
      if w == nil then w = missing end
      if x ~= w and (x == x or w == w) then error(("%s[%d]: %s, not %s"):format(name, i, x, w)) end
    end
  end
  check("t", function(e) return e.t end)
  check("event", function(e) return e.kind end)
  check("contacts", function(e) return e.contacts and table.concat(e.contacts, " ") or e.contact and tostring(e.contact) end, "")
  for _, key in ipairs { "name", "mode", "why", "status" } do check(key, function(e) return e[key] end, "") end
  check("lost", function(e) return e.lost end, 0 / 0)
  for _, key in ipairs { "q", "u", "u_after", "impulse" } do
    for j = 1, 40 do check(key .. j, function(e) return e[key] and e[key][j <= #e[key] and j or #e[key] + 1] end, 0 / 0) end
  end
  equal(#t:names(), seen)
  equal(t:unit "lost" .. t:unit "impulse1" .. t:unit "t", "JN ss")
  return t
end

test("events:table() has what the events say, without making them", function()
  local watch = { top = function(_, _, u) return u[2] end, low = { function(_, q) return q[2] - 0.5 end, reset = function(_, q, u) return q, { u[1], 0.9 * u[2] } end } }
  local run = k.simulate(k.particle { position = { 0, 1 }, velocity = { 1, 0 } }, k.law.newton { e = 0.8 }, { t_end = 2, events = watch })
  local t = same_columns(run.events)
  equal(t:unit "q1", "m")
  same_columns(k.simulate(k.ball { radius = 0.1, position = { 0, 0, 1 }, velocity = { 2, 0, 0 } }, k.law.stronge { e = 0.3, mu = 0.2 }, { t_end = 3 }).events)
  local arm = k.arm { n = 3, length = 0.5, q = { 1.2, -0.4, -0.8 }, u = { 0, 0, 0 }, floor = 0 }
  local fall = k.simulate(arm, k.law.moreau { e = 0.2, mu = 0.4 }, { t_end = 1.5 })
  same_columns(fall.events)
  local many = k.simulate(k.particle { position = { 0, 1 } }, k.law.newton { e = 1 }, { t_end = 1e9, max_impacts = 20000, samples = 0 })
  collectgarbage()
  local before = collectgarbage "count"
  equal(#many.events:table(), 20001)
  equal(collectgarbage "count" - before < 1000, true) -- kB; 20,000 events took 16,000
end)

-- ---- grip ----------------------------------------------------------------------------------------------------

test("infinite friction stops a sliding point by an impact with its own event and loss (jump.lua)", function()
  local ball = k.ball { radius = 0.1, position = { 0, 0, 1 }, velocity = { 2, 0, 0 } }
  local run = k.simulate(ball, k.law.compliant { e = 0, mu = math.huge }, { t_end = 1 })
  local strong = k.simulate(ball, k.law.compliant { e = 0, mu = 1e4 }, { t_end = 1 })
  local hit, grip = run.events[1], run.events[2]
  equal(grip.kind, "impact")
  near(grip.u, hit.u_after, 0)
  near(run:at(grip.t).u, grip.u_after, 1e-13) -- no jump without an event
  near(run.last.u, strong.last.u, 1e-9) -- the limit of ever stronger friction
  near(grip.impulse[1], grip.u_after[1] - grip.u[1], 1e-12) -- mass 1
  near(grip.lost, strong.ledger.sliding, 1e-4)
  near(run.ledger.bounces, 0, 1e-12)
  near(run.ledger.residual, 0, 1e-12)
end)

test("at the end of a series the modes are chosen with all of the friction (repro_arm3.lua)", function()
  local arm = k.arm { contacts = { 1, 2, 3 }, damping = 0.41547799827466658, floor = -0.56845185322289371, gravity = 9.8100000000000005,
    length = { 0.71825602578681313, 0.84545377911101527, 0.6141776535143717 }, mass = { 1.1333112247365267, 1.9841979673595742, 1.8972636782941512 },
    n = 3, q = { -0.14007628678794548, 0.70381011113082925, 0.25791919103613159 }, rest = 0, slope = -0.018480861830873774, stiffness = 0,
    torque = 0, u = { -0.19368849994520865, 1.5150046224150095, 2.3180989565600232 } }
  local law = k.law.compliant { e = 0.55344294004189543, mu = 0.96838424772959164 }
  for _, rtol in ipairs { 1e-9, 1e-11, 1e-12 } do
    local run = k.simulate(arm, law, { t_end = 4, rtol = rtol, samples = 0 })
    equal(run.status, "ok")
    near(run.last.gap, { 0, 0, 0 }, 1e-12) -- it lies on the floor
    near(run.last.u, { 0, 0, 0 }, 1e-9)
    near(run.ledger.residual, 0, 1e-8)
  end
end)

-- ---- words -----------------------------------------------------------------------------------------------------

test("how many are enough is one word, max_events; the older ones still work", function()
  for _, word in ipairs { "max_events", "max_impacts", "limit" } do
    local run = k.simulate(drop, k.law.newton { e = 1 }, { t_end = 9, [word] = 2 })
    equal(run.impacts, 2)
    equal(run.status, "limit")
    equal(run.why, "max_events")
    equal(k.law.sequential { law = k.law.newton {}, [word] = 7 }.max_events, 7)
    equal(k.law.compliant { [word] = 8 }.max_events, 8)
    equal(k.law.vibration { [word] = 9 }.max_events, 9)
  end
end)

-- ---- effort ----------------------------------------------------------------------------------------------------

-- A damped arm of 32 links settles within 2e-4 s, whatever the tolerance: 240 steps in 0.1 s. Without dampers the steps are
-- those that accuracy needs.
test("a run says when its steps are short for stability, not for accuracy", function()
  local function stiff(damping, rtol)
    local arm = k.arm { n = 32, length = 1 / 32, mass = 1 / 32, floor = -10, q = 0.01, u = 0, damping = damping }
    local run = k.simulate(arm, k.law.stronge {}, { t_end = 0.1, rtol = rtol, keep = false, method = "explicit" })
    return table.concat(run.notes, "\n"):find("stiff: most steps", 1, true) ~= nil, run.effort
  end
  local says, effort = stiff(1e-2, 1e-6)
  equal(says, true)
  equal(2 * effort.hurried > effort.steps and effort.steps >= 200, true)
  equal(stiff(0, 1e-6), false)
  equal((stiff(0, 1e-10)), false)
end)

-- ---- how a run begins -----------------------------------------------------------------------------------

test("a run that begins with an impact has the state before it as its first row", function()
  local bottom = k.particle { mass = 2, position = { 0, 0 }, velocity = { 1, -3 } }
  local run = k.simulate(bottom, k.law.newton { e = 0.5 }, { t_end = 0.1 })
  local c = run:sample(3)
  near({ c.t[1], c.u2[1], c.energy[1], c.lost[1] }, { 0, -3, 10, 0 }, 1e-14)
  near({ c.t[2], c.u2[2], c.energy[2], c.lost[2] }, { 0, 1.5, 3.25, 6.75 }, 1e-14)
  near(run:at(0, "before").u, { 1, -3 }, 1e-15)
  near(run:at(0).u, { 1, 1.5 }, 1e-15)
  near(c.energy[1], run.ledger.start, 1e-14)
end)

test("a run that begins at rest has one state there, before and after", function()
  local run = k.simulate(k.particle { mass = 2, position = { 0, 0 }, velocity = { 0, 0 } }, k.law.newton {}, { t_end = 0.1 })
  near(run:at(0, "before").force, { 0, 19.62 }, 1e-13)
  near(run:at(0).force, { 0, 19.62 }, 1e-13)
end)
