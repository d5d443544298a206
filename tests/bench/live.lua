-- What `live` costs: processor time of this process for a run and a sweep with a live figure, more than without,
-- as a part of the time that the whole takes. Drawing itself is gnuplot's, in a process of its own, which gets a
-- picture only when it has drawn the last one.
--
--   knock tests/bench/live.lua        prints one line for each, and ends with 1 when one costs more than 10 %

local k = require "knock"
local live = require "knock.draw.live"
live.force = true -- draws although there is no terminal
local screen = io.write
io.write = function() end

local pendulum = k.double_pendulum { q = { 2, 1 }, u = { 0, 0 } }
local ball = k.ball { velocity = { 1, 0, -5 } }

local jobs = {
  run = function(shown)
    k.simulate(pendulum, k.law.newton {}, { t_end = 3000, live = shown and { y = { "q1", "q2" } } or nil })
  end,
  sweep = function(shown)
    k.sweep { a = k.linspace(0, 1, 400) }:run(function(p)
      for i = 1, 400 do k.impact(ball, k.law.compliant { mu = p.a, e = i / 400 }) end
      return { b = p.a }
    end, { live = shown, jobs = 1 })
  end,
}

-- processor time and time, both in s: the best of three, so that others on the machine count little
local function cost(job, shown)
  local clock = require "knock.gnuplot".clock
  local work, time = math.huge, math.huge
  for _ = 1, 3 do
    local w, t = os.clock(), clock()
    job(shown)
    work, time = math.min(work, os.clock() - w), math.min(time, clock() - t)
  end
  return work, time
end

local worst = 0
for _, name in ipairs { "run", "sweep" } do
  local plain, time = cost(jobs[name], false)
  local shown = cost(jobs[name], true)
  local part = (shown - plain) / time
  worst = math.max(worst, part)
  screen(("%-6s takes %.2f s; a live figure costs %.3f s: %+.1f %%\n"):format(name, time, shown - plain, 100 * part))
end
os.exit(worst <= 0.1 and 0 or 1, true)
