#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>

#include "bind/bind.h"

int main(int argc, char **argv) {
  lua_State *L = luaL_newstate();
  if (!L) return 1;
  luaL_openlibs(L);
  luaL_requiref(L, "knock.core", bind_open, 0);
  lua_pop(L, 1);
  int failed = argc > 1 && luaL_dofile(L, argv[1]);
  if (failed) fprintf(stderr, "%s\n", lua_tostring(L, -1));
  lua_close(L);
  return failed;
}
