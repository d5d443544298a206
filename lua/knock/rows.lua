-- Rows of contacts: `dim` is one number for all of them, or a list with one for each where they differ.

local rows = {}

local names = { { "n" }, { "t", "n" }, { "t1", "t2", "n" } }

--- rows.of(dim, c) -> how many rows contact c has
function rows.of(dim, c) return type(dim) == "table" and dim[c] or dim end

--- rows.before(dim, c) -> how many rows the contacts before c have
function rows.before(dim, c)
  if type(dim) ~= "table" then return (c - 1) * dim end
  local sum = 0
  for i = 1, c - 1 do sum = sum + dim[i] end
  return sum
end

--- rows.names(n) -> { "t", "n" } of a contact with n rows
function rows.names(n) return names[n] end

--- rows.most(dim) -> the most rows of a contact
function rows.most(dim) return type(dim) == "table" and math.max(table.unpack(dim)) or dim end

--- rows.words(dim) -> "t, n", or "(t, n), (n)" where they differ
function rows.words(dim)
  if type(dim) ~= "table" then return table.concat(names[dim], ", ") end
  local out = {}
  for c, n in ipairs(dim) do out[c] = "(" .. table.concat(names[n], ", ") .. ")" end
  return table.concat(out, ", ")
end

return rows
