/* One sample of a sweep as a call of a Lua function: seeds the random numbers, calls, packs what
 * came back. Everything of a sample runs under pcall. */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/sweep.h"
#include "bind/table.h"

/* 1 when the result has just the fields in the list of names */
static int same_names(lua_State *L, int names, int result) {
  int n = (int)lua_rawlen(L, names), fields = 0;
  for (lua_pushnil(L); lua_next(L, result); lua_pop(L, 1)) fields++;
  for (int i = 1; i <= n && fields == n; i++) {
    lua_rawgeti(L, names, i);
    if (lua_rawget(L, result) == LUA_TNIL) fields = -1;
    lua_pop(L, 1);
  }
  return fields == n;
}

/* fills the list of names with those of the result, sorted */
static void sort_names(lua_State *L, int names, int result) {
  for (lua_Integer i = (lua_Integer)lua_rawlen(L, names); i >= 1; i--) {
    lua_pushnil(L);
    lua_rawseti(L, names, i);
  }
  lua_Integer n = 0;
  for (lua_pushnil(L); lua_next(L, result); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING)
      luaL_error(L, "a sample must return named fields, got the key %s",
                 luaL_tolstring(L, -2, NULL));
    lua_pushvalue(L, -2);
    lua_rawseti(L, names, ++n);
  }
  lua_getglobal(L, "table");
  lua_getfield(L, -1, "sort");
  lua_pushvalue(L, names);
  lua_call(L, 1, 0);
  lua_pop(L, 1);
}

static void put_numbers(lua_State *L, bind_sweep *s, const char *name, record_kind kind,
                        int width) {
  double small[8];
  record_column c = {.kind = kind, .width = width, .x = small};
  if (width > 8) {
    c.x = lua_newuserdatauv(L, (size_t)width * sizeof(double), 0);
    lua_insert(L, -2);
  }
  if (bind_table_set(L, lua_gettop(L), &c, 0))
    luaL_error(L, "field '%s' cannot be stored: it is a list of something else than numbers", name);
  sweep_row_numbers(s->out, name, c.kind, width, c.x);
}

/* appends the value on top of the stack */
static void put_value(lua_State *L, bind_sweep *s, const char *name) {
  record_kind kind;
  int width;
  if (!bind_table_kind(L, -1, &kind, &width) || width > 60000)
    luaL_error(L, "field '%s' cannot be stored: it is a %s", name, luaL_typename(L, -1));
  if (kind == RECORD_INTEGER) {
    sweep_row_integer(s->out, name, lua_tointeger(L, -1));
    return;
  }
  if (kind != RECORD_STRING) {
    put_numbers(L, s, name, kind, width);
    return;
  }
  size_t n;
  const char *text = lua_tolstring(L, -1, &n);
  if (strlen(text) != n) luaL_error(L, "field '%s' cannot be stored: it holds a zero byte", name);
  sweep_row_string(s->out, name, text, n);
}

enum { SELF = 1, BODY, SEEDER, NAMES, NUMBER, RESULT };

/* stack: SELF..NUMBER; runs under pcall: seeds the random numbers, calls the body, packs the result
 */
static int run_one(lua_State *L) {
  bind_sweep *s = lua_touserdata(L, SELF);
  lua_pushvalue(L, SEEDER);
  lua_pushinteger(L, s->seed);
  lua_pushvalue(L, NUMBER);
  lua_call(L, 2, 0);
  lua_pushvalue(L, BODY);
  lua_pushvalue(L, NUMBER);
  lua_call(L, 1, 1);
  if (lua_type(L, RESULT) != LUA_TTABLE)
    luaL_error(L, "a sample must return a table of named fields, got %s", luaL_typename(L, RESULT));
  if (!same_names(L, NAMES, RESULT)) sort_names(L, NAMES, RESULT);
  int n = (int)lua_rawlen(L, NAMES);
  sweep_row_begin(s->out, n);
  for (int i = 1; i <= n; i++) {
    lua_rawgeti(L, NAMES, i);
    const char *name = lua_tostring(L, -1);
    lua_pushvalue(L, -1);
    lua_rawget(L, RESULT);
    put_value(L, s, name);
    lua_settop(L, RESULT);
  }
  return 0;
}

/* the text of the error at the top: an object may fail to give one */
static int error_text(lua_State *L) {
  luaL_tolstring(L, 1, NULL);
  return 1;
}

static void put_error(lua_State *L, sweep_bytes *out) {
  lua_pushcfunction(L, error_text);
  lua_insert(L, -2);
  if (lua_pcall(L, 1, 1, 0)) {
    lua_pop(L, 1);
    lua_pushliteral(L, "(an error whose __tostring fails)");
  }
  const char *message = lua_tostring(L, -1);
  core_status status = bind_status_of(L, message);
  sweep_row_failed(out, status ? status : CORE_CALLBACK, message);
}

void bind_sweep_sample(void *self, size_t i, sweep_bytes *out) {
  bind_sweep *s = self;
  lua_State *L = s->L;
  int top = lua_gettop(L);
  size_t start = out->n;
  s->out = out;
  lua_pushcfunction(L, run_one);
  lua_pushlightuserdata(L, s);
  lua_pushvalue(L, s->body);
  lua_pushvalue(L, s->seeder);
  lua_pushvalue(L, s->names);
  lua_pushinteger(L, (lua_Integer)i + 1);
  if (lua_pcall(L, 5, 0, 0) != LUA_OK) {
    out->n = start;
    put_error(L, out);
  }
  lua_settop(L, top);
}
