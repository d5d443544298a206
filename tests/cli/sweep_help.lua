-- Sweeps on the command line: local shell, fixed, whole_file, script = dofile(test_dir .. "/sweep_help.lua")

local shell = dofile(test_dir .. "/shell.lua")

-- 400 samples of half a millisecond each
local script = [[
local k = require "knock"
local list = {}
for i = 1, 400 do list[i] = i / 7 end
local r = k.sweep { x = list }:run(function(p)
  local until_ = os.clock() + 0.0005
  while os.clock() < until_ do end
  return { y = math.sin(p.x), z = math.random(), s = ("%x"):format(math.floor(p.x)) }
end, { file = "out.csv", seed = 5, units = { y = "m" } })
print(r:info().done, r:info().interrupted)
]]

local function fixed(line) return "export SOURCE_DATE_EPOCH=1700000000; " .. line end

local function whole_file()
  shell.write("s.lua", script)
  local result = shell.knock(fixed [[rm -f out.csv*; "$K" s.lua]])
  equal(result.code, 0)
  return shell.read(shell.folder .. "/out.csv"), result.seconds
end

return shell, fixed, whole_file, script
