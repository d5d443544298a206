-- Problem files of FCLIB, the collection of friction problems that Siconos reads and writes (HDF5).
--
--   local    u = W r + q                                    (and V, R, s: 0 = V' r + R l + s, u = W r + V l + q)
--   global   M v = H r + G l + f,  G' v + b = 0,  u = H' v + w
--
-- Their rows of a contact are (n, t) or (n, t1, t2), ours (t, n) or (t1, t2, n); their r is our p, their u = W r + q our v+ of
-- e = 0. A file may have a solution (u, r) beside its problem, and guesses of the same kind.

local core = require "knock.core"
local records = core.records

local M = {}

local function fail(words, ...) require "knock.host".fail(("problem: " .. words):format(...)) end

-- ---- reading ----

-- the numbers of a set as a list, nil when the file has none; `n`: how many there must be
local function numbers(file, name, n)
  if not file.there[name] then return nil end
  local row, list = file.sets:column(name), {}
  local width = select(2, file.sets:kind(name))
  for i = 1, width do list[i] = width == 1 and row[1] or row(1, i) end
  if n and #list ~= n then fail("%s: %s has %d numbers, expected %d", file.path, name, #list, n) end
  return list
end

local function needed(file, name, n)
  return numbers(file, name, n) or fail("%s has no set %s", file.path, name)
end

local function whole(file, name, least, most)
  local x = math.tointeger(needed(file, name, 1)[1])
  if not x or x < least or x > most then
    fail("%s: %s must be a whole number from %d to %d, got %s", file.path, name, least, most, tostring(numbers(file, name)[1]))
  end
  return x
end

local LARGEST = 20000 -- rows: a dense matrix of 3 GB

-- row and column of entry k (from 1): triplets, compressed columns (nz = -1) or compressed rows (nz = -2)
local function places(file, name, m, n)
  local nz = whole(file, name .. "/nz", -2, LARGEST * LARGEST)
  local i, p = needed(file, name .. "/i"), needed(file, name .. "/p")
  if nz >= 0 then return nz, function(k) return p[k], i[k] end end
  local lines, owner = nz == -1 and n or m, {}
  if #p < lines + 1 then fail("%s: %s/p has %d numbers, expected %d", file.path, name, #p, lines + 1) end
  for line = 0, lines - 1 do
    if p[line + 1] < 0 or p[line + 2] > #i then fail("%s: %s/p points beyond its %d entries", file.path, name, #i) end
    for k = p[line + 1] + 1, p[line + 2] do owner[k] = line end
  end
  return p[lines + 1], function(k)
    if nz == -1 then return i[k], owner[k] end
    return owner[k], i[k]
  end
end

-- a sparse matrix as a k.matrix; nil when the file has none
local function matrix(file, name)
  if not file.there[name .. "/x"] then return nil end
  local m, n = whole(file, name .. "/m", 1, LARGEST), whole(file, name .. "/n", 1, LARGEST)
  local count, place = places(file, name, m, n)
  local x = needed(file, name .. "/x")
  if count > #x then fail("%s: %s has %d entries but %d numbers", file.path, name, count, #x) end
  local rows = {}
  for i = 1, m do
    local row = {}
    for j = 1, n do row[j] = 0.0 end
    rows[i] = row
  end
  for k = 1, count do
    local i, j = place(k)
    if not i or not j or i < 0 or i >= m or j < 0 or j >= n then
      fail("%s: entry %d of %s lies outside its %d x %d", file.path, k, name, m, n)
    end
    i, j = math.tointeger(i) + 1, math.tointeger(j) + 1
    rows[i][j] = rows[i][j] + x[k] -- entries given twice add up
  end
  return core.matrix(rows), m, n
end

local function shape(file, name, m, n, rows, columns)
  if m ~= rows or n ~= columns then
    fail("%s: %s is %d x %d, expected %d x %d", file.path, name, m, n, rows, columns)
  end
end

-- x of A x = B, or the words that say why not
local function solved(file, A, B, what)
  local ok, x = pcall(A.solve, A, B)
  if not ok then fail("%s: %s is singular", file.path, what) end
  return x
end

local function vector(list) return core.matrix(list) end

-- W and q of a local problem; equalities are eliminated by R
local function read_local(file, at)
  local W, m, n = matrix(file, at .. "W")
  if not W then fail("%s has no set %sW/x", file.path, at) end
  shape(file, at .. "W", m, n, m, m)
  local q = vector(needed(file, at .. "vectors/q", m))
  local V, v_rows, l = matrix(file, at .. "V")
  if not V then return W, q, m end
  local R, r_rows, r_columns = matrix(file, at .. "R")
  if not R then fail("%s has V but no R: its equalities cannot be eliminated", file.path) end
  shape(file, at .. "V", v_rows, l, m, l)
  shape(file, at .. "R", r_rows, r_columns, l, l)
  local s = vector(needed(file, at .. "vectors/s", l))
  return W - V * solved(file, R, V:t(), "R"), q - V * solved(file, R, s, "R"), m
end

-- the block matrix [M -G; G' 0] (M alone without G), and how many rows G adds
local function block(file, at, mass, n)
  local G, g_rows, l = matrix(file, at .. "G")
  if not G then return mass, 0 end
  shape(file, at .. "G", g_rows, l, n, l)
  return core.matrix(n + l, n + l, function(i, j)
    if i <= n and j <= n then return mass(i, j) end
    if i > n and j > n then return 0 end
    return i <= n and -G(i, j - n) or G(j, i - n)
  end), l
end

local function read_global(file, at)
  local mass, n, columns = matrix(file, at .. "M")
  if not mass then fail("%s has no set %sM/x", file.path, at) end
  shape(file, at .. "M", n, columns, n, n)
  local H, h_rows, m = matrix(file, at .. "H")
  if not H then fail("%s has no set %sH/x", file.path, at) end
  shape(file, at .. "H", h_rows, m, n, m)
  local f, w = needed(file, at .. "vectors/f", n), needed(file, at .. "vectors/w", m)
  local K, l = block(file, at, mass, n)
  local b = l > 0 and needed(file, at .. "vectors/b", l) or {}
  local side = core.matrix(n + l, m + 1, function(i, j) -- H and f, below them 0 and -b
    if i <= n then return j <= m and H(i, j) or f[i] end
    return j <= m and 0 or -b[i - n]
  end)
  local x, W, q = solved(file, K, side, l > 0 and "[M -G; G' 0]" or "M"), {}, {}
  for i = 1, m do
    W[i] = {}
    for j = 1, m + 1 do
      local sum = 0
      for k = 1, n do if H(k, i) ~= 0 then sum = sum + H(k, i) * x(k, j) end end
      if j <= m then W[i][j] = sum else q[i] = sum + w[i] end
    end
  end
  return core.matrix(W), vector(q), m
end

-- our row of their row i (from 1)
local function ours(i, dim)
  local row = (i - 1) % dim
  return row == 0 and i + dim - 1 or i - 1
end

-- numbers W_ij and W_ji of a file may differ by rounding: their mean
local function in_our_rows(W, q, rows, dim)
  local A, v = {}, {}
  for i = 1, rows do A[i] = {} end
  for i = 1, rows do
    v[ours(i, dim)] = q(i)
    for j = 1, rows do A[ours(i, dim)][ours(j, dim)] = (W(i, j) + W(j, i)) / 2 end
  end
  return A, v
end

local function check_symmetric(file, W, rows)
  for i = 1, rows do
    for j = 1, i - 1 do
      local size = math.sqrt(math.abs(W(i, i) * W(j, j)))
      if math.abs(W(i, j) - W(j, i)) > 1e-8 * size then fail("%s: W is not symmetric in rows %d and %d", file.path, i, j) end
    end
  end
end

-- { impulse =, velocity = } in our rows, nil when the file has none
local function answer(file, at, rows, dim)
  local r, u = numbers(file, at .. "r", rows), numbers(file, at .. "u", rows)
  if not r and not u then return nil end
  local one = { impulse = r and {}, velocity = u and {} }
  for i = 1, rows do
    if r then one.impulse[ours(i, dim)] = r[i] end
    if u then one.velocity[ours(i, dim)] = u[i] end
  end
  return one
end

local function guesses(file, rows, dim)
  if not file.there["guesses/number_of_guesses"] then return nil end
  local list = {}
  for i = 1, whole(file, "guesses/number_of_guesses", 0, 100) do
    list[i] = answer(file, ("guesses/%d/"):format(i), rows, dim) or fail("%s has no set guesses/%d/r", file.path, i)
  end
  return list
end

--- The problem of an FCLIB file, local or global.
function M.read(path)
  local file = { path = path, sets = records.read_sets(path), there = {} }
  for _, name in ipairs(file.sets:names()) do file.there[name] = true end
  local is_local, is_global = file.there["fclib_local/spacedim"], file.there["fclib_global/spacedim"]
  if not is_local and not is_global then
    fail("%s is not an FCLIB file (no fclib_local/spacedim or fclib_global/spacedim)", path)
  end
  local at = is_local and "fclib_local/" or "fclib_global/"
  local dim = whole(file, at .. "spacedim", 2, 3)
  local W, q, rows = (is_local and read_local or read_global)(file, at)
  if rows % dim ~= 0 then fail("%s: %d rows are not contacts of %d", path, rows, dim) end
  check_symmetric(file, W, rows)
  local A, v = in_our_rows(W, q, rows, dim)
  return { W = A, v = v, dim = dim, nc = rows // dim, rows = rows, mu = needed(file, at .. "vectors/mu", rows // dim),
    solution = answer(file, "solution/", rows, dim), guesses = guesses(file, rows, dim) }
end

-- ---- writing ----

local function each(x, nc, name)
  local list = {}
  for c = 1, nc do list[c] = type(x) == "table" and x[c] or x end
  for c = 1, nc do
    if type(list[c]) ~= "number" then fail("%s must be a number or one for each of the %d contacts, got %s", name, nc, tostring(list[c])) end
  end
  return list
end

local function check_writable(problem)
  if problem.dim ~= 2 and problem.dim ~= 3 then
    fail("FCLIB has contacts of 2 or 3 rows, got dim = %s", type(problem.dim) == "table" and "a list" or tostring(problem.dim))
  end
  for c, gap in ipairs(problem.gap or {}) do
    if gap > 0 then fail("FCLIB has no gaps, but contact %d is open by %.10g m: name those that touch", c, gap) end
  end
end

-- every entry of W that is not zero, by columns
local function compressed(W, rows, dim)
  local back, p, i, x = {}, { 0 }, {}, {}
  for k = 1, rows do back[k] = ours(k, dim) end
  for column = 1, rows do
    for row = 1, rows do
      local entry = W[back[row]][back[column]]
      if entry ~= 0 then i[#i + 1], x[#x + 1] = row - 1, entry end
    end
    p[column + 1] = #x
  end
  return p, i, x
end

-- r of an answer of k.solve, { impulse = } or a list, in their rows
local function impulses(problem, one, name)
  local list, r = one, {}
  if type(one) == "table" and one.impulse ~= nil then list = one.impulse end
  local ok, n = pcall(function() return #list end)
  if not ok or type(list) == "string" or n ~= problem.rows then
    fail("%s must be an answer or its %d impulses, got %s", name, problem.rows, ok and type(list) ~= "string" and n .. " of them" or type(one))
  end
  for i = 1, problem.rows do
    r[i] = list[ours(i, problem.dim)]
    if type(r[i]) ~= "number" then fail("%s: impulse %d must be a number, got %s", name, ours(i, problem.dim), tostring(r[i])) end
  end
  return r
end

-- r, and u = W r + q, in their rows
local function add_answer(t, at, problem, q, one, name)
  local dim, r, u = problem.dim, impulses(problem, one, name), {}
  for i = 1, problem.rows do
    local sum, row = q[i], problem.W[ours(i, dim)]
    for j = 1, problem.rows do sum = sum + row[ours(j, dim)] * r[j] end
    u[i] = sum
  end
  t:add(at .. "r", "", { r })
  t:add(at .. "u", "", { u })
end

--- Writes a problem as a local one: q = v-, with (1 + e) times the normal velocity of contacts that approach.
function M.write(problem, path, options)
  options = options or {}
  require "knock.options".only("save", options, { "mu", "e", "title", "solution", "guesses" })
  check_writable(problem)
  local nc, dim, rows = problem.nc, problem.dim, problem.rows
  local given = options.mu or problem.mu
  if given == nil then fail("FCLIB files have friction: save(path, {mu = ...})") end
  local mu, e, q = each(given, nc, "mu"), each(options.e or 0, nc, "e"), {}
  for i = 1, rows do
    local v = problem.v[ours(i, dim)]
    q[i] = (i % dim == 1 and v < 0) and (1 + e[(i - 1) // dim + 1]) * v or v
  end
  local p, index, x = compressed(problem.W, rows, dim)
  local t = records.new_table()
  local function add(name, unit, list) t:add("fclib_local/" .. name, unit, { list }) end
  add("spacedim", "int32", { dim })
  for name, list in pairs { nzmax = { #x }, m = { rows }, n = { rows }, nz = { -1 }, p = p, i = index } do add("W/" .. name, "int32", list) end
  add("W/x", "", x)
  add("vectors/q", "", q)
  add("vectors/mu", "", mu)
  t:add("fclib_local/info/title", "", { options.title or "an impact problem of knock" })
  t:add("fclib_local/info/description", "", { problem.model and "of a " .. problem.model or "" })
  t:add("fclib_local/info/math_info", "", { "" })
  local solution, first = options.solution or problem.solution, options.guesses or problem.guesses or {}
  if solution then add_answer(t, "solution/", problem, q, solution, "solution") end
  if #first > 0 then t:add("guesses/number_of_guesses", "int32", { { #first } }) end
  for i, one in ipairs(first) do add_answer(t, ("guesses/%d/"):format(i), problem, q, one, ("guesses[%d]"):format(i)) end
  records.write_sets(t, path)
end

return M
