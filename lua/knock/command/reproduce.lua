-- knock reproduce [paper...] [--json | --markdown]: printed | computed | difference | verdict.

local host = require "knock.host"
local reproduce = require "knock.reproduce"

local function read_arguments(...)
  local names, form = {}, "text"
  for _, word in ipairs { ... } do
    if word == "--json" or word == "--markdown" then form = word:sub(3)
    else
      local name = word:sub(1, 1) ~= "-" and reproduce.find(word)
      if not name then
        local near = host.nearest(word:lower(), { johnson = 1, jia = 1, batlle = 1, manipulator = 1, morgan = 1 })
        return nil, ("knock: no paper is called '%s'%s\n"):format(word, near and (" (did you mean '%s'?)"):format(near) or "; there are johnson, jia, batlle, manipulator and morgan")
      end
      names[#names + 1] = name
    end
  end
  return #names > 0 and names or reproduce.papers, form
end

return function(...)
  local names, form = read_arguments(...)
  if not names then
    io.stderr:write(form, require "knock.doc".usage "reproduce")
    return 2
  end
  local papers = reproduce.run(names)
  io.write(require "knock.reproduce.show"[form](papers))
  return reproduce.count(papers).unexpected == 0 and 0 or 1
end
