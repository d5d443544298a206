-- --sandbox is held by the kernel: 30 scripts that try to get round Lua, more than 50 attempts of one that
-- has left Lua altogether, what works inside, and kernels that cannot hold anything.

local shell = dofile(test_dir .. "/shell.lua")
local knock = shell.knock
local tools = shell.program:gsub("[^/]*$", "") .. "tests/"

local function has(text, part)
  if not text:find(part, 1, true) then error(("%q is not in %q"):format(part, text), 2) end
end

local top = shell.folder
shell.run [[
  mkdir -p work outside
  for name in secret long removable movable; do echo 5ecret-$name >outside/$name.txt; done
  ln -s ../outside work/way_out
]]
shell.folder = top .. "/work"

local probe = knock '"$K" --sandbox -e "print(1)"'
local able = probe.code == 0

test("this kernel holds a sandbox, or knock says what is missing and ends with 4", function()
  if able then return equal(probe.out, "1\n") end
  print("skipped: " .. probe.err)
  equal(probe.code, 4)
  has(probe.err, "--sandbox: this kernel has no ")
  has(probe.err, "--sandbox=lua")
end)

-- ---- kernels that cannot -----------------------------------------------------------------------------

for what, name in pairs { landlock = "Landlock", seccomp = "seccomp filter" } do
  test("without " .. name .. " it refuses, and --sandbox=lua is the way on", function()
    local line = ('%q %s "$K" --sandbox%s -e "print(1)"'):format(tools .. "without", what, "%s")
    local refused = knock(line:format "")
    has(refused.err, "knock: --sandbox: this kernel has no " .. name)
    has(refused.err, "--sandbox=lua does without: it stops mistakes, not attacks")
    equal(refused.out, "")
    equal(refused.code, 4)
    equal(knock(line:format "=lua").out, "1\n")
  end)
end

test("--sandbox takes nothing but lua", function()
  local result = knock '"$K" --sandbox=maybe -e "print(1)"'
  has(result.err, "--sandbox must be alone, or 'lua', got 'maybe'")
  equal(result.code, 2)
end)

if not able then
  shell.folder = top
  shell.finish()
  return
end

-- ---- in Lua ------------------------------------------------------------------------------------------

-- From a value that a script can get hold of it looks for functions that are not in its reach by name.
local finders = {
  ["getinfo(level).func in a handler"] = [[
    xpcall(function() io.open("evil.lua", "rz") end, function()
      for level = 1, 20 do local i = debug.getinfo(level, "fSn"); if not i then break end; found(i.func) end
    end)]],
  ["getinfo(level) without options"] = [[
    xpcall(io.open, function() for level = 1, 20 do found((debug.getinfo(level) or {}).func) end end, "a", "rz")]],
  ["getinfo(thread, level)"] = [[
    local co = coroutine.create(function() io.open("evil.lua", "rz") end); coroutine.resume(co)
    for level = 0, 9 do found((debug.getinfo(co, level, "f") or {}).func) end]],
  ["getinfo of io.lines"] = [[
    xpcall(function() io.lines("evil.lua", "?") end, function() for l = 1, 20 do found((debug.getinfo(l, "f") or {}).func) end end)]],
  ["getinfo of loadfile"] = [[
    xpcall(function() dofile("nothing.lua") end, function() for l = 1, 20 do found((debug.getinfo(l, "fL") or {}).func) end end)]],
  ["getinfo from __gc"] = [[
    setmetatable({}, { __gc = function() for l = 1, 9 do found((debug.getinfo(l, "f") or {}).func) end end }); collectgarbage()]],
  ["getinfo from __close"] = [[
    pcall(function() local x <close> = setmetatable({}, { __close = function() for l = 1, 9 do found((debug.getinfo(l, "f") or {}).func) end end }); io.open("evil.lua", "rz") end)]],
  ["a traceback made of functions"] = [[found(debug.traceback(function() end))]],
}
local escapes = {}
for name, code in pairs(finders) do
  escapes[name] = "local function found(f) if type(f) == 'function' then pcall(f, '../outside/new.txt', 'w'); local ok, h = pcall(f, '../outside/secret.txt', 'r'); if ok and h then print(h:read 'a') end; pcall(f, 'touch ../outside/new.txt') end end\n" .. code
end
for name, code in pairs {
  ["io.open"] = "print(io.open('../outside/secret.txt'):read 'a')",
  ["io.open by link"] = "print(io.open('way_out/secret.txt'):read 'a')",
  ["io.open to write"] = "io.open('../outside/new.txt', 'w'):write 'x'",
  ["io.lines"] = "for l in io.lines '../outside/secret.txt' do print(l) end",
  ["io.input"] = "io.input '../outside/secret.txt'; print(io.read 'a')",
  ["io.output"] = "io.output '../outside/new.txt'; io.write 'x'",
  ["io.popen"] = "print(io.popen('cat ../outside/secret.txt'):read 'a')",
  ["os.execute"] = "os.execute 'cat ../outside/secret.txt'",
  ["os.remove"] = "os.remove '../outside/secret.txt'",
  ["os.rename"] = "os.rename('../outside/secret.txt', 'secret.txt')",
  ["os.tmpname"] = "print(os.tmpname())",
  ["loadfile"] = "print(select(2, loadfile '../outside/secret.txt'))",
  ["dofile"] = "print(pcall(dofile, '../outside/secret.txt'))",
  ["searchpath"] = "print(package.searchpath('secret', '../outside/?.txt')); package.path = '../outside/?.txt'; print(pcall(require, 'secret'))",
  ["loadlib"] = "package.loadlib('/lib/x86_64-linux-gnu/libc.so.6', 'system')",
  ["a C module"] = "package.cpath = '/usr/lib/x86_64-linux-gnu/lua/5.4/?.so'; require 'lfs'",
  ["bytecode"] = "load(string.dump(function() end), 'x', 'b')()",
  ["the registry"] = "for _, v in pairs(debug.getregistry()) do print(v) end",
  ["upvalues"] = "print(debug.getupvalue(io.open, 1)); print(debug.getupvalue(io.open, 1)('../outside/secret.txt'):read 'a')",
  ["a hook"] = "debug.sethook(function() print(debug.getinfo(2, 'f').func) end, 'c'); io.open 'evil.lua'",
  ["k.read"] = "print(require 'knock'.read '../outside/secret.txt')",
  ["a journal"] = "require 'knock'.sweep{ a = {1} }:run(function() return { b = 1 } end, { file = '../outside/new.csv' })",
  ["a figure"] = "require 'knock'.plot{ y = {1, 2} }:save '../outside/new.svg'",
  ["a style"] = "require 'knock'.plot{ y = {1, 2}, style = '../outside/secret.txt' }:save 'a.svg'",
  ["gnuplot's shell"] = "require 'knock.core'; require 'knock.gnuplot'.run 'plot \\'<cat ../outside/secret.txt\\''",
  ["gnuplot's output"] = "require 'knock.core'; require 'knock.gnuplot'.run 'set output \\'../outside/new.txt\\''",
} do escapes[name] = code end

local count = 0
for name, code in pairs(escapes) do
  count = count + 1
  test("a script does not get out by " .. name, function()
    shell.write("evil.lua", code)
    local result = knock('"$K" --sandbox --lax evil.lua')
    if (result.out .. result.err):find("5ecret", 1, true) then error("the secret is out: " .. result.out .. result.err) end
    equal(result.code < 128, true) -- no crash
    equal(shell.run "cd ../outside && ls; cat secret.txt".out, "long.txt\nmovable.txt\nremovable.txt\nsecret.txt\n5ecret-secret\n")
  end)
end

test("these are at least 30", function() equal(count >= 30, true) end)

test("a function found on the stack does not run the program again", function()
  local code = "local top for l = 1, 50 do local i = debug.getinfo(l, 'f') if not i then break end top = i.func end print(pcall(top, require 'knock'.zeros(10)))"
  shell.write("again.lua", code)
  local result = knock '"$K" again.lua'
  equal(result.out, "false\tknock is running already\n")
  equal(result.code, 0)
end)

-- ---- beyond Lua ---------------------------------------------------------------------------------------

local function attempts(options)
  shell.write("own.txt", "own")
  shell.write("clock.lua", "io.stdout:setvbuf 'no' os.clock()")
  local result = knock(([[
    sleep 60 & export OTHER=$!
    export LIBRARY=%q MARK=%q/outside/gnuplot.txt SECRET=%q/outside/secret.txt HOME=/root
    ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=%q "$K" %s clock.lua; code=$?
    kill $OTHER; rm -f /tmp/knock-escaped; exit $code]]):format(shell.source .. "/lua/knock.lua", top, top, tools .. "escape.so", options))
  local list = {}
  for name, what in result.out:gmatch "([%w_]+) (%a+)\n" do list[#list + 1], list[name] = name, what end
  return list, result
end

test("not even machine code gets out of the sandbox: 50 calls to the kernel and to gnuplot", function()
  local list, result = attempts "--sandbox"
  equal(#list >= 50, true)
  local out = {}
  for _, name in ipairs(list) do if list[name] ~= "held" then out[#out + 1] = name end end
  equal(table.concat(out, " "), "")
  equal(result.code, 0)
  equal(shell.run "cd ../outside && ls; cat secret.txt long.txt".out, "long.txt\nmovable.txt\nremovable.txt\nsecret.txt\n5ecret-secret\n5ecret-long\n")
end)

test("the attempts are real: without the sandbox most succeed", function()
  local list = attempts ""
  local n = 0
  for _, name in ipairs(list) do if list[name] == "ESCAPED" then n = n + 1 end end
  equal(n >= 30, true)
  equal(list.read_beside, "ESCAPED")
  equal(list.run_true, "ESCAPED")
end)

shell.run "cd ..; rm -rf outside; mkdir outside"

-- ---- inside -------------------------------------------------------------------------------------------

test("figures, tables, HDF5 and sweeps on two cores work inside, and nothing is left behind", function()
  shell.write("all.lua", [[
    local k = require "knock"
    local hit = k.impact(k.ball { velocity = {-1, 0, -5}, spin = {0, 2, 0} }, k.law.compliant { mu = 0.4, e = 0.5 })
    hit:plot "impulse" :save("a.svg", "a.pdf", "a.png", "a.tex")
    for _, file in ipairs { "t.csv", "t.h5" } do
      local t = k.sweep { a = { 1, 2, 3 } }:run(function(p) k.plot{ y = { 1, p.a } }:save("p" .. p.a .. ".svg") return { y = p.a ^ 2 } end, { jobs = 2, file = file })
      print(#k.read(file), t.y[3])
    end]])
  local result = knock 'mkdir -p t; TMPDIR=$PWD/t "$K" --sandbox all.lua; ls -A t'
  equal(result.err, "")
  equal(result.out, "3\t9.0\n3\t9.0\n")
  has(shell.read(shell.folder .. "/a.svg"), "</svg>")
  has(shell.read(shell.folder .. "/p3.svg"), "</svg>")
end)

test("the gallery and the numbers of the papers work inside", function()
  equal(knock '"$K" --sandbox gallery -o pictures y_fig1 m_fig2_7'.code, 0)
  has(shell.read(shell.folder .. "/pictures/index.html"), "y_fig1")
  equal(knock '"$K" --sandbox reproduce morgan'.code, 0)
end)

test("what knock writes inside is what it writes outside", function()
  shell.write("same.lua", "require 'knock'.plot{ y = {1, 3, 2} }:save(arg[1])")
  knock '"$K" same.lua out.svg; "$K" --sandbox same.lua in.svg'
  equal(shell.read(shell.folder .. "/in.svg"), shell.read(shell.folder .. "/out.svg"))
end)

test("a script that is killed leaves no folder and no process", function()
  shell.write("kill.lua", "local k = require 'knock' k.plot{ y = {1, 2} }:save 'k.svg' print 'ready' io.stdout:flush() while true do end")
  local result = knock [[
    mkdir -p t2; export TMPDIR=$PWD/t2
    "$K" --sandbox kill.lua >said & pid=$!
    until grep -q ready said; do sleep 0.02; done
    kill -9 $pid; wait $pid
    for i in 1 2 3 4 5 6 7 8 9 10; do [ -z "$(ls -A t2)" ] && break; sleep 0.1; done
    ls -A t2]]
  equal(result.out, "")
end)

test("the home folder is not handed out", function()
  local result = knock 'HOME=$PWD "$K" --sandbox -e "print(1)"'
  has(result.err, "--sandbox: the folder for results holds the home folder: go elsewhere, or name another with --out")
  equal(result.out, "")
  shell.write("read.lua", "print(pcall(io.open, 'all.lua')) print(io.open(arg[0]) ~= nil)")
  equal(knock 'HOME=$PWD "$K" --sandbox --out res -e "print(1)"'.out, "1\n")
  has(knock 'HOME=$PWD "$K" --sandbox --out res read.lua'.out, "true\n")
end)

-- ---- limits -------------------------------------------------------------------------------------------

test("--cpu-limit interrupts, and ends what does not listen", function()
  local result = knock '"$K" --cpu-limit 1 -e "while true do end"'
  has(result.err, "the limit of computing time is reached (--cpu-limit)")
  equal(result.code, 130)
  equal(result.seconds < 20, true)
  has(knock '"$K" --cpu-limit 0 -e ""'.err, "--cpu-limit must be whole seconds, at least 1, got '0'")
end)

if not os.getenv "KNOCK_TEST_SLOWER" then
  -- a run of 3e4 s keeps its states in C, not in Lua
  local long = "local k = require 'knock' k.simulate(k.double_pendulum{ q = { -1, 0.5 }, u = { 0, 0 }, floor = -10 }, k.law.newton{}, { t_end = 3e4 })"
  test("--mem-limit counts what C holds", function()
    shell.write("long.lua", long)
    local result = knock '"$K" --mem-limit 16M long.lua'
    has(result.err, "long.lua:1: out of memory (limit 16 MB)")
    equal(result.code, 1)
  end)

  test("--mem-limit: Lua and C share it", function()
    shell.write("share.lua", [[
      local k = require "knock"
      local t, text = {}, ("x"):rep(1 << 20)
      local A = k.zeros(1000, 1000)
      for i = 1, 100 do t[i] = text .. i end]])
    local result = knock '"$K" --mem-limit 64M share.lua'
    has(result.err, "not enough memory (limit 64 MB)")
    equal(knock '"$K" --mem-limit 256M share.lua'.code, 0)
  end)

  test("--mem-limit leaves gnuplot alone", function()
    equal(knock '"$K" --mem-limit 8M same.lua limited.svg'.code, 0)
    has(shell.read(shell.folder .. "/limited.svg"), "</svg>")
  end)
end

shell.folder = top
shell.finish()
