-- The kinds of figures that hits, runs, tables, comparisons and models have, and films.

local k = require "knock"
local text = require "knock.draw.text"
local help = dofile(test_dir .. "/plot_help.lua")
local svg, path, bytes, saved = help.svg, help.path, help.bytes, help.saved

test("the kind of a figure may stand first among its options", function()
  local hit = k.impact(k.ball { velocity = { -1, 0, -5 } }, k.law.compliant { mu = 0.4 })
  equal(saved(hit:plot { "velocity", over = "time" }, "listed.svg").source, saved(hit:plot { kind = "velocity", over = "time" }, "named.svg").source)
  local run = k.simulate(k.ball { position = { 0, 0, 2 } }, k.law.newton { e = 0.5 }, { t_end = 1 })
  equal(saved(run:plot { "gap", width = 10 }, "listed.svg").source, saved(run:plot("gap", { width = 10 }), "named.svg").source)
  local c = k.compare(hit.model, { hit.law, k.law.newton { e = 0.5 } }, { quiet = true })
  equal(saved(c:plot { "energy", width = 10 }, "listed.svg").source, saved(c:plot("energy", { width = 10 }), "named.svg").source)
  raises(function() c:plot { "enrgy" } end, "a comparison has the plots energy, impulse, path, not a string ('enrgy')")
end)

test("figures of hits have the units of a hinge's stop, and both where it is hit with others", function()
  local function leg(points)
    return k.mechanism { plane = true, bodies = { { name = "leg", joint = "hinge", at = { 0, 1 }, mass = 1, com = { 0, -0.5 }, inertia = 0.1, upper = 0 },
      points and { name = "ball", joint = "free", mass = 1, inertia = 1, points = points } }, obstacles = points and { floor = { point = { 0, 0 }, normal = { 0, 1 } } },
      u = points and { leg = 2, ball = { 0, -1, 0 } } or { leg = 2 } }
  end
  local units = { force = "N m", velocity = "rad/s", spring = "rad", impulse = "N m s" }
  local alone, both = k.impact(leg(), k.law.compliant { e = 0.5 }), k.impact(leg { p = { 0, 0 } }, k.law.compliant { e = 0.5 })
  for kind, unit in pairs(units) do
    local f = alone:plot(kind)
    equal(f[1].y.unit, unit)
    saved(f, "stop.svg")
    f = both:plot(kind)
    equal(f[1].y.unit, nil)
    local found = {}
    for _, l in ipairs(f[1].layers) do if l.label then found[#found + 1] = text.plain(l.label) end end
    assert(table.concat(found, " "):find("(" .. unit .. ")", 1, true), kind .. ": " .. table.concat(found, " "))
    saved(f, "both.svg")
  end
end)

test("vibration has a panel for what there is: no rotation of a particle, no translation of a pendulum", function()
  local law = k.law.compliant { mu = 0.3 }
  local function titles(model)
    local f, out = k.impact(model, law):plot "vibration", {}
    for _, panel in ipairs(f.panels) do out[#out + 1] = type(panel.y.label) == "string" and panel.y.label or nil end
    saved(f, "vibration.svg")
    return out
  end
  equal(titles(k.particle { position = { 0 }, velocity = { -1 } }), { "translation" }) -- M, J of 1 x 1 too
  equal(titles(k.double_pendulum {}), { "rotation" })
  equal(titles(k.rod { angle = 0 }), { "translation", "rotation" })
end)

test("hits have their plots", function()
  local ball = k.ball { mass = 1, radius = 1, velocity = { -1, 0, -5 }, spin = { 0, 2, 0 } }
  local hit = k.impact(ball, k.law.compliant { mu = 0.4, e = 0.5, eta = math.sqrt(17 / 14) })
  for _, kind in ipairs(require "knock.draw.hit".names()) do
    if kind ~= "vibration" then -- needs coordinates whose rates are the speeds: a ball has a quaternion
      local page = saved(hit:plot(kind), "hit-" .. kind .. ".svg")
      assert(#page.plots > 0, kind)
    end
  end
  local rod = k.impact(k.rod { gaps = { 350e-6, 0 }, gravity = 0 }, k.law.compliant {})
  equal(#saved(rod:plot "vibration", "rod.svg").plots, 6) -- two points, energy, three coordinates
  local page = svg.read(path "hit-impulse.svg")
  for _, word in ipairs { "stick", "slip", "end of compression", "end", "pn (N\u{2009}s)", "px (N\u{2009}s)" } do
    assert(svg.has_text(page, word), word)
  end
  raises(function() hit:plot "impluse" end, "did you mean 'impulse'")
  local spatial = k.impact(ball:with { velocity = { -1, 2, -5 }, spin = { 6, 6, 0 } }, hit.law)
  equal(#saved(spatial:plot "impulse", "space4.svg").texts > 10, true)
end)

local function bounce()
  local ball = k.ball { position = { 0, 0, 1 }, velocity = { -1, 0, -5 }, spin = { 0, 2, 0 } }
  return k.simulate(ball, k.law.compliant { mu = 0.4, e = 0.5 }, { t_end = 0.8 })
end

-- The end of a contact that sticks lies on v_t = 0 with the others' impulses in it, that of one that slides on its cone.
test("events that one of several contacts has are in the key", function()
  local hit = k.impact(k.rod { velocity = { 0.3, -1 }, spin = -1 }, k.law.compliant { mu = 0.3, e = { 1, 1e-2 } })
  local page = saved(hit:plot "impulse", "key-of-both.svg")
  for _, event in ipairs(hit.events) do equal(event.kind ~= "close" or event.contact == 2, true) end
  assert(svg.has_text(page, "closes") and svg.has_text(page, "opens"))
end)

test("routh: each of several contacts has a plane, its lines where the impact ends, and all answers", function()
  local function layer(panel, label)
    for _, one in ipairs(panel.layers) do if tostring(one.label):find(label, 1, true) then return one end end
  end
  local wedged = k.rod { velocity = { -0.45, -0.43 }, spin = -0.35, angle = 1.46, gaps = { 0, 0 }, gravity = 0 }
  local hit = k.impact(wedged, k.law.moreau { mu = 2.5, e = 0 })
  local f = hit:plot "routh"
  equal(#hit.solutions, 3)
  local others = layer(f[1], "other answers")
  assert(#others.x == 2, "the two answers that the law did not choose")
  for c = 1, 2 do
    local stick, path = nil, nil
    for _, one in ipairs(f[c].layers) do
      if one.colour == 3 and one.dash == "dashed" then stick = one end
      if one.colour == 1 then path = one end
    end
    local x, y = path.x[#path.x], path.y[#path.y]
    local dx, dy = stick.x[2] - stick.x[1], stick.y[2] - stick.y[1]
    local off = ((x - stick.x[1]) * dy - (y - stick.y[1]) * dx) / math.sqrt(dx * dx + dy * dy)
    assert(math.abs(off) < 1e-14, ("contact %d sticks off its line by %g"):format(c, off))
  end
  local ok, err = pcall(function() k.impact(k.rod { spin = 1, gravity = 0 }, k.law.newton { e = 0.5 }):plot "ruth" end)
  assert(not ok and err:find "did you mean 'routh'", err)
  ok, err = pcall(function() k.impact(k.chain { n = 3 }, k.law.newton {}):plot "routh" end)
  assert(not ok and err:find("plane motion", 1, true), err)
end)

test("runs have their plots, with events", function()
  local run = bounce()
  local page = saved(run:plot { x = "t", y = "energy" }, "run.svg")
  assert(svg.has_text(page, "t (s)") and svg.has_text(page, "energy (J)") and svg.has_text(page, "impact"))
  equal(page.plots[2].marks, run.impacts)
  for _, kind in ipairs { "energy", "gap", "phase", "trajectory", "strobe" } do saved(run:plot(kind), "run-" .. kind .. ".svg") end
  raises(function() run:plot { y = "enrgy" } end, "did you mean 'energy'")
  raises(function() run:plot "phasse" end, "did you mean 'phase'")
end)

test("tables plot columns, by a column, and maps", function()
  local r = k.sweep { x = { 0, 1, 2 }, mu = { 0.2, 0.4 } }:run(function(p) return { y = p.x * p.mu } end)
  local page = saved(r:plot { x = "x", y = "y", by = "mu" }, "table.svg")
  equal(#page.plots, 2)
  assert(svg.has_text(page, "mu = 0.2") and svg.has_text(page, "mu = 0.4"))
  page = saved(r:plot { x = "x", y = "mu", z = "y", kind = "heat" }, "map.svg")
  equal(page.plots[1].images, 1)
  raises(function() r:plot { x = "x", y = "z" } end, "no column 'z'")
  raises(function() r:plot { x = "x" } end, "x and y name the columns")
end)

test("every model can be drawn", function()
  for _, name in ipairs { "particle", "ball", "double_pendulum", "rod", "bar", "chain", "arm", "pencil", "crutch_walker", "pair" } do
    local page = saved(k[name] {}:plot(), "model.svg")
    assert(#page.plots > 0, name)
  end
end)

test("a run becomes a film", function()
  bounce():animate(path "film.gif", { fps = 10, width = 300, trail = "contact" })
  local film = bytes "film.gif"
  equal(film:sub(1, 6), "GIF89a")
  local frames = 0
  for _ in film:gmatch "\x21\xF9\x04" do frames = frames + 1 end
  equal(frames, 9) -- 0 to 0.8 s at 10 per second
  raises(function() bounce():animate "film.mp4" end, ".gif")
  raises(function() bounce():animate(path "x.gif", { fsp = 3 }) end, "did you mean 'fps'")
end)

test("a film follows a part of any model, and the error lists the parts", function()
  for name, part in pairs { particle = "particle", ball = "ball", chain = "ball 2", double_pendulum = "contact", arm = "link", rod = "rod", bar = "bar" } do
    local run = k.simulate(k[name] {}, k.law.newton {}, { t_end = 0.01 })
    run:animate(path(name .. ".gif"), { fps = 200, trail = part, width = 120 })
    equal(bytes(name .. ".gif"):sub(1, 3), "GIF")
  end
  local run = k.simulate(k.chain {}, k.law.newton {}, { t_end = 0.01 })
  raises(function() run:animate(path "no.gif", { trail = "tail", fps = 200 }) end, "trail: there is no part 'tail' to follow; there are ball (1 to 3: 'ball 2')")
end)

test("every kind of plot takes runs of mechanisms, and columns keep their own units", function()
  local m = k.mechanism { plane = true, bodies = { { name = "hip", joint = "free", mass = 10, inertia = 0.5 },
    { name = "leg", parent = "hip", joint = "hinge", mass = 1, com = { 0, -0.4 }, inertia = 0.05, points = { foot = { 0, -0.8 } }, lower = -1 } },
    obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } }, q = { hip = { 0, 1, 0 }, leg = 0.3 } }
  local run = k.simulate(m, k.law.moreau { mu = 0.5, e = 0 }, { t_end = 0.5 })
  for _, kind in ipairs { "energy", "force", "gap", "panels", "phase", "strobe", "trajectory" } do run:plot(kind):plan() end
  local page = saved(run:plot "gap", "gap.svg")
  assert(svg.has_text(page, "gap(leg.lower) (rad)") and svg.has_text(page, "gap(leg.foot/floor) (m)"))
  equal({ run:plot("phase", { coordinate = 4 })[1].x.label, run:plot "trajectory"[1].y.label }, { "leg", "hip.z" })
  raises(function() run:plot("phase", { coordinate = 5 }) end, "coordinate must be from 1 to 4, got 5")
  local ball = k.simulate(k.ball { velocity = { 1, 0, -1 } }, k.law.newton {}, { t_end = 1 })
  equal(ball:plot { y = { "q3", "u3" } }[1].layers[1].label.markup, "$q_{3}$ (m)")
end)

test("a sweep over three axes is no zigzag: by takes several columns, and what nobody told apart is said", function()
  local t = k.sweep { x = { 1, 2, 3 }, mu = { 0.1, 0.2 }, e = { 0, 0.5, 1 } }:run(function(p) return { y = p.x * p.mu + p.e } end, { jobs = 1 })
  raises(function() t:plot { x = "x", y = "y", by = "mu" } end, "several rows for each x, which differ in 'e'", "by = {'mu', 'e'}")
  raises(function() t:plot { x = "x", y = "mu", z = "y", kind = "heat" } end, "several rows have x = 1 and mu = 0.1")
  local f = t:plot { x = "x", y = "y", by = { "mu", "e" } }
  equal(#f[1].layers, 6)
  for i, l in ipairs(f[1].layers) do -- y = x mu + e, in the order of mu and then e
    local mu, e = (i - 1) // 3 * 0.1 + 0.1, (i - 1) % 3 * 0.5
    equal(l.label, ("mu = %g, e = %g"):format(mu, e))
    for j = 1, 3 do near(l.y[j], j * mu + e, 1e-14) end
  end
  equal({ f[1].layers[1].colour, f[1].layers[3].colour, f[1].layers[4].colour }, { 1, 1, 2 })
  equal({ f[1].layers[1].dash, f[1].layers[3].dash, f[1].layers[4].dash }, { 1, 3, 1 })
  assert(t:plot { x = "x", y = "y", kind = "points" })
  assert(t:filter(function(p) return p.e == 0.5 end):plot { x = "x", y = "y", by = "mu" })
  assert(k.table { x = { 0, 1, 1, 2 }, y = { 0, 0, 1, 1 }, w = { 1, 2, 3, 4 } }:plot { x = "x", y = "y" }) -- a step
end)

test("labels of tables and runs take markup, as those of k.plot", function()
  local t = k.table { mu = { 0, 1 }, v = { 2, 3 } }
  local page = saved(t:plot { x = "mu", y = "v", xlabel = "friction $\\mu$", markup = true }, "markup.svg")
  assert(svg.has_text(page, "friction μ"))
  local run = k.simulate(k.ball { position = { 0, 0, 2 } }, k.law.newton {}, { t_end = 0.1 })
  assert(svg.has_text(saved(run:plot { y = "position3", ylabel = "$\\phi_1$", markup = true }, "runmark.svg"), "φ1 (m)"))
end)

help.finish()
