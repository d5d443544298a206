# IEEE journals and conferences, one column: 3.5 in wide, 8 pt
knock_base = 'base'
knock_width = 8.89
knock_size = 8
knock_brackets = '()'
