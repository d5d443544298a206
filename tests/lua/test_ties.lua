-- Events of law.compliant that fall together, exactly and nearly: the answer is the limit.
--
-- One contact with W_tn = 0, normal speed V, beta = W_tt / W_nn. Slip that lasts stops
--   at the start              for u = mu eta^2 V
--   at the greatest compression   for u = mu beta V
--   at opening                for u = mu V (beta (1 + e) - eta^2 / e)
-- The general solver is checked against itself (no jump between neighbours), against the closed form
-- of one contact where that does not see a tie, and at opening against slip all the way.
local k = require "knock"

local ties = {
  start = function(c) return c.mu * c.eta ^ 2 end,
  compression = function(c) return c.mu * c.beta end,
  opening = function(c) return c.mu * (c.beta * (1 + c.e) - c.eta ^ 2 / c.e) end,
}
local contacts = {
  { beta = 3.5, e = 1, eta = 1, mu = 0.1 },
  { beta = 3.5, e = 0.8, eta = 1, mu = 0.4 },
  { beta = 3.5, e = 0.5, eta = 0.5, mu = 0.4 },
  { beta = 2.5, e = 1, eta = 1, mu = 0.5 },
  { beta = 1, e = 1, eta = 0.5, mu = 0.5 },
  { beta = 3.5, e = 0.5, eta = math.sqrt(17 / 14), mu = 0.4 },
}
local offs = { 0 }
for digits = 6, 16 do
  for _, by in ipairs { 1, 3 } do
    offs[#offs + 1] = by * 10 ^ -digits
    offs[#offs + 1] = -by * 10 ^ -digits
  end
end
table.sort(offs)

-- W of one contact; `coupling` keeps the closed form away and is nothing beside 1
local function single_W(dim, beta, coupling)
  if dim == 2 then return { { beta, coupling }, { coupling, 1 } } end
  return { { beta, 0, coupling }, { 0, beta, 0 }, { coupling, 0, 1 } }
end

local function along(dim, u, angle)
  if dim == 2 then return { u, -1 } end
  return { u * math.cos(angle), u * math.sin(angle), -1 }
end

local function answer(c, dim, u, angle, coupling)
  local a = k.solve.compliant { W = single_W(dim, c.beta, coupling), v = along(dim, u, angle), dim = dim, mu = c.mu, e = c.e, eta = c.eta }
  equal(a.status, "ok")
  return a.velocity
end

-- no jump: neighbours in `offs` differ by no more than 30 times their distance and rounding
local function no_jump(f, size)
  local before
  for i, off in ipairs(offs) do
    local now = f(off)
    if before then near(now, before, size * (30 * (off - offs[i - 1]) + 2e-13)) end
    before = now
  end
end

for name, tie in pairs(ties) do
  for dim = 2, 3 do
    test(("slip that stops at the %s, %d rows: no jump, and the closed form beside it"):format(name, dim), function()
      for _, c in ipairs(contacts) do
        local u = tie(c)
        for _, angle in ipairs(dim == 2 and { 0 } or { 0, 0.7, math.pi / 2 }) do
          if u > 0 then
            no_jump(function(off) return answer(c, dim, u * (1 + off), angle, 1e-30) end, 1 + u)
            for _, off in ipairs { -1e-6, 1e-6, -1e-7, 1e-7 } do
              near(answer(c, dim, u * (1 + off), angle, 1e-30), answer(c, dim, u * (1 + off), angle, 0), 1e-11 * (1 + u))
            end
          end
        end
      end
    end)
  end
end

test("slip that stops at opening: slip all the way", function()
  for _, c in ipairs(contacts) do
    local u = c.e ^ 2 * c.beta > c.eta ^ 2 and ties.opening(c) or 0 -- else it stops earlier
    for _, off in ipairs(offs) do
      local want = { u * (1 + off) - c.mu * c.beta * (1 + c.e), 0, c.e }
      if u > 0 then near(answer(c, 3, u * (1 + off), 0, 0), want, (1 + u) * (3 * math.max(0, -off) + 1e-13)) end
    end
  end
end)

test("tie at opening on a W that is not round", function()
  local c = { beta = 3.5, e = 0.8, eta = 1, mu = 0.4 }
  local u = ties.opening(c)
  no_jump(function(off)
    local a = k.solve.compliant { W = { { 3.5, 0, 0 }, { 0, 7, 0 }, { 0, 0, 1 } }, v = { u * (1 + off), 0, -1 }, mu = c.mu, e = c.e, eta = c.eta }
    equal(a.status, "ok")
    return a.velocity
  end, 1 + u)
end)

test("two contacts that hardly feel each other, each at its tie", function()
  local c = contacts[2] -- slip with the spring drawing back: deflection and velocity point opposite ways
  for _, tie in pairs(ties) do
    local u = tie(c)
    for _, off in ipairs(offs) do
      local W = {}
      for i = 1, 6 do
        W[i] = {}
        for j = 1, 6 do W[i][j] = i == j and (i % 3 == 0 and 1 or c.beta) or (i - j) % 3 == 0 and 1e-12 or 0 end
      end
      local a = k.solve.compliant { W = W, v = { u, 0, -1, u * (1 + off), 0, -1 }, mu = c.mu, e = c.e, eta = c.eta }
      equal(a.status, "ok")
      local first, second = answer(c, 3, u, 0, 0), answer(c, 3, u * (1 + off), 0, 0)
      for i = 1, 3 do
        near(a.velocity[i], first[i], 1e-10)
        near(a.velocity[3 + i], second[i], 1e-10)
      end
    end
  end
end)

-- ---- one row: contacts that close as others begin, turn or open ------------------------------------

local W2 = { { 2, -1 }, { -1, 2 } }

local function pair_of(v1, gap, e)
  local a = k.solve(k.problem { W = W2, v = { v1, -1 }, gap = { gap, 0 }, dim = 1 }, k.law.compliant { e = e, k = 1, window = 10 })
  equal(a.status, "ok")
  return a.velocity
end

test("one row: a contact at rest, or nearly, as another one is hit", function()
  equal(k.solve(k.problem { W = W2, v = { 1e-13, -1 }, gap = { 0, 0 }, dim = 1 }, k.law.compliant { e = 0.7 }).status, "ok")
  for _, e in ipairs { 0.3, 0.7, 1 } do
    no_jump(function(off) return pair_of(off, 0, e) end, 1)
    for x = -15, -12, 0.05 do near(pair_of(10 ^ x, 0, e), pair_of(0, 0, e), 1e-11) end
    for x = -15, -12, 0.05 do near(pair_of(-10 ^ x, 0, e), pair_of(0, 0, e), 1e-11) end
  end
end)

test("one row: a contact closes as another one turns or opens", function()
  local w = math.sqrt(2)
  for _, e in ipairs { 0.3, 0.7, 1 } do
    local turns, opens = (math.pi / 2 - 1) / (2 * w), (math.pi / 2 - 1 + e * math.pi / 2 + e * e) / (2 * w)
    no_jump(function(off) return pair_of(0, turns * (1 + off), e) end, 1)
    no_jump(function(off) return pair_of(0, opens * (1 + off), e) end, 1)
  end
end)

-- ---- the same by the other doors ---------------------------------------------------------------------

test("impact: the ball of the issue, and its neighbours", function()
  near(k.impact(k.ball { velocity = { 3, 0, -5 } }, k.law.compliant { mu = .1 }).velocity, { 2, 0, 5 }, 1e-14)
  for _, off in ipairs(offs) do
    local hit = k.impact(k.ball { velocity = { 3 * (1 + off), 0, -5 } }, k.law.compliant { mu = .1 })
    equal(hit.status, "ok")
    near(hit.velocity, { 2 + 3 * off, 0, 5 }, 1e-13 + 10 * math.max(0, -off))
    equal(hit.events[#hit.events].kind, "end")
  end
  near(k.impact(k.ball { velocity = { 1.8, 2.4, -1 } }, k.law.compliant { mu = .5 }).velocity, { 1.2, 1.6, 1 }, 1e-14)
end)

test("sweep: no row on round numbers is lost", function()
  local s = k.sweep { vx = k.linspace(-15, 15, 301), mu = { .1, .2, .3, .4, .5 } }
  local r = s:run(function(p) return { Vx = k.impact(k.ball { velocity = { p.vx, 0, -5 } }, k.law.compliant { mu = p.mu }).velocity[1] } end, { jobs = 1 })
  for i = 1, #r.status do
    equal(r.status[i], "ok")
    if r.vx[i] == 3 and r.mu[i] == .1 then near(r.Vx[i], 2, 1e-13) end
  end
end)

test("simulate: a bounce on the tie", function()
  local ball = k.ball { radius = 0.1, position = { 0, 0, 0.1 }, velocity = { 3, 0, -5 }, gravity = 0 }
  local run = k.simulate(ball, k.law.compliant { mu = .1 }, { t_end = 0.1, samples = 0 })
  equal(run.status, "ok")
  equal(run.impacts, 1)
  for i = 1, 3 do near(run.last.velocity[i], ({ 2, 0, 5 })[i], 1e-12) end
end)
