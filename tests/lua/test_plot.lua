-- Figures by real gnuplot: what they show, that they are the same every time, and that nothing runs.

local k = require "knock"
local gnuplot = require "knock.gnuplot"
local text = require "knock.draw.text"
local help = dofile(test_dir .. "/plot_help.lua")
local svg, path, bytes, exists, wave, saved = help.svg, help.path, help.bytes, help.exists, help.wave, help.saved
local T = k.figure.math

test("a figure shows its curves, marks, labels with units and key", function()
  local x, y = wave(300)
  local f = k.figure {}
  f:line { x = x, y = y, label = "first" }:line { x = x, y = x, label = "second" }:points { x = { 1, 2, 3 }, y = { 0, 0, 0 }, label = "events" }
  f[1].x, f[1].y = { label = T"$p_n$", unit = "N s" }, { label = "v", unit = "m/s" }
  local page = saved(f, "a.svg")
  equal(#page.plots, 3)
  assert(page.plots[1].points >= 300 and page.plots[2].points >= 300)
  equal(page.plots[3].marks, 3)
  for _, word in ipairs { "first", "second", "events", "v (m/s)", "pn (N\u{2009}s)" } do
    assert(svg.has_text(page, word), word .. " is missing")
  end
  equal(page.w, 251) -- 252 TeX points
  assert(page.source:find 'width="251pt"')
end)

-- how many kinds of marks a page has
local function kinds_of_marks(page)
  local seen, n = {}, 0
  for id in page.source:gmatch "<use xlink:href='#(gpPt%d+)' transform='translate" do if not seen[id] then seen[id], n = true, n + 1 end end
  return n
end

test("points of several series differ in their marks: grey print has no colours", function()
  local t = k.table { x = { 1, 2, 1, 2, 1, 2 }, y = { 1, 2, 2, 3, 3, 4 }, z = { 6, 5, 5, 4, 4, 3 }, m = { 1, 1, 2, 2, 3, 3 } }
  equal(kinds_of_marks(saved(t:plot { x = "x", y = "y", by = "m", kind = "points" }, "by.svg")), 3)
  equal(kinds_of_marks(saved(t:plot { x = "x", y = { "y", "z" }, by = "m", kind = "both" }, "both.svg")), 3) -- colours tell y and z
  equal(kinds_of_marks(saved(t:plot { x = "x", y = { "y", "z" }, kind = "points" }, "two.svg")), 2)
  equal(kinds_of_marks(saved(k.plot { x = { 1, 2 }, y = { { 1, 2 }, { 2, 3 } }, kind = "points" }, "lists.svg")), 2)
  equal(kinds_of_marks(saved(k.plot { x = { 1, 2 }, y = { { 1, 2 }, { 2, 3 } }, kind = "both", mark = "star" }, "told.svg")), 1)
end)

test("texts, and true and false, tell curves apart", function()
  local t = k.table { x = { 1, 2, 9, 1, 2 }, y = { 1, 2, 9, 2, 3 }, law = { "newton", "newton", nil, "a_b", "a_b" }, up = { true, true, nil, false, false } }
  local page = saved(t:plot { x = "x", y = "y", by = "law" }, "law.svg") -- the row in the middle has none
  equal(#page.plots, 2)
  assert(svg.has_text(page, "law = a_b") and svg.has_text(page, "law = newton"))
  page = saved(t:plot { x = "x", y = "y", by = "up", kind = "points" }, "up.svg")
  assert(svg.has_text(page, "up = false") and svg.has_text(page, "up = true"))
end)

test("values that are all the same, or differ by rounding, have axes and a scale of colours", function()
  for _, z in ipairs { 1, 0, -3e9 } do
    for _, kind in ipairs { "heat", "filled", "contour" } do
      saved(k.plot { x = { 1, 2, 3 }, y = { 1, 2 }, z = { { z, z, z }, { z, z, z } }, kind = kind }, "flat.svg")
    end
  end
  local _, one = next { 1 / 3 }
  saved(k.plot { y = { one, one + 2 ^ -54, one } }, "dust.svg")
  saved(k.plot { y = { 1e300, 1e300 } }, "large.svg")
  saved(k.plot { y = { 5e-324, 1e-323 } }, "small.svg")
end)

test("long labels, headings and titles break into lines inside the page", function()
  local long = "a very long label of an axis that cannot fit into one column of a paper, with its unit [kg m^2/s]"
  local f = k.plot { y = { 1, 2 }, xlabel = long, ylabel = long, title = long:gsub("%[.*", "") }
  local page = saved(f, "long.svg")
  local all = {}
  for _, t in ipairs(page.texts) do all[#all + 1] = t.text end
  assert(table.concat(all, " "):find("one column of a paper, with its unit (kg\u{2009}m²/s)", 1, true), table.concat(all, "|"))
  local both = k.figure { f, k.plot { y = { 1, 2 }, xlabel = "short" }, cols = 2, title = (long .. " "):rep(3) }
  saved(both, "long2.svg")
  equal(#text.wrap("short", 10), 1)
  local lines = text.wrap(T"speed $v_n$ of the point $p_{n + 1}$ [m/s]", 9)
  for _, line in ipairs(lines) do assert(text.width(line) <= 9, text.plain(line)) end
  equal(text.plain(lines[#lines]), "point p_n + 1 [m/s]")
end)

test("a point without neighbours is seen", function()
  local nan = 0 / 0
  equal(saved(k.plot { x = { 1 }, y = { 2 } }, "one.svg").plots[2].marks, 1)
  equal(saved(k.plot { y = { 1, nan, 2, math.huge, 3, 4 } }, "alone.svg").plots[2].marks, 2)
  equal(#saved(k.plot { y = { 1, 2, nan, 3, 4 } }, "pairs.svg").plots, 1)
end)

test("numbers beside an axis with equal scales leave its label alone", function()
  local axis = require "knock.draw.axis"
  for _, size in ipairs { { 1, 1.6 }, { 1.2, 1.7 }, { 1.3, 1.6 }, { 2.6, 0.6 }, { 2.7, 0.7 }, { 2.8, 0.6 } } do
    local p = k.plot { x = { 0, size[1] }, y = { 0, size[2] }, xlabel = "x [m]", ylabel = "z [m]", equal = true }:plan()
    local wide = 0
    for _, label in ipairs(axis.labels(p.panels[1].axes.y)) do wide = math.max(wide, text.width(label)) end
    local box = p.panels[1].box
    assert(box.l - box.outer >= (wide + 0.5 + 1.35) * p.style.size, size[2])
  end
end)

test("many curves of two columns: colour tells the value, dash the column", function()
  local rows = { a = {}, x = {}, v = {}, w = {} }
  for a = 1, 10 do for x = 1, 3 do
    local n = #rows.a + 1
    rows.a[n], rows.x[n], rows.v[n], rows.w[n] = a, x, a * x, -a * x
  end end
  local page = saved(k.table(rows):plot { x = "x", y = { "v", "w" }, by = "a" }, "shades.svg")
  assert(svg.has_text(page, "v") and svg.has_text(page, "w"))
  local _, dashed = page.source:gsub("stroke%-dasharray", "")
  assert(dashed >= 11, dashed) -- ten curves and the key
end)

test("a label in the key that is longer than the page breaks into lines", function()
  local long = "a label in the key that is far too long for one column of a paper and goes on and on"
  local page = saved(k.plot { y = { { 1, 2 }, { 2, 3 } }, label = { long, "short" } }, "key.svg")
  local all = {}
  for _, t in ipairs(page.texts) do all[#all + 1] = t.text end
  assert(table.concat(all, " "):find(long .. " short", 1, true), table.concat(all, "|"))
end)

test("nine curves look different", function()
  local y, seen = {}, {}
  for j = 1, 9 do y[j] = { j, j + 1 } end
  for _, l in ipairs(k.plot { y = y }[1].layers) do
    local style = require "knock.draw.style".get "ieee1"
    local look = require "knock.draw.layer".sample(l, style).stroke
    equal(seen[look], nil)
    seen[look] = true
  end
end)

test("the label of z is on the page, whatever the numbers beside it", function()
  for _, scale in ipairs { 1, 0.011, 1000 } do
    local z = { 0, 0.33 * scale, scale }
    local page = saved(k.plot { x = { 0, 1, 2 }, y = { 0, 1, 0 }, z = z, kind = "path3", xlabel = "x [m]", ylabel = "y [m]", zlabel = "height [K]" }, "z.svg")
    assert(svg.has_text(page, "height (K)"))
  end
end)

test("curves in text have a sign each, whatever marks are between them", function()
  local run = k.simulate(k.ball { velocity = { -1, 0, -5 } }, k.law.stronge { mu = 0.3, e = 0.5 }, { t_end = 2 })
  local page = run:plot "energy":text(100, 24)
  for _, sign in ipairs { "%*energy", "#kinetic energy", "%$potential energy" } do assert(page:find(sign), page) end
end)

test("a style that is a table serves more than once", function()
  local f = k.plot { y = { 1, 2 }, style = { size = 7 } }
  f:save(path "style1.svg") f:save(path "style2.svg")
  equal(bytes "style1.svg", bytes "style2.svg")
end)

test("SVG, PNG and PDF are the same bytes every time", function()
  local x, y = wave(500)
  for _, ending in ipairs { "svg", "png", "pdf" } do
    k.plot { x = x, y = y, xlabel = "t [s]" }:save(path("one." .. ending))
    k.plot { x = x, y = y, xlabel = "t [s]" }:save(path("two." .. ending))
    assert(bytes("one." .. ending) == bytes("two." .. ending), ending .. " differs")
    assert(#bytes("one." .. ending) > 1000)
  end
end)

test("every ending is written, several at once, and others are refused", function()
  local x, y = wave(50)
  local f = k.plot { x = x, y = y, xlabel = "t [s]", ylabel = "z [m]" }
  f:save(path "b.pdf", path "b.svg", path "b.png", path "b.tex", path "b.txt")
  equal(bytes "b.pdf":sub(1, 5), "%PDF-")
  equal(bytes "b.png":sub(2, 4), "PNG")
  assert(bytes "b.tex":find("includegraphics[width={252.00bp}", 1, true) or bytes "b.tex":find("includegraphics", 1, true))
  assert(bytes "b.tex":find("{b-inc}", 1, true) and exists "b-inc.pdf")
  assert(bytes "b.txt":find("t (s)", 1, true))
  raises(function() f:save(path "b.xyz") end, "must end in")
  raises(function() f:save() end, "file name")
  raises(function() f:save "/nonexistent/b.svg" end, "/nonexistent/b.svg")
end)

test("keep leaves data and a script that draws the same picture without knock", function()
  local x, y = wave(100)
  k.plot { x = x, y = y, xlabel = "t [s]", title = "it's" }:save { path "kept.png", keep = true }
  assert(exists "kept.dat" and exists "kept.png.gp")
  local first = bytes "kept.png"
  os.remove(path "kept.png")
  assert(os.execute(("cd %s && gnuplot -d kept.png.gp"):format(path "")))
  assert(bytes "kept.png" == first, "redrawn differently")
end)

test("text is shown as it stands and never runs", function()
  local attacks = { "`touch PWN`", "'; system 'touch PWN'; '", '"; system "touch PWN"; "', "a\nsystem 'touch PWN'\n",
    "a\r!touch PWN", "< touch PWN", "| touch PWN", "@PWN", "$PWN", "a\\", "%s%n%d", "{/Symbol a}", "EOD\nsystem 'touch PWN'",
    "'.system('touch PWN').'", "\xc0\x8asystem 'touch PWN'", "</title><script>alert(1)</script>", "a_b^c~d&e", "''''", "\0!touch PWN" }
  local x, y = wave(20)
  for i, attack in ipairs(attacks) do
    for _, ending in ipairs { "svg", "txt", "tex" } do
      local f = k.figure { title = attack }
      f:line { x = x, y = y, label = attack }
      f[1]:text { x = 1, y = 0, text = attack }
      f[1].title, f[1].x, f[1].y = attack, { label = attack, unit = attack, tics = { { attack, 1 } } }, { label = T(attack), unit = "m" }
      f:save { path("attack." .. ending), keep = true }
    end
    local page = svg.read(path "attack.svg")
    assert(not page.source:find("<script>", 1, true), "text became markup")
    if not attack:find "[%c\xc0']" then assert(svg.has_text(page, attack), "not shown as it stands: " .. attack) end
  end
  -- names of files too: the shell and gnuplot never see them
  for _, name in ipairs { "`touch PWN`.svg", "x;touch PWN.svg", "|touch PWN.svg", "<x.svg", "'$(touch PWN)'.svg" } do
    k.plot { x = x, y = y }:save { path(name), keep = true }
    assert(exists(name))
  end
  assert(not exists "PWN" and not io.open "PWN")
end)

test("a space after the name of a sign is kept unless a letter follows", function()
  equal(text.plain(T"$\\mu = 0.3$"), "\u{3BC} = 0.3")
  equal(text.plain(T"$\\Delta t$, $3 \\cdot 10^5$, $a \\le b$"), "\u{394}t, 3 \u{B7} 10^5, a \u{2264} b")
end)

test("LaTeX gets escaped text", function()
  local x, y = wave(20)
  k.plot { x = x, y = y, xlabel = "\\input{/etc/passwd} 50% a_b", ylabel = "$\\mu$ \\write18{x}", markup = true }:save(path "t.tex")
  local source = bytes "t.tex"
  assert(not source:find("\\write18", 1, true) and not source:find("\\input{/etc", 1, true))
  raises(function() k.plot { x = x, y = y }:save(path "a b.tex") end, "LaTeX needs a name")
end)

test("one gnuplot serves all figures of a session", function()
  local x, y = wave(100)
  local before = gnuplot.starts()
  for i = 1, 20 do k.plot { x = x, y = y }:save(path "many.svg") end
  equal(gnuplot.starts() - before, 0)
end)

test("a million points give a small picture", function()
  local x, y = wave(1000000)
  for i = 1, #y do y[i] = y[i] + 0.1 * math.sin(i * i) end
  k.plot { x = x, y = y }:save(path "million.pdf")
  assert(#bytes "million.pdf" < 2 ^ 20)
end)

test("panels have letters, share their margins and keep their own curves", function()
  local x, y = wave(100)
  local f = k.figure { rows = 2, cols = 2 }
  for i = 1, 4 do
    f[i]:line { x = x, y = y, label = "curve " .. i }
    f[i].x, f[i].y = { label = "t", unit = "s" }, { label = "y" .. i, unit = "m" }
  end
  local page = saved(f, "panels.svg")
  equal(#page.plots, 4)
  for _, word in ipairs { "(a)", "(b)", "(c)", "(d)", "y3 (m)", "curve 4" } do assert(svg.has_text(page, word), word) end
end)

test("the key keeps off the data", function()
  local plan = k.figure {}:line { x = { 0, 1 }, y = { 0, 1 }, label = "rising" }:plan()
  local item = plan.panels[1].key.items[1]
  assert(item, "no key")
  assert(item.x < 40, "a free corner: upper left") -- the diagonal leaves only two corners
  local full = k.figure {}
  for i = 1, 40 do full:line { x = { 0, 1 }, y = { i, i }, label = i == 1 and "level" or nil } end
  assert(full:plan().panels[1].key.above, "no free place: above")
end)

test("axes choose SI prefixes and powers of ten", function()
  local page = saved(k.plot { x = { 0, 1e-4, 5.5e-4 }, y = { 0, 1e8, 3e8 }, xlabel = "t [s]", ylabel = "k [N/m]" }, "si.svg")
  assert(svg.has_text(page, "t (ms)") and svg.has_text(page, "k (MN/m)"))
  page = saved(k.plot { y = { 1e-7, 3e-7 }, ylabel = "error" }, "power.svg")
  assert(svg.has_text(page, "error (10⁻⁷)"))
end)

test("more than eight curves get a scale of colours, columns keep their own units", function()
  local t = k.sweep { a = { 0, 1, 2 }, b = k.linspace(1, 2, 12) }:run(function(p) return { y = p.a * p.b, w = p.a + p.b } end, { jobs = 1, units = { y = "m", w = "m/s", b = "kg" } })
  local f = t:plot { x = "a", y = "y", by = "b" }
  equal(f[1].shades, { 1.0, 2.0 })
  local page = saved(f, "scale.svg")
  assert(svg.has_text(page, "b (kg)") and not svg.has_text(page, "b = 1"))
  equal(t:plot { x = "a", y = { "y", "w" }, by = "b" }[1].y.label, "y (m), w (m/s)")
  equal(t:plot { x = "a", y = "y", by = "b" }[1].y.unit, "m")
end)

test("mistakes get one clear line", function()
  raises(function() k.plot { y = { 1 }, xlable = "t" } end, "xlable", "did you mean 'xlabel'")
  raises(function() k.plot { x = { 1, 2 }, y = { 1, 2, 3 } } end, "3 numbers, expected 2")
  raises(function() k.plot { y = { 1, "a" } } end, "item 2 is a string")
  raises(function() k.plot { y = {} } end, "empty")
  raises(function() k.plot { y = { 0 / 0, 0 / 0 } }:save(path "nan.svg") end, "no finite value of y")
  raises(function() k.plot { y = { 1, 2 }, style = "nonsuch" }:save(path "s.svg") end, "no style 'nonsuch'")
  raises(function() k.plot { y = { 1, 2 }, kind = "pie" } end, "kind must be one of")
  raises(function() k.plot { y = { 1, 2 }, yrange = { 2, 1 } }:save(path "r.svg") end, "from low to high")
  raises(function() k.figure {}:save(path "n.svg") end, "nothing to draw")
  raises(function() k.figure {}:line { x = { 1 }, y = { 1 }, colour = "puce" }:save(path "c.svg") end, "colour 'puce'")
end)

test("all styles draw", function()
  local x, y = wave(50)
  for _, style in ipairs { "ieee1", "ieee2", "elsevier1", "elsevier2", "slides", "screen" } do
    saved(k.plot { x = x, y = y, xlabel = "t [s]", ylabel = "z [m]", style = style, label = "height" }, style .. ".svg")
  end
end)

test("very many points become a picture of themselves", function()
  local x, y = {}, {}
  for i = 1, 100000 do x[i], y[i] = (i * 0.618033988749895) % 1, (i * i * 0.618033988749895) % 1 end
  local page = saved(k.plot { x = x, y = y, kind = "points", size = 1, xlabel = "x", ylabel = "y" }, "cloud.svg")
  equal(page.plots[1].images, 1)
  equal(page.plots[1].marks, 0)
  assert(#page.source < 2 ^ 20)
end)

test("without gnuplot data and script are kept, and the next figure works again", function()
  local run = ("KNOCK_GNUPLOT=/nonexistent/gnuplot '%s' -e %q"):format(arg[-1], ('require "knock".plot{ y = {1, 2} }:save %q'):format(path "lost.pdf"))
  local ok, _, code = os.execute(run .. " 2>" .. path "said")
  assert(not ok)
  equal(code, 4)
  assert(bytes "said":find("install", 1, true) and bytes "said":find("kept in", 1, true))
  assert(exists "lost.dat" and exists "lost.pdf.gp" and not exists "lost.pdf")
  assert(os.execute(("cd %s && gnuplot -d lost.pdf.gp"):format(path "")) and exists "lost.pdf")
end)

test("a live figure is drawn while a run and a sweep go on, and changes nothing", function()
  local live, old = require "knock.draw.live", io.write
  local drawn = {}
  live.force, live.pause = true, 0
  io.write = function(...) drawn[#drawn + 1] = table.concat { ... } end
  local ok, problem = pcall(function()
    local ball = k.ball { position = { 0, 0, 1 }, velocity = { -1, 0, -5 } }
    local a = k.simulate(ball, k.law.newton { e = 0.5 }, { t_end = 0.8, live = { y = "q3" } })
    local b = k.simulate(ball, k.law.newton { e = 0.5 }, { t_end = 0.8 })
    equal(a:at(0.8).q[3], b:at(0.8).q[3])
    k.sweep { x = k.linspace(0, 1, 20) }:run(function(p) return { y = p.x } end, { live = true, jobs = 1 })
  end)
  io.write, live.force = old, nil
  assert(ok, problem)
  assert(table.concat(drawn):find("q3", 1, true), "the run was not drawn")
end)

test("a list of figures is a page of them, with as many rows as it needs", function()
  local p = function() return k.plot { x = { 0, 1 }, y = { 0, 1 } } end
  local two, three = k.figure { p(), p() }, k.figure { p(), p(), p(), cols = 2 }
  equal(two.rows, 2)
  equal(three.rows, 2)
  equal(#three:plan().panels, 3)
  equal(#two:plan().panels, 2)
end)

help.finish()
