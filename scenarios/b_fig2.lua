-- Batlle, Fig 2: a rod falls flat, both ends at once

require "knock.scenario.rod" { figure = "b_fig2", gap = 0, v = -1, spin = 0, printed = { 1.131, 0.5949 } }
