/* Methods that need no LAPACK: t, trace, dot, cross, map, sum, min, max. */
#include <math.h>

#include "bind/matrix_part.h"

static int transpose(lua_State *L) {
  const bind_matrix *A = matrix_arg(L, 1);
  bind_matrix *T = bind_matrix_new(L, A->cols, A->rows);
  for (int j = 0; j < A->cols; j++)
    for (int i = 0; i < A->rows; i++)
      T->x[(size_t)j + (size_t)i * (size_t)T->rows] = A->x[(size_t)i + (size_t)j * (size_t)A->rows];
  return 1;
}

static int trace(lua_State *L) {
  const bind_matrix *A = matrix_square(L, 1, "take the trace of");
  double sum = 0;
  for (int i = 0; i < A->rows; i++) sum += A->x[(size_t)i * (size_t)(A->rows + 1)];
  lua_pushnumber(L, sum);
  return 1;
}

static int dot(lua_State *L) {
  const bind_matrix *a = matrix_arg(L, 1), *b = matrix_arg(L, 2);
  int good = matrix_is_vector(a) && matrix_is_vector(b) && matrix_count(a) == matrix_count(b);
  if (!good)
    return matrix_fail(L, "cannot dot %dx%d with %dx%d", a->rows, a->cols, b->rows, b->cols);
  double sum = 0;
  for (size_t i = 0; i < matrix_count(a); i++) sum += a->x[i] * b->x[i];
  lua_pushnumber(L, sum);
  return 1;
}

static int cross(lua_State *L) {
  const bind_matrix *A = matrix_arg(L, 1), *B = matrix_arg(L, 2);
  int good =
      matrix_is_vector(A) && matrix_is_vector(B) && matrix_count(A) == 3 && matrix_count(B) == 3;
  if (!good)
    return matrix_fail(L, "cannot cross %dx%d with %dx%d: 3 numbers each are needed", A->rows,
                       A->cols, B->rows, B->cols);
  const double *a = A->x, *b = B->x;
  const double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                       a[0] * b[1] - a[1] * b[0]};
  bind_vector_push(L, 3, c);
  return 1;
}

/* f(x) for every entry, and nothing but x: math.log and math.atan read a second argument. The new
 * matrix holds numbers at every moment, whatever f does. */
static int map(lua_State *L) {
  const bind_matrix *A = matrix_arg(L, 1);
  if (!lua_isfunction(L, 2))
    return matrix_fail(L, "map needs a function, got %s", matrix_got(L, 2));
  bind_matrix_push(L, A->rows, A->cols, A->x);
  bind_matrix *B = lua_touserdata(L, -1);
  for (int j = 0; j < A->cols; j++)
    for (int i = 0; i < A->rows; i++) {
      size_t at = (size_t)i + (size_t)j * (size_t)A->rows;
      lua_pushvalue(L, 2);
      lua_pushnumber(L, A->x[at]);
      lua_call(L, 1, 1);
      if (lua_type(L, -1) != LUA_TNUMBER)
        return matrix_fail(L, "map: the function must return a number at (%d, %d), got %s", i + 1,
                           j + 1, luaL_typename(L, -1));
      B->x[at] = lua_tonumber(L, -1);
      lua_pop(L, 1);
    }
  return 1;
}

static int sum(lua_State *L) {
  const bind_matrix *A = matrix_arg(L, 1);
  double total = 0;
  for (size_t i = 0; i < matrix_count(A); i++) total += A->x[i];
  lua_pushnumber(L, total);
  return 1;
}

/* the entry with the largest sign * x, and where it is; NaN wins, so that it is not overlooked */
static int extreme(lua_State *L, double sign, const char *name) {
  const bind_matrix *A = matrix_arg(L, 1);
  if (matrix_count(A) == 0)
    return matrix_fail(L, "%s of an empty matrix (%dx%d)", name, A->rows, A->cols);
  size_t best = 0;
  for (size_t i = 1; i < matrix_count(A) && !isnan(A->x[best]); i++)
    if (isnan(A->x[i]) || sign * A->x[i] > sign * A->x[best]) best = i;
  lua_pushnumber(L, A->x[best]);
  lua_pushinteger(L, (lua_Integer)(best % (size_t)A->rows) + 1);
  lua_pushinteger(L, (lua_Integer)(best / (size_t)A->rows) + 1);
  return 3;
}

static int max(lua_State *L) {
  return extreme(L, 1, "max");
}

static int min(lua_State *L) {
  return extreme(L, -1, "min");
}

void matrix_add_methods(lua_State *L) {
  static const bind_function methods[] = {
      {"t", transpose, "A:t() -> matrix", "The transpose.",
       "print(k.matrix{1, 2}:t()) --> {{1, 2}}"},
      {"trace", trace, "A:trace() -> number", "The sum of the diagonal.",
       "print(k.eye(3):trace()) --> 3.0"},
      {"dot", dot, "a:dot(b) -> number", "The scalar product of two vectors.",
       "print(k.matrix{1, 2, 3}:dot{4, 5, 6}) --> 32.0"},
      {"cross", cross, "a:cross(b) -> vector", "The vector product of two vectors of 3 numbers.",
       "print(k.matrix{1, 0, 0}:cross{0, 1, 0}) --> {0, 0, 1}"},
      {"map", map, "A:map(f) -> matrix", "A new matrix of f(x) for every entry x.",
       "print(k.matrix{1, 4, 9}:map(math.sqrt)) --> {1, 2, 3}"},
      {"sum", sum, "A:sum() -> number", "The sum of all entries.",
       "print(k.ones(4):sum()) --> 4.0"},
      {"max", max, "A:max() -> number, row, column", "The largest entry and where it is.",
       "print(k.matrix{3, 7, 5}:max()) --> 7.0\t2\t1"},
      {"min", min, "A:min() -> number, row, column", "The smallest entry and where it is.",
       "print(k.matrix{3, 7, 5}:min()) --> 3.0\t1\t1"},
  };
  bind_register(L, "matrix", methods, COUNT(methods));
}
