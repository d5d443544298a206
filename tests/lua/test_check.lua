-- k.check: what knock's own models and laws pass, and what is found in models and laws that are wrong.
local k = require "knock"
local catalog = require "knock.doc".catalog()

-- what fails, in order
local function failures(x, o)
  o = o or {}
  o.quiet = true
  local list = {}
  for _, row in ipairs(k.check(x, o)) do if row.verdict ~= "holds" then list[#list + 1] = row.what end end
  return list
end

local function fails(x, what)
  for _, found in ipairs(failures(x)) do if found == what then return end end
  error(("'%s' was not noticed; what fails: %s"):format(what, table.concat(failures(x), ", ")), 2)
end

test("every model of the table agrees with itself", function()
  for _, entry in ipairs(catalog.models) do equal({ entry.name, failures(k[entry.name] {}) }, { entry.name, {} }) end
end)

test("a mechanism is checked like any other model", function()
  equal(failures(k.mechanism { plane = true, bodies = {
    { name = "leg", joint = "hinge", mass = 2, com = { 0, -0.5 }, inertia = 0.1 },
    { name = "shin", parent = "leg", at = { 0, -1 }, joint = "hinge", mass = 1, com = { 0, -0.4 }, inertia = 0.05, points = { toe = { 0, -1 } } } },
    obstacles = { wall = { point = { 0.2, 0 }, normal = { -1, 0 } } }, u = { leg = 1 } }), {})
end)

-- parameters that a law has
local function with(law, values)
  for key, value in pairs(values) do
    for _, p in ipairs(law:describe()) do if p.key == key then law = law:with { [key] = value } end end
  end
  return law
end

local function plain(name) return name == "sequential" and k.law.sequential { law = k.law.stronge { e = 0.5, mu = 0.3 } } or k.law[name] {} end

test("every law of the table keeps what a law must keep", function()
  for _, entry in ipairs(catalog.laws) do
    for _, values in ipairs { {}, { e = 0.5, mu = 0.3 }, { e = 0, mu = 0.8 } } do
      local law = with(plain(entry.name), values)
      equal({ entry.name, failures(law, { cases = 6 }) }, { entry.name, {} })
    end
  end
end)

test("e and mu mean the same in every law that has them", function()
  local with_e, with_mu = 0, 0
  for _, entry in ipairs(catalog.laws) do
    local has = {}
    for _, p in ipairs(entry.params) do has[p.key] = true end
    local seen = {}
    for _, row in ipairs(k.check(plain(entry.name), { quiet = true, cases = 1 })) do seen[row.what] = row end
    for key, what in pairs { e = "e is the ratio of normal speeds in a direct impact", mu = "mu is the friction of a contact that slides" } do
      if has[key] then
        assert(seen[what], ("%s of law.%s was not tried"):format(key, entry.name))
        equal({ entry.name, key, seen[what].verdict }, { entry.name, key, "holds" })
        if key == "e" then with_e = with_e + 1 else with_mu = with_mu + 1 end
      end
    end
  end
  assert(with_e >= 6 and with_mu >= 6, "laws that have them were tried")
end)

-- ---- models that are wrong -----------------------------------------------------------------------------------------

-- a rod of length 2 that turns about its middle over a floor; `change` spoils a part of it
local function rod(change)
  local spec = {
    coordinates = { "x", "z", "angle" }, mass = function() return { { 2, 0, 0 }, { 0, 2, 0 }, { 0, 0, 2 / 3 } } end,
    gap = function(q) return q[2] - math.sin(q[3]) end,
    jacobian = function(q) return { { 1, 0, math.sin(q[3]) }, { 0, 1, -math.cos(q[3]) } } end,
    position = function(q) return { { q[1] - math.cos(q[3]), q[2] - math.sin(q[3]) } } end,
    forces = function() return { 0, -2 * 9.81, 0 } end, potential = function(q) return 2 * 9.81 * q[2] end,
    q = { 0, 0.4, 0.3 }, u = { 1, -2, 0.5 }, check = false,
  }
  for key, value in pairs(change or {}) do spec[key] = value end
  return k.model(spec)
end

test("a model that is right passes, whoever wrote it", function()
  equal(failures(rod()), {})
  equal(failures(rod { forces = function(_, u) return { 0, -2 * 9.81 - 0.3 * u[2], 0 } end, power = function(_, u) return -0.3 * u[2] ^ 2 end }), {})
end)

test("what is wrong in a model is noticed", function()
  fails(rod { jacobian = function(q) return { { 1, 0, math.sin(q[3]) }, { 0, 1, math.cos(q[3]) } } end }, "J u is the rate of the gap")
  fails(rod { jacobian = function(q) return { { 1, 0, -math.sin(q[3]) }, { 0, 1, -math.cos(q[3]) } } end }, "the parts of the model agree")
  fails(rod { mass = function() return { { 2, 0.1, 0 }, { 0, 2, 0 }, { 0, 0, 2 / 3 } } end }, "M is symmetric")
  fails(rod { mass = function() return { { 2, 3, 0 }, { 3, 2, 0 }, { 0, 0, 2 / 3 } } end }, "M is positive")
  fails(rod { forces = function() return { 0, 2 * 9.81, 0 } end }, "forces do the work of potential and power")
  fails(rod { forces = function(_, u) return { 0, -2 * 9.81 - u[2], 0 } end }, "forces do the work of potential and power")
end)

test("a model whose functions fail beside its state says so", function()
  local narrow = rod { gap = function(q) if math.abs(q[2] - 0.4) > 1e-3 then error "too far" end return q[2] - math.sin(q[3]) end }
  fails(narrow, "most states can be computed")
end)

-- ---- laws that are wrong -------------------------------------------------------------------------------------------

-- Newton's rule for one contact, with friction that stops the sliding or gives all it can; `change` spoils it
local function mine(change)
  return k.law { name = "mine", parameters = { e = 0.5, mu = 0.3 }, many = false, solve = function(pr, p)
    local n, out = pr.dim, {}
    for i = 1, n do out[i] = 0 end
    if pr.v[n] < 0 then out[n] = -(1 + p.e) * pr.v[n] / pr.W[n][n] end
    return change and change(out, pr, p) or out
  end }
end

-- the same at each contact, as if it were alone
local function each(change)
  return k.law { name = "each", parameters = { e = 0.5 }, solve = function(pr, p)
    local out = {}
    for i = 1, pr.rows do out[i] = i % pr.dim == 0 and pr.v[i] < 0 and -(1 + p.e) * pr.v[i] / pr.W[i][i] or 0 end
    change(out, pr)
    return out
  end }
end

test("a law that is right passes: Newton's rule without friction", function()
  local bare = k.law { name = "bare", parameters = { e = 0.5 }, many = false, solve = function(pr, p)
    local out = {}
    for i = 1, pr.dim do out[i] = 0 end
    local n = pr.dim
    if pr.v[n] < 0 then out[n] = -(1 + p.e) * pr.v[n] / pr.W[n][n] end
    return out
  end }
  equal(failures(bare), {})
end)

test("what is wrong in a law is noticed", function()
  fails(mine(), "mu is the friction of a contact that slides") -- it has mu, and no friction
  fails(mine(function(out, pr) out[pr.dim] = 1.1 * out[pr.dim] return out end), "e is the ratio of normal speeds in a direct impact")
  fails(each(function(out, pr) for n = pr.dim, pr.rows, pr.dim do out[n] = out[n] + 0.01 end end), "a contact that separates is left alone")
  fails(each(function(out, pr) out[pr.dim] = out[pr.dim] * 1.1 end), "the order of the contacts does not matter")
  fails(mine(function(out, pr) out[pr.dim] = 0.5 * out[pr.dim] return out end), "no contact goes on approaching")
  fails(mine(function(out, pr) out[pr.dim] = -out[pr.dim] return out end), "impulses push, they do not pull")
  fails(mine(function(out, pr) out[1] = pr.dim > 1 and -0.9 * out[pr.dim] or out[1] return out end), "impulses stay in the cone of mu")
  fails(mine(function(out, pr) out[1] = pr.dim > 1 and -0.1 * out[pr.dim] or out[1] return out end), "mirrored tangents")
  fails(mine(function(out) return { impulse = out, restitution = 1, friction = 0 } end), "the energy ledger closes")
  fails(mine(function(out, pr) out[pr.dim] = out[pr.dim] * (1 + pr.v[pr.dim] ^ 2) return out end), "faster by 3.7: impulses times 3.7")
  fails(mine(function(out, pr) out[pr.dim] = out[pr.dim] * (1 + pr.W[pr.dim][pr.dim]) return out end), "heavier by 8: impulses times 8")
  local calls = 0
  fails(mine(function(out, pr) calls = calls + 1 out[pr.dim] = out[pr.dim] * (1 + 1e-5 * calls) return out end), "the same problem has the same answer")
end)

test("a law that solves little says so", function()
  local lazy = k.law { name = "lazy", solve = function(pr)
    if pr.v[pr.rows] < 0.5 then return { status = "jam" } end
    local out = {}
    for i = 1, pr.rows do out[i] = 0 end
    return out
  end }
  fails(lazy, "most problems have an answer")
  fails(k.law { name = "none", solve = function() return { status = "jam" } end }, "it solves something")
end)

test("the worst case can be run again", function()
  local law = mine(function(out, pr) out[pr.dim] = 0.5 * out[pr.dim] return out end)
  for _, row in ipairs(k.check(law, { quiet = true })) do
    if row.what == "no contact goes on approaching" then
      local code = row.again:match "see it by (.*)$"
      local answer = load("local k, law = ... return " .. code)(k, law)
      equal(answer.velocity[#answer.velocity] < 0, true)
      return
    end
  end
  error "it was not noticed"
end)

test("mistakes in calling it", function()
  raises(function() k.check(3) end, "check: argument 1 must be a model or a law, as k.ball{} or k.law.newton{}, got 3")
  raises(function() k.check(k.ball {}, { case = 3 }) end, "unknown option 'case' (did you mean 'cases'?)")
end)
