-- Junk arguments: whatever a script hands over, the answer is a value or one clear error, never a crash.
local k = require "knock"

local ball, law = k.ball {}, k.law.stronge { e = 0.5, mu = 0.3 }
local hit = k.impact(k.double_pendulum {}, law)
local big = {}
for i = 1, 300 do big[i] = i end
local cycle = {}
cycle[1], cycle.mass, cycle.law = cycle, cycle, cycle

local junk = { nil, true, 0, -1, 0 / 0, math.huge, 1e308, 2 ^ 53, "", "x", ("y"):rep(500), {}, { 1 }, { 1, 2, 3 }, { { 1 } },
  { { 1, 2 }, { 3 } }, { 1, "x" }, big, cycle, print, function() error "boom" end, function() return nil end,
  function(q) return q end, coroutine.create(print), ball, law, hit, k.matrix { { 1, 2 }, { 3, 4 } }, k.matrix { 1, 2, 3 }, io.stdout }
local count = 31

local function pick() return junk[math.random(count)] end

local keys = { "mass", "radius", "velocity", "q", "u", "e", "mu", "law", "W", "v", "gap", "dim", "M", "A", "contacts", "touch",
  "status", "coordinates", "jacobian", "position", "forces", "potential", "parameters", "name", "solve", "units", "constraints", 1, 2 }

local function table_of_junk()
  local t = {}
  for _ = 1, math.random(0, 5) do
    local value = pick()
    if value ~= nil then t[keys[math.random(#keys)]] = value end
  end
  return t
end

-- every function that takes arguments and only computes
local functions = { ["k.impact"] = k.impact, ["k.model"] = k.model, ["k.law"] = k.law, ["k.solve"] = k.solve, ["k.problem"] = k.problem,
  ["k.solve.block"] = k.solve.block, ["k.solve.planar"] = k.solve.planar, ["ball:with"] = ball.with, ["ball:at"] = ball.at,
  ["law:with"] = law.with, ["hit:trace"] = hit.trace, ["hit:next"] = hit.next, ["ball:parameters"] = ball.parameters,
  ["law:describe"] = law.describe, ["k.compare"] = function(m, l) return k.compare(m, l, { quiet = true }) end }
for _, m in ipairs(k.catalog().models) do functions[m.name] = k[m.name] end
for _, l in ipairs(k.catalog().laws) do functions["law." .. l.name] = k.law[l.name] end
local names = {}
for name in pairs(functions) do names[#names + 1] = name end
table.sort(names)

local function attempt(name, ...)
  local ok, message = pcall(functions[name], ...)
  if ok then return end
  message = tostring(message)
  if message == "" or message:find "stack overflow" or message:find "attempt to %a+ a %a+ value %(upvalue" then
    error(name .. " fails with: " .. message, 0)
  end
end

test("junk gives a value or a clear error", function()
  math.randomseed(20240)
  for round = 1, 400 do
    for _, name in ipairs(names) do
      attempt(name, pick(), pick(), pick())
      attempt(name, table_of_junk(), pick())
      attempt(name, ball, law, table_of_junk())
      attempt(name, ball, table_of_junk())
      attempt(name, hit, pick())
    end
    if round % 50 == 0 then collectgarbage() end
  end
end)

test("fields of any name can be asked for", function()
  for _, object in ipairs { ball, law, hit } do
    for i = 1, count do
      if junk[i] ~= nil and junk[i] == junk[i] then pcall(function() return object[junk[i]] end) end
    end
    for _, name in ipairs { "__gc", "__index", "q", "u", "W", "page", "", "metatable" } do
      pcall(function() return object[name] end)
    end
  end
end)
