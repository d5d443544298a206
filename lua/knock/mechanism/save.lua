-- m:save "robot.lua": the declaration of a mechanism, with the numbers it has now, as a script that gives it back.

local core = require "knock.core"
local host = require "knock.host"

-- the shortest digits that read back as the same number
local function number(x)
  if math.type(x) == "integer" then return tostring(x) end
  if x == math.huge then return "math.huge" elseif x == -math.huge then return "-math.huge" end
  for digits = 6, 17 do
    local text = ("%." .. digits .. "g"):format(x)
    if tonumber(text) == x then return text end
  end
end

local function value(x)
  if type(x) == "number" then return number(x) end
  local list = {}
  for i = 1, #x do list[i] = number(x[i]) end
  return "{" .. table.concat(list, ", ") .. "}"
end

local function all_zero(x)
  if type(x) == "number" then return x == 0 end
  for i = 1, #x do if x[i] ~= 0 then return false end end
  return true
end

local function key(name) return name:find "^[%a_][%w_]*$" and name or ("[%q]"):format(name) end

local no_turn = function(x) return type(x) ~= "number" and x[1] == 1 and all_zero { x[2], x[3], x[4] } end

-- "mass = 1, com = {0, 0}" of the numbers that are not zero
local function numbers(m, owner, keys)
  local list = {}
  for _, word in ipairs(keys) do
    local ok, x = pcall(function() return m[owner .. "." .. word] end)
    if ok and x ~= nil and not all_zero(x) and not (word == "turn" and no_turn(x)) then list[#list + 1] = word .. " = " .. value(x) end
  end
  return list
end

local fields = { sphere = { "at", "radius" }, capsule = { "from", "to", "radius" }, box = { "at", "turn", "size" }, plane = { "point", "normal" } }
local plural = { point = "points", sphere = "spheres", capsule = "capsules", box = "boxes", plane = "planes" }

local function shape(m, part)
  local short = part.name:match "[^.]+$"
  if part.shape == "point" then return ("%s = %s"):format(key(short), value(m[part.name])) end
  local list = {}
  for _, word in ipairs(fields[part.shape]) do list[#list + 1] = word .. " = " .. value(m[part.name .. "." .. word]) end
  return ("%s = { %s }"):format(key(short), table.concat(list, ", "))
end

local function shapes(m, spec, body)
  local by, out = {}, {}
  for _, part in ipairs(spec.parts) do
    if part.body == body then
      by[part.shape] = by[part.shape] or {}
      table.insert(by[part.shape], shape(m, part))
    end
  end
  for _, kind in ipairs { "point", "sphere", "capsule", "box", "plane" } do
    if by[kind] then out[#out + 1] = ("      %s = { %s }"):format(plural[kind], table.concat(by[kind], ", ")) end
  end
  return out
end

local body_keys = { "mass", "com", "inertia", "at", "turn", "axis", "armature", "stiffness", "rest", "damping", "torque" }

local function body_text(m, spec, i)
  local b = spec.bodies[i]
  local head = { ("name = %q"):format(b.name), ("joint = %q"):format(b.joint) }
  if b.parent > 0 then table.insert(head, 2, ("parent = %q"):format(spec.bodies[b.parent].name)) end
  for _, text in ipairs(numbers(m, b.name, body_keys)) do head[#head + 1] = text end
  if b.stops % 2 == 1 then head[#head + 1] = "lower = " .. value(m[b.name .. ".lower"]) end
  if b.stops >= 2 then head[#head + 1] = "upper = " .. value(m[b.name .. ".upper"]) end
  local lines = { "    { " .. table.concat(head, ", ") }
  for _, text in ipairs(shapes(m, spec, i)) do lines[#lines] = lines[#lines] .. "," lines[#lines + 1] = text end
  lines[#lines] = lines[#lines] .. " },"
  if b.torque then lines[#lines + 1] = ("    -- the torque of '%s' is a function of a script: not written here"):format(b.name) end
  return table.concat(lines, "\n")
end

local function obstacles(m, spec)
  local list = {}
  for _, part in ipairs(spec.parts) do
    if part.body == 0 then list[#list + 1] = "    " .. (part.shape == "point" and ("%s = { at = %s }"):format(key(part.name), value(m[part.name])) or shape(m, part)) .. "," end
  end
  return list
end

local function pairs_text(spec, list, more)
  local out = {}
  for i, l in ipairs(list) do
    out[i] = ("    { %q, %q%s },"):format(spec.parts[l.a].name, spec.parts[l.b].name, more and more(l) or "")
  end
  return out
end

local function state(m, spec, of)
  local list = {}
  for _, b in ipairs(spec.bodies) do
    if b.joint ~= "fixed" then list[#list + 1] = ("%s = %s"):format(key(b.name), value(m[of][b.name])) end
  end
  return table.concat(list, ", ")
end

local function block(lines, name, list)
  lines[#lines + 1] = ("  %s = {"):format(name)
  for _, text in ipairs(list) do lines[#lines + 1] = text end
  lines[#lines + 1] = "  },"
end

local function declaration(m, info)
  local spec, lines = info.spec, { ("-- %s, written by knock %s"):format(info.spec.name, host.version), 'local k = require "knock"', "", "return k.mechanism {" }
  lines[#lines + 1] = ("  name = %q, plane = %s, gravity = %s,%s"):format(spec.name, tostring(spec.plane), value(m.gravity), spec.lenient and " check = false," or "")
  if not spec.plane then lines[#lines + 1] = ("  view = %s,"):format(value(m.view)) end
  local bodies = {}
  for i in ipairs(spec.bodies) do bodies[i] = body_text(m, spec, i) end
  block(lines, "bodies", bodies)
  block(lines, "obstacles", obstacles(m, spec))
  block(lines, "contacts", pairs_text(spec, spec.contacts))
  block(lines, "springs", pairs_text(spec, spec.springs, function(l)
    local list = numbers(m, l.name, { "stiffness", "damping", "rest" })
    return (", name = %q%s%s"):format(l.name, #list > 0 and ", " or "", table.concat(list, ", "))
  end))
  block(lines, "loops", pairs_text(spec, spec.loops))
  lines[#lines + 1] = ("  q = { %s },"):format(state(m, spec, "q"))
  lines[#lines + 1] = ("  u = { %s },"):format(state(m, spec, "u"))
  lines[#lines + 1] = "}"
  return table.concat(lines, "\n") .. "\n"
end

--- m:save(file) -> file
--- Writes the declaration of a mechanism, with the numbers and the state it has, as a Lua script that gives it back:
--- `local m = dofile "robot.lua"`. Torques that are functions are not written; the file says so.
local function save(m, file)
  local info = getmetatable(m) == "model" and core.mechanisms.info(m)
  if not info then host.fail(("save: writes mechanisms, got %s"):format(getmetatable(m) == "model" and "k." .. m.name or "a " .. type(m))) end
  if type(file) ~= "string" then host.fail(("save: file must be a name, got %s"):format(host.got(file))) end
  require "knock.gnuplot".publish(file, declaration(m, info)) -- whole, or the file of before stays
  return file
end

core.types.model.save = save
