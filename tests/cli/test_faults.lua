-- Faults, as SQLite's tests do: each allocation, each write, rename, close, fork ... fails once, and from there on,
-- or is short, or interrupted. A clean error, or the right answer; never a crash, a hang, or half a file.
-- Every n by ./knock test --long; here the first ones, then ever fewer. tests/fault/fault.c is the loop.

local shell = dofile(test_dir .. "/shell.lua")
local tools = shell.program:gsub("[^/]*$", "") .. "tests/"
local long = os.getenv "KNOCK_TEST_LONG"
local scripts = shell.source .. "/tests/fault/scripts/"

if os.getenv "KNOCK_TEST_SLOWER" then -- AddressSanitizer has an allocator of its own
  test("faults are tried in the release build", function() end)
  shell.finish()
  return
end

local function try(kind, mode, script)
  test(("%s, %s: %s"):format(script, kind, mode), function()
    local result = shell.knock(("mkdir -p tmp; TMPDIR=$PWD/tmp SOURCE_DATE_EPOCH=0 FAULT=%s FAULT_MODE=%s FAULT_DENSE=%d %s LD_PRELOAD=%q \"$K\" %s%s.lua"):format(
      kind, mode, script == "plots" and 4 or script == "gnuplot" and 40 or 12, long and "FAULT_LONG=1" or "", tools .. "fault.so", scripts, script))
    if result.code ~= 0 then error(result.out .. result.err) end
    assert(result.out:find ", 0 bad\n", result.out)
    if long then print(script, kind, mode, result.out) end
  end)
end

for _, script in ipairs { "models", "laws", "simulate", "sweep", "tables", "plots", "gnuplot" } do
  for _, mode in ipairs { "once", "on" } do try("alloc", mode, script) end
end
for _, script in ipairs { "sweep", "tables", "plots" } do
  for _, mode in ipairs { "once", "on", "short", "again" } do try("io", mode, script) end
end

-- the HDF5 library, which reads, is loaded and runs in a process of its own: when memory is out for good, glibc ends that one (thread-local
-- data of a library), and the program says it
for _, mode in ipairs { "once", "on" } do try("alloc", mode, "hdf5") end
for _, mode in ipairs { "once", "on", "short", "again" } do try("io", mode, "hdf5") end

test("nothing is left behind", function() equal(shell.run "ls -A tmp".out, "") end)

shell.finish()
