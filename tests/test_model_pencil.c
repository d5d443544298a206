#include "rigid_help.h"

void setUp(void) {
}

void tearDown(void) {
}

/* moments of the solid (89) by slices along the axis: disks of radius r(z), density 1 */
typedef struct body {
  double mass, centre, across, axial;
} body;

static double radius_at(double z) {
  return z < 0.5 ? z : 0.5; /* cone h2 = 0.5, r = 0.5; then the cylinder */
}

static body sliced(void) {
  enum { N = 70000 };
  body b = {0, 0, 0, 0};
  double dz = 3.5 / N;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < N; i++) {
      double z = (i + 0.5) * dz, r = radius_at(z), dm = M_PI * r * r * dz, up = z - b.centre;
      if (pass == 0) {
        b.mass += dm;
        b.across += dm * z; /* first moment, for the centre */
        if (i == N - 1) b.centre = b.across / b.mass, b.across = 0;
        continue;
      }
      b.across += dm * (r * r / 4 + up * up);
      b.axial += dm * r * r / 2;
    }
  b.across /= b.mass;
  b.axial /= b.mass;
  return b;
}

static void the_moment_is_that_of_the_solid(void) {
  model *m = PLAIN("pencil");
  double M[36], z[3], up[3] = {0, 0, 1};
  body b = sliced();
  m->type->mass(m, m->q, M);
  near(b.across, M[21], 1, 1e-8, "Q by slices");
  near(b.across, M[28], 1, 1e-8, "Q by slices");
  near(b.axial, M[35], 1, 1e-8, "axial moment by slices");
  near(0.90386946, M[21], 1, 5e-9, "Q of the reference");
  rotate(m->q + 3, up, z);
  for (int i = 0; i < 3; i++) near(b.centre * z[i], m->q[i], 1, 1e-8, "the point is at the origin");
  model_free(m);
}

static body the_body;

static void cloud(const model *m, const double *q, int k, double *part, double x[3]) {
  double moments[3] = {the_body.across, the_body.across, the_body.axial};
  (void)m;
  six_points(1, moments, q, k, part, x);
}

static void contact(const model *m, const double *q0, const double *q, int c, double *rows) {
  double point[3] = {0, 0, -the_body.centre}, x[3];
  (void)m, (void)q0, (void)c;
  rotate(q + 3, point, x);
  for (int i = 0; i < 3; i++) rows[i] = q[i] + x[i];
}

static void everything_follows_from_six_points(void) {
  the_body = sliced();
  model *m = MAKE("pencil", {"gravity", 3, {1, 2, -3}, 0}, {"floor", 1, {-9}, 0});
  model *adrift = MAKE("pencil", {"gravity", 1, {0}, 0});
  subject s = {m, 6, cloud, contact, {1, 2, -3}}, free = {adrift, 6, cloud, contact, {0}};
  for (int k = 0; k < 10; k++) {
    double q[7] = {any(), any(), any()}, q2[7] = {any(), any(), any(), 1}, u[6];
    any_quaternion(q + 3);
    for (int i = 0; i < 6; i++) u[i] = any();
    check_mass(&s, q, u);
    check_jacobian(&s, q, u);
    check_drift(m, q, u);
    check_power(m, q, u);
    check_collide(m, q, 1e-14);
    check_accelerate(m, q, u, 1e-14);
    check_momentum_kept(&free, q, u);
    check_potential(&s, q, q2, NULL);
  }
  model_free(m);
  model_free(adrift);
}

/* (88): W and v0; the reference's impulse gives the reference's velocities, spin in own axes */
static void jias_impulse_gives_his_velocities(void) {
  model *m = PLAIN("pencil");
  double J[18], Y[18], W[9], v[3] = {0}, after[6];
  double p[3] = {4.03748368, 0.33073659, 5.78989136};
  double expected[6] = {-0.29264334, 0.33073659, 3.28989136, -0.2994713, -1.77427842, -0.5};
  int c = 0;
  m->type->collide(m, m->q, 1, &c, NULL, J, Y, W, help_gap);
  for (int i = 0; i < 6; i++) {
    after[i] = m->u[i];
    for (int r = 0; r < 3; r++) after[i] += Y[6 * r + i] * p[r];
    near(expected[i], after[i], 1, 2e-8, "after");
  }
  for (int j = 0; j < 6; j++)
    for (int r = 0; r < 3; r++) v[r] += J[3 * j + r] * m->u[j];
  /* v0 printed as (-3.50114, -1.91447, 0), with a zero that is not: V_z + h w2 cos(theta) */
  double h = (6 * 9 + 12 * 1.5 + 0.75) / 38, th = M_PI / 3;
  near(-3.50114, v[0], 1, 5e-6, "v0 x");
  near(-1.91447, v[1], 1, 5e-6, "v0 y");
  near(-2.5 - h * 0.5 * cos(th), v[2], 1, 1e-14, "v0 z");
  double k = h * h / 0.90386946, st = sin(th), ct = cos(th);
  double w[9] = {1 + k * st * st, 0, -k * st * ct, 0, 1 + k, 0, -k * st * ct, 0, 1 + k * ct * ct};
  for (int i = 0; i < 9; i++) near(w[i], W[i], 1, 3e-8, "W of (88)");
  model_free(m);
}

static void Q_can_be_given(void) {
  model *m = MAKE("pencil", {"Q", 1, {0.97944079}, 0}, {"axial", 1, {0.2}, 0});
  double M[36];
  m->type->mass(m, m->q, M);
  near(0.97944079, M[21], 1, 0, "Q");
  near(0.2, M[35], 1, 0, "axial");
  model_free(m);
}

static void upright_it_stands_on_its_point(void) {
  model *m = MAKE("pencil", {"tilt", 1, {M_PI_2}, 0}, {"floor", 1, {0.25}, 0});
  near(0, m->q[0], 1, 1e-15, "x");
  near(0.25 + (6 * 9 + 12 * 1.5 + 0.75) / 38, m->q[2], 1, 1e-14, "z");
  drawn d = draw(m);
  near(3.75, d.high[1], 1, 1e-12, "top");
  near(0.25, d.low[1], 1, 1e-12, "point");
  model_free(m);
}

static void mistakes_are_named(void) {
  REFUSED("pencil: h1 and h2 must not both be 0", "pencil", {"h1", 1, {0}, 0}, {"h2", 1, {0}, 0});
  REFUSED("pencil: orientation must not be of length zero", "pencil", {"orientation", 4, {0}, 0});
  REFUSED("pencil: starts inside the obstacle: gap 1 is -1.65798 m", "pencil",
          {"position", 3, {0, 0, 0}, 0});
}

int main(void) {
  help_used();
  UNITY_BEGIN();
  RUN_TEST(the_moment_is_that_of_the_solid);
  RUN_TEST(everything_follows_from_six_points);
  RUN_TEST(jias_impulse_gives_his_velocities);
  RUN_TEST(Q_can_be_given);
  RUN_TEST(upright_it_stands_on_its_point);
  RUN_TEST(mistakes_are_named);
  return UNITY_END();
}
