-- Paper M: the double pendulum's M and J, and the formulas of the algebraic method against the law. The thesis
-- prints no numbers of an example: its formulas are evaluated at a configuration and compared.

local k = require "knock"

local q1, q2 = -1.2, 0.7
local mass, length = 1.5, 0.8

local function pendulum(u) return k.double_pendulum { q = { q1, q2 }, u = u or { -1, -1 }, mass = mass, length = length } end

-- ---- 2.1 ------------------------------------------------------------------------------------------

local function matrices(add, body)
  local s1, s12, c1, c12 = math.sin(q1), math.sin(q1 + q2), math.cos(q1), math.cos(q1 + q2)
  local J = { { -s1 - s12, -s12 }, { c1 + c12, c12 } }
  local text = { { "(-sin q1 - sin(q1+q2)) r", "-sin(q1+q2) r" }, { "(cos q1 + cos(q1+q2)) r", "cos(q1+q2) r" } }
  local c2 = math.cos(q2)
  local M = { { c2 + 5 / 3, c2 / 2 + 1 / 3 }, { c2 / 2 + 1 / 3, 1 / 3 } }
  local words = { { "(cos q2 + 5/3) m r^2", "(cos q2/2 + 1/3) m r^2" }, { "(cos q2/2 + 1/3) m r^2", "(1/3) m r^2" } }
  for i = 1, 2 do
    for j = 1, 2 do
      add { where = "2.1", what = ("J(%d,%d)"):format(i, j), unit = "m", printed = text[i][j], value = J[i][j] * length, computed = body.J[i][j] }
      add { where = "2.1", what = ("M(%d,%d)"):format(i, j), unit = "kg m^2", printed = words[i][j], value = M[i][j] * mass * length ^ 2,
        computed = body.M[i][j] }
    end
  end
end

-- ---- 2.2 and 3: the path of an impact -----------------------------------------------------------------

local function event(hit, kind)
  for _, ev in ipairs(hit.events) do if ev.kind == kind then return ev end end
end

local function dot(a, b) return a[1] * b[1] + a[2] * b[2] end

-- L = M^-1 J' by hand: its columns L_t, L_n; the rows J_a (t) and J_b (n)
local function parts(body)
  local M, J = body.M, body.J
  local det = M[1][1] * M[2][2] - M[1][2] * M[2][1]
  local function solve(b) return { (M[2][2] * b[1] - M[1][2] * b[2]) / det, (M[1][1] * b[2] - M[2][1] * b[1]) / det } end
  local Ja, Jb = { J[1][1], J[1][2] }, { J[2][1], J[2][2] }
  return Ja, Jb, solve(Ja), solve(Jb)
end

local function stick_ratio(add, body, hit)
  local Ja, _, Lt, Ln = parts(body)
  add { where = "(3.1)", what = "m, friction that sticking needs", printed = "-J_a L_n / J_a L_t", value = -dot(Ja, Ln) / dot(Ja, Lt),
    computed = -hit.W[1][2] / hit.W[1][1] }
end

-- no pause of v_t (Fig 2.9): the whole impact along one line
local function straight(add)
  local mu, e = 0.3, 0.5
  local body = pendulum()
  local hit = k.impact(body, k.law.stronge { mu = mu, e = e })
  local _, Jb, Lt, Ln = parts(body)
  local L = { Ln[1] + mu * Lt[1], Ln[2] + mu * Lt[2] } -- v_t < 0
  local p = -dot(Jb, body.u) / dot(Jb, L)
  add { where = "(3.3), Fig 2.9", what = "p_n at v_n = 0", unit = "N s", printed = "-J_b u / J_b L", value = p,
    computed = event(hit, "compression_end").impulse }
  -- E_n of (2.21): dE_n = v_n dp_n, so the end is where E_n is (1 - e^2) of its least value
  local last = p * (1 + e)
  add { where = "(2.21)", what = "p_n at the end", unit = "N s", printed = "E_n = (1-e^2) E_min", value = last, computed = hit.impulse[2] }
  local least = 0.5 * p * dot(Jb, body.u)
  add { where = "(2.21)", what = "lost by restitution", unit = "J", printed = "-(1-e^2) E_min", value = -(1 - e * e) * least,
    computed = hit.energy.restitution }
  for i = 1, 2 do
    add { where = "(2.9)", what = ("u_%d after"):format(i), unit = "rad/s", printed = "u + (L_n + mu L_t) p_n",
      value = body.u[i] + L[i] * last, computed = hit.u[i] }
  end
  stick_ratio(add, body, hit)
end

-- a pause of v_t first (Figs 2.4, 2.5, 2.7): path a-b-e; then stick or reversal by |m| against mu
local function bent(add, mu, kind, where)
  local e, body = 0.5, pendulum { 1, -4 }
  local hit = k.impact(body, k.law.stronge { mu = mu, e = e })
  local Ja, Jb, Lt, Ln = parts(body)
  local sign = dot(Ja, body.u) < 0 and 1 or -1
  local m = -dot(Ja, Ln) / dot(Ja, Lt)
  local first = { Ln[1] + sign * mu * Lt[1], Ln[2] + sign * mu * Lt[2] }
  local pause = -dot(Ja, body.u) / dot(Ja, first)
  local ev = event(hit, kind)
  if not ev then error(("reproduce: no %s in the impact of %s"):format(kind, where)) end
  add { where = "(3.2), " .. where, what = ("p_n at v_t = 0, then %s"):format(kind), unit = "N s", printed = "-J_a u / J_a L", value = pause,
    computed = ev.impulse }
  -- from the pause on: a new direction, with friction m or -+ mu
  local ratio = kind == "stick" and m or -sign * mu
  local second = { Ln[1] + ratio * Lt[1], Ln[2] + ratio * Lt[2] }
  local v, v0, slope = dot(Jb, body.u) + dot(Jb, first) * pause, dot(Jb, body.u), dot(Jb, second)
  local finish = pause - v / slope
  add { where = "(3.3), " .. where, what = "p_n at v_n = 0 after the bend", unit = "N s", printed = "-J_b u / J_b L", value = finish,
    computed = event(hit, "compression_end").impulse }
  local least = 0.5 * (v0 + v) * pause + 0.5 * v * (finish - pause)
  local last = finish + e * math.sqrt(-2 * least / slope)
  add { where = "(2.21), " .. where, what = "p_n at the end", unit = "N s", printed = "E_n = (1-e^2) E_min", value = last,
    computed = hit.impulse[2] }
end

return {
  letter = "M",
  title = "Morgan, planar impacts by algebra",
  rows = function(add)
    matrices(add, pendulum())
    straight(add)
    bent(add, 1.5, "stick", "Fig 2.7")
    bent(add, 0.5, "reversal", "Figs 2.4, 2.5")
  end,
}
