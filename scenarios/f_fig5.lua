-- Manipulator, Fig 5: a bar meets a sprung wall, k_w = 400 N/m: speeds and contact force (Table 1)

require "knock.scenario.bar" { figure = "f_fig5", table = 1, k_w = 400, M_theta = 10, t_end = 1 }
