-- Manipulator, Fig 9: a bar meets a sprung wall, M_theta = 20 N m: speeds and contact force (Table 2)

require "knock.scenario.bar" { figure = "f_fig9", table = 2, k_w = 5, M_theta = 20, t_end = 2 }
