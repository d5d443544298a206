#include "bind/numbers.h"

#include <stdio.h>
#include <string.h>

#include "bind/matrix_part.h"
#include "bind/param.h"

/* "[2] = a string ('x')" or "[2][1] = nil" about the value on top, which it pops */
static int culprit(lua_State *L, int i, int j, char *got, size_t size) {
  char what[80];
  bind_describe(L, -1, what, sizeof what);
  if (j)
    snprintf(got, size, "[%d][%d] = %s", i, j, what);
  else
    snprintf(got, size, "[%d] = %s", i, what);
  lua_pop(L, 1);
  return 0;
}

/* numbers in one row of a table of rows: a list, a vector or a row A[i]; -1 for anything else */
static int row_length(lua_State *L, int index) {
  if (lua_type(L, index) == LUA_TTABLE)
    return lua_rawlen(L, index) <= MATRIX_MOST ? (int)lua_rawlen(L, index) : -1;
  const bind_matrix *A = bind_matrix_test(L, index);
  if (A) return matrix_is_vector(A) ? (int)matrix_count(A) : -1;
  const matrix_row *r = matrix_row_test(L, index);
  return r ? r->A->cols : -1;
}

static int table_shape(lua_State *L, int index, int *rows, int *cols, char *got, size_t size) {
  size_t n = lua_rawlen(L, index);
  int nested = 0;
  *cols = 1;
  if (n > 0 && lua_rawgeti(L, index, 1) != LUA_TNUMBER) {
    nested = row_length(L, -1);
    *cols = nested;
    if (nested < 0) return culprit(L, 1, 0, got, size);
  }
  if (n > 0) lua_pop(L, 1);
  *rows = (int)n;
  if (n <= MATRIX_MOST && n * (size_t)*cols <= MATRIX_MOST) return 1;
  snprintf(got, size, "more than %d numbers", MATRIX_MOST);
  return 0;
}

int bind_numbers_shape(lua_State *L, int index, int *rows, int *cols, char *got, size_t size) {
  index = lua_absindex(L, index);
  if (lua_type(L, index) == LUA_TTABLE) return table_shape(L, index, rows, cols, got, size);
  const bind_matrix *A = bind_matrix_test(L, index);
  const matrix_row *r = A ? NULL : matrix_row_test(L, index);
  *rows = A ? A->rows : 1;
  *cols = A ? A->cols : r ? r->A->cols : 1;
  if (A || r || lua_type(L, index) == LUA_TNUMBER) return 1;
  bind_describe(L, index, got, size);
  return 0;
}

static void copy_row(const matrix_row *r, size_t stride, double *x) {
  for (int j = 0; j < r->A->cols; j++)
    x[(size_t)j * stride] = r->A->x[r->row + (size_t)j * (size_t)r->A->rows];
}

/* a flat list at `index`: n numbers to x with a stride; row > 0 is only for the message */
static int fill_list(lua_State *L, int index, int n, size_t stride, double *x, int row, char *got,
                     size_t size) {
  for (int i = 1; i <= n; i++) {
    if (lua_rawgeti(L, index, i) != LUA_TNUMBER)
      return culprit(L, row ? row : i, row ? i : 0, got, size);
    x[(size_t)(i - 1) * stride] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  return 1;
}

/* row i (from 1), which is the value on top; pops it */
static int fill_row(lua_State *L, int i, int cols, size_t stride, double *x, char *got,
                    size_t size) {
  int n = row_length(L, -1);
  if (n != cols) {
    culprit(L, i, 0, got, size);
    size_t used = strlen(got);
    if (n >= 0) snprintf(got + used, size - used, " (not %d)", cols);
    return 0;
  }
  const bind_matrix *v = bind_matrix_test(L, -1);
  const matrix_row *r = v ? NULL : matrix_row_test(L, -1);
  int good = 1;
  if (v) {
    for (int j = 0; j < cols; j++) x[(size_t)j * stride] = v->x[j];
  } else if (r) {
    copy_row(r, stride, x);
  } else {
    good = fill_list(L, lua_absindex(L, -1), cols, stride, x, i, got, size);
  }
  lua_pop(L, 1);
  return good;
}

static int fill_table(lua_State *L, int index, int rows, int cols, double *x, char *got,
                      size_t size) {
  int nested = rows > 0 && lua_rawgeti(L, index, 1) != LUA_TNUMBER;
  if (rows > 0) lua_pop(L, 1);
  if (!nested) return fill_list(L, index, rows, 1, x, 0, got, size);
  for (int i = 1; i <= rows; i++) {
    lua_rawgeti(L, index, i);
    if (!fill_row(L, i, cols, (size_t)rows, x + i - 1, got, size)) return 0;
  }
  return 1;
}

int bind_numbers_fill(lua_State *L, int index, int rows, int cols, double *x, char *got,
                      size_t size) {
  index = lua_absindex(L, index);
  if (!lua_checkstack(L, 8)) {
    snprintf(got, size, "too deep a stack");
    return 0;
  }
  if (lua_type(L, index) == LUA_TTABLE) return fill_table(L, index, rows, cols, x, got, size);
  const bind_matrix *A = bind_matrix_test(L, index);
  const matrix_row *r = A ? NULL : matrix_row_test(L, index);
  if (A)
    memcpy(x, A->x, matrix_count(A) * sizeof *x);
  else if (r)
    copy_row(r, 1, x);
  else
    *x = lua_tonumber(L, index);
  return 1;
}

int bind_numbers(lua_State *L, int index, core_scratch *s, int *rows, int *cols, double **x,
                 char *got, size_t size) {
  if (!bind_numbers_shape(L, index, rows, cols, got, size)) return 0;
  bind_matrix *A = bind_matrix_test(L, index);
  if (A) return *x = A->x, 1;
  size_t n = (size_t)*rows * (size_t)*cols;
  *x = core_scratch_doubles(s, n);
  if (*x && n > 0) return bind_numbers_fill(L, index, *rows, *cols, *x, got, size);
  if (*x)
    bind_describe(L, index, got, size);
  else
    snprintf(got, size, "more numbers than memory holds");
  return 0;
}
