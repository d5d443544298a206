#include "bind/bind.h"

#include <lauxlib.h>
#include <string.h>

#include "core/interrupt.h"

void bind_register(lua_State *L, const char *owner, const bind_function *functions, int n) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, "knock.doc");
  luaL_getsubtable(L, -1, owner); /* target, doc, doc[owner] */
  for (int i = 0; i < n; i++) {
    const bind_function *f = &functions[i];
    lua_createtable(L, 0, 3);
    lua_pushstring(L, f->usage);
    lua_setfield(L, -2, "usage");
    lua_pushstring(L, f->doc);
    lua_setfield(L, -2, "doc");
    lua_pushstring(L, f->example);
    lua_setfield(L, -2, "example");
    lua_setfield(L, -2, f->name);
    lua_pushcfunction(L, f->call);
    lua_setfield(L, -4, f->name);
  }
  lua_pop(L, 2);
}

void bind_where(lua_State *L) {
  lua_Debug ar;
  for (int level = 1; lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Sl", &ar);
    if (ar.currentline <= 0 || !strncmp(ar.source, "=knock", 6)) continue;
    lua_pushfstring(L, "%s:%d: ", ar.short_src, ar.currentline);
    return;
  }
  lua_pushliteral(L, "");
}

/* registry keys: the text and the status of the last raised error (asking needs no memory) */
static const char raised_text, raised_status;

int bind_raise(lua_State *L, const core_error *err) {
  if (err->status == CORE_INTERRUPTED && core_interrupt_flag == CORE_INTERRUPT_ASKED)
    core_interrupt_flag = CORE_INTERRUPT_RAISED;
  bind_where(L);
  lua_pushstring(L, core_error_text(err));
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &raised_text);
  lua_pushinteger(L, err->status);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &raised_status);
  lua_concat(L, 2);
  return lua_error(L);
}

core_status bind_status_of(lua_State *L, const char *message) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &raised_text);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &raised_status);
  const char *raised = lua_tostring(L, -2);
  core_status status = (core_status)lua_tointeger(L, -1);
  lua_pop(L, 2);
  return raised && strstr(message, raised) ? status : CORE_OK;
}

static int free_scratch(lua_State *L) {
  core_scratch_free(lua_touserdata(L, 1));
  return 0;
}

core_scratch *bind_scratch(lua_State *L) {
  if (lua_getfield(L, LUA_REGISTRYINDEX, "knock.scratch") != LUA_TUSERDATA) {
    lua_pop(L, 1);
    core_scratch *s = lua_newuserdatauv(L, sizeof *s, 0);
    core_scratch_init(s);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, free_scratch);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, "knock.scratch");
  }
  core_scratch *s = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return s;
}

int bind_open(lua_State *L) {
  lua_newtable(L);
  bind_open_matrix(L);
  return 1;
}
