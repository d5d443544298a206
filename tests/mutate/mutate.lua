-- Do the tests notice faults? Plants those of faults.lua one at a time in a copy of the sources, builds what the tests
-- named there need, runs them, and says which faults nobody noticed.
--
--   knock tests/mutate/mutate.lua [folder [names...]]    the copy and its build are kept in the folder, for the next time
--
-- It takes about twenty minutes of two cores: ./knock test --long runs it. Ends with 1 when a fault was not noticed, or when
-- its place is no longer there: then the list is out of date.

local here = arg[0]:match "^(.*)/[^/]*$" or "."
local faults = dofile(here .. "/faults.lua")

local function sh(format, ...)
  local words = { ... }
  for i, word in ipairs(words) do words[i] = "'" .. tostring(word):gsub("'", "'\\''") .. "'" end
  local ok, _, code = os.execute(format:format(table.unpack(words)))
  return ok, code
end

local function first_line(command)
  local pipe = io.popen(command)
  local line = pipe:read "l"
  pipe:close()
  return line
end

local function read(path)
  local f = assert(io.open(path, "rb"))
  local text = f:read "a"
  f:close()
  return text
end

local function write(path, text)
  local f = assert(io.open(path, "wb"))
  f:write(text)
  f:close()
end

-- ---- the copy ----------------------------------------------------------------------------------------------------

local source = first_line(("cd '%s/../..' && pwd"):format(here))
local folder = arg[1] or first_line "mktemp -d"
local copy, log = folder .. "/source", folder .. "/log"

local function prepare()
  assert(sh("mkdir -p %s && cd %s && tar cf - --exclude=./build --exclude='./build-*' --exclude=./.git . | tar xmf - -C %s", copy, source, copy))
  if io.open(copy .. "/build/build.ninja") then return end
  assert(sh("cd %s && cmake --preset release -B build -DKNOCK_TESTS=ON >%s 2>&1", copy, log), "cmake failed, see " .. log)
end

-- targets of ninja for a list of tests
local function targets(tests)
  local list = {}
  if tests:find "lua%." or tests:find "cli%." then list[1] = "knock" end
  for name in tests:gmatch "unit%.([%w_]+)" do list[#list + 1] = "test_" .. name end
  if tests:find "cli%." then list[#list + 1] = "pty" end
  return table.concat(list, " ")
end

local function build(tests) return sh("cd %s/build && ninja -j2 " .. targets(tests) .. " >%s 2>&1", copy, log) end

-- the first test that fails; each has half an hour
local function noticed_by(tests)
  for kind, name in tests:gmatch "(%w+)%.([%w_]+)" do
    local ok
    if kind == "unit" then
      ok = sh("cd %s/build/tests && timeout 1800 ./test_" .. name .. " >%s 2>&1", copy, log)
    else
      ok = sh("cd %s/build && timeout 1800 %s/build/knock ../tests/lua/runner.lua ../tests/" .. kind .. "/test_" .. name .. ".lua >%s 2>&1", copy, copy, log)
    end
    if not ok then return kind .. "." .. name end
  end
end

-- ---- one fault ---------------------------------------------------------------------------------------------------

-- "noticed by unit.x", or nil and why it counts as a failure
local function try(fault)
  local _, file, from, to, tests = table.unpack(fault)
  local path = copy .. "/" .. file
  local ok, text = pcall(read, path)
  if not ok then return nil, "OUT OF DATE: there is no " .. file end
  local at, last = text:find(from, 1, true)
  if not at or text:find(from, last + 1, true) then return nil, "OUT OF DATE: its line is not there once in " .. file end
  write(path, text:sub(1, at - 1) .. to .. text:sub(last + 1))
  local built = build(tests)
  local by = built and noticed_by(tests)
  write(path, text)
  if not built then return nil, "OUT OF DATE: it does not compile, see " .. log end
  return by and "noticed by " .. by, "NOT NOTICED by " .. tests
end

local function wanted(name)
  for i = 2, #arg do if name:find(arg[i], 1, true) then return true end end
  return #arg < 2
end

prepare()
local all = {}
for _, fault in ipairs(faults) do if wanted(fault[1]) then all[#all + 1] = fault[5] end end
assert(build(table.concat(all, " ")), "the tree does not build, see " .. log)
local seen = {}
for test in table.concat(all, " "):gmatch "%S+" do -- without a fault nothing fails
  if not seen[test] and noticed_by(test) then
    io.stderr:write(("mutate: %s fails without any fault, see %s\n"):format(test, log))
    os.exit(1, true)
  end
  seen[test] = true
end

local unnoticed, n = 0, 0
for _, fault in ipairs(faults) do
  if wanted(fault[1]) then
    local good, bad = try(fault)
    n = n + 1
    if not good then unnoticed = unnoticed + 1 end
    print(("%-55s %s"):format(fault[1], good or bad))
    io.stdout:flush()
  end
end
print(("%d faults, %d not noticed"):format(n, unnoticed))
if not arg[1] then sh("rm -rf %s", folder) end
os.exit(unnoticed == 0 and 0 or 1, true)
