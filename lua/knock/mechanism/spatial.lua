-- Rotations and inertias for files of others: quaternions w, x, y, z; matrices are lists of rows.

local spatial = {}

function spatial.times(a, b)
  return { a[1] * b[1] - a[2] * b[2] - a[3] * b[3] - a[4] * b[4], a[1] * b[2] + a[2] * b[1] + a[3] * b[4] - a[4] * b[3],
    a[1] * b[3] - a[2] * b[4] + a[3] * b[1] + a[4] * b[2], a[1] * b[4] + a[2] * b[3] - a[3] * b[2] + a[4] * b[1] }
end

function spatial.unit(q)
  local n = math.sqrt(q[1] ^ 2 + q[2] ^ 2 + q[3] ^ 2 + q[4] ^ 2)
  return { q[1] / n, q[2] / n, q[3] / n, q[4] / n }
end

--- a turn by `angle` about an axis of any length
function spatial.about(axis, angle)
  local n = math.sqrt(axis[1] ^ 2 + axis[2] ^ 2 + axis[3] ^ 2)
  local s = n > 0 and math.sin(angle / 2) / n or 0
  return { math.cos(angle / 2), s * axis[1], s * axis[2], s * axis[3] }
end

--- the turn from z to a direction
function spatial.from_z(d)
  local n = math.sqrt(d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2)
  local x, y, z = d[1] / n, d[2] / n, d[3] / n
  if z < -1 + 1e-12 then return { 0, 1, 0, 0 } end
  return spatial.unit { 1 + z, -y, x, 0 }
end

function spatial.matrix(q)
  local w, x, y, z = q[1], q[2], q[3], q[4]
  return { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
    { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
    { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } }
end

function spatial.turn(q, v)
  local R, out = spatial.matrix(q), {}
  for i = 1, 3 do out[i] = R[i][1] * v[1] + R[i][2] * v[2] + R[i][3] * v[3] end
  return out
end

--- the turn that takes x to the direction of x, and y as near to that of y as it can
function spatial.from_xy(x, y)
  local first = spatial.times(spatial.from_z(x), spatial.about({ 0, 1, 0 }, -math.pi / 2)) -- x to the direction, y anywhere
  local back = spatial.turn({ first[1], -first[2], -first[3], -first[4] }, y)
  return spatial.times(first, spatial.about({ 1, 0, 0 }, math.atan(back[3], back[2])))
end

function spatial.add(a, b) return { a[1] + b[1], a[2] + b[2], a[3] + b[3] } end
function spatial.minus(a, b) return { a[1] - b[1], a[2] - b[2], a[3] - b[3] } end

--- R I R^T of six numbers xx, xy, xz, yy, yz, zz
function spatial.turn_inertia(q, I)
  local R, A = spatial.matrix(q), { { I[1], I[2], I[3] }, { I[2], I[4], I[5] }, { I[3], I[5], I[6] } }
  local function entry(i, j)
    local sum = 0
    for a = 1, 3 do for b = 1, 3 do sum = sum + R[i][a] * A[a][b] * R[j][b] end end
    return sum
  end
  return { entry(1, 1), entry(1, 2), entry(1, 3), entry(2, 2), entry(2, 3), entry(3, 3) }
end

--- m (c.c 1 - c c^T): what the moments about a point at -c from the mass centre have more
function spatial.carry(m, c)
  local cc = c[1] ^ 2 + c[2] ^ 2 + c[3] ^ 2
  return { m * (cc - c[1] * c[1]), -m * c[1] * c[2], -m * c[1] * c[3], m * (cc - c[2] * c[2]), -m * c[2] * c[3], m * (cc - c[3] * c[3]) }
end

--- roll, pitch, yaw about fixed axes, as URDF has them
function spatial.rpy(a)
  return spatial.times(spatial.about({ 0, 0, 1 }, a[3]), spatial.times(spatial.about({ 0, 1, 0 }, a[2]), spatial.about({ 1, 0, 0 }, a[1])))
end

return spatial
