#include "bind/object.h"

#include <lauxlib.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/param.h"

void *bind_object_test(lua_State *L, int index, const char *unit) {
  if (unit && !strcmp(unit, "a law")) {
    bind_law *b = bind_law_test(L, index);
    return b ? b->l : NULL;
  }
  if (unit && !strcmp(unit, "a model")) {
    bind_model *b = bind_model_test(L, index);
    return b ? b->m : NULL;
  }
  return NULL;
}

void *bind_object_of(lua_State *L, int index, const bind_kind *key) {
  void **object = lua_touserdata(L, index);
  return object && lua_rawlen(L, index) >= sizeof(void *) && *object == key ? (void *)object : NULL;
}

/* the object, which is on top, gets its name in front and a metatable */
static inline void become(lua_State *L, void *object, const bind_kind *key, enum bind_slot slot) {
  *(const void **)object = key;
  lua_rawgeti(L, LUA_REGISTRYINDEX, bind_state_of(L)->metatables[slot]);
  lua_setmetatable(L, -2);
}

void bind_class_add(lua_State *L, enum bind_slot slot) {
  bind_state_of(L)->metatables[slot] = luaL_ref(L, LUA_REGISTRYINDEX);
}

void bind_object_is(lua_State *L, void *object, const bind_kind *key) {
  become(L, object, key, key->slot);
}

void bind_object_rests(lua_State *L, void *object, const bind_kind *key) {
  become(L, object, key, key->rests);
}

/* the metatable of the kind once more, without __gc */
void bind_class_resting(lua_State *L, const bind_kind *key) {
  lua_newtable(L);
  lua_rawgetp(L, LUA_REGISTRYINDEX, key);
  for (lua_pushnil(L); lua_next(L, -2);) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -5);
  }
  lua_pop(L, 1);
  lua_pushnil(L);
  lua_setfield(L, -2, "__gc");
  bind_class_add(L, key->rests);
}

void bind_metatable(lua_State *L, const char *name, const luaL_Reg *functions,
                    const bind_kind *key) {
  lua_newtable(L);
  bind_methods(L, name);
  luaL_setfuncs(L, functions, 1);
  lua_pushstring(L, name);
  lua_setfield(L, -2, "__name");
  lua_pushstring(L, name);
  lua_setfield(L, -2, "__metatable");
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, key);
  bind_class_add(L, key->slot);
}

/* ---- building ---- */

void bind_check_table(lua_State *L, int index, const char *owner) {
  if (lua_type(L, index) == LUA_TTABLE && lua_gettop(L) == index) return; /* as most calls are */
  if (lua_isnoneornil(L, index)) {
    lua_settop(L, index - 1);
    lua_newtable(L);
  } else if (!lua_istable(L, index)) {
    char got[96];
    bind_describe(L, index, got, sizeof got);
    bind_error(L, "%s: takes a table of parameters, got %s", owner, got);
  } else if (bind_is_knock(L, index)) {
    bind_error(L, "%s: use a dot, as in k.%s{...}, not a colon", owner, owner);
  }
  lua_settop(L, index);
}

int bind_object_holds(const core_schema *schema) {
  for (int i = 0; i < schema->n; i++)
    if (schema->params[i].kind == CORE_OBJECT) return 1;
  return 0;
}

/* pushes a table of anchors that starts as a copy of the one at `from` (0: empty), and makes it
 * the owner's */
static void push_anchors(lua_State *L, int from, int owner) {
  lua_newtable(L);
  int anchors = lua_gettop(L);
  if (from && lua_getiuservalue(L, from, 1) == LUA_TTABLE) {
    for (lua_pushnil(L); lua_next(L, -2);) {
      lua_pushvalue(L, -2);
      lua_insert(L, -2);
      lua_rawset(L, anchors);
    }
  }
  lua_settop(L, anchors);
  lua_pushvalue(L, anchors);
  lua_setiuservalue(L, owner, 1);
}

static core_status read_and_make(lua_State *L, int index, int anchors, const core_schema *schema,
                                 const void *from, bind_maker make, const void *type, void *to,
                                 core_scratch *s, core_error *err) {
  void *params = core_scratch_bytes(s, schema->size ? schema->size : 1);
  if (!params) return core_no_memory(err);
  core_status status =
      from ? core_schema_copy(schema, params, from) : core_schema_defaults(schema, params);
  if (status) return core_fail(err, status, "%s", "");
  if (index) status = bind_params_read(L, index, schema, params, anchors, s, err);
  if (!status && !from) status = bind_params_complete(L, index, schema, err);
  if (!status) status = make(type, params, to, err);
  core_schema_free(schema, params);
  return status;
}

core_status bind_object_make(lua_State *L, int index, int owner, const core_schema *schema,
                             const void *from, bind_maker make, const void *type, void *to,
                             core_error *err) {
  int anchors = 0, source = from ? 1 : 0; /* `with` has the old object at 1 */
  if (bind_object_holds(schema)) {
    push_anchors(L, source, owner);
    anchors = lua_gettop(L);
  } else if (source) {
    lua_getiuservalue(L, source, 1);
    lua_setiuservalue(L, owner, 1);
  }
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  core_status status = read_and_make(L, index, anchors, schema, from, make, type, to, s, err);
  core_scratch_release(s, mark);
  if (anchors) lua_remove(L, anchors);
  return status;
}

/* ---- reading ---- */

int bind_object_param(lua_State *L, int owner, const core_schema *schema, const void *params,
                      const char *key) {
  const core_param *p = bind_param_find(schema, key);
  if (!p) return 0;
  lua_getiuservalue(L, owner, 1);
  bind_param_push(L, p, params, lua_gettop(L));
  lua_remove(L, -2);
  return 1;
}

void bind_object_params(lua_State *L, int owner, const core_schema *schema, const void *params) {
  lua_newtable(L);
  for (int i = 0; i < schema->n; i++) {
    bind_object_param(L, owner, schema, params, schema->params[i].key);
    lua_setfield(L, -2, schema->params[i].key);
  }
}

void bind_object_describe(lua_State *L, int owner, const core_schema *schema, const void *params) {
  lua_createtable(L, schema->n, 0);
  for (int i = 0; i < schema->n; i++) {
    const core_param *p = &schema->params[i];
    lua_createtable(L, 0, 4);
    lua_pushstring(L, p->key);
    lua_setfield(L, -2, "key");
    lua_pushstring(L, p->kind == CORE_OBJECT || !p->unit ? "" : p->unit);
    lua_setfield(L, -2, "unit");
    lua_pushstring(L, p->doc);
    lua_setfield(L, -2, "doc");
    bind_object_param(L, owner, schema, params, p->key);
    lua_setfield(L, -2, "value");
    lua_rawseti(L, -2, i + 1);
  }
}

void bind_methods(lua_State *L, const char *name) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, "knock.methods");
  luaL_getsubtable(L, -1, name);
  lua_remove(L, -2);
}

int bind_guess(const char *word) {
  size_t n = strlen(word);
  return n < 2 ? 0 : n < 4 ? 1 : 2;
}

const char *bind_nearest(const char *key, const char *const *names) {
  for (int limit = 1; limit <= bind_guess(key); limit++)
    for (int i = 0; names[i]; i++)
      if (core_distance(key, names[i], limit) <= limit) return names[i];
  return NULL;
}

void bind_guess_text(const char *near, char *text, size_t size) {
  snprintf(text, size, near ? " (did you mean '%s'?)" : "", near);
}

int bind_no_name(lua_State *L, const char *what, const char *name, const char *const *names) {
  const char *near = bind_nearest(name, names);
  if (near) return bind_error(L, "%s '%s' (did you mean '%s'?)", what, name, near);
  char list[150] = "";
  for (size_t used = 0; *names && used < sizeof list - 1; names++, used = strlen(list))
    snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", *names);
  return bind_error(L, "%s '%s' (there are: %s)", what, name, list);
}

int bind_method(lua_State *L) {
  lua_pushvalue(L, 2);
  return lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL;
}

int bind_late_method(lua_State *L) {
  lua_pushvalue(L, 2);
  return lua_gettable(L, lua_upvalueindex(1)) != LUA_TNIL;
}

int bind_no_field(lua_State *L, const char *who, const char *near) {
  const char *word = lua_tostring(L, 2);
  if (near && !strcmp(near, word)) /* others of its kind have it */
    return bind_error(L, "%s of this model has no field '%s'", who, word);
  if (near) return bind_error(L, "%s has no field '%s' (did you mean '%s'?)", who, word, near);
  return bind_error(L, "%s has no field '%s'", who, word);
}

void bind_shown_by(lua_State *L, const char *name) {
  lua_pushstring(L, name);
  lua_setfield(L, -2, "__name");
  lua_pushcfunction(L, bind_page);
  lua_setfield(L, -2, "__tostring");
}

/* the one metatable of each name is kept in the registry */
void bind_shown(lua_State *L, const char *name) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, "knock.shown");
  if (lua_getfield(L, -1, name) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_createtable(L, 0, 2);
    bind_shown_by(L, name);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, name);
  }
  lua_remove(L, -2);
  lua_setmetatable(L, -2);
}

int bind_page(lua_State *L) {
  lua_settop(L, 1);
  luaL_getmetafield(L, 1, "__name");
  bind_methods(L, lua_tostring(L, 2));
  if (lua_getfield(L, 3, "page") == LUA_TNIL) {
    lua_pushfstring(L, "%s: %p", lua_tostring(L, 2), lua_topointer(L, 1));
    return 1;
  }
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  return 1;
}

void bind_check_colon(lua_State *L, int index, const char *who, const char *of) {
  static const char *const methods[] = {"with", "at",     "parameters", "describe", "next", "trace",
                                        "page", "course", "sample",     "write",    NULL};
  for (int i = 0; methods[i] && index == 1; i++)
    if (!strcmp(who, methods[i]))
      bind_error(L, "%s is a method of %s: use : as in x:%s(...), not a dot", who, of, who);
}
