-- k.continue: how a cycle changes with a parameter, around folds too, and where it bifurcates.
--
--   F(X, p) = 0,  t.(Z - Z_0) = h      Z = (X, p), t the tangent: pseudo-arclength
--
-- Along the branch these functions are watched, and where one changes its sign it is located:
--   fold              dp/ds                     period doubling   product of (1 + multiplier)
--   Neimark-Sacker    |complex multiplier| - 1   grazing           smallest gap of a contact that does not touch
-- A change of the sequence of contacts is located by halving. An impact that passes through the section of a forced machine
-- is located from its time there, and the branch goes on behind it (study/section.lua).

local core = require "knock.core"
local cycle = require "knock.cycle"
local host = require "knock.host"
local monodromy = require "knock.monodromy"
local options_of = require "knock.options"
local point_of = require "knock.study.point"
local return_map = require "knock.study.return_map"
local section = require "knock.study.section"

local M = {}

-- ---- events ----------------------------------------------------------------------------------------------------------

-- h between two points where a test function is zero (Illinois), the parameter to 1e-9 of its range
local function locate(b, from, to, h, name)
  local low, high, f_low, f_high, best = 0, h, from.tests[name], to.tests[name], to
  local last
  for _ = 1, 60 do
    local at = low + (high - low) * f_low / (f_low - f_high)
    if not (at > low and at < high) then at = (low + high) / 2 end
    local point = point_of.at(b, from, at)
    local f = point and point.tests[name]
    if not f or point.sequence ~= from.sequence then return best end
    if last and math.abs(point.value - last) * b.sp < 1e-11 then return point end
    best, last = point, point.value
    if f == 0 then return point end
    if (f > 0) == (f_low > 0) then low, f_low, f_high = at, f, f_high / 2 else high, f_high, f_low = at, f, f_low / 2 end
    if (high - low) < 1e-13 then return point end
  end
  return best
end

-- the last point on this side of a change of contacts, by halving
local function last_smooth(b, from, h)
  local low, high, best = 0, h, from
  for _ = 1, 48 do
    local at = (low + high) / 2
    local point = point_of.at(b, from, at)
    if point and point.sequence == from.sequence then
      if math.abs(point.value - best.value) * b.sp < 1e-10 and at > 0 and best ~= from then return point end
      low, best = at, point
    else
      high = at
    end
    if high - low < 1e-12 then break end
  end
  return best
end

local function record(b, kind, point)
  b.events[#b.events + 1] = { kind = kind, value = point.value, point = point, x = point.x, period = point.period,
    multipliers = point.multipliers, [b.name] = point.value }
end

local function look(b, from, to, h)
  if to.sequence ~= from.sequence then
    local count = function(s) return select(2, s:gsub("impact", "")) end
    record(b, count(to.sequence) ~= count(from.sequence) and "grazing" or "contact order", last_smooth(b, from, h))
    return
  end
  for _, name in ipairs { "fold", "period doubling", "Neimark-Sacker", "grazing" } do
    local f, g = from.tests[name], to.tests[name]
    if f and g and f * g < 0 then record(b, name, locate(b, from, to, h, name)) end
  end
end

-- A cycle that does not touch ends where it grazes: the gap goes to zero in a straight line.
local function ends_grazing(b)
  local n = #b.points
  local a, c = b.points[n - 1], b.points[n]
  local f, g = a and a.tests.grazing, c and c.tests.grazing
  if not f or not g or g <= 0 or g >= f then return end
  local value = c.value + (c.value - a.value) * g / (f - g)
  if math.abs(value - c.value) * b.sp > 1e-3 then return end
  record(b, "grazing", c)
  b.events[#b.events].value = value
  b.events[#b.events][b.name] = value
  b.why = "grazing"
end

-- ---- the branch ------------------------------------------------------------------------------------------------------

local Branch = { __name = "branch" }
Branch.__index = Branch

local function first_point(b, X, p, direction)
  local Y, why = cycle.shoot(b.P, X, p)
  if not Y then return nil, why end
  local n, start = #X * b.P:size(X[1]), {}
  for i = 1, n do start[i] = 0 end
  start[n + 1] = direction / b.sp
  local point = point_of.describe(b, X, Y, p[b.name])
  point.p = p
  point.tangent, why = point_of.tangent_at(b, X, Y, p, start)
  if not point.tangent then return nil, why end
  point.tests.fold = point.tangent[n + 1] * b.sp
  return point
end

-- lands on the end of the range itself
local function land(b, from, value)
  local found = cycle.newton(b.P, from.X, point_of.with(from.p, b.name, value), {}, b.cycle_options)
  if not found then return nil end
  local point = point_of.describe(b, found.X, found.Y, value)
  point.p, point.tests.fold = found.p, from.tests.fold
  return point
end

local function beyond(b, value) return (value - b.to) * b.direction > 0 or (value - b.from) * b.direction < -1e-9 / b.sp end

-- The branch cannot be followed any further as it is: an impact at the section? Then it goes on behind it.
local function pass_section(b)
  local value, point = section.cross(b, first_point)
  if not value then return false end
  record(b, "impact at the section", b.points[#b.points])
  b.events[#b.events].value, b.events[#b.events][b.name] = value, value
  b.why = "impact at the section"
  if not point or b.o.stop or beyond(b, point.value) then return false end
  point.iterations, point.jumps = 0, true
  b.points[#b.points + 1] = point
  b.why = nil
  return true
end

local function follow(b, point)
  local h, o = b.o.step, b.o
  b.points[1] = point
  while #b.points < o.points do
    local from = b.points[#b.points]
    local to, why = point_of.at(b, from, h)
    if not to then
      h = h / 2
      if h < o.least then
        b.why = why
        if not pass_section(b) then break end
        h = o.step
      end
    else
      if to.value ~= to.value then b.why = "not finite" break end
      local out = beyond(b, to.value)
      if out then
        local goal = (to.value - b.to) * b.direction > 0 and b.to or b.from
        local last = land(b, from, goal)
        if last and last.sequence == from.sequence then
          look(b, from, last, h)
          b.points[#b.points + 1] = last
        end
        b.why = "end of the range"
        break
      end
      look(b, from, to, h)
      b.points[#b.points + 1] = to
      if o.stop and #b.events > 0 then b.why = b.events[#b.events].kind break end
      if to.iterations <= 2 then h = math.min(1.5 * h, o.longest) elseif to.iterations >= 5 then h = h / 2 end
    end
  end
  b.why = b.why or "points"
  if o.grazing then ends_grazing(b) end
  return b
end

-- ---- branches as values ----------------------------------------------------------------------------------------------

function Branch:__len() return #self.points end

function Branch:__tostring()
  local first, last = self.points[1], self.points[#self.points]
  local lines = { ("branch of %d points over %s from %.8g to %.8g, %d return%s, ended by: %s"):format(#self.points, self.name, first.value,
    last.value, self.returns, self.returns == 1 and "" or "s", self.why) }
  for _, e in ipairs(self.events) do
    lines[#lines + 1] = ("  %-16s %s = %.10g, period %.8g"):format(e.kind, self.name, e.value, e.period)
  end
  return table.concat(lines, "\n")
end

--- branch:cycle(i) -> cycle
--- The cycle at point i of the branch (or at an event of branch.events).
function Branch:cycle(i)
  local point = type(i) == "table" and i.point or self.points[i]
  if not point then host.fail(("branch: there is no point %s of %d"):format(tostring(i), #self.points)) end
  return cycle.make(self.P, { X = point.X, Y = point.Y, p = point.p, iterations = point.iterations or 0,
    residual = cycle.largest(cycle.mismatch(self.P, point.X, point.Y)) / cycle.size(point.X) })
end

-- the unit of a parameter of the model or the law behind a return map
function M.unit_of(P, name)
  if P.kind ~= "model" then return "" end
  local of, key = return_map.owner(name)
  for _, p in ipairs(of ~= "law" and P.model:describe() or {}) do if p.key == key then return p.unit end end
  for _, p in ipairs(of ~= "model" and P.law:describe() or {}) do if p.key == key then return p.unit end end
  return ""
end

local stable_as = { stable = 1, unstable = 0, neutral = 0 / 0 }

--- branch:table() -> table
--- The points as a table: the parameter, period, stable (1 or 0; NaN where it is neutral), x1 ..., and the sizes of the multipliers, size1 the largest.
function Branch:table()
  require "knock.table"
  local t, points = core.records.new_table(), self.points
  local function add(name, unit, value)
    local column = {}
    for i, point in ipairs(points) do column[i] = value(point) end
    t:add(name, unit, column)
  end
  add(self.name, M.unit_of(self.P, self.name), function(point) return point.value end)
  add("period", self.P.kind == "model" and "s" or "", function(point) return point.period end)
  add("stable", "", function(point) return stable_as[monodromy.stability(point.stable)] end)
  for j = 1, #points[1].x do add("x" .. j, "", function(point) return point.x[j] end) end
  for j = 1, #points[1].multipliers do
    add("size" .. j, "", function(point) return point.multipliers[j] and monodromy.size(point.multipliers[j]) or 0 / 0 end)
  end
  return t
end

--- branch:plot([{y =, ...}]) -> figure
--- The branch over its parameter: stable solid, unstable dashed, neutral dotted, events marked. y is "period", a number j (of the state), or a
--- function of a point; more branches follow in a list.
function Branch:plot(options, ...) return require "knock.draw.cycle".branch(self, options, ...) end

-- the direction of the doubled cycle: that of the multiplier -1 of one period
local function doubled(b, point)
  local _, left, right, first = cycle.multipliers(b.P, point.Y)
  local N, n = #point.X, b.P:size(point.x)
  local A = left * right -- of the period that begins at `first`
  local rows = {}
  for i = 1, n do
    rows[i] = {}
    for j = 1, n do rows[i][j] = cycle.entry(A, i, j) + (i == j and 1 or 0) end
  end
  local _, _, V = core.matrix(rows):svd()
  local v = {}
  for i = 1, n do v[i] = cycle.entry(V, i, n) end
  local X, Y, d = {}, {}, {}
  local ways = { [first] = v }
  for s = 1, N - 1 do
    local y, last = point.Y[(first + s - 2) % N + 1], ways[(first + s - 2) % N + 1]
    local w = y.left * (y.right * core.matrix(last))
    local list = {}
    for i = 1, n do list[i] = w[i] end
    ways[(first + s - 1) % N + 1] = list
  end
  for s = 1, 2 * N do
    X[s], Y[s] = point.X[(s - 1) % N + 1], point.Y[(s - 1) % N + 1]
    local way, turn = ways[(s - 1) % N + 1], s > N and -1 or 1
    if (s - 1) % N + 1 < first then turn = -turn end
    for i = 1, n do d[#d + 1] = turn * way[i] end
  end
  return X, Y, d
end

--- branch:switch(event) -> branch
--- The branch of cycles with twice the period that begins at a period doubling (one of branch.events).
function Branch:switch(event, o)
  if type(event) == "number" then event = self.events[event] end
  if not event or event.kind ~= "period doubling" then host.fail "switch: takes an event 'period doubling' of branch.events" end
  local X, Y, d = doubled(self, event.point)
  local more = { step = self.o.step / 5, longest = self.o.longest / 2 } -- it leaves as a root does
  for key, value in pairs(o or {}) do more[key] = value end
  local b = M.new(self.P, self.name, self.from, self.to, setmetatable(more, { __index = self.o }), self.cycle_options)
  point_of.set_scale(b, X, math.abs(self.to - self.from))
  b.returns = #X
  d[#d + 1] = 0
  local size = point_of.norm(b, d)
  for i = 1, #d do d[i] = d[i] / size end
  local start = { leaves = true, X = X, Y = Y, p = event.point.p, value = event.value, tangent = d, tests = {} }
  local point, why
  for _, h in ipairs { 2e-3, 5e-3, 5e-4, 1e-2, 3e-2 } do
    point, why = point_of.at(b, start, h)
    if point and not M.same(point.X, #X / 2) then break end
    point = nil
  end
  if not point then host.fail("switch: the branch of twice the period was not found: " .. tostring(why or "the corrector falls back")) end
  point.tests.fold = point.tangent[#point.tangent] * b.sp
  return follow(b, point)
end

-- both halves of a doubled cycle are one: nothing was doubled
function M.same(X, half)
  local far = 0
  for i = 1, half do for j = 1, #X[i] do far = math.max(far, math.abs(X[i][j] - X[i + half][j])) end end
  return far < 1e-6 * cycle.size(X)
end

function M.new(P, name, from, to, o, cycle_options)
  return setmetatable({ P = P, name = name, from = from, to = to, direction = to >= from and 1 or -1, o = o, points = {}, events = {},
    cycle_options = cycle_options }, Branch)
end

local check = options_of.define("k.continue", {
  { "parameter", "string", "name of the parameter: of the model, the law (\"law.e\") or the map" },
  { "from", "number", "where the branch begins; by default where the cycle is" },
  { "to", "number", "where it ends" },
  { "points", "integer", "at most so many", default = 200, min = 2 },
  { "step", "number", "first step along the branch, of its range", default = 0.02, above = 0 },
  { "longest", "number", "longest step", default = 0.05, above = 0 },
  { "least", "number", "shortest step: the branch ends where it would be less", default = 1e-7, above = 0 },
  { "corrections", "integer", "of Newton's method at one point", default = 8, min = 2 },
  { "tol", "number", "largest mismatch, of the largest number in the state", default = 1e-9, above = 0 },
  { "grazing", "boolean", "watches the gaps of contacts that do not touch; by default for forced machines" },
  { "stop", "boolean", "ends at the first event" },
}, "continue")

--- k.continue(cycle, {parameter = "slope", from =, to =, ...}) -> branch
--- Follows a cycle over a parameter by pseudo-arclength, around folds too. branch.points has .value, .x, .period,
--- .multipliers, .stable; branch.events the folds, period doublings, Neimark-Sacker points, grazing, changes of the order of
--- contacts, and impacts that pass through the section of a forced machine, each located; branch:switch(event) follows the
--- doubled cycle; branch:plot() draws stable parts solid and unstable ones dashed.
---
---     local f = function(x, p) return { p.r * x[1] * (1 - x[1]) } end
---     local c = k.cycle(f, { guess = {0.6}, parameters = { r = 2.5 } })
---     local b = k.continue(c, { parameter = "r", to = 3.3 })
---     print(b.events[1].kind, ("%.8f"):format(b.events[1].value)) --> period doubling	3.00000000
function M.continue(c, o)
  if not return_map.is_cycle(c) then host.fail "continue: takes a cycle, as k.cycle gives it" end
  o = check(o)
  if not o.parameter or not o.to then host.fail "continue: needs parameter = a name and to = a number" end
  local P, name = c.map, o.parameter
  local p = point_of.with(c.p, name, c.p[name] or cycle.parameter_values(P, { name })[name])
  local here = p[name]
  local from = o.from or here
  if from == o.to then host.fail(("continue: from and to are both %g"):format(from)) end
  if o.grazing == nil then o.grazing = P.kind == "model" and P.o.forced end
  local b = M.new(P, name, from, o.to, o, { tol = o.tol, iterations = 20 })
  local X = c.X
  point_of.set_scale(b, X, math.abs(o.to - from))
  b.returns = #X
  if from ~= here then -- walk there first
    local steps = 8
    for i = 1, steps do
      p = point_of.with(p, name, here + (from - here) * i / steps)
      local found, why = cycle.newton(P, X, p, {}, b.cycle_options)
      if not found then host.fail(("continue: there is no cycle on the way to %s = %.8g: %s"):format(name, p[name], tostring(why))) end
      X = found.X
    end
  end
  local point, why = first_point(b, X, p, b.direction)
  if not point then host.fail("continue: " .. tostring(why)) end
  return follow(b, point)
end

return setmetatable(M, { __call = function(_, ...) return M.continue(...) end })
