-- print(mechanism): its tree, what may touch, and where it stands.

local page = require "knock.page"

local most = 30 -- bodies that are listed; longer trees are cut in the middle

local function number(x) return page.number(x) end

-- children of each body, 0 is the world
local function children_of(bodies)
  local list = { [0] = {} }
  for i in ipairs(bodies) do list[i] = {} end
  for i, b in ipairs(bodies) do table.insert(list[b.parent], i) end
  return list
end

-- lines of a tree: { text, body }
local function lines_of(bodies, children, at, indent, out)
  for n, i in ipairs(children[at]) do
    local last = n == #children[at]
    out[#out + 1] = { indent .. (last and "`- " or "|- ") .. bodies[i].name, i }
    local chain = #children[i] == 1 and #children[at] == 1 and #bodies > most -- long chains go straight down
    lines_of(bodies, children, i, chain and indent or indent .. (last and "   " or "|  "), out)
  end
  return out
end

local function limits(m, b)
  if b.stops == 0 then return nil end
  local low = b.stops % 2 == 1 and number(m[b.name .. ".lower"]) or "-"
  local high = b.stops >= 2 and number(m[b.name .. ".upper"]) or "-"
  return ("stops %s .. %s %s"):format(low, high, b.joint == "slide" and "m" or "rad")
end

local function extras(m, b, parts)
  local list = { limits(m, b) }
  if (b.joint == "hinge" or b.joint == "slide") and m[b.name .. ".stiffness"] > 0 then list[#list + 1] = "spring" end
  if b.joint ~= "free" and b.joint ~= "fixed" and m[b.name .. ".damping"] > 0 then list[#list + 1] = "damper" end
  if b.torque then list[#list + 1] = "torque by a function" end
  for _, name in ipairs(parts) do list[#list + 1] = name end
  return table.concat(list, ", ")
end

-- one number stands in the row of its body, several in lines of their own
local function state(m, b)
  return (b.joint == "hinge" or b.joint == "slide") and number(m.q[b.name]) or ""
end

local function state_lines(m, spec)
  local lines, speeds = {}, {}
  for _, b in ipairs(spec.bodies) do
    if b.joint == "free" or b.joint == "ball" then lines[#lines + 1] = ("  q         %s %s"):format(b.name, page.value(m.q[b.name])) end
    local u = b.joint ~= "fixed" and m.u[b.name] or 0
    if type(u) == "number" and u ~= 0 or type(u) ~= "number" and u:norm() ~= 0 then speeds[#speeds + 1] = b.name .. " " .. page.value(u) end
    if #lines > 12 then break end
  end
  if #speeds > 0 then lines[#lines + 1] = page.wrap(table.concat(speeds, ", "), "  u         ", (" "):rep(12), 100) end
  return lines
end

local function body_rows(m, spec)
  local parts, rows = {}, { { "body", "joint", "mass", "q", "" } }
  for i in ipairs(spec.bodies) do parts[i] = {} end
  for _, p in ipairs(spec.parts) do
    if p.body > 0 then table.insert(parts[p.body], p.name:match "[^.]+$" .. (p.shape == "point" and "" or " (" .. p.shape .. ")")) end
  end
  local tree = lines_of(spec.bodies, children_of(spec.bodies), 0, "", {})
  for n, line in ipairs(tree) do
    local b = spec.bodies[line[2]]
    if #tree <= most or n <= most // 2 or n > #tree - most // 2 then
      rows[#rows + 1] = { line[1], b.joint, number(m[b.name .. ".mass"]) .. " kg", state(m, b), extras(m, b, parts[line[2]]) }
    elseif n == most // 2 + 1 then
      rows[#rows + 1] = { "...", "", ("%d bodies in all"):format(#tree), "", "" }
    end
  end
  return rows
end

local function contact_rows(m, info)
  local gap, rows = m.gap, {}
  local units = {}
  for _, b in ipairs(info.spec.bodies) do if b.joint == "hinge" then units[b.name .. ".lower"], units[b.name .. ".upper"] = "rad", "rad" end end
  for i, name in ipairs(info.contacts) do
    if i <= 20 or #info.contacts <= 21 then
      rows[#rows + 1] = { i == 1 and "contacts" or "", name, "gap " .. number(gap[i]) .. " " .. (units[name] or "m") }
    elseif i == 21 then
      rows[#rows + 1] = { "", "...", ("%d contacts in all"):format(#info.contacts) }
    end
  end
  return rows
end

local function pairs_line(spec, word, list)
  local names = {}
  for i, l in ipairs(list) do names[i] = spec.parts[l.a].name .. " - " .. spec.parts[l.b].name end
  return #names > 0 and { ("  %s  %s"):format(word, table.concat(names, ", ")) } or {}
end

return function(m, info)
  local spec, energy = info.spec, m.energy
  local lines = { ("%s: %d bod%s %s, %d speed%s, gravity %s m/s^2"):format(m.name, #spec.bodies, #spec.bodies == 1 and "y" or "ies",
    spec.plane and "in the plane" or "in space", #m.u, #m.u == 1 and "" or "s", page.value(m.gravity)) }
  for _, line in ipairs(page.align(body_rows(m, spec), 110)) do lines[#lines + 1] = line end
  for _, line in ipairs(state_lines(m, spec)) do lines[#lines + 1] = line end
  for _, line in ipairs(page.align(contact_rows(m, info))) do lines[#lines + 1] = line end
  for _, line in ipairs(pairs_line(spec, "springs ", spec.springs)) do lines[#lines + 1] = line end
  for _, line in ipairs(pairs_line(spec, "loops   ", spec.loops)) do lines[#lines + 1] = line end
  lines[#lines + 1] = ("  energy    %s J kinetic, %s J potential"):format(number(energy.kinetic), number(energy.potential))
  for _, note in ipairs(m.notes) do lines[#lines + 1] = "  note: " .. note end
  return table.concat(lines, "\n")
end
