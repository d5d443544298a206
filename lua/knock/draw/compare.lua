-- Laws side by side in one picture: c = k.compare(model, laws); c:plot "impulse" | "path" | "energy".

local figure = require "knock.figure"
local host = require "knock.host"
local options_of = require "knock.options"
local page = require "knock.page"
local trace = require "knock.draw.trace"

local T = figure.math
local kinds = {}

local function answers(c)
  local out = {}
  for _, entry in ipairs(c) do
    if entry.hit and (entry.hit.status == "ok" or entry.hit.status == "no impact") then out[#out + 1] = entry end
  end
  if #out == 0 then host.fail "plot: none of the laws has an answer" end
  return out
end

local function name_of(entry)
  return (page.brief(entry.law):gsub("^law%.", ""):gsub(", k = [^,}]*", ""):gsub(", max_events = [^,}]*", ""))
end

local function tangent(t) return t.dim == 3 and 1 or math.max(1, t.dim - 1) end

-- one curve for each law, ending in a mark
local function curves(c, columns, options)
  local f = figure.new(options)
  for i, entry in ipairs(answers(c)) do
    local t = trace.of(entry.hit)
    if t.dim == 1 or t.nc > 1 then host.fail "plot: this comparison needs one contact with friction" end
    local x, y = t[columns(t)[1]], t[columns(t)[2]]
    f[1]:line { x = x, y = y, label = name_of(entry), colour = i }
    f[1]:points { x = { x[#x] }, y = { y[#y] }, colour = i, mark = "disc", size = 3.5 }
  end
  f[1]:hline(0):vline(0)
  f[1].key = "above"
  return f
end

function kinds.impulse(c, options)
  local f = curves(c, function(t) return { t.p[tangent(t)], t.p[t.dim] } end, options)
  f[1].x, f[1].y = { label = T"$p_t$", unit = "N s" }, { label = T"$p_n$", unit = "N s" }
  return f
end

function kinds.path(c, options)
  local f = curves(c, function(t) return { t.v[tangent(t)], t.v[t.dim] } end, options)
  f[1].x, f[1].y = { label = T"$v_t$", unit = "m/s" }, { label = T"$v_n$", unit = "m/s" }
  return f
end

-- what becomes of the kinetic energy, law by law
function kinds.energy(c, options)
  local f = figure.new(options)
  local list, n, tics = answers(c), {}, {}
  local parts = { { "after", "kinetic after", "blue" }, { "stored", "left in springs", "sky" },
                  { "restitution", "lost in restitution", "orange" }, { "friction", "lost by friction", "red" } }
  local most = 0
  for i, entry in ipairs(list) do
    n[i] = i
    tics[i] = { entry.law.name and tostring(entry.law.name) or name_of(entry):match "^[%w_.]+", i }
  end
  for p = #parts, 1, -1 do -- the tallest bar first, so that the lower parts cover it
    local tops, any = {}, p == 1
    for i, entry in ipairs(list) do
      local energy, sum = entry.hit.energy, 0
      for q = 1, p do sum = sum + (energy[parts[q][1]] or 0) end
      tops[i], any, most = sum, any or (energy[parts[p][1]] or 0) ~= 0, math.max(most, sum)
    end
    if any then f[1]:bars { x = n, y = tops, w = 0.6, colour = parts[p][3], label = parts[p][2], border = "white", width = 0.4 } end
  end
  local before = list[1].hit.energy.before
  f[1]:hline(before, { colour = "black", dash = "dashed" })
  f[1]:text { x = 0.45, y = before, text = "before", dy = 0.9 }
  f[1].x, f[1].y = { tics = tics, range = { 0.4, #list + 0.6 } }, { label = "energy", unit = "J", range = { 0, 1.12 * math.max(before, most) } }
  f[1].key = "above"
  return f
end

local check_options = options_of.define("comparison:plot", figure.page, "plot")

return function(c, kind, options)
  kind = kind or "path"
  if not kinds[kind] then host.fail(("plot: a comparison has the plots energy, impulse, path, not '%s'"):format(tostring(kind))) end
  return figure.remember(kinds[kind](c, check_options(options)))
end
