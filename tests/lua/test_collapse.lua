-- A folding ladder slides down until it lies flat: its knee hits the floor at the very time at which its feet stop sliding.
-- Whichever of the two is seen first, the knee hits. (It was put on the floor as if it ended a series of bounces: no impact,
-- and all energy under `bounces`, whatever e.)
local k = require "knock"

local function ladder(L, angle)
  local function leg(t)
    t.mass, t.com, t.inertia = 1, { L / 2, 0 }, L * L / 12
    return t
  end
  return k.mechanism { plane = true,
    bodies = { leg { name = "a", joint = "free", points = { foot = { 0, 0 }, knee = { L, 0 } } },
      leg { name = "b", parent = "a", joint = "hinge", at = { L, 0 }, points = { foot = { L, 0 } } } },
    contacts = { { "a.foot", "floor" }, { "a.knee", "floor" }, { "b.foot", "floor" } }, obstacles = { floor = { point = { 0, 0 }, normal = { 0, 1 } } },
    q = { a = { 0, 0, angle }, b = -2 * angle }, u = { a = { 0, 0, 0 }, b = 0 } }
end

-- One leg by itself, m = L = 1: its angle x above the floor, N = 1 (g + y''), y = sin(x)/2, and the friction mu N of its foot,
-- which is at cos(x) from the middle:  x''/3 = -g cos(x)/2 + mu N sin(x).  Time and rate when it is flat, by Runge and Kutta.
local function falls(x, mu)
  local g, w, t, h = 9.81, 0, 0, 1e-4
  local function acceleration(x, w)
    local c, s = math.cos(x), math.sin(x)
    return (-g * c / 2 + mu * s * (g - s * w * w / 2)) / (1 / 3 - mu * s * c / 2)
  end
  local function step(x, w, h)
    local a1 = acceleration(x, w)
    local a2 = acceleration(x + h / 2 * w, w + h / 2 * a1)
    local a3 = acceleration(x + h / 2 * (w + h / 2 * a1), w + h / 2 * a2)
    local a4 = acceleration(x + h * (w + h / 2 * a2), w + h * a3)
    return x + h * w + h * h / 6 * (a1 + a2 + a3), w + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
  end
  while true do
    local x1, w1 = step(x, w, h)
    if x1 < 0 then break end
    x, w, t = x1, w1, t + h
  end
  for _ = 1, 20 do -- Newton, for the rest of the last step
    local x1, w1 = step(x, w, h)
    h = h - x1 / w1
  end
  local _, w1 = step(x, w, h)
  return t + h, w1
end

local function first_impact(run)
  for _, event in ipairs(run.events) do if event.kind == "impact" then return event end end
end

test("the knee hits, at the time and with the speed of a leg by itself", function()
  for _, mu in ipairs { 0.05, 0.2, 0.3 } do
    for _, angle in ipairs { 0.4, 0.8 } do
      local t, w = falls(angle, mu)
      for _, method in ipairs { "explicit", "implicit" } do
        local run = k.simulate(ladder(1, angle), k.law.moreau { mu = mu, e = 0.5 }, { t_end = 2, method = method })
        local event = first_impact(run)
        near(event.t, t, 1e-9)
        near(event.u, { 0, 0, w, -2 * w }, 1e-8)
        near(event.u_after, { 0, 0, -w / 2, w }, 1e-8)
        near(event.lost, 0.75 * w * w / 3, 1e-8)
        near(run.ledger.bounces, 0, 1e-7)
        equal(run.status, "ok")
      end
    end
  end
end)

test("by every rule for several contacts its energy goes into impacts", function()
  for _, law in ipairs { k.law.glocker { mu = 0.2, e = 0.5 }, k.law.newton { e = 0.5 }, k.law.newton { e = 0 }, k.law.lzb { mu = 0.2, e = 0.5 },
    k.law.compliant { mu = 0.2, e = 0.5 }, k.law.sequential { law = k.law.stronge { mu = 0.2, e = 0.5 } } } do
    local run = k.simulate(ladder(1, 0.5), law, { t_end = 2, mu = 0.2 })
    equal(run.status, "ok")
    near(run.ledger.bounces, 0, 1e-7)
    near(run.ledger.restitution + run.ledger.friction + run.ledger.sliding, run.ledger.start, 1e-7)
    near(first_impact(run).t, (falls(0.5, 0.2)), 1e-9)
  end
end)

test("in any size", function()
  local t, w = falls(0.5, 0.2)
  for _, L in ipairs { 1e-9, 1e-3, 1e6 } do
    local event = first_impact(k.simulate(ladder(L, 0.5), k.law.moreau { mu = 0.2, e = 0.5 }, { t_end = 0.3 * math.sqrt(L) }))
    near(event.t / math.sqrt(L), t, 1e-9)
    near(event.u_after[3] * math.sqrt(L), -w / 2, 1e-8)
  end
end)
