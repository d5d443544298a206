#include "bind/matrix.h"

#include <lauxlib.h>
#include <string.h>

#include "bind/bind.h"

static const char key; /* registry[&key] is the metatable */

bind_matrix *bind_matrix_new(lua_State *L, int rows, int cols) {
  size_t n = (size_t)rows * (size_t)cols;
  bind_matrix *A = lua_newuserdatauv(L, sizeof *A + n * sizeof *A->x, 0);
  A->rows = rows;
  A->cols = cols;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &key);
  lua_setmetatable(L, -2);
  return A;
}

bind_matrix *bind_matrix_test(lua_State *L, int index) {
  if (!lua_getmetatable(L, index)) return NULL;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &key);
  int same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same ? lua_touserdata(L, index) : NULL;
}

void bind_matrix_push(lua_State *L, int rows, int cols, const double *x) {
  bind_matrix *A = bind_matrix_new(L, rows, cols);
  if (rows > 0 && cols > 0) memcpy(A->x, x, (size_t)rows * (size_t)cols * sizeof *x);
}

void bind_vector_push(lua_State *L, int n, const double *x) {
  bind_matrix_push(L, n, 1, x);
}

/* v[i]; A[i] is row i; A[i][j] */
static int index_matrix(lua_State *L) {
  const bind_matrix *A = lua_touserdata(L, 1);
  int isnum;
  lua_Integer i = lua_tointegerx(L, 2, &isnum);
  if (!isnum || i < 1 || i > A->rows) return 0;
  if (A->cols == 1) {
    lua_pushnumber(L, A->x[i - 1]);
    return 1;
  }
  bind_matrix *row = bind_matrix_new(L, A->cols, 1);
  for (int j = 0; j < A->cols; j++) row->x[j] = A->x[j * A->rows + i - 1];
  return 1;
}

static int length_matrix(lua_State *L) {
  lua_pushinteger(L, ((const bind_matrix *)lua_touserdata(L, 1))->rows);
  return 1;
}

void bind_open_matrix(lua_State *L) {
  static const luaL_Reg meta[] = {{"__index", index_matrix}, {"__len", length_matrix}, {0, 0}};
  luaL_newlib(L, meta);
  lua_pushstring(L, "matrix");
  lua_setfield(L, -2, "__name");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
}
