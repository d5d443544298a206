-- Showpiece: micrometres decide how a rod leaves the ground (after Batlle, example I)
--
-- Velocity of P after the impact (a) over the gaps of both ends, for one motion, and (b) over the gap of P and the spin
-- of the rod, with Q on the ground. In (a) only the time between the first touches counts, so the map has stripes.
-- Rings are the cases of Figs 2 to 5 of the paper.

local k = require "knock"
local scenario = require "knock.scenario"
local T = k.figure.math

local p = scenario {
  v = -1, -- velocity of the mass centre [m/s]
  spin = 0, -- angular velocity in (a) [rad/s]
  gap = 500, -- largest gap [micrometres]
  n = 101, -- cells, each way
  k = 1e8, -- stiffness of the ground [N/m]
  e = 1, -- restitution
}

local law = k.law.compliant { k = p.k, e = p.e }
local gaps = k.linspace(0, p.gap * 1e-6, p.n)
local function after(spin, gap_p, gap_q)
  local rod = k.rod { velocity = { 0, p.v }, spin = spin, gaps = { gap_p, gap_q }, gravity = 0 }
  return k.impact(rod, law, { contacts = { 1, 2 } }).contact_velocity[2]
end

-- f(x, y) on the grid; also the lowest and the highest value
local function map(xs, ys, value)
  local z, low, high = {}, math.huge, -math.huge
  for j = 1, #ys do
    z[j] = {}
    for i = 1, #xs do
      local v = value(xs[i], ys[j])
      z[j][i], low, high = v, math.min(low, v), math.max(high, v)
    end
  end
  return z, low, high
end

local f = k.figure { rows = 1, cols = 2, height = 7 }
local z, low, high = map(gaps, gaps, function(x, y) return after(p.spin, x, y) end)
f[1]:heat { x = gaps, y = gaps, z = z }
if p.spin == 0 then f[1]:points { x = { 0, 350e-6 }, y = { 0, 0 }, mark = "ring", colour = "black", size = 4, label = "Figs 2 to 5" } end
f[1].x, f[1].y = { label = "gap of P", unit = "m" }, { label = "gap of Q", unit = "m" }
scenario.say("v_P after, both at once", z[1][1], "m/s")
scenario.say("v_P after over both gaps: from, to", { low, high }, "m/s")

local spins = k.linspace(-1.5, 0.9, p.n)
z, low, high = map(gaps, spins, function(x, y) return after(y, x, 0) end)
f[2]:heat { x = gaps, y = spins, z = z }
f[2]:points { x = { 0, 350e-6, 0, 250e-6 }, y = { 0, 0, -1, -1 }, mark = "ring", colour = "black", size = 4, label = "Figs 2 to 5" }
f[2].x, f[2].y = { label = "gap of P", unit = "m" }, { label = "spin", unit = "rad/s" }
scenario.say("v_P after over gap and spin: from, to", { low, high }, "m/s")
scenario.say("v_P after in Figs 2 to 5", { after(0, 0, 0), after(0, 350e-6, 0), after(-1, 0, 0), after(-1, 250e-6, 0) }, "m/s")
for i = 1, 2 do f[i].c = { label = T"$v_P$ after", unit = "m/s" } end
scenario.save(f, "show_gaps")
