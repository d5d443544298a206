#include "model_help.h"

void setUp(void) {
}

void tearDown(void) {
}

static const double masses[4] = {1, 2, 0.5, 4}, radii[4] = {0.1, 0.2, 0.15, 0.3};

static void cloud(const model *m, const double *q, int k, double *part, double x[3]) {
  (void)m;
  *part = masses[k];
  x[0] = q[k], x[1] = x[2] = 0;
}

/* sides of the balls, walls at 0 and where the last gap of 0.04 puts the right one */
static void contact(const model *m, const double *q0, const double *q, int c, double *rows) {
  double right_wall = 2 * (0.1 + 0.2 + 0.15 + 0.3) + 0.01 + 0.02 + 0.03 + 0 + 0.04;
  double left = c == 0 ? 0 : q[c - 1] + radii[c - 1];
  double right = c == 4 ? right_wall : q[c] - radii[c];
  (void)m, (void)q0;
  rows[0] = right - left;
}

static void everything_follows_from_the_balls(void) {
  model *m = MAKE("chain", {"n", 1, {4}, 0}, {"mass", 4, {1, 2, 0.5, 4}, 0},
                  {"radius", 4, {0.1, 0.2, 0.15, 0.3}, 0}, {"wall", 1, {3}, 0},
                  {"gaps", 5, {0.01, 0.02, 0, 0.03, 0.04}, 0}, {"gravity", 1, {2}, 0});
  subject s = {m, 4, cloud, contact, {-2, 0, 0}};
  double gap[5], expected[5] = {0.01, 0.02, 0, 0.03, 0.04}, q2[4] = {1, 2, 3, 4};
  m->type->gap(m, m->q, gap);
  for (int c = 0; c < 5; c++) {
    double rows;
    contact(m, m->q, m->q, c, &rows);
    near(expected[c], gap[c], 1, 1e-15, "gap");
    near(rows, gap[c], 1, 1e-15, "gap by sides");
  }
  double u[4] = {any(), any(), any(), any()};
  check_mass(&s, m->q, u);
  check_jacobian(&s, m->q, u);
  check_drift(m, m->q, u);
  check_lagrange(m, m->q, u, NULL);
  check_power(m, m->q, u);
  check_collide(m, m->q, 1e-15);
  check_accelerate(m, m->q, u, 1e-15);
  check_potential(&s, m->q, q2, NULL);
  model_free(m);
}

static void contacts_may_come_in_any_order(void) {
  model *m = MAKE("chain", {"n", 1, {4}, 0}, {"mass", 4, {1, 2, 0.5, 4}, 0});
  int contacts[2] = {2, 0};
  double J[8], Y[8], W[4];
  m->type->collide(m, m->q, 2, contacts, NULL, J, Y, W, help_gap);
  near(1 / 0.5 + 1.0 / 4, W[0], 1, 1e-15, "W of 3-4");
  near(1 + 1.0 / 2, W[3], 1, 1e-15, "W of 1-2");
  near(0, W[1], 1, 0, "far apart");
  contacts[1] = 1;
  m->type->collide(m, m->q, 2, contacts, NULL, J, Y, W, help_gap);
  near(-1 / 0.5, W[1], 1, 1e-15, "ball 3 is shared");
  near(-1 / 0.5, W[2], 1, 1e-15, "ball 3 is shared");
  model_free(m);
}

static void the_first_ball_comes_in(void) {
  model *m = PLAIN("chain");
  near(1, m->u[0], 1, 0, "first");
  near(0, m->u[1], 1, 0, "second");
  TEST_ASSERT_EQUAL_INT(2, m->shape.nc);
  TEST_ASSERT_EQUAL_INT(3, draw(m).circles);
  model_free(m);
  m = MAKE("chain", {"wall", 1, {1}, 0});
  near(-1, m->u[2], 1, 0, "last");
  TEST_ASSERT_EQUAL_INT(3, m->shape.nc);
  model_free(m);
}

static void mistakes_are_named(void) {
  REFUSED("chain: one ball alone needs a wall, got wall = 'none'", "chain", {"n", 1, {1}, 0});
  REFUSED("chain: mass must be one number or 3, got 2", "chain", {"mass", 2, {1, 1}, 0});
  REFUSED("chain: gaps must be one number or 2, got 3", "chain", {"gaps", 3, {0, 0, 0}, 0});
}

int main(void) {
  help_used();
  UNITY_BEGIN();
  RUN_TEST(everything_follows_from_the_balls);
  RUN_TEST(contacts_may_come_in_any_order);
  RUN_TEST(the_first_ball_comes_in);
  RUN_TEST(mistakes_are_named);
  return UNITY_END();
}
