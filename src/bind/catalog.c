/* core.catalog(): everything that is documented, as data for help, lists, the manual and editors.
 */
#include <lauxlib.h>

#include "bind/bind.h"
#include "impact/law.h"
#include "model/model.h"

static void set_text(lua_State *L, const char *name, const char *text) {
  lua_pushstring(L, text ? text : "");
  lua_setfield(L, -2, name);
}

static const char *kind_word(core_kind kind) {
  static const char *const words[] = {"number", "integer", "boolean", "vector", "list",
                                      "matrix", "choice",  "object",  "value"};
  return words[kind];
}

/* {key, unit, kind, n, default, expects, choices, doc}; default is nil when it must be given */
static void push_param(lua_State *L, const core_param *p) {
  char expects[160];
  core_param_expects(p, expects, sizeof expects);
  lua_createtable(L, 0, 8);
  set_text(L, "key", p->key);
  set_text(L, "unit", p->unit);
  set_text(L, "kind", kind_word(p->kind));
  set_text(L, "expects", expects);
  set_text(L, "doc", p->doc);
  if (p->def) set_text(L, "default", p->def);
  if (p->choices) set_text(L, "choices", p->choices);
  lua_pushinteger(L, p->n);
  lua_setfield(L, -2, "n");
}

static void push_params(lua_State *L, const core_schema *schema) {
  lua_createtable(L, schema->n, 0);
  for (int i = 0; i < schema->n; i++) {
    push_param(L, &schema->params[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

static void push_schema(lua_State *L, const core_schema *schema) {
  push_params(L, schema);
  lua_setfield(L, -2, "params");
}

/* a table that cannot be read is a mistake of ours, found at once */
static void check_schema(lua_State *L, const core_schema *schema) {
  core_error err = {0};
  bind_raise_if(L, core_schema_check(schema, &err), &err);
}

void bind_option_schema(lua_State *L, const char *function, const core_schema *schema) {
  check_schema(L, schema);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, "knock.options");
  push_params(L, schema);
  lua_setfield(L, -2, function);
  lua_pop(L, 1);
}

static void push_groups(lua_State *L, const model_group *g) {
  lua_newtable(L);
  for (int n = 1; g && g->name; g++, n++) {
    lua_createtable(L, 0, 3);
    set_text(L, "name", g->name);
    set_text(L, "unit", g->unit);
    set_text(L, "doc", g->doc);
    lua_rawseti(L, -2, n);
  }
  lua_setfield(L, -2, "groups");
}

static void push_models(lua_State *L) {
  lua_newtable(L);
  for (int i = 0; model_table[i]; i++) {
    const model_type *type = model_table[i];
    lua_createtable(L, 0, 6);
    set_text(L, "name", type->schema.owner);
    set_text(L, "doc", type->doc);
    set_text(L, "paper", type->paper);
    set_text(L, "example", type->example);
    push_schema(L, &type->schema);
    push_groups(L, type->groups);
    lua_rawseti(L, -2, i + 1);
  }
}

/* what a law can take, in words */
static void push_abilities(lua_State *L, unsigned flags) {
  static const struct {
    unsigned bit;
    const char *name;
  } words[] = {{LAW_MANY, "many"},         {LAW_GAPS, "gaps"}, {LAW_TIME, "time"},
               {LAW_FRICTION, "friction"}, {LAW_DIM1, "dim1"}, {LAW_DIM2, "dim2"},
               {LAW_MAY_GAIN, "may_gain"}, {LAW_DIM3, "dim3"}};
  lua_newtable(L);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    lua_pushboolean(L, (flags & words[i].bit) != 0);
    lua_setfield(L, -2, words[i].name);
  }
  lua_setfield(L, -2, "takes");
}

static void push_laws(lua_State *L) {
  lua_newtable(L);
  for (int i = 0; law_table[i]; i++) {
    const law_type *type = law_table[i];
    lua_createtable(L, 0, 6);
    set_text(L, "name", type->name);
    set_text(L, "doc", type->doc);
    set_text(L, "paper", type->paper);
    set_text(L, "example", type->example);
    push_schema(L, &type->schema);
    push_abilities(L, type->flags);
    lua_rawseti(L, -2, i + 1);
  }
}

static int catalog(lua_State *L) {
  lua_createtable(L, 0, 3);
  push_models(L);
  lua_setfield(L, -2, "models");
  push_laws(L);
  lua_setfield(L, -2, "laws");
  luaL_getsubtable(L, LUA_REGISTRYINDEX, "knock.doc");
  lua_setfield(L, -2, "functions");
  luaL_getsubtable(L, LUA_REGISTRYINDEX, "knock.options");
  lua_setfield(L, -2, "options");
  luaL_getsubtable(L, LUA_REGISTRYINDEX, "knock.fields");
  lua_setfield(L, -2, "fields");
  return 1;
}

static const bind_function functions[] = {
    {"catalog", catalog, "k.catalog() -> {models, laws, functions, options, fields}",
     "All that is documented, as data: models and laws in the order of the manual, each {name, "
     "doc, "
     "paper, example, params}; functions by owner and name, each {usage, doc, example}; "
     "options by function, each a list like params; fields by type, each {name, unit, doc}.",
     "print(k.catalog().models[1].params[1].key ~= nil) --> true"},
};

void bind_open_catalog(lua_State *L) {
  for (int i = 0; model_table[i]; i++) check_schema(L, &model_table[i]->schema);
  for (int i = 0; law_table[i]; i++) check_schema(L, &law_table[i]->schema);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, "knock.options");
  lua_setfield(L, -2, "options");
  bind_register(L, "k", functions, sizeof functions / sizeof *functions);
}
