#include "bind/spec.h"

#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bind/matrix.h"
#include "bind/param.h"

static const char key; /* registry[&key]: addresses of specs to specs, values are weak */

/* ---- checking a definition ---- */

static int type_allowed(lua_State *L, const char *types) {
  const char *type = bind_matrix_test(L, -1) ? "matrix" : luaL_typename(L, -1);
  size_t length = strlen(type);
  for (const char *at = types; at; at = strchr(at, '|'), at = at ? at + 1 : NULL)
    if (!strncmp(at, type, length) && (at[length] == '|' || !at[length])) return 1;
  return 0;
}

static void check_key(lua_State *L, int index, const char *who, const bind_spec_key *k) {
  char got[96];
  lua_getfield(L, index, k->key);
  int absent = lua_isnil(L, -1) && !k->required;
  if (!absent && !type_allowed(L, k->types)) {
    bind_describe(L, -1, got, sizeof got);
    bind_error(L, "%s: %s must be %s, got %s", who, k->key, k->expects, got);
  }
  lua_pop(L, 1);
}

static void check_unknown(lua_State *L, int index, const char *who, const bind_spec_key *keys) {
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) bind_error(L, "%s: takes named keys only", who);
    const char *word = lua_tostring(L, -2), *near = NULL;
    int known = 0, limit = 2;
    for (const bind_spec_key *k = keys; k->key && !known; k++) {
      int d = core_distance(word, k->key, limit);
      known = d == 0;
      if (d <= limit) near = k->key, limit = d > 1 ? d - 1 : 1;
    }
    if (!known && near) bind_error(L, "%s: unknown key '%s' (did you mean '%s'?)", who, word, near);
    if (!known)
      bind_error(L, "%s: unknown key '%s' (own values go into parameters = {})", who, word);
  }
}

/* ---- parameters become a schema ---- */

static int by_name(const void *a, const void *b) {
  return strcmp(((const core_param *)a)->key, ((const core_param *)b)->key);
}

/* parameters[key] must be numbers; the table is at `index` */
static int count_parameters(lua_State *L, int index, const char *who) {
  int n = 0;
  if (!lua_istable(L, index)) return 0;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1), n++) {
    char got[96];
    if (lua_type(L, -2) != LUA_TSTRING)
      bind_error(L, "%s: parameters must have names, as in {length = 1}", who);
    if (lua_type(L, -1) == LUA_TNUMBER || lua_istable(L, -1) || bind_matrix_test(L, -1)) continue;
    bind_describe(L, -1, got, sizeof got);
    bind_error(L, "%s: parameters.%s must be a number or a list of numbers, got %s", who,
               lua_tostring(L, -2), got);
  }
  return n;
}

/* unit of a parameter from the definition's `units`, or "1"; the definition keeps the string */
static const char *unit_of(lua_State *L, int definition, const char *name) {
  const char *unit = "1";
  if (lua_getfield(L, definition, "units") == LUA_TTABLE) {
    if (lua_getfield(L, -1, name) == LUA_TSTRING) unit = lua_tostring(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return unit;
}

static core_param list_param(const char *name, const char *unit, int i) {
  return (core_param){.key = name,
                      .unit = unit,
                      .kind = CORE_LIST,
                      .at = (size_t)i * sizeof(core_list),
                      .n = 1,
                      .def = "nil",
                      .min = -INFINITY,
                      .max = INFINITY,
                      .flags = CORE_MAY_BE_INF,
                      .doc = ""};
}

static void fill_params(lua_State *L, int definition, int table, bind_spec *spec, int first) {
  int n = first;
  for (lua_pushnil(L); lua_istable(L, table) && lua_next(L, table); lua_pop(L, 1), n++) {
    const char *name = lua_tostring(L, -2);
    spec->params[n] = list_param(name, unit_of(L, definition, name), 0);
  }
  if (!lua_istable(L, table)) lua_pop(L, 1);
  qsort(spec->params + first, (size_t)(n - first), sizeof *spec->params, by_name);
  for (int i = first; i < n; i++) spec->params[i].at = (size_t)i * sizeof(core_list);
}

/* ---- making ---- */

/* registry table of specs, on top */
static void push_specs(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &key) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
}

/* Own copy of the definition, so that the script cannot change it under us. The schema points at
 * the names of its parameters and at their units. */
static void push_definition(lua_State *L, int index) {
  static const char *const tables[] = {"parameters", "units"};
  bind_push_copy(L, index);
  for (int i = 0; i < 2; i++) {
    if (lua_getfield(L, -1, tables[i]) == LUA_TTABLE) {
      bind_push_copy(L, lua_gettop(L));
      lua_setfield(L, -3, tables[i]);
    }
    lua_pop(L, 1);
  }
}

/* "law.mine", kept by the definition under a key that is no string */
static const char *keep_owner(lua_State *L, int definition, const char *who, const char *prefix) {
  lua_getfield(L, definition, "name");
  const char *name = lua_isstring(L, -1) ? lua_tostring(L, -1) : *prefix ? "lua" : who;
  const char *owner = lua_pushfstring(L, "%s%s", prefix, name);
  lua_rawseti(L, definition, 1);
  lua_pop(L, 1);
  return owner;
}

bind_spec *bind_spec_new(lua_State *L, int index, size_t size, const char *who, const char *prefix,
                         const bind_spec_key *keys, const char *const *extra) {
  check_unknown(L, index, who, keys);
  for (const bind_spec_key *k = keys; k->key; k++) check_key(L, index, who, k);
  push_definition(L, index);
  int definition = lua_gettop(L), first = 0;
  lua_getfield(L, definition, "parameters");
  int n = count_parameters(L, definition + 1, who);
  while (extra[first]) first++;
  size = (size + 15) & ~(size_t)15;
  bind_spec *spec = lua_newuserdatauv(L, size + (size_t)(first + n) * sizeof(core_param), 2);
  memset(spec, 0, size);
  spec->state = bind_state_of(L);
  spec->params = (core_param *)((char *)spec + size);
  for (int i = 0; i < first; i++) spec->params[i] = list_param(extra[i], "1", i);
  fill_params(L, definition, definition + 1, spec, first);
  spec->schema = (core_schema){keep_owner(L, definition, who, prefix), spec->params, first + n,
                               (size_t)(first + n) * sizeof(core_list)};
  lua_pushvalue(L, definition);
  lua_setiuservalue(L, -2, 1);
  push_specs(L);
  lua_pushvalue(L, -2);
  lua_rawsetp(L, -2, spec);
  lua_pop(L, 1);
  lua_replace(L, definition);
  lua_settop(L, definition);
  return spec;
}

void bind_spec_values(lua_State *L, int index, const char *const *extra) {
  lua_newtable(L);
  int values = lua_gettop(L);
  if (lua_getfield(L, index, "parameters") == LUA_TTABLE) {
    for (lua_pushnil(L); lua_next(L, -2);) {
      lua_pushvalue(L, -2);
      lua_insert(L, -2);
      lua_rawset(L, values);
    }
  }
  lua_settop(L, values);
  for (int i = 0; extra[i]; i++) {
    lua_getfield(L, index, extra[i]);
    lua_setfield(L, values, extra[i]);
  }
}

/* ---- using ---- */

int bind_spec_get(lua_State *L, const bind_spec *spec, const char *name) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &key);
  lua_rawgetp(L, -1, spec);
  lua_getiuservalue(L, -1, 1);
  int type = lua_getfield(L, -1, name);
  lua_replace(L, -4);
  lua_pop(L, 2);
  return type;
}

void bind_spec_parameters(lua_State *L, const bind_spec *spec, const void *params, int skip) {
  lua_createtable(L, 0, spec->schema.n - skip);
  for (int i = skip; i < spec->schema.n; i++) {
    bind_param_push(L, &spec->params[i], params, 0);
    lua_setfield(L, -2, spec->params[i].key);
  }
}
