#include "model_help.h"

void setUp(void) {
}

void tearDown(void) {
}

/* P and Q from the end points, the mass as 2000 slices of the loaded part, written without G */
static const double mass = 1.7, length = 2.5, part = 0.3;
enum { SLICES = 2000 };

/* a point at distance s from P */
static void along(const double *q, double s, double *x) {
  double from_g = s - part * length / 2;
  x[0] = q[0] + from_g * cos(q[2]);
  x[1] = q[1] + from_g * sin(q[2]);
  x[2] = 0;
}

static void cloud(const model *m, const double *q, int k, double *slice, double x[3]) {
  (void)m;
  *slice = mass / SLICES;
  along(q, part * length * (k + 0.5) / SLICES, x);
}

static void contact(const model *m, const double *q0, const double *q, int c, double *rows) {
  double x[3];
  (void)m, (void)q0;
  along(q, c ? length : 0, x);
  rows[0] = x[0], rows[1] = x[1];
}

static model *short_rod(void) {
  return MAKE("rod", {"mass", 1, {mass}, 0}, {"length", 1, {length}, 0}, {"part", 1, {part}, 0},
              {"floor", 1, {-3}, 0}, {"gravity", 2, {1, -2}, 0});
}

static void everything_follows_from_the_slices(void) {
  model *m = short_rod();
  subject s = {m, SLICES, cloud, contact, {1, -2, 0}};
  double q[3] = {0.2, 0.7, 0.5}, q2[3] = {-1, 2, 3}, u[3] = {0.4, -1, 0.8}, M[9];
  check_jacobian(&s, q, u);
  check_drift(m, q, u);
  check_lagrange(m, q, u, NULL);
  check_power(m, q, u);
  check_collide(m, q, 1e-14);
  check_accelerate(m, q, u, 1e-14);
  check_potential(&s, q, q2, NULL);
  /* slices: I of n slices is that of the rod times 1 - 1/n^2 */
  m->type->mass(m, q, M);
  double T = cloud_kinetic(&s, q, u) + M[8] / (SLICES * (double)SLICES) * u[2] * u[2] / 2;
  near(T, (M[0] * (u[0] * u[0] + u[1] * u[1]) + M[8] * u[2] * u[2]) / 2, T, 1e-9, "T");
  model_free(m);
}

/* REFERENCE, Table 1: v_P, v_Q before are (-1, -1) and (0, -4) */
static void batlles_rod_meets_the_ground_with_his_velocities(void) {
  for (int fig = 0; fig < 2; fig++) {
    model *m = MAKE("rod", {"spin", 1, {-fig}, 0}, {"gaps", 2, {350e-6, 0}, 0});
    double J[12], v[4] = {0}, gap[2], Y[12], W[16];
    int both[2] = {0, 1};
    m->type->jacobian(m, m->q, J);
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 4; i++) v[i] += J[4 * j + i] * m->u[j];
    near(fig ? 0 : -1, v[1], 1, 1e-15, "v_P");
    near(fig ? -4 : -1, v[3], 1, 1e-15, "v_Q");
    m->type->gap(m, m->q, gap);
    near(350e-6, gap[0], 1, 1e-18, "gap P");
    near(0, gap[1], 1, 0, "gap Q");
    /* W of the normals by hand: 1 + 1/I, 1 + 9/I, 1 - 3/I with I = 1/3 */
    m->type->collide(m, m->q, 2, both, NULL, J, Y, W, help_gap);
    near(4, W[5], 1, 1e-14, "W_PP");
    near(28, W[15], 1, 1e-14, "W_QQ");
    near(-8, W[7], 1, 1e-14, "W_PQ");
    model_free(m);
  }
}

/* mirror: x -> -x, angle -> -angle, spin -> -spin swaps nothing but the sign of t */
static void the_mirror_image_has_mirrored_rows(void) {
  model *m = short_rod();
  double q[3] = {0.2, 0.7, 0.5}, image[3] = {-0.2, 0.7, M_PI - 0.5}, J[12], K[12];
  m->type->jacobian(m, q, J);
  m->type->jacobian(m, image, K);
  for (int c = 0; c < 2; c++) {
    near(J[8 + 2 * c], K[8 + 2 * c], 1, 1e-14, "t");
    near(-J[9 + 2 * c], K[9 + 2 * c], 1, 1e-14, "n");
  }
  model_free(m);
}

static void overrides_replace_what_is_derived(void) {
  model *m = MAKE("rod", {"centre", 1, {1.5}, 0}, {"inertia", 1, {0.2}, 0});
  double M[9], J[12];
  m->type->mass(m, m->q, M);
  m->type->jacobian(m, m->q, J);
  near(0.2, M[8], 1, 0, "I");
  near(-1.5, J[9], 1, 0, "P");
  near(2.5, J[11], 1, 0, "Q");
  model_free(m);
}

static void mistakes_are_named(void) {
  REFUSED("rod: give gaps or floor, not both", "rod", {"gaps", 1, {0}, 0}, {"floor", 1, {0}, 0});
  REFUSED("rod: gaps must be one number or 2, got 3", "rod", {"gaps", 3, {0, 0, 0}, 0});
  REFUSED("rod: starts inside the obstacle: gap 1 is -0.2 m", "rod", {"floor", 1, {0.2}, 0});
  REFUSED("rod: part must be a number above 0 and up to 1, got 0", "rod", {"part", 1, {0}, 0});
}

static void the_outline_shows_rod_mass_and_ground(void) {
  model *m = PLAIN("rod");
  drawn d = draw(m);
  TEST_ASSERT_EQUAL_INT(4, d.lines);
  TEST_ASSERT_EQUAL_INT(3, d.points);
  model_free(m);
}

int main(void) {
  help_used();
  UNITY_BEGIN();
  RUN_TEST(everything_follows_from_the_slices);
  RUN_TEST(batlles_rod_meets_the_ground_with_his_velocities);
  RUN_TEST(the_mirror_image_has_mirrored_rows);
  RUN_TEST(overrides_replace_what_is_derived);
  RUN_TEST(mistakes_are_named);
  RUN_TEST(the_outline_shows_rod_mass_and_ground);
  return UNITY_END();
}
