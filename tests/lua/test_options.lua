-- Tables of options: one description checks them, fills in defaults, and is what help and Tab show.
local k = require "knock"
local options = require "knock.options"

local hit = k.impact(k.ball {}, k.law.newton {})
local s = k.sweep { a = { 1, 2 } }
local r = s:run(function(p) return { b = p.a } end)

test("misspelt options of every function are told the nearest name", function()
  raises(function() r:plot { x = "a", y = "b", xlable = "x" } end, "plot: unknown option 'xlable' (did you mean 'xlabel'?)")
  raises(function() k.figure {}:save("/tmp/never.pdf", { kep = true }) end, "save: unknown option 'kep' (did you mean 'keep'?)")
  raises(function() k.figure {}[1]:line { x = { 1, 2 }, y = { 1, 2 }, lable = "x" } end, "line: unknown option 'lable' (did you mean 'label'?)")
  raises(function() s:impact(k.ball {}, k.law.newton {}, { "status" }, { fiel = "x" }) end, "impact: unknown option 'fiel' (did you mean 'file'?)")
  raises(function() s:run(print, { jbs = 1 }) end, "run: unknown option 'jbs' (did you mean 'jobs'?)")
  raises(function() hit:plot("energy", { ovr = "time" }) end, "plot: unknown option 'ovr' (did you mean 'over'?)")
  raises(function() k.figure { colls = 2 } end, "figure: unknown option 'colls' (did you mean 'cols'?)")
  raises(function() k.plot { y = { 1, 2 }, xlable = "t" } end, "plot: unknown option 'xlable' (did you mean 'xlabel'?)")
  raises(function() k.impact(k.ball {}, k.law.newton {}, { touc = 1 }) end, "(did you mean 'touch'?)")
  raises(function() k.simulate(k.ball {}, k.law.newton {}, { t_end = 1, evnts = {} }) end, "simulate: unknown parameter 'evnts' (did you mean 'events'?)")
  raises(function() k.ball {}:plot { bear = true } end, "plot: unknown option 'bear' (did you mean 'bare'?)")
end)

test("live names a column that there is", function()
  raises(function() k.simulate(k.ball {}, k.law.newton {}, { t_end = .1, live = { y = "nonsense" } }) end, "simulate: live: no column 'nonsense'")
  raises(function() k.simulate(k.ball {}, k.law.newton {}, { t_end = .1, live = { y = "q11" } }) end, "no column 'q11' (did you mean 'q1'?)")
  raises(function() k.simulate(k.ball {}, k.law.newton {}, { t_end = .1, live = 3 }) end, "simulate: live must be true or a table, got 3")
end)

test("a dot for a colon says: use :", function()
  raises(function() hit.plot "energy" end, "plot is a method of a hit: use : as in x:plot(...), not a dot")
  raises(function() hit.next() end, "next is a method of a hit: use :")
  raises(function() s.run(function() end) end, "run is a method of a sweep: use :")
  raises(function() s.impact(k.ball {}, k.law.newton {}) end, "impact is a method of a sweep: use :")
  raises(function() r.plot { x = "a" } end, "plot is a method of a table: use :")
  raises(function() k.ball {}.plot() end, "plot is a method of a model: use :")
  raises(function() k.ball {}.with { mass = 2 } end, "with is a method of a model: use :")
end)

test("a description checks kinds, limits and choices, and fills in defaults", function()
  local check = options.define("test:it", {
    { "n", "integer", "how many", default = 3, min = 1, max = 9 }, { "way", "string", "which", choices = { "up", "down" } },
    { "size", "number", "how large", unit = "cm", above = 0 }, { "f", "function|boolean", "what" } })
  equal(check(), { n = 3 })
  equal(check { n = 5, way = "up" }, { n = 5, way = "up" })
  raises(function() check { n = 10 } end, "it: n must be a whole number from 1 to 9, got 10")
  raises(function() check { way = "left" } end, "it: way must be one of up, down, got a string ('left')")
  raises(function() check { size = 0 } end, "it: size must be a number above 0 of cm, got 0")
  raises(function() check { size = 0 / 0 } end, "it: size must be a number above 0 of cm")
  raises(function() check { f = 1 } end, "it: f must be a function or true or false, got 1")
  raises(function() check(7) end, "it: takes a table of options, got 7")
  options.all["test:it"] = nil
end)

test("help and Tab read the same lists", function()
  local page = require "knock.help".page "simulate"
  for _, p in ipairs(k.catalog().options["k.simulate"]) do assert(page:find(p.key, 1, true), p.key) end
  assert(page:find("rtol", 1, true) and page:find("1e-9", 1, true))
  local words = require "knock.complete".words
  local function offers(text, name)
    for _, word in ipairs((words(text, #text:match "^(.-)[%w_]*$"))) do if word == name then return true end end
    return false
  end
  assert(offers("k.simulate(m, l, { t_", "t_end"))
  assert(offers("k.figure{ ro", "rows"))
  assert(offers("k.figure({ ro", "rows"))
  assert(offers('hit:plot("energy", { ov', "over"))
  assert(offers("s:run(f, { fi", "file"))
  assert(offers("k.ball{ ma", "mass"))
  rawset(_G, "k", k) -- as in a session
  assert(offers("k.law.str", "stronge"))
  assert(offers("k.mechanism.lo", "load"))
  assert(offers("k.ba", "ball"))
  rawset(_G, "k", nil)
end)

test("every other table of options, axes and panels too, is checked with the nearest name", function()
  local f = k.figure {}
  f[1]:line { x = { 0, 1 }, y = { 0, 1 } }
  local z = { { 1, 2 }, { 3, 4 } }
  local cases = {
    { "text: unknown option 'colur' (did you mean 'colour'?)", function() f[1]:text { x = 0, y = 0, text = "a", colur = 1 } end },
    { "vline: unknown option 'colur' (did you mean 'colour'?)", function() f[1]:vline(1, { colur = "red" }) end },
    { "hline: unknown option 'widht' (did you mean 'width'?)", function() f[1]:hline(1, { widht = 2 }) end },
    { "contour: unknown option 'lables' (did you mean 'labels'?)", function() f[1]:contour { x = { 0, 1 }, y = { 0, 1 }, z = z, lables = false } end },
    { "heat: unknown option 'pallete'", function() f[1]:heat { x = { 0, 1 }, y = { 0, 1 }, z = z, pallete = 1 } end },
    { "compare: unknown option 'quite' (did you mean 'quiet'?)", function() k.compare(k.ball {}, { k.law.newton {} }, { quite = true }) end },
    { "problem: unknown option 'gpa' (did you mean 'gap'?)", function() k.problem { W = { { 1 } }, v = { 1 }, gpa = 1 } end },
    { "solve.block: unknown option 'ee' (did you mean 'e'?)", function() k.solve.block { M = { { 1 } }, A = { { 1 } }, u = { 1 }, ee = 1 } end },
    { "plot: axis x: unknown option 'lable' (did you mean 'label'?)", function() f[1].x = { lable = "t" } f:plan() end },
    { "plot: panel 1: unknown option 'titel' (did you mean 'title'?)", function() f[1].x, f[1].titel = nil, "x" f:plan() end },
    { "show: unknown option 'tsyle' (did you mean 'style'?)", function() f:show { tsyle = "slides" } end },
  }
  for _, case in ipairs(cases) do raises(case[2], case[1]) end
end)
