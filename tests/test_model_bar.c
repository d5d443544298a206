#include "model_help.h"

void setUp(void) {
}

void tearDown(void) {
}

/* slider on the y axis, bar as two points on its line, wall */
static void cloud(const model *m, const double *q, int k, double *part, double x[3]) {
  double s = on_link(2, 0.1667, 0.5, k);
  (void)m;
  x[0] = x[2] = 0;
  x[1] = k == 2 ? q[0] : q[2];
  *part = k == 2 ? 5 : k == 3 ? 10 : 1;
  if (k < 2) x[0] = s * cos(q[1]), x[1] = q[0] + s * sin(q[1]);
}

/* tip against the wall: x along the wall, and how far below it */
static void contact(const model *m, const double *q0, const double *q, int c, double *rows) {
  (void)m, (void)q0, (void)c;
  rows[0] = cos(q[1]);
  rows[1] = (0.6 + q[2]) - (q[0] + sin(q[1]));
}

static double springs(const model *m, const double *q) {
  (void)m;
  return (5 * q[0] * q[0] + 10 * q[2] * q[2]) / 2;
}

static void everything_follows_from_four_points(void) {
  model *m = MAKE("bar", {"gravity", 2, {0.5, -2}, 0});
  subject s = {m, 4, cloud, contact, {0.5, -2, 0}};
  for (int i = 0; i < 10; i++) {
    double q[3] = {any(), 3 * any(), any()}, q2[3] = {any(), any(), any()};
    double u[3] = {any(), 5 * any(), any()};
    double extra[3] = {-7 * u[0], 10, -u[2]};
    check_mass(&s, q, u);
    check_jacobian(&s, q, u);
    check_drift(m, q, u);
    check_accelerate(m, q, u, 1e-13);
    check_lagrange(m, q, u, extra);
    check_power(m, q, u);
    check_potential(&s, q, q2, springs);
  }
  model_free(m);
}

/* REFERENCE: state at first contact of Table 1; (4.33) with everything written out there */
static void plastic_impact_agrees_with_4_33(void) {
  model *m = MAKE("bar", {"q", 3, {-0.08833967093804343, 0.7591976771443992, 0}, 0},
                  {"u", 3, {-0.42008924, 4.97169398, 0}, 0});
  double gap, M[9], J[6];
  m->type->gap(m, m->q, &gap);
  near(0, gap, 1, 1e-13, "gap");
  m->type->mass(m, m->q, M);
  m->type->jacobian(m, m->q, J);
  /* block solve of the plastic impact: u+ = u - M^-1 n (n.u)/(n.M^-1 n) */
  double n[3] = {J[1], J[3], J[5]}, y[3] = {J[1], J[3], J[5]};
  core_scratch s;
  core_scratch_init(&s);
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_solve_spd(3, M, 1, y, &s, NULL));
  core_scratch_free(&s);
  double vn = 0, w = 0, after[3];
  for (int i = 0; i < 3; i++) vn += n[i] * m->u[i], w += n[i] * y[i];
  for (int i = 0; i < 3; i++) after[i] = m->u[i] - y[i] * vn / w;
  double mb = 2, ms = 5, mw = 10, d = 0.5, l = 1, I = 0.1667, vs = m->u[0], om = m->u[1];
  double c = cos(m->q[1]), sn = sin(m->q[1]);
  double mt = mb + ms + mw, It = I + mb * d * d * sn * sn + mw * l * (l - d) * c * c;
  double r1 = (ms + mb) * vs + mb * om * d * c;
  double r2 = -ms * vs * d * c + (I + mb * d * d * sn * sn) * om;
  double a1 = (mb * d + mw * l) * c, a2 = (ms * d - mw * (l - d)) * c, D = a1 * a2 + mt * It;
  near((r1 * It - r2 * a1) / D, after[0], 1, 1e-14, "v_s+");
  near((r1 * a2 + r2 * mt) / D, after[1], 1, 1e-14, "omega+");
  near(-0.54071134, after[0], 1, 1e-8, "printed v_s+");
  near(1.23543548, after[1], 1, 1e-8, "printed omega+");
  near(0.35545937, after[2], 1, 1e-8, "printed v_w+");
  near(3.55459367, -vn / w, 1, 1e-7, "printed impulse");
  model_free(m);
}

static void mistakes_are_named(void) {
  REFUSED("bar: m_b must be a positive number of kg, got 0", "bar", {"m_b", 1, {0}, 0});
  REFUSED("bar: starts inside the obstacle: gap 1 is -0.4 m", "bar",
          {"q", 3, {0, 1.5707963267948966, 0}, 0});
}

static void the_outline_shows_slider_bar_and_wall(void) {
  model *m = PLAIN("bar");
  drawn d = draw(m);
  TEST_ASSERT_EQUAL_INT(3, d.lines);
  TEST_ASSERT_EQUAL_INT(2, d.points);
  model_free(m);
}

int main(void) {
  help_used();
  UNITY_BEGIN();
  RUN_TEST(everything_follows_from_four_points);
  RUN_TEST(plastic_impact_agrees_with_4_33);
  RUN_TEST(mistakes_are_named);
  RUN_TEST(the_outline_shows_slider_bar_and_wall);
  return UNITY_END();
}
