-- knock help [topic]

return function(topic)
  if not topic then
    require "knock.host".usage()
    return
  end
  local text, near = require "knock.help".page(topic)
  if text then
    print(text)
    return
  end
  io.stderr:write(("knock: nothing is called '%s'%s\n"):format(topic, near and (" (did you mean '%s'?)"):format(near) or ""))
  return 1
end
