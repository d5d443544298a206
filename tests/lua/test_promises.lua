-- help "promises": every line names a test, and every named test is there.

local promises = require "knock.promises"
local help = require "knock.help"

local function read(path)
  local f = io.open(path)
  local text = f and f:read "a"
  if f then f:close() end
  return text
end

test("every promise names a test that exists", function()
  local n = 0
  for _, section in ipairs(promises) do
    for i = 2, #section do
      local kind, case, name = section[i][2]:match "^(%a+)%.([%w_]+): (.+)$"
      assert(kind, section[i][2])
      local path = kind == "unit" and ("%s/../test_%s.c"):format(test_dir, case) or ("%s/../%s/test_%s.lua"):format(test_dir, kind, case)
      local text = assert(read(path), path)
      local found = kind == "unit" and text:find(("RUN_TEST(%s)"):format(name), 1, true)
        or kind ~= "unit" and (text:find(('test("%s'):format(name), 1, true) or text:find(('test(("%s'):format(name), 1, true))
      assert(found, section[i][2] .. " is not in " .. path)
      n = n + 1
    end
  end
  assert(n >= 20)
end)

test("the page shows them all", function()
  local file = io.popen(("'%s' help promises"):format(arg[-1]))
  local page = file:read "a"
  file:close()
  for _, section in ipairs(promises) do assert(page:find(section[1], 1, true), section[1]) end
  assert(page:find("What is not promised", 1, true))
  for line in page:gmatch "[^\n]+" do assert(#line <= 80, line) end
end)

test("numbers that the README promises are among them", function()
  local readme = read(test_dir .. "/../../README.md")
  local sentence = assert(readme:match "Closed%-form laws are exact.-\n%s+`knock help promises`")
  local page = help.page "promises"
  for number in sentence:gmatch "1e%-%d+" do assert(page:find(number, 1, true), number) end
end)
