-- Runs command lines for the tests: in a folder of their own, with everything they say kept.

local shell = { program = arg[-1] }

function shell.quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function first_line(command)
  local pipe = io.popen(command)
  local line = pipe:read "l"
  pipe:close()
  return line
end

shell.source = first_line("cd " .. shell.quote(test_dir) .. "/../.. && pwd") -- the checkout
shell.folder = first_line "mktemp -d"
local captured = first_line "mktemp -d" -- apart, so that the commands do not see it

function shell.write(name, text)
  local file = assert(io.open(shell.folder .. "/" .. name, "wb"))
  file:write(text)
  file:close()
end

function shell.read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read "a"
  file:close()
  return text
end

-- the CPU seconds of children in the output of sh's `times`
local function cpu_seconds(text)
  local um, us, sm, ss = text:match "\n(%d+)m([%d.]+)s (%d+)m([%d.]+)s"
  return 60 * (um + sm) + us + ss
end

-- Runs a line of sh in the folder; gives { out =, err =, code =, seconds =, cpu = }.
function shell.run(line, stdin)
  local input = io.open(captured .. "/in", "wb")
  input:write(stdin or "")
  input:close()
  local q = shell.quote
  local from, to = q(captured .. "/from"), q(captured .. "/to")
  local _, _, code = os.execute(
    ("cd %s && date +%%s%%N >%s; (%s\n) <%s >%s 2>%s; code=$?; date +%%s%%N >%s; times >%s; exit $code"):format(
      q(shell.folder), from, line, q(captured .. "/in"), q(captured .. "/out"), q(captured .. "/err"), to,
      q(captured .. "/times")))
  return {
    out = shell.read(captured .. "/out"),
    err = shell.read(captured .. "/err"),
    code = code,
    seconds = (tonumber(shell.read(captured .. "/to")) - tonumber(shell.read(captured .. "/from"))) / 1e9,
    cpu = cpu_seconds(shell.read(captured .. "/times")),
  }
end

-- "$K" in a line is the program under test
function shell.knock(line, stdin)
  return shell.run("K=" .. shell.quote(shell.program) .. "; " .. line, stdin)
end

-- Starts a command in the background with SIGINT as a terminal would give it, waits until it has
-- printed "ready", interrupts it `times` times, and gives what it did; seconds count from the first signal.
function shell.interrupt(command, times)
  local line = ([[
    rm -f said
    env --default-signal=INT %s >said 2>said.err &
    pid=$!
    n=0
    until grep -q ready said; do
      sleep 0.02; n=$((n + 1))
      [ $n -lt 1000 ] || { kill -9 $pid; exit 99; }
    done
    sleep 0.05
    from=$(date +%%s%%N)
    for i in %s; do kill -INT $pid; sleep 0.1; done
    (sleep 10; kill -9 $pid) 2>/dev/null &
    guard=$!
    wait $pid
    code=$?
    echo $(($(date +%%s%%N) - from)) >took
    kill $guard
    cat said.err >&2
    exit $code]]):format(command, times == 2 and "1 2" or "1")
  local result = shell.knock(line)
  result.seconds = tonumber(shell.read(shell.folder .. "/took")) / 1e9
  return result
end

function shell.finish() os.execute("rm -rf " .. shell.quote(shell.folder) .. " " .. shell.quote(captured)) end

return shell
