-- From a plan to gnuplot commands. Text goes through quote, numbers through num, words are fixed:
-- there is no other way into a script.

local gnuplot = require "knock.gnuplot"
local axis = require "knock.draw.axis"
local layer = require "knock.draw.layer"
local text = require "knock.draw.text"
local words = require "knock.draw.words"

local script = {}
local num, quote = layer.num, gnuplot.quote
local ceil = math.ceil

local function put(out, format, ...) out[#out + 1] = format:format(...) end

local function string_of(out, x, plain)
  local s, word = text.gnuplot(x, out.mode, quote)
  return plain and s or s .. " " .. word
end

-- tic labels are formats for gnuplot: a percent sign is doubled
local function tic_string(s) return quote((s:gsub("%%", "%%%%"))) end

local function tics(out, which, a, mirror)
  if a.show == false then return put(out, "unset %stics", which) end
  local near = { x = out.mode == "svg" and " offset 0,0.5" or " offset 0,0.1", y = " offset 0.35,0", cb = " offset -0.6,0" }
  local look = (mirror and "" or " nomirror") .. (out.mode ~= "dumb" and not out.three and near[which] or "")
  if a.labels then
    local list = {}
    for i, pair in ipairs(a.labels) do list[i] = tic_string(pair[1]) .. " " .. num(pair[2] * a.factor) end
    return put(out, "set %stics (%s) noenhanced%s", which, table.concat(list, ", "), look)
  end
  if a.log then
    put(out, "set logscale %s", which)
    local first = 10.0 ^ (ceil(math.log(a.low, 10) / a.every - 1e-9) * a.every)
    put(out, "set %stics %s,%s%s", which, num(first), num(10.0 ^ a.every), look)
    return put(out, "set format %s %s", which, out.mode == "tex" and "'$10^{%T}$'" or "'10^{%T}'")
  end
  local format = (out.mode == "tex" and "'$%%.%df$'" or "'%%.%df'"):format(a.decimals)
  put(out, "set %stics %s,%s%s", which, num(ceil(a.low / a.step - 1e-9) * a.step + 0.0), num(a.step), look)
  put(out, "set format %s %s", which, format)
end

-- range and tics; labels too where gnuplot places them well (text and 3D)
local function one_axis(out, which, a, label, own_label)
  put(out, "set %srange [%s:%s]", which, num(a.from or a.low), num(a.to or a.high))
  tics(out, which, a, out.mirror)
  if own_label and label and text.plain(label) ~= "" then
    if out.mode == "dumb" and which == "y" then return end -- stands in the heading
    local turn = which == "z" and out.mode ~= "dumb" and " rotate by 90" or ""
    put(out, "set %slabel %s%s", which, string_of(out, label), turn)
  end
end

-- labels of plane axes, at the same distance in every panel of a row or column
local function axis_labels(out, plan, p)
  local s, box = plan.style.size, p.box
  for i, row in ipairs(p.lines.x) do
    local down = (p.axes.x.show == false and 0.95 or 2.35) + (i - 1) * words.line
    put(out, "set label %d at screen %s,%s %s center", i == 1 and 902 or 910 + i, num((box.l + box.r) / 2 / plan.w),
        num((box.b - down * s) / plan.h), string_of(out, row))
  end
  for i, row in ipairs(p.lines.y) do
    put(out, "set label %d at screen %s,%s %s center rotate by 90", i == 1 and 903 or 920 + i,
        num((box.outer + (0.8 + (i - 1) * words.line) * s) / plan.w), num((box.b + box.t) / 2 / plan.h), string_of(out, row))
  end
end

local function place_box(out, plan, p)
  local box = p.box
  if p.three then -- margins would be ignored by the scaling of the view
    put(out, "set origin %s,%s", num(box.l / plan.w), num(box.b / plan.h))
    return put(out, "set size %s,%s", num((box.r - box.l) / plan.w), num((box.t - box.b) / plan.h))
  end
  put(out, "set lmargin at screen %s", num(box.l / plan.w))
  put(out, "set rmargin at screen %s", num(box.r / plan.w))
  put(out, "set bmargin at screen %s", num(box.b / plan.h))
  put(out, "set tmargin at screen %s", num(box.t / plan.h))
end

local function heading(out, plan, p)
  if out.mode == "dumb" then -- with the label of y, which has no room beside the axis
    local both = (text.plain(p.heading or "") .. "  " .. text.plain(p.ylabel or "")):match "^%s*(.-)%s*$"
    return both ~= "" and put(out, "set label 903 at graph 0,1 %s left offset 0,1", string_of(out, both))
  end
  if not p.heading or text.plain(p.heading) == "" then return end
  local x = plan.letters and p.box.outer + 0.2 * plan.style.size or p.box.l
  for i, row in ipairs(p.lines.heading) do
    put(out, "set label %d at screen %s,%s %s left", i == 1 and 901 or 930 + i, num(x / plan.w),
        num((p.box.top - (0.75 + (i - 1) * words.line) * plan.style.size) / plan.h), string_of(out, row))
  end
end

-- The key is drawn here, not by gnuplot: samples and words at the places that key.lua found, the
-- same in every terminal.
local function key_sample(out, plan, item, n, x, y)
  local l, style = item.layer, plan.style
  local function at(px, py) return ("screen %s,%s"):format(num(px / plan.w), num(py / plan.h)) end
  local look = layer.sample(l, style)
  if look.fill then
    put(out, "set object %d rectangle from %s to %s fillcolor rgb '%s' fillstyle solid %s noborder", n, at(x, y - 0.3 * style.size),
        at(x + item.sample, y + 0.3 * style.size), layer.colour(l, style), num(l.opacity or 1))
  elseif look.point then
    put(out, "set label %d '' at %s point %s front", n + 1, at(x + item.sample / 2, y), look.point)
  else
    -- SVG joins lines of one colour and one width, and with them their dashes: no two widths are the same
    local stroke = out.mode == "svg" and look.stroke:gsub("linewidth ([%d.]+)", function(w) return "linewidth " .. num(w + n * 1e-4) end) or look.stroke
    put(out, "set arrow %d from %s to %s %s front %s", n, at(x, y), at(x + item.sample, y), look.head or "nohead", stroke)
  end
end

-- the items of a key, from a corner of the page
local function key_items(out, plan, items, left, base)
  for i, item in ipairs(items) do
    local x, y, n = left + item.x, base + item.y, 500 + 2 * i
    if not item.bare then key_sample(out, plan, item, n, x, y) end
    local words = item.words and left + item.words or x + item.sample + 0.5 * plan.style.size
    put(out, "set label %d at screen %s,%s %s left front", n, num(words / plan.w), num(y / plan.h), string_of(out, item.label or item.layer.label))
  end
end

local function the_key(out, plan, p)
  if out.mode == "dumb" then
    if #p.entries == 0 then return put(out, "unset key") end
    return put(out, "set key outside below Left reverse noautotitle")
  end
  put(out, "unset key")
  if p.key then key_items(out, plan, p.key.items, p.box.l, p.key.above and p.box.t or p.box.b) end
  if plan.key and p == plan.panels[1] then key_items(out, plan, plan.key.items, p.box.l, plan.h - plan.head_room) end
end

local function look_of(out, plan, p)
  local style = plan.style
  for _, command in ipairs(style.commands) do out[#out + 1] = command end
  local scale = style.size / 8
  put(out, "set tics in scale %s,%s font ',%s'", num(0.5 * scale), num(0.25 * scale), num(style.size))
  if style.grid > 0 and not p.panel.bare and out.mode ~= "dumb" then
    put(out, "set grid back linetype 1 linewidth %s linecolor rgb '#DDDDDD' dashtype solid", num(style.grid))
  end
  put(out, "set encoding utf8")
  put(out, "set minussign")
  put(out, "set clip two")
end

-- is it on the axis? gnuplot would draw a line beside its box, through other panels
local function on_axis(a, at)
  local low, high = a.from or a.low, a.to or a.high
  return at >= math.min(low, high) and at <= math.max(low, high)
end

-- lines across the whole box, behind the data
local function rules(out, plan, p)
  for i, r in ipairs(p.panel.rules) do
    local a = p.axes[r.axis]
    local at = num(r.at * a.factor)
    local on_frame = out.mode == "dumb" and (at == num(a.low) or at == num(a.high)) -- text has no room beside it
    local from, to = at .. ", graph 0", at .. ", graph 1"
    local whole = out.mode == "dumb" and "0.98" or "1"
    if r.axis == "y" then from, to = "graph 0, first " .. at, ("graph %s, first %s"):format(whole, at) end
    if r.axis == "x" then from, to = "first " .. from, "first " .. to end
    if on_axis(a, r.at * a.factor) and not on_frame then put(out, "set arrow %d from %s to %s nohead back linecolor rgb '%s' linewidth %s %s", i, from, to,
        layer.colour({ colour = r.colour or "grey" }, plan.style), num(r.width or plan.style.frame),
        layer.dash({ dash = r.dash or "solid" }, plan.style)) end
  end
end

local sides = { left = "left", right = "right", center = "center" }

local function texts(out, plan, p)
  local size = plan.style.size
  for i, t in ipairs(p.panel.texts) do
    local at = ("first %s,%s"):format(num(t.x * p.axes.x.factor), num(t.y * p.axes.y.factor))
    if t.z then at = at .. "," .. num(t.z * p.axes.z.factor) end
    if t.frame == "graph" then at = ("graph %s,%s"):format(num(t.x), num(t.y)) end
    local turn = t.angle and out.mode ~= "dumb" and (" rotate by %s"):format(num(t.angle)) or ""
    put(out, "set label %d at %s %s %s%s offset %s,%s font ',%s' textcolor rgb '%s' front", i, at, string_of(out, t.text),
        sides[t.side] or "left", turn, num(t.dx or 0), num(t.dy or 0), num((t.size or 1) * size),
        layer.colour({ colour = t.colour or "black" }, plan.style))
  end
end

local palettes = { -- perceptually even, light to dark or diverging, also in greyscale
  viridis = "0 '#440154', 0.25 '#3B528B', 0.5 '#21918C', 0.75 '#5EC962', 1 '#FDE725'",
  cividis = "0 '#00224E', 0.25 '#434E6C', 0.5 '#7D7C78', 0.75 '#BCAE6C', 1 '#FEE838'",
  diverging = "0 '#2166AC', 0.25 '#92C5DE', 0.5 '#F7F7F7', 0.75 '#F4A582', 1 '#B2182B'",
  grey = "0 '#000000', 1 '#FFFFFF'",
}

local function colours(out, plan, p)
  local a = p.colour_axis
  if not a then return put(out, "unset colorbox") end
  local s = plan.style.size
  put(out, "set palette defined (%s)", palettes[(p.panel.c or {}).palette or "viridis"] or palettes.viridis)
  put(out, "set cbrange [%s:%s]", num(a.low), num(a.high))
  tics(out, "cb", a)
  if p.clabel and text.plain(p.clabel) ~= "" then put(out, "set cblabel %s", string_of(out, p.clabel)) end
  if out.mode == "dumb" then return end
  put(out, "set colorbox user origin screen %s,%s size screen %s,%s border", num((p.box.r + 0.7 * s) / plan.w),
      num(p.box.b / plan.h), num(0.9 * s / plan.w), num((p.box.t - p.box.b) / plan.h))
end

local function three_d(out, plan, p)
  local view = p.panel.view or { 65, 35 }
  put(out, "set view %s,%s,%s", num(view[1]), num(view[2]), num(view[3] or 1.15))
  put(out, "set xyplane at %s", num(p.axes.z.low))
  put(out, "set border 4095 linewidth %s linecolor rgb '#BFBFBF'", num(plan.style.frame * 0.8))
  one_axis(out, "z", p.axes.z, p.zlabel, true)
  for _, which in ipairs { "x", "y", "z" } do put(out, "set %stics textcolor rgb 'black'", which) end
  put(out, "set xtics offset 0,-0.3\nset ytics offset 0,-0.3\nset zlabel offset 0.5,0")
  -- gnuplot's SVG puts these labels farther out than its PDF
  put(out, out.mode == "svg" and "set xlabel offset 1.5,0.5\nset ylabel offset -2.5,0.5" or "set xlabel offset 0,-0.6\nset ylabel offset 0,-0.6")
end

local function clauses(out, plan, p, index, data)
  local list, curves = {}, 0
  for i, l in ipairs(p.panel.layers) do
    local using, with, before = layer.kinds[l.kind].draw(l, plan.style, i)
    if before then put(out, "%s", before) end
    if out.mode == "dumb" and (with:find "^with lines" or with:find "^with steps") then
      curves = curves + 1 -- text tells curves by their signs, which go by linetype
      with = with:gsub("^with %a+", "%0 linetype " .. curves)
    end
    local title = l.label and l.label ~= "" and "title " .. string_of(out, l.label) or "notitle"
    local source, instead = data(index, i)
    list[i] = ("%s %s %s"):format(source, instead or using .. " " .. with, title)
  end
  if #list == 0 then list[1] = "1/0 notitle" end
  return (p.three and "splot " or "plot ") .. table.concat(list, ", \\\n  ")
end

local function one_panel(out, plan, index, data)
  local p = plan.panels[index]
  out.three, out.mirror = p.three, plan.style.mirror ~= 0
  look_of(out, plan, p)
  if out.mode ~= "dumb" then place_box(out, plan, p) end
  local theirs = p.three or out.mode == "dumb"
  one_axis(out, "x", p.axes.x, p.xlabel, theirs)
  one_axis(out, "y", p.axes.y, p.ylabel, theirs)
  if p.three then three_d(out, plan, p) end
  if not theirs and not p.panel.bare then axis_labels(out, plan, p) end
  colours(out, plan, p)
  if p.panel.bare then put(out, "unset border\nunset tics\nunset grid\nunset xlabel\nunset ylabel") end
  heading(out, plan, p)
  the_key(out, plan, p)
  rules(out, plan, p)
  texts(out, plan, p)
  put(out, "%s", clauses(out, plan, p, index, data))
end

-- the commands that draw one page; data(panel, layer) names the source of a layer
function script.page(plan, mode, data)
  local out = { mode = mode }
  local many = #plan.panels > 1 or (plan.title and text.plain(plan.title) ~= "")
  if many then put(out, mode == "dumb" and "set multiplot layout %d,%d" or "set multiplot", plan.rows, plan.cols) end
  for i = 1, #plan.panels do
    if i > 1 then put(out, "reset") end
    if i == 1 and plan.title_room > 0 and mode ~= "dumb" then
      for line, row in ipairs(plan.lines) do
        put(out, "set label %d at screen 0.5,%s %s center", line == 1 and 900 or 940 + line,
            num(1 - (0.8 + (line - 1) * words.line) * plan.style.size / plan.h), string_of(out, row))
      end
    end
    one_panel(out, plan, i, data)
  end
  if many then put(out, "unset multiplot") end
  out[#out + 1] = ""
  return table.concat(out, "\n")
end

return script
