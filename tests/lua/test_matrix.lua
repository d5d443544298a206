-- Matrices: how they are made, read, written and printed.
local k = require "knock"
local help = dofile(test_dir .. "/matrix_help.lua")
local random = help.random

-- ---- making ----

test("a list of numbers is a column, a list of lists has rows", function()
  local v, A = k.matrix { 1, 2, 3 }, k.matrix { { 1, 2, 3 }, { 4, 5, 6 } }
  equal({ v.rows, v.cols, #v }, { 3, 1, 3 })
  equal({ A.rows, A.cols, #A }, { 2, 3, 2 })
  equal(A(2, 1), 4.0)
  equal(k.matrix { v, v }, k.matrix { { 1, 2, 3 }, { 1, 2, 3 } }) -- vectors as rows
  equal(k.matrix { A[2], A[1] }, k.matrix { { 4, 5, 6 }, { 1, 2, 3 } })
end)

test("a matrix is filled with a number, by a function, or copied", function()
  equal(k.matrix(2, 2), k.zeros(2, 2))
  equal(k.matrix(2, 3, 7), 7 * k.ones(2, 3))
  equal(k.matrix(2, 2, function(i, j) return 10 * i + j end), k.matrix { { 11, 12 }, { 21, 22 } })
  local A = k.eye(2)
  local B = k.matrix(A)
  B[1][1] = 5
  equal(A, k.eye(2))
end)

test("eye, diag, zeros and ones", function()
  equal(k.eye(3), k.matrix { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } })
  equal(k.diag { 2, 3 }, k.matrix { { 2, 0 }, { 0, 3 } })
  equal(k.diag(k.matrix { { 2, 3 } }), k.diag { 2, 3 })
  equal(k.diag({ 2, 3 }):diag(), k.matrix { 2, 3 })
  equal(k.zeros(2), k.matrix { 0, 0 })
  equal(k.ones(1, 2), k.matrix { { 1, 1 } })
end)

test("linspace hits the decimals that a person expects", function()
  local v = k.linspace(-15, 15, 301)
  equal(#v, 301)
  for i = 1, 301 do equal(v[i], tonumber(("%.1f"):format(-15 + (i - 1) / 10)) + 0.0) end
  equal(k.linspace(2, 2, 1), k.matrix { 2 })
  equal(k.linspace(0.1, 0.7, 2), k.matrix { 0.1, 0.7 })
  equal(k.linspace(1e308, -1e308, 3), k.matrix { 1e308, 0, -1e308 })
end)

test("logspace takes the ends themselves", function()
  local v = k.logspace(1e-3, 1e3, 7)
  for i = 1, 7 do near(v[i] / 10.0 ^ (i - 4), 1, 4e-16) end
  equal(v[1], 1e-3)
  equal(k.logspace(0.3, 0.7, 2), k.matrix { 0.3, 0.7 })
  raises(function() k.logspace(-3, 3, 7) end, "both ends must be positive, got -3 and 3", "not exponents")
end)

test("bad tables are named", function()
  raises(function() k.matrix { 1, "x" } end, "table of numbers, got [2] = a string ('x')")
  raises(function() k.matrix { 1, nil, 3 } end, "got [2] = nil")
  raises(function() k.matrix { { 1, 2 }, { 3 } } end, "got [2] = a list of 1 (not 2)")
  raises(function() k.matrix { { 1, 2 }, 3 } end, "got [2] = 3")
  raises(function() k.matrix { { 1, 2 }, { 3, true } } end, "got [2][2] = true")
  raises(function() k.matrix { "x" } end, "got [1] = a string ('x')")
  raises(function() k.matrix { k.eye(2) } end, "got [1] = a 2 x 2 matrix")
  raises(function() k.matrix "x" end, "matrix: expected a matrix or a table of numbers, got a string ('x')")
  raises(function() k.matrix(2, -1) end, "columns must be a non-negative integer, got -1")
  raises(function() k.matrix(2.5, 1) end, "rows must be a non-negative integer, got 2.5")
  raises(function() k.matrix(2, 2, "a") end, "number or a function, got a string ('a')")
  raises(function() k.matrix(1, 1, function() end) end, "must return a number at (1, 1), got nil")
  raises(function() k.zeros(100000, 100000) end, "100000x100000 is too large")
  raises(function() k.linspace(0, 1) end, "number of points must be", "got nil")
  raises(function() k.linspace(0, 1, 0) end, "from 1 to", "got 0")
  raises(function() k.linspace(0, math.huge, 3) end, "last value must be a finite number")
end)

-- ---- entries ----

test("entries are read in every way", function()
  local A = k.matrix { { 1, 2, 3 }, { 4, 5, 6 } }
  equal({ A[2][3], A(2, 3), A[-1][-1], A(-1, -1), A[2.0][3.0] }, { 6.0, 6.0, 6.0, 6.0, 6.0 })
  local v = k.matrix { 7, 8 }
  equal({ v[1], v(2), v[-1], v[-2] }, { 7.0, 8.0, 8.0, 7.0 })
  equal(math.type(v[1]), "float")
end)

test("ipairs and table.unpack work on vectors and rows", function()
  local sum = 0
  for i, x in ipairs(k.matrix { 1, 2, 3 }) do sum = sum + i * x end
  equal(sum, 14.0)
  equal({ table.unpack(k.matrix { 4, 5 }) }, { 4.0, 5.0 })
  equal({ table.unpack(k.matrix({ { 1, 2 }, { 3, 4 } })[2]) }, { 3.0, 4.0 })
  local count = 0
  for i, row in ipairs(k.eye(3)) do
    count = count + 1
    for j, x in ipairs(row) do equal(x, i == j and 1.0 or 0.0) end
  end
  equal(count, 3)
  for _ in ipairs(k.zeros(0)) do error("an empty vector has no entry") end
end)

test("entries, rows and blocks are written", function()
  local A = k.zeros(3, 3)
  A[1][2] = 5
  A[-1][-1] = 6
  A[2] = { 7, 8, 9 }
  equal(A, k.matrix { { 0, 5, 0 }, { 7, 8, 9 }, { 0, 0, 6 } })
  A[1] = k.matrix { { 1, 1, 1 } }
  A[3] = A[1]
  equal(A:set(1, 1, -1):set(2, 2, k.matrix { { 4, 4 }, { 4, 4 } }),
    k.matrix { { -1, 1, 1 }, { 7, 4, 4 }, { 1, 4, 4 } })
  local v = k.matrix { 1, 2, 3 }
  v[2], v[-1] = 20, 30
  equal(v, k.matrix { 1, 20, 30 })
  local row = k.eye(2)[1] -- keeps its matrix alive
  collectgarbage()
  row[2] = 3
  equal(row:totable(), { { 1.0, 3.0 } })
end)

test("places outside are errors, except one past the end", function()
  local v, A = k.matrix { 1, 2, 3 }, k.eye(2)
  equal(v[4], nil)
  equal(A[3], nil)
  equal(A[1][3], nil)
  raises(function() return v[5] end, "no entry 5: they go from 1 to 3")
  raises(function() return v[0] end, "no entry 0")
  raises(function() return v[-4] end, "no entry -4")
  raises(function() return v[1.5] end, "entry must be an integer, got 1.5")
  raises(function() return A[1][4] end, "no column 4: they go from 1 to 2")
  raises(function() return A(1, 3) end, "no column 3")
  raises(function() return A(1) end, "column must be an integer, got nil")
  raises(function() v[4] = 1 end, "no entry 4")
  raises(function() A[1][3] = 1 end, "no column 3")
  raises(function() A[1][1] = "x" end, "an entry must be a number, got string")
  raises(function() A[1] = { 1, 2, 3 } end, "cannot make 3x1 a row of 2x2")
  raises(function() A:set(2, 2, A) end, "2x2 at (2, 2) does not fit into 2x2")
  raises(function() return k.zeros(0)[2] end, "no entry 2: there is none")
end)

test("a misspelt method is an error that names the right one", function()
  local A = k.eye(2)
  raises(function() A:slove { 1, 2 } end, "no field or method 'slove' (did you mean 'solve'?)")
  raises(function() return A.size end, "no field or method 'size'")
  raises(function() return A[{}] end, "cannot be indexed by a table")
  raises(function() A.name = 1 end, "cannot set field 'name'")
  raises(function() A.solve(nil, 1) end, "expected a matrix or a table of numbers, got nil")
  equal(getmetatable(A), "matrix")
end)

test("rows, columns and slices are copies", function()
  local A = k.matrix { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } }
  equal(A:row(2), k.matrix { { 4, 5, 6 } })
  equal(A:col(-1), k.matrix { 3, 6, 9 })
  equal(A:slice(2, 3, 1, 2), k.matrix { { 4, 5 }, { 7, 8 } })
  equal(A:slice(nil, nil, 2, 2), k.matrix { 2, 5, 8 })
  equal(A:slice(-1), k.matrix { { 7, 8, 9 } })
  equal(A:slice(), A)
  equal(k.linspace(1, 5, 5):slice(-2, -1), k.matrix { 4, 5 })
  equal(A:slice(1, 0).rows, 0)
  equal(A:slice(4, 3, 1, 2).cols, 2)
  A:slice()[1][1] = 100
  equal(A(1, 1), 1.0)
  raises(function() A:slice(2, 5) end, "no row 5: they go from 1 to 3")
  raises(function() A:slice(3, 1) end, "rows 3 to 1 run backwards")
  raises(function() A:slice("x") end, "row must be an integer, got a string ('x')")
  raises(function() A:row(4) end, "no row 4")
end)

test("totable and matrix are inverse to each other", function()
  local A, v = random(3, 4), random(5, 1)
  equal(k.matrix(A:totable()), A)
  equal(k.matrix(v:totable()), v)
  equal(v:totable()[2], v[2])
end)

-- ---- text ----

test("vectors print on one line with 10 digits", function()
  equal(tostring(k.matrix { 0.54409034321, 0, 2.5 }), "{0.5440903432, 0, 2.5}")
  equal(tostring(k.matrix { -0.0, 1e-20, 12345678901, 0 / 0, -1 / 0 }), "{0, 1e-20, 12345678901, nan, -inf}")
  equal(tostring(k.matrix {}), "{}")
  equal(tostring(k.linspace(1, 101, 101)), "{1, 2, 3, 4, 5, 6, 7, 8, ..., 99, 100, 101} (101x1)")
end)

test("matrices print with their decimal points in line", function()
  equal(tostring(k.matrix { { 1, 2.5 }, { -3.25, 10 } }), "{{ 1,     2.5},\n {-3.25, 10}}")
  equal(tostring(k.matrix { { 1e-17, -0.0 }, { 1234567, 2 / 3 } }),
    "{{      1e-17, 0},\n {1234567,     0.666667}}")
  equal(tostring(k.matrix { { 1, 2 } }), "{{1, 2}}")
  equal(tostring(k.zeros(0, 3)), "{} (0x3)")
  equal("A = " .. k.eye(1) .. ".", "A = {1}.")
  equal(k.matrix({ { 1, 2 / 3 } }):format(3), "{{1, 0.667}}")
  local _, lines = tostring(k.zeros(100, 2)):gsub("\n", "")
  equal(lines, 11)
end)

test("what is printed is Lua again", function()
  local A = k.matrix { { 0.5, -2 }, { 1e20, 3.25 } }
  equal(k.matrix(load("return " .. tostring(A))()), A)
end)

-- ---- documentation ----

-- runs an example; `-->` comments must be what it prints, line by line
local function run_example(name, code)
  local expected, printed = {}, {}
  for line in code:gmatch("%-%-> ?([^\n]*)") do expected[#expected + 1] = line end
  local env = setmetatable({ k = k, print = function(...)
    local words = table.pack(...)
    for i = 1, words.n do words[i] = tostring(words[i]) end
    for line in (table.concat(words, "\t") .. "\n"):gmatch("([^\n]*)\n") do printed[#printed + 1] = line end
  end }, { __index = _G })
  assert(load(code, "=" .. name, "t", env))()
  equal(table.concat(printed, "\n"), table.concat(expected, "\n"))
end

test("every matrix function is documented and its example runs", function()
  local docs = debug.getregistry()["knock.doc"]
  local count = 0
  for name, doc in pairs(docs.matrix) do
    count = count + 1
    run_example(name, doc.example)
  end
  equal(count >= 26, true)
  for _, name in ipairs { "matrix", "eye", "zeros", "ones", "diag", "linspace", "logspace", "approx" } do
    run_example(name, docs.knock[name].example)
  end
end)
