-- cmake --install to a prefix with a space: the program works from there and needs no checkout.

local shell = dofile(test_dir .. "/shell.lua")
local q = shell.quote
local build = shell.program:match "^(.*)/"

shell.run(("cmake --install %s --prefix \"$PWD/my prefix\" >/dev/null"):format(q(build)))
local installed = "'my prefix/bin/knock'"

test("the program finds its own folder", function()
  local result = shell.run(installed .. [[ -e 'print(require "knock.host".home)']])
  equal(result.out, shell.folder .. "/my prefix/share/knock\n")
end)

test("require works from there, from elsewhere and through a link", function()
  shell.run "ln -s 'my prefix/bin/knock' linked"
  for _, program in ipairs { installed, "./linked", "cd / && \"$OLDPWD\"/" .. installed } do
    local result = shell.run(program .. [[ -e 'print(select(2, require "knock"))']])
    equal(result.out, shell.folder .. "/my prefix/share/knock/lua/knock.lua\n")
    equal(result.code, 0)
  end
end)

test("a moved prefix still works", function()
  shell.run "mv 'my prefix' moved"
  equal(shell.run [[moved/bin/knock -e 'print(require "knock.host".home)']].out,
    shell.folder .. "/moved/share/knock\n")
end)

shell.finish()
