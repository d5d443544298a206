-- Recipes for runs: run:plot { x = "t", y = "energy" }, run:plot "phase" and so on.

local figure = require "knock.figure"
local host = require "knock.host"
local options_of = require "knock.options"
local mechanism = require "knock.draw.mechanism"
local text = require "knock.draw.text"

local T = figure.math
local kinds = {}

local marks = {
  impact = { "diamond", "impact" }, contact = { "disc", "contact" }, release = { "ring", "release" }, stick = { "square", "stick" },
  slip = { "box", "slip" }, ["impact without collision"] = { "down", "impact without collision" }, zeno = { "star", "rest" }, user = { "up", "event" },
}
local order = { "impact", "impact without collision", "contact", "release", "stick", "slip", "zeno", "user" }

local symbols = {
  t = "$t$", energy = "energy", kinetic = "kinetic energy", potential = "potential energy", gap = "gap", f_n = "$F_n$", f_t = "$F_t$",
  work = "work", lost = "lost energy", sliding = "lost by sliding",
}

-- "position3" -> z and its unit; groups of three are x, y, z
local axes3 = { "x", "y", "z" }
local letters = { position = "", velocity = "v", spin = "\\omega" }

local function label_of(name)
  if symbols[name] then return T(symbols[name]) end
  local word, index = name:match "^(%a+)(%d+)$"
  if word == "position" then return T(("$%s$"):format(axes3[tonumber(index)] or "q_" .. index)) end
  if letters[word] then return T(("$%s_%s$"):format(letters[word], axes3[tonumber(index)] or index)) end
  if word == "q" or word == "u" then return T(("$%s_{%s}$"):format(word, index)) end
  if word == "angles" then return T(("$\\theta_{%s}$"):format(index)) end
  if word == "rates" then return T(("$\\omega_{%s}$"):format(index)) end
  if word == "gap" then return T(("gap %s"):format(index)) end
  if word then return T(("%s %s"):format(word, index)) end
  return name
end

local function column(c, name)
  local v = c[name]
  if v == nil or type(v) == "string" then
    local near = host.nearest(tostring(name), c.names)
    host.fail(("plot: a run has no column '%s'%s; there are %s"):format(tostring(name), near and (" (did you mean '%s'?)"):format(near) or "", table.concat(c.names, ", ")))
  end
  return v
end

-- coordinates have no unit by themselves; their group knows it
local function unit_of(run, c, name)
  local unit = c.units[name]
  if unit and unit ~= "" then return unit end
  local of, index = name:match "^([qu])(%d+)$"
  if not of then return unit end
  local at = 0
  for _, g in ipairs(run.model.groups) do
    if g.of == of then
      at = at + g.n
      if tonumber(index) <= at then return g.unit end
    end
  end
end

local function axis(run, c, name, options, which)
  return { label = options[which .. "label"] or label_of(name), unit = unit_of(run, c, name), range = options[which .. "range"],
           air = name == "t" and 0 or nil } -- time ends where the run ends
end

-- the value of a column where an event is: after it
local function value_at(c, name, t)
  local times, v = c.t, c[name]
  local found
  for i = 1, #times do if times[i] == t then found = v[i] end end
  return found
end

local function events(panel, run, c, x, y, labelled)
  local by = {}
  for i, e in ipairs(run.events) do
    local look = marks[e.kind]
    local vx, vy = value_at(c, x, e.t), value_at(c, y, e.t)
    local next_event = run.events[i + 1] -- an impact that stays in contact is marked once
    if e.kind == "impact" and next_event and next_event.kind == "contact" and next_event.t == e.t then look = nil end
    if look and vx and vy then
      by[e.kind] = by[e.kind] or { x = {}, y = {} }
      table.insert(by[e.kind].x, vx)
      table.insert(by[e.kind].y, vy)
    end
  end
  for _, kind in ipairs(order) do
    if by[kind] then
      panel:points { x = by[kind].x, y = by[kind].y, mark = marks[kind][1], colour = "black", size = 3.2, label = labelled and marks[kind][2] or nil }
    end
  end
end

-- names of columns
local function list(y)
  y = type(y) == "table" and y or { y }
  if #y == 0 then host.fail "plot: y is an empty list, expected names of columns" end
  for _, name in ipairs(y) do if type(name) ~= "string" then host.fail(("plot: y must be the name of a column or a list of them, got %s"):format(host.got(name))) end end
  return y
end

-- columns over a column; with several names one panel and a key, events marked on the first
function kinds.columns(run, options)
  local c = run:sample(options.samples or 1000)
  local f = figure.new(options)
  local x, names, same = options.x or "t", list(options.y or "energy"), true
  for _, n in ipairs(names) do same = same and unit_of(run, c, n) == unit_of(run, c, names[1]) end
  for i, name in ipairs(names) do
    local label = #names > 1 and label_of(name) or nil
    if not same then label = text.with_unit(label, unit_of(run, c, name)) end
    f[1]:line { x = column(c, x), y = column(c, name), label = label, colour = i }
    if options.events ~= false and #run.events <= (options.max_events or 60) then events(f[1], run, c, x, name, i == 1) end
  end
  f[1].x, f[1].y = axis(run, c, x, options, "x"), axis(run, c, names[1], options, "y")
  if #names > 1 and not options.ylabel then f[1].y.label = "value" end
  if not same then f[1].y.unit, f[1].y.scale = nil, false end
  f[1].equal = options.equal
  return f
end

-- each column in a panel of its own: y = { names }, labels = { texts }, cols (2)
function kinds.panels(run, options)
  local c, names, x = run:sample(options.samples or 1000), list(options.y or { "energy" }), options.x or "t"
  local cols = options.cols or math.min(2, #names)
  local f = figure.new { rows = math.ceil(#names / cols), cols = cols, style = options.style, width = options.width, height = options.height }
  for i, name in ipairs(names) do
    f[i]:line { x = column(c, x), y = column(c, name), colour = 1, dash = "solid" }
    if #run.events <= (options.max_events or 60) then events(f[i], run, c, x, name, i == 1) end
    f[i].x, f[i].y = axis(run, c, x, options, "x"), axis(run, c, name, options, "y")
    f[i].y.label = options.labels and options.labels[i] or f[i].y.label
  end
  return f
end

local function with(options, more) return setmetatable(more, { __index = options }) end

function kinds.energy(run, options)
  return kinds.columns(run, with(options, { y = { "energy", "kinetic", "potential" }, ylabel = "energy" }))
end

-- the columns of all contacts: "gap", "gap2" or, of a mechanism, "gap(leg.foot/floor)"
local function of_contacts(run, numbered, named)
  local out = {}
  for _, name in ipairs(run.columns.names) do if name:match(numbered) or name:match(named) then out[#out + 1] = name end end
  if #out == 0 then host.fail(("plot: %s has no contacts"):format(run.model.name)) end
  return out
end

function kinds.gap(run, options)
  local f = kinds.columns(run, with(options, { y = of_contacts(run, "^gap%d*$", "^gap%("), ylabel = "gap" }))
  f[1]:hline(0)
  return f
end

function kinds.force(run, options)
  return kinds.columns(run, with(options, { y = of_contacts(run, "^f%d*_n$", "^f_n%("), ylabel = T"$F_n$" }))
end

-- a speed over its coordinate; columns are t, the coordinates, the speeds ...
function kinds.phase(run, options)
  local i, names, nq = options.coordinate or 1, run.columns.names, #run.model.q
  if i > #run.model.u then host.fail(("plot: coordinate must be from 1 to %d, got %d"):format(#run.model.u, i)) end
  return kinds.columns(run, with(options, { x = names[1 + i], y = names[1 + nq + i] }))
end

-- the way in the plane of two coordinates: x and z where there are such, else the first two
function kinds.trajectory(run, options)
  local c = run.columns
  local x, y = options.x, options.y
  if not x then
    local body = c.names[2]:match "^(.*)%.x$"
    x = c.position1 and "position1" or c.names[2]
    y = c.position3 and "position3" or c.position2 and "position2" or body and body .. ".z" or c.names[3]
  end
  return kinds.columns(run, with(options, { x = x, y = y, equal = options.equal ~= false }))
end

kinds.strobe = mechanism.strobe

local function names()
  local out = {}
  for name in pairs(kinds) do out[#out + 1] = name end
  table.sort(out)
  return out
end

local check_options = options_of.define("run:plot", options_of.join({
  list = true,
  { "kind", "string", "columns, energy, force, gap, panels, phase, strobe, trajectory" },
  { "x", "string", "column along the horizontal axis, t by default" },
  { "y", "string|table", "column, or list of columns, over it" },
  { "xlabel", "any", "label of the horizontal axis" },
  { "ylabel", "any", "label of the vertical axis" },
  { "markup", "boolean", "labels and title with $v_n$" },
  { "labels", "table", "panels: label of the vertical axis of each" },
  { "xrange", "table", "{ low, high } of the horizontal axis" },
  { "yrange", "table", "{ low, high } of the vertical axis" },
  { "samples", "integer", "points of a curve, 1000 by default", min = 2 },
  { "events", "boolean", "false: events are not marked" },
  { "max_events", "integer", "runs with more events than this are not marked, 60 by default" },
  { "equal", "boolean", "equal scales on both axes" },
  { "cols", "integer", "panels: columns of panels", min = 1 },
  { "coordinate", "integer", "phase: which one, 1 by default", min = 1 },
  { "n", "integer", "strobe: number of pictures, 9 by default", min = 1 },
  { "times", "column", "strobe: their times", unit = "s" },
  { "from", "number", "strobe: time of the first picture", unit = "s" },
  { "to", "number", "strobe: time of the last picture", unit = "s" },
  { "fade", "boolean", "strobe: false draws all pictures alike" },
  { "whole", "boolean", "strobe: as much ground as the whole run needs" },
  { "bare", "boolean", "strobe: without axes" },
}, figure.page), "plot")

local function plot(run, what, options)
  options_of.colon(getmetatable(run) == "run", "plot", "a run")
  if type(what) == "table" then what, options = what.kind or what[1] or "columns", what end
  local kind = what or "energy"
  options = check_options(options)
  if options.markup then
    for _, name in ipairs { "xlabel", "ylabel", "title" } do if type(options[name]) == "string" then options[name] = text.math(options[name]) end end
  end
  options[1] = nil -- it was the kind; figures are lists of figures
  if not kinds[kind] then
    local near = host.nearest(tostring(kind), names())
    if type(kind) ~= "string" then host.fail(("plot: what to draw must be one of %s, got %s"):format(table.concat(names(), ", "), host.got(kind))) end
    host.fail(("plot: a run has no plot '%s'%s; there are %s"):format(tostring(kind), near and (" (did you mean '%s'?)"):format(near) or "", table.concat(names(), ", ")))
  end
  return figure.remember(kinds[kind](run, options))
end

return { plot = plot, names = names, kinds = kinds, axis = axis }
