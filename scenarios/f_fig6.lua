-- Manipulator, Fig 6: a bar meets a sprung wall, k_w = 1000 N/m: speeds and contact force (Table 1)

require "knock.scenario.bar" { figure = "f_fig6", table = 1, k_w = 1000, M_theta = 10, t_end = 1 }
