-- Batlle, Fig 3: a rod falls flat, Q first

require "knock.scenario.rod" { figure = "b_fig3", gap = 350, v = -1, spin = 0, printed = { 1.2154, 0.3204 } }
