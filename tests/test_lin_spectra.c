/* Singular values, least squares, eigenproblems, norms and products of lin.h. */
#include <float.h>

#include "core/lin.h"
#include "lin_help.h"
#include "unity.h"

static core_scratch s;
static const int sizes[] = {0, 1, 2, 3, 5, 17, 33, 70, 200};
enum { SIZES = sizeof sizes / sizeof *sizes };

void setUp(void) {
  core_scratch_init(&s);
}

void tearDown(void) {
  core_scratch_free(&s);
}

/* |V^T V - I| in eps */
static double not_orthogonal(int n, const double *V) {
  double *T = transposed(n, n, V), *P = product(n, n, n, T, V), *I = identity(n);
  double d = apart(n * n, P, I) / DBL_EPSILON;
  free(T), free(P), free(I);
  return d;
}

/* V with column j times w_j */
static double *scaled(int m, int n, const double *V, const double *w) {
  double *C = copy_of(m, n, V);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) C[i + m * j] *= w[j];
  return C;
}

/* ---- singular values ---- */

static void check_svd(int m, int n, const double *A) {
  int k = m < n ? m : n, more = m > n ? m : n;
  double *S = matrix(k, 1), *U = matrix(m, m), *Vt = matrix(n, n), *only = matrix(k, 1);
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_svd(m, n, A, &s, S, U, Vt));
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_svd(m, n, A, &s, only, NULL, NULL));
  double *US = scaled(m, k, U, S), *cut = matrix(k, n);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < k; i++) cut[i + k * j] = Vt[i + n * j];
  double *back = product(m, k, n, US, cut), top = k ? S[0] : 0;
  TEST_ASSERT_TRUE(apart(m * n, back, A) <= 10 * more * DBL_EPSILON * top);
  TEST_ASSERT_TRUE(not_orthogonal(m, U) <= 10 * more && not_orthogonal(n, Vt) <= 10 * more);
  TEST_ASSERT_TRUE(apart(k, S, only) <= 10 * more * DBL_EPSILON * top);
  for (int i = 0; i < k; i++) TEST_ASSERT_TRUE(S[i] >= 0 && (i == 0 || S[i] <= S[i - 1]));
  free(S), free(U), free(Vt), free(only), free(US), free(cut), free(back);
}

static void svd_multiplies_back_and_is_orthogonal(void) {
  for (int i = 0; i < SIZES; i++)
    for (int j = 0; j < SIZES; j++) {
      if (sizes[i] * sizes[j] > 20000) continue;
      double *A = random_matrix(sizes[i], sizes[j], i * 10 + j);
      check_svd(sizes[i], sizes[j], A);
      free(A);
    }
  double *A = random_matrix(200, 200, 1), *Z = matrix(4, 3);
  check_svd(200, 200, A);
  check_svd(4, 3, Z);
  free(A), free(Z);
}

/* squares of the singular values are the eigenvalues of A^T A */
static void singular_values_agree_with_the_gram_matrix(void) {
  double *A = random_matrix(9, 6, 3), *T = transposed(9, 6, A), *G = product(6, 9, 6, T, A);
  double S[6], w[6];
  core_lin_svd(9, 6, A, &s, S, NULL, NULL);
  core_lin_eig_symmetric(6, G, &s, w, NULL);
  for (int i = 0; i < 6; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-13, w[5 - i], S[i] * S[i]);
  free(A), free(T), free(G);
}

static void rank_is_counted(void) {
  static const int shapes[][2] = {{1, 1}, {3, 3}, {7, 4}, {4, 7}, {40, 60}, {60, 40}, {100, 100}};
  for (size_t c = 0; c < sizeof shapes / sizeof *shapes; c++) {
    int m = shapes[c][0], n = shapes[c][1], least = m < n ? m : n;
    for (int want = 0; want <= least; want += 1 + least / 4) {
      double *A = random_of_rank(m, n, want, 5 * want + c);
      int rank = -1;
      TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_rank(m, n, A, -1, &s, &rank));
      TEST_ASSERT_EQUAL_INT(want, rank);
      free(A);
    }
  }
  int rank = -1;
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_rank(0, 5, NULL, -1, &s, &rank));
  TEST_ASSERT_EQUAL_INT(0, rank);
  core_lin_rank(2, 2, (double[]){1, 0, 0, 1e-3}, 1e-2, &s, &rank);
  TEST_ASSERT_EQUAL_INT(1, rank);
}

static void condition_is_the_ratio_of_singular_values(void) {
  double cond;
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_condition(2, 2, (double[]){0, 3, -12, 0}, &s, &cond));
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 4, cond);
  core_lin_condition(2, 2, (double[]){1, 0, 0, 0}, &s, &cond);
  TEST_ASSERT_TRUE(isinf(cond));
  core_lin_condition(0, 0, NULL, &s, &cond);
  TEST_ASSERT_TRUE(cond == 0);
  double *Q = random_orthogonal(50, 4);
  core_lin_condition(50, 50, Q, &s, &cond);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, cond);
  free(Q);
}

/* ---- least squares ---- */

/* tall and of full rank: A^T A x = A^T b */
static void least_squares_agree_with_the_normal_equations(void) {
  static const int shapes[][2] = {{1, 1}, {5, 1}, {5, 3}, {40, 20}, {200, 50}, {64, 64}};
  for (size_t c = 0; c < sizeof shapes / sizeof *shapes; c++) {
    int m = shapes[c][0], n = shapes[c][1], rank;
    double *A = random_of_rank(m, n, n, c), *B = random_matrix(m, 2, c), *X = matrix(n, 2);
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_least_squares(m, n, A, 2, B, -1, &s, X, &rank));
    TEST_ASSERT_EQUAL_INT(n, rank);
    double *T = transposed(m, n, A), *G = product(n, m, n, T, A), *Y = product(n, m, 2, T, B);
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_solve_spd(n, G, 2, Y, &s, NULL));
    TEST_ASSERT_TRUE(apart(2 * n, X, Y) <= 1e-12 * (1 + largest(2 * n, Y)));
    free(A), free(B), free(X), free(T), free(G), free(Y);
  }
}

/* wide and of full rank: the shortest solution is A^T (A A^T)^-1 b */
static void wide_systems_get_the_shortest_solution(void) {
  static const int shapes[][2] = {{1, 4}, {3, 5}, {20, 60}, {50, 200}};
  for (size_t c = 0; c < sizeof shapes / sizeof *shapes; c++) {
    int m = shapes[c][0], n = shapes[c][1], rank;
    double *A = random_of_rank(m, n, m, c), *b = random_matrix(m, 1, c), *x = matrix(n, 1);
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_least_squares(m, n, A, 1, b, -1, &s, x, &rank));
    TEST_ASSERT_EQUAL_INT(m, rank);
    double *T = transposed(m, n, A), *G = product(m, n, m, A, T), *y = copy_of(m, 1, b);
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_solve_spd(m, G, 1, y, &s, NULL));
    double *z = product(n, m, 1, T, y);
    TEST_ASSERT_TRUE(apart(n, x, z) <= 1e-12 * (1 + largest(n, z)));
    free(A), free(b), free(x), free(T), free(G), free(y), free(z);
  }
}

/* rank-deficient: x = V S^+ U^T b written out from the known factors of the test matrix */
static void deficient_systems_agree_with_the_pseudo_inverse(void) {
  enum { M = 30, N = 20, R = 7 };
  double *A = random_of_rank(M, N, R, 11), *U = random_orthogonal(M, 11);
  double *V = random_orthogonal(N, 12), *b = random_matrix(M, 1, 3), x[N], y[N] = {0};
  int rank;
  for (int r = 0; r < R; r++) {
    double sigma = 1 - 0.9 * r / (R - 1), ub = 0;
    for (int i = 0; i < M; i++) ub += U[i + M * r] * b[i];
    for (int j = 0; j < N; j++) y[j] += V[j + N * r] * ub / sigma;
  }
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_least_squares(M, N, A, 1, b, -1, &s, x, &rank));
  TEST_ASSERT_EQUAL_INT(R, rank);
  TEST_ASSERT_TRUE(apart(N, x, y) <= 1e-13);
  free(A), free(U), free(V), free(b);
}

static void empty_and_zero_systems_have_the_zero_solution(void) {
  double x[6] = {9, 9, 9, 9, 9, 9}, Z[6] = {0}, b[2] = {1, 2};
  int rank = -1;
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_least_squares(0, 3, NULL, 2, NULL, -1, &s, x, &rank));
  TEST_ASSERT_EQUAL_INT(0, rank);
  TEST_ASSERT_TRUE(largest(6, x) == 0);
  x[0] = 9;
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_least_squares(2, 3, Z, 1, b, -1, &s, x, &rank));
  TEST_ASSERT_EQUAL_INT(0, rank);
  TEST_ASSERT_TRUE(largest(3, x) == 0);
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_least_squares(2, 0, NULL, 1, b, -1, &s, NULL, NULL));
}

/* ---- eigenproblems ---- */

static void symmetric_eigenpairs_have_no_residual(void) {
  for (int i = 0; i < SIZES; i++) {
    int n = sizes[i];
    double *A = random_symmetric(n, i), *w = matrix(n, 1), *V = matrix(n, n), *only = matrix(n, 1);
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_eig_symmetric(n, A, &s, w, V));
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_eig_symmetric(n, A, &s, only, NULL));
    double *AV = product(n, n, n, A, V), *VW = scaled(n, n, V, w);
    double size = 10 * (n + 1) * DBL_EPSILON * largest(n, w);
    TEST_ASSERT_TRUE(apart(n * n, AV, VW) <= size && apart(n, w, only) <= size);
    TEST_ASSERT_TRUE(not_orthogonal(n, V) <= 10 * (n + 1));
    for (int k = 1; k < n; k++) TEST_ASSERT_TRUE(w[k - 1] <= w[k]);
    free(A), free(w), free(V), free(only), free(AV), free(VW);
  }
}

/* a chain of n equal masses and springs between walls: w = 4 sin^2(k pi / (2 (n + 1))) */
static void a_chain_has_its_textbook_frequencies(void) {
  enum { N = 50 };
  double *K = matrix(N, N), w[N];
  for (int i = 0; i < N; i++) K[i + N * i] = 2;
  for (int i = 1; i < N; i++) K[i + N * (i - 1)] = K[i - 1 + N * i] = -1;
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_eig_symmetric(N, K, &s, w, NULL));
  for (int k = 1; k <= N; k++)
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, 4 * pow(sin(k * acos(-1) / (2 * (N + 1))), 2), w[k - 1]);
  free(K);
}

/* A V = B V W and V^T B V = I; the eigenvalues are also those of B^-1 A */
static void generalised_eigenpairs_have_no_residual(void) {
  for (int i = 0; i < SIZES; i++) {
    int n = sizes[i];
    double *A = random_symmetric(n, i), *B = random_spd(n, i + 1), *w = matrix(n, 1);
    double *V = matrix(n, n), rcond = 1, *F = copy_of(n, n, B), *none = matrix(n, 1);
    core_lin_solve_spd(n, F, 0, none, &s, &rcond);
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_eig_generalised(n, A, B, &s, w, V));
    double *AV = product(n, n, n, A, V), *BV = product(n, n, n, B, V), *BVW = scaled(n, n, BV, w);
    double *T = transposed(n, n, V), *P = product(n, n, n, T, BV), *I = identity(n);
    double size = 10 * (n + 1) * DBL_EPSILON / rcond;
    TEST_ASSERT_TRUE(apart(n * n, AV, BVW) <= size * (largest(n * n, AV) + 1e-300));
    TEST_ASSERT_TRUE(apart(n * n, P, I) <= size);
    free(A), free(B), free(w), free(V), free(F), free(none), free(AV), free(BV), free(BVW);
    free(T), free(P), free(I);
  }
}

static void a_pair_with_indefinite_mass_is_refused(void) {
  double A[4] = {2, 0, 0, 2}, B[4] = {1, 2, 2, 1}, w[2];
  TEST_ASSERT_EQUAL_INT(CORE_SINGULAR, core_lin_eig_generalised(2, A, B, &s, w, NULL));
}

/* A (x + i y) = (re + i im)(x + i y), packed as LAPACK does */
static void general_eigenpairs_have_no_residual(void) {
  for (int i = 0; i < SIZES; i++) {
    int n = sizes[i], complex_pairs = 0;
    double *A = random_matrix(n, n, i), *re = matrix(n, 1), *im = matrix(n, 1);
    double *V = matrix(n, n);
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_eig(n, A, &s, re, im, V));
    double *AV = product(n, n, n, A, V), size = 10 * (n + 1) * DBL_EPSILON * (largest(n, re) + 1);
    for (int j = 0; j < n; j++) {
      int pair = im[j] != 0;
      const double *x = V + n * j, *y = pair ? x + n : NULL, *Ax = AV + n * j;
      for (int k = 0; k < n; k++) {
        double xx = re[j] * x[k] - (pair ? im[j] * y[k] : 0);
        TEST_ASSERT_DOUBLE_WITHIN(size, xx, Ax[k]);
        double yy = pair ? re[j] * y[k] + im[j] * x[k] : 0;
        TEST_ASSERT_DOUBLE_WITHIN(size, yy, pair ? Ax[n + k] : 0);
      }
      complex_pairs += pair;
      j += pair;
    }
    TEST_ASSERT_TRUE(n <= 10 || complex_pairs > 0); /* the packing was really looked at */
    free(A), free(re), free(im), free(V), free(AV);
  }
}

/* x^3 - 6 x^2 + 11 x - 6 = (x - 1)(x - 2)(x - 3), by its companion matrix */
static void a_companion_matrix_has_the_roots(void) {
  double C[9] = {6, 1, 0, -11, 0, 1, 6, 0, 0}, re[3], im[3];
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_eig(3, C, &s, re, im, NULL));
  double sum = re[0] + re[1] + re[2], most = fmax(re[0], fmax(re[1], re[2]));
  TEST_ASSERT_DOUBLE_WITHIN(1e-13, 6, sum);
  TEST_ASSERT_DOUBLE_WITHIN(1e-13, 3, most);
  TEST_ASSERT_TRUE(largest(3, im) == 0);
}

/* ---- norms, products, finite ---- */

static void norms_follow_their_definitions(void) {
  for (int i = 0; i < SIZES; i++) {
    int m = sizes[i], n = sizes[(i + 3) % SIZES];
    double *A = random_matrix(m, n, i), one = 0, inf = 0, square = 0, got[5];
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < m; k++) sum += fabs(A[k + m * j]);
      one = fmax(one, sum);
    }
    for (int k = 0; k < m; k++) {
      double sum = 0;
      for (int j = 0; j < n; j++) sum += fabs(A[k + m * j]);
      inf = fmax(inf, sum);
    }
    for (int k = 0; k < m * n; k++) square += A[k] * A[k];
    for (int k = 0; k < 5; k++)
      TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_norm("1ifm2"[k], m, n, A, &s, &got[k]));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, one, got[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, inf, got[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, sqrt(square), got[2]);
    TEST_ASSERT_TRUE(got[3] == largest(m * n, A));
    TEST_ASSERT_TRUE(got[4] <= got[2] * (1 + 1e-14) && got[4] * got[4] <= got[0] * got[1] * 1.0001);
    free(A);
  }
  double two; /* of a diagonal matrix: its largest entry */
  core_lin_norm('2', 2, 2, (double[]){3, 0, 0, -7}, &s, &two);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 7, two);
}

static void products_agree_with_the_textbook(void) {
  for (int i = 0; i < SIZES; i++) {
    int m = sizes[i], k = sizes[(i + 2) % SIZES], n = sizes[(i + 5) % SIZES];
    double *A = random_matrix(m, k, i), *B = random_matrix(k, n, i + 1),
           *C = random_matrix(m, n, 3);
    double *At = transposed(m, k, A), *Bt = transposed(k, n, B), *P = product(m, k, n, A, B);
    for (int t = 0; t < 4; t++) {
      int ta = t & 1, tb = t >> 1;
      double *R = copy_of(m, n, C);
      core_lin_multiply(ta ? 'T' : 'N', tb ? 'T' : 'N', m, n, k, 2, ta ? At : A, ta ? k : m,
                        tb ? Bt : B, tb ? n : k, -0.5, R, m);
      for (int e = 0; e < m * n; e++)
        TEST_ASSERT_DOUBLE_WITHIN(1e-13 * (k + 1), 2 * P[e] - 0.5 * C[e], R[e]);
      free(R);
    }
    free(A), free(B), free(C), free(At), free(Bt), free(P);
  }
}

static void a_product_forgets_what_was_there(void) {
  double A[1] = {2}, B[1] = {3}, C[1] = {NAN};
  core_lin_multiply('N', 'N', 1, 1, 1, 1, A, 1, B, 1, 0, C, 1);
  TEST_ASSERT_EQUAL_DOUBLE(6, C[0]);
}

static void each_bad_value_is_seen(void) {
  double x[37] = {0};
  x[0] = DBL_MAX, x[1] = -DBL_MAX, x[2] = DBL_MIN / 4, x[3] = -0.0;
  TEST_ASSERT_TRUE(core_lin_finite(37, x) && core_lin_finite(0, NULL));
  for (int i = 0; i < 37; i++)
    for (int v = 0; v < 4; v++) {
      double kept = x[i];
      x[i] = (double[]){NAN, -NAN, INFINITY, -INFINITY}[v];
      TEST_ASSERT_FALSE(core_lin_finite(37, x));
      x[i] = kept;
    }
}

static void nothing_works_on_not_a_number(void) {
  double A[4] = {1, NAN, 2, 3}, B[4] = {1, 0, 0, 1}, x[4], y[4], norm;
  int rank;
  TEST_ASSERT_EQUAL_INT(CORE_NOT_FINITE, core_lin_svd(2, 2, A, &s, x, NULL, NULL));
  TEST_ASSERT_EQUAL_INT(CORE_NOT_FINITE, core_lin_rank(2, 2, A, -1, &s, &rank));
  TEST_ASSERT_EQUAL_INT(CORE_NOT_FINITE, core_lin_condition(2, 2, A, &s, &norm));
  TEST_ASSERT_EQUAL_INT(CORE_NOT_FINITE, core_lin_norm('f', 2, 2, A, &s, &norm));
  TEST_ASSERT_EQUAL_INT(CORE_NOT_FINITE, core_lin_norm('2', 2, 2, A, &s, &norm));
  TEST_ASSERT_EQUAL_INT(CORE_NOT_FINITE, core_lin_eig_symmetric(2, A, &s, x, NULL));
  TEST_ASSERT_EQUAL_INT(CORE_NOT_FINITE, core_lin_eig_generalised(2, B, A, &s, x, NULL));
  TEST_ASSERT_EQUAL_INT(CORE_NOT_FINITE, core_lin_eig(2, A, &s, x, y, NULL));
  TEST_ASSERT_EQUAL_INT(CORE_NOT_FINITE, core_lin_least_squares(2, 2, A, 1, B, -1, &s, x, &rank));
  TEST_ASSERT_EQUAL_INT(CORE_NOT_FINITE, core_lin_least_squares(2, 2, B, 1, A, -1, &s, x, &rank));
}

static void the_backend_has_a_version(void) {
  TEST_ASSERT_NOT_NULL(strstr(core_lin_backend(), "LAPACK 3."));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(svd_multiplies_back_and_is_orthogonal);
  RUN_TEST(singular_values_agree_with_the_gram_matrix);
  RUN_TEST(rank_is_counted);
  RUN_TEST(condition_is_the_ratio_of_singular_values);
  RUN_TEST(least_squares_agree_with_the_normal_equations);
  RUN_TEST(wide_systems_get_the_shortest_solution);
  RUN_TEST(deficient_systems_agree_with_the_pseudo_inverse);
  RUN_TEST(empty_and_zero_systems_have_the_zero_solution);
  RUN_TEST(symmetric_eigenpairs_have_no_residual);
  RUN_TEST(a_chain_has_its_textbook_frequencies);
  RUN_TEST(generalised_eigenpairs_have_no_residual);
  RUN_TEST(a_pair_with_indefinite_mass_is_refused);
  RUN_TEST(general_eigenpairs_have_no_residual);
  RUN_TEST(a_companion_matrix_has_the_roots);
  RUN_TEST(norms_follow_their_definitions);
  RUN_TEST(products_agree_with_the_textbook);
  RUN_TEST(a_product_forgets_what_was_there);
  RUN_TEST(each_bad_value_is_seen);
  RUN_TEST(nothing_works_on_not_a_number);
  RUN_TEST(the_backend_has_a_version);
  return UNITY_END();
}
