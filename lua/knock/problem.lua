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

local order = { "model", "contacts", "names", "nc", "dim", "rows", "mu", "v", "gap", "W" }

local function is_hdf5(path) return path:match "%.h5$" or path:match "%.hdf5$" end

--- problem:text() -> string: Lua that gives the problem back, every number to its last bit.
function methods:text()
  local lines = {}
  for _, key in ipairs(order) do
    if self[key] ~= nil then lines[#lines + 1] = ("  %s = %s,"):format(key, literal(self[key])) end
  end
  return "-- an impact problem of knock: k.solve(k.problem \"this file\", law)\nreturn {\n"
    .. table.concat(lines, "\n") .. "\n}\n"
end

--- problem:save(path[, {mu =, e =, title =, solution =, guesses =}]) -> problem
--- Writes the problem as text; k.problem(path) reads it again. A name that ends in .h5 or .hdf5 makes an FCLIB file for
--- Siconos and others, which holds W, q and mu (a number or one per contact; problem.mu unless given): q is v, with 1 + e
--- times the normal velocity of contacts that approach, so that its answer is that of law.moreau{mu =, e =}. A solution
--- (an answer of k.solve, or its impulses row by row) and a list of guesses go into the file too, with u = W r + q.
function methods:save(path, options)
  if is_hdf5(path) then
    require "knock.fclib".write(self, path, options)
  elseif options and (options.solution or options.guesses) then
    require "knock.host".fail "save: solutions and guesses go into FCLIB files, whose names end in .h5 or .hdf5"
  else
    require "knock.gnuplot".publish(path, self:text())
  end
  return self
end

-- |x - P_K(x - u)| squared of one contact, K: |p_t| <= mu p_n; u has mu |u_t| in its normal row
local function missed(p, u, mu)
  local n, t, x, sum = #p, 0, {}, 0
  for i = 1, n do x[i] = p[i] - u[i] end
  for i = 1, n - 1 do t = t + x[i] * x[i] end
  t = math.sqrt(t)
  local inside, along = t <= mu * x[n], (x[n] + mu * t) / (1 + mu * mu)
  for i = 1, n do
    local to = inside and x[i] or along <= 0 and 0 or i == n and along or mu * along * x[i] / t
    sum = sum + (p[i] - to) ^ 2
  end
  return sum
end

--- problem:residual(answer[, mu]) -> number
--- What is left of the cone problem: |p - P_K(p - u^)| over the largest of |v|, |p| and |u|, u = W p + v, u^_n = u_n + mu |u_t|;
--- 0 for an answer of law.moreau{mu = mu, e = 0}, about 1 for nonsense. answer: of k.solve, a file's p.solution, or impulses.
--- mu: problem.mu unless given, a number or one per contact.
function methods:residual(answer, mu)
  local p, u, sum, at = answer, {}, 0, 1
  if type(answer) == "table" and answer.impulse ~= nil then p = answer.impulse end
  mu = mu or self.mu
  if #p ~= self.rows then require "knock.host".fail(("residual: argument 1 must have %d impulses, got %d"):format(self.rows, #p)) end
  if mu == nil then require "knock.host".fail "residual: the problem has no mu: residual(answer, mu)" end
  local W, size = require "knock.core".matrix(self.W), { 0, 0, 0 }
  for i = 1, self.rows do
    u[i] = self.v[i]
    for j = 1, self.rows do u[i] = u[i] + W(i, j) * p[j] end
    for k, x in ipairs { self.v[i], p[i], u[i] } do size[k] = size[k] + x * x end
  end
  for c = 1, self.nc do
    local rows, friction, slip = type(self.dim) == "table" and self.dim[c] or self.dim, type(mu) == "table" and mu[c] or mu, 0
    local pc, uc = {}, {}
    if not (friction >= 0 and friction < math.huge) then
      require "knock.host".fail(("residual: mu must be finite and not negative, got %s"):format(tostring(friction)))
    end
    for i = 1, rows do pc[i], uc[i] = p[at + i - 1], u[at + i - 1] end
    for i = 1, rows - 1 do slip = slip + uc[i] ^ 2 end
    uc[rows] = uc[rows] + friction * math.sqrt(slip)
    sum, at = sum + missed(pc, uc, friction), at + rows
  end
  local largest = math.max(size[1], size[2], size[3])
  return largest > 0 and math.sqrt(sum / largest) or math.sqrt(sum)
end

--- problem:solve(law) -> answer: The same as k.solve(problem, law).
function methods:solve(law) return require "knock.solve"(self, law) end

function Problem:__tostring()
  local dim = math.tointeger(self.dim) -- a file may say anything: k.solve checks it
  local each = type(self.dim) == "table" and "with rows " .. rows_of.words(self.dim)
    or dim and ("with %d row%s each"):format(dim, dim == 1 and "" or "s") or ("with dim = %s"):format(tostring(self.dim))
  local rows = { { "contacts", tostring(self.nc), each },
    { "v", page.value(self.v) .. " m/s", "before" } }
  if self.gap then rows[#rows + 1] = { "gap", page.value(self.gap) .. " m", "" } end
  for i = 1, #self.W do rows[#rows + 1] = { i == 1 and "W" or "", page.value(self.W[i]) .. (i == 1 and " 1/kg" or ""), "" } end
  return "problem" .. (self.model and " of a " .. self.model or "") .. "\n" .. table.concat(page.align(rows), "\n")
end

--- k.law{solve =, name =, parameters =, ...} -> law
--- A law written in Lua. It works wherever those in C do: k.impact, k.simulate, sweeps. k.check(law) tries it.
--- * solve(problem, parameters) gets the impact as plain numbers: problem.W, the matrix J M^-1 J^T of all rows [1/kg], W(i, j);
--- problem.v, the contact velocities before [m/s]; problem.gap, one for each contact [m]; problem.nc contacts with problem.dim rows
--- each, in the order t1, t2, n (t, n; n); problem.rows = nc dim.
--- * It returns the impulse of all rows [N s], as a list or as {impulse = list, ...}. knock computes v+ = v- + W p from it.
--- * It may return more: restitution, friction and stored, the energies [J] (else they are booked by the mean
--- velocities); duration [s]; events = {{kind =, contact =, p =, t =}, ...}; status = "jam" or another word instead of
--- an impulse.
--- * parameters is a table of numbers with their defaults, which law:with{} changes; units = {name = unit} says what they
--- are. mu is also the friction of sustained contact in runs.
--- * many = false: it takes one contact at a time. gaps = true: it takes contacts that are still open.
---
---     local mine = k.law{ name = "mine", parameters = { e = 0.5 }, solve = function(problem, p)
---       local impulse = {}
---       for i = 1, problem.rows do impulse[i] = 0 end
---       local n = problem.dim -- the normal row of one contact without friction
---       impulse[n] = -(1 + p.e) * problem.v[n] / problem.W(n, n)
---       return impulse
---     end, many = false }
---     print(k.impact(k.ball{ velocity = {0, 0, -4} }, mine:with{ e = 1 }).velocity[3]) --> 4.0

-- nil, a whole number, or a list of them
local function is_whole(x)
  for _, y in ipairs(type(x) == "table" and x or { x }) do if not math.tointeger(y) then return false end end
  return type(x) ~= "table" or #x > 0
end

-- a file may hold anything; the numbers themselves are checked by k.solve
local function is_problem(data)
  return type(data) == "table" and type(data.W) == "table" and type(data.v) == "table" and is_whole(data.dim)
    and (data.model == nil or type(data.model) == "string")
end

local function load_file(path)
  local fail = require "knock.host".fail
  local chunk, why = loadfile(path, "t", {})
  if not chunk then fail("problem: " .. why) end
  local ok, data = pcall(chunk)
  if not ok or not is_problem(data) then
    fail(("problem: %s does not hold a problem (a table with W and v)"):format(path))
  end
  return data
end

--- k.problem(model[, law[, options]]) -> problem
--- What the law would see of the model: W, v, gap, nc, dim, rows, contacts. The contacts that touch
--- take part, or those that the options name; a law that handles gaps gets them all. names are those of all contacts of a
--- mechanism (or your own, one for each contact), so that k.solve takes laws by name, as mu = { foot = 0.8, stop = 0 }.
--- k.problem(path) reads a saved one, k.problem{W =, v =, gap =, dim =} takes a table; dim says how many
--- rows each contact has: a number, or a list where they differ, as {2, 1}.
--- A path that ends in .h5 or .hdf5 is an FCLIB file, local (W, q, mu) or global (M, H, f, w, mu; equalities are eliminated):
--- v is its q, and mu its friction: k.solve(p, k.law.moreau{mu = p.mu, e = 0}) solves it. p.solution = { impulse =, velocity = }
--- and p.guesses are there where the file has them; p:residual(p.solution) says how good it is.
---
---     local p = k.problem(k.double_pendulum{}) print(p.nc, p.dim) --> 1	2
return function(what, law, options)
  if type(what) == "string" then
    return setmetatable(is_hdf5(what) and require "knock.fclib".read(what) or load_file(what), Problem)
  end
  if type(what) == "table" then
    local copy = {}
    require "knock.options".only("problem", what, order)
    for key, value in pairs(what) do copy[key] = value end
    if copy.v == nil then require "knock.host".fail "problem: v, the contact velocities before [m/s], is missing" end
    copy.rows = copy.rows or #copy.v
    copy.dim = copy.dim or (copy.rows <= 3 and copy.rows or nil)
    copy.nc = copy.nc or (type(copy.dim) == "table" and #copy.dim) or (copy.dim and copy.rows // copy.dim)
    return setmetatable(copy, Problem)
  end
  if type(law) == "table" then law, options = nil, law end
  local problem = core.waist.problem(what, law, options)
  local info = core.mechanisms.info(what)
  problem.names = info and info.contacts
  return setmetatable(problem, Problem)
end
