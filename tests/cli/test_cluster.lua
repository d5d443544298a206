-- labels: slow
-- Sweeps that many workers share: --join, knock watch, knock submit; killed, ended, starved.

local shell = dofile(test_dir .. "/shell.lua")
local tools = shell.program:gsub("[^/]*$", "") .. "tests/"

local script = [[
local k = require "knock"
local list = {}
for i = 1, COUNT do list[i] = i / 7 end
local r = k.sweep { x = list }:run(function(p)
  local until_ = os.clock() + COST
  while os.clock() < until_ do end
  if p.x == 100 / 7 then error("no", 0) end
  return { y = math.sin(p.x), z = math.random(), s = ("%x"):format(math.floor(p.x)) }
end, { file = "out.csv", seed = 5, units = { y = "m" } })
print(#r, r:info().done)
]]

-- 1,200 samples of half a millisecond, or 300 that cost more
local function prepare(cost)
  shell.write("s.lua", (script:gsub("COST", cost or "0.0005"):gsub("COUNT", cost and 300 or 1200)))
end

-- the program, and the file of one machine as one.csv; ranks notice the dead within a second
local function run(lines, cost)
  prepare(cost)
  return shell.knock([[
    export SOURCE_DATE_EPOCH=1700000000 KNOCK_PATIENCE=1 ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0"
    rm -rf out.csv*
    [ -f one.csv ] || { "$K" s.lua >/dev/null 2>&1; mv out.csv one.csv; }
    same() { cmp out.csv one.csv && [ "$(ls -d out.csv*)" = out.csv ]; }
  ]] .. lines)
end

test("workers that join give the file of one machine", function()
  shell.run "rm -f one.csv"
  local result = run [[
    for i in 1 2 3; do "$K" --join --jobs 1 s.lua >said.$i 2>&1 & done; wait
    cat said.*; same]]
  equal(result.code, 0)
  equal(result.out, ("1200\t1200\n"):rep(3))
end)

test("joining a finished sweep gives its table, another sweep's folder is refused", function()
  shell.run "rm -f one.csv"
  local result = run [["$K" --join s.lua >/dev/null && "$K" --join s.lua && same]]
  equal(result.out, "1200\t1200\n")
  result = run [["$K" --join --jobs 1 s.lua & sleep 0.3; kill -9 $!; wait; echo "-- changed" >>s.lua; "$K" --join s.lua]]
  equal(result.code, 1)
  equal(result.err:find("is the folder of another sweep: the script has changed", 1, true) ~= nil, true)
end)

test("workers killed at random: nothing is lost, nothing doubled", function()
  shell.run "rm -f one.csv"
  local result = run([[
    kills=0
    while [ $kills -lt 100 ]; do
      "$K" --join --jobs 1 s.lua >/dev/null 2>&1 & a=$!
      "$K" --join --jobs 2 s.lua >/dev/null 2>&1 & b=$!
      sleep 0.$(( (kills * 7) % 3 ))$(( (kills * 3) % 10 ))
      kill -9 $a $b; wait $a $b; kills=$((kills + 2))
      [ -f out.csv ] && rm -rf out.csv*
    done 2>/dev/null
    "$K" --join s.lua && same]])
  equal(result.code, 0)
  equal(result.out, "1200\t1200\n")
end)

test("TERM: the row is finished, the lease given back, exit 0, and others go on at once", function()
  shell.run "rm -f one.csv"
  local result = run([[
    export KNOCK_PATIENCE=60
    "$K" --join --jobs 2 s.lua >said 2>&1 & a=$!
    sleep 0.5; kill -TERM $a; wait $a; echo $?
    ls out.csv.sweep | grep -c lease
    grep -c "asked to end after" said
    from=$(date +%s); "$K" --join s.lua && same && echo $(( $(date +%s) - from < 30 ))]], "0.004")
  equal(result.out, "0\n0\n1\n300\t300\n1\n")
end)

test("under mpirun, one rank killed, finished by a second call", function()
  shell.run "rm -f one.csv"
  local result = run([[command -v mpirun >/dev/null || exit 77
    root=; [ "$(id -u)" = 0 ] && root=--allow-run-as-root
    mpirun $root --oversubscribe -n 4 "$K" --join --jobs 1 s.lua >/dev/null 2>said & m=$!; n=0
    until ls out.csv.sweep/done-* >/dev/null 2>&1 || [ $n = 500 ]; do sleep 0.02; n=$((n + 1)); done
    ranks=$(ps -o pid= --ppid $m); set -- $ranks; echo $# ranks
    kill -9 $1 && echo hit
    wait $m; echo $?; grep -o "signal 9 (Killed)" said
    [ -f out.csv ] || "$K" --join s.lua >/dev/null && same]], "0.02")
  if result.code == 77 then return end
  equal(result.out, "4 ranks\nhit\n137\nsignal 9 (Killed)\n")
  equal(result.code, 0)
end)

test("under GNU parallel", function()
  shell.run "rm -f one.csv"
  local result = run [[command -v parallel >/dev/null || exit 77
    parallel -N0 -q --will-cite "$K" --join --jobs 1 s.lua ::: 1 2 3 4 >/dev/null && same]]
  if result.code ~= 77 then equal(result.code, 0) end
end)

test("the fast lane joins too", function()
  shell.write("l.lua", [[
    local k = require "knock"
    k.sweep { u1 = k.linspace(-3, 3, 200), mu = k.linspace(0, .7, 150) }:impact(k.double_pendulum { q = { -0.9, 0.5 },
      u = { -1, -2 } }, k.law.stronge { e = 0.5 }, { "impulse" }, { map = { u1 = "u[1]" }, file = "l.csv" })]])
  local result = shell.knock [[
    export SOURCE_DATE_EPOCH=1700000000; rm -rf l.csv*
    "$K" l.lua && mv l.csv l1.csv
    for i in 1 2 3; do "$K" --join --jobs 1 l.lua & done; wait
    cmp l.csv l1.csv && ls -d l.csv*]]
  equal({ result.code, result.out }, { 0, "l.csv\n" })
end)

-- also the clocks that only go on differ: machines were started at other times. The first one's leases look an hour
-- old, or an hour ahead, to the others.
test("clocks that are an hour apart: no lease is taken from the living, that of the dead is", function()
  shell.run "rm -f one.csv"
  local result = run(([[
    worker() { SKEW=$1 LD_PRELOAD=%s "$K" --join --jobs 1 s.lua >said$1 2>&1; }
    [ "$(SKEW=3600 LD_PRELOAD=%s "$K" -e 'print(os.time())')" -ge $(($(date +%%s) + 3590)) ] && echo ahead
    worker 3600 & a=$!; worker -3600 & b=$!; worker 0 & c=$!; n=0
    until [ $(ls out.csv.sweep/done-* 2>/dev/null | wc -l) -gt 9 ] || [ $n = 500 ]; do sleep 0.02; n=$((n + 1)); done
    kill -9 $(ps -o pid= --ppid $a) $a && echo killed
    wait $b $c; cat said-3600 said0; same]]):format(shell.quote(tools .. "skew.so"), shell.quote(tools .. "skew.so")), "0.01")
  local said = result.out:gsub("sweep: [^\n]*\n", "") -- progress, on a slow machine
  equal(said, "ahead\nkilled\n300\t300\n300\t300\n")
  equal(result.code, 0)
end)

test("a full disk is said, and nothing is lost", function()
  prepare()
  local result = shell.knock [[
    mkdir -p tiny; mount -t tmpfs -o size=40k tmpfs tiny 2>/dev/null || exit 77
    export SOURCE_DATE_EPOCH=1700000000 KNOCK_PATIENCE=1
    "$K" s.lua >/dev/null 2>&1; cp s.lua tiny; cd tiny
    "$K" --join s.lua >/dev/null; code=$?
    mount -o remount,size=32m . && "$K" --join s.lua >/dev/null 2>&1 || code=98
    cmp out.csv ../out.csv || code=97; cd ..; umount tiny; rm -rf out.csv*; exit $code]]
  if result.code == 77 then return end
  equal(result.code, 1)
  equal(result.err:find("No space left on device", 1, true) ~= nil, true)
end)

test("a folder that vanishes is told", function()
  shell.run "rm -f one.csv"
  local result = run([["$K" --join --jobs 1 s.lua & a=$!; n=0
    until ls out.csv.sweep/done-* >/dev/null 2>&1 || [ $n = 200 ]; do sleep 0.02; n=$((n + 1)); done
    rm -rf out.csv.sweep; wait $a; echo $?]], "0.01")
  equal(result.out, "1\n")
  equal(result.err:find("has vanished", 1, true) ~= nil, true)
end)

test("knock watch tells how far it is, while it runs and after", function()
  shell.run "rm -f one.csv"
  local result = run([["$K" --join --jobs 1 s.lua >/dev/null 2>&1 & a=$!; n=0
    until ls out.csv.sweep/done-* >/dev/null 2>&1 || [ $n = 200 ]; do sleep 0.02; n=$((n + 1)); done
    "$K" watch out.csv --once; wait $a
    "$K" watch out.csv.sweep --once; "$K" watch nothing.csv]], "0.005")
  equal(result.out:match "out.csv: %d+ of 300 samples %([%d.]+ %%%), %d failed, 1 worker, chunks: %d+ done, %d+ claimed, %d+ in all" ~= nil, true)
  equal(result.out:match "\n(out.csv: finished)\n", "out.csv: finished")
  equal({ result.code, result.err:match "there is no sweep of 'nothing.csv'" }, { 1, "there is no sweep of 'nothing.csv'" })
end)

-- figures are as wide as the samples that are there: x of the last one grows from figure to figure
test("knock watch --plot draws a figure that grows, and the whole one afterwards", function()
  shell.run "rm -f one.csv"
  local result = run([[command -v gnuplot >/dev/null || exit 77
    "$K" --join --jobs 1 s.lua >/dev/null 2>&1 & a=$!; n=0
    until ls out.csv.sweep/done-* >/dev/null 2>&1 || [ $n = 200 ]; do sleep 0.02; n=$((n + 1)); done
    "$K" watch out.csv --plot x,y >seen; echo $?; wait $a
    [ $(grep -c "of 300 samples" seen) -ge 2 ] && [ $(grep -c "+-----" seen) -ge 4 ] && echo grows
    "$K" watch out.csv --plot x,y >whole; head -n 1 whole; grep -c "+-----" whole
    "$K" watch out.csv --plot x,nothing]], "0.012")
  if result.code == 77 then return end
  equal(result.out, "0\ngrows\nout.csv: finished\n2\nout.csv: finished\n")
  equal(result.code, 1)
  equal(result.err:find("nothing", 1, true) ~= nil, true)
end)

test("knock watch --plot draws over itself on a terminal", function()
  local pty = shell.program:match "^(.*)/[^/]*$" .. "/tests/pty"
  shell.write("script", "expect of 300 samples\nexpect +---\nexpect \27[H\27[J\nexpect of 300 samples\nexpect +---\nsignal INT\nexit -1\n")
  local result = run(([[command -v gnuplot >/dev/null || exit 77
    "$K" --join --jobs 1 s.lua >/dev/null 2>&1 & a=$!; n=0
    until ls out.csv.sweep/done-* >/dev/null 2>&1 || [ $n = 200 ]; do sleep 0.02; n=$((n + 1)); done
    TERM=xterm %s script "$K" watch out.csv.sweep --plot x,y; code=$?; kill -9 $a; rm -rf out.csv*; exit $code]]):format(shell.quote(pty)), "0.02")
  if result.code ~= 77 then equal({ result.code, result.code ~= 0 and result.out }, { 0, false }) end
end)

test("knock submit shows what it would do, and says what is missing", function()
  prepare()
  local result = shell.knock [["$K" submit s.lua 7 --slurm 16 --cpus 8 --time 2:00:00 --partition big --dry-run -- --mem=4G]]
  equal(result.code, 0)
  for _, line in ipairs { "#SBATCH --cpus-per-task=8", "#SBATCH --requeue", "#SBATCH --signal=B:TERM@60", "#SBATCH --time=2:00:00",
    "#SBATCH --partition=big", 'exec knock --join --jobs "${SLURM_CPUS_PER_TASK:-1}" s.lua 7',
    "sbatch --parsable --array=1-16 --mem=4G s.slurm.sh", "sbatch --parsable --dependency=afterany:JOB --mem=4G s.slurm.sh" } do
    equal(result.out:find(line, 1, true) ~= nil, true)
  end
  equal(shell.read(shell.folder .. "/s.slurm.sh"), nil)
  equal(shell.knock([["$K" submit s.lua --slurm 0]]).err, "knock: submit: --slurm must be a positive whole number of jobs, got '0'\n")
  equal(shell.knock([["$K" submit t.lua --slurm 2]]).err, "knock: submit: there is no script 't.lua'\n")
  equal(shell.knock([["$K" submit --slrum 2 s.lua]]).err, "knock: submit: unknown option '--slrum' (did you mean '--slurm'?)\n")
  equal(shell.knock([[PATH=/nowhere "$K" submit s.lua --slurm 2]]).err:find "there is no sbatch on this machine" ~= nil, true)
end)

shell.finish()
