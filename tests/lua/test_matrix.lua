local k = require "knock"

-- matrices of numbers in [-1, 1), the same every time
local function random(rows, cols, seed)
  local state = seed or 1
  return k.matrix(rows, cols, function()
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 1073741824 - 1
  end)
end

-- textbook loops on plain numbers
local function product(A, B)
  return k.matrix(A.rows, B.cols, function(i, j)
    local sum = 0
    for l = 1, A.cols do sum = sum + A(i, l) * B(l, j) end
    return sum
  end)
end

local function close(A, B, tol)
  equal({ A.rows, A.cols }, { B.rows, B.cols })
  if A.rows * A.cols == 0 then return end
  local off = (A - B):norm("max")
  if not (off <= tol) then error(("off by %.3g, allowed %.3g:\n%s\n%s"):format(off, tol, A, B), 2) end
end

local sizes = { 1, 2, 3, 5, 20, 70 }

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
  raises(function() k.linspace(0, 1, 0) end, "at least 1 point")
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

-- ---- arithmetic ----

test("sums, differences and scalar products", function()
  local A, B = k.matrix { { 1, 2 }, { 3, 4 } }, k.matrix { { 10, 20 }, { 30, 40 } }
  equal(A + B, k.matrix { { 11, 22 }, { 33, 44 } })
  equal(B - A, k.matrix { { 9, 18 }, { 27, 36 } })
  equal(2 * A, A * 2)
  equal(A / 4, k.matrix { { 0.25, 0.5 }, { 0.75, 1 } })
  equal(-A, -1 * A)
  equal(k.matrix { 1, 2 } + { 3, 4 }, k.matrix { 4, 6 }) -- a table is as good as a matrix
  equal({ 3, 4 } - k.matrix { 1, 2 }, k.matrix { 2, 2 })
  equal(A[1] + A[2], k.matrix { { 4, 6 } })
end)

test("products agree with the textbook", function()
  for _, n in ipairs(sizes) do
    local A, B = random(n, n + 2, 3), random(n + 2, n + 1, 4)
    close(A * B, product(A, B), 1e-13)
  end
  equal(k.eye(2) * { 3, 4 }, k.matrix { 3, 4 })
  close((random(3, 4) * random(4, 5)):t(), random(4, 5):t() * random(3, 4):t(), 1e-15)
end)

test("powers", function()
  local A = k.matrix { { 2, 1 }, { 1, 3 } }
  equal(A ^ 0, k.eye(2))
  equal(A ^ 1, A)
  equal(A ^ 5, A * A * A * A * A)
  close(A ^ -3 * A ^ 3, k.eye(2), 1e-14)
  equal(k.matrix { { 1, 1 }, { 1, 0 } } ^ 70, k.matrix { { 308061521170129, 190392490709135 },
    { 190392490709135, 117669030460994 } }) -- Fibonacci
  raises(function() return A ^ 0.5 end, "a power must be an integer, got 0.5")
  raises(function() return k.zeros(2, 2) ^ -1 end, "cannot invert 2x2")
end)

test("shape errors name both shapes", function()
  local A, B = k.zeros(2, 3), k.zeros(2, 2)
  raises(function() return A * B end, "matrix: cannot multiply 2x3 by 2x2")
  raises(function() return A + B end, "matrix: cannot add 2x3 and 2x2")
  raises(function() return A - B end, "matrix: cannot subtract 2x3 and 2x2")
  raises(function() return B:solve { 1, 2, 3 } end, "matrix: cannot solve 2x2 with right-hand side 3x1")
  raises(function() return A:dot(B) end, "matrix: cannot dot 2x3 with 2x2")
  raises(function() return k.zeros(3):cross { 1, 2 } end, "matrix: cannot cross 3x1 with 2x1")
  raises(function() return k.zeros(3) * k.zeros(3) end, "cannot multiply 3x1 by 3x1", "a:dot(b)")
  raises(function() return k.eye(2):eig(k.eye(3)) end, "2x2 with 3x3")
  raises(function() return A + 1 end, "cannot add a matrix and a number")
  raises(function() return A / B end, "cannot divide by a 2 x 2 matrix")
  raises(function() return A + "x" end, "got a string")
  for _, method in ipairs { "inv", "det", "trace", "eig" } do
    raises(function() return A[method](A) end, "2x3: it is not square")
  end
end)

test("== is exact, approx has a tolerance", function()
  local v = k.matrix { 0.1 + 0.2 }
  equal(v == k.matrix { 0.3 }, false)
  equal(v:approx { 0.3 }, true)
  equal(v:approx({ 0.3 }, 0), false)
  equal(k.approx(1e9, 1e9 + 1, 1e-8), true)
  equal(k.approx(1e-9, 2e-9), false)
  equal(k.approx(1e-13, 0), true) -- absolute below 1
  equal(k.approx({ 1, 2 }, { 1, 2.1 }), false)
  equal(k.approx(0 / 0, 0 / 0), false)
  equal(k.approx(1 / 0, 1 / 0), true)
  equal(k.approx(1 / 0, -1 / 0), false)
  equal(k.eye(2) == k.eye(3), false)
  equal(k.eye(2):approx(k.ones(4)), false)
  equal(k.matrix { 0 / 0 } == k.matrix { 0 / 0 }, false)
  equal(k.matrix { 0 } == k.matrix { -0.0 }, true)
  equal(k.eye(2)[1] == k.eye(3):slice(1, 1, 1, 2), true)
  equal(k.eye(1) == 1, false)
  raises(function() k.approx(1, 2, -1) end, "tolerance must be a non-negative number, got -1")
end)

-- ---- methods ----

test("dot, cross, trace, norm, sum, min, max, map", function()
  local a, b = k.matrix { 1, 2, 3 }, k.matrix { -4, 5, 0.5 }
  equal(a:dot(b), 7.5)
  equal(a:dot(b:t()), 7.5)
  local c = a:cross(b)
  equal({ c:dot(a), c:dot(b) }, { 0.0, 0.0 })
  near(c:norm() ^ 2, a:dot(a) * b:dot(b) - a:dot(b) ^ 2, 1e-12) -- Lagrange
  equal(k.matrix({ { 1, 2 }, { 3, 4 } }):trace(), 5.0)
  equal(a:sum(), 6.0)
  equal({ b:max() }, { 5.0, 2, 1 })
  equal({ k.matrix({ { 1, -2 }, { 3, 4 } }):min() }, { -2.0, 1, 2 })
  equal(k.matrix({ 1, 0 / 0, 3 }):max() ~= k.matrix({ 1, 0 / 0, 3 }):max(), true) -- NaN shows
  equal(a:map(function(x) return x ^ 2 end), k.matrix { 1, 4, 9 })
  near(k.matrix({ 8, 8, 8 }):map(math.log), 3 * math.log(2) * k.ones(3), 1e-15) -- only x is passed
  raises(function() a:map(function() end) end, "must return a number at (1, 1), got nil")
  raises(function() k.zeros(0):max() end, "max of an empty matrix (0x1)")
end)

test("norms follow their definitions", function()
  local A = k.matrix { { 1, -2 }, { -3, 4 } }
  equal({ A:norm(1), A:norm("inf"), A:norm(math.huge), A:norm("max") }, { 6.0, 7.0, 7.0, 4.0 })
  near(A:norm(), math.sqrt(30), 1e-14)
  near(A:norm("fro"), math.sqrt(30), 1e-14)
  near(A:norm(2), math.sqrt((A:t() * A):eig()[2]), 1e-13)
  raises(function() A:norm(3) end, "norm must be 1, 2,", "got 3")
end)

test("solve agrees with the inverse and leaves no residual", function()
  for _, n in ipairs(sizes) do
    local A, B = random(n, n, n), random(n, 2, n + 1)
    local X, rcond = A:solve(B)
    close(A * X, B, 1e-15 * n / rcond)
    close(X, A:inv() * B, 1e-14 * n / rcond)
    equal(rcond > 0 and rcond <= 1 + 1e-15, true)
  end
end)

test("solve of a matrix that is not square is least squares", function()
  local A, b = random(7, 3, 5), random(7, 1, 6)
  local x, rank = A:solve(b)
  equal(rank, 3)
  close(x, (A:t() * A):solve(A:t() * b), 1e-13) -- normal equations
  local wide, y = random(3, 7, 5), nil
  y, rank = wide:solve { 1, 2, 3 }
  equal(rank, 3)
  close(wide * y, k.matrix { 1, 2, 3 }, 1e-13)
  close(y, wide:t() * (wide * wide:t()):solve { 1, 2, 3 }, 1e-13) -- the shortest
  x, rank = k.matrix({ { 1, 1 }, { 1, 1 } }):lstsq { 2, 2 }
  equal(rank, 1)
  close(x, k.matrix { 1, 1 }, 1e-15)
end)

test("a singular matrix is an error with its condition", function()
  local A = k.matrix { { 1, 2 }, { 2, 4 } }
  raises(function() A:solve { 1, 2 } end, "matrix: cannot solve with 2x2: it is singular (rcond 0)")
  raises(function() A:inv() end, "matrix: cannot invert 2x2: it is singular")
  equal({ A:rank(), A:det(), A:cond() > 1e15 }, { 1, 0.0, true })
  local hilbert = k.matrix(14, 14, function(i, j) return 1 / (i + j - 1) end)
  raises(function() hilbert:inv() end, "it is singular (rcond ")
end)

test("the pseudo-inverse has its four properties", function()
  local A = random(6, 2, 3) * random(2, 5, 4)
  local X, rank = A:pinv()
  equal({ rank, A:rank() }, { 2, 2 })
  close(A * X * A, A, 1e-13)
  close(X * A * X, X, 1e-13)
  close((A * X):t(), A * X, 1e-13)
  close((X * A):t(), X * A, 1e-13)
end)

test("rank and its tolerance", function()
  equal(k.diag({ 1, 1e-3, 1e-9 }):rank(), 3)
  equal(k.diag({ 1, 1e-3, 1e-9 }):rank(1e-6), 2)
  equal(k.zeros(3, 2):rank(), 0)
  raises(function() k.eye(2):rank(-1) end, "tolerance must be a non-negative number")
end)

test("the determinant agrees with the eigenvalues", function()
  for _, n in ipairs(sizes) do
    local A = random(n, n, 9)
    local S = A + A:t()
    local det = 1
    for _, w in ipairs((S:eig())) do det = det * w end
    near(S:det() / det, 1, 1e-11)
    near((A * A):det() / A:det() ^ 2, 1, 1e-10)
  end
end)

test("svd multiplies back, thin and full", function()
  for _, shape in ipairs { { 4, 4 }, { 6, 3 }, { 3, 6 }, { 1, 5 }, { 40, 30 } } do
    local A = random(shape[1], shape[2], 8)
    local U, s, V = A:svd()
    close(U * k.diag(s) * V:t(), A, 1e-13)
    close(U:t() * U, k.eye(#s), 1e-13)
    close(V:t() * V, k.eye(#s), 1e-13)
    for i = 2, #s do equal(s[i] <= s[i - 1], true) end
    local Uf, sf, Vf = A:svd "full"
    equal({ Uf.rows, Uf.cols, Vf.rows, Vf.cols }, { shape[1], shape[1], shape[2], shape[2] })
    close(Uf:t() * A * Vf, k.zeros(shape[1], shape[2]):set(1, 1, k.diag(sf)), 1e-13)
    near(A:cond(), s[1] / s[#s], 1e-9)
  end
  raises(function() k.eye(2):svd "fat" end, "svd must be 'thin' or 'full', got 'fat'")
end)

test("eig of a symmetric matrix", function()
  for _, n in ipairs(sizes) do
    local R = random(n, n, 2)
    local A = R + R:t()
    local w, V, none = A:eig()
    equal(none, nil)
    close(A * V, V * k.diag(w), 1e-13 * n)
    close(V:t() * V, k.eye(n), 1e-13 * n)
    for i = 2, n do equal(w[i - 1] <= w[i], true) end
  end
  local nearly = k.matrix { { 2, 1 }, { 1 + 1e-16, 2 } } -- symmetric but for rounding
  equal((nearly:eig()):approx { 1, 3 }, true)
end)

test("eig of any matrix, with imaginary parts when there are any", function()
  local w, V, wi = k.matrix({ { 2, 1 }, { 0, 1 } }):eig()
  equal(wi, nil)
  close(k.matrix { { 2, 1 }, { 0, 1 } } * V, V * k.diag(w), 1e-15)
  equal(w, k.matrix { 1, 2 })
  for _, n in ipairs { 2, 5, 20 } do
    local A = random(n, n, 7)
    local re, X, im, Y = A:eig()
    if im == nil then im, Y = k.zeros(n), k.zeros(n, n) end
    -- A (X + iY) = (X + iY) diag(re + i im)
    close(A * X, X * k.diag(re) - Y * k.diag(im), 1e-13 * n)
    close(A * Y, X * k.diag(im) + Y * k.diag(re), 1e-13 * n)
    for i = 2, n do equal(re[i - 1] <= re[i], true) end
  end
  local _, _, im = k.matrix({ { 0, 1 }, { -4, 0 } }):eig()
  close(im, k.matrix { -2, 2 }, 1e-14)
end)

test("eig with a mass matrix", function()
  local R, S = random(5, 5, 1), random(5, 5, 2)
  local K, M = R + R:t(), S * S:t() + k.eye(5)
  local w, V = K:eig(M)
  close(K * V, M * V * k.diag(w), 1e-12)
  close(V:t() * M * V, k.eye(5), 1e-12)
  close(w, (M:solve(K)):eig(), 1e-12) -- the same eigenvalues by another route
  raises(function() K:eig(-1 * M) end, "not positive definite")
  raises(function() R:eig(M) end, "needs symmetric matrices")
end)

test("empty matrices are legal", function()
  local E = k.zeros(0, 0)
  equal(E:det(), 1.0)
  equal({ E:norm(), E:norm(2), E:rank(), E:trace(), E:sum() }, { 0.0, 0.0, 0, 0.0, 0.0 })
  equal((E:solve(k.zeros(0, 2))).cols, 2)
  equal((E:inv()), E)
  equal(#(E:eig()), 0)
  equal(k.zeros(2, 0) * k.zeros(0, 3), k.zeros(2, 3))
  equal((k.zeros(0, 3):solve(k.zeros(0))), k.zeros(3))
  local U, s, V = k.zeros(0, 3):svd()
  equal({ U.rows, U.cols, #s, V.rows, V.cols }, { 0, 0, 0, 3, 0 })
  equal(k.zeros(0, 3):t().rows, 3)
  equal(k.matrix {} == k.zeros(0), true)
  equal(#k.matrix {}, 0)
end)

test("NaN and infinity are stored, but LAPACK does not get them", function()
  local A = k.matrix { { 1, 0 / 0 }, { 1 / 0, 1 } }
  equal(A(2, 1), math.huge)
  for _, method in ipairs { "det", "inv", "eig", "svd", "rank", "cond", "norm", "pinv" } do
    raises(function() A[method](A) end, "matrix: cannot ", "2x2: a value is NaN or infinite")
  end
  raises(function() A:solve { 1, 2 } end, "a value is NaN or infinite")
  raises(function() k.eye(2):solve { 1, 0 / 0 } end, "a value is NaN or infinite")
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
