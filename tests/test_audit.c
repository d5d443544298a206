/* The audit must see what is wrong: each figure is moved by a known amount, and only by its cause.
 */
#include "conformance.h"

static trial t;
static outcome o;
static double after[MOST_SPEEDS];
static model *m;
static law *l;

static law *stronge(double e, double mu) {
  uint64_t seed = 1;
  return random_law(law_find("stronge"), &seed, e, mu, NULL);
}

void setUp(void) {
  m = default_model(model_find("double_pendulum"));
  l = stronge(0.5, 0.3);
  t = (trial){.m = m, .l = l, .seed = 5};
  core_scratch_init(&t.s);
  do random_state(&t);
  while (t.setup.problem.v[1] > -0.5);
  o = solve_problem(&t, &t.setup.problem, NULL);
  TEST_ASSERT_EQUAL_INT(CORE_OK, o.status);
  impact_back(&t.setup, t.u, o.p, after);
}

void tearDown(void) {
  core_scratch_free(&t.s);
  law_free(l);
  model_free(m);
}

static impact_audit look(void) {
  impact_audit a;
  o.r.p = o.p, o.r.v = o.v;
  TEST_ASSERT_EQUAL_INT(CORE_OK, impact_audit_hit(m, t.q, t.u, after, &t.setup, l, &o.r, &t.s, &a));
  return a;
}

static double before(void) {
  double T;
  model_kinetic(m, t.q, t.u, &t.s, &T);
  return T;
}

static void a_right_answer_is_clean(void) {
  impact_audit a = look();
  double worst = fmax(fmax(a.momentum, a.velocity), fmax(a.energy, a.ledger));
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0, fmax(worst, fmax(fmax(a.cone, a.pull), a.penetration)));
}

static void a_wrong_speed_breaks_momentum_and_velocity(void) {
  after[0] += 1e-6;
  impact_audit a = look();
  TEST_ASSERT_TRUE(a.momentum > 1e-8 && a.velocity > 1e-8 && a.energy > 1e-8);
}

static void a_wrong_contact_velocity_is_seen(void) {
  o.v[0] += 1e-6;
  TEST_ASSERT_TRUE(look().velocity > 1e-8);
  TEST_ASSERT_TRUE(look().momentum < 1e-14);
}

static void a_missing_loss_opens_the_ledger_by_as_much(void) {
  double T = before();
  o.r.lost_friction -= 1e-3 * T;
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1e-3, look().ledger);
  TEST_ASSERT_TRUE(look().energy < 1e-14);
}

static void friction_beyond_the_cone_is_measured(void) {
  o.p[0] = copysign(0.5 * o.p[1], o.p[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5 - 0.3, look().cone);
}

static void a_pull_is_measured(void) {
  o.p[0] = 0, o.p[1] = -2;
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, look().pull);
}

static void a_contact_that_goes_on_approaching_is_measured(void) {
  o.v[1] = -0.25 * largest(2, t.setup.problem.v);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.25, look().penetration);
}

static void a_nan_is_never_hidden(void) {
  o.p[0] = NAN;
  impact_audit a = look();
  TEST_ASSERT_TRUE(isnan(a.momentum) && isnan(a.energy) && isnan(a.cone));
}

static void friction_is_found_in_the_law_and_in_the_law_inside(void) {
  uint64_t seed = 1;
  law *outer = random_law(law_find("sequential"), &seed, 0.5, 0.3, l);
  TEST_ASSERT_EQUAL_DOUBLE(0.3, law_friction_limit(l, 0));
  TEST_ASSERT_EQUAL_DOUBLE(0.3, law_friction_limit(outer, 0));
  law_free(outer);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(a_right_answer_is_clean);
  RUN_TEST(a_wrong_speed_breaks_momentum_and_velocity);
  RUN_TEST(a_wrong_contact_velocity_is_seen);
  RUN_TEST(a_missing_loss_opens_the_ledger_by_as_much);
  RUN_TEST(friction_beyond_the_cone_is_measured);
  RUN_TEST(a_pull_is_measured);
  RUN_TEST(a_contact_that_goes_on_approaching_is_measured);
  RUN_TEST(a_nan_is_never_hidden);
  RUN_TEST(friction_is_found_in_the_law_and_in_the_law_inside);
  return UNITY_END();
}
