/* The type itself: its userdata and its metatables. */
#include "bind/matrix.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bind/matrix_part.h"
#include "bind/object.h"
#include "bind/param.h"

static const bind_kind matrix_key = {.slot = BIND_MATRIX},
                       row_key = {.slot = BIND_ROW}; /* registry[&key] is the metatable */

/* ---- errors ---- */

int matrix_fail(lua_State *L, const char *format, ...) {
  core_error err = {CORE_BAD_INPUT, "matrix: "};
  size_t used = strlen(err.text);
  va_list args;
  va_start(args, format);
  vsnprintf(err.text + used, sizeof err.text - used, format, args);
  va_end(args);
  return bind_raise(L, &err);
}

int matrix_cannot(lua_State *L, const char *verb, const bind_matrix *A, core_status status) {
  core_error err;
  core_fail(&err, status, "matrix: cannot %s %dx%d: %s", verb, A->rows, A->cols,
            core_status_text(status));
  return bind_raise(L, &err);
}

const char *matrix_got(lua_State *L, int index) {
  char text[96];
  bind_describe(L, index, text, sizeof text);
  return lua_pushstring(L, text);
}

/* ---- the userdata ---- */

static bind_matrix *new_matrix(lua_State *L, int rows, int cols, int values) {
  size_t n = (size_t)rows * (size_t)cols;
  if (n > MATRIX_MOST) matrix_fail(L, "%dx%d is too large", rows, cols);
  bind_matrix *A = lua_newuserdatauv(L, sizeof *A + n * sizeof *A->x, values);
  A->rows = rows;
  A->cols = cols;
  bind_object_is(L, A, &matrix_key);
  return A;
}

bind_matrix *bind_matrix_new(lua_State *L, int rows, int cols) {
  return new_matrix(L, rows, cols, 0);
}

bind_matrix *bind_matrix_test(lua_State *L, int index) {
  return bind_object_of(L, index, &matrix_key);
}

matrix_row *matrix_row_test(lua_State *L, int index) {
  return bind_object_of(L, index, &row_key);
}

void matrix_push_row(lua_State *L, int index, int row) {
  matrix_row *r = lua_newuserdatauv(L, sizeof *r, 1);
  r->A = lua_touserdata(L, index);
  r->row = row;
  lua_pushvalue(L, index);
  lua_setiuservalue(L, -2, 1);
  bind_object_is(L, r, &row_key);
}

void bind_matrix_push(lua_State *L, int rows, int cols, const double *x) {
  bind_matrix *A = bind_matrix_new(L, rows, cols);
  if (matrix_count(A)) memcpy(A->x, x, matrix_count(A) * sizeof *x);
}

void bind_vector_push(lua_State *L, int n, const double *x) {
  bind_matrix_push(L, n, 1, x);
}

void bind_named_vector_push(lua_State *L, int n, const double *x, int names) {
  bind_matrix *A = new_matrix(L, n, 1, 1);
  if (n) memcpy(A->x, x, (size_t)n * sizeof *x);
  lua_pushvalue(L, names);
  lua_setiuservalue(L, -2, 1);
}

/* ---- arguments ---- */

bind_matrix *bind_matrix_check(lua_State *L, int index, const char *who) {
  bind_matrix *A = bind_matrix_test(L, index);
  if (A) return A;
  index = lua_absindex(L, index);
  luaL_checkstack(L, 8, who);
  char got[128];
  int rows, cols, good = lua_type(L, index) != LUA_TNUMBER;
  if (!good) bind_describe(L, index, got, sizeof got);
  good = good && bind_numbers_shape(L, index, &rows, &cols, got, sizeof got);
  if (good) A = bind_matrix_new(L, rows, cols);
  if (!good || !bind_numbers_fill(L, index, rows, cols, A->x, got, sizeof got))
    bind_error(L, "%s: expected a matrix or a table of numbers, got %s", who, got);
  lua_replace(L, index);
  return A;
}

bind_matrix *matrix_arg(lua_State *L, int index) {
  return bind_matrix_check(L, index, "matrix");
}

bind_matrix *matrix_square(lua_State *L, int index, const char *verb) {
  bind_matrix *A = matrix_arg(L, index);
  if (A->rows != A->cols)
    matrix_fail(L, "cannot %s %dx%d: it is not square", verb, A->rows, A->cols);
  return A;
}

/* ---- opening ---- */

static int length(lua_State *L) {
  lua_pushinteger(L, ((const bind_matrix *)lua_touserdata(L, 1))->rows);
  return 1;
}

/* Makes registry[key] a metatable; stack: methods. Scripts cannot reach the metatable, so what is
 * called through it can trust its first argument. */
static void metatable(lua_State *L, const char *name, const bind_kind *key, lua_CFunction index,
                      const luaL_Reg *functions) {
  bind_metatable(L, name, functions, key);
  lua_rawgetp(L, LUA_REGISTRYINDEX, key);
  lua_pushvalue(L, -2);
  lua_pushcclosure(L, index, 1);
  lua_setfield(L, -2, "__index");
  matrix_add_arithmetic(L);
  lua_pop(L, 1);
}

void bind_open_matrix(lua_State *L) {
  static const bind_field docs[] = {{"rows", "1", "number of rows"},
                                    {"cols", "1", "number of columns"}};
  bind_document(L, "matrix", docs, 2);
  static const luaL_Reg of_matrix[] = {{"__newindex", matrix_newindex},
                                       {"__len", length},
                                       {"__call", matrix_call},
                                       {"__tostring", matrix_tostring},
                                       {NULL, NULL}};
  static const luaL_Reg of_row[] = {{"__newindex", matrix_row_newindex},
                                    {"__len", matrix_row_length},
                                    {"__tostring", matrix_tostring},
                                    {NULL, NULL}};
  matrix_add_makers(L);
  lua_newtable(L); /* methods */
  matrix_add_parts(L);
  matrix_add_methods(L);
  matrix_add_lapack(L);
  matrix_add_print(L);
  matrix_add_approx(L);
  metatable(L, "matrix", &matrix_key, matrix_index, of_matrix);
  metatable(L, "matrix row", &row_key, matrix_row_index, of_row);
  lua_pop(L, 1);
}
