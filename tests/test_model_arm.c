#include "model_help.h"

void setUp(void) {
}

void tearDown(void) {
}

enum { LINKS = 5 };
static const double length[LINKS] = {0.8, 1.3, 0.5, 1, 0.7}, mass[LINKS] = {2, 0.7, 1.1, 0.3, 0.9};
static const double inertia[LINKS] = {0.2, 0.05, 0.1, 0.02, 0.3};
static const double centre[LINKS] = {0.3, 0.9, 0.1, 0.5, 0.8}, slope = 0.4;
static const int touching[3] = {4, 2, 5}; /* ends of links */

/* a point at a distance along a link */
static void place(const double *q, int link, double along, double *x) {
  double angle = 0;
  x[0] = x[1] = x[2] = 0;
  for (int i = 0; i <= link; i++) {
    double l = i < link ? length[i] : along;
    angle += q[i];
    x[0] += l * cos(angle);
    x[1] += l * sin(angle);
  }
}

static void cloud(const model *m, const double *q, int k, double *part, double x[3]) {
  int i = k / 2;
  (void)m;
  *part = mass[i] / 2;
  place(q, i, on_link(mass[i], inertia[i], centre[i], k % 2), x);
}

static void contact(const model *m, const double *q0, const double *q, int c, double *rows) {
  double x[3];
  int link = touching[c] - 1;
  (void)m, (void)q0;
  place(q, link, length[link], x);
  rows[0] = cos(slope) * x[0] + sin(slope) * x[1];
  rows[1] = -sin(slope) * x[0] + cos(slope) * x[1];
}

static double springs(const model *m, const double *q) {
  double sum = 0;
  (void)m;
  for (int i = 0; i < LINKS; i++) sum += (i + 1) * (q[i] - 0.1 * i) * (q[i] - 0.1 * i) / 2;
  return sum;
}

static setting five(const char *key, const double *x) {
  setting s = {key, LINKS, {0}, 0};
  memcpy(s.x, x, LINKS * sizeof *x);
  return s;
}

static model *uneven(void) {
  return MAKE("arm", {"n", 1, {LINKS}, 0}, five("length", length), five("mass", mass),
              five("inertia", inertia), five("centre", centre), {"slope", 1, {slope}, 0},
              {"gravity", 2, {3, -8}, 0}, {"floor", 1, {-9}, 0}, {"contacts", 3, {4, 2, 5}, 0},
              {"stiffness", 5, {1, 2, 3, 4, 5}, 0}, {"rest", 5, {0, 0.1, 0.2, 0.3, 0.4}, 0},
              {"damping", 5, {0.1, 0.2, 0.3, 0.4, 0.5}, 0}, {"torque", 5, {1, -1, 2, -2, 3}, 0});
}

static void everything_follows_from_ten_points(void) {
  model *m = uneven();
  subject s = {m, 2 * LINKS, cloud, contact, {3, -8, 0}};
  const double torque[LINKS] = {1, -1, 2, -2, 3};
  for (int k = 0; k < 10; k++) {
    double q[LINKS], q2[LINKS], u[LINKS], extra[LINKS];
    for (int i = 0; i < LINKS; i++) {
      q[i] = 2 * any(), q2[i] = 2 * any(), u[i] = any();
      extra[i] = torque[i] - 0.1 * (i + 1) * u[i];
    }
    check_mass(&s, q, u);
    check_jacobian(&s, q, u);
    check_drift(m, q, u);
    check_lagrange(m, q, u, extra);
    check_power(m, q, u);
    check_collide(m, q, 1e-12);
    check_accelerate(m, q, u, 1e-12);
    check_potential(&s, q, q2, springs);
  }
  model_free(m);
}

/* 64 links against LAPACK, with one contact (registers) and with three */
static void long_arms_agree_with_dense_algebra(void) {
  for (int n = 1; n <= 64; n = n < 4 ? n + 1 : 2 * n)
    for (int many = 0; many < 2 && n >= 3 * many; many++) {
      setting s[3] = {{"n", 1, {n}, 0}, {"slope", 1, {-0.2}, 0}, {"contacts", 1, {n}, 0}};
      if (many) s[2] = (setting){"contacts", 3, {n, 1, (n + 1) / 2}, 0};
      model *m = make_model("arm", 3, s);
      double q[64], u[64];
      for (int i = 0; i < n; i++) q[i] = any(), u[i] = any();
      check_collide(m, q, n < 8 ? 1e-12 : 1e-9); /* LAPACK loses digits to the condition of M */
      check_accelerate(m, q, u, n < 8 ? 1e-12 : 1e-9);
      model_free(m);
    }
}

/* arms that are swept in four parts, with 0 to 3 links before them; uneven, with springs */
static void four_parts_agree_with_dense_algebra(void) {
  for (int n = 16; n <= 24; n++) {
    setting s[] = {{"n", 1, {n}, 0},      {"length", n, {0}, 0},    {"mass", n, {0}, 0},
                   {"centre", n, {0}, 0}, {"stiffness", n, {0}, 0}, {"damping", n, {0}, 0},
                   {"torque", n, {0}, 0}};
    double q[24], u[24];
    for (int i = 0; i < n; i++) {
      s[1].x[i] = 1 + 0.5 * any(), s[2].x[i] = 1 + 0.9 * any(), s[3].x[i] = any();
      s[4].x[i] = 1 + any(), s[5].x[i] = 1 + any(), s[6].x[i] = any();
      q[i] = 3 * any(), u[i] = 2 * any();
    }
    for (int kinds = 4; kinds <= 7; kinds += 3) { /* without torques of joints, and with them */
      model *m = make_model("arm", kinds, s);
      check_accelerate(m, q, u, 1e-9);
      model_free(m);
    }
  }
}

/* a part whose end has no mass does not turn by itself, the arm does */
static void a_part_without_mass_at_its_end_moves_with_the_others(void) {
  setting s[] = {{"n", 1, {16}, 0}, {"mass", 16, {0}, 0}};
  double q[16], u[16];
  for (int i = 0; i < 16; i++) s[1].x[i] = i % 4 < 3 || i == 15, q[i] = any(), u[i] = any();
  model *m = make_model("arm", 2, s);
  check_accelerate(m, q, u, 1e-9);
  model_free(m);
}

/* 31831 turns are 2e5 rad, too far for core_sincos4, and change angles by their rounding alone */
static void many_turns_are_none(void) {
  model *m = MAKE("arm", {"n", 1, {16}, 0});
  double q[16], u[16], near_by[16], far[16];
  core_scratch s;
  core_scratch_init(&s);
  for (int i = 0; i < 16; i++) q[i] = any(), u[i] = any();
  m->type->accelerate(m, 0, q, u, NULL, &s, near_by);
  q[3] += 31831 * 2 * M_PI;
  m->type->accelerate(m, 0, q, u, NULL, &s, far);
  for (int i = 0; i < 16; i++) near(near_by[i], far[i], 10, 1e-9, "u'");
  core_scratch_free(&s);
  model_free(m);
}

/* no change within dq moves a gap by more, and one moves it by nearly that */
static void sway_bounds_what_gaps_can_do(void) {
  model *m = MAKE("arm", {"n", 1, {5}, 0}, {"length", 5, {1, 2, 1, 0.5, 1}, 0},
                  {"contacts", 2, {5, 2}, 0}, {"floor", 1, {-20}, 0});
  double dq[5], q[5], most[2], gap[2], moved[2], largest = 0;
  for (int i = 0; i < 5; i++) dq[i] = 1e-3 * (i + 1);
  m->type->sway(m, dq, most);
  for (int k = 0; k < 2000; k++) {
    for (int i = 0; i < 5; i++) q[i] = k ? 3 * any() : 0;
    m->type->gap(m, q, gap);
    for (int i = 0; i < 5; i++) q[i] += k ? dq[i] * any() : dq[i];
    m->type->gap(m, q, moved);
    for (int c = 0; c < 2; c++) TEST_ASSERT_TRUE(fabs(moved[c] - gap[c]) <= most[c]);
    largest = fmax(largest, fabs(moved[0] - gap[0]) / most[0]);
  }
  TEST_ASSERT_TRUE(largest > 0.99);
  model_free(m);
}

static void two_links_are_the_double_pendulum(void) {
  setting s[] = {{"length", 2, {0.8, 1.3}, 0}, {"mass", 2, {2, 0.7}, 0},
                 {"centre", 2, {0.3, 0.9}, 0}, {"slope", 1, {0.3}, 0},
                 {"q", 2, {-0.9, 0.4}, 0},     {"n", 1, {2}, 0}};
  model *a = make_model("arm", 6, s), *d = make_model("double_pendulum", 5, s);
  double J[2][4], Y[2][4], W[2][4], f[2][2], M[2][4], gap[2], u[2] = {0.7, -1.9}, dot[2][2], V[2];
  int c = 0;
  core_scratch scratch;
  core_scratch_init(&scratch);
  for (int k = 0; k < 2; k++) {
    model *m = k ? a : d;
    double q[2] = {-0.8, 0.6};
    m->type->collide(m, q, 1, &c, &scratch, J[k], Y[k], W[k], help_gap);
    m->type->forces(m, 0, q, u, f[k]);
    m->type->mass(m, q, M[k]);
    m->type->gap(m, q, &gap[k]);
    m->type->accelerate(m, 0, q, u, NULL, &scratch, dot[k]);
    V[k] = m->type->potential(m, q);
  }
  for (int i = 0; i < 4; i++) {
    near(J[0][i], J[1][i], 1, 1e-15, "J");
    near(Y[0][i], Y[1][i], 1, 1e-13, "Y");
    near(W[0][i], W[1][i], 1, 1e-13, "W");
    near(M[0][i], M[1][i], 1, 1e-14, "M");
  }
  for (int i = 0; i < 2; i++) {
    near(f[0][i], f[1][i], 1, 1e-13, "f");
    near(dot[0][i], dot[1][i], 1, 1e-12, "u'");
  }
  near(gap[0], gap[1], 1, 1e-15, "gap");
  near(V[0], V[1], 1, 1e-14, "V");
  core_scratch_free(&scratch);
  model_free(a);
  model_free(d);
}

/* straight along the floor: the tip cannot move along t, and W says so exactly */
static void a_straight_arm_has_a_singular_W(void) {
  model *m = MAKE("arm", {"n", 1, {8}, 0}, {"q", 1, {0}, 0});
  double J[16], Y[16], W[4];
  int c = 0;
  core_scratch s;
  core_scratch_init(&s);
  TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->collide(m, m->q, 1, &c, &s, J, Y, W, help_gap));
  near(0, W[0], 1, 0, "W_tt");
  near(0, W[1], 1, 0, "W_tn");
  TEST_ASSERT_TRUE(W[3] > 0);
  core_scratch_free(&s);
  model_free(m);
}

/* a link without mass between two with mass: the limit of a light one */
static void links_without_mass_are_the_limit_of_light_ones(void) {
  double J[8], Y[2][8], W[2][4];
  int c = 0;
  core_scratch s;
  core_scratch_init(&s);
  for (int light = 0; light < 2; light++) {
    model *m = MAKE("arm", {"n", 1, {4}, 0}, {"mass", 4, {1, light * 1e-11, 1, 2}, 0});
    TEST_ASSERT_EQUAL_INT(CORE_OK,
                          m->type->collide(m, m->q, 1, &c, &s, J, Y[light], W[light], help_gap));
    if (!light) check_collide(m, m->q, 1e-12);
    model_free(m);
  }
  for (int i = 0; i < 4; i++) near(W[0][i], W[1][i], 1, 1e-9, "W");
  for (int i = 0; i < 8; i++) near(Y[0][i], Y[1][i], 1, 1e-8, "Y");
  core_scratch_free(&s);
}

static void masses_may_differ_by_1e12(void) {
  for (int heavy = 0; heavy < 2; heavy++) {
    double first = heavy ? 1 : 1e12, second = heavy ? 1e12 : 1;
    setting s[] = {{"mass", 2, {first, second}, 0}, {"q", 2, {-0.9, 0.4}, 0}, {"n", 1, {2}, 0}};
    model *a = make_model("arm", 3, s), *d = make_model("double_pendulum", 2, s);
    double J[4], Y[4], W[2][4];
    int c = 0;
    core_scratch scratch;
    core_scratch_init(&scratch);
    a->type->collide(a, a->q, 1, &c, &scratch, J, Y, W[0], help_gap);
    d->type->collide(d, a->q, 1, &c, &scratch, J, Y, W[1], help_gap);
    for (int i = 0; i < 4; i++) near(W[1][i], W[0][i], W[1][0] + W[1][3], 1e-13, "W");
    core_scratch_free(&scratch);
    model_free(a);
    model_free(d);
  }
}

static void the_floor_is_at_the_lowest_contact(void) {
  model *m = MAKE("arm", {"n", 1, {3}, 0}, {"contacts", 2, {1, 3}, 0});
  double gap[2];
  m->type->gap(m, m->q, gap);
  TEST_ASSERT_TRUE(gap[0] > 0.1);
  near(0, gap[1], 1, 1e-15, "the tip is lowest");
  drawn d = draw(m);
  TEST_ASSERT_EQUAL_INT(4, d.lines);
  TEST_ASSERT_EQUAL_INT(4, d.points);
  model_free(m);
}

static void nan_is_not_called_singular(void) {
  model *m = PLAIN("arm");
  double q[3] = {0, NAN, 0}, J[6], Y[6], W[4];
  int c = 0;
  core_scratch s;
  core_scratch_init(&s);
  TEST_ASSERT_EQUAL_INT(CORE_NOT_FINITE, m->type->collide(m, q, 1, &c, &s, J, Y, W, help_gap));
  core_scratch_free(&s);
  model_free(m);
}

static void mistakes_are_named(void) {
  REFUSED("arm: mass must be one number or 8, got 3", "arm", {"n", 1, {8}, 0},
          {"mass", 3, {1, 1, 1}, 0});
  REFUSED("arm: contacts must be whole numbers from 1 to 3, got 4", "arm", {"contacts", 1, {4}, 0});
  REFUSED("arm: contacts must be whole numbers from 1 to 3, got 1.5", "arm",
          {"contacts", 1, {1.5}, 0});
  REFUSED("arm: contacts must differ, got 2 twice", "arm", {"contacts", 2, {2, 2}, 0});
  REFUSED("arm: the last link must have mass or inertia", "arm", {"mass", 3, {1, 1, 0}, 0});
  REFUSED("arm: the mass matrix is singular at the start: too many links without mass", "arm",
          {"mass", 3, {0, 0, 1}, 0}, {"inertia", 1, {0}, 0}, {"centre", 1, {1}, 0},
          {"q", 1, {0}, 0});
  REFUSED("arm: starts inside the obstacle: gap is -1 m", "arm", {"q", 1, {0}, 0},
          {"floor", 1, {1}, 0});
}

int main(void) {
  help_used();
  UNITY_BEGIN();
  RUN_TEST(everything_follows_from_ten_points);
  RUN_TEST(long_arms_agree_with_dense_algebra);
  RUN_TEST(four_parts_agree_with_dense_algebra);
  RUN_TEST(a_part_without_mass_at_its_end_moves_with_the_others);
  RUN_TEST(many_turns_are_none);
  RUN_TEST(sway_bounds_what_gaps_can_do);
  RUN_TEST(two_links_are_the_double_pendulum);
  RUN_TEST(a_straight_arm_has_a_singular_W);
  RUN_TEST(links_without_mass_are_the_limit_of_light_ones);
  RUN_TEST(masses_may_differ_by_1e12);
  RUN_TEST(the_floor_is_at_the_lowest_contact);
  RUN_TEST(nan_is_not_called_singular);
  RUN_TEST(mistakes_are_named);
  return UNITY_END();
}
