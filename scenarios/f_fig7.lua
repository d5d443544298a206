-- Manipulator, Fig 7: a bar meets a sprung wall, M_theta = 5 N m: speeds and contact force (Table 2)

local k = require "knock"
local scenario = require "knock.scenario"
local given = scenario {
  k_w = 5, -- spring of the wall [N/m]
  M_theta = 5, -- torque on the bar [N m]
  t_end = 2, -- end of the motion [s]
}
local T = k.figure.math

-- Table 2; plastic impact, then constrained motion until the contact force is zero, as often as it comes
local bar = k.bar { m_s = 1, m_w = 1, k_s = 400, c_w = 7, k_w = given.k_w, M_theta = given.M_theta }
local run = k.simulate(bar, k.law.plastic {}, { t_end = given.t_end })

-- event kinds in a run: the impact (with its hit), and the release when the force has gone
local largest = 0
for _, event in ipairs(run.events) do
  if event.kind == "impact" then
    scenario.say("contact at", event.t, "s")
    scenario.say("  impulse", event.hit.impulse[2], "N s")
    scenario.say("  contact force just after", run:at(event.t).force[2], "N")
  elseif event.kind == "release" then scenario.say("released at", event.t, "s") end
end
local force = run:sample(2000).f_n
for i = 1, #force do largest = math.max(largest, force[i]) end
scenario.say("largest contact force", largest, "N")

-- the paper's dots are lost in its scan: its axes fit the speeds y_s', y_w', theta', and F_N
local f = run:plot { "panels", y = { "u1", "u3", "u2", "f_n" }, samples = 2000, style = "ieee2",
  xrange = { 0, given.t_end }, labels = { T"$\\dot y_s$", T"$\\dot y_w$", T"$\\dot\\theta$", T"$F_N$" } }
scenario.save(f, "f_fig7")
