/* Single values of tables: what a Lua value is stored as, and back. */
#include <math.h>
#include <string.h>

#include "bind/matrix.h"
#include "bind/table.h"

int bind_table_kind(lua_State *L, int index, record_kind *kind, int *width) {
  bind_matrix *m;
  *width = 1;
  switch (lua_type(L, index)) {
    case LUA_TNUMBER: *kind = lua_isinteger(L, index) ? RECORD_INTEGER : RECORD_NUMBER; return 1;
    case LUA_TBOOLEAN: *kind = RECORD_BOOLEAN; return 1;
    case LUA_TSTRING: *kind = RECORD_STRING; return 1;
    case LUA_TTABLE:
      *kind = RECORD_NUMBER;
      *width = (int)lua_rawlen(L, index);
      return *width > 0;
    case LUA_TUSERDATA:
      *kind = RECORD_NUMBER;
      m = bind_matrix_test(L, index);
      if (m) *width = m->rows * m->cols;
      return m && *width > 0;
    default: return 0;
  }
}

/* element j (from 0) of a list or matrix */
static int element(lua_State *L, int index, int j, double *x) {
  bind_matrix *m = bind_matrix_test(L, index);
  if (m) {
    *x = m->x[j];
    return 1;
  }
  int is_number;
  lua_rawgeti(L, index, j + 1);
  *x = lua_tonumberx(L, -1, &is_number);
  lua_pop(L, 1);
  return is_number;
}

core_status bind_table_set(lua_State *L, int index, record_column *c, size_t row) {
  record_kind kind;
  int width;
  if (lua_isnoneornil(L, index)) return CORE_OK; /* missing */
  if (!bind_table_kind(L, index, &kind, &width) || width != c->width) return CORE_BAD_INPUT;
  if (c->kind == RECORD_STRING || kind == RECORD_STRING) {
    if (c->kind != kind) return CORE_BAD_INPUT;
    size_t n;
    const char *s = lua_tolstring(L, index, &n);
    return strlen(s) == n ? record_set_string(c, row, s, n) : CORE_BAD_INPUT;
  }
  if ((c->kind == RECORD_BOOLEAN) != (kind == RECORD_BOOLEAN)) return CORE_BAD_INPUT;
  double *x = c->x + row * (size_t)c->width;
  if (lua_type(L, index) == LUA_TBOOLEAN) {
    *x = lua_toboolean(L, index);
  } else if (kind == RECORD_INTEGER && c->kind == RECORD_INTEGER) {
    return record_set_integer(c, row, lua_tointeger(L, index));
  } else if (lua_type(L, index) == LUA_TNUMBER) {
    *x = lua_tonumber(L, index);
    if (kind == RECORD_NUMBER) c->kind = RECORD_NUMBER; /* a column of whole numbers no more */
  } else {
    for (int j = 0; j < width; j++)
      if (!element(L, index, j, x + j)) return CORE_BAD_INPUT;
    c->kind = RECORD_NUMBER;
  }
  return CORE_OK;
}

void bind_table_push_value(lua_State *L, const record_column *c, size_t row) {
  if (c->kind == RECORD_STRING) {
    lua_pushstring(L, record_text(c, row)); /* nil when missing */
    return;
  }
  const double *x = c->x + row * (size_t)c->width;
  if (c->width > 1)
    bind_vector_push(L, c->width, x);
  else if (c->kind == RECORD_NUMBER)
    lua_pushnumber(L, *x);
  else if (isnan(*x))
    lua_pushnil(L);
  else if (c->kind == RECORD_BOOLEAN)
    lua_pushboolean(L, *x != 0);
  else
    lua_pushinteger(L, record_integer(c, row));
}
