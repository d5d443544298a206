/* law.compliant with e = 0: what holding a contact means, judged by a softer law of its own.
 *
 * Here a held contact is a very stiff and overdamped spring that cannot pull,
 * F_n = max(0, -K n - C v_n), K = k / eps^2; the foot of its tangential spring slides so that
 * |F_t| <= mu F_n at all times. No modes, no events of holding, nothing to choose; tiny Euler
 * steps. As eps goes to 0 the force goes to its new value within an instant, the tangential spring
 * follows mu F_n down, and what is left is the answer. Two eps give the limit by extrapolation. */
#include "compliant_brute.h"

void setUp(void) {
}
void tearDown(void) {
}

typedef struct state {
  int nc, dim;
  double W[144], v[12];
  spec q;
} state;

typedef enum soft_mode { SOFT_OPEN, SOFT_PRESSED, SOFT_BACK, SOFT_HELD } soft_mode;

typedef struct soft {
  const state *s;
  double eps, y[12], v[12], p[12], top[8];
  soft_mode mode[8];
} soft;

static double soft_normal(const soft *z, int i) {
  const state *s = z->s;
  int rows = s->nc * s->dim, n = (i + 1) * s->dim - 1;
  double k = s->q.k[i], stiff = k / (z->eps * z->eps), e = s->q.e[i];
  double damping = 80 * sqrt(stiff / s->W[n * (rows + 1)]);
  if (z->mode[i] == SOFT_PRESSED) return -k * z->y[n];
  if (z->mode[i] == SOFT_BACK) return -k / (e * e) * z->y[n];
  return z->mode[i] == SOFT_HELD ? fmax(0, -stiff * z->y[n] - damping * z->v[n]) : 0;
}

/* greatest compression: the force goes on; the stiff spring takes it over */
static void soft_top(soft *z, int i) {
  int n = (i + 1) * z->s->dim - 1;
  double e = z->s->q.e[i];
  z->top[i] = soft_normal(z, i);
  z->mode[i] = e > 0 ? SOFT_BACK : SOFT_HELD;
  z->y[n] *= e > 0 ? e * e : z->eps * z->eps;
}

static void soft_change(soft *z, int i) {
  int n = (i + 1) * z->s->dim - 1;
  if (z->mode[i] == SOFT_OPEN && z->y[n] <= 0 && z->v[n] < 0) z->mode[i] = SOFT_PRESSED;
  if (z->mode[i] == SOFT_PRESSED && z->v[n] > 0) soft_top(z, i);
  double away = 5 * z->eps * z->eps * z->top[i] / z->s->q.k[i];
  if ((z->mode[i] == SOFT_BACK && z->y[n] >= 0) || (z->mode[i] == SOFT_HELD && z->y[n] > away)) {
    z->mode[i] = SOFT_OPEN;
    for (int r = i * z->s->dim; r < n; r++) z->y[r] = 0;
  }
}

static void soft_forces(soft *z, int i, double *F) {
  const state *s = z->s;
  int t = i * s->dim, n = t + s->dim - 1;
  double kt = s->q.k[i] / (s->q.eta[i] * s->q.eta[i]), x = 0;
  F[n] = soft_normal(z, i);
  for (int r = t; r < n; r++) x = hypot(x, z->y[r]);
  double most = s->q.mu[i] * F[n] / kt, by = x > most ? most / x : 1;
  for (int r = t; r < n; r++) F[r] = -kt * (z->y[r] *= by);
}

/* up to where nothing is left but open and held contacts */
static void soft_run(soft *z, double dt) {
  const state *s = z->s;
  int rows = s->nc * s->dim, live = 1;
  memcpy(z->v, s->v, sizeof z->v);
  for (long step = 0; live && step < 4000000; step++) {
    double F[12] = {0};
    live = 0;
    for (int i = 0; i < s->nc; i++) {
      soft_change(z, i);
      if (z->mode[i] != SOFT_OPEN) soft_forces(z, i, F);
      live |= z->mode[i] == SOFT_PRESSED || z->mode[i] == SOFT_BACK;
    }
    for (int r = 0; r < rows; r++) {
      z->p[r] += F[r] * dt;
      for (int c = 0; c < rows; c++) z->v[r] += s->W[c * rows + r] * F[c] * dt;
    }
    for (int r = 0; r < rows; r++)
      if (z->mode[r / s->dim] != SOFT_OPEN || r % s->dim == s->dim - 1) z->y[r] += z->v[r] * dt;
  }
  TEST_ASSERT_FALSE(live);
}

/* The law is where the softer ones go to, to within eps / 4; and as brute force says. */
static void judge(state *s) {
  s->q.n = s->nc;
  for (int i = 0; i < s->nc; i++) s->q.k[i] = 1;
  const course *c = run_spec(&s->q, s->nc, s->dim, s->W, s->v, NULL, -1);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, c->r.status, c->err.text);
  ASSERT_BELOW(1e-12, worst_ledger(c, s->v));
  soft a = {.s = s, .eps = 4e-3}, b = {.s = s, .eps = 2e-3};
  soft_run(&a, 4e-6);
  soft_run(&b, 2e-6);
  brute o = brute_start(&s->q, s->nc, s->dim, s->W, s->v, NULL);
  int over = brute_run(&o, 2e-3);
  double size = 0;
  for (int i = 0; i < c->rows; i++) size = fmax(size, fabs(c->p[i]));
  for (int i = 0; i < c->rows; i++) {
    TEST_ASSERT_DOUBLE_WITHIN(5e-4 * size, 2 * b.p[i] - a.p[i], c->p[i]);
    if (over) TEST_ASSERT_DOUBLE_WITHIN(1e-8 * size, o.p[i], c->p[i]);
  }
}

/* Where contact 2 starts to be held its normal force falls, and the tangential spring that was
 * loaded under the larger force would make it pull. The spring slips back, and the contact is held:
 * it was let go and started afresh (2 % off). */
static void test_springs_slip_back_before_a_contact_is_let_go(void) {
  state flat = {.nc = 2,
                .dim = 2,
                .W = {1.854, 0.08894, 0.4039, -0.7964, 0.08894, 0.7663, -0.1402, 0.06379, 0.4039,
                      -0.1402, 0.4933, -0.8733, -0.7964, 0.06379, -0.8733, 1.668},
                .v = {-0.297, -0.475, 0.438, -0.369},
                .q = {.mu = {0.5, 2}, .e = {0.25, 0}, .eta = {1, 1}}};
  judge(&flat);
  state deep = {.nc = 2,
                .dim = 3,
                .W = {3.5, -1, 2,   2.5,  0.5, -1,   -1,  5,  1,    1,   2,    -1,
                      2,   1,  3.5, 2,    1,   -0.5, 2.5, 1,  2,    3.5, -0.5, -1,
                      0.5, 2,  1,   -0.5, 3.5, -1,   -1,  -1, -0.5, -1,  -1,   2},
                .v = {-0.5, 2.5, -0.5, 0.5, 1, -2.25},
                .q = {.mu = {0.06, 0.9}, .eta = {0.71, 1.7}}};
  judge(&deep);
}

/* One that is let go may be pressed by what the others do then, and is held again: it started
 * afresh (6 % off). */
static void test_contact_let_go_too_soon(void) {
  state s = {.nc = 4,
             .dim = 2,
             .W = {3.16,   0.705,  0.977,  -0.219, 0.723,  0.0526, 0.104,  -0.898, 0.705, 3.35,
                   1.78,   -0.543, -0.286, -0.676, 0.865,  -0.429, 0.977,  1.78,   3.69,  -0.3,
                   -1.08,  -2.24,  0.235,  -1.23,  -0.219, -0.543, -0.3,   2.04,   -1.67, -0.323,
                   -0.126, -0.65,  0.723,  -0.286, -1.08,  -1.67,  2.32,   1.38,   0.31,  0.72,
                   0.0526, -0.676, -2.24,  -0.323, 1.38,   2.02,   0.733,  1.17,   0.104, 0.865,
                   0.235,  -0.126, 0.31,   0.733,  2.76,   0.807,  -0.898, -0.429, -1.23, -0.65,
                   0.72,   1.17,   0.807,  1.53},
             .v = {-0.283, -0.792, -0.295, 0, 0, -0.309, 0, 0},
             .q = {.mu = {0.25, 0.25, 1, 1}, .eta = {2, 1, 0.5, 2}}};
  judge(&s);
}

/* Two contacts with one normal: while one is held the springs of the other cannot give way. No
 * force changes, no frequency is left, and a step may have any length (NaN, then limit). */
static void test_forces_that_cannot_change(void) {
  state s = {.nc = 2,
             .dim = 2,
             .W = {3, -1, -1, -1, -1, 1.5, 1, 1.5, -1, 1, 3, 1, -1, 1.5, 1, 1.5},
             .v = {-1.5, -0.5, 0.5, -0.5},
             .q = {.mu = {1.6, 1.48}, .e = {0.53, 0}, .eta = {0.06, 0.67}}};
  judge(&s);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_springs_slip_back_before_a_contact_is_let_go);
  RUN_TEST(test_contact_let_go_too_soon);
  RUN_TEST(test_forces_that_cannot_change);
  return UNITY_END();
}
