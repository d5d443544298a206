-- Laws side by side on one model.

local core = require "knock.core"
local page = require "knock.page"
local fail = require "knock.host".fail

local Comparison = { __name = "comparison", __index = {} }

--- comparison:plot([kind]) -> figure
--- The laws in one picture: "path" (velocities), "impulse" or "energy".
function Comparison.__index:plot(kind, options) return require "knock.draw.compare"(self, kind, options) end

function Comparison:__tostring() return ("comparison of %d laws: entries [i].law, .hit, .error"):format(#self) end

local function try(model, law, options)
  local ok, hit = pcall(core.impact, model, law, options)
  return { law = law, hit = ok and hit or nil, error = not ok and tostring(hit) or nil }
end

local function header(model)
  local row = { "law", "status" }
  for _, g in ipairs(model.groups) do
    if g.of == "u" then row[#row + 1] = g.name .. (g.unit ~= "" and " [" .. g.unit .. "]" or "") end
  end
  row[#row + 1], row[#row + 2], row[#row + 3] = "impulse [N s]", "energy [J]", ""
  return row
end

local function before(model)
  local row = { "before", "" }
  for _, g in ipairs(model.groups) do
    if g.of == "u" then row[#row + 1] = page.value(model[g.name]) end
  end
  row[#row + 1], row[#row + 2], row[#row + 3] = "", page.number(model.energy.kinetic), ""
  return row
end

local function line(entry, model)
  if not entry.hit then return { page.brief(entry.law), "error", (entry.error:gsub("^.-:%d+: ", "")) } end
  local hit = entry.hit
  if hit.status ~= "ok" and hit.status ~= "no impact" then return { page.brief(entry.law), hit.status } end
  local row = { page.brief(entry.law), hit.status }
  for _, g in ipairs(model.groups) do
    if g.of == "u" then row[#row + 1] = page.value(hit[g.name]) end
  end
  row[#row + 1], row[#row + 2] = page.value(hit.impulse), page.number(hit.energy.after)
  row[#row + 1] = hit.flags.gains_energy and "CREATES ENERGY" or ""
  return row
end

--- k.compare(model, {law, ...}[, options]) -> list of {law =, hit =, error =}
--- Prints the laws side by side: velocities, impulses and kinetic energy after the impact. A law that
--- creates energy is shown and marked. options are those of k.impact, with quiet = true to print nothing.
---
---     k.compare(k.ball{}, { k.law.newton{ e = 1 }, k.law.plastic{} }, { quiet = true })
return function(model, laws, options)
  if type(laws) ~= "table" or #laws == 0 then fail "compare: argument 2 must be a list of laws, as in {k.law.newton{}, ...}" end
  local settings, quiet = { status = true }, false
  for key, value in pairs(options or {}) do
    if key == "quiet" then quiet = value else settings[key] = value end
  end
  local result, rows = setmetatable({}, Comparison), nil
  for i, law in ipairs(laws) do
    if getmetatable(law) ~= "law" then fail(("compare: laws[%d] must be a law"):format(i)) end
    result[i] = try(model, law, settings)
  end
  if quiet then return result end
  rows = { header(model), before(model) }
  for i, entry in ipairs(result) do rows[i + 2] = line(entry, model) end
  print(model.name .. "\n" .. table.concat(page.align(rows), "\n"))
  return result
end
