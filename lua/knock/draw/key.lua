-- The key (legend) never hides data: a free corner inside the box, or else lines above it.

local layer = require "knock.draw.layer"
local text = require "knock.draw.text"

local key = {}
local max, min, floor, ceil, log = math.max, math.min, math.floor, math.ceil, math.log

local line, gap, between = 1.3, 0.5, 1.4 -- height of a line, space after a sample, between entries; in font sizes

local function sample(l) -- length of what stands before the words
  return (l.kind == "points" or l.kind == "points3") and 0.9 or 2.3
end

local function width(l) return sample(l) + gap + text.width(l.label) end

-- curves first, then marks
function key.entries(panel)
  local out, marks = {}, {}
  for _, l in ipairs(panel.layers) do
    local list = (l.kind == "points" or l.kind == "points3") and marks or out
    if l.label and text.plain(l.label) ~= "" then list[#list + 1] = l end
  end
  return table.move(marks, 1, #marks, #out + 1, out)
end

-- entries in lines as wide as the box; columns line up when all are about as wide
local function above(entries, s, w)
  local items, x, row, widest = {}, 0, 1, 0
  for _, l in ipairs(entries) do widest = max(widest, width(l)) end
  for _, l in ipairs(entries) do
    local need = width(l)
    if widest < 1.25 * need then need = widest end
    if x > 0 and (x + need) * s > w + 0.3 * s then x, row = 0, row + 1 end
    for i, words in ipairs(text.wrap(l.label, max(4, w / s + 0.3 - sample(l) - gap))) do
      if i > 1 then row = row + 1 end
      items[#items + 1] = { layer = l, label = words, bare = i > 1, x = x * s, row = row, sample = sample(l) * s }
    end
    x = x + need + between
  end
  local up = row * line * s + 0.15 * s
  for _, item in ipairs(items) do item.y = (row - item.row + 0.5) * line * s + 0.25 * s end
  return { above = up, items = items }
end

local function same(a, b, style)
  local x, y = layer.sample(a, style), layer.sample(b, style)
  return text.plain(a.label) == text.plain(b.label) and layer.colour(a, style) == layer.colour(b, style)
    and x.point == y.point and x.stroke == y.stroke
end

-- the panels that have a key have the same one
local function alike(panels, style)
  local first, count
  for _, p in ipairs(panels) do
    if #p.entries > 0 then
      if first and #first ~= #p.entries then return false end
      for i, l in ipairs(first or {}) do if not same(l, p.entries[i], style) then return false end end
      first, count = first or p.entries, (count or 0) + 1
      if p.three or p.panel.key == false then return false end
    end
  end
  return count and count > 1
end

--- One key for all panels, above them: when it is asked for (figure.key = "shared"), or when all have the same one.
function key.shared(fig, panels, style)
  if #panels < 2 or fig.key == false or not (fig.key == "shared" or alike(panels, style)) then return nil end
  local entries = {}
  for _, p in ipairs(panels) do
    for _, l in ipairs(p.entries) do
      local known = false
      for _, other in ipairs(entries) do known = known or same(l, other, style) end
      if not known then entries[#entries + 1] = l end
    end
  end
  return #entries > 0 and entries or nil
end

--- The shared key in lines of width w.
function key.lines(entries, style, w) return above(entries, style.size, w) end

-- position of a value along an axis, in points from the low end of the box
function key.along(a, v, length)
  if a.log then return v > 0 and log(v / a.low) / log(a.high / a.low) * length or -1e9 end
  return (v - a.low) / (a.high - a.low) * length
end

-- marks the cells of a coarse grid that the drawing touches
local function occupied(p, w, h, cell)
  local nx, ny, grid = ceil(w / cell), ceil(h / cell), {}
  local function touch(px, py)
    local i, j = floor(px / cell), floor(py / cell)
    if i >= 0 and j >= 0 and i < nx and j < ny then grid[j * nx + i] = true end
  end
  local function segment(ax, ay, bx, by)
    local n = max(1, ceil(max(math.abs(bx - ax), math.abs(by - ay)) / cell * 1.5))
    if n > 4000 or n ~= n then return end
    for k = 0, n do touch(ax + (bx - ax) * k / n, ay + (by - ay) * k / n) end
  end
  for i, l in ipairs(p.panel.layers) do
    local c, kind = p.columns[i], l.kind
    if kind == "image" or kind == "bars" or kind == "band" then return nil, nx, ny end
    local lastx, lasty
    for k = 1, #c[1] do
      local px, py = key.along(p.axes.x, c[1][k], w), key.along(p.axes.y, c[2][k], h)
      if px == px and py == py then
        if kind == "arrows" then
          segment(px, py, px + c[3][k] / (p.axes.x.high - p.axes.x.low) * w, py + c[4][k] / (p.axes.y.high - p.axes.y.low) * h)
        elseif kind ~= "points" and lastx then segment(lastx, lasty, px, py)
        else touch(px, py) end
        lastx, lasty = px, py
      else lastx = nil end
    end
  end
  for _, r in ipairs(p.panel.rules) do
    if r.axis == "x" then
      local px = key.along(p.axes.x, r.at * p.axes.x.factor, w)
      segment(px, 0, px, h)
    else
      local py = key.along(p.axes.y, r.at * p.axes.y.factor, h)
      segment(0, py, w, py)
    end
  end
  for _, t in ipairs(p.panel.texts) do
    local px, py = key.along(p.axes.x, t.x * p.axes.x.factor, w), key.along(p.axes.y, t.y * p.axes.y.factor, h)
    segment(px, py, px + text.width(t.text) * cell * 1.5, py)
  end
  return grid, nx, ny
end

local corners = { { 1, 1 }, { 0, 1 }, { 1, 0 }, { 0, 0 }, { 0.5, 1 }, { 0.5, 0 }, { 1, 0.5 }, { 0, 0.5 } }

local function free(grid, nx, ny, i0, j0, i1, j1)
  if i0 < 0 or j0 < 0 or i1 >= nx or j1 >= ny then return false end
  for j = j0, j1 do
    for i = i0, i1 do if grid[j * nx + i] then return false end end
  end
  return true
end

local function column(p, s, x, top)
  local items = {}
  for i, l in ipairs(p.entries) do
    items[i] = { layer = l, x = x + (2.3 - sample(l)) / 2 * s, y = top - (i - 0.5) * line * s - 0.2 * s, sample = sample(l) * s,
                 words = x + (2.3 + gap) * s }
  end
  return { items = items }
end

function key.place(p, style, shared)
  local s = style.size
  local n = #p.entries
  local wanted = p.panel.key
  if n == 0 or wanted == false or shared then return nil end
  local w, h = p.box.r - p.box.l, p.box.t - p.box.b
  if wanted == "above" or p.three then return above(p.entries, s, w) end
  local need_w, need_h = 0, (n * line + 0.4) * s
  for _, l in ipairs(p.entries) do need_w = max(need_w, (2.3 + gap + text.width(l.label)) * s) end
  local cell = s / 3
  local grid, nx, ny = occupied(p, w, h, cell)
  if not grid or need_h > 0.6 * h then return above(p.entries, s, w) end
  local pad = 0.6 * s
  for _, c in ipairs(corners) do
    local x = pad + c[1] * (w - need_w - 2 * pad)
    local y = pad + c[2] * (h - need_h - 2 * pad)
    if x >= 0 and y >= 0 and free(grid, nx, ny, max(0, floor(x / cell) - 1), max(0, floor(y / cell) - 1),
                                  min(nx - 1, ceil((x + need_w) / cell)), min(ny - 1, ceil((y + need_h) / cell))) then
      return column(p, s, x, y + need_h)
    end
  end
  return above(p.entries, s, w)
end

return key
