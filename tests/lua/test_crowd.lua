-- Figures of hits with hundreds of events: curves that vibrate are drawn as they are, and marks are told apart.
local k = require "knock"
local help = dofile(test_dir .. "/plot_help.lua")
local svg, saved = help.svg, help.saved

-- a ball whose tangential spring is a million times as stiff as the normal one
local mu, eta = 0.3, 1e-3
local law = k.law.compliant { mu = mu, e = 0.5, eta = eta }
local hit = k.impact(k.ball { velocity = { 1, 0, -3 }, spin = { 0, 2, 0 } }, law)

local function count(kind, events)
  local n = 0
  for _, e in ipairs(events) do n = n + (e.kind == kind and 1 or 0) end
  return n
end

-- While it sticks, x'' = -W_tt k x / eta^2 from |x| = mu eta^2 |n| with v_t near 0: the force swings between -mu F_n and
-- mu F_n of the moment when it began to stick, again and again. 80 points between two events saw beats of it.
test("a force that vibrates is drawn with its whole amplitude all along", function()
  local c = hit:course()
  local first, last
  for _, e in ipairs(hit.events) do
    if e.kind == "stick" and not first then first = e.t elseif e.kind == "compression_end" then last = e.t end
  end
  local F0, n = nil, 0
  local high, low = {}, {} -- of ten stretches
  for i = 1, #c.t do
    local t = c.t[i]
    if not F0 and t >= first then F0 = math.abs(c.F_t1[i]) end
    if t > first and t < last then
      local part = math.min(10, 1 + math.floor(10 * (t - first) / (last - first)))
      high[part], low[part], n = math.max(high[part] or 0, c.F_t1[i]), math.min(low[part] or 0, c.F_t1[i]), n + 1
    end
  end
  for part = 1, 10 do
    assert(high[part] > 0.95 * F0 and low[part] < -0.95 * F0, ("stretch %d: %g to %g of %g"):format(part, low[part], high[part], F0))
  end
  -- 16 in a period 2 pi eta sqrt(m / (7/2 k))
  local turns = (last - first) * math.sqrt(3.5 * law.k) / eta / (2 * math.pi)
  assert(n > 15 * turns and n < 60 * turns, n .. " points in " .. turns .. " turns")
end)

test("points that a script asks for are as many", function()
  local events, other = hit.events, 0
  for _, e in ipairs(events) do if e.kind == "compression_end" then other = #hit:trace(7).t end end
  assert(other <= 9 * (#events + 1), other)
end)

-- places of the marks of a plot of a page
local function marks(page, id)
  local out = {}
  for x, y in page.source:gmatch("<use xlink:href='#" .. id .. "' transform='translate%(([%d.]+),([%d.]+)%)") do out[#out + 1] = { tonumber(x), tonumber(y) } end
  return out
end

test("marks that crowd keep apart, and the key says how many there are", function()
  local slips, sticks = count("slip", hit.events), count("stick", hit.events)
  assert(slips > 200 and sticks > 200)
  for _, kind in ipairs { "impulse", "velocity", "energy", "force", "path" } do
    local page = saved(hit:plot(kind), kind .. ".svg")
    assert(svg.has_text(page, ("stick (%d times)"):format(sticks)), kind)
    assert(svg.has_text(page, ("slip (%d times)"):format(slips)), kind)
    assert(svg.has_text(page, "end of compression"), kind)
    for _, id in ipairs { "gpPt6", "gpPt5" } do -- discs, rings
      local list = marks(page, id)
      assert(#list >= 2 and #list < 60, kind .. ": " .. #list)
    end
  end
end)

test("few events are all drawn, however near, and an impulse in space has one entry for each kind", function()
  local few = k.impact(k.ball { velocity = { -1, 0, -5 }, spin = { 0, 2, 0 } }, k.law.compliant { mu = 0.4, e = 0.5, eta = math.sqrt(17 / 14) })
  local page = saved(few:plot "impulse", "few.svg")
  assert(svg.has_text(page, "stick") and svg.has_text(page, "slip") and svg.has_text(page, "end"))
  local turned = k.impact(k.ball { velocity = { 1, 0.5, -3 }, spin = { 1, 2, 3 } }, law)
  local f = turned:plot "impulse"
  assert(#f:plan().panels[1].entries <= 6, #f:plan().panels[1].entries)
  saved(f, "space.svg")
end)

help.finish()
