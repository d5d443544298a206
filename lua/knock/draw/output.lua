-- Where a plan goes: files by their ending, and the terminal. gnuplot draws into its own folder;
-- what comes out is put into its place whole, or not at all.

local gnuplot = require "knock.gnuplot"
local host = require "knock.host"
local layer = require "knock.draw.layer"
local script = require "knock.draw.script"
local text = require "knock.draw.text"

local output = {}
local num, floor = layer.num, math.floor

local function font(style) return gnuplot.quote(("%s,%s"):format(style.font, num(style.size))) end
local function cm(pt) return num(pt * 2.54 / 72) .. "cm" end

-- lines are in points in every terminal: gnuplot's unit differs, so the terminal's own factor does it
local terminals = {
  pdf = { mode = "cairo", line = function(plan)
    return ("pdfcairo size %s,%s font %s fontscale 0.75 linewidth 2 dashlength 2.2"):format(cm(plan.w), cm(plan.h), font(plan.style))
  end },
  svg = { mode = "svg", line = function(plan)
    return ("svg size %d,%d font %s linewidth 1 dashlength 1.1 background rgb 'white'"):format(floor(plan.w + 0.5), plan.h, font(plan.style))
  end },
  png = { mode = "cairo", line = function(plan)
    local dpi = plan.style.dpi
    return ("pngcairo size %d,%d font %s fontscale %s linewidth %s pointscale %s dashlength 2.2"):format(
      floor(plan.w * dpi / 72 + 0.5), floor(plan.h * dpi / 72 + 0.5), font(plan.style), num(dpi / 96), num(dpi / 72), num(dpi / 72))
  end },
  tex = { mode = "tex", line = function(plan)
    local size = plan.style.size -- the document's own font, in the size that the layout is made for
    return ("cairolatex pdf input header '\\fontsize{%s}{%s}\\selectfont' size %s,%s font ',%s' linewidth 4 dashlength 2.2"):format(
      num(size), num(1.2 * size), cm(plan.w), cm(plan.h), num(size))
  end },
  txt = { mode = "dumb", line = function(_, wide, high) return ("dumb size %d,%d noenhanced mono"):format(wide or 79, high or 24) end },
}
output.terminals = terminals

-- ---- what gnuplot leaves in files that is not the same every time, or not right --------------------

local polish = {}

-- The size in points, so that the page is as large as in print. Blanks at a change of fonts are dropped unless text
-- says that it wants them. Empty groups tell with which pen the picture before this one ended.
function polish.svg(bytes)
  return (bytes:gsub("<g [^<>]*>%s*</g>\n", ""):gsub("<text>", '<text xml:space="preserve">'):gsub('width="(%d+)" height="(%d+)"', 'width="%1pt" height="%2pt"', 1)
    :gsub("<desc>.-</desc>", "<desc>knock</desc>", 1):gsub("<title>Gnuplot</title>", "<title>knock</title>", 1))
end

-- a date as long as the one it replaces keeps every offset in the file
function polish.pdf(bytes)
  return (bytes:gsub("/CreationDate %(D:%d+", function(s) return "/CreationDate (D:" .. ("2000010100000000"):sub(1, #s - 17) end))
end

-- ---- data --------------------------------------------------------------------------------------------

-- writes the columns into the session's folder; returns data(panel, layer)
local function binary(plan, frame)
  frame = frame or ""
  for i, p in ipairs(plan.panels) do
    for j, columns in ipairs(p.columns) do gnuplot.data(("d%s-%d-%d"):format(frame, i, j), p.pictures[j] or columns) end
  end
  return function(i, j)
    local columns, picture = plan.panels[i].columns[j], plan.panels[i].pictures[j]
    if picture then
      return ("'d%s-%d-%d' binary array=(%d,%d) format='%%4double' origin=(%s,%s) dx=%s dy=%s"):format(frame, i, j, picture.w, picture.h,
        num(picture.x), num(picture.y), num(picture.dx), num(picture.dy)), "using 1:2:3:4 with rgbalpha"
    end
    return ("'d%s-%d-%d' binary record=(%d) format='%%%ddouble'"):format(frame, i, j, #columns[1], #columns)
  end
end

local function row(columns, k)
  local cells = {}
  for c, column in ipairs(columns) do cells[c] = ("%.17g"):format(column[k]):gsub("^%-?nan$", "NaN") end
  return table.concat(cells, " ")
end

-- A name in a kept script. Where it begins with "<" or "|" gnuplot would run it, "~" and "-" mean something
-- else as well: from "./" on it is a file.
local function file_name(name) return gnuplot.quote(name:match "^%w" and name or "./" .. name) end

-- the same columns as text, one block per layer, with a line that says what they are
local function readable(plan)
  local out, block = {}, {}
  local count = 0
  for i, p in ipairs(plan.panels) do
    for j, columns in ipairs(p.columns) do
      local l = p.panel.layers[j]
      local names = table.concat(layer.kinds[l.kind].columns, " ")
      local words = ("# panel %d, %s: %s; axes: %s, %s"):format(i, l.kind, names, text.plain(p.xlabel), text.plain(p.ylabel))
      if l.label then words = words .. "; " .. text.plain(l.label) end
      out[#out + 1] = words:gsub("%c", " ")
      for k = 1, #columns[1] do out[#out + 1] = row(columns, k) end
      out[#out + 1], out[#out + 2] = "", ""
      block[i .. "-" .. j] = count
      count = count + 1
    end
  end
  return table.concat(out, "\n") .. "\n", function(name)
    return function(i, j) return ("%s index %d"):format(file_name(name), block[i .. "-" .. j]) end
  end
end

-- ---- files -------------------------------------------------------------------------------------------

local function split(path)
  local folder, name = path:match "^(.*/)([^/]*)$"
  if not folder then folder, name = "", path end
  local stem, ending = name:match "^(.+)%.(%w+)$"
  return folder, stem, ending and ending:lower()
end

local function check_path(path)
  if type(path) ~= "string" then host.fail("save: a file name was expected, got " .. host.got(path)) end
  local folder, stem, ending = split(path)
  if not terminals[ending] then
    host.fail(("save: '%s' must end in .pdf, .svg, .png, .tex or .txt"):format(path))
  end
  if path:find "%c" then host.fail "save: control characters in the file name" end
  if ending == "tex" and not stem:match "^[%w._+-]+$" then
    host.fail(("save: LaTeX needs a name of letters, digits, '-' and '_', got '%s'"):format(stem))
  end
  return folder, stem, ending
end

local warned = {}

-- draws; what gnuplot warns of is said, each thing once
local function run(script)
  local warning = gnuplot.run(script)
  if warning ~= "" and not warned[warning] then io.stderr:write(("knock: gnuplot: %s\n"):format((warning:gsub("%c", "?")))) end
  warned[warning] = true
end
output.run = run

local function draw(plan, ending, data, ...)
  local t = terminals[ending]
  local name = "out." .. ending
  local page = script.page(plan, t.mode, data)
  run(("set terminal %s\nset output '%s'\n%s"):format(t.line(plan, ...), name, page))
  local bytes = gnuplot.take(name)
  return polish[ending] and polish[ending](bytes) or bytes
end

-- LaTeX takes the lines from a PDF beside the text
local function publish_tex(folder, stem, bytes)
  local graphics = polish.pdf(gnuplot.take "out.pdf")
  gnuplot.publish(folder .. stem .. "-inc.pdf", graphics)
  bytes = bytes:gsub("’", "'") -- gnuplot has no way to write two quotes in a row
  bytes = bytes:gsub("[^\n]*\\definecolor{tbcol}[^\n]*\n", "") -- nothing uses it, and it needs the package color
  bytes = bytes:gsub("{out}", function() return "{" .. stem .. "-inc}" end)
  gnuplot.publish(folder .. stem .. ".tex", bytes)
end

-- Data and a script that draws the figure by gnuplot alone, one for each format: gnuplot x.pdf.gp. For LaTeX gnuplot
-- draws two files of one name, so its script draws x-inc.tex and x-inc.pdf: no script touches the file of another.
function output.keep(plan, folder, stem, ending)
  local bytes, source = readable(plan)
  ending = ending or "pdf"
  local t = terminals[ending]
  local shown = stem:gsub("%c", " ")
  local drawn = ending == "tex" and "-inc.tex" or "." .. ending
  local lines = {
    ("# draws %s%s from %s.dat: gnuplot %s.%s.gp"):format(shown, drawn, shown, shown, ending),
    "set encoding utf8",
    "set terminal " .. t.line(plan),
    "set output " .. file_name(stem .. drawn),
    script.page(plan, t.mode, source(stem .. ".dat")),
    "set output", "",
  }
  gnuplot.publish(folder .. stem .. ".dat", bytes)
  gnuplot.publish(("%s%s.%s.gp"):format(folder, stem, ending), table.concat(lines, "\n"))
end

-- gnuplot is missing, went away, or its disk is full: not the script's fault
local function no_gnuplot(message)
  return message:find("not found: install it", 1, true) or message:find("cannot be started", 1, true) or message:find("gnuplot died", 1, true)
    or message:find("picture is not whole", 1, true) or message:find("has drawn nothing", 1, true)
end

-- without gnuplot the data are not lost
local function draw_or_keep(plan, ending, data, folder, stem)
  local ok, result = pcall(draw, plan, ending, data)
  if ok then return result end
  if no_gnuplot(tostring(result)) then
    output.keep(plan, folder, stem, ending)
    result = tostring(result) .. ("; data and script are kept in %s%s.dat and %s.%s.gp"):format(folder, stem, stem, ending)
  end
  error(result, 0)
end

-- names without a folder of their own go to the folder of --out
function output.place(path)
  local out = host.options.out
  if not out or type(path) ~= "string" or path:sub(1, 1) == "/" or path:sub(1, #out + 1) == out .. "/" then return path end
  if not host.make_folder(out) then host.fail(("--out: cannot make the folder '%s'"):format(out)) end
  return out .. "/" .. path
end

function output.save(plan, paths, keep)
  local data
  for _, path in ipairs(paths) do
    local folder, stem, ending = check_path(path)
    data = data or binary(plan)
    local bytes = draw_or_keep(plan, ending, data, folder, stem)
    if ending == "tex" then publish_tex(folder, stem, bytes) else gnuplot.publish(path, bytes) end
    if keep then output.keep(plan, folder, stem, ending) end
  end
end

function output.text(plan, wide, high) return draw(plan, "txt", binary(plan), wide, high) end
output.binary, output.draw, output.split = binary, draw, split

return output
