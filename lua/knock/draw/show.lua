-- Figures on the screen: a window, the terminal's own graphics, or text, by what is there.
-- KNOCK_TERM or --term says otherwise: window, sixel, text (dumb), or a file ending.

local gnuplot = require "knock.gnuplot"
local host = require "knock.host"
local layer = require "knock.draw.layer"
local output = require "knock.draw.output"
local script = require "knock.draw.script"

local show = {}
local windows, files = 0, 0
local num = layer.num

local function window_terminal()
  if not (os.getenv "DISPLAY" or os.getenv "WAYLAND_DISPLAY") then return nil end
  local words = " " .. gnuplot.terminals() .. " "
  for _, word in ipairs { "qt", "wxt", "x11" } do
    if words:find(" " .. word .. " ", 1, true) then return word end
  end
end

local function pixels(plan) return math.floor(plan.w * 96 / 72 * 1.3), math.floor(plan.h * 96 / 72 * 1.3) end

local function on_window(plan, word, number)
  local w, h = pixels(plan)
  local font = gnuplot.quote(("%s,%s"):format(plan.style.font, num(plan.style.size * 1.3)))
  local line = ("%s %d size %d,%d font %s linewidth 1.5 persist"):format(word, number, w, h, font)
  output.run(("set terminal %s\n%s"):format(line, script.page(plan, "cairo", output.binary(plan))))
end

local function as_sixel(plan)
  local w, h = pixels(plan)
  local line = ("sixelgd size %d,%d font 'DejaVuSans,%s' truecolor linewidth 1.5"):format(w, h, num(plan.style.size * 1.1))
  output.run(("set terminal %s\nset output 'out.six'\n%s"):format(line, script.page(plan, "gd", output.binary(plan))))
  io.write(gnuplot.take "out.six", "\n")
end

local function as_text(plan)
  local tty, columns, rows = gnuplot.screen()
  io.write(output.text(plan, tty and math.min(columns - 1, 120) or 79, tty and math.max(12, math.min(rows - 3, 40)) or 24))
  io.flush()
end

local function asked() return host.options.term or os.getenv "KNOCK_TERM" end

-- one file for each ending of a list like "pdf,svg"
local function as_files(plan, endings)
  files = files + 1
  local paths = {}
  for ending in endings:gmatch "[^,]+" do
    paths[#paths + 1] = output.place(("figure-%d.%s"):format(files, ending == "dumb" and "txt" or ending))
  end
  output.save(plan, paths)
  print(table.concat(paths, "\n"))
end

local sixel -- asked once

local function has_sixel()
  if sixel == nil then
    sixel = gnuplot.sixel() and (" " .. gnuplot.terminals() .. " "):find(" sixelgd ", 1, true) ~= nil
  end
  return sixel
end

-- what to use: "qt", "sixel", "text", or "file" for endings
function show.way()
  local word = asked()
  if word == "dumb" or word == "txt" then return "text" end
  if word and output.terminals[word:match "^[^,]*" == "dumb" and "txt" or word:match "^[^,]*"] then return "file" end
  if word == "sixel" or word == "text" then return word end
  local window = window_terminal()
  if window then return window end
  local tty = gnuplot.screen()
  if tty and has_sixel() then return "sixel" end
  return "text"
end

-- is there anywhere to show a figure that was not asked for?
function show.visible()
  if asked() then return true end
  return gnuplot.screen() or (os.getenv "DISPLAY" or os.getenv "WAYLAND_DISPLAY") and window_terminal() ~= nil
end

-- a number for a window of its own
function show.next_window()
  windows = windows + 1
  return windows - 1
end

function show.show(fig, options, plan)
  local way = show.way()
  local p = plan(fig, options and options.style or fig.style or (way ~= "text" and way ~= "file" and "screen" or nil))
  if way == "text" then as_text(p)
  elseif way == "sixel" then as_sixel(p)
  elseif way == "file" then as_files(p, asked())
  else
    fig.window = fig.window or show.next_window()
    on_window(p, way, fig.window)
  end
end

return show
