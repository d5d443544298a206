# elsarticle 5p, two columns: 522 pt wide, 7.5 pt
knock_base = 'base'
knock_width = 18.346202
knock_size = 7.5
knock_line = 1.0
knock_point = 4.2
knock_brackets = '()'
