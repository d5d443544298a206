-- Manipulator, Fig 7: a bar meets a sprung wall, M_theta = 5 N m: speeds and contact force (Table 2)

require "knock.scenario.bar" { figure = "f_fig7", table = 2, k_w = 5, M_theta = 5, t_end = 2 }
