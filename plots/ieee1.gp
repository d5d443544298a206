# IEEEtran, one column: 252 pt wide, 8 pt
knock_base = 'base'
knock_width = 8.856787
knock_size = 8
knock_brackets = '()'
