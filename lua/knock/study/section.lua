-- Impacts that pass through the section of a forced machine.
--
-- A branch is cut into returns at times n T of the forcing. Where the time of an impact passes n T, the state there jumps from
-- after the impact to before it (or back): the cycle is the same, and it goes on, but the map has no derivative at that value.

local cycle = require "knock.cycle"
local point_of = require "knock.study.point"

local M = {}

-- How near each return's first impact is to its start and its last one to its end, of the period: the least of them with
-- its return, which end, and the impact.
local function nearest(Y)
  local best
  for i, y in ipairs(Y) do
    for _, e in ipairs(y.run.events) do
      if e.kind == "impact" then
        for _, way in ipairs { { "start", e.t / y.period }, { "end", 1 - e.t / y.period } } do
          if not best or way[2] < best.part then best = { part = way[2], at = way[1], i = i, event = e } end
        end
      end
    end
  end
  return best
end

-- where that part would be zero, in a straight line through the last two points
local function crossing(a, c)
  local f, g = nearest(a.Y), nearest(c.Y)
  if not f or not g or f.at ~= g.at or f.i ~= g.i or g.part >= f.part then return nil end
  return c.value + (c.value - a.value) * g.part / (f.part - g.part), g
end

-- states on the other side: the impact that was at the start of a return is at the end of the one before it, and back
local function beyond(c, near)
  local X, e, n = {}, near.event, #c.X
  for i, x in ipairs(c.X) do X[i] = x end
  local to, u = near.i, e.u_after
  if near.at == "end" then to, u = near.i % n + 1, e.u end
  local x = {}
  for j = 1, #e.q do x[j] = e.q[j] end
  for j = 1, #u do x[#x + 1] = u[j] end
  X[to] = x
  return X
end

--- The value at which an impact passes through the section just beyond the last point of a branch, and the point on the other
--- side of it (nil when none was found there); nothing when it is not that.
function M.cross(b, first_point)
  local n = #b.points
  local a, c = b.points[n - 1], b.points[n]
  if b.P.kind ~= "model" or not b.P.o.forced or not a or a.sequence ~= c.sequence then return nil end
  local value, near = crossing(a, c)
  if not value or math.abs(value - c.value) * b.sp > 1e-3 then return nil end
  local sign = value >= c.value and 1 or -1
  for _, part in ipairs { 1e-4, 3e-4, 1e-3, 5e-3 } do -- of the range, beyond what differences with the parameter reach
    local p = point_of.with(c.p, b.name, value + sign * part / b.sp)
    local fine, found = pcall(cycle.newton, b.P, beyond(c, near), p, {}, b.cycle_options)
    if not fine and tostring(found):find "interrupted" then error(found, 0) end
    local point = fine and found and first_point(b, found.X, found.p, sign)
    if point then return value, point end
  end
  return value, nil
end

return M
