-- Sweeps that are killed, interrupted and split, and samples that run wild, on the command line.

local shell, fixed, whole_file, script = dofile(test_dir .. "/sweep_help.lua")

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
