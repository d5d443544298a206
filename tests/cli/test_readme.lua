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

shell.finish()
