-- Jia, Fig 12: contact velocity, rate and length of the tangential spring over the normal impulse

local k = require "knock"
local scenario = require "knock.scenario"
local given = scenario {
  mu = 0.4, -- coefficient of friction
  e = 0.5, -- energetic restitution
  eta = math.sqrt(17 / 14), -- tangential compliance eta0
  vx = -1, -- velocity V_x before [m/s]
  vz = -5, -- velocity V_z before [m/s]
  wy = 2, -- spin omega_y before [rad/s]
}
local T = k.figure.math

local k0 = 1 -- the stiffness scales out: lengths are shown as sqrt(2 k0) x, as in the paper
local ball = k.ball { mass = 1, radius = 1, velocity = { given.vx, 0, given.vz }, spin = { 0, given.wy, 0 } }
local hit = k.impact(ball, k.law.compliant { mu = given.mu, e = given.e, eta = given.eta, k = k0 })
local path = hit:trace(200)
while path.mode[path.n] == 0 do path.n = path.n - 1 end -- the last rows are open: the contact is over

-- the spring: x' = v while sticking; while slipping it follows the normal spring, x = -mu eta^2 n d
local I, v, rate, length = {}, {}, {}, {}
local slip, stick = 2, 1
for i = 1, path.n do
  I[i], v[i], length[i] = path.p_n[i], path.v_t1[i], math.sqrt(2 * k0) * path.x_t1[i]
  if path.mode[i] == stick then rate[i] = path.v_t1[i] else
    local eta2 = given.eta ^ 2 * (path.phase[i] == 1 and 1 / given.e ^ 2 or 1)
    local towards = i == 1 and path.v_t1[i] or path.x_t1[i] -- no deflection yet at the start
    rate[i] = (towards < 0 and 1 or -1) * given.mu * eta2 * path.v_n[i]
  end
end

-- the jump of the rate at the reversal is a gap in the curve, as in the paper
local jump
for i = 2, #rate do
  if path.phase[i] == 1 and path.mode[i] == slip and path.mode[i - 1] ~= slip then jump = i end
end
local before, after
if jump then
  before, after = v[jump], rate[jump]
  scenario.say("spring rate before the reversal", before, "m/s", 2.59255)
  scenario.say("spring rate after the reversal", after, "m/s", -2.29806)
  table.insert(I, jump, I[jump])
  table.insert(v, jump, v[jump])
  table.insert(length, jump, length[jump])
  table.insert(rate, jump, before)
  table.insert(I, jump + 1, I[jump])
  table.insert(v, jump + 1, v[jump])
  table.insert(length, jump + 1, length[jump])
  table.insert(rate, jump + 1, 0 / 0)
end
scenario.say("contact velocity at the end", v[#v], "m/s", 2.49847)

local f = k.figure { rows = 1, cols = 3, style = "ieee2" }
for i, y in ipairs { v, rate, length } do
  f[i]:line { x = I, y = y, colour = 1, dash = "solid" }
  f[i]:hline(0)
  f[i].x = { label = T"$I_z$", unit = "N s" }
end
if jump then f[2]:line { x = { I[jump], I[jump] }, y = { before, after }, colour = "grey", dash = "dashed" } end
f[1].y, f[2].y = { label = T"$v_\\perp$", unit = "m/s" }, { label = T"$\\dot x$", unit = "m/s" }
f[3].y = { label = T"$x$ (2$k_0$)$^{1/2}$", unit = "√J" }
scenario.save(f, "y_fig12")
