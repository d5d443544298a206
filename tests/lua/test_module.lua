local k = require "knock"

test("the module is one table", function()
  equal(type(k), "table")
  equal(require "knock" == k, true)
end)

test("what knock.core has, the module has", function()
  for name, value in pairs(require "knock.core") do equal(k[name], value) end
end)

test("an unknown field is an error that names it", function()
  raises(function() return k.no_such_thing end, "knock has no 'no_such_thing'")
end)
