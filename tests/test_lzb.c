/* law.lzb against conservation, law.compliant, law.stronge, impacts one after the other and springs
 * stepped in time, which share no code with it. */
#include "law_help.h"

enum { MOST = 16 };

/* n balls of mass 1 in a row, the first comes in with 1 m/s */
static void row_of_balls(int n, double *W, double *v) {
  int nc = n - 1;
  for (int i = 0; i < nc; i++) {
    v[i] = i ? 0 : -1;
    for (int j = 0; j < nc; j++) W[j * nc + i] = i == j ? 2 : i == j + 1 || j == i + 1 ? -1 : 0;
  }
}

static core_status run(law *l, int nc, const double *W, const double *v, double *p, double *after) {
  impact_problem pr = {.nc = nc, .dim = 1, .rows = nc, .W = W, .v = v};
  impact_result r = {.p = p, .v = after};
  core_scratch s;
  core_scratch_init(&s);
  core_status status = law_solve(l, &pr, &s, NULL, &r, NULL);
  core_scratch_free(&s);
  law_free(l);
  return status;
}

/* velocities of the balls from the impulses between them */
static void balls(int n, const double *p, double *u) {
  for (int i = 0; i < n; i++) u[i] = (i == 0 ? 1 - p[0] : p[i - 1] - (i < n - 1 ? p[i] : 0));
}

static void elastic_rows_keep_energy_and_momentum(void) {
  int sizes[2] = {3, 10};
  double exponents[3] = {1, 1.5, 2};
  for (int i = 0; i < 6; i++) {
    int n = sizes[i / 3];
    double W[MOST * MOST], v[MOST], p[MOST], after[MOST], u[MOST], momentum = 0, energy = 0;
    row_of_balls(n, W, v);
    law *l = law_from("lzb", "exponent", exponents[i % 3], NULL);
    TEST_ASSERT_EQUAL_INT(CORE_OK, run(l, n - 1, W, v, p, after));
    balls(n, p, u);
    for (int k = 0; k < n; k++) momentum += u[k], energy += u[k] * u[k];
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 1, momentum);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, 1, energy);
  }
}

static void linear_elastic_contacts_are_springs(void) {
  for (int n = 3; n <= 10; n += 7) {
    double W[MOST * MOST], v[MOST], p[MOST], q[MOST], after[MOST];
    row_of_balls(n, W, v);
    law *l = law_from("lzb", "exponent", 1.0, NULL), *c = law_from("compliant", NULL);
    TEST_ASSERT_EQUAL_INT(CORE_OK, run(l, n - 1, W, v, p, after));
    TEST_ASSERT_EQUAL_INT(CORE_OK, run(c, n - 1, W, v, q, after));
    for (int k = 0; k < n - 1; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-9, q[k], p[k]);
  }
}

/* contacts of any bodies, that open, close again and fly: springs with their gaps */
static void linear_elastic_contacts_of_any_bodies_are_springs(void) {
  uint64_t seed = 21;
  for (int i = 0; i < 200; i++) {
    double W[16], v[4] = {-1}, p[4], q[4], a[4], b[4];
    int nc = 2 + i % 3;
    random_W(&seed, nc, W);
    for (int k = 0; k < nc; k++) W[k * nc + k] += 0.1, v[k] = k ? between(&seed, -1, 0.3) : -1;
    TEST_ASSERT_EQUAL_INT(CORE_OK, run(law_from("lzb", "exponent", 1.0, NULL), nc, W, v, p, a));
    TEST_ASSERT_EQUAL_INT(CORE_OK,
                          run(law_from("compliant", "window", INFINITY, NULL), nc, W, v, q, b));
    for (int k = 0; k < nc; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-9, b[k], a[k]);
  }
}

static law *with_list(law *l, const char *name, int n, const double *x) {
  const core_param *key = core_schema_find(&l->type->schema, name);
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_param_set(&l->type->schema, key, l->params, n, x, NULL));
  return l;
}

/* Masses 1, 2, 3: the first contact far stiffer than the second, so that they strike one after the
 * other, each by Newton's rule; the nearer the stiffer, and the distance falls with the ratio. */
static void stiffness_far_apart_is_one_impact_after_the_other(void) {
  const double W[4] = {1.5, -0.5, -0.5, 1 / 2. + 1 / 3.}, v[2] = {-1, 0}, e = 0.8;
  double first = (1 + e) / W[0], second = (1 + e) * 0.5 * first / W[3], last = 1, p[2], after[2];
  for (double ratio = 1e4; ratio < 1e11; ratio *= 1e3) {
    law *l = law_from("lzb", "e", e, "exponent", 1.0, NULL);
    with_list(l, "stiffness", 2, (double[]){ratio, 1});
    TEST_ASSERT_EQUAL_INT(CORE_OK, run(l, 2, W, v, p, after));
    double off = fmax(fabs(p[0] - first), fabs(p[1] - second));
    TEST_ASSERT_TRUE(off < last / 10);
    last = off;
  }
  TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0, last);
}

/* ---- Hertz's springs between three balls, stepped in time ---- */

static void rates(const double *x, double *dx) {
  for (int i = 0; i < 2; i++) {
    double d = x[i] - x[i + 1], f = d > 0 ? (i ? 3 : 1) * d * sqrt(d) : 0;
    dx[3 + i] -= f, dx[4 + i] += f;
  }
  for (int i = 0; i < 3; i++) dx[i] = x[3 + i];
}

static void runge_kutta(double *x, double h) {
  double k[4][6] = {{0}}, y[6];
  static const double at[4] = {0, 0.5, 0.5, 1}, part[4] = {1 / 6., 1 / 3., 1 / 3., 1 / 6.};
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < 6; i++) y[i] = x[i] + (s ? at[s] * h * k[s - 1][i] : 0);
    rates(y, k[s]);
  }
  for (int s = 0; s < 4; s++)
    for (int i = 0; i < 6; i++) x[i] += h * part[s] * k[s][i];
}

static void hertz_contacts_are_springs_stepped_in_time(void) {
  double x[6] = {0, 0, 0, 1, 0, 0}, W[4], v[2], p[2], after[2], u[3];
  for (int i = 0; i < 100000; i++) runge_kutta(x, 1e-4);
  row_of_balls(3, W, v);
  law *l = with_list(law_from("lzb", NULL), "stiffness", 2, (double[]){1, 3});
  TEST_ASSERT_EQUAL_INT(CORE_OK, run(l, 2, W, v, p, after));
  balls(3, p, u);
  for (int i = 0; i < 3; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-9, x[3 + i], u[i]);
}

/* ---- several contacts with friction ---- */

/* a body on three points, two of them on one vertical: sticking forces are not unique, motion is.
 * It handed slip to and fro without end. */
static void contacts_that_stick_together_find_a_share(void) {
  static const double W[36] = {1.5, 0.5,  0.5, 0.5,  1, -0.5, 0.5,  1.5, -0.5, 1.5, 0, 0.5,
                               0.5, -0.5, 1.5, -0.5, 1, 0.5,  0.5,  1.5, -0.5, 1.5, 0, 0.5,
                               1,   0,    1,   0,    1, 0,    -0.5, 0.5, 0.5,  0.5, 0, 1.5};
  static const double v[6] = {-0.75, -1.25, -0.25, -1.25, -0.5, -0.75};
  law *l = law_from("lzb", "e", 0.5, "mu", 0.5, NULL);
  hit h = solve_with(l, 3, 2, W, v, NULL, -1);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, h.r.status, h.err.text);
  for (int c = 0; c < 3; c++) TEST_ASSERT_TRUE(h.v[2 * c + 1] > -1e-10);
  TEST_ASSERT_EQUAL_UINT(0, h.r.flags & IMPACT_OPEN_LEDGER);
  law_free(l);
}

/* W, v and lists in another order give the impulses in that order */
static void the_order_of_contacts_does_not_matter(void) {
  uint64_t seed = 11;
  static const int order[6] = {4, 5, 0, 1, 2, 3};
  for (int k = 0; k < 100; k++) {
    double W[36], U[36], v[6], u[6], e[3], f[3], mu[3], nu[3], K[3], L[3];
    random_W(&seed, 6, W);
    for (int i = 0; i < 6; i++) v[i] = i % 2 ? between(&seed, -1, 0) : between(&seed, -1, 1);
    for (int i = 0; i < 3; i++)
      e[i] = fair(&seed), mu[i] = fair(&seed), K[i] = between(&seed, 0.2, 5);
    for (int i = 0; i < 6; i++) {
      u[i] = v[order[i]];
      for (int j = 0; j < 6; j++) U[j * 6 + i] = W[order[j] * 6 + order[i]];
      f[i / 2] = e[order[i] / 2], nu[i / 2] = mu[order[i] / 2], L[i / 2] = K[order[i] / 2];
    }
    law *a = law_from("lzb", NULL), *b = law_from("lzb", NULL);
    with_list(with_list(with_list(a, "e", 3, e), "mu", 3, mu), "stiffness", 3, K);
    with_list(with_list(with_list(b, "e", 3, f), "mu", 3, nu), "stiffness", 3, L);
    hit x = solve_with(a, 3, 2, W, v, NULL, -1), y = solve_with(b, 3, 2, U, u, NULL, -1);
    TEST_ASSERT_EQUAL_INT(x.r.status, y.r.status);
    for (int i = 0; i < 6 && !x.r.status; i++)
      TEST_ASSERT_DOUBLE_WITHIN(1e-9 * (1 + fabs(x.p[order[i]])), x.p[order[i]], y.p[i]);
    law_free(a), law_free(b);
  }
}

/* e = 0 is the limit of small e: a row of balls comes to move together */
static void plastic_rows_move_together(void) {
  double W[MOST * MOST], v[MOST], p[MOST], after[MOST];
  row_of_balls(5, W, v);
  TEST_ASSERT_EQUAL_INT(CORE_OK, run(law_from("lzb", "e", 0.0, NULL), 4, W, v, p, after));
  for (int i = 0; i < 4; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0, after[i]);
}

/* one contact: energetic restitution and friction along the path are Stronge's law */
static void one_contact_is_stronges_law(void) {
  uint64_t seed = 5;
  int compared = 0;
  for (int i = 0; i < 400; i++) {
    double W[4], v[2] = {between(&seed, -2, 2), between(&seed, -2, -0.1)};
    double mu = between(&seed, 0, 1), e = between(&seed, 0.05, 1);
    random_W(&seed, 2, W);
    W[0] += 0.1, W[3] += 0.1;
    law *a = law_from("lzb", "mu", mu, "e", e, NULL),
        *b = law_from("stronge", "mu", mu, "e", e, NULL);
    hit x = solve_with(a, 1, 2, W, v, NULL, -1), y = solve_with(b, 1, 2, W, v, NULL, -1);
    if (!x.r.status && !y.r.status) {
      compared++;
      TEST_ASSERT_DOUBLE_WITHIN(1e-10, y.v[0], x.v[0]);
      TEST_ASSERT_DOUBLE_WITHIN(1e-10, y.v[1], x.v[1]);
    }
    law_free(a), law_free(b);
  }
  TEST_ASSERT_TRUE(compared > 390);
}

/* A heavy body strikes with two rows that are one, 1e-8 apart as a run may leave them; a light one
 * sets the units. Its springs hold more than ten of them, and that was called a jam. */
static void velocities_almost_in_reach_are_no_jam(void) {
  const double W[9] = {1, 0, 0, 0, 1e-3, 1e-3, 0, 1e-3, 1e-3}, v[3] = {-1, -1, -1 + 1e-8};
  double p[3], after[3];
  TEST_ASSERT_EQUAL_INT(CORE_OK, run(law_from("lzb", NULL), 3, W, v, p, after));
  for (int i = 0; i < 3; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-7, 1, after[i]);
}

/* mu = infinity is the end of a sequence: slip ends after a time of mu^(-1/(n+1)), here a sixteenth
 * for a thousand times mu */
static void infinite_friction_is_the_limit_of_large(void) {
  uint64_t seed = 15;
  for (int i = 0; i < 60; i++) {
    double W[16], v[4], last = 1;
    random_W(&seed, 4, W);
    for (int k = 0; k < 4; k++)
      W[5 * k] += 0.5, v[k] = k % 2 ? between(&seed, -1, -0.1) : between(&seed, -1, 1);
    law *a = law_from("lzb", "mu", INFINITY, "e", 0.6, NULL);
    hit x = solve_with(a, 2, 2, W, v, NULL, -1);
    TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, x.r.status, x.err.text);
    for (double mu = 1e3; mu < 1e20; mu *= 1e3) {
      law *b = law_from("lzb", "mu", mu, "e", 0.6, NULL);
      hit y = solve_with(b, 2, 2, W, v, NULL, -1);
      double off = 0;
      for (int k = 0; k < 4; k++) off = fmax(off, fabs(x.v[k] - y.v[k]));
      TEST_ASSERT_TRUE(off < last);
      last = fmax(off / 8, 1e-10);
      law_free(b);
    }
    law_free(a);
  }
}

static void infinite_friction_of_one_contact_is_stronges(void) {
  uint64_t seed = 16;
  for (int i = 0; i < 100; i++) {
    double W[4], v[2] = {between(&seed, -2, 2), between(&seed, -2, -0.1)};
    random_W(&seed, 2, W);
    W[0] += 0.1, W[3] += 0.1;
    law *a = law_from("lzb", "mu", INFINITY, "e", 0.7, NULL),
        *b = law_from("stronge", "mu", INFINITY, "e", 0.7, NULL);
    hit x = solve_with(a, 1, 2, W, v, NULL, -1), y = solve_with(b, 1, 2, W, v, NULL, -1);
    if (!y.r.status) TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, x.r.status, x.err.text);
    for (int k = 0; k < 2 && !y.r.status; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-10, y.v[k], x.v[k]);
    law_free(a), law_free(b);
  }
}

/* A point falls into a groove with sides 20 degrees off the vertical and mu = 2 > cot 20: it sticks
 * at both, and the springs have nothing to move. It went on without end. */
static void what_friction_wedges_in_stays_and_keeps_its_energy(void) {
  double c = cos(0.35), s = sin(0.35);
  const double J[4][2] = {{s, -c}, {c, s}, {s, c}, {-c, s}};
  double W[16], v[4];
  for (int i = 0; i < 4; i++) {
    v[i] = -J[i][1];
    for (int j = 0; j < 4; j++) W[4 * j + i] = J[i][0] * J[j][0] + J[i][1] * J[j][1];
  }
  for (double n = 1; n < 2.1; n += 0.5) {
    law *l = law_from("lzb", "mu", 4.0, "e", 0.8, "exponent", n, NULL);
    hit h = solve_with(l, 2, 2, W, v, NULL, -1);
    TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, h.r.status, h.err.text);
    for (int i = 0; i < 4; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0, h.v[i]);
    TEST_ASSERT_TRUE(h.r.stored > 0.01);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5, h.r.stored + h.r.lost_friction + h.r.lost_restitution);
    law_free(l);
  }
}

void setUp(void) {
}

void tearDown(void) {
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(elastic_rows_keep_energy_and_momentum);
  RUN_TEST(linear_elastic_contacts_are_springs);
  RUN_TEST(linear_elastic_contacts_of_any_bodies_are_springs);
  RUN_TEST(stiffness_far_apart_is_one_impact_after_the_other);
  RUN_TEST(hertz_contacts_are_springs_stepped_in_time);
  RUN_TEST(one_contact_is_stronges_law);
  RUN_TEST(contacts_that_stick_together_find_a_share);
  RUN_TEST(the_order_of_contacts_does_not_matter);
  RUN_TEST(plastic_rows_move_together);
  RUN_TEST(velocities_almost_in_reach_are_no_jam);
  RUN_TEST(infinite_friction_is_the_limit_of_large);
  RUN_TEST(infinite_friction_of_one_contact_is_stronges);
  RUN_TEST(what_friction_wedges_in_stays_and_keeps_its_energy);
  return UNITY_END();
}
