-- Short steps from dropping a ball to a sweep, a run and a figure. Each step can be typed; the tests run
-- them all, in order, and compare what they print.

local M = {}

M.steps = {
  { "Drop a ball. Every model is built from named parameters with units and defaults; help \"ball\" lists them.",
    [[ball = k.ball { mass = 1, radius = 1, velocity = {-1, 0, -5}, spin = {0, 2, 0} }
print(ball.velocity)]], "{-1, 0, -5}" },
  { "Choose a law. Newton's restitution without friction is the simplest one.",
    [[law = k.law.newton { e = 0.5 }
print(law.e)]], "0.5" },
  { "Let them meet. The ball is not changed; the hit holds everything.",
    [[hit = k.impact(ball, law)
print(hit.velocity)]], "{-1, 0, 2.5}" },
  { "Ask what happened to the energy. before = after + what was lost.",
    [[e = hit.energy
print(e.before, e.after, e.restitution)]], "13.8\t4.425\t9.375" },
  { "Add friction and tangential compliance: springs at the contact, after Jia. print(hit) shows a page.",
    [[law = k.law.compliant { mu = 0.4, e = 0.5, eta = math.sqrt(17/14) }
hit = k.impact(ball, law)
print(("%.9f"):format(hit.velocity[1]))]], "0.544090155" },
  { "Follow the events of the impact: it slides, sticks, and slides again.",
    [[for _, event in ipairs(hit.events) do print(event.kind, ("%.6f"):format(event.impulse)) end]],
    "stick\t0.625000\ncompression_end\t5.000000\nslip\t7.365582\nopen\t7.500000\nend\t7.500000" },
  { "Change one thing at a time: `with` gives a changed copy.",
    [[for _, mu in ipairs { 0, 0.2, 0.4 } do
  print(mu, ("%.6f"):format(k.impact(ball, law:with { mu = mu }).velocity[1]))
end]], "0\t-1.000000\n0.2\t0.436876\n0.4\t0.544090" },
  { "Write a law of your own: solve gets W and v of the contact rows (t1, t2, n) and returns their impulse. help \"law\" says the rest, and k.check(mine) tries whether it keeps what a law must keep.",
    [[mine = k.law {
  name = "mine", parameters = { e = 0.5 }, many = false,
  solve = function(problem, p)
    local W, v = problem.W, problem.v
    return { 0, 0, -(1 + p.e) * v[3] / W[3][3] }
  end
}
print(k.impact(ball, mine).velocity, k.check(mine, { quiet = true }).ok)]], "{-1, 0, 2.5}\ttrue" },
  { "Sweep: the same question over many parameters, on all cores.",
    [[s = k.sweep { vx = k.linspace(-15, 15, 301) }
r = s:run(function(p)
  local hit = k.impact(ball:with { velocity = {p.vx, 0, -5} }, law)
  return { Vx = hit.velocity[1], wy = hit.spin[2] }
end, { units = { vx = "m/s", Vx = "m/s", wy = "rad/s" } })
print(#r, r:argmax("wy").vx)]], nil },
  { "Keep the results, with units and where they come from, and draw them.",
    [[r:write "sweep.csv"
print(#k.read "sweep.csv")
r:plot { x = "vx", y = {"Vx", "wy"} } :save "sweep.svg"]], "301" },
  { "Simulate: the ball bounces, with its impacts found to 1e-9 s. Two plots of the run make a figure for a paper.",
    [[run = k.simulate(ball:with { position = {0, 0, 2}, spin = {0, -9, 0} }, law, { t_end = 2 })
print(run.impacts, ("%.6f"):format(run.events[1].t))
k.figure { run:plot { x = "q1", y = "q3" }, run:plot "energy", cols = 2 } :save "run.pdf"]], "17\t0.171236" },
}

--- The tutorial as text.
function M.text()
  local wrap = require "knock.page".wrap
  local parts = { "Eleven steps, to be typed at the prompt (in a script, start with: local k = require \"knock\")." }
  for i, step in ipairs(M.steps) do
    parts[#parts + 1] = ("%s\n\n     %s%s"):format(wrap(("%d. %s"):format(i, step[1]), "", "   ", 92), step[2]:gsub("\n", "\n     "),
      step[3] and "\n     --> " .. step[3]:gsub("\n", "\n     --> ") or "")
  end
  return table.concat(parts, "\n\n")
end

return M
