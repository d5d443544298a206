-- Laws side by side in one picture: c = k.compare(model, laws); c:plot "impulse" | "path" | "energy".

local figure = require "knock.figure"
local host = require "knock.host"
local options_of = require "knock.options"
local page = require "knock.page"
local rows = require "knock.rows"
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
  return (page.brief(entry.law):gsub("^law%.", ""):gsub(", k = %b()", ""):gsub(", k = [^,}]*", ""):gsub(", max_events = [^,}]*", ""):gsub(", tolerance = [^,}]*", ""):gsub(", reload = elastic", ""))
end

-- the contacts that have rows t and n, at most six: where each has its rows t (the first) and n
local function contacts_of(hit)
  local out = {}
  for i, c in ipairs(hit.contacts) do
    local n, before = rows.of(hit.dim, i), rows.before(hit.dim, i)
    if n > 1 and #out < 6 then out[#out + 1] = { t = before + 1, n = before + n, label = page.contact_label(hit.model, c) } end
  end
  if #out == 0 then host.fail "plot: this comparison needs a contact with friction" end
  return out
end

-- a panel for each contact
local function pages(list, options)
  options = options or {}
  local n, page_options = #list, {}
  for key, x in pairs(options) do page_options[key] = x end
  if n > 1 then page_options.cols, page_options.rows = math.min(n, 3), math.ceil(n / 3) end
  return figure.new(page_options)
end

-- one curve for each law in the plane of two columns of each contact, ending in a mark
local function curves(c, kind, unit, options)
  local found = answers(c)
  local list = contacts_of(found[1].hit)
  local f, several = pages(list, options), #list > 1
  for i, entry in ipairs(found) do
    local t = trace.of(entry.hit)
    for k, contact in ipairs(list) do
      local x, y = t[t[kind][contact.t]], t[t[kind][contact.n]]
      f[k]:line { x = x, y = y, label = name_of(entry), colour = i }
      f[k]:points { x = { x[#x] }, y = { y[#y] }, colour = i, mark = "disc", size = 3.5 }
    end
  end
  for k, contact in ipairs(list) do
    f[k]:hline(0):vline(0)
    f[k].key = "above"
    f[k].title = several and (contact.label:match "%a" and contact.label or "contact " .. contact.label) or nil
    f[k].x, f[k].y = { label = T("$" .. kind .. "_t$"), unit = unit }, { label = T("$" .. kind .. "_n$"), unit = unit }
  end
  return f
end

function kinds.impulse(c, options) return curves(c, "p", "N s", options) end

function kinds.path(c, options) return curves(c, "v", "m/s", options) end

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

local check_options = options_of.define("comparison:plot", options_of.join({
  list = true,
  { "kind", "string", "energy, impulse, path; path by default" },
}, figure.page), "plot")

return function(c, kind, options)
  if type(kind) == "table" then kind, options = kind.kind or kind[1], kind end
  kind = kind or "path"
  if not kinds[kind] then host.fail(("plot: a comparison has the plots energy, impulse, path, not %s"):format(host.got(kind))) end
  options = check_options(options)
  options[1] = nil -- it was the kind; figures are lists of figures
  return figure.remember(kinds[kind](c, options))
end
