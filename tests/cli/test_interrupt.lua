-- Ctrl-C stops everything within two seconds, with status 130.

local shell = dofile(test_dir .. "/shell.lua")

local ready = [[io.write "ready\n" io.flush(); ]]
local loops = {
  ["a loop"] = [[while true do end]],
  ["a for loop"] = [[for i = 1, math.huge do end]],
  ["a function"] = [[local function f() return f() end f()]],
  ["a coroutine"] = [[coroutine.resume(coroutine.create(function() while true do end end))]],
  ["a wrapped coroutine"] = [[coroutine.wrap(function() while true do end end)()]],
  ["coroutines three deep"] = [[coroutine.wrap(function() coroutine.wrap(function() coroutine.wrap(function()
    while true do end end)() end)() end)()]],
  ["a generator that never ends"] = [[for i in coroutine.wrap(function() while true do coroutine.yield(1) end end) do end]],
  ["pcall in a loop"] = [[while true do pcall(function() while true do end end) end]],
  ["pcall of errors in a loop"] = [[while true do pcall(error, "x") end]],
  ["xpcall in a loop"] = [[while true do xpcall(function() while true do end end, debug.traceback) end]],
  ["coroutines in a loop"] = [[while true do coroutine.resume(coroutine.create(function() while true do end end)) end]],
  ["pcall in a coroutine"] = [[coroutine.wrap(function() while true do pcall(function() while true do end end) end end)()]],
  ["coroutines in pcall in a loop"] = [[while true do pcall(coroutine.wrap(function()
    while true do pcall(function() while true do end end) end end)) end]],
  ["recursive pcall"] = [[local function f() pcall(f) while true do end end f()]],
  ["sort with a function"] = [[while true do table.sort({ 3, 1, 2 }, function(a, b) while true do end end) end]],
  ["gsub with a function"] = [[(("x"):rep(10)):gsub("x", function() while true do end end)]],
  ["a metamethod"] = [[local t = setmetatable({}, { __index = function() while true do end end }) print(t.x)]],
  ["a coroutine being closed"] = [[local co = coroutine.create(function()
    local x <close> = setmetatable({}, { __close = function() while true do end end }) coroutine.yield() end)
    coroutine.resume(co) coroutine.close(co)]],
  ["loading code"] = [[load(function() while true do end end)]],
  ["many small calls into C"] = [[while true do string.format("%d", 1) end]],
}

local names = {}
for name in pairs(loops) do names[#names + 1] = name end
table.sort(names)

local function interrupted(result)
  if result.code ~= 130 then error(("status %d, said %q"):format(result.code, result.err), 2) end
  if result.seconds > 2 then error(("took %.2f s"):format(result.seconds), 2) end
end

for _, name in ipairs(names) do
  test("in " .. name, function()
    shell.write("loop.lua", ready .. loops[name])
    local result = shell.interrupt '"$K" loop.lua'
    interrupted(result)
    equal(result.err:find("interrupted!", 1, true) ~= nil, true)
  end)
end

-- a double pendulum that swings for ever
local swing = [[local k = require "knock" local pend = k.double_pendulum { q = { 1, 0.7 }, u = { 0, 0 } }
  local law = k.law.stronge { e = 1, mu = 0 } ]]

-- Ctrl-C meets a function of the script: the run up to there is the answer all the same
local scripts = {
  ["a force"] = "force = function(t, q, u) return { 0, 0 } end",
  ["an event"] = "events = { e = function(t, q, u) return 1 end }",
}
for name, option in pairs(scripts) do
  test("in a simulation with " .. name .. " in Lua, which gives what there is", function()
    shell.write("calls.lua", swing .. ready .. ("local r = k.simulate(pend, law, { t_end = 1e9, %s }) print(r.status, r.t_end > 0, #r.t > 100)"):format(option))
    interrupted(shell.interrupt '"$K" calls.lua')
    equal(shell.read(shell.folder .. "/said"), "ready\ninterrupted\ttrue\ttrue\n")
  end)
end

test("in a simulation of a model in Lua, which gives what there is", function()
  shell.write("model.lua", [[local k = require "knock" local m = k.model { coordinates = { "x", "z" }, mass = function() return { { 1, 0 }, { 0, 1 } } end,
    gap = function(q) return q[2] end, jacobian = function() return { { 1, 0 }, { 0, 1 } } end,
    forces = function(q) return { -q[1], -9.81 } end, q = { 1, 1 }, u = { 0, 0 } } ]] .. ready ..
    [[local r = k.simulate(m, k.law.newton { e = 1 }, { t_end = 1e9 }) print(r.status, r.impacts > 0)]])
  interrupted(shell.interrupt '"$K" model.lua')
  equal(shell.read(shell.folder .. "/said"), "ready\ninterrupted\ttrue\n")
end)

test("in the variational equations of a run", function()
  shell.write("arm.lua", [[local k = require "knock"
local run = k.simulate(k.arm { n = 60, floor = -70 }, k.law.newton {}, { t_end = 2, samples = 0 })
]] .. ready .. [[print(pcall(run.monodromy, run))]])
  interrupted(shell.interrupt '"$K" arm.lua')
end)

test("in a simulation, which gives what there is", function()
  shell.write("swing.lua", swing .. ready .. "print(k.simulate(pend, law, { t_end = 1e9, max_impacts = 1000000000 }).status)")
  interrupted(shell.interrupt '"$K" swing.lua')
  equal(shell.read(shell.folder .. "/said"), "ready\ninterrupted\n")
end)

test("in a loop of simulations, by a second Ctrl-C", function()
  shell.write("swing.lua", swing .. ready .. "while true do k.simulate(pend, law, { t_end = 1e9 }) end")
  local result = shell.interrupt('"$K" swing.lua', 2)
  interrupted(result)
  equal(result.err:find("swing.lua:2: interrupted", 1, true) ~= nil, true)
end)

test("in a function of the script that C calls", function()
  shell.write("model.lua", [[local k = require "knock"
    local bead = k.model { coordinates = { "z" }, mass = 1, u = { -1 }, gap = function(q)
      ]] .. ready .. [[ while true do end end }
    while true do pcall(k.impact, bead, k.law.newton { e = 1 }) end]])
  interrupted(shell.interrupt '"$K" model.lua')
end)

test("while waiting for input", function()
  shell.write("wait.lua", ready .. [[while true do io.read "l" end]])
  shell.knock "mkfifo input"
  interrupted(shell.interrupt [[sh -c 'exec "$0" wait.lua <>input' "$K"]])
end)

test("code on the command line and standard input", function()
  interrupted(shell.interrupt([["$K" -e ]] .. shell.quote(ready .. "while true do end")))
  shell.write("loop.lua", ready .. "while true do end")
  interrupted(shell.interrupt [[sh -c 'exec "$0" - <loop.lua' "$K"]])
end)

test("a script may tidy up after the error", function()
  shell.write("tidy.lua", ready .. [[
    local ok, message = pcall(function() while true do end end)
    for i = 1, 1e5 do end
    print("tidied", message)]])
  local result = shell.interrupt '"$K" tidy.lua'
  equal(shell.read(shell.folder .. "/said"), "ready\ntidied\ttidy.lua:1: interrupted!\n")
  equal(result.code, 130)
end)

test("what is to be closed is closed", function()
  shell.write("close.lua", ready .. [[
    local x <close> = setmetatable({}, { __close = function() for i = 1, 1e5 do end print "closed" end })
    while true do end]])
  interrupted(shell.interrupt '"$K" close.lua')
  equal(shell.read(shell.folder .. "/said"), "ready\nclosed\n")
end)

test("what does not listen is given up after two seconds", function()
  shell.write("deaf.lua", ready .. [[(("a"):rep(100000)):find((".-"):rep(20) .. "b")]])
  local result = shell.interrupt '"$K" deaf.lua'
  equal(result.code, 130)
  equal(result.seconds > 1.5 and result.seconds < 3.5, true)
end)

test("a second Ctrl-C ends what does not listen", function()
  shell.write("deaf.lua", ready .. [[(("a"):rep(100000)):find((".-"):rep(20) .. "b")]])
  interrupted(shell.interrupt('"$K" deaf.lua', 2))
end)

test("a session goes on at its prompt", function()
  shell.write("lines", ready .. "while true do end\nprint(6 * 7)\n")
  local result = shell.interrupt [[sh -c 'exec "$0" -i <lines' "$K"]]
  equal(result.code, 0)
  equal(shell.read(shell.folder .. "/said"):find("\n42\n", 1, true) ~= nil, true)
end)

test("a session can be interrupted again and again", function()
  shell.write("lines", "while true do end\nwhile true do end\n" .. ready .. "while true do end\nprint(6 * 7)\n")
  local result = shell.knock [[
    env --default-signal=INT sh -c 'exec "$0" -i <lines' "$K" >said 2>/dev/null &
    pid=$!
    sleep 0.3; kill -INT $pid; sleep 0.3; kill -INT $pid; sleep 0.3; kill -INT $pid
    wait $pid]]
  equal(result.code, 0)
  equal(shell.read(shell.folder .. "/said"):find("\n42\n", 1, true) ~= nil, true)
end)

test("a background job that ignores the signal goes on", function()
  local result = shell.knock [[
    rm -f said # what an earlier test left would say "ready" too soon
    (trap '' INT; exec "$K" -e 'io.write "ready\n" io.flush() local t = os.time() + 1.5 while os.time() < t do end print "done"') >said &
    pid=$!
    until grep -qs ready said; do sleep 0.02; done
    kill -INT $pid
    wait $pid]]
  equal(result.code, 0)
  equal(shell.read(shell.folder .. "/said"), "ready\ndone\n")
end)

shell.finish()
