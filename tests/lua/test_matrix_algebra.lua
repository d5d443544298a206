-- Arithmetic of matrices, and what LAPACK does for them.
local k = require "knock"
local help = dofile(test_dir .. "/matrix_help.lua")
local random, product, close, sizes = help.random, help.product, help.close, help.sizes

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
