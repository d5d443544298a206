-- Every scenario runs by itself in a folder of its own, says key numbers and leaves figures with something in them.

local host = require "knock.host"
local shell = dofile(test_dir .. "/../cli/shell.lua")

local folder = shell.source .. "/scenarios/"

local function knock(line) return shell.knock(('"$K" %s%s'):format(shell.quote(folder), line)) end

local function names()
  local out = {}
  for _, name in ipairs(host.files(folder)) do
    if name:match "^%l+_.*%.lua$" then out[#out + 1] = name end
  end
  table.sort(out)
  return out
end

-- the number that a scenario says of something
local function said(text, what, n)
  local found = {}
  for line in text:gmatch "[^\n]+" do
    local rest = line:match("^%s+" .. what .. "%s+(.*)$")
    if rest then found[#found + 1] = tonumber(rest:match "^%(?(-?[%d.e+-]+)") end
  end
  return found[n or 1] or error(("nothing is said of '%s' in\n%s"):format(what, text))
end

local function figures(text)
  local files = {}
  for file in text:gmatch "saved ([^\n]+)" do files[#files + 1] = shell.folder .. "/" .. file end
  return files
end

local function check_figure(file)
  local svg = shell.read(file) or error(file .. " is not there")
  assert(svg:find("</svg>", 1, true), file .. " is not complete")
  local _, curves = svg:gsub("<path", "")
  assert(curves > 5, file .. " is empty")
end

-- a slow machine is told how far a sweep is: that is no complaint
local function complaints(err)
  return (err:gsub("sweep: %d+ of %d+,[^\n]*\n", ""))
end

local outputs = {} -- what each said

for _, name in ipairs(names()) do
  test(name .. " runs by itself and leaves its figure", function()
    local first = shell.read(folder .. name):match "^[^\n]*"
    assert(first:match "^%-%- %u[%w' -]*[,:] ", "the first line does not say what it shows: " .. first)
    local ran = knock(name .. " --out out --term svg")
    outputs[name] = ran.out
    equal({ ran.code, complaints(ran.err) }, { 0, "" })
    assert(ran.out:find "%d", "no numbers are said")
    equal(ran.out:lower():find "%f[%a]nan%f[%A]", nil)
    local files = figures(ran.out)
    assert(#files >= 1, "no figure is saved")
    for _, file in ipairs(files) do check_figure(file) end
    assert(ran.seconds < 30, ("it took %.1f s"):format(ran.seconds))
  end)
end

test("arguments change a scenario", function()
  local ran = knock "j_slope.lua --theta 45 --v -2 --term svg"
  near(said(ran.out, "x'%+ and z'%+ by k.impact"), 1, 1e-9)
  ran = knock "j_slope.lua --theta=60 --e=1 --term svg"
  near(said(ran.out, "x'%+ and z'%+ by k.impact"), 2 * math.sin(math.pi / 3) / 2, 1e-8)
  ran = knock "j_ball.lua --z 4.9 --term svg"
  near(said(ran.out, "time of impact"), 1, 1e-8)
end)

test("the bar's events are those of the reference", function()
  local first, released = { 0.289280912, 0.289280912, 0.289280912, 0.413753590, 0.289764642, 0.202636687 },
    { 0.491395492, 0.564384882, 0.635360660, 0.849514371, 0.540423758, 0.352536898 }
  local second = { [7] = 1.88188840, [8] = 1.36407059, [9] = 1.05135039 }
  for fig = 4, 9 do
    local out = outputs[("f_fig%d.lua"):format(fig)]
    near(said(out, "contact at"), first[fig - 3], 2e-9)
    near(said(out, "released at"), released[fig - 3], 2e-9)
    if second[fig] then near(said(out, "contact at", 2), second[fig], 2e-8) end
  end
end)

test("the wall's stiffness is an argument: Fig 4 becomes Fig 6", function()
  near(said(knock("f_fig4.lua --k_w 1000 --term svg").out, "released at"), 0.635360660, 2e-9)
end)

test("a wrong argument is one clear line and exit code 2", function()
  local ran = knock "j_slope.lua --thet 3"
  equal(ran.code, 2)
  assert(ran.err:find("unknown argument '--thet' (did you mean '--theta'?)", 1, true), ran.err)
  ran = knock "j_slope.lua --theta up"
  equal(ran.code, 2)
  assert(ran.err:find("--theta must be a number, got 'up'", 1, true), ran.err)
end)

test("--help shows what a scenario is and its arguments", function()
  local ran = knock "f_fig4.lua --help"
  equal(ran.code, 0)
  for _, word in ipairs { "Manipulator, Fig 4", "--k_w", "--M_theta", "--out" } do
    assert(ran.out:find(word, 1, true), word .. " is not in\n" .. ran.out)
  end
end)

shell.finish()
