-- How runs change with their start, as people read it: run:monodromy() and run:saltation(i).

local core = require "knock.core"
local host = require "knock.host"

local M = {}

-- ---- spectra -----------------------------------------------------------------------------------------------------

-- Multipliers of left * right, which are those of right * left and zeros: complex ones as {re, im}, by size.
local Multipliers = { __name = "multipliers" }

function Multipliers:__tostring()
  local out = {}
  for i, m in ipairs(self) do out[i] = type(m) == "table" and ("{%.10g, %.10g}"):format(m[1], m[2]) or ("%.10g"):format(m) end
  return "{" .. table.concat(out, ", ") .. "}"
end

function M.multipliers(left, right)
  local n, list = left.rows, setmetatable({}, Multipliers)
  if right.rows == 0 then
    for i = 1, n do list[i] = 0 end
    return list
  end
  local re, _, im = (right * left):eig()
  local r = right.rows
  for i = 1, r do
    list[i] = im and im[i] ~= 0 and { re[i], im[i] } or re[i]
  end
  for i = r + 1, n do list[i] = 0 end
  table.sort(list, function(a, b) return M.size(a) > M.size(b) end)
  return list
end

-- The size of a number or of {re, im}.
function M.size(m) return type(m) == "table" and math.sqrt(m[1] ^ 2 + m[2] ^ 2) or math.abs(m) end

-- Multipliers that stand alone are known to this; two that come together are roots of a square, and are known to its root.
local known = 1e-8

local function apart(a, b)
  local x, y = type(a) == "table" and a or { a, 0 }, type(b) == "table" and b or { b, 0 }
  return math.sqrt((x[1] - y[1]) ^ 2 + (x[2] - y[2]) ^ 2)
end

-- is multiplier i of size 1, as far as one can tell?
local function on_circle(multipliers, i)
  local off = math.abs(M.size(multipliers[i]) - 1)
  if off <= known then return true end
  if off > math.sqrt(known) then return false end
  for j, m in ipairs(multipliers) do
    if j ~= i and apart(multipliers[i], m) <= 2 * math.sqrt(known) then return true end
  end
  return false
end

-- "inside" the unit circle, "outside" or "on" it.
function M.place(multipliers, i)
  return on_circle(multipliers, i) and "on" or M.size(multipliers[i]) < 1 and "inside" or "outside"
end

-- Whether a motion with these multipliers attracts its neighbours: true, false, or nil (neutral) where the largest are of size 1:
-- they neither come nearer nor go away to first order, and rounding would tell which.
function M.stable(multipliers)
  local found = {}
  for i in ipairs(multipliers) do found[M.place(multipliers, i)] = true end
  if found.outside then return false end
  if found.on then return nil end
  return true
end

-- The word for it.
function M.stability(stable)
  if stable == nil then return "neutral" end
  return stable and "stable" or "unstable"
end

-- "0.5" or "0.1 + 0.7i"
function M.text(m)
  if type(m) ~= "table" then return ("%.8g"):format(m) end
  return ("%.8g %s %.8gi"):format(m[1], m[2] < 0 and "-" or "+", math.abs(m[2]))
end

-- what has to be said of a derivative besides its numbers
local words = {
  grazing = "an impact grazes: the derivative grows as the square root of the distance",
  order = "contacts close together, and the derivative hangs on who comes first",
  zeno = "a series of bounces was ended by its limit: a projection stands for it",
  law_tie = "the law is about to change its sequence of events",
}

-- Lines about flags, for pages.
function M.notes(flags, t)
  local lines = {}
  for _, name in ipairs { "grazing", "order", "zeno", "law_tie" } do
    if flags[name] then lines[#lines + 1] = ("  note: %s%s"):format(words[name], t and (" (t = %.10g s)"):format(t) or "") end
  end
  return lines
end

-- ---- pages -------------------------------------------------------------------------------------------------------

local Saltation = { __name = "saltation" }

function Saltation:__tostring()
  local lines = { ("saltation of '%s' at t = %.10g s"):format(self.kind, self.t) }
  if self.flags.grazing then
    lines[2] = ("  grazing: |v_n| = %.8g sqrt(overlap), there is no derivative"):format(self.coefficient)
  else
    lines[2] = tostring(self.matrix)
  end
  for _, o in ipairs(self.orders or {}) do
    lines[#lines + 1] = ("contacts %s in turn:\n%s"):format(table.concat(o.contacts, ", "), tostring(o.matrix))
  end
  if self.orders then lines[#lines + 1] = ("largest difference of two orders: %.6g"):format(self.difference) end
  return table.concat(lines, "\n")
end

local Monodromy = { __name = "monodromy" }

function Monodromy:__tostring()
  local texts = {}
  for i, m in ipairs(self.multipliers) do texts[i] = M.text(m) end
  local lines = { "monodromy, rank " .. self.rank, tostring(self.matrix), "  eigenvalues " .. table.concat(texts, ", ") }
  if self.flow_error then lines[#lines + 1] = ("  flow by differences, error %.1g"):format(self.flow_error) end
  if self.model then
    lines[#lines + 1] = ("  impacts by %s; the model's M and J: %s%s"):format(self.route, self.model,
      self.error > 0 and (", error %.1g"):format(self.error) or "")
  end
  for _, line in ipairs(M.notes(self.flags, self.t_flag)) do lines[#lines + 1] = line end
  return table.concat(lines, "\n")
end

-- ---- methods -----------------------------------------------------------------------------------------------------

--- run:saltation(i) -> saltation
--- How a small change of state passes event i of the run (and all that happens at its time): .matrix of (q, u) after by (q,
--- u) before, both at the event's time. An impact that only grazes has no derivative: flags.grazing, and .coefficient is
--- |v_n| over the square root of the overlap. Contacts that close together: .orders has one matrix for each order of
--- arrival, .difference their largest difference. .rate is that of the event's function, .route how the law was derived.
---
---     local run = k.simulate(k.particle{ position = {0, 1}, velocity = {0, 0} }, k.law.newton{ e = 0.5 }, { t_end = 0.6 })
---     print(run:saltation(1).matrix[2][2]) --> -0.5
function core.types.run.saltation(run, i)
  if math.type(i) ~= "integer" then host.fail(("saltation: i must be the number of an event of the run, got %s"):format(host.got(i))) end
  return setmetatable(core.salt_run(run, i), Saltation)
end

--- run:monodromy() -> monodromy
--- How the end of the run changes with its start: .matrix by the variational equations between events and the saltation at
--- each, .multipliers its eigenvalues (complex ones as {re, im}), .rank: contact that stays loses directions, whose
--- eigenvalues are exactly 0. .flags says what is not smooth: grazing, order, zeno, law_tie. Coordinates that are not rates of
--- their own (rotations) are told by the speeds' directions. .flow_error is the estimated relative error of the derivatives of
--- the forces, which are differences; .route, .model and .error are those of the impacts (hit:derivative).
---
---     local run = k.simulate(k.particle{ position = {0, 1}, velocity = {0, 0} }, k.law.newton{ e = 0.5 }, { t_end = 0.6 })
---     print(('%.9f'):format(run:monodromy().matrix:det())) --> 0.250000000
function core.types.run.monodromy(run)
  local v = core.vary_run(run, { with_error = true })
  v.matrix = v.left * v.right
  v.multipliers = M.multipliers(v.left, v.right)
  return setmetatable(v, Monodromy)
end

return M
