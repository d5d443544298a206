-- Mechanisms from the outlines of their models: one state, several like a stroboscope, or a film.

local core = require "knock.core"
local gnuplot = require "knock.gnuplot"
local figure = require "knock.figure"
local host = require "knock.host"
local options_of = require "knock.options"

local mechanism = {}
local abs, max, min, sqrt = math.abs, math.max, math.min, math.sqrt

-- ---- ground: pieces of the same straight line become one, hatched on the far side -----------------

local function line_of(s)
  local x0, y0, x1, y1 = s.x[1], s.y[1], s.x[2], s.y[2]
  local length = sqrt((x1 - x0) ^ 2 + (y1 - y0) ^ 2)
  if length == 0 then return nil end
  local tx, ty = (x1 - x0) / length, (y1 - y0) / length
  if tx < -1e-9 or (abs(tx) <= 1e-9 and ty < 0) then tx, ty = -tx, -ty end
  return tx, ty, -ty * x0 + tx * y0
end

local function add_ground(list, s)
  local tx, ty, level = line_of(s)
  if not tx then return end
  local a, b = tx * s.x[1] + ty * s.y[1], tx * s.x[2] + ty * s.y[2]
  local from, to = min(a, b), max(a, b)
  for _, g in ipairs(list) do
    if abs(g.tx - tx) < 1e-6 and abs(g.ty - ty) < 1e-6 and abs(g.level - level) < 1e-4 and from <= g.to + 1e-9 and to >= g.from - 1e-9 then
      g.from, g.to = min(g.from, from), max(g.to, to)
      return
    end
  end
  list[#list + 1] = { tx = tx, ty = ty, level = level, from = from, to = to }
end

local function draw_ground(panel, g, size, centre)
  local nx, ny = -g.ty, g.tx
  local x0, y0 = g.tx * g.from + nx * g.level, g.ty * g.from + ny * g.level
  local x1, y1 = g.tx * g.to + nx * g.level, g.ty * g.to + ny * g.level
  local side = (centre[1] * nx + centre[2] * ny) >= g.level and -1 or 1
  local depth = 0.03 * size
  local xs, ys = {}, {}
  local n = max(4, min(400, math.floor((g.to - g.from) / (1.3 * depth))))
  for i = 1, n do
    local s = g.from + (g.to - g.from) * (i - 0.3) / n
    local px, py = g.tx * s + nx * g.level, g.ty * s + ny * g.level
    xs[#xs + 1], ys[#ys + 1] = px, py
    xs[#xs + 1] = px + (side * nx - g.tx * 0.8) * depth
    ys[#ys + 1] = py + (side * ny - g.ty * 0.8) * depth
    xs[#xs + 1], ys[#ys + 1] = 0 / 0, 0 / 0
  end
  panel:line { x = xs, y = ys, colour = "grey", dash = "solid", width = 0.4 }
  panel:line { x = { x0, x1 }, y = { y0, y1 }, colour = "dark", dash = "solid", width = 1 }
end

-- ---- bodies ----------------------------------------------------------------------------------------

local ground = { floor = true }
local thick = { link = 2.4, bar = 2.6, rod = 1.2, mass = 3, legs = 3, torso = 3.6, arms = 2.6, crutches = 1.6, wall = 1, slider = 1, mark = 0.8 }
local marks = {
  joint = { "disc", 4, "white" }, contact = { "disc", 3.2, "red" }, support = { "triangle", 7, "dark" },
  centre = { "plus", 5, "black" }, particle = { "disc", 6, 1 },
}

local function circle_points(s)
  local x, y = {}, {}
  for i = 0, 72 do
    local a = i / 72 * 2 * math.pi
    x[i + 1], y[i + 1] = s.x[1] + s.r * math.cos(a), s.y[1] + s.r * math.sin(a)
  end
  return x, y
end

local closed = { pencil = true, slider = true, wall = true, box = true, body = true }

local function shade(fade, strong, weak) return fade and weak or strong end

local function draw_line(panel, s, fade, colour)
  if closed[s.part] and #s.x > 2 then
    panel:fill { x = s.x, y = s.y, colour = shade(fade, s.part == "wall" and "light" or "#CFE3F1", "#EEF4F9"), counts = true }
    local x, y = { table.unpack(s.x) }, { table.unpack(s.y) }
    x[#x + 1], y[#y + 1] = x[1], y[1]
    return panel:line { x = x, y = y, colour = shade(fade, colour, "light"), dash = "solid", width = 0.8 }
  end
  panel:line { x = s.x, y = s.y, colour = shade(fade, s.part == "mark" and "dark" or colour, "#B9CFDF"), dash = "solid",
               width = (thick[s.part] or 1.6) * (fade and 0.7 or 1) }
end

local function draw_circle(panel, s, fade, colour)
  local x, y = circle_points(s)
  if not fade then panel:fill { x = x, y = y, colour = "#DCEBF5", opacity = 0.85 } end
  panel:line { x = x, y = y, colour = shade(fade, colour, "#A9C4D8"), dash = "solid", width = fade and 0.6 or 1 }
end

local function draw_point(panel, s, fade)
  local m = marks[s.part] or { "dot", 3, "black" }
  if fade and s.part ~= "particle" and s.part ~= "support" then return end
  if m[3] == "white" then
    panel:points { x = s.x, y = s.y, mark = "disc", size = m[2] + 1.6, colour = shade(fade, "dark", "light") }
  end
  panel:points { x = s.x, y = s.y, mark = m[1], size = m[2], colour = m[3] }
end

-- lines and circles, and then the joints and points on them
local function draw_body(panel, shapes, fade)
  for _, s in ipairs(shapes) do
    if ground[s.part] then -- drawn already
    elseif s.kind == "line" then draw_line(panel, s, fade, 1)
    elseif s.kind == "circle" then draw_circle(panel, s, fade, 1) end
  end
  for _, s in ipairs(shapes) do
    if s.kind ~= "line" and s.kind ~= "circle" and not ground[s.part] then draw_point(panel, s, fade) end
  end
end

-- no more ground than goes with the picture
local function trim(g, box, size)
  local function clip(from, to, a, b)
    local low, high = a - 0.12 * size, b + 0.12 * size
    if to < low or from > high then return from, to end
    return max(from, low), min(to, high)
  end
  if abs(g.tx) > 0.7 then
    local a, b = (box[1] + g.ty * g.level) / g.tx, (box[2] + g.ty * g.level) / g.tx
    g.from, g.to = clip(g.from, g.to, min(a, b), max(a, b))
  end
end

-- centre and size of everything but the ground
local function measure(pictures)
  local x0, x1, y0, y1 = math.huge, -math.huge, math.huge, -math.huge
  for _, shapes in ipairs(pictures) do
    for _, s in ipairs(shapes) do
      if not ground[s.part] then
        local r = s.r or 0
        for i = 1, #s.x do
          x0, x1, y0, y1 = min(x0, s.x[i] - r), max(x1, s.x[i] + r), min(y0, s.y[i] - r), max(y1, s.y[i] + r)
        end
      end
    end
  end
  return { (x0 + x1) / 2, (y0 + y1) / 2 }, max(x1 - x0, y1 - y0), { x0, x1, y0, y1 }
end

-- pictures: a list of outlines; all but the strong ones are faded. Draws ground, then bodies. `all`
-- are the pictures of a whole film: they tell how far the ground goes.
function mechanism.draw(panel, pictures, strong, all)
  local centre, size, box = measure(all or pictures)
  local grounds = {}
  for _, shapes in ipairs(all or pictures) do
    for _, s in ipairs(shapes) do if ground[s.part] then add_ground(grounds, s) end end
  end
  if size < 1e-9 then -- a lone point: as large as the ground it is drawn with
    for _, g in ipairs(grounds) do size = max(size, 0.5 * (g.to - g.from)) end
  end
  local narrow = min(box[2] - box[1], box[4] - box[3])
  for _, g in ipairs(grounds) do
    trim(g, box, size)
    draw_ground(panel, g, narrow > 0.05 * size and min(size, 2 * narrow) or size, centre)
  end
  for pass = 1, 2 do -- faded ones first
    for i, shapes in ipairs(pictures) do
      local fade = not (strong == "all" or strong[i])
      if (pass == 1) == fade then draw_body(panel, shapes, fade) end
    end
  end
  return size
end

function mechanism.outline(model, q)
  local shapes = gnuplot.outline(model, q)
  if not shapes then host.fail "plot: this model has no outline to draw (give one: outline = function(q, pen) ... end)" end
  return shapes
end

-- axes of a drawing: equal scales, metres, or none at all
--- A bar of `length` metres with its words, for pictures without axes.
function mechanism.scale(panel, x, y, length, words)
  panel:line { x = { x, x + length }, y = { y, y }, colour = "black", dash = "solid", width = 1.5 }
  panel:text { x = x + length / 2, y = y, text = words, side = "center", dy = -0.8 }
end

-- seen from anywhere but along y the axes of the picture are not x and z
local function turned(model)
  local info = model and core.mechanisms.info(model)
  if not info or info.spec.plane then return false end
  local view = model.view
  return view[1] ~= 0 or view[3] ~= 0 or view[2] > 0
end

function mechanism.axes(panel, bare, model)
  local T = figure.math
  panel.equal, panel.bare = true, bare or bare == nil and turned(model) or nil
  panel.x, panel.y = { label = T"$x$", unit = "m" }, { label = T"$z$", unit = "m" }
end

mechanism.measure = measure

local check_options = options_of.define("model:plot", options_of.join({ { "bare", "boolean", "without axes" } }, figure.page), "plot")

-- model:plot(): the mechanism as it stands
function mechanism.model(model, options)
  options_of.colon(getmetatable(model) == "model", "plot", "a model")
  options = check_options(options)
  local f = figure.new(options)
  mechanism.draw(f[1], { mechanism.outline(model) }, "all")
  mechanism.axes(f[1], options.bare, model)
  return figure.remember(f)
end

-- times to show: given, or evenly spread
local function times(run, options)
  if options.times then return options.times end
  local n, list = options.n or 9, {}
  local from, to = options.from or run.t_start, options.to or run.t_end
  for i = 1, n do list[i] = from + (to - from) * (i - 1) / max(1, n - 1) end
  return list
end

-- like a stroboscope: the states at several times, the path of a point, the impacts
function mechanism.strobe(run, options)
  options = options or {}
  local f = figure.new(options)
  local pictures, strong = {}, {}
  for i, t in ipairs(times(run, options)) do
    pictures[i] = mechanism.outline(run.model, run:at(t).q)
    strong[i] = false
  end
  strong[1], strong[#pictures] = true, true
  local all
  if options.whole then -- as much ground as the whole run needs
    all = {}
    for i, t in ipairs(times(run, { n = 100 })) do all[i] = mechanism.outline(run.model, run:at(t).q) end
  end
  mechanism.draw(f[1], pictures, options.fade == false and "all" or strong, all)
  mechanism.axes(f[1], options.bare, run.model)
  return f
end

return mechanism
