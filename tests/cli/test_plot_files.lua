-- Files of figures: whole or not there; kept scripts draw their own picture and run nothing.

local shell = dofile(test_dir .. "/shell.lua")
local knock = shell.knock

local function has(text, part)
  if not text:find(part, 1, true) then error(("%q is not in %q"):format(part, text), 2) end
end

local function exists(name) return shell.read(shell.folder .. "/" .. name) ~= nil end

shell.write("wave.lua", [[
  local k, x, y = require "knock", {}, {}
  for i = 1, 400 do x[i], y[i] = i, math.sin(i / 20) + math.sin(i * i) end
  k.plot { x = x, y = y }:save(table.unpack(arg))]])

-- gnuplot does not look whether its writing succeeds. With a limit on the size of files its picture ends after so
-- many blocks of 512 bytes, as it does on a full disk, and knock's own writing of that much succeeds.
test("a picture that gnuplot could not write whole does not get its name", function()
  for _, ending in ipairs { "svg", "pdf", "png", "tex" } do
    knock(('"$K" wave.lua whole.%s'):format(ending))
    local whole = shell.read(("%s/whole.%s"):format(shell.folder, ending))
    for _, blocks in ipairs { 1, 3, 8, 9, 14 } do
      local result = knock(('rm -f part*; trap "" XFSZ; ulimit -f %d; "$K" wave.lua part.%s'):format(blocks, ending))
      local part = shell.read(("%s/part.%s"):format(shell.folder, ending))
      if part then equal(part:gsub("part%-inc", "whole-inc"), (whole:gsub("part%-inc", "whole-inc"))) end
      equal(result.code == 0, part ~= nil)
      if not part then equal(result.err:find "not whole" ~= nil or result.err:find "cannot write" ~= nil or result.err:find "drawn nothing" ~= nil, true) end
    end
  end
end)

test("a kept script of a figure with a name like a command runs nothing", function()
  for _, name in ipairs { "<touch X.svg", "|touch X.svg", "~X.svg", "-.svg", "a`touch X`.svg", "a';!touch X.svg" } do
    shell.write("name.txt", name)
    local result = knock [[
      rm -rf d; mkdir d; cp wave.lua d; cd d
      "$K" -e 'require "knock".plot{ y = {1, 3, 2} }:save(io.open("../name.txt"):read "a", { keep = true })' || exit 9
      rm -f ./*.svg; gnuplot -d ./*.gp; ls | grep -c svg; [ ! -e X ] && [ ! -e X.dat ] && [ ! -e "X.svg" ] ]]
    equal(result.code, 0)
    equal(result.out, "2\n") -- the picture and its script
  end
end)

test("one script for each format, and none touches the file of another", function()
  local result = knock [[
    "$K" -e 'require "knock".plot{ y = {1, 3, 2} }:save("x.pdf", "x.tex", "x.svg", { keep = true })' && ls x*
    for f in pdf tex svg; do
      cksum x.pdf x.tex x.svg x-inc.pdf | grep -v " x.$f" | grep -v -e "-inc" >before; gnuplot -d x.$f.gp || exit 9
      cksum x.pdf x.tex x.svg x-inc.pdf | grep -v " x.$f" | grep -v -e "-inc" >after; cmp before after || exit 8
    done; ls x-inc.tex]]
  equal(result.out, "x-inc.pdf\nx.dat\nx.pdf\nx.pdf.gp\nx.svg\nx.svg.gp\nx.tex\nx.tex.gp\nx-inc.tex\n")
  equal(result.code, 0)
end)

test("figures of absurd size are refused at once", function()
  for _, what in ipairs { "cols = 2^31", "rows = 0", "cols = -1", "rows = 1.5", "rows = 'x'", "cols = 2^53", "rows = 1/0", "cols = 0/0" } do
    local result = knock(('"$K" -e "require [[knock]].figure{ %s }"'):format(what))
    has(result.err, "(command line):1: figure: ")
    has(result.err, "must be a whole number from 1 to 100, got ")
    equal(result.code, 1)
    equal(result.seconds < 5, true)
  end
  has(knock '"$K" -e "require [[knock]].figure{ rows = 50, cols = 50 }"'.err, "rows * cols must be at most 100 panels, got 2500")
end)

test("the first picture of a process has the bytes of the second", function()
  for _, ending in ipairs { "svg", "png", "pdf" } do
    local code = ("local f = require [[knock]].plot { y = { 1, 2 } } f:save [[first.%s]] f:save [[second.%s]]"):format(ending, ending)
    equal(shell.knock(('"$K" -e "%s"'):format(code)).code, 0)
    equal({ ending, shell.read(shell.folder .. "/first." .. ending) == shell.read(shell.folder .. "/second." .. ending) }, { ending, true })
  end
end)

test("what gnuplot warns of is said in one line, once, and the picture is there", function()
  shell.write("gp", [[#!/bin/sh
sed -u "s/^unset multiplot$/print '         line 0: warning: an odd font'\n&/" | gnuplot "$@"]])
  local result = knock [[chmod +x gp; rm -f warned*; KNOCK_GNUPLOT="$PWD/gp" "$K" wave.lua warned.svg warned.png]]
  equal(result.code, 0)
  equal(result.err, "knock: gnuplot: warning: an odd font\n")
  equal(exists "warned.svg" and exists "warned.png", true)
end)

test("a command that gnuplot does not take is one line with gnuplot's words", function()
  shell.write("gp", [[#!/bin/sh
sed -u "s/^set encoding utf8$/set nonsense\n&/" | gnuplot "$@"]])
  local result = knock [[chmod +x gp; rm -f bad*; KNOCK_GNUPLOT="$PWD/gp" "$K" wave.lua bad.svg]]
  equal(result.code, 1)
  equal(result.err:match "^[^\n]*", "knock: wave.lua:3: gnuplot: unrecognized option - see 'help set'.: set nonsense")
  equal(exists "bad.svg", false)
end)

shell.finish()
