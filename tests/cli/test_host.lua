-- What knock does beyond stock lua: options, exit codes, undefined globals, limits.

local shell = dofile(test_dir .. "/shell.lua")
local knock = shell.knock

local function has(text, part)
  if not text:find(part, 1, true) then error(("%q is not in %q"):format(part, text), 2) end
end

local function fails(line, code, ...)
  local result = knock(line)
  for _, part in ipairs { ... } do has(result.err, part) end
  equal(result.code, code)
end

-- ---- options ----------------------------------------------------------------------------------

test("--help says how to call it", function()
  local result = knock '"$K" --help'
  has(result.out, "usage: knock [options] [script [args]]")
  has(result.out, "--mem-limit SIZE")
  equal(result.code, 0)
end)

test("knock help says the same, and the topics", function()
  local usage, help = knock '"$K" --help'.out, knock '"$K" help'.out
  equal(help:sub(1, #usage), usage)
  has(help:sub(#usage + 1), "Topics of help")
end)

test("--version names all parts", function()
  local result = knock '"$K" --version'
  for _, part in ipairs { "knock 0.", "Lua: 5.4.", "LAPACK: ", "gnuplot: " } do has(result.out, part) end
  equal(result.code, 0)
end)

test("--version says when there is no gnuplot", function()
  has(knock 'PATH=/nowhere "$K" --version'.out, "gnuplot: not found")
end)

test("wrong usage is status 2", function()
  fails('"$K" -x', 2, "knock: unrecognized option '-x'; knock --help lists what there is\n")
  fails('"$K" --sandbx', 2, "knock: unrecognized option '--sandbx' (did you mean '--sandbox'?); knock --help lists what there is\n")
  fails('"$K" --nonsense', 2, "unrecognized option '--nonsense'")
  fails('"$K" --lax=1', 2, "unrecognized option '--lax=1'")
  fails('"$K" -e', 2, "'-e' needs argument")
  fails('"$K" -l -e', 2, "'-l' needs argument")
  fails('"$K" -vv', 2, "unrecognized option '-vv'")
  fails('"$K" --mem-limit', 2, "'--mem-limit' needs argument")
  fails('"$K" --mem-limit 12X', 2, "--mem-limit must be a size of at least 1M, got '12X'")
  fails('"$K" --mem-limit=-5M', 2, "got '-5M'")
  fails('"$K" --mem-limit 1K', 2, "got '1K'")
  fails('"$K" --mem-limit nan', 2, "got 'nan'")
  fails('"$K" --jobs -1', 2, "--jobs must be a whole number of at least 0, got '-1'")
  fails('"$K" --seed 1.5', 2, "--seed must be a whole number, got '1.5'")
  fails('"$K" --term pdf,jpg', 2, "--term must be of pdf, svg, png, tex, txt, dumb, got 'pdf,jpg'")
  fails('"$K" --term ""', 2, "--term must be of pdf, svg, png, tex, txt, dumb, got ''")
end)

test("--term and --out say what becomes of figures", function()
  shell.write("plot.lua", "local k = require 'knock'; k.plot{ y = {1, 2} }:save 'named.svg'; k.plot{ y = {1, 2} }")
  equal(knock '"$K" --term pdf,svg --out figures/a plot.lua'.out, "figures/a/figure-1.pdf\nfigures/a/figure-1.svg\n")
  equal(knock 'ls figures/a'.out, "figure-1.pdf\nfigure-1.svg\nnamed.svg\n")
  has(knock '"$K" --term dumb --out figures/b plot.lua'.out, "+----")
  equal(knock '"$K" --term dumb,png --out figures/b plot.lua'.out, "figures/b/figure-1.txt\nfigures/b/figure-1.png\n")
end)

test("a session in a pipe has k, help and tables that show what they hold", function()
  local result = knock('"$K" -i 2>&1', "k.ball{ mass = 3 }.mass\n? ball\nhelp 'law.newton'\n{1, {2, x = 3}}\n")
  for _, part in ipairs { "\n3.0\n", "mass of the ball", "k.law.newton{...}: a law", "{ 1, { 2, x = 3 } }" } do
    has(result.out, part)
  end
end)

test("the value of a long option is not a script and not code", function()
  equal(knock [["$K" --mem-limit 64M -e 'print(1)']].out, "1\n")
  equal(knock [["$K" -e 'print(1)' --mem-limit 64M]].out, "1\n")
  equal(knock [["$K" --mem-limit=64M --lax -e 'print(x)']].out, "nil\n")
end)

test("a word with .lua or a slash is always a script", function()
  shell.write("help.lua", "print 'script'")
  shell.write("help", "print 'plain'")
  equal(knock '"$K" help.lua'.out, "script\n")
  equal(knock '"$K" ./help'.out, "plain\n")
end)

test("an unknown word is a script that is not there", function()
  fails('"$K" nonsense', 1, "knock: cannot open nonsense: No such file or directory\n")
  fails('"$K" hlep', 1, "cannot open hlep: No such file or directory (did you mean the command 'help'?)")
end)

-- ---- errors and exit codes ----------------------------------------------------------------------

test("an error shows message, line and a short traceback", function()
  shell.write("err.lua", "local function inner() error 'oops' end\nlocal function outer() inner() end\nouter()\n")
  local result = knock '"$K" err.lua'
  has(result.err, "knock: err.lua:1: oops\nstack traceback:")
  has(result.err, "err.lua:2: in")
  equal(result.err:find("[C]: in ?", 1, true), nil)
  equal(result.code, 1)
end)

test("a traceback has the script's levels, not knock's", function()
  shell.write("deep.lua", [[
local k = require "knock"
local function draw(name) k.plot { y = { 1, 2 } }:save(name) end
draw "no/such/folder.svg"]])
  local result = knock '"$K" deep.lua'
  equal(result.err, "knock: deep.lua:2: cannot write 'no/such/folder.svg': No such file or directory\n"
    .. "stack traceback:\n\tdeep.lua:2: in local 'draw'\n\tdeep.lua:3: in main chunk\n")
end)

test("a numerical failure is status 3, unless the script deals with it", function()
  shell.write("singular.lua", 'local k = require "knock"\nk.matrix({ { 1, 2 }, { 2, 4 } }):solve { 1, 2 }\n')
  fails('"$K" singular.lua', 3, "knock: singular.lua:2: ", "singular")
  equal(knock [["$K" -e 'local ok, e = pcall(dofile, "singular.lua") print(ok, type(e))']].out, "false\tstring\n")
  equal(knock [["$K" -e 'pcall(dofile, "singular.lua")']].code, 0)
  equal(knock [["$K" -e 'pcall(dofile, "singular.lua") error "other"']].code, 1)
  equal(knock [["$K" -e 'local ok, e = pcall(dofile, "singular.lua") error(e, 0)']].code, 3)
end)

test("a missing program is status 4", function()
  shell.write("plot.lua", [[local k = require "knock"
    k.impact(k.double_pendulum {}, k.law.stronge { e = 0.5, mu = 0.3 }):plot "impulse" :save "x.svg"]])
  fails('PATH=/nowhere "$K" plot.lua', 4, "gnuplot not found")
end)

test("knock test outside of a checkout says where the tests are", function()
  fails('"$K" test', 2, "./knock test")
end)

test("a recursion without end is one short error", function()
  local result = knock [["$K" -e 'local function f() return 1 + f() end f()']]
  has(result.err, "stack overflow")
  equal(result.code, 1)
  equal(select(2, result.err:gsub("\n", "")) < 40, true)
end)

test("a full disk is an error", function()
  fails([["$K" -e 'print(("x"):rep(100000))' >/dev/full]], 1, "cannot write the standard output")
end)

test("a script that has an error after output keeps the output", function()
  equal(knock [["$K" -e 'io.write "kept" error "x"']].out, "kept")
end)

-- ---- undefined globals ---------------------------------------------------------------------------

test("an undefined global is an error that names the nearest name", function()
  fails([["$K" -e 'print(foo)']], 1, "(command line):1: undefined global 'foo'")
  fails([["$K" -e 'pritn(1)']], 1, "undefined global 'pritn' (did you mean 'print'?)")
  fails([["$K" -e 'velocity = 1 print(velocty)']], 1, "undefined global 'velocty' (did you mean 'velocity'?)")
  fails([["$K" -e 'local mass = 1 print(mas)']], 1, "undefined global 'mas' (did you mean 'mass'?)")
  fails([["$K" -e 'local mass = 1 local function f() return mass, msas end f()']], 1, "(did you mean 'mass'?)")
  fails([["$K" -e 'print(floor(1))']], 1, "undefined global 'floor' (did you mean 'math.floor'?)")
  fails([["$K" -e 'print(zzzzzz)']], 1, "undefined global 'zzzzzz'\n")
end)

test("a global can be made, asked for and taken away", function()
  equal(knock [["$K" -e 'x = 1 print(x) x = nil print(rawget(_G, "x"), pcall(function() return x end))']].out,
    "1\nnil\tfalse\t(command line):1: undefined global 'x'\n")
end)

test("--lax gives nil as stock lua does", function()
  equal(knock [["$K" --lax -e 'print(foo)']].out, "nil\n")
end)

test("names of older Luas may be probed", function()
  equal(knock [["$K" -e 'print((unpack or table.unpack) == table.unpack, jit, bit32, setfenv)']].out,
    "true\tnil\tnil\tnil\n")
end)

test("the guess survives odd names", function()
  fails([["$K" -e 'print(_ENV[("x"):rep(1000)])']], 1, "undefined global 'xxx")
  equal(knock [["$K" -e 'print(_G[1], _G[true])']].out, "nil\tnil\n")
end)

-- ---- text only ------------------------------------------------------------------------------------

test("bytecode is refused everywhere", function()
  equal(knock [["$K" -e 'print(load(string.dump(function() end)))']].out,
    "nil\tattempt to load a binary chunk (mode is 't')\n")
  equal(knock [["$K" -e 'print(load(string.dump(function() end), "x", "b"))']].out,
    "nil\tattempt to load a text chunk (mode is 'b')\n")
  equal(knock [["$K" -e 'local s = string.dump(function() end) local i = 0
    print(load(function() i = i + 1 return s:sub(i, i) end, "x", "bt"))']].out,
    "nil\tattempt to load a binary chunk (mode is 't')\n")
  knock [["$K" -e 'io.open("byte.lua", "wb"):write(string.dump(function() print "ran" end))']]
  fails('"$K" byte.lua', 1, "attempt to load a binary chunk")
  fails('"$K" - <byte.lua', 1, "attempt to load a binary chunk")
  fails('"$K" -l byte', 1, "attempt to load a binary chunk")
  fails([["$K" -e 'dofile "byte.lua"']], 1, "attempt to load a binary chunk")
  fails([["$K" -e 'assert(loadfile "byte.lua")']], 1, "attempt to load a binary chunk")
  fails([["$K" -e 'assert(loadfile("byte.lua", "bt"))']], 1, "attempt to load a binary chunk")
  fails('LUA_INIT=@byte.lua "$K" -e 1', 1, "attempt to load a binary chunk")
end)

-- ---- memory -----------------------------------------------------------------------------------------

local bombs = {
  strings = [[local s = "x" while true do s = s .. s end]],
  tables = [[local t = {} while true do t[#t + 1] = {} end]],
  closures = [[local t = {} for i = 1, math.huge do t[i] = function() return i end end]],
  rep = [[print(#("x"):rep(1e9))]],
  keys = [[local t = {} for i = 1, math.huge do t["k" .. i] = i end]],
  coroutine = [[coroutine.wrap(function() local t = {} while true do t[#t + 1] = {} end end)()]],
  buffer = [[local t = {} for i = 1, 1e6 do t[i] = "abcdefgh" end print(#table.concat(t, ("x"):rep(100)))]],
}

local slower = os.getenv "KNOCK_TEST_SLOWER" -- the sanitizer build: a smaller bomb, more time
local limit = slower and 8 or 64

for name, code in pairs(bombs) do
  test("--mem-limit stops a bomb of " .. name, function()
    local result = knock(("\"$K\" --mem-limit %dM -e %s"):format(limit, shell.quote(code)))
    has(result.err, ("not enough memory (limit %d MB)"):format(limit))
    equal(select(2, result.err:gsub("not enough memory", "")), 1)
    equal(result.code, 1)
    local allowed = slower and 20 or name == "keys" and 3 or 1 -- keys: a second to fill
    local seconds = math.min(result.seconds, result.cpu) -- the machine may be busy with others
    if seconds > allowed then error(("took %.2f s"):format(seconds)) end
  end)
end

test("a script goes on after a caught memory error", function()
  equal(knock [["$K" --mem-limit 8M -e 'print(pcall(string.rep, "x", 1e8)) print(#("y"):rep(1e6))']].out,
    "false\tnot enough memory\n1000000\n")
end)

test("enough memory is enough", function()
  equal(knock [["$K" --mem-limit 64M -e 'for i = 1, 200 do local s = ("x"):rep(1e6) .. i end print "done"']].out, "done\n")
end)

-- ---- the module everywhere ----------------------------------------------------------------------------

local ask = [[ -e 'print(require "knock" == require "knock", package.searchpath("knock", package.path))']]

test("require finds knock from any folder and any package.path", function()
  equal(knock('cd / && "$K"' .. ask).code, 0)
  equal(knock [["$K" -e 'package.path = "" require "knock"']].code, 0)
  equal(knock [["$K" -E -l knock -e 'print(type(knock))']].out, "table\n")
end)

test("a file called knock.lua beside the script is not taken for it", function()
  shell.write("knock.lua", "error 'wrong one'")
  equal(knock [["$K" -e 'print(type(require "knock"))']].out, "table\n")
end)

test("through a symbolic link", function()
  equal(knock [[ln -s "$K" link; ./link -e 'print(type(require "knock"))']].out, "table\n")
end)

test("KNOCK_HOME points elsewhere, unless -E", function()
  fails([[KNOCK_HOME=/nowhere "$K" -l knock -e '']], 1, "no file '/nowhere/lua/knock.lua'")
  equal(knock [[KNOCK_HOME=/nowhere "$K" -E -l knock -e '']].code, 0)
end)

shell.finish()
