-- knock manual man|markdown|luals|bash|zsh: the manual in one of its forms, on standard output.

return function(form)
  local manual = require "knock.manual"
  local forms = { man = 1, markdown = 1, luals = 1, bash = 1, zsh = 1 }
  if not forms[form] then
    io.stderr:write(require "knock.doc".usage "manual")
    return 2
  end
  io.write((manual[form]()))
end
