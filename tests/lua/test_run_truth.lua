-- What a run says about itself when something is not as it should be.
local k = require "knock"

test("a ledger that does not close is told", function()
  local function spring(push)
    return k.model { name = "spring", coordinates = { "x" }, q = { 1 }, u = { 0 }, mass = { 1 }, gap = function(q) return { q[1] + 10 } end,
      potential = function(q) return q[1] ^ 2 / 2 end, forces = function(q) return { -push * q[1] } end, check = false }
  end
  local honest = k.simulate(spring(1), k.law.newton {}, { t_end = 2 })
  equal(honest.flags, {})
  equal(#honest.notes, 0)
  local run = k.simulate(spring(1.01), k.law.newton {}, { t_end = 2 })
  equal(run.status, "ok")
  equal(run.flags, { open_ledger = true })
  if not run.notes[1]:find "the energy ledger is open by" then error(run.notes[1]) end
end)

test("flags of a run are those of its impacts", function()
  local run = k.simulate(k.particle { position = { 0, 1 }, velocity = { 1, 0 } }, k.law.stronge { e = 0, mu = 5 }, { t_end = 1 })
  equal(run.flags, { stuck = true })
end)

-- cos(pi/2) is no lever arm: y moves by itself, to the tolerance of the run
test("rounding in a jacobian makes no scales", function()
  local function both(noise)
    local m = k.model { coordinates = { "x", "y" }, q = { 1, 3 }, u = { 0, 1 }, mass = { 1, 1 }, gap = function(q) return { q[1] } end,
      jacobian = { { 1, noise } }, forces = function(q) return { -9.81, -q[2] } end, check = false }
    return k.simulate(m, k.law.newton { e = 0.5 }, { t_end = 3 }):at(3).q[2] - (3 * math.cos(3) + math.sin(3))
  end
  near(both(0), 0, 1e-9)
  near(both(1e-14), 0, 1e-9)
end)

test("a mass that turns negative is called that", function()
  for _, power in ipairs { 1, 2, 3 } do
    local m = k.model { name = "neg", coordinates = { "x" }, q = { 1 }, u = { -1 }, gap = function(q) return { q[1] + 10 } end,
      mass = function(q) return { (power == 2 and 1 or q[1] ^ (power - 1)) * q[1] } end, forces = function() return { 0 } end, check = false }
    local run = k.simulate(m, k.law.newton {}, { t_end = 5 })
    equal(run.status, "singular")
    if not run.message:find "neg: the mass matrix stops being positive definite at t = 1 s" then error(run.message) end
  end
end)
