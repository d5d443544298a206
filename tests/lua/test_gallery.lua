-- Every scenario runs by itself, prints something, and draws figures that show something.

local scenario = require "knock.scenario"
local host = require "knock.host"
local text = require "knock.draw.text"
package.path = test_dir .. "/?.lua;" .. package.path
local svg = require "svg"

local folder = os.tmpname()
os.remove(folder)
assert(host.make_folder(folder))

local function check(name)
  local page = svg.read(("%s/%s.svg"):format(folder, name))
  assert(#page.plots > 0, name .. ": nothing is drawn")
  local drawn = 0
  for _, p in ipairs(page.plots) do drawn = drawn + p.points + p.marks + p.images end
  assert(drawn > 0, name .. ": the plots are empty")
  local outside = svg.outside(page, text.width)
  assert(#outside == 0, name .. ": outside of the page: " .. table.concat(outside, " | "))
end

for _, file in ipairs(host.files(host.home .. "/scenarios")) do
  if file:match "^%a+_.*%.lua$" then
    test(file .. " draws", function()
      local result = scenario.run(host.home .. "/scenarios/" .. file, folder, "svg")
      assert(#result.saved > 0, "it saves no figure")
      assert(result.text ~= "", "it prints no number")
      assert(result.doc ~= "", "its first line does not say what it is")
      for _, name in ipairs(result.saved) do check(name) end
    end)
  end
end

test("the gallery has an index page that holds its pictures", function()
  local gallery = require "knock.command.gallery"
  local old = io.write
  io.write = function() end
  local old_print = print
  print = function() end
  local ok, status = pcall(gallery, "-o", folder .. "/g", "y_fig5")
  io.write, print = old, old_print
  assert(ok, status)
  equal(status, 0)
  local f = assert(io.open(folder .. "/g/index.html"))
  local page = f:read "a"
  f:close()
  assert(page:find("data:image/svg+xml;base64,PD94bWw", 1, true)) -- "<?xml"
  for _, ending in ipairs { "svg", "pdf", "png" } do assert(io.open(("%s/g/y_fig5.%s"):format(folder, ending))):close() end
end)

os.execute("rm -r " .. folder)
