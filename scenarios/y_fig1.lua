-- Jia, Fig 1: five bounces of a ball, strip of ten pictures

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
local mechanism = require "knock.draw.mechanism"

-- (a) strikes the table at the origin; free flight under gravity between the bounces
local ball = k.ball { mass = 1, radius = 1, position = { 0, 0, 1 }, velocity = { given.vx, 0, given.vz }, spin = { 0, given.wy, 0 } }
local run = k.simulate(ball, k.law.compliant { mu = given.mu, e = given.e, eta = given.eta }, { t_end = 2 })
local hits = {}
for _, event in ipairs(run.events) do if event.kind == "impact" then hits[#hits + 1] = event end end

-- (b) just after the first impact, (c) highest place, (d) just after the second, ... (j) after the fifth
local times = { { hits[1].t, "before" } }
for i = 1, 5 do
  times[#times + 1] = { hits[i].t, "after" }
  if i < 5 then times[#times + 1] = { (hits[i].t + hits[i + 1].t) / 2, "after" } end
end
local last = run:at(hits[5].t)
scenario.say("velocity after the fifth bounce", last.model.velocity, "m/s", { -0.088333, 0, 0.155565 })
scenario.say("spin after the fifth bounce", last.model.spin, "rad/s", { 0, -0.279167, 0 })

local f = k.figure { rows = 2, cols = 5, style = "ieee2" }
for i, time in ipairs(times) do
  local state = run:at(time[1])
  local panel, q, u = f[i], state.q, time[2] == "before" and ball.u or state.u
  mechanism.draw(panel, { mechanism.outline(run.model, q) }, "all")
  mechanism.axes(panel, true)
  -- velocity as an arrow, long enough to be seen
  local scale = 0.18
  if math.abs(u[1]) + math.abs(u[3]) > 1e-9 then
    panel:arrows { x = { q[1] }, y = { q[3] }, dx = { scale * u[1] }, dy = { scale * u[3] }, colour = 2, width = 1.2 }
  end
  if i == 1 then -- what is drawn, said once
    panel:text { x = q[1] + 0.02, y = 0.72, text = "velocity", colour = "red", size = 0.75 }
    panel:text { x = q[1] + 0.1, y = 1.6, text = "spoke", size = 0.75 }
  end
  panel.x.range, panel.y.range = { -1.35, 1.65 }, { -0.15, 2.4 }
end
scenario.save(f, "y_fig1")
