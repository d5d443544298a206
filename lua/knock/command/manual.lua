-- knock manual man|markdown|luals: the manual in one of its forms, on standard output.

return function(form)
  local manual = require "knock.manual"
  local forms = { man = manual.man, markdown = manual.markdown, luals = manual.luals }
  if not forms[form] then
    io.stderr:write "usage: knock manual man|markdown|luals\n"
    return 2
  end
  io.write(forms[form]())
end
