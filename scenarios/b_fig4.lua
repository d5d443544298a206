-- Batlle, Fig 4: a rod falls and turns, both ends at once

require "knock.scenario.rod" { figure = "b_fig4", gap = 0, v = -1, spin = -1, printed = { 0.6299, 2.5886 } }
