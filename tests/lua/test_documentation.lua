-- Everything documented has a text, and every example runs and prints what it says.
local k = require "knock"

local catalog = k.catalog()

-- runs an example with k in reach; returns what it printed
local function run(example)
  local lines = {}
  local environment = setmetatable({ k = k, print = function(...)
    local words = table.pack(...)
    for i = 1, words.n do words[i] = tostring(words[i]) end
    lines[#lines + 1] = table.concat(words, "\t")
  end }, { __index = _G })
  assert(load(example, "=example", "t", environment))()
  return table.concat(lines, "\n")
end

-- the lines that an example promises: what follows "-->"
local function promised(example)
  local lines = {}
  for text in example:gmatch "%-%-> ?([^\n]*)" do lines[#lines + 1] = text end
  return #lines > 0 and table.concat(lines, "\n") or nil
end

local function check_example(name, example)
  local ok, printed = pcall(run, example)
  if not ok then error(name .. ": " .. tostring(printed), 0) end
  local want = promised(example)
  if want and printed ~= want then
    error(("%s: prints %q, promises %q"):format(name, printed, want), 0)
  end
end

test("every function has usage and documentation, and its example runs", function()
  for owner, functions in pairs(catalog.functions) do
    for name, f in pairs(functions) do
      local full = owner .. "." .. name
      if not f.usage or #f.usage < 3 then error(full .. " has no usage") end
      if not f.doc or #f.doc < 10 then error(full .. " has no documentation") end
      if f.example then check_example(full, f.example) end
    end
  end
end)

test("every model and law has a text, documented parameters, and an example that runs", function()
  for kind, list in pairs { model = catalog.models, law = catalog.laws } do
    for _, entry in ipairs(list) do
      if #entry.doc < 20 then error(entry.name .. " has no documentation") end
      for _, p in ipairs(entry.params) do
        if #p.doc < 4 then error(entry.name .. "." .. p.key .. " has no documentation") end
        if p.unit == "" and p.kind ~= "object" then error(entry.name .. "." .. p.key .. " has no unit") end
      end
      local ok, made = pcall(load("local k = ... return " .. entry.example, "=example", "t"), k)
      if not ok then error(entry.name .. ": " .. tostring(made), 0) end
      equal(made.name, entry.name)
      equal(getmetatable(made), kind)
      if #tostring(made) < 20 then error(entry.name .. " prints nothing") end
    end
  end
end)

test("examples in the comments of knock's Lua run", function()
  local home = require "knock.host".home
  local count = 0
  for _, name in ipairs { "problem", "solve", "compare" } do
    local block = {}
    for line in io.lines(home .. "/lua/knock/" .. name .. ".lua") do
      local code = line:match "^%-%-%-     (.*)"
      if code then
        block[#block + 1] = code
      elseif #block > 0 then
        check_example(name, table.concat(block, "\n"))
        block, count = {}, count + 1
      end
    end
  end
  if count < 4 then error("found only " .. count .. " examples") end
end)
