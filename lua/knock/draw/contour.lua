-- Contour lines of values on a grid by marching squares: z[j][i] at x[i], y[j].

local contour = {}

-- lowest and highest value that is a number
function contour.range(z)
  local low, high = math.huge, -math.huge
  for _, row in ipairs(z) do
    for i = 1, #row do
      local v = row[i]
      if v == v then low, high = math.min(low, v), math.max(high, v) end
    end
  end
  return low, high
end

-- round levels between the lowest and the highest value
function contour.levels(z, count)
  local low, high = contour.range(z)
  local out = {}
  if not (high > low) then return out end
  local a = require "knock.draw.axis".linear(low, high, count, 0)
  for i = math.ceil(low / a.step), math.floor(high / a.step) do
    local level = i * a.step
    if level > low and level < high then out[#out + 1] = level end
  end
  return out
end

-- where the level crosses between two corners, from 0 to 1
local function part(a, b, level) return (level - a) / (b - a) end

-- the crossings of one cell in order round it: bottom, right, top, left
local function crossings(x0, x1, y0, y1, a, b, c, d, level)
  local out = {}
  if (a < level) ~= (b < level) then out[#out + 1] = { x0 + (x1 - x0) * part(a, b, level), y0, "h0" } end
  if (b < level) ~= (c < level) then out[#out + 1] = { x1, y0 + (y1 - y0) * part(b, c, level), "v1" } end
  if (d < level) ~= (c < level) then out[#out + 1] = { x0 + (x1 - x0) * part(d, c, level), y1, "h1" } end
  if (a < level) ~= (d < level) then out[#out + 1] = { x0, y0 + (y1 - y0) * part(a, d, level), "v0" } end
  return out
end

-- segments keyed by the edges they end on, so that they can be joined
local function segments(x, y, z, level)
  local ends = {}
  local function name(i, j, side)
    if side == "h0" then return "h" .. i .. "," .. j end
    if side == "h1" then return "h" .. i .. "," .. j + 1 end
    if side == "v0" then return "v" .. i .. "," .. j end
    return "v" .. i + 1 .. "," .. j
  end
  local list = {}
  for j = 1, #y - 1 do
    for i = 1, #x - 1 do
      local a, b, c, d = z[j][i], z[j][i + 1], z[j + 1][i + 1], z[j + 1][i]
      if a == a and b == b and c == c and d == d then
        local p = crossings(x[i], x[i + 1], y[j], y[j + 1], a, b, c, d, level)
        -- a saddle: the mean tells which corners belong together
        if #p == 4 and ((a + b + c + d) / 4 < level) == (a < level) then p = { p[1], p[2], p[3], p[4] }
        elseif #p == 4 then p = { p[1], p[4], p[2], p[3] } end
        for k = 1, #p - 1, 2 do
          local s = { p[k], p[k + 1], name(i, j, p[k][3]), name(i, j, p[k + 1][3]) }
          list[#list + 1] = s
          for e = 3, 4 do
            ends[s[e]] = ends[s[e]] or {}
            table.insert(ends[s[e]], s)
          end
        end
      end
    end
  end
  return list, ends
end

-- follows segments from one end as far as they go
local function follow(s, out_end, ends, used, put)
  while true do
    local at, edge = s[out_end - 2], s[out_end]
    put(at)
    local next_one
    for _, other in ipairs(ends[edge]) do if not used[other] then next_one = other end end
    if not next_one then return end
    used[next_one] = true
    out_end = next_one[3] == edge and 4 or 3
    s = next_one
  end
end

-- x and y of all lines of one level, with NaN between them
function contour.lines(x, y, z, level)
  local list, ends = segments(x, y, z, level)
  local used, xs, ys = {}, {}, {}
  for _, s in ipairs(list) do
    if not used[s] then
      used[s] = true
      local back, forth = {}, {}
      follow(s, 3, ends, used, function(p) back[#back + 1] = p end)
      follow(s, 4, ends, used, function(p) forth[#forth + 1] = p end)
      for i = #back, 1, -1 do xs[#xs + 1], ys[#ys + 1] = back[i][1], back[i][2] end
      for i = 1, #forth do xs[#xs + 1], ys[#ys + 1] = forth[i][1], forth[i][2] end
      xs[#xs + 1], ys[#ys + 1] = 0 / 0, 0 / 0
    end
  end
  return xs, ys
end

-- of some places on a line the one farthest from the numbers that are there already; the middle when there are none
local function free_place(x, y, first, long, sx, sy, taken)
  local best, most
  for _, part in ipairs { 0.5, 0.35, 0.65, 0.2, 0.8 } do
    local i, least = first + math.floor(part * (long - 1)), math.huge
    for _, t in ipairs(taken) do least = math.min(least, ((x[i] - t[1]) / sx) ^ 2 + ((y[i] - t[2]) / sy * 1.5) ^ 2) end
    if not best or least > most * 1.2 then best, most = i, least end
  end
  taken[#taken + 1] = { x[best], y[best] }
  return best
end

-- The lines with points so close that a gap of a few hundredths of the grid can be cut.
local function denser(x, y, sx, sy)
  local xs, ys = {}, {}
  for i = 1, #x do
    xs[#xs + 1], ys[#ys + 1] = x[i], y[i]
    local dx, dy = (x[i + 1] or x[i]) - x[i], (y[i + 1] or y[i]) - y[i]
    local far = math.max(math.abs(dx) / sx, math.abs(dy) / sy)
    for k = 1, far == far and math.ceil(far / 0.01) - 1 or 0 do
      local part = k / math.ceil(far / 0.01)
      xs[#xs + 1], ys[#ys + 1] = x[i] + dx * part, y[i] + dy * part
    end
  end
  return xs, ys
end

-- The place for the level's number: on the longest line, away from those in `taken`, and the line with a gap there.
-- Sizes are parts of the grid's, so that the gap is the same in all panels. Short lines stay whole.
function contour.gap(x, y, grid_x, grid_y, taken)
  local sx, sy = math.abs(grid_x[#grid_x] - grid_x[1]), math.abs(grid_y[#grid_y] - grid_y[1])
  local best
  local from, first, long = 1, 1, 0
  x, y = denser(x, y, sx, sy)
  for i = 1, #x do
    if x[i] ~= x[i] then
      if i - from > long then long, first = i - from, from end
      from = i + 1
    end
  end
  local length = 0
  for i = first + 1, first + long - 1 do length = length + math.abs(x[i] - x[i - 1]) / sx + math.abs(y[i] - y[i - 1]) / sy end
  if length < 0.3 then return x, y end
  best = free_place(x, y, first, long, sx, sy, taken)
  local px, py, xs, ys = x[best], y[best], {}, {}
  for i = 1, #x do
    local near = math.abs(x[i] - px) / sx < 0.07 and math.abs(y[i] - py) / sy < 0.045
    xs[i], ys[i] = near and 0 / 0 or x[i], near and 0 / 0 or y[i]
  end
  return xs, ys, px, py
end

-- between grid points, by halves of the cells
local function finer(list, times)
  local out = {}
  for i = 1, #list - 1 do
    for k = 0, times - 1 do out[#out + 1] = list[i] + (list[i + 1] - list[i]) * k / times end
  end
  out[#out + 1] = list[#list]
  return out
end

-- the grid with each value in the middle of its band between two levels
function contour.bands(x, y, z, levels)
  local low, high = contour.range(z)
  local edges = { low }
  for _, level in ipairs(levels) do edges[#edges + 1] = level end
  edges[#edges + 1] = high
  local function band(v)
    for i = 2, #edges do if v <= edges[i] then return (edges[i - 1] + edges[i]) / 2 end end
    return v
  end
  local times = math.max(1, math.ceil(160 / math.max(#x, #y)))
  local fx, fy, fz = finer(x, times), finer(y, times), {}
  for j = 1, #fy do
    fz[j] = {}
    local j0, b = math.min((j - 1) // times + 1, #y - 1), 0
    b = (fy[j] - y[j0]) / (y[j0 + 1] - y[j0])
    for i = 1, #fx do
      local i0 = math.min((i - 1) // times + 1, #x - 1)
      local a = (fx[i] - x[i0]) / (x[i0 + 1] - x[i0])
      fz[j][i] = band((1 - b) * ((1 - a) * z[j0][i0] + a * z[j0][i0 + 1]) + b * ((1 - a) * z[j0 + 1][i0] + a * z[j0 + 1][i0 + 1]))
    end
  end
  return { x = fx, y = fy, z = fz }
end

return contour
