-- A folder for pictures of a test file, and curves to draw: dofile(test_dir .. "/plot_help.lua").
local svg = dofile(test_dir .. "/svg.lua")
local text = require "knock.draw.text"
local help = { svg = svg }

local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir " .. folder))
function help.path(name) return folder .. "/" .. name end
function help.finish() os.execute("rm -r " .. folder) end

function help.bytes(name)
  local f = assert(io.open(help.path(name), "rb"))
  local s = f:read "a"
  f:close()
  return s
end

function help.exists(name)
  local f = io.open(help.path(name), "rb")
  if f then f:close() end
  return f ~= nil
end

-- n points of a sine
function help.wave(n, scale)
  local x, y = {}, {}
  for i = 1, n do
    x[i] = (i - 1) / (n - 1) * 7.4
    y[i] = math.sin(x[i]) * (scale or 1)
  end
  return x, y
end

-- the page of a figure, all of whose texts are inside
function help.saved(figure, name)
  figure:save(help.path(name))
  local page = svg.read(help.path(name))
  equal(svg.outside(page, text.width), {})
  return page
end

return help
