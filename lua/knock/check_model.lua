-- The checks of a model for k.check. Rates are differences along q' = m.qdot with u kept, of fourth order, at two
-- steps: where both disagree, or at an edge of the function, by as much is allowed.

local core = require "knock.core"
local abs, max = math.abs, math.max

local agrees = 1e-6 -- what counts as the same, relative to the terms that are compared

local function list(x)
  local out = {}
  for i = 1, #x do out[i] = x[i] end
  return out
end

local function largest(x)
  local most = 0
  for i = 1, #x do most = max(most, abs(x[i])) end
  return most
end

-- q after a step of time along its rates with u kept: Runge and Kutta
local function moved(m, u, step)
  local q = m.q
  local function at(k, h)
    local to = list(q)
    for i = 1, #to do to[i] = q[i] + h * k[i] end
    return m:at(to, u)
  end
  local k1 = m:at(nil, u).qdot
  local k2 = at(k1, step / 2).qdot
  local k3 = at(k2, step / 2).qdot
  local k4 = at(k3, step).qdot
  local mean = {}
  for i = 1, #q do mean[i] = (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]) / 6 end
  return at(mean, step)
end

-- d f/dt with u kept, a list, and its errors: f(model) gives a list
local function rate(m, u, f)
  local scale = max(1e-3, 1 / max(1, largest(u)))
  local here = f(m)
  -- and the bend (f(h) - 2 f + f(-h)) / h, which stays when h shrinks at an edge
  local function slope(h)
    local out, bend = {}, {}
    for j = 1, #here do out[j], bend[j] = 0, -2 * here[j] / h end
    for i, weight in pairs { [-2] = 1, [-1] = -8, [1] = 8, [2] = -1 } do
      local values = f(moved(m, u, i * h))
      for j = 1, #values do
        out[j] = out[j] + weight * values[j] / (12 * h)
        if i * i == 1 then bend[j] = bend[j] + values[j] / h end
      end
    end
    return out, bend
  end
  local coarse, wide = slope(4e-3 * scale)
  local fine, narrow = slope(1e-3 * scale)
  local error = {}
  for j = 1, #fine do
    local edge = abs(narrow[j]) > 0.5 * abs(wide[j]) and abs(narrow[j]) or 0 -- a smooth bend would be a quarter
    error[j] = abs(fine[j] - coarse[j]) + edge
  end
  return fine, error
end

-- what part of `size` this is; nothing is no part of nothing
local function part(off, size) return off == 0 and 0 or off / size end

local function flat(A)
  local out = {}
  for i = 1, A.rows do for j = 1, A.cols do out[#out + 1] = A(i, j) end end
  return out
end

local function words(format, ...) return (format:format(...)) end

local function state(m)
  local function numbers(x)
    local parts = {}
    for i = 1, #x do parts[i] = ("%.17g"):format(x[i]) end
    return "{" .. table.concat(parts, ", ") .. "}"
  end
  return ("see it at m:at(%s, %s)"):format(numbers(m.q), numbers(m.u))
end

-- ---- one state ---------------------------------------------------------------------------------------------------

local function check_mass(report, m)
  local M, n = m.M, #m.u
  local off, least = 0, math.huge
  for i = 1, n do
    for j = 1, i - 1 do off = max(off, abs(M(i, j) - M(j, i)) / max(1e-300, math.sqrt(abs(M(i, i) * M(j, j))), abs(M(i, j)))) end
  end
  report:case("M is symmetric", off, 1e-10, words("entries differ from those across the diagonal by %.3g", off), state(m))
  local unit = core.zeros(n, n)
  for i = 1, n do for j = 1, n do unit:set(i, j, (M(i, j) + M(j, i)) / 2 / math.sqrt(max(1e-300, abs(M(i, i) * M(j, j))))) end end
  local w = unit:eig()
  for i = 1, n do least = math.min(least, w[i]) end
  local bad = least < -1e-10 or least < 1e-14 and m.A.rows == 0
  report:case("M is positive", bad and 1 or 0, 0.5, words("some speeds have no or negative kinetic energy (smallest eigenvalue of M with a unit diagonal: %.3g)", least), state(m))
end

-- rows n of J u, contact by contact
local function normal_rows(m)
  local dim, rows, at = m.dim, {}, 0
  for c = 1, #m.gap do
    at = at + (type(dim) == "table" and dim[c] or dim)
    rows[c] = at
  end
  return rows
end

local function check_jacobian(report, m)
  local u, J = m.u, m.J
  local v, d, error = J * u, rate(m, u, function(x) return x.gap end)
  for c, row in ipairs(normal_rows(m)) do
    local size = max(abs(v[row]), abs(d[c]))
    local off = part(max(0, abs(v[row] - d[c]) - 8 * error[c]), max(size, 1e-6 * largest(u)))
    report:case("J u is the rate of the gap", off, agrees,
      words("contact %d: row n of J times u is %.9g m/s, the gap changes by %.9g m/s", c, v[row], d[c]), state(m))
  end
  local told, off = m.v, 0
  for i = 1, #v do off = max(off, abs(told[i] - v[i])) end
  report:case("v is J u", part(off, largest(v)), 1e-12, words("they differ by %.3g m/s", off), state(m))
end

-- W = J M^-1 J^T, with the constrained inverse where the model has standing constraints
local function inverse_mass(m)
  local n, A = #m.u, m.A
  local na = A.rows
  if na == 0 then return m.M:inv() end
  local K = core.zeros(n + na, n + na)
  for i = 1, n do for j = 1, n do K:set(i, j, m.M(i, j)) end end
  for a = 1, na do for j = 1, n do K:set(n + a, j, A(a, j)) K:set(j, n + a, A(a, j)) end end
  local inverse, out = K:pinv(), core.zeros(n, n)
  for i = 1, n do for j = 1, n do out:set(i, j, inverse(i, j)) end end
  return out
end

local function check_waist(report, m)
  local ok, Y = pcall(inverse_mass, m)
  if not ok then return end
  local W, expected = m.W, m.J * Y * m.J:t()
  local off, size = 0, largest(flat(expected))
  for i = 1, W.rows do for j = 1, W.cols do off = max(off, abs(W(i, j) - expected(i, j))) end end
  report:case("W is J M^-1 J^T", part(off, size), 1e-9, words("they differ by %.3g 1/kg", off), state(m))
  local energy, twice = m.energy.kinetic, 0
  local p = m.M * m.u
  for i = 1, #m.u do twice = twice + p[i] * m.u[i] end
  report:case("the kinetic energy is u M u / 2", part(abs(energy - twice / 2), abs(energy)), 1e-11,
    words("it is %.12g J, u M u / 2 is %.12g J", energy, twice / 2), state(m))
end

local function check_drift(report, m)
  local u = m.u
  local told, d, error = m.drift, rate(m, u, function(x) return x.J * u end)
  local size = max(largest(told), largest(d), 1e-6 * largest(u))
  for i = 1, #d do
    report:case("the drift is the rate of J u at constant u", part(max(0, abs(told[i] - d[i]) - 8 * error[i]), size), agrees,
      words("row %d: the drift is %.9g m/s^2, differences of J give %.9g m/s^2", i, told[i], d[i]), state(m))
  end
end

-- u.f + u.M'u/2 + V' = power
local function check_power(report, m)
  local u = m.u
  local f, work, size = m.forces, 0, 0
  for i = 1, #u do work, size = work + u[i] * f[i], size + abs(u[i] * f[i]) end
  local d, error = rate(m, u, function(x)
    local p, twice = x.M * u, 0
    for i = 1, #u do twice = twice + p[i] * u[i] end
    return { twice / 2, x.energy.potential }
  end)
  local told = m.power
  local sum = work + d[1] + d[2]
  size = size + abs(d[1]) + abs(d[2]) + abs(told) + 1e-9 * m.energy.kinetic -- [W], with a second for the last
  report:case("forces do the work of potential and power", part(max(0, abs(sum - told) - 8 * (error[1] + error[2])), size), agrees,
    words("they do work at %.9g W that the potential does not have, and power tells %.9g W", sum, told), state(m))
end

-- ---- all ---------------------------------------------------------------------------------------------------------

-- a state near that of the model; nil where its functions are not defined
local function beside(m, random)
  local q, u, speed = list(m.q), list(m.u), max(1, largest(m.u))
  for i = 1, #q do q[i] = q[i] + random(-0.1, 0.1) * max(1, abs(q[i])) end
  for i = 1, #u do u[i] = speed * random(-1, 1) end
  local ok, there = pcall(m.at, m, q, u)
  if not ok then return nil end
  local fine = pcall(function() return there.M, there.J, there.gap, there.forces, there.energy end)
  return fine and there or nil
end

return function(report, m, random, o)
  report.about = ("a model with %d coordinates, %d speeds, %d contact%s"):format(#m.q, #m.u, #m.gap, #m.gap == 1 and "" or "s")
  local said, tells_energy = core.agrees(m)
  if said then report:fault("the parts of the model agree", (said:gsub(" %(check = false switches this off%)", ""))) else report:case("the parts of the model agree", 0, 0.5) end
  local skipped, checks = 0, { check_mass, check_jacobian, check_waist, check_drift, tells_energy and check_power or nil }
  for i = 1, o.cases do
    local there = i == 1 and m or beside(m, random)
    if there then
      for _, check in ipairs(checks) do
        local ok, message = pcall(check, report, there)
        if not ok and tostring(message):find "interrupted" then error(message, 0) end
        if not ok then report:fault("its functions work", tostring(message), state(there)) end
      end
    else
      skipped = skipped + 1
    end
  end
  if skipped > 0 then report.notes[1] = ("%d of %d states were left out: the model's functions are not defined there"):format(skipped, o.cases) end
  if skipped > o.cases / 2 then report:fault("most states can be computed", report.notes[1]) end
end
