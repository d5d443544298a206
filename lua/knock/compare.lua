-- Laws side by side on one model.

local core = require "knock.core"
local page = require "knock.page"
local options_of = require "knock.options"
local host = require "knock.host"
local frame = require "knock.rows"
local fail = host.fail

local Comparison = { __name = "comparison", __index = {} }

--- comparison:plot([kind[, options]]) -> figure
--- The laws in one picture: "path" (velocities) and "impulse", with a panel for each contact that has friction, or "energy".
function Comparison.__index:plot(kind, options) return require "knock.draw.compare"(self, kind, options) end

function Comparison:__tostring() return ("comparison of %d laws: entries [i].law, .hit, .error"):format(#self) end

local function solved(entry) return entry.hit and (entry.hit.status == "ok" or entry.hit.status == "no impact") end

-- a law that finds no answer has a hit with its status, and the reason
local function try(model, law, options)
  local entry, ok, hit = { law = law }, nil, nil
  options.status = true
  ok, hit = pcall(core.impact, model, law, options)
  if ok then entry.hit = hit end
  if ok and not solved(entry) then
    options.status = false
    ok, hit = pcall(core.impact, model, law, options)
  end
  if not ok then entry.error = tostring(hit) end
  return entry
end

-- ---- printing ----------------------------------------------------------------------------------------------------

local width = 96

-- of an answer that is not the only one; in space the others are not known
local function others(hit)
  local all = hit.solutions
  if all and #all > 1 then return ("one of %d answers: see hit.solutions"):format(#all) end
  if all or hit.flags.continuum then return "one of a continuum of answers" .. (all and ": see hit.solutions" or "") end
  return "not the only answer"
end

-- what has to be said of a law besides its numbers
local function remark(entry)
  if entry.error then return (entry.error:gsub("^.-:%d+: ", "")) end
  if entry.hit.status ~= "ok" then return entry.hit.status end
  local words = {}
  if entry.hit.flags.gains_energy then words[1] = "CREATES ENERGY" end
  if entry.hit.unique == false then words[#words + 1] = others(entry.hit) end
  return #words > 0 and table.concat(words, "; ") or nil
end

local function law_lines(result)
  local lines = {}
  for i, entry in ipairs(result) do
    lines[#lines + 1] = page.wrap(("%d  %s"):format(i, page.brief(entry.law)), "  ", "     ", width)
    local more = remark(entry)
    if more then lines[#lines + 1] = page.wrap(more, "     ", "     ", width) end
  end
  return table.concat(lines, "\n")
end

-- a number as a list of one
local function listed(x) return type(x) == "number" and { x } or x end

-- all of a list as texts; rounding dust beside `size` shows as 0
local function texts(x, size)
  local out = {}
  for i = 1, #x do out[i] = page.number(x[i], size) end
  return out
end

-- Appends rows {name, unit, before, after by law 1, 2 ...}, one for each number; `read` gives it of a hit.
local function add_rows(rows, name, unit, before, result, read)
  local columns, n, size = { before and listed(before) or {} }, 0, 0
  for _, entry in ipairs(result) do
    if solved(entry) then columns[#columns + 1] = listed(read(entry.hit)) end
  end
  for _, column in ipairs(columns) do
    n = math.max(n, #column)
    for j = 1, #column do size = math.max(size, math.abs(column[j])) end
  end
  for i, column in ipairs(columns) do columns[i] = texts(column, size) end
  for j = 1, n do
    local row = { n > 1 and ("%s[%d]"):format(name, j) or name, unit }
    for i, column in ipairs(columns) do row[i + 2] = column[j] or "" end
    rows[#rows + 1] = row
  end
end

-- impulses with contact and row, "impulse[2] foot/floor n", where there are several contacts; the laws saw the same ones
local function add_impulses(rows, model, result)
  local first
  for _, entry in ipairs(result) do first = first or solved(entry) and entry.hit end
  if not first or #first.contacts < 2 then
    local unit = first and #first.contacts == 1 and page.contact_units(model, first.contacts[1]) or "N s"
    return add_rows(rows, "impulse", unit, nil, result, function(hit) return hit.impulse end)
  end
  local at = 0
  for i, c in ipairs(first.contacts) do
    local unit, label = page.contact_units(model, c), page.contact_label(model, c):gsub("^%d+$", "contact %0")
    for _, row in ipairs(frame.names(frame.of(first.dim, i))) do
      at = at + 1
      local n = at
      add_rows(rows, ("impulse[%d] %s %s"):format(at, label, row), unit, nil, result, function(hit) return hit.impulse[n] end)
    end
  end
end

local function number_rows(model, result)
  local rows = { { "", "", "before" } }
  for i, entry in ipairs(result) do
    if solved(entry) then table.insert(rows[1], ("%d %s"):format(i, entry.law.name)) end
  end
  for _, g in ipairs(model.groups) do
    if g.of == "u" then add_rows(rows, g.name, g.unit, model[g.name], result, function(hit) return hit[g.name] end) end
  end
  add_impulses(rows, model, result)
  add_rows(rows, "energy", "J", model.energy.kinetic, result, function(hit) return hit.energy.after end)
  return rows
end

-- columns of numbers under each other by their points, in blocks that are not too wide
local function blocks(rows)
  local wide, names = {}, 0
  for i = 3, #rows[1] do wide[i] = page.points(rows, i) end
  for i = 1, 2 do names = names + page.pad(rows, i) + 2 end
  local out, first = {}, 3
  while first <= #rows[1] do
    local last, room = first, names + wide[first] + 2
    while wide[last + 1] and room + wide[last + 1] + 2 <= width do
      last = last + 1
      room = room + wide[last] + 2
    end
    for _, row in ipairs(rows) do
      local cells = table.move(row, first, last, 3, { row[1], row[2] })
      out[#out + 1] = ("  " .. table.concat(cells, "  ")):gsub("%s+$", "")
    end
    if last < #rows[1] then out[#out + 1] = "" end
    first = last + 1
  end
  return table.concat(out, "\n")
end

--- k.compare(model, {law, ...}[, options]) -> list of {law =, hit =, error =}
--- Prints the laws side by side: velocities, impulses and kinetic energy after the impact. A law that
--- creates energy is shown and marked, one that finds no answer says why, and so does one whose answer is not the only one
--- (law.moreau). options are those of k.impact, with quiet = true to print nothing.
---
---     k.compare(k.ball{}, { k.law.newton{ e = 1 }, k.law.plastic{} }, { quiet = true })
return function(model, laws, options)
  if getmetatable(model) ~= "model" then fail("compare: argument 1 must be a model, as k.ball{} makes one, got " .. host.got(model)) end
  if type(laws) ~= "table" or #laws == 0 then fail("compare: argument 2 must be a list of laws, as in {k.law.newton{}, ...}, got " .. host.got(laws)) end
  local settings, quiet, names = {}, false, { "quiet" }
  for _, p in ipairs(options_of.all["k.impact"]) do names[#names + 1] = p.key end
  options_of.only("compare", options or {}, names)
  for key, value in pairs(options or {}) do
    if key == "quiet" then quiet = value else settings[key] = value end
  end
  local result = setmetatable({}, Comparison)
  for i, law in ipairs(laws) do
    if getmetatable(law) ~= "law" then fail(("compare: laws[%d] must be a law, got %s"):format(i, host.got(law))) end
    result[i] = try(model, law, settings)
  end
  if not quiet then print(("%s\n%s\n\n%s"):format(model.name, law_lines(result), blocks(number_rows(model, result)))) end
  return result
end
