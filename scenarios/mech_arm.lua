-- Mechanism: a six-axis arm, read from a URDF file, meets a table
--
-- The arm of six_axis.urdf falls with its motors off (dampers only) until its hand, a ball, strikes a table. The impact is
-- solved by four laws. (a) the arm before and at the impact; (b) how the height of the hand goes on; (c) the impulse of each
-- law in the hand's contact, with the cone of friction.

local k = require "knock"
local scenario = require "knock.scenario"
local T = k.figure.math

local p = scenario {
  mu = 0.3, -- friction of the hand on the table
  e = 0.5, -- restitution
  table_height = 0.25, -- [m]
  t = 1.2, -- how long [s]
}

local here = arg and arg[0] and arg[0]:match "^(.*)/[^/]*$" or "scenarios"
local arm = k.mechanism.load(here .. "/six_axis.urdf", { obstacles = { table_top = { point = { 0, 0, p.table_height }, normal = { 0, 0, 1 } } },
  q = { turret = 0.5, upper_arm = 0.3, forearm = -0.3, wrist_pitch = 0.4 }, u = { turret = 1.2 }, view = { 1.2, -2, 0.7 } })

local laws = {
  { "stronge", k.law.stronge { e = p.e, mu = p.mu }, "blue", "disc" },
  { "compliant", k.law.compliant { e = p.e, mu = p.mu }, "orange", "diamond" },
  { "moreau", k.law.moreau { e = p.e, mu = p.mu }, "green", "box" },
  { "plastic", k.law.plastic { mu = p.mu }, "purple", "up" },
}

local f = k.figure { rows = 1, cols = 3, height = 7, letters = true }
local outline, first = require "knock.draw.mechanism", nil
for i, law in ipairs(laws) do
  local run = k.simulate(arm, law[2], { t_end = p.t })
  first = first or run
  local c, mm = run:sample(800), {}
  local gap = c["gap(hand.c1/table_top)"]
  for j = 1, c.n do mm[j] = gap[j] * 1000 end
  f[2]:line { x = c.t, y = mm, label = law[1], colour = law[3], dash = i }
  local event = run.events[1]
  for _, each in ipairs(run.events) do if each.kind == "impact" then event = each break end end
  local hit = event.hit
  local impulse = hit.impulses[1]
  local along = math.sqrt(impulse[1] ^ 2 + impulse[2] ^ 2)
  f[3]:points { x = { along }, y = { impulse[3] }, label = law[1], colour = law[3], mark = law[4], size = 6 }
  scenario.say(law[1] .. ": impulse across and along the normal", { along, impulse[3] }, "N s")
  if i == 1 then
    scenario.say("  the hand strikes at", event.t, "s")
    scenario.say("  with", hit.contact_velocity_before[3], "m/s")
    f[3]:line { x = { 0, 1.2 * along }, y = { 0, 1.2 * along / p.mu }, label = "edge of the cone", colour = "dark", dash = "dashed" }
    outline.draw(f[1], { outline.outline(arm), outline.outline(arm, run:at(event.t).q) }, { false, true })
    outline.axes(f[1], true)
  end
end
f[2].x, f[2].y = { label = T"$t$", unit = "s" }, { label = "hand over the table", unit = "mm" }
f[2].key = "above"
f[3].x, f[3].y = { label = T"$|p_t|$", unit = "N s" }, { label = T"$p_n$", unit = "N s" }
f[3].key = "above"
scenario.save(f, "mech_arm")
