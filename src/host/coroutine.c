/* resume, wrap and close of the coroutine library, written so that Ctrl-C knows who runs. */
#include <lauxlib.h>

#include "host/interrupt.h"

static lua_State *thread_argument(lua_State *L) {
  lua_State *co = lua_tothread(L, 1);
  luaL_argexpected(L, co, 1, "thread");
  return co;
}

/* Moves n arguments from L to co and runs it. Returns how many results are on L, or -1 with the
 * error on L. */
static int run(lua_State *L, lua_State *co, int n) {
  int results;
  if (!lua_checkstack(co, n)) {
    lua_pushliteral(L, "too many arguments to resume");
    return -1;
  }
  lua_xmove(L, co, n);
  lua_State *before = host_interrupt_switch(co);
  int status = lua_resume(co, L, n, &results);
  host_interrupt_switch(before);
  if (status != LUA_OK && status != LUA_YIELD) {
    lua_xmove(co, L, 1);
    return -1;
  }
  if (!lua_checkstack(L, results + 1)) {
    lua_pop(co, results);
    lua_pushliteral(L, "too many results to resume");
    return -1;
  }
  lua_xmove(co, L, results);
  return results;
}

static int resume(lua_State *L) {
  lua_State *co = thread_argument(L);
  int n = run(L, co, lua_gettop(L) - 1);
  int ok = n >= 0;
  lua_pushboolean(L, ok);
  lua_insert(L, ok ? -(n + 1) : -2);
  return ok ? n + 1 : 2;
}

/* closes what the coroutine left open; an error is left on top of co */
static int reset(lua_State *co) {
  lua_State *before = host_interrupt_switch(co);
  int status = lua_resetthread(co);
  host_interrupt_switch(before);
  return status;
}

static int call_wrapped(lua_State *L) {
  lua_State *co = lua_tothread(L, lua_upvalueindex(1));
  int n = run(L, co, lua_gettop(L));
  if (n >= 0) return n;
  int status = lua_status(co);
  if (status != LUA_OK && status != LUA_YIELD) { /* it died of the error: what is left to close? */
    status = reset(co);
    lua_xmove(co, L, 1);
  }
  if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

static int wrap(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_State *co = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, co, 1);
  lua_pushcclosure(L, call_wrapped, 1);
  return 1;
}

/* "suspended", "running", "normal", "dead" from the library's own status function */
static const char *status_of(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  return lua_tostring(L, -1);
}

static int close(lua_State *L) {
  lua_State *co = thread_argument(L);
  const char *status = status_of(L);
  if (*status != 's' && *status != 'd') return luaL_error(L, "cannot close a %s coroutine", status);
  if (reset(co) == LUA_OK) {
    lua_pushboolean(L, 1);
    return 1;
  }
  lua_pushboolean(L, 0);
  lua_xmove(co, L, 1);
  return 2;
}

void host_open_coroutine(lua_State *L) {
  lua_getglobal(L, "coroutine");
  lua_pushcfunction(L, resume);
  lua_setfield(L, -2, "resume");
  lua_pushcfunction(L, wrap);
  lua_setfield(L, -2, "wrap");
  lua_getfield(L, -1, "status");
  lua_pushcclosure(L, close, 1);
  lua_setfield(L, -2, "close");
  lua_pop(L, 1);
}
