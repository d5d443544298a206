/* The block matrix (5) of the notes: its identities, and the examples and practice problems. */
#include "block_help.h"

/* ---- the block matrix ---- */

/* entry (i, j) of X, or of its transpose; X has `rows` rows */
static double at(const double *X, int rows, int transposed, int i, int j) {
  return transposed ? X[i * rows + j] : X[j * rows + i];
}

/* M†M + A†^T A = I,  A†M + Λ†A = 0,  M A†^T + A^T Λ† = 0 */
static double identity_error(int n, int m, const double *M, const double *A, const block *b) {
  double worst = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = -(i == j);
      for (int k = 0; k < n; k++) sum += at(b->Md, n, 0, i, k) * at(M, n, 0, k, j);
      for (int k = 0; k < m; k++) sum += at(b->Ad, m, 1, i, k) * at(A, m, 0, k, j);
      worst = fmax(worst, fabs(sum));
    }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double one = 0, other = 0;
      for (int k = 0; k < n; k++) one += at(b->Ad, m, 0, i, k) * at(M, n, 0, k, j);
      for (int k = 0; k < m; k++) one += at(b->Ld, m, 0, i, k) * at(A, m, 0, k, j);
      for (int k = 0; k < n; k++) other += at(M, n, 0, j, k) * at(b->Ad, m, 1, k, i);
      for (int k = 0; k < m; k++) other += at(A, m, 1, j, k) * at(b->Ld, m, 0, k, i);
      worst = fmax(worst, fmax(fabs(one), fabs(other)));
    }
  return worst;
}

static void daggers_satisfy_their_identities(void) {
  uint64_t seed = 1;
  for (int i = 0; i < 300; i++) {
    int n = 1 + i % 6, m = 1 + i % n;
    double M[MOST * MOST], A[MOST * MOST], u[MOST], e[MOST];
    random_block(&seed, n, m, M, A, u, e);
    block b = solve_block(n, m, M, A, u, e);
    TEST_ASSERT_EQUAL_INT(CORE_OK, b.status);
    TEST_ASSERT_EQUAL_INT(m, b.r.rank);
    TEST_ASSERT_TRUE(identity_error(n, m, M, A, &b) < 1e-11 / b.r.rcond * 1e-3);
  }
}

static void singular_mass_is_fine_when_constrained(void) {
  double M[9] = {2, 0, 0, 0, 1, 0, 0, 0, 0}, A[3] = {1, 1, 1}, u[3] = {1, -2, 3}, e = 0.25;
  block b = solve_block(3, 1, M, A, u, &e);
  TEST_ASSERT_EQUAL_INT(CORE_OK, b.status);
  TEST_ASSERT_TRUE(identity_error(3, 1, M, A, &b) < 1e-15);
  /* the massless coordinate takes the whole jump: no impulse */
  ASSERT_NEAR(1e-15, 0, b.P[0]);
  ASSERT_NEAR(1e-15, 3 - 1.25 * 2, b.u[2]);
  double free_A[3] = {1, 1, 0};
  b = solve_block(3, 1, M, free_A, u, &e);
  TEST_ASSERT_EQUAL_INT(CORE_SINGULAR, b.status);
  TEST_ASSERT_EQUAL_STRING("block: the matrix [M A^T; A 0] is singular", b.err.text);
}

static void masses_far_apart_are_no_singularity(void) {
  double M[4] = {1e12, 0, 0, 1e-6}, A[2] = {1, 1}, u[2] = {0, -1}, e = 1;
  block b = solve_block(2, 1, M, A, u, &e);
  TEST_ASSERT_EQUAL_INT(CORE_OK, b.status);
  ASSERT_NEAR(1e-14, 1, b.u[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-20, -2e-6, b.P[0]);
}

/* a fourth leg: A of rank 3 with 4 rows */
static void dependent_rows_keep_the_identities_and_share_evenly(void) {
  double x[4] = {1, 1, -1, -1}, y[4] = {1, -1, -1, 1}, A[12], M[9] = {2, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int i = 0; i < 4; i++) A[i] = 1, A[4 + i] = y[i], A[8 + i] = -x[i];
  double u[3] = {-1, 0.1, -0.2}, e[4] = {0.5, 0.5, 0.5, 0.5};
  block b = solve_block(3, 4, M, A, u, e);
  TEST_ASSERT_EQUAL_INT(CORE_OK, b.status);
  TEST_ASSERT_EQUAL_INT(3, b.r.rank);
  TEST_ASSERT_TRUE(identity_error(3, 4, M, A, &b) < 1e-14);
  for (int i = 0; i < 3; i++) ASSERT_NEAR(1e-14, -0.5 * u[i], b.u[i]);
  /* smallest norm: orthogonal to the null vector (1, -1, 1, -1) */
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0, b.P[0] - b.P[1] + b.P[2] - b.P[3]);
  e[0] = 0;
  b = solve_block(3, 4, M, A, u, e);
  TEST_ASSERT_EQUAL_INT(CORE_NO_SOLUTION, b.status);
}

/* ---- the examples and practice problems of the notes ---- */

static void notes_ball_stops_on_the_ground(void) {
  double m = 2, A = 1, z = -9.8 * sqrt(2 / 9.8), e = 0;
  block b = solve_block(1, 1, &m, &A, &z, &e);
  ASSERT_NEAR(1e-15, 0, b.u[0]);
  ASSERT_NEAR(1e-15, m * z, b.P[0]); /* (7) */
}

static void notes_ball_on_a_slope(void) { /* (26)-(37), practice 3 */
  double m = 1.7, th = 0.4, s = sin(th), c = cos(th), z = -3;
  double M[4] = {m, 0, 0, m}, A[2] = {s, c}, u[2] = {0, z};
  for (int k = 0; k <= 4; k++) {
    double e = k / 4.;
    block b = solve_block(2, 1, M, A, u, &e);
    ASSERT_NEAR(1e-15, -(1 + e) * s * c * z, b.u[0]);
    ASSERT_NEAR(1e-15, (1 - (1 + e) * c * c) * z, b.u[1]);
    ASSERT_NEAR(1e-15, (1 + e) * m * c * z, b.P[0]);
    double Md[4] = {c * c / m, -s * c / m, -s * c / m, s * s / m}; /* (35) */
    for (int i = 0; i < 4; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-15, Md[i], b.Md[i]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, s, b.Ad[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, c, b.Ad[1]);
    ASSERT_NEAR(1e-15, -m, b.Ld[0]);
    /* the law sees the same, with the other sign of the impulse */
    double W = 1 / m, v = c * z;
    law *l = law_from("newton", "e", e, NULL);
    hit h = solve_with(l, 1, 1, &W, &v, NULL, 0);
    ASSERT_NEAR(1e-15, -b.P[0], h.p[0]);
    law_free(l);
  }
}

/* Practice 1: two links on a base at the ground, tip at height 0. With q = (t1, t2) absolute angles
 * of the links: T = (a t1'^2 + b t2'^2)/2 + k t1' t2', A = (l1 cos t1, l2 cos t2), and by hand
 *   P^ = D (A q')/(A1^2 b - 2 A1 A2 k + A2^2 a),  D = a b - k^2 */
static void notes_arm_meets_the_ground(void) {
  double m1 = 1.2, m2 = 0.7, l1 = 0.9, l2 = 0.6, I1 = 0.1, I2 = 0.04, t1 = 0.5;
  double t2 = -asin(l1 * sin(t1) / l2), qd[2] = {-0.4, -1.1};
  double a = I1 + m1 * l1 * l1 / 4 + m2 * l1 * l1, d = I2 + m2 * l2 * l2 / 4;
  double k = m2 * l1 * l2 / 2 * cos(t1 - t2);
  double M[4] = {a, k, k, d}, A[2] = {l1 * cos(t1), l2 * cos(t2)}, e = 0;
  block b = solve_block(2, 1, M, A, qd, &e);
  double approach = A[0] * qd[0] + A[1] * qd[1];
  TEST_ASSERT_TRUE(approach < 0);
  double P = (a * d - k * k) * approach / (A[0] * A[0] * d - 2 * A[0] * A[1] * k + A[1] * A[1] * a);
  ASSERT_NEAR(1e-14, P, b.P[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0, A[0] * b.u[0] + A[1] * b.u[1]);
  /* (17): M (u+ - u-) + A^T P = 0 */
  ASSERT_NEAR(1e-15, 0, a * (b.u[0] - qd[0]) + k * (b.u[1] - qd[1]) + A[0] * P);
  ASSERT_NEAR(1e-15, 0, k * (b.u[0] - qd[0]) + d * (b.u[1] - qd[1]) + A[1] * P);
}

/* Practice 2: on y = 0, meets 3 - x - y = 0: q'+ = 0, P^ = (-m x', -m x') by hand */
static void notes_point_in_a_corner_stops(void) {
  double m = 0.8, x = 2, M[4] = {m, 0, 0, m}, A[4] = {0, -1, 1, -1}, u[2] = {x, 0}, e[2] = {0, 0};
  block b = solve_block(2, 2, M, A, u, e);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0, b.u[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0, b.u[1]);
  ASSERT_NEAR(1e-15, -m * x, b.P[0]);
  ASSERT_NEAR(1e-15, -m * x, b.P[1]);
  /* the law: the standing contact takes part; both push */
  double W[4] = {1 / m, -1 / m, -1 / m, 2 / m}, v[2] = {0, -x};
  law *l = law_from("plastic", NULL);
  hit h = solve_with(l, 2, 1, W, v, NULL, 0);
  TEST_ASSERT_EQUAL_INT(CORE_OK, h.r.status);
  for (int i = 0; i < 2; i++) {
    ASSERT_NEAR(1e-15, m * x, h.p[i]);
    TEST_ASSERT_EQUAL_DOUBLE(0, h.v[i]);
  }
  ASSERT_NEAR(1e-15, m * x * x / 2, h.r.lost_restitution);
  law_free(l);
}

static double kinetic(int n, const double *M, const double *u) {
  double T = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) T += u[i] * M[j * n + i] * u[j] / 2;
  return T;
}

/* Practice 4: T is kept at e = 1 and lost below */
static void notes_energy_is_kept_only_at_e_1(void) {
  uint64_t seed = 4;
  for (int i = 0; i < 200; i++) {
    int n = 1 + i % 6, m = 1 + i % n;
    double M[MOST * MOST], A[MOST * MOST], u[MOST], e[MOST];
    random_block(&seed, n, m, M, A, u, e);
    double T = kinetic(n, M, u);
    block b = solve_block(n, m, M, A, u, e);
    TEST_ASSERT_TRUE(kinetic(n, M, b.u) < T);
    for (int k = 0; k < m; k++) e[k] = 1;
    b = solve_block(n, m, M, A, u, e);
    ASSERT_NEAR(1e-12 / b.r.rcond * 1e-3, T, kinetic(n, M, b.u));
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(daggers_satisfy_their_identities);
  RUN_TEST(singular_mass_is_fine_when_constrained);
  RUN_TEST(masses_far_apart_are_no_singularity);
  RUN_TEST(dependent_rows_keep_the_identities_and_share_evenly);
  RUN_TEST(notes_ball_stops_on_the_ground);
  RUN_TEST(notes_ball_on_a_slope);
  RUN_TEST(notes_arm_meets_the_ground);
  RUN_TEST(notes_point_in_a_corner_stops);
  RUN_TEST(notes_energy_is_kept_only_at_e_1);
  return UNITY_END();
}
