-- just the start of gnuplot: where a fault would let it draw into the user's folder
require "knock.core"
local gnuplot = require "knock.gnuplot"
os.clock()
gnuplot.run "set terminal svg\nset output 'out.svg'\nplot x\n"
print(#gnuplot.take "out.svg" > 1000)
