/* The planar path with friction, case by case, against hand calculation: the orders of pauses,
 * static friction, and what cannot go on. */
#include "law_help.h"

void setUp(void) {
}
void tearDown(void) {
}

/* ---- the orders of Morgan's figure 2.8, and the special cases of figure 2.9 ---- */

static hit told(double e, double mu, const double *W, double vt, double vn) {
  law *l = friction_law("stronge", e, mu, NAN);
  double v[2] = {vt, vn};
  hit h = solve_with(l, 1, 2, W, v, NULL, 3);
  law_free(l);
  TEST_ASSERT_EQUAL_INT(CORE_OK, h.r.status);
  check_balance(&h, W, v, 1e-13);
  return h;
}

/* a ball of unit mass, inertia 2/5: sliding slows by 3.5 mu p_n, v_n grows by p_n */
static const double ball[4] = {3.5, 0, 0, 1};

static void no_pause_at_all_keeps_sliding(void) {
  hit h = told(0.5, 0.1, ball, 10, -2);
  TEST_ASSERT_EQUAL_STRING("compression_end end", story(&h));
  ASSERT_NEAR(1e-15, 3, h.p[1]);
  ASSERT_NEAR(1e-15, -0.3, h.p[0]);
  ASSERT_NEAR(1e-15, 10 - 3.5 * 0.3, h.v[0]);
  ASSERT_NEAR(1e-15, 1, h.v[1]);
  ASSERT_NEAR(1e-15, 0.75 * 2, h.r.lost_restitution);
  ASSERT_NEAR(1e-15, 0.3 * (10 + 8.95) / 2, h.r.lost_friction);
}

static void tangential_pause_first_then_stick(void) {
  hit h = told(0.5, 0.4, ball, 1.4, -2);
  TEST_ASSERT_EQUAL_STRING("stick compression_end end", story(&h));
  ASSERT_NEAR(1e-15, 1, h.event[0].p[1]);
  ASSERT_NEAR(1e-15, 2, h.event[1].p[1]);
  ASSERT_NEAR(1e-15, -0.4, h.p[0]);
  TEST_ASSERT_EQUAL_DOUBLE(0, h.v[0]);
  TEST_ASSERT_EQUAL_UINT(IMPACT_STUCK, h.r.flags);
}

static void normal_pause_first_then_stick(void) {
  hit h = told(1, 0.2, ball, 2.1, -2);
  TEST_ASSERT_EQUAL_STRING("compression_end stick end", story(&h));
  ASSERT_NEAR(1e-15, 3, h.event[1].p[1]);
  ASSERT_NEAR(1e-15, 4, h.p[1]);
}

/* W with strong coupling: |m| = 1.5; sliding with v_t < 0 is stopped and turned round */
static const double coupled[4] = {1, 1.5, 1.5, 4};

static void tangential_pause_first_then_reversal(void) {
  hit h = told(0.6, 0.5, coupled, -1, -6);
  TEST_ASSERT_EQUAL_STRING("reversal compression_end end", story(&h));
  /* dv/dp = (1.5 + 0.5, 4 + 0.75), then (1.5 - 0.5, 4 - 0.75) */
  double p1 = 0.5, vn1 = -6 + 4.75 * p1, p2 = -vn1 / 3.25;
  ASSERT_NEAR(1e-15, p1, h.event[0].p[1]);
  ASSERT_NEAR(1e-15, p1 + p2, h.event[1].p[1]);
  double taken = p1 * (6 - vn1) / 2 - p2 * vn1 / 2, p3 = sqrt(2 * 0.36 * taken / 3.25);
  ASSERT_NEAR(1e-14, p1 + p2 + p3, h.p[1]);
  ASSERT_NEAR(1e-14, 0.5 * p1 - 0.5 * (p2 + p3), h.p[0]);
  ASSERT_NEAR(1e-14, 0.64 * taken, h.r.lost_restitution);
}

static void normal_pause_first_then_reversal(void) {
  hit h = told(1, 0.5, coupled, -3, -4.75);
  TEST_ASSERT_EQUAL_STRING("compression_end reversal end", story(&h));
  ASSERT_NEAR(1e-15, 1, h.event[0].p[1]);
  ASSERT_NEAR(1e-15, 1.5, h.event[1].p[1]);
  /* left to give back: 4.75/2 (1 - 1/4) with v_n = 2.375 and slope 3.25 */
  double vn = 2.375, left = 4.75 / 2 * 0.75, p = (sqrt(vn * vn + 2 * 3.25 * left) - vn) / 3.25;
  ASSERT_NEAR(1e-14, 1.5 + p, h.p[1]);
  ASSERT_NEAR(1e-14, p, h.v[0]);
}

static void ends_before_the_tangential_pause(void) { /* figure 2.9 (a) */
  hit h = told(0.5, 0.2, ball, 2.2, -2);
  TEST_ASSERT_EQUAL_STRING("compression_end end", story(&h));
  TEST_ASSERT_TRUE(h.v[0] > 0);
}

static void is_pushed_away_from_the_tangential_pause(void) { /* figure 2.9 (b) */
  hit h = told(0.5, 0.5, coupled, 1, -2);
  TEST_ASSERT_EQUAL_STRING("compression_end end", story(&h));
  double pc = 2 / 3.25;
  ASSERT_NEAR(1e-15, 1.5 * pc, h.p[1]);
  ASSERT_NEAR(1e-15, 1 + 1.5 * pc, h.v[0]);
}

static void both_pauses_at_once(void) {
  hit h = told(0.5, 0.5, ball, 3.5, -2); /* stops sliding at p_n = 2 */
  TEST_ASSERT_EQUAL_STRING("compression_end stick end", story(&h));
  ASSERT_NEAR(1e-15, 3, h.p[1]);
  ASSERT_NEAR(1e-15, -1, h.p[0]);
  hit g = told(0.5, 0.5, coupled, -2, -4.75);
  TEST_ASSERT_EQUAL_STRING("compression_end reversal end", story(&g));
  ASSERT_NEAR(1e-14, 1 + sqrt(2 * 0.25 * 4.75 / 2 / 3.25), g.p[1]);
}

static void line_parallel_to_no_sliding(void) {
  hit h = told(0.5, 1.5, coupled, 0.25, -2); /* dv_t/dp_n = 1.5 - 1.5 = 0, dv_n/dp_n = 1.75 */
  TEST_ASSERT_EQUAL_STRING("compression_end end", story(&h));
  TEST_ASSERT_EQUAL_DOUBLE(0.25, h.v[0]);
  ASSERT_NEAR(1e-15, 3 / 1.75, h.p[1]);
}

static void starts_from_rest_and_slips_or_sticks(void) {
  hit h = told(0.5, 0.5, coupled, 0, -2);
  TEST_ASSERT_EQUAL_STRING("slip compression_end end", story(&h));
  TEST_ASSERT_TRUE(h.v[0] > 0);
  hit g = told(0.5, 2, coupled, 0, -2);
  TEST_ASSERT_EQUAL_STRING("compression_end end", story(&g));
  TEST_ASSERT_EQUAL_DOUBLE(0, g.v[0]);
  TEST_ASSERT_EQUAL_UINT(IMPACT_STUCK, g.r.flags);
}

/* ---- friction that holds more than it drags, and friction without limit ---- */

static void static_friction_decides_between_stick_and_reversal(void) {
  double v[2] = {-1, -6};
  law *weak = friction_law("stronge", 0.6, 0.5, 1.4),
      *strong = friction_law("stronge", 0.6, 0.5, 1.5);
  hit h = solve_with(weak, 1, 2, coupled, v, NULL, 0),
      g = solve_with(strong, 1, 2, coupled, v, NULL, 0);
  TEST_ASSERT_EQUAL_STRING("reversal compression_end end", story(&h));
  TEST_ASSERT_EQUAL_STRING("stick compression_end end", story(&g));
  ASSERT_NEAR(1e-15, -1.5, (g.p[0] - g.event[0].p[0]) / (g.p[1] - g.event[0].p[1]));
  law_free(weak);
  law_free(strong);
}

static void large_friction_goes_to_the_infinite_one(void) {
  uint64_t seed = 3;
  for (int i = 0; i < 2000; i++) {
    double W[4], v[2] = {between(&seed, -3, 3), between(&seed, -2, -0.1)};
    random_W(&seed, 2, W);
    const char *name = names[i % NAMES];
    law *big = friction_law(name, 0.5, 1e9, NAN), *all = friction_law(name, 0.5, INFINITY, NAN);
    hit h = solve_with(big, 1, 2, W, v, NULL, -1), g = solve_with(all, 1, 2, W, v, NULL, -1);
    TEST_ASSERT_EQUAL_INT(CORE_OK, g.r.status);
    double size = 1e-3 / (W[0] * W[3] - W[1] * W[1]);
    for (int k = 0; k < 2; k++) TEST_ASSERT_DOUBLE_WITHIN(size * 1e-3, h.p[k], g.p[k]);
    check_balance(&g, W, v, 1e-12);
    law_free(big);
    law_free(all);
  }
}

/* ---- what cannot go on ---- */

static void immovable_normal_jams(void) {
  double W[4] = {1, 0, 0, 0}, v[2] = {1, -1};
  law *l = friction_law("stronge", 0.5, 0.3, NAN);
  hit h = solve_with(l, 1, 2, W, v, NULL, 2);
  TEST_ASSERT_EQUAL_INT(CORE_JAM, h.r.status);
  TEST_ASSERT_EQUAL_STRING("stick jam", story(&h));
  law_free(l);
}

/* Painleve: a mechanism of one freedom, W = j j^T, whose sliding drives it into the wall. Data with
 * v_t of its own (a conveyor under the contact) make the stick jam. */
static void painleve_sliding_into_the_wall_jams(void) {
  double W[4] = {4, 2, 2, 1}, v[2] = {1, -1};
  law *l = friction_law("stronge", 0.5, 0.8, NAN); /* dv_n/dp_n = 1 - 0.8*2 < 0 */
  hit h = solve_with(l, 1, 2, W, v, NULL, 2);
  TEST_ASSERT_EQUAL_INT(CORE_JAM, h.r.status);
  TEST_ASSERT_EQUAL_STRING("stick jam", story(&h));
  TEST_ASSERT_TRUE(h.v[1] < -1 && isfinite(h.p[1]));
  law_free(l);
}

/* the same sliding with a regular W is no jam: sliding stops first, then v_n turns */
static void painleve_sliding_with_regular_mass_recovers(void) {
  double W[4] = {4, 2, 2, 1.01};
  hit h = told(0.5, 0.8, W, 1, -1);
  TEST_ASSERT_EQUAL_STRING("stick compression_end end", story(&h));
  TEST_ASSERT_TRUE(h.event[0].v[1] < -1);
}

/* one freedom, consistent velocity: both pauses at once, then wedged: nothing comes back */
static void one_freedom_self_locking_ends_at_rest(void) {
  double W[4] = {4, -2, -2, 1}, v[2] = {2.2, -1.1};
  hit h = told(0.8, 0.7, W, v[0], v[1]);
  TEST_ASSERT_EQUAL_DOUBLE(0, h.v[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0, h.v[0]);
}

static void bad_parameters_are_refused(void) {
  law_friction f = {0.5, 0.4, 0.3};
  law *l;
  core_error err = {0};
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, law_create(law_find("stronge"), &f, &l, &err));
  TEST_ASSERT_EQUAL_STRING("law.stronge: mu_static must be at least mu (0.4), got 0.3", err.text);
  const core_schema *schema = &law_find("poisson")->schema;
  double bad[] = {1.5, -0.1, NAN};
  for (int i = 0; i < 3; i++)
    TEST_ASSERT_NOT_EQUAL(
        CORE_OK, core_param_set(schema, core_schema_find(schema, "e"), &f, 1, &bad[i], &err));
  double minus = -1;
  TEST_ASSERT_NOT_EQUAL(
      CORE_OK, core_param_set(schema, core_schema_find(schema, "mu"), &f, 1, &minus, &err));
}

static void two_contacts_are_refused_with_advice(void) {
  double W[4] = {1, 0, 0, 1}, v[2] = {-1, -1}, nan_v[2] = {NAN, -1};
  law *l = friction_law("stronge", 0.5, 0.4, NAN);
  hit h = solve_with(l, 2, 1, W, v, NULL, -1);
  TEST_ASSERT_EQUAL_INT(CORE_UNSUPPORTED, h.r.status);
  TEST_ASSERT_NOT_NULL(
      strstr(h.err.text, "law.stronge takes one contact, got 2: use law.sequential"));
  h = solve_with(l, 1, 2, W, nan_v, NULL, -1);
  TEST_ASSERT_EQUAL_INT(CORE_NOT_FINITE, h.r.status);
  v[1] = 0;
  h = solve_with(l, 1, 2, W, v, NULL, -1);
  TEST_ASSERT_EQUAL_INT(CORE_NO_IMPACT, h.r.status);
  law_free(l);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(no_pause_at_all_keeps_sliding);
  RUN_TEST(tangential_pause_first_then_stick);
  RUN_TEST(normal_pause_first_then_stick);
  RUN_TEST(tangential_pause_first_then_reversal);
  RUN_TEST(normal_pause_first_then_reversal);
  RUN_TEST(ends_before_the_tangential_pause);
  RUN_TEST(is_pushed_away_from_the_tangential_pause);
  RUN_TEST(both_pauses_at_once);
  RUN_TEST(line_parallel_to_no_sliding);
  RUN_TEST(starts_from_rest_and_slips_or_sticks);
  RUN_TEST(static_friction_decides_between_stick_and_reversal);
  RUN_TEST(large_friction_goes_to_the_infinite_one);
  RUN_TEST(immovable_normal_jams);
  RUN_TEST(painleve_sliding_into_the_wall_jams);
  RUN_TEST(painleve_sliding_with_regular_mass_recovers);
  RUN_TEST(one_freedom_self_locking_ends_at_rest);
  RUN_TEST(bad_parameters_are_refused);
  RUN_TEST(two_contacts_are_refused_with_advice);
  return UNITY_END();
}
