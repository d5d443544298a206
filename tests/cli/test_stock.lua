-- Command lines whose output and exit status must be those of the lua5.4 beside us.
-- "lua" in a line stands for the program; usage errors are elsewhere (our status is 2).

local shell = dofile(test_dir .. "/shell.lua")

shell.write("args.lua", [[
print(#arg, arg[0], ...)
for i = 1, #arg do print(i, arg[i]) end
local i = -1
while arg[i - 1] do print(i, arg[i]) i = i - 1 end
]])
shell.write("mod.lua", "print('loading mod', ...) return { name = 'mod' }")
shell.write("a-b.lua", "return 'a-b'")
shell.write("shebang", "#!/usr/bin/env lua\nprint('shebang', debug.getinfo(1, 'l').currentline)\n")
shell.write("-", "print 'a file called minus'")
shell.write("fails.lua", "print 'before'\nerror 'oops'\n")
shell.write("syntax.lua", "x = = 1\n")
shell.write("bom.lua", "\xEF\xBB\xBFprint 'bom'\n")
shell.write("init.lua", "print 'init file'")
shell.write("gc.lua", "setmetatable({}, { __gc = function() print 'collected at the end' end })")
shell.write("closing.lua", [[
local x <close> = setmetatable({}, { __close = function() print 'closed' end })
os.exit(5, true)
]])
shell.write("co.lua", [[
local function gen(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end) end
for i in gen(3) do io.write(i, ' ') end print()
local co = coroutine.create(function(a, b) local c = coroutine.yield(a + b) error({ code = c }) end)
print(coroutine.resume(co, 1, 2))
local ok, e = coroutine.resume(co, 7)
print(ok, type(e), e.code, coroutine.status(co), coroutine.resume(co))
print(pcall(coroutine.wrap(function() error 'in wrap' end)))
print(pcall(coroutine.wrap(function() error({}) end)) == false)
local c2 = coroutine.create(function() local x <close> = setmetatable({}, { __close = function() error 'in close' end }) coroutine.yield() end)
coroutine.resume(c2)
print(coroutine.close(c2)) print(coroutine.close(c2)) print(coroutine.status(c2))
print(pcall(coroutine.close, coroutine.running()))
print(pcall(coroutine.resume, 1)) print(pcall(coroutine.wrap, 1)) print(pcall(coroutine.close))
print(coroutine.resume(coroutine.running()))
local w w = coroutine.wrap(function() w() end) print(pcall(w))
local dead = coroutine.wrap(function() end) dead() print(pcall(dead))
print(select('#', coroutine.resume(coroutine.create(function() return table.unpack({}, 1, 200) end))))
print(coroutine.wrap(function() return pcall(function() coroutine.yield(1) end) end)())
print(coroutine.isyieldable(), coroutine.wrap(function() return coroutine.isyieldable() end)())
local x = coroutine.wrap(function() local x <close> = setmetatable({}, { __close = function(_, e) print('close', e) end }) error 'E' end)
print(pcall(x))
]])
shell.write("load.lua", [[
print(load 'return 1 + 1'()) print(load('x =')) print(load('return ...', 'name')(3))
print(pcall(load('error "e"', '@file.lua'))) print(pcall(load('error "e"', '=what')))
local parts = { 'return ', '4', '2' } local i = 0
print(load(function() i = i + 1 return parts[i] end)())
print(load(function() return {} end)) print(pcall(load, nil)) print(pcall(load))
print(load('return y', 'n', 't', { y = 'env' })()) print(pcall(load('return y', 'n', 't', nil)))
print(load('return 1', 'n', 'b')) print(pcall(load, 'return 1', 'n', {}))
print(load(function() error 'reader' end)) print(loadfile 'nowhere.lua')
print(loadfile('mod.lua')('x').name) print(pcall(dofile, 'nowhere.lua')) print(dofile 'mod.lua'.name)
print(pcall(dofile, 'syntax.lua')) print(loadfile('mod.lua', 't', { print = print })().name)
print(coroutine.wrap(function() return dofile 'yields.lua' end)())
print(pcall(require, 'no.such.thing') == false, require 'mod' == require 'mod', select(2, require 'mod'))
print(pcall(require, 'syntax'))
]])
shell.write("yields.lua", "return coroutine.yield 'from a file'")

-- { line, stdin }
local cases = {
  { "lua args.lua" },
  { "lua args.lua a 'b c' ''" },
  { "lua -e 'x = 1' args.lua -e nothing" },
  { "lua -- args.lua -x" },
  { "lua -W -E -e 'print(1)' args.lua 1 2 3" },
  { "lua -e 'print(#arg, arg[1], arg[2], arg[3])' -e 'print(2)' < /dev/null" },
  { "lua -e 'print(arg[1])' - a b", "print(#arg, arg[0], ...)" },
  { "lua -", "print('stdin', ...) print(arg[0])" },
  { "lua - one two", "print(...)" },
  { "lua", "print('stdin', #arg, ...)" },
  { "lua", "#!first line\nprint(debug.getinfo(1, 'S').source)" },
  { "lua -- - x" },
  { "lua -e 'print(1)' -e 'print(2)' -e'print(3)'" },
  { "lua -e 'local a <const> = 1 print(a)'" },
  { "lua -e 'print(...)'" },
  { "lua -l mod -e 'print(mod.name)'" },
  { "lua -lmod -e 'print(mod.name)'" },
  { "lua -l m=mod -e 'print(m.name)'" },
  { "lua -l m=mod -e 'print(rawget(_G, \"mod\"))'" },
  { "lua -l nothing -e 'print(1)'" },
  { "lua -l a-b -e 'print(rawget(_G, \"a-b\"), rawget(_G, \"a\"))'" },
  { "lua -l string -e 'print(string.rep(\"x\", 3))'" },
  { "lua shebang" },
  { "lua bom.lua" },
  { "lua fails.lua; echo $?" },
  { "lua syntax.lua" },
  { "lua nowhere.lua" },
  { "lua -e 'x ='" },
  { "lua -e 'error()'" },
  { "lua -e 'error({})'" },
  { "lua -e 'error(setmetatable({}, { __tostring = function() return \"custom\" end }))' 2>&1 | sed 's/.*: //'" },
  { "lua -e 'error({})' 2>&1 | sed 's/.*: //; q'" },
  { "lua -e 'error(true)' 2>&1 | sed 's/.*: //; q'" },
  { "lua -e 'error(42)' 2>&1 | sed 's/.*: //; q'" },
  { "lua -e 'os.exit()'" },
  { "lua -e 'os.exit(7)'" },
  { "lua -e 'os.exit(false)'" },
  { "lua -e 'os.exit(true, true)'" },
  { "lua closing.lua" },
  { "lua gc.lua" },
  { "lua -e 'warn \"quiet\"'" },
  { "lua -W -e 'warn(\"a\", \"b\")' 2>&1" },
  { "lua -e 'warn \"@on\" warn \"now\" warn \"@off\" warn \"not\"' 2>&1" },
  { "LUA_INIT='print(\"init\")' lua -e 'print(1)'" },
  { "LUA_INIT='print(\"init\")' LUA_INIT_5_4='print(\"init 5.4\")' lua -e 'print(1)'" },
  { "LUA_INIT=@init.lua lua args.lua" },
  { "LUA_INIT='print(\"init\")' lua -E -e 'print(1)'" },
  { "LUA_INIT='error(\"bad\")' lua -e 'print(1)'" },
  { "LUA_INIT=@nowhere.lua lua -e 'print(1)'" },
  { "LUA_PATH='./?.x;;' lua -e 'print(package.path)'" },
  { "LUA_PATH='./?.x;;' lua -E -e 'print(package.path)'" },
  { "lua -v -e 'print(1)' | tail -n +2" },
  { "lua -v | wc -l" },
  { "lua -i -e 'print(1)' | tail -n +2", "print(2)\n" },
  { "lua -i args.lua a | tail -n +2", "arg[1]\n" },
  { "lua -i 2>&1 | tail -n +2 | grep -v 'C]: in ?'", "1 + 1\nx = 5\nx\n= x\nfor i = 1, 2 do\nprint(i)\nend\nlocal y = 3\nerror 'e'\nnil\n1, 2, 3\n" },
  { "lua -i 2>&1 | tail -n +2", "x = = 1\nprint 'on'\n(function()\nreturn 7 end)()\n" },
  { "lua -i | tail -n +2", "_PROMPT = 'p> '\n_PROMPT2 = 'q> '\nx =\n1\nx\n" },
  { "lua -i | tail -n +2", "return 4, 5\n\n\n-- comment\n'last line without newline'" },
  { "lua -i | tail -n +2", "os.exit(3)\nprint 'never'\n" },
  { "lua -e 'arg = { \"new\" }' args.lua old" },
  { "lua -e 'print(collectgarbage \"incremental\")'" },
  { "lua -e 'print(select(\"#\", table.unpack(arg)))' a" },
  { "lua -e 'io.write(io.read(\"n\"), io.read(\"L\"), io.read(\"a\"))'", "12 rest\nmore\nend" },
  { "lua -e 'for l in io.lines() do print(#l) end'", "a\nbb\n\nccc" },
  { "lua co.lua" },
  { "lua load.lua" },
  { "lua -e 'print(pcall(string.rep)) print(pcall(error)) print(pcall(error, nil))'" },
  { "lua -e 'local t = setmetatable({}, { __index = function(t, k) return k end }) print(t.x)'" },
  { "lua -e 'goto done do print(1) end ::done:: print(2)'" },
  { "lua -e 'print(xpcall(function() error \"x\" end, function(m) return m:upper() end))'" },
  { "lua -e 'print(1 // 0.0, -1 % 3, 7 // 2, 2^53, 1e15, 0x10p2, 3 | 4, \"10\" + 1)'" },
  { "lua ''" },
  { "lua ./args.lua x" },
  { "lua \"$PWD/fails.lua\"" },
}

local function as(program, line)
  local shadow = "lua() { " .. program .. ' "$@"; }; '
  return shadow .. line
end

print(#cases .. " command lines")
for _, case in ipairs(cases) do
  test(case[1], function()
    local stock = shell.run(as("lua5.4", case[1]), case[2])
    equal(stock.code ~= 127, true)
    local ours = shell.run(as(shell.quote(shell.program), case[1]), case[2])
    local name = shell.program:gsub("%p", "%%%0")
    equal((ours.out:gsub(name, "lua5.4")), stock.out)
    equal(ours.code, stock.code)
  end)
end

shell.finish()
