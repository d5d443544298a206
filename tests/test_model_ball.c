#include "rigid_help.h"

void setUp(void) {
}

void tearDown(void) {
}

static const double mass = 3, radius = 0.7, factor = 0.5;
static const double normal[3] = {0.48, -0.6, 0.64}; /* unit */

static void cloud(const model *m, const double *q, int k, double *part, double x[3]) {
  double I = factor * mass * radius * radius, moments[3] = {I, I, I};
  (void)m;
  six_points(mass, moments, q, k, part, x);
}

/* the material point that is lowest at q0, in the frame turned the shortest way from z to n */
static void contact(const model *m, const double *q0, const double *q, int c, double *rows) {
  double down[3], body[3], x[3];
  (void)m, (void)c;
  for (int i = 0; i < 3; i++) down[i] = -radius * normal[i];
  rotate_back(q0 + 3, down, body);
  rotate(q + 3, body, x);
  for (int i = 0; i < 3; i++) x[i] += q[i];
  /* half-way quaternion from z to n: (1 + n_z, z x n) normalised */
  double turn[4] = {1 + normal[2], -normal[1], normal[0], 0}, ex[3] = {1, 0, 0}, ey[3] = {0, 1, 0};
  double t1[3], t2[3];
  model_quaternion_unit(turn);
  rotate(turn, ex, t1);
  rotate(turn, ey, t2);
  rows[0] = model_dot(t1, x), rows[1] = model_dot(t2, x), rows[2] = model_dot(normal, x);
}

static model *tilted(void) {
  return MAKE("ball", {"mass", 1, {mass}, 0}, {"radius", 1, {radius}, 0},
              {"inertia_factor", 1, {factor}, 0}, {"normal", 3, {4.8, -6, 6.4}, 0},
              {"offset", 1, {5}, 0}, {"gravity", 3, {1, 2, -3}, 0});
}

static void everything_follows_from_six_points(void) {
  model *m = tilted();
  subject s = {m, 6, cloud, contact, {1, 2, -3}};
  double q[7] = {0.3, 0.4, 2, 0.8, 0.36, -0.48, 0}, q2[7] = {0.1, 0.5, 2, 1, 0, 0, 0};
  for (int i = 0; i < 5; i++) {
    double u[6];
    for (int j = 0; j < 6; j++) u[j] = any();
    check_mass(&s, q, u);
    check_jacobian(&s, q, u);
    check_drift(m, q, u);
    check_power(m, q, u);
    check_collide(m, q, 1e-14);
    check_accelerate(m, q, u, 1e-14);
  }
  check_potential(&s, q, q2, NULL);
  model_free(m);
}

static void starts_touching_the_plane(void) {
  model *m = tilted();
  double gap;
  m->type->gap(m, m->q, &gap);
  near(0, gap, 1, 1e-15, "gap");
  for (int i = 0; i < 3; i++) near((0.5 + radius) * normal[i], m->q[i], 1, 1e-15, "centre");
  model_free(m);
}

/* Jia, (79)-(84): rows x, y, z; v = V + r z x w; W = diag(7/2, 7/2, 1) / m */
static void jias_ball_has_his_rows(void) {
  model *m = MAKE("ball", {"velocity", 3, {-1, 0, -5}, 0}, {"spin", 3, {0, 2, 0}, 0});
  double J[18], Y[18], W[9], v[3] = {0};
  int c = 0;
  m->type->collide(m, m->q, 1, &c, NULL, J, Y, W, help_gap);
  for (int j = 0; j < 6; j++)
    for (int i = 0; i < 3; i++) v[i] += J[3 * j + i] * m->u[j];
  near(-3, v[0], 1, 1e-15, "v_x");
  near(0, v[1], 1, 1e-15, "v_y");
  near(-5, v[2], 1, 1e-15, "v_z");
  for (int i = 0; i < 9; i++) near(i == 8 ? 1 : i % 4 ? 0 : 3.5, W[i], 1, 1e-15, "W");
  model_free(m);
}

static void the_quaternion_stays_a_rotation(void) {
  double q[4] = {0.8, 0.36, -0.48, 0}, w[3] = {1, -2, 0.5}, world[4], body[4], wb[3];
  model_quaternion_rate_world(q, w, world);
  rotate_back(q, w, wb);
  model_quaternion_rate_body(q, wb, body);
  for (int i = 0; i < 4; i++) near(world[i], body[i], 1, 1e-15, "the two rates agree");
  double R[9], x[3] = {0.3, -1, 2}, y[3], z[3], twice[4] = {1.6, 0.72, -0.96, 0};
  model_rotation(twice, R);
  model_turn(R, x, y);
  rotate(q, x, z);
  for (int i = 0; i < 3; i++) near(z[i], y[i], 1, 1e-15, "matrix and quaternion agree");
}

/* rate of the frame against differences, on both sides of its jump */
static void frames_turn_as_their_rate_says(void) {
  for (int k = 0; k < 200; k++) {
    double n[3] = {any(), any(), any()}, w[3] = {any(), any(), any()}, nd[3];
    double length = sqrt(model_dot(n, n)), E[9], Ed[9], diff[9] = {0};
    for (int i = 0; i < 3; i++) n[i] /= length;
    if (fabs(n[2] + 0.7) < 0.02) continue;
    model_cross(w, n, nd);
    model_frame(n, E);
    model_frame_rate(n, nd, Ed);
    for (int s = 0; s < 4; s++) {
      double at = help_at[s] * 1e-3, moved[3], away[3], F[9];
      model_cross(w, nd, away); /* n moves on a circle about w: to third order */
      double third[3];
      model_cross(w, away, third);
      for (int i = 0; i < 3; i++)
        moved[i] = n[i] + at * nd[i] + at * at / 2 * away[i] + at * at * at / 6 * third[i];
      model_frame(moved, F);
      for (int i = 0; i < 9; i++) diff[i] += help_weight[s] * F[i] / 12e-3;
    }
    for (int i = 0; i < 9; i++) near(diff[i], Ed[i], 1, 3e-8, "rate of the frame");
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        near(i == j, model_dot(E + 3 * i, E + 3 * j), 1, 1e-14, "orthonormal");
  }
}

static void mistakes_are_named(void) {
  REFUSED("ball: normal must not be of length zero", "ball", {"normal", 3, {0, 0, 0}, 0});
  REFUSED("ball: orientation must not be of length zero", "ball", {"orientation", 4, {0}, 0});
  REFUSED("ball: mass must be a positive number of kg, got -1", "ball", {"mass", 1, {-1}, 0});
  REFUSED("ball: starts inside the obstacle: gap 1 is -0.5 m", "ball",
          {"position", 3, {0, 0, 0.5}, 0});
}

static void the_outline_shows_ball_and_floor(void) {
  model *m = PLAIN("ball");
  drawn d = draw(m);
  TEST_ASSERT_EQUAL_INT(1, d.circles);
  TEST_ASSERT_EQUAL_INT(2, d.lines);
  near(2, d.high[1], 1, 1e-12, "top of the ball");
  near(0, d.low[1], 1, 1e-12, "floor");
  model_free(m);
}

int main(void) {
  help_used();
  UNITY_BEGIN();
  RUN_TEST(everything_follows_from_six_points);
  RUN_TEST(starts_touching_the_plane);
  RUN_TEST(jias_ball_has_his_rows);
  RUN_TEST(the_quaternion_stays_a_rotation);
  RUN_TEST(frames_turn_as_their_rate_says);
  RUN_TEST(mistakes_are_named);
  RUN_TEST(the_outline_shows_ball_and_floor);
  return UNITY_END();
}
