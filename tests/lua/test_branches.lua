-- What k.continue names and where, against closed forms; diagrams and basins that were stopped half-way.
local k = require "knock"

local function slurp(file)
  local f = assert(io.open(file, "rb"))
  local text = f:read "a"
  f:close()
  return (text:gsub("# date: [^\n]*\n", ""))
end

local function temp(name)
  local base = os.tmpname()
  os.remove(base)
  return base .. "-" .. name
end

-- ---- events of branches ----------------------------------------------------------------------------------------------

test("folds are located to 1e-8: a e^x at a = 1/e, Henon's map at -(1 - b)^2/4", function()
  local f = function(x, p) return p.a * math.exp(x[1]) end
  local b = k.continue(k.cycle(f, { guess = { 0.3 }, parameters = { a = 0.2 } }), { parameter = "a", to = 0.5, stop = true })
  equal(b.events[1].kind, "fold")
  near(b.events[1].value, math.exp(-1), 1e-8)
  near(b.events[1].x[1], 1, 1e-4) -- as a root of the value's error
  local henon = function(x, p) return { p.a - x[1] ^ 2 + 0.3 * x[2], x[1] } end
  b = k.continue(k.cycle(henon, { guess = { 0.2, 0.2 }, parameters = { a = 0.1 } }), { parameter = "a", to = -0.3, stop = true })
  equal(b.events[1].kind, "fold")
  near(b.events[1].value, -0.7 ^ 2 / 4, 1e-8)
  near(b.events[1].x[1], -0.35, 1e-4)
end)

test("a change of the order of contacts is named and located to 1e-8", function()
  -- two oscillators at their walls, the second twice the first and ahead by `phase`: at 0 they arrive together
  local w, law = 0.9, k.law.newton { e = 0.6 }
  local m = k.model { coordinates = { "x", "y" }, mass = { { 1, 0 }, { 0, 1 } }, q = { 0.2, 0.4 }, u = { 0.3, 0.6 },
    gap = function(q) return { 0.8 - q[1], 1.6 - q[2] } end, jacobian = function() return { { -1, 0 }, { 0, -1 } } end,
    parameters = { phase = -0.1 }, forces = function(q, u, t, p)
      return { -0.1 * u[1] - q[1] + math.cos(w * t + 3), -0.1 * u[2] - q[2] + 2 * math.cos(w * t + 3 + p.phase) }
    end }
  local T = 2 * math.pi / w
  local events = k.simulate(m, law, { t_end = 20 * T, keep = false }).events
  local c = k.cycle(m, law, { period = T, guess = { q = events[#events].q, u = events[#events].u } })
  equal(c.sequence, "impact1 impact2")
  local b = k.continue(c, { parameter = "phase", to = 0.1, grazing = false })
  equal({ #b.events, b.events[1].kind }, { 1, "contact order" })
  near(b.events[1].value, 0, 1e-8)
  equal(b.points[#b.points].sequence, "impact2 impact1")
end)

test("an impact that passes through the section is named, located, and the branch goes on behind it", function()
  -- the phase of the forcing moves the impact through t = n T, and is nothing but another origin of time: the cycle and its
  -- multipliers stay, and the impact is at the section where phase = 3 + w t_impact
  local w, law = 0.9, k.law.newton { e = 0.6 }
  local T = 2 * math.pi / w
  local m = k.model { coordinates = { "x" }, mass = { { 1 } }, q = { 0.2 }, u = { 0.3 }, parameters = { phase = 3 },
    gap = function(q) return 0.8 - q[1] end, jacobian = function() return { { -1 } } end,
    forces = function(q, u, t, p) return { -0.1 * u[1] - q[1] + math.cos(w * t + p.phase) } end }
  local last = k.simulate(m, law, { t_end = 20 * T, keep = false }).events
  local c = k.cycle(m, law, { period = T, guess = { q = last[#last].q, u = last[#last].u } })
  local goal = 3 + w * c.run.events[1].t
  local pair = function(x) local a = x.multipliers[1] return { a[1], math.abs(a[2]) } end
  for _, ends in ipairs { { goal - 0.15, goal + 0.15 }, { goal + 0.15, goal - 0.15 } } do -- from both sides
    local here = m:with { phase = ends[1] }
    last = k.simulate(here, law, { t_end = 20 * T, keep = false }).events
    local b = k.continue(k.cycle(here, law, { period = T, guess = { q = last[#last].q, u = last[#last].u } }),
      { parameter = "phase", to = ends[2], step = 0.1, longest = 0.3, grazing = false })
    equal({ b.why, #b.events, b.events[1].kind }, { "end of the range", 1, "impact at the section" })
    near(b.events[1].phase, goal, 1e-8)
    near(b.points[#b.points].value, ends[2], 1e-12)
    for _, point in ipairs(b.points) do near(pair(point), pair(c), 1e-6) end
  end
end)

-- ---- stopped half-way --------------------------------------------------------------------------------------------------

local deadly = false -- workers die at every value beyond

-- all at once; then with workers that die, which leaves a journal, and resumed; another option (more) is refused
local function twice(run, file)
  local whole = run { file = file, jobs = 1 }
  local first = slurp(file)
  os.remove(file)
  deadly = true
  run { file = file, jobs = 1 }
  deadly = false
  raises(function() run { file = file } end, "holds an unfinished sweep")
  raises(function() run({ file = file, resume = true }, 1) end, "the function, the model or the law has changed")
  local resumed = run { file = file, resume = true, jobs = 1 }
  equal(slurp(file), first)
  os.remove(file)
  return whole, resumed
end

local function logistic(x, p)
  if deadly and p.r > 3.3 then os.exit(9, false) end
  return { p.r * x[1] * (1 - x[1]) }
end

test("a bifurcation diagram that was stopped resumes to the same points", function()
  local c = k.cycle(logistic, { guess = { 0.6 }, parameters = { r = 2.5 } })
  local whole, resumed = twice(function(o, more)
    o.parameter, o.values, o.transient, o.keep = "r", k.linspace(2.8, 3.8, 11), 50 + (more or 0), 4
    return k.bifurcation(c, o)
  end, temp "diagram.csv")
  equal({ #whole.p, #resumed.p }, { 44, 44 })
  equal({ whole.p, whole.v }, { resumed.p, resumed.v })
end)

test("a basin that was stopped resumes to the same cells", function()
  local f = function(x)
    if deadly and x[2] > 0.2 then os.exit(9, false) end
    return { 2 * x[1] / (1 + x[1] ^ 2), 0.5 * x[2] }
  end
  local c = k.cycle(f, { guess = { 0.9, 0.1 } })
  local whole, resumed = twice(function(o, more)
    o.iterations = 60 + (more or 0)
    o.x, o.y = { 1, k.linspace(-2, 2, 8) }, { 2, k.linspace(-1, 1, 5) }
    return k.basin(c, o)
  end, temp "basin.csv")
  equal(whole.z[5], { 0, 0, 0, 0, 1, 1, 1, 1 })
  equal({ whole.z, whole.returns }, { resumed.z, resumed.returns })
end)
