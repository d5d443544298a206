#include "model_help.h"

void setUp(void) {
}

void tearDown(void) {
}

static const double length[2] = {0.8, 1.3}, mass[2] = {2, 0.7}, inertia[2] = {0.2, 0.05};
static const double centre[2] = {0.3, 0.9}, slope = 0.4;

static void joint(const double *q, double along, int link, double *x) {
  double a1 = q[0], a2 = q[0] + q[1];
  x[0] = link ? length[0] * cos(a1) + along * cos(a2) : along * cos(a1);
  x[1] = link ? length[0] * sin(a1) + along * sin(a2) : along * sin(a1);
  x[2] = 0;
}

static void cloud(const model *m, const double *q, int k, double *part, double x[3]) {
  int link = k / 2;
  (void)m;
  *part = mass[link] / 2;
  joint(q, on_link(mass[link], inertia[link], centre[link], k % 2), link, x);
}

static void contact(const model *m, const double *q0, const double *q, int c, double *rows) {
  double x[3];
  (void)m, (void)q0, (void)c;
  joint(q, length[1], 1, x);
  rows[0] = cos(slope) * x[0] + sin(slope) * x[1];
  rows[1] = -sin(slope) * x[0] + cos(slope) * x[1];
}

static model *uneven(void) {
  return MAKE("double_pendulum", {"length", 2, {0.8, 1.3}, 0}, {"mass", 2, {2, 0.7}, 0},
              {"inertia", 2, {0.2, 0.05}, 0}, {"centre", 2, {0.3, 0.9}, 0},
              {"slope", 1, {slope}, 0}, {"gravity", 2, {3, -8}, 0}, {"floor", 1, {-5}, 0});
}

static void everything_follows_from_four_points(void) {
  model *m = uneven();
  subject s = {m, 4, cloud, contact, {3, -8, 0}};
  for (int i = 0; i < 20; i++) {
    double q[2] = {3 * any(), 3 * any()}, q2[2] = {3 * any(), 3 * any()}, u[2] = {any(), any()};
    check_mass(&s, q, u);
    check_jacobian(&s, q, u);
    check_drift(m, q, u);
    check_lagrange(m, q, u, NULL);
    check_power(m, q, u);
    check_collide(m, q, 1e-13);
    check_accelerate(m, q, u, 1e-13);
    check_potential(&s, q, q2, NULL);
  }
  model_free(m);
}

/* (2.2), with r = m = 1 */
static void equal_bars_give_morgans_matrices(void) {
  model *m = PLAIN("double_pendulum");
  double q1 = 0.3, q2 = -1.1, q[2] = {q1, q2}, M[4], J[4];
  m->type->mass(m, q, M);
  m->type->jacobian(m, q, J);
  double jac[4] = {-sin(q1) - sin(q1 + q2), cos(q1) + cos(q1 + q2), -sin(q1 + q2), cos(q1 + q2)};
  double off = cos(q2) / 2 + 1.0 / 3, mat[4] = {cos(q2) + 5.0 / 3, off, off, 1.0 / 3};
  for (int i = 0; i < 4; i++) near(jac[i], J[i], 1, 2e-16, "J");
  for (int i = 0; i < 4; i++) near(mat[i], M[i], 1, 5e-16, "M");
  model_free(m);
}

static void the_floor_is_where_the_tip_is(void) {
  model *m = MAKE("double_pendulum", {"q", 2, {-0.5, 0.2}, 0}, {"slope", 1, {0.3}, 0});
  double gap, up[2] = {-0.4, 0.2};
  m->type->gap(m, m->q, &gap);
  near(0, gap, 1, 0, "gap");
  m->type->gap(m, up, &gap);
  TEST_ASSERT_TRUE(gap > 0.1);
  model_free(m);
}

/* mirror in the y axis: q1 -> pi - q1, q2 -> -q2 turns the sign of t and keeps n */
static void the_mirror_image_has_mirrored_rows(void) {
  model *m = PLAIN("double_pendulum");
  double q[2] = {-0.7, 0.9}, image[2] = {M_PI + 0.7, -0.9}, J[4], K[4], Y[4], W[4], V[4];
  int c = 0;
  m->type->collide(m, q, 1, &c, NULL, J, Y, W, help_gap);
  m->type->collide(m, image, 1, &c, NULL, K, Y, V, help_gap);
  for (int j = 0; j < 2; j++) { /* u -> -u */
    near(J[2 * j], K[2 * j], 1, 1e-14, "t row");
    near(-J[2 * j + 1], K[2 * j + 1], 1, 1e-14, "n row");
  }
  near(W[0], V[0], 1, 1e-13, "W_tt");
  near(-W[1], V[1], 1, 1e-13, "W_tn");
  near(W[3], V[3], 1, 1e-13, "W_nn");
  model_free(m);
}

static void a_straight_pendulum_has_a_singular_W(void) {
  model *m = PLAIN("double_pendulum");
  double q[2] = {-1, 0}, J[4], Y[4], W[4];
  int c = 0;
  TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->collide(m, q, 1, &c, NULL, J, Y, W, help_gap));
  near(0, W[0] * W[3] - W[1] * W[2], W[0] * W[3], 1e-14, "det W");
  model_free(m);
}

/* two beads in line, the first one 1e12 times lighter: across the line the tip is the second bead
 * alone, along the line it is stiff, so W = e e^T / m2 with e across; no digits may be lost */
static void a_ratio_of_1e12_is_fine(void) {
  model *m = MAKE("double_pendulum", {"mass", 2, {1e-12, 1}, 0}, {"inertia", 2, {0, 0}, 0},
                  {"centre", 1, {1}, 0}, {"q", 2, {-0.5, 0}, 0});
  double J[4], Y[4], W[4], e[2] = {-sin(-0.5), cos(-0.5)};
  int c = 0;
  TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->collide(m, m->q, 1, &c, NULL, J, Y, W, help_gap));
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) near(e[i] * e[j], W[2 * j + i], 1, 1e-15, "W");
  near(0, Y[2], 1, 1e-3, "the light bead stays");
  model_free(m);
}

static void mistakes_are_named(void) {
  REFUSED("double_pendulum: mass must be one number or 2, got 3", "double_pendulum",
          {"mass", 3, {1, 1, 1}, 0});
  REFUSED("double_pendulum: mass and inertia give a singular mass matrix: each link needs some",
          "double_pendulum", {"mass", 2, {1, 0}, 0});
  REFUSED("double_pendulum: starts inside the obstacle: gap 1 is -0.5 m", "double_pendulum",
          {"q", 2, {0, 0}, 0}, {"floor", 1, {0.5}, 0});
}

static void the_outline_shows_two_links_and_a_floor(void) {
  model *m = PLAIN("double_pendulum");
  drawn d = draw(m);
  TEST_ASSERT_EQUAL_INT(3, d.lines);
  TEST_ASSERT_EQUAL_INT(3, d.points);
  model_free(m);
}

/* no change within dq moves the gap by more, and stretched out it moves by nearly that */
static void sway_bounds_what_the_gap_can_do(void) {
  model *m = MAKE("double_pendulum", {"length", 2, {0.8, 1.3}, 0}, {"floor", 1, {-9}, 0});
  double dq[2] = {1e-3, 3e-3}, q[2], most, gap, moved, largest = 0;
  m->type->sway(m, dq, &most);
  for (int k = 0; k < 2000; k++) {
    for (int i = 0; i < 2; i++) q[i] = k ? 3 * any() : 0;
    m->type->gap(m, q, &gap);
    for (int i = 0; i < 2; i++) q[i] += k ? dq[i] * any() : dq[i];
    m->type->gap(m, q, &moved);
    TEST_ASSERT_TRUE(fabs(moved - gap) <= most);
    largest = fmax(largest, fabs(moved - gap) / most);
  }
  TEST_ASSERT_TRUE(largest > 0.99);
  model_free(m);
}

int main(void) {
  help_used();
  UNITY_BEGIN();
  RUN_TEST(everything_follows_from_four_points);
  RUN_TEST(equal_bars_give_morgans_matrices);
  RUN_TEST(the_floor_is_where_the_tip_is);
  RUN_TEST(the_mirror_image_has_mirrored_rows);
  RUN_TEST(a_straight_pendulum_has_a_singular_W);
  RUN_TEST(a_ratio_of_1e12_is_fine);
  RUN_TEST(sway_bounds_what_the_gap_can_do);
  RUN_TEST(mistakes_are_named);
  RUN_TEST(the_outline_shows_two_links_and_a_floor);
  return UNITY_END();
}
