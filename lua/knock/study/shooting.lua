-- The equations of a cycle, P(x_1) = x_2, ..., P(x_N) = x_1, and their derivatives with the states and with a parameter.

local M = {}

local function zeros(n, m)
  local rows = {}
  for i = 1, n do
    rows[i] = {}
    for j = 1, m do rows[i][j] = 0 end
  end
  return rows
end

local function largest(list)
  local most = 0
  for _, x in ipairs(list) do most = math.max(most, math.abs(x)) end
  return most
end
M.largest = largest

-- All returns of a list of states; nil and the reason when one of them fails.
function M.shoot(P, X, p)
  local Y = {}
  for i, x in ipairs(X) do
    local y, why = P:step(x, p)
    if not y then return nil, why end
    Y[i] = y
  end
  return Y
end

-- P(x_i) - x_{i+1}
function M.mismatch(P, X, Y)
  local r = {}
  for i, y in ipairs(Y) do
    for _, d in ipairs(P:difference(y.x, X[i % #X + 1])) do r[#r + 1] = d end
  end
  return r
end

function M.period(Y)
  local sum = 0
  for _, y in ipairs(Y) do sum = sum + y.period end
  return sum
end

-- A[i][j], also of a 1 x 1 matrix
local function entry(A, i, j)
  local row = A[i]
  return type(row) == "number" and row or row[j]
end
M.entry = entry

-- d mismatch / d X as rows, and d period / d X
function M.jacobian(P, Y, extra)
  local N, n = #Y, P:size(Y[1].x)
  local A, dT = zeros(N * n + extra, N * n + extra), {}
  for s, y in ipairs(Y) do
    P:derive(y)
    local D = y.left * y.right
    for i = 1, n do
      for j = 1, n do A[(s - 1) * n + i][(s - 1) * n + j] = A[(s - 1) * n + i][(s - 1) * n + j] + entry(D, i, j) end
      local to = (s % N) * n + i
      A[(s - 1) * n + i][to] = A[(s - 1) * n + i][to] - 1
      dT[(s - 1) * n + i] = entry(y.dt, 1, i)
    end
  end
  return A, dT
end

-- P at X with the parameter moved by d: what differs from Y0 and from its period, and whether the same happens there
local function moved(P, X, Y0, p, name, d)
  local q = {}
  for k, v in pairs(p) do q[k] = v end
  q[name] = q[name] + d
  local Z = {}
  for i, x in ipairs(X) do Z[i] = P:project(x, q, Y0[i].stance) end
  local Y, why = M.shoot(P, Z, q)
  if not Y then return { why = why } end
  local out, same = {}, true
  for i, y in ipairs(Y) do
    for _, far in ipairs(P:difference(y.x, Y0[i].x)) do out[#out + 1] = far end
    same = same and y.sequence == Y0[i].sequence
  end
  out[#out + 1] = M.period(Y) - M.period(Y0)
  return { out = out, same = same }
end

-- d mismatch / d parameter and d period / d parameter: two points, on one side where other things happen on the other one
-- (an impact leaves the period there); states stand on what the parameter says
function M.with_parameter(P, X, Y0, p, name, value, size)
  local h = 1e-5 * (size or math.max(math.abs(value), 1e-3))
  local at = M.with_value(p, name, value)
  local high, low = moved(P, X, Y0, at, name, h), moved(P, X, Y0, at, name, -h)
  local weight = 1 / (2 * h)
  local a, b, wa, wb = high, low, weight, -weight
  if (high.same or false) ~= (low.same or false) then
    local side = high.same and 1 or -1
    a, b = moved(P, X, Y0, at, name, side * h / 2), high.same and high or low
    wa, wb = 4 * side / h, -side / h
  end
  if not a.out or not b.out then return nil, a.why or b.why end
  local d = {}
  for i = 1, #a.out do d[i] = wa * a.out[i] + wb * b.out[i] end
  return d, table.remove(d)
end

function M.with_value(p, name, value)
  local q = {}
  for k, v in pairs(p) do q[k] = v end
  q[name] = value
  return q
end

return M
