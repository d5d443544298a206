-- knock submit SCRIPT --slurm N: a sweep as an array of Slurm jobs that share its work.

local host = require "knock.host"

local function quote(word)
  return word:find "^[%w%-_./=,:+@%%]+$" and word or "'" .. word:gsub("'", "'\\''") .. "'"
end

local function complain(format, ...)
  io.stderr:write(("knock: submit: " .. format .. "\n"):format(...))
  return 1
end

local with_value = { ["--slurm"] = "slurm", ["--time"] = "time", ["--partition"] = "partition", ["--cpus"] = "cpus",
  ["--name"] = "name", ["--knock"] = "knock" }

-- script, its arguments, options, and what goes to sbatch as it is (behind --)
local function parse(words)
  local o, i = { args = {}, sbatch = {} }, 1
  while i <= #words do
    local word = words[i]
    local key, value = word:match "^(%-%-%a+)=(.*)$"
    key = key or word
    if word == "--" then
      for k = i + 1, #words do o.sbatch[#o.sbatch + 1] = words[k] end
      break
    elseif word == "--dry-run" then o.dry = true
    elseif with_value[key] then
      if not value then i = i + 1; value = words[i] end
      if not value then return nil, key .. " needs a value" end
      o[with_value[key]] = value
    elseif word:sub(1, 1) == "-" and not o.script then
      local near = host.nearest(word, with_value)
      return nil, ("unknown option '%s'%s"):format(word, near and (" (did you mean '%s'?)"):format(near) or "")
    elseif not o.script then o.script = word
    else o.args[#o.args + 1] = word end
    i = i + 1
  end
  return o
end

-- The job script: every array task is one worker, the job that depends on them ends what they left and merges.
local function job_script(o)
  local lines = { "#!/bin/sh",
    ("# %s on Slurm: written by `knock submit`. By hand:"):format(o.script),
    ("#   id=$(sbatch --parsable --array=1-%d %s) && sbatch --dependency=afterany:$id %s"):format(o.n, quote(o.path), quote(o.path)),
    ("#SBATCH --job-name=%s"):format(o.name or o.script:match "([^/]*)$"),
    ("#SBATCH --cpus-per-task=%d"):format(o.n_cpus),
    "#SBATCH --requeue",
    "#SBATCH --open-mode=append",
    "#SBATCH --signal=B:TERM@60",
    "#SBATCH --output=" .. o.path:gsub("%.sh$", "") .. ".%j.log" }
  if o.time then lines[#lines + 1] = "#SBATCH --time=" .. o.time end
  if o.partition then lines[#lines + 1] = "#SBATCH --partition=" .. o.partition end
  local words = { o.knock or "knock", "--join", "--jobs", '"${SLURM_CPUS_PER_TASK:-1}"', quote(o.script) }
  for _, word in ipairs(o.args) do words[#words + 1] = quote(word) end
  lines[#lines + 1] = ""
  lines[#lines + 1] = "# the shell becomes knock, which gets the TERM ahead of the time limit: it finishes its row and goes"
  lines[#lines + 1] = "exec " .. table.concat(words, " ")
  return table.concat(lines, "\n") .. "\n"
end

local function found(program)
  local pipe = io.popen(("command -v %s 2>/dev/null"):format(quote(program)))
  local line = pipe:read "l"
  pipe:close()
  return line and line ~= ""
end

-- a folder that only this machine has: the jobs would not find it
local function local_folder()
  local pipe = io.popen "stat -f -c %T . 2>/dev/null"
  local kind = pipe:read "l" or ""
  pipe:close()
  return kind == "tmpfs" or kind == "ramfs" or kind == "overlayfs" and kind
end

local function sbatch(o, words)
  local line = "sbatch --parsable"
  for _, word in ipairs(words) do line = line .. " " .. quote(word) end
  for _, word in ipairs(o.sbatch) do line = line .. " " .. quote(word) end
  line = line .. " " .. quote(o.path)
  if o.dry then print(line) return "JOB" end
  local pipe = io.popen(line)
  local id = (pipe:read "l" or ""):match "^%d+"
  return pipe:close() and id
end

local function check(o)
  o.n, o.n_cpus = math.tointeger(tonumber(o.slurm)), math.tointeger(tonumber(o.cpus or 1))
  if not o.n or o.n < 1 then return ("--slurm must be a positive whole number of jobs, got '%s'"):format(o.slurm) end
  if not o.n_cpus or o.n_cpus < 1 then return ("--cpus must be a positive whole number, got '%s'"):format(o.cpus) end
  local f = io.open(o.script)
  if not f then return ("there is no script '%s'"):format(o.script) end
  f:close()
end

return function(...)
  local o, why = parse { ... }
  if not o then return complain("%s", why) end
  if not o.script or not o.slurm then
    io.stderr:write(require "knock.doc".usage "submit")
    return 2
  end
  why = check(o)
  if why then return complain("%s", why) end
  o.path = o.script:gsub("%.lua$", "") .. ".slurm.sh"
  local text = job_script(o)
  if o.dry then
    print("# " .. o.path)
    io.write(text)
    print "# and then"
  else
    if not found "sbatch" then return complain "there is no sbatch on this machine: is this where Slurm is?" end
    if local_folder() then return complain "this folder is on this machine alone; the jobs need one that all machines share" end
    local f, reason = io.open(o.path, "w")
    if not f then return complain("cannot write %s", reason) end
    f:write(text)
    if not f:close() then return complain("cannot write '%s'", o.path) end
  end
  local id = sbatch(o, { ("--array=1-%d"):format(o.n) })
  if not id then return complain "sbatch refused the array" end
  local last = sbatch(o, { "--dependency=afterany:" .. id })
  if not last then return complain("the array is job %s, but sbatch refused the job that merges: run %s when it is through", id, o.path) end
  if not o.dry then
    print(("job %s: %d workers; job %s ends what they leave and merges. knock watch FILE shows how far it is."):format(id, o.n, last))
  end
  return 0
end
