-- Marks of events that crowd: thousands of them are no black band.
--
-- A layer with `merge` has the place of each of its marks in time. Where two of its marks would be nearer on paper than
-- their size, only some are drawn, in the order of time: three sizes from the next one of their layer and one and a half
-- from those of other layers that crowd too; the first of each layer always. The key says how many there are.

local key = require "knock.draw.key"

local marks = {}
local floor = math.floor
local same, other = 3, 1.5 -- distances between marks that are drawn, in sizes

local function size_of(l, style) return l.size or style.point end

-- where the marks are on the page, in points
local function places(p, l, columns)
  local w, h = p.box.r - p.box.l, p.box.t - p.box.b
  local out = {}
  for k = 1, #columns[1] do
    out[k] = { layer = l, k = k, at = l.merge[k], x = key.along(p.axes.x, columns[1][k], w), y = key.along(p.axes.y, columns[2][k], p.three and w or h),
               z = p.three and key.along(p.axes.z, columns[3][k], w) or 0 }
  end
  return out
end

-- is one that was kept nearer than it may be?
local function too_near(kept, m, cell, near, apart)
  for i = -1, 1 do
    for j = -1, 1 do
      for _, o in ipairs(kept[(floor(m.x / cell) + i) .. " " .. (floor(m.y / cell) + j)] or {}) do
        local d = o.layer == m.layer and near or apart
        if (o.x - m.x) ^ 2 + (o.y - m.y) ^ 2 + (o.z - m.z) ^ 2 < d * d then return true end
      end
    end
  end
end

-- those of a list that are drawn
local function drawn(list, near, apart)
  local kept, out, cell = {}, {}, math.max(near, apart)
  for _, m in ipairs(list) do
    if m.k == 1 or not too_near(kept, m, cell, near, apart) then
      local at = floor(m.x / cell) .. " " .. floor(m.y / cell)
      kept[at] = kept[at] or {}
      table.insert(kept[at], m)
      out[#out + 1] = m
    end
  end
  return out
end

-- how many events the layers with this mark have
local function count(p, mark)
  local seen, n = {}, 0
  for _, l in ipairs(p.panel.layers) do
    for _, at in ipairs(l.merge and l.mark == mark and l.merge or {}) do
      if not seen[at] then seen[at], n = true, n + 1 end
    end
  end
  return n
end

--- Leaves the marks that can be told apart in p.columns, by layer, and counts the others in their labels.
function marks.thin(p, style)
  local crowd, kept = {}, {}
  for i, l in ipairs(p.panel.layers) do
    if l.merge then
      l.words = l.words or l.label
      local list = places(p, l, p.columns[i])
      local crowded = #drawn(list, size_of(l, style), 0) < #list
      l.label = crowded and l.words and ("%s (%d times)"):format(l.words, count(p, l.mark)) or l.words
      if crowded then
        table.move(list, 1, #list, #crowd + 1, crowd)
        kept[l] = {}
      end
    end
  end
  table.sort(crowd, function(a, b) return a.at < b.at end)
  for _, m in ipairs(#crowd > 0 and drawn(crowd, same * size_of(crowd[1].layer, style), other * size_of(crowd[1].layer, style)) or {}) do
    table.insert(kept[m.layer], m.k)
  end
  local column = require "knock.gnuplot".column
  for i, l in ipairs(p.panel.layers) do
    for c, values in ipairs(kept[l] and p.columns[i] or {}) do
      local some = {}
      for n, k in ipairs(kept[l]) do some[n] = values[k] end
      p.columns[i][c] = column(some)
    end
  end
end

return marks
