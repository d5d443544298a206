-- Manipulator, Fig 4: a bar meets a sprung wall, k_w = 10 N/m: speeds and contact force (Table 1)

require "knock.scenario.bar" { figure = "f_fig4", table = 1, k_w = 10, M_theta = 10, t_end = 1 }
