-- plot and animate as methods of hits, runs and tables.

local core = require "knock.core"

rawset(core.types.hit, "plot", require "knock.draw.hit".plot)
