-- knock list [--json]: models, laws and scenarios, one line each.

return function(how)
  local help = require "knock.help"
  if how == "--json" then
    local catalog = require "knock.doc".catalog()
    local json = require "knock.manual".json
    print(json { models = catalog.models, laws = catalog.laws, scenarios = help.scenarios() })
  elseif how then
    io.stderr:write(require "knock.doc".usage "list")
    return 2
  else
    print(table.concat({ help.page "models", help.page "laws", help.page "scenarios" }, "\n\n"))
  end
end
