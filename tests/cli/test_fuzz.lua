-- Garbage at every door: functions, files, keys. Nothing crashes, hangs, or fails without words.
-- The same with many more seeds by ./knock test --long. KNOCK_SEEDS=101-150 takes these alone, so that a long run
-- can be shared, or gone on with another day.

local shell = dofile(test_dir .. "/shell.lua")
local knock = shell.knock
local long, slower = os.getenv "KNOCK_TEST_LONG", os.getenv "KNOCK_TEST_SLOWER"
local fuzz = shell.source .. "/tests/fuzz/"

local function has(text, part)
  if not text:find(part, 1, true) then error(("%q is not in %q"):format(part, text), 2) end
end

local first, last = (os.getenv "KNOCK_SEEDS" or ""):match "^(%d+)%-(%d+)$"
first, last = math.tointeger(first), math.tointeger(last)

-- seeds from 1 on, or those that KNOCK_SEEDS names of them
local function seeds(most) return math.max(1, first or 1), math.min(most, last or most) end

local from, to = seeds(long and 300 or 2)
for seed = from, to do
  test(("every function of the catalogue takes garbage, seed %d"):format(seed), function()
    local calls = long and 3000 or slower and 200 or 600
    local result = knock(('mkdir -p f && cd f && timeout -k 5 %d "$K" --lax --mem-limit 1G %sapi.lua %d %d'):format(long and 600 or 100, fuzz, seed, calls))
    if result.code ~= 0 then error(("code %d in %s\n%s"):format(result.code, shell.read(shell.folder .. "/f/last.txt") or "?", result.err)) end
    has(result.out, ("%d calls"):format(calls))
  end)
end

from, to = seeds(long and 100 or 1)
for seed = from, to do
  test(("files with wrong bytes are read or refused, seed %d"):format(seed), function()
    local result = knock(('"$K" %sfiles.lua %d %d'):format(fuzz, seed, long and 2000 or 200))
    equal(result.err, "")
    equal(result.code, 0)
  end)
end

test("20,000 laws inside each other are an error, not a crash", function()
  shell.write("nest.lua", [[
    local k = require "knock"
    local ball, law = k.ball { velocity = { 0, 0, -1 } }, k.law.newton { e = 0.5 }
    for i = 1, 20000 do
      local inner = law
      law = k.law { solve = function() return { impulse = k.impact(ball, inner).impulse } end }
    end
    local ok, message = pcall(k.impact, ball, law)
    print(ok, message:find "solve" ~= nil, message:match "%a+ stack overflow")
    print(k.impact(ball, k.law.newton { e = 0.5 }).velocity[3])]])
  local result = knock '"$K" nest.lua'
  equal(result.err, "")
  equal(result.out, "false\ttrue\tC stack overflow\n0.5\n") -- the cause is told, 200 laws deep
end)

test("rooms of knock's own refuse what is no design", function() -- found by seed 43
  for _, what in ipairs { "{1}", "{{}}", "{'x'}", "1", "k.ball{}" } do
    local result = knock(('"$K" -e "local k = require [[knock]] k.records.describe_lane(%s, {})"'):format(what))
    equal(result.code, 1)
    has(result.err, "(command line):1:")
  end
end)

test("the rooms of mechanisms refuse what is no list", function() -- found by seeds 1 and 2
  for _, what in ipairs { "nil", "1", "'x'", "k.ball{}" } do
    local result = knock(('"$K" -e "local k = require [[knock]] k.mechanisms.odd_inertia(%s)"'):format(what))
    equal(result.code, 1)
    has(result.err, "table expected")
  end
end)

test("a problem from a file without dim is printed all the same", function() -- found by the long loop, seed 1
  shell.write("nodim.txt", "return { W = {{1}}, v = {-1}, nc = 1 }")
  local result = knock [["$K" -e 'print(require "knock".problem "nodim.txt")']]
  equal(result.code, 0)
  has(result.out, "with dim = nil")
  for _, text in ipairs { "W = 0, 0, {{1}}", "W = {{1}}, dim = {{3.5}}", "W = {{1}}, model = {}", "W = {{1}}, dim = 1.5" } do
    shell.write("now.txt", ("return { %s, v = {-1}, nc = 1 }"):format(text))
    has(knock [["$K" -e 'print(require "knock".problem "now.txt")']].err, "does not hold a problem (a table with W and v)")
  end
end)

-- a locale with a decimal comma, made here where the machine has none
test("a locale with a decimal comma does not change numbers", function()
  shell.write("locale.lua", [[
    local k = require "knock"
    local name = os.setlocale "de_DE.UTF-8" or os.setlocale "de_DE"
    print(name ~= nil)
    local t = k.sweep { a = { 0.5, 1.5 } }:run(function(p) return { y = p.a / 4 } end, { jobs = 1 })
    t:write "comma.csv"
    print(k.read "comma.csv".y[2], k.matrix { { 0.5 } }, k.law.newton { e = 0.5 }.e)
    k.plot { y = { 0.5, 1.5 } }:save("comma.svg", "comma.txt", { keep = true })]])
  local made = knock "localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 >/dev/null 2>&1; [ -d de_DE.UTF-8 ]"
  local plain = knock '"$K" locale.lua && mv comma.svg plain.svg && grep -v "^#" comma.csv >plain.csv; mv comma.dat plain.dat'
  if made.code ~= 0 then print "  (no localedef: only the default locale was tried)" end
  local comma = knock 'LOCPATH=$PWD "$K" locale.lua && grep -v "^#" comma.csv | cmp - plain.csv && cmp comma.svg plain.svg && cmp comma.dat plain.dat'
  equal(comma.err, "")
  equal(comma.code, 0)
  equal(comma.out:gsub("^%a+\n", ""), (plain.out:gsub("^%a+\n", "")))
  if made.code == 0 then has(comma.out, "true\n") end
  has(shell.read(shell.folder .. "/plain.csv"), "0.375")
end)

-- ---- the prompt -----------------------------------------------------------------------------------------

local pty = shell.program:match "^(.*)/[^/]*$" .. "/tests/pty"

local function session(script)
  shell.write("script", script)
  return shell.knock(([[
    rm -rf home; mkdir -p home; export HOME="$PWD/home" TERM=xterm NO_COLOR=1 LC_ALL=C.UTF-8
    unset XDG_STATE_HOME XDG_CONFIG_HOME
    %s script "$K" --mem-limit 1G]]):format(shell.quote(pty)))
end

test("Ctrl-R Ctrl-X and any key do not end the session", function()
  for _, key in ipairs { "x", "\\x18", "\\x07", "(", "\\e" } do
    local result = session(("expect > \nsend \\x12\nwait 150\nsend \\x18\nwait 150\nsend %s\nwait 150\nsend \\x07\nwait 150\nsend \\x15\nsend 40 + 2\\r\nexpect 42\nexpect > \nsend \\x04\nexit 0\n"):format(key))
    if result.code ~= 0 then error(key .. ": " .. result.out .. result.err) end
  end
end)

-- keys that end a session on purpose are left out: Ctrl-D, Ctrl-Z, Ctrl-\, Enter
local keys = { "\\x01", "\\x02", "\\x03", "\\x05", "\\x06", "\\x07", "\\x08", "\\t", "\\x0b", "\\x0c", "\\x0e", "\\x10", "\\x12", "\\x14", "\\x15", "\\x16a", "\\x17",
  "\\x18", "\\x19", "\\x1f", "\\e", "\\eb", "\\ef", "\\ed", "\\e.", "\\e[A", "\\e[B", "\\e[C", "\\e[D", "\\e[3~", "\\e[1;5C", "\\x7f", "\\xc3\\xa4", "\\xff", "k.", "k.ball{", "(", ")", '"', "'",
  "[[", "]]", "hit", "{", "}", " = ", "1e", "?", "\\\\", "--", "\\e<", "\\e>", "\\et", "\\eu", "\\e5", "\\x18\\x15", "\\x18\\x05", "\\x1d" }
from, to = seeds(long and 200 or 2)
for seed = from, to do
  test(("random keys do not end the session, seed %d"):format(seed), function()
    math.randomseed(seed)
    local lines = { "expect > " }
    for _ = 1, 60 do lines[#lines + 1] = "send " .. keys[math.random(#keys)] end
    local script = table.concat(lines, "\n") .. "\nwait 1500\nsend \\x07\nwait 200\nsend \\x03\nwait 400\nsend \\x03\nwait 400\nsend \\x05\\x15\nsend 6 * 111\\r\nexpect 666\nexpect > \nsend \\x04\nexit 0\n"
    local result = session(script)
    if result.code ~= 0 then error(script .. result.out .. result.err) end
  end)
end

shell.finish()
