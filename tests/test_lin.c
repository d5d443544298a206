/* Square systems of lin.h: each routine against another route, sizes 0 to 200. */
#include <float.h>

#include "core/lin.h"
#include "lin_help.h"
#include "unity.h"

static core_scratch s;
static const int sizes[] = {0, 1, 2, 3, 4, 6, 8, 10, 11, 12, 16, 33, 64, 65, 130, 200};
enum { SIZES = sizeof sizes / sizeof *sizes, RHS = 3 };

void setUp(void) {
  core_scratch_init(&s);
}

void tearDown(void) {
  core_scratch_free(&s);
}

/* |A X - B| in units of n eps |A| |X|: LAPACK's own tests pass below 30 */
static double residual(int n, const double *A, const double *X, const double *B) {
  if (n == 0) return 0;
  double *AX = product(n, n, RHS, A, X);
  double r = apart(n * RHS, AX, B) / (n * DBL_EPSILON * largest(n * n, A) * largest(n * RHS, X));
  free(AX);
  return r;
}

typedef core_status solver(int, double *, int, double *, core_scratch *, double *);

static void solves(solver *solve, double *A, int n) {
  double *B = random_matrix(n, RHS, n + 1), *F = copy_of(n, n, A), *X = copy_of(n, RHS, B);
  double rcond = -1;
  TEST_ASSERT_EQUAL_INT(CORE_OK, solve(n, F, RHS, X, &s, &rcond));
  TEST_ASSERT_TRUE(residual(n, A, X, B) < 30);
  TEST_ASSERT_TRUE(rcond > 0 && rcond <= 1);
  free(A), free(B), free(F), free(X);
}

static void each_solver_leaves_a_small_residual(void) {
  for (int i = 0; i < SIZES; i++) {
    solves(core_lin_solve, random_matrix(sizes[i], sizes[i], i), sizes[i]);
    solves(core_lin_solve_spd, random_spd(sizes[i], i), sizes[i]);
    solves(core_lin_solve_symmetric, random_symmetric(sizes[i], i), sizes[i]);
  }
}

/* four routes to one X: LU, Cholesky, Bunch-Kaufman, and the inverse times B */
static void four_routes_agree_on_a_positive_definite_system(void) {
  static solver *const solvers[] = {core_lin_solve, core_lin_solve_spd, core_lin_solve_symmetric};
  for (int i = 1; i < SIZES; i++) {
    int n = sizes[i];
    double *A = random_spd(n, i), *B = random_matrix(n, RHS, 9), *V = copy_of(n, n, A), rcond;
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_inverse(n, V, &s, &rcond));
    double *X = product(n, n, RHS, V, B);
    for (int k = 0; k < 3; k++) {
      double *F = copy_of(n, n, A), *Y = copy_of(n, RHS, B), other;
      TEST_ASSERT_EQUAL_INT(CORE_OK, solvers[k](n, F, RHS, Y, &s, &other));
      TEST_ASSERT_TRUE(apart(n * RHS, X, Y) <= 30 * DBL_EPSILON / rcond * largest(n * RHS, X));
      TEST_ASSERT_DOUBLE_WITHIN(0.5 * rcond, rcond, other);
      free(F), free(Y);
    }
    free(A), free(B), free(V), free(X);
  }
}

/* the estimate may be too large, never by much: compare 1 / (|A|_1 |A^-1|_1) */
static void rcond_estimates_the_condition(void) {
  for (int i = 1; i < SIZES; i++) {
    int n = sizes[i];
    double *A = random_matrix(n, n, i), norm, norm_of_inverse, rcond;
    core_lin_norm('1', n, n, A, &s, &norm);
    core_lin_inverse(n, A, &s, &rcond);
    core_lin_norm('1', n, n, A, &s, &norm_of_inverse);
    double exact = 1 / (norm * norm_of_inverse);
    TEST_ASSERT_TRUE(rcond >= 0.99 * exact && rcond <= 5 * exact);
    free(A);
  }
}

/* [M A^T; A 0] [u; l] = [f; 0]: u solves M u + A^T l = f and A u = 0, here by elimination:
 * l = (A M^-1 A^T)^-1 A M^-1 f */
static void the_block_system_agrees_with_elimination(void) {
  enum { N = 12, C = 4, ALL = N + C };
  double *M = random_spd(N, 5), *A = random_matrix(C, N, 6), *f = random_matrix(N, 1, 7);
  double *K = matrix(ALL, ALL), *x = matrix(ALL, 1), rcond;
  for (int j = 0; j < N; j++) {
    for (int i = 0; i < N; i++) K[i + ALL * j] = M[i + N * j];
    for (int i = 0; i < C; i++) K[N + i + ALL * j] = A[i + C * j];
    for (int i = 0; i < C; i++) K[j + ALL * (N + i)] = NAN; /* upper triangle is not read */
    x[j] = f[j];
  }
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_solve_symmetric(ALL, K, 1, x, &s, &rcond));
  double *At = transposed(C, N, A), *Y = copy_of(N, C, At), *F = copy_of(N, N, M);
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_solve_spd(N, F, C, Y, &s, NULL)); /* M^-1 A^T */
  double *W = product(C, N, C, A, Y), *Yt = transposed(N, C, Y), *l = product(C, N, 1, Yt, f);
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_solve_spd(C, W, 1, l, &s, NULL));
  TEST_ASSERT_TRUE(apart(C, x + N, l) <= 30 * DBL_EPSILON / rcond * largest(C, l));
  double *Au = product(C, N, 1, A, x);
  TEST_ASSERT_TRUE(largest(C, Au) <= 1e-13);
  free(M), free(A), free(f), free(K), free(x), free(At), free(Y), free(F), free(W), free(Yt);
  free(l), free(Au);
}

static void spd_reads_only_the_lower_triangle(void) {
  double A[4] = {4, 1, NAN, 3}, b[2] = {5, 4}; /* 4x + y = 5, x + 3y = 4 */
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_solve_spd(2, A, 1, b, &s, NULL));
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1, b[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1, b[1]);
}

static void inverse_times_matrix_is_identity(void) {
  for (int i = 0; i < SIZES; i++) {
    int n = sizes[i];
    double *A = random_matrix(n, n, i), *X = copy_of(n, n, A), *I = identity(n), rcond;
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_inverse(n, X, &s, &rcond));
    double *P = product(n, n, n, A, X);
    TEST_ASSERT_TRUE(apart(n * n, P, I) <= 10 * (n + 1) * DBL_EPSILON / rcond);
    free(A), free(X), free(I), free(P);
  }
}

/* ---- singular, ill-conditioned, not finite ---- */

static double *hilbert(int n) {
  double *H = matrix(n, n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) H[i + n * j] = 1.0 / (i + j + 1);
  return H;
}

static double binomial(int n, int k) {
  double c = 1;
  for (int i = 1; i <= k; i++) c = c * (n - k + i) / i;
  return round(c);
}

/* the exact inverse of the Hilbert matrix is made of integers */
static void hilbert_is_inverted_as_well_as_its_condition_allows(void) {
  for (int n = 1; n <= 10; n++) {
    double *H = hilbert(n), *E = matrix(n, n), rcond;
    for (int i = 1; i <= n; i++)
      for (int j = 1; j <= n; j++)
        E[i - 1 + n * (j - 1)] = ((i + j) % 2 ? -1 : 1) * (i + j - 1.0) *
                                 binomial(n + i - 1, n - j) * binomial(n + j - 1, n - i) *
                                 pow(binomial(i + j - 2, i - 1), 2);
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_inverse(n, H, &s, &rcond));
    TEST_ASSERT_TRUE(apart(n * n, H, E) <= 10 * DBL_EPSILON / rcond * largest(n * n, E));
    free(H), free(E);
  }
}

static void hilbert_of_order_14_is_called_singular(void) {
  static solver *const solvers[] = {core_lin_solve, core_lin_solve_spd, core_lin_solve_symmetric};
  for (int k = 0; k < 3; k++) {
    double *H = hilbert(14), *b = random_matrix(14, 1, 1), *kept = copy_of(14, 1, b), rcond = -1;
    TEST_ASSERT_EQUAL_INT(CORE_SINGULAR, solvers[k](14, H, 1, b, &s, &rcond));
    TEST_ASSERT_TRUE(rcond >= 0 && rcond < DBL_EPSILON);
    TEST_ASSERT_TRUE(apart(14, b, kept) == 0); /* b is left alone */
    free(H), free(b), free(kept);
  }
}

static void an_exactly_singular_matrix_is_called_singular(void) {
  static solver *const solvers[] = {core_lin_solve, core_lin_solve_spd, core_lin_solve_symmetric};
  for (int k = 0; k < 3; k++) {
    double A[9] = {1, 2, 3, 2, 4, 6, 3, 6, 9}, b[3] = {1, 1, 1}, rcond = -1;
    TEST_ASSERT_EQUAL_INT(CORE_SINGULAR, solvers[k](3, A, 1, b, &s, &rcond));
    TEST_ASSERT_EQUAL_DOUBLE(0, rcond);
  }
  double Z[4] = {0};
  TEST_ASSERT_EQUAL_INT(CORE_SINGULAR, core_lin_inverse(2, Z, &s, NULL));
}

static void an_indefinite_matrix_has_no_cholesky_factor(void) {
  double A[4] = {1, 2, 2, 1}, b[2] = {3, 3};
  TEST_ASSERT_EQUAL_INT(CORE_SINGULAR, core_lin_solve_spd(2, A, 1, b, &s, NULL));
  double B[4] = {1, 2, 2, 1};
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_solve_symmetric(2, B, 1, b, &s, NULL));
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1, b[0]);
}

static void nan_and_infinity_are_named(void) {
  static solver *const solvers[] = {core_lin_solve, core_lin_solve_spd, core_lin_solve_symmetric};
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 3; k++)
    for (int v = 0; v < 3; v++) {
      double A[4] = {2, bad[v], bad[v], 2}, I[4] = {1, 0, 0, 1}, b[2] = {1, bad[v]}, c[2] = {1, 1};
      TEST_ASSERT_EQUAL_INT(CORE_NOT_FINITE, solvers[k](2, A, 1, c, &s, NULL));
      TEST_ASSERT_EQUAL_INT(CORE_NOT_FINITE, solvers[k](2, I, 1, b, &s, NULL));
    }
}

/* ---- units ---- */

/* kilometres beside nanometres: R A C y = R b has y = C^-1 x, and is as regular as A x = b */
static void units_do_not_matter(solver *solve, double *A, int n, int same) {
  double *b = random_matrix(n, 1, 5), *D = copy_of(n, n, A), *y = matrix(n, 1), rcond, other;
  uint64_t seed = 17;
  double *r = matrix(n, 1), *c = matrix(n, 1);
  for (int i = 0; i < n; i++) {
    r[i] = pow(10, round(30 * uniform(&seed)));
    c[i] = same ? r[i] : pow(10, round(30 * uniform(&seed)));
    y[i] = r[i] * b[i];
  }
  for (int i = 0; i < n * n; i++) D[i] *= r[i % n] * c[i / n];
  TEST_ASSERT_EQUAL_INT(CORE_OK, solve(n, A, 1, b, &s, &rcond));
  TEST_ASSERT_EQUAL_INT(CORE_OK, solve(n, D, 1, y, &s, &other));
  for (int i = 0; i < n; i++)
    TEST_ASSERT_DOUBLE_WITHIN(50 * DBL_EPSILON / rcond * largest(n, b), b[i], c[i] * y[i]);
  TEST_ASSERT_TRUE(other > rcond / 100 && other < 100 * rcond);
  free(A), free(b), free(D), free(y), free(r), free(c);
}

static void units_of_rows_and_columns_do_not_matter(void) {
  for (int i = 1; i < SIZES; i++) {
    units_do_not_matter(core_lin_solve, random_matrix(sizes[i], sizes[i], i), sizes[i], 0);
    units_do_not_matter(core_lin_solve_spd, random_spd(sizes[i], i), sizes[i], 1);
    units_do_not_matter(core_lin_solve_symmetric, random_symmetric(sizes[i], i), sizes[i], 1);
  }
  double M[4] = {1, 0, 0, 4e-19}, b[2] = {2, 4e-19}; /* a ball of a nanometre: m and I */
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_solve_spd(2, M, 1, b, &s, NULL));
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 2, b[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1, b[1]);
}

/* a nearly singular A must be seen also when nobody asks for rcond */
static void nearly_singular_is_seen_without_rcond(void) {
  for (int n = 2; n <= 20; n += 3) {
    double *A = random_of_rank(n, n, n - 1, n), *T = transposed(n, n, A);
    double *W = product(n, n, n, A, T), *b = random_matrix(n, 1, 1);
    for (int i = 0; i < n; i++) W[i + n * i] += 1e-17;
    TEST_ASSERT_EQUAL_INT(CORE_SINGULAR, core_lin_solve_spd(n, W, 1, b, &s, NULL));
    TEST_ASSERT_EQUAL_INT(CORE_SINGULAR, core_lin_solve(n, A, 1, b, &s, NULL));
    free(A), free(T), free(W), free(b);
  }
}

/* ---- determinant ---- */

/* expansion along the first column */
static double cofactors(int n, const double *A) {
  if (n == 0) return 1;
  double det = 0, *M = matrix(n - 1, n - 1);
  for (int r = 0; r < n; r++) {
    for (int j = 1; j < n; j++)
      for (int i = 0, to = 0; i < n; i++)
        if (i != r) M[to++ + (n - 1) * (j - 1)] = A[i + n * j];
    det += (r % 2 ? -1 : 1) * A[r] * cofactors(n - 1, M);
  }
  free(M);
  return det;
}

/* U^T U of a random U with columns that begin where from says */
static double *with_profile(int n, int width, int *from) {
  double *U = random_matrix(n, n, width), *A = calloc((size_t)(n * n), sizeof *A);
  for (int j = 0; j < n; j++) {
    from[j] = j < width ? 0 : j - (j * 7) % (width + 1);
    U[j * n + j] = 2 + fabs(U[j * n + j]);
  }
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j; i++)
      for (int k = from[i] > from[j] ? from[i] : from[j]; k <= i; k++)
        A[j * n + i] += U[i * n + k] * U[j * n + k];
  free(U);
  return A;
}

/* known zeros above the columns change nothing but the time; U^T U = A in long double */
static void cholesky_of_a_band_is_that_of_the_whole(void) {
  const int widths[] = {0, 1, 2, 5, 39};
  for (int w = 0; w < 5; w++) {
    enum { n = 40 };
    int from[n];
    double *A = with_profile(n, widths[w], from), *U = copy_of(n, n, A), *V = copy_of(n, n, A);
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_cholesky_below(n, U, n, from));
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_cholesky(n, V, n));
    for (int j = 0; j < n; j++)
      for (int i = 0; i <= j; i++) {
        long double sum = A[j * n + i];
        for (int k = 0; k <= i; k++) sum -= (long double)U[i * n + k] * U[j * n + k];
        TEST_ASSERT_TRUE(fabsl(sum) <= 30 * DBL_EPSILON * A[j * n + j]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-13 * n, V[j * n + i], U[j * n + i]);
        TEST_ASSERT_TRUE(i >= from[j] || U[j * n + i] == 0);
      }
    free(A), free(U), free(V);
  }
}

static void a_band_that_is_not_definite_is_called_singular(void) {
  enum { n = 40 };
  double A[n * n] = {0};
  int from[n];
  for (int j = 0; j < n; j++) {
    A[j * n + j] = j == 30 ? 0.4 : 2, from[j] = j ? j - 1 : 0;
    if (j) A[j * n + j - 1] = -1;
  }
  TEST_ASSERT_EQUAL_INT(CORE_SINGULAR, core_lin_cholesky_below(n, A, n, from));
}

static void determinant_agrees_with_cofactors(void) {
  for (int n = 0; n <= 7; n++)
    for (int t = 0; t < 20; t++) {
      double *A = random_matrix(n, n, t), det;
      TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_det(n, A, &s, &det));
      TEST_ASSERT_DOUBLE_WITHIN(1e-14, cofactors(n, A), det);
      free(A);
    }
}

static void determinant_agrees_with_eigenvalues(void) {
  for (int i = 1; i < SIZES; i++) {
    int n = sizes[i];
    double *A = random_matrix(n, n, i), *re = matrix(n, 1), *im = matrix(n, 1), det;
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_det(n, A, &s, &det));
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_eig(n, A, &s, re, im, NULL));
    double size = 1; /* complex ones come in pairs: |det| is the product of the magnitudes */
    int negative = 0;
    for (int k = 0; k < n; k++) {
      size *= hypot(re[k], im[k]);
      negative ^= im[k] == 0 && re[k] < 0;
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-11 * size, negative ? -size : size, det);
    free(A), free(re), free(im);
  }
}

static void determinant_does_not_overflow_on_the_way(void) {
  enum { N = 6 };
  double *A = matrix(N, N), det;
  const double d[N] = {1e200, 1e200, -1e200, 1e-200, 1e-200, 1e-200};
  for (int i = 0; i < N; i++) A[i + N * i] = d[i];
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_det(N, A, &s, &det));
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, -1, det);
  for (int i = 0; i < N; i++) A[i + N * i] = -1e-200;
  core_lin_det(N, A, &s, &det);
  TEST_ASSERT_TRUE(det == 0);
  A[0] = 1e308, A[7] = -1e308;
  core_lin_det(2, (double[]){1e308, 0, 0, -1e308}, &s, &det);
  TEST_ASSERT_TRUE(isinf(det) && det < 0);
  A[0] = NAN;
  TEST_ASSERT_EQUAL_INT(CORE_NOT_FINITE, core_lin_det(N, A, &s, &det));
  free(A);
}

static void determinant_of_a_singular_matrix_is_zero(void) {
  double A[4] = {1, 2, 2, 4}, det = 7;
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_det(2, A, &s, &det));
  TEST_ASSERT_TRUE(det == 0);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(each_solver_leaves_a_small_residual);
  RUN_TEST(four_routes_agree_on_a_positive_definite_system);
  RUN_TEST(rcond_estimates_the_condition);
  RUN_TEST(the_block_system_agrees_with_elimination);
  RUN_TEST(spd_reads_only_the_lower_triangle);
  RUN_TEST(inverse_times_matrix_is_identity);
  RUN_TEST(hilbert_is_inverted_as_well_as_its_condition_allows);
  RUN_TEST(hilbert_of_order_14_is_called_singular);
  RUN_TEST(an_exactly_singular_matrix_is_called_singular);
  RUN_TEST(an_indefinite_matrix_has_no_cholesky_factor);
  RUN_TEST(nan_and_infinity_are_named);
  RUN_TEST(units_of_rows_and_columns_do_not_matter);
  RUN_TEST(nearly_singular_is_seen_without_rcond);
  RUN_TEST(cholesky_of_a_band_is_that_of_the_whole);
  RUN_TEST(a_band_that_is_not_definite_is_called_singular);
  RUN_TEST(determinant_agrees_with_cofactors);
  RUN_TEST(determinant_agrees_with_eigenvalues);
  RUN_TEST(determinant_does_not_overflow_on_the_way);
  RUN_TEST(determinant_of_a_singular_matrix_is_zero);
  return UNITY_END();
}
