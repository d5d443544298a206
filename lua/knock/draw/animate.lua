-- run:animate "x.gif": the mechanism in motion.

local figure = require "knock.figure"
local gnuplot = require "knock.gnuplot"
local host = require "knock.host"
local layer = require "knock.draw.layer"
local layout = require "knock.draw.layout"
local mechanism = require "knock.draw.mechanism"
local options_of = require "knock.options"
local output = require "knock.draw.output"
local script = require "knock.draw.script"
local style = require "knock.draw.style"

local most = 1000 -- frames

local check = options_of.define("run:animate", {
  { "fps", "number", "pictures per second", unit = "1/s", default = 25, above = 0 },
  { "speed", "number", "seconds of the run in a second of the film: 0.2 is slow motion", default = 1, above = 0 },
  { "from", "number", "time of the first picture; by default the start of the run", unit = "s" },
  { "to", "number", "time of the last picture; by default the end of the run", unit = "s" },
  { "width", "integer", "width in pixels", default = 640, min = 50, max = 10000 },
  { "trail", "string", "part of the outline whose way is drawn: contact, centre ..." },
  { "style", "string|table", "look of the page: screen by default" },
  { "title", "string", "words before the time" },
})

local function check_path(path)
  if type(path) == "string" and path:match "%.[gG][iI][fF]$" then return end
  host.fail(("animate: the file's name must end in .gif, got %s"):format(host.got(path)))
end

local function times(run, o)
  local from, to = o.from or run.t_start, o.to or run.t_end
  local n = math.floor((to - from) * o.fps / o.speed + 0.5) + 1
  if not (to > from) then host.fail(("animate: from %g s to %g s there is nothing to show"):format(from, to)) end
  if n > most then host.fail(("animate: %d frames are too many (at most %d): lower fps, or raise speed"):format(n, most)) end
  local list = {}
  for i = 1, n do list[i] = math.min(from + (i - 1) / o.fps * o.speed, to) end
  return list
end

-- limits that hold every frame
local function limits(pictures)
  local _, size, box = mechanism.measure(pictures)
  local pad = 0.1 * math.max(size, 1e-6)
  return { box[1] - pad, box[2] + pad }, { box[3] - pad, box[4] + pad }
end

-- The place of a part: a point or a circle of that name, or the far end of a line. "ball 2" is the second ball.
local function place_of(shapes, part)
  local name, number = tostring(part):match "^(.-) (%d+)$"
  local count, found = 0, nil
  for _, s in ipairs(shapes) do
    local here = s.kind == "line" and { s.x[#s.x], s.y[#s.y] } or { s.x[1], s.y[1] }
    if s.part == part and (not found or found.line and s.kind ~= "line") then found = { here[1], here[2], line = s.kind == "line" } end
    if s.part == name then
      count = count + 1
      if count == tonumber(number) then return here[1], here[2] end
    end
  end
  if found then return found[1], found[2] end
end

-- the names of the parts, in order; several of one name are counted
local function parts_of(shapes)
  local list, count, fixed = {}, {}, { floor = true, wall = true, mark = true }
  for _, s in ipairs(shapes) do
    if s.part and not fixed[s.part] then
      count[s.part] = (count[s.part] or 0) + 1
      if count[s.part] == 1 then list[#list + 1] = s.part end
    end
  end
  for i, name in ipairs(list) do if count[name] > 1 then list[i] = ("%s (1 to %d: '%s 2')"):format(name, count[name], name) end end
  return table.concat(list, ", ")
end

-- the way of a part, several points between two frames
local function way_of(run, at, part)
  local way = { x = {}, y = {} }
  for i, t in ipairs(at) do
    local last = at[i - 1] or t
    for k = i == 1 and 5 or 1, 5 do
      local x, y = place_of(mechanism.outline(run.model, run:at(last + (t - last) * k / 5).q), part)
      if not x then
        host.fail(("animate: trail: there is no part '%s' to follow; there are %s"):format(tostring(part), parts_of(mechanism.outline(run.model, run:at(t).q))))
      end
      way.x[#way.x + 1], way.y[#way.y + 1] = x, y
    end
  end
  return way
end

local function frame(pictures, i, t, xr, yr, o, way)
  local f = figure.new {}
  local panel = f[1]
  mechanism.axes(panel)
  panel.x.range, panel.y.range = xr, yr
  local n = 1 + 5 * (i - 1)
  if way and n > 1 then
    panel:line { x = { table.unpack(way.x, 1, n) }, y = { table.unpack(way.y, 1, n) }, colour = "orange", dash = "solid", width = 0.9 }
  end
  mechanism.draw(panel, { pictures[i] }, "all", pictures)
  panel.title = (o.title and o.title .. "   " or "") .. ("t = %.2f s"):format(t)
  return f
end

local function terminal(plan, o, s)
  local wide = o.width
  local scale = wide / plan.w
  return ("gif animate delay %d loop 0 size %d,%d font 'DejaVuSans,%s' linewidth %s rounded"):format(
    math.max(2, math.floor(100 / o.fps + 0.5)), wide, math.floor(plan.h * scale + 0.5), layer.num(s.size * scale * 0.74), layer.num(scale))
end

return function(run, path, o)
  options_of.colon(getmetatable(run) == "run", "animate", "a run")
  check_path(path)
  o = check(o)
  local pictures, at = {}, times(run, o)
  for i, t in ipairs(at) do pictures[i] = mechanism.outline(run.model, run:at(t).q) end
  local xr, yr = limits(pictures)
  local s = setmetatable({ point_scale = 1.6 }, { __index = style.get(o.style or "screen") })
  local way = o.trail and way_of(run, at, o.trail)
  local out = {}
  for i, t in ipairs(at) do
    local plan = layout.plan(frame(pictures, i, t, xr, yr, o, way), s, {})
    if i == 1 then out[1] = ("set terminal %s\nset output 'out.gif'"):format(terminal(plan, o, s)) else out[#out + 1] = "reset" end
    out[#out + 1] = script.page(plan, "gd", output.binary(plan, i))
  end
  output.run(table.concat(out, "\n"))
  gnuplot.publish(output.place(path), gnuplot.take "out.gif")
  return run
end
