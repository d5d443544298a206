-- Derivatives of hits as people read them: by name, and as a page.

local core = require "knock.core"
local host = require "knock.host"

local Derivative = { __name = "derivative" }

-- columns first .. last of a matrix, as a matrix
local function slice(A, first, last)
  local rows = {}
  for i = 1, A.rows do
    rows[i] = {}
    for j = first, last do rows[i][j - first + 1] = A[i][j] end
  end
  return core.matrix(rows)
end

-- d.q, d.u: square parts; d.mu, d["law.mu"]: a column
function Derivative:__index(name)
  local A, nu = rawget(self, "matrix"), #rawget(self, "rows")
  if name == "q" then return slice(A, 1, nu) end
  if name == "u" then return slice(A, nu + 1, 2 * nu) end
  for j, column in ipairs(rawget(self, "columns")) do
    if column == name then return slice(A, j, j) end
  end
  local known = { matrix = true, rows = true, columns = true, route = true, error = true, tie = true, model = true, q = true, u = true }
  local near = host.nearest(tostring(name), known)
  host.fail(("a derivative has no '%s'%s"):format(tostring(name), near and (" (did you mean '%s'?)"):format(near) or ""))
end

local function how(d)
  if d.tie then return "tie: the sequence of events is about to change, there is no derivative" end
  local words = rawget(d, "model") and ("%s; the model's M and J: %s"):format(d.route, d.model) or d.route
  return d.error > 0 and ("%s, error %.1g"):format(words, d.error) or words
end

function Derivative:__tostring()
  local lines = { "d(u after), by " .. how(self) }
  local head = ("%6s"):format ""
  for _, name in ipairs(self.columns) do head = head .. ("%13s"):format(name) end
  lines[2] = head
  for i, row in ipairs(self.rows) do
    local line = ("%6s"):format(row)
    for j = 1, #self.columns do line = line .. ("%13.6g"):format(self.matrix[i][j]) end
    lines[#lines + 1] = line
  end
  return table.concat(lines, "\n")
end

--- hit:derivative([{"mu", "mass", ...}]) -> derivative
--- How the speeds after change with the coordinates, the speeds before, and with parameters of the model or the law by
--- name ("law.mu", "model.mass", "mass[2]"): .q and .u are matrices, .mu a column, .matrix all of it with .rows and
--- .columns. .route says how it was found: closed form (one rigid contact in the plane), active set (newton, plastic,
--- moreau, glocker), events (rigid contacts in space, compliant and vibration: each phase and each event of the path
--- again), or differences, with their estimated relative .error; .tie: the sequence of events is about to change, and
--- there is none. .model is "exact" where M and J are sines and polynomials of each joint, which shifts that are not small
--- differentiate exactly, or "differences" (Richardson's), as for functions of scripts and parameters of the model. Coordinates that are not rates of their own (rotations) move by the speeds' directions.
---
---     local hit = k.impact(k.ball{ velocity = {0, 0, -2} }, k.law.newton{ e = 0.5 })
---     print(hit:derivative{ "e" }.e[3][1]) --> 2.0
function core.types.hit.derivative(hit, names)
  return setmetatable(core.derive_hit(hit, names), Derivative)
end

return Derivative
