-- knock list: models, laws and scenarios, one line each.

return function()
  local page = require "knock.help".page
  print(table.concat({ page "models", page "laws", page "scenarios" }, "\n\n"))
end
