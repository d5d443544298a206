-- Stopping in a session: Ctrl-C, lines that are given up, hang-ups.

local shell, session = dofile(test_dir .. "/session.lua")

test("Ctrl-C shows behind what was typed", function()
  session [[
expect > 
send abc
expect abc
raw
send \x03
refuse \r^C
expect ^C
expect > 
send \x04
exit 0
]]
end)

test("Ctrl-C stops loops, coroutines, long solves and sweeps, and clears a line", function()
  session [[
expect > 
send y = 7\r
expect > 
send while true do end\r
wait 150
send \x03
expect interrupted!
expect > 
send coroutine.wrap(function() while true do end end)()\r
wait 150
send \x03
expect interrupted!
expect > 
send while true do pcall(function() while true do end end) end\r
wait 150
send \x03
expect interrupted!
expect > 
send r = k.sweep{ a = k.linspace(0, 1, 1000) }:run(function(p) for i = 1, 1e7 do end return { b = p.a } end)\r
expect /1000
send \x03
expect interrupted after
expect > 
send for i = 1, 10 do
wait 150
send \x03
expect ^C
send y\r
expect \n7
expect > 
send \x04
exit 0
]]
end)

test("Ctrl-C stops what never looks, and the session is as before the line", function()
  session [[
expect > 
send y = 7\r
expect > 
send print "go" string.find(("a"):rep(40) .. "b", ("a*"):rep(20) .. "c")\r
expect \ngo
wait 100
signal INT
expect interrupted!: the line was given up, and the session is as it was before it
expect > 
send y * 6\r
expect 42
expect > 
send os.exit(5)\r
exit 5
]]
end)

-- the same in less time: three Ctrl-C
local deaf = {
  ["gsub"] = [[string.gsub(("a"):rep(40) .. "b", ("a*"):rep(20) .. "c", "")]],
  ["a LAPACK call"] = [[big:eig()]],
  ["sorting numbers"] = [[table.sort(long)]],
}
for name, code in pairs(deaf) do
  test("Ctrl-C stops " .. name, function()
    session(([[
expect > 
send y = 7; %s\r
expect > 
send print "go" %s\r
expect \ngo
wait 100
signal INT
wait 50
signal INT
expect Ctrl-C once more gives this line up
signal INT
expect interrupted!: the line was given up
expect > 
send y * 6\r
expect 42
expect > 
send \x04
exit 0
]]):format(name == "a LAPACK call" and "x = k.linspace(0, 1, 1500); big = x * x:t() + k.eye(1500)"
      or name == "sorting numbers" and "long = {}; for i = 1, 2e6 do long[i] = (i * 7919) % 2000003 end" or "", code))
  end)
end

test("a second Ctrl-C says what a third would do, and the third does it", function()
  session [[
expect > 
send y = 7\r
expect > 
send print "go" string.find(("a"):rep(40) .. "b", ("a*"):rep(20) .. "c")\r
expect \ngo
wait 100
signal INT
wait 100
signal INT
expect Ctrl-C once more gives this line up at once, and the session is as it was before the line
signal INT
within 1500 interrupted!
expect > 
send y\r
expect \n7
expect > 
send \x04
exit 0
]]
end)

test("a line that kills the program does not take the session along", function()
  session [[
expect > 
send y, f = 7, io.popen("cat", "w")\r
expect > 
send os.execute "kill -KILL $PPID"\r
expect the line ended the program: Killed: the line was given up
expect > 
send y\r
expect \n7
expect > 
send while true do end\r
wait 150
signal INT
expect interrupted!
expect > 
send \x04
exit 0
]]
end)

test("figures work after a line that was given up, and no folder stays behind", function()
  shell.knock "mkdir -p tmp"
  session([[
expect > 
send k.plot{ y = {1, 2} }:save "one.svg"\r
expect 2> 
send k.plot{ y = {1, 2} }:save "two.svg"; os.execute "kill -KILL $PPID"\r
expect the line was given up
expect > 
send k.plot{ y = {1, 2} }:save "three.svg"\r
expect > 
send \x04
exit 0
]], nil, nil, 'xterm TMPDIR="$PWD/tmp"')
  equal(shell.run "ls *.svg; ls tmp | grep plot".out, "one.svg\nthree.svg\ntwo.svg\n")
end)

test("programs at the other end of a pipe see its end", function()
  session [[
expect > 
send f = io.popen("cat; echo done with it", "w")\r
expect > 
send f:write "some words\\n"\r
expect > 
send f:close()\r
expect some words
expect done with it
expect > 
send \x04
exit 0
]]
end)

test("a long write is stopped", function()
  shell.knock "mkfifo slow"
  session [[
expect > 
send f = io.open("slow", "r+")\r
expect > 
send print "go" f:write(("x"):rep(1e8))\r
expect \ngo
wait 200
signal INT
expect interrupted!
expect > 
send 6 * 7\r
expect 42
expect > 
send \x04
exit 0
]]
end)

test("resizing is harmless, and a hang-up ends the process", function()
  session [[
expect > 
resize 20 40
send 1 + 1\r
expect \n2
resize 50 120
send 2 + 2\r
expect \n4
hangup
exit -1
]]
  session [[
expect > 
send while true do end\r
hangup
exit -1
]]
end)

shell.finish()
