/* What must hold of moreau and glocker: limits in other laws, symmetries, energy, tangential
 * restitution. test_modes_laws [cases] */
#include "modes_help.h"
#include "modes_stacks.h"

static int cases = 4000;

static void without_restitution_energy_never_rises_and_glocker_is_moreau(void) {
  uint64_t seed = 13;
  for (int i = 0; i < cases; i++) {
    problem q = random_body(&seed, 1 + i % 3, 4, between(&seed, 0, 0.4));
    answer a = solve("moreau", &q, 0), g = solve("glocker", &q, 0);
    if (a.status || g.status) continue;
    TEST_ASSERT_TRUE(a.lost >= -1e-11);
    TEST_ASSERT_FALSE(a.flags & IMPACT_GAINS_ENERGY);
    TEST_ASSERT_TRUE(apart(q.rows, a.v, g.v) < 1e-9);
  }
}

static void without_friction_and_restitution_it_is_the_plastic_law(void) {
  uint64_t seed = 14;
  for (int i = 0; i < cases / 4; i++) {
    problem q = random_body(&seed, 1 + i % 3, MOST, 0);
    answer a = solve("moreau", &q, 0), b = solve("plastic", &q, 0);
    TEST_ASSERT_EQUAL_INT(b.status, a.status);
    int all = 1; /* law.plastic lets those collide that approach, again and again */
    for (int c = 0; c < q.nc; c++) all &= q.v[c * q.dim + q.dim - 1] < 0;
    TEST_ASSERT_TRUE(!all || a.status || apart(q.rows, a.v, b.v) < 1e-9);
  }
}

/* slip that neither stops nor turns: the path is straight, and its two ends say all */
static void one_contact_that_slides_through_agrees_with_the_path_laws(void) {
  uint64_t seed = 15;
  int compared = 0;
  for (int i = 0; i < cases; i++) {
    problem q = random_body(&seed, 2, 1, between(&seed, 0, 0.5));
    if (q.nc > 1) continue;
    answer n = solve("newton", &q, q.e), m = solve("moreau", &q, q.e);
    answer o = solve("poisson", &q, q.e), g = solve("glocker", &q, q.e);
    if (n.status || n.flags & IMPACT_STUCK || n.v[0] * q.v[0] <= 0) continue;
    if (o.status || o.flags & IMPACT_STUCK || o.v[0] * q.v[0] <= 0) continue;
    compared++;
    TEST_ASSERT_TRUE(apart(2, n.v, m.v) < 1e-10 && apart(2, o.v, g.v) < 1e-10);
  }
  TEST_ASSERT_TRUE(compared > cases / 10);
}

/* ---- symmetries ---- */

/* the least pivot of W over the normal rows of the contacts that do not part (u_n = 0), whether
 * they press or not: 0 where they depend on each other */
static double normal_pivot(const problem *q, double e, const double *v) {
  int row[MOST], n = 0;
  double A[MOST * MOST], least = INFINITY;
  for (int k = 2; k < q->rows; k += 3)
    if (v[k] + (q->v[k] < 0 ? e * q->v[k] : 0) < 1e-6) row[n++] = k;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) A[i * n + j] = q->W[row[i] * q->rows + row[j]];
  for (int k = 0; k < n && least > 1e-9; k++) {
    least = fmin(least, A[k * n + k]);
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++) A[i * n + j] -= A[i * n + k] * A[k * n + j] / A[k * n + k];
  }
  return least;
}

/* contacts in the opposite order, in units in which W and v are 1e-9 and 1e6 times as large */
static problem reversed(const problem *q) {
  problem r = *q;
  int n = q->rows;
  for (int k = 0; k < n; k++) {
    int to = (q->nc - 1 - k / 3) * 3 + k % 3;
    r.v[to] = 1e6 * q->v[k];
    for (int j = 0; j < n; j++)
      r.W[((q->nc - 1 - j / 3) * 3 + j % 3) * n + to] = 1e-9 * q->W[j * n + k];
  }
  return r;
}

/* the tangents of each contact turned by 0.7 */
static void turn(int n, double *x) {
  double C = cos(0.7), S = sin(0.7);
  for (int k = 0; k < n; k += 3) {
    double a = x[k], b = x[k + 1];
    x[k] = C * a - S * b, x[k + 1] = S * a + C * b;
  }
}

static problem turned(const problem *q) {
  problem t = *q;
  int n = q->rows;
  for (int twice = 0; twice < 2; twice++) { /* columns, then rows */
    for (int j = 0; j < n; j++) turn(n, t.W + j * n);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < j; i++) {
        double swap = t.W[j * n + i];
        t.W[j * n + i] = t.W[i * n + j], t.W[i * n + j] = swap;
      }
  }
  for (int j = 0; j < n; j++)
    for (int i = 0; i < j; i++) t.W[j * n + i] = t.W[i * n + j];
  turn(n, t.v);
  return t;
}

/* how far apart the velocities are, the second ones of the problem reversed or turned */
static double moved(const problem *q, const answer *a, int way) {
  problem other = way ? turned(q) : reversed(q);
  answer b = solve("moreau", &other, 0.5);
  double v[ROWS];
  TEST_ASSERT_EQUAL_INT(CORE_OK, b.status);
  memcpy(v, a->v, sizeof v);
  if (way) turn(q->rows, v);
  for (int k = 0; k < q->rows && !way; k++)
    v[k] = a->v[k] - 1e-6 * b.v[(q->nc - 1 - k / 3) * 3 + k % 3];
  for (int k = 0; k < q->rows && way; k++) v[k] -= b.v[k];
  double most = 0;
  for (int k = 0; k < q->rows; k++) most = fmax(most, fabs(v[k]));
  return most;
}

/* The order of contacts, units and the direction of tangents change nothing, up to 8 contacts and
 * mu 0.6, as long as the normal rows of the contacts that do not part are independent of each
 * other. Where they are not, loads can be shared in many ways, friction follows the loads, and
 * sliding contacts with different directions turn other loads into another velocity: a whole
 * segment of answers, of which one is given (and hit.unique does not say that it is the only one).
 * A few problems have isolated answers besides. */
static void symmetries_change_nothing(void) {
  uint64_t seed = 16;
  int compared = 0, several = 0;
  for (int i = 0; i < cases; i++) {
    problem q = random_body(&seed, 3, MOST, between(&seed, 0, 0.6));
    answer a = solve("moreau", &q, 0.5);
    double least = a.status ? 0 : normal_pivot(&q, 0.5, a.v);
    if (least < 1e-6) continue;
    for (int way = 0; way < 2; way++) {
      double far = moved(&q, &a, way);
      compared++;
      several += far > 1e-6;
      TEST_ASSERT_TRUE(far > 1e-6 || far <= 1e-14 / least + 1e-12);
    }
  }
  printf("%d symmetries, %d with several answers\n", compared, several);
  TEST_ASSERT_TRUE(compared > cases && several <= compared / 1000);
}

/* a box that slides on its four corners and turns: its normal rows are dependent, and the loads
 * {1, -1, -1, 1} t on top of the answer's, with friction along, are answers as well */
static void loads_that_are_shared_otherwise_are_another_velocity(void) {
  problem q = {.nc = 4, .dim = 3, .rows = 12, .mu = {0.2, 0.2, 0.2, 0.2}};
  double J[12][6] = {{0}}, u[6] = {1.5, 0.3, -1, 0, 0, 0.6};
  for (int i = 0; i < 12; i++) {
    int c = i / 3, k = i % 3, b = (k + 1) % 3, d = (k + 2) % 3;
    double r[3] = {c % 2 ? 1 : -1, c / 2 ? 1 : -1, 0};
    J[i][k] = 1, J[i][3 + b] = r[d], J[i][3 + d] = -r[b];
    for (int x = 0; x < 6; x++) q.v[i] += J[i][x] * u[x];
  }
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++)
      for (int x = 0; x < 6; x++) q.W[j * 12 + i] += J[i][x] * J[j][x] * (x < 3 ? 1 : 2);
  answer a = solve("moreau", &q, 0);
  TEST_ASSERT_EQUAL_INT(CORE_OK, a.status);
  TEST_ASSERT_TRUE(normal_pivot(&q, 0, a.v) < 1e-12);
  double p[12], v[12];
  static const double share[4] = {1, -1, -1, 1};
  memcpy(p, a.p, sizeof p), memcpy(v, a.v, sizeof v);
  for (int round = 0; round < 400; round++) { /* friction against the slip that it makes */
    for (int c = 0; c < 4; c++) {
      double speed = hypot(v[3 * c], v[3 * c + 1]), n = a.p[3 * c + 2] + 0.02 * share[c];
      p[3 * c] = -0.2 * n * v[3 * c] / speed, p[3 * c + 1] = -0.2 * n * v[3 * c + 1] / speed;
      p[3 * c + 2] = n;
    }
    for (int i = 0; i < 12; i++) {
      v[i] = q.v[i];
      for (int j = 0; j < 12; j++) v[i] += q.W[j * 12 + i] * p[j];
    }
  }
  TEST_ASSERT_TRUE(residual(&q, 0, p) < 1e-14);
  TEST_ASSERT_TRUE(apart(12, v, a.v) > 1e-3);
}

/* both feet of a box cannot stick where their rows contradict each other in the last digits: one of
 * them creeps, and that answer is found */
static void glocker_solves_stacks_whose_feet_differ_in_the_last_digits(void) {
  for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
    law *l = law_from("glocker", "mu", stacks[i].mu, "e", stacks[i].e, NULL);
    double p[ROWS], v[ROWS];
    impact_problem pr = {.nc = stacks[i].nc, .dim = 2, .rows = stacks[i].rows};
    pr.W = stacks[i].W, pr.v = stacks[i].v;
    impact_result r = {.p = p, .v = v};
    core_scratch s;
    core_scratch_init(&s);
    TEST_ASSERT_EQUAL_INT(CORE_OK, law_solve(l, &pr, &s, NULL, &r, NULL));
    double fast = 0;
    for (int k = 0; k < pr.rows; k++) fast = fmax(fast, fabs(pr.v[k]));
    for (int c = 0; c < pr.nc; c++) {
      TEST_ASSERT_TRUE(v[2 * c + 1] >= -1e-12 * fast);
      TEST_ASSERT_TRUE(fabs(p[2 * c]) <= stacks[i].mu * p[2 * c + 1] * (1 + 1e-11) + 1e-18);
    }
    core_scratch_free(&s);
    law_free(l);
  }
}

/* a hoop that grips: with e = e_t = 1 all of its spin comes back; with e_t = 0 none */
static void glocker_returns_the_friction_it_stored(void) {
  for (int e_t = 0; e_t < 2; e_t++) {
    law *l = law_from("glocker", "mu", 5.0, "e", 1.0, "e_t", (double)e_t, NULL);
    double W[4] = {2, 0, 0, 1}, v[2] = {0.7, -1};
    hit h = solve_with(l, 1, 2, W, v, NULL, -1);
    TEST_ASSERT_EQUAL_INT(CORE_OK, h.r.status);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, e_t ? -0.7 : 0, h.v[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1, h.v[1]);
    law_free(l);
  }
}

/* one planar contact from b: p_n, with friction where it makes v_t nearest to 0 between -back - mu
 * p_n and mu p_n + back, and v_n; back: what the limits are moved by along d */
static double normal_after(const double *W, const double *b, double mu, const double limit[2],
                           double n, double *t) {
  double want = -(b[0] + W[2] * n) / W[0], extra = mu * (n - limit[1]);
  double low = limit[0] - extra, high = mu * limit[1] + extra;
  *t = fmin(fmax(want, low), high);
  return b[1] + W[1] * *t + W[3] * n;
}

/* least p_n >= least with v_n >= 0, by bisection (W_nn > mu |W_tn|: v_n grows with p_n) */
static void by_bisection(const double *W, const double *b, double mu, const double limit[2],
                         double p[2]) {
  double from = limit[1], to = limit[1] + 100;
  if (normal_after(W, b, mu, limit, from, &p[0]) >= 0) to = from;
  for (int i = 0; i < 200 && to > from; i++) {
    double middle = (from + to) / 2;
    if (normal_after(W, b, mu, limit, middle, &p[0]) >= 0)
      to = middle;
    else
      from = middle;
  }
  p[1] = to;
  normal_after(W, b, mu, limit, to, &p[0]);
}

/* compression, then restitution whose friction along that of compression is at least
 * e_t e (|p_c,t| + mu p_c,n) - mu e p_c,n: the statement of the help, by bisection */
static void tangential_restitution_is_what_the_help_says(void) {
  uint64_t seed = 31;
  for (int i = 0; i < cases / 2; i++) {
    double mu = between(&seed, 0.05, 0.8), e = between(&seed, 0, 1), e_t = between(&seed, 0, 1);
    double W[4] = {between(&seed, 0.5, 3), between(&seed, -1, 1), 0, 1}, p_c[2], p[2], b[2];
    W[2] = W[1] *= 0.9 * fmin(sqrt(W[0]), 1 / mu);
    double v[2] = {between(&seed, -1, 1), -1}, none[2] = {0, 0};
    by_bisection(W, v, mu, none, p_c);
    for (int k = 0; k < 2; k++) b[k] = v[k] + W[k] * p_c[0] + W[2 + k] * p_c[1];
    double s = p_c[0] < 0 ? -1 : 1, low = e * p_c[1];
    double limit[2] = {e_t * e * (fabs(p_c[0]) + mu * p_c[1]) - mu * low, low};
    double turned_W[4] = {W[0], s * W[1], s * W[2], W[3]}, turned_b[2] = {s * b[0], b[1]};
    by_bisection(turned_W, turned_b, mu, limit, p);
    law *l = law_from("glocker", "mu", mu, "e", e, "e_t", e_t, NULL);
    hit h = solve_with(l, 1, 2, W, v, NULL, -1);
    TEST_ASSERT_EQUAL_INT(CORE_OK, h.r.status);
    TEST_ASSERT_DOUBLE_WITHIN(1e-11, p_c[0] + s * p[0], h.p[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-11, p_c[1] + p[1], h.p[1]);
    law_free(l);
  }
}

/* the case of the help: slip that turns makes 0.098 J */
static void moreau_says_when_it_creates_energy(void) {
  law *l = law_from("moreau", "mu", 0.3, "e", 1.0, NULL);
  double W[4] = {1, 0.6, 0.6, 1}, v[2] = {-0.5, -1};
  hit h = solve_with(l, 1, 2, W, v, NULL, -1);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 2 / 0.82, h.p[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, -0.5 + 0.3 * 2 / 0.82, h.v[0]);
  TEST_ASSERT_TRUE(h.r.flags & IMPACT_GAINS_ENERGY);
  law_free(l);
}

void setUp(void) {
}

void tearDown(void) {
}

int main(int argc, char **argv) {
  if (argc > 1) cases = atoi(argv[1]);
  UNITY_BEGIN();
  RUN_TEST(without_restitution_energy_never_rises_and_glocker_is_moreau);
  RUN_TEST(without_friction_and_restitution_it_is_the_plastic_law);
  RUN_TEST(one_contact_that_slides_through_agrees_with_the_path_laws);
  RUN_TEST(symmetries_change_nothing);
  RUN_TEST(loads_that_are_shared_otherwise_are_another_velocity);
  RUN_TEST(glocker_solves_stacks_whose_feet_differ_in_the_last_digits);
  RUN_TEST(glocker_returns_the_friction_it_stored);
  RUN_TEST(tangential_restitution_is_what_the_help_says);
  RUN_TEST(moreau_says_when_it_creates_energy);
  return UNITY_END();
}
