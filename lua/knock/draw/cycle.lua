-- Pictures of cycles, branches, basins and bifurcations.

local figure = require "knock.figure"
local host = require "knock.host"
local monodromy = require "knock.monodromy"
local options_of = require "knock.options"
local run_axis = require "knock.draw.run".axis

local T = figure.math
local M = {}

local function numbers(from, to, n)
  local out = {}
  for i = 1, n do out[i] = from + (to - from) * (i - 1) / (n - 1) end
  return out
end

-- ---- cycles ----------------------------------------------------------------------------------------------------------

-- multipliers in the unit circle; what is far outside is told in words
local function circle(panel, multipliers)
  local angle, x, y = numbers(0, 2 * math.pi, 181), {}, {}
  for i, a in ipairs(angle) do x[i], y[i] = math.cos(a), math.sin(a) end
  panel:line { x = x, y = y, colour = "black", dash = "solid", width = 0.8 }
  local groups = { inside = { x = {}, y = {} }, on = { x = {}, y = {} }, outside = { x = {}, y = {} } }
  local reach = 1.15
  for i, m in ipairs(multipliers) do
    local re, im = type(m) == "table" and m[1] or m, type(m) == "table" and m[2] or 0
    local to = groups[monodromy.place(multipliers, i)]
    to.x[#to.x + 1], to.y[#to.y + 1] = re, im
    reach = math.max(reach, 1.1 * math.abs(re), 1.1 * math.abs(im))
  end
  for colour, look in ipairs { { "inside", "disc" }, { "outside", "diamond" }, { "on", "ring" } } do
    local g = groups[look[1]]
    if #g.x > 0 then panel:points { x = g.x, y = g.y, colour = colour, mark = look[2], size = 4, label = look[1] } end
  end
  panel:hline(0):vline(0)
  panel.x, panel.y = { label = T"Re $\\mu$", range = { -reach, reach } }, { label = T"Im $\\mu$", range = { -reach, reach } }
  panel.equal, panel.key = true, false
end

local check_cycle = options_of.define("cycle:plot", options_of.join({
  { "x", "string", "column of the run along the horizontal axis, q1 unless said" },
  { "y", "string", "column along the vertical axis, u1 unless said" },
  { "curves", "table", "several of them: { { \"q3\", \"u3\" }, { \"q4\", \"u4\" } }" },
  { "labels", "table", "words for these curves" },
  { "samples", "integer", "points of each run", default = 300, min = 2 },
}, figure.page), "plot")

local function orbit(panel, c, o)
  local curves = o.curves or { { o.x or "q1", o.y or "u1" } }
  for i, pair in ipairs(curves) do
    for s, run in ipairs(c.runs) do
      local columns = run:sample(o.samples)
      for _, name in ipairs(pair) do
        if type(columns[name]) == "nil" then host.fail(("plot: a run has no column '%s'; there are %s"):format(name, table.concat(columns.names, ", "))) end
      end
      if not panel.x then panel.x, panel.y = run_axis(run, columns, pair[1], {}, "x"), run_axis(run, columns, pair[2], {}, "y") end
      local x, y = columns[pair[1]], columns[pair[2]]
      panel:line { x = x, y = y, colour = i, dash = "solid", label = s == 1 and o.labels and o.labels[i] or nil }
      panel:points { x = { x[1] }, y = { y[1] }, colour = i, mark = "disc", size = 3 }
      panel:points { x = { x[#x] }, y = { y[#y] }, colour = i, mark = "ring", size = 3 }
    end
  end
  if o.labels then panel.key = "above" end
end

function M.cycle(c, options)
  local o = check_cycle(options)
  if not c.run then
    local f = figure.new(o)
    circle(f[1], c.multipliers)
    return figure.remember(f)
  end
  local page = {}
  for key, value in pairs(o) do page[key] = value end
  page.rows, page.cols = 1, 2
  local f = figure.new(page)
  orbit(f[1], c, o)
  circle(f[2], c.multipliers)
  return figure.remember(f)
end

-- ---- branches --------------------------------------------------------------------------------------------------------

local check_branch = options_of.define("branch:plot", options_of.join({
  { "y", "string|number|function", "period, the number of a state, or a function of a point" },
  { "ylabel", "any", "words at the vertical axis" },
  { "xlabel", "any", "words at the horizontal axis" },
  { "with", "table", "other branches for the same picture" },
  { "colours", "table", "of the branch and of the others, in order" },
}, figure.page), "plot")

local dashes = { stable = "solid", unstable = "dashed", neutral = "dotted" }
local marks = { fold = "box", ["period doubling"] = "diamond", ["Neimark-Sacker"] = "star", grazing = "up", ["contact order"] = "ring",
  ["impact at the section"] = "down" }

-- every state of a cycle of several returns is a point of the branch
local function values(y, point)
  if type(y) == "function" then -- one number, or a list of them
    local v = y(point)
    return type(v) == "table" and v or { v }
  end
  if y == "period" then return { point.period } end
  local out = {}
  for i, x in ipairs(point.X) do out[i] = x[y] end
  return out
end

-- runs of points with one stability; neighbours share their last point, but not where the state jumps
local function pieces(branch)
  local out, piece = {}, nil
  for _, point in ipairs(branch.points) do
    if not piece or piece.stable ~= point.stable or point.jumps then
      local joint = piece and not point.jumps and piece[#piece]
      piece = { stable = point.stable }
      if joint then piece[1] = joint end
      out[#out + 1] = piece
    end
    piece[#piece + 1] = point
  end
  return out
end

local function draw_branch(panel, branch, y, colour, told)
  for _, piece in ipairs(pieces(branch)) do
    for k = 1, #values(y, piece[1]) do
      local xs, ys = {}, {}
      for i, point in ipairs(piece) do xs[i], ys[i] = point.value, values(y, point)[k] end
      local word = monodromy.stability(piece.stable)
      panel:line { x = xs, y = ys, colour = colour, dash = dashes[word], label = not told[word] and word or nil }
      told[word] = true
    end
  end
  for _, e in ipairs(branch.events) do
    for _, v in ipairs(values(y, e.point)) do
      panel:points { x = { e.value }, y = { v }, colour = "black", mark = marks[e.kind] or "ring", size = 4, label = not told[e.kind] and e.kind or nil }
      told[e.kind] = true
    end
  end
end

function M.branch(branch, options)
  local o = check_branch(options)
  local f, y, told = figure.new(o), o.y or (branch.P.kind == "model" and "period" or 1), {}
  local colours = o.colours or {}
  draw_branch(f[1], branch, y, colours[1] or 1, told)
  for i, other in ipairs(o.with or {}) do draw_branch(f[1], other, y, colours[1 + i] or 1 + i, told) end
  local label = o.ylabel or (y == "period" and "period" or type(y) == "number" and T(("$x_{%d}$"):format(y)) or "")
  f[1].x, f[1].y = { label = o.xlabel or branch.name, unit = not o.xlabel and require "knock.continue".unit_of(branch.P, branch.name) or nil }, { label = label, unit = y == "period" and not o.ylabel and "s" or nil }
  f[1].key = "above"
  return figure.remember(f)
end

-- ---- basins ----------------------------------------------------------------------------------------------------------

local check_basin = options_of.define("basin:plot", options_of.join({
  { "what", "string", "which number is shown as a colour", default = "cycle", choices = { "cycle", "returns" } },
  { "xlabel", "any", "words at the horizontal axis" },
  { "ylabel", "any", "words at the vertical axis" },
  { "palette", "string", "colours of the scale, viridis by default", choices = { "viridis", "cividis", "diverging", "grey" } },
}, figure.page), "plot")

function M.basin(b, options)
  local o = check_basin(options)
  local f = figure.new(o)
  f[1]:heat { x = b.x, y = b.y, z = o.what == "cycle" and b.z or b.returns }
  f[1].x, f[1].y = { label = o.xlabel or b.names[1] }, { label = o.ylabel or b.names[2] }
  f[1].c = { label = o.what == "cycle" and "cycle" or "returns", palette = o.palette }
  return figure.remember(f)
end

-- ---- bifurcation diagrams ----------------------------------------------------------------------------------------------

local check_diagram = options_of.define("bifurcation:plot", options_of.join({
  { "xlabel", "any", "words at the horizontal axis" },
  { "ylabel", "any", "words at the vertical axis" },
  { "size", "number", "of the points", unit = "pt", default = 0.6, above = 0 },
  { "yrange", "table", "{ low, high } of the vertical axis" },
}, figure.page), "plot")

function M.bifurcation(b, options)
  local o = check_diagram(options)
  local f = figure.new(o)
  f[1]:points { x = b.p, y = b.v, colour = "black", mark = "disc", size = o.size }
  f[1].x, f[1].y = { label = o.xlabel or b.parameter }, { label = o.ylabel or b.what, range = o.yrange }
  f[1].key = false
  return figure.remember(f)
end

return M
