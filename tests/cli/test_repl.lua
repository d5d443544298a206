-- The session, driven in a real pseudo-terminal (tests/pty.c).

local shell = dofile(test_dir .. "/shell.lua")
local pty = shell.program:match "^(.*)/[^/]*$" .. "/tests/pty"

-- runs the script in a fresh home unless `keep`
local function session(script, arguments, keep, term)
  if not keep then shell.knock "rm -rf home" end
  shell.write("script", script)
  local result = shell.knock(([[
    mkdir -p home; export HOME="$PWD/home" NO_COLOR=1 TERM=%s LC_ALL=C.UTF-8
    unset XDG_STATE_HOME XDG_CONFIG_HOME
    %s script "$K" %s]]):format(term or "xterm", shell.quote(pty), arguments or ""))
  if result.code ~= 0 then error(result.out .. result.err, 2) end
end

test("expressions print, statements do not, a semicolon mutes", function()
  session [[
expect > 
send 1 + 1\r
expect \n2
expect > 
send x = 5\r
expect > 
send x * 2;\r
refuse 10
send x = 5; x * 3\r
expect 15
send _\r
expect 15
send _4\r
expect 15
send = x\r
expect \n5
expect > 
send \x04
exit 0
]]
end)

test("tables, matrices and models print so that a person sees them", function()
  session [[
expect > 
send {b = {2, 3, "x"}, a = 1}\r
expect { a = 1, b = { 2, 3, "x" } }
send t = {}; t.t = t\r
send t\r
expect { t = <cycle> }
send k.matrix{{1, 2}, {3, 4}}\r
expect {3, 4}}
send k.ball{ mass = 2 }\r
expect 2 kg
send k.impact(k.ball{}, k.law.newton{ e = 0.5 })\r
expect energy
expect 7> 
send \x04
exit 0
]]
end)

test("unfinished input goes on, and is one entry of the history", function()
  session [[
expect > 
send function f(x)\r
expect >> 
send return x * 2\r
expect >> 
send end\r
expect > 
send f(21)\r
expect 42
expect > 
send \x04
exit 0
]]
  equal(shell.read(shell.folder .. "/home/.local/state/knock/history"), "function f(x)\\nreturn x * 2\\nend\nf(21)\n")
  session([[
expect > 
send \e[A\e[A\r
expect return x * 2
send \x15f(4)\r
expect 8
expect > 
send \x04
exit 0
]], "", true)
end)

test("a dumb terminal has k, help and all of the session but editing", function()
  session([[
expect > 
send k.ball{ mass = 3 }.mass\r
expect \n3.0
expect > 
send ?ball\r
expect mass of the ball
expect > 
send function f(x)\r
expect >> 
send return x * 2 end\r
expect > 
send half a line
wait 50
send \x03
expect > 
send f(21)\r
expect \n42
expect > 
send \x04
exit 0
]], "", false, "dumb")
end)

test("a pasted function of five lines arrives whole", function()
  local text = [[function g(a)\n  local b = a + 1\n  local c = b + 1\n  return c\nend]]
  local brackets = require "knock.host".editor == "readline" -- asks terminals to say where a paste begins and ends
  session(([[
expect > 
send %s\r
expect > 
send g(40)\r
expect 42
expect > 
send \x04
exit 0
]]):format(brackets and "\\e[200~" .. text .. "\\e[201~" or text))
end)

test("Tab completes globals, fields, methods, parameters, keywords, modules and files", function()
  shell.write("some_file.csv", "")
  session [[
expect > 
send prin\t("a" .. "b")\r
expect \nab
expect > 
send math.flo\t(2.5)\r
expect \n2
expect > 
send k.double_pen\t{ fl\t
expect floor=
send \x15k.ball{ mas\t3 }.mass\r
expect k.ball{ mass=3 }.mass
expect 3.0
expect > 
send h = k.impact(k.ball{}, k.law.newton{})\r
expect > 
send h.velo\t[3]\r
expect h.velocity[3]
expect > 
send s = ("x"):uppe\t
expect upper
send \x15require "knock.cor\t
expect knock.core
send \x15io.open("some_f\t
expect some_file.csv"
send \x15help "gal\t
expect gallery"
send \x15?repr\t
expect ?reproduce
send \x15?law.compl\t
expect ?law.compliant
send \x15whi\t
expect while
send \x15\x04
exit 0
]]
end)

test("unfinished expressions go on too", function()
  session [[
expect > 
send 40 +\r
expect >> 
send 2\r
expect 42
expect > 
send { 3,\r
expect >> 
send 4 }\r
expect { 3, 4 }
expect > 
send \x04
exit 0
]]
end)

test("the caret is where reading stopped, in expressions as well", function()
  session [[
expect > 
send f { a = = 1, b = 2 }\r
expect \n          ^
send 10 + * 20\r
expect unexpected symbol near '*'
expect \n       ^
send 2 * (3 + 4))\r
expect near ')'
expect \n             ^
expect > 
send \x04
exit 0
]]
end)

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

test("errors show the line and a caret, and the session goes on", function()
  session [[
expect > 
send x = = 3\r
expect unexpected symbol near '='
expect ^
send error("boo")\r
expect stdin:1: boo
send k.ball{ mass = -1 }\r
expect ball: mass must be a positive number of kg, got -1
send prnit(1)\r
expect undefined global 'prnit' (did you mean 'print'?)
send function a() error("deep") end\r
send function b() a() end\r
send b()\r
expect deep
expect in 'a'
refuse [C]
send 1 + 1\r
expect \n2
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

test("help at the prompt", function()
  session [[
expect > 
send ?ball\r
expect mass of the ball
send help "law.newton"\r
expect k.law.newton{...}: a law
send help "bal"\r
expect did you mean 'ball'?
send help(k.ball{})\r
expect k.ball{...}: a model
expect > 
send \x04
exit 0
]]
end)

test("help, help ball, ball?, tutorial and time do what people mean", function()
  session [[
expect help, ?ball and tutorial explain; quit or Ctrl-D ends
expect > 
send help\r
expect Ctrl-C              stops what runs
send help ball\r
expect k.ball{...}: a model
send k.law.newton?\r
expect k.law.newton{...}: a law
send tutorial\r
expect k.ball
expect > 
send time 6 * 7\r
expect us
expect 42
expect > 
send quit\r
exit 0
]]
  session "expect > \nsend exit()\\r\nexit 0\n"
end)

test("a global of the user's own wins over quit and time", function()
  session [[
expect > 
send quit = 5; quit\r
expect 5
send quit\r
expect \n5
send time = 7\r
send time\r
expect \n7
expect > 
send \x04
exit 0
]]
end)

test("a local lives on to the next line", function()
  session [[
expect > 
send local a, b = 6, 7\r
expect > 
send a * b\r
expect 42
send local function f(x) return x + a end\r
expect > 
send f(1)\r
expect \n7
send for i = 1, 3 do local hidden = i end\r
expect > 
send hidden\r
expect undefined global 'hidden'
expect > 
send \x04
exit 0
]]
end)

test("functions of knock's show their name, not an address", function()
  session [[
expect > 
send k.simulate\r
expect k.simulate: help simulate
refuse function: 0x
send k.ball\r
expect k.ball{...}: a model, see help ball
refuse function: 0x
expect > 
send \x04
exit 0
]]
end)

test("a line is in the history before it runs", function()
  session [[
expect > 
send print "on its way" os.exit(3)\r
exit 3
]]
  equal(shell.run "cat home/.local/state/knock/history".out, 'print "on its way" os.exit(3)\n')
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

test("long pages go through the user's pager, short ones do not", function()
  session([[
expect > 
send help "promises"\r
expect PAGED
expect > 
send help "units"\r
refuse PAGED
expect SI throughout
expect > 
send \x04
exit 0
]], nil, nil, "xterm PAGER='sed -n 1i\\PAGED'")
end)

test("Tab: only documented names, methods after a colon, kinds, options and files", function()
  shell.write("tab.lua", [[
    k = require "knock"
    hit = k.impact(k.ball { velocity = { 0, 0, -1 } }, k.law.newton {})
    run = k.simulate(k.ball { position = { 0, 0, 2 } }, k.law.newton {}, { t_end = 0.1 })
    s, t, f = k.sweep { a = { 1, 2 } }, k.table { speed = { 1, 2 } }, k.figure {}
    mine = { size = 3, grow = function() end }
    local function tab(text)
      local start = #text
      while start > 0 and not text:sub(start, start):find "[%s\"'><=;:+*/%%^~#{}()%[%].,|&-]" do start = start - 1 end
      print(text, table.concat((require "knock.complete".words(text, start)), " "))
    end
    for text in io.lines() do tab(text) end]])
  local cases = {
    { "k.si", "simulate" }, { "k.rec", "" }, { "k.way", "" }, { "k.host", "" }, -- rooms of its own
    { "hit.pl", "" }, { "hit:pl", "plot" }, { "hit:velo", "" }, { "hit.velo", "velocity" },
    { "run:an", "animate" }, { "run:wr", "write" }, { "run.wr", "" }, { "run.ev", "events" }, { "run.events:", "plot table write" },
    { "s:ru", "run" }, { "s:im", "impact" }, { "s.", "" }, { "t.sp", "speed" }, { "t.wr", "" }, { "t:wr", "write" },
    { "f:sa", "save" }, { "f.sa", "" }, { "f[1]:li", "line line3" }, { "mine.", "grow size" }, { "mine:", "grow" }, { "math.flo", "floor" },
    { 'hit:plot "e', "energy" }, { 'hit:plot("pa', "path" }, { 'run:plot "tr', "trajectory" },
    { "k.simulate(m, l, { rt", "rtol" }, { "k.figure{ co", "cols" }, { "s:run(f, { re", "resume" }, { "s:impact(m, l, { ma", "map" },
    { 'f:save("x.pdf", { ke', "keep" }, { 'k.read "tab', "tab.lua" }, { "whi", "while" },
  }
  local typed, expected = {}, {}
  for i, case in ipairs(cases) do typed[i], expected[i] = case[1], case[1] .. "\t" .. case[2] end
  local result = shell.knock('"$K" tab.lua', table.concat(typed, "\n") .. "\n")
  equal(result.err, "")
  equal(result.out, table.concat(expected, "\n") .. "\n")
end)

test("prompts have numbers, and _2 is the value of line 2", function()
  session [[
expect 1> 
send 6 * 7\r
expect 2> 
send x = 1\r
expect 3> 
send "three"\r
expect 4> 
send _1\r
expect \n42
expect 5> 
send _, _3\r
expect 42
expect "three"
expect 6> 
send _2\r
expect undefined global '_2'
expect 7> 
send if x then\r
expect >> 
send end\r
expect 8> 
send \x04
exit 0
]]
end)

test("colours for errors and numbers, unless NO_COLOR is set", function()
  local line = [[
expect > 
send 6 * 7\r
expect %s42%s
expect > 
send error "boo"\r
expect %sstdin:1: boo
expect > 
send \x04
exit 0
]]
  session(line:format("\\n\\e[36m", "\\e[0m", "\\e[31m"), nil, nil, "xterm NO_COLOR=")
  session(line:format("\\n", "\\n", "\\n"))
end)

test("UTF-8 goes in and comes out whole", function()
  session [[
expect > 
send s = "Stoß µ = ½"\r
send #s, s\r
expect 13
expect "Stoß µ = ½"
expect > 
send \x04
exit 0
]]
end)

test("the start-up file runs, unless told not to", function()
  shell.knock [[mkdir -p home/.config/knock; echo 'greeting = "hello"' >home/.config/knock/init.lua]]
  session("expect > \nsend greeting\\r\nexpect \"hello\"\nexpect > \nsend \\x04\nexit 0\n", "", true)
  session("expect > \nsend greeting\\r\nexpect undefined global 'greeting'\nexpect > \nsend \\x04\nexit 0\n", "--no-init", true)
end)

test("a script and -i end in the session", function()
  shell.write("a.lua", "z = 99")
  for _, line in ipairs { "-i a.lua", "a.lua -i" } do
    session("expect > \nsend z\\r\nexpect \\n99\nexpect > \nsend \\x04\nexit 0\n", line)
  end
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

test("the prompt is back within 10 ms of a simple impact, and the first within a moment", function()
  session [[
expect > 
send b, l = k.ball{}, k.law.newton{ e = 0.5 }\r
expect > 
send k.impact(b, l).velocity[3]\r
expect 0.5
expect > 
send \x04
exit 0
]]
end)

shell.finish()
