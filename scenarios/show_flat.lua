-- Showpiece: a rod with friction falls flat, by seven laws
--
-- Both ends of a rod, heavy at P, touch at once and slide. (a) horizontal velocity of the centre after over friction: springs
-- along the floor throw it back, rigid contacts stop it. (b) spin after over that before: rigid laws know the two ends of an
-- impact (Moreau) or of its phases (Glocker), springs, stored energies (LZB, Hertz contacts) and one impact after the other
-- depend on the way between.

local k = require "knock"
local scenario = require "knock.scenario"
local T = k.figure.math

local p = scenario {
  v = { 1, -1 }, -- velocity of the mass centre [m/s]
  mu = 0.3, -- friction in (b)
  spin = 1, -- largest angular velocity in (b) [rad/s]
  e = 0.5, -- restitution
  most = 1.5, -- largest friction
  n = 121, -- points
}

local function rod(spin) return k.rod { velocity = p.v, spin = spin, gravity = 0 } end
local laws = {
  { "Moreau", function(mu) return k.law.moreau { mu = mu, e = p.e } end },
  { "Glocker", function(mu) return k.law.glocker { mu = mu, e = p.e } end },
  { "LZB", function(mu) return k.law.lzb { mu = mu, e = p.e } end },
  { "springs", function(mu) return k.law.compliant { mu = mu, e = p.e } end },
  { "one by one", function(mu) return k.law.sequential { law = k.law.stronge { mu = mu, e = p.e } } end },
  { "plastic", function(mu) return k.law.moreau { mu = mu, e = 0 } end },
}

local f = k.figure { rows = 1, cols = 2, height = 8 }
local mus, spins = k.linspace(0, p.most, p.n), k.linspace(-p.spin, p.spin, p.n)
local function after(spin, law)
  local hit = k.impact(rod(spin), law, { status = true })
  return hit.status == "ok" and hit or { velocity = { 0 / 0 }, spin = 0 / 0 }
end
for l, law in ipairs(laws) do
  local x, spin = {}, {}
  for i = 1, p.n do
    x[i] = after(0, law[2](mus[i])).velocity[1]
    spin[i] = after(spins[i], law[2](p.mu)).spin
  end
  f[1]:line { x = mus, y = x, label = law[1], colour = l }
  f[2]:line { x = spins, y = spin, label = law[1], colour = l }
  scenario.say(law[1] .. ": horizontal velocity after, mu = " .. p.most, x[p.n], "m/s")
  scenario.say("  spin after without spin before", spin[(p.n + 1) // 2], "rad/s")
end
local elastic = {}
for i = 1, p.n do elastic[i] = after(spins[i], k.law.vibration {}).spin end
f[2]:line { x = spins, y = elastic, label = "vibration", colour = 7 }
scenario.say("vibration: spin after without spin before", elastic[(p.n + 1) // 2], "rad/s")
f[1].x, f[1].y = { label = T"$\\mu$" }, { label = T"$v_x$ after", unit = "m/s" }
f[2].x, f[2].y = { label = "spin before", unit = "rad/s" }, { label = "spin after", unit = "rad/s" }
f[1].key, f[2].key = "above", "above"
scenario.save(f, "show_flat")
