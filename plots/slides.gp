# Slides, 16:9: large type, thick lines, to be read from the last row
knock_base = 'base'
knock_font = 'Sans'
knock_width = 24
knock_size = 18
knock_line = 2.6
knock_frame = 1
knock_point = 9
knock_scale = 2
knock_aspect = 0.52
knock_dpi = 150
knock_grid = 0.8
knock_mirror = 0
set border 3 linewidth 1 linecolor rgb '#262626'
