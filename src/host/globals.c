#include "host/globals.h"

#include <lauxlib.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "bind/object.h"
#include "core/param.h"

/* the nearest name so far */
typedef struct guess {
  const char *wanted;
  int limit; /* names farther away than this are no guess */
  char name[64];
} guess;

static void consider(guess *g, const char *name) {
  if (!name || *name == '(' || !strcmp(name, g->wanted)) return;
  int d = core_distance(g->wanted, name, g->limit);
  if (d > g->limit) return;
  if (d == g->limit && *g->name && strcmp(g->name, name) < 0) return; /* same for every run */
  g->limit = d;
  snprintf(g->name, sizeof g->name, "%s", name);
}

/* locals and upvalues of the function that asked */
static void consider_locals(lua_State *L, guess *g) {
  lua_Debug ar;
  if (!lua_getstack(L, 1, &ar)) return;
  const char *name;
  for (int i = 1; (name = lua_getlocal(L, &ar, i)); i++) {
    consider(g, name);
    lua_pop(L, 1);
  }
  lua_getinfo(L, "f", &ar);
  for (int i = 1; (name = lua_getupvalue(L, -1, i)); i++) {
    consider(g, name);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/* string keys of the table on top */
static void consider_keys(lua_State *L, guess *g) {
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING) consider(g, lua_tostring(L, -2));
}

/* "floor" is a field of math: a better guess than a global that looks alike */
static int find_in_libraries(lua_State *L, guess *g) {
  static const char *const libraries[] = {"math", "string", "table", "io", "os", "coroutine"};
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    int there = lua_getfield(L, -1, libraries[i]) == LUA_TTABLE &&
                lua_getfield(L, -1, g->wanted) != LUA_TNIL;
    lua_settop(L, 2);
    if (there) snprintf(g->name, sizeof g->name, "%s.%s", libraries[i], g->wanted);
    if (there) return 1;
  }
  return 0;
}

static int has(lua_State *L, const char *name) {
  lua_pushstring(L, name);
  int there = lua_rawget(L, -2) != LUA_TNIL;
  lua_pop(L, 1);
  return there;
}

/* "ball" is k.ball, and "stronge" k.law.stronge, once knock is there */
static int find_in_knock(lua_State *L, guess *g) {
  const char *prefix = NULL;
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, "knock") == LUA_TTABLE) {
    if (has(L, g->wanted)) prefix = "k";
    lua_pushliteral(L, "law");
    if (!prefix && lua_rawget(L, -2) == LUA_TTABLE && has(L, g->wanted)) prefix = "k.law";
  }
  lua_settop(L, 2);
  if (prefix) snprintf(g->name, sizeof g->name, "%s.%s", prefix, g->wanted);
  return prefix != NULL;
}

/* names of other Luas that libraries probe: nil, as in stock lua */
static int is_probe(const char *name) {
  static const char *const probes[] = {"unpack",   "loadstring", "setfenv", "getfenv",
                                       "module",   "bit",        "bit32",   "jit",
                                       "newproxy", "_PROMPT",    "_PROMPT2"};
  for (size_t i = 0; i < sizeof probes / sizeof *probes; i++)
    if (!strcmp(name, probes[i])) return 1;
  return 0;
}

/* __index of _G: table, key */
static int undefined(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING || is_probe(lua_tostring(L, 2))) return 0;
  guess g = {.wanted = lua_tostring(L, 2)};
  g.limit = bind_guess(g.wanted);
  if (!find_in_libraries(L, &g) && !find_in_knock(L, &g)) {
    consider_locals(L, &g);
    lua_pushvalue(L, 1);
    consider_keys(L, &g);
  }
  if (!*g.name) return luaL_error(L, "undefined global '%s'", g.wanted);
  return luaL_error(L, "undefined global '%s' (did you mean '%s'?)", g.wanted, g.name);
}

/* os.setlocale(name[, category]): as in stock lua, but numbers keep their point. With a comma files
 * would change, and those of others could not be read. */
static int set_locale(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 1);
  setlocale(LC_NUMERIC, "C");
  return 1;
}

void host_open_locale(lua_State *L) {
  lua_getglobal(L, "os");
  lua_getfield(L, -1, "setlocale");
  lua_pushcclosure(L, set_locale, 1);
  lua_setfield(L, -2, "setlocale");
  lua_pop(L, 1);
}

void host_open_globals(lua_State *L) {
  lua_pushglobaltable(L);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, undefined);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
}
