#include "bind/param.h"

#include <lauxlib.h>
#include <lualib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bind/matrix.h"
#include "bind/object.h"

/* ---- words ---- */

static const char *article(const char *noun) {
  return strchr("aeiou", noun[0]) ? "an" : "a";
}

static void describe_userdata(lua_State *L, int index, char *text, size_t size) {
  const bind_matrix *A = bind_matrix_test(L, index);
  if (A) {
    snprintf(text, size, "a %d x %d matrix", A->rows, A->cols);
  } else if (luaL_getmetafield(L, index, "__name") == LUA_TSTRING) {
    const char *name = lua_tostring(L, -1);
    if (!strcmp(name, "knock.table")) name = "table of k.table's";
    if (!strcmp(name, LUA_FILEHANDLE)) name = "open file";
    snprintf(text, size, "%s %s", article(name), name);
    lua_pop(L, 1);
  } else {
    snprintf(text, size, "a userdata");
  }
}

int bind_is_knock(lua_State *L, int index) {
  int found = 0;
  if (luaL_getmetafield(L, index, "__name") != LUA_TNIL) {
    found = lua_type(L, -1) == LUA_TSTRING && !strncmp(lua_tostring(L, -1), "knock", 5);
    lua_pop(L, 1);
  }
  return found;
}

/* a table has a length, or nothing in it, or fields by name alone */
static void describe_table(lua_State *L, int index, char *text, size_t size) {
  if (bind_is_knock(L, index)) {
    snprintf(text, size, "knock itself: use a dot, as in k.ball{...}, not a colon");
    return;
  }
  int n = (int)lua_rawlen(L, index), table = lua_absindex(L, index);
  lua_pushnil(L);
  int named = lua_next(L, table);
  if (named) lua_pop(L, 2);
  if (n)
    snprintf(text, size, "a list of %d", n);
  else
    snprintf(text, size, named ? "a table of named fields" : "an empty list");
}

void bind_describe(lua_State *L, int index, char *text, size_t size) {
  int type = lua_type(L, index);
  switch (type) {
    case LUA_TNONE:
    case LUA_TNIL: snprintf(text, size, "nil"); break;
    case LUA_TBOOLEAN: snprintf(text, size, lua_toboolean(L, index) ? "true" : "false"); break;
    case LUA_TSTRING: snprintf(text, size, "a string ('%.40s')", lua_tostring(L, index)); break;
    case LUA_TNUMBER: {
      double x = lua_tonumber(L, index);
      snprintf(text, size, isnan(x) ? "nan" : "%.10g", x);
      break;
    }
    case LUA_TTABLE: describe_table(L, index, text, size); break;
    case LUA_TUSERDATA: describe_userdata(L, index, text, size); break;
    case LUA_TTHREAD: snprintf(text, size, "a coroutine"); break;
    default: snprintf(text, size, "a %s", lua_typename(L, type));
  }
}

/* ---- one parameter ---- */

static core_status mismatch(const core_schema *schema, const core_param *p, const char *got,
                            core_error *err) {
  char expects[160];
  core_param_expects(p, expects, sizeof expects);
  return core_fail(err, CORE_BAD_INPUT, "%s: %s must be %s, got %s", schema->owner, p->key, expects,
                   got);
}

static core_status mismatch_at(lua_State *L, int index, const core_schema *schema,
                               const core_param *p, core_error *err) {
  char got[96];
  bind_describe(L, index, got, sizeof got);
  return mismatch(schema, p, got, err);
}

enum { SHORT = 8 }; /* numbers of a vector that are read without scratch memory */

/* index of a word in "x|y|z", -1 when it is not there */
static int choice_index(const char *choices, const char *word) {
  size_t length = strlen(word);
  for (int i = 0; choices; i++) {
    size_t here = strcspn(choices, "|");
    if (here == length && !strncmp(choices, word, length)) return i;
    choices = choices[here] ? choices + here + 1 : NULL;
  }
  return -1;
}

/* A vector from a flat list of as many numbers, in one pass: what loops do most. How many were read
 * into x; 0: anything else, which read_many looks at closely. */
static int read_short(lua_State *L, int index, int type, const core_param *p, double x[SHORT]) {
  if (type != LUA_TTABLE || p->kind != CORE_VECTOR || p->n > SHORT) return 0;
  int n = 0, isnum = 1;
  for (; n < p->n && isnum; n++) {
    isnum = lua_rawgeti(L, index, n + 1) == LUA_TNUMBER;
    x[n] = lua_tonumber(L, -1);
  }
  lua_pop(L, n);
  return isnum && (int)lua_rawlen(L, index) == n ? n : 0;
}

static core_status read_many(lua_State *L, int index, int type, const core_schema *schema,
                             const core_param *p, void *at, core_scratch *s, core_error *err) {
  char got[128];
  double few[SHORT];
  int n = read_short(L, index, type, p, few);
  if (n) return core_param_set(schema, p, at, n, few, err);
  int rows, cols;
  double *x;
  if (!bind_numbers(L, index, s, &rows, &cols, &x, got, sizeof got))
    return mismatch(schema, p, got, err);
  int scalar = type == LUA_TNUMBER && p->kind == CORE_VECTOR && p->n > 1;
  if (scalar || (p->kind != CORE_MATRIX && rows > 1 && cols > 1))
    return mismatch_at(L, index, schema, p, err);
  core_status status = core_param_set(schema, p, at, rows * cols, x, err);
  if (!status && p->kind == CORE_MATRIX) ((core_list *)((char *)at + p->at))->rows = rows;
  return status;
}

/* a law or a model: its pointer goes to the struct, the Lua value to the anchors */
static core_status read_object(lua_State *L, int index, const core_schema *schema,
                               const core_param *p, void *at, int anchors, core_error *err) {
  void *object = bind_object_test(L, index, p->unit);
  if (!object) return mismatch_at(L, index, schema, p, err);
  *(void **)((char *)at + p->at) = object;
  lua_pushstring(L, p->key);
  lua_pushvalue(L, index);
  lua_rawset(L, anchors);
  return CORE_OK;
}

static core_status read_one(lua_State *L, int index, const core_schema *schema, const core_param *p,
                            void *at, int anchors, core_scratch *s, core_error *err) {
  int type = lua_type(L, index);
  double x = 0;
  switch (p->kind) {
    case CORE_NUMBER:
    case CORE_INTEGER:
      if (type != LUA_TNUMBER) return mismatch_at(L, index, schema, p, err);
      x = lua_tonumber(L, index);
      break;
    case CORE_FLAG:
      if (type != LUA_TBOOLEAN) return mismatch_at(L, index, schema, p, err);
      *(int *)((char *)at + p->at) = lua_toboolean(L, index);
      return CORE_OK;
    case CORE_CHOICE: {
      int i = type == LUA_TSTRING ? choice_index(p->choices, lua_tostring(L, index)) : -1;
      if (i < 0) return mismatch_at(L, index, schema, p, err);
      *(int *)((char *)at + p->at) = i;
      return CORE_OK;
    }
    case CORE_OBJECT: return read_object(L, index, schema, p, at, anchors, err);
    case CORE_VALUE:
      if (choice_index(p->choices, luaL_typename(L, index)) >= 0) return CORE_OK;
      return mismatch_at(L, index, schema, p, err);
    default: return read_many(L, index, type, schema, p, at, s, err);
  }
  return core_param_set(schema, p, at, 1, &x, err);
}

/* ---- the table ---- */

/* words that scripts may use in place of a symbol */
static const struct {
  const char *word, *key;
} synonyms[] = {{"friction", "mu"},
                {"restitution", "e"},
                {"limit", "max_events"}, /* older words */
                {"max_impacts", "max_events"}};
enum { SYNONYMS = sizeof synonyms / sizeof *synonyms };

const core_param *bind_param_find(const core_schema *schema, const char *key) {
  const core_param *p = core_schema_find(schema, key);
  for (int i = 0; !p && i < SYNONYMS; i++)
    if (!strcmp(key, synonyms[i].word)) p = core_schema_find(schema, synonyms[i].key);
  return p;
}

static const char *nearest(const core_schema *schema, const char *key) {
  const char *near = core_schema_nearest(schema, key);
  for (int i = 0; !near && i < SYNONYMS; i++)
    if (core_distance(key, synonyms[i].word, 2) <= 2 && core_schema_find(schema, synonyms[i].key))
      near = synonyms[i].word;
  return near;
}

static core_status unknown(const core_schema *schema, const char *key, core_error *err) {
  const char *near = nearest(schema, key);
  if (near)
    return core_fail(err, CORE_BAD_INPUT, "%s: unknown parameter '%s' (did you mean '%s'?)",
                     schema->owner, key, near);
  char list[150] = "";
  for (int i = 0; i < schema->n; i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", schema->params[i].key);
  }
  return core_fail(err, CORE_BAD_INPUT, "%s: unknown parameter '%s' (it has: %s)", schema->owner,
                   key, schema->n ? list : "none");
}

/* key at -2, value at -1 */
static core_status read_pair(lua_State *L, const core_schema *schema, void *at, int anchors,
                             core_scratch *s, unsigned *common, core_error *err) {
  if (lua_type(L, -2) != LUA_TSTRING) {
    char got[96];
    bind_describe(L, -1, got, sizeof got);
    return core_fail(err, CORE_BAD_INPUT, "%s: takes named parameters, as in {%s = ...}, got %s",
                     schema->owner, schema->n ? schema->params[0].key : "name", got);
  }
  const char *key = lua_tostring(L, -2);
  const core_param *p = bind_param_find(schema, key);
  if (!p) return unknown(schema, key, err);
  *common &= p->flags;
  return read_one(L, lua_gettop(L), schema, p, at, anchors, s, err);
}

core_status bind_params_read(lua_State *L, int index, const core_schema *schema, void *at,
                             int anchors, core_scratch *s, core_error *err) {
  unsigned common;
  return bind_params_flags(L, index, schema, at, anchors, s, &common, err);
}

core_status bind_params_flags(lua_State *L, int index, const core_schema *schema, void *at,
                              int anchors, core_scratch *s, unsigned *common, core_error *err) {
  index = lua_absindex(L, index);
  *common = ~0u;
  core_mark mark = core_scratch_mark(s);
  core_status status = CORE_OK;
  lua_pushnil(L);
  while (!status && lua_next(L, index)) {
    status = read_pair(L, schema, at, anchors, s, common, err);
    lua_pop(L, 1);
  }
  if (status) lua_pop(L, 1); /* the key of the pair that failed */
  core_scratch_release(s, mark);
  return status;
}

static int given(lua_State *L, int index, const char *key) {
  lua_pushstring(L, key);
  int there = lua_rawget(L, index) != LUA_TNIL;
  lua_pop(L, 1);
  return there;
}

core_status bind_params_complete(lua_State *L, int index, const core_schema *schema,
                                 core_error *err) {
  for (int i = 0; i < schema->n; i++) {
    const core_param *p = &schema->params[i];
    if (p->def || given(L, index, p->key)) continue;
    int other = 0;
    for (int k = 0; k < SYNONYMS; k++)
      if (!strcmp(p->key, synonyms[k].key)) other |= given(L, index, synonyms[k].word);
    if (!other) return mismatch(schema, p, "nothing", err);
  }
  return CORE_OK;
}

/* ---- back to Lua ---- */

static void push_word(lua_State *L, const char *choices, int i) {
  while (i-- > 0) choices += strcspn(choices, "|") + 1;
  lua_pushlstring(L, choices, strcspn(choices, "|"));
}

static void push_number(lua_State *L, double x) {
  if (isnan(x))
    lua_pushnil(L);
  else
    lua_pushnumber(L, x);
}

static void push_list(lua_State *L, const core_param *p, const core_list *l) {
  if (l->n == 0)
    lua_pushnil(L);
  else if (p->kind == CORE_MATRIX)
    bind_matrix_push(L, l->rows ? l->rows : l->n, l->rows ? l->n / l->rows : 1, core_list_data(l));
  else if (l->n == 1)
    lua_pushnumber(L, core_list_data(l)[0]);
  else
    bind_vector_push(L, l->n, core_list_data(l));
}

void bind_param_push(lua_State *L, const core_param *p, const void *at, int anchors) {
  const char *value = (const char *)at + p->at;
  switch (p->kind) {
    case CORE_NUMBER: push_number(L, *(const double *)value); break;
    case CORE_INTEGER: lua_pushinteger(L, *(const int *)value); break;
    case CORE_FLAG: lua_pushboolean(L, *(const int *)value); break;
    case CORE_CHOICE: push_word(L, p->choices, *(const int *)value); break;
    case CORE_VECTOR:
      if (isnan(*(const double *)value))
        lua_pushnil(L);
      else
        bind_vector_push(L, p->n, (const double *)value);
      break;
    case CORE_LIST:
    case CORE_MATRIX: push_list(L, p, (const core_list *)value); break;
    case CORE_VALUE: lua_pushnil(L); break;
    case CORE_OBJECT:
      if (anchors && lua_istable(L, anchors))
        lua_getfield(L, anchors, p->key);
      else
        lua_pushnil(L);
      break;
  }
}

/* ---- tables of scripts ---- */

int bind_by_name(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TTABLE) return 0;
  lua_pushnil(L);
  if (!lua_next(L, index)) return 0;
  int named = lua_type(L, -2) == LUA_TSTRING;
  lua_pop(L, 2);
  return named;
}

void bind_push_copy(lua_State *L, int from) {
  lua_newtable(L);
  int to = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, from);) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, to);
  }
}
