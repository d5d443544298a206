-- What holds a body at rest, as a script sees it: forces that are the only ones, or not, and motions that are.
local k = require "knock"

-- a plank on three feet in the plane, pushed to the right
local function plank(n, push)
  return k.model {
    name = "plank", coordinates = { "x", "z", "angle" }, q = { 0, 0, 0 }, u = { 0, 0, 0 }, mass = { 2, 2, 0.5 },
    gap = function(q)
      local g = {}
      for i = 1, n do g[i] = q[2] + (i - (n + 1) / 2) * math.sin(q[3]) end
      return g
    end,
    jacobian = function(q)
      local J, c, s = {}, math.cos(q[3]), math.sin(q[3])
      for i = 1, n do
        local r = i - (n + 1) / 2
        J[#J + 1], J[#J + 2] = { 1, 0, -r * s }, { 0, 1, r * c }
      end
      return J
    end,
    forces = function() return { push, -2 * 9.81, 0 } end, check = false,
  }
end

test("three feet share a load that two could carry, and the state says so", function()
  local run = k.simulate(plank(3, 3), k.law.moreau { e = 0, mu = 0.5 }, { t_end = 0.1 })
  local at = run:at(0.05)
  equal(at.redundant, true)
  equal(at.unique, true)
  near(at.force, { -1, 6.54, -1, 6.54, -1, 6.54 }, 1e-9)
end)

test("two feet have friction to share, one point has forces of its own", function()
  local run = k.simulate(plank(2, 3), k.law.moreau { e = 0, mu = 0.5 }, { t_end = 0.1 })
  equal(run:at(0.05).redundant, true)
  near(run:at(0.05).force, { -1.5, 9.81, -1.5, 9.81 }, 1e-9)
  local ball = k.simulate(k.particle { position = { 0, 0 }, velocity = { 1, 0 } }, k.law.moreau { e = 0, mu = 0.5 }, { t_end = 0.1 })
  equal(ball:at(0.05).redundant, false)
  equal(ball:at(0.05).unique, true)
end)

test("a load beyond the last foot tips the plank over it", function()
  local run = k.simulate(plank(3, 0), k.law.moreau { e = 0, mu = 0.5 }, { t_end = 0.01, force = function() return { 0, 0, -30 } end })
  equal(run.status, "ok")
  -- about the foot at +1: (30 - 2 g) / (0.5 + 2)
  near(run:at(0.01).u[3], -(30 - 2 * 9.81) / 2.5 * 0.01, 1e-5)
end)
