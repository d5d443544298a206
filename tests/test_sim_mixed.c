/* Runs of a plank with feet (rows t, n) and a stop of its angle (row n alone): mixed_help.h. */
#include "mixed_help.h"
#include "sim_help.h"

void setUp(void) {
  core_scratch_init(&sim_scratch);
}

void tearDown(void) {
  core_scratch_free(&sim_scratch);
}

static model *plank(double z, double angle, double vx, double spin) {
  model *m = NULL;
  core_error err = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, model_create(&mixed_type, NULL, &m, &err), err.text);
  m->q[1] = z, m->q[2] = angle, m->u[0] = vx, m->u[2] = spin;
  return m;
}

/* far from the floor: the angle meets its stop at (limit - angle)/spin and goes back by e */
static void test_a_stop_turns_the_spin_round(void) {
  double spin = 2, e = 0.6, t = mixed_limit / spin;
  sim_run *r = go(plank(100, 0, 0.5, spin), law_e_mu("newton", e, 0), until(0.5, 1e-10));
  const sim_event *hit = &r->events[0];
  TEST_ASSERT_EQUAL_INT(SIM_IMPACT, hit->kind);
  TEST_ASSERT_EQUAL_INT(1, hit->contact);
  TEST_ASSERT_EQUAL_INT(1, sim_event_rows(r, hit));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, t, hit->t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, mixed_inertia * (1 + e) * spin, r->numbers[hit->impulse]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, mixed_limit - e * spin * (0.5 - t), r->q[2]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.25, r->q[0]);
  done(r);
}

/* a torque holds the angle at its stop: bounces of height h, e^2 h, e^4 h ... that end at
 * t = t_1 (1 + e)/(1 - e), t_1 = sqrt(2 h I/tau) */
static core_status push(void *self, double t, const double *q, const double *u, double *h,
                        core_error *err) {
  (void)t, (void)q, (void)u, (void)err;
  h[0] = h[1] = 0, h[2] = *(const double *)self;
  return CORE_OK;
}

static void test_bounces_on_a_stop_end_in_their_limit(void) {
  double torque = 4, e = 0.5, t1 = sqrt(2 * mixed_limit * mixed_inertia / torque);
  sim_options o = until(1.5, 1e-10);
  o.force = push, o.force_self = &torque;
  sim_run *r = go(plank(100, 0, 0, 0), law_e_mu("newton", e, 0), o);
  double when = NAN;
  for (size_t i = 0; i < r->n_events; i++)
    if (r->events[i].kind == SIM_ZENO) when = r->events[i].t;
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, t1 * (1 + e) / (1 - e), when);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, mixed_limit, r->q[2]);
  double force[MIXED_ROWS];
  int mode[MIXED_CONTACTS];
  sim_state at = {.force = force, .mode = mode};
  TEST_ASSERT_EQUAL_INT(CORE_OK, sim_at(r, 1.2, 0, &sim_scratch, &at, NULL));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, torque, force[2]);
  TEST_ASSERT_TRUE(force[0] == 0 && force[1] == 0 && force[3] == 0 && force[4] == 0);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0, r->ledger.residual / (torque * mixed_limit));
  done(r);
}

/* A torque presses the angle against its stop while the left foot slides on the floor:
 *   m x'' = -mu m g,   stop = torque - m g a (cos + mu sin),   stands at v/(mu g) and sticks then
 */
static void test_a_foot_slides_while_the_stop_holds(void) {
  double torque = 30, mu = 0.4, v = 1.5, g = mixed_gravity, weight = mixed_mass * g;
  double c = cos(mixed_limit), s = sin(mixed_limit), stops = v / (mu * g);
  sim_options o = until(0.6, 1e-10);
  o.force = push, o.force_self = &torque;
  sim_run *r = go(plank(mixed_a * s, mixed_limit, v, 0), law_e_mu("moreau", 0, mu), o);
  double force[MIXED_ROWS], q[3], u[3];
  int mode[MIXED_CONTACTS];
  sim_state at = {.force = force, .mode = mode, .q = q, .u = u};
  TEST_ASSERT_EQUAL_INT(CORE_OK, sim_at(r, 0.2, 0, &sim_scratch, &at, NULL));
  TEST_ASSERT_EQUAL_INT(SIM_MODE_SLIP, mode[0]);
  TEST_ASSERT_EQUAL_INT(SIM_MODE_OPEN, mode[2]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, v * 0.2 - mu * g * 0.02, q[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -mu * weight, force[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, weight, force[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, torque - weight * mixed_a * (c + mu * s), force[2]);
  TEST_ASSERT_EQUAL_INT(CORE_OK, sim_at(r, 0.5, 0, &sim_scratch, &at, NULL));
  TEST_ASSERT_EQUAL_INT(SIM_MODE_STICK, mode[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, torque - weight * mixed_a * c, force[2]);
  double stick = NAN;
  for (size_t i = 0; i < r->n_events; i++)
    if (r->events[i].kind == SIM_STICK) stick = r->events[i].t;
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, stops, stick);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, v * v / (2 * mu * g), r->q[0]);
  done(r);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_stop_turns_the_spin_round);
  RUN_TEST(test_bounces_on_a_stop_end_in_their_limit);
  RUN_TEST(test_a_foot_slides_while_the_stop_holds);
  return UNITY_END();
}
