-- Figures that grow while a run or a sweep goes on. They wait for nobody: a picture is sent only when the
-- last one is drawn, and at most some times a second. Without a window or a terminal nothing is drawn.

local figure = require "knock.figure"
local gnuplot = require "knock.gnuplot"
local host = require "knock.host"
local layer = require "knock.draw.layer"
local options_of = require "knock.options"
local output = require "knock.draw.output"
local script = require "knock.draw.script"
local show = require "knock.draw.show"
local style = require "knock.draw.style"
local layout = require "knock.draw.layout"

-- seconds between two pictures, and how many times as long as the last one took: drawing costs a tenth at most
local live = { pause = 0.15, share = 10 }

local function plan_of(fig) return layout.plan(fig, style.get "screen", {}) end

-- on a terminal the text is drawn over the last one
local function write_text(self)
  local text = gnuplot.take "live.txt"
  if self.lines then io.write(("\27[%dA"):format(self.lines)) end
  io.write(text)
  io.flush()
  local _, n = text:gsub("\n", "")
  self.lines = n
end

local function finish(self)
  if self.drawing and self.way == "text" then write_text(self) end
  self.drawing = false
end

local function send(self, fig)
  local plan = plan_of(fig)
  local data = output.binary(plan, "live")
  if self.way == "text" then
    local _, columns, rows = gnuplot.screen()
    local line = output.terminals.txt.line(plan, math.min(columns - 1, 100), math.max(12, math.min(rows - 3, 24)))
    gnuplot.begin(("set terminal %s\nset output 'live.txt'\n%s"):format(line, script.page(plan, "dumb", data)))
  else
    local font = gnuplot.quote(("%s,%s"):format(plan.style.font, layer.num(plan.style.size * 1.3)))
    local line = ("%s %d size 780,500 font %s linewidth 1.5 noraise persist"):format(self.way, self.window, font)
    gnuplot.begin(("set terminal %s\n%s"):format(line, script.page(plan, "cairo", data)))
  end
  self.drawing = true
end

-- a function update(make, final) where make() gives the figure of the moment; nil when there is nowhere to draw
function live.new()
  local way = show.way()
  local tty = gnuplot.screen()
  if way == "file" or way == "sixel" then way = "text" end
  if way == "text" and not tty and not live.force then return nil end
  local self = { way = way, window = show.next_window(), last = -math.huge, cost = 0 }
  return function(make, final)
    local now = gnuplot.clock()
    if not final and now - self.last < math.max(live.pause, live.share * self.cost) then return end
    if gnuplot.busy() then
      if not final then return end
      while gnuplot.busy() do end
    end
    finish(self)
    local fig = make()
    if not fig then return end
    send(self, fig)
    self.last = gnuplot.clock()
    self.cost = self.last - now
    if final then
      while gnuplot.busy() do end
      finish(self)
    end
  end
end

local function list(y) return type(y) == "table" and y or { y } end

local check_run = options_of.define("k.simulate live", {
  { "x", "string", "column along the horizontal axis", default = "t" },
  { "y", "string|table", "column, or list of columns: q1, q2 ..., u1, u2 ...", default = "q1" },
}, "simulate: live")

-- columns that a live figure of a run has
local function check_columns(model, wanted)
  local names = { "t" }
  for _, of in ipairs { "q", "u" } do for i = 1, #model[of] do names[#names + 1] = of .. i end end
  for _, name in ipairs(wanted) do
    local known = false
    for _, each in ipairs(names) do known = known or each == name end
    if not known then
      local near = host.nearest(tostring(name), names)
      host.fail(("simulate: live: no column '%s'%s"):format(tostring(name), near and (" (did you mean '%s'?)"):format(near) or ""))
    end
  end
end

-- for k.simulate: live = true, or { x = "t", y = {"q1", "u1"} }
function live.run(model, spec)
  spec = check_run(type(spec) == "table" and spec or nil)
  local x, y = spec.x, list(spec.y)
  check_columns(model, { x, table.unpack(y) })
  local update = live.new()
  if not update then return nil end
  return function(columns, final)
    update(function()
      if #columns.t < 2 then return nil end
      local f = figure.new {}
      for i, name in ipairs(y) do f:line { x = columns[x], y = columns[name], label = name, colour = i } end
      f[1].x, f[1].y = { label = x, unit = x == "t" and "s" or nil }, { label = table.concat(y, ", ") }
      return f
    end, final)
  end
end

-- for sweeps: live = true, or what r:plot takes
function live.sweep(t, spec, first)
  local update = live.new()
  if not update then return nil end
  local function check(done)
    local o = type(spec) == "table" and spec or {}
    for _, name in ipairs(done > 0 and list(o.y) or {}) do
      if not t:has(name) then error(("live: there is no column '%s'"):format(tostring(name)), 0) end
    end
  end
  return function(done, _, final)
    check(done)
    update(function()
      local o = {}
      for key, value in pairs(type(spec) == "table" and spec or {}) do o[key] = value end
      local x = o.x or first
      local y = o.y
      if not y then
        for _, name in ipairs(t:names()) do
          local kind, width = t:kind(name)
          if name ~= first and kind == "number" and width == 1 and not y then y = name end
        end
      end
      if not y then return nil end
      o.x, o.y, o.kind, o.size = x, y, o.kind or "points", o.size or 3
      local ok, f = pcall(t.plot, t, o)
      return ok and f or nil
    end, final)
  end
end

return live
