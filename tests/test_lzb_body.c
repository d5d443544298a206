/* law.lzb at several points of one body in space, whose tangents depend on each other: against
 * small steps in time and law.compliant with stiff tangents, which share no code with it. */
#include "lzb_space.h"

/* corners below a box; any points of its lower side; any normals too */
enum { BOX, POINTS, NORMALS, KINDS };

static void cross(const double *a, const double *b, double *c) {
  for (int k = 0; k < 3; k++)
    c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* rows t1, t2, n of a point at r with the normal N */
static void rows_of(const double *r, const double *N, double J[3][6]) {
  double T[3] = {1, 0, 0}, S[3], x[3];
  cross(N, T, S);
  double l = sqrt(S[0] * S[0] + S[1] * S[1] + S[2] * S[2]);
  for (int k = 0; k < 3; k++) S[k] /= l;
  cross(S, N, T);
  const double *d[3] = {T, S, N};
  for (int t = 0; t < 3; t++) {
    cross(r, d[t], x);
    for (int k = 0; k < 3; k++) J[t][k] = d[t][k], J[t][3 + k] = x[k];
  }
}

/* v = J u, W = J M^-1 J^T */
static void assemble(problem *q, double J[][6], const double *inverse, const double *u) {
  int n = 3 * q->nc;
  for (int i = 0; i < n; i++) {
    q->v[i] = 0;
    for (int k = 0; k < 6; k++) q->v[i] += J[i][k] * u[k];
    for (int j = 0; j < n; j++) {
      q->W[j * n + i] = 0;
      for (int k = 0; k < 6; k++) q->W[j * n + i] += J[i][k] * J[j][k] * inverse[k];
    }
  }
}

static void random_material(uint64_t *seed, problem *q) {
  int equal = fair(seed) < 0.4;
  double e = fair(seed), mu = between(seed, 0.1, 1.5), end = fair(seed);
  if (end < 0.3) e = end < 0.15 ? 0 : 1;
  q->exponent = fair(seed) < 0.5 ? 1 : 1.5;
  for (int i = 0; i < q->nc; i++) {
    q->e[i] = equal || end < 0.3 ? e : fair(seed);
    q->mu[i] = equal ? mu : between(seed, 0.1, 1.5);
    q->K[i] = equal ? 1 : exp(between(seed, -1, 1));
  }
}

static void random_body(uint64_t *seed, int kind, problem *q) {
  double a = between(seed, 0.05, 0.15), b = between(seed, 0.05, 0.15),
         c = between(seed, 0.05, 0.15);
  double inverse[6] = {1, 1, 1, 3 / (b * b + c * c), 3 / (a * a + c * c), 3 / (a * a + b * b)};
  double J[ROWS][6], u[6];
  int flat = fair(seed) < 0.5;
  for (int i = 0; i < 6; i++) u[i] = between(seed, -1, 1) * (i < 3 ? 1 : 10);
  u[2] = between(seed, -1, -0.2);
  if (kind != NORMALS && flat) u[3] = u[4] = 0;
  q->nc = kind == BOX ? 4 : 2 + (int)(fair(seed) * 7);
  for (int i = 0; i < q->nc; i++) {
    double r[3] = {i & 1 ? a : -a, i & 2 ? b : -b, -c}, N[3] = {0, 0, 1};
    if (kind != BOX) r[0] = between(seed, -a, a), r[1] = between(seed, -b, b);
    if (kind == NORMALS) {
      r[2] = between(seed, -c, 0), N[0] = between(seed, -0.7, 0.7), N[1] = between(seed, -0.7, 0.7);
      double l = sqrt(1 + N[0] * N[0] + N[1] * N[1]);
      for (int k = 0; k < 3; k++) N[k] /= l;
    }
    rows_of(r, N, &J[3 * i]);
  }
  assemble(q, J, inverse, u);
  random_material(seed, q);
}

static double fastest(const problem *q) {
  double most = 0;
  for (int k = 0; k < 3 * q->nc; k++) most = fmax(most, fabs(q->v[k]));
  return most;
}

static int approaches(const problem *q) {
  for (int c = 0; c < q->nc; c++)
    if (q->v[3 * c + 2] < -1e-6) return 1;
  return 0;
}

/* bodies that ended in `limit` (one in five that fell flat): points that stick share forces and
 * stop together, and slide off together. Impulses may be shared otherwise: the motion is the same.
 */
static void points_of_one_body_find_an_end(void) {
  uint64_t seed = 4;
  for (int i = 0; i < 450; i++) {
    problem q;
    answer h;
    random_body(&seed, i % KINDS, &q);
    if (!approaches(&q)) continue;
    solve(&q, &h);
    TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, h.r.status, h.err.text);
    TEST_ASSERT_EQUAL_UINT(0, h.r.flags & IMPACT_OPEN_LEDGER);
    ledger_closes(&q, &h);
    for (int c = 0; c < q.nc; c++) {
      const double *p = h.p + 3 * c;
      TEST_ASSERT_TRUE(h.v[3 * c + 2] > -1e-10 * fastest(&q));
      TEST_ASSERT_TRUE(hypot(p[0], p[1]) <= q.mu[c] * p[2] * (1 + 1e-6) + 1e-10);
    }
  }
}

/* contacts in another order */
static void shift(const problem *q, int by, problem *to) {
  int n = 3 * q->nc;
  *to = *q;
  for (int k = 0; k < n; k++) {
    int from = (k + 3 * by) % n;
    to->v[k] = q->v[from];
    for (int j = 0; j < n; j++) to->W[j * n + k] = q->W[(j + 3 * by) % n * n + from];
    to->e[k / 3] = q->e[from / 3], to->mu[k / 3] = q->mu[from / 3], to->K[k / 3] = q->K[from / 3];
  }
}

static void order_and_tangents_of_one_body_may_be_any(void) {
  uint64_t seed = 5;
  for (int i = 0; i < 90; i++) {
    problem q, turned, other;
    answer x, y;
    double angle[MOST];
    random_body(&seed, i % KINDS, &q);
    int by = 1 + i % (q.nc - 1);
    for (int c = 0; c < q.nc; c++) angle[c] = between(&seed, 0, 6.3);
    turn(&q, angle, &turned);
    shift(&turned, by, &other);
    if (!approaches(&q)) continue;
    solve(&q, &x), solve(&other, &y);
    TEST_ASSERT_EQUAL_INT(x.r.status, y.r.status);
    for (int c = 0; c < q.nc; c++) {
      double v[3];
      int from = (c + by) % q.nc;
      turn_back(y.v + 3 * c, angle[from], v);
      for (int k = 0; k < 3; k++)
        TEST_ASSERT_DOUBLE_WITHIN(1e-8 * fastest(&q), x.v[3 * from + k], v[k]);
    }
  }
}

/* ---- small steps in time ---- */

/* friction of one step: the convex problem by projections, one contact after the other, from the
 * impulses P on; V: velocities with them */
static void friction_of_step(const problem *q, const double *limit, double *P, double *V) {
  int n = 3 * q->nc;
  double moved = 1;
  for (int turn = 0; turn < 20000 && moved > 1e-11; turn++) {
    moved = 0;
    for (int c = 0; c < q->nc; c++) {
      int i = 3 * c;
      double w = q->W[i * n + i] + q->W[(i + 1) * n + i + 1];
      double a = P[i] - V[i] / w, b = P[i + 1] - V[i + 1] / w, size = hypot(a, b);
      if (size > limit[c]) a *= limit[c] / size, b *= limit[c] / size;
      a -= P[i], b -= P[i + 1];
      P[i] += a, P[i + 1] += b;
      for (int r = 0; r < n; r++) V[r] += q->W[i * n + r] * a + q->W[(i + 1) * n + r] * b;
      moved = fmax(moved, w * hypot(a, b));
    }
  }
}

/* how a deflection moves in the time h */
static double press(const problem *q, int c, double x, double v, double h) {
  double e = q->e[c];
  if (x > 0 && v > 0) return e < 1e-9 ? 0 : fmax(0, x - h * v / (e * e));
  return x - h * v;
}

static void step_in_time(const problem *q, double h, double *v) {
  int n = 3 * q->nc, loaded = 1;
  double x[MOST] = {0}, P[ROWS] = {0}, limit[MOST];
  memcpy(v, q->v, sizeof q->v);
  for (long k = 0; loaded && k < 10000000; k++) {
    loaded = 0;
    for (int c = 0; c < q->nc; c++) {
      if (x[c] > 0 || v[3 * c + 2] < -1e-9) loaded = 1;
      x[c] = press(q, c, x[c], v[3 * c + 2], h / 2);
      double f = x[c] > 0 ? h * q->K[c] * pow(x[c], q->exponent) : 0;
      limit[c] = q->mu[c] * f;
      if (f == 0) P[3 * c] = P[3 * c + 1] = 0;
      P[3 * c + 2] = f;
    }
    for (int j = 0; j < n; j++)
      for (int r = 0; r < n; r++) v[r] += q->W[j * n + r] * P[j];
    friction_of_step(q, limit, P, v);
    for (int c = 0; c < q->nc; c++) x[c] = press(q, c, x[c], v[3 * c + 2], h / 2);
  }
}

static double distance(const problem *q, const double *a, const double *b) {
  double most = 0;
  for (int k = 0; k < 3 * q->nc; k++) most = fmax(most, fabs(a[k] - b[k]));
  return most / fastest(q);
}

/* An error of first order: four times shorter steps, a distance that is less than a third. With e =
 * 0 contacts are free at a moment inside of a step, and it falls irregularly. */
static void points_of_one_body_are_small_steps_in_time(void) {
  uint64_t seed = 6;
  for (int i = 0; i < 24; i++) {
    problem q;
    answer h;
    double v[ROWS], off[2];
    random_body(&seed, i % KINDS, &q);
    if (!approaches(&q)) continue;
    solve(&q, &h);
    TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, h.r.status, h.err.text);
    for (int k = 0; k < 2; k++)
      step_in_time(&q, k ? 0.5e-4 : 2e-4, v), off[k] = distance(&q, v, h.v);
    TEST_ASSERT_TRUE(off[1] < 2e-4);
    TEST_ASSERT_TRUE(off[1] < off[0] * (q.e[0] > 0 ? 1. / 3 : 0.75));
  }
}

/* Slip that is about to stop, and forces that keep another direction of slip as well, against it:
 * the series of stiff slip took that one, the contact set out and stopped 2,000 times, and the
 * answer was 1e-4 off. */
static void slip_that_stops_does_not_turn_against_itself(void) {
  static const double W[36] = {
      2.1935,  0.0745,  -0.3557, 1.0891,  -0.2392, -0.5310, 0.0745,  1.8167,  0.0702,
      -0.6567, 0.4603,  -0.3756, -0.3557, 0.0702,  0.6851,  -0.4505, -0.4689, -0.6552,
      1.0891,  -0.6567, -0.4505, 1.3576,  0.0094,  0.3123,  -0.2392, 0.4603,  -0.4689,
      0.0094,  1.3785,  1.0547,  -0.5310, -0.3756, -0.6552, 0.3123,  1.0547,  2.1927};
  problem q = {.nc = 2,
               .v = {0.4395, -0.6712, -0.5869, 0.1535, -0.1575, -0.6048},
               .e = {1, 0.5},
               .mu = {0, 1000},
               .K = {0.588, 0.0142},
               .exponent = 1.5};
  answer h;
  double v[ROWS], off[2];
  memcpy(q.W, W, sizeof W);
  solve(&q, &h);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, h.r.status, h.err.text);
  for (int k = 0; k < 2; k++) step_in_time(&q, k ? 2.5e-5 : 1e-4, v), off[k] = distance(&q, v, h.v);
  TEST_ASSERT_TRUE(off[1] < 1e-5);
  TEST_ASSERT_TRUE(off[1] < off[0] / 3);
}

/* ---- stored bodies: a box of mass 1, its speeds, and points of it above a floor ---- */

typedef struct body {
  double half[3], u[6];
  problem q; /* nc, e, mu, K, exponent */
  double r[7][3];
} body;

/* the answer is that of small steps, the nearer the shorter they are: `most` at the shorter ones */
static void body_is_small_steps(const body *b, double most) {
  const double *h = b->half, up[3] = {0, 0, 1};
  double inverse[6] = {1, 1, 1}, J[ROWS][6], v[ROWS], off[2];
  problem q = b->q;
  answer a;
  for (int k = 0; k < 3; k++) {
    double y = h[(k + 1) % 3], z = h[(k + 2) % 3];
    inverse[3 + k] = 3 / (y * y + z * z);
  }
  for (int i = 0; i < q.nc; i++) rows_of(b->r[i], up, &J[3 * i]);
  assemble(&q, J, inverse, b->u);
  solve(&q, &a);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, a.r.status, a.err.text);
  for (int k = 0; k < 2; k++) step_in_time(&q, k ? 5e-5 : 2e-4, v), off[k] = distance(&q, v, a.v);
  TEST_ASSERT_TRUE(off[1] < most);
  TEST_ASSERT_TRUE(off[1] < off[0] / 2);
}

/* Two points stick and one must slide off: the other, which moves with it by less than
 * TOL_LZB_SHARE, was held, and the answer was 5e-4 off (the hundredth in share.c's release). */
static void points_slide_off_with_the_one_that_must(void) {
  static const body b = {{0.1, 0.1, 0.1},
                         {0, -1, -1, -4, -2, 4},
                         {.nc = 2, .e = {1, 1}, .mu = {0.3, 1}, .K = {1, 2}, .exponent = 1},
                         {{0, -0.1, -0.09036}, {-0.05, 0.1, -0.09036}}};
  body_is_small_steps(&b, 2e-6);
}

/* Three points stick, and what loads change is spread by how their friction bends (hold.c): weighed
 * where it hardly bends any more, they slid off too soon, 3e-4 off (LIMIT_LZB_BENT). */
static void points_that_stick_share_what_loads_change(void) {
  static const body b = {
      {0.12, 0.07, 0.1},
      {0, 0, -0.4, -3, -2, -1},
      {.nc = 3, .e = {0.98, 0.3, 1}, .mu = {1, 1, 1}, .K = {2, 1, 0.6}, .exponent = 1.5},
      {{-0.0806, -0.04, -0.0940965}, {0, 0.1, 0}, {0.1, 0, -0.0940965}}};
  body_is_small_steps(&b, 2e-6);
}

/* A body comes to rest along the floor at several points at once, each with a speed of its own
 * until then: stopped one by one they set out again, without end (LIMIT_LZB_TOGETHER). One of some
 * 10,000 random bodies. */
static void points_of_one_body_stop_together(void) {
  static const body b = {{0.094071010871848215, 0.082079759759002585, 0.09696201600964674},
                         {-0.58523414578806521, 0.97241645176243896, -0.9, 7, -10, -8},
                         {.nc = 7,
                          .e = {1, 0, 0.6, 1, 0.4, 0, 0.6},
                          .mu = {1, 0.1, 0, 1.35, 0.40431123148744286, 0, 1},
                          .K = {0.7, 1.58, 0.8, 1.5, 2.2, 0.4, 1},
                          .exponent = 1},
                         {{-0.047409980915636377, -0.08, -0.09696201600964674},
                          {-0.06, 0, -0.09696201600964674},
                          {0.04, -0.07, 0},
                          {-0.092580010609151026, -0.03, -0.09696201600964674},
                          {-0.068287846386736767, -0.022221615996121179, -0.09696201600964674},
                          {0, 0, 0},
                          {0.06, 0.02, -0.09696201600964674}}};
  body_is_small_steps(&b, 1e-5);
}

/* linear springs that give nothing back: law.compliant, the stiffer its tangents the nearer */
static void points_of_one_body_are_springs_with_stiff_tangents(void) {
  uint64_t seed = 9;
  for (int i = 0; i < 12; i++) {
    problem q;
    answer h, c;
    double mu = between(&seed, 0.1, 0.8), last = 0.3;
    random_body(&seed, i % KINDS, &q);
    if (!approaches(&q)) continue;
    solve_by(law_from("lzb", "exponent", 1.0, "mu", mu, NULL), &q, &h);
    TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, h.r.status, h.err.text);
    for (double eta = 0.1; eta > 0.005; eta /= 4) {
      solve_by(law_from("compliant", "mu", mu, "eta", eta, "window", INFINITY, NULL), &q, &c);
      TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, c.r.status, c.err.text);
      double off = distance(&q, c.v, h.v);
      TEST_ASSERT_TRUE(off < last / 3);
      last = off;
    }
  }
}

void setUp(void) {
}

void tearDown(void) {
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(points_of_one_body_find_an_end);
  RUN_TEST(order_and_tangents_of_one_body_may_be_any);
  RUN_TEST(points_of_one_body_are_small_steps_in_time);
  RUN_TEST(slip_that_stops_does_not_turn_against_itself);
  RUN_TEST(points_slide_off_with_the_one_that_must);
  RUN_TEST(points_that_stick_share_what_loads_change);
  RUN_TEST(points_of_one_body_stop_together);
  RUN_TEST(points_of_one_body_are_springs_with_stiff_tangents);
  return UNITY_END();
}
