-- sweep:impact on the command line: the fast lane is a body of the same engine.

local shell, fixed = dofile(test_dir .. "/sweep_help.lua")

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

shell.finish()
