/* The cone problem, checked by code that shares nothing with the solver: the natural map with the
 * projection on the cone, all modes by elimination, shares by brute force. test_modes [cases] */
#include "modes_help.h"

static int cases = 4000, problems = 100000;

static int approaches(const problem *q) {
  for (int n = q->dim - 1; n < q->rows; n += q->dim)
    if (q->v[n] < 0) return 1;
  return 0;
}

static void every_answer_solves_the_cone_problem(void) {
  uint64_t seed = 11;
  int open = 0, answers = 0, apart = 0;
  double worst = 0;
  for (int i = 0; i < problems; i++) {
    double mu = i % 7 == 0 ? 0 : i % 7 == 1 ? between(&seed, 1, 10) : between(&seed, 0, 1);
    problem q = random_body(&seed, 1 + i % 3, MOST, mu);
    answer a = solve("moreau", &q, q.e);
    if (a.status == CORE_NO_IMPACT) {
      TEST_ASSERT_FALSE_MESSAGE(approaches(&q), "no impact, and a contact approaches");
      apart++;
      continue;
    }
    open += a.status != CORE_OK;
    answers += a.status == CORE_OK;
    if (a.status) continue;
    double r = residual(&q, q.e, a.p);
    worst = fmax(worst, r);
    TEST_ASSERT_TRUE_MESSAGE(r <= 1e-12, "residual of the cone problem");
    TEST_ASSERT_TRUE_MESSAGE(a.residual <= 1e-12 && !(a.flags & IMPACT_INEXACT), "its own");
  }
  printf("%d answers, worst residual %.1e, %d without; in %d nothing approaches\n", answers, worst,
         open, apart);
  TEST_ASSERT_EQUAL_INT(0, open);
  TEST_ASSERT_TRUE(answers > problems / 2);
}

/* Gauss with column pivots; 0 when singular */
static int eliminate(int n, double *A, double *b) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
    if (fabs(A[best * n + k]) < 1e-11) return 0;
    for (int j = 0; j < n; j++) {
      double swap = A[k * n + j];
      A[k * n + j] = A[best * n + j], A[best * n + j] = swap;
    }
    double swap = b[k];
    b[k] = b[best], b[best] = swap;
    for (int i = 0; i < n; i++) {
      double f = i == k ? 0 : A[i * n + k] / A[k * n + k];
      for (int j = k; j < n && f != 0; j++) A[i * n + j] -= f * A[k * n + j];
      b[i] -= f * b[k];
    }
  }
  for (int k = 0; k < n; k++) b[k] /= A[k * n + k];
  return 1;
}

/* number of different solutions with e = 0 by elimination; *near is how far `v` is from the nearest
 */
static int by_elimination(const problem *q, const double *v, double *near) {
  int n = q->rows, count = 0;
  double seen[64][ROWS];
  *near = INFINITY;
  for (int code = 0; code < 1 << (2 * q->nc); code++) {
    double A[ROWS * ROWS], b[ROWS], u[ROWS], apart = 0;
    for (int i = 0; i < n; i++) {
      int c = i / 2, mode = code >> (2 * c) & 3, normal = i % 2;
      double s = mode == 2 ? -1 : 1;
      int by_velocity = normal ? mode != 0 : mode == 1;
      for (int j = 0; j < n; j++)
        A[i * n + j] = by_velocity ? q->W[j * n + i]
                                   : (j == i) + (!normal && mode > 1 && j == i + 1) * s * q->mu[c];
      b[i] = by_velocity ? -q->v[i] : 0;
    }
    if (!eliminate(n, A, b) || residual(q, 0, b) > 1e-10) continue;
    for (int i = 0; i < n; i++) {
      u[i] = q->v[i];
      for (int j = 0; j < n; j++) u[i] += q->W[j * n + i] * b[j];
      apart = fmax(apart, fabs(u[i] - v[i]));
    }
    *near = fmin(*near, apart);
    int fresh = count < 64;
    for (int k = 0; k < count && fresh; k++) {
      double d = 0;
      for (int i = 0; i < n; i++) d = fmax(d, fabs(seen[k][i] - u[i]));
      if (d < 1e-8) fresh = 0;
    }
    if (fresh) memcpy(seen[count++], u, sizeof u);
  }
  return count;
}

static void planar_answers_are_among_all_modes(void) {
  uint64_t seed = 12;
  int several = 0, found = 0;
  for (int i = 0; i < cases / 4; i++) {
    problem q = random_body(&seed, 2, 3, between(&seed, 0, 2));
    for (int k = 0; k < q.rows; k++) q.W[k * q.rows + k] += 0.01; /* regular */
    answer a = solve("moreau", &q, 0);
    double near;
    if (a.status == CORE_NO_IMPACT) continue;
    TEST_ASSERT_EQUAL_INT(CORE_OK, a.status);
    int n = by_elimination(&q, a.v, &near);
    TEST_ASSERT_TRUE(n > 0 && near < 1e-9);
    several += n > 1, found++;
  }
  TEST_ASSERT_TRUE(found > cases / 16);
  printf("%d problems, %d with several answers\n", found, several);
}

/* a flat rod that sticks with both ends: its tangential rows are one, and share what stops it */
static void dependent_contacts_share_by_smallest_norm(void) {
  problem q = {.nc = 2, .dim = 2, .rows = 4, .mu = {5, 5}};
  double J[4][3] = {{1, 0, 0}, {0, 1, -1}, {1, 0, 0}, {0, 1, 1}}, u[3] = {0.6, -1, 0.2};
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 3; k++) q.v[i] += J[i][k] * u[k];
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < 3; k++) q.W[j * 4 + i] += J[i][k] * J[j][k] * (k < 2 ? 1 : 3);
  }
  const char *both[] = {"moreau", "glocker"};
  for (int i = 0; i < 2; i++) {
    answer a = solve(both[i], &q, 0);
    TEST_ASSERT_EQUAL_INT(CORE_OK, a.status);
    TEST_ASSERT_TRUE(a.flags & IMPACT_REDUNDANT);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, -0.3, a.p[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, -0.3, a.p[2]);
  }
}

/* a square table that falls flat without slip: a quarter for each leg */
static void a_table_with_four_legs_loads_them_alike(void) {
  problem q = {.nc = 4, .dim = 3, .rows = 12, .mu = {0.5, 0.5, 0.5, 0.5}};
  double J[12][6] = {{0}};
  for (int i = 0; i < 12; i++) {
    int c = i / 3, k = i % 3, b = (k + 1) % 3, d = (k + 2) % 3;
    double r[3] = {c % 2 ? 1 : -1, c / 2 ? 1 : -1, -1};
    J[i][k] = 1, J[i][3 + b] = r[d], J[i][3 + d] = -r[b];
    q.v[i] = k == 2 ? -2 : 0;
  }
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++)
      for (int k = 0; k < 6; k++) q.W[j * 12 + i] += J[i][k] * J[j][k];
  answer a = solve("moreau", &q, 0.5);
  TEST_ASSERT_EQUAL_INT(CORE_OK, a.status);
  TEST_ASSERT_TRUE(a.flags & IMPACT_REDUNDANT);
  for (int i = 0; i < 12; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-13, i % 3 == 2 ? 0.75 : 0, a.p[i]);
}

/* no p + s n with n from the null space of W, in the cones, is shorter */
static void no_other_share_is_shorter(void) {
  uint64_t seed = 21;
  int redundant = 0;
  for (int i = 0; i < cases / 8; i++) {
    problem q = random_body(&seed, 2, 4, between(&seed, 0.2, 1));
    answer a = solve("moreau", &q, 0);
    if (a.status || !(a.flags & IMPACT_REDUNDANT)) continue;
    double size = 0;
    for (int k = 0; k < q.rows; k++) size = fmax(size, fabs(a.p[k]));
    redundant++;
    for (int t = 0; t < 50; t++) {
      double n[ROWS], p[ROWS], sum = 0, shorter = 0;
      for (int k = 0; k < q.rows; k++) n[k] = between(&seed, -1, 1);
      for (int turn = 0; turn < 400; turn++) /* take out the range of W, by its powers */
        for (int k = 0; k < q.rows; k++) {
          double w = 0;
          for (int j = 0; j < q.rows; j++) w += q.W[j * q.rows + k] * n[j];
          n[k] -= w / q.W[k * q.rows + k];
        }
      for (int k = 0; k < q.rows; k++) sum += n[k] * n[k];
      if (sum < 1e-6) continue;
      double f = between(&seed, -0.1, 0.1) * size / sqrt(sum);
      for (int k = 0; k < q.rows; k++) p[k] = a.p[k] + f * n[k];
      for (int k = 0; k < q.rows; k++) shorter += a.p[k] * a.p[k] - p[k] * p[k];
      TEST_ASSERT_TRUE(residual(&q, 0, p) > 1e-9 || shorter <= 1e-7 * size * size);
    }
  }
  TEST_ASSERT_TRUE(redundant > cases / 100);
}

static void count(void *self, const double *p, const double *u) {
  (void)p, (void)u;
  ++*(int *)self;
}

/* a contact of one row is a contact of two rows without friction */
static void rows_may_differ(void) {
  uint64_t seed = 22;
  for (int i = 0; i < cases / 8; i++) {
    problem q = random_body(&seed, 2, 3, between(&seed, 0, 1));
    double W[ROWS * ROWS], v[ROWS], p[ROWS], after[ROWS];
    int first[MOST + 1], keep[ROWS], rows = 0;
    for (int c = 0; c < q.nc; c++) {
      first[c] = rows;
      if (c % 2 == 0) keep[rows++] = 2 * c;
      keep[rows++] = 2 * c + 1;
    }
    first[q.nc] = rows;
    for (int k = 0; k < rows; k++) {
      v[k] = q.v[keep[k]];
      for (int j = 0; j < rows; j++) W[j * rows + k] = q.W[keep[j] * q.rows + keep[k]];
    }
    double mu = q.mu[0], full[ROWS], u[ROWS];
    for (int c = 1; c < q.nc; c += 2) q.mu[c] = 0;
    core_scratch s;
    core_scratch_init(&s);
    impact_modes mixed = {.nc = q.nc, .dim = 2, .rows = rows, .W = W, .b = v, .mu = q.mu};
    impact_modes even = {.nc = q.nc, .dim = 2, .rows = q.rows, .W = q.W, .b = q.v, .mu = q.mu};
    mixed.first = first;
    core_status a = impact_modes_solve(&mixed, &s, p, after);
    core_status b = impact_modes_solve(&even, &s, full, u);
    TEST_ASSERT_EQUAL_INT(CORE_OK, a);
    TEST_ASSERT_EQUAL_INT(CORE_OK, b);
    for (int k = 0; k < rows && mu < 0.5; k++)
      TEST_ASSERT_DOUBLE_WITHIN(1e-9, u[keep[k]], after[k]);
    int one = 0, two = 0;
    impact_modes_all(&mixed, &s, count, &one);
    impact_modes_all(&even, &s, count, &two);
    TEST_ASSERT_TRUE(one > 0 && one == two);
    core_scratch_free(&s);
  }
}

/* nothing stops a row that W does not move */
static void a_row_without_mass_jams(void) {
  double W[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, b[4] = {0.1, -1, 0, -1}, mu[2] = {1, 1};
  double p[4], u[4];
  impact_modes m = {.nc = 2, .dim = 2, .rows = 4, .W = W, .b = b, .mu = mu};
  core_scratch s;
  core_scratch_init(&s);
  TEST_ASSERT_EQUAL_INT(CORE_JAM, impact_modes_solve(&m, &s, p, u));
  core_scratch_free(&s);
}

void setUp(void) {
}

void tearDown(void) {
}

int main(int argc, char **argv) {
  if (argc > 1) cases = problems = atoi(argv[1]);
  UNITY_BEGIN();
  RUN_TEST(every_answer_solves_the_cone_problem);
  RUN_TEST(planar_answers_are_among_all_modes);
  RUN_TEST(dependent_contacts_share_by_smallest_norm);
  RUN_TEST(a_table_with_four_legs_loads_them_alike);
  RUN_TEST(no_other_share_is_shorter);
  RUN_TEST(rows_may_differ);
  RUN_TEST(a_row_without_mass_jams);
  return UNITY_END();
}
