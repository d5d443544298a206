-- The steps that walkers of the library bring with them: legs change their names, the foot that stands is the origin.

local host = require "knock.host"

local steps = {}

function steps.rimless_wheel(model)
  local two_alpha, l = 2 * math.pi / model.spokes, model.length
  return function(q, u)
    local phi = q[3] - two_alpha
    return { l * math.sin(phi), q[2], phi }, u
  end
end

function steps.compass(model)
  local l = model.a + model.b
  return function(q, u)
    return { l * math.sin(q[4]), l * math.cos(q[4]), q[4], q[3] }, { u[1], u[2], u[4], u[3] }
  end
end

local function is_list(x, n) return (type(x) == "table" or getmetatable(x) == "matrix") and #x == n end

-- the user's map, which must give coordinates and speeds again
local function checked(map)
  return function(q, u)
    local q2, u2 = map(q, u)
    if is_list(q2, #q) and is_list(u2, #u) then return q2, u2 end
    host.fail(("cycle: map must return q and u, lists of %d and %d numbers, got %s and %s"):format(#q, #u, host.got(q2), host.got(u2)))
  end
end

-- what `map` of k.cycle says for this model: a function of q, u, or nil
return function(model, map)
  if type(map) == "string" and map ~= "step" then
    host.fail(("cycle: map must be a function of q, u, or \"step\" for rimless_wheel and compass, got '%s'"):format(map))
  end
  if map ~= "step" then return map and checked(map) end
  local make = steps[model.name]
  if not make then
    host.fail(("cycle: map = 'step' is for %s, not for a %s: give a function of q, u"):format("rimless_wheel and compass", model.name))
  end
  return make(model)
end
