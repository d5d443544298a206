-- Plots of tables (of sweeps): r:plot { x = "vx", y = {"Vx", "wy"}, by = "mu" }.

local figure = require "knock.figure"
local host = require "knock.host"

local options = require "knock.options"
local text = require "knock.draw.text"

local function find(t, name, what)
  for _, known in ipairs(t:names()) do if known == name then return t:column(name) end end
  local near = host.nearest(tostring(name), t:names())
  host.fail(("plot: %s: no column '%s'%s"):format(what, type(name) == "string" and name or host.got(name), near and (" (did you mean '%s'?)"):format(near) or " (there are: " .. table.concat(t:names(), ", ") .. ")"))
end

local function check(t, name, what)
  local column, kind, width = find(t, name, what), t:kind(name)
  if width == 1 and (kind == "number" or kind == "integer") then return column end
  host.fail(("plot: %s: column '%s' must hold numbers, it holds %s"):format(what, name, width > 1 and "vectors" or kind .. "s"))
end

local function unit(t, name)
  local u = t:unit(name)
  return u ~= "" and u or nil
end

-- "vx (m/s)", as axes write it
local function with_unit(t, name, label)
  local u = unit(t, name)
  return (label or name) .. (u and u ~= "1" and (" (%s)"):format(u) or "")
end

local function list(y)
  if type(y) == "table" and #y == 0 then host.fail "plot: y is an empty list, expected names of columns" end
  return type(y) == "table" and y or { y }
end

local function before(a, b)
  if type(a) == "number" then return a < b end
  return tostring(a) < tostring(b)
end

local function distinct(column, n)
  local seen, out = {}, {}
  for i = 1, n do
    local v = column[i]
    if v ~= nil and v == v and not seen[v] then
      seen[v] = true
      out[#out + 1] = v
    end
  end
  table.sort(out, before)
  return out
end

-- what tells curves apart may be texts, or true and false
local function check_by(t, name)
  local column, _, width = find(t, name, "by"), t:kind(name)
  if width > 1 then host.fail(("plot: by: column '%s' holds vectors"):format(name)) end
  return column
end

-- The rows of each curve, in order of x: one for each value of the columns `names`, or for each pair of values ...
-- A group has .values, .at (which of its column's values each is) and .rows.
local function groups(t, names, x)
  local all = { { values = {}, at = {}, rows = {} } }
  for i = 1, #x do all[1].rows[i] = i end
  for _, name in ipairs(names) do
    local column, finer = check_by(t, name), {}
    local values = distinct(column, #t)
    for _, g in ipairs(all) do
      for j, value in ipairs(values) do
        local rows = {}
        for _, r in ipairs(g.rows) do if column[r] == value then rows[#rows + 1] = r end end
        local with = { values = { table.unpack(g.values) }, at = { table.unpack(g.at) }, rows = rows }
        table.insert(with.values, value)
        table.insert(with.at, j)
        if #rows > 0 then finer[#finer + 1] = with end
      end
    end
    all = finer
  end
  for _, g in ipairs(all) do table.sort(g.rows, function(a, b) return x[a] < x[b] end) end
  return all
end

-- how often each x is there at least: a curve that has every x twice is several curves
local function least(x, rows)
  local most, n = math.huge, 0
  for i, r in ipairs(rows) do
    local after = rows[i + 1]
    n = n + 1
    if not after or x[after] ~= x[r] then most, n = math.min(most, n), 0 end
  end
  return most
end

-- another axis of the sweep, over which nobody said what to do: points of its values would be joined up and down
local function check_single(t, o, names, x, all)
  if least(x, all[1].rows) < 2 or #all[1].rows < 4 then return end
  for _, other in ipairs(t:names()) do
    local kind, width = t:kind(other)
    local free = other ~= o.x and width == 1 and other ~= "status" and other ~= "message"
    for _, name in ipairs(list(o.y)) do free = free and other ~= name end
    for _, name in ipairs(names) do free = free and other ~= name end
    local finer = { table.unpack(names) }
    finer[#finer + 1] = other
    if free and least(x, groups(t, finer, x)[1].rows) == 1 then
      host.fail(("plot: there are several rows for each %s, which differ in '%s': say by = {'%s'}, or take one value of it by t:filter"):format(o.x, other, table.concat(finer, "', '")))
    end
  end
end

local function curves(t, o, f)
  local x = check(t, o.x, "x")
  local names = list(o.y)
  local by = o.by and list(o.by) or {}
  local all = groups(t, by, x)
  if #all == 0 then all = { { values = {}, at = {}, rows = {} } } end
  for _, name in ipairs(names) do check(t, name, "y") end
  if o.kind ~= "points" then check_single(t, o, by, x, all) end
  local scaled = #by == 1 and #all > 8 and type(all[1].values[1]) == "number" and o.kind ~= "points" and o.kind ~= "both"
  local dashes = { "solid", "dashed", "dotted", "dashdot" }
  if scaled then -- a scale of colours instead of a key nobody can read
    f[1].shades = { all[1].values[1], all[#all].values[1] }
    f[1].c = { label = with_unit(t, by[1]), palette = o.palette }
  end
  for i, name in ipairs(names) do
    local y = check(t, name, "y")
    for j, g in ipairs(all) do
      local xs, ys, words = {}, {}, {}
      for k, r in ipairs(g.rows) do xs[k], ys[k] = x[r], y[r] end
      if #names > 1 then words[1] = name end
      for k, value in ipairs(g.values) do words[#words + 1] = (type(value) == "number" and "%s = %g" or "%s = %s"):format(by[k], value) end
      -- colour tells the column, dash and mark the value; or all of them the value when there is one column; of two values
      -- colour tells the first and dash the second
      local two = #by > 1
      local look = { x = xs, y = ys, label = #words > 0 and table.concat(words, ", ") or nil, size = o.size,
                     colour = #names > 1 and i or two and g.at[1] or j, dash = #names > 1 and #by > 0 and j or two and g.at[2] or nil,
                     mark = o.mark or #by > 0 and j or i }
      if scaled then -- the colour tells the value, the dash the column
        look.label, look.shade, look.colour, look.dash = #names > 1 and j == 1 and name or nil, g.values[1], "black", dashes[(i - 1) % #dashes + 1]
      end
      if o.kind == "points" then look.size = o.size or #x > 300 and 1.2 or 3 end
      if o.kind ~= "points" then f[1]:line(look) end
      if o.kind == "points" or o.kind == "both" then
        if o.kind == "both" then look = { x = xs, y = ys, colour = look.colour, size = o.size or 3, mark = look.mark } end
        f[1]:points(look)
      end
    end
  end
  f[1].x = { label = o.xlabel or o.x, unit = unit(t, o.x), range = o.xrange, log = o.logx }
  f[1].y = { label = o.ylabel or table.concat(names, ", "), unit = unit(t, names[1]), range = o.yrange, log = o.logy }
  for _, name in ipairs(names) do
    if unit(t, name) == unit(t, names[1]) or o.ylabel then goto same end
    local words = {} -- each column with its own unit
    for i, each in ipairs(names) do words[i] = with_unit(t, each) end
    f[1].y = { label = table.concat(words, ", "), range = o.yrange, log = o.logy }
    break
    ::same::
  end
end

local function grid(t, o)
  local x, y, z = check(t, o.x, "x"), check(t, o.y, "y"), check(t, o.z, "z")
  local xs, ys = distinct(x, #t), distinct(y, #t)
  local at_x, at_y, rows = {}, {}, {}
  for i, v in ipairs(xs) do at_x[v] = i end
  for j, v in ipairs(ys) do
    at_y[v] = j
    rows[j] = {}
    for i = 1, #xs do rows[j][i] = 0 / 0 end
  end
  local seen = {}
  for k = 1, #x do
    if x[k] == x[k] and y[k] == y[k] then
      local row, i = rows[at_y[y[k]]], at_x[x[k]]
      local cell = at_y[y[k]] * #xs + i
      if seen[cell] and not (z[k] == row[i] or z[k] ~= z[k]) then
        host.fail(("plot: several rows have %s = %g and %s = %g: take one value of the other columns by t:filter"):format(o.x, x[k], o.y, y[k]))
      end
      row[i], seen[cell] = z[k], true
    end
  end
  return xs, ys, rows
end

local function map(t, o, f)
  if not o.z then host.fail "plot: a heat map needs x, y and z" end
  local xs, ys, rows = grid(t, o)
  local function whole(list) return o.kind == "contour" and { list[1], list[#list] } or nil end -- colours fill theirs
  if o.kind == "heat" then f[1]:heat { x = xs, y = ys, z = rows } end
  if o.kind ~= "heat" or o.contours then f[1]:contour { x = xs, y = ys, z = rows, levels = o.levels, filled = o.kind == "filled" } end
  if o.kind == "contour" and not o.title then o.title = with_unit(t, o.z, o.zlabel) end
  f[1].x = { label = o.xlabel or o.x, unit = unit(t, o.x), range = o.xrange or whole(xs) }
  f[1].y = { label = o.ylabel or o.y, unit = unit(t, o.y), range = o.yrange or whole(ys) }
  f[1].c = { label = o.zlabel or o.z, unit = unit(t, o.z), palette = o.palette }
end

local check_options = options.define("table:plot", options.join({
  { "x", "string", "column along the horizontal axis" },
  { "y", "string|table", "column, or list of columns, over it" },
  { "z", "string", "column of a heat map or contours" },
  { "by", "string|table", "one curve for each value of this column, or of several" },
  { "kind", "string", "how it is drawn", default = nil, choices = { "line", "points", "both", "heat", "contour", "filled", "histogram" } },
  { "xlabel", "any", "label of the horizontal axis" },
  { "ylabel", "any", "label of the vertical axis" },
  { "zlabel", "any", "label of the colour scale" },
  { "xrange", "table", "{ low, high } of the horizontal axis; nil leaves a side free" },
  { "yrange", "table", "{ low, high } of the vertical axis" },
  { "markup", "boolean", "labels and title with $v_n$" },
  { "logx", "boolean", "logarithmic horizontal axis" },
  { "logy", "boolean", "logarithmic vertical axis" },
  { "mark", "string", "of points: disc, ring, square ..." },
  { "size", "number", "of points", unit = "pt" },
  { "bins", "integer", "of a histogram" },
  { "palette", "string", "colours of the scale, viridis by default", choices = { "viridis", "cividis", "diverging", "grey" } },
  { "levels", "table", "of contours" },
  { "contours", "any", "contour lines over a heat map" },
}, figure.page), "plot")

return function(t, o)
  if type(o) ~= "table" then host.fail "plot: a table was expected, as in r:plot { x = 'vx', y = 'Vx' }" end
  o = check_options(o)
  if o.markup then
    for _, name in ipairs { "xlabel", "ylabel", "zlabel", "title" } do if type(o[name]) == "string" then o[name] = text.math(o[name]) end end
  end
  if o.kind == "histogram" then
    local name = list(o.x or o.y)[1]
    return require "knock.plot" { y = check(t, name, "x"), kind = "histogram", bins = o.bins, xlabel = name .. (unit(t, name) and " [" .. unit(t, name) .. "]" or ""), style = o.style }
  end
  local f = figure.new(o)
  if o.kind == "heat" or o.kind == "contour" or o.kind == "filled" then map(t, o, f) else
    if not o.x or not o.y then host.fail "plot: x and y name the columns, as in r:plot { x = 'vx', y = 'Vx' }" end
    curves(t, o, f)
  end
  f[1].title, f[1].key = o.title, o.key
  return figure.remember(f)
end
