# IEEEtran, two columns: 516 pt wide, 8 pt
knock_base = 'base'
knock_width = 18.135326
knock_size = 8
knock_brackets = '()'
