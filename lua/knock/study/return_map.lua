-- Return maps: from a state on a section to the next one, with the derivative. What k.cycle, k.continue, k.lyapunov,
-- k.basin and k.bifurcation work on, whether it comes from a mechanism with impacts or from a function of the script.
--
--   P = return_map.of_model(model, law, o)     P = return_map.of_function(f, o)
--   y = P:step(x, p)            { x = next state, period =, run =, sequence = }; nil and a reason when there is none
--   P:derive(y)                 fills in y.left, y.right (derivative = left * right) and y.dt
--   P:project(x, p, y.stance)   a state near y.from back onto what that stands on
--
-- x is a plain list; p a table of parameters that differ from those of the model, the law or the function.

local core = require "knock.core"
local host = require "knock.host"
local map_of = require "knock.study.steps"

local M = { Cycle = { __name = "cycle" } } -- the metatable of what k.cycle gives

--- Is it what k.cycle gives?
function M.is_cycle(x) return type(x) == "table" and getmetatable(x) == M.Cycle end

local function list_of(x) return { table.unpack(x, 1, #x) } end
M.list = list_of

-- ---- parameters ----------------------------------------------------------------------------------------------------

--- "law", "e" of "law.e"; nil, "leg.mass" of the name of a mechanism's parameter.
function M.owner(name)
  local of, key = name:match "^(%a+)%.(.*)$"
  if of == "model" or of == "law" then return of, key end
  return nil, name
end

-- which of model and law has a parameter: "slope", "model.slope", "law.e"
local function split(model, law, p, who)
  local of_model, of_law = {}, {}
  for name, value in pairs(p or {}) do
    local of, key = M.owner(name)
    local has = function(thing) return thing:parameters()[key] ~= nil end
    if of ~= "law" and has(model) then of_model[key] = value
    elseif of ~= "model" and has(law) then of_law[key] = value
    else host.fail(("%s: neither %s nor %s has a parameter '%s'"):format(who, model.name, law.name, name)) end
  end
  return of_model, of_law
end

local function changed(thing, with)
  return next(with) and thing:with(with) or thing
end

-- ---- models ----------------------------------------------------------------------------------------------------------

local Model = {}
Model.__index = Model

local function section_events(o)
  local events = {}
  for name, e in pairs(o.events or {}) do events[name] = e end
  local s = o.section
  if s == "impact" or o.forced then return events end
  local e = s
  if type(s) == "string" then
    e = events[s]
    if not e then
      local near = host.nearest(s, events)
      host.fail(("cycle: section '%s' is not 'impact' nor one of the events%s"):format(s, near and (" (did you mean '%s'?)"):format(near) or ""))
    end
  end
  local full = type(e) == "table" and { table.unpack(e) } or { e }
  for key, value in pairs(type(e) == "table" and e or {}) do full[key] = value end
  full.stop = true
  events[type(s) == "string" and s or "section"] = full
  return events
end

function M.of_model(model, law, o)
  map_of(model, o.map) -- a mistake shows now
  return setmetatable({ model = model, law = law, o = o, nq = #model.q, nu = #model.u, kind = "model" }, Model)
end

-- Where q' is not u (rotations) a state has more numbers than directions: changes are (xi, du) with dq = G(q) xi, q' = G u.

--- How many directions a state has.
function Model:size() return 2 * self.nu end

-- G(q) as rows
local function basis_of(self, q)
  local rows, zero = {}, {}
  for i = 1, self.nu do zero[i] = 0 end
  for i = 1, self.nq do rows[i] = {} end
  for j = 1, self.nu do
    zero[j] = 1
    local column = self.model:at(q, zero).qdot
    for i = 1, self.nq do rows[i][j] = column[i] end
    zero[j] = 0
  end
  return core.matrix(rows)
end

--- The state k d away from x; rotations stay rotations.
function Model:move(x, d, k)
  local out, nq, nu = {}, self.nq, self.nu
  if nq == nu then
    for j = 1, 2 * nu do out[j] = x[j] + k * d[j] end
    return out
  end
  local q, u = self:split(x)
  local dq = self.model:at(q, { table.unpack(d, 1, nu) }).qdot
  for i = 1, nq do q[i] = q[i] + k * dq[i] end
  for i = 1, nu do u[i] = u[i] + k * d[nu + i] end
  q, u = core.project_state(self.model, q, u, {}, {}) -- of unit length
  return self:state { q = q, u = u }
end

--- The way from x to y, to first order. A quaternion and its negative are one rotation: y may have come around as -y, whose
--- columns of G point the other way.
function Model:difference(y, x)
  local out, nq, nu = {}, self.nq, self.nu
  if nq == nu then
    for j = 1, 2 * nu do out[j] = y[j] - x[j] end
    return out
  end
  local dq, G, around = {}, basis_of(self, { table.unpack(x, 1, nq) }), basis_of(self, { table.unpack(y, 1, nq) })
  for i = 1, nq do dq[i] = y[i] - x[i] end
  local xi, together = (G:t() * G):solve(G:t() * core.matrix(dq)), G:t() * around
  for i = 1, nu do out[i], out[nu + i] = together[i][i] < 0 and -xi[i] or xi[i], y[nq + i] - x[nq + i] end
  return out
end

--- The same map with another tolerance and patience, where accuracy is not the point.
function Model:loose(o)
  local copy, options = setmetatable({}, Model), {}
  for key, value in pairs(self) do copy[key] = value end
  for key, value in pairs(self.o) do options[key] = value end
  options.rtol, options.t_max, options.quick = o.rtol or options.rtol, o.t_max or options.t_max, true
  copy.o = options
  return copy
end

function Model:at(p)
  local of_model, of_law = split(self.model, self.law, p, "cycle")
  return changed(self.model, of_model), changed(self.law, of_law)
end

function Model:state(model)
  local x = list_of(model.q)
  for i = 1, #model.u do x[#x + 1] = model.u[i] end
  return x
end

function Model:split(x)
  local nq = self.nq
  return { table.unpack(x, 1, nq) }, { table.unpack(x, nq + 1, nq + self.nu) }
end

local function period_of(o, p)
  return type(o.period) == "function" and o.period(p or {}) or o.period
end

-- What is asked for seldom is made when it is: y.sequence, what happens in the run in words, and y.stance, which contacts
-- it stands on at its start (those that stay, and the places of those that touch).
local lazy = {}
local Return = { __index = function(y, name)
  local make = lazy[name]
  if not make then return nil end
  y[name] = make(y)
  return rawget(y, name)
end }

-- what happens in a run, in words: two points of a branch with other words are not on one smooth piece of it
function lazy.sequence(y)
  local words = {}
  for _, e in ipairs(y.run.events) do
    if e.kind ~= "stop" and e.kind ~= "user" then
      words[#words + 1] = e.kind .. (e.contacts and table.concat(e.contacts, "+") or e.contact or "")
    end
  end
  return table.concat(words, " ")
end

function lazy.stance(y)
  local ids, modes = core.stance(y.run)
  return { ids = ids, modes = modes }
end

function Model:step(x, p)
  local o, q, u = self.o, self:split(x)
  local model, law = self:at(p)
  local forced = o.forced and period_of(o, p)
  local options = { t_end = forced or o.t_max, rtol = o.rtol, samples = 0, force = o.force, mu = o.mu, touch = o.touch,
    max_events = o.section == "impact" and not forced and 1 or nil, events = section_events(o), keep = not o.quick }
  if not next(options.events) then options.events = nil end
  local ok, run = pcall(core.simulate, model:at(q, u), law, options)
  if not ok then return nil, tostring(run) end
  local why = run.events[#run.events].why
  if why == "interrupted" then host.fail "interrupted" end
  local reached = forced and why == "t_end" or not forced and (why == "max_events" or why == "user")
  if not reached then
    return nil, run.message or ("the section was not reached within t_max = %g s"):format(o.t_max)
  end
  local last = run.events[#run.events]
  if not (last.t > 0) then return nil, "the state hits at once" end
  local y = setmetatable({ run = run, period = last.t, p = p, model = model, law = law, from = x }, Return)
  y.q, y.u = list_of(last.q), list_of(last.u)
  local map = map_of(model, o.map)
  local mq, mu = y.q, y.u
  if map then mq, mu = map(y.q, y.u) end
  y.x = list_of(mq)
  for i = 1, #mu do y.x[#y.x + 1] = mu[i] end
  return y
end

-- the function of a section that is no impact, or nil
local function section_function(o)
  local e = o.section
  if o.forced or e == "impact" then return nil end
  if type(e) == "string" then e = o.events[e] end
  return type(e) == "table" and e[1] or e
end

-- back onto g(q, u) = 0: a state that is a little before it would be there at once
local function onto_section(self, g, x)
  local value = function(z) return { g(0, self:split(z)) } end
  for _ = 1, 3 do
    local miss = value(x)[1]
    if type(miss) ~= "number" or miss == 0 then return x end
    local row, square, z = M.jacobian(value, x)[1], 0, {}
    for i = 1, #x do square = square + row[i] ^ 2 end
    for i = 1, #x do z[i] = x[i] - (square > 0 and miss * row[i] / square or 0) end
    x = z
  end
  return x
end

-- contacts that a state must lie on: a section at impacts lies on those that touch and leave too, a time of the forcing
-- only on those that stay
local function stands_on(s, forced)
  local ids, modes = {}, {}
  for i, id in ipairs(s and s.ids or {}) do
    if not forced or s.modes[i] ~= "open" then ids[#ids + 1], modes[#modes + 1] = id, s.modes[i] end
  end
  return ids, modes
end

function Model:project(x, p, s)
  local g = section_function(self.o)
  if g then x = onto_section(self, g, x) end
  local ids, modes = stands_on(s, self.o.forced)
  local q, u = self:split(x)
  local ok, nq, nu = pcall(core.project_state, (self:at(p)), q, u, ids, modes)
  if not ok then return x end
  local out = list_of(nq)
  for i = 1, #nu do out[#out + 1] = nu[i] end
  return g and onto_section(self, g, out) or out
end

-- derivative of the map of names at (q, u), four points; linear ones are exact
local function derive_map(self, map, q, u)
  local function list(a, b)
    local out = list_of(a)
    for i = 1, #b do out[#out + 1] = b[i] end
    return out
  end
  local x, zero, sizes = list(q, u), {}, {}
  local to = list(map(q, u))
  for i = 1, self:size() do zero[i], sizes[i] = 0, self.nq == self.nu and math.max(math.abs(x[i]), 0.1) or 0.1 end
  return M.jacobian(function(d) return self:difference(list(map(self:split(self:move(x, d, 1)))), to) end, zero, sizes)
end

--- Jacobian of a plain function of a list, by four points each way.
function M.jacobian(f, x, sizes)
  local columns, rows = {}, {}
  for j = 1, #x do
    local h = 1e-3 * (sizes and sizes[j] or math.max(math.abs(x[j]), 0.1))
    local at = function(s)
      local z = { table.unpack(x) }
      z[j] = x[j] + s * h
      return f(z)
    end
    local a, b, c, d = at(-2), at(-1), at(1), at(2)
    columns[j] = {}
    for i = 1, #a do columns[j][i] = (a[i] - 8 * b[i] + 8 * c[i] - d[i]) / (12 * h) end
  end
  for i = 1, #columns[1] do
    rows[i] = {}
    for j = 1, #x do rows[i][j] = columns[j][i] end
  end
  return core.matrix(rows)
end

--- left * right with no more columns between than left has directions: what new names forget (where a walker is) is an exact
--- zero of the spectrum.
function M.narrow(left, right)
  local U, S = left:svd()
  local n, rank = left.rows, 0
  for i = 1, #S do if S[i] > 1e-10 * S[1] then rank = i end end
  if rank == #S or rank < 1 then return left, right, #S end
  local rows = {}
  for i = 1, n do
    rows[i] = {}
    for j = 1, rank do rows[i][j] = type(U[i]) == "number" and U[i] or U[i][j] end
  end
  local basis = core.matrix(rows)
  return basis, basis:t() * (left * right), rank
end

--- The map that a cycle, or a function of (x, p), stands for; where it starts (o.guess, `option` in scripts); its parameters.
function M.from(what, o, who, option)
  if M.is_cycle(what) then
    local p = {}
    for key, value in pairs(what.p or {}) do p[key] = value end
    return what.map, what.x, p, what.Y[1].stance
  elseif type(what) == "function" then
    if not o.guess then host.fail(("%s: a map needs %s = {...}, a list of numbers"):format(who, option or "guess")) end
    local start = list_of(o.guess)
    if #start == 0 then host.fail(("%s: %s must be a list of numbers, got an empty list"):format(who, option or "guess")) end
    return M.of_function(what, { parameters = o.parameters }), start, {}
  end
  host.fail(("%s: takes a cycle, as k.cycle gives it, or a function of (x, p)"):format(who))
end

function Model:derive(y)
  if y.left then return y end
  local v = core.vary_run(y.run, { section = not self.o.forced, on_touching = not self.o.forced, fine = true })
  local map = map_of(y.model, self.o.map)
  y.left, y.right, y.rank = v.left, v.right, v.rank
  if map then y.left, y.right, y.rank = M.narrow(derive_map(self, map, y.q, y.u) * v.left, v.right) end
  y.dt, y.flags, y.t_flag = v.dt, v.flags, v.t_flag
  return y
end

-- ---- functions -----------------------------------------------------------------------------------------------------

local Function = {}
Function.__index = Function

function M.of_function(f, o)
  return setmetatable({ f = f, o = o, kind = "function", parameters = o.parameters or {} }, Function)
end

function Function:full(p)
  local all = {}
  for name, value in pairs(self.parameters) do all[name] = value end
  for name, value in pairs(p or {}) do all[name] = value end
  return all
end

local function finite(x)
  for i = 1, #x do if x[i] ~= x[i] or math.abs(x[i]) == math.huge then return false end end
  return true
end

function Function:step(x, p)
  local ok, next, period = pcall(self.f, list_of(x), self:full(p))
  if not ok then return nil, tostring(next) end
  if type(next) == "number" then next = { next } end
  if (type(next) ~= "table" and type(next) ~= "userdata") or #next ~= #x then
    host.fail(("cycle: the map must give a list of %d numbers, as it got"):format(#x))
  end
  if not finite(next) then return nil, "the map gives a number that is not finite" end
  return { x = list_of(next), period = period or 1, sequence = "", p = p, from = x }
end

function Function:project(x) return x end
function Function:size(x) return #x end

function Function:move(x, d, k)
  local out = {}
  for j = 1, #x do out[j] = x[j] + k * d[j] end
  return out
end

function Function:difference(y, x)
  local out = {}
  for j = 1, #x do out[j] = y[j] - x[j] end
  return out
end

function Function:loose() return self end

function Function:derive(y)
  if y.left then return y end
  local all = self:full(y.p)
  if self.o.jacobian then
    y.left = core.matrix(self.o.jacobian(list_of(y.from), all))
  else
    y.left = M.jacobian(function(z)
      local out = self.f(z, all)
      return type(out) == "number" and { out } or out
    end, list_of(y.from))
  end
  local n = #y.from
  local rows, zero = {}, {}
  for i = 1, n do
    rows[i], zero[i] = {}, 0
    for j = 1, n do rows[i][j] = i == j and 1 or 0 end
  end
  y.right, y.dt, y.rank, y.flags = core.matrix(rows), core.matrix { zero }, n, {}
  return y
end

return M
