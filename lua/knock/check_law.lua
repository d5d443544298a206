-- The checks of a law for k.check: problems W, v of one to three contacts with one to three rows each, drawn at random,
-- and some whose answer is known.

local solve = require "knock.solve"
local abs, max, sqrt = math.abs, math.max, math.sqrt

local function largest(x)
  local most = 0
  for i = 1, #x do most = max(most, abs(x[i])) end
  return most
end

-- ---- problems ----------------------------------------------------------------------------------------------------

-- W = G G^T with more columns than rows: positive definite; the first contact approaches
local function draw(random, nc, dim)
  local rows = nc * dim
  local G, W, v = {}, {}, {}
  for i = 1, rows do
    G[i] = {}
    for j = 1, rows + 2 do G[i][j] = random(-1, 1) end
  end
  for i = 1, rows do
    W[i] = {}
    for j = 1, rows do
      local sum = i == j and 0.3 or 0
      for c = 1, rows + 2 do sum = sum + G[i][c] * G[j][c] end
      W[i][j] = sum
    end
    v[i] = random(-1, 1)
  end
  v[dim] = -abs(v[dim]) - 0.1
  return { W = W, v = v, dim = dim }
end

-- rows that know nothing of each other: a direct impact
local function direct(dim, v)
  local W = {}
  for i = 1, dim do
    W[i] = {}
    for j = 1, dim do W[i][j] = i == j and (i == dim and 1 or 2) or 0 end
  end
  return { W = W, v = v, dim = dim }
end

local function literal(x)
  if type(x) == "number" then return ("%.17g"):format(x) end
  local parts = {}
  for i = 1, #x do parts[i] = literal(x[i]) end
  return "{" .. table.concat(parts, ", ") .. "}"
end

local function again(pr) return ("see it by k.solve({ dim = %d, v = %s, W = %s }, law)"):format(pr.dim, literal(pr.v), literal(pr.W)) end

-- the problem with row i in the place of row order[i], its sign times sign[i]
local function dressed(pr, order, sign)
  local n, out = #pr.v, { W = {}, v = {}, dim = pr.dim }
  for i = 1, n do out.W[i] = {} end
  for i = 1, n do
    out.v[order[i]] = sign[i] * pr.v[i]
    for j = 1, n do out.W[order[i]][order[j]] = sign[i] * sign[j] * pr.W[i][j] end
  end
  return out
end

-- ---- asking the law ----------------------------------------------------------------------------------------------

-- the answer; nil and the reason when there is none. An interruption goes on.
local function ask(law, pr)
  local ok, a = pcall(solve, pr, law)
  if not ok and tostring(a):find "interrupted!" then error(a, 0) end
  if not ok then return nil, tostring(a) end
  if a.status ~= "ok" then return nil, a.status end
  return a
end

-- law:with{...}, or nil when the law has no such parameter
local function changed(law, values)
  for name in pairs(values) do
    local there = false
    for _, p in ipairs(law:describe()) do there = there or p.key == name end
    if not there then return nil end
  end
  local ok, l = pcall(law.with, law, values)
  return ok and l or nil
end

-- ---- one answer --------------------------------------------------------------------------------------------------

local function check_velocity(c, pr, a)
  local n, off, size = #pr.v, 0, largest(pr.v) + largest(a.velocity)
  for i = 1, n do
    local v = pr.v[i]
    for j = 1, n do v = v + pr.W[i][j] * a.impulse[j] end
    off = max(off, abs(v - a.velocity[i]))
  end
  c.report:case("v+ = v- + W p", off / size, c.o.tolerance, ("the velocity after is off by %.3g m/s"):format(off), again(pr))
end

local function check_ledger(c, pr, a)
  local lost, size = 0, 0
  for i = 1, #pr.v do
    lost = lost - a.impulse[i] * (pr.v[i] + a.velocity[i]) / 2
    size = size + abs(a.impulse[i]) * (abs(pr.v[i]) + abs(a.velocity[i])) / 2
  end
  local e = a.energy
  local booked = e.restitution + e.friction + e.stored
  if size == 0 then return end
  c.report:case("the energy ledger closes", abs(booked - lost) / size, c.o.tolerance,
    ("%.9g J are lost, %.9g J are booked (restitution, friction, stored)"):format(lost, booked), again(pr))
  if not a.flags.gains_energy then
    c.report:case("no energy is created without the flag gains_energy", max(0, -lost) / size, c.o.tolerance, ("%.9g J are created"):format(-lost), again(pr))
  end
end

local function check_contacts(c, pr, a)
  local dim, size, speed = pr.dim, largest(a.impulse), largest(pr.v)
  for k = dim, #pr.v, dim do
    local normal, tangential = a.impulse[k], 0
    for i = k - dim + 1, k - 1 do tangential = sqrt(tangential ^ 2 + a.impulse[i] ^ 2) end
    if size > 0 then
      c.report:case("impulses push, they do not pull", max(0, -normal) / size, c.o.tolerance, ("contact %d pulls by %.9g N s"):format(k // dim, -normal), again(pr))
    end
    if c.mu and dim > 1 and size > 0 then
      c.report:case("impulses stay in the cone of mu", max(0, tangential - c.mu * normal) / size, c.o.tolerance,
        ("contact %d: tangential %.9g N s, mu times normal %.9g N s"):format(k // dim, tangential, c.mu * normal), again(pr))
    end
    c.report:case("no contact goes on approaching", max(0, -a.velocity[k]) / speed, c.o.tolerance, ("contact %d still approaches by %.9g m/s"):format(k // dim, -a.velocity[k]), again(pr))
  end
end

-- ---- the same problem in other clothes ---------------------------------------------------------------------------

-- the answer of `other` must be p[i] = factor[i] * a.impulse[from[i]]
local function same(c, what, pr, a, other, place, factor)
  local b, why = ask(c.law, other)
  if not b then
    if why ~= "limit" then c.report:fault(what, ("there is an answer, and none in the other case (%s)"):format(why), again(pr)) end
    return
  end
  local off, size = 0, largest(a.impulse)
  for i = 1, #pr.v do off = max(off, abs(b.impulse[place and place[i] or i] / factor(i) - a.impulse[i])) end
  if size > 0 then c.report:case(what, off / size, 100 * c.o.tolerance, ("the impulse differs by %.3g N s"):format(off), again(pr)) end
end

local function check_clothes(c, pr, a)
  local n, dim = #pr.v, pr.dim
  local nc = n // dim
  local function number(x) return function() return x end end
  same(c, "the same problem has the same answer", pr, a, pr, nil, number(1))
  local fast, heavy = { W = pr.W, v = {}, dim = dim }, { W = {}, v = pr.v, dim = dim }
  for i = 1, n do
    fast.v[i], heavy.W[i] = 3.7 * pr.v[i], {}
    for j = 1, n do heavy.W[i][j] = pr.W[i][j] / 8 end
  end
  same(c, "faster by 3.7: impulses times 3.7", pr, a, fast, nil, number(3.7))
  same(c, "heavier by 8: impulses times 8", pr, a, heavy, nil, number(8))
  local order, sign = {}, {}
  for i = 1, n do order[i], sign[i] = i, i % dim == 1 % dim and dim > 1 and -1 or 1 end
  if dim > 1 then same(c, "mirrored tangents", pr, a, dressed(pr, order, sign), nil, function(i) return sign[i] end) end
  for i = 1, n do order[i], sign[i] = i, 1 end
  if dim == 3 then -- a quarter turn about n: t1 -> t2, t2 -> -t1
    for k = 1, n, 3 do order[k], order[k + 1], sign[k + 1] = k + 1, k, -1 end
    same(c, "tangents turned by a quarter", pr, a, dressed(pr, order, sign), order, function(i) return sign[i] end)
    for i = 1, n do sign[i] = 1 end
  end
  if nc == 1 or a.flags.tie then return end -- a tie is decided by something
  for k = 1, nc do for i = 1, dim do order[(k - 1) * dim + i] = (nc - k) * dim + i end end
  same(c, "the order of the contacts does not matter", pr, a, dressed(pr, order, sign), order, number(1))
end

-- ---- what e and mu mean --------------------------------------------------------------------------------------------

local function check_e(c, dim)
  for _, e in ipairs { 0.3, 0.8 } do
    local l = changed(c.law, { e = e })
    local v = {}
    for i = 1, dim do v[i] = i == dim and -2 or 0 end
    local pr = direct(dim, v)
    local a = l and ask(l, pr)
    if a then
      c.report:case("e is the ratio of normal speeds in a direct impact", abs(a.velocity[dim] - 2 * e) / 2, c.o.tolerance,
        ("with e = %g the contact leaves by %.9g m/s after it came by 2 m/s"):format(e, a.velocity[dim]), again(pr))
    end
  end
end

-- what friction and restitution take: nothing where there is none
local function check_books(c, dim, random)
  local smooth, elastic = changed(c.law, { mu = 0 }), changed(c.law, { e = 1 })
  for _ = 1, 4 do
    local pr = draw(random, 1, dim)
    local a = smooth and ask(smooth, pr)
    if a then
      local size = abs(a.energy.restitution) + abs(a.impulse[dim] * pr.v[dim])
      c.report:case("with mu = 0 friction takes no energy", abs(a.energy.friction) / size, c.o.tolerance, ("it takes %.9g J"):format(a.energy.friction), again(pr))
    end
  end
  local v = { 0, 0, -2 }
  while #v > dim do table.remove(v, 1) end
  local pr = direct(dim, v)
  local a = elastic and ask(elastic, pr)
  if a then c.report:case("with e = 1 a direct impact loses nothing", (abs(a.energy.restitution) + abs(a.energy.friction)) / 2, c.o.tolerance, ("it loses %.9g J of 2 J"):format(a.energy.restitution + a.energy.friction), again(pr)) end
end

-- it slides so fast that it never stops: friction is mu times the normal impulse, against the sliding
local function check_mu(c, dim)
  if dim == 1 then return end
  for _, mu in ipairs { 0, 0.3 } do
    local l = changed(c.law, { mu = mu })
    local v = { 60, -80, -2 }
    if dim == 2 then v = { 100, -2 } end
    local pr = direct(dim, v)
    local a = l and ask(l, pr)
    if a and a.impulse[dim] > 0 then
      local off = 0
      for i = 1, dim - 1 do off = max(off, abs(a.impulse[i] + mu * a.impulse[dim] * v[i] / 100)) end
      c.report:case("mu is the friction of a contact that slides", off / a.impulse[dim], c.o.tolerance,
        ("with mu = %g the tangential impulse is off by %.3g N s, the normal one is %.9g N s"):format(mu, off, a.impulse[dim]), again(pr))
    end
  end
end

-- two contacts that know nothing of each other: the second separates
local function check_apart(c, dim)
  local W, v = {}, {}
  for i = 1, 2 * dim do
    W[i], v[i] = {}, i == dim and -1 or i == 2 * dim and 0.7 or 0.2
    for j = 1, 2 * dim do W[i][j] = i == j and 1 or 0 end
  end
  local pr = { W = W, v = v, dim = dim }
  local a, off = ask(c.law, pr), 0
  if not a then return end
  for i = dim + 1, 2 * dim do off = max(off, abs(a.impulse[i])) end
  c.report:case("a contact that separates is left alone", off, c.o.tolerance, ("its impulse is %.9g N s"):format(off), again(pr))
end

-- ---- all ---------------------------------------------------------------------------------------------------------

local function friction_of(law)
  for _, p in ipairs(law:describe()) do
    if p.key == "mu" then
      local mu = law.mu
      return type(mu) == "number" and mu or nil
    end
  end
end

local function plural(n, word) return ("%d %s%s"):format(n, word, n == 1 and "" or "s") end

-- sizes that a law does not take, by their reason: { reason, size, size ... }, in order
local function refuse(list, nc, dim, why)
  local size = ("%s of %s"):format(plural(nc, "contact"), plural(dim, "row"))
  why = tostring(why):gsub("^[^\n]-:%d+: ", ""):gsub(", got %d", "")
  for _, each in ipairs(list) do
    if each[1] == why then
      each[#each + 1] = size
      return
    end
  end
  list[#list + 1] = { why, size }
end

-- problems of one size; true when the law takes it at all
local function family(c, nc, dim, random)
  local tried, solved, reason = 0, 0, nil
  for _ = 1, c.o.cases do
    local pr = draw(random, nc, dim)
    local a, why = ask(c.law, pr)
    tried, reason = tried + 1, reason or why
    if a then
      solved = solved + 1
      for _, check in ipairs { check_velocity, check_ledger, check_contacts, check_clothes } do check(c, pr, a) end
    end
  end
  return tried, solved, reason
end

return function(report, law, random, o)
  local c = { report = report, law = law, o = o, mu = friction_of(law) }
  local tried, solved, sizes, refused = 0, 0, 0, {}
  for dim = 1, 3 do
    for nc = 1, 3 do
      local n, ok, why = family(c, nc, dim, random)
      if ok > 0 then tried, solved, sizes = tried + n, solved + ok, sizes + 1 end
      if ok == 0 then refuse(refused, nc, dim, why) end
    end
    check_e(c, dim)
    check_mu(c, dim)
    check_books(c, dim, random)
    check_apart(c, dim)
  end
  report.about = ("a law, on %s of %s; %d of them have an answer"):format(plural(tried, "problem"), plural(sizes, "size"), solved)
  if sizes == 0 then report:fault("it solves something", refused[1] and refused[1][1] or "") end
  if 2 * solved < tried then report:fault("most problems have an answer", ("%d of %d"):format(solved, tried)) end
  for i, each in ipairs(sizes > 0 and refused or {}) do
    report.notes[i] = ("left out, %s: %s"):format(table.concat(each, ", ", 2), each[1])
  end
end
