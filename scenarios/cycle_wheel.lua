-- Cycles: the rimless wheel finds its pace, whatever the start
--
-- (a) rate after each step from several starts, and the pace in closed form (dotted); (b) the wheel's phase plane over one
-- step; (c) the multiplier over the number of spokes: computed (rings) and cos^2(2 alpha) of a point mass (line).

local k = require "knock"
local scenario = require "knock.scenario"
local T = k.figure.math

local p = scenario {
  spokes = 8, -- of the wheel
  slope = 0.15, -- of the ground [rad]
  inertia = 0.001, -- about the hub [kg m^2]
  steps = 10, -- of the transients
}

local law = k.law.moreau { mu = 9, e = 0 }
local function wheel(spokes, slope, rate) return k.rimless_wheel { spokes = spokes, slope = slope, inertia = p.inertia, rate = rate } end

local c = k.cycle(wheel(p.spokes, p.slope, 1.5), law, { map = "step" })
local alpha = math.pi / p.spokes
local eta = (math.cos(2 * alpha) + p.inertia) / (1 + p.inertia)
local pace = eta * math.sqrt(4 * 9.81 * math.sin(alpha) * math.sin(p.slope) / (1 + p.inertia) / (1 - eta ^ 2))
scenario.say("rate after a step, and in closed form", { c.u[3], pace }, "rad/s")
scenario.say("multiplier, and in closed form", { c.multipliers[1], eta ^ 2 })
scenario.say("period of a step", c.period, "s")

local f = k.figure { rows = 1, cols = 3, height = 6.5 }
for i, factor in ipairs { 0.95, 1.2, 1.6 } do
  local y, n, rate = c.map:state(wheel(p.spokes, p.slope, factor * pace)), { 0 }, { factor * pace }
  for s = 1, p.steps do
    local step = c.map:step(y, {})
    if not step then break end
    y, n[s + 1], rate[s + 1] = step.x, s, step.x[6]
  end
  f[1]:line { x = n, y = rate, colour = i, dash = "solid" }
  f[1]:points { x = n, y = rate, colour = i, mark = "disc", size = 3 }
end
f[1]:hline(pace, { dash = "dotted" })
f[1].x, f[1].y = { label = "step" }, { label = T"$\\omega$ after it", unit = "rad/s" }

local orbit = c:plot { x = "q3", y = "u3" }
f.panels[2] = orbit[1]
f[2].x, f[2].y = { label = T"$\\phi$", unit = "rad" }, { label = T"$\\omega$", unit = "rad/s" }

local n, mu, n_line, line = {}, {}, {}, {}
for spokes = 8, 16, 2 do
  local one = k.cycle(wheel(spokes, 0.15, 2), law, { map = "step" })
  n[#n + 1], mu[#mu + 1] = spokes, one.multipliers[1]
end
for i, x in ipairs(k.linspace(7.5, 16.5, 80)) do n_line[i], line[i] = x, math.cos(2 * math.pi / x) ^ 2 end
f[3]:line { x = n_line, y = line, colour = 1, dash = "solid", label = T"$\\cos^2 2\\alpha$" }
f[3]:points { x = n, y = mu, colour = 2, mark = "ring", size = 4, label = "computed" }
f[3].x, f[3].y = { label = "spokes", tics = 2 }, { label = "multiplier" }
f[3].key = "bottom right"
scenario.save(f, "cycle_wheel")
