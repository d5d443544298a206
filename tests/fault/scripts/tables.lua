local k = require "knock"
local t = k.sweep { a = { 1, 2, 3 }, b = { "x", "y" } }:run(function(p) return { y = p.a * 2 } end, { jobs = 1 })
os.clock()
t:write "t.csv"
t:write "t.jsonl"
local back = k.read "t.csv"
print(#back, table.concat(back:names(), " "), back.y[3])
