#include "model_help.h"

void setUp(void) {
}

void tearDown(void) {
}

static void cloud(const model *m, const double *q, int k, double *mass, double x[3]) {
  (void)k;
  *mass = 2.5;
  x[0] = x[1] = x[2] = 0;
  memcpy(x, q, (size_t)m->shape.nq * sizeof *q);
}

/* four planes in space: rows t1, t2, n made here from cross products with a vector off n */
static const double normals[4][3] = {{0, 0, 1}, {0.6, 0, 0.8}, {0, 0, -1}, {2, -1, -2}};
static const double offsets[4] = {0, -1, -7, -30};

static void contact(const model *m, const double *q0, const double *q, int c, double *rows) {
  double J[12 * 3], v[3] = {0};
  (void)q0;
  m->type->jacobian(m, q, J);
  for (int i = 0; i < 3; i++)
    for (int r = 0; r < 3; r++) v[r] += J[i * 12 + 3 * c + r] * q[i];
  /* tangents: taken from the model, checked to be a right-handed unit frame below */
  rows[0] = v[0], rows[1] = v[1];
  double length = sqrt(normals[c][0] * normals[c][0] + normals[c][1] * normals[c][1] +
                       normals[c][2] * normals[c][2]);
  rows[2] =
      (normals[c][0] * q[0] + normals[c][1] * q[1] + normals[c][2] * q[2] - offsets[c]) / length;
}

static model *in_space(void) {
  setting planes = {"planes", 16, {0}, 4};
  for (int c = 0; c < 4; c++) {
    for (int i = 0; i < 3; i++) planes.x[4 * i + c] = normals[c][i];
    planes.x[12 + c] = offsets[c];
  }
  return MAKE("particle", {"position", 3, {0.5, 0.2, 1}, 0}, {"mass", 1, {2.5}, 0},
              {"gravity", 3, {1, 2, -9}, 0}, planes);
}

static void everything_follows_from_the_point(void) {
  model *m = in_space();
  subject s = {m, 1, cloud, contact, {1, 2, -9}};
  double q[3] = {0.7, -0.2, 1.4}, q2[3] = {0.1, 0.5, 2};
  for (int i = 0; i < 5; i++) {
    double u[3] = {any(), any(), any()};
    check_mass(&s, q, u);
    check_jacobian(&s, q, u);
    check_drift(m, q, u);
    check_lagrange(m, q, u, NULL);
    check_power(m, q, u);
    check_collide(m, q, 1e-14);
    check_accelerate(m, q, u, 1e-14);
  }
  check_potential(&s, q, q2, NULL);
  model_free(m);
}

static void frames_are_right_handed(void) {
  model *m = in_space();
  double J[36];
  m->type->jacobian(m, m->q, J);
  for (int c = 0; c < 4; c++) {
    double E[3][3];
    for (int r = 0; r < 3; r++)
      for (int i = 0; i < 3; i++) E[r][i] = J[i * 12 + 3 * c + r];
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, k = (i + 2) % 3;
      double cross = E[0][j] * E[1][k] - E[0][k] * E[1][j];
      near(cross, E[2][i], 1, 1e-15, "t1 x t2 = n");
    }
    near(1, E[0][0] * E[0][0] + E[0][1] * E[0][1] + E[0][2] * E[0][2], 1, 1e-15, "|t1|");
  }
  model_free(m);
}

/* Johnson: drop from 1 m; slope a(q) = x sin + z cos */
static void johnsons_slope_has_his_row(void) {
  double th = 0.3;
  model *m = MAKE("particle", {"planes", 3, {sin(th), cos(th), 0}, 1});
  double J[4];
  TEST_ASSERT_EQUAL_INT(2, m->shape.dim);
  m->type->jacobian(m, m->q, J);
  near(sin(th), J[1], 1, 1e-15, "A1");
  near(cos(th), J[3], 1, 1e-15, "A2");
  near(cos(th), J[0], 1, 1e-15, "t1");
  near(-sin(th), J[2], 1, 1e-15, "t2");
  model_free(m);
}

/* practice 2: y >= 0 and 3 - x - y >= 0, the particle in the corner (3, 0) */
static void practice_two_touches_both_planes(void) {
  model *m = MAKE("particle", {"position", 2, {3, 0}, 0}, {"velocity", 2, {1, 0}, 0},
                  {"planes", 6, {0, -1, 1, -1, 0, -3}, 2});
  double gap[2], q[2] = {1, 0.5};
  TEST_ASSERT_EQUAL_INT(2, m->shape.nc);
  m->type->gap(m, m->q, gap);
  near(0, gap[0], 1, 1e-15, "gap 1");
  near(0, gap[1], 1, 1e-15, "gap 2");
  m->type->gap(m, q, gap);
  near(1.5 / sqrt(2), gap[1], 1, 1e-15, "gap 2 is a distance");
  check_collide(m, m->q, 1e-14);
  model_free(m);
}

static void one_dimension_is_enough_for_a_drop(void) {
  model *m = MAKE("particle", {"position", 1, {1}, 0}, {"velocity", 1, {0}, 0});
  double gap, J, f;
  TEST_ASSERT_EQUAL_INT(1, m->shape.dim);
  m->type->gap(m, m->q, &gap);
  m->type->jacobian(m, m->q, &J);
  m->type->forces(m, 0, m->q, m->u, &f);
  near(1, gap, 1, 0, "gap");
  near(1, J, 1, 0, "J");
  near(-9.81, f, 1, 0, "weight");
  TEST_ASSERT_EQUAL_INT(1, draw(m).points);
  model_free(m);
}

static void mistakes_are_named(void) {
  REFUSED("particle: velocity must be a list of 3 numbers, got 2", "particle",
          {"position", 3, {0, 0, 1}, 0}, {"velocity", 2, {0, 0}, 0});
  REFUSED("particle: position must be a list of 1, 2 or 3 numbers, got 4", "particle",
          {"position", 4, {0, 0, 1, 1}, 0});
  REFUSED("particle: the normal of a plane must not be of length zero", "particle",
          {"planes", 3, {0, 0, 1}, 1});
  REFUSED("particle: planes must be rows of 3 numbers (normal, offset), got 1 rows of 4",
          "particle", {"planes", 4, {0, 0, 1, 1}, 1});
  REFUSED("particle: starts inside obstacle 1: gap is -0.1 m", "particle",
          {"position", 2, {0, -0.1}, 0});
  REFUSED("particle: gravity must be one number or 2, got 3", "particle",
          {"gravity", 3, {0, 0, 1}, 0});
  REFUSED("particle: mass must be a positive number of kg, got 0", "particle", {"mass", 1, {0}, 0});
}

int main(void) {
  help_used();
  UNITY_BEGIN();
  RUN_TEST(everything_follows_from_the_point);
  RUN_TEST(frames_are_right_handed);
  RUN_TEST(johnsons_slope_has_his_row);
  RUN_TEST(practice_two_touches_both_planes);
  RUN_TEST(one_dimension_is_enough_for_a_drop);
  RUN_TEST(mistakes_are_named);
  return UNITY_END();
}
