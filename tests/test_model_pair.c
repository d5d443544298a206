#include "rigid_help.h"

void setUp(void) {
}

void tearDown(void) {
}

static const double mass[2] = {2, 0.7};
static const double moments[2][3] = {{0.9, 0.8, 0.5}, {0.1, 0.2, 0.25}};
static const double arm[2][3] = {{0.2, -0.5, -0.6}, {0.1, 0.3, 0.4}};
static const double normal[3] = {0.48, -0.6, 0.64}; /* unit */
static const double r1 = 0.8, r2 = 0.5;
static const double turned[4] = {0.8, 0.36, -0.48, 0};
static int with_arm1, with_arm2; /* what the model under test has */

static void cloud(const model *m, const double *q, int k, double *part, double x[3]) {
  int b = k / 6;
  (void)m;
  six_points(mass[b], moments[b], q + 7 * b, k % 6, part, x);
}

static void at_body(const double *q, int b, const double *in_body, double *x) {
  rotate(q + 7 * b + 3, in_body, x);
  for (int i = 0; i < 3; i++) x[i] += q[7 * b + i];
}

static void into_body(const double *q, int b, const double *x, double *in_body) {
  double d[3];
  for (int i = 0; i < 3; i++) d[i] = x[i] - q[7 * b + i];
  rotate_back(q + 7 * b + 3, d, in_body);
}

/* normal at q: by the centres, or the face that turns with body 2 (which started as `turned`) */
static void normal_at(const double *q, const double *C1, double *n) {
  double body[3];
  if (with_arm2) {
    rotate_back(turned, normal, body);
    rotate(q + 10, body, n);
    return;
  }
  for (int i = 0; i < 3; i++) n[i] = C1[i] - q[7 + i];
  double size = sqrt(model_dot(n, n));
  for (int i = 0; i < 3; i++) n[i] /= size;
}

/* material points that touch at q0 (both bodies), followed to q, in the frame at q0 */
static void contact(const model *m, const double *q0, const double *q, int c, double *rows) {
  double C1[3] = {q0[0], q0[1], q0[2]}, n[3], p1[3], p2[3], b1[3], b2[3], E[9];
  (void)m, (void)c;
  if (with_arm1) at_body(q0, 0, arm[0], C1);
  normal_at(q0, C1, n);
  for (int i = 0; i < 3; i++) p1[i] = C1[i] - (with_arm1 ? 0 : r1) * n[i];
  if (with_arm2) { /* foot of p1 on the face */
    double face[3], d[3];
    at_body(q0, 1, arm[1], face);
    for (int i = 0; i < 3; i++) d[i] = p1[i] - face[i];
    for (int i = 0; i < 3; i++) p2[i] = p1[i] - model_dot(n, d) * n[i];
  } else {
    for (int i = 0; i < 3; i++) p2[i] = q0[7 + i] + r2 * n[i];
  }
  into_body(q0, 0, p1, b1);
  into_body(q0, 1, p2, b2);
  at_body(q, 0, b1, p1);
  at_body(q, 1, b2, p2);
  model_frame(n, E); /* checked in test_model_ball */
  for (int r = 0; r < 3; r++) rows[r] = model_dot(E + 3 * r, p1) - model_dot(E + 3 * r, p2);
}

static model *make(int arm1, int arm2, const double *g) {
  setting s[] = {
      {"mass", 2, {mass[0], mass[1]}, 0},
      {"radius", 2, {r1, r2}, 0},
      {"inertia1", 3, {0.9, 0.8, 0.5}, 0},
      {"inertia2", 9, {0.1, 0, 0, 0, 0.2, 0, 0, 0, 0.25}, 3},
      {"normal", 3, {4.8, -6, 6.4}, 0},
      {"orientation2", 4, {1.6, 0.72, -0.96, 0}, 0},
      {"gravity", 3, {g[0], g[1], g[2]}, 0},
      {"arm1", 3, {arm[0][0], arm[0][1], arm[0][2]}, 0},
      {"arm2", 3, {arm[1][0], arm[1][1], arm[1][2]}, 0},
  };
  if (!arm1) s[7] = s[8];
  with_arm1 = arm1, with_arm2 = arm2;
  return make_model("pair", 7 + arm1 + arm2, s);
}

static void everything_follows_from_twelve_points(void) {
  double g[3] = {1, 2, -3}, none[3] = {0};
  for (int kind = 0; kind < 4; kind++) {
    model *m = make(kind & 1, kind >> 1, g), *adrift = make(kind & 1, kind >> 1, none);
    subject s = {m, 12, cloud, contact, {1, 2, -3}}, free = {adrift, 12, cloud, contact, {0}};
    for (int k = 0; k < 5; k++) {
      double q[14], q2[14], u[12];
      for (int i = 0; i < 14; i++) q[i] = m->q[i] + 0.2 * any(), q2[i] = any();
      for (int i = 0; i < 3; i++) q[i] += 0.5 * normal[i];
      model_quaternion_unit(q + 3);
      model_quaternion_unit(q + 10);
      for (int i = 0; i < 12; i++) u[i] = any();
      check_mass(&s, q, u);
      check_jacobian(&s, q, u);
      check_drift(m, q, u);
      check_power(m, q, u);
      check_collide(m, q, 1e-13);
      check_accelerate(m, q, u, 1e-13);
      check_momentum_kept(&free, q, u);
      check_potential(&s, q, q2, NULL);
    }
    model_free(m);
    model_free(adrift);
  }
}

/* every kind starts touching at the origin, with the normal that was asked for */
static void bodies_start_in_touch_at_the_origin(void) {
  double g[3] = {0};
  for (int kind = 0; kind < 4; kind++) {
    model *m = make(kind & 1, kind >> 1, g);
    double gap, J[36], p[3], b[3];
    m->type->gap(m, m->q, &gap);
    near(0, gap, 1, 1e-15, "gap");
    m->type->jacobian(m, m->q, J);
    for (int i = 0; i < 3; i++) near(normal[i], J[3 * i + 2], 1, 1e-15, "normal");
    if (with_arm1) at_body(m->q, 0, arm[0], p);
    for (int i = 0; i < 3; i++) b[i] = with_arm1 ? p[i] : m->q[i] - r1 * normal[i];
    for (int i = 0; i < 3; i++) near(0, b[i], 1, 1e-15, "point of contact");
    model_free(m);
  }
}

/* W = (1/m1 + 1/m2) 1 - S, S = sum R P Q^-1 P R^T: Jia's (4), with matrices written out */
static void W_is_jias_S(void) {
  double g[3] = {0}, J[36], Y[36], W[9];
  int c = 0;
  model *m = make(1, 1, g);
  m->type->collide(m, m->q, 1, &c, NULL, J, Y, W, help_gap);
  for (int col = 0; col < 3; col++) {
    double I[3], dv[3], e[3], row[3];
    for (int i = 0; i < 3; i++) I[i] = J[3 * i + col]; /* the unit impulse along row col */
    for (int i = 0; i < 3; i++) dv[i] = I[i] * (1 / mass[0] + 1 / mass[1]);
    for (int b = 0; b < 2; b++) { /* - R (r x Q^-1 (r x R^T I)) */
      double in[3], once[3], twice[3], back[3];
      rotate_back(m->q + 7 * b + 3, I, in);
      model_cross(arm[b], in, once);
      for (int i = 0; i < 3; i++) once[i] /= moments[b][i];
      model_cross(arm[b], once, twice);
      rotate(m->q + 7 * b + 3, twice, back);
      for (int i = 0; i < 3; i++) dv[i] -= back[i];
    }
    for (int r = 0; r < 3; r++) {
      for (int i = 0; i < 3; i++) e[i] = J[3 * i + r];
      row[r] = model_dot(e, dv);
      near(row[r], W[3 * col + r], 10, 1e-14, "W");
    }
  }
  model_free(m);
}

/* billiard balls: W = diag(7/m, 7/m, 2/m); a ball against a heavy one is a ball on a plane */
static void two_balls_have_their_mobility(void) {
  double J[36], Y[36], W[9], K[18], X[18], V[9];
  int c = 0;
  model *m = MAKE("pair", {"mass", 1, {0.17}, 0}, {"radius", 1, {0.0286}, 0},
                  {"velocity1", 3, {1, 0, 0}, 0}, {"normal", 3, {-1, 0, 0}, 0});
  m->type->collide(m, m->q, 1, &c, NULL, J, Y, W, help_gap);
  for (int i = 0; i < 9; i++)
    near(i == 8 ? 2 / 0.17 : i % 4 ? 0 : 7 / 0.17, W[i], 7 / 0.17, 1e-14, "W");
  near(-0.0286, m->q[0], 1, 1e-16, "ball 1 is on the left");
  model_free(m);
  m = MAKE("pair", {"mass", 2, {1, 1e15}, 0});
  model *ball = PLAIN("ball");
  m->type->collide(m, m->q, 1, &c, NULL, J, Y, W, help_gap);
  ball->type->collide(ball, ball->q, 1, &c, NULL, K, X, V, help_gap);
  for (int i = 0; i < 9; i++) near(V[i], W[i], 1, 1e-14, "W of the ball");
  for (int i = 0; i < 18; i++) near(K[i], J[i], 1, 1e-15, "J of the ball");
  model_free(ball);
  model_free(m);
}

static void positions_win_over_the_normal(void) {
  model *m = MAKE("pair", {"position1", 3, {0, 3, 0}, 0}, {"position2", 3, {0, 0, 0}, 0});
  double gap, J[36];
  m->type->gap(m, m->q, &gap);
  m->type->jacobian(m, m->q, J);
  near(1, gap, 1, 1e-15, "gap");
  near(1, J[5], 1, 1e-15, "n along y");
  TEST_ASSERT_EQUAL_INT(2, draw(m).circles);
  model_free(m);
  m = MAKE("pair", {"position2", 3, {1, 2, 3}, 0});
  near(5, m->q[2], 1, 1e-15, "ball 1 on top of ball 2");
  model_free(m);
}

static void mistakes_are_named(void) {
  REFUSED("pair: inertia1 must be positive definite", "pair", {"inertia1", 3, {1, 0, 1}, 3});
  REFUSED("pair: inertia2 must be symmetric", "pair",
          {"inertia2", 9, {1, 0.1, 0, 0, 1, 0, 0, 0, 1}, 3});
  REFUSED("pair: inertia1 must be 1, 3 or 9 numbers, got 2", "pair", {"inertia1", 2, {1, 1}, 2});
  REFUSED("pair: a body with arm1 needs inertia1", "pair", {"arm1", 3, {0, 0, -1}, 0});
  REFUSED("pair: normal must not be of length zero", "pair", {"normal", 3, {0, 0, 0}, 0});
  REFUSED("pair: starts inside the obstacle: gap 1 is -1 m", "pair", {"position1", 3, {0, 0, 1}, 0},
          {"position2", 3, {0, 0, 0}, 0});
  REFUSED("pair: body 1 touches in the centre of ball 2", "pair", {"position1", 3, {0, 0, 0}, 0},
          {"position2", 3, {0, 0, 0}, 0});
}

int main(void) {
  help_used();
  UNITY_BEGIN();
  RUN_TEST(everything_follows_from_twelve_points);
  RUN_TEST(bodies_start_in_touch_at_the_origin);
  RUN_TEST(W_is_jias_S);
  RUN_TEST(two_balls_have_their_mobility);
  RUN_TEST(positions_win_over_the_normal);
  RUN_TEST(mistakes_are_named);
  return UNITY_END();
}
