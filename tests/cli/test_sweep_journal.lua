-- Journals of sweeps: what may go on in them, who holds them, and full disks.

local shell, fixed, whole_file, script = dofile(test_dir .. "/sweep_help.lua")

test("another script's journal is refused with the reason", function()
  whole_file()
  shell.knock [[rm -f out.csv*; "$K" --shard 1/2 s.lua; mv out.csv.1-of-2.journal out.csv.journal]]
  local result = shell.knock [["$K" s.lua]]
  equal(result.err:find("holds an unfinished sweep: resume = true", 1, true) ~= nil, true)
  result = shell.knock [["$K" --resume s.lua]]
  equal(result.err:find("it is another shard", 1, true) ~= nil, true)
  shell.knock [[rm -f out.csv*; "$K" --shard 1/2 s.lua; echo "-- changed" >>s.lua]]
  result = shell.knock [["$K" --resume --shard 1/2 s.lua]]
  equal(result.err:find("the script has changed", 1, true) ~= nil, true)
  equal(result.code, 1)
end)

-- the first samples are kept by the journal, the rest would be of another sweep
local other = [[
local k = require "knock"
local f = SCALE or require "mod"
local v = {} for i = 1, 8 do v[i] = i end
local t = k.sweep { i = v }:run(function(p)
  if os.getenv "DIE" and p.i > 3 then os.exit(9, false) end
  return { y = f * p.i * (tonumber(arg[1]) or 1) }
end, { jobs = 1, file = "o.csv" })
print(t.y)
]]

local function refuses(first, second, why)
  shell.write("o.lua", other)
  shell.write("mod.lua", "return 1")
  local result = shell.knock(([[
    rm -f o.csv*; DIE=1 %s >/dev/null 2>&1; ls o.csv.journal || exit 9
    %s]]):format(first, second))
  equal(result.code, 1)
  equal(result.err:find(why, 1, true) ~= nil, true)
end

test("--resume refuses other arguments, other -e code and a changed module", function()
  refuses([["$K" --lax o.lua 1]], [["$K" --lax --resume o.lua 100]], "the arguments, the options or the -e code have changed")
  refuses([["$K" -e 'SCALE = 1' o.lua]], [["$K" --resume -e 'SCALE = 100' o.lua]], "the arguments, the options or the -e code have changed")
  refuses([["$K" --lax o.lua]], [[echo 'return 100' >mod.lua; "$K" --lax --resume o.lua]], "a module that the script loads has changed")
  local result = shell.knock [[rm -f o.csv*; echo 'return 1' >mod.lua
    DIE=1 "$K" --lax o.lua 2 >/dev/null 2>&1; "$K" --jobs 1 --lax --resume o.lua 2]]
  equal(result.out, "{2, 4, 6, 8, 10, 12, 14, 16}\n")
end)

-- code by dofile and loadfile, data by k.read: what they hold is part of the sweep
test("--resume refuses changed files that the script runs or reads", function()
  shell.write("f.lua", [[
    local k = require "knock"
    local f = arg[1] == "data" and k.read "f.csv".f[1] or arg[1] == "run" and dofile "mod.lua" or loadfile "mod.lua"()
    local t = k.sweep { i = { 1, 2, 3, 4 } }:run(function(p)
      if os.getenv "DIE" and p.i > 2 then os.exit(9, false) end
      return { y = f * p.i }
    end, { jobs = 1, file = "o.csv" })
    print(t.y)]])
  for _, how in ipairs { "run", "load", "data" } do
    local result = shell.knock(([[
      rm -f o.csv*; echo 'return 1' >mod.lua; printf 'f\n1\n' >f.csv
      DIE=1 "$K" f.lua %s >/dev/null 2>&1; cp o.csv.journal kept
      "$K" --resume f.lua %s; mv kept o.csv.journal; rm o.csv
      echo 'return 100' >mod.lua; printf 'f\n100\n' >f.csv; "$K" --resume f.lua %s]]):format(how, how, how))
    equal(result.out, "{1, 2, 3, 4}\n")
    equal(result.code, 1)
    equal(result.err:find("a file that the script runs (dofile, loadfile) or reads (k.read) has changed", 1, true) ~= nil, true)
  end
end)

test("a finished file is not given back for other axes", function()
  shell.write("d.lua", [[
    local k = require "knock"
    print(k.sweep{ v = k.linspace(1, tonumber(arg[1]), 3) }:run(function(p) return { y = p.v } end,
      { file = "d.csv", resume = true }).y)]])
  local result = shell.knock [["$K" d.lua 3; "$K" d.lua 30; "$K" d.lua 30]]
  equal(result.out, "{1, 2, 3}\n{1, 15.5, 30}\n{1, 15.5, 30}\n")
  equal(select(2, result.err:gsub("the result of another sweep: the axes or their values have changed", "")), 1)
end)

test("merge refuses shards of different seeds", function()
  shell.write("m.lua", [[
    require "knock".sweep { i = { 1, 2, 3, 4 } }:run(function() return { y = math.random() } end, { file = "m.csv" })]])
  local result = shell.knock [["$K" --shard 1/2 --seed 1 m.lua; "$K" --shard 2/2 --seed 2 m.lua; "$K" merge m.csv]]
  equal(result.code, 1)
  equal(result.err:find("the journal of another sweep than 'm.csv.1-of-2.journal': the seed has changed (seed: 1, now 2)", 1, true) ~= nil, true)
  equal(shell.read(shell.folder .. "/m.csv"), nil)
end)

test("a second process is told at once who holds the journal", function()
  shell.write("h.lua", [[
    require "knock".sweep { i = { 1, 2 } }:run(function() os.execute "sleep 3" return { y = 1 } end,
      { file = "h.csv", jobs = 1 })]])
  local result = shell.knock [[
    "$K" h.lua & pid=$!
    n=0; until [ -f h.csv.journal ] || [ $n = 200 ]; do sleep 0.02; n=$((n + 1)); done
    from=$(date +%s%N)
    "$K" --resume h.lua; echo $? $(( ($(date +%s%N) - from) / 1000000 ))
    "$K" h.lua; echo "is in use by process $pid"
    kill -9 $pid; wait $pid; echo "$?"]]
  local code, ms, holder = result.out:match "^(%d+) (%d+)\n(is in use by process %d+)\n137"
  equal(code, "1")
  equal(tonumber(ms) < 1500, true)
  equal(select(2, result.err:gsub(holder .. " %(", "")), 2)
end)

test("a full disk is said, and nothing is lost", function()
  shell.write("s.lua", script)
  local result = shell.knock(fixed [[
    mkdir -p tiny; mount -t tmpfs -o size=16k tmpfs tiny 2>/dev/null || exit 77
    sed -i 's#"out.csv"#"tiny/out.csv"#' s.lua
    "$K" s.lua; code=$?
    mount -o remount,size=1m tiny
    "$K" --resume s.lua || code=98
    cp tiny/out.csv full.csv; umount tiny; exit $code]])
  if result.code == 77 then return end
  equal(result.code, 1)
  equal(result.err:find("No space left on device", 1, true) ~= nil, true)
  equal(select(2, shell.read(shell.folder .. "/full.csv"):gsub("\n[^#]", "")), 401)
end)

shell.finish()
