-- Matrices for tests: random ones, the textbook product, and how near is near.
local k = require "knock"

local help = {}

-- matrices of numbers in [-1, 1), the same every time
function help.random(rows, cols, seed)
  local state = seed or 1
  return k.matrix(rows, cols, function()
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 1073741824 - 1
  end)
end

-- textbook loops on plain numbers
function help.product(A, B)
  return k.matrix(A.rows, B.cols, function(i, j)
    local sum = 0
    for l = 1, A.cols do sum = sum + A(i, l) * B(l, j) end
    return sum
  end)
end

function help.close(A, B, tol)
  equal({ A.rows, A.cols }, { B.rows, B.cols })
  if A.rows * A.cols == 0 then return end
  local off = (A - B):norm("max")
  if not (off <= tol) then error(("off by %.3g, allowed %.3g:\n%s\n%s"):format(off, tol, A, B), 2) end
end

help.sizes = { 1, 2, 3, 5, 20, 70 }

return help
