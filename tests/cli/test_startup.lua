-- labels: slow bench
-- knock -e '' starts with at most the instructions of lua5.4 -e '' (callgrind: other programs do not change the count); times
-- are printed, for people.

local shell = dofile(test_dir .. "/shell.lua")

local function instructions(command)
  local result = shell.knock("valgrind --tool=callgrind --callgrind-out-file=/dev/null " .. command)
  equal(result.code, 0)
  return tonumber((assert(result.err:match "Collected : (%d+)", result.err)))
end

local function seconds(command)
  return shell.knock(("for i in $(seq 200); do %s; done"):format(command)).seconds
end

test("the start takes no more instructions than stock lua's", function()
  local commands = { { "lua5.4", "lua5.4 -e ''" }, { "knock", [["$K" -e '']] }, { "knock with its module", [["$K" -l knock -e '']] } }
  local counts = {}
  for i, row in ipairs(commands) do
    counts[i] = instructions(row[2])
    print(("%-21s %9d instructions, 200 starts %.3f s"):format(row[1], counts[i], seconds(row[2])))
  end
  equal(counts[2] <= counts[1], true)
  equal(counts[3] <= 3 * counts[1], true)
end)

shell.finish()
