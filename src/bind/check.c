/* For k.check (lua/knock/check.lua): the check that k.model runs, on any model at any time. */
#include <lauxlib.h>

#include "bind/bind.h"
#include "bind/lua_model.h"
#include "bind/object.h"
#include "model/check.h"

/* agrees(model) -> nil or what contradicts what, and whether its forces tell of their energy */
static int agrees(lua_State *L) {
  const model *m = bind_model_check(L, 1, "check");
  model_check_how how = {NULL, 1};
  bind_lua_model_how(m, &how);
  core_error err = {0};
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  core_status status = model_check(m, &how, s, &err);
  core_scratch_release(s, mark);
  if (status == CORE_INTERRUPTED || status == CORE_NO_MEMORY) return bind_raise(L, &err);
  if (status)
    lua_pushstring(L, err.text[0] ? err.text : core_status_text(status));
  else
    lua_pushnil(L);
  lua_pushboolean(L, how.energy);
  return 2;
}

void bind_open_check(lua_State *L) {
  lua_pushcfunction(L, agrees);
  lua_setfield(L, -2, "agrees");
}
