local k = require "knock"

-- a name for a file; os.tmpname makes the file it names, which goes at once
local function temp(name)
  local base = os.tmpname()
  os.remove(base)
  return base .. "-" .. name
end

local function slurp(path)
  local f = assert(io.open(path, "rb"))
  local text = f:read "a"
  f:close()
  return text
end

test("a grid has all combinations, the last axis fastest", function()
  local s = k.sweep { { "b", { 1, 2 } }, { "a", { 10, 20, 30 } } }
  equal(#s, 6)
  equal(s:sample(1), { b = 1, a = 10 })
  equal(s:sample(2), { b = 1, a = 20 })
  equal(s:sample(4), { b = 2, a = 10 })
  local r = s:run(function(p) return { sum = p.a + p.b } end)
  near(r.sum, { 11, 21, 31, 12, 22, 32 }, 0)
  near(r.a, { 10, 20, 30, 10, 20, 30 }, 0)
  equal(r.status[6], "ok")
end)

test("zip, filter, vectors, strings and booleans", function()
  local s = k.sweep.zip { v = { { 1, 0, 2 }, { 3, 4, 5 } }, name = { "a", "b" }, on = { true, false } }
  local r = s:run(function(p) return { len = p.v[1] + p.v[3], text = p.name .. "!", off = not p.on, w = { p.v[2], 7 } } end)
  near(r.len, { 3, 8 }, 0)
  equal(r.text, { "a!", "b!" })
  equal(r.off, { false, true })
  near(r[2].v, { 3, 4, 5 }, 0)
  near(r[1].w, { 0, 7 }, 0)
  equal(#k.sweep({ a = k.linspace(0, 1, 11) }):filter(function(p) return p.a > 0.45 end), 6)
end)

test("latin hypercube has one sample in every slice", function()
  local s = k.sweep.lhs { n = 50, seed = 3, x = { 0, 1 }, y = { 1, 100, "log" } }
  for _, axis in ipairs(s.design.axes) do
    local seen = {}
    for i = 1, 50 do
      local u = axis.name == "x" and axis.values[i] or math.log(axis.values[i]) / math.log(100)
      local slice = math.floor(u * 50)
      equal(seen[slice], nil)
      seen[slice] = true
    end
  end
end)

-- (t, m, s)-net: every dyadic box of the first 2^m points of the first two axes holds just one
test("sobol points are evenly spread", function()
  local s = k.sweep.sobol { n = 256, seed = 5, a = { 0, 1 }, b = { 0, 1 }, c = { 0, 1 }, d = { 0, 1 }, e = { 0, 1 },
    f = { 0, 1 }, g = { 0, 1 }, h = { 0, 1 }, i = { 0, 1 }, j = { 0, 1 }, k = { 0, 1 }, l = { 0, 1 }, m = { 0, 1 },
    o = { 0, 1 }, p = { 0, 1 }, q = { 0, 1 }, r = { 0, 1 }, s = { 0, 1 }, t = { 0, 1 }, u = { 0, 1 }, v = { 0, 1 } }
  for _, axis in ipairs(s.design.axes) do
    local seen = {}
    for i = 1, 256 do seen[math.floor(axis.values[i] * 256)] = true end
    for slice = 0, 255 do equal(seen[slice], true) end
  end
  local x, y = s.design.axes[1].values, s.design.axes[2].values
  for bits = 0, 8 do
    local seen, nx, ny = {}, 2 ^ bits, 2 ^ (8 - bits)
    for i = 1, 256 do
      local box = math.floor(x[i] * nx) * 1000 + math.floor(y[i] * ny)
      equal(seen[box], nil)
      seen[box] = true
    end
  end
end)

test("seeds repeat samples, and random numbers inside samples", function()
  local make = function(seed) return k.sweep.random { n = 5, seed = seed, x = { 0, 1 } }.design.axes[1].values end
  equal(make(7), make(7))
  assert(make(7)[1] ~= make(8)[1])
  local s = k.sweep { i = k.linspace(1, 40, 40) }
  local draw = function(jobs) return s:run(function() return { x = math.random() } end, { jobs = jobs, seed = 9 }).x:totable() end
  equal(draw(1), draw(3))
end)

test("the same bytes whatever the number of workers", function()
  local s, texts = k.sweep { a = k.linspace(0, 1, 200) }, {}
  for jobs = 1, 4 do
    local file = temp "x.csv"
    s:run(function(p) return { y = math.sin(p.a), n = p.a > 0.5 and 1 or 0.5 } end, { file = file, jobs = jobs })
    texts[jobs] = slurp(file):gsub("# date: [^\n]*\n", "")
    os.remove(file)
  end
  for jobs = 2, 4 do equal(texts[jobs], texts[1]) end
end)

test("a sample that fails is a row with its message", function()
  local s = k.sweep { a = { 1, 2, 3 } }
  local r = s:run(function(p) if p.a == 2 then error("no two", 0) end return { b = p.a } end)
  local info = r:info()
  equal(info.failed, 1)
  equal(r.status, { "ok", "callback", "ok" })
  equal(r.message[2], "no two")
  assert(r.b[2] ~= r.b[2])
  near(r.b[3], 3, 0)
end)

test("mistakes are named", function()
  raises(function() k.sweep { a = {} } end, "sweep: axis 'a' is empty")
  raises(function() k.sweep {} end, "at least one axis")
  raises(function() k.sweep.zip { a = { 1, 2 }, b = { 1 } } end, "one length, got 'a' with 2 and 'b' with 1")
  raises(function() k.sweep { { "a", { 1 } }, a = { 2 } } end, "axis 'a' is given twice")
  raises(function() k.sweep { a = { 1, "x" } } end, "axis 'a' mixes a number and a string")
  raises(function() k.sweep { a = { print } } end, "axis 'a' holds a function at place 1")
  raises(function() k.sweep.random { n = 0, a = { 0, 1 } } end, "n must be a positive whole number, got 0")
  raises(function() k.sweep.lhs { n = 3, a = { 1, 0 } } end, "axis 'a' must be a range with low <= high")
  local s = k.sweep { a = { 1, 2, 3 } }
  raises(function() s:run() end, "run needs a function of the parameters, got nil")
  raises(function() s:run(print, { jbos = 1 }) end, "unknown option 'jbos' (did you mean 'jobs'?)")
  raises(function() s:run(function(p) return p.a == 1 and { x = 1 } or { y = 1 } end) end, "every sample must return the same fields")
  raises(function() s:run(function(p) return { a = 1 } end) end, "'a' is both an axis and a result")
  raises(function() s:run(function(p) return { x = 1 } end, { file = "/nonexistent/x.csv" }) end, "/nonexistent/x.csv.journal", "No such file")
  raises(function() s:filter(function() return false end) end, "the filter leaves no sample")
end)

test("a field that cannot be stored is a failed row that says so", function()
  local r = k.sweep({ a = { 1, 2 } }):run(function(p) return { x = p.a == 1 and 1 or print } end)
  assert(r.message[2]:find "field 'x' cannot be stored: it is a function")
end)

test("an unfinished sweep resumes to the same file, and another one is refused", function()
  local file = temp "r.csv"
  local s = k.sweep { a = k.linspace(0, 1, 50) }
  local deadly = false
  local f = function(p)
    if deadly and p.a > 0.5 then os.exit(9, false) end
    return { y = math.exp(p.a) }
  end
  s:run(f, { file = file, jobs = 1 })
  local whole = slurp(file):gsub("# date: [^\n]*\n", "")
  os.remove(file)
  -- samples that kill their workers are named, and tried again on resume; the same function all the time
  deadly = true
  local r = s:run(f, { file = file, jobs = 1 })
  local info = r:info()
  deadly = false
  equal(info.lost, 25)
  assert(r.message[50]:find "died twice")
  raises(function() s:run(f, { file = file }) end, "holds an unfinished sweep")
  local other = k.sweep { a = k.linspace(0, 2, 50) }
  raises(function() other:run(f, { file = file, resume = true }) end, "the axes or their values have changed")
  raises(function() s:run(f, { file = file, resume = true, seed = 3 }) end, "the seed has changed")
  raises(function() s:run(function() return { y = 0 } end, { file = file, resume = true }) end, "the function, the model or the law has changed")
  raises(function() s:run(f, { file = file, resume = true, units = { y = "m" } }) end, "the fields or their units have changed")
  s:run(f, { file = file, resume = true, jobs = 1 })
  equal(slurp(file):gsub("# date: [^\n]*\n", ""), whole)
  deadly = true -- not run
  local back = s:run(f, { file = file, resume = true })
  equal({ #back, back:info().done }, { 50, 50 })
  os.remove(file)
end)

test("a finished file that is given back says how many samples failed, and has no rows where none are kept", function()
  local s = k.sweep { e = { 0, 0.5, 1, 2 } } -- e = 2 is refused
  for _, ending in ipairs { ".csv", ".h5" } do
    local file = temp("back" .. ending)
    for _, keep in ipairs { true, false } do
      local o = { file = file, keep = keep, resume = true, jobs = 1 }
      equal(s:impact(k.ball {}, k.law.newton {}, { "velocity[3]" }, o):info().failed, 1)
      local ok, back = pcall(s.impact, s, k.ball {}, k.law.newton {}, { "velocity[3]" }, o)
      if not ok then assert(back:find "HDF5", back) break end
      equal({ #back, back:info().failed }, keep and { 4, 1 } or { 0 })
      os.remove(file)
    end
  end
end)

test("whole numbers of an axis that are no integers stay so in the text of a journal", function()
  local design = require "knock.design"
  local back = design.parse(design.text(k.sweep { a = { 1.0, 2.0, -0.0, 1e300, 0.1 }, b = { 1, 2 } }.design))
  equal(math.type(back.axes[1].values[1]) .. math.type(back.axes[2].values[1]), "floatinteger")
  equal(back.axes[1].values, { 1.0, 2.0, -0.0, 1e300, 0.1 })
end)

test("the fast lane gives what the slow one gives", function()
  local pendulum = k.double_pendulum { q = { -0.9, 0.5 }, u = { -1, -2 } }
  local law = k.law.stronge { e = 0.5, mu = 0.3 }
  local s = k.sweep { u1 = k.linspace(-3, 3, 21), mu = { 0, 0.2, 0.7 } }
  local fast = s:impact(pendulum, law, { du1 = "rates[1]", "rates[2]", "impulse", T = "energy.after" }, { map = { u1 = "u[1]" } })
  local slow = s:run(function(p)
    local hit = k.impact(pendulum:with { u = { p.u1, -2 } }, law:with { mu = p.mu })
    return { a = hit.u[1], b = hit.u[2], p = hit.impulse, T = hit.energy.after }
  end)
  near(fast.du1, slow.a, 0)
  near(fast.rates2, slow.b, 0)
  near(fast.T, slow.T, 1e-15)
  for i = 1, #s do near(fast[i].impulse, slow[i].p, 0) end
  equal(fast:unit "T", "J")
  equal(fast:unit "mu", "1")
  raises(function() s:impact(pendulum, law, { "rates" }) end, "axis 'u1' sets no parameter of double_pendulum or law.stronge")
  raises(function() s:impact(pendulum, law, { "spin" }, { map = { u1 = "u[1]" } }) end, "'spin' is no field of a hit of double_pendulum")
  raises(function() s:impact(pendulum, law, { "rates[7]" }, { map = { u1 = "u[1]" } }) end, "'rates' has 2 elements, got [7]")
  local bad = k.sweep({ mass = { 1, -1 } }):impact(k.ball { velocity = { 0, 0, -1 } }, k.law.newton { e = 1 }, { "velocity[3]" })
  equal(bad.status, { "ok", "bad input" })
  assert(bad.message[2]:find "ball: mass must be a positive number of kg, got %-1")
end)

test("an error in watch is told, and the sweep goes on", function()
  local calls = 0
  local r = k.sweep({ a = k.linspace(0, 1, 4) }):run(function(p)
    local until_ = os.clock() + 0.1
    while os.clock() < until_ do end
    return { b = p.a }
  end, { jobs = 1, watch = function() calls = calls + 1; error("no watch", 0) end })
  equal({ #r, calls, r:info().watch_error }, { 4, 1, "no watch" })
end)

test("a sweep gives one value, and a function that returns nothing is an error", function()
  local s = k.sweep { a = { 1, 2 } }
  equal(select("#", s:run(function(p) return p.a end)), 1)
  near(s:run(function(p) return p.a end).value, { 1, 2 }, 0)
  raises(function() s:run(function() end) end, "the function returned nothing for sample")
  raises(function() s:run(function() return {} end) end, "the function returned nothing for sample")
end)

test("a run writes its columns and its events, and they come back", function()
  local run = k.simulate(k.particle { position = { 0, 1 }, velocity = { 1, 0 } }, k.law.newton { e = 0.5 }, { t_end = 1 })
  local file = temp "run.csv"
  local other = file:gsub("csv$", "events.csv")
  equal(run:write(file, 11), run)
  local t, e = k.read(file), k.read(other)
  near(t.t, run:sample(11).t, 0)
  near(t.energy, run:sample(11).energy, 0)
  equal(t:unit "energy", "J")
  equal(#e, #run.events)
  near(e.t[1], math.sqrt(2 / 9.81), 1e-9)
  near(e.u_after2[1], 0.5 * math.sqrt(2 * 9.81), 1e-8)
  equal({ e.event[1], e.contacts[1] }, { "impact", "1" })
  os.remove(file)
  os.remove(other)
  run.events:write(file)
  equal(#k.read(file), #run.events)
  os.remove(file)
  assert(tostring(run.events:plot { x = "t", y = "q2" }):find "figure")
  equal(run.events[#run.events + 1], nil)
end)

test("tables: select, where and rows of values", function()
  local t = k.table { { "x", { 3, 1, 2 }, unit = "m" }, { "w", { "c", "a", "a" } }, { "n", { 1, 2, math.maxinteger } } }
  equal(t:select("w", "x"):names(), { "w", "x" })
  equal(t:select("x"):unit "x", "m")
  near(t:where({ w = "a" }).x, { 1, 2 }, 0)
  near(t:where({ w = "a", x = 2 }).x, { 2 }, 0)
  near(t:where(function(row) return row.x > 2 end).x, { 3 }, 0)
  equal(t:select("n")[3].n, math.maxinteger)
  raises(function() t:select "q" end, "no column 'q'")
  raises(function() t:where { q = 1 } end, "no column 'q'")
end)

test("axes that set parts of one parameter are both set", function()
  local law = k.law.newton { e = 1 }
  local fast = k.sweep { { "a", { 1, 2 } }, { "b", { 3, 4 } } }:impact(k.ball { velocity = { 0, 0, -1 }, gravity = 0 }, law,
    { "velocity" }, { map = { a = "velocity[1]", b = "velocity[2]" } })
  for i, want in ipairs { { 1, 3, 1 }, { 1, 4, 1 }, { 2, 3, 1 }, { 2, 4, 1 } } do near(fast[i].velocity, want, 0) end
end)

test("the fast lane costs at most 40 bytes a sample", function()
  local function rss()
    for line in io.lines "/proc/self/status" do
      local kb = line:match "VmRSS:%s+(%d+)"
      if kb then return tonumber(kb) * 1024 end
    end
  end
  local s = k.sweep { u1 = k.linspace(-3, 3, 500), mu = k.linspace(0, .7, 1000) }
  local pendulum, law = k.double_pendulum { q = { -0.9, 0.5 }, u = { -1, -2 } }, k.law.stronge { e = 0.5 }
  collectgarbage()
  local before = rss()
  local t = s:impact(pendulum, law, { du1 = "rates[1]" }, { map = { u1 = "u[1]" }, jobs = 1 })
  local bytes = (rss() - before) / #t
  if os.getenv "KNOCK_TEST_SLOWER" then return end -- sanitizers keep books of their own
  assert(bytes <= 40, ("%.1f bytes"):format(bytes))
end)

test("tables: filter, sort, group, join, summary, argmax, interpolate, differences", function()
  local t = k.table { { "x", { 3, 1, 2 }, unit = "m" }, { "w", { "c", "a", "b" } } }
  near(t:sort("x").x, { 1, 2, 3 }, 0)
  near(t:sort("-x").x, { 3, 2, 1 }, 0)
  equal(t:filter(function(row) return row.x > 1 end).w, { "c", "b" })
  equal(#t:group "w", 3)
  equal(t:unit "x", "m")
  local j = t:join(k.table { w = { "a", "b" }, z = { 10, 20 } }, "w")
  near(j.z, { 10, 20 }, 0)
  near(j.x, { 1, 2 }, 0)
  equal(t:argmax("x").w, "c")
  local _, where = t:argmin "x"
  equal(where, 2)
  near(t:interpolate("x", 1.5, "x"), 1.5, 1e-15)
  near(t:sort("x"):differences "x", { 1, 1 }, 0)
  local s = k.table { x = k.linspace(0, 100, 101) }:summary()
  near({ s[1].min, s[1].q25, s[1].median, s[1].mean, s[1].max }, { 0, 25, 50, 50, 100 }, 1e-12)
  near(s[1].std, math.sqrt(101 * 102 / 12), 1e-10)
  raises(function() t:interpolate("x", 9, "x") end, "x = 9 is outside 1 .. 3")
  raises(function() t:sort "y" end, "no column 'y'")
  raises(function() return k.table { a = { 1 }, b = { 1, 2 } } end, "'b' has another length")
end)

test("tables print lined up, with units, head and tail", function()
  local t = k.table { { "vx", { 1, 22.5 }, unit = "m/s" }, { "name", { "a", "long" } } }
  equal(tostring(t), "   vx  name\n[m/s]\n    1  a\n 22.5  long")
  assert(tostring(k.table { x = k.linspace(1, 100, 100) }):find "%(100 rows%)")
end)

test("long texts are cut between letters", function()
  for _, letter in ipairs { "a", "\u{e4}", "\xe4" } do
    local lines = tostring(k.table { x = { letter:rep(40), letter:rep(41) } })
    assert(lines:find("\n" .. letter:rep(40) .. "\n", 1, true) and lines:find("\n" .. letter:rep(37) .. "...", 1, true), lines)
  end
end)

test("nan is shown without a sign", function()
  equal(tostring(k.table { x = { 0 / 0, -(0 / 0), 1 } }):find("-nan", 1, true), nil)
end)

test("nan and infinities come back from files", function()
  local file = temp "n.csv"
  local t = k.table { { "x", { 0 / 0, 1 / 0, -1 / 0, 0.1 }, unit = "N s" } }
  t:set_provenance("script: me\n"):write(file)
  local back = k.read(file)
  assert(back.x[1] ~= back.x[1])
  equal(back.x[2], 1 / 0)
  equal(back.x[3], -1 / 0)
  equal(back.x[4], 0.1)
  equal(back:unit "x", "N s")
  equal(back.provenance, "script: me\n")
  os.remove(file)
end)

-- what --resume compares: two sweeps that differ in the law inside the law are two
test("a law inside the law is part of what a sweep is", function()
  local records, texts = require "knock.core".records, {}
  local kept = records.describe_lane
  records.describe_lane = function(...)
    local columns, units, text = kept(...)
    texts[#texts + 1] = text
    return columns, units, text
  end
  for _, e in ipairs { 0.5, 0.6, 0.5 } do
    local ok, message = pcall(function()
      return k.sweep { spin = { 0, 1 } }:impact(k.rod { gaps = { 0, 0 } }, k.law.sequential { law = k.law.stronge { e = e } }, { "velocity[1]" })
    end)
    if not ok then records.describe_lane = kept error(message) end
  end
  records.describe_lane = kept
  assert(texts[1] ~= texts[2] and texts[1] == texts[3])
end)

test("impact: each part of hit.energy is a field", function()
  local ball, law = k.ball { velocity = { 1, 0, -3 } }, k.law.stronge { mu = 0.3, e = 0.5 }
  local hit, fields = k.impact(ball, law), {}
  for _, part in ipairs { "before", "after", "lost", "restitution", "friction", "stored" } do fields[part] = "energy." .. part end
  local t = k.sweep { e = { 0.5 } }:impact(ball, law, fields)
  for part in pairs(fields) do
    near(t[part][1], hit.energy[part], 1e-14)
    equal(t:unit(part), "J")
  end
  raises(function() k.sweep { e = { 0.5 } }:impact(ball, law, { "xyzzy" }) end, "'xyzzy' is no field", "(there are: u, impulse", "energy.lost", "spin)")
end)
