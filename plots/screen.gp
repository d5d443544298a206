# On screen: a comfortable window, a light grid
knock_base = 'base'
knock_font = 'Sans'
knock_width = 16
knock_size = 9.5
knock_line = 1.5
knock_frame = 0.7
knock_point = 5.5
knock_aspect = 0.62
knock_dpi = 144
knock_grid = 0.5
set border 15 linewidth 0.7 linecolor rgb '#262626'
