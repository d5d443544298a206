# elsarticle 5p, one column: 252 pt wide, 7.5 pt
knock_base = 'base'
knock_width = 8.856787
knock_size = 7.5
knock_line = 1.0
knock_point = 4.2
knock_brackets = '()'
