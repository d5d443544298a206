/* tiny.h against lin.h (LAPACK) and against definitions, n = 1, 2, 3 */
#include <float.h>

#include "core/lin.h"
#include "core/tiny.h"
#include "lin_help.h"
#include "unity.h"

static core_scratch s;

void setUp(void) {
  core_scratch_init(&s);
}

void tearDown(void) {
  core_scratch_free(&s);
}

enum { TRIES = 500 };

/* a good bound on the relative error of a solve: n eps / rcond */
static double bound(double rcond) {
  return 30 * DBL_EPSILON / rcond;
}

static void solve_agrees_with_lapack(void) {
  for (int n = 1; n <= 3; n++)
    for (int t = 0; t < TRIES; t++) {
      double *A = random_matrix(n, n, 100 * t + n), *b = random_matrix(n, 1, 7 * t), rcond;
      double *F = copy_of(n, n, A), *x = copy_of(n, 1, b);
      TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_solve(n, F, 1, x, &s, &rcond));
      TEST_ASSERT_EQUAL_INT(CORE_OK, core_tiny_solve(n, A, b));
      TEST_ASSERT_TRUE(apart(n, x, b) <= bound(rcond) * largest(n, x));
      free(A), free(b), free(F), free(x);
    }
}

static void spd_solve_agrees_with_lapack(void) {
  for (int n = 1; n <= 3; n++)
    for (int t = 0; t < TRIES; t++) {
      double *A = random_spd(n, 100 * t + n), *b = random_matrix(n, 1, 7 * t), rcond;
      double *F = copy_of(n, n, A), *x = copy_of(n, 1, b);
      TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_solve_spd(n, F, 1, x, &s, &rcond));
      TEST_ASSERT_EQUAL_INT(CORE_OK, core_tiny_solve_spd(n, A, b));
      TEST_ASSERT_TRUE(apart(n, x, b) <= bound(rcond) * largest(n, x));
      free(A), free(b), free(F), free(x);
    }
}

static void cholesky_factors_multiply_back(void) {
  for (int n = 1; n <= 3; n++)
    for (int t = 0; t < TRIES; t++) {
      double *A = random_spd(n, 100 * t + n), *L = copy_of(n, n, A);
      TEST_ASSERT_EQUAL_INT(CORE_OK, core_tiny_chol(n, L));
      for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) L[i + n * j] = 0;
      double *T = transposed(n, n, L), *back = product(n, n, n, L, T);
      TEST_ASSERT_TRUE(apart(n * n, A, back) <= 4 * DBL_EPSILON * largest(n * n, A));
      free(A), free(L), free(T), free(back);
    }
}

static void determinant_agrees_with_lapack(void) {
  for (int n = 1; n <= 3; n++)
    for (int t = 0; t < TRIES; t++) {
      double *A = random_matrix(n, n, 100 * t + n), det;
      core_lin_det(n, A, &s, &det);
      TEST_ASSERT_DOUBLE_WITHIN(10 * DBL_EPSILON * core_tiny_permanent(n, A), det,
                                core_tiny_det(n, A));
      free(A);
    }
}

static void inverse_agrees_with_lapack(void) {
  for (int n = 1; n <= 3; n++)
    for (int t = 0; t < TRIES; t++) {
      double *A = random_matrix(n, n, 100 * t + n), *X = matrix(n, n), rcond;
      TEST_ASSERT_EQUAL_INT(CORE_OK, core_tiny_inverse(n, A, X));
      TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_inverse(n, A, &s, &rcond));
      TEST_ASSERT_TRUE(apart(n * n, A, X) <= bound(rcond) * largest(n * n, X));
      free(A), free(X);
    }
}

/* residual, orthogonality and order: what makes it an eigen-decomposition */
static void check_eigen(int n, const double *A, const double *w, const double *V) {
  double *T = transposed(n, n, V), *VtV = product(n, n, n, T, V), *I = identity(n);
  double *AV = product(n, n, n, A, V), *VW = copy_of(n, n, V);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) VW[i + n * j] *= w[j];
  TEST_ASSERT_TRUE(apart(n * n, VtV, I) <= 20 * DBL_EPSILON);
  TEST_ASSERT_TRUE(apart(n * n, AV, VW) <= 20 * DBL_EPSILON * largest(n * n, A));
  for (int i = 1; i < n; i++) TEST_ASSERT_TRUE(w[i - 1] <= w[i]);
  free(T), free(VtV), free(I), free(AV), free(VW);
}

static void eigenvalues_agree_with_lapack(void) {
  for (int n = 1; n <= 3; n++)
    for (int t = 0; t < TRIES; t++) {
      double *A = random_symmetric(n, 100 * t + n), w[3], V[9], other[3];
      TEST_ASSERT_EQUAL_INT(CORE_OK, core_tiny_eig_symmetric(n, A, w, V));
      check_eigen(n, A, w, V);
      TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_eig_symmetric(n, A, &s, other, NULL));
      TEST_ASSERT_TRUE(apart(n, w, other) <= 20 * DBL_EPSILON * largest(n * n, A));
      free(A);
    }
}

/* Q diag(1, 1, 3) Q^T, Q Q^T, rank one, zero, and scales far from 1 */
static void repeated_and_extreme_eigenvalues_are_fine(void) {
  static const double spectra[][3] = {{1, 1, 3},
                                      {1, 3, 3},
                                      {2, 2, 2},
                                      {0, 0, 1},
                                      {0, 0, 0},
                                      {-1, 0, 1},
                                      {1e-150, 1, 1},
                                      {1e150, 2e150, 3e150},
                                      {1e-160, 2e-160, 2e-160},
                                      {1, 1 + 1e-15, 1 + 2e-15}};
  for (size_t c = 0; c < sizeof spectra / sizeof *spectra; c++)
    for (int t = 0; t < 50; t++) {
      double *Q = random_orthogonal(3, t), A[9] = {0}, w[3], V[9];
      for (int k = 0; k < 3; k++)
        for (int i = 0; i < 9; i++) A[i] += spectra[c][k] * Q[i % 3 + 3 * k] * Q[i / 3 + 3 * k];
      TEST_ASSERT_EQUAL_INT(CORE_OK, core_tiny_eig_symmetric(3, A, w, V));
      check_eigen(3, A, w, V);
      TEST_ASSERT_TRUE(apart(3, w, spectra[c]) <= 20 * DBL_EPSILON * largest(3, spectra[c]));
      free(Q);
    }
}

static void a_zero_diagonal_is_rotated_away(void) {
  const double A[9] = {0, 1, 0, 1, 0, 0, 0, 0, 0}, expected[3] = {-1, 0, 1};
  double w[3], V[9];
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_tiny_eig_symmetric(3, A, w, V));
  check_eigen(3, A, w, V);
  TEST_ASSERT_TRUE(apart(3, w, expected) <= 2 * DBL_EPSILON);
}

/* the last row is the sum of the others, exactly: all entries are multiples of 2^-20 */
static double *dependent_rows(int n, int seed) {
  double *A = random_matrix(n, n, seed);
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < n - 1; i++) sum += A[i + n * j] = round(A[i + n * j] * 0x1p20) * 0x1p-20;
    A[n - 1 + n * j] = sum;
  }
  return A;
}

static void dependent_rows_are_singular(void) {
  for (int n = 2; n <= 3; n++)
    for (int t = 0; t < TRIES; t++) {
      double *A = dependent_rows(n, t), b[3] = {1, 2, 3}, X[9];
      TEST_ASSERT_EQUAL_INT(CORE_SINGULAR, core_tiny_solve(n, A, b));
      TEST_ASSERT_EQUAL_DOUBLE(2, b[1]);
      TEST_ASSERT_EQUAL_INT(CORE_SINGULAR, core_tiny_inverse(n, A, X));
      double *T = transposed(n, n, A), *W = product(n, n, n, A, T);
      TEST_ASSERT_EQUAL_INT(CORE_SINGULAR, core_tiny_solve_spd(n, W, b));
      free(A), free(T), free(W);
    }
}

/* kilometres beside nanometres: regular, whatever the units of rows and columns */
static void units_do_not_make_it_singular(void) {
  for (int t = 0; t < TRIES; t++) {
    double *A = random_spd(3, t), b[3] = {1, 1, 1}, x[3] = {1, 1, 1}, X[9];
    const double unit[3] = {1e-9, 1, 1e9};
    double D[9];
    for (int i = 0; i < 9; i++) D[i] = A[i] * unit[i % 3] * unit[i / 3];
    for (int i = 0; i < 3; i++) x[i] *= unit[i];
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_tiny_solve_spd(3, A, b));
    double y[3] = {x[0], x[1], x[2]};
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_tiny_solve_spd(3, D, x));
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_tiny_solve(3, D, y));
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_tiny_inverse(3, D, X));
    for (int i = 0; i < 3; i++) {
      TEST_ASSERT_DOUBLE_WITHIN(1e-11 * largest(3, b), b[i], x[i] * unit[i]);
      TEST_ASSERT_DOUBLE_WITHIN(1e-11 * largest(3, b), b[i], y[i] * unit[i]);
    }
    free(A);
  }
}

static void not_a_number_is_no_solution(void) {
  for (int at = 0; at < 9; at++) {
    double A[9] = {4, 1, 1, 1, 4, 1, 1, 1, 4}, b[3] = {1, 1, 1}, X[9], w[3];
    A[at] = NAN;
    TEST_ASSERT_EQUAL_INT(CORE_SINGULAR, core_tiny_inverse(3, A, X));
    int lower = at % 3 >= at / 3;
    TEST_ASSERT_EQUAL_INT(lower ? CORE_NOT_FINITE : CORE_OK, core_tiny_eig_symmetric(3, A, w, X));
    TEST_ASSERT_EQUAL_INT(lower ? CORE_SINGULAR : CORE_OK, core_tiny_solve_spd(3, A, b));
    TEST_ASSERT_EQUAL_INT(CORE_SINGULAR, core_tiny_solve(3, A, b));
  }
}

static void an_indefinite_matrix_has_no_cholesky_factor(void) {
  double A[4] = {1, 2, 2, 1}, B[1] = {-1}, Z[1] = {0};
  TEST_ASSERT_EQUAL_INT(CORE_SINGULAR, core_tiny_chol(2, A));
  TEST_ASSERT_EQUAL_INT(CORE_SINGULAR, core_tiny_chol(1, B));
  TEST_ASSERT_EQUAL_INT(CORE_SINGULAR, core_tiny_chol(1, Z));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(solve_agrees_with_lapack);
  RUN_TEST(spd_solve_agrees_with_lapack);
  RUN_TEST(cholesky_factors_multiply_back);
  RUN_TEST(determinant_agrees_with_lapack);
  RUN_TEST(inverse_agrees_with_lapack);
  RUN_TEST(eigenvalues_agree_with_lapack);
  RUN_TEST(repeated_and_extreme_eigenvalues_are_fine);
  RUN_TEST(a_zero_diagonal_is_rotated_away);
  RUN_TEST(dependent_rows_are_singular);
  RUN_TEST(units_do_not_make_it_singular);
  RUN_TEST(not_a_number_is_no_solution);
  RUN_TEST(an_indefinite_matrix_has_no_cholesky_factor);
  return UNITY_END();
}
