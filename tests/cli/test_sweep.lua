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
