/* A + B, A - B, A * B, -A, 2 * A, A / 2, A ^ n, A == B and "text" .. A. */
#include <math.h>
#include <string.h>

#include "bind/matrix_part.h"
#include "core/lin.h"

/* ---- entry by entry ---- */

/* pushes A + sign B */
static int add_signed(lua_State *L, double sign, const char *verb, const char *joint) {
  for (int i = 1; i <= 2; i++)
    if (lua_type(L, i) == LUA_TNUMBER)
      return matrix_fail(L, "cannot %s a matrix and a number; say which: k.eye or k.ones", verb);
  const bind_matrix *A = matrix_arg(L, 1), *B = matrix_arg(L, 2);
  if (!matrix_same_shape(A, B))
    return matrix_fail(L, "cannot %s %dx%d %s %dx%d", verb, A->rows, A->cols, joint, B->rows,
                       B->cols);
  bind_matrix *C = bind_matrix_new(L, A->rows, A->cols);
  for (size_t i = 0; i < matrix_count(C); i++) C->x[i] = A->x[i] + sign * B->x[i];
  return 1;
}

static int add(lua_State *L) {
  return add_signed(L, 1, "add", "and");
}

static int subtract(lua_State *L) {
  return add_signed(L, -1, "subtract", "and");
}

static int negate(lua_State *L) {
  const bind_matrix *A = matrix_arg(L, 1);
  bind_matrix *C = bind_matrix_new(L, A->rows, A->cols);
  for (size_t i = 0; i < matrix_count(C); i++) C->x[i] = -A->x[i];
  return 1;
}

static int scale(lua_State *L, double factor, int index) {
  const bind_matrix *A = matrix_arg(L, index);
  bind_matrix *C = bind_matrix_new(L, A->rows, A->cols);
  for (size_t i = 0; i < matrix_count(C); i++) C->x[i] = factor * A->x[i];
  return 1;
}

static int divide(lua_State *L) {
  const bind_matrix *A = matrix_arg(L, 1);
  if (lua_type(L, 2) != LUA_TNUMBER)
    return matrix_fail(L, "cannot divide by %s; B:solve(A) is B^-1 A", matrix_got(L, 2));
  double by = lua_tonumber(L, 2);
  bind_matrix *C = bind_matrix_new(L, A->rows, A->cols);
  for (size_t i = 0; i < matrix_count(C); i++) C->x[i] = A->x[i] / by;
  return 1;
}

/* ---- products ---- */

static void product(const bind_matrix *A, const bind_matrix *B, bind_matrix *C) {
  int lda = A->rows, ldb = B->rows;
  core_lin_multiply('N', 'N', A->rows, B->cols, A->cols, 1, A->x, lda, B->x, ldb, 0, C->x, lda);
}

static int multiply(lua_State *L) {
  if (lua_type(L, 1) == LUA_TNUMBER) return scale(L, lua_tonumber(L, 1), 2);
  if (lua_type(L, 2) == LUA_TNUMBER) return scale(L, lua_tonumber(L, 2), 1);
  const bind_matrix *A = matrix_arg(L, 1), *B = matrix_arg(L, 2);
  if (A->cols != B->rows) {
    int vectors = A->cols == 1 && B->cols == 1 && A->rows == B->rows;
    return matrix_fail(L, "cannot multiply %dx%d by %dx%d%s", A->rows, A->cols, B->rows, B->cols,
                       vectors ? "; a:dot(b) or a:cross(b)?" : "");
  }
  product(A, B, bind_matrix_new(L, A->rows, B->cols));
  return 1;
}

static void set_identity(bind_matrix *A) {
  memset(A->x, 0, matrix_count(A) * sizeof *A->x);
  for (int i = 0; i < A->rows; i++) A->x[(size_t)i * (size_t)(A->rows + 1)] = 1;
}

/* replaces the matrix at index 1 by its inverse */
static bind_matrix *invert_base(lua_State *L, const bind_matrix *A) {
  bind_matrix_push(L, A->rows, A->cols, A->x);
  bind_matrix *X = lua_touserdata(L, -1);
  core_status status = core_lin_inverse(X->rows, X->x, bind_scratch(L), NULL);
  if (status) matrix_cannot(L, "invert", A, status);
  lua_replace(L, 1);
  return X;
}

/* A^n by squaring; negative n by the inverse */
static int power(lua_State *L) {
  int is_integer;
  lua_Integer n = lua_tointegerx(L, 2, &is_integer);
  if (!is_integer || lua_type(L, 2) != LUA_TNUMBER)
    return matrix_fail(L, "a power must be an integer, got %s", matrix_got(L, 2));
  bind_matrix *A = matrix_square(L, 1, "raise");
  if (n < 0) A = invert_base(L, A);
  lua_Unsigned left = n < 0 ? 0u - (lua_Unsigned)n : (lua_Unsigned)n;
  lua_settop(L, 1);
  bind_matrix *square = bind_matrix_new(L, A->rows, A->cols); /* index 2 */
  bind_matrix *result = bind_matrix_new(L, A->rows, A->cols); /* index 3 */
  bind_matrix *spare = bind_matrix_new(L, A->rows, A->cols);  /* index 4 */
  size_t bytes = matrix_count(A) * sizeof *A->x;
  memcpy(square->x, A->x, bytes);
  set_identity(result);
  for (; left; left >>= 1) {
    if (left & 1) {
      product(result, square, spare);
      memcpy(result->x, spare->x, bytes);
    }
    product(square, square, spare);
    memcpy(square->x, spare->x, bytes);
  }
  lua_settop(L, 3);
  return 1;
}

/* ---- equality and text ---- */

/* exact: same shape and every entry equal; a NaN equals nothing */
static int equal(lua_State *L) {
  int same = 1;
  for (int i = 1; i <= 2; i++) same &= bind_matrix_test(L, i) || matrix_row_test(L, i);
  const bind_matrix *A = same ? matrix_arg(L, 1) : NULL, *B = same ? matrix_arg(L, 2) : NULL;
  same = same && matrix_same_shape(A, B);
  for (size_t i = 0; same && i < matrix_count(A); i++) same = A->x[i] == B->x[i];
  lua_pushboolean(L, same);
  return 1;
}

static int concat(lua_State *L) {
  luaL_tolstring(L, 1, NULL);
  luaL_tolstring(L, 2, NULL);
  lua_concat(L, 2);
  return 1;
}

void matrix_add_arithmetic(lua_State *L) {
  static const luaL_Reg meta[] = {{"__add", add},    {"__sub", subtract},  {"__mul", multiply},
                                  {"__unm", negate}, {"__div", divide},    {"__pow", power},
                                  {"__eq", equal},   {"__concat", concat}, {NULL, NULL}};
  luaL_setfuncs(L, meta, 0);
}
