-- Cycles: a ball on a vibrating table, from one bounce per period to chaos
--
-- (a) phase of the impacts over the table's acceleration, brute force; (b) the bounce of one period followed by its
-- cycle: it is born in a fold at n pi (1 - e)/(1 + e), and doubles. Exact flight, the table's place counts.

local k = require "knock"
local scenario = require "knock.scenario"
local T = k.figure.math

local p = scenario {
  e = 0.8, -- restitution
  values = 240, -- accelerations in (a)
  keep = 60, -- impacts kept at each
  transient = 160, -- impacts let go before; --keep 1000 --transient 3200 makes 1e6 of them
  to = 1.7, -- largest acceleration, in g
  chaos = 1.5, -- where the exponent is taken, in g
}

-- height over the table, d after an impact at phase phi with s = 2 w v/g, in units of g/(2 w^2)
local function height(phi, s, G, d) return s * d - d * d - 2 * G * (math.sin(phi + d) - math.sin(phi)) end

-- when it is back: from a guess by Newton's method, or the first time by looking
local function back_near(phi, s, G, d)
  for _ = 1, 60 do
    local step = height(phi, s, G, d) / (s - 2 * d - 2 * G * math.cos(phi + d))
    d = d - step
    if math.abs(step) < 1e-14 * (1 + d) then break end
  end
  return d
end

local function back_first(phi, s, G)
  local low, high = 0, 0.1
  while height(phi, s, G, high) > 0 do low, high = high, high + 0.1 end
  if low == 0 then return nil end
  for _ = 1, 12 do
    local middle = (low + high) / 2
    if height(phi, s, G, middle) > 0 then low = middle else high = middle end
  end
  return back_near(phi, s, G, high)
end

-- phase and 2 w v/g after an impact -> after the next one; n: whole periods, near that cycle
local function bounce(n)
  return function(x, q)
    local phi, s, G = x[1], x[2], q.G
    local d = n and back_near(phi, s, G, s) or back_first(phi, s, G)
    if not d then -- it stays on the table, until that falls faster than g
      phi = math.asin(1 / G)
      return { phi, 2 * G * math.cos(phi) + 1e-3 }
    end
    return { n and phi + d - 2 * math.pi * n or (phi + d) % (2 * math.pi), -q.e * (s - 2 * d) + 2 * (1 + q.e) * G * math.cos(phi + d) }
  end
end

local onset = math.pi * (1 - p.e) / (1 + p.e)
local doubling = math.sqrt(onset ^ 2 + (2 * (1 + p.e ^ 2) / (1 + p.e) ^ 2) ^ 2)
local G = 1.05 * onset
local c = k.cycle(bounce(1), { guess = { math.acos(onset / G), 2 * math.pi }, parameters = { e = p.e, G = G } })
local up = k.continue(c, { parameter = "G", to = p.to })
local down = k.continue(c, { parameter = "G", to = 0.9 * onset })
for _, e in ipairs(down.events) do if e.kind == "fold" then scenario.say("born at", e.value, "g", onset) break end end
local twice
for _, e in ipairs(up.events) do
  if e.kind == "period doubling" and not twice then
    scenario.say("doubles at", e.value, "g", doubling)
    twice = up:switch(e, { points = 60 })
  end
end
for _, e in ipairs(twice and twice.events or {}) do
  if e.kind == "period doubling" then scenario.say("and again at", e.value, "g") break end
end

local free = k.cycle(bounce(), { guess = { math.acos(onset / G), 2 * math.pi }, parameters = { e = p.e, G = G } })
local b = k.bifurcation(free, { parameter = "G", values = k.linspace(1.02 * onset, p.to, p.values), transient = p.transient,
  keep = p.keep, what = "phase" })
scenario.say("impacts", b.returns)
local l = k.lyapunov(bounce(), { guess = twice.points[#twice.points].x, parameters = { e = p.e, G = p.chaos }, iterations = 2000 })
scenario.say(("Lyapunov exponent per impact at %g g"):format(p.chaos), l[1])

local f = k.figure { rows = 1, cols = 2, height = 7 }
f[1]:points { x = b.p, y = b.v, colour = "black", mark = "disc", size = 0.7 }
f[1].x, f[1].y = { label = T"$A\\omega^2/g$" }, { label = "phase of the impacts", unit = "rad" }
local pair = down:plot { y = 1, with = { up, twice } }
f.panels[2] = pair[1]
f[2].x, f[2].y = { label = T"$A\\omega^2/g$" }, { label = "phase of the impacts", unit = "rad" }
f[2].key = "above"
scenario.save(f, "cycle_table")
