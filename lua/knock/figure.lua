-- k.figure: pages of panels.
--
--   local f = k.figure { rows = 1, cols = 2, style = "ieee2" }
--   f[1]:line { x = t, y = z, label = "height" }
--   f[2]:points { x = e, y = v }
--   f[1].x, f[1].y = { label = "t", unit = "s" }, { label = "z", unit = "m" }
--   f:save("a.pdf", "a.svg")
--
-- Text is shown as it stands; k.figure.math "$v_n$" has markup.

local host = require "knock.host"
local layer = require "knock.draw.layer"
local layout = require "knock.draw.layout"
local options_of = require "knock.options"
local output = require "knock.draw.output"
local style = require "knock.draw.style"
local text = require "knock.draw.text"

-- ---- panels ---------------------------------------------------------------------------------------

local Panel = { __name = "panel" }
Panel.__index = Panel

function Panel:__tostring() return ("panel with %d layer%s"):format(#self.layers, #self.layers == 1 and "" or "s") end

local function new_panel(options)
  local p = setmetatable({ layers = {}, texts = {}, rules = {} }, Panel)
  for name, value in pairs(options or {}) do p[name] = value end
  return p
end

local colours = 7 -- of the styles; the next round of colours takes other dashes

-- colour, dash and width by the number of curves so far, unless they are given
local function dress(panel, l)
  local drawn = l.kind == "line" or l.kind == "steps" or l.kind == "line3"
  if not l.colour then
    panel.curves = (panel.curves or 0) + 1
    l.colour = panel.curves
  end
  if not l.dash then l.dash = drawn and type(l.colour) == "number" and l.colour + (l.colour - 1) // colours or "solid" end
  panel.layers[#panel.layers + 1] = l
  return l
end

local seen_by_eye = 2000 -- points of a curve; in a longer one nobody misses one

-- points of a line without a neighbour: a line alone would not show them
local function lonely(l)
  local x, y = {}, {}
  local function there(i) return i >= 1 and i <= l.n and math.abs(l.x[i]) < math.huge and math.abs(l.y[i]) < math.huge end
  for i = 1, l.n <= seen_by_eye and l.n or 0 do
    if there(i) and not there(i - 1) and not there(i + 1) then x[#x + 1], y[#y + 1] = l.x[i], l.y[i] end
  end
  return x, y
end

local function draw_lonely(panel, l)
  local x, y = lonely(l)
  if #x > 0 then panel:points { x = x, y = y, colour = l.colour } end
end

for kind in pairs(layer.kinds) do
  local check = options_of.define("panel:" .. kind, layer.options(kind))
  Panel[kind] = function(self, look)
    options_of.colon(type(self) == "table" and self.layers, kind, "a panel")
    if type(look) ~= "table" then host.fail(("plot: %s takes a table of columns"):format(kind)) end
    local l = dress(self, layer.new(kind, check(look)))
    if kind == "line" then draw_lonely(self, l) end
    return self
  end
end

local check_text = options_of.define("panel:text", {
  { "x", "number", "place along the horizontal axis" },
  { "y", "number", "place along the vertical axis" },
  { "text", "any", "the words" },
  { "side", "string", "the side of the place that they begin at", choices = { "left", "center", "right" } },
  { "colour", "string|number", "a word, '#rrggbb', or the number of a colour of the style" },
  { "dx", "number", "shift to the right, in letters" },
  { "dy", "number", "shift upwards, in letters" },
  { "angle", "number", "turned counterclockwise", unit = "deg" },
  { "size", "number", "times the size of other text", above = 0 },
  { "frame", "string", "\"graph\": x and y are parts of the panel, from 0 to 1", choices = { "graph" } },
})
local rule_looks = {
  { "colour", "string|number", "a word, '#rrggbb', or the number of a colour of the style" },
  { "dash", "string|number", "solid, dashed, dotted, dashdot, long, or the number of a dash of the style" },
  { "width", "number", "width of the line", unit = "pt" },
}
local check_rule = { x = options_of.define("panel:vline", rule_looks), y = options_of.define("panel:hline", rule_looks) }
local grid = {
  { "x", "column", "places of the columns" },
  { "y", "column", "places of the rows" },
  { "z", "table|userdata", "values, z[j][i] at x[i], y[j]" },
}
local check_heat = options_of.define("panel:heat", grid)
-- z[j][i] at x[i], y[j]
local function check_grid(look)
  for _, name in ipairs { "x", "y", "z" } do if look[name] == nil then host.fail(("plot: %s is missing: z[j][i] are the values at x[i], y[j]"):format(name)) end end
  for j = 1, #look.z do
    local row = look.z[j]
    if type(row) ~= "table" and getmetatable(row) ~= "matrix" then host.fail(("plot: z must be a list of rows of numbers, z[%d] is %s"):format(j, host.got(row))) end
  end
  for _, level in ipairs(look.levels or {}) do if type(level) ~= "number" then host.fail("plot: levels must be numbers, got " .. host.got(level)) end end
end
local check_contour = options_of.define("panel:contour", options_of.join(grid, {
  { "levels", "column", "values of the lines; round ones by default" },
  { "count", "integer", "how many levels when they are not given", default = 6, min = 1 },
  { "labels", "boolean", "false: without the level in a gap of its line" },
  { "filled", "boolean", "paints the bands between the levels" },
  { "colour", "string|number", "of the lines" },
  { "width", "number", "of the lines", unit = "pt" },
}))

--- panel:text{x =, y =, text =, side =, colour =, dx =, dy =, angle =} -> panel
--- Words at a place of the panel; side is left, center or right, dx and dy shift it by characters.
function Panel:text(t)
  if type(t) ~= "table" or not (tonumber(t.x) and tonumber(t.y)) or t.text == nil then
    host.fail "plot: text takes { x =, y =, text = }"
  end
  self.texts[#self.texts + 1] = check_text(t)
  return self
end

local function rule(self, which, at, look)
  if not tonumber(at) then host.fail(("plot: %sline takes a number"):format(which == "x" and "v" or "h")) end
  local r = check_rule[which](look)
  r.axis, r.at = which, at
  self.rules[#self.rules + 1] = r
  return self
end

--- panel:vline(x[, {colour =, dash =, width =}]) -> panel
--- A straight line across the whole panel; hline(y) likewise.
function Panel:vline(at, look) return rule(self, "x", at, look) end
function Panel:hline(at, look) return rule(self, "y", at, look) end

--- panel:heat{x =, y =, z =} -> panel
--- Values on a grid as colours: z[j][i] at x[i], y[j]. panel.c = {label =, unit =, palette =} is the colour axis;
--- palettes are viridis, cividis, diverging, grey.
function Panel:heat(look)
  look = check_heat(look)
  local x, y, z = look.x, look.y, look.z
  local xs, ys, zs, n = {}, {}, {}, 0
  check_grid(look)
  for j = 1, #y do
    for i = 1, #x do
      n = n + 1
      xs[n], ys[n], zs[n] = x[i], y[j], z[j] and z[j][i] or 0 / 0
    end
  end
  self:image { x = xs, y = ys, z = zs, nx = #x, ny = #y }
  return self
end

-- one level: over colours the line has a white edge, so that it shows on dark and on light ones
local function contour_line(panel, look, level, over)
  panel.numbers = panel.numbers or {} -- where levels are written
  local contour = require "knock.draw.contour"
  local x, y = contour.lines(look.x, look.y, look.z, level)
  if #x == 0 then return end
  local px, py
  if look.labels ~= false then x, y, px, py = contour.gap(x, y, look.x, look.y, panel.numbers) end
  local width = look.width or 0.6
  if over and not look.colour then panel:line { x = x, y = y, colour = "white", dash = "solid", width = width + 1.2 } end
  panel:line { x = x, y = y, colour = look.colour or "black", dash = level < 0 and "dashed" or "solid", width = width }
  if not px then return end
  panel:text { x = px, y = py, text = (("%.6g"):format(level):gsub("-", "\u{2212}")), side = "center", size = 0.8, colour = over and over(level) or look.colour or "black" }
end

--- panel:contour{x =, y =, z =, levels =, labels =, filled =} -> panel
--- Contour lines of values on a grid, at the given levels or at round ones, with the level in a gap of its line
--- (labels = false: without); dashed below zero. filled = true paints the bands between the levels.
function Panel:contour(look)
  look = check_contour(look)
  check_grid(look)
  local contour = require "knock.draw.contour"
  local levels = look.levels or contour.levels(look.z, look.count)
  if look.filled then self:heat(contour.bands(look.x, look.y, look.z, levels)) end
  local nan, low, high = 0 / 0, contour.range(look.z)
  -- the axes show the whole grid, not just where lines are
  local x1, y1, x2, y2 = look.x[1], look.y[1], look.x[#look.x], look.y[#look.y]
  self:line { x = { x1, x1, nan, x2, x2 }, y = { y1, y1, nan, y2, y2 }, colour = "black", dash = "solid", width = 0.1 }
  local over
  for _, l in ipairs(self.layers) do
    if l.kind == "image" then over = function(level) return level < (low + high) / 2 and "white" or "black" end end
  end
  for _, level in ipairs(levels) do contour_line(self, look, level, over) end
  return self
end

-- ---- figures --------------------------------------------------------------------------------------

local Figure = { __name = "figure" }

function Figure.__index(self, name)
  if type(name) == "number" then return rawget(self, "panels")[name] end
  return Figure[name]
end

-- ---- figures nobody has saved or shown yet ---------------------------------------------------------

local waiting = {}

local function forget(f)
  for i = #waiting, 1, -1 do if waiting[i] == f then table.remove(waiting, i) end end
end

-- what hit:plot and its like make: shown at the end of a script that does nothing else with it
local function remember(f)
  waiting[#waiting + 1] = f
  if #waiting > 20 then table.remove(waiting, 1) end
  return f
end

local function is_waiting(f)
  for _, other in ipairs(waiting) do if other == f then return true end end
  return false
end

-- at the end of a script; in a pipe without a window nothing is shown
local function flush()
  local list = waiting
  waiting = {}
  if #list == 0 or not require "knock.draw.show".visible() then return end
  for _, f in ipairs(list) do f:show() end
end

local most = 100 -- panels of a page

-- what every figure takes; also those of hits, runs and tables
local page = {
  { "style", "string|table", "look of the page: ieee1, ieee2, elsevier1, elsevier2, slides, screen" },
  { "width", "number", "width of the page", unit = "cm", above = 0 },
  { "height", "number", "height of the page", unit = "cm", above = 0 },
  { "title", "any", "title above the figure" },
  { "keep", "boolean", "leaves the data and a gnuplot script beside each saved file" },
  { "key", "any", "place of the legend: \"above\", \"shared\" (one for all panels), false (none)" },
}

local check_figure = options_of.define("k.figure", options_of.join({
  list = true,
  { "rows", "integer", "rows of panels; by default as many as the figures in the list need", min = 1, max = 100 },
  { "cols", "integer", "columns of panels", default = 1, min = 1, max = 100 },
  { "letters", "boolean", "(a), (b) at the panels; by default when there are several" },
}, page))

local check_show = options_of.define("figure:show", {
  { "style", "string|table", "another look than that of the figure" },
})

local check_save = options_of.define("figure:save", {
  list = true,
  { "keep", "boolean", "leaves the data (x.dat) and a gnuplot script for each format (x.pdf.gp) beside it" },
  { "style", "string|table", "another look than that of the figure" },
  { "here", "boolean", "the path as it stands, whatever --out says" },
})

-- rows and columns are small whole numbers
local function count_of(options, name)
  local n = options[name] or 1
  if math.type(n) == "float" and n == math.floor(n) then n = math.tointeger(n) or n end
  if math.type(n) ~= "integer" or n < 1 or n > most then
    host.fail(("figure: %s must be a whole number from 1 to %d, got %s"):format(name, most, tostring(options[name])))
  end
  return n
end

-- the panel that item i of the list becomes: a panel, or a figure of one
local function panel_of(other, i)
  local kind = type(other) == "table" and getmetatable(other)
  if kind == Panel then return other end
  if kind ~= Figure then host.fail(("figure: [%d] must be a figure, as hit:plot gives one, or a panel, got %s"):format(i, host.got(other))) end
  if #other.panels ~= 1 then host.fail(("figure: [%d] must be a figure of one panel, got one of %d"):format(i, #other.panels)) end
  return other.panels[1]
end

local function new(options)
  options = options or {}
  local cols = count_of(options, "cols")
  local rows = options.rows and count_of(options, "rows") or math.max(1, math.ceil(#options / cols))
  if rows * cols > most then host.fail(("figure: rows * cols must be at most %d panels, got %d"):format(most, rows * cols)) end
  if options.style ~= nil then style.get(options.style) end -- a misspelt one is told here, not where the figure is saved
  local f = setmetatable({ rows = rows, cols = cols, panels = {} }, Figure)
  for _, name in ipairs { "style", "width", "height", "title", "keep", "key" } do f[name] = options[name] end
  for i = 1, options.rows and rows * cols or math.max(#options, cols) do f.panels[i] = new_panel() end -- a last row may be short
  f.letters = options.letters
  if f.letters == nil then f.letters = f.rows * f.cols > 1 end
  if #options > rows * cols then host.fail(("figure: %d figures do not fit into %d x %d panels"):format(#options, rows, cols)) end
  for i, other in ipairs(options) do
    f.panels[i] = panel_of(other, i)
    forget(other)
  end
  return f
end

local function plan(self, what)
  local s = style.get(what or self.style or (self.cols > 1 and "ieee2" or "ieee1"))
  return layout.plan(self, s, { width = self.width, height = self.height })
end

--- figure:save(path, ...[, {keep =, style =}]) -> figure
--- Writes the figure by the ending of each name: .pdf, .svg, .png, .tex (LaTeX, with a PDF beside it), .txt. Files
--- go to the folder of --out when that is given, and are there whole or not at all; SVG, PNG and PDF are the same bytes every time. keep = true leaves data (x.dat) and
--- a gnuplot script for each format (x.pdf.gp) beside it that draws the same picture without knock.
function Figure:save(...)
  options_of.colon(getmetatable(self) == Figure, "save", "a figure")
  local paths, options = {}, {}
  for _, item in ipairs { ... } do
    if type(item) == "table" then
      options = check_save(item)
      for _, path in ipairs(item) do paths[#paths + 1] = path end
    else paths[#paths + 1] = item end
  end
  for i, path in ipairs(paths) do paths[i] = options.here and path or output.place(path) end
  if #paths == 0 then host.fail "save: a file name was expected" end
  forget(self)
  local keep = options.keep
  if keep == nil then keep = self.keep end
  output.save(plan(self, options.style), paths, keep)
  return self
end

function Figure:__tostring()
  return ("figure of %d panel%s: save it with f:save 'x.pdf', see it with f:show()"):format(#self.panels, #self.panels == 1 and "" or "s")
end

--- figure:show() -> figure
--- Shows the figure in a window, as the terminal's own graphics (sixel) or as text, by what is there; --term or
--- KNOCK_TERM says otherwise.
function Figure:show(options) forget(self) options = check_show(options) require "knock.draw.show".show(self, options, plan) return self end
function Figure:plan(what) return plan(self, what) end
function Figure:text(wide, high) return output.text(plan(self), wide, high) end

-- drawing into the first panel of a figure that has just one
for name, method in pairs(Panel) do
  if type(method) == "function" and name ~= "text" and not name:find "^__" then
    Figure[name] = function(self, ...)
      method(self.panels[1], ...)
      return self
    end
  end
end
Figure.label = function(self, t) self.panels[1]:text(t) return self end

--- k.figure{rows =, cols =, style =, title =, letters =, width =, height =, key =} -> figure
--- A page of panels f[1], f[2] ..., row by row, with letters (a), (b). Panels with the same key share one above them
--- all; key = "shared" makes one of all keys, key = false leaves each its own. Panels have line, points, steps, bars, band,
--- fill, arrows, circles, heat, contour, line3, points3 (tables of columns: x =, y =, label =, colour =, dash =,
--- width =, mark =, size =), text, vline, hline; and x, y, z = {label =, unit =, range =, log =, tics =}, title, key,
--- equal, bare. Figures in the list become its panels. Styles: ieee1, ieee2, elsevier1, elsevier2, slides, screen.
--- Text is shown as it stands; k.figure.math "$v_n$" has markup.
---
---     local f = k.figure{ cols = 2 }
---     f[1]:line{ x = {0, 1}, y = {0, 2}, label = "first" }
---     f[2]:points{ x = {0, 1}, y = {1, 0} }
---     print(#f.panels) --> 2
local figure = setmetatable({ math = text.math, new = new, page = page, panel = new_panel, remember = remember, flush = flush, is_waiting = is_waiting }, { __call = function(_, options) return new(check_figure(options)) end })

return figure
