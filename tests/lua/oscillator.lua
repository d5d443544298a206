-- A forced oscillator x'' + 2 zeta x' + x = F cos w t beside a wall: local oscillator = dofile(test_dir .. "/oscillator.lua")
local k = require "knock"

return function(p)
  return k.model { coordinates = { "x" }, mass = { 1 }, q = { p.x or 0 }, u = { p.u or 0 }, gap = function(q, pars) return pars.wall - q[1] end,
    parameters = { wall = p.wall, w = p.w, zeta = p.zeta, F = p.F or 1 }, jacobian = function() return { { -1 } } end,
    forces = function(q, u, t, pars) return { -2 * pars.zeta * u[1] - q[1] + pars.F * math.cos(pars.w * t) } end }
end
