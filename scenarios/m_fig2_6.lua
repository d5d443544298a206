-- Morgan, Fig 2.6: where the energy goes during an impact of the double pendulum
--
-- The work E of the impulse is that of its normal part, E_n, which goes down in compression and up again in
-- restitution, and that of friction, E_f, which only goes down.

local k = require "knock"
local scenario = require "knock.scenario"

local p = scenario {
  q = { -1.2, 0.7 }, -- angles of the links [rad]
  v = { -0.6, -3 }, -- velocity of the tip before the impact, t and n [m/s]
  mu = 0.5, -- friction
  e = 0.6, -- energetic restitution
}
local m = k.double_pendulum { q = p.q, u = { 0, 0 } }
local hit = k.impact(m:at(nil, m.J:solve(p.v)), k.law.stronge { mu = p.mu, e = p.e })

local path, least = hit.path, 0
for i = 1, path.n do least = math.min(least, path.work[i]) end
local total, last = hit.energy.after - hit.energy.before, path.work[path.n]
scenario.say("kinetic energy before and after", { hit.energy.before, hit.energy.after }, "J")
scenario.say("E_n at the end of compression", least, "J")
scenario.say("E_n, E_f and E at the end", { last, total - last, total }, "J")
for _, e in ipairs(hit.events) do scenario.say(("p_n at %s"):format(e.kind:gsub("_", " ")), e.impulse, "N s") end

local f = hit:plot("work", { points = 200 })
for _, e in ipairs(hit.events) do
  if e.kind == "compression_end" then f[1]:vline(e.impulse, { colour = "light", dash = "dotted" }) end
end
f[1].key, f[1].x.range = "above", { 0, 1.06 * hit.impulse[2] }
scenario.save(f, "m_fig2_6")
