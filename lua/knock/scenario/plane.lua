-- The plane of the generalised speeds of a mechanism with two of them, as Morgan draws it: the lines v_t = 0 and
-- v_n = 0, the directions in which the impulse pushes the speeds, and the path of an impact.

local figure = require "knock.figure"
local path = require "knock.scenario.path"
local trace = require "knock.draw.trace"

local T = figure.math
local Plane = {}
Plane.__index = Plane

--- plane(hit, mu) -> object with u (columns), L = {L_t, L_n}, pauses of the first line
local function new(hit, mu)
  local self = setmetatable({ hit = hit, mu = mu }, Plane)
  self.t = trace.of(hit)
  self.u = path.speeds(hit, self.t)
  self.L = path.gains(hit)
  self.J = hit.before.J
  self.sign = hit.contact_velocity_before[1] < 0 and 1 or -1
  local u0 = { hit.u_before[1], hit.u_before[2] }
  self.start = u0
  self.tangential = self:meet(u0, self.sign, 1)
  self.normal = self:meet(u0, self.sign, 2)
  return self
end

--- the direction of the path while slipping, L_n + sign mu L_t (2.9)
function Plane:direction(sign)
  local Lt, Ln = self.L[1], self.L[2]
  return { Ln[1] + sign * self.mu * Lt[1], Ln[2] + sign * self.mu * Lt[2] }
end

--- where the line from u meets v_t = 0 (row 1) or v_n = 0 (row 2): p_n = -J u / J L (3.2), (3.3)
function Plane:meet(u, sign, row)
  local d, J = self:direction(sign), self.J[row]
  local p = -(J[1] * u[1] + J[2] * u[2]) / (J[1] * d[1] + J[2] * d[2])
  return { u[1] + p * d[1], u[2] + p * d[2], p = p }
end

--- the box that holds some points and the origin, with air around
function Plane:box(points)
  local low, high = { 0, 0 }, { 0, 0 }
  for _, u in ipairs(points) do
    for i = 1, 2 do low[i], high[i] = math.min(low[i], u[i]), math.max(high[i], u[i]) end
  end
  for i = 1, 2 do
    local air = 0.12 * (high[i] - low[i])
    low[i], high[i] = low[i] - air, high[i] + air
  end
  self.low, self.high = low, high
end

-- the line J u = 0 across the box
local function across(self, row)
  local d = { -self.J[row][2], self.J[row][1] }
  local from, to = -math.huge, math.huge
  for i = 1, 2 do
    local a, b = self.low[i] / d[i], self.high[i] / d[i]
    if d[i] ~= 0 then from, to = math.max(from, math.min(a, b)), math.min(to, math.max(a, b)) end
  end
  return { from * d[1], to * d[1] }, { from * d[2], to * d[2] }
end

--- axes and the lines v_t = 0 and v_n = 0; labelled says whether the key speaks of them
function Plane:axes(panel, labelled)
  for row, look in ipairs { { "$v_t = 0$", "dashed" }, { "$v_n = 0$", "dashdot" } } do
    local x, y = across(self, row)
    panel:line { x = x, y = y, colour = "dark", dash = look[2], width = 0.8, label = labelled and T(look[1]) or nil, counts = false }
  end
  panel.x = { label = T"$u_1$", unit = "rad/s", range = { self.low[1], self.high[1] } }
  panel.y = { label = T"$u_2$", unit = "rad/s", range = { self.low[2], self.high[2] } }
  panel.key = "above"
end

function Plane:point(panel, u, mark, label, size)
  panel:points { x = { u[1] }, y = { u[2] }, mark = mark, colour = "black", label = label, size = size }
end

--- arrows L_n, +-mu L_t and their sum from u, as long as p (N s) makes them
function Plane:components(panel, u, sign, p, labelled)
  local Ln, mLt, sum = self.L[2], { sign * self.mu * self.L[1][1], sign * self.mu * self.L[1][2] }, self:direction(sign)
  local function arrow(from, d, colour, label, dash)
    panel:arrows { x = { from[1] }, y = { from[2] }, dx = { p * d[1] }, dy = { p * d[2] }, colour = colour, dash = dash or "solid",
                   width = 1.1, label = labelled and T(label) or nil }
  end
  arrow(u, Ln, "green", "$L_n$")
  arrow({ u[1] + p * Ln[1], u[2] + p * Ln[2] }, mLt, "red", "$\\pm\\mu L_t$")
  arrow(u, sum, "blue", "$L_n \\pm \\mu L_t$")
end

function Plane:line(panel, from, to, look)
  look = look or {}
  panel:line { x = { from[1], to[1] }, y = { from[2], to[2] }, colour = look.colour or "blue", dash = look.dash or "solid", width = look.width or 1.2, label = look.label }
end

--- the whole path with its events
function Plane:path(panel, labelled)
  panel:line { x = self.u[1], y = self.u[2], colour = "blue", dash = "solid", width = 1.4, label = labelled and "path" or nil }
  self:point(panel, self.start, "star", labelled and "start" or nil)
  trace.mark(panel, self.t, self.u[1], self.u[2], labelled)
end

--- all points of the path that matter for the box
function Plane:corners()
  local out, t = { self.start }, self.t
  for _, e in ipairs(t.list) do out[#out + 1] = { self.u[1][e.at], self.u[2][e.at] } end
  return out
end

return new
