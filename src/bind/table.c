/* Tables of results in Lua. C holds the columns and the files; lua/knock/table.lua adds filter,
 * sort, group and the rest on top of these few primitives. */
#include "bind/table.h"
#include "bind/param.h"

#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/file.h"
#include "bind/matrix.h"
#include "bind/object.h"

static const char TYPE[] = "knock.table";

record_table *bind_table_new(lua_State *L) {
  record_table *t = lua_newuserdatauv(L, sizeof *t, 1); /* user value: what info() gives */
  record_table_init(t);
  luaL_setmetatable(L, TYPE);
  return t;
}

record_table *bind_table_test(lua_State *L, int index) {
  return luaL_testudata(L, index, TYPE);
}

record_table *bind_table_check(lua_State *L) {
  return luaL_checkudata(L, 1, TYPE);
}

static int fail(lua_State *L, core_status status, const char *format, const char *what) {
  core_error err;
  core_fail(&err, status, format, what);
  return bind_raise(L, &err);
}

static int no_memory(lua_State *L) {
  return fail(L, CORE_NO_MEMORY, "%s", "");
}

static int no_column(lua_State *L, const record_table *t, const char *name) {
  const char *names[256] = {NULL};
  for (int i = 0; i < t->n && i < 255; i++) names[i] = t->columns[i].name;
  return bind_no_name(L, "table: no column", name, names);
}

/* ---- columns and rows ---- */

/* numbers become a vector (or a rows x width matrix); the rest, and whole numbers that no double
 * holds, a list with nil for missing */
static void push_column(lua_State *L, const record_table *t, const record_column *c) {
  if (c->kind == RECORD_NUMBER || (c->kind == RECORD_INTEGER && !c->whole)) {
    bind_matrix *m = bind_matrix_new(L, (int)t->rows, c->width);
    for (size_t i = 0; i < t->rows; i++)
      for (int j = 0; j < c->width; j++)
        m->x[(size_t)j * t->rows + i] = c->x[i * (size_t)c->width + (size_t)j];
    return;
  }
  lua_createtable(L, (int)t->rows, 0);
  for (size_t i = 0; i < t->rows; i++) {
    bind_table_push_value(L, c, i);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

/* argument `index` as a text; `what` it is stands at the front of the message */
static const char *text_arg(lua_State *L, int index, const char *what) {
  char got[96];
  if (lua_isstring(L, index)) return lua_tostring(L, index);
  bind_describe(L, index, got, sizeof got);
  bind_error(L, "table: %s must be a string, got %s", what, got);
  return NULL;
}

static record_column *check_column(lua_State *L, record_table *t, int index) {
  const char *name = text_arg(L, index, "the name of a column");
  record_column *c = record_find(t, name);
  if (!c) no_column(L, t, name);
  return c;
}

static int table_column(lua_State *L) {
  record_table *t = bind_table_check(L);
  push_column(L, t, check_column(L, t, 2));
  return 1;
}

static int table_unit(lua_State *L) {
  record_table *t = bind_table_check(L);
  record_column *c = check_column(L, t, 2);
  if (!lua_isnoneornil(L, 3)) {
    char *unit = strdup(text_arg(L, 3, "a unit"));
    if (!unit) return no_memory(L);
    free(c->unit);
    c->unit = unit;
  }
  lua_pushstring(L, c->unit);
  return 1;
}

static int table_kind(lua_State *L) {
  record_table *t = bind_table_check(L);
  record_column *c = check_column(L, t, 2);
  lua_pushstring(L, record_kind_word(c->kind));
  lua_pushinteger(L, c->width);
  return 2;
}

static int table_names(lua_State *L) {
  record_table *t = bind_table_check(L);
  lua_createtable(L, t->n, 0);
  for (int i = 0; i < t->n; i++) {
    lua_pushstring(L, t->columns[i].name);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

static void push_row(lua_State *L, const record_table *t, size_t row) {
  lua_createtable(L, 0, t->n);
  for (int i = 0; i < t->n; i++) {
    bind_table_push_value(L, &t->columns[i], row);
    lua_setfield(L, -2, t->columns[i].name);
  }
}

/* rows, columns, then the methods of lua/knock/table.lua in upvalue 1 */
static int table_index(lua_State *L) {
  record_table *t = bind_table_check(L);
  if (lua_isinteger(L, 2)) {
    lua_Integer i = lua_tointeger(L, 2);
    if (i < 0) i += (lua_Integer)t->rows + 1;
    if (i < 1 || i > (lua_Integer)t->rows) return 0;
    push_row(L, t, (size_t)i - 1);
    return 1;
  }
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
  const char *name = text_arg(L, 2, "the name of a column");
  if (!strcmp(name, "provenance")) {
    lua_pushstring(L, t->provenance);
    return 1;
  }
  record_column *c = record_find(t, name);
  if (!c) return no_column(L, t, name);
  push_column(L, t, c);
  return 1;
}

static int table_length(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)bind_table_check(L)->rows);
  return 1;
}

static int table_gc(lua_State *L) {
  record_table_free(bind_table_check(L));
  return 0;
}

/* ---- building ---- */

/* kind of a whole list: the first value that is there decides */
static int list_kind(lua_State *L, int index, const bind_matrix *m, lua_Integer n,
                     record_kind *kind, int *width) {
  int found = m != NULL;
  *kind = RECORD_NUMBER;
  *width = m && n ? m->cols : 1;
  for (lua_Integer i = 1; i <= n && !found; i++) {
    lua_geti(L, index, i);
    if (!lua_isnil(L, -1)) {
      found = 1;
      if (!bind_table_kind(L, -1, kind, width)) return 0;
    }
    lua_pop(L, 1);
  }
  return *width > 0;
}

/* rows of a matrix, which is stored column after column */
static void copy_matrix(record_column *c, const bind_matrix *m) {
  for (int i = 0; i < m->rows; i++)
    for (int j = 0; j < m->cols; j++)
      c->x[(size_t)i * (size_t)m->cols + (size_t)j] = m->x[(size_t)j * (size_t)m->rows + (size_t)i];
}

static void list_arg(lua_State *L, int index, const char *needs) {
  char got[96];
  if (lua_istable(L, index)) return;
  bind_describe(L, index, got, sizeof got);
  bind_error(L, "table: %s, got %s", needs, got);
}

/* t:add(name, unit, values): a new column at the end */
static int table_add(lua_State *L) {
  record_table *t = bind_table_check(L);
  const char *name = text_arg(L, 2, "the name of a column");
  const char *unit = lua_isnoneornil(L, 3) ? "" : text_arg(L, 3, "a unit");
  const bind_matrix *m = bind_matrix_test(L, 4);
  if (!m) list_arg(L, 4, "add needs the values as a list or a vector");
  lua_Integer n = m ? m->rows : luaL_len(L, 4);
  record_kind kind;
  int width;
  if (record_bad_name(name))
    return fail(L, CORE_BAD_INPUT, "table: the name of a column: %s", record_bad_name(name));
  if (record_find(t, name)) return fail(L, CORE_BAD_INPUT, "table: two columns named '%s'", name);
  if (t->n && (size_t)n != t->rows)
    return fail(L, CORE_BAD_INPUT, "table: column '%s' has another length than the rest", name);
  if (!list_kind(L, 4, m, n, &kind, &width))
    return fail(L, CORE_BAD_INPUT, "table: column '%s' holds values that cannot be stored", name);
  if (!t->n && record_resize(t, (size_t)n)) return no_memory(L);
  record_column *c = record_add(t, name, unit, kind, width);
  if (!c) return no_memory(L);
  if (m) copy_matrix(c, m);
  int at = t->n - 1; /* a list may call the script for its items, which may add columns too */
  for (lua_Integer i = 1; i <= n && !m; i++) {
    lua_geti(L, 4, i);
    if (bind_table_set(L, lua_gettop(L), &t->columns[at], (size_t)i - 1)) {
      record_remove(t, at);
      return fail(L, CORE_BAD_INPUT, "table: column '%s' mixes values of different kinds", name);
    }
    lua_pop(L, 1);
  }
  lua_settop(L, 1);
  return 1;
}

/* t:rows{3, 1, 2}: a table of these rows, in this order */
static int table_rows(lua_State *L) {
  record_table *t = bind_table_check(L);
  list_arg(L, 2, "rows needs a list of row numbers");
  size_t n = lua_rawlen(L, 2);
  record_table *r = bind_table_new(L);
  core_status status = record_resize(r, n);
  if (t->provenance && !(r->provenance = strdup(t->provenance))) status = CORE_NO_MEMORY;
  for (int k = 0; k < t->n && !status; k++) {
    const record_column *c = &t->columns[k];
    record_column *to = record_add(r, c->name, c->unit, c->kind, c->width);
    for (size_t i = 0; i < n && to && !status; i++) {
      lua_rawgeti(L, 2, (lua_Integer)i + 1);
      lua_Integer row = lua_tointeger(L, -1);
      lua_pop(L, 1);
      if (row < 1 || row > (lua_Integer)t->rows)
        return fail(L, CORE_BAD_INPUT, "table: %s is out of range", "a row number");
      status = record_copy(to, i, c, (size_t)row - 1);
    }
    if (!to) status = CORE_NO_MEMORY;
  }
  return status ? no_memory(L) : 1;
}

static int table_set_provenance(lua_State *L) {
  record_table *t = bind_table_check(L);
  char *text = strdup(text_arg(L, 2, "the provenance"));
  if (!text) return no_memory(L);
  free(t->provenance);
  t->provenance = text;
  lua_settop(L, 1);
  return 1;
}

/* t:info() -> what is known of how it was made, nil for most; t:info(map) sets it */
static int table_info(lua_State *L) {
  bind_table_check(L);
  if (lua_istable(L, 2)) {
    lua_settop(L, 2);
    lua_setiuservalue(L, 1, 1);
    return 1;
  }
  lua_getiuservalue(L, 1, 1);
  return 1;
}

/* t:select("x", "y", ...): a table of these columns, in this order */
static int table_select(lua_State *L) {
  record_table *t = bind_table_check(L);
  int n = lua_gettop(L);
  for (int k = 2; k <= n; k++) check_column(L, t, k);
  record_table *r = bind_table_new(L);
  core_status status = record_resize(r, t->rows);
  if (t->provenance && !(r->provenance = strdup(t->provenance))) status = CORE_NO_MEMORY;
  for (int k = 2; k <= n && !status; k++) {
    const record_column *c = record_find(t, lua_tostring(L, k));
    if (record_find(r, c->name)) continue;
    record_column *to = record_add(r, c->name, c->unit, c->kind, c->width);
    if (!to) status = CORE_NO_MEMORY;
    for (size_t i = 0; i < t->rows && !status; i++) status = record_copy(to, i, c, i);
  }
  return status ? no_memory(L) : 1;
}

static int table_write(lua_State *L) {
  core_error err = {0};
  const char *path = bind_file_arg(L, 2, "table: write", BIND_FILE_WRITE);
  bind_raise_if(L, record_write(bind_table_check(L), path, &err), &err);
  lua_settop(L, 1);
  return 1;
}

static const bind_function methods[] = {
    {"column", table_column, "t:column(name) -> vector, matrix or list",
     "One column: numbers as a vector (a matrix when each row holds a vector), booleans and "
     "strings "
     "as a list with nil for missing values.",
     NULL},
    {"unit", table_unit, "t:unit(name[, unit]) -> string", "The unit of a column, or sets it.",
     NULL},
    {"kind", table_kind, "t:kind(name) -> word, width",
     "What a column holds ('number', 'integer', 'boolean', 'string') and how many numbers a row.",
     NULL},
    {"names", table_names, "t:names() -> list", "The names of the columns, in order.", NULL},
    {"add", table_add, "t:add(name, unit, values) -> t",
     "Adds a column: numbers, vectors, booleans or strings, as long as the table.", NULL},
    {"rows", table_rows, "t:rows(list) -> table", "A table of the rows with these numbers.", NULL},
    {"select", table_select, "t:select(name, ...) -> table",
     "A table of these columns, in this order.", NULL},
    {"info", table_info, "t:info() -> {done =, failed =, lost =, interrupted =, total =} or nil",
     "Of a sweep's table: how many samples are done, how many of them failed, how many killed "
     "their "
     "worker, whether it was interrupted.",
     NULL},
    {"write", table_write, "t:write(path) -> t",
     "Writes the table with units and provenance: .csv, .jsonl or .h5 by the ending. The file "
     "appears complete or not at all.",
     NULL},
    {"set_provenance", table_set_provenance, "t:set_provenance(text) -> t",
     "Sets the lines `key: value` that go into every file.", NULL},
};

/* the methods stay open for lua/knock/table.lua: core.records.table_methods */
void bind_open_table(lua_State *L) {
  static const bind_field docs[] = {
      {"provenance", "", "lines `key: value` that say where it comes from"}};
  bind_document(L, "table", docs, 1);
  luaL_getsubtable(L, -1, "records");
  luaL_newmetatable(L, TYPE);
  lua_newtable(L);
  bind_register(L, "table", methods, sizeof methods / sizeof *methods);
  lua_pushvalue(L, -1);
  lua_setfield(L, -4, "table_methods");
  lua_pushcclosure(L, table_index, 1);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, table_length);
  lua_setfield(L, -2, "__len");
  lua_pushcfunction(L, table_gc);
  lua_setfield(L, -2, "__gc");
  lua_setfield(L, -2, "table_metatable"); /* lua/knock/table.lua sets __tostring */
  bind_open_table_files(L);
  lua_pop(L, 1);
}
