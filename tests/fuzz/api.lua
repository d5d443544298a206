-- Calls everything that knock offers with garbage: knock api.lua SEED CALLS
--
-- Functions come from the module itself, methods from objects of every type, keys of tables from the catalogue.
-- Callbacks throw, yield, re-enter, change what is under way. A call may fail with a message; it may not crash, hang
-- (the caller has a clock) or fail without words. last.txt says which call it was.

local k = require "knock"
local core = require "knock.core"
local seed, calls = tonumber(arg[1] or 1), tonumber(arg[2] or 1000)
math.randomseed(seed)
local random = math.random
local function pick(list) return list[random(#list)] end

-- ---- what there is ------------------------------------------------------------------------------------

local functions, keys = {}, {}
local skip = { ["k.help"] = true, ["k.tutorial"] = true, ["k.manual"] = true, -- they print books
  ["k.records.sleep"] = true } -- and this one waits as long as it is told

local seen = {}
local function walk(name, t, depth)
  if seen[t] or depth > 3 then return end
  seen[t] = true
  for key, value in pairs(t) do
    local full = name .. "." .. tostring(key)
    if type(value) == "function" and not skip[full] then functions[#functions + 1] = { full, value }
    elseif type(value) == "table" then
      local meta = getmetatable(value)
      if type(meta) == "table" and meta.__call and not skip[full] then functions[#functions + 1] = { full, value } end
      walk(full, value, depth + 1)
    end
  end
end
for _, name in ipairs { "ball", "law", "solve", "impact", "simulate", "sweep", "compare" } do assert(k[name], name) end
walk("k", k, 1)
table.sort(functions, function(a, b) return a[1] < b[1] end)

local catalog = require "knock.doc".catalog()
for _, list in ipairs { catalog.models, catalog.laws } do
  for _, entry in ipairs(list) do for _, p in ipairs(entry.params) do keys[#keys + 1] = p.key end end
end
for _, key in ipairs { "mass", "e", "mu", "eta", "k", "q", "u", "n", "W", "v", "M", "A", "t_end", "rtol", "position", "velocity",
  "coordinates", "gap", "jacobian", "forces", "solve", "jobs", "file", "seed", "x", "y", "rows", "cols", "style", "by", "map", "status",
  "length", "contacts", "planes", "gravity", "plane", "bodies", "levels", "z", "label", "unit", "range", "log" } do keys[#keys + 1] = key end

-- ---- objects of every type ------------------------------------------------------------------------------

local ball = k.ball { velocity = { -1, 0, -5 }, spin = { 0, 2, 0 } }
local law = k.law.compliant { mu = 0.4, e = 0.5 }
local hit = k.impact(ball, law)
local particle = k.particle { position = { 0, 1 }, velocity = { 1, 0 } }
local run = k.simulate(particle, k.law.newton { e = 0.5 }, { t_end = 0.6 })
local sweep = k.sweep { a = { 1, 2 } }
local t = sweep:run(function(p) return { y = p.a } end, { jobs = 1 })
local figure = k.plot { y = { 1, 2 } }
local objects = { ball, law, hit, run, sweep, t, figure, figure[1], k.matrix { { 2, 1 }, { 1, 3 } }, k.double_pendulum {}, k.arm {}, particle,
  k.law.newton {}, hit.events, run.events, k.problem(ball, law), k.compare(ball, { k.law.newton {}, law }) }

local methods = {} -- names worth trying as methods and fields
for _, o in ipairs(objects) do
  local meta = debug.getmetatable(o)
  if type(meta) == "table" then
    for _, source in ipairs { meta, type(meta.__index) == "table" and meta.__index or {} } do
      for key, f in pairs(source) do if type(key) == "string" and type(f) == "function" and not key:find "^__" then methods[#methods + 1] = key end end
    end
  end
end
for _, list in pairs(catalog.functions) do for name in pairs(list) do methods[#methods + 1] = name end end
for _, name in ipairs { "with", "plot", "write", "at", "state", "describe", "parameters", "save", "solve", "inv", "eig", "t", "norm", "run", "impact",
  "column", "names", "select", "where", "sort", "velocity", "energy", "events", "line", "points", "text", "heat", "contour", "animate", "show" } do methods[#methods + 1] = name end
table.sort(methods)

-- ---- garbage ------------------------------------------------------------------------------------------------

local garbage
local function numbers() return pick { 0, -1, 1, 2, 3, 0.5, 1e-300, -0.0, 1 / 0, -1 / 0, 0 / 0, 1e9, 2 ^ 31, 2 ^ 53, math.mininteger, math.maxinteger, 7, 100, 1e-9 } end
local function strings() return pick { "", "x", "mass", "impulse", "energy", "a\0b", ("long"):rep(300), "%s%n", "../x", "g.svg", "g.csv", "\27[31m", "\xff\xfe", "1e5", "nan", "$v_n$", "e", "t" } end
local depth = 0
local function tables()
  local out = {}
  if depth > 2 then return out end
  depth = depth + 1
  for _ = 1, random(0, 4) do
    if random(3) == 1 then out[#out + 1] = garbage() else out[pick(keys)] = garbage() end
  end
  if random(12) == 1 then out.self, out[1] = out, out end
  if random(12) == 1 then setmetatable(out, { __index = function() error "index throws" end }) end
  if random(15) == 1 then setmetatable(out, { __tostring = function() error(setmetatable({}, { __tostring = function() error "again" end })) end }) end
  if random(15) == 1 then setmetatable(out, { __len = function() return pick { -1, 1000, 0.5, "x" } end }) end
  depth = depth - 1
  return out
end
local callbacks = {
  function() error "thrown" end,
  function() error(nil) end,
  function() error(setmetatable({}, { __tostring = function() error "tostring throws" end })) end,
  function() coroutine.yield(1) end,
  function(...) return ... end,
  function() return { { 1, 0 }, { 0, 1 } } end,
  function() return 0 / 0 end,
  function() return k.impact(ball, law).impulse end,
  function() collectgarbage() return { 1 } end,
  function(q) if type(q) == "table" then for i in pairs(q) do q[i] = nil end end return 1 end,
  function() pcall(function() ball.mass = -1 end) return { y = 1 } end,
  function() local function deep() return deep() + 1 end return deep() end,
  function() return ("x"):rep(1000) end,
}
function garbage()
  local what = random(12)
  if what <= 4 then return numbers() elseif what <= 6 then return strings() elseif what <= 9 then return tables()
  elseif what == 10 then return pick(callbacks) elseif what == 11 then return pick(objects) elseif random(2) == 1 then return nil else return random(2) == 1 end
end

-- ---- calling ------------------------------------------------------------------------------------------------

local last = assert(io.open("last.txt", "w"))
last:setvbuf "full"
local function note(n, name)
  last:seek "set"
  last:write(("seed %d call %d: %s%s\n"):format(seed, n, name, (" "):rep(60)))
  last:flush()
end

local function attempt(n, name, f, ...)
  note(n, name)
  local co = coroutine.create(function(...) return f(...) end)
  local ok, message = coroutine.resume(co, ...)
  if ok then
    if random(4) == 1 then pcall(tostring, message) end
    return 1
  end
  if type(message) == "string" and #message > 3 then return 0 end
  if type(message) == "string" then error(("call %d, %s: an error without words: %q"):format(n, name, message)) end
  return 0 -- an error object of the script's own
end

local good = 0
local silent = io.open("/dev/null", "w")
local before = io.output()
io.output(silent)
print = function() end
for n = 1, calls do
  local count = random(0, 3)
  local a, b, c = garbage(), garbage(), garbage()
  if count == 0 then a, b, c = nil, nil, nil elseif count == 1 then b, c = nil, nil elseif count == 2 then c = nil end
  if random(2) == 1 then
    local f = pick(functions)
    good = good + attempt(n, f[1], f[2], a, b, c)
  else
    local o, method = pick(objects), pick(methods)
    local meta = debug.getmetatable(o)
    good = good + attempt(n, ("%s:%s"):format(type(meta) == "table" and rawget(meta, "__name") or type(o), method), function(...)
      if random(3) == 1 then o[pick(keys)] = ... end
      return o[method](o, ...)
    end, a, b, c)
  end
end
io.output(before)
last:close()
io.stdout:write(("%d calls, %d of them good\n"):format(calls, good))
os.exit(true, true)
