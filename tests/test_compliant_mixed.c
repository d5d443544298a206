/* law.compliant and law.vibration on contacts that differ in their rows: a joint stop with one row
 * beside feet with two or three. test_mixed.c compares with the problem padded to equal rows; here
 * are closed forms. */
#include "compliant_help.h"

static const course *run_mixed(const spec *q, int nc, int dim, const int *first, const double *W,
                               const double *v, int per_phase) {
  static course c;
  memset(&c, 0, offsetof(course, at));
  c.rows = first[nc], c.nc = nc;
  core_scratch s;
  core_scratch_init(&s);
  impact_problem pr = {.nc = nc, .dim = dim, .rows = first[nc], .W = W, .v = v, .first = first};
  impact_sink sink = {&c, per_phase, 0, remember_sample, remember_event};
  c.r.p = c.p, c.r.v = c.v;
  law *l = compliant_law(q);
  law_solve(l, &pr, &s, per_phase < 0 ? NULL : &sink, &c.r, &c.err);
  law_free(l);
  core_scratch_free(&s);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, c.r.status, c.err.text);
  return &c;
}

/* Paper Y's ball (rows t1, t2, n) and a stop that nothing couples to it: each has its closed form,
 * p = (1 + e) |v| / W at the stop, and the ball's 1.54409015513753409 along t1. */
static void test_ball_and_stop_apart(void) {
  const int first[3] = {0, 1, 4};
  const double W[16] = {2, 0, 0, 0, 0, 3.5, 0, 0, 0, 0, 3.5, 0, 0, 0, 0, 1};
  const double v[4] = {-3, -3, 0, -5}, eta = sqrt(17 / 14.);
  for (int per_phase = -1; per_phase <= 4; per_phase += 5) {
    spec q = {
        .mu = {0.7, 0.4}, .e = {0.25, 0.5}, .eta = {1, eta}, .k = {1e8, 1e8}, .n = 2, .plastic = 0};
    const course *c = run_mixed(&q, 2, 3, first, W, v, per_phase);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.25 * 3 / 2, c->p[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-11, 1.54409015513753409, c->p[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, c->p[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 7.5, c->p[3]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.25 * 3, c->v[0]);
  }
}

/* Two balls in a row, their common normal and the wall's: the second contact has one row, and the
 * first rows (t, n) with mu = 0. Masses 1 and 1 with equal springs, the front one at rest against
 * the wall: d'' = -A d, A = [[2, -1], [-1, 1]], modes by hand: w^2 = (3 +- sqrt 5)/2. Until the
 * first contact opens p_n = k int d. */
static void test_two_modes_by_hand(void) {
  const int first[3] = {0, 2, 3};
  const double W[9] = {1, 0, 0, 0, 2, -1, 0, -1, 1}, v[3] = {0.3, -1, 0};
  spec q = uniform(0, 1, 1);
  const course *c = run_mixed(&q, 2, 2, first, W, v, 6);
  double root = sqrt(5), w2[2] = {(3 - root) / 2, (3 + root) / 2};
  int compared = 0;
  for (int i = 0; i < c->n; i++) {
    const moment *m = &c->at[i];
    if (m->mode[0] == IMPACT_MODE_OPEN || m->mode[1] == IMPACT_MODE_OPEN) break;
    double d[2] = {0, 0};
    for (int k = 0; k < 2;
         k++) { /* d = -sum (x_k / |x_k|^2) x_k0 sin(w t) / w, x_k = (2 - w^2, 1) rows */
      double x[2] = {1, 2 - w2[k]}, w = sqrt(w2[k] * 1e8), size = x[0] * x[0] + x[1] * x[1];
      for (int r = 0; r < 2; r++) d[r] -= x[r] * x[0] / size * sin(w * m->t) / w;
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-12 * 1e-4, d[0], m->x[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12 * 1e-4, d[1], m->x[2]);
    compared++;
  }
  TEST_ASSERT_TRUE(compared > 4);
  TEST_ASSERT_DOUBLE_WITHIN(0, 0, c->p[0]);
}

void setUp(void) {
}

void tearDown(void) {
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_ball_and_stop_apart);
  RUN_TEST(test_two_modes_by_hand);
  return UNITY_END();
}
