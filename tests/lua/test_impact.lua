-- Models, laws and hits from the script's side.
local k = require "knock"

local function here() return debug.getinfo(2, "l").currentline end

-- ---- bad input: the script's line, the argument, what came, what was expected ----------------------

test("a negative mass is refused in words, with the script's line", function()
  local line = here() + 1
  raises(function() k.ball { mass = -1 } end,
    "test_impact.lua:" .. line .. ": ball: mass must be a positive number of kg, got -1")
end)

test("a wrong type says what came", function()
  raises(function() k.ball { mass = "heavy" } end, "ball: mass must be a positive number of kg, got a string ('heavy')")
  raises(function() k.ball { mass = true } end, "got true")
  raises(function() k.ball { mass = {} } end, "got an empty list")
  raises(function() k.ball { mass = print } end, "got a function")
  raises(function() k.ball { velocity = 3 } end, "velocity must be a list of 3 numbers of m/s, got 3")
  raises(function() k.ball { velocity = { 1, 2 } } end, "got 2 numbers")
  raises(function() k.ball { velocity = { 1, 2, "x" } } end, "got [3] = a string ('x')")
  raises(function() k.ball { velocity = { 1, nil, 3 } } end, "got [2] = nil")
  raises(function() k.ball { velocity = {} } end, "got an empty list")
  raises(function() k.ball { velocity = { { 1, 2 }, { 3, 4 } } } end, "got a list of 2")
end)

test("NaN and infinities are refused by name", function()
  raises(function() k.ball { mass = 0 / 0 } end, "ball: mass must be a positive number of kg, got nan")
  raises(function() k.ball { mass = math.huge } end, "got inf")
  raises(function() k.ball { velocity = { 0, 0, -(0 / 0) } } end, "got [3] = nan")
end)

test("a misspelt parameter gets a hint", function()
  raises(function() k.law.stronge { frcition = 1 } end, "law.stronge: unknown parameter 'frcition' (did you mean 'friction'?)")
  raises(function() k.ball { masss = 1 } end, "ball: unknown parameter 'masss' (did you mean 'mass'?)")
  raises(function() k.law.stronge { colour = 1 } end, "unknown parameter 'colour' (it has: e, mu")
  raises(function() k.ball { 1, 2 } end, "takes named parameters, as in {mass = ...}")
  raises(function() k.ball(3) end, "ball: takes a table of parameters, got 3")
end)

test("friction and restitution are words for mu and e", function()
  local l = k.law.stronge { friction = 0.25, restitution = 0.5 }
  equal(l.mu, 0.25)
  equal(l.e, 0.5)
  equal(l.friction, 0.25)
end)

test("impact checks its arguments", function()
  local b, l = k.ball {}, k.law.stronge { e = 0.5 }
  raises(function() k.impact(b, b) end, "impact: argument 2 must be a law", "got a model")
  raises(function() k.impact(l, l) end, "impact: argument 1 must be a model", "got a law")
  raises(function() k.impact() end, "argument 1 must be a model", "got nil")
  raises(function() k.impact(b, l, { toch = 1 }) end, "unknown parameter 'toch' (did you mean 'touch'?)")
  raises(function() k.impact(b, l, { contacts = 2 }) end, "contacts[1] must be a contact of the ball (1 to 1), got 2")
  raises(function() k.impact(b, l, { contacts = { 1, 1 } }) end, "each once")
end)

test("a body away from or inside its obstacle is refused", function()
  local p, l = k.double_pendulum { floor = -1.5 }, k.law.stronge { e = 0.5 }
  raises(function() k.impact(p, l) end, "nothing touches", "m")
  raises(function() k.impact(p:at { -1.6, 0 }, l) end, "double_pendulum: contact 1 is", "inside its obstacle")
end)

test("models, laws and hits are never changed", function()
  local b, l = k.ball {}, k.law.stronge { e = 0.5 }
  raises(function() b.mass = 3 end, "m:with{mass = ...}")
  raises(function() l.e = 3 end, "l:with{e = ...}")
  raises(function() b.vlocity = 3 end, "never changed")
  raises(function() return b.vlocity end, "ball has no field 'vlocity' (did you mean 'velocity'?)")
  raises(function() return k.impact(k.double_pendulum {}, k.law.newton {}).velocity end, "a hit of this model has no field 'velocity'")
end)

-- ---- models ----------------------------------------------------------------------------------------

test("with gives a changed copy and leaves the model alone", function()
  local b = k.ball { mass = 2, velocity = { 1, 2, 3 } }
  local c = b:with { mass = 3 }
  equal(b.mass, 2.0)
  equal(c.mass, 3.0)
  near(c.velocity, { 1, 2, 3 })
end)

test("at stands elsewhere, and with keeps that unless it names it", function()
  local b = k.ball { velocity = { 0, 0, -1 } }
  local moved = b:at(nil, { 1, 2, -3, 4, 5, 6 })
  near(moved.velocity, { 1, 2, -3 })
  near(moved:with { mass = 7 }.velocity, { 1, 2, -3 })
  local back = moved:with { velocity = { 0, 0, -1 } }
  near(back.velocity, { 0, 0, -1 })
  near(back.spin, { 4, 5, 6 })
  raises(function() b:at { 1 } end, "at: q must be a list of 7 numbers, got 1")
  raises(function() b:at(nil, { 1, 2, 3, 4, 5, 0 / 0 }) end, "at: u holds a NaN or an infinity")
end)

test("M, J, W, gap and energy of a ball", function()
  local b = k.ball { mass = 2, radius = 3, velocity = { 0, 0, -4 }, gravity = 0 }
  equal(b.M[1][1], 2.0)
  near(b.M[4][4], 0.4 * 2 * 9)
  near(b.W[3][3], 0.5)
  near(b.W[1][1], 0.5 + 1 / (0.4 * 2))
  near(b.gap, { 0 })
  near(b.energy.kinetic, 16)
  near(b.v, { 0, 0, -4 })
  equal(#b.contacts, 1)
end)

-- ---- hits ------------------------------------------------------------------------------------------

local pendulum = k.double_pendulum { q = { -1.2, 0.7 }, u = { -1, -1 } }
local stronge = k.law.stronge { e = 0.5, mu = 0.3 }

test("a hit holds before and after, impulse, events and energy", function()
  local hit = k.impact(pendulum, stronge)
  equal(hit.status, "ok")
  near(hit.u_before, { -1, -1 })
  near(hit.before.rates, { -1, -1 })
  near(hit.rates, hit.u)
  near(hit.impulses[1], hit.impulse)
  local last = hit.events[#hit.events]
  equal(last.kind, "end")
  near(last.impulse, hit.impulse[2])
  near(last.velocity, hit.contact_velocity, 1e-14)
  local e = hit.energy
  near(e.before - e.after, e.restitution + e.friction + e.stored, 1e-12 * e.before)
  near(hit:next().u, hit.u)
  near(hit.after.energy.kinetic, e.after)
end)

test("the audit is clean and sees what it should", function()
  for name, figure in pairs(k.impact(pendulum, stronge).audit) do
    if figure > 1e-13 then error(name .. " = " .. figure) end
  end
end)

test("the path starts before, ends after and stays in the cone", function()
  local hit = k.impact(pendulum, stronge)
  local path = hit:trace(7)
  near(path.p_n[1], 0)
  near(path.p_n[path.n], hit.impulse[2])
  near({ path.v_t[path.n], path.v_n[path.n] }, hit.contact_velocity, 1e-14)
  for i = 1, path.n do
    if math.abs(path.p_t[i]) > 0.3 * path.p_n[i] + 1e-14 then error("outside the cone at " .. i) end
  end
  equal(path.units.p_n, "N s")
  equal(path.events[#path.events].at, path.n)
end)

test("a body that leaves is not hit, and the hit says so", function()
  local hit = k.impact(pendulum:with { u = { 1, 1 } }, stronge)
  equal(hit.status, "no impact")
  equal(hit.flags.no_impact, true)
  near(hit.u, { 1, 1 })
  near(hit.impulse, { 0, 0 })
end)

test("a straight arm above its tip cannot be hit from below: its W is singular, rounding is no approach", function()
  local arm = k.arm { n = 3, q = { -math.pi / 2, 0, 0 }, u = { -1, 0.5, -1 } }
  for _, law in ipairs { k.law.newton { e = 0.5 }, stronge, k.law.poisson { e = 0.5, mu = 0.3 }, k.law.compliant { e = 0.5 } } do
    local hit = k.impact(arm, law)
    equal(hit.status, "no impact")
    equal(hit.rank, 1)
    near(hit.u, { -1, 0.5, -1 }, 0)
  end
end)

test("masses 1e12 apart keep every audit clean", function()
  local pair = k.pair { mass = { 1e12, 1 }, velocity1 = { 1, 0, -1 }, velocity2 = { 0, 0.5, 2 } }
  for _, law in ipairs { k.law.newton { e = 0.5 }, stronge, k.law.compliant { e = 0.5, mu = 0.3 } } do
    local hit = k.impact(pair, law)
    near(hit.contact_velocity[3], 1.5, 1e-10) -- e times the approach at 3 m/s
    for name, figure in pairs(hit.audit) do
      if not (figure <= 1e-12) then error(("%s: %s = %g"):format(law.name, name, figure)) end
    end
  end
end)

test("printing shows a page", function()
  local page = tostring(k.impact(pendulum, stronge))
  for _, word in ipairs { "double_pendulum meets law.stronge{e = 0.5, mu = 0.3}: ok", "before", "after", "rad/s", "N s",
    "compression_end", "energy", "audit" } do
    if not page:find(word, 1, true) then error("no '" .. word .. "' in\n" .. page) end
  end
  if not tostring(pendulum):find("length +1 m +length of the links") then error(tostring(pendulum)) end
  if not tostring(stronge):find("law.stronge\n  e +0.5") then error(tostring(stronge)) end
end)

-- ---- memory ----------------------------------------------------------------------------------------

test("a hit outlives the variables that held its model and law", function()
  local hit
  do
    local m, l = k.double_pendulum { q = { -1.2, 0.7 }, u = { -1, -1 } }, k.law.stronge { e = 0.5, mu = 0.3 }
    hit = k.impact(m, l)
  end
  for _ = 1, 5 do collectgarbage() end
  equal(#hit.events, #k.impact(pendulum, stronge).events)
  near(hit.energy.before, pendulum.energy.kinetic)
end)

test("half-built models can be collected", function()
  for i = 1, 200 do
    pcall(k.ball, { mass = -1 })
    pcall(k.double_pendulum, { length = { 1, 2, 3, 4, 5, 6 } })
    if i % 50 == 0 then collectgarbage() end
  end
end)

-- ---- the scenario of the front page ------------------------------------------------------------------

test("the ball of paper Y with tangential compliance, as its equations have it", function()
  local ball = k.ball { mass = 1, radius = 1, velocity = { -1, 0, -5 }, spin = { 0, 2, 0 } }
  local law = k.law.compliant { mu = 0.4, e = 0.5, eta = math.sqrt(17 / 14) }
  local hit = k.impact(ball, law)
  near(hit.velocity, { 0.544090155, 0, 2.5 }, 5e-10)
  near(hit.spin, { 0, -1.860225388, 0 }, 5e-10)
  local at = {}
  for _, event in ipairs(hit.events) do at[event.kind] = event.impulse end
  near({ at.stick, at.compression_end, at.slip, at["end"] }, { 0.625, 5, 7.365581970, 7.5 }, 5e-10)
  near(hit.energy.before, 13.8, 1e-13)
  near(hit.energy.lost, hit.energy.restitution + hit.energy.friction, 1e-12 * 13.8)
  near(ball.velocity, { -1, 0, -5 }, 0)
  for e, want in pairs { [0] = { 0.554538947, -1.886347367 }, [1] = { -0.08974388, -0.27564030 } } do
    local other = k.impact(ball, law:with { e = e })
    near({ other.velocity[1], other.spin[2] }, want, 5e-9)
  end
end)

test("a path in time starts with what was before", function()
  for _, law in ipairs { k.law.compliant { mu = 0.3, e = 0.5 }, k.law.vibration {} } do
    local hit = k.impact(k.ball { velocity = { 1, 0, -2 } }, law)
    local path = hit:trace(5)
    near({ path.t[1], path.p_n[1], path.F_n[1], path.x_n[1] }, { 0, 0, 0, 0 })
    near({ path.v_t1[1], path.v_n[1] }, { hit.contact_velocity_before[1], -2 })
    equal(path.t[2] > 0, true)
  end
end)

test("a path in time has columns for time, deflection and force", function()
  local hit = k.impact(k.ball { velocity = { -1, 0, -5 } }, k.law.compliant { mu = 0.4, e = 0.5 })
  local path = hit.path
  near(path.t[path.n], hit.duration, 1e-15)
  equal({ path.units.t, path.units.F_n, path.units.x_n }, { "s", "N", "m" })
  for i = 1, path.n do
    if path.F_n[i] < -1e-6 or path.x_n[i] > 1e-18 then error("pulls at " .. path.t[i]) end
  end
end)

-- ---- one recording of a hit --------------------------------------------------------------------------

-- a law that draws a random number each time it is asked, and counts how often that is
local function drawing()
  local count = { calls = 0 }
  return k.law { solve = function(pr)
    count.calls = count.calls + 1
    local p = {}
    for i = 1, pr.rows do p[i] = 0 end
    p[pr.rows] = -(1 + math.random()) * pr.v[pr.rows] / pr.W[pr.rows][pr.rows]
    return { impulse = p }
  end }, count
end

test("a law in Lua that draws random numbers shows one answer in one hit (rand.lua)", function()
  local law, count = drawing()
  local h = k.impact(k.ball {}, law)
  local p = h.impulse[3]
  for _ = 1, 3 do
    equal(h.events[#h.events].impulse, p)
    equal(h.path.p_n[h.path.n], p)
    equal(h:trace(7).p_n[h:trace(7).n], p)
    assert(tostring(h):find(("%.6g"):format(p), 1, true))
    h:plot "velocity"
    local _ = h.audit, h.W, h.energy
  end
  equal(count.calls, 1)
end)

test("so does a random law inside law.sequential, and an answer of k.solve", function()
  local law, count = drawing()
  local h = k.impact(k.ball {}, k.law.sequential { law = law })
  local p, calls = h.impulse[3], count.calls
  equal(h.events[#h.events].impulse, p)
  equal(h.path.p_n[h.path.n], p)
  equal(count.calls, calls)
  local a = k.solve(k.problem { W = { { 2, 0 }, { 0, 1 } }, v = { 0, -1 }, dim = 2 }, law)
  p = a.impulse[2]
  equal(a.path.p_n[a.path.n], p)
  equal(a.events[#a.events].impulse, p)
  equal(count.calls, calls + 1)
end)

test("the recording of a law in C ends with the hit's own bits", function()
  local m = k.ball { velocity = { -1.3, 0.4, -2.7 }, spin = { 0.2, 2, 0.1 } }
  for _, l in ipairs { k.law.newton { e = .3, mu = .2 }, k.law.poisson { e = .3, mu = .2 }, k.law.stronge { e = .3, mu = .2 },
    k.law.compliant { e = .3, mu = .2, eta = 1.1 }, k.law.plastic { mu = .4 } } do
    local h = k.impact(m, l)
    local path, e = h.path, h.events[#h.events]
    for i, name in ipairs { "p_t1", "p_t2", "p_n" } do
      equal(path[name][path.n], h.impulse[i])
      equal(e.p[i], h.impulse[i])
    end
    for i, name in ipairs { "v_t1", "v_t2", "v_n" } do equal(path[name][path.n], h.contact_velocity[i]) end
    equal(e.impulse, h.impulse[3])
  end
end)

test("the path of an answer is that of the problem as it was solved", function()
  local problem = k.problem { W = { { 3.5, 0 }, { 0, 1 } }, v = { 1, -2 }, dim = 2 }
  local a = k.solve(problem, k.law.stronge { e = .5, mu = .3 })
  problem.v = { 1, -20 }
  equal(a.path.p_n[a.path.n], a.impulse[2])
end)

test("a course begins with the state before, and closes its energies", function()
  local h = k.impact(k.ball { velocity = { -1, 0, -5 }, spin = { 0, 2, 0 } }, k.law.compliant { mu = .4, e = .5 })
  local c = h:course(10)
  equal(c.p_n[1], 0.0)
  near(c.v_n[1], -5)
  near(c.kinetic[1], h.energy.before, 1e-14)
  near(c.kinetic[c.n], h.energy.after, 1e-12 * h.energy.before)
  near(c.impulse[c.n], h.impulse[3], 0)
  for _, e in ipairs(c.events) do near(c.impulse[e.at], e.impulse, 0) end
end)

test("an impulse at a contact that was open is flagged, noted and listed; a far one gets none", function()
  local rod = k.rod { gaps = { 350e-6, 0 }, velocity = { 0, -1 }, gravity = 0 }
  for _, law in ipairs { k.law.compliant { k = 1e8 }, k.law.vibration { k = 1e8 } } do
    local hit = k.impact(rod, law)
    near({ hit.contact_velocity[2], hit.contact_velocity[4] }, { 1.2153622611, 0.3203995614 }, 1e-9)
    equal(hit.flags.closed_gap, true)
    equal(hit.closed_gaps, { 1 })
    if not tostring(hit):find("a contact that was open at the start got an impulse", 1, true) then error(tostring(hit)) end
    -- in a run the flight to P is the simulator's: Q alone, e = 1 at v = -1, W = 28
    near(k.impact(rod, law, { in_run = true }).impulse, { 0, 0, 0, 2 / 28 }, 1e-12)
  end
  rod = rod:with { gaps = { 0.04, 0 } }
  for _, law in ipairs { k.law.compliant {}, k.law.vibration {}, k.law.sequential { law = k.law.newton { e = 1 } } } do
    local hit = k.impact(rod, law)
    near(hit.impulse, { 0, 0, 0, 2 / 28 }, 1e-12)
    equal(hit.flags.closed_gap, nil)
    equal(#hit.closed_gaps, 0)
  end
  -- paper B, Fig 5 by the chain: flights are asked for
  local chain = k.law.sequential { law = k.law.newton { e = 1 }, window = 0.01 }
  local hit = k.impact(k.rod { gaps = { 250e-6, 0 }, velocity = { 0, -1 }, spin = -1, gravity = 0 }, chain)
  near({ hit.contact_velocity[2], hit.contact_velocity[4] }, { 32 / 49, 124 / 49 }, 1e-13)
end)

-- ---- k.prepare ----------------------------------------------------------------------------------------

test("a prepared function gives what with and k.impact give, to the last bit", function()
  local p, l = k.double_pendulum { q = { -1.2, 0.7 } }, k.law.stronge { e = 0.5, mu = 0.3 }
  local f = k.prepare(p, l, { "u[1]", "u[2]", "law.mu" }, { "rates[1]", "impulse", "energy.friction" })
  for i = 1, 50 do
    local u, mu = { -1, -i / 50 }, i / 60
    local a, pt, pn, lost = f(u[1], u[2], mu)
    local h = k.impact(p:with { u = u }, l:with { mu = mu })
    equal({ a, pt, pn, lost }, { h.rates[1], h.impulse[1], h.impulse[2], h.energy.friction })
  end
  equal(p.u[1], k.double_pendulum {}.u[1]) -- the model itself is not changed
end)

test("what cannot be prepared says why", function()
  local p, l = k.double_pendulum {}, k.law.stronge {}
  raises(function() k.prepare(p, l, { "vel[1]" }, { "impulse" }) end, "prepare: 'vel[1]' is no parameter of double_pendulum or law.stronge")
  raises(function() k.prepare(p, l, { "u" }, { "impulse" }) end, "prepare: 'u' has 2 elements: name one, as u[1]")
  raises(function() k.prepare(p, l, { "u[1]" }, { "impulze" }) end, "prepare: 'impulze' is no number of a hit of double_pendulum")
  raises(function() k.prepare(p, l, { "u[1]" }, { "impulse[3]" }) end, "prepare: 'impulse' has 2 elements, got [3]")
  raises(function() k.prepare(p, l, {}, { "impulse" }) end, "prepare: inputs must be a list of names")
  local f = k.prepare(p, l, { "e" }, { "impulse" })
  raises(function() f(2) end, "law.stronge: e must be a number between 0 and 1, got 2")
  raises(function() f "x" end, "prepare: argument 1 must be a number, got a string ('x')")
end)

-- gap - v (gap / v) is 4e-16 here: flights of 1e-17, 1e-33, ... followed
test("a flight ends where its contact closes, whatever rounding leaves of the gap", function()
  local rod = k.rod { velocity = { 0, -1 }, spin = -1.452, gaps = { 9e-05, 0 }, gravity = 0 }
  local hit = k.impact(rod, k.law.compliant { k = 1e8, e = 1 }, { contacts = { 1, 2 } })
  equal(hit.status, "ok")
  near(hit.audit.ledger, 0, 1e-12)
end)

test("the energy of a hit prints as a person reads it", function()
  local hit = k.impact(k.ball { velocity = { 0, 0, -2 } }, k.law.newton { e = 0.5 })
  equal(tostring(hit.energy), "{ after = 0.5, before = 2, friction = 0, lost = 1.5, restitution = 1.5, stored = 0 }")
end)
