-- knock new FILE.lua: writes a starter scenario.

local starter = [[
-- %s: what it shows, in one line.
--
--   knock %s

local k = require "knock"

local ball = k.ball { mass = 1, radius = 1, velocity = {-1, 0, -5}, spin = {0, 2, 0} }
local law = k.law.stronge { e = 0.5, mu = 0.4 }

local hit = k.impact(ball, law)
print(hit)
]]

return function(path)
  if not path or path:sub(1, 1) == "-" then
    io.stderr:write(require "knock.doc".usage "new")
    return 2
  end
  local there = io.open(path, "r")
  if there then
    there:close()
    io.stderr:write(("knock: '%s' exists already\n"):format(path))
    return 1
  end
  local f, why = io.open(path, "w")
  if not f then
    io.stderr:write(("knock: cannot write %s\n"):format(why))
    return 1
  end
  local name = path:match "[^/]*$"
  f:write((starter:gsub("%%s", name)))
  f:close()
  print(("wrote %s; run it with: knock %s"):format(path, path))
end
