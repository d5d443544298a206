-- From a figure to a plan: scaled and thinned columns, axes, boxes in points, the place of the key.

local gnuplot = require "knock.gnuplot"
local axis = require "knock.draw.axis"
local layer = require "knock.draw.layer"
local text = require "knock.draw.text"
local key = require "knock.draw.key"
local marks = require "knock.draw.marks"
local words = require "knock.draw.words"
local host = require "knock.host"
local options_of = require "knock.options"

local layout = {}
local max, min, floor, ceil = math.max, math.min, math.floor, math.ceil

-- ---- axes ----------------------------------------------------------------------------------------

-- does the curve run along zero for a while? There the frame would hide it.
local function lies_on_zero(l, which)
  if which == "z" or layer.kinds[l.kind].thin ~= "line" then return false end
  local count, step = 0, max(1, l.n // 500)
  for i = 1, l.n, step do
    count = l[which][i] == 0 and count + 1 or 0
    if count == 3 then return true end
  end
  return false
end

local function extent(panel, which, positive)
  local low, high, air, tight, flat = math.huge, -math.huge, 0, false, false
  for _, l in ipairs(panel.layers) do
    if l.counts ~= false then
      local a, b = layer.extent(l, which, positive)
      if a then low, high = min(low, a), max(high, b) end
      tight = tight or layer.kinds[l.kind].cells or l.tight
      flat = flat or lies_on_zero(l, which)
      if layer.kinds[l.kind].thin ~= "line" or which ~= "x" then air = max(air, layer.kinds[l.kind].air[which] or 0) end
    end
  end
  return low, high, air, tight, flat
end

local function checked_range(spec, which)
  local r = spec.range or {}
  local low, high = r[1], r[2]
  for i = 1, 2 do if r[i] ~= nil and type(r[i]) ~= "number" then host.fail(("plot: the range of %s must be numbers, got %s"):format(which, host.got(r[i]))) end end
  if low and high and not (high > low) then
    host.fail(("plot: the range of %s must go from low to high, got %s to %s"):format(which, host.got(low), host.got(high)))
  end
  return low, high
end

local axis_fields = { "label", "unit", "range", "log", "tics", "scale", "air", "show", "palette", "names" }
local panel_fields = { "x", "y", "z", "c", "title", "key", "equal", "bare", "letter", "view", "aspect", "at", "shades", "layers", "texts",
  "rules", "curves", "numbers" }

local function plan_axis(panel, which, count)
  local spec = panel[which] or {}
  options_of.only("plot: axis " .. which, spec, axis_fields)
  local low, high, air, tight, flat = extent(panel, which, spec.log)
  local data_low, data_high = low, high
  local fixed_low, fixed_high = checked_range(spec, which)
  low, high = min(low, fixed_low or low), max(high, fixed_high or high)
  if low > high then
    host.fail(("plot: no finite %svalue of %s to draw"):format(spec.log and "positive " or "", which))
  end
  if tight then fixed_low, fixed_high = fixed_low or low, fixed_high or high end
  if spec.log then
    local a = axis.log(low, high, fixed_low, fixed_high)
    a.factor, a.unit = 1, spec.unit
    return a
  end
  local factor, unit, exponent = 1, spec.unit, nil
  if spec.scale ~= false then
    factor, unit, exponent = axis.scale(max(math.abs(fixed_low or low), math.abs(fixed_high or high)), spec.unit or "")
  end
  local function f(x) return x and x * factor end
  if spec.air then air = spec.air end
  local a = axis.linear(f(fixed_low or low), f(fixed_high or high), count, air, f(fixed_low), f(fixed_high), not panel.equal and not flat, (unit or "") == "" and factor == 1 and not exponent and axis.whole(panel.layers, which))
  -- rounding dust beyond a limit is drawn, not clipped
  local dust = 1e-9 * (a.high - a.low)
  if a.low - f(data_low) < dust then a.from = min(a.low, f(data_low)) end
  if f(data_high) - a.high < dust then a.to = max(a.high, f(data_high)) end
  a.low0, a.high0 = a.low, a.high
  if type(spec.tics) == "number" then a.step, a.fixed_step = spec.tics * factor, true end
  if type(spec.tics) == "table" then a.labels = spec.tics end
  a.factor, a.unit, a.exponent = factor, unit, exponent
  return a
end

local superscript = { ["-"] = "⁻", ["0"] = "⁰", ["1"] = "¹", ["2"] = "²", ["3"] = "³", ["4"] = "⁴",
                      ["5"] = "⁵", ["6"] = "⁶", ["7"] = "⁷", ["8"] = "⁸", ["9"] = "⁹" }

local function axis_label(spec, a, style)
  local label = spec.label or ""
  local unit = a.unit
  if unit == "" or unit == "1" then unit = nil end
  if a.exponent then
    unit = "10" .. tostring(a.exponent):gsub(".", superscript) .. (unit and " " .. unit or "")
  end
  if not unit then return label end
  unit = unit:gsub("%^2", "²"):gsub("%^3", "³"):gsub("%*", "·"):gsub(" ", "\u{2009}")
  return label .. " " .. style.brackets:sub(1, 1) .. unit .. style.brackets:sub(2, 2)
end

-- equal scales on both axes: widen the range that is too narrow for the box
local function equalise(x, y, w, h)
  x.low, x.high, y.low, y.high = x.low0, x.high0, y.low0, y.high0
  local sx, sy = (x.high - x.low) / w, (y.high - y.low) / h
  local function widen(a, span)
    local centre = (a.low + a.high) / 2
    a.low, a.high = centre - span / 2, centre + span / 2
    a.from, a.to = nil, nil -- what is drawn is the widened range
  end
  if sx > sy then widen(y, sx * h) else widen(x, sy * w) end
end

-- ---- boxes ---------------------------------------------------------------------------------------

local function widest(labels)
  local w = 0
  for _, s in ipairs(labels) do w = max(w, text.width(s)) end
  return w
end

-- Numbers below an axis of w points keep this much apart, in letters; fewer tics where they do not.
local apart = 1.2

local function loosen(a, w, size)
  if a.log or a.labels or a.fixed_step then return end
  local function room() return a.step / (a.high - a.low) * w / size - widest(axis.labels(a)) end
  local count = floor((a.high - a.low) / a.step + 0.5)
  while room() < apart and count > 1 do
    count = count - 1
    axis.retic(a, count)
  end
end

-- tics whose numbers are no wider than `wide` font sizes, which is the room that is left for them
local function retic_within(a, count, wide)
  axis.retic(a, count)
  if count > 1 and widest(axis.labels(a)) > wide + 1e-9 then retic_within(a, count - 1, wide) end
end

local has = words.has

-- is the highest number of the axis at its very end, so that words above it would touch it?
local function tic_at_top(a)
  return a.show ~= false and not a.log and not a.labels and a.high - floor(a.high / a.step + 1e-9) * a.step < 0.05 * (a.high - a.low)
end

-- room around the box of one panel: left, right, bottom, top, in points
local function margins(p, style)
  local s = style.size
  local x, y = p.axes.x, p.axes.y
  local m = { l = 0.3 * s, r = 0.6 * s, b = 0.3 * s, t = (y.log and 0.9 or 0.5) * s } -- powers stand higher than numbers
  if p.panel.bare then
    m.r = 0.3 * s
  elseif p.three then
    local left = widest(axis.labels(p.axes.z)) + (has(p.zlabel) and 1.35 or 0) - 1.8 -- gnuplot's box stands 2.8 letters inside
    m = { l = max(0.5, left) * s, r = 2.2 * s, b = 0.8 * s, t = 0.2 * s }
  else
    p.wide = widest(axis.labels(y))
    if y.show ~= false then m.l = m.l + (p.wide + 0.5) * s end
    if has(p.ylabel) then m.l = m.l + (0.1 + words.line * #p.lines.y) * s end
    if x.show ~= false then m.b = m.b + 1.5 * s end
    if has(p.xlabel) then m.b = m.b + (0.1 + words.line * #p.lines.x) * s end
    local labels = axis.labels(x)
    local inside = x.labels and x.labels[1] and x.labels[#x.labels][2] * x.factor < x.high - 0.1 * (x.high - x.low)
    m.r = max(m.r, labels[1] and not inside and text.width(labels[#labels]) * s / 2 + 0.2 * s or 0)
  end
  if p.colour_axis then m.r = (widest(axis.labels(p.colour_axis)) + 2.3 + (has(p.clabel) and 1.4 or 0)) * s end
  if has(p.heading) then m.t = m.t + (has(p.panel.title) and tic_at_top(y) and 0.35 or 0) * s + words.line * #p.lines.heading * s end
  return m
end

local function largest(list, field)
  local m = 0
  for _, item in ipairs(list) do m = max(m, item[field]) end
  return m
end

-- margins shared along columns and rows, so that boxes line up
local function grid_margins(plan)
  local columns, rows = {}, {}
  for i = 1, plan.cols do columns[i] = { l = 0, r = 0 } end
  for i = 1, plan.rows do rows[i] = { b = 0, t = 0 } end
  for _, p in ipairs(plan.panels) do
    local m, c, r = p.margins, columns[p.col], rows[p.row]
    c.l, c.r = max(c.l, m.l), max(c.r, m.r)
    r.b, r.t = max(r.b, m.b), max(r.t, m.t + (p.key and p.key.above or 0))
  end
  return columns, rows
end

local function sum(list, a, b)
  local s = 0
  for _, item in ipairs(list) do s = s + item[a] + item[b] end
  return s
end

-- widths first, then heights: given by the page, or by the shape the panels want
local function widths(plan)
  local columns = grid_margins(plan)
  local gap = (plan.cols - 1) * plan.style.size * 0.6
  plan.inner_w = (plan.w - sum(columns, "l", "r") - gap) / plan.cols
  if plan.inner_w < 2 * plan.style.size then host.fail("plot: the figure is too narrow for its panels") end
end

local function wanted_height(p, w, style)
  if p.panel.aspect then return w * p.panel.aspect end
  if p.panel.equal then
    local x, y = p.axes.x, p.axes.y
    return max(0.12 * w, min(1.4 * w, w * (y.high0 - y.low0) / (x.high0 - x.low0)))
  end
  return w * (p.three and 0.85 or style.aspect)
end

local function heights(plan)
  local _, rows = grid_margins(plan)
  local gap = (plan.rows - 1) * plan.style.size * 0.5
  local title = has(plan.title) and (0.25 + words.line * #plan.lines) * plan.style.size or 0
  local shared = plan.key and plan.key.above + 0.35 * plan.style.size or 0
  local wanted = {}
  for i = 1, plan.rows do wanted[i] = 0 end
  for _, p in ipairs(plan.panels) do
    wanted[p.row] = max(wanted[p.row], wanted_height(p, plan.inner_w, plan.style))
  end
  local all = 0
  for i = 1, plan.rows do all = all + wanted[i] end
  local rest = sum(rows, "b", "t") + gap + title + shared
  plan.h = ceil(plan.given_h or all + rest)
  local scale = (plan.h - rest) / all
  if plan.h - rest < plan.rows * plan.style.size then host.fail("plot: the figure is too low for its panels") end
  plan.inner_h = {}
  for i = 1, plan.rows do plan.inner_h[i] = wanted[i] * scale end
  plan.title_room, plan.head_room = title, title + shared
end

local function place(plan)
  local columns, rows = grid_margins(plan)
  local gx, gy = plan.style.size * 0.6, plan.style.size * 0.5
  for _, p in ipairs(plan.panels) do
    local x = gx * (p.col - 1) + columns[p.col].l
    for c = 1, p.col - 1 do x = x + columns[c].l + columns[c].r + plan.inner_w end
    local y = plan.h - plan.head_room - gy * (p.row - 1) - rows[p.row].t
    for r = 1, p.row - 1 do y = y - rows[r].t - rows[r].b - plan.inner_h[r] end
    p.box = { l = x, r = x + plan.inner_w, t = y, b = y - plan.inner_h[p.row], outer = x - columns[p.col].l,
              top = y + rows[p.row].t, bottom = y - plan.inner_h[p.row] - rows[p.row].b, right = x + plan.inner_w + columns[p.col].r }
  end
end

-- ---- columns -------------------------------------------------------------------------------------

local along = { x = "x", dx = "x", w = "x", r = "x", y = "y", top = "y", dy = "y", z = "z" }
local enough = 2000 -- fewer points than this are drawn as they are

local function frame_of(p)
  local x, y, box = p.axes.x, p.axes.y, p.box
  local fine = 600 / 72 -- cells of 1/600 inch
  return { x0 = x.low, x1 = x.high, y0 = y.low, y1 = y.high, logx = x.log, logy = y.log,
           w = ceil((box.r - box.l) * fine), h = ceil((box.t - box.b) * fine) }
end

local too_many = 20000 -- points that are left: a picture of them is smaller, and looks the same

-- very many marks become a picture: coverage by 1/300 inch, in the colour of the layer
local function picture_of(p, l, out, style)
  if l.kind ~= "points" or p.three or #out[1] <= too_many or p.axes.x.log or p.axes.y.log then return nil end
  local frame = frame_of(p)
  frame.w, frame.h = frame.w + frame.w % 2, frame.h + frame.h % 2
  local radius = (l.size or style.point) / 2 * 600 / 72
  local cover = gnuplot.raster(frame, out[1], out[2], radius)
  local hex = layer.colour(l, style)
  local function flat(from) return gnuplot.column(cover, 0, tonumber(hex:sub(from, from + 1), 16)) end
  local w, h = frame.w // 2, frame.h // 2
  local dx, dy = (frame.x1 - frame.x0) / w, (frame.y1 - frame.y0) / h
  return { flat(2), flat(4), flat(6), gnuplot.column(cover, 255), w = w, h = h, dx = dx, dy = dy,
           x = frame.x0 + dx / 2, y = frame.y0 + dy / 2 }
end

local function columns_of(p, l)
  local kind, out = layer.kinds[l.kind], {}
  for i, name in ipairs(kind.columns) do
    local a = kind.cells and name == "z" and p.colour_axis or p.axes[along[name]]
    out[i] = gnuplot.column(l[name], a.factor)
  end
  if kind.thin and l.n > enough and not p.three and not l.merge then
    out = { gnuplot.thin(kind.thin, frame_of(p), table.unpack(out)) }
  end
  return out
end

local function letter(i) return "(" .. string.char(96 + (i - 1) % 26 + 1) .. ")" end

local function heading(plan, panel, i)
  local title = panel.title
  if not plan.letters then return title end
  if not has(title) then return panel.letter or letter(i) end
  return (panel.letter or letter(i)) .. " " .. title
end

local function colour_axis(panel)
  if panel.shades then -- lines coloured by a value: panel.shades = { low, high }
    return plan_axis({ layers = { { kind = "points3", z = gnuplot.column(panel.shades), tight = true } }, z = panel.c or {} }, "z", 4)
  end
  for _, l in ipairs(panel.layers) do
    if layer.kinds[l.kind].cells then
      local shown = { layers = { { kind = "points3", z = l.z, tight = true } }, z = panel.c or {} }
      return plan_axis(shown, "z", 4)
    end
  end
end

local function tic_counts(plan, rough_h)
  local s = plan.style.size
  return max(2, floor(plan.w / plan.cols / (5 * s))), max(2, floor(rough_h / (3.2 * s)))
end

local function begin_panel(plan, panel, i)
  local style = plan.style
  options_of.only("plot: panel " .. i, panel, panel_fields)
  local p = { panel = panel, row = (i - 1) // plan.cols + 1, col = (i - 1) % plan.cols + 1, axes = {} }
  if panel.at then p.row, p.col = panel.at[1], panel.at[2] end
  for _, l in ipairs(panel.layers) do p.three = p.three or layer.kinds[l.kind].three end
  local nx, ny = tic_counts(plan, plan.w / plan.cols * (panel.aspect or style.aspect) * 0.8)
  p.axes.x, p.axes.y = plan_axis(panel, "x", p.three and 4 or nx), plan_axis(panel, "y", p.three and 4 or ny)
  if p.three then p.axes.z = plan_axis(panel, "z", 4) end
  for _, which in ipairs { "x", "y", "z" } do
    local spec = panel[which] or {}
    if p.axes[which] then
      p.axes[which].show = spec.show
      p[which .. "label"] = axis_label(spec, p.axes[which], style)
    end
  end
  p.colour_axis = colour_axis(panel)
  if p.colour_axis then p.clabel = axis_label(panel.c or {}, p.colour_axis, style) end
  p.heading = heading(plan, panel, i)
  return p
end

function layout.plan(fig, style, size)
  local pt = 72 / 2.54
  local plan = { style = style, rows = fig.rows, cols = fig.cols, letters = fig.letters, title = fig.title,
                 w = (size.width or style.width) * pt, given_h = size.height and floor(size.height * pt + 0.5),
                 panels = {} }
  plan.lines = words.lines(plan.title, plan.w, style.size)
  for i, panel in ipairs(fig.panels) do
    if #panel.layers == 0 and not panel.bare then host.fail("plot: there is nothing to draw in panel " .. i) end
    plan.panels[i] = begin_panel(plan, panel, i)
  end
  local function arrange()
    for _, p in ipairs(plan.panels) do
      p.lines = words.of_panel(p, plan)
      p.margins = margins(p, style)
    end
    widths(plan)
    heights(plan)
    place(plan)
  end
  local function fit(last)
    for _, p in ipairs(plan.panels) do
      if p.panel.equal and not p.three then
        local w, h = p.box.r - p.box.l, p.box.t - p.box.b
        equalise(p.axes.x, p.axes.y, w, h)
        axis.retic(p.axes.x, max(2, floor(w / (5 * style.size))))
        retic_within(p.axes.y, max(2, floor(h / (2.6 * style.size))), last and p.wide or math.huge)
      end
      if not p.three then loosen(p.axes.x, p.box.r - p.box.l, style.size) end
    end
  end
  local function thin()
    for _, p in ipairs(plan.panels) do
      p.columns = {}
      for i, l in ipairs(p.panel.layers) do p.columns[i] = columns_of(p, l) end
      marks.thin(p, style)
      p.entries = key.entries(p.panel)
    end
  end
  local function paint()
    for _, p in ipairs(plan.panels) do
      p.pictures = {}
      for i, l in ipairs(p.panel.layers) do p.pictures[i] = picture_of(p, l, p.columns[i], style) end
    end
  end
  arrange() fit() arrange() fit() -- tics tell the margins, and the box tells the tics
  thin()
  local shared = key.shared(fig, plan.panels, style)
  if shared then
    local columns = grid_margins(plan)
    plan.key = key.lines(shared, style, plan.w - columns[1].l - columns[plan.cols].r)
  end
  for _, p in ipairs(plan.panels) do p.key = key.place(p, style, shared) end
  arrange() fit(true) -- with room for the keys that found no place inside
  thin()
  paint()
  return plan
end

return layout
