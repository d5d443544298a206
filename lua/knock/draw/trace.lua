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

local rows = require "knock.rows"

local function names(letter, nc, dim)
  local out = {}
  for c = 1, nc do
    for _, row in ipairs(rows.names(rows.of(dim, c))) do
      out[#out + 1] = ("%s%s_%s"):format(letter, nc > 1 and c or "", row)
    end
  end
  return out
end

-- N m s of a hinge's stop and N s of a point have no sum: the mean of p_n/p_n,end, from 0 to 1 (p_n never falls)
local function mean_part(t)
  local out, used = {}, 0
  for k = 1, t.n do out[k] = 0 end
  for c = 1, t.nc do
    local p = t[t.p[rows.before(t.dims, c + 1)]]
    if p[t.n] ~= 0 then
      used = used + 1
      for k = 1, t.n do out[k] = out[k] + p[k] / p[t.n] end
    end
  end
  for k = 1, t.n do out[k] = out[k] / math.max(used, 1) end
  return out
end

-- what laws count by: the normal impulse of all contacts, or its part of the whole
local function count_of(t)
  local label = math_text"$p_n$"
  if t.impulse then return { x = t.impulse, label = label, unit = t.units.impulse } end
  return { x = mean_part(t), label = "mean of " .. math_text"$p_n / p_{n,end}$" }
end

-- the last opening is the end
local function marked(events, count)
  local out, last = {}, events[#events]
  for _, e in ipairs(events) do
    local same = e ~= last and e.kind == "open" and last.kind == "end" and math.abs(count[e.at] - count[last.at]) <= 1e-12 * math.abs(count[last.at])
    if not same and trace.events[e.kind] then
      out[#out + 1] = { kind = e.kind, contact = e.contact, at = e.at, t = e.t }
    end
  end
  return out
end

-- the columns are vectors that C fills from the hit's recording
function trace.of(hit, per_phase)
  local t = hit:course(per_phase)
  local dim = hit.dim
  t.dims, t.dim, t.nc, t.hit = dim, rows.most(dim), #hit.contacts, hit
  t.p, t.v, t.x, t.F = names("p", t.nc, dim), names("v", t.nc, dim), names("x", t.nc, dim), names("F", t.nc, dim)
  t.count = count_of(t)
  t.list = marked(t.events, t.count.x)
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

-- marks of the events on the curve (x, y); one layer per kind, labelled when asked, or when `labelled` is a set that has it not
function trace.mark(panel, t, x, y, labelled, filter)
  local by_kind = {}
  for _, e in ipairs(t.list) do
    if not filter or filter(e) then
      local m = by_kind[e.kind] or { x = {}, y = {}, at = {} }
      by_kind[e.kind] = m
      m.x[#m.x + 1], m.y[#m.y + 1], m.at[#m.at + 1] = x[e.at], y[e.at], e.at
    end
  end
  for _, kind in ipairs(trace.order) do
    local m = by_kind[kind]
    if m then
      local look, said = trace.events[kind], type(labelled) == "table" and labelled
      panel:points { x = m.x, y = m.y, mark = look[1], colour = "black", label = labelled and not (said and said[kind]) and look[2] or nil, counts = true, merge = m.at }
      if said then said[kind] = true end
    end
  end
end

-- a jump is a gap in the curve, not a wall: NaN where y changes much while x stands still
function trace.broken(x, y)
  local low, high, jumps = math.huge, -math.huge, false
  for i = 1, #y do
    low, high = math.min(low, y[i]), math.max(high, y[i])
    jumps = jumps or (i > 1 and x[i] == x[i - 1] and y[i] ~= y[i - 1])
  end
  if not jumps then return x, y end
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
