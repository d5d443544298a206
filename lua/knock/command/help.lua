-- knock help [topic [--json]]

local function json(topic)
  local doc, manual = require "knock.doc", require "knock.manual"
  local entry = doc.model(topic) or doc.law(topic) or doc.command(topic)
  if entry then return manual.json(entry) end
  local list = {}
  for i, f in ipairs(doc.functions(topic)) do
    list[i] = { owner = f[1], name = f[2], usage = f[3].usage, doc = f[3].doc, example = f[3].example }
  end
  return #list > 0 and manual.json(list) or nil
end

return function(topic, how)
  if not topic then
    require "knock.host".usage()
    print("\n" .. require "knock.help".topics())
    return
  end
  local text, near = require "knock.help".page(topic)
  if text and how == "--json" then text = json(topic) or require "knock.manual".json { text = text } end
  if text then
    print(text)
    return
  end
  io.stderr:write(("knock: nothing is called '%s'%s\n"):format(topic, near and (" (did you mean '%s'?)"):format(near) or ""))
  return 1
end
