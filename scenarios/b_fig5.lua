-- Batlle, Fig 5: a rod falls and turns, Q first: the ends strike one after the other

require "knock.scenario.rod" { figure = "b_fig5", gap = 250, v = -1, spin = -1, printed = { 0.6531, 2.5306 } }
