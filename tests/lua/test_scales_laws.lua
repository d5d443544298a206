-- The same impact in other units of length, time and mass is the same impact: all laws, and figures.
-- Powers of two leave the digits alone, so that events must be the same, one by one.
local k = require "knock"

local units = {}
for _, s in ipairs { 2.0 ^ -40, 2.0 ^ -20, 2.0 ^ 20, 2.0 ^ 40 } do -- 12 decades both ways
  for i = 1, 3 do
    local u = { 1, 1, 1 }
    u[i] = s
    units[#units + 1] = u
  end
end
units[#units + 1] = { 2.0 ^ -20, 2.0 ^ -30, 2.0 ^ -40 }

local function laws(e, mu, L, T, M)
  local stiff = 1e8 * M / T ^ 2
  return {
    k.law.newton { e = e }, k.law.poisson { e = e, mu = mu }, k.law.stronge { e = e, mu = mu },
    k.law.sequential { law = k.law.stronge { e = e, mu = mu } }, k.law.vibration { k = stiff },
    k.law.compliant { e = e, mu = mu, eta = 1.2, k = stiff },
    k.law.compliant { e = e, mu = mu, eta = 0.7, k = stiff, reload = "plastic" },
    k.law.compliant { e = 0, mu = mu, k = stiff },
  }
end

-- W = B B^T of nc contacts, v and gaps, from numbers that look random and are not
local function problem(nc, dim, n, L, T, M)
  local rows, at = nc * dim, n
  local function next_number()
    at = at + 1
    return math.sin(12.9898 * at * at + 78.233 * at)
  end
  local B, W, v, gap = {}, {}, {}, {}
  for r = 1, rows do
    B[r] = {}
    for c = 1, rows + 1 do B[r][c] = next_number() end
  end
  for i = 1, rows do
    W[i] = {}
    for j = 1, rows do
      local sum = 0
      for q = 1, rows + 1 do sum = sum + B[i][q] * B[j][q] end
      W[i][j] = sum / M
    end
    v[i] = (i == dim and -0.3 - math.abs(next_number()) or 2 * next_number()) * L / T
  end
  for c = 1, nc do gap[c] = c == 2 and 5e-6 * L or 0 end
  return k.problem { W = W, v = v, gap = gap, dim = dim }
end

local function same(a, b, u)
  local L, T, M = table.unpack(u)
  equal(b.status, a.status)
  equal(#b.events, #a.events)
  for i, e in ipairs(a.events) do equal(b.events[i].kind, e.kind) end
  local p, size = {}, 0
  for r = 1, #a.impulse do
    p[r] = b.impulse[r] * T / (M * L)
    size = math.max(size, math.abs(a.impulse[r]))
  end
  near(p, a.impulse, 1e-14 * size)
  for _, key in ipairs { "restitution", "friction", "stored" } do
    near(b.energy[key] * T * T / (M * L * L), a.energy[key], 1e-13 * math.max(1, size))
  end
  if a.duration then near(b.duration / T, a.duration, 1e-13 * a.duration) end
end

test("every law, one to three contacts, one to three rows", function()
  local compared = 0
  for n = 1, 3 do
    for nc = 1, 3 do
      for dim = 1, 3 do
        local plain = laws(0.6, 0.4, 1, 1, 1)
        local first = problem(nc, dim, 1000 * n, 1, 1, 1)
        for _, u in ipairs(units) do
          local other = problem(nc, dim, 1000 * n, table.unpack(u))
          for i, law in ipairs(laws(0.6, 0.4, table.unpack(u))) do
            local ok, a = pcall(k.solve, first, plain[i])
            if ok then
              same(a, k.solve(other, law), u)
              compared = compared + 1
            end
          end
        end
      end
    end
  end
  equal(compared > 2000, true)
end)

local function labels(figure)
  local out = {}
  for _, layer in ipairs(figure[1].layers) do out[#out + 1] = type(layer.label) == "string" and layer.label or "-" end
  return table.concat(out, "|")
end

test("figures of a hit: a grain and a planet have the same curves", function()
  local function look(M, L)
    local out = {}
    local soft = k.impact(k.ball { mass = M, radius = .05 * L, velocity = { L, .3 * L, -L } }, k.law.compliant { e = .5, mu = .2, k = 1e6 * M })
    local rigid = k.impact(k.ball { mass = M, radius = .05 * L, velocity = { L, 0, -L } }, k.law.stronge { e = .5, mu = .2 })
    for _, kind in ipairs { "impulse", "energy", "force", "velocity", "spring" } do out[#out + 1] = labels(soft:plot(kind)) end
    for _, kind in ipairs { "routh", "energy", "velocity" } do out[#out + 1] = labels(rigid:plot(kind)) end
    return out
  end
  local usual = look(1, 1)
  for _, M in ipairs { 1e-12, 1e-30, 1e12 } do
    for _, L in ipairs { 1, 1e-6, 1e6 } do equal(look(M, L), usual) end
  end
end)

-- ---- what touches -------------------------------------------------------------------------------------------

local lengths = { 1e-12, 1e-9, 1e-6, 1, 1e6, 1e9 }

-- a rod that stands on one end, leaning; its other end is 0.3 of its length up
local function leaning(L)
  local rod = k.rod { length = L, angle = 0.3, position = { 0, L }, velocity = { 0, -1 }, floor = 0 }
  return rod:with { position = { 0, L - rod.gap[1] } }
end

test("one end of a leaning rod touches, whatever its length", function()
  local wanted = { 0, -0.59871625827 } -- one contact, e = 0.5; both ends would give 0.5
  for _, L in ipairs(lengths) do
    local rod, law = leaning(L), k.law.newton { e = 0.5 }
    near(k.impact(rod, law).velocity, wanted, 1e-9)
    near(k.sweep({ e = { 0.5 } }):impact(rod, law, { v = "velocity[2]" }).v[1], wanted[2], 1e-9)
    near(k.prepare(rod, law, { "law.e" }, { "velocity[2]" })(0.5), wanted[2], 1e-9)
  end
end)

test("rounding of places touches, and a gap of a millionth of them does not", function()
  for _, L in ipairs(lengths) do
    local function box(lift)
      return k.mechanism { plane = true, gravity = 0, bodies = { { name = "b", joint = "free", mass = 1, inertia = L * L / 6,
        points = { l = { -L / 2, -L / 2 }, r = { L / 2, -L / 2 } } } }, contacts = { { "b.l", "floor" }, { "b.r", "floor" } },
        obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } }, q = { b = { 0, L / 2 * (1 + lift), 0 } }, u = { b = { 0, -1, 0 } } }
    end
    for _, lift in ipairs { 0, 2e-16, -2e-16, 1e-12, -1e-12 } do
      near(k.impact(box(lift), k.law.moreau { e = 0.5 }).u, { 0, 0.5, 0 }, 1e-12)
    end
    local ok, text = pcall(k.impact, box(1e-6), k.law.moreau {})
    assert(not ok and text:find("nothing touches", 1, true), text)
    ok, text = pcall(box, -1e-6)
    assert(not ok and text:find("inside the obstacle", 1, true), text)
    local corner = k.particle { position = { L, L }, velocity = { -1, -1 }, planes = { { 1, 0, L * (1 - 1e-6) }, { 0, 1, L } } }
    near(k.impact(corner, k.law.newton { e = 1 }).velocity, { -1, 1 }, 1e-12)
    local balls = k.chain { n = 3, radius = L, gaps = { 0, L * 1e-6 }, velocity = { 1, 0, 0 } }
    near(k.impact(balls, k.law.newton { e = 1 }).u, { 0, 1, 0 }, 1e-12)
  end
end)

-- A stop of a hinge has rad/s and N m s beside a foot's m/s and N s: with lengths of nanometres W of the stop is 1e18 times that
-- of the foot, and its impulse 1e-9 of the other's number. Approaches of 2e-4 rad/s were within the residual there.
test("feet and stops, in nanometres and megametres", function()
  math.randomseed(3)
  local function R() return 2 * math.random() - 1 end
  for case = 1, 40 do
    local J, v = {}, {} -- of 2 feet and a stop, 6 speeds
    for i = 1, 5 do J[i] = { R(), R(), R(), R(), R(), R() } end
    for i = 1, 5 do v[i] = i == 5 and -1e-3 * math.random() or i % 2 == 1 and R() or 1e-4 * math.random() end -- feet slide and leave, the stop is hit
    local law = case % 2 == 0 and k.law.moreau { mu = { 0.5, 0.3, 0 }, e = { 0.2, 0.3, 0.4 } } or k.law.glocker { mu = { 0.5, 0.3, 0 }, e = { 0.2, 0.3, 0.4 } }
    local function solve(L)
      local W, w = {}, {}
      for i = 1, 5 do
        W[i], w[i] = {}, v[i] * (i < 5 and L or 1)
        for j = 1, 5 do
          W[i][j] = 0
          for n = 1, 6 do W[i][j] = W[i][j] + J[i][n] * J[j][n] end
          W[i][j] = W[i][j] / (i < 5 and 1 or L) / (j < 5 and 1 or L)
        end
      end
      return k.solve(k.problem { W = W, v = w, gap = { 0, 0, 0 }, dim = { 2, 2, 1 } }, law)
    end
    local one = solve(1)
    for _, L in ipairs { 1e-9, 1e-5, 1e6 } do
      local a = solve(L)
      equal(a.status, "ok")
      for i = 1, 5 do
        local unit = i < 5 and L or 1
        near(a.velocity[i] / unit, one.velocity[i], 1e-12)
        near(a.impulse[i] / unit ^ (i < 5 and 1 or 0) / (i < 5 and 1 or L * L), one.impulse[i], 1e-12)
      end
    end
  end
end)
