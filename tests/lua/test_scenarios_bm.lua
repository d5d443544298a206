-- The scenarios of Batlle and of Morgan, and the showpieces: each runs by itself, prints numbers that
-- REFERENCE or the paper's own formulas give, and saves a figure with curves.

local text = require "knock.draw.text"
package.path = arg[1]:match "^(.*/)" .. "?.lua;" .. package.path
local svg = require "svg"

local scenarios = test_dir .. "/../../scenarios/"
local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir " .. folder))

-- the page has curves and no text sticks out of it
local function check_page(name, least)
  local p = svg.read(folder .. "/" .. name .. ".svg")
  local curves = 0
  for _, plot in ipairs(p.plots) do if plot.points >= 2 or plot.marks > 0 then curves = curves + 1 end end
  assert(curves >= least, ("%s has %d curves, expected %d"):format(name, curves, least))
  equal(svg.outside(p, text.width), {})
end

-- runs a scenario, checks its figure; returns what it prints
local function run(name, arguments, least)
  local command = ("'%s' '%s%s.lua' %s --term svg --out %s 2>&1"):format(arg[-1], scenarios, name, arguments, folder)
  local pipe = assert(io.popen(command))
  local out = pipe:read "a"
  if not pipe:close() then error(("%s failed:\n%s"):format(command, out), 2) end
  check_page(name, least)
  return out
end

-- the numbers in the line after a text
local function numbers(out, before)
  local _, last = out:find(before, 1, true)
  if not last then error(("'%s' is not in\n%s"):format(before, out), 2) end
  local list = {}
  for word in out:sub(last + 1):match "[^\n]*":gsub("%(printed.*", ""):gmatch "%-?%d+%.?%d*[eE]?[-+]?%d*" do
    list[#list + 1] = tonumber(word)
  end
  return list
end

-- ---- Batlle ----------------------------------------------------------------------------------------

local rod = { -- REFERENCE: v_P, v_Q after
  [2] = { 1.1310258925, 0.594929365 }, [3] = { 1.2153622611, 0.3203995614 },
  [4] = { 0.6298845511, 2.5885729247 }, [5] = { 32 / 49, 124 / 49 },
}
for fig, want in pairs(rod) do
  test("b_fig" .. fig, function()
    near(numbers(run("b_fig" .. fig, "", 3), "v_n of P and Q after"), want, 6e-9)
  end)
end

test("b_fig2 takes arguments", function()
  near(numbers(run("b_fig2", "--gap 350", 3), "v_n of P and Q after"), rod[3], 6e-9)
end)

test("b_fig3 marks every closing and opening", function()
  local out = run("b_fig3", "", 7)
  local want, at = { 0.0594, 0.2335, 0.3586, 0.4208, 0.5459, 1.2513, 1.3106 }, {}
  for t in out:gmatch "[PQ] %a+%s+([%d.]+) ms" do at[#at + 1] = tonumber(t) end
  near(at, want, 1e-4)
  local marks = 0
  for _, plot in ipairs(svg.read(folder .. "/b_fig3.svg").plots) do marks = marks + plot.marks end
  equal(marks, 7)
end)

test("b_fig6: springs and Newton's rule four times", function()
  local out = run("b_fig6", "", 6)
  near(numbers(out, "v_n of P and Q after, by springs"), rod[5], 6e-9)
  near(numbers(out, "v_n after, by Newton's rule 4 times"), rod[5], 6e-9)
end)

test("b_fig8 and b_fig9", function()
  local out = run("b_fig8", "", 9)
  near(numbers(out, "v_n of feet and tip after"), { 0.06695438, 2.0265425 }, 1e-8)
  near(numbers(out, "tip open"), { 0.1472 }, 1e-4)
  out = run("b_fig9", "", 9)
  near(numbers(out, "v_n of feet and tip after"), { 0.45433145, 1.78175577 }, 1e-8)
  near(numbers(out, "impulses"), { 38.7616708, 6.5932643 }, 1e-7)
end)

test("b_table2: the walker of both tables", function()
  local out = run("b_table2", "", 10)
  near(numbers(out, "tips at x ="), { 1.0133, -0.1011 }, 1e-4)
  near(numbers(out, "(0, 0, 2, 0, 0, 0)"), { 0, -2.02654, 0.066954, 2.026542, 173.2209 }, 1e-5)
  near(numbers(out, "(0, -0.5, 1, 0, 0, 0)"), { -0.5, -1.51327, 0.454331, 1.781756, 63.7236 }, 1e-5)
end)

-- ---- Morgan ----------------------------------------------------------------------------------------

-- M, J of (2.2) and L = M^-1 J^T at q, for m = r = 1; all 2 x 2, written out
local function morgan(q1, q2)
  local s1, c1, s12, c12, c = math.sin(q1), math.cos(q1), math.sin(q1 + q2), math.cos(q1 + q2), math.cos(q2)
  local J = { { -s1 - s12, -s12 }, { c1 + c12, c12 } }
  local a, b, d = c + 5 / 3, c / 2 + 1 / 3, 1 / 3
  local det = a * d - b * b
  local function L(row) return { (d * row[1] - b * row[2]) / det, (a * row[2] - b * row[1]) / det } end
  return J, L(J[1]), L(J[2])
end

local function dot(a, b) return a[1] * b[1] + a[2] * b[2] end

-- the example of the figures: v = (-0.6, -3), mu = 0.5; pauses by (3.2) and (3.3) along v = J u
local function pauses()
  local J, Lt, Ln = morgan(-1.2, 0.7)
  local mu, vt, vn = 0.5, -0.6, -3
  local dt, dn = dot(J[1], Ln) + mu * dot(J[1], Lt), dot(J[2], Ln) + mu * dot(J[2], Lt)
  local tangential, normal = -vt / dt, -vn / dn
  local back = dot(J[2], Ln) - mu * dot(J[2], Lt)
  return tangential, normal, tangential - (vn + tangential * dn) / back
end

test("m_fig2_2_5: the pauses by the paper's formulas are the events of the law", function()
  local out = run("m_fig2_2_5", "", 15)
  local tangential, normal, again = pauses()
  near(numbers(out, "p_n at the tangential pause"), { tangential }, 2e-9)
  near(numbers(out, "p_n at the normal pause of the first line"), { normal }, 2e-9)
  near(numbers(out, "p_n at the normal pause, found anew"), { again }, 6e-9)
  near(numbers(out, "p_n at reversal"), { tangential }, 2e-9)
  near(numbers(out, "p_n at compression end"), { again }, 6e-9)
  -- with much friction the tip sticks, and compression ends with v = 0
  out = run("m_fig2_2_5", "--mu 1.5", 15)
  near(numbers(out, "p_n at stick"), numbers(out, "p_n at the tangential pause"), 2e-9)
  near(numbers(out, "p_n at compression end"), numbers(out, "p_n at the normal pause, found anew"), 6e-9)
end)

test("m_fig2_6: normal work gives back e^2, friction only takes", function()
  local out = run("m_fig2_6", "", 4)
  local before, after = table.unpack(numbers(out, "kinetic energy before and after"))
  local low = numbers(out, "E_n at the end of compression")[1]
  local last, friction, total = table.unpack(numbers(out, "E_n, E_f and E at the end"))
  near(last, (1 - 0.6 ^ 2) * low, 1e-8)
  near(total, after - before, 1e-8)
  near(last + friction, total, 1e-8)
  assert(friction < 0)
  out = run("m_fig2_6", "--mu 0", 4)
  near(numbers(out, "E_n, E_f and E at the end")[2], 0, 1e-8)
end)

test("m_fig2_7: momentum, and the end of the energy", function()
  local out = run("m_fig2_7", "", 6)
  local _, Lt, Ln = morgan(-1.2, 0.7)
  local u0, u, p = numbers(out, "speeds before"), numbers(out, "speeds after"), numbers(out, "impulse")
  for i = 1, 2 do near(u[i], u0[i] + Lt[i] * p[1] + Ln[i] * p[2], 5e-8) end
  local low, last = table.unpack(numbers(out, "E_n, lowest and at the end"))
  near(last, 0.64 * low, 1e-8)
end)

test("m_fig2_9: v_t = 0 is not reached, or left behind", function()
  local out = run("m_fig2_9", "", 8)
  local a, b = numbers(out, "(a) velocity of the tip after"), numbers(out, "(b) velocity of the tip after")
  near({ a[2], b[2] }, { 1.5, 1.5 }, 1e-8) -- without a bend e is Newton's
  assert(a[1] < 0 and b[1] > 0.6)
  local pause, last = numbers(out, "(a) p_n at the tangential pause (not used)")[1], numbers(out, "(a) p_n at the normal pause and at the end")[2]
  assert(pause > last)
  assert(numbers(out, "(b) p_n at the tangential pause (not used)")[1] < 0)
end)

test("m_fig3_1: the pendulum loses what its impacts take", function()
  local out = run("m_fig3_1", "", 10)
  local from, to, lost = table.unpack(numbers(out, "energy at the start, at the end, and lost"))
  near(from - to, lost, 1e-6)
  local sum = 0
  for a, b in out:gmatch "kinetic energy before and after%s+%(([%d.]+), ([%d.]+)%)" do
    assert(tonumber(b) < tonumber(a))
    sum = sum + a - b
  end
  near(sum, lost, 1e-6)
  -- released at rest: potential energy of two links of 1 kg
  near(from, 9.81 * (1.5 * math.sin(-0.35) + 0.5 * math.sin(0.15)), 1e-7)
end)

-- ---- showpieces -------------------------------------------------------------------------------------

test("show_energy: only Newton's law creates energy", function()
  local out = run("show_energy", "--n 101 --grid 21", 4)
  local function top(law) return numbers(out, law .. ": largest T after / T before")[1] end
  assert(top "newton" > 1.5)
  near({ top "poisson", top "stronge" }, { 0.81, 0.81 }, 1e-9) -- e^2, when the tip does not slide
  -- with e = 0.5 there is too little restitution for it
  out = run("show_energy", "--n 101 --grid 21 --e 0.5", 3)
  assert(top "newton" < 1)
  near(numbers(out, "part of the map where Newton creates energy"), { 0 }, 0)
end)

test("show_gaps: the figures of the paper lie in the map", function()
  local out = run("show_gaps", "--n 21", 2)
  near(numbers(out, "v_P after in Figs 2 to 5"), { rod[2][1], rod[3][1], rod[4][1], rod[5][1] }, 6e-9)
end)

test("show_cradle: same momentum and energy, three answers", function()
  local out = run("show_cradle", "", 6)
  near(numbers(out, "at once"), { -0.6, 0.4, 0.4, 0.4, 0.4 }, 1e-9) -- four balls as one: (1 - 4) / 5, 2 / 5
  near(numbers(out, "in turn"), { 0, 0, 0, 0, 1 }, 1e-9)
  local count = 0
  for momentum, energy in out:gmatch "momentum and energy after%s+%(([%d.]+), ([%d.]+)%)" do
    near({ tonumber(momentum), tonumber(energy) }, { 1, 0.5 }, 1e-9)
    count = count + 1
  end
  equal(count, 3)
end)

test("show_hertz: momentum and energy, n = 1 is springs, Hertz contacts come nearer to one ball", function()
  local out = run("show_hertz", "--points 5", 6)
  near(numbers(out, "LZB, n = 1"), numbers(out, "springs"), 1e-9)
  local hertz = numbers(out, "LZB, n = 1.5")
  assert(hertz[5] > 0.98 and hertz[5] < 1 and hertz[1] < 0)
  local count = 0
  for momentum, energy in out:gmatch "momentum and energy after%s+%(([%d.]+), ([%d.]+)%)" do
    near({ tonumber(momentum), tonumber(energy) }, { 0.51, 0.255 }, 1e-9)
    count = count + 1
  end
  equal(count, 4)
end)

test("show_flat: contacts without tangential springs stop the rod, springs throw it back", function()
  local out = run("show_flat", "--n 21", 13)
  near(numbers(out, "LZB: horizontal velocity after, mu = 1.5"), { 0 }, 1e-9)
  assert(numbers(out, "springs: horizontal velocity after, mu = 1.5")[1] < -0.4)
end)

test("show_laws: each law ends where its rule says", function()
  local out = run("show_laws", "--n 21", 12)
  local function after(law) return numbers(out, law .. ": velocity of the tip after") end
  local function impulse(law) return numbers(out:sub(out:find(law .. ": ", 1, true), -1), "impulse") end
  near({ after "plastic"[2], after "Newton"[2] }, { 0, 0.7 }, 1e-9)
  near(impulse "Poisson"[2], 1.7 * impulse "plastic"[2], 6e-9)
  assert(impulse "Stronge"[2] > impulse "Poisson"[2] and impulse "Stronge"[2] < impulse "Newton"[2])
end)

test("show_dance: two starts a billionth apart part ways, energy is accounted for", function()
  local out = run("show_dance", "", 4)
  local from, to, lost = table.unpack(numbers(out, "energy at the start, at the end, and lost"))
  near(from, 9.81 * (1.5 * math.sin(1.2) + 0.5 * math.sin(2.4)), 1e-6)
  near(from - to, lost, 1e-6)
  assert(numbers(out, "distance of the tips at the end")[1] > 1e-3)
end)

os.execute("rm -r " .. folder)
