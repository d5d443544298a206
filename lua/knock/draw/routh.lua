-- Routh's plane of impulses: where sliding stops, where compression ends, and the cone of friction. One plane for each contact.
--
-- With several contacts the lines v_t = 0 and v_n = 0 of one move while the others act: v = v0 + W p has their impulses in it.
-- They are drawn where the impact ends (dashed), and where they were before the others acted (dotted).

local figure = require "knock.figure"
local rows = require "knock.rows"
local trace = require "knock.draw.trace"

local T = figure.math

local function mu_of(hit, c)
  local ok, mu = pcall(function() return hit.law.mu end)
  if not ok or mu == nil then return nil end
  if type(mu) ~= "number" then mu = mu[c] or mu[1] end
  return mu and mu < math.huge and mu or nil
end

-- the other answers of a law that has several, as points of this plane
local function others(t, it, jn)
  local x, y = {}, {}
  for _, one in ipairs(t.hit.solutions or {}) do
    local far = 0
    for i, name in ipairs(t.p) do far = math.max(far, math.abs(one.impulse[i] - t[name][t.n])) end
    if far > 1e-9 * t.size then x[#x + 1], y[#y + 1] = one.impulse[it], math.max(0, one.impulse[jn]) end
  end
  return x, y
end

-- half of its width, and its height; a contact that takes no impulse has the room of the others
local function box(t, pt, pn, x, y, mu)
  local wide, high = 0, 0
  for k = 1, t.n do wide, high = math.max(wide, math.abs(pt[k])), math.max(high, pn[k]) end
  for k = 1, #x do wide, high = math.max(wide, math.abs(x[k])), math.max(high, y[k]) end
  high = 1.15 * (high > 1e-9 * t.size and high or t.size)
  return math.max(1.3 * wide, 0.6 * (mu or 0) * high, 0.2 * high), high
end

-- the line c + a p_t + b p_n = 0 through the box, as two points
local function straight(a, b, c, wide, high)
  local xs, ys = {}, {}
  for k = 0, 1 do
    if math.abs(a) > math.abs(b) * 1e-9 and math.abs(a) * wide >= math.abs(b) * high then
      ys[#ys + 1] = k * high
      xs[#xs + 1] = -(c + b * ys[#ys]) / a
    else
      xs[#xs + 1] = (2 * k - 1) * wide
      ys[#ys + 1] = -(c + a * xs[#xs]) / b
    end
  end
  return xs, ys
end

-- does it pass through the box?
local function seen(xs, ys, wide, high)
  local low, most = math.min(xs[1], xs[2]), math.max(xs[1], xs[2])
  return low <= wide and most >= -wide and math.min(ys[1], ys[2]) <= high and math.max(ys[1], ys[2]) >= 0
end

-- the words of a key, once for all planes
local function once(t, words)
  if t.said[words] then return nil end
  t.said[words] = true
  return words:find("$", 1, true) and T(words) or words
end

-- v_row = 0 before the other contacts act, and when they have acted
local function limits(panel, t, at, row, words, colour, dash)
  local W, v0, moved = t.hit.W, t.hit.contact_velocity_before, 0
  for j, name in ipairs(t.p) do
    if j ~= at.t and j ~= at.n and not t.side[j] then moved = moved + W[row][j] * t[name][t.n] end
  end
  local function draw(c, look, width, label)
    local xs, ys = straight(W[row][at.t], W[row][at.n], c, at.wide, at.high)
    if not seen(xs, ys, at.wide, at.high) then return end
    panel:line { x = xs, y = ys, colour = colour, dash = look, label = once(t, label), counts = false, width = width }
  end
  draw(v0[row] + moved, dash, 0.8, words)
  if t.nc > 1 then draw(v0[row], "dotted", 0.6, "the same, before the others act") end
end

local function plane(panel, t, c, at)
  local pt, pn, mu = t[t.p[at.t]], t[t.p[at.n]], mu_of(t.hit, c)
  local x, y = others(t, at.t, at.n)
  at.wide, at.high = box(t, pt, pn, x, y, mu)
  if mu then
    panel:line { x = { -mu * at.high, 0, mu * at.high }, y = { at.high, 0, at.high }, colour = "grey", dash = "solid", width = 0.8,
      label = once(t, "friction cone"), counts = false }
  end
  limits(panel, t, at, at.t, "sticking $v_t = 0$", 3, "dashed")
  limits(panel, t, at, at.n, "compression ends $v_n = 0$", 2, "dashdot")
  panel:line { x = pt, y = pn, colour = 1, dash = "solid", width = 1.4, label = once(t, "impulse") }
  trace.mark(panel, t, pt, pn, t.said, t.nc > 1 and function(e) return e.contact == c or e.kind == "end" end or nil)
  if #x > 0 then panel:points { x = x, y = y, mark = "ring", colour = 4, size = 5, label = once(t, "other answers") } end
  panel.x = { label = trace.label(t.p[at.t], t.nc), unit = "N s", range = { -at.wide, at.wide } }
  panel.y = { label = trace.label(t.p[at.n], t.nc), unit = "N s", range = { 0, at.high } }
  panel.key = "above"
end

local function page(options, n)
  if n == 1 then return figure.new(options) end
  local o = { rows = (n + 1) // 2, cols = 2 }
  for _, key in ipairs { "style", "width", "height", "title", "keep" } do o[key] = options[key] end
  return figure.new(o)
end

return function(t, options)
  local f = page(options, t.nc)
  t.size, t.side, t.said = 0, {}, {}
  for _, name in ipairs(t.p) do for k = 1, t.n do t.size = math.max(t.size, math.abs(t[name][k])) end end
  if t.nc == 1 and t.dim == 3 then t.side[2] = true end -- the motion is in a plane
  for c = 1, t.nc do
    local first, last = rows.before(t.dims, c) + 1, rows.before(t.dims, c + 1)
    plane(f[c], t, c, { t = first, n = last })
  end
  return f
end
