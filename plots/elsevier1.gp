# Elsevier journals, one column: 90 mm wide, 7.5 pt
knock_base = 'base'
knock_width = 9.0
knock_size = 7.5
knock_line = 1.0
knock_point = 4.2
knock_brackets = '()'
