-- The generalised speeds along the path of an impact: u = u_before + M^-1 J^T p.

local rows = require "knock.rows"

local M = {}

-- columns of M^-1 J^T for the rows of the contacts that took part
local function gains(hit)
  local model, out = hit.before, {}
  local all = model.M:solve(model.J:t())
  for _, c in ipairs(hit.contacts) do
    for i = 1, rows.of(model.dim, c) do
      local column = {}
      for j = 1, #hit.u do column[j] = all[j][rows.before(model.dim, c) + i] end
      out[#out + 1] = column
    end
  end
  return out
end

--- speeds(hit, trace) -> a list of columns, one per speed
function M.speeds(hit, t)
  local L, u = gains(hit), {}
  for j = 1, #hit.u do
    u[j] = {}
    for k = 1, t.n do
      local sum = hit.u_before[j]
      for i, name in ipairs(t.p) do sum = sum + L[i][j] * t[name][k] end
      u[j][k] = sum
    end
  end
  return u
end

M.gains = gains
return M
