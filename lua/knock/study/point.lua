-- Points of a branch: a cycle at one value of the parameter, with what is watched there, and the corrector that finds it.
--
--   F(X, p) = 0,  t.(Z - Z_0) = h      Z = (X, p), t the tangent

local core = require "knock.core"
local cycle = require "knock.cycle"
local monodromy = require "knock.monodromy"

local M = {}

-- ---- points --------------------------------------------------------------------------------------------------------

M.with = cycle.with_value

local function words(Y)
  local list = {}
  for i, y in ipairs(Y) do list[i] = y.sequence end
  return table.concat(list, " | ")
end

-- the least of f on [a, c], which holds one minimum, by golden sections
local function least(f, a, c)
  local part = (math.sqrt(5) - 1) / 2
  local x, y = c - part * (c - a), a + part * (c - a)
  local fx, fy = f(x), f(y)
  for _ = 1, 40 do
    if fx < fy then c, y, fy = y, x, fx x = c - part * (c - a) fx = f(x)
    else a, x, fx = x, y, fy y = a + part * (c - a) fy = f(y) end
  end
  return math.min(fx, fy)
end

-- the smallest gap of contact i in a run in which it stays open
local function gap_of(run, c, i, name)
  local gap, t, low, at = c[name], c.t, math.huge, nil
  for j = 1, #gap do if gap[j] < low then low, at = gap[j], j end end
  if at == 1 or at == #gap then return low end
  return least(function(s) return run:at(s).gap[i] end, t[at - 1], t[at + 1])
end

-- smallest gap of contacts along the runs that stay open all the time; nil when there is none
local function clearance(Y)
  local smallest
  for _, y in ipairs(Y) do
    if not y.run then return nil end
    local c, touched, n = y.run:sample(100), {}, #y.run:at(0).gap
    for _, e in ipairs(y.run.events) do
      for _, id in ipairs(rawget(e, "contacts") or { rawget(e, "contact") }) do touched[id] = true end
    end
    for i = 1, n do
      local low = not touched[i] and gap_of(y.run, c, i, n == 1 and "gap" or "gap" .. i)
      if low then smallest = math.min(smallest or low, low) end
    end
  end
  return smallest
end

-- the largest complex pair's size - 1; nil without one
local function pair_size(multipliers)
  local most
  for _, m in ipairs(multipliers) do
    if type(m) == "table" then most = math.max(most or 0, monodromy.size(m)) end
  end
  return most and most - 1
end

local function doubling(multipliers)
  local product = 1
  for _, m in ipairs(multipliers) do
    product = product * (type(m) == "table" and math.sqrt((1 + m[1]) ^ 2 + m[2] ^ 2) or 1 + m)
  end
  return product
end

function M.describe(b, X, Y, value)
  local point = { X = X, Y = Y, value = value, period = cycle.period(Y), sequence = words(Y) }
  point.multipliers = cycle.multipliers(b.P, Y)
  point.stable = monodromy.stable(point.multipliers)
  point.x = X[1]
  point.tests = { ["period doubling"] = doubling(point.multipliers), ["Neimark-Sacker"] = pair_size(point.multipliers) }
  if b.o.grazing and b.P.kind == "model" then point.tests.grazing = clearance(Y) end
  return point
end

-- ---- corrector -------------------------------------------------------------------------------------------------------

-- weights that make states and the parameter numbers of about 1
function M.set_scale(b, X, span)
  b.sx = 1 / (cycle.size(X) * math.sqrt(#X * #X[1]))
  b.sp = 1 / span
end

-- the way from states A to states B, as one list
local function way(P, B, A)
  local z = {}
  for i, x in ipairs(B) do for _, d in ipairs(P:difference(x, A[i])) do z[#z + 1] = d end end
  return z
end

-- [A b; t w^2] and the right side's last row
local function bordered(b, X, Y, p, tangent)
  local A = cycle.jacobian(b.P, Y, 1)
  local d, why = cycle.with_parameter(b.P, X, Y, p, b.name, p[b.name], 1 / b.sp)
  if not d then return nil, why end
  local n = #d
  for i = 1, n do
    A[i][n + 1] = d[i]
    A[n + 1][i] = tangent[i] * b.sx ^ 2
  end
  A[n + 1][n + 1] = tangent[n + 1] * b.sp ^ 2
  return core.matrix(A), n
end

function M.norm(b, t)
  local sum, n = 0, #t - 1
  for i = 1, n do sum = sum + (t[i] * b.sx) ^ 2 end
  return math.sqrt(sum + (t[n + 1] * b.sp) ^ 2)
end

local function solve(A, r)
  local ok, x = pcall(function() return A:solve(core.matrix(r)) end)
  return ok and x or nil
end

-- the next tangent, in the direction of the last one
function M.tangent_at(b, X, Y, p, last)
  local A, n = bordered(b, X, Y, p, last)
  if not A then return nil, n end
  local r = {}
  for i = 1, n do r[i] = 0 end
  r[n + 1] = 1
  local x = solve(A, r)
  if not x then return nil, "singular" end
  local t = {}
  for i = 1, n + 1 do t[i] = x[i] end
  local size = M.norm(b, t)
  for i = 1, n + 1 do t[i] = t[i] / size end
  return t
end

-- how far the corrector has moved from where it began: further than the step itself is another branch
local function strayed(b, h, began, X, p, value)
  local d = way(b.P, X, began)
  d[#d + 1] = p - value
  return M.norm(b, d) > math.abs(h)
end

-- from point `from` a way h along its tangent, and onto the branch
local function correct(b, from, h)
  local n, P = #from.tangent - 1, b.P
  local p = M.with(from.p, b.name, from.value + h * from.tangent[n + 1])
  local X = cycle.step_along(P, from.X, from.Y, p, from.tangent, h)
  local began, value = X, p[b.name]
  for iteration = 1, b.o.corrections do
    local Y, why = cycle.shoot(P, X, p)
    if not Y then return nil, why end
    local r, z, along = cycle.mismatch(P, X, Y), way(P, X, from.X), -h
    for i = 1, n do along = along + from.tangent[i] * b.sx ^ 2 * z[i] end
    along = along + from.tangent[n + 1] * b.sp ^ 2 * (p[b.name] - from.value)
    local small = cycle.largest(r) <= b.o.tol * cycle.size(X)
    if not from.leaves and strayed(b, h, began, X, p[b.name], value) then return nil, "the corrector leads to another branch" end
    if small and math.abs(along) <= 1e-10 + 1e-6 * math.abs(h) then return X, Y, p, iteration end
    local A, reason = bordered(b, X, Y, p, from.tangent)
    if not A then return nil, reason end
    r[n + 1] = along
    local dx = solve(A, r)
    if not dx then return nil, "singular" end
    local step = {}
    for i = 1, n do step[i] = -dx[i] end
    p = M.with(p, b.name, p[b.name] - dx[n + 1])
    X = cycle.step_along(P, X, Y, p, step, 1)
  end
  return nil, ("the corrector did not converge in %d iterations"):format(b.o.corrections)
end

local function find(b, from, h)
  local X, Y, p, iterations = correct(b, from, h)
  if not X then return nil, Y end
  local point = M.describe(b, X, Y, p[b.name])
  point.p, point.iterations = p, iterations
  local why
  point.tangent, why = M.tangent_at(b, X, Y, p, from.tangent)
  if not point.tangent then return nil, why end
  point.tests.fold = point.tangent[#point.tangent] * b.sp
  return point
end

-- The point a way h along the branch from another; nil and a reason. Where there is no derivative (a tie, a grazing impact)
-- there is no point either.
function M.at(b, from, h)
  local fine, point, why = pcall(find, b, from, h)
  if fine then return point, why end
  if tostring(point):find "interrupted" then error(point, 0) end
  return nil, tostring(point)
end

return M
