-- What a session prints and explains.

local shell, session = dofile(test_dir .. "/session.lua")

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
