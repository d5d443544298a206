-- Tables of results: columns with names and units.
--
--   local t = k.table { x = {1, 2, 3}, y = {1, 4, 9} }      t.x, t[2].y, #t
--   t:filter(function(row) return row.x > 1 end):sort "y"   t:write "squares.csv"

local core = require "knock.core"
local records = core.records
local host = require "knock.host"

local methods = records.table_methods
local module = {}

-- control characters of names do not reach the terminal
local function fail(format, ...) host.fail((("table: " .. format):format(...):gsub("%c", "?"))) end

local function column(t, name)
  for _, known in ipairs(t:names()) do if known == name then return t:column(name) end end
  if type(name) ~= "string" then fail("the name of a column must be a string, got %s", host.got(name)) end
  local near = host.nearest(name, t:names())
  fail("no column '%s'%s", name, near and (" (did you mean '%s'?)"):format(near) or " (there are: " .. table.concat(t:names(), ", ") .. ")")
end

--- Whether there is a column of that name.
function methods:has(name)
  for _, known in ipairs(self:names()) do if known == name then return true end end
  return false
end

local function numbers(t, name)
  local x = column(t, name)
  local kind, width = t:kind(name)
  if (kind ~= "number" and kind ~= "integer") or width ~= 1 then
    fail("column '%s' must hold numbers, it holds %s", name, width > 1 and "vectors" or kind .. "s")
  end
  return x
end

local function is_nan(x) return x ~= x end

-- ---- rows --------------------------------------------------------------------------------------------

--- A table of the rows for which f(row) holds.
function methods:filter(f)
  if type(f) ~= "function" then fail("filter needs a function of a row, got %s", host.got(f)) end
  local keep = {}
  for i = 1, #self do if f(self[i]) then keep[#keep + 1] = i end end
  return self:rows(keep)
end

--- A table of the rows for which f(row) holds, or with these values: t:where{ mu = 0.2, status = "ok" }.
function methods:where(f)
  if type(f) == "function" then return self:filter(f) end
  if type(f) ~= "table" then fail("where needs a function or values by name, got %s", host.got(f)) end
  local keep, wanted = {}, {}
  for name, value in pairs(f) do wanted[#wanted + 1] = { column(self, name), value } end
  for i = 1, #self do
    local all = true
    for _, pair in ipairs(wanted) do all = all and pair[1][i] == pair[2] end
    if all then keep[#keep + 1] = i end
  end
  return self:rows(keep)
end

local function before(a, b)
  if a == nil or b == nil then return b == nil and a ~= nil end
  if type(a) == "boolean" then return not a and b end
  if is_nan(a) or is_nan(b) then return is_nan(b) and not is_nan(a) end
  return a < b
end

--- Sorted by a column, or by several: t:sort "vx", t:sort("mu", "-vx"); "-" turns the order round.
function methods:sort(...)
  local keys = {}
  for i, word in ipairs { ... } do
    if type(word) ~= "string" then fail("sort takes names of columns, got %s", host.got(word)) end
    local down = word:sub(1, 1) == "-"
    local name = down and word:sub(2) or word
    keys[i] = { column(self, name), down }
    if select(2, self:kind(name)) > 1 then fail("sort: column '%s' holds vectors", name) end
  end
  local order = {}
  for i = 1, #self do order[i] = i end
  table.sort(order, function(i, j)
    for _, key in ipairs(keys) do
      local a, b = key[1][i], key[1][j]
      if key[2] then a, b = b, a end
      if before(a, b) then return true end
      if before(b, a) then return false end
    end
    return i < j
  end)
  return self:rows(order)
end

--- Groups of rows with the same value in a column: a list of {value, table} in the order of appearance.
function methods:group(name)
  local values, groups, at = column(self, name), {}, {}
  for i = 1, #self do
    local value = values[i]
    local key = value ~= value and "nan" or value == nil and "nil" or value
    if not at[key] then
      groups[#groups + 1] = { value, {} }
      at[key] = groups[#groups]
    end
    table.insert(at[key][2], i)
  end
  for _, group in ipairs(groups) do group[2] = self:rows(group[2]) end
  return groups
end

--- Joins two tables on a column with the same values: the rows of both, side by side.
function methods:join(other, name)
  local mine, theirs, at = column(self, name), column(other, name), {}
  for i = 1, #other do
    if at[theirs[i]] then fail("'%s' is %s in two rows of the second table", name, tostring(theirs[i])) end
    at[theirs[i]] = i
  end
  local left, right = {}, {}
  for i = 1, #self do
    if at[mine[i]] then left[#left + 1] = i; right[#right + 1] = at[mine[i]] end
  end
  local t, more = self:rows(left), other:rows(right)
  for _, column_name in ipairs(other:names()) do
    if column_name ~= name then t:add(column_name, more:unit(column_name), more:column(column_name)) end
  end
  return t
end

--- The row with the largest (smallest) value of a column, and its number.
function methods:argmax(name)
  local x, best = numbers(self, name), nil
  for i = 1, #self do if not is_nan(x[i]) and (not best or x[i] > x[best]) then best = i end end
  if best then return self[best], best end
end

function methods:argmin(name)
  local x, best = numbers(self, name), nil
  for i = 1, #self do if not is_nan(x[i]) and (not best or x[i] < x[best]) then best = i end end
  if best then return self[best], best end
end

-- ---- numbers -------------------------------------------------------------------------------------------

local function quantile(sorted, p)
  if #sorted == 0 then return 0 / 0 end
  local at = 1 + p * (#sorted - 1)
  local low = math.floor(at)
  local x = sorted[low]
  return low == #sorted and x or x + (at - low) * (sorted[low + 1] - x)
end

local function sorted_numbers(x)
  local list = {}
  for i = 1, #x do if not is_nan(x[i]) then list[#list + 1] = x[i] end end
  table.sort(list)
  return list
end

--- Quantiles of a column: t:quantile("vx", 0.5) is its median.
function methods:quantile(name, p)
  if not (type(p) == "number" and p >= 0 and p <= 1) then
    fail("quantile needs a share between 0 and 1, got %s", host.got(p))
  end
  return quantile(sorted_numbers(numbers(self, name)), p)
end

--- Min, quartiles, median, mean, max and standard deviation of every column of numbers, as a table.
function methods:summary()
  local rows = { column = {}, n = {}, min = {}, q25 = {}, median = {}, mean = {}, q75 = {}, max = {}, std = {} }
  for _, name in ipairs(self:names()) do
    local kind, width = self:kind(name)
    if width == 1 and (kind == "number" or kind == "integer") then
      local x = sorted_numbers(self:column(name))
      local sum, square = 0, 0
      for _, v in ipairs(x) do sum = sum + v end
      local mean = sum / #x
      for _, v in ipairs(x) do square = square + (v - mean) ^ 2 end
      local put = function(key, value) table.insert(rows[key], value) end
      put("column", name); put("n", #x); put("mean", mean)
      put("min", x[1] or 0 / 0); put("max", x[#x] or 0 / 0); put("std", math.sqrt(square / (#x - 1)))
      put("q25", quantile(x, 0.25)); put("median", quantile(x, 0.5)); put("q75", quantile(x, 0.75))
    end
  end
  local t = records.new_table()
  for _, key in ipairs { "column", "n", "min", "q25", "median", "mean", "q75", "max", "std" } do
    t:add(key, "", rows[key])
  end
  return t
end

-- x sorted upwards with its y
local function curve(t, x_name, y_name)
  local x, y, list = numbers(t, x_name), numbers(t, y_name), {}
  for i = 1, #t do
    if not is_nan(x[i]) and not is_nan(y[i]) then list[#list + 1] = { x[i], y[i] } end
  end
  table.sort(list, function(a, b) return a[1] < b[1] end)
  if #list < 2 then fail("interpolation needs two rows with numbers in '%s' and '%s'", x_name, y_name) end
  return list
end

--- y at x by straight lines between the rows: t:interpolate("vx", 1.5, "Vx"). Outside: an error.
function methods:interpolate(x_name, x, y_name)
  if type(x) ~= "number" or type(y_name) ~= "string" then fail("interpolate takes (name, value, name), got %s and %s", host.got(x), host.got(y_name)) end
  local list = curve(self, x_name, y_name)
  if not (x >= list[1][1] and x <= list[#list][1]) then
    fail("%s = %s is outside %.10g .. %.10g", x_name, host.got(x), list[1][1], list[#list][1])
  end
  local low, high = 1, #list
  while high - low > 1 do
    local middle = (low + high) // 2
    if list[middle][1] <= x then low = middle else high = middle end
  end
  local a, b = list[low], list[high]
  if b[1] == a[1] then return a[2] end
  return a[2] + (x - a[1]) / (b[1] - a[1]) * (b[2] - a[2])
end

--- Difference of a column from row to row, as a vector one shorter; with a second name, the slope.
function methods:differences(y_name, x_name)
  local y, d = numbers(self, y_name), {}
  local x = x_name and numbers(self, x_name)
  for i = 1, #self - 1 do
    d[i] = (y[i + 1] - y[i]) / (x and x[i + 1] - x[i] or 1)
  end
  return core.matrix(d)
end

-- ---- print ---------------------------------------------------------------------------------------------

local function width_of(s) return utf8.len(s) or #s end

-- at most 40 letters, none of them cut in two
local function short(s)
  if width_of(s) <= 40 then return s end
  return s:sub(1, (utf8.len(s) and utf8.offset(s, 38) or 38) - 1) .. "..."
end

local function cell(v)
  if v == nil then return "" end
  if v ~= v then return "nan" end -- C writes its sign
  if math.type(v) == "float" then return ("%.6g"):format(v) end
  if type(v) == "string" then return (short(v):gsub("%c", " ")) end
  return tostring(v)
end

local function pad(s, width, left)
  local space = (" "):rep(width - width_of(s))
  return left and s .. space or space .. s
end

local function head_and_tail(n)
  local list = {}
  for i = 1, n do
    if n <= 20 or i <= 8 or i > n - 8 then list[#list + 1] = i
    elseif i == 9 then list[#list + 1] = "..." end
  end
  return list
end

-- lines of a table with its columns lined up; units in a row of their own
local function show(t)
  local names, shown = t:names(), head_and_tail(#t)
  local lines, units = {}, false
  for _ = 1, #shown + 2 do lines[#lines + 1] = {} end
  for k, name in ipairs(names) do
    local cells, unit = { (name:gsub("%c", "?")) }, t:unit(name):gsub("%c", "?")
    units = units or (unit ~= "" and unit ~= "1")
    cells[2] = unit ~= "" and unit ~= "1" and ("[%s]"):format(unit) or ""
    for i, row in ipairs(shown) do
      cells[i + 2] = row == "..." and "..." or cell(t[row][name])
    end
    local width, left = 0, t:kind(name) == "string"
    for _, text in ipairs(cells) do width = math.max(width, width_of(text)) end
    for i, text in ipairs(cells) do lines[i][k] = pad(text, width, left) end
  end
  local out = {}
  for i, line in ipairs(lines) do
    if i ~= 2 or units then out[#out + 1] = table.concat(line, "  "):gsub("%s+$", "") end
  end
  if #shown < #t then out[#out + 1] = ("(%d rows)"):format(#t) end
  return table.concat(out, "\n")
end

records.table_metatable.__tostring = show

function records.table_metatable.__newindex(_, name)
  fail("columns are added by t:add(%q, unit, values), and none is changed", tostring(name))
end

--- table:plot{x =, y =, by =, ...} -> figure
--- A figure of columns: t:plot{ x = "vx", y = {"Vx", "wy"}, by = "mu" }, kind = "points", "heat" ...
function methods:plot(o)
  require "knock.options".colon(type(self) == "userdata", "plot", "a table")
  return require "knock.draw.table"(self, o)
end

--- k.table{name = values, ...} -> table
--- A table of columns; {"name", values, unit = "m"} entries keep their order.
---
---     print(k.table{ x = {1, 2, 3} }.x) --> {1, 2, 3}

-- ---- the module ---------------------------------------------------------------------------------------

local function add(t, name, unit, values)
  if type(name) ~= "string" then fail("the name of a column must be a string, got %s", host.got(name)) end
  if type(values) ~= "table" and getmetatable(values) ~= "matrix" then fail("column '%s' must be a list of values, got %s", name, host.got(values)) end
  t:add(name, unit, values)
end

local function build(spec)
  if type(spec) ~= "table" then fail("needs a table of columns, got %s", host.got(spec)) end
  local t, names = records.new_table(), {}
  for _, entry in ipairs(spec) do
    if type(entry) ~= "table" or not entry[1] then fail 'columns in order are {"name", values, unit = "m"}' end
    require "knock.options".only("table: column", entry, { 1, 2, "unit" })
    add(t, entry[1], entry.unit or "", entry[2])
  end
  for key in pairs(spec) do if type(key) == "string" then names[#names + 1] = key end end
  table.sort(names)
  for _, name in ipairs(names) do add(t, name, "", spec[name]) end
  return t
end

return setmetatable(module, { __call = function(_, spec) return build(spec) end })
