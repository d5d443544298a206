-- Contacts that are pressed again before they open: what they took in and gave back, and what is said.
local k = require "knock"

local light = k.chain { n = 3, mass = { 1, .2, 3 } }

test("elastic reload: 59 % comes back for e = .5, and the hit says so", function()
  local hit = k.impact(light, k.law.compliant { e = .5 })
  near(hit.returned[1] / hit.absorbed[1], 0.59, 0.005)
  equal(hit.flags.pressed_again, true)
  equal(tostring(hit):find("pressed again before it opened", 1, true) ~= nil, true)
  local lost = 0
  for i = 1, 2 do lost = lost + hit.absorbed[i] - hit.returned[i] end
  near(lost, hit.energy.restitution, 1e-13)
  near(hit.audit.ledger, 0, 1e-13)
end)

test("reload is an option of law.compliant, and the help of e tells of it", function()
  local plastic = k.impact(light, k.law.compliant { e = .5, reload = "plastic" })
  equal(plastic.status, "ok")
  equal(plastic.returned[1] / plastic.absorbed[1] < 0.59, true)
  raises(function() k.law.compliant { reload = "rubber" } end, "reload")
  equal(k.law.compliant {}.reload, "elastic")
end)

test("one contact gives back e^2 of what it took in, by any energetic law", function()
  for _, law in ipairs { k.law.stronge { e = .6, mu = .3 }, k.law.compliant { e = .6, mu = .3 } } do
    local hit = k.impact(k.ball { velocity = { 1, 0.5, -2 } }, law)
    near(hit.returned[1] / hit.absorbed[1], 0.36, 1e-13)
    equal(hit.flags.pressed_again, nil)
  end
end)

-- strong friction that turns drives the contact in again during restitution
test("rigid stronge in space: the same case in the same words", function()
  local W = { { 0.685218, 0.0188398, 0.350318 }, { 0.0188398, 0.970077, -0.713626 }, { 0.350318, -0.713626, 0.903307 } }
  local a = k.solve({ W = W, v = { 1.73, 1.67, -1.365 }, dim = 3 }, k.law.stronge { e = 0.497, mu = 1.3 })
  equal(a.flags.pressed_again, true)
  equal(a.returned[1] / a.absorbed[1] > 0.3, true)
  near(a.absorbed[1] - a.returned[1], a.energy.restitution, 1e-13)
end)
