-- Recipes for hits: hit:plot "impulse" and so on. Each takes a trace and options, and gives a figure.

local figure = require "knock.figure"
local host = require "knock.host"
local options_of = require "knock.options"
local rows = require "knock.rows"
local text = require "knock.draw.text"
local trace = require "knock.draw.trace"

local T = figure.math
local kinds = {}

local function need(ok, kind, what)
  if not ok then host.fail(("plot: '%s' needs %s"):format(kind, what)) end
end

local function planar(t) -- does the impulse stay in one plane?
  if t.dim < 3 then return true end
  local most, side = 0, 0
  for k = 1, t.n do
    most = math.max(most, math.abs(t[t.p[1]][k]), math.abs(t[t.p[3]][k]))
    side = math.max(side, math.abs(t[t.p[2]][k]))
  end
  return side <= 1e-9 * most
end

-- what the horizontal axis counts: impulse, or time
local function abscissa(t, over)
  if over == "time" then
    need(t.t, "over time", "a law with time (law.compliant)")
    return t.t, { label = T"$t$", unit = "s" }
  end
  return t.count.x, { label = t.count.label, unit = t.count.unit }
end

-- a stop of a hinge has N m, rad ... where others have N, m ...: nil where names have both
local function unit_of(t, names)
  for _, name in ipairs(names) do if t.units[name] ~= t.units[names[1]] then return nil end end
  return t.units[names[1]]
end

local function curves(t, panel, names, over)
  local x, axis = abscissa(t, over)
  panel.x = axis
  local one, unit = #names == 1, unit_of(t, names)
  for i, name in ipairs(names) do
    local xs, ys = trace.broken(x, t[name])
    local label = trace.label(name, t.nc)
    panel:line { x = xs, y = ys, label = not one and (unit and label or text.with_unit(label, t.units[name])) or nil, colour = i }
  end
  return x
end

local function largest(t, name)
  local most = 0
  for k = 1, t.n do most = math.max(most, math.abs(t[name][k])) end
  return most
end

-- the rows of one kind that are more than rounding beside the others all along
local function moving(t, names)
  local out, size = {}, 0
  for _, name in ipairs(names) do size = math.max(size, largest(t, name)) end
  for _, name in ipairs(names) do
    if largest(t, name) > 1e-12 * size then out[#out + 1] = name end
  end
  return #out > 0 and out or names
end

-- what happens at one contact only is in the key as well
local function mark_all(panel, t, x, names)
  local said = {}
  for _, name in ipairs(names) do
    local contact = t.nc > 1 and tonumber(name:match "^%a(%d+)_")
    trace.mark(panel, t, x, t[name], said, contact and function(e) return e.contact == contact end)
  end
end

local function over_impulse(t, options, names, symbol)
  local f = figure.new(options)
  names = moving(t, names)
  local x, unit = curves(t, f[1], names, options.over), unit_of(t, names)
  mark_all(f[1], t, x, names)
  f[1].y = { label = #names == 1 and trace.label(names[1], t.nc) or T(symbol), unit = unit, scale = unit ~= nil }
  return f
end

function kinds.velocity(t, options)
  local f = over_impulse(t, options, t.v, "$v$")
  f[1]:hline(0)
  return f
end

function kinds.spring(t, options)
  need(t[t.x[1]], "spring", "a law with springs (law.compliant)")
  local f = over_impulse(t, options, t.x, "$x$")
  f[1]:hline(0)
  return f
end

function kinds.force(t, options)
  need(t[t.F[1]], "force", "a law with forces (law.compliant)")
  local o = setmetatable({ over = options.over or "time" }, { __index = options })
  return over_impulse(t, o, t.F, "$F$")
end

-- ---- impulse ---------------------------------------------------------------------------------------

local function plane_panel(panel, t, a, b, labelled)
  panel:line { x = t[a], y = t[b], colour = 1, dash = "solid" }
  trace.mark(panel, t, t[a], t[b], labelled)
  panel.x = { label = trace.label(a, t.nc), unit = "N s" }
  panel.y = { label = trace.label(b, t.nc), unit = "N s" }
end

local function space_panel(panel, t)
  local x, y, z = t[t.p[1]], t[t.p[2]], t[t.p[3]]
  panel:line3 { x = x, y = y, z = z, colour = 1, dash = "solid" }
  for _, kind in ipairs(trace.order) do
    local look, m = trace.events[kind], { x = {}, y = {}, z = {}, at = {} }
    for _, e in ipairs(t.list) do
      if e.kind == kind then m.x[#m.x + 1], m.y[#m.y + 1], m.z[#m.z + 1], m.at[#m.at + 1] = x[e.at], y[e.at], z[e.at], e.at end
    end
    if #m.at > 0 then panel:points3 { x = m.x, y = m.y, z = m.z, mark = look[1], colour = "black", label = look[2], merge = m.at } end
  end
  for i, which in ipairs { "x", "y", "z" } do panel[which] = { label = trace.label(t.p[i], 1), unit = "N s" } end
  panel.key = "above"
end

-- the curve in the plane it stays in, or in space with its three projections
function kinds.impulse(t, options)
  if t.nc > 1 then return over_impulse(t, options, t.p, "$p$") end
  if planar(t) then
    local f = figure.new(options)
    local names = moving(t, t.dim == 3 and { t.p[1] } or t.dim == 2 and { t.p[1] } or { t.p[1] })
    if t.dim == 1 then
      f[1]:line { x = t.count.x, y = t[t.p[1]] }
      f[1].x, f[1].y = { label = T"$p_n$", unit = t.units[t.p[1]] }, { label = T"$p_n$", unit = t.units[t.p[1]] }
      return f
    end
    plane_panel(f[1], t, t.p[t.dim], names[1], true)
    f[1]:hline(0)
    return f
  end
  local f = figure.new { rows = 2, cols = 2, style = options.style, width = options.width, height = options.height, title = options.title, keep = options.keep }
  space_panel(f[1], t)
  plane_panel(f[2], t, t.p[1], t.p[3])
  plane_panel(f[3], t, t.p[2], t.p[3])
  plane_panel(f[4], t, t.p[1], t.p[2])
  return f
end

-- ---- energy ----------------------------------------------------------------------------------------

function kinds.energy(t, options)
  local f = figure.new(options)
  local x, axis = abscissa(t, options.over)
  local p = f[1]
  p.x, p.y = axis, { label = "energy", unit = "J" }
  p:line { x = x, y = t.kinetic, label = "kinetic" }
  local springs = largest(t, "strain") > 1e-12 * largest(t, "kinetic")
  local function part(y, label, colour)
    local xs, ys = trace.broken(x, y)
    p:line { x = xs, y = ys, label = label, colour = colour }
  end
  if springs then part(t.strain, "in the springs", 2) end
  part(t.restitution, "lost in restitution", 3)
  p:line { x = x, y = t.friction, label = "lost by friction", colour = 4 }
  trace.mark(p, t, x, t.kinetic, true)
  return f
end

-- the ledger: what the kinetic energy before the impact has become, as bands that fill its whole
function kinds.ledger(t, options)
  local f = figure.new(options)
  local x, axis = abscissa(t, options.over)
  local p = f[1]
  p.x, p.y = axis, { label = "energy", unit = "J", range = { 0, nil } }
  p.key = "above"
  local parts = { { t.kinetic, "kinetic", "blue" }, { t.strain, "springs", "sky" },
                  { t.restitution, "lost in restitution", "orange" }, { t.friction, "lost by friction", "red" } }
  local below = {}
  for k = 1, t.n do below[k] = 0 end
  for _, part in ipairs(parts) do
    local above = {}
    for k = 1, t.n do above[k] = below[k] + part[1][k] end
    p:band { x = x, y = below, top = above, colour = part[3], label = part[2], opacity = 0.8 }
    below = above
  end
  local total = {}
  for k = 1, t.n do total[k] = t.kinetic[1] end
  p:line { x = x, y = total, colour = "black", dash = "dashed", width = 0.7, label = "before" }
  return f
end

-- work of the normal and of the frictional impulse (Morgan 2.6)
function kinds.work(t, options)
  local f = figure.new(options)
  local x, axis = abscissa(t, options.over)
  local p = f[1]
  local total, friction = {}, {}
  for k = 1, t.n do
    total[k] = t.kinetic[k] - t.kinetic[1]
    friction[k] = total[k] - t.work[k]
  end
  p.x, p.y = axis, { label = "work", unit = "J" }
  p:line { x = x, y = total, label = T"$E$" }:line { x = x, y = t.work, label = T"$E_n$" }:line { x = x, y = friction, label = T"$E_f$" }
  p:hline(0)
  trace.mark(p, t, x, t.work, true)
  return f
end

-- ---- planes ----------------------------------------------------------------------------------------

local function mu_of(hit)
  local ok, mu = pcall(function() return hit.law.mu end)
  if not ok or mu == nil then return nil end
  if type(mu) ~= "number" then mu = mu[1] end
  return mu and mu < math.huge and mu or nil
end

local function tangent(t) return t.dim == 3 and 1 or t.dim - 1 end

-- the path of the contact velocity, the lines v_t = 0 and v_n = 0, and the directions friction allows
function kinds.path(t, options)
  need(t.dim >= 2 and t.nc == 1 and planar(t), "path", "one contact and a plane motion")
  local f = figure.new(options)
  local p, hit = f[1], t.hit
  local it, jn = tangent(t), t.dim
  local vt, vn = t[t.v[it]], t[t.v[jn]]
  p:hline(0, { colour = "dark" }):vline(0, { colour = "dark" })
  p:line { x = vt, y = vn, colour = 1, dash = "solid" }
  local W, mu = hit.W, mu_of(hit)
  local reach = 0
  for k = 1, t.n do reach = math.max(reach, math.abs(vt[k]), math.abs(vn[k])) end
  local function ray(x, y, sign, label)
    if not mu then return end
    local dx, dy = W[it][jn] + sign * mu * W[it][it], W[jn][jn] + sign * mu * W[jn][it]
    local scale = 0.3 * reach / math.sqrt(dx * dx + dy * dy)
    p:arrows { x = { x }, y = { y }, dx = { dx * scale }, dy = { dy * scale }, colour = 2, width = 0.8, label = label }
  end
  local sign = vt[1] < 0 and 1 or -1
  ray(vt[1], vn[1], sign, options.directions ~= false and "friction direction" or nil)
  for _, e in ipairs(t.list) do if e.kind == "reversal" then ray(vt[e.at], vn[e.at], -sign) end end
  p:points { x = { vt[1] }, y = { vn[1] }, mark = "star", colour = "black", label = "start" }
  trace.mark(p, t, vt, vn, true)
  p.x, p.y = { label = T"$v_t$", unit = "m/s" }, { label = T"$v_n$", unit = "m/s" }
  return f
end

-- Routh's plane of impulses, one for each contact
function kinds.routh(t, options)
  local flat = t.nc == 1 and planar(t)
  if t.nc > 1 then flat = t.dims == 2 end
  need(t.dim >= 2 and flat and t.nc <= 6, "routh", "plane motion, and at most 6 contacts with rows t, n")
  return require "knock.draw.routh"(t, options)
end

-- coordinates along the path: u = u0 + M^-1 J^T p, and q by the trapezoidal rule (for the eye)
local function coordinates(t)
  local model, of = t.hit.model, {}
  local J = model.J
  for c, contact in ipairs(t.hit.contacts) do -- rows of the contacts that take part
    for row = 1, rows.of(t.dims, c) do of[#of + 1] = rows.before(model.dim, contact) + row end
  end
  local nu, u0 = #model.u, model.u
  local L = {} -- columns of M^-1 J^T
  for i = 1, #t.p do
    local column = {}
    for j = 1, nu do column[j] = { J(of[i], j) } end
    L[i] = model.M:solve(require "knock.core".matrix(column))
  end
  local q = {}
  for j = 1, nu do
    local u, x = {}, { 0 }
    for k = 1, t.n do
      u[k] = u0[j]
      for i = 1, #t.p do u[k] = u[k] + L[i][j] * t[t.p[i]][k] end
      if k > 1 then x[k] = x[k - 1] + (u[k] + u[k - 1]) / 2 * (t.t[k] - t.t[k - 1]) end
    end
    q[j] = x
  end
  return q
end

-- the unit of each coordinate, by the model's groups
local function coordinate_units(model)
  local units = {}
  for _, g in ipairs(model.groups) do
    if g.of == "q" then for _ = 1, g.n do units[#units + 1] = g.unit end end
  end
  return units
end

-- displacements of the points of contact, kinetic energy, and coordinates over time (Batlle's figures)
function kinds.vibration(t, options)
  need(t.t and t[t.x[rows.of(t.dims, 1)]], "vibration", "a law with springs and time (law.compliant)")
  need(#t.hit.model.q == #t.hit.model.u, "vibration", "coordinates whose rates are the speeds")
  local f = figure.new { rows = 2, cols = 2, style = options.style, width = options.width, height = options.height, keep = options.keep }
  local names, axis = options.points_named or {}, { label = T"$t$", unit = "s" }
  for c = 1, t.nc do
    f[1]:line { x = t.t, y = t[t.x[rows.before(t.dims, c + 1)]], label = T(("$\\delta_n$(%s)"):format(names[c] or c)), colour = c }
  end
  f[1]:hline(0)
  f[1].y = { label = T"$\\delta_n$", unit = "m" }
  local q, units, at = coordinates(t), coordinate_units(t.hit.model), 1
  local function add_coordinates(label, unit, turning)
    local any = false
    for j, x in ipairs(q) do
      if (units[j] == "rad") == turning then
        if not any then any, at = true, at + 1 end
        f[at]:line { x = t.t, y = x, label = T(("$q_%d$"):format(j)) }
      end
    end
    if any then f[at].y = { label = label, unit = unit } end
  end
  add_coordinates("translation", "m", false)
  at = at + 1
  f[at]:line { x = t.t, y = t.kinetic, colour = 1 }
  f[at].y = { label = T"$T$", unit = "J" }
  add_coordinates("rotation", "rad", true)
  for i = 1, 4 do f.panels[i] = i <= at and f.panels[i] or nil end -- what has no coordinates of a kind has no panel for it
  for i = 1, at do f[i].x = axis end
  return f
end

-- ---- the door --------------------------------------------------------------------------------------

local function names()
  local out = {}
  for name in pairs(kinds) do out[#out + 1] = name end
  table.sort(out)
  return out
end

local check_options = options_of.define("hit:plot", options_of.join({
  list = true,
  { "kind", "string", "energy, force, impulse, ledger, path, routh, spring, velocity, vibration, work; impulse by default" },
  { "over", "string", "what the horizontal axis counts", choices = { "impulse", "time" } },
  { "points", "integer", "points of the path between two events; by default 80, and 16 in a period of the fastest vibration", min = 0 },
  { "directions", "boolean", "path: false leaves the directions of friction out" },
  { "points_named", "table", "vibration: names of the contacts" },
}, figure.page), "plot")

local function plot(hit, kind, options)
  options_of.colon(getmetatable(hit) == "hit", "plot", "a hit")
  kind = kind or "impulse"
  if type(kind) == "table" then kind, options = kind.kind or kind[1] or "impulse", kind end
  options = check_options(options)
  options[1] = nil -- it was the kind; figures are lists of figures
  local recipe = kinds[kind]
  if not recipe then
    local near = host.nearest(tostring(kind), names())
    if type(kind) ~= "string" then host.fail(("plot: what to draw must be one of %s, got %s"):format(table.concat(names(), ", "), host.got(kind))) end
    host.fail(("plot: a hit has no plot '%s'%s; there are %s"):format(tostring(kind), near and (" (did you mean '%s'?)"):format(near) or "", table.concat(names(), ", ")))
  end
  return figure.remember(recipe(trace.of(hit, options.points), options))
end

return { plot = plot, kinds = kinds, names = names }
