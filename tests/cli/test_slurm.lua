-- labels: slow
-- A sweep as an array of a real Slurm: one slurmd killed on the way, a task requeued, and the file is that of one
-- machine. Where Slurm cannot run this says so and passes.

local shell = dofile(test_dir .. "/shell.lua")

shell.write("s.lua", [[
local k = require "knock"
local list = {}
for i = 1, 300 do list[i] = i / 7 end
k.sweep { x = list }:run(function(p)
  local until_ = os.clock() + 0.03
  while os.clock() < until_ do end
  return { y = math.sin(p.x), z = math.random() }
end, { file = "out.csv", seed = 5 })
]])

shell.write("run.sh", [[
"$K" submit s.lua --slurm 3 --knock "$K" >said || exit 1
array=$(sed -n 's/^job \([0-9]*\):.*/\1/p' said); last=$(sed -n 's/.*; job \([0-9]*\) ends.*/\1/p' said)
n=0
until [ "$(ls out.csv.sweep 2>/dev/null | grep -c journal)" -gt 3 ] && ls out.csv.sweep/done-* >/dev/null 2>&1; do
  sleep 0.1; n=$((n + 1)); [ $n -lt 300 ] || { echo "no start"; squeue; exit 1; }
done
"$K" watch out.csv --once
kill -9 "$(cat "$SLURM_DIR/n2.pid")" || exit 1  # a node dies
scontrol requeue "${array}_1" || exit 1     # and a task goes back into the queue,
sleep 1; scontrol update JobId="${array}_1" StartTime=now # where it would wait for two minutes
n=0
while [ -n "$(squeue -h -j "$last" 2>/dev/null)" ]; do
  sleep 0.2; n=$((n + 1)); [ $n -lt 900 ] || { echo "no end"; squeue; tail -n 3 s.slurm.*.log; exit 1; }
done
cmp out.csv one.csv && ls -d out.csv* && tail -n 1 said
]])

test("an array of Slurm, a slurmd killed and a task requeued: the file of one machine", function()
  local result = shell.knock(([[
    export K SOURCE_DATE_EPOCH=1700000000 KNOCK_PATIENCE=2
    "$K" s.lua && mv out.csv one.csv || exit 1
    timeout 240 sh %s "$PWD/slurm" sh run.sh; code=$?
    rm -rf slurm; exit $code]]):format(shell.quote(test_dir .. "/slurm.sh")))
  if result.code == 77 then print(result.out:match "skipped: [^\n]*") return end
  if result.code ~= 0 then print(result.out, result.err) end
  equal(result.code, 0)
  equal(result.out:match "out.csv: %d+ of 300 samples" ~= nil, true)
  equal(result.out:match "\nout.csv\n(job %d+: 3 workers)" ~= nil, true)
end)

shell.finish()
