-- Lists of a law by the names of a mechanism's contacts, mu = { foot = 0.8, stop = 0 }, wherever a law meets a model or a problem.
local k = require "knock"

local function two_feet()
  return k.mechanism { plane = true, bodies = {
    { name = "trunk", joint = "free", mass = 5, inertia = 0.4 },
    { name = "left", parent = "trunk", joint = "hinge", at = { -0.2, 0 }, mass = 1, com = { 0, -0.3 }, inertia = 0.03, points = { foot = { 0, -0.6 } }, lower = -0.5 },
    { name = "right", parent = "trunk", joint = "hinge", at = { 0.2, 0 }, mass = 1, com = { 0, -0.3 }, inertia = 0.03, points = { foot = { 0, -0.6 } }, upper = 0.5 } },
    obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } },
    q = { trunk = { 0, 0.6, 0 } }, u = { trunk = { 0.3, -1, 0.1 } } }
end

test("parameters of a law by the names of contacts", function()
  local m = two_feet()
  local by_name = k.impact(m, k.law.compliant { e = 0.5, mu = { ["left.foot"] = 0.1, right = 0.7, stop = 0 } })
  local by_list = k.impact(m, k.law.compliant { e = 0.5, mu = { 0.1, 0.7, 0, 0 } }, { contacts = { 1, 2, 3, 4 } })
  near(by_name.u, by_list.u, 1e-12)
  equal(k.law.compliant { mu = { foot = 0.8, stop = 0 } }.mu.foot, 0.8)
  equal(k.law.compliant { mu = { foot = 0.8, stop = 0 } }:with { mu = 0.2 }.mu, 0.2)
  equal(tostring(k.law.compliant { mu = { foot = 0.8, stop = 0 } }):find("{foot = 0.8, stop = 0}", 1, true) ~= nil, true)
  local a = k.simulate(m, k.law.compliant { e = 0.3, mu = { foot = 0.4, other = 0 } }, { t_end = 0.3 })
  local b = k.simulate(m, k.law.compliant { e = 0.3, mu = { 0.4, 0.4, 0, 0 } }, { t_end = 0.3 })
  near(a:at(0.3).q, b:at(0.3).q, 1e-12)
  raises(function() k.impact(m, k.law.compliant { mu = { fot = 0.8, stop = 0 } }) end, "no contact is called 'fot'", "did you mean 'foot'")
  raises(function() k.impact(m, k.law.compliant { mu = { foot = 0.8 } }, { contacts = { 1, 2, 3, 4 } }) end, "mu says nothing of contact 'left.lower'")
  raises(function() k.impact(m, k.law.compliant { mu = { foot = 0.8, floor = 0.7, stop = 0 } }) end, "is meant by 'foot' and by 'floor'")
  raises(function() k.impact(k.ball {}, k.law.compliant { mu = { foot = 0.8 } }) end, "contacts of ball have no names")
  raises(function() k.law.compliant { mu = { foot = -1 } } end, "mu must be a non-negative number")
  raises(function() k.solve({ W = { { 1 } }, v = { -1 } }, k.law.compliant { mu = { foot = 0.8 } }) end, "by the names of contacts")
end)

-- k.impact of a law that is written anew for each case is the other route
test("laws by the names of contacts in k.prepare, sweep:impact and k.solve, with axes that set one entry", function()
  local m = two_feet():with { ["trunk.u"] = { 2, -1, 0.1 } }
  local function laws(left, foot)
    return ipairs { k.law.moreau { e = 0.5, mu = { ["left.foot"] = left, foot = foot, stop = 0 } },
      k.law.compliant { e = 0.5, mu = { ["left.foot"] = left, foot = foot, other = 0 } } }
  end
  for i, law in laws(0.3, 0.4) do
    local f = k.prepare(m, law, { "mu.left.foot", "law.mu.foot" }, { "impulse" })
    local t = k.sweep { { "a", { 0.05, 0.2 } }, { "b", { 0.1, 0.7 } } }:impact(m, law, { "u" }, { map = { a = "mu.left.foot", b = "mu.foot" } })
    local s = k.sweep { e = { 0.2, 0.5 } }:impact(m, law, { "u" })
    near(s.u[2], k.impact(m, law).u, 1e-12)
    near(k.solve(k.problem(m, law), law).impulse, k.impact(m, law).impulse, 1e-12)
    local row = 0
    for _, a in ipairs { 0.05, 0.2 } do
      for _, b in ipairs { 0.1, 0.7 } do
        local case
        for j, l in laws(a, b) do case = j == i and l or case end
        local hit, p = k.impact(m, case), { f(a, b) }
        row = row + 1
        for j = 1, #hit.impulse do near(p[j], hit.impulse[j], 1e-12) end
        near(t.u[row], hit.u, 1e-12)
        near(k.solve(k.problem(m, case), case).impulse, hit.impulse, 1e-12)
      end
    end
    equal(math.abs(t.u[1][1] - t.u[2][1]) > 1e-3 and math.abs(t.u[1][1] - t.u[3][1]) > 1e-3, true) -- each axis matters
  end
end)

test("a law with a list for all contacts sweeps where some of them touch, as it strikes there", function()
  local m = two_feet():with { ["trunk.u"] = { 2, -1, 0.1 } }
  local law = k.law.sequential { law = k.law.compliant { e = 0.5, mu = { ["left.foot"] = 0.1, foot = 0.4, stop = 0 } } }
  local plain = k.law.sequential { law = k.law.compliant { e = 0.5, mu = { 0.1, 0.4, 0, 0 } } }
  for _, l in ipairs { law, plain } do
    local t = k.sweep { turn = { 0, 0.2 } }:impact(m, l, { "u" }, { map = { turn = "trunk.u[3]" } })
    for i, turn in ipairs { 0, 0.2 } do near(t.u[i], k.impact(m:with { ["trunk.u"] = { 2, -1, turn } }, plain).u, 1e-12) end
  end
end)

test("a problem keeps the names of contacts, in files too", function()
  local m, path = two_feet(), os.tmpname()
  local law = k.law.moreau { e = 0.5, mu = { foot = 0.1, stop = 0 } }
  local p = k.problem(m, law):save(path)
  equal(p.names, { "left.foot/floor", "right.foot/floor", "left.lower", "right.upper" })
  near(k.problem(path):solve(law).impulse, k.impact(m, law).impulse, 1e-12)
  os.remove(path)
  local own = { W = { { 1, 0 }, { 0, 2 } }, v = { -1, -2 }, dim = 1, names = { "heel", "toe" } } -- p = -(1 + e) v / W
  near(k.solve(own, k.law.moreau { mu = 0, e = { heel = 0, toe = 0.5 } }).impulse, { 1, 1.5 }, 1e-15)
end)

test("names that k.prepare, sweep:impact and k.solve cannot use say why", function()
  local m, law = two_feet(), k.law.moreau { mu = { foot = 0.4, stop = 0 } }
  raises(function() k.prepare(m, law, { "mu.fot" }, { "u" }) end, "law.moreau: mu has no entry 'fot' (did you mean 'foot'?)")
  raises(function() k.prepare(m, law, { "e.foot" }, { "u" }) end, "law.moreau: e is not by the names of contacts, so it has no 'foot'")
  raises(function() k.prepare(m, law, { "mu.foot[1]" }, { "u" }) end, "prepare: 'mu.foot[1]' is no parameter")
  raises(function() k.prepare(m, law:with { mu = { foot = 0.4 } }, { "mu.foot" }, { "u" }) end, "mu says nothing of contact 'left.lower'")
  raises(function() k.prepare(m, law, { "mu.foot" }, { "u" })(-1) end, "mu must be a non-negative number")
  local sweep = k.sweep { a = { 0.1, 0.2 } }
  raises(function() sweep:impact(m, law, { "u" }, { map = { a = "mu.stopp" } }) end, "mu has no entry 'stopp' (did you mean 'stop'?)")
  raises(function() sweep:impact(k.ball {}, law, { "u" }, { map = { a = "e" } }) end, "contacts of ball have no names")
  raises(function() k.sweep { a = { { 0.1, 0.2 } } }:impact(m, law, { "u" }, { map = { a = "mu.foot" } }) end, "axis 'a' sets no parameter")
  local p = { W = { { 1 } }, v = { -1 } }
  raises(function() k.solve(p, law) end, "the problem has no names")
  p.names = { "foot", "stop" }
  raises(function() k.solve(p, law) end, "solve: names must be one for each of 1 contacts, got 2")
  p.names = { 3 }
  raises(function() k.solve(p, law) end, "solve: names[1] must be the name of a contact, got 3")
  p.names, p.contacts = { "foot", "stop" }, { 3 }
  raises(function() k.solve(p, law) end, "solve: contacts[1] is 3, and there are 2 names")
end)
