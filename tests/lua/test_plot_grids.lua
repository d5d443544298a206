-- Figures of values over a plane: heat maps, contours, and other kinds of axes.
local k = require "knock"
local help = dofile(test_dir .. "/plot_help.lua")
local svg, saved = help.svg, help.saved

test("logarithmic axes, heat maps, contours, histograms and paths in space", function()
  saved(k.plot { x = { 1, 10, 1000 }, y = { 1e-6, 1e-3, 1 }, logx = true, logy = true, xlabel = "n" }, "log.svg")
  local x, y, z = {}, {}, {}
  for i = 1, 20 do x[i], y[i] = i / 20, i / 10 end
  for j = 1, 20 do
    z[j] = {}
    for i = 1, 20 do z[j][i] = x[i] * y[j] end
  end
  saved(k.plot { x = x, y = y, z = z, kind = "heat", xlabel = "e", ylabel = "mu", zlabel = "V [m/s]" }, "heat.svg")
  local page = saved(k.plot { x = x, y = y, z = z, kind = "contour", xlabel = "e", ylabel = "mu" }, "contour.svg")
  equal(#page.plots, 8) -- the grid's corners; levels 0.25, 0.5 ... 1.75
  for _, level in ipairs { "0.25", "0.5", "0.75", "1", "1.25", "1.5" } do assert(svg.has_text(page, level), level) end
  page = saved(k.plot { y = { 1, 2, 2, 3, 3, 3 }, kind = "histogram", bins = 3, xlabel = "n" }, "histogram.svg")
  assert(svg.has_text(page, "count"))
  saved(k.plot { x = { 0, 1, 2 }, y = { 0, 1, 0 }, z = { 0, 1, 2 }, kind = "path3", xlabel = "x [m]", ylabel = "y [m]", zlabel = "z [m]" }, "space.svg")
end)

test("contours: levels on their lines, z named, axes over the whole grid, filled bands", function()
  local x, y, z = {}, {}, {}
  for i = 1, 21 do x[i], y[i] = i - 1, 10 * (i - 1) end
  for j = 1, 21 do
    z[j] = {}
    for i = 1, 21 do z[j][i] = (x[i] - 10) ^ 2 + (y[j] / 10 - 10) ^ 2 end
  end
  local f = k.plot { x = x, y = y, z = z, kind = "contour", levels = { 4 }, xlabel = "e", ylabel = "mu", zlabel = "V [m/s]" }
  local plan = f:plan()
  equal({ plan.panels[1].axes.x.low <= 0, plan.panels[1].axes.x.high >= 20, plan.panels[1].axes.y.high >= 200 }, { true, true, true })
  local page = saved(f, "level.svg")
  assert(svg.has_text(page, "4") and svg.has_text(page, "V (m/s)"))
  page = saved(k.plot { x = x, y = y, z = z, kind = "filled", levels = { 50, 100 }, xlabel = "e", ylabel = "mu", zlabel = "V [m/s]" }, "filled.svg")
  assert(svg.has_text(page, "V (m/s)"))
  local bands = require "knock.draw.contour".bands(x, y, z, { 50, 100 })
  local seen, n = {}, 0
  for _, row in ipairs(bands.z) do for _, v in ipairs(row) do if not seen[v] then seen[v], n = true, n + 1 end end end
  equal(n, 3)
  equal({ seen[25.0], seen[75.0], seen[150.0] }, { true, true, true })
end)

test("contour lines lie on their level", function()
  local contour = require "knock.draw.contour"
  local x, y, z = {}, {}, {}
  for i = 1, 41 do x[i], y[i] = (i - 21) / 10, (i - 21) / 10 end
  for j = 1, 41 do
    z[j] = {}
    for i = 1, 41 do z[j][i] = x[i] ^ 2 + y[j] ^ 2 end
  end
  local cx, cy = contour.lines(x, y, z, 1)
  local gaps = 0
  for i = 1, #cx do
    if cx[i] ~= cx[i] then gaps = gaps + 1 else near(cx[i] ^ 2 + cy[i] ^ 2, 1, 0.006) end
  end
  equal(gaps, 1) -- one closed line
  near({ cx[1], cy[1] }, { cx[#cx - 1], cy[#cx - 1] }, 1e-12)
end)

test("contours fill their panel, and units of columns are written as on axes", function()
  local t = k.sweep { mu = { 0, 0.5, 1 }, e = { 0, 0.5, 1 } }:impact(k.ball { velocity = { 2, 0, -3 } }, k.law.stronge {}, { vx = "velocity[1]" })
  local f = t:plot { x = "mu", y = "e", z = "vx", kind = "contour" }
  local axes = f:plan().panels[1].axes
  equal({ axes.x.low, axes.x.high, axes.y.low, axes.y.high }, { 0, 1, 0, 1 })
  equal(f.title or f[1].title, "vx (m/s)")
  local some = t:plot { x = "mu", y = "e", z = "vx", kind = "heat", xrange = { 0, 0.6 } }:plan().panels[1].axes.x
  equal(some.high, 0.6)
end)

test("a contour of few points has a gap for its number, and is there beside it", function()
  local gap = require "knock.draw.contour".gap
  local x, y, px, py = gap({ 0, 1, 0 / 0 }, { 1, 0, 0 / 0 }, { 0, 1 }, { 0, 1 }, {})
  local drawn, cut = 0, 0
  for i = 1, #x do
    if x[i] ~= x[i] then cut = cut + 1 else
      drawn = drawn + 1
      assert(math.abs(x[i] - px) >= 0.044 or math.abs(y[i] - py) >= 0.044)
    end
  end
  assert(drawn > 80 and cut > 5 and cut < 20, drawn .. " " .. cut)
end)

help.finish()
