-- knock doctor: what this machine has of what knock can use, and what to do where it has not.

local host = require "knock.host"

local function output(command)
  local f = io.popen(command .. " 2>/dev/null")
  local text = f and f:read "a" or ""
  if f then f:close() end
  return text
end

local failed = 0

local function line(ok, name, text, advice)
  if not ok then failed = failed + 1 end
  print(("%s %-12s %s"):format(ok and "ok  " or "MISS", name, text .. (ok and "" or advice and ": " .. advice or "")))
end

local function writable(folder)
  local path = ("%s/.knock-doctor-%d"):format(folder, os.time())
  local f = io.open(path, "w")
  if not f then return false end
  f:close()
  return os.remove(path)
end

local function terminals()
  local known = output "gnuplot -d -e 'set terminal'"
  local list = output("gnuplot -d -e \"set print '-'; print GPVAL_TERMINALS\"")
  local have = {}
  for _, name in ipairs { "pdfcairo", "pngcairo", "svg", "cairolatex", "tikz", "dumb", "qt", "x11", "wxt", "sixelgd", "gif" } do
    if (" " .. list .. known):find("%f[%w]" .. name .. "%f[%W]") then have[#have + 1] = name end
  end
  return have
end

return function()
  line(true, "knock", host.version .. (host.describe ~= "" and " (" .. host.describe .. ")" or ""))
  line(true, "Lua", _VERSION)
  line(true, "LAPACK", require "knock.core".records.lapack)
  local gnuplot = output "gnuplot --version":match "[^\n]*"
  line(gnuplot ~= "", "gnuplot", gnuplot ~= "" and gnuplot or "not found", "plots need it: apt-get install gnuplot-nox")
  if gnuplot ~= "" then
    local have = terminals()
    local set = {}
    for _, name in ipairs(have) do set[name] = true end
    line(set.pdfcairo and set.pngcairo and set.svg, "terminals", table.concat(have, " "), "pdfcairo, pngcairo and svg are needed")
  end
  local fonts = output "fc-list : family"
  line(fonts ~= "", "fonts", fonts ~= "" and ("%d families"):format(select(2, fonts:gsub("\n", ""))) or "none found",
    "apt-get install fonts-dejavu-core")
  line(writable ".", "folder", "results can be written here", "this folder cannot be written")
  local locale = os.getenv "LC_ALL" or os.getenv "LC_CTYPE" or os.getenv "LANG" or "C"
  line(true, "locale", locale .. (locale:lower():find "utf" and "" or " (figures and prompts use UTF-8; set LANG=C.UTF-8)"))
  line(true, "line editor", host.editor .. (host.editor == "none" and " (no history, no completion)" or ""))
  line(true, "terminal", os.getenv "TERM" or "none")
  return failed == 0 and 0 or 4
end
