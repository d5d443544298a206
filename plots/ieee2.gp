# IEEE journals and conferences, two columns: 7.16 in wide, 8 pt
knock_base = 'base'
knock_width = 18.19
knock_size = 8
knock_brackets = '()'
