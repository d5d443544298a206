-- Loose bodies that several tests drop: stacks of boxes in the plane, bricks in space.
local k = require "knock"
local loose = {}

-- n boxes above each other, the top one tilted; corners on tops, all may tip, slide, bounce
function loose.stack(n, tilt)
  local bodies, contacts, q = {}, {}, {}
  for i = 1, n do
    bodies[i] = { name = "b" .. i, joint = "free", mass = 1, inertia = (0.2 ^ 2 + 0.1 ^ 2) / 12, points = { l = { -0.1, -0.05 }, r = { 0.1, -0.05 } },
      planes = { top = { point = { 0, 0.05 }, normal = { 0, 1 } } } }
    q["b" .. i] = { 0.01 * i, 0.05 + 0.1 * (i - 1) + 0.02 * i, i == n and tilt or 0 }
    for _, side in ipairs { "l", "r" } do contacts[#contacts + 1] = { ("b%d.%s"):format(i, side), i == 1 and "floor" or ("b%d.top"):format(i - 1) } end
  end
  return k.mechanism { name = "stack", plane = true, bodies = bodies, contacts = contacts, q = q, obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } } }
end

-- boxes beside each other in the plane, number `first` to `last`, which reach the floor flat, each at its own time
function loose.row(first, last)
  local bodies, contacts, q, u = {}, {}, {}, {}
  for i = first, last do
    local name = "b" .. i
    bodies[#bodies + 1] = { name = name, joint = "free", mass = 1, inertia = (0.2 ^ 2 + 0.1 ^ 2) / 12, points = { l = { -0.1, -0.05 }, r = { 0.1, -0.05 } } }
    q[name], u[name] = { 0.3 * i, 0.05 + 0.02 + 0.0005 * i, 0 }, { 0.3 * math.cos(i), 0, 0 }
    for _, side in ipairs { "l", "r" } do contacts[#contacts + 1] = { name .. "." .. side, "floor" } end
  end
  return k.mechanism { name = "row", plane = true, bodies = bodies, contacts = contacts, q = q, u = u, obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } } }
end

-- a brick of half-lengths a, b, c with all its corners above a floor, at q, with the speeds u
function loose.brick(a, b, c, q, u)
  local points, contacts = {}, {}
  for _, x in ipairs { -a, a } do
    for _, y in ipairs { -b, b } do
      for _, z in ipairs { -c, c } do
        local name = "p" .. #contacts + 1
        points[name], contacts[#contacts + 1] = { x, y, z }, { "brick." .. name, "floor" }
      end
    end
  end
  return k.mechanism { name = "brick", contacts = contacts, obstacles = { floor = { point = { 0, 0, 0 }, normal = { 0, 0, 1 } } }, q = { brick = q }, u = { brick = u },
    bodies = { { name = "brick", joint = "free", mass = 1, inertia = { (b * b + c * c) / 3, (a * a + c * c) / 3, (a * a + b * b) / 3 }, points = points } } }
end

return loose
