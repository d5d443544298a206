-- law.sequential with numbers of their own for each contact: lists of the law inside it.
local k = require "knock"

local W = { { 2, 0, 0, 0 }, { 0, 2, 0, 0 }, { 0, 0, 3, 0 }, { 0, 0, 0, 3 } }

test("each contact has its own restitution and friction", function()
  local lists = k.law.sequential { law = k.law.compliant { e = { 0.5, 0.8 }, mu = { 0, 0.3 } } }
  local answer = k.solve({ W = W, v = { 4, -1, 4, -1 }, dim = 2 }, lists)
  for c, one in ipairs { k.law.compliant { e = 0.5, mu = 0 }, k.law.compliant { e = 0.8, mu = 0.3 } } do
    local w = c + 1
    local alone = k.solve({ W = { { w, 0 }, { 0, w } }, v = { 4, -1 }, dim = 2 }, one)
    near(answer.impulse[2 * c - 1], alone.impulse[1], 1e-14)
    near(answer.impulse[2 * c], alone.impulse[2], 1e-14)
  end
end)

test("a list of another length is refused", function()
  local law = k.law.sequential { law = k.law.newton { e = { 0.5, 0.8, 1 } } }
  raises(function() k.solve({ W = W, v = { 0, -1, 0, -1 }, dim = 2 }, law) end,
    "law.sequential: lists of its law must have one number or one per contact (2), got 3")
end)

test("a run cuts the lists down to the contacts that touch", function()
  local plank = k.model { coordinates = { "z", "angle" }, q = { 1, 0.3 }, u = { 0, 0 }, mass = { 2, 0.5 },
    gap = function(q) return { q[1] - 0.7 * math.sin(q[2]), q[1] + 1.1 * math.sin(q[2]) } end,
    potential = function(q) return 2 * 9.81 * q[1] end }
  local run = k.simulate(plank, k.law.sequential { law = k.law.newton { e = { 0.9, 0.2 } } }, { t_end = 0.6 })
  equal(run.status, "ok")
  local first = run.events[1]
  local c = first.contact
  local v = { first.hit.contact_velocity_before[1], first.hit.contact_velocity[1] }
  equal(#first.hit.contacts, 1)
  near(v[2], -({ 0.9, 0.2 })[c] * v[1], 1e-12)
end)
