-- Sweeps that are killed, interrupted, split and starved, on the command line.

local shell = dofile(test_dir .. "/shell.lua")

local script = [[
local k = require "knock"
local list = {}
for i = 1, 400 do list[i] = i / 7 end
local r, info = k.sweep { x = list }:run(function(p)
  local until_ = os.clock() + 0.0005
  while os.clock() < until_ do end
  return { y = math.sin(p.x), z = math.random(), s = ("%x"):format(math.floor(p.x)) }
end, { file = "out.csv", seed = 5, units = { y = "m" } })
print(info.done, info.interrupted)
]]

local function fixed(line) return "export SOURCE_DATE_EPOCH=1700000000; " .. line end

local function whole_file()
  shell.write("s.lua", script)
  local result = shell.knock(fixed [[rm -f out.csv*; "$K" s.lua]])
  equal(result.code, 0)
  return shell.read(shell.folder .. "/out.csv"), result.seconds
end

test("killed a hundred times and resumed, the file is the same", function()
  local expected, seconds = whole_file()
  local limit = seconds < 0.5 and 100 or 20 -- a build with sanitizers, or a busy machine
  -- each round: start, wait a random moment, kill -9 a worker or the parent, resume; no leak check
  -- in them, for that runs in a child of its own, which would be killed as if it were a worker
  local result = shell.knock(fixed([[
    rm -f out.csv*
    kills=0
    export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0"
    while [ $kills -lt LIMIT ]; do
      "$K" --resume s.lua >said 2>&1 &
      pid=$!
      sleep 0.0$(( (kills * 7) % 9 + 1 ))
      worker=$(ps -o pid= --ppid $pid | head -n 1)
      if [ $((kills % 3)) = 0 ] && [ -n "$worker" ]; then kill -9 $worker; else kill -9 $pid; fi
      wait $pid
      kills=$((kills + 1))
      [ $((kills % 10)) = 0 ] && [ -f out.csv ] && rm -f out.csv*
    done 2>/dev/null
    "$K" --resume s.lua
    cmp out.csv - && ls out.csv*]]):gsub("LIMIT", limit), expected)
  equal(result.code, 0)
  equal(result.out:match "out.csv.*", "out.csv\n")
end)

test("shards merge to the same bytes", function()
  local expected = whole_file()
  local result = shell.knock(fixed [[
    rm -f out.csv*
    for i in 1 2 3; do "$K" --shard $i/3 --jobs 1 s.lua; done
    "$K" merge out.csv && cmp out.csv - && ls out.csv*]], expected)
  equal(result.code, 0)
  equal(result.out:match "(out.csv: .*)", "out.csv: 400 samples\nout.csv\n")
end)

test("shards through GNU parallel, as in the docs", function()
  local expected = whole_file()
  local result = shell.knock(fixed [[
    command -v parallel >/dev/null || exit 77
    rm -f out.csv*
    parallel -q --will-cite "$K" --jobs 1 --shard {}/4 s.lua ::: 1 2 3 4 >/dev/null
    "$K" merge out.csv && cmp out.csv -]], expected)
  equal(result.code == 0 or result.code == 77, true)
end)

test("a missing shard is named", function()
  whole_file()
  local result = shell.knock [[rm -f out.csv*; "$K" --shard 1/3 s.lua >/dev/null; "$K" merge out.csv]]
  equal(result.code, 1)
  equal(result.err:find("the journal 'out.csv.2-of-3.journal' is missing", 1, true) ~= nil, true)
end)

test("Ctrl-C keeps what is done, and resuming ends with the same file", function()
  local expected = whole_file()
  shell.write("slow.lua", (script:gsub("0.0005", "0.01"):gsub('local k =', 'print "ready" io.stdout:flush() local k =')))
  shell.write("s.lua", (script:gsub("0.0005", "0.01"):gsub('local k =', 'print "ready" io.stdout:flush() local k =')))
  shell.knock "rm -f out.csv*"
  local result = shell.interrupt(fixed '"$K" s.lua' :gsub("export (%S+);", "env %1"), 1)
  equal(result.code, 130)
  local said = shell.read(shell.folder .. "/said")
  local done = tonumber(said:match "(%d+)%s+true")
  equal(done ~= nil and done < 400, true)
  equal(result.err:find("interrupted after " .. done .. " of 400", 1, true) ~= nil, true)
  equal(shell.knock(fixed '"$K" --resume s.lua').code, 0)
  local body = function(text) return (text:gsub("#[^\n]*\n", "")) end
  equal(body(shell.read(shell.folder .. "/out.csv")), body(expected))
end)

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

test("options that make no sense are refused", function()
  shell.write("s.lua", script)
  local result = shell.knock [[rm -f out.csv*; "$K" --shard 4/3 s.lua]]
  equal(result.err:find("--shard must be i/n with 1 <= i <= n, got '4/3'", 1, true) ~= nil, true)
  result = shell.knock [["$K" --jobs many s.lua]]
  equal(result.err:find("--jobs must be a whole number of at least 0, got 'many'", 1, true) ~= nil, true)
end)

shell.finish()
