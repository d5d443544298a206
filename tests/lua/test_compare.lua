-- Laws side by side: what is printed, and the pictures.

local k = require "knock"

local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir " .. folder))

-- saves the figure and gives gnuplot's script and the picture's text
local function saved(figure, name)
  local texts = {}
  figure:save { folder .. "/" .. name, keep = true }
  for i, ending in ipairs { ".gp", "" } do
    local f = assert(io.open(folder .. "/" .. name .. ending, "rb"))
    texts[i] = f:read "a"
    f:close()
  end
  return texts[1], texts[2]
end

-- what print gets meanwhile
local function printed(f)
  local lines, kept = {}, _G.print
  _G.print = function(x) lines[#lines + 1] = x end
  local ok, message = pcall(f)
  _G.print = kept
  assert(ok, message)
  return table.concat(lines, "\n")
end

local function count(text, part) return select(2, text:gsub(part, "")) end

local box = k.mechanism { name = "box", plane = true,
  bodies = { { name = "b", joint = "free", mass = 2, inertia = 0.02, points = { l = { -0.1, -0.05 }, r = { 0.1, -0.05 } } } },
  obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } }, contacts = { { "b.l", "floor" }, { "b.r", "floor" } },
  q = { b = { 0, 0.05, 0 } }, u = { b = { 1, -1, 0.5 } } }

test("one contact, one picture of each kind", function()
  local c = k.compare(k.double_pendulum {}, { k.law.newton { e = 0.5 }, k.law.stronge { e = 0.5, mu = 0.4 } }, { quiet = true })
  local _, picture = saved(c:plot "path", "path.svg")
  equal(count(picture, '<g id="gnuplot_plot_'), 4) -- a curve and its end for each law
  saved(c:plot "energy", "bars.svg")
  raises(function() c:plot "pie" end, "energy, impulse, path")
  raises(function() k.compare(k.chain {}, { k.law.newton {} }, { quiet = true }):plot() end, "needs a contact with friction")
end)

-- v_t stays above 0.4 m/s: a line at 0 of the second panel would go through the first
test("two contacts have a panel each, and lines beside them are left out", function()
  local c = k.compare(box, { k.law.moreau { e = 0.3, mu = 0.4 }, k.law.lzb { e = 0.3, mu = 0.4 } }, { quiet = true })
  local script, picture = saved(c:plot "path", "two.svg")
  assert(picture:find("b.l/floor", 1, true) and picture:find("b.r/floor", 1, true))
  assert(not script:find "from first 0, graph 0 to first 0, graph 1", "a line at v_t = 0")
  assert(script:find "from graph 0, first 0 to graph 1, first 0", "no line at v_n = 0")
  saved(c:plot "impulse", "impulses.svg")
end)

test("impulses are named by their contact, and dust is zero", function()
  local text = printed(function() k.compare(box, { k.law.moreau { e = 0.3, mu = 0.4 } }) end)
  assert(text:find("impulse[1] b.l/floor t  N s", 1, true) and text:find("impulse[4] b.r/floor n  N s", 1, true), text)
  local rod = k.rod { velocity = { -0.449539577, -0.4327110963 }, spin = -0.35422251381759, angle = 1.4604990635858, gaps = { 0, 0 }, gravity = 0 }
  text = printed(function() k.compare(rod, { k.law.moreau { mu = 2.5, e = 0 } }) end)
  assert(text:find "one of 3 answers: see hit.solutions", text)
  assert(text:find("impulse[3] contact 2 t  N s", 1, true) and text:find "spin +rad/s +%-0.354223 +0\n", text)
end)

test("a continuum of answers in space is told", function()
  local points, contacts = {}, {}
  for c = 0, 3 do points["p" .. c], contacts[c + 1] = { (c // 2 * 2 - 1) * 0.08, (c % 2 * 2 - 1) * 0.06, -0.03 }, { "box.p" .. c, "floor" } end
  local brick = k.mechanism { name = "brick", bodies = { { name = "box", joint = "free", mass = 1, inertia = { 1e-3, 2e-3, 3e-3 }, points = points } },
    obstacles = { floor = { point = { 0, 0, 0 }, normal = { 0, 0, 1 } } }, contacts = contacts,
    q = { box = { 0, 0, 0.03, 1, 0, 0, 0 } }, u = { box = { 0.4, 0.1, -1, 0, 0, 1 } } }
  local text = printed(function() k.compare(brick, { k.law.moreau { mu = 0.1, e = 0 } }) end)
  assert(text:find "one of a continuum of answers", text)
end)

os.execute("rm -r " .. folder)

test("the key of a comparison names laws by what tells them apart, lists too", function()
  local law = k.law.compliant { mu = { 0.3, 0.25 }, e = 0.5, k = { 1e8, 2e8 } }
  local c = k.compare(k.rod { velocity = { 0.2, -1 } }, { law, k.law.moreau { e = 0.5 } }, { quiet = true })
  local found
  for _, l in ipairs(c:plot "path"[1].layers) do found = found or l.label end
  equal(found, "compliant{mu = (0.3, 0.25), e = 0.5, eta = 1}")
end)

test("the only contact is a hinge's stop: its impulse has its unit", function()
  local door = k.mechanism { plane = true, bodies = { { name = "door", joint = "hinge", mass = 1, inertia = 0.1, lower = 0 } }, u = { door = -1 } }
  local text = printed(function() k.compare(door, { k.law.newton { e = 0.5 } }) end)
  if not text:find "impulse +N m s" then error(text) end
end)
