-- Every Lua block of the README that is followed by a plain block prints exactly that.

local shell = dofile(test_dir .. "/shell.lua")

local readme = shell.read(shell.source .. "/README.md")
local count = 0

for code, gap, output in readme:gmatch "```lua\n(.-)```(.-)```\n(.-)```" do
  if #gap < 200 then
    count = count + 1
    test("example " .. count, function()
      shell.write("example.lua", code)
      local result = shell.knock '"$K" example.lua'
      equal(result.err, "")
      equal(result.out, output)
    end)
  end
end

test("there are examples", function() equal(count > 0, true) end)

test("the scenario that the README names is its example", function()
  equal(readme:find(shell.read(shell.source .. "/scenarios/first.lua"), 1, true) ~= nil, true)
end)

test("help pages, files and figures that the README names are there", function()
  local text = shell.read(shell.source .. "/README.md")
  local pages = 0
  for topic in text:gmatch "knock help ([%w_.]+)" do
    pages = pages + 1
    equal({ topic, shell.knock(('"$K" help %s'):format(topic)).code }, { topic, 0 })
  end
  equal(pages >= 10, true)
  local figures = 0
  for kind, path in text:gmatch "(!?)%[[^%]]*%]%(([^)]+)%)" do
    assert(shell.read(shell.source .. "/" .. path), path)
    if kind == "!" then figures = figures + 1 end
  end
  equal(figures >= 2, true)
end)

test("the README says what knock does not do, and what has changed", function()
  local text = shell.read(shell.source .. "/README.md")
  local limits, changes = text:match "\n## What it does not do\n(.-)\n## ", text:match "\n## Changes\n(.-)\n## "
  assert(limits and select(2, limits:gsub("\n%- ", "")) >= 5)
  assert(changes and changes:find(require "knock.host".version:match "^[%d.]+", 1, true))
  for _, words in ipairs { "passes the tests", "is a Lua", "every law that has been proposed", "nothing is lost" } do
    equal({ words, text:find(words, 1, true) }, { words, nil })
  end
end)

shell.finish()
