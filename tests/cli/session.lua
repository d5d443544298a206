-- The session, driven in a real pseudo-terminal (tests/pty.c): local shell, session = dofile(test_dir .. "/session.lua")

local shell = dofile(test_dir .. "/shell.lua")
local pty = shell.program:match "^(.*)/[^/]*$" .. "/tests/pty"

-- runs the script in a fresh home unless `keep`
local function session(script, arguments, keep, term)
  if not keep then shell.knock "rm -rf home" end
  shell.write("script", script)
  local result = shell.knock(([[
    mkdir -p home; export HOME="$PWD/home" NO_COLOR=1 TERM=%s LC_ALL=C.UTF-8
    unset XDG_STATE_HOME XDG_CONFIG_HOME
    %s script "$K" %s]]):format(term or "xterm", shell.quote(pty), arguments or ""))
  if result.code ~= 0 then error(result.out .. result.err, 2) end
end

return shell, session
