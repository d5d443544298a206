-- What C points into is kept as long as it points there, whatever scripts drop or change.
local k = require "knock"

-- names that no constant of this file keeps alive
local count = 0
local function new_name(stem)
  count = count + 1
  return stem .. "_" .. os.time() .. "_" .. count
end

-- what nobody holds is freed, and its memory used for something else
local function flood()
  for _ = 1, 3 do collectgarbage() end
  local junk = {}
  for i = 1, 20000 do junk[i] = ("z"):rep(i % 150) .. i end
  return #junk
end

local function solve(problem, p) return { impulse = { -(1 + p.e) * problem.v[1] / problem.W(1, 1) } } end
local point = k.particle { position = { 0 }, velocity = { -2 } }

test("a changed copy of a law in Lua keeps its definition", function()
  for _, change in ipairs { { e = 0.25 }, {} } do
    local law = k.law { name = "mine", parameters = { e = 0.5 }, solve = solve }:with(change)
    flood()
    equal(law.e, change.e or 0.5)
    near(k.impact(point, law).u[1], 2 * law.e, 1e-13)
    equal(law:with { e = 1 }:with {}.e, 1)
  end
end)

test("names and units of parameters of laws and models in Lua are their own", function()
  local stamp = os.time()
  -- another string each time, which nobody holds: Lua keeps one copy of short ones only
  local function word(stem) return (stem .. "_"):rep(30 // #stem + 10) .. stamp end
  local function make()
    local parameters, units = { e = 0.5, [word "stiffness"] = 1 }, { [word "stiffness"] = "N/" .. word "m" }
    local law = k.law { name = "mine", parameters = parameters, units = units, solve = solve }
    local model = k.model { coordinates = { "x" }, mass = 1, parameters = parameters, units = units, gap = function(q) return q[1] end }
    parameters[word "stiffness"], units[word "stiffness"] = nil, nil
    return law, model
  end
  local law, model = make()
  flood()
  for _, x in ipairs { law, model } do
    local unit
    for _, row in ipairs(x:describe()) do
      if row.key == word "stiffness" then unit = row.unit end
    end
    equal(unit, "N/" .. word "m")
    equal(x:with { [word "stiffness"] = 3 }[word "stiffness"], 3)
  end
end)

test("a long name of an event outlives the options", function()
  local name
  local function run()
    name = new_name(("quite_a_long_name_"):rep(4)) -- Lua keeps one copy of short strings only
    return k.simulate(point, k.law.newton {}, { t_end = 0.3, events = { [name:sub(1)] = function(t) return 0.2 - t end } })
  end
  local r = run()
  flood()
  local found
  for _, event in ipairs(r.events) do found = found or event.name end
  equal(found, name)
end)

test("a list that changes the table while it is added", function()
  local t, n = k.table { a = { 1, 2, 3 } }, 0
  local list = setmetatable({}, { __len = function() return 3 end, __index = function(_, i)
    for _ = 1, 20 do n = n + 1 t:add("x" .. n, "", { 1, 2, 3 }) end
    return 10 * i
  end })
  t:add("b", "m", list)
  near(t.b, { 10, 20, 30 }, 0)
  near(t["x" .. n], { 1, 2, 3 }, 0)
end)

test("a column that cannot be added leaves nothing behind", function()
  local t = k.table { a = { 1, 2 } }
  raises(function() t:add("b", "", { 1, "x" }) end, "mixes values of different kinds")
  equal(t:names(), { "a" })
  near(t:add("b", "", { 3, 4 }).b, { 3, 4 }, 0)
end)
