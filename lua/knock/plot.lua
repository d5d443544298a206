-- k.plot: raw lists to a figure.
--
--   k.plot { x = t, y = z, xlabel = "t [s]", ylabel = "z [m]" } :save "a.pdf"
--   k.plot { x = t, y = { z, v }, label = { "height", "speed" }, kind = "points" }
--   k.plot { y = values, kind = "histogram", xlabel = "gap [m]" }
--   k.plot { x = e, y = mu, z = rows, kind = "heat", zlabel = "V_x [m/s]" }
--
-- x and y are lists or vectors; y may also be a list of lists, a matrix (its columns) or a table of
-- named lists. A unit in brackets at the end of a label is a unit: the axis may show ms for s.

local figure = require "knock.figure"
local host = require "knock.host"
local options_of = require "knock.options"
local text = require "knock.draw.text"

local check = options_of.define("k.plot", options_of.join({
  { "x", "column", "list or vector along the horizontal axis; by default 1, 2, 3 ..." },
  { "y", "column", "list or vector, a list of lists, a matrix (its columns) or a table of named lists" },
  { "z", "column", "heat, contour: z[j][i] at x[i], y[j]; path3: a list" },
  { "kind", "string", "how it is drawn, line by default",
    choices = { "line", "points", "steps", "both", "histogram", "heat", "contour", "filled", "path3" } },
  { "label", "any", "words in the key, one or a list" },
  { "xlabel", "any", "label of the horizontal axis; a unit in brackets at the end is a unit: \"t [s]\"" },
  { "ylabel", "any", "label of the vertical axis" },
  { "zlabel", "any", "label of the colour scale" },
  { "xrange", "table", "{ low, high } of the horizontal axis; nil leaves a side free" },
  { "yrange", "table", "{ low, high } of the vertical axis" },
  { "logx", "boolean", "logarithmic horizontal axis" },
  { "logy", "boolean", "logarithmic vertical axis" },
  { "markup", "boolean", "labels with $v_n$" },
  { "equal", "boolean", "equal scales on both axes" },
  { "colour", "string|number", "a word, '#rrggbb', or the number of a colour of the style" },
  { "mark", "string", "disc, ring, square ..." },
  { "size", "number", "of the marks", unit = "pt" },
  { "bins", "integer", "of a histogram", min = 1 },
  { "palette", "string", "colours of the scale, viridis by default", choices = { "viridis", "cividis", "diverging", "grey" } },
  { "levels", "table", "of contours" },
}, figure.page), "plot")

-- "v_x [m/s]" -> label and unit
local function axis(label, t, range, log)
  local name, unit = label, nil
  if type(label) == "string" then
    local head, inside = label:match "^(.-)%s*%[([^%[%]]*)%]%s*$"
    if head then name, unit = head, inside end
  end
  if t.markup and type(name) == "string" then name = text.math(name) end
  return { label = name or "", unit = unit, range = range, log = log }
end

local function is_column(v)
  return (type(v) == "table" and (type(v[1]) == "number" or v[1] == nil and next(v) == nil))
    or (type(v) == "userdata" and type(v[1]) == "number")
end

local function columns_of_matrix(m)
  local out = {}
  for j = 1, #m[1] do
    out[j] = {}
    for i = 1, #m do out[j][i] = m[i][j] end
  end
  return out
end

-- a list of {column, label}
local function curves(t)
  local y, label = t.y, t.label
  if type(y) ~= "table" and getmetatable(y) ~= "matrix" then host.fail("plot: y must be a list of numbers, got " .. (y == nil and "nothing" or host.got(y))) end
  if is_column(y) then return { { y, label } } end
  if type(y) == "userdata" then y = columns_of_matrix(y) end
  local out = {}
  if #y > 0 then
    for i, column in ipairs(y) do out[i] = { column, type(label) == "table" and not text.is_math(label) and label[i] or nil } end
    return out
  end
  for name, column in pairs(y) do
    if not is_column(column) then host.fail(("plot: y.%s must be a list of numbers, got %s"):format(tostring(name), host.got(column))) end
    out[#out + 1] = { column, tostring(name) }
  end
  table.sort(out, function(a, b) return a[2] < b[2] end)
  if #out == 0 then host.fail "plot: y is empty" end
  return out
end

local function counting(column)
  local out = {}
  for i = 1, #column do out[i] = i end
  return out
end

local function shown(label, t)
  return t.markup and type(label) == "string" and text.math(label) or label
end

local function draw_curves(f, t, kind)
  for i, curve in ipairs(curves(t)) do
    local x = t.x or counting(curve[1])
    if type(x) == "table" and type(x[1]) == "table" then x = x[i] end
    local look = { x = x, y = curve[1], label = shown(curve[2], t), colour = t.colour or i, mark = t.mark or i, size = t.size }
    if kind ~= "points" then f[1][kind == "steps" and "steps" or "line"](f[1], look) end
    if kind == "points" or kind == "both" then
      f[1]:points { x = x, y = curve[1], label = kind == "points" and look.label or nil, colour = look.colour, mark = look.mark, size = t.size }
    end
  end
end

local function draw_histogram(f, t)
  local values = t.y or t.x
  local low, high, n = math.huge, -math.huge, 0
  for i = 1, #values do
    local v = values[i]
    if v == v and math.abs(v) < math.huge then low, high, n = math.min(low, v), math.max(high, v), n + 1 end
  end
  if n == 0 then host.fail "plot: no finite value to count" end
  if high == low then low, high = low - 0.5, high + 0.5 end
  local bins = t.bins or math.max(5, math.min(60, math.ceil(math.sqrt(n))))
  local width, x, count = (high - low) / bins, {}, {}
  for i = 1, bins do x[i], count[i] = low + (i - 0.5) * width, 0 end
  for i = 1, #values do
    local v = values[i]
    if v == v and v >= low and v <= high then
      local b = math.min(bins, math.floor((v - low) / width) + 1)
      count[b] = count[b] + 1
    end
  end
  f[1]:bars { x = x, y = count, w = width, colour = t.colour or 1, border = "white", width = 0.4 }
end

--- k.plot{x =, y =, ...} -> figure
--- A figure of raw lists. x and y are lists or vectors; y may also be a list of lists, a matrix (its columns)
--- or a table of named lists. kind: "line", "points", "both", "steps", "histogram" (y, bins), "heat", "contour" and
--- "filled" (z[j][i] at x[i], y[j]), "path3" (x, y, z). Options: label (one, or a list), xlabel, ylabel, zlabel (a unit in
--- brackets at the end is a unit: "t [s]"), title, xrange, yrange, logx, logy, style, width and height [cm],
--- markup (labels with $v_n$), key ("above", false), equal, colour, mark, size, keep.
---
---     print(k.plot{ x = {0, 1, 2}, y = {0, 1, 4}, xlabel = "t [s]", ylabel = "z [m]" })
---     --> figure of 1 panel: save it with f:save 'x.pdf', see it with f:show()
local function plot(t, y)
  if y ~= nil or is_column(t) then t = y == nil and { y = t } or { x = t, y = y } end
  t = check(t)
  local f = figure.new { style = t.style, width = t.width, height = t.height, keep = t.keep }
  local panel, kind = f[1], t.kind or "line"
  if kind == "heat" then panel:heat { x = t.x, y = t.y, z = t.z }
  elseif kind == "contour" or kind == "filled" then panel:contour { x = t.x, y = t.y, z = t.z, levels = t.levels, colour = t.colour, filled = kind == "filled" }
  elseif kind == "histogram" then draw_histogram(f, t)
  elseif kind == "path3" then panel:line3 { x = t.x, y = t.y, z = t.z, label = shown(t.label, t) }
  else draw_curves(f, t, kind) end
  panel.title, panel.key, panel.equal = shown(t.title, t), t.key, t.equal
  if kind == "contour" and not t.title then panel.title = shown(type(t.zlabel) == "string" and t.zlabel:gsub("%[([^%[%]]*)%]%s*$", "(%1)") or t.zlabel, t) end -- what the numbers on the lines are
  local function whole(list) return kind == "contour" and { list[1], list[#list] } or nil end
  panel.x, panel.y = axis(t.xlabel, t, t.xrange or whole(t.x), t.logx), axis(t.ylabel, t, t.yrange or whole(t.y), t.logy)
  if kind == "histogram" and not t.ylabel then panel.y.label = "count" end
  if kind == "heat" or kind == "filled" then panel.c = axis(t.zlabel, t) panel.c.palette = t.palette else panel.z = axis(t.zlabel, t) end
  return figure.remember(f)
end

return plot
