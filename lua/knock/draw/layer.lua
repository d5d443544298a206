-- Layers of a panel: one curve, set of points, arrow field ... with its columns and its look.
--
-- Each kind says which columns it has, what it needs of the axes (extent) and how gnuplot draws it.

local gnuplot = require "knock.gnuplot"
local host = require "knock.host"

local layer = { kinds = {} }
local kinds = layer.kinds

local marks = {
  plus = 1, cross = 2, star = 3, box = 4, square = 5, ring = 6, disc = 7, up = 8, triangle = 9,
  down = 10, wedge = 11, rhomb = 12, diamond = 13, dot = 7,
}
local in_order = { "disc", "ring", "square", "up", "diamond", "box", "triangle", "rhomb", "wedge", "down", "cross", "plus" }
local colours = {
  black = "#000000", grey = "#7F7F7F", light = "#BFBFBF", pale = "#E5E5E5", dark = "#404040",
  white = "#FFFFFF", blue = "#0072B2", red = "#D55E00", green = "#009E73", purple = "#CC79A7",
  orange = "#E69F00", sky = "#56B4E9", yellow = "#F0E442",
}
local dashes = { solid = "solid", dashed = "10,4", dotted = "3,3", dashdot = "12,4,3,4", long = "16,5" }

function layer.mark_names() return marks end

-- a word or a '#rrggbb' or the number of a colour of the style
function layer.colour(look, style)
  local c = look.colour
  if type(c) == "number" then return style.colours[(c - 1) % #style.colours + 1] end
  if type(c) == "string" and (colours[c] or c:match "^#%x%x%x%x%x%x$") then return colours[c] or c end
  host.fail(("plot: colour '%s' is neither '#rrggbb' nor one of black, grey, blue, red, green, ..."):format(tostring(c)))
end

function layer.dash(look, style)
  local d = look.dash
  if type(d) == "number" then d = style.dashes[(d - 1) % #style.dashes + 1] end
  d = dashes[d] or d
  if d == "solid" then return "dashtype solid" end
  if type(d) == "string" and d:match "^[%d.,]+$" then return "dashtype (" .. d .. ")" end
  host.fail(("plot: dash '%s' is none of solid, dashed, dotted, dashdot, long"):format(tostring(look.dash)))
end

local function num(x) return ("%.10g"):format(x) end
layer.num = num

-- a word, or the number of a series: what is told by colour is told by marks too, which grey print keeps
local function mark(look)
  local m = look.mark or "disc"
  if type(m) == "number" then m = in_order[(m - 1) % #in_order + 1] end
  if marks[m] then return marks[m] end
  host.fail(("plot: mark '%s' is unknown (did you mean '%s'?)"):format(tostring(m), host.nearest(tostring(m), marks) or "disc"))
end

-- widths and sizes that a layer asks for are meant for print; on slides all is larger
local function grown(x, style) return x and x * (style.scale or 1) end

local function stroke(l, style)
  return ("linecolor rgb '%s' linewidth %s %s"):format(layer.colour(l, style), num(grown(l.width, style) or style.line), layer.dash(l, style))
end

local function points(l, style)
  return ("with points pointtype %d pointsize %s linecolor rgb '%s' linewidth %s"):format(mark(l),
    num((grown(l.size, style) or style.point) / 6 * (style.point_scale or 1)), layer.colour(l, style), num(grown(l.width, style) or style.line * 0.7))
end

local function filling(l, style)
  local border = l.border and ("border linecolor rgb '%s' linewidth %s"):format(
    layer.colour({ colour = l.border }, style), num(l.width or style.line * 0.7)) or "noborder"
  local opacity = l.opacity and l.opacity < 1 and ("transparent solid %s"):format(num(l.opacity)) or "solid 1"
  return ("fillcolor rgb '%s' fillstyle %s %s"):format(layer.colour(l, style), opacity, border)
end

-- how a layer looks in the key
function layer.sample(l, style)
  if l.kind == "points" or l.kind == "points3" then
    local shown = setmetatable({ size = math.max(l.size or style.point, 3) }, { __index = l }) -- tiny marks are seen in the key
    return { point = points(shown, style):gsub("^with points ", "") }
  end
  if l.kind == "bars" or l.kind == "band" or l.kind == "fill" or (l.kind == "circles" and not l.hollow) then return { fill = true } end
  return { stroke = stroke(l, style), head = l.kind == "arrows" and ("head filled size char %s,22 fixed"):format(num(style.size / 12 * 0.8)) or nil }
end

local xy = { "x", "y" }

--- panel:line{x =, y =, ...} -> panel
--- A curve through the points (x, y); a NaN leaves a gap.
kinds.line = { columns = xy, thin = "line", air = { x = 0, y = 0.04 },
  draw = function(l, style)
    if l.shade then -- a colour of the palette by a value
      return ("using 1:2:(%s)"):format(num(l.shade)), ("with lines linecolor palette linewidth %s %s"):format(num(grown(l.width, style) or style.line), layer.dash(l, style))
    end
    return "using 1:2", "with lines " .. stroke(l, style)
  end }

--- panel:points{x =, y =, ...} -> panel
--- A mark at each (x, y): mark = "disc", "ring", "square" ..., size in points.
kinds.points = { columns = xy, thin = "points", air = { x = 0.04, y = 0.05 },
  draw = function(l, style) return "using 1:2", points(l, style) end }

--- panel:steps{x =, y =, ...} -> panel
--- A curve in steps: each value holds until the next x.
kinds.steps = { columns = xy, air = { x = 0, y = 0.04 },
  draw = function(l, style) return "using 1:2", "with steps " .. stroke(l, style) end }

--- panel:bars{x =, y =, w =, ...} -> panel
--- Bars from zero to y, w wide.
kinds.bars = { columns = { "x", "y", "w" }, air = { x = 0.02, y = 0.04 }, from_zero = true,
  draw = function(l, style) return "using 1:2:3", "with boxes " .. filling(l, style) end }

--- panel:band{x =, y =, top =, ...} -> panel
--- The area between the curves y and top.
kinds.band = { columns = { "x", "y", "top" }, air = { x = 0, y = 0.04 },
  draw = function(l, style) return "using 1:2:3", "with filledcurves " .. filling(l, style) end }

--- panel:fill{x =, y =, ...} -> panel
--- A filled polygon with corners (x, y).
kinds.fill = { columns = xy, air = { x = 0.04, y = 0.04 },
  draw = function(l, style) return "using 1:2", "with filledcurves closed " .. filling(l, style) end }

--- panel:arrows{x =, y =, dx =, dy =, ...} -> panel
--- Arrows from (x, y) to (x + dx, y + dy).
kinds.arrows = { columns = { "x", "y", "dx", "dy" }, air = { x = 0.04, y = 0.04 },
  draw = function(l, style, index) -- the size of a head has a comma, so it is set beforehand
    local head = num(l.head or style.size / 12 * 0.8)
    return "using 1:2:3:4", ("with vectors arrowstyle %d"):format(index),
      ("set style arrow %d head filled size char %s,22 fixed %s"):format(index, head, stroke(l, style))
  end }

--- panel:circles{x =, y =, r =, ...} -> panel
--- Circles of radius r, in the units of the x axis.
kinds.circles = { columns = { "x", "y", "r" }, air = { x = 0.04, y = 0.04 },
  draw = function(l, style)
    if l.hollow then return "using 1:2:3", "with circles fillstyle empty " .. stroke(l, style) end
    return "using 1:2:3", "with circles " .. filling(l, style)
  end }

--- panel:image{x =, y =, z =, nx =, ny =} -> panel
--- Values of a grid as colours, given as columns row by row; panel:heat takes the grid itself.
kinds.image = { columns = { "x", "y", "z" }, air = { x = 0, y = 0 }, cells = true,
  draw = function() return "using 1:2:3", "with image" end }

--- panel:line3{x =, y =, z =, ...} -> panel
--- A curve in space through the points (x, y, z).
kinds.line3 = { columns = { "x", "y", "z" }, three = true, air = { x = 0.04, y = 0.04, z = 0.04 },
  draw = function(l, style) return "using 1:2:3", "with lines " .. stroke(l, style) end }

--- panel:points3{x =, y =, z =, ...} -> panel
--- A mark in space at each (x, y, z).
kinds.points3 = { columns = { "x", "y", "z" }, three = true, air = { x = 0.04, y = 0.04, z = 0.04 },
  draw = function(l, style) return "using 1:2:3", points(l, style) end }

-- ---- making one --------------------------------------------------------------------------------

local function column(value, name, n, of)
  if type(value) == "number" then
    local list = {}
    for i = 1, n or 1 do list[i] = value end
    value = list
  end
  if type(value) ~= "table" and getmetatable(value) ~= "matrix" then
    host.fail(("plot: %s of the %s must be a list of numbers, got %s"):format(name, of, value == nil and "nothing" or host.got(value)))
  end
  local ok, v = pcall(gnuplot.column, value)
  if not ok then host.fail((v:gsub("^.-: plot:", "plot: " .. name .. ":"))) end
  if #v == 0 then host.fail(("plot: %s of the %s is empty"):format(name, of)) end
  if n and #v ~= n then
    host.fail(("plot: %s of the %s has %d numbers, expected %d"):format(name, of, #v, n))
  end
  return v
end

-- looks that every kind takes; which of them it uses is its own affair
local looks = {
  { "label", "any", "words in the key" },
  { "colour", "string|number", "a word, '#rrggbb', or the number of a colour of the style" },
  { "dash", "string|number", "solid, dashed, dotted, dashdot, long, or the number of a dash of the style" },
  { "width", "number", "width of the line", unit = "pt" },
  { "mark", "string|number", "disc, ring, square, box, up, down, diamond, star, cross, plus ..." },
  { "size", "number", "size of the marks", unit = "pt" },
  { "border", "string|number", "colour of the border of what is filled" },
  { "shade", "number", "lines: value whose colour on the scale is taken, with panel.shades = {low, high}" },
  { "opacity", "number", "of what is filled, 1 is opaque", min = 0, max = 1 },
  { "hollow", "boolean", "circles without filling" },
  { "head", "any", "of arrows" },
  { "merge", "column", "points: their order in time; where they are nearer on paper than a mark only some are drawn, and the key says how many there are" },
  { "counts", "boolean", "false: the axes do not stretch for it" },
  { "nx", "integer", "columns of an image" },
  { "ny", "integer", "rows of an image" },
  { "w", "any", "width of the bars, or the fourth column" },
}

-- the options of a kind of layer: its columns, and its look.
function layer.options(kind)
  local list = {}
  for _, name in ipairs(kinds[kind].columns) do list[#list + 1] = { name, "column|number", "column " .. name } end
  for _, p in ipairs(looks) do
    local taken = false
    for _, name in ipairs(kinds[kind].columns) do taken = taken or name == p[1] end
    if not taken then list[#list + 1] = { p[1], p[2], p[3], min = p.min, max = p.max, unit = p.unit } end
  end
  return list
end

function layer.new(kind, look)
  local k = kinds[kind]
  local l = setmetatable({ kind = kind }, { __index = look })
  local n
  for _, name in ipairs(k.columns) do
    l[name] = column(look[name], name, n, kind)
    n = n or #l[name]
  end
  l.n = n
  return l
end

-- lowest and highest value the layer asks of an axis ("x", "y", "z"); nil when none is finite
function layer.extent(l, which, positive)
  local k = kinds[l.kind]
  if not l[which] then return nil end
  local low, high = gnuplot.range(l[which], positive)
  if not low then return nil end
  local function include(a, b)
    if a and a < low then low = a end
    if b and b > high then high = b end
  end
  if which == "y" and l.top then include(gnuplot.range(l.top, positive)) end
  if which == "y" and k.from_zero then include(0, 0) end
  local function spread(size, sign)
    for i = 1, l.n do
      local v, d = l[which][i], size[i]
      if v == v and d == d then include(v + (sign or -1) * d, v + d) end
    end
  end
  if l.r then spread(l.r) end
  if l.w and which == "x" then
    for i = 1, l.n do include(l.x[i] - l.w[i] / 2, l.x[i] + l.w[i] / 2) end
  end
  if l.kind == "arrows" then spread(which == "x" and l.dx or l.dy, 1) end
  if k.cells then
    local count = which == "x" and l.nx or l.ny
    local half = count > 1 and (high - low) / (count - 1) / 2 or 0.5
    include(low - half, high + half)
  end
  return low, high
end

return layer
