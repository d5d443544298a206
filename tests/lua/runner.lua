-- Runs Lua tests by knock itself: knock tests/lua/runner.lua <file>... [-- <part of a name>]
--
--   test("name", function() ... end)      one test; any error fails it
--   equal(a, b)                           same value; tables are compared deeply
--   near(a, b, tol)                       numbers, or equally long lists of them, to |a - b| <= tol
--   raises(f, "message"[, more...])       f() must fail and each text must be in its message

local files, only = {}, nil
for i, word in ipairs(arg) do
  if word == "--" then only = arg[i + 1] break end
  files[#files + 1] = word
end

local passed, failed = 0, 0

local function show(x)
  if type(x) ~= "table" then return type(x) == "string" and ("%q"):format(x) or tostring(x) end
  local parts = {}
  for key, value in pairs(x) do parts[#parts + 1] = tostring(key) .. " = " .. show(value) end
  table.sort(parts)
  return "{" .. table.concat(parts, ", ") .. "}"
end

local function same(a, b)
  if a == b or type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for key, value in pairs(a) do if not same(value, b[key]) then return false end end
  for key in pairs(b) do if a[key] == nil then return false end end
  return true
end

function equal(a, b)
  if not same(a, b) then error(("got %s, expected %s"):format(show(a), show(b)), 2) end
end

local function apart(a, b, tol, where)
  if type(a) == "number" and type(b) == "number" then
    if a == b or math.abs(a - b) <= tol then return end
    return ("got %.17g, expected %.17g%s: off by %.3g, allowed %.3g"):format(a, b, where, a - b, tol)
  end
  if type(a) == "number" or type(b) == "number" or #a ~= #b then
    return ("got %s, expected %s%s"):format(show(a), show(b), where)
  end
  for i = 1, #a do
    local problem = apart(a[i], b[i], tol, where .. "[" .. i .. "]")
    if problem then return problem end
  end
end

function near(a, b, tol)
  local problem = apart(a, b, tol or 1e-12, "")
  if problem then error(problem, 2) end
end

function raises(f, ...)
  local ok, message = pcall(f)
  if ok then error("no error was raised", 2) end
  message = tostring(message)
  for _, text in ipairs { ... } do
    if not message:find(text, 1, true) then
      error(("the error %q does not say %q"):format(message, text), 2)
    end
  end
end

function test(name, body)
  if only and not name:find(only, 1, true) then return end
  local ok, trace = xpcall(body, function(e) return debug.traceback(tostring(e), 2) end)
  if ok then
    passed = passed + 1
  else
    failed = failed + 1
    trace = trace:gsub("\n%s+%[C%]: in function 'error'\n[^\n]+", ""):gsub("\n%s+%[C%]: in function 'xpcall'.*", "")
    print("FAIL " .. name .. "\n  " .. trace:gsub("\n", "\n  "))
  end
end

for _, file in ipairs(files) do
  _G.test_dir = file:match("^(.*)/[^/]*$") or "."
  dofile(file)
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0 and passed > 0)
