/* Lists of a law by the names of a mechanism's contacts: mu = { foot = 0.8, stop = 0 }.
 *
 * Such a law keeps its names as a second user value, {mu = {foot = 0.8, stop = 0}}; its own lists
 * hold the same numbers in the order of the names, so that they are checked when it is made. Which
 * number belongs to which contact is known when it meets a mechanism: lua/knock/mechanism/contacts
 * gives a law with plain lists.
 */
#include <lauxlib.h>

#include "bind/bind.h"
#include "bind/object.h"
#include "bind/param.h"

/* pushes the numbers of the table at `from` as a list */
static void push_values(lua_State *L, int from, const char *owner, const char *key) {
  lua_newtable(L);
  int n = 0;
  for (lua_pushnil(L); lua_next(L, from); lua_pop(L, 1)) {
    char got[96];
    bind_describe(L, -1, got, sizeof got);
    if (lua_type(L, -2) != LUA_TSTRING)
      bind_error(L, "%s: %s must be by the names of contacts, or a list, not both", owner, key);
    if (lua_type(L, -1) != LUA_TNUMBER)
      bind_error(L, "%s: %s.%s must be a number, got %s", owner, key, lua_tostring(L, -2), got);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -4, ++n);
  }
}

/* pushes the names that a law has already, or nil */
static void push_old(lua_State *L, int old) {
  if (!old || !bind_law_test(L, old)->named)
    lua_pushnil(L);
  else
    lua_getiuservalue(L, old, 2);
}

static const core_param *is_list(const core_schema *schema, const char *key) {
  const core_param *p = bind_param_find(schema, key);
  return p && p->kind == CORE_LIST ? p : NULL;
}

void bind_law_names(lua_State *L, int index, int old, const core_schema *schema) {
  push_old(L, old);
  int names = lua_gettop(L), some = 0;
  if (!lua_isnil(L, names)) {
    bind_push_copy(L, names);
    lua_replace(L, names);
  }
  bind_push_copy(L, index);
  lua_replace(L, index);
  lua_newtable(L); /* what takes the place of lists by name */
  int plain = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    const core_param *p =
        lua_type(L, -2) == LUA_TSTRING ? is_list(schema, lua_tostring(L, -2)) : NULL;
    if (!p) continue;
    int named = bind_by_name(L, lua_gettop(L));
    if (lua_isnil(L, names) && !named) continue;
    if (lua_isnil(L, names)) {
      lua_newtable(L);
      lua_replace(L, names);
    }
    if (named) {
      push_values(L, lua_gettop(L), schema->owner, p->key);
      lua_setfield(L, plain, p->key);
      lua_pushvalue(L, -1);
    } else {
      lua_pushnil(L);
    }
    lua_setfield(L, names, p->key);
  }
  for (lua_pushnil(L); lua_next(L, plain);) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, index);
  }
  lua_pop(L, 1);
  if (lua_isnil(L, names)) return;
  lua_pushnil(L);
  some = lua_next(L, names);
  lua_settop(L, names);
  if (!some) {
    lua_pushnil(L);
    lua_replace(L, names);
  }
}

/* pushes a function of lua/knock/mechanism/contacts */
static void push_function(lua_State *L, const char *name) {
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, "knock.mechanism.contacts") != LUA_TTABLE) {
    lua_pop(L, 1);
    if (luaL_loadstring(L, "return require 'knock.mechanism.contacts'")) lua_error(L);
    lua_call(L, 0, 1);
  }
  lua_getfield(L, -1, name);
  lua_replace(L, -3);
  lua_pop(L, 1);
}

void bind_law_resolve(lua_State *L, int index, int of_model, int contacts) {
  push_function(L, "of_model");
  lua_pushvalue(L, index);
  lua_pushvalue(L, of_model);
  if (contacts)
    lua_pushvalue(L, contacts);
  else
    lua_pushnil(L);
  lua_call(L, 3, 1);
  lua_replace(L, index);
}

void bind_law_of_problem(lua_State *L, int index, int problem) {
  if (!bind_law_test(L, index) || !bind_law_test(L, index)->named) return;
  push_function(L, "of_problem");
  lua_pushvalue(L, index);
  lua_pushvalue(L, problem);
  lua_call(L, 2, 1);
  lua_replace(L, index);
}

law *bind_law_meet(lua_State *L, int index, int of_model, const char *who) {
  const bind_law *b = bind_law_test(L, index);
  if (b && b->named) bind_law_resolve(L, index, of_model, 0);
  return bind_law_check(L, index, who);
}

uint64_t bind_law_meant(lua_State *L, int index, int of_model, const char *key, const char *word) {
  uint64_t meant = 0;
  push_function(L, "meant");
  lua_pushvalue(L, index);
  lua_pushvalue(L, of_model);
  lua_pushstring(L, key);
  lua_pushstring(L, word);
  lua_call(L, 4, 1);
  for (lua_Integer i = 1, n = luaL_len(L, -1); i <= n; i++, lua_pop(L, 1)) {
    lua_rawgeti(L, -1, i);
    lua_Integer c = lua_tointeger(L, -1);
    if (c > 64)
      bind_error(L, "%s.%s is the list of contact %d: the first 64 can be set", key, word, (int)c);
    meant |= (uint64_t)1 << (c - 1);
  }
  lua_pop(L, 1);
  return meant;
}
