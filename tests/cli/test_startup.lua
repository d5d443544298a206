-- labels: slow bench
-- knock -e '' starts within twice the time of lua5.4 -e ''.

local shell = dofile(test_dir .. "/shell.lua")

-- the best of three loops, each of 200 starts, taken in turns
local function best(commands)
  local times = {}
  for _ = 1, 3 do
    for i, command in ipairs(commands) do
      local result = shell.knock(("for i in $(seq 200); do %s; done"):format(command))
      equal(result.code, 0)
      times[i] = math.min(times[i] or math.huge, result.seconds)
    end
  end
  return table.unpack(times)
end

test("the start takes at most twice as long as stock lua's", function()
  local stock, ours, module = best { "lua5.4 -e ''", [["$K" -e '']], [["$K" -l knock -e '']] }
  print(("200 starts: lua5.4 %.3f s, knock %.3f s, knock with its module %.3f s"):format(stock, ours, module))
  equal(ours <= 2 * stock, true)
end)

shell.finish()
