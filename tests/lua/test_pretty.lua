-- How the session shows values.
local k = require "knock"
local pretty = require "knock.pretty"

test("what fits stands in one line, keys sorted", function()
  equal(pretty.text { 1, 2.5, "x", b = true, a = { 1 } }, '{ 1, 2.5, "x", a = { 1 }, b = true }')
  equal(pretty.text {}, "{}")
end)

test("long lists fill lines of 80 columns, and are cut", function()
  local list = {}
  for i = 1, 60 do list[i] = i * i end
  local text = pretty.text { a = list }
  for line in text:gmatch "[^\n]+" do assert(#line <= 80, line) end
  assert(select(2, text:gsub("\n", "")) < 8, "one number in a line")
  assert(text:find("1600, ... 20 more }", 1, true), text)
  assert(text:find("\n  a = { 1, 4, 9,", 1, true), text)
  local back = load("return " .. text:gsub(", %.%.%. 20 more", ""))()
  for i = 1, 40 do equal(back.a[i], i * i) end
end)

test("records of a list stand each for itself", function()
  local records = {}
  for i = 1, 3 do records[i] = { kind = "stick", impulse = i / 4, velocity = { -1.6, 0, -4.25 }, note = ("n"):rep(30) } end
  local text = pretty.text(records)
  equal(select(2, text:gsub("\n  {", "")), 3)
  equal(load("return " .. text)(), records)
end)

test("k.law and k.mechanism are what they hold, k is a line", function()
  assert(pretty.text(k.law):find("newton = k.law.newton{...}: a law, see help law.newton", 1, true), pretty.text(k.law))
  assert(pretty.text(k.mechanism):find("load = k.mechanism.load: help load", 1, true), pretty.text(k.mechanism))
  equal(pretty.text(k), "knock: help lists what it has")
end)

test("cycles and depth end", function()
  local t = { 1 }
  t.self = t
  equal(pretty.text(t), "{ 1, self = <cycle> }")
  equal(pretty.text { { { { { 1 } } } } }, "{ { { { {...} } } } }")
end)

test("events print with their units", function()
  local run = k.simulate(k.ball { position = { 0, 0, 1 } }, k.law.stronge { e = 0.5 }, { t_end = 0.15 })
  local list, one, last = tostring(run.events), tostring(run.events[2]), tostring(run.events[#run.events])
  assert(list:find "impact  0.101936799 s  contact 1  %(0, 0, 0.75%) N s  0.09375 J", list)
  assert(one:find "^impact\n" and one:find "t  +0.1019367992 s" and one:find "impulse  +{0, 0, 0.75} N s" and one:find "lost  +0.09375 J", one)
  assert(last:find "^stop\n" and last:find "why  +t_end", last)
  local hit = k.impact(k.ball {}, k.law.stronge {})
  assert(tostring(hit.events):find "compression_end  1        1 N s           %(0, 0, 0%) m/s", tostring(hit.events))
  assert(tostring(hit.events[1]):find "velocity  +{0, 0, 0} m/s", tostring(hit.events[1]))
end)

test("pages of hits and runs fit 100 columns, and names stay with their numbers", function()
  local law = k.law.compliant { mu = 0.3, e = 0.5 }
  local run = k.simulate(k.double_pendulum { q = { 1.2, 0.3 }, floor = -1.2 }, law, { t_end = 10 })
  for _, text in ipairs { tostring(k.impact(k.ball {}, law)), tostring(run) } do
    for line in text:gmatch "[^\n]+" do equal(#line <= 100, true, line) end
    equal(text:find "=\n", nil)
    equal(text:find "\n%s*=", nil)
  end
end)

test("answers of the blackboard and multipliers print their numbers", function()
  local p = k.solve.planar { W = { { 1, 0 }, { 0, 1 } }, v = { 0, -1 }, mu = 0, e = 0.5 }
  equal(tostring(p.energy), "{ friction = 0, lost = 0.375, restitution = 0.375, stored = 0 }")
  raises(function() return p.energy.frction end, "frction", "did you mean 'friction'")
  local c = k.cycle(k.rimless_wheel { slope = 0.15, rate = 1.5, inertia = 0.1 }, k.law.moreau { mu = 9, e = 0 }, { map = "step" })
  equal(tostring(c.multipliers):match "^{0%.[%d]+, 0, 0, 0, 0, 0}$" ~= nil, true)
end)
