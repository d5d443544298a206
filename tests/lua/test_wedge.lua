-- Contacts that wedge: normals and friction that balance each other, so that impulses of any size change no velocity.
local k = require "knock"

-- W = J M^-1 J^T and v = J u of one body; J has a row t and a row n for each contact, Minv the diagonal
local function problem(J, Minv, u)
  local W, v = {}, {}
  for i = 1, #J do
    W[i], v[i] = {}, 0
    for c = 1, 3 do v[i] = v[i] + J[i][c] * u[c] end
    for j = 1, #J do
      W[i][j] = 0
      for c = 1, 3 do W[i][j] = W[i][j] + J[i][c] * Minv[c] * J[j][c] end
    end
  end
  return k.problem { W = W, v = v, dim = 2 }
end

-- a disc, m = r = 1, I = 1/2, between walls that lean by pi/a and pi/b
local function disc(a, b, u)
  local J = {}
  for c, lean in ipairs { math.pi / a, -math.pi / b } do
    J[2 * c - 1], J[2 * c] = { math.cos(lean), -math.sin(lean), 1 }, { math.sin(lean), math.cos(lean), 0 }
  end
  return problem(J, { 1, 1, 2 }, u)
end

-- a box w x h of mass m with its lower left corner in the corner of floor and wall: two corners touch the floor, one or two the wall
local function box(w, h, m, walls, u)
  local J, at = {}, { { -w / 2, -h / 2, 0, 1 }, { w / 2, -h / 2, 0, 1 }, { -w / 2, -h / 2, 1, 0 }, { -w / 2, h / 2, 1, 0 } }
  for c = 1, 2 + walls do
    local x, z, nx, nz = table.unpack(at[c])
    J[2 * c - 1], J[2 * c] = { nz, -nx, -x * nx - z * nz }, { nx, nz, x * nz - z * nx }
  end
  return problem(J, { 1 / m, 1 / m, 12 / (m * (w * w + h * h)) }, u)
end

-- The disc falls straight into a groove of 90 degrees. (1, 1, -1, 1) presses against itself and, with mu >= 1, lies in the cones:
-- both cannot stick, since b times it is -2, and slip (2, 1, -2, 1) P has u_n = -P - 2. No impulse is an answer.
test("impulses so large that W p is rounding are no answer", function()
  local W = { { 3, 0, 2, -1 }, { 0, 1, 1, 0 }, { 2, 1, 3, 0 }, { -1, 0, 0, 1 } }
  local bounce, none = k.law.moreau { mu = 2, e = 1 }, "no contact force satisfies the laws"
  raises(function() k.solve(k.problem { W = W, v = { 1, -1, -1, -1 }, dim = 2 }, bounce) end, none)
  raises(function() k.solve(disc(6, 4, { 0, -2, 2 }), bounce) end, none)
end)

-- 4.6e18 N s, of which W p is zero in every bit
test("nor are those whose rounding cancels", function()
  raises(function() k.solve(box(1, 2, 10, 1, { -1, -1, -1 }), k.law.moreau { mu = 100, e = 1 }) end, "law.moreau: no")
end)

-- a box of M kg falls flat on one of 1 kg that lies on the floor: impulses of M where the light one asks for 1, and they do work
test("a heavy body on a light one is no wedge", function()
  for _, case in ipairs { { 1e4, 1e-9 }, { 1e7, 1e-6 }, { 1e10, 1e-4 } } do
    local M, near_by = table.unpack(case)
    local J, W, v = {}, {}, {}
    for c, a in ipairs { { -0.5, 0 }, { 0.5, 0 }, { -0.5, 1 }, { 0.5, 1 } } do -- corners: x, and 1 between the boxes
      J[2 * c - 1] = { a[2] == 1 and -1 or 1, 0, 0.5, a[2], 0, a[2] / 2 }
      J[2 * c] = { 0, a[2] == 1 and -1 or 1, a[2] == 1 and -a[1] or a[1], 0, a[2], a[1] * a[2] }
    end
    for i = 1, 8 do
      W[i], v[i] = {}, -J[i][5]
      for j = 1, 8 do
        W[i][j] = 0
        for c = 1, 6 do W[i][j] = W[i][j] + J[i][c] * J[j][c] * (c % 3 == 0 and 6 or 1) / (c > 3 and M or 1) end
      end
    end
    local a = k.solve(k.problem { W = W, v = v, dim = 2 }, k.law.moreau { mu = 0.3, e = 0 })
    near(a.velocity, { 0, 0, 0, 0, 0, 0, 0, 0 }, near_by)
    near(a.impulse[2] + a.impulse[4], M, near_by * M)
  end
end)

-- A box turns in its corner: one corner sticks on the floor, one slides down the wall. With mu = 1 floor and wall press against each
-- other at the very limit of both.
test("of impulses of any size the smallest", function()
  local a = k.solve(box(1, 2, 1, 2, { 0, 0, 1 }), k.law.moreau { mu = 2, e = 0.5 })
  near(a.velocity, { 0, 0.25, 0, 0, -0.25, 0, -0.25, 0.5 }, 1e-13)
  near(a.impulse, { 0, 0, 0, 0, 0, 0, 0, 0 }, 1)
  a = k.solve(box(0.5, 3, 1, 2, { 0, 0, 2 }), k.law.moreau { mu = 1, e = 0.25 })
  near(a.velocity, { 0, 0.125, 0, 0, -0.125, 0, -0.125, 0.75 }, 1e-13)
  near(a.impulse, { 0, 0, 0, 0, 0, 0, 0, 0 }, 1)
end)

test("what compression stopped is zero in restitution, not rounding", function()
  for _, p in ipairs { disc(6, 3, { 0, -1, 0 }), disc(4, 3, { 0, -1, 0 }) } do
    near(k.solve(p, k.law.glocker { mu = 1, e = 0 }).impulse, k.solve(p, k.law.moreau { mu = 1, e = 0 }).impulse, 1e-14)
  end
end)
