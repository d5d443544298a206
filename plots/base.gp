# What all styles share. Colours are Okabe and Ito's, which the colour-blind can tell apart; dashes
# and widths tell them apart in greyscale as well. Lengths are in points unless said.
knock_font = 'Helvetica'
knock_colours = '#0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9 #000000'
knock_dashes = 'solid 10,4 3,3 12,4,3,4 16,5 3,3,3,9 6,3'
knock_line = 1.1
knock_frame = 0.5
knock_point = 4.5
knock_aspect = 0.66
knock_brackets = '[]'
knock_dpi = 300
knock_grid = 0
knock_mirror = 1
set border 15 linewidth 0.5 linecolor rgb '#262626'
set style fill solid 1 noborder
