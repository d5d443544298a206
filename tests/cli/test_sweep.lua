-- Sweeps that are killed, interrupted, split and starved, on the command line.

local shell = dofile(test_dir .. "/shell.lua")

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

test("Ctrl-C keeps the table when it comes while watch runs", function()
  shell.write("w.lua", [[
    local k = require "knock"
    local r = k.sweep { a = k.linspace(0, 1, 4000) }:run(function(p)
      local t = os.clock() + 0.005
      while os.clock() < t do end
      return { b = p.a }
    end, { watch = function()
      if arg[1] then print "ready" io.stdout:flush() arg[1] = nil end
      local t = os.clock() + 0.2
      while os.clock() < t do end
    end })
    print(#r > 0, #r == r:info().done, r:info().interrupted)]])
  local result = shell.interrupt('"$K" w.lua x', 1)
  equal(result.code, 130)
  equal(shell.read(shell.folder .. "/said"):match "true.*", "true\ttrue\ttrue\n")
end)

-- the signal comes 0.05 s after watch is through, when it is to be called again at once
test("Ctrl-C keeps the table when it comes just before watch is called", function()
  shell.write("b.lua", [[
    local k = require "knock"
    local pid, calls = io.open "/proc/self/stat":read "n", 0
    local r = k.sweep { a = { 1, 2, 3 } }:run(function(p)
      if p.a == 2 then os.execute "sleep 2" end
      return { b = p.a }
    end, { jobs = 1, watch = function()
      calls = calls + 1
      if calls == 1 then os.execute(("(sleep 0.25; kill -INT %d) >/dev/null 2>&1 & sleep 0.2"):format(pid)) end
    end })
    print(#r, r:info().done, r:info().interrupted)]])
  local result = shell.knock 'env --default-signal=INT "$K" b.lua'
  equal(result.code, 130)
  equal(result.out, "1\t1\ttrue\n")
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

-- ---- the fast lane is a body of the same engine

local lane = [[
local k = require "knock"
local pendulum = k.double_pendulum { q = { -0.9, 0.5 }, u = { -1, -2 } }
print "ready" io.stdout:flush()
local t = k.sweep { u1 = k.linspace(-3, 3, N), mu = k.linspace(0, .7, 200) }:impact(pendulum,
  k.law.stronge { e = 0.5, mu = 0.3 }, { du1 = "rates[1]", "impulse" }, { map = { u1 = "u[1]" }, file = "l.csv", OPTIONS })
print(#t, t:info().done, t:info().interrupted)
]]

local function lane_script(n, options)
  shell.write("l.lua", (lane:gsub("N%)", n .. ")"):gsub("OPTIONS", options or "")))
end

test("impact: shards merge to the same bytes, whatever the workers", function()
  lane_script(150)
  local result = shell.knock(fixed [[
    rm -f l.csv*; "$K" --jobs 1 l.lua && mv l.csv one.csv
    "$K" --jobs 2 l.lua && cmp one.csv l.csv && rm l.csv || exit 9
    for i in 1 2 3; do "$K" --shard $i/3 l.lua; done
    "$K" merge l.csv && cmp l.csv one.csv && ls l.csv*]])
  equal(result.code, 0)
  equal(result.out:match "l.csv: .*", "l.csv: 30000 samples\nl.csv\n")
end)

-- 20,000 impacts of seven balls: long enough to be interrupted, few enough rows to write
test("impact: Ctrl-C keeps what there is, and resuming ends with the same file", function()
  shell.write("c.lua", [[
    local k = require "knock"
    local function begun(done) if done > 0 then print "ready" io.stdout:flush() end end
    local t = k.sweep { e = k.linspace(.3, .9, 20000) }:impact(k.chain { n = 7 }, k.law.compliant {},
      { "impulse[1]" }, { file = "c.csv", watch = begun })
    print(#t, t:info().done, t:info().interrupted)]])
  local whole = shell.knock(fixed [["$K" c.lua && grep -v '^#' c.csv | md5sum; rm c.csv]])
  equal(whole.code, 0)
  local result = shell.interrupt(fixed '"$K" --jobs 2 c.lua' :gsub("export (%S+);", "env %1"), 1)
  equal(result.code, 130)
  local rows, done = shell.read(shell.folder .. "/said"):match "(%d+)%s+(%d+)%s+true"
  equal(rows, done)
  equal(tonumber(done) < 20000, true)
  equal(shell.read(shell.folder .. "/c.csv"), nil)
  local again = shell.knock(fixed [["$K" --resume c.lua && grep -v '^#' c.csv | md5sum; ls c.csv*; rm c.csv]])
  equal(again.out:match "%x+  %-\n", whole.out:match "%x+  %-\n")
  equal(again.out:match "c.csv.*", "c.csv\n")
end)

test("impact: killed and resumed, the file is the same", function()
  lane_script(200)
  local result = shell.knock(fixed [[
    rm -f l.csv*; "$K" l.lua && mv l.csv one.csv
    export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0"
    for i in 1 2 3 4 5 6; do
      "$K" --resume --jobs 2 l.lua >/dev/null 2>&1 & pid=$!
      sleep 0.0$i; kill -9 $pid; wait $pid
    done 2>/dev/null
    "$K" --resume l.lua && cmp l.csv one.csv; code=$?; rm -f l.csv*; exit $code]])
  equal(result.code, 0)
end)

test("impact: keep = false streams to the same file in constant memory", function()
  lane_script(300, "keep = false")
  local result = shell.knock(fixed [[
    rm -f l.csv*; sed 's/, keep = false//' l.lua >k.lua
    "$K" k.lua && grep -v '^#' l.csv >kept.csv
    rm l.csv; "$K" l.lua && grep -v '^#' l.csv | cmp - kept.csv && "$K" --resume l.lua
    code=$?; rm -f l.csv kept.csv; exit $code]])
  equal(result.code, 0)
  equal(select(2, result.out:gsub("\n0\t60000\tfalse", "")), 2)
  local peak = function(n)
    lane_script(n, "keep = false")
    shell.run [[rm -f l.csv*; echo 'for l in io.lines "/proc/self/status" do local kb = l:match "VmHWM:%s+(%d+)" if kb then print(kb, "kB") end end' >>l.lua]]
    return tonumber(shell.knock([["$K" --jobs 2 l.lua; rm -f l.csv*]]).out:match "(%d+)\tkB")
  end
  local small, large = peak(100), peak(700) -- 20,000 and 140,000 samples, 1 and 7 MB of table
  equal(large - small < 2500, true)
end)

test("impact: keep = false streams to HDF5 as well, in constant memory", function()
  if not io.open(shell.program:match "^(.*)/[^/]*$" .. "/knock_hdf5.so") then return end -- reading needs the library
  local result = shell.knock(fixed [[
    cat >h.lua <<'EOT'
    local k = require "knock"
    local n, keep = tonumber(arg[1]), arg[2] == "keep"
    k.sweep { u1 = k.linspace(-3, 3, n), mu = k.linspace(0, 0.7, 100) }:impact(k.double_pendulum { q = { -1.2, 0.7 }, u = { -1, -1 } },
      k.law.newton { e = 1 }, { "impulse" }, { map = { u1 = "u[1]" }, jobs = 1, file = "h.h5", keep = keep or false })
    for l in io.lines "/proc/self/status" do print(l:match "VmHWM:%s+(%d+)") end
EOT
    for keep in keep no; do rm -f h.h5; "$K" h.lua 300 $keep >/dev/null && "$K" -e 'require "knock".read "h.h5":write "h-'$keep'.csv"'; done
    grep -v '^#' h-keep.csv >a; grep -v '^#' h-no.csv | cmp - a && wc -l <a
    for n in 200 1400; do rm -f h.h5; "$K" h.lua $n no; done | grep -v nil; rm -f h.h5]])
  local rows, small, large = result.out:match "^(%d+)%s+(%d+)%s+(%d+)%s*$"
  equal(rows, "30001")
  equal(large - small < 2500, true) -- 120,000 rows more have 6 MB
end)

test("a file that no table can be written to is told before the sweep runs", function()
  local result = shell.knock [["$K" -e 'require "knock".sweep { x = { 1, 2 } }:run(function(p) print "ran" return { y = p.x } end, { file = "x.xlsx", jobs = 1 })'; ls x.*]]
  equal(result.out, "")
  equal(result.err:find("'x.xlsx': a table is written to .csv, .jsonl or .h5, not .xlsx", 1, true) ~= nil, true)
end)

test("impact: misspelt options are errors", function()
  lane_script(10, "fiel = 'x.csv'")
  local result = shell.knock [["$K" l.lua]]
  equal(result.code, 1)
  equal(result.err:find("impact: unknown option 'fiel' (did you mean 'file'?)", 1, true) ~= nil, true)
end)

-- ---- samples that run wild

local function wild(name, body, jobs)
  shell.write(name .. ".lua", ([[
    local k = require "knock"
    local v = {} for i = 1, 100 do v[i] = i end
    local t = k.sweep { i = v }:run(function(p) %s return { y = 2 * p.i } end, { jobs = %d })
    print(#t, t.status[10], t.status[11], t.status[12])]]):format(body, jobs or 2))
  return shell.knock(("timeout 20 \"$K\" %s.lua"):format(name))
end

test("two samples that kill their workers in one chunk are given up, the others are done", function()
  local result = wild("killers", [[if p.i == 10 or p.i == 12 then os.execute "kill -9 $PPID" end]])
  equal(result.out, "100\tlost\tok\tlost\n")
end)

test("os.exit in a sample is a sample that is lost", function()
  equal(wild("exit", [[if p.i == 10 then os.exit(true) end]]).out, "100\tlost\tok\tok\n")
  equal(wild("exit", [[if p.i == 10 then os.exit(true, true) end]], 1).out, "100\tlost\tok\tok\n")
end)

test("an error that cannot be printed stays in its sample", function()
  local result = wild("object", [[if p.i == 10 then
    error(setmetatable({}, { __tostring = function() error "broken" end })) end]])
  equal(result.out, "100\tcallback\tok\tok\n")
end)

test("what a sample leaves running does not hold the sweep", function()
  local result = wild("background", [[if p.i < 3 then os.execute "sleep 5 >/dev/null 2>&1 </dev/null &" end]])
  equal(result.out, "100\tok\tok\tok\n")
  equal(result.seconds < 4, true)
end)

test("figures drawn in samples leave no folders", function()
  shell.write("figures.lua", [[
    local k = require "knock"
    k.sweep { i = { 1, 2, 3, 4 } }:run(function(p)
      k.plot { y = { 1, 2, p.i } }:save("p" .. p.i .. ".svg")
      return { y = 1 }
    end, { jobs = 2 })]])
  local result = shell.knock [[command -v gnuplot >/dev/null || exit 77
    mkdir tmp; TMPDIR=$PWD/tmp "$K" figures.lua && ls tmp | wc -l && ls p?.svg | wc -l]]
  if result.code ~= 77 then equal(result.out, "0\n4\n") end
end)

-- kill -9 from outside, once the worker has its folder
test("a worker that is killed while it draws leaves no folder", function()
  shell.write("killed.lua", [[
    local k = require "knock"
    local t = k.sweep { i = { 1, 2, 3, 4 } }:run(function(p)
      k.plot { y = { 1, 2, p.i } }:save("p" .. p.i .. ".svg")
      if p.i == 2 then os.execute "kill -9 $PPID" end
      return { y = 1 }
    end, { jobs = 1 })
    print(#t, t.status[2])]])
  local result = shell.knock [[command -v gnuplot >/dev/null || exit 77
    rm -rf tmp; mkdir tmp; TMPDIR=$PWD/tmp "$K" killed.lua && ls tmp | wc -l]]
  if result.code ~= 77 then equal(result.out, "4\tlost\n0\n") end
end)

test("result names, units and whole numbers come back from files, and escapes stay out of the terminal", function()
  shell.write("names.lua", [[
    local k = require "knock"
    local t = k.sweep { id = { 9007199254740993, math.maxinteger } }:run(function(p)
      return { ["a,b"] = p.id, ["x\ny"] = 1, ["\27[2J"] = "\27[31m" } end,
      { file = arg[1], units = { ["a,b"] = "m\ns" } })
    local u = k.read(arg[1])
    assert(table.concat(u:names(), "|") == table.concat(t:names(), "|"))
    assert(u[1]["a,b"] == 9007199254740993 and u[2].id == math.maxinteger and u:unit "a,b" == "m\ns")
    print(u)
    print(pcall(u.sort, u, "\27[2J?"))]])
  for _, name in ipairs { "names.csv", "names.jsonl", "names.h5" } do
    local result = shell.knock(([["$K" names.lua %s]]):format(name))
    if not result.err:find "HDF5 is not built in" then
      equal(result.code, 0)
      equal(result.out:find "\27", nil)
    end
  end
end)

test("four axes of 65,536 values are too many, not none", function()
  local result = shell.knock [["$K" -e 'local k = require "knock" local v = k.linspace(0, 1, 65536)
    print(#k.sweep { a = v, b = v, c = v, d = v })']]
  equal(result.code, 1)
  equal(result.err:find("too many samples", 1, true) ~= nil, true)
end)

test("a sweep inside a sample runs in its worker", function()
  local result = wild("nested", [[
    local inner = k.sweep { j = { 1, 2, 3 } }:run(function(q)
      return { pid = io.open "/proc/self/stat":read "n" } end, { jobs = 4 })
    local pid = io.open "/proc/self/stat":read "n"
    for j = 1, 3 do assert(inner.pid[j] == pid, "another process") end]])
  equal(result.out, "100\tok\tok\tok\n")
end)

test("options that make no sense are refused", function()
  shell.write("s.lua", script)
  local result = shell.knock [[rm -f out.csv*; "$K" --shard 4/3 s.lua]]
  equal(result.err:find("--shard must be i/n with 1 <= i <= n, got '4/3'", 1, true) ~= nil, true)
  result = shell.knock [["$K" --jobs many s.lua]]
  equal(result.err:find("--jobs must be a whole number of at least 0, got 'many'", 1, true) ~= nil, true)
end)

shell.finish()
