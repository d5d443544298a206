/* k.matrix, k.eye, k.zeros, k.ones, k.diag, k.linspace, k.logspace, k.approx. */
#include <math.h>
#include <string.h>

#include "bind/matrix_part.h"

static double finite_arg(lua_State *L, int index, const char *who, const char *what) {
  if (lua_type(L, index) != LUA_TNUMBER || !isfinite(lua_tonumber(L, index)))
    matrix_fail(L, "%s: %s must be a finite number, got %s", who, what, matrix_got(L, index));
  return lua_tonumber(L, index);
}

static bind_matrix *push_filled(lua_State *L, int rows, int cols, double value) {
  bind_matrix *A = bind_matrix_new(L, rows, cols);
  for (size_t i = 0; i < matrix_count(A); i++) A->x[i] = value;
  return A;
}

/* a new matrix from f(i, j); f is at `index`. It is a matrix at every moment, whatever f does. */
static int from_function(lua_State *L, int rows, int cols, int index) {
  bind_matrix *A = push_filled(L, rows, cols, 0);
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++) {
      lua_pushvalue(L, index);
      lua_pushinteger(L, i + 1);
      lua_pushinteger(L, j + 1);
      lua_call(L, 2, 1);
      if (lua_type(L, -1) != LUA_TNUMBER)
        return matrix_fail(L, "the function must return a number at (%d, %d), got %s", i + 1, j + 1,
                           luaL_typename(L, -1));
      A->x[(size_t)i + (size_t)j * (size_t)rows] = lua_tonumber(L, -1);
      lua_pop(L, 1);
    }
  return 1;
}

/* k.matrix(table), k.matrix(matrix), k.matrix(rows, cols[, number or function]) */
static int matrix(lua_State *L) {
  if (lua_type(L, 1) == LUA_TNUMBER) {
    int rows = matrix_size_arg(L, 1, "rows"), cols = 1;
    if (!lua_isnoneornil(L, 2)) cols = matrix_size_arg(L, 2, "columns");
    if (lua_isfunction(L, 3)) return from_function(L, rows, cols, 3);
    if (!lua_isnoneornil(L, 3) && lua_type(L, 3) != LUA_TNUMBER)
      return matrix_fail(L, "can be filled with a number or a function, got %s", matrix_got(L, 3));
    return push_filled(L, rows, cols, lua_tonumber(L, 3)), 1;
  }
  const bind_matrix *A = bind_matrix_test(L, 1);
  if (A)
    bind_matrix_push(L, A->rows, A->cols, A->x);
  else
    matrix_arg(L, 1), lua_settop(L, 1);
  return 1;
}

static int filled(lua_State *L, double value) {
  int rows = matrix_size_arg(L, 1, "rows"), cols = 1;
  if (!lua_isnoneornil(L, 2)) cols = matrix_size_arg(L, 2, "columns");
  return push_filled(L, rows, cols, value), 1;
}

static int zeros(lua_State *L) {
  return filled(L, 0);
}

static int ones(lua_State *L) {
  return filled(L, 1);
}

static void set_diagonal(bind_matrix *A, const double *d, double same) {
  for (int i = 0; i < A->rows; i++) A->x[(size_t)i * (size_t)(A->rows + 1)] = d ? d[i] : same;
}

static int eye(lua_State *L) {
  int n = matrix_size_arg(L, 1, "rows");
  set_diagonal(push_filled(L, n, n, 0), NULL, 1);
  return 1;
}

static int diag(lua_State *L) {
  const bind_matrix *d = matrix_arg(L, 1);
  if (!matrix_is_vector(d))
    return matrix_fail(L, "diag needs a vector, got %dx%d; A:diag() takes one out", d->rows,
                       d->cols);
  int n = (int)matrix_count(d);
  set_diagonal(push_filled(L, n, n, 0), d->x, 0);
  return 1;
}

static int steps_arg(lua_State *L, int index, const char *who) {
  int whole;
  lua_Integer n = lua_tointegerx(L, index, &whole);
  if (!whole || lua_type(L, index) != LUA_TNUMBER || n < 1 || n > MATRIX_MOST)
    bind_error(L, "%s: the number of points must be a whole number from 1 to %d, got %s", who,
               (int)MATRIX_MOST, matrix_got(L, index));
  return (int)n;
}

/* i of n between a and b; rounded once for short decimals, exact at both ends and in the middle */
static double between(double a, double b, int i, int n) {
  if (i == 0) return a;
  if (i == n - 1) return b;
  double x = (a * (n - 1 - i) + b * i) / (n - 1);
  return isfinite(x) ? x : a + (b - a) * ((double)i / (n - 1));
}

static int linspace(lua_State *L) {
  double a = finite_arg(L, 1, "linspace", "the first value");
  double b = finite_arg(L, 2, "linspace", "the last value");
  int n = steps_arg(L, 3, "linspace");
  bind_matrix *v = bind_matrix_new(L, n, 1);
  for (int i = 0; i < n; i++) v->x[i] = between(a, b, i, n);
  return 1;
}

static int logspace(lua_State *L) {
  double a = finite_arg(L, 1, "logspace", "the first value");
  double b = finite_arg(L, 2, "logspace", "the last value");
  int n = steps_arg(L, 3, "logspace");
  if (!(a > 0 && b > 0))
    return matrix_fail(L,
                       "logspace: both ends must be positive, got %g and %g (they are values, "
                       "not exponents)",
                       a, b);
  bind_matrix *v = bind_matrix_new(L, n, 1);
  for (int i = 0; i < n; i++) v->x[i] = pow(10, between(log10(a), log10(b), i, n));
  v->x[n - 1] = b;
  v->x[0] = a;
  return 1;
}

/* ---- equality within a tolerance ---- */

/* |a - b| <= tol max(1, |a|, |b|): absolute for small numbers, relative for large ones */
static int near(double a, double b, double tol) {
  if (a == b) return 1;
  return isfinite(a) && isfinite(b) && fabs(a - b) <= tol * fmax(1, fmax(fabs(a), fabs(b)));
}

static double tolerance(lua_State *L, int index) {
  double tol = lua_isnoneornil(L, index) ? 1e-12 : lua_tonumber(L, index);
  if (!(tol >= 0) || (!lua_isnoneornil(L, index) && lua_type(L, index) != LUA_TNUMBER))
    matrix_fail(L, "approx: the tolerance must be a non-negative number, got %s",
                matrix_got(L, index));
  return tol;
}

static int approx(lua_State *L) {
  double tol = tolerance(L, 3);
  if (lua_type(L, 1) == LUA_TNUMBER && lua_type(L, 2) == LUA_TNUMBER) {
    lua_pushboolean(L, near(lua_tonumber(L, 1), lua_tonumber(L, 2), tol));
    return 1;
  }
  const bind_matrix *A = matrix_arg(L, 1), *B = matrix_arg(L, 2);
  int same = matrix_same_shape(A, B);
  for (size_t i = 0; same && i < matrix_count(A); i++) same = near(A->x[i], B->x[i], tol);
  lua_pushboolean(L, same);
  return 1;
}

void matrix_add_approx(lua_State *L) {
  static const bind_function methods[] = {
      {"approx", approx, "A:approx(B[, tol]) -> boolean",
       "Whether the shapes are the same and |a - b| <= tol * max(1, |a|, |b|) for every entry; tol "
       "is 1e-12 unless given. A == B is exact equality.",
       "local v = k.matrix{0.1 + 0.2}\nprint(v == k.matrix{0.3}, v:approx{0.3}) --> false\ttrue"},
  };
  bind_register(L, "matrix", methods, COUNT(methods));
}

void matrix_add_makers(lua_State *L) {
  static const bind_function functions[] = {
      {"matrix", matrix, "k.matrix(table) or k.matrix(rows, cols[, value]) -> matrix",
       "A matrix from a list of rows, a vector (n x 1) from a list of numbers, or one that is "
       "filled with a number or with the results of a function of (i, j).",
       "print(k.matrix{1, 2.5, 3})\nprint(k.matrix{{1, 2}, {3, 4}} * k.matrix{1, 1})\n"
       "print(k.matrix(2, 2, function(i, j) return 10 * i + j end))\n"
       "--> {1, 2.5, 3}\n--> {3, 7}\n--> {{11, 12},\n-->  {21, 22}}"},
      {"eye", eye, "k.eye(n) -> matrix", "The n x n identity.",
       "print(k.eye(2))\n--> {{1, 0},\n-->  {0, 1}}"},
      {"zeros", zeros, "k.zeros(rows[, cols]) -> matrix", "All zero; one column unless given.",
       "print(k.zeros(3)) --> {0, 0, 0}"},
      {"ones", ones, "k.ones(rows[, cols]) -> matrix", "All one; one column unless given.",
       "print(k.ones(1, 2)) --> {{1, 1}}"},
      {"diag", diag, "k.diag(vector) -> matrix",
       "The square matrix with these numbers on its diagonal. A:diag() takes the diagonal out.",
       "print(k.diag{1, 2})\n--> {{1, 0},\n-->  {0, 2}}"},
      {"linspace", linspace, "k.linspace(first, last, n) -> vector",
       "n numbers in equal steps, both ends included.",
       "print(k.linspace(0, 1, 5)) --> {0, 0.25, 0.5, 0.75, 1}"},
      {"logspace", logspace, "k.logspace(first, last, n) -> vector",
       "n numbers in equal ratios, both ends included. The ends are the values themselves, not "
       "their exponents.",
       "print(k.logspace(0.01, 100, 5)) --> {0.01, 0.1, 1, 10, 100}"},
      {"approx", approx, "k.approx(a, b[, tol]) -> boolean",
       "Whether two numbers, matrices or tables of numbers agree to tol * max(1, |a|, |b|) in "
       "every "
       "entry; tol is 1e-12 unless given.",
       "print(k.approx(0.1 + 0.2, 0.3), k.approx({1, 2}, {1, 2.1})) --> true\tfalse"},
  };
  bind_register(L, "knock", functions, COUNT(functions));
}
