-- plot and animate as methods of models, hits and runs.

local core = require "knock.core"

rawset(core.types.hit, "plot", require "knock.draw.hit".plot)
rawset(core.types.model, "plot", require "knock.draw.mechanism".model)
rawset(core.types.run, "plot", require "knock.draw.run".plot)
rawset(core.types.run, "animate", require "knock.draw.animate")
