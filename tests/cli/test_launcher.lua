-- The ./knock launcher, in a checkout of its own with tools that only write down how they are called.

local shell = dofile(test_dir .. "/shell.lua")
local q = shell.quote
local source = shell.source

-- A checkout with a space in its name whose program is the one under test. `tools` are fakes that
-- log; the fake ninja touches the program as a build would.
shell.run(([[
  top='a checkout'
  mkdir -p "$top/src/cmake" "$top/build" tools bare
  cp %s/knock "$top/"
  cp %s/src/cmake/setup.sh "$top/src/cmake/"
  touch "$top/CMakeLists.txt" "$top/CMakePresets.json" "$top/src/main.c" "$top/build/build.ninja"
  ln -s %s "$top/build/knock"
  touch "$top/build/.built"
  for tool in cmake ninja ctest apt-get gnuplot sudo; do
    printf '#!/bin/sh\necho "%%s $*" >>%s/log\n' $tool >tools/$tool
    chmod +x tools/$tool
  done
  printf '#!/bin/sh\necho 12\n' >tools/gcc
  chmod +x tools/gcc
  printf '#!/bin/sh\nfor p; do echo "$p:installed"; done | tr "\\n" " "\n' >tools/dpkg-query
  chmod +x tools/dpkg-query
  for tool in sh find readlink mkdir mv rm cat sed tail id flock touch dirname getconf mktemp chmod tar pwd; do
    ln -s "$(command -v $tool)" bare/
  done]]):format(q(source), q(source), q(shell.program), q(shell.folder)))

local fakes = "PATH=" .. q(shell.folder .. "/tools") .. ":$PATH; "

-- runs a line with the fake tools; gives the result and what the tools were called with
local function launch(line)
  os.remove(shell.folder .. "/log")
  local result = shell.run(fakes .. line)
  return result, shell.read(shell.folder .. "/log") or ""
end

test("a fresh build is only started", function()
  local result, log = launch [['a checkout/knock' -e 'print(...)']]
  equal(result.out, "\n")
  equal(result.err, "")
  equal(log, "")
end)

test("arguments, standard input and the exit status go through", function()
  local result = shell.run([[echo 'print(io.read and arg[1], #arg) os.exit(9)' | 'a checkout/knock' - 'x y' ""]])
  equal(result.out, "x y\t2\n")
  equal(result.code, 9)
end)

test("from another folder, through links, by PATH and by sh", function()
  shell.run [[mkdir -p 'other place/bin'
    ln -s '../a checkout/knock' 'other place/first'
    ln -s first 'other place/second'
    ln -s "$PWD/other place/second" 'other place/bin/knock']]
  for _, line in ipairs {
    [[cd / && "$OLDPWD/a checkout/knock"]], [['other place/second']], [['other place/bin/knock']],
    [[cd 'other place' && ./first]], [[PATH="$PWD/other place/bin:$PATH"; cd / && knock]],
    [[cd 'a checkout' && sh knock]],
  } do
    local result, log = launch(line .. [[ -e 'print(type(require "knock"))']])
    equal(result.out, "table\n")
    equal(log, "")
  end
end)

test("a newer source is built, once", function()
  shell.run "touch -d '-5 seconds' 'a checkout/src/main.c' && touch -d '-10 seconds' 'a checkout/build/.built'"
  local result, log = launch "'a checkout/knock' -e 'print(1)'"
  equal(result.out, "1\n")
  equal(log, "ninja -C build knock\n")
  local _, again = launch "'a checkout/knock' -e 'print(1)'"
  equal(again, "")
end)

test("a removed source is noticed", function()
  shell.run [[touch 'a checkout/src/gone.c' && touch -d '-10 seconds' 'a checkout/build/.built' && rm 'a checkout/src/gone.c']]
  local _, log = launch "'a checkout/knock' -e 'print(1)'"
  equal(log, "ninja -C build knock\n")
end)

test("a Lua file needs no build", function()
  shell.run "mkdir -p 'a checkout/lua' && touch -d '+2 seconds' 'a checkout/lua/x.lua'"
  local _, log = launch "'a checkout/knock' -e 'print(1)'"
  equal(log, "")
end)

test("the first build is configured without tests", function()
  shell.run "mv 'a checkout/build' 'a checkout/kept'"
  local _, log = launch [['a checkout/knock' -e 'print(1)' || true]]
  equal(log:match "cmake[^\n]*", "cmake --preset release -DKNOCK_TESTS=OFF")
  equal(log:match "ninja[^\n]*", "ninja -C build knock")
  shell.run "rm -rf 'a checkout/build' && mv 'a checkout/kept' 'a checkout/build'"
end)

test("what is missing is installed, and nothing else", function()
  shell.run [[printf '#!/bin/sh\nfor p; do [ $p = cmake ] || echo "$p:installed"; done | tr "\\n" " "\n' >tools/dpkg-query
    touch -d '-10 seconds' 'a checkout/build/.built'; touch 'a checkout/src/main.c']]
  local result, log = launch "'a checkout/knock' -e 'print(1)'"
  equal(result.out, "1\n")
  equal(log:match "[^\n]*apt%-get[^\n]*" ~= nil, true)
  equal(log:match "install %-y %-%-no%-install%-recommends ([^\n]*)", "cmake")
end)

test("a failed build shows why and stops", function()
  shell.run [[printf '#!/bin/sh\necho "main.c:1: error: no"\nexit 1\n' >tools/ninja
    touch -d '-10 seconds' 'a checkout/build/.built']]
  local result = launch "'a checkout/knock' -e 'print(1)'"
  equal(result.out, "")
  equal(result.err:find("main.c:1: error: no", 1, true) ~= nil, true)
  equal(result.code ~= 0, true)
end)

test("on another system one line says what to install", function()
  local result = shell.run "PATH=$PWD/bare; rm 'a checkout/build/.built'; 'a checkout/knock' -e 'print(1)'"
  equal(result.code, 4)
  equal(select(2, result.err:gsub("\n", "")), 1)
  equal(result.err:find("install a C compiler, cmake 3.25, ninja", 1, true) ~= nil, true)
end)

test("what the tests take is said without building them", function()
  local result, log = launch "'a checkout/knock' test --help"
  equal(result.out:match "^[^\n]+", "./knock test [--long] [what ctest takes]")
  equal(log, "")
end)

shell.finish()
