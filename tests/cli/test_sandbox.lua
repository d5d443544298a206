-- --sandbox: what a script of somebody else cannot do, each attempt with its line; and what it can.

local shell = dofile(test_dir .. "/shell.lua")
local knock = shell.knock

local function has(text, part)
  if not text:find(part, 1, true) then error(("%q is not in %q"):format(part, text), 2) end
end

-- work in a folder with another one beside it that is out of reach
local top = shell.folder
shell.run [[
  mkdir -p work/inner work/.hidden outside
  echo secret >outside/secret.txt; echo secret >work/.hidden/x.csv; printf 'a\n1\n' >work/inner/t.csv
  ln -s ../outside work/way_out; ln -s ../outside/secret.txt work/link.txt; ln -s ../outside/new.csv work/dangling.csv
]]
shell.folder = top .. "/work"

local function sandbox(code, options)
  shell.write("evil.lua", code)
  return knock(('"$K" --sandbox %s evil.lua'):format(options or ""))
end

-- the code fails with this line, at line 1 of the script
local function refused(code, part)
  local result = sandbox(code)
  has(result.err, "evil.lua:1: ")
  has(result.err, part)
  equal(result.code, 1)
end

local function unavailable(what, call)
  refused(call or what .. "('x')", what .. " is not available in a sandbox (--sandbox)")
end

test("programs are not started", function()
  unavailable "os.execute"
  unavailable "io.popen"
  unavailable "package.loadlib"
  refused("package.cpath = '/usr/lib/?.so' require 'lfs'", "module 'lfs' not found")
end)

test("files are not made, moved or removed", function()
  for _, name in ipairs { "os.remove", "os.rename", "os.tmpname", "io.tmpfile" } do unavailable(name) end
  unavailable("io.open for writing", "io.open('x.txt', 'w')")
  unavailable("io.open for writing", "io.open('x.txt', 'r+')")
  unavailable("io.open for writing", "io.open('x.txt', 'a')")
  unavailable("io.output to a file", "io.output('x.txt')")
  equal(shell.read(shell.folder .. "/x.txt"), nil)
end)

test("of debug only what looks is left", function()
  for _, name in ipairs { "getregistry", "getupvalue", "setupvalue", "upvaluejoin", "sethook", "setmetatable", "getlocal" } do
    unavailable("debug." .. name)
  end
  equal(sandbox "print(type(debug.traceback()), debug.getmetatable('').__index == string)".out, "string\ttrue\n")
end)

test("the environment is not told", function()
  equal(sandbox "print(os.getenv 'HOME', os.getenv 'PATH')".out, "nil\tnil\n")
end)

test("other ways to the same functions lead to the same end", function()
  unavailable("os.execute", "package.loaded.os.execute 'ls'")
  unavailable("os.execute", "_G['o' .. 's'].execute 'ls'")
  unavailable("io.popen", "require 'io'.popen 'ls'")
  unavailable("io.popen", "coroutine.wrap(function() io.popen 'ls' end)()")
  unavailable("io.popen", "load 'io.popen \"ls\"' ()")
  unavailable("io.popen", "getmetatable('').__index = function(_, n) return io[n] end; ('ls').popen('ls')")
  unavailable("io.popen", "arg[-1] = '/bin/ls'; require 'knock'.manual.man()")
  unavailable("os.execute", "local k = require 'knock'; local run = function() os.execute 'ls' end; k.impact(k.model{ coordinates = {'z'}, mass = run, gap = run }, k.law.newton{})")
  unavailable("debug.getregistry", "debug.getregistry()")
end)

test("files elsewhere are not read", function()
  for _, path in ipairs { "/etc/passwd", "../outside/secret.txt", "way_out/secret.txt", "link.txt", ".hidden/x.csv", "inner/../../outside/secret.txt" } do
    local line = ("'%s' cannot be read in a sandbox (--sandbox)"):format(path)
    for _, call in ipairs { "io.open", "io.lines", "io.input", "dofile", "loadfile", "require 'knock'.read", "require 'knock'.problem" } do
      refused(("%s('%s')"):format(call, path), line)
    end
  end
  refused("require 'knock.core'.records.journal_header '/etc/passwd'", "'/etc/passwd' cannot be read")
  refused("require 'knock.host'.files '/etc'", "'/etc' cannot be read")
  refused("require 'knock'.plot{ y = {1}, style = '/etc/passwd' }:save 'a.txt'", "'/etc/passwd' cannot be read")
  refused("package.path = '/etc/?'; require 'passwd'", "module 'passwd' not found")
  refused("package.searchpath = function() return '/etc/passwd' end; require 'passwd'", "'/etc/passwd' cannot be read")
  refused("require 'knock.core'; require 'knock.gnuplot'.take '../../etc/passwd'", "is not a plain file name")
end)

test("files elsewhere are not written", function()
  local t = "require 'knock.core'.records.new_table():add('a', '', {1})"
  for _, path in ipairs { "/tmp/knock-evil.csv", "../outside/new.csv", "way_out/new.csv", "dangling.csv", ".hidden/new.csv", ".csv", "new/../../x.csv" } do
    local line = ("'%s' cannot be written in a sandbox (--sandbox)"):format(path)
    refused(("%s:write '%s'"):format(t, path), line)
    refused(("require 'knock'.sweep{ a = {1} }:run(function() return { b = 1 } end, { file = '%s' })"):format(path), "in a sandbox (--sandbox)")
    refused(("require 'knock.core'; require 'knock.gnuplot'.publish('%s', 'x')"):format(path), line)
  end
  refused("require 'knock'.plot{ y = {1, 2} }:save '../outside/a.pdf'", "'../outside/a.pdf' cannot be written")
  refused("require 'knock.core'; require 'knock.gnuplot'.publish('evil.lua', 'x')", "its ending is not that of a figure")
  refused("require 'knock.host'.make_folder '../outside/more'", "cannot be written")
  refused("require 'knock.core'; local g = require 'knock.gnuplot'; g.data('../x', { g.column{1} })", "is not a plain file name")
  refused("require 'knock.core'.records.remove_journal 'inner/t.csv'", "is not a journal")
  equal(shell.run "ls ../outside".out, "secret.txt\n")
end)

test("gnuplot starts nothing for a script", function()
  refused("require 'knock'.plot{ y = {1, 2}, style = { commands = { \"set palette file '< touch pwned'\" } } }:save 'a.txt'", "not a plain file name")
  refused("require 'knock.core'; require 'knock.gnuplot'.run 'set terminal lua'", "not a terminal for figures")
end)

test("--out is the only place to write when it is given", function()
  local code = "require 'knock.core'; require 'knock.gnuplot'.publish(..., 'x')"
  shell.write("save.lua", code)
  equal(knock '"$K" --sandbox --out results/a save.lua results/a/x.txt'.code, 0)
  has(knock '"$K" --sandbox --out results/a save.lua x.txt'.err, "'x.txt' cannot be written in a sandbox (--sandbox): it is not below the folder for results")
  has(knock '"$K" --sandbox --out results/a save.lua results/x.txt'.err, "cannot be written")
  has(knock '"$K" --sandbox --out results/a -e "require [[knock.host]].options.out = [[.]]" save.lua x.txt'.err, "cannot be written")
  has(knock '"$K" --sandbox --out evil.lua/x save.lua x.txt'.err, "--out: cannot make the folder 'evil.lua/x'")
end)

test("a scenario works in it: modules, tables, sweeps, figures", function()
  shell.write("helper.lua", "return { mu = 0.4 }")
  local result = sandbox([[
    local k = require "knock"
    local helper = require "helper"
    local ball = k.ball { mass = 1, radius = 1, velocity = {-1, 0, -5}, spin = {0, 2, 0} }
    local hit = k.impact(ball, k.law.compliant { mu = helper.mu, e = 0.5 })
    hit:plot "impulse" :save "figure.svg"
    local r = k.sweep { vx = {1, 2} }:run(function(p) return { y = 2 * p.vx } end, { file = "inner/sweep.csv", jobs = 2 })
    k.problem(ball, k.law.newton {}):save "problem.txt"
    print(#r, #k.read "inner/sweep.csv", #k.read "inner/t.csv", k.problem "problem.txt".nc, io.open "evil.lua" ~= nil)
    print(hit)
    k.help "ball"
  ]])
  equal(result.err, "")
  has(result.out, "2\t2\t1\t1\ttrue\n")
  has(shell.read(shell.folder .. "/figure.svg"), "<svg")
  equal(shell.read(shell.folder .. "/inner/sweep.csv.journal"), nil)
end)

test("knock's own scenarios work in it", function()
  equal(knock(('"$K" --sandbox --out figures --term svg %s/scenarios/y_fig1.lua'):format(shell.quote(shell.source))).err, "")
end)

test("help says what it means", function()
  has(knock '"$K" --help'.out, "--sandbox")
  has(knock '"$K" help sandbox'.out, "os.execute")
end)

shell.folder = top
shell.finish()
