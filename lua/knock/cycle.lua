-- k.cycle: periodic motions with impacts, and whether they are stable.
--
--   P(x_1) = x_2, ..., P(x_N) = x_1      by Newton's method with the derivative of the return map
--
-- Each x_i is a state on the section, so that a cycle of N returns is N short shots and not a long one (multiple
-- shooting): what is unstable over the whole period is tame between two sections.

local core = require "knock.core"
local host = require "knock.host"
local monodromy = require "knock.monodromy"
local options_of = require "knock.options"
local return_map = require "knock.study.return_map"

local M = {}

local shooting = require "knock.study.shooting"
for name, f in pairs(shooting) do M[name] = f end
local largest, mismatch, entry, jacobian = M.largest, M.mismatch, M.entry, M.jacobian

-- Size of a state, for relative figures.
function M.size(X)
  local most = 1e-12
  for _, x in ipairs(X) do most = math.max(most, largest(x)) end
  return most
end

-- ---- Newton -------------------------------------------------------------------------------------------------------

local function step_along(P, X, Y, p, dx, k)
  local Z, n = {}, P:size(X[1])
  for i, x in ipairs(X) do
    local d = { table.unpack(dx, (i - 1) * n + 1, i * n) }
    Z[i] = P:project(P:move(x, d, k), p, Y[i].stance)
  end
  return Z
end
M.step_along = step_along

-- free parameters: their values, and the condition that the period is as asked for
local function residual(P, X, Y, free, o)
  local r = mismatch(P, X, Y)
  if #free > 0 then r[#r + 1] = M.period(Y) - o.period end
  return r
end

local function linear_step(P, X, Y, p, free, r)
  local fine, A, dT = pcall(jacobian, P, Y, #free)
  if not fine and tostring(A):find "interrupted" then error(A, 0) end
  if not fine then return nil, tostring(A) end
  for k, name in ipairs(free) do
    local d, slope = M.with_parameter(P, X, Y, p, name, p[name])
    if not d then return nil, slope end
    local column = #r - #free + k
    for i = 1, #d do A[i][column] = d[i] end
    A[#r][column] = slope
    for j = 1, #d do A[#r][j] = dT[j] end
  end
  local ok, dx = pcall(function() return core.matrix(A):solve(core.matrix(r)) end)
  if not ok then return nil, "the equations are singular: the cycle is not isolated (a multiplier is 1)" end
  local out = {}
  for i = 1, #r do out[i] = -dx[i] end
  return out
end

-- where there is no derivative the map itself may lead on: every state goes where its neighbour went
local function go_on(P, X, Y, p, free, o, why)
  local Z = {}
  for i = 1, #X do Z[i % #X + 1] = Y[i].x end
  local W = M.shoot(P, Z, p)
  if not W then return nil, why end
  return Z, W, p, residual(P, Z, W, free, o)
end

-- a step of Newton's method that makes things better, shorter ones if it must be
local function improve(P, X, Y, p, free, o, r)
  local dx, why = linear_step(P, X, Y, p, free, r)
  if not dx then return go_on(P, X, Y, p, free, o, why) end
  local before, k, best = largest(r), 1, nil
  for _ = 1, 9 do
    local q = {}
    for name, value in pairs(p) do q[name] = value end
    for i, name in ipairs(free) do q[name] = p[name] + k * dx[#r - #free + i] end
    local Z = step_along(P, X, Y, q, dx, k)
    local W, reason = M.shoot(P, Z, q)
    if W then
      local s = residual(P, Z, W, free, o)
      best = { Z, W, q, s }
      if largest(s) < before then break end
    else
      why = reason
    end
    k = k / 2
  end
  if not best then return go_on(P, X, Y, p, free, o, why) end
  return table.unpack(best)
end

-- Mismatches are of the largest number in the state. Where the ground has no marks (a walker without map = "step")
-- Newton's method can run off along it until any mismatch is small beside where it is: that is no cycle.
local far = 1e3 -- states, over those of the guess and where they lead: no longer near it

-- X with P(X) = X, from near by: { X, Y, p, iterations, residual }, or nil and the reason.
function M.newton(P, X, p, free, o)
  local Y, why = M.shoot(P, X, p)
  if not Y then return nil, why end
  local r = residual(P, X, Y, free, o)
  local most = far * M.size(X) + far * largest(r)
  local goal, polished = o.tol, false
  for iteration = 0, o.iterations do
    local size = M.size(X)
    if size > most then
      return nil, ("no cycle is near the guess: Newton's method ran off to states of %.3g (what moves on comes back by a map only, as map = \"step\" for walkers)"):format(size)
    end
    local done = largest(r) <= goal * size
    if done and (polished or largest(r) <= 1e-3 * goal * size) then
      return { X = X, Y = Y, p = p, iterations = iteration, residual = largest(r) / size }
    end
    polished = done
    local Z, W, q, s = improve(P, X, Y, p, free, o, r)
    if not Z then return done and { X = X, Y = Y, p = p, iterations = iteration, residual = largest(r) / size } or nil, W end
    if done and largest(s) >= largest(r) then
      return { X = X, Y = Y, p = p, iterations = iteration, residual = largest(r) / size }
    end
    X, Y, p, r = Z, W, q, s
  end
  return nil, ("Newton's method did not converge in %d iterations: the mismatch is %.3g"):format(o.iterations, largest(r))
end

-- ---- multipliers ----------------------------------------------------------------------------------------------------

-- Multipliers of a whole cycle: the product of left * right, turned so that it begins where it is narrowest.
function M.multipliers(P, Y)
  local N, first = #Y, 1
  for i, y in ipairs(Y) do
    P:derive(y)
    if y.rank < Y[first].rank then first = i end
  end
  local product
  for s = 1, N - 1 do -- the returns after the first one
    local y = Y[(first - 1 + s) % N + 1]
    product = product and y.left * (y.right * product) or y.left * (y.right * Y[first].left)
  end
  return monodromy.multipliers(product or Y[first].left, Y[first].right), product or Y[first].left, Y[first].right, first
end

-- ---- cycles as values -----------------------------------------------------------------------------------------------

local Cycle = return_map.Cycle
Cycle.__index = Cycle

local function flags_of(Y)
  local flags, t = {}, nil
  for _, y in ipairs(Y) do
    for name, set in pairs(y.flags or {}) do flags[name] = flags[name] or set end
    t = t or y.t_flag
  end
  return flags, t
end

-- From what Newton found to what people look at.
function M.make(P, found)
  local Y, x = found.Y, found.X[1]
  local c = { map = P, X = found.X, Y = Y, p = found.p, x = x, period = M.period(Y), iterations = found.iterations,
    residual = found.residual, returns = #Y, sequence = Y[1].sequence }
  c.multipliers = M.multipliers(P, Y)
  c.stable = monodromy.stable(c.multipliers)
  c.flags, c.t_flag = flags_of(Y)
  if P.kind == "model" then
    c.q, c.u = P:split(x)
    c.q, c.u = core.matrix(c.q), core.matrix(c.u)
    c.run, c.model, c.law, c.runs = Y[1].run, Y[1].model:at(c.q, c.u), Y[1].law, {}
    for i, y in ipairs(Y) do c.runs[i] = y.run end
  end
  return setmetatable(c, Cycle)
end

local function numbers(x)
  local out = {}
  for i = 1, #x do out[i] = ("%.8g"):format(x[i]) end
  return table.concat(out, ", ")
end

function Cycle:__tostring()
  local lines = { ("cycle of %s%s: %s"):format(self.model and self.model.name or "a map", self.law and " with law." .. self.law.name or "",
    monodromy.stability(self.stable)) }
  if self.q then
    lines[2] = "  q            " .. numbers(self.q)
    lines[3] = "  u            " .. numbers(self.u)
  else
    lines[2] = "  x            " .. numbers(self.x)
  end
  if self.map.kind == "model" then lines[#lines + 1] = ("  period       %.10g s"):format(self.period) end
  if self.returns > 1 then lines[#lines + 1] = ("  returns      %d"):format(self.returns) end
  local texts = {}
  for i, m in ipairs(self.multipliers) do texts[i] = monodromy.text(m) end
  lines[#lines + 1] = "  multipliers  " .. table.concat(texts, ", ")
  lines[#lines + 1] = ("  found in     %d iterations, mismatch %.1e"):format(self.iterations, self.residual)
  if self.sequence ~= "" then lines[#lines + 1] = "  events       " .. self.sequence end
  for _, line in ipairs(monodromy.notes(self.flags, self.t_flag)) do lines[#lines + 1] = line end
  return table.concat(lines, "\n")
end

--- cycle:plot([{x =, y =}]) -> figure
--- The orbit in a phase plane (x and y are columns of a run, q1 and u1 unless said), and the multipliers in the unit circle.
function Cycle:plot(options) return require "knock.draw.cycle".cycle(self, options) end

-- ---- k.cycle ----------------------------------------------------------------------------------------------------------

local check = options_of.define("k.cycle", {
  { "section", "string|function|table", "where states are compared: \"impact\" (after it), an event's name, or a function of t, q, u (or { function, direction = })" },
  { "guess", "table", "{ q =, u = } near the cycle, or a list for a map; by default the model as it stands" },
  { "map", "string|function", "new names after a return, function(q, u) -> q, u: legs that change their roles; \"step\" for rimless_wheel and compass" },
  { "period", "number|function", "of the forcing, which is then the section; or, with free, what the period shall be [s]" },
  { "free", "table", "names of parameters to be found with it: one, for a period that is given" },
  { "returns", "integer", "returns to the section in one cycle", default = 1, min = 1, max = 200 },
  { "events", "table", "events of the run, as k.simulate takes them" },
  { "force", "function", "extra force, as k.simulate takes it" },
  { "mu", "number", "friction in sustained contact, as k.simulate takes it", min = 0 },
  { "touch", "number", "gaps that close together, as k.simulate takes it", unit = "m", above = 0 },
  { "parameters", "table", "of a map: its second argument" },
  { "jacobian", "function", "of a map: its derivative, function(x, p) -> rows; by differences unless given" },
  { "t_max", "number", "longest time of one return", unit = "s", default = 100, above = 0 },
  { "rtol", "number", "relative tolerance of the integrator", default = 1e-10, above = 0 },
  { "tol", "number", "largest mismatch, of the largest number in the state", default = 1e-9, above = 0 },
  { "iterations", "integer", "of Newton's method", default = 40, min = 1 },
}, "cycle")

local function free_of(o)
  local free = o.free or {}
  if #free > 1 then host.fail(("cycle: free takes one parameter, for one period, got %d"):format(#free)) end
  if #free == 1 and type(o.period) ~= "number" then host.fail "cycle: free = {...} needs the period that is wanted, period = a number of s" end
  return free
end

-- the return map of a model and a law, or of a function
local function map_of(a, b, o)
  if type(a) == "function" then return return_map.of_function(a, o) end
  if getmetatable(a) ~= "model" then host.fail(("cycle: argument 1 must be a model or a function of (x, p), got %s"):format(host.got(a))) end
  if getmetatable(b) ~= "law" then host.fail(("cycle: argument 2 must be a law, got %s"):format(host.got(b))) end
  if type(o.period) == "number" and not (o.period > 0 and o.period < math.huge) then host.fail(("cycle: period must be a number of s above 0, got %g"):format(o.period)) end
  o.forced = o.period ~= nil and o.section == nil and not o.free
  if not o.forced and not o.section then o.section = "impact" end
  return return_map.of_model(a, b, o)
end

local function start_of(P, o)
  if P.kind == "function" then
    if type(o.guess) ~= "table" then host.fail "cycle: a map needs guess = {...}, a list of numbers" end
    return return_map.list(o.guess)
  end
  local g = o.guess or {}
  for _, name in ipairs { "q", "u" } do
    local want, got = #P.model[name], g[name]
    if got ~= nil and (type(got) ~= "table" and type(got) ~= "userdata" or #got ~= want and #got > 0) then
      host.fail(("cycle: guess.%s must be a list of %d numbers, got %s"):format(name, want, type(got) == "number" and host.got(got) or #got .. " of them"))
    end
  end
  return P:state(P.model:at(g.q, g.u))
end

-- the first states: the guess itself where it stands on the section, what it leads to otherwise
local function first_states(P, o, p)
  local x, X = start_of(P, o), {}
  if P.kind == "model" and not o.forced then
    local y, why = P:step(x, p)
    if not y then return nil, why end
    x = y.x
  end
  for i = 1, o.returns do
    X[i] = x
    local y, why = P:step(x, p)
    if not y then return nil, why end
    x = y.x
  end
  return X
end

local function parameter_values(P, names)
  local p = {}
  for _, name in ipairs(names) do
    local of, key = return_map.owner(name)
    local value
    if P.kind == "function" then value = P.parameters[name]
    else
      value = of ~= "law" and P.model:parameters()[key] or of ~= "model" and P.law:parameters()[key]
    end
    if type(value) ~= "number" then
      local known = {}
      for _, list in ipairs(P.kind == "function" and { P.parameters } or { P.model:parameters(), P.law:parameters() }) do
        for word, x in pairs(list) do if type(x) == "number" then known[word] = true end end
      end
      local near = host.nearest(name, known)
      host.fail(("cycle: there is no parameter '%s' that is a number%s"):format(name, near and (" (did you mean '%s'?)"):format(near) or ""))
    end
    p[name] = value
  end
  return p
end
M.parameter_values = parameter_values

--- k.cycle(model, law, {section =, guess =, map =, period =, free =, ...}) -> cycle
--- A periodic motion near the guess: .q .u on the section, .period, .multipliers (complex ones as {re, im}; contact that stays
--- makes exact zeros), .stable (nil: neutral, a multiplier of size 1 and none larger), .run. The section is "impact", an event's name, a function of t, q, u, or, with period = T
--- alone, the period of the forcing. `map` gives new names after a return ("step" for the walkers). returns = N finds
--- cycles of N returns by multiple shooting. free = {"slope"} with period = T finds the parameter too. A function of
--- (x, p) in place of model and law is a map by itself: k.cycle(f, {guess = {...}, parameters = {...}}).
---
---     local c = k.cycle(k.rimless_wheel{ inertia = 0.1 }, k.law.moreau{ mu = 9, e = 0 }, { map = "step" })
---     print(c.stable) --> true
function M.cycle(a, b, o)
  if type(a) == "function" and o == nil then b, o = nil, b end
  o = check(o)
  local P = map_of(a, b, o)
  local free = free_of(o)
  local p = parameter_values(P, free)
  local X, why = first_states(P, o, p)
  local found
  if X then found, why = M.newton(P, X, p, free, o) end
  if not found then host.fail("cycle: " .. tostring(why):gsub("^[^:]*:%d+: ", "")) end
  return M.make(P, found)
end

return setmetatable(M, { __call = function(_, ...) return M.cycle(...) end })
