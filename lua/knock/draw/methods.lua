-- plot and animate as methods of models, hits and runs.

local core = require "knock.core"

--- hit:plot([kind[, options]]) -> figure
--- A figure of what happened during the impact, with its events marked: "impulse" (the curve; in space with its
--- projections), "velocity", "spring", "force", "energy", "ledger", "work", "path" (velocities with the lines v_t = 0
--- and v_n = 0), "routh" (the plane of impulses with the cone, one for each contact; other answers marked), "vibration"
--- (several points). over = "time" counts by time instead of impulse.
---
---     print(k.impact(k.ball{}, k.law.compliant{}):plot "energy")
---     --> figure of 1 panel: save it with f:save 'x.pdf', see it with f:show()
rawset(core.types.hit, "plot", require "knock.draw.hit".plot)

--- model:plot([{bare =}]) -> figure
--- The mechanism as it stands, in metres; bare = true leaves the axes out.
rawset(core.types.model, "plot", require "knock.draw.mechanism".model)

--- run:plot{x =, y =, ...} -> figure
--- Columns of a run over a column (time by default), events marked; or a kind: "energy", "gap", "force", "phase"
--- (coordinate =), "trajectory", "strobe" (n = or times =: the mechanism at several times).
---
---     local run = k.simulate(k.ball{ velocity = {1, 0, -1} }, k.law.newton{ e = 0.5 }, { t_end = 1 })
---     print(run:plot{ x = "t", y = {"kinetic", "potential"} })
---     --> figure of 1 panel: save it with f:save 'x.pdf', see it with f:show()
rawset(core.types.run, "plot", require "knock.draw.run".plot)

--- run:animate(path[, options]) -> run
--- The mechanism in motion as a GIF.
rawset(core.types.run, "animate", require "knock.draw.animate")
