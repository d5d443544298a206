-- Columns say their units truly: with lengths, masses and times in other units of measure, each number of a column changes by
-- the factor of the unit that the column states. All models, laws of every kind, paths of hits, runs and tables of events.

local k = require "knock"

-- powers of two, so that rounding is the same; no two units of mechanics have the same factor
local L, M, T = 2 ^ 4, 2 ^ 13, 2 ^ -6
local factors = { m = L, kg = M, s = T, rad = 1, N = M * L / T ^ 2, J = M * L ^ 2 / T ^ 2, W = M * L ^ 2 / T ^ 3, ["1"] = 1 }

local function factor(unit)
  if unit == "N/m^n" then return M * L / T ^ 2 / L ^ 1.5 end -- Hertz, which lzb has by default
  local f, sign = 1, 1
  for word, slash in (unit .. " "):gmatch "([%w%^]*)([ /])" do
    local base, power = word:match "^(%w+)%^?(%d*)$"
    if base then f = f * (factors[base] or error("unit " .. unit)) ^ (sign * (tonumber(power) or 1)) end
    if slash == "/" then sign = -1 end
  end
  return f
end

-- a parameter's value in the other units; "m, rad" goes by its parts, the last one for all that follow
local function scaled(value, unit)
  if type(value) == "string" or type(value) == "boolean" or math.type(value) == "integer" or getmetatable(value) == "law" then return value end
  local parts = {}
  for part in (unit .. ","):gmatch "%s*([^,]*)," do parts[#parts + 1] = part end
  if type(value) == "number" then return value * factor(parts[1]) end
  local list = {}
  for i = 1, #value do list[i] = type(value[i]) == "number" and value[i] * factor(parts[math.min(i, #parts)]) or scaled(value[i], unit) end
  return list
end

local function changes(object)
  local list = {}
  for _, p in ipairs(object:describe()) do
    if p.value ~= nil and not p.key:find "%.[qu]$" then list[p.key] = scaled(p.value, p.unit or "") end
  end
  return list
end

local function state(m, of)
  local list = {}
  for _, g in ipairs(m.groups) do
    if g.of == of then for _ = 1, g.n do list[#list + 1] = m[of][#list + 1] * factor(g.unit) end end
  end
  return list
end

local function other(m)
  local list = changes(m)
  if m.name == "hopper" then list.q, list.u = state(m, "q"), state(m, "u") end
  return m:with(list)
end

local function flat(x, list)
  if type(x) == "number" then list[#list + 1] = x
  elseif type(x) == "userdata" or type(x) == "table" then for i = 1, #x do flat(x[i], list) end end
  return list
end

local count = 0

local function same(where, unit, a, b)
  local x, y, f = flat(a, {}), flat(b, {}), factor(unit)
  if #x ~= #y then error(("%s: %d and %d numbers"):format(where, #x, #y)) end
  local size = 0
  for i = 1, #x do if x[i] == x[i] then size = math.max(size, math.abs(x[i])) end end
  for i = 1, #x do
    count = count + 1
    if x[i] == x[i] and math.abs(x[i] * f - y[i]) > (1e-6 * size + 1e-9) * f then
      error(("%s [%s]: %.17g became %.17g, expected %.17g"):format(where, unit, x[i], y[i], x[i] * f))
    end
  end
end

local function same_path(where, a, b)
  equal(#a.names, #b.names)
  for _, name in ipairs(a.names) do same(where .. "." .. name, a.units[name], a[name], b[name]) end
end

local function same_table(where, a, b)
  equal(table.concat(a:names(), " "), table.concat(b:names(), " "))
  for _, name in ipairs(a:names()) do
    local mixed = a:unit(name) == "" and name:find "^impulse" -- of a stop of a hinge and of others
    if a:kind(name) == "number" and not mixed then same(where .. "." .. name, a:unit(name), a:column(name), b:column(name)) end
  end
end

local function try(m, law)
  local n, l = other(m), law:with(changes(law))
  local where = m.name .. " " .. law.name
  for key, unit in pairs { gap = "m", W = "1/kg", v = "m/s", drift = "m/s^2", power = "W" } do
    if m.name ~= "hopper" then same(where .. " " .. key, unit, m[key], n[key]) end -- its hinge has stops
  end
  for _, key in ipairs { "kinetic", "potential", "total" } do same(where .. " energy." .. key, "J", m.energy[key], n.energy[key]) end
  local ok, hit = pcall(k.impact, m, law)
  if ok and hit.status == "ok" then
    local h = k.impact(n, l)
    same_path(where .. " path", hit.path, h.path)
    same_path(where .. " course", hit:course(), h:course())
    for _, key in ipairs { "before", "after", "lost", "restitution", "friction", "stored" } do same(where .. " " .. key, "J", hit.energy[key], h.energy[key]) end
  end
  local run = k.simulate(m, law, { t_end = 0.4, samples = 7 })
  local r = k.simulate(n, l, { t_end = 0.4 * T, samples = 7 })
  equal(r.status, run.status)
  equal(#r.events, #run.events)
  same_table(where .. " run", run:table(), r:table())
  same_table(where .. " events", run.events:table(), r.events:table())
end

local hopper = k.mechanism { name = "hopper", plane = true, obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } },
  bodies = { { name = "hip", joint = "free", mass = 10, inertia = 0.5 },
    { name = "leg", parent = "hip", joint = "hinge", at = { 0, 0 }, mass = 1, com = { 0, -0.4 }, inertia = 0.05, points = { foot = { 0, -0.8 } },
      stiffness = 20, rest = 0.2, damping = 0.3, torque = 0.1, armature = 0.02, lower = -0.4, upper = 0.35 },
    { name = "piston", parent = "leg", joint = "slide", axis = { 0, 1 }, mass = 0.5, com = { 0, -0.1 }, inertia = 0.01, lower = -0.02, upper = 0.05,
      stiffness = 50, damping = 1, torque = 0.3 } },
  q = { hip = { 0, 0.8, 0 }, leg = 0.3 }, u = { hip = { 0.5, 0, 0.1 }, leg = 3, piston = 2 } }

local models = { k.particle { position = { 0, 0.5 }, velocity = { 1, -2 } }, k.ball { position = { 0, 0, 1.5 }, velocity = { 1, 0.5, -2 }, spin = { 1, 2, 0.5 } },
  k.ball { velocity = { 1, 0.5, -2 }, spin = { 1, 2, 0.5 } }, k.pencil {}, k.pair { velocity1 = { 0.3, 0.1, -1 }, spin1 = { 0, 1, 0 } },
  k.rod { velocity = { 0.5, -1 }, spin = 0.3 }, k.double_pendulum {}, k.arm { q = { -1, 0.5, 0.2 }, u = { -1, 0, 0.5 }, stiffness = 3, damping = 0.5, torque = 0.2 },
  k.crutch_walker {}, k.bar {}, k.chain { velocity = { -1, 0, 0 }, wall = "left", gaps = 0.01 }, k.rimless_wheel {}, k.compass {}, hopper }
local laws = { k.law.newton { e = 0.6 }, k.law.compliant { e = 0.6, mu = 0.3 }, k.law.moreau { e = 0.6, mu = 0.3 }, k.law.lzb { e = 0.6, mu = 0.3 } }

for _, m in ipairs(models) do
  test("every column of " .. m.name .. " goes by its unit", function() for _, law in ipairs(laws) do try(m, law) end end)
end

test("stops of hinges give N m s, those of slides N s, in sweeps too", function()
  local stop = hopper:at({ 0, 1, 0, 0.35, 0.05 }, { 0, 0, 0, 3, 2 })
  local t = k.sweep { e = { 0, 1 } }:impact(stop, k.law.newton {}, { "impulse[4]", "impulse[6]", "contact_velocity[4]", "contact_velocity[6]", "u[4]", "u", "duration" })
  local units = {}
  for _, name in ipairs(t:names()) do units[name] = t:unit(name) end
  equal(units.impulse4, "N m s")
  equal(units.impulse6, "N s")
  equal(units.contact_velocity4, "rad/s")
  equal(units.contact_velocity6, "m/s")
  equal(units.u4, "rad/s")
  equal(units.u, "") -- it has both
  equal(units.duration, "s")
  equal(count > 50000, true)
end)

test("events of a hinge's stop print with N m s and rad/s, and with both where others are hit too", function()
  local function leg(points)
    return k.mechanism { plane = true, bodies = { { name = "leg", joint = "hinge", at = { 0, 1 }, mass = 1, com = { 0, -0.5 }, inertia = 0.1, upper = 0 },
      points and { name = "ball", joint = "free", mass = 1, inertia = 1, points = points } }, obstacles = points and { floor = { point = { 0, 0 }, normal = { 0, 1 } } },
      u = points and { leg = 2, ball = { 0, -1, 0 } } or { leg = 2 } }
  end
  local law = k.law.newton { e = 0.5 }
  local alone, both = k.impact(leg(), k.law.compliant { e = 0.5 }), k.simulate(leg { p = { 0, 0 } }, law, { t_end = 0.01 })
  assert(tostring(alone.events):find("1.05 N m s      (1) rad/s", 1, true), tostring(alone.events))
  assert(tostring(alone.events[1]):find("{0.7} N m s", 1, true), tostring(alone.events[1]))
  local run = k.simulate(leg(), law, { t_end = 0.01 })
  assert(tostring(run.events):find("(1.05) N m s", 1, true), tostring(run.events))
  assert(tostring(run.events[1]):find("{1.05} N m s", 1, true), tostring(run.events[1]))
  assert(tostring(both.events):find("(0, 1.5, 1.05) N s, N m s", 1, true), tostring(both.events))
  local ball = k.impact(k.ball { velocity = { 0, 0, -1 } }, law)
  assert(tostring(ball.events):find("1.5 N s         (0, 0, 0.5) m/s", 1, true), tostring(ball.events))
end)
