-- Problems: all that an impact law ever sees, as plain data.

local core = require "knock.core"
local page = require "knock.page"
local rows_of = require "knock.rows"

local methods = {}
local Problem = { __index = methods, __name = "problem" }

local function literal(x)
  if type(x) == "string" then return ("%q"):format(x) end
  if math.type(x) == "integer" then return tostring(x) end
  if type(x) == "number" then return ("%.17g"):format(x) end
  local parts = {}
  for i = 1, #x do parts[i] = literal(x[i]) end
  return "{" .. table.concat(parts, ", ") .. "}"
end

local order = { "model", "contacts", "nc", "dim", "rows", "v", "gap", "W" }

--- problem:text() -> string: Lua that gives the problem back, every number to its last bit.
function methods:text()
  local lines = {}
  for _, key in ipairs(order) do
    if self[key] ~= nil then lines[#lines + 1] = ("  %s = %s,"):format(key, literal(self[key])) end
  end
  return "-- an impact problem of knock: k.solve(k.problem \"this file\", law)\nreturn {\n"
    .. table.concat(lines, "\n") .. "\n}\n"
end

--- problem:save(path): Writes the problem as text; k.problem(path) reads it again.
function methods:save(path)
  require "knock.gnuplot".publish(path, self:text())
  return self
end

--- problem:solve(law) -> answer: The same as k.solve(problem, law).
function methods:solve(law) return require "knock.solve"(self, law) end

function Problem:__tostring()
  local each = type(self.dim) == "table" and "with rows " .. rows_of.words(self.dim)
    or ("with %d row%s each"):format(self.dim, self.dim == 1 and "" or "s")
  local rows = { { "contacts", tostring(self.nc), each },
    { "v", page.value(self.v) .. " m/s", "before" } }
  if self.gap then rows[#rows + 1] = { "gap", page.value(self.gap) .. " m", "" } end
  for i = 1, #self.W do rows[#rows + 1] = { i == 1 and "W" or "", page.value(self.W[i]) .. (i == 1 and " 1/kg" or ""), "" } end
  return "problem" .. (self.model and " of a " .. self.model or "") .. "\n" .. table.concat(page.align(rows), "\n")
end

local function load_file(path)
  local fail = require "knock.host".fail
  local chunk, why = loadfile(path, "t", {})
  if not chunk then fail("problem: " .. why) end
  local ok, data = pcall(chunk)
  if not ok or type(data) ~= "table" or not data.W or not data.v then
    fail(("problem: %s does not hold a problem (a table with W and v)"):format(path))
  end
  return data
end

--- k.problem(model[, law[, options]]) -> problem
--- What the law would see of the model: W, v, gap, nc, dim, rows, contacts. The contacts that touch
--- take part, or those that the options name; a law that handles gaps gets them all.
--- k.problem(path) reads a saved one, k.problem{W =, v =, gap =, dim =} takes a table; dim says how many
--- rows each contact has: a number, or a list where they differ, as {2, 1}.
---
---     local p = k.problem(k.double_pendulum{}) print(p.nc, p.dim) --> 1	2
return function(what, law, options)
  if type(what) == "string" then return setmetatable(load_file(what), Problem) end
  if type(what) == "table" then
    local copy = {}
    for key, value in pairs(what) do copy[key] = value end
    copy.rows = copy.rows or #copy.v
    copy.dim = copy.dim or (copy.rows <= 3 and copy.rows or nil)
    copy.nc = copy.nc or (type(copy.dim) == "table" and #copy.dim) or (copy.dim and copy.rows // copy.dim)
    return setmetatable(copy, Problem)
  end
  if type(law) == "table" then law, options = nil, law end
  return setmetatable(core.waist.problem(what, law, options), Problem)
end
