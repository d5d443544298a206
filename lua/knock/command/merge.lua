-- knock merge FILE...: joins the journals of all shards of a sweep into its file.

return function(...)
  if select("#", ...) == 0 then
    io.stderr:write(require "knock.doc".usage "merge")
    return 2
  end
  local sweep = require "knock.sweep"
  for _, file in ipairs { ... } do
    local t = sweep.merge(file)
    print(("%s: %d samples"):format(file, #t))
  end
end
