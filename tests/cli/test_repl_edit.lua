-- Typing in a session: unfinished input, Tab, the history, prompts and start-up.

local shell, session = dofile(test_dir .. "/session.lua")

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

test("a line is in the history before it runs", function()
  session [[
expect > 
send print "on its way" os.exit(3)\r
exit 3
]]
  equal(shell.run "cat home/.local/state/knock/history".out, 'print "on its way" os.exit(3)\n')
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

shell.finish()
