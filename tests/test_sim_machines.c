/* Whole machines over whole runs: what must hold whatever happens on the way. */
#include <unity.h>

#include "sim_help.h"

void setUp(void) {
  core_scratch_init(&sim_scratch);
}
void tearDown(void) {
  core_scratch_free(&sim_scratch);
}

/* mechanical energy at many times, which must not rise but for the tolerance */
static void never_rises(const sim_run *r, int samples, double tolerance) {
  double least = INFINITY;
  for (int i = 0; i <= samples; i++) {
    const sim_state *s = state_at(r, r->t * i / samples);
    double energy = s->kinetic + s->potential;
    TEST_ASSERT_TRUE(energy < least + tolerance);
    least = fmin(least, energy);
  }
}

/* Fig 3.1 of paper M: the double pendulum falls on a floor and comes to rest, or stays in contact
 */
static void double_pendulum_on_a_floor(void) {
  static const double start[][2] = {{-0.2, 0.7}, {0.4, -0.3}, {1.2, 0.9}, {-2.5, -0.6}};
  for (int i = 0; i < 4; i++)
    for (double mu = 0; mu < 0.7; mu += 0.3) {
      model *m = MAKE("double_pendulum", ONE("floor", -1.2),
                      {"q", 2, {start[i][0], start[i][1]}, 0}, {"u", 2, {0, 0}, 0});
      sim_run *r = go_well(m, law_e_mu("stronge", 0.5, mu), until(10, 1e-11));
      TEST_ASSERT_EQUAL_INT(SIM_STOP_TIME, r->why);
      TEST_ASSERT_TRUE(r->impacts > 0);
      TEST_ASSERT_TRUE(mu == 0 || state_at(r, 10)->mode[0] != SIM_MODE_OPEN);
      never_rises(r, 1000, 1e-8);
      check_run(r, 500, 1e-9, 1e-8);
      done(r);
    }
}

/* with friction it comes to lie still, where gravity's pull stays inside the cone */
static void with_friction_the_pendulum_rests(void) {
  model *m =
      MAKE("double_pendulum", ONE("floor", -1.2), {"q", 2, {-0.2, 0.7}, 0}, {"u", 2, {0, 0}, 0});
  sim_run *r = go_well(m, law_e_mu("stronge", 0.5, 0.3), until(10, 1e-10));
  const sim_state *s = state_at(r, 10);
  TEST_ASSERT_EQUAL_INT(SIM_MODE_STICK, s->mode[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, s->kinetic);
  TEST_ASSERT_TRUE(fabs(s->force[0]) <= 0.3 * s->force[1]);
  /* at rest the contact force holds gravity: -dV/dq = J^T f by differences of the potential */
  double J[4];
  m->type->jacobian(m, s->q, J);
  for (int j = 0; j < 2; j++) {
    double h = 1e-5, plus[2] = {s->q[0], s->q[1]}, minus[2] = {s->q[0], s->q[1]};
    plus[j] += h;
    minus[j] -= h;
    double slope = (m->type->potential(m, plus) - m->type->potential(m, minus)) / (2 * h);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, slope, J[2 * j] * s->force[0] + J[2 * j + 1] * s->force[1]);
  }
  done(r);
}

static void eight_link_arm_falls_on_the_floor(void) {
  static const double mu[] = {0, 0.4};
  for (int i = 0; i < 2; i++) {
    model *m = MAKE("arm", {"n", 1, {8}, 0}, ONE("length", 0.5),
                    {"q", 8, {1.2, -0.2, -0.3, -0.1, 0.2, -0.2, -0.1, -0.4}, 0},
                    {"u", 8, {0, 0, 0, 0, 0, 0, 0, 0}, 0}, ONE("floor", 0), ONE("damping", 0.05));
    sim_run *r = go_well(m, law_e_mu("stronge", 0.3, mu[i]), until(3, 1e-9));
    TEST_ASSERT_TRUE(r->impacts >= 1);
    never_rises(r, 300, 1e-6);
    check_run(r, 300, 1e-9, 1e-6);
    done(r);
  }
}

/* two balls in space: momentum of the pair is kept through flight, impact and flight */
static core_status one(void *self, double t, const double *q, const double *u, double *g,
                       core_error *err) {
  (void)self, (void)t, (void)q, (void)u, (void)err;
  *g = 1;
  return CORE_OK;
}

/* Steps that cannot reach the floor are not searched; a function of the user, which has no bound,
 * makes the run search all of them. No bit of it changes. */
static void far_from_the_floor_nothing_is_missed(void) {
  sim_run *r[2];
  sim_watch idle = {"idle", NULL, one, NULL, 0, 0};
  for (int k = 0; k < 2; k++) {
    model *m = MAKE("arm", {"n", 1, {16}, 0}, ONE("length", 0.125), ONE("floor", -1.2),
                    ONE("q", 0.1), ONE("u", 0));
    sim_options o = until(2, 1e-8);
    o.keep = 0, o.n_watches = k, o.watches = &idle;
    r[k] = go_well(m, law_e_mu("stronge", 0.5, 0.3), o);
  }
  TEST_ASSERT_TRUE(r[0]->impacts > 3);
  TEST_ASSERT_EQUAL_INT(r[1]->impacts, r[0]->impacts);
  TEST_ASSERT_TRUE(r[0]->evaluations < r[1]->evaluations);
  for (int i = 0; i < 16; i++) TEST_ASSERT_EQUAL_DOUBLE(r[1]->q[i], r[0]->q[i]);
  done(r[0]);
  done(r[1]);
}

static void a_pair_keeps_its_momentum(void) {
  model *m = MAKE("pair", {"position1", 3, {0, 0.7, 4}, 0}, {"position2", 3, {0, 0, 0}, 0},
                  {"velocity1", 3, {0.1, 0, -3}, 0}, {"velocity2", 3, {0, 0.2, 1}, 0},
                  {"mass", 2, {1, 3}, 0});
  sim_run *r = go_well(m, law_e_mu("stronge", 0.7, 0.2), until(2, 1e-11));
  TEST_ASSERT_EQUAL_INT(1, r->impacts);
  for (int i = 0; i < 3; i++)
    TEST_ASSERT_DOUBLE_WITHIN(1e-11, m->u[i] + 3 * m->u[6 + i], r->u[i] + 3 * r->u[6 + i]);
  check_run(r, 100, 1e-10, 1e-10);
  done(r);
}

/* Two links press their tip along the floor until they are straight: there the tip stands still for
 * a moment, no friction can hold it, and the elbow that goes on draws it back. */
static void at_full_stretch_the_tip_turns_round(void) {
  model *m = MAKE("arm", ONE("n", 2), ONE("floor", -0.5), {"q", 2, {-0.0353, -0.448}, 0},
                  {"u", 2, {0, 0}, 0});
  sim_run *r = go_well(m, law_e_mu("stronge", 0, 0.2), until(1, 1e-10));
  const sim_event *turn = need(r, SIM_SLIP, 0);
  const double *q = sim_event_q(r, turn);
  TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0, q[1]); /* straight */
  double before = state_at(r, turn->t - 1e-3)->q[1], after = state_at(r, turn->t + 1e-3)->q[1];
  TEST_ASSERT_TRUE(before < -1e-3 && after > 1e-3);
  TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0, before + after); /* the elbow goes on, faster by gravity */
  check_run(r, 300, 1e-9, 1e-8);
  done(r);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(double_pendulum_on_a_floor);
  RUN_TEST(with_friction_the_pendulum_rests);
  RUN_TEST(eight_link_arm_falls_on_the_floor);
  RUN_TEST(far_from_the_floor_nothing_is_missed);
  RUN_TEST(a_pair_keeps_its_momentum);
  RUN_TEST(at_full_stretch_the_tip_turns_round);
  return UNITY_END();
}
