-- The manipulator's Figs 4 to 9: a bar on a sprung slider meets a sprung wall. One motion for all of them; each scenario
-- says its figure, its table and what it varies.
--
--   require "knock.scenario.bar" { figure = "f_fig4", table = 1, k_w = 10, M_theta = 10, t_end = 1 }

local k = require "knock"
local scenario = require "knock.scenario"
local T = k.figure.math

-- the data of the paper's two tables; what a figure varies comes on top
local tables = { {}, { m_s = 1, m_w = 1, k_s = 400, c_w = 7 } } -- Table 1 is the model's defaults

-- event kinds in a run: the impact (with its hit), and the release when the force has gone
local function say_events(run)
  for _, event in ipairs(run.events) do
    if event.kind == "impact" then
      scenario.say("contact at", event.t, "s")
      scenario.say("  impulse", event.hit.impulse[2], "N s")
      scenario.say("  contact force just after", run:at(event.t).force[2], "N")
    elseif event.kind == "release" then
      scenario.say("released at", event.t, "s")
    end
  end
end

local function say_largest_force(run)
  local force, largest = run:sample(2000).f_n, 0
  for i = 1, #force do largest = math.max(largest, force[i]) end
  scenario.say("largest contact force", largest, "N")
end

return function(of)
  local given = scenario {
    k_w = of.k_w, -- spring of the wall [N/m]
    M_theta = of.M_theta, -- torque on the bar [N m]
    t_end = of.t_end, -- end of the motion [s]
  }
  -- plastic impact, then constrained motion until the contact force is zero, as often as it comes
  local bar = k.bar(tables[of.table]):with { k_w = given.k_w, M_theta = given.M_theta }
  local run = k.simulate(bar, k.law.plastic {}, { t_end = given.t_end })
  say_events(run)
  say_largest_force(run)
  -- the paper's dots are lost in its scan: its axes fit the speeds y_s', y_w', theta', and F_N
  local f = run:plot { "panels", y = { "u1", "u3", "u2", "f_n" }, samples = 2000, style = "ieee2",
    xrange = { 0, given.t_end }, labels = { T"$\\dot y_s$", T"$\\dot y_w$", T"$\\dot\\theta$", T"$F_N$" } }
  scenario.save(f, of.figure)
end
