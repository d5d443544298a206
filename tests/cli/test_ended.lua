-- What is left of files and processes that were ended while they wrote.

local shell = dofile(test_dir .. "/shell.lua")

shell.write("write.lua", [[
local k = require "knock"
local t = k.table { x = k.linspace(0, 1, 200000), y = k.linspace(0, 3, 200000) }
while true do t:write(arg[1]) end]])

-- sends the signal while the file is written again and again; the code and what is in the folder
local function ended_by(signal, file)
  local result = shell.knock(([[
    mkdir -p in; rm -f in/*
    env --default-signal=INT,TERM,HUP "$K" write.lua in/%s &
    pid=$!
    n=0
    until ls in | grep -q part || [ $n -gt 500 ]; do sleep 0.01; n=$((n + 1)); done
    kill -%s $pid
    wait $pid
    code=$?
    ls in
    exit $code]]):format(file, signal))
  return result.code, (result.out:gsub("^" .. file:gsub("%p", "%%%0") .. "\n", "")) -- it may have been whole once
end

local codes = { INT = 130, TERM = 143, HUP = 129 }
for _, file in ipairs { "x.csv", "x.jsonl", "x.h5" } do
  for signal, code in pairs(codes) do
    test(("SIG%s while %s is written leaves no part of it"):format(signal, file), function()
      local got, left = ended_by(signal, file)
      equal(got, code)
      equal(left, "")
    end)
  end

  test("what kill -9 has left of " .. file .. " is swept up by the next write", function()
    local code, left
    for _ = 1, 50 do -- until it does not come between two writes
      code, left = ended_by("KILL", file)
      if left ~= "" then break end
    end
    equal(code, 137)
    equal(left:match("^" .. file .. "%.part%-%d+\n$") ~= nil, true)
    local again = shell.knock(('"$K" -e \'require "knock".table{ x = {1} }:write "in/%s"\'; ls in'):format(file))
    equal(again.out, file .. "\n")
  end)
end

test("the parts of others stay: of who is there, who holds the lock, and of other names", function()
  local result = shell.knock [[
    rm -rf in; mkdir in
    sleep 100 & alive=$!
    sh -c 'exit' & gone=$!; wait $gone
    touch in/x.csv.part-$alive in/x.csv.part-0 in/x.csv.part-$gone.old in/y.csv.part-$gone in/x.csv.part-x
    touch in/x.csv.part-$gone
    flock in/x.csv.part-$gone "$K" -e 'require "knock".table{ x = {1} }:write "in/x.csv"'
    ls in | wc -l
    "$K" -e 'require "knock".table{ x = {1} }:write "in/x.csv"'
    ls in | wc -l
    kill $alive]]
  equal(result.out, "7\n6\n")
end)

test("Ctrl-C stops reading, and the session goes on", function()
  shell.write("read.lua", [[
    local k = require "knock"
    k.table { x = k.linspace(0, 1, 4e6), y = k.linspace(0, 3, 4e6) }:write(arg[1])
    io.write "ready\n" io.flush()
    while true do k.read(arg[1]) end]])
  for _, file in ipairs { "r.csv", "r.jsonl" } do
    local result = shell.interrupt('"$K" read.lua ' .. file)
    equal(result.code, 130)
    equal(result.seconds < 1, true)
    equal(result.err:find("interrupted", 1, true) ~= nil, true)
  end
end)

test("SIGTERM lets a script tidy up, and no pcall goes on after it", function()
  shell.write("tidy.lua", [[
    io.write "ready\n" io.flush()
    local x <close> = setmetatable({}, { __close = function() print "closed" end })
    while true do pcall(function() while true do end end) end]])
  local result = shell.knock [[
    env --default-signal=TERM "$K" tidy.lua >said &
    pid=$!
    n=0
    until grep -qs ready said || [ $n -gt 500 ]; do sleep 0.02; n=$((n + 1)); done
    kill -TERM $pid; wait $pid]]
  equal(result.code, 143)
  equal(result.seconds < 2, true)
end)

shell.finish()
