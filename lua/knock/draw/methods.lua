-- plot and animate as methods of models, hits and runs.

local core = require "knock.core"

rawset(core.types.hit, "plot", require "knock.draw.hit".plot)
rawset(core.types.model, "plot", require "knock.draw.mechanism".model)
rawset(core.types.run, "plot", require "knock.draw.run".plot)
rawset(core.types.run, "animate", require "knock.draw.animate")

--- hit:plot(kind[, options]) -> figure
--- A figure of the impact: "impulse", "velocity", "spring", "energy", "ledger", "path" (velocity space with its
--- pauses and friction directions), "routh" (impulse plane) and others; events are marked on the curves.

--- model:plot([options]) -> figure
--- The mechanism as it stands, from its outline.

--- run:plot{x =, y =, ...} -> figure
--- Columns of a run over each other, as in run:plot{ x = "t", y = "energy" }; run:plot "phase" and run:plot "strobe"
--- draw a phase portrait and a stroboscopic picture.

--- run:animate(path[, options]) -> run
--- The mechanism in motion as a .gif; options fps, speed, from, to, width, trail.

--- k.plot{x =, y =, ...} -> figure
--- Raw lists to a figure: kind = "line", "points", "steps", "both", "histogram", "heat", "contour"; labels with units
--- in brackets, as in xlabel = "t [s]".
---
---     k.plot{ x = {0, 1, 2}, y = {0, 1, 4}, xlabel = "t [s]", ylabel = "z [m]" }

--- k.figure{rows =, cols =, style =, ...} -> figure
--- A page of panels f[1], f[2], ... with letters; panels have line, points, text, vline, hline, heat and contour.
---
---     local f = k.figure{ rows = 1, cols = 2 }
---     f[1]:line{ x = {0, 1}, y = {0, 1} }

--- figure:save(path, ...) -> figure
--- Saves the figure, by the endings of the names: .pdf, .svg, .png, .tex or .txt, several at once; keep = true leaves
--- its data and a gnuplot script beside it.

--- figure:show() -> figure
--- Shows the figure: in a window, in a terminal that has graphics, or as text.
