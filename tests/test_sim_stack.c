/* Balls that fall on each other on a floor come to rest under every law, and the run says so.
 *
 * A ball on a ball that bounces on the floor is at rest only as the floor holds both: together they
 * fall freely, and nothing pulls the upper one back. Judged alone it left, fell through by half of
 * `touch`, and was thrown back with more energy than it had: law.compliant with e >= 0.8 never
 * rested. */
#include "sim_help.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { NEWTON, COMPLIANT, SEQUENTIAL, LAWS };
static const double radius = 0.05, gravity = 9.81;

static model *stack(int n) {
  return MAKE("chain", ONE("n", n), ONE("wall", 1), ONE("gravity", gravity), ONE("gaps", 0.05),
              ONE("velocity", 0), ONE("radius", radius));
}

static sim_run *fall(int n, int which, double e, double zeno_time) {
  static law *single;
  law_free(single);
  single = law_e_mu("stronge", e, 0);
  law *l = which == NEWTON      ? LAW("newton", ONE("e", e))
           : which == COMPLIANT ? LAW("compliant", ONE("e", e))
                                : sequential(single, -1);
  sim_options o = until(60, 1e-9);
  o.zeno_time = zeno_time;
  o.max_events = 20000;
  return go(stack(n), l, o);
}

/* all lie on each other, and what they had is lost */
static void check_rest(const sim_run *r, int n) {
  double potential = 0, start = 0;
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, r->status, r->error.text);
  for (int i = 0; i < n; i++) {
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, r->u[i]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, (2 * i + 1) * radius, r->q[i]);
    potential += gravity * (2 * i + 1) * radius;
    start += gravity * ((2 * i + 1) * radius + 0.05 * (i + 1));
  }
  double lost = r->ledger.restitution + r->ledger.bounces;
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, start - potential, lost);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, r->ledger.residual);
  TEST_ASSERT_TRUE(r->ledger.bounces >= -1e-12 && r->ledger.bounces < 1e-5 * lost);
}

static void stacks_come_to_rest(void) {
  const double e[] = {0.3, 0.5, 0.7, 0.8, 0.85, 0.9, 0.95};
  for (int n = 2; n <= 5; n++)
    for (int i = 0; i < 7; i++)
      for (int which = 0; which < LAWS; which++) {
        sim_run *r = fall(n, which, e[i], 5e-6);
        check_rest(r, n);
        done(r);
      }
}

/* the end of the last series does not hang on the threshold: what is left out is of its order */
static void the_time_of_rest_does_not_hang_on_the_threshold(void) {
  for (int which = 0; which < LAWS; which++) {
    double last[2] = {0};
    for (int i = 0; i < 2; i++) {
      sim_run *r = fall(2, which, 0.5, i ? 1e-6 : 5e-6);
      for (size_t k = 0; k < r->n_events; k++)
        if (r->events[k].kind == SIM_CONTACT) last[i] = r->events[k].t;
      TEST_ASSERT_TRUE(last[i] > 0.1);
      done(r);
    }
    TEST_ASSERT_DOUBLE_WITHIN(2e-5, last[0], last[1]);
  }
}

/* a plastic stack of twelve by single impacts: 100,000 of them did not do */
static void twelve_plastic_balls_by_single_impacts(void) {
  sim_run *r = fall(12, SEQUENTIAL, 0, 5e-6);
  check_rest(r, 12);
  TEST_ASSERT_TRUE(r->impacts <= 12);
  done(r);
}

/* a run that ends by max_events does not say ok */
static void the_limit_of_impacts_is_no_success(void) {
  sim_options o = until(60, 1e-9);
  o.max_events = 7;
  sim_run *r = go(stack(3), LAW("newton", ONE("e", 0.9)), o);
  TEST_ASSERT_EQUAL_INT(CORE_LIMIT, r->status);
  TEST_ASSERT_EQUAL_INT(SIM_STOP_IMPACTS, r->why);
  TEST_ASSERT_EQUAL_INT(7, r->impacts);
  TEST_ASSERT_NOT_NULL(strstr(r->error.text, "after 7 impacts (max_events)"));
  done(r);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(stacks_come_to_rest);
  RUN_TEST(the_time_of_rest_does_not_hang_on_the_threshold);
  RUN_TEST(twelve_plastic_balls_by_single_impacts);
  RUN_TEST(the_limit_of_impacts_is_no_success);
  return UNITY_END();
}
