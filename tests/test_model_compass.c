/* The compass walker against three point masses; its feet by their places, drawn up or not. */
#include "model_help.h"

void setUp(void) {
}

void tearDown(void) {
}

static const double hip = 3, leg = 0.7, a = 0.4, b = 0.9, slope = 0.2, lift = 0.1, pass = 0.5;

/* hip, leg 1, leg 2: places along the legs, straight from the angles */
static void cloud(const model *m, const double *q, int k, double *mass, double x[3]) {
  (void)m;
  *mass = k ? leg : hip;
  x[0] = q[0] - (k ? b * sin(q[1 + k]) : 0);
  x[1] = q[1] - (k ? b * cos(q[1 + k]) : 0);
  x[2] = 0;
}

/* foot c along and across the slope; that of leg 2 is nearer to the hip until it has passed */
static void contact(const model *m, const double *q0, const double *q, int c, double *rows) {
  double l = a + b, ahead = (q[2] - q[3]) / pass;
  (void)m, (void)q0;
  if (c == 1 && ahead < 1) l -= lift * (ahead < 0 ? 1 : pow(1 - pow(ahead, 4), 3));
  double x = q[0] - l * sin(q[2 + c]), y = q[1] - l * cos(q[2 + c]);
  rows[0] = x * cos(slope) - y * sin(slope);
  rows[1] = x * sin(slope) + y * cos(slope);
}

static model *walker(void) {
  return MAKE("compass", {"hip_mass", 1, {hip}, 0}, {"leg_mass", 1, {leg}, 0}, {"a", 1, {a}, 0},
              {"b", 1, {b}, 0}, {"slope", 1, {slope}, 0}, {"gravity", 1, {2}, 0},
              {"lift", 1, {lift}, 0}, {"pass", 1, {pass}, 0});
}

static void everything_follows_from_the_masses(void) {
  model *m = walker();
  subject s = {m, 3, cloud, contact, {0, -2, 0}};
  double q2[4] = {-1, 2, 0.3, 0.1}, u[4] = {0.4, -1, 0.8, -0.3};
  double states[3][4] = {{0.2, 1.1, -0.3, 0.4}, {0.2, 1.1, 0.3, 0.1}, {0, 1.2, 0.4, -0.3}};
  for (int i = 0; i < 3; i++) { /* behind, passing, ahead */
    check_jacobian(&s, states[i], u);
    check_drift(m, states[i], u);
    check_lagrange(m, states[i], u, NULL);
    check_power(m, states[i], u);
    check_collide(m, states[i], 1e-13);
    check_accelerate(m, states[i], u, 1e-13);
    check_potential(&s, states[i], q2, NULL);
  }
  model_free(m);
}

static void it_stands_on_leg_1(void) {
  model *m = walker();
  double gap[2], J[16], v[4] = {0};
  m->type->gap(m, m->q, gap);
  near(0, gap[0], 1, 1e-15, "gap of the foot that stands");
  TEST_ASSERT_TRUE(gap[1] > 0);
  m->type->jacobian(m, m->q, J);
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 4; i++) v[i] += J[4 * j + i] * m->u[j];
  near(0, v[0], 1, 1e-14, "its velocity along the slope");
  near(0, v[1], 1, 1e-14, "and away from it");
  model_free(m);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(everything_follows_from_the_masses);
  RUN_TEST(it_stands_on_leg_1);
  return UNITY_END();
}
