-- The public module: `local k = require "knock"`.
--
-- Fields come from the C core. A field that the core does not have is looked for in
-- lua/knock/<name>.lua, loaded the first time it is asked for, so that a script pays only
-- for what it uses.

local core = require "knock.core"
local host = require "knock.host"

local k = {}
for name, value in pairs(core) do k[name] = value end

-- Methods of models, laws and hits that are written in Lua: the module that adds each.
local methods = {
  plot = "knock.draw.methods", animate = "knock.draw.methods", page = "knock.page",
  table = "knock.run_table", write = "knock.run_table", derivative = "knock.derivative",
  saltation = "knock.monodromy", monodromy = "knock.monodromy",
  save = "knock.mechanism.save",
}

for _, type in pairs(core.types) do
  setmetatable(type, {
    __index = function(_, name)
      local module = type == core.types.events and name == "plot" and "knock.run_table" or methods[name]
      if module then require(module) end
      return module and rawget(type, name)
    end,
  })
end

local modules = host.home .. "/lua/?.lua"

local function lookup(_, name)
  if type(name) ~= "string" then return nil end
  if not package.searchpath("knock/" .. name, modules, "") then
    local near = host.nearest(name, k) or host.nearest(name, require "knock.doc".catalog().functions.k)
    host.fail(("knock has no '%s'%s"):format(name, near and (" (did you mean '%s'?)"):format(near) or ""))
  end
  local value = require("knock." .. name)
  k[name] = value
  return value
end

return setmetatable(k, { __index = lookup, __name = "knock", __tostring = function() return "knock: help lists what it has" end })
