-- Contacts with different numbers of rows, as a script sees them: a plank with two feet (rows t, n) and a stop of
-- its angle (row n alone).
local k = require "knock"

local m, inertia, a, b, limit = 2, 0.5, 0.7, 1.1, 0.3

local function plank(q, u)
  return k.model {
    name = "plank", coordinates = { "x", "z", "angle" }, q = q, u = u,
    mass = { m, m, inertia }, dim = { 2, 1, 2 },
    gap = function(q) return { q[2] - a * math.sin(q[3]), limit - q[3], q[2] + b * math.sin(q[3]) } end,
    jacobian = function(q)
      local c, s = math.cos(q[3]), math.sin(q[3])
      return { { 1, 0, a * s }, { 0, 1, -a * c }, { 0, 0, -1 }, { 1, 0, -b * s }, { 0, 1, b * c } }
    end,
    potential = function(q) return m * 9.81 * q[2] end,
  }
end

-- the left foot and the stop touch
local function corner() return plank({ 0, a * math.sin(limit), limit }, { 1, -2, 0.5 }) end

test("fields of a hit follow the rows of each contact", function()
  local hit = k.impact(corner(), k.law.sequential { law = k.law.stronge { e = 0.5, mu = 0.3 } }, { contacts = { 1, 2 } })
  equal(table.concat(hit.dim, " "), "2 1")
  equal(#hit.impulse, 3)
  equal(#hit.impulses[1], 2)
  equal(#hit.impulses[2], 1)
  equal(hit.impulses[2][1], hit.impulse[3])
  for _, name in ipairs { "p1_t", "p1_n", "p2_n", "v1_t", "v1_n", "v2_n" } do
    if not hit.path[name] then error("no column " .. name) end
  end
  if hit.path.p2_t then error "the stop has no row t" end
  local last = hit.events[#hit.events]
  equal(last.kind, "end")
  equal(#last.p, 3)
  near(last.impulse, hit.impulse[2] + hit.impulse[3], 1e-14)
  for _, e in ipairs(hit.events) do
    if e.contact == 2 then equal(#e.p, 1) end
  end
  if not tostring(hit):find "contact" then error "no page" end
  for _, key in ipairs { "momentum", "velocity", "energy", "ledger", "cone", "penetration", "pull" } do
    near(hit.audit[key], 0, 1e-12)
  end
end)

-- all three contacts of the model: J, W, v and the list of contacts
test("fields of a model follow the rows of each contact", function()
  local p = corner()
  equal(table.concat(p.dim, " "), "2 1 2")
  equal(#p.J, 5)
  equal(#p.v, 5)
  equal(#p.contacts[2].velocity, 1)
  near(p.contacts[2].velocity[1], -0.5, 1e-15)
  near(p.W[3][3], 1 / inertia, 1e-15)
  if not tostring(p):find("(t, n), (n), (t, n)", 1, true) then error(tostring(p)) end
end)

test("a problem keeps the rows when it is saved and solved again", function()
  local law = k.law.newton { e = 0.4 }
  local problem = k.problem(corner(), nil, { contacts = { 1, 2 } })
  local again = k.problem(load(problem:text())())
  equal(again.nc, 2)
  equal(table.concat(again.dim, " "), "2 1")
  local one, two = k.solve(problem, law), k.solve(again, law)
  for i = 1, 3 do equal(one.impulse[i], two.impulse[i]) end
  local hit = k.impact(corner(), law, { contacts = { 1, 2 } })
  for i = 1, 3 do equal(one.impulse[i], hit.impulse[i]) end
  if not one.path.p2_n or one.path.p2_t then error "columns of the path" end
  if not tostring(problem):find("(t, n), (n)", 1, true) then error(tostring(problem)) end
end)

test("contacts that agree are one number", function()
  local W = { { 2, 0, 0 }, { 0, 2, 0 }, { 0, 0, 2 } }
  local answer = k.solve({ W = W, v = { -1, -1, -1 }, dim = { 1, 1, 1 } }, k.law.vibration {})
  near(answer.velocity[2], 1, 1e-14)
end)

test("bad rows are refused", function()
  local W, v, law = { { 2, 0, 0 }, { 0, 2, 0 }, { 0, 0, 2 } }, { -1, -1, -1 }, k.law.newton {}
  raises(function() k.solve({ W = W, v = v, dim = { 4, 1 } }, law) end, "solve: dim must say how many of the 3 rows (1, 2 or 3) each contact has, got 4 for contact 1")
  raises(function() k.solve({ W = W, v = v, dim = { 1, 1 } }, law) end, "rows of the contacts must add up to the 3 of W, got 2")
  raises(function() k.solve({ W = W, v = v, dim = { 2, 1 } }, k.law { name = "lua", solve = function(p) return { 0, 0, 0 } end }) end, "law.lua takes contacts with the same number of rows, got 2 at contact 1")
  raises(function()
    k.model { coordinates = { "x" }, mass = { 1 }, gap = function(q) return { q[1], q[1] } end, dim = { 1, 4 } }
  end, "model: dim[2] must be 1, 2 or 3")
  raises(function()
    k.model { name = "two", coordinates = { "x" }, q = { 1 }, mass = { 1 }, gap = function(q) return { q[1] } end, dim = { 1, 2 } }
  end, "dim must have one number for each of the 1 gaps, got 2")
end)

test("a law in lua that takes them gets a list", function()
  local seen
  local law = k.law { name = "mine", mixed = true, solve = function(p)
    seen = p.dim
    return { 0, -p.v[2] / p.W[2][2], 0 }
  end }
  k.solve({ W = { { 2, 0, 0 }, { 0, 2, 0 }, { 0, 0, 2 } }, v = { 0, -1, 1 }, dim = { 2, 1 } }, law)
  equal(table.concat(seen, " "), "2 1")
end)

-- a run: impacts at the stop, columns of forces, hits of its events
test("a run tells rows of each contact", function()
  local run = k.simulate(plank({ 0, 1, 0 }, { 0.5, 0, 2 }), k.law.newton { e = 0.6 }, { t_end = 1 })
  local first = run.events[1]
  equal(first.kind, "impact")
  equal(#first.impulse, 1)
  near(first.t, limit / 2, 1e-9)
  near(first.impulse[1], inertia * 1.6 * 2, 1e-9)
  near(first.hit.impulse[1], first.impulse[1], 1e-14)
  local columns = run.columns
  for _, name in ipairs { "f1_t", "f1_n", "f2_n", "f3_t", "f3_n" } do
    if not columns[name] then error("no column " .. name) end
  end
  equal(#run:at(0.5).force, 5)
end)

-- a rod on a slide lands while its hinge sits at its stop: N s and N m s in one impact
local function lander(height, rate)
  return k.mechanism {
    plane = true, obstacles = { floor = { point = { 0, -1 }, normal = { 0, 1 } } }, q = { rail = height, rod = 0 }, u = { rail = rate, rod = -1.5 },
    bodies = { { name = "rail", joint = "slide", axis = { 0, 1 }, mass = 1 },
               { name = "rod", parent = "rail", joint = "hinge", mass = 1, com = { 0.2, -0.5 }, inertia = 0.1, lower = 0, upper = 1, points = { tip = { 0.1, -1 } } } },
  }
end

test("impulses of a hinge's stop and of a point have no sum", function()
  for _, law in ipairs { k.law.newton { e = 0.5 }, k.law.compliant { e = 0.5, mu = 0.3 }, k.law.moreau { e = 0.5, mu = 0.3 } } do
    local hit = k.impact(lander(0, -1), law)
    local course, last = hit:course(), hit.events[#hit.events]
    equal(last.kind, "end")
    equal(last.impulse, nil)
    equal(#last.p, #hit.impulse)
    equal(course.impulse, nil)
    equal(course.units.impulse, nil)
    for _, e in ipairs(hit.events) do if e.contact then equal(e.impulse, e.p[#e.p]) end end
    for _, kind in ipairs { "energy", "ledger", "velocity", "impulse", "work" } do
      equal(hit:plot(kind)[1].x.unit, nil)
    end
  end
end)

test("impulses of one unit have their sum, in that unit", function()
  local free = lander(1, 0) -- the stop alone is hit
  local hit = k.impact(free, k.law.newton { e = 0.5 }, { contacts = { 2, 3 } })
  local course = hit:course()
  equal(course.units.impulse, "N m s")
  near(hit.events[#hit.events].impulse, hit.impulse[1] + hit.impulse[2], 1e-15)
  equal(hit:plot("energy")[1].x.unit, "N m s")
end)
