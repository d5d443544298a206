/* Laws as Lua values: k.law.stronge{...}, l:with{...}, l.e. */
#include <lauxlib.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/lua_law.h"
#include "bind/object.h"
#include "bind/param.h"

static const bind_kind key = {BIND_LAW, BIND_LAW_RESTS}; /* registry[&key] is the metatable */

bind_law *bind_law_test(lua_State *L, int index) {
  bind_law *b = bind_object_of(L, index, &key);
  return b && b->l ? b : NULL;
}

law *bind_law_check(lua_State *L, int index, const char *who) {
  bind_law *b = bind_law_test(L, index);
  if (b && b->named)
    bind_error(L,
               "%s: this law has lists by the names of contacts, which only a mechanism can tell "
               "apart; give numbers or plain lists here",
               who);
  if (b) return b->l;
  char got[96];
  bind_describe(L, index, got, sizeof got);
  bind_check_colon(L, index, who, "a law");
  bind_error(L, "%s: argument %d must be a law, as k.law.stronge{} makes one, got %s", who, index,
             got);
  return NULL;
}

bind_law *bind_law_new(lua_State *L) {
  bind_law *b = lua_newuserdatauv(L, sizeof *b, 2);
  *b = (bind_law){0};
  bind_object_is(L, b, &key);
  return b;
}

static int collect(lua_State *L) {
  bind_law *b = lua_touserdata(L, 1);
  law_free(b->l);
  b->l = NULL;
  return 0;
}

/* ---- making ---- */

static core_status make(const void *type, const void *params, void *to, core_error *err) {
  return law_create(type, params, to, err);
}

/* the names on top of the stack, or nil, become the law's; a law inside may have some too */
static void keep_names(lua_State *L, int owner, bind_law *b) {
  b->named = !lua_isnil(L, -1);
  lua_setiuservalue(L, owner, 2);
  const core_param *inner = b->l->type->inner;
  if (!inner || lua_getiuservalue(L, owner, 1) != LUA_TTABLE) return;
  lua_getfield(L, -1, inner->key);
  const bind_law *within = bind_law_test(L, lua_gettop(L));
  b->named |= within && within->named;
  lua_pop(L, 2);
}

/* k.law.stronge{...}; upvalue: the law_type */
static int build(lua_State *L) {
  const law_type *type = lua_touserdata(L, lua_upvalueindex(1));
  core_error err = {0};
  bind_check_table(L, 1, type->schema.owner);
  bind_law_names(L, 1, 0, &type->schema); /* 2 */
  bind_law *b = bind_law_new(L);          /* 3 */
  bind_raise_if(L, bind_object_make(L, 1, 3, &type->schema, NULL, make, type, &b->l, &err), &err);
  lua_pushvalue(L, 2);
  keep_names(L, 3, b);
  lua_settop(L, 3);
  return 1;
}

/* the law at 1, by name or not */
static law *self(lua_State *L, const char *who) {
  bind_law *b = bind_law_test(L, 1);
  return b ? b->l : bind_law_check(L, 1, who);
}

/* neither the law at 1 nor the table at 2 has lists by the names of contacts */
static int is_plain(lua_State *L, const law *l) {
  if (bind_law_test(L, 1)->named || bind_object_holds(&l->type->schema)) return 0;
  for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1))
    if (lua_type(L, -1) == LUA_TTABLE) {
      lua_pop(L, 2);
      return 0;
    }
  return 1;
}

/* The changed copy inside the userdata itself, which is pushed; 0: it takes the long way. What the
 * law at 1 points into (the definition of one in Lua) is kept by the copy too. */
static int with_in_one_piece(lua_State *L, const law *l, core_error *err) {
  size_t size = is_plain(L, l) ? law_piece(l) : 0;
  if (!size) return 0;
  int anchors = lua_getiuservalue(L, 1, 1) > LUA_TNIL;
  bind_law *b = lua_newuserdatauv(L, sizeof *b + size, anchors);
  *b = (bind_law){0};
  if (anchors) {
    lua_pushvalue(L, -2);
    lua_setiuservalue(L, -2, 1);
  }
  lua_remove(L, -2);
  law *made = law_place(l, b->piece);
  const core_schema *schema = &l->type->schema;
  core_status status = bind_params_read(L, 2, schema, made->params, 0, bind_scratch(L), err);
  if (!status) status = law_settle(made, err);
  if (status) core_schema_free(schema, made->params);
  if (status == CORE_UNSUPPORTED) return lua_pop(L, 1), 0;
  bind_raise_if(L, status, err);
  b->l = made;
  bind_object_rests(L, b, &key);
  return 1;
}

static int with(lua_State *L) {
  law *l = self(L, "with");
  core_error err;
  err.status = CORE_OK, err.text[0] = 0;
  bind_check_table(L, 2, l->type->schema.owner);
  if (with_in_one_piece(L, l, &err)) return 1;
  bind_law_names(L, 2, 1, &l->type->schema); /* 3 */
  bind_law *b = bind_law_new(L);             /* 4 */
  bind_raise_if(
      L, bind_object_make(L, 2, 4, &l->type->schema, l->params, make, l->type, &b->l, &err), &err);
  lua_pushvalue(L, 3);
  keep_names(L, 4, b);
  lua_settop(L, 4);
  return 1;
}

/* ---- asking ---- */

/* pushes the list by name that the law at 1 has under this key; 0: it has none */
static int push_named(lua_State *L, const char *name) {
  int top = lua_gettop(L);
  if (!bind_law_test(L, 1)->named) return 0;
  if (lua_getiuservalue(L, 1, 2) == LUA_TTABLE && lua_getfield(L, -1, name) == LUA_TTABLE) {
    lua_remove(L, -2);
    return 1;
  }
  lua_settop(L, top);
  return 0;
}

static int parameters(lua_State *L) {
  law *l = self(L, "parameters");
  bind_object_params(L, 1, &l->type->schema, l->params);
  for (int i = 0; i < l->type->schema.n; i++)
    if (push_named(L, l->type->schema.params[i].key))
      lua_setfield(L, -2, l->type->schema.params[i].key);
  return 1;
}

static int describe(lua_State *L) {
  law *l = self(L, "describe");
  bind_object_describe(L, 1, &l->type->schema, l->params);
  for (int i = 0; i < l->type->schema.n; i++) {
    lua_rawgeti(L, -1, i + 1);
    if (push_named(L, l->type->schema.params[i].key)) lua_setfield(L, -2, "value");
    lua_pop(L, 1);
  }
  return 1;
}

/* X(name, unit, doc, expression that pushes the value) */
#define FIELDS(X)                                                                                  \
  X(name, "", "name of the law", lua_pushstring(L, type->name))                                    \
  X(doc, "", "what it is", lua_pushstring(L, type->doc))                                           \
  X(paper, "", "where it comes from", lua_pushstring(L, type->paper))

#define NAME(name, unit, doc, push) #name,
static const char *const fields[] = {FIELDS(NAME) "with", "e", "mu", NULL};
#undef NAME

static int push_field(lua_State *L, const law_type *type, const char *word) {
#define MATCH(field, unit, doc, push)                                                              \
  if (!strcmp(word, #field)) {                                                                     \
    push;                                                                                          \
    return 1;                                                                                      \
  }
  FIELDS(MATCH)
#undef MATCH
  return 0;
}

static int get_field(lua_State *L) {
  bind_law *b = lua_touserdata(L, 1);
  if (!b->l || lua_type(L, 2) != LUA_TSTRING) return 0;
  if (bind_method(L)) return 1;
  const law_type *type = b->l->type;
  const char *word = lua_tostring(L, 2);
  if (b->named && push_named(L, word)) return 1;
  if (bind_object_param(L, 1, &type->schema, b->l->params, word)) return 1;
  if (push_field(L, type, word) || bind_late_method(L)) return 1;
  return bind_no_field(L, type->schema.owner, bind_nearest(word, fields));
}

static int refuse_write(lua_State *L) {
  return bind_error(L, "a law is never changed: l:with{%s = ...} gives a changed copy",
                    lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "e");
}

static const bind_function methods[] = {
    {"with", with, "l:with{key = value, ...} -> law", "A copy with some parameters changed.",
     "local l = k.law.newton{ e = 0.5 }:with{ e = 1 } print(l.e) --> 1.0"},
    {"parameters", parameters, "l:parameters() -> table", "All parameters by name.",
     "print(k.law.newton{ e = 0.5 }:parameters().e) --> 0.5"},
    {"describe", describe, "l:describe() -> list",
     "The parameters in order, each {key, unit, doc, value}.",
     "print(k.law.newton{ e = 0.5 }:describe()[1].key) --> e"},
};

/* ---- opening ---- */

/* __index of k.law: a misspelt law is told the nearest one */
static int unknown_law(lua_State *L) {
  const char *name = luaL_tolstring(L, 2, NULL), *names[64];
  int n = 0;
  for (; law_table[n] && n < 63; n++) names[n] = law_table[n]->name;
  names[n] = NULL;
  const char *near = bind_nearest(name, names);
  if (near) return bind_error(L, "there is no law.%s (did you mean law.%s?)", name, near);
  return bind_error(L, "there is no law.%s", name);
}

void bind_open_law(lua_State *L) {
  static const bind_field docs[] = {FIELDS(BIND_FIELD_DOC)};
  bind_document(L, "law", docs, sizeof docs / sizeof *docs);
  static const luaL_Reg meta[] = {{"__gc", collect},
                                  {"__index", get_field},
                                  {"__newindex", refuse_write},
                                  {"__tostring", bind_page},
                                  {NULL, NULL}};
  bind_metatable(L, "law", meta, &key);
  bind_class_resting(L, &key);
  bind_methods(L, "law");
  bind_register(L, "law", methods, sizeof methods / sizeof *methods);
  lua_pop(L, 1);
  lua_newtable(L);
  for (int i = 0; law_table[i]; i++) {
    lua_pushlightuserdata(L, (void *)law_table[i]);
    lua_pushcclosure(L, build, 1);
    lua_setfield(L, -2, law_table[i]->name);
  }
  lua_createtable(L, 0, 3);
  lua_pushliteral(L, "knock.law");
  lua_setfield(L, -2, "__name");
  lua_pushcfunction(L, bind_lua_law);
  lua_setfield(L, -2, "__call");
  lua_pushcfunction(L, unknown_law);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_setfield(L, -2, "law");
}
