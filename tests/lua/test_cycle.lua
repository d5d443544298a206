-- Cycles, branches, basins and exponents, against closed forms and against differences that the test takes itself.
local k = require "knock"

local oscillator = dofile(test_dir .. "/oscillator.lua")
local stick = k.law.moreau { mu = 9, e = 0 }

local function size(m) return type(m) == "table" and math.sqrt(m[1] ^ 2 + m[2] ^ 2) or math.abs(m) end

test("rimless wheel: fixed point and multiplier in closed form", function()
  for _, I in ipairs { 0.1, 1e-3 } do
    for _, spokes in ipairs { 8, 11, 16 } do
      local slope, g, l = 0.15, 9.81, 1
      local c = k.cycle(k.rimless_wheel { spokes = spokes, inertia = I, slope = slope, rate = 1.5 }, stick, { map = "step" })
      local alpha = math.pi / spokes
      local eta = (math.cos(2 * alpha) + I) / (1 + I) -- cos 2 alpha of a point mass
      local gain = 4 * g / l * math.sin(alpha) * math.sin(slope) / (1 + I)
      near(c.u[3], eta * math.sqrt(gain / (1 - eta ^ 2)), 1e-8)
      near(c.multipliers[1], eta ^ 2, 1e-8)
      for i = 2, 6 do equal(c.multipliers[i], 0) end
      equal(c.stable, true)
    end
  end
end)

local function by_differences(c)
  local n, rows, h = #c.x, {}, 1e-5
  for i = 1, n do rows[i] = {} end
  for j = 1, n do
    local ends = {}
    for s = -2, 2 do
      local x = { table.unpack(c.x) }
      x[j] = x[j] + s * h
      ends[s] = c.map:step(c.map:project(x, {}, c.Y[1].stance), {}).x
    end
    for i = 1, n do rows[i][j] = (ends[-2][i] - 8 * ends[-1][i] + 8 * ends[1][i] - ends[2][i]) / (12 * h) end
  end
  local re, _, im = k.matrix(rows):eig()
  local list = {}
  for i = 1, n do list[i] = im and im[i] ~= 0 and { re[i], math.abs(im[i]) } or re[i] end
  table.sort(list, function(a, b) return size(a) > size(b) end)
  return list
end

test("compass gait: Goswami's cycle, multipliers as of differences of the map", function()
  local c = k.cycle(k.compass {}, stick, { map = "step" })
  near(c.q[3], -0.218669, 2e-6)
  near(c.q[4], 0.323388, 2e-6)
  near(c.u[3], 1.092386, 5e-6)
  near(c.u[4], 0.377377, 5e-6)
  local other = by_differences(c)
  for i = 1, 3 do near(size(c.multipliers[i]), size(other[i]), 1e-6) end
  for i = 4, 8 do equal(c.multipliers[i], 0) end
  equal(c.stable, true)
  equal(tostring(c):find "stable" ~= nil, true)
end)

local function simplest(mass, slope, angle, rate)
  return k.compass { hip_mass = 1, leg_mass = mass, a = 0, b = 1, gravity = 1, slope = slope, pass = 0.15, lift = 0.02,
    angles = { slope - angle, slope + angle }, rates = { rate, 0.92 * rate } }
end

test("simplest walker: long and short steps, and the first period doubling", function()
  local m = 1e-5
  local long = k.cycle(simplest(m, 0.009, 0.2003, 0.1998), stick, { map = "step" })
  local short = k.cycle(simplest(m, 0.009, 0.1939, 0.2040), stick, { map = "step" })
  near(0.009 - long.q[3], 0.2003109, 1e-4 * 0.2) -- Garcia and others, feet without mass
  near(long.multipliers[1][1], -0.190, 2e-3)
  near(math.abs(long.multipliers[1][2]), 0.558, 2e-3)
  equal(long.stable, true)
  near(0.009 - short.q[3], 0.1939, 2e-3)
  equal(short.stable, false)
  local branch = k.continue(long, { parameter = "slope", to = 0.016, stop = true })
  equal(branch.events[1].kind, "period doubling")
  near(branch.events[1].value, 0.0151, 1e-4)
  for _, guess in ipairs { { 0.2003, 0.1998 }, { 0.1939, 0.2040 } } do
    local c = k.cycle(simplest(1e-3, 0.009, guess[1], guess[2]), stick, { map = "step" })
    local other = by_differences(c)
    for i = 1, 2 do near(size(c.multipliers[i]), size(other[i]), 1e-6) end
  end
end)

test("a period that is asked for finds the slope", function()
  local c = k.cycle(k.compass {}, stick, { map = "step", section = "impact", free = { "slope" }, period = 0.74 })
  near(c.period, 0.74, 1e-9)
  near(k.cycle(k.compass { slope = c.p.slope, angles = { c.q[3], c.q[4] }, rates = { c.u[3], c.u[4] } }, stick, { map = "step" }).period, 0.74, 1e-8)
end)

test("forced oscillator: the period is the section; determinant and stability", function()
  local zeta, w, e = 0.05, 0.9, 0.6
  local T, law = 2 * math.pi / w, k.law.newton { e = e }
  local m = oscillator { zeta = zeta, w = w, wall = 0.8, x = 0.2, u = 0.3 }
  local settled = k.simulate(m, law, { t_end = 20 * T, keep = false }).events -- a rough guess
  local last = settled[#settled]
  local c = k.cycle(m, law, { period = T, guess = { q = last.q, u = last.u } })
  local n = select(2, c.sequence:gsub("impact", ""))
  equal(n, 1)
  local x = c.multipliers
  local det = type(x[1]) == "table" and size(x[1]) ^ 2 or x[1] * x[2]
  near(det / (e ^ 2 * math.exp(-2 * zeta * T)), 1, 1e-8)
  equal(c.stable, true)
end)

test("sections by an event's name and by a function give the same cycle", function()
  -- van der Pol's oscillator far from its wall: period and multiplier of mu = 1
  local m = k.model { coordinates = { "x" }, mass = { 1 }, q = { 0.5 }, u = { 2 }, gap = function(q) return q[1] + 50 end,
    jacobian = function() return { { 1 } } end, forces = function(q, u) return { (1 - q[1] ^ 2) * u[1] - q[1] } end }
  local zero = { function(_, q) return q[1] end, direction = "rising" }
  local one = k.cycle(m, k.law.newton {}, { section = "middle", events = { middle = zero } })
  local two = k.cycle(m, k.law.newton {}, { section = zero })
  near(one.period, 6.66328685933, 1e-7)
  near(two.period, one.period, 1e-9)
  near(one.multipliers[1], 8.5966e-4, 1e-6) -- exp of the integral of 1 - x^2
  equal(one.multipliers[2], 0)
  raises(function() k.cycle(m, k.law.newton {}, { section = "midle", events = { middle = zero } }) end, "did you mean 'middle'")
end)

-- ---- branches ------------------------------------------------------------------------------------------------------------

-- the ball on a table A sin(w t): phase and 2 w v/g after the impact; `exact`: the table's place at the impacts counts too
local function table_map(n, exact)
  return function(x, p)
    local phi, s = x[1], x[2] -- flight: phi -> phi + d
    local d = s
    if exact then -- sin(phi) G + s d/2 - d^2/4 ... = G sin(phi + d), by Newton's method
      for _ = 1, 60 do
        local f = 4 * p.G * (math.sin(phi) - math.sin(phi + d)) / 2 + s * d - d * d
        local g = -2 * p.G * math.cos(phi + d) + s - 2 * d
        local step = f / g
        d = d - step
        if math.abs(step) < 1e-15 * d then break end
      end
    end
    local before = exact and s - 2 * d or -s
    return { phi + d - 2 * math.pi * n, -p.e * before + 2 * (1 + p.e) * p.G * math.cos(phi + d) }
  end
end

test("ball on a vibrating table: onset and doubling", function()
  for _, case in ipairs { { 1, 0.5 }, { 2, 0.8 } } do
    local n, e = case[1], case[2]
    local onset = n * math.pi * (1 - e) / (1 + e)
    for _, exact in ipairs { false, true } do
      local G = 1.05 * onset
      local c = k.cycle(table_map(n, exact), { guess = { math.acos(onset / G), 2 * math.pi * n }, parameters = { e = e, G = G } })
      equal(c.stable, true)
      local up = k.continue(c, { parameter = "G", to = onset + 1.3, stop = true })
      local want = exact and 2 * (1 + e ^ 2) / (1 + e) ^ 2 or 1
      equal(up.events[1].kind, "period doubling")
      near(up.events[1].value, math.sqrt(onset ^ 2 + want ^ 2), 1e-6)
      local down = k.continue(c, { parameter = "G", to = 0.9 * onset, stop = true })
      equal(down.events[1].kind, "fold")
      near(down.events[1].value, onset, 1e-6)
    end
  end
end)

test("branches switch at a doubling, and both halves differ", function()
  local f = function(x, p) return { p.r * x[1] * (1 - x[1]) } end
  local c = k.cycle(f, { guess = { 0.6 }, parameters = { r = 2.5 } })
  local b = k.continue(c, { parameter = "r", to = 3.5 })
  near(b.events[1].value, 3, 1e-8)
  local d = b:switch(b.events[1])
  equal(d.returns, 2)
  equal(d.points[5].stable, true)
  equal(d.events[1].kind, "period doubling")
  near(d.events[1].value, 1 + math.sqrt(6), 1e-7)
  equal(#b:table(), #b.points)
end)

test("cycles of several returns by multiple shooting, unstable ones too", function()
  local r = 3.9
  local f = function(x, p) return { p.r * x[1] * (1 - x[1]) } end
  local c = k.cycle(f, { guess = { 0.35 }, parameters = { r = r }, returns = 4 })
  local product = 1
  for i, x in ipairs(c.X) do
    near(f(x, { r = r })[1], c.X[i % 4 + 1][1], 1e-12)
    product = product * r * (1 - 2 * x[1])
  end
  near(c.multipliers[1] / product, 1, 1e-8)
end)

test("Neimark-Sacker is located", function()
  -- delayed logistic map: crosses the circle at a = 2
  local f = function(x, p) return { x[2], p.a * x[2] * (1 - x[1]) } end
  local c = k.cycle(f, { guess = { 0.45, 0.45 }, parameters = { a = 1.8 } })
  local b = k.continue(c, { parameter = "a", to = 2.2 })
  equal(b.events[1].kind, "Neimark-Sacker")
  near(b.events[1].value, 2, 1e-8)
end)

test("grazing of a forced oscillator is located", function()
  local zeta, w = 0.05, 0.7
  local amplitude = 1 / math.sqrt((1 - w ^ 2) ^ 2 + (2 * zeta * w) ^ 2)
  local c = k.cycle(oscillator { zeta = zeta, w = w, wall = 1.2 * amplitude }, k.law.newton { e = 0.8 }, { period = 2 * math.pi / w, rtol = 1e-11 })
  local b = k.continue(c, { parameter = "wall", to = 0.9 * amplitude, stop = true })
  equal(b.events[1].kind, "grazing")
  near(b.events[1].value, amplitude, 1e-6)
end)

-- ---- more ----------------------------------------------------------------------------------------------------------------

test("Lyapunov exponents: the tent of the logistic map, and a pendulum that only swings", function()
  local f = function(x) return { 4 * x[1] * (1 - x[1]) } end
  near(k.lyapunov(f, { guess = { 0.3 }, iterations = 20000 })[1], math.log(2), 2e-3)
  -- damped flight: x'' = -u has the exponents 0 and -1
  local m = k.model { coordinates = { "x" }, mass = { 1 }, q = { 0 }, u = { 1 }, gap = function(q) return q[1] + 10 end,
    jacobian = function() return { { 1 } } end, forces = function(_, u) return { -u[1] } end }
  local l = k.lyapunov(k.simulate(m, k.law.newton {}, { t_end = 40 }))
  near(l[1], 0, 0.03)
  near(l[2], -1, 0.03)
end)

test("basins are the same whatever the number of workers", function()
  local f = function(x) return { 2 * x[1] / (1 + x[1] ^ 2), 0.5 * x[2] } end
  local c = k.cycle(f, { guess = { 0.9, 0.1 } })
  local o = { x = { 1, k.linspace(-2, 2, 8) }, y = { 2, k.linspace(-1, 1, 3) } }
  local one, two = k.basin(c, { x = o.x, y = o.y, jobs = 1 }), k.basin(c, { x = o.x, y = o.y, jobs = 2 })
  for j = 1, 3 do
    equal(one.z[j], two.z[j])
    for i = 1, 8 do equal(one.z[j][i], one.x[i] > 0 and 1 or 0) end
  end
end)

test("bifurcation diagrams keep what the map settles on", function()
  local f = function(x, p) return { p.r * x[1] * (1 - x[1]) } end
  local c = k.cycle(f, { guess = { 0.6 }, parameters = { r = 2.5 } })
  local b = k.bifurcation(c, { parameter = "r", values = { 2.8, 3.2 }, keep = 4, jobs = 1 })
  near(b.v[1], 1 - 1 / 2.8, 1e-9)
  near(b.v[5] + b.v[6], (3.2 + 1) / 3.2, 1e-9) -- sum of the two points of the 2-cycle
end)

test("mistakes are told in one line", function()
  raises(function() k.cycle(k.compass {}, stick, { map = "leap" }) end, "map")
  raises(function() k.cycle(k.rod {}, k.law.newton {}, { map = "step" }) end, "rimless_wheel and compass")
  raises(function() k.cycle(k.compass {}, stick, { sectoin = "impact" }) end, "did you mean 'section'")
  raises(function() k.continue({}, { parameter = "slope" }) end, "takes a cycle")
  raises(function() k.basin(3, {}) end, "takes a cycle")
  local f = function(x) return { 2 * x[1] / (1 + x[1] ^ 2), 0.5 * x[2] } end
  local known, one = k.cycle(f, { guess = { 0.9, 0.1 } }), { 1, { 0.5 } }
  raises(function() k.basin(f, { x = one, y = { 2, { 0 } } }) end, "basin: a map needs at = {...}, a list of numbers")
  raises(function() k.lyapunov(f, { guess = {} }) end, "lyapunov: guess must be a list of numbers, got an empty list")
  raises(function() k.basin(known, { x = { 9, { 1 } }, y = one }) end, "basin: x: a state has the numbers 1 to 2, got 9")
  raises(function() k.basin(known, { x = one, y = one }) end, "x and y must be different numbers of the state, got 1 twice")
  raises(function() k.basin(known, { x = { 1, {} }, y = one }) end, "basin: x must be { number of a state, values }")
  raises(function() k.basin(known, { x = { 1, 3 }, y = one }) end, "basin: x must be { number of a state, values }")
  raises(function() k.lyapunov(3) end, "takes a run")
end)

test("a walker without a map that runs off along the ground is no cycle", function()
  raises(function() k.cycle(k.compass {}, k.law.plastic {}) end, "no cycle is near the guess")
  raises(function() k.cycle(k.compass {}, k.law.glocker { mu = 9, e = 0 }) end, "no cycle is near the guess")
end)

test("a standing foot whose springs may open either way is told, not handed on as NaN", function()
  local run = k.simulate(k.compass {}, k.law.compliant { mu = 9, e = 0 }, { t_end = 0.8 })
  raises(function() run:monodromy() end, "no derivative through the impact at t = 0.73420")
  raises(function() run:saltation(2) end, "its sequence of events is about to change")
end)

test("a branch's table has units and the sizes of the multipliers, and prints", function()
  local c = k.cycle(k.rimless_wheel { inertia = 0.1 }, stick, { map = "step" })
  local b = k.continue(c, { parameter = "slope", from = c.model.slope, to = c.model.slope + 0.02, points = 5 })
  local t = b:table()
  equal({ t:unit "slope", t:unit "period" }, { "rad", "s" })
  local orbit, over = c:plot { x = "q3", y = "u3" }, b:plot()
  equal({ orbit[1].x.unit, orbit[1].y.unit, over[1].x.unit, over[1].y.unit }, { "rad", "rad/s", "rad", "s" })
  near(t.size1[1], size(c.multipliers[1]), 1e-9)
  assert(t.size1[1] >= t.size2[1])
  assert(tostring(t):find "slope" and tostring(b):find ", 1 return,", tostring(t))
end)

test("mechanisms too, over their own parameters", function()
  local m = k.mechanism { plane = true, bodies = {
    { name = "leg", joint = "hinge", mass = 2, com = { 0, -0.5 }, inertia = 0.1, points = { foot = { 0, -1 } } } },
    obstacles = { wall = { point = { 0.2, 0 }, normal = { -1, 0 } } }, u = { leg = 1 } }
  local law, T = k.law.newton { e = 0.8 }, 2.5
  -- one hinge stops along and across its wall together: that is no tie
  local hit = k.simulate(m, law, { t_end = 0.5 }).events[1].hit
  near(hit:derivative { "leg.mass" }.u[1], -0.8, 1e-9)
  local c = k.cycle(m, law, { period = T, force = function(t, _, u) return { 2 * math.cos(2 * math.pi * t / T) - 0.5 * u[1] } end })
  local b = k.continue(c, { parameter = "leg.mass", to = 2.1, points = 4 })
  equal(#b.points >= 2, true)
end)

-- A multiplier of size 1 decides nothing, and rounding must not: neither the linear word nor the picture.
test("cycles with a multiplier of size 1 are neutral, whatever rounding makes of it", function()
  local ball = k.cycle(k.particle { position = { 1 }, velocity = { 0 } }, k.law.newton { e = 1 }, { section = "impact" }) -- keeps its height
  equal({ ball.stable }, {})
  assert(tostring(ball):find("cycle of particle with law.newton: neutral", 1, true))
  local maps = {
    { function(x) return { x[1] + x[2], x[2] } end, {} }, -- a Jordan block
    { function(x) return { x[2], -x[1] } end, {} }, -- turns by a quarter
    { function(x) return { x[1], 0.5 * x[2] } end, {} }, { function(x) return { x[1], 1.5 * x[2] } end, { false } },
    { function(x) return { 0.99999 * x[1], 0.5 * x[2] } end, { true } }, { function(x) return { 0.99995 * x[2], -0.99995 * x[1] } end, { true } },
    { function(x) return { -x[1], -1.001 * x[2] } end, { false } } }
  for _, map in ipairs(maps) do
    local c = k.cycle(map[1], { guess = { 0, 0 } })
    equal({ c.stable }, map[2])
  end
  local c = k.cycle(function(x, p) return { -p.a * x[1] } end, { guess = { 0 }, parameters = { a = 1 } })
  local b = k.continue(c, { parameter = "a", to = 1.2 })
  equal({ b.points[1].stable, b.points[#b.points].stable }, { nil, false })
  local column = b:table().stable
  assert(column[1] ~= column[1] and column[#column] == 0)
end)
