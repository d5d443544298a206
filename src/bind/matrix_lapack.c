/* Methods over core/lin.h. Each pushes its results first, then computes into them: a Lua error for
 * want of memory comes before the numerics, a failure of the numerics is raised after them. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bind/matrix_part.h"
#include "core/lin.h"

static bind_matrix *push_copy(lua_State *L, const bind_matrix *A) {
  bind_matrix_push(L, A->rows, A->cols, A->x);
  return lua_touserdata(L, -1);
}

/* "matrix: cannot solve with 3x3: it is singular (rcond 1e-17)" */
static int check(lua_State *L, core_status status, const char *verb, const bind_matrix *A,
                 double rcond) {
  if (status == CORE_OK) return 0;
  if (status != CORE_SINGULAR) return matrix_cannot(L, verb, A, status);
  core_error err;
  core_fail(&err, status, "matrix: cannot %s %dx%d: it is singular (rcond %.2g)", verb, A->rows,
            A->cols, rcond);
  return bind_raise(L, &err);
}

/* singular values at most tol * largest count as 0; the default is lin.h's */
static double tolerance(lua_State *L, int index) {
  if (lua_isnoneornil(L, index)) return -1;
  if (lua_type(L, index) != LUA_TNUMBER || !(lua_tonumber(L, index) >= 0))
    matrix_fail(L, "the tolerance must be a non-negative number, got %s", matrix_got(L, index));
  return lua_tonumber(L, index);
}

/* ---- systems ---- */

/* stack: A, b, ... -> x, rank */
static int least_squares(lua_State *L, const bind_matrix *A, const bind_matrix *b, double tol) {
  bind_matrix *X = bind_matrix_new(L, A->cols, b->cols);
  int rank = 0;
  core_status status = core_lin_least_squares(A->rows, A->cols, A->x, b->cols, b->x, tol,
                                              bind_scratch(L), X->x, &rank);
  check(L, status, "solve with", A, 0);
  lua_pushinteger(L, rank);
  return 2;
}

/* stack: A, b -> x, rcond */
static int solve_square(lua_State *L, const bind_matrix *A, const bind_matrix *b) {
  bind_matrix *X = push_copy(L, b), *F = push_copy(L, A);
  double rcond = 0;
  core_status status = core_lin_solve(A->rows, F->x, X->cols, X->x, bind_scratch(L), &rcond);
  check(L, status, "solve with", A, rcond);
  lua_pop(L, 1);
  lua_pushnumber(L, rcond);
  return 2;
}

static const bind_matrix *right_side(lua_State *L, const bind_matrix *A) {
  const bind_matrix *b = matrix_arg(L, 2);
  if (b->rows != A->rows)
    matrix_fail(L, "cannot solve %dx%d with right-hand side %dx%d", A->rows, A->cols, b->rows,
                b->cols);
  return b;
}

static int solve(lua_State *L) {
  const bind_matrix *A = matrix_arg(L, 1), *b = right_side(L, A);
  return A->rows == A->cols ? solve_square(L, A, b) : least_squares(L, A, b, -1);
}

static int lstsq(lua_State *L) {
  const bind_matrix *A = matrix_arg(L, 1), *b = right_side(L, A);
  return least_squares(L, A, b, tolerance(L, 3));
}

static int inv(lua_State *L) {
  const bind_matrix *A = matrix_square(L, 1, "invert");
  bind_matrix *X = push_copy(L, A);
  double rcond = 0;
  check(L, core_lin_inverse(X->rows, X->x, bind_scratch(L), &rcond), "invert", A, rcond);
  lua_pushnumber(L, rcond);
  return 2;
}

/* the least-squares solution for every column of the identity */
static int pinv(lua_State *L) {
  const bind_matrix *A = matrix_arg(L, 1);
  double tol = tolerance(L, 2);
  bind_matrix *I = bind_matrix_new(L, A->rows, A->rows);
  memset(I->x, 0, matrix_count(I) * sizeof *I->x);
  for (int i = 0; i < A->rows; i++) I->x[(size_t)i * (size_t)(A->rows + 1)] = 1;
  return least_squares(L, A, I, tol);
}

/* ---- one number ---- */

static int det(lua_State *L) {
  const bind_matrix *A = matrix_square(L, 1, "take the determinant of");
  double x = 0;
  check(L, core_lin_det(A->rows, A->x, bind_scratch(L), &x), "take the determinant of", A, 0);
  lua_pushnumber(L, x);
  return 1;
}

static int rank(lua_State *L) {
  const bind_matrix *A = matrix_arg(L, 1);
  int found = 0;
  core_status status =
      core_lin_rank(A->rows, A->cols, A->x, tolerance(L, 2), bind_scratch(L), &found);
  check(L, status, "take the rank of", A, 0);
  lua_pushinteger(L, found);
  return 1;
}

static int cond(lua_State *L) {
  const bind_matrix *A = matrix_arg(L, 1);
  double x = 0;
  core_status status = core_lin_condition(A->rows, A->cols, A->x, bind_scratch(L), &x);
  check(L, status, "take the condition of", A, 0);
  lua_pushnumber(L, x);
  return 1;
}

/* 1, 2, "inf", "fro", "max" as core_lin_norm's letters */
static char norm_letter(lua_State *L, int index) {
  if (lua_isnoneornil(L, index)) return 'f';
  if (lua_type(L, index) == LUA_TNUMBER) {
    double which = lua_tonumber(L, index);
    if (which == 1 || which == 2) return which == 1 ? '1' : '2';
    if (which == HUGE_VAL) return 'i';
  } else if (lua_type(L, index) == LUA_TSTRING) {
    static const char *const words[] = {"inf", "fro", "max"};
    for (int i = 0; i < 3; i++)
      if (!strcmp(lua_tostring(L, index), words[i])) return "ifm"[i];
  }
  return (char)matrix_fail(L, "norm must be 1, 2, \"inf\", \"fro\" or \"max\", got %s",
                           matrix_got(L, index));
}

static int norm(lua_State *L) {
  const bind_matrix *A = matrix_arg(L, 1);
  char which = norm_letter(L, 2);
  double x = 0;
  check(L, core_lin_norm(which, A->rows, A->cols, A->x, bind_scratch(L), &x), "take the norm of", A,
        0);
  lua_pushnumber(L, x);
  return 1;
}

/* ---- decompositions ---- */

/* the first `cols` columns of the matrix on top replace it */
static void keep_columns(lua_State *L, int cols) {
  const bind_matrix *A = lua_touserdata(L, -1);
  if (A->cols == cols) return;
  bind_matrix_push(L, A->rows, cols, A->x);
  lua_replace(L, -2);
}

/* the transpose of the square matrix on top, in place */
static void transpose_top(lua_State *L) {
  bind_matrix *A = lua_touserdata(L, -1);
  for (int j = 0; j < A->cols; j++)
    for (int i = 0; i < j; i++) {
      double *a = &A->x[i + (size_t)j * (size_t)A->rows],
             *b = &A->x[j + (size_t)i * (size_t)A->rows];
      double t = *a;
      *a = *b;
      *b = t;
    }
}

static int svd(lua_State *L) {
  const bind_matrix *A = matrix_arg(L, 1);
  const char *how = luaL_optstring(L, 2, "thin");
  int full = !strcmp(how, "full"), k = A->rows < A->cols ? A->rows : A->cols;
  if (!full && strcmp(how, "thin")) matrix_fail(L, "svd must be 'thin' or 'full', got '%s'", how);
  bind_matrix *Vt = bind_matrix_new(L, A->cols, A->cols);
  bind_matrix *U = bind_matrix_new(L, A->rows, A->rows);
  bind_matrix *S = bind_matrix_new(L, k, 1);
  core_status status = core_lin_svd(A->rows, A->cols, A->x, bind_scratch(L), S->x, U->x, Vt->x);
  check(L, status, "decompose", A, 0);
  lua_insert(L, -2); /* ..., Vt, S, U */
  if (!full) keep_columns(L, k);
  lua_insert(L, -2); /* ..., Vt, U, S */
  lua_pushvalue(L, -3);
  transpose_top(L);
  if (!full) keep_columns(L, k);
  return 3;
}

/* symmetric but for rounding */
static int symmetric(const bind_matrix *A) {
  int n = A->rows;
  double most = 0, off = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j; i++) {
      double a = A->x[i + (size_t)j * (size_t)n], b = A->x[j + (size_t)i * (size_t)n];
      most = fmax(most, fmax(fabs(a), fabs(b)));
      off = fmax(off, fabs(a - b));
    }
  return off <= n * DBL_EPSILON * most;
}

/* pushes (A + A^T) / 2 */
static bind_matrix *push_symmetric(lua_State *L, const bind_matrix *A) {
  int n = A->rows;
  bind_matrix *S = bind_matrix_new(L, n, n);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      S->x[i + (size_t)j * (size_t)n] =
          0.5 * A->x[i + (size_t)j * (size_t)n] + 0.5 * A->x[j + (size_t)i * (size_t)n];
  return S;
}

/* A V = V diag(w), or A V = B V diag(w); B may be NULL. Pushes w, V. */
static int eig_symmetric(lua_State *L, const bind_matrix *A, const bind_matrix *B) {
  const bind_matrix *S = push_symmetric(L, A), *M = B ? push_symmetric(L, B) : NULL;
  bind_matrix *w = bind_matrix_new(L, A->rows, 1), *V = bind_matrix_new(L, A->rows, A->rows);
  core_scratch *s = bind_scratch(L);
  core_status status = B ? core_lin_eig_generalised(A->rows, S->x, M->x, s, w->x, V->x)
                         : core_lin_eig_symmetric(A->rows, S->x, s, w->x, V->x);
  if (status == CORE_SINGULAR)
    return matrix_fail(L, "cannot take eigenvalues with %dx%d: it is not positive definite",
                       A->rows, A->cols);
  check(L, status, "take the eigenvalues of", A, 0);
  return 2;
}

/* puts eigenvalues and packed vectors in order: by real part, then by imaginary part */
static void sort_pairs(int n, double *re, double *im, int *from) {
  for (int i = 0; i < n; i++) {
    double r = re[i], m = im[i];
    int k = i;
    for (; k > 0 && (re[k - 1] > r || (re[k - 1] == r && im[k - 1] > m)); k--)
      re[k] = re[k - 1], im[k] = im[k - 1], from[k] = from[k - 1];
    re[k] = r, im[k] = m, from[k] = i;
  }
}

/* LAPACK packs the pair x + i y, x - i y as columns x, y: column `at` of P, real and imaginary */
static void unpack_vector(const bind_matrix *P, int at, const double *im0, double *x, double *y) {
  size_t n = (size_t)P->rows;
  int second = im0[at] < 0; /* the conjugate of the column before */
  const double *re = P->x + n * (size_t)(at - second), *im = re + n;
  for (size_t i = 0; i < n; i++) {
    x[i] = re[i];
    y[i] = im0[at] == 0 ? 0 : second ? -im[i] : im[i];
  }
}

static int eig_general(lua_State *L, const bind_matrix *A) {
  int n = A->rows, complex = 0;
  bind_matrix *P = bind_matrix_new(L, n, n);   /* packed */
  bind_matrix *im0 = bind_matrix_new(L, n, 1); /* in LAPACK's order */
  int *from = lua_newuserdatauv(L, (size_t)(n + 1) * sizeof *from, 0);
  bind_matrix *re = bind_matrix_new(L, n, 1), *V = bind_matrix_new(L, n, n);
  bind_matrix *im = bind_matrix_new(L, n, 1), *Y = bind_matrix_new(L, n, n);
  core_status status = core_lin_eig(n, A->x, bind_scratch(L), re->x, im->x, P->x);
  check(L, status, "take the eigenvalues of", A, 0);
  for (int i = 0; i < n; i++) complex |= (im0->x[i] = im->x[i]) != 0;
  sort_pairs(n, re->x, im->x, from);
  for (int i = 0; i < n; i++) {
    size_t at = (size_t)i * (size_t)n;
    unpack_vector(P, from[i], im0->x, V->x + at, Y->x + at);
  }
  if (!complex) lua_pop(L, 2);
  return complex ? 4 : 2;
}

static int eig(lua_State *L) {
  const bind_matrix *A = matrix_square(L, 1, "take the eigenvalues of");
  if (lua_isnoneornil(L, 2)) return symmetric(A) ? eig_symmetric(L, A, NULL) : eig_general(L, A);
  const bind_matrix *B = matrix_arg(L, 2);
  if (!matrix_same_shape(A, B))
    return matrix_fail(L, "cannot take eigenvalues of %dx%d with %dx%d", A->rows, A->cols, B->rows,
                       B->cols);
  if (!symmetric(A) || !symmetric(B))
    return matrix_fail(L, "eig(B) needs symmetric matrices; (B:solve(A)):eig() takes any");
  return eig_symmetric(L, A, B);
}

void matrix_add_lapack(lua_State *L) {
  static const bind_function methods[] = {
      {"solve", solve, "A:solve(b) -> x, rcond",
       "The solution of A x = b by LU factors, and the reciprocal condition (whatever the units of "
       "rows and columns); a singular A is an error. When A is not square: the shortest x with the "
       "least |A x - b|, and the rank.",
       "local A = k.matrix{{4, 1}, {1, 3}}\nprint((A:solve{1, 2}):format(6)) --> {0.0909091, "
       "0.636364}"},
      {"lstsq", lstsq, "A:lstsq(b[, tol]) -> x, rank",
       "The shortest x with the least |A x - b|, for any A. Singular values up to tol times the "
       "largest count as zero; tol is max(rows, cols) * 2.2e-16 unless given.",
       "local A = k.matrix{{1, 0}, {1, 1}, {1, 2}}\nprint((A:lstsq{1, 3, 5}):format(6)) --> {1, "
       "2}"},
      {"inv", inv, "A:inv() -> matrix, rcond", "The inverse, and the reciprocal condition.",
       "print(k.matrix{{2, 0}, {0, 4}}:inv()(2, 2)) --> 0.25"},
      {"pinv", pinv, "A:pinv([tol]) -> matrix, rank", "The pseudo-inverse, and the rank.",
       "print((k.matrix{{2, 0}, {0, 0}}:pinv()))\n--> {{0.5, 0},\n-->  {0,   0}}"},
      {"det", det, "A:det() -> number", "The determinant.",
       "print(k.matrix{{2, 1}, {1, 2}}:det()) --> 3.0"},
      {"rank", rank, "A:rank([tol]) -> integer",
       "How many singular values exceed tol times the largest; tol is max(rows, cols) * 2.2e-16 "
       "unless given.",
       "print(k.matrix{{1, 2}, {2, 4}}:rank()) --> 1"},
      {"cond", cond, "A:cond() -> number",
       "The largest singular value over the smallest; math.huge when singular.",
       "print(k.diag{8, 2}:cond()) --> 4.0"},
      {"norm", norm, "A:norm([which]) -> number",
       "The length of a vector or Frobenius norm of a matrix; or the norm 1, 2, \"inf\", \"fro\" "
       "or "
       "\"max\" (largest entry).",
       "print(k.matrix{3, 4}:norm(), k.matrix{3, -4}:norm(1)) --> 5.0\t7.0"},
      {"svd", svd, "A:svd([\"full\"]) -> U, s, V",
       "A = U * k.diag(s) * V:t() with s descending. U and V have as many columns as s, or are "
       "square when \"full\".",
       "local U, s, V = k.matrix{{0, 2}, {1, 0}}:svd()\nprint(s) --> {2, 1}"},
      {"eig", eig, "A:eig() -> w, V[, w_im, V_im]; A:eig(B) -> w, V",
       "Eigenvalues, ascending, and eigenvectors as columns. A symmetric A (but for rounding) has "
       "real "
       "ones and orthogonal V. Otherwise the imaginary parts follow when there are any. With B: "
       "A V = B V diag(w) for symmetric A and positive definite B, V:t() * B * V = I.",
       "print((k.matrix{{2, 1}, {1, 2}}:eig())) --> {1, 3}\n"
       "local w, V, w_im = k.matrix{{0, 1}, {-4, 0}}:eig()\nprint(w, w_im) --> {0, 0}\t{-2, 2}"},
  };
  bind_register(L, "matrix", methods, COUNT(methods));
}
