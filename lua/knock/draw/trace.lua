-- The path of a hit as columns that begin with the state before the impact, and its events as marks.

local math_text = require "knock.draw.text".math

local trace = {}

-- kind of event -> mark, words for the key
trace.events = {
  stick = { "disc", "stick" },
  slip = { "ring", "slip" },
  reversal = { "wedge", "reversal" },
  compression_end = { "diamond", "end of compression" },
  open = { "up", "opens" },
  close = { "down", "closes" },
  jam = { "cross", "jam" },
  ["end"] = { "square", "end" },
}
trace.order = { "stick", "slip", "reversal", "compression_end", "close", "open", "jam", "end" }

local rows = { { "n" }, { "t", "n" }, { "t1", "t2", "n" } }

local function names(letter, nc, dim)
  local out = {}
  for c = 1, nc do
    for i = 1, dim do
      out[#out + 1] = ("%s%s_%s"):format(letter, nc > 1 and c or "", rows[dim][i])
    end
  end
  return out
end

-- a list of the column, behind the number `first` when there is one
local function with_first(first, column)
  local out = { first }
  for i = 1, #column do out[#out + 1] = column[i] end
  return out
end

-- does the path itself begin before the impact: no impulse yet, velocities as they were?
local function has_start(path, t, v0)
  if path.n == 0 then return false end
  for i, name in ipairs(t.p) do
    if path[name][1] ~= 0 or path[t.v[i]][1] ~= v0[i] then return false end
  end
  return true
end

-- the last opening is the end
local function marked(events, shift)
  local out, last = {}, events[#events]
  for _, e in ipairs(events) do
    local same = e ~= last and e.kind == "open" and last.kind == "end" and math.abs(e.impulse - last.impulse) <= 1e-12 * math.abs(last.impulse)
    if not same and trace.events[e.kind] then
      out[#out + 1] = { kind = e.kind, contact = e.contact, at = e.at + shift, t = e.t, impulse = e.impulse }
    end
  end
  return out
end

function trace.of(hit, per_phase)
  local path = hit:trace(per_phase or 80)
  local dim, v0 = hit.dim, hit.contact_velocity_before
  local nc = #v0 // dim
  local t = { dim = dim, nc = nc, units = path.units, hit = hit }
  t.p, t.v, t.x, t.F = names("p", nc, dim), names("v", nc, dim), names("x", nc, dim), names("F", nc, dim)
  local shift = has_start(path, t, v0) and 0 or 1
  for _, name in ipairs(path.names) do t[name] = with_first(shift == 1 and 0.0 or nil, path[name]) end
  for i, name in ipairs(t.v) do t[name][1] = v0[i] end
  if shift == 1 and t[t.x[1]] then -- displacements count from the gap
    for c = 1, nc do t[t.x[c * dim]][1] = hit.model.gap[hit.contacts[c]] end
  end
  t.n = path.n + shift
  -- kinetic energy along the path: T = T0 + 1/2 sum p (v0 + v)
  t.kinetic = {}
  local T0 = hit.energy.before
  for k = 1, t.n do
    local sum = 0
    for i = 1, #t.p do sum = sum + t[t.p[i]][k] * (v0[i] + t[t.v[i]][k]) end
    t.kinetic[k] = T0 + sum / 2
  end
  -- normal impulse of all contacts: what laws count by
  t.impulse = {}
  for k = 1, t.n do
    local sum = 0
    for c = 1, nc do sum = sum + t[t.p[c * dim]][k] end
    t.impulse[k] = sum
  end
  t.list = marked(path.events, shift)
  return t
end

-- "p1_t2" -> text
local letters = { p = "p", v = "v", x = "x", F = "F" }
function trace.label(name, nc)
  local letter, contact, row = name:match "^(%a)(%d*)_(%w+)$"
  if not letter then return name end
  local short = { t1 = "x", t2 = "y" }
  local index = (short[row] or row) .. (nc > 1 and contact or "")
  return math_text(("$%s_{%s}$"):format(letters[letter] or letter, index))
end

-- marks of the events on the curve (x, y); one layer per kind, labelled when asked
function trace.mark(panel, t, x, y, labelled, filter)
  local by_kind = {}
  for _, e in ipairs(t.list) do
    if not filter or filter(e) then
      local m = by_kind[e.kind] or { x = {}, y = {} }
      by_kind[e.kind] = m
      m.x[#m.x + 1], m.y[#m.y + 1] = x[e.at], y[e.at]
    end
  end
  for _, kind in ipairs(trace.order) do
    local m = by_kind[kind]
    if m then
      local look = trace.events[kind]
      panel:points { x = m.x, y = m.y, mark = look[1], colour = "black", label = labelled and look[2] or nil, counts = true }
    end
  end
end

-- a jump is a gap in the curve, not a wall: NaN where y changes much while x stands still
function trace.broken(x, y)
  local low, high = math.huge, -math.huge
  for i = 1, #y do low, high = math.min(low, y[i]), math.max(high, y[i]) end
  local xs, ys = {}, {}
  for i = 1, #y do
    if i > 1 and x[i] == x[i - 1] and math.abs(y[i] - y[i - 1]) > 0.02 * (high - low) then
      xs[#xs + 1], ys[#ys + 1] = x[i], 0 / 0
    end
    xs[#xs + 1], ys[#ys + 1] = x[i], y[i]
  end
  return xs, ys
end

return trace
