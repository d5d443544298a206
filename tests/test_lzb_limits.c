/* Contacts of law.lzb that come to the limits of their friction, depend on each other, or open with
 * nothing left to give: stored states, against small steps in time and rows of balls without
 * friction, which share no code with it. */
#include "law_help.h"

enum { MOST = 8, ROWS = 2 * MOST };

/* what law.lzb promises: velocities and impulses to 1e-10, ledgers to 1e-12 */
static const double PROMISE = 1e-10, LEDGER = 1e-12;

typedef struct problem {
  int nc;
  double e, mu, v[ROWS], W[ROWS * ROWS]; /* rows t, n; K = 1, Hertz contacts */
} problem;

/* ---- small steps in time ---- */

/* Steps, of the time in which the fastest row goes through one length; the error of a step that is
 * cut at an event is of first order, so that a quarter of it makes a quarter of the error, of which
 * chance leaves a third at most. */
static const double STEP = 1e-4;

/* friction by projections, one contact after the other, from the impulses P on, until they move
 * velocities by less than a hundredth of PROMISE */
static void friction_of_step(const problem *q, double *P, double *V) {
  int n = 2 * q->nc;
  double moved = 1;
  for (int turn = 0; turn < 20000 && moved > PROMISE / 100; turn++) {
    moved = 0;
    for (int t = 0; t < n; t += 2) {
      double w = q->W[t * n + t], most = q->mu * P[t + 1];
      double by = fmin(fmax(P[t] - V[t] / w, -most), most) - P[t];
      P[t] += by;
      for (int r = 0; r < n; r++) V[r] += q->W[t * n + r] * by;
      moved = fmax(moved, w * fabs(by));
    }
  }
}

static double press(const problem *q, double x, double v, double h) {
  return x > 0 && v > 0 ? fmax(0, x - h * v / (q->e * q->e)) : x - h * v;
}

static void step_in_time(const problem *q, double h, double *v) {
  int n = 2 * q->nc, loaded = 1;
  double x[MOST] = {0}, P[ROWS] = {0};
  memcpy(v, q->v, sizeof q->v);
  for (long k = 0; loaded && k < 10000000; k++) {
    loaded = 0;
    for (int c = 0; c < q->nc; c++) {
      loaded |= x[c] > 0 || v[2 * c + 1] < -PROMISE;
      x[c] = press(q, x[c], v[2 * c + 1], h / 2);
      P[2 * c + 1] = x[c] > 0 ? h * x[c] * sqrt(x[c]) : 0;
      if (P[2 * c + 1] == 0) P[2 * c] = 0;
    }
    for (int j = 0; j < n; j++)
      for (int r = 0; r < n; r++) v[r] += q->W[j * n + r] * P[j];
    friction_of_step(q, P, v);
    for (int c = 0; c < q->nc; c++) x[c] = press(q, x[c], v[2 * c + 1], h / 2);
  }
}

/* an error of first order in h, and a ledger that closes */
static void is_small_steps(const problem *q, double max_events) {
  law *l = law_from("lzb", "e", q->e, "mu", q->mu, "max_events", max_events, NULL);
  hit h = solve_with(l, q->nc, 2, q->W, q->v, NULL, -1);
  double v[ROWS], off[2] = {0}, work = 0;
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, h.r.status, h.err.text);
  for (int i = 0; i < h.rows; i++) work += h.p[i] * (q->v[i] + h.v[i]) / 2;
  TEST_ASSERT_DOUBLE_WITHIN(LEDGER, -work, h.r.lost_restitution + h.r.lost_friction + h.r.stored);
  for (int k = 0; k < 2; k++) {
    step_in_time(q, k ? STEP / 4 : STEP, v);
    for (int i = 0; i < h.rows; i++) off[k] = fmax(off[k], fabs(v[i] - h.v[i]));
  }
  TEST_ASSERT_TRUE(off[1] < STEP);
  TEST_ASSERT_TRUE(off[1] < off[0] / 3);
  law_free(l);
}

/* ---- stored states ---- */

/* Four points of one body, of round numbers, come to their limits at the same moment: three slide
 * off about the second, which stays. A share of all, a moment too soon, let it slide too, against
 * its direction, and it lost that speed without an impulse: the ledger was open by 6e-9 J. */
static void all_come_to_their_limits_at_once(void) {
  static const problem q = {4,
                            0.5,
                            1,
                            {1, -1, 0.25, -1.5, 0.5, -1, 0.75, -1},
                            {3, 0, 0,   -2, 1, 0, 2,   0, 0,  1, 0, 1, 0, 1, 0,  1,
                             0, 0, 1.5, 1,  1, 0, 0.5, 0, -2, 1, 1, 3, 0, 1, -1, 1,
                             1, 0, 1,   0,  1, 0, 1,   0, 0,  1, 0, 1, 0, 1, 0,  1,
                             2, 0, 0.5, -1, 1, 0, 1.5, 0, 0,  1, 0, 1, 0, 1, 0,  1}};
  is_small_steps(&q, 100);
}

/* Three points that stick, two of them on one level, of which one opens sooner: a new share of all
 * brought it to its limit again, ever sooner, 3,000 times and more before they slid. */
static void one_stays_at_its_limit_while_others_hold(void) {
  static const problem q = {
      3, 0.5, 1, {-0.5, -1.5, 0.5, -1, 0.5, -1.5}, {3, 1, 1, 0, 1, 1, 1, 1.5, 0, 1, 0, 1.5,
                                                    1, 0, 1, 0, 1, 0, 0, 1,   0, 1, 0, 1,
                                                    1, 0, 1, 0, 1, 0, 1, 1.5, 0, 1, 0, 1.5}};
  is_small_steps(&q, 50);
}

/* ---- one contact ---- */

/* Slip told at the last moment before a contact opens, of rounding, made `stuck` false for nine of
 * ten that stuck. One contact is Stronge's, whose law says it too. */
static void what_sticks_to_its_end_says_so(void) {
  static const double W[2][4] = {{3.5, 0, 0, 1}, {2, 0.7, 0.7, 1}}, e[] = {0.3, 0.5, 0.9, 1};
  static const double v[3][2] = {
      {0.1, -1}, {0, -1}, {9, -1}}; /* stops, stands, slides to the end */
  for (int i = 0; i < 2 * 3 * 4; i++) {
    law *l[2];
    hit h[2];
    for (int k = 0; k < 2; k++) {
      l[k] = law_from(k ? "stronge" : "lzb", "e", e[i / 6], "mu", 0.6, NULL);
      h[k] = solve_with(l[k], 1, 2, W[i % 2], v[i / 2 % 3], NULL, -1);
      TEST_ASSERT_EQUAL_INT(CORE_OK, h[k].r.status);
      law_free(l[k]);
    }
    TEST_ASSERT_EQUAL_UINT(h[1].r.flags & IMPACT_STUCK, h[0].r.flags & IMPACT_STUCK);
    for (int r = 0; r < 2; r++) TEST_ASSERT_DOUBLE_WITHIN(PROMISE, h[1].v[r], h[0].v[r]);
  }
}

/* ---- in space ---- */

enum { BALLS = 9, CHAIN = BALLS - 1 };

/* rows of a row of balls that do not turn, `dim` for each contact; the last one is the normal */
static core_status solve_row(int dim, double max_events, double *p) {
  static double W[9 * CHAIN * CHAIN], v[3 * CHAIN], after[3 * CHAIN];
  int rows = dim * CHAIN;
  for (int i = 0; i < rows; i++) {
    v[i] = i == dim - 1 ? -1 : 0;
    for (int j = 0; j < rows; j++) W[j * rows + i] = i == j ? 2 : abs(i - j) == dim ? -1 : 0;
  }
  law *l = law_from("lzb", "e", 0.289, "mu", 0.624, "max_events", max_events, NULL);
  impact_problem pr = {.nc = CHAIN, .dim = dim, .rows = rows, .W = W, .v = v};
  impact_result r = {.p = p, .v = after};
  core_scratch s;
  core_scratch_init(&s);
  core_status status = law_solve(l, &pr, &s, NULL, &r, NULL);
  core_scratch_free(&s);
  law_free(l);
  return status;
}

/* Friction has nothing to do between balls in a row. The margin of one that opens, mu^2 F^2, has a
 * root of order six there, which rounding spread: five events that were none for each that was. */
static void what_has_nothing_left_to_give_does_not_slip(void) {
  double line[CHAIN], space[3 * CHAIN];
  TEST_ASSERT_EQUAL_INT(CORE_OK, solve_row(1, 2500, line));
  TEST_ASSERT_EQUAL_INT(CORE_OK, solve_row(3, 2500, space));
  for (int c = 0; c < CHAIN; c++) TEST_ASSERT_DOUBLE_WITHIN(PROMISE, line[c], space[3 * c + 2]);
}

static void count(void *self, const impact_sample *s) {
  (void)s;
  ++*(long *)self;
}

/* rows x, y, z of a point at r: v + omega x r */
static void rows_of(const double *r, double (*J)[6]) {
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    J[a][a] = 1, J[a][3 + b] = r[c], J[a][3 + c] = -r[b];
  }
}

/* Slip of several points sets out, so slow that it has no direction yet: steps were a thousandth of
 * what they may be, none of them an end of it (6,600 of them in 4 s). Samples count the steps. */
static void slip_that_sets_out_goes_on(void) {
  static const double r[5][3] = {
      {0.5, 0, 0.5}, {-1, -0.5, 1}, {-1, 0, -0.5}, {0, -1, 1}, {0.5, 0, -0.5}};
  static const double u[6] = {1, 0.5, -2.5, 0, 0.5, 0};
  double J[15][6] = {{0}}, W[15 * 15] = {0}, v[15] = {0}, p[15], after[15];
  long steps = 0;
  for (int c = 0; c < 5; c++) rows_of(r[c], J + 3 * c);
  for (int i = 0; i < 15; i++)
    for (int k = 0; k < 6; k++) {
      v[i] += J[i][k] * u[k];
      for (int j = 0; j < 15; j++) W[j * 15 + i] += J[i][k] * J[j][k] * (k < 3 ? 1 : 2);
    }
  law *l = law_from("lzb", "e", 0.5, "mu", 1.0, NULL);
  impact_problem pr = {.nc = 5, .dim = 3, .rows = 15, .W = W, .v = v};
  impact_result result = {.p = p, .v = after};
  impact_sink sink = {.self = &steps, .per_phase = 1, .sample = count};
  core_scratch s;
  core_scratch_init(&s);
  TEST_ASSERT_EQUAL_INT(CORE_OK, law_solve(l, &pr, &s, &sink, &result, NULL));
  TEST_ASSERT_TRUE(steps < 2000);
  core_scratch_free(&s);
  law_free(l);
}

/* solves by law l, which it frees, and closes the ledger */
static void solve_space(law *l, int nc, const double *W, const double *v, double *after) {
  double p[3 * MOST], work = 0;
  impact_problem pr = {.nc = nc, .dim = 3, .rows = 3 * nc, .W = W, .v = v};
  impact_result r = {.p = p, .v = after};
  core_scratch s;
  core_scratch_init(&s);
  TEST_ASSERT_EQUAL_INT(CORE_OK, law_solve(l, &pr, &s, NULL, &r, NULL));
  for (int i = 0; i < pr.rows; i++) work += p[i] * (v[i] + after[i]) / 2;
  TEST_ASSERT_DOUBLE_WITHIN(LEDGER, -work, r.lost_restitution + r.lost_friction + r.stored);
  core_scratch_free(&s);
  law_free(l);
}

/* Three points, of which two slide on and the first lands anew many times as it comes to rest, in
 * 600 events; short steps made thousands of them. */
static void what_comes_to_rest_by_many_landings_ends(void) {
  static const double half[9][9] = {
      {51.645},
      {7.391, 33.281},
      {-12.569, 3.274, 33.042},
      {0.45, -15.233, -13.719, 33.382},
      {-29.015, -10.499, 18.426, 5.895, 34.088},
      {-10.752, 0.305, 3.402, 2.811, 10.849, 30.797},
      {4.543, 1.394, 6.722, 2.265, -5.709, -7.982, 16.528},
      {-0.809, 2.583, -35.03, 9.322, -18.578, -7.509, -7.687, 48.17},
      {-16.283, -13.408, -8.277, 8.832, 10.701, 6.034, -6.826, 8.073, 20.252},
  };
  static const double v[9] = {-0.147, 0.052, -0.314, 0.513, 0.696, -0.413, -0.284, -0.649, -0.108};
  double W[81], after[9];
  for (int i = 0; i < 9; i++)
    for (int j = 0; j <= i; j++) W[9 * i + j] = W[9 * j + i] = half[i][j];
  solve_space(law_from("lzb", "e", 0.081, "mu", 0.707, "max_events", 1500.0, NULL), 3, W, v, after);
}

/* Four points of a body of round numbers. The velocities are those of steps of a thousandth while
 * slip sets out; steps that go on by its first direction are off by 8e-10. */
static void slip_that_sets_out_ends_where_it_turns(void) {
  static const double W[144] = {
      1.5, 0,   0,  2, 0.5, 0,    2,   0.5, 0,    1, 0.5, 0,    0,    1,   0,   0, 1,   0,
      0,   1,   0,  0, 1,   0,    0,   0,   1.5,  0, 0,   2,    0,    0.5, 2,   0, -1,  1,
      2,   0,   0,  3, 1,   0,    3,   1,   0,    1, 1,   0,    0.5,  1,   0,   1, 1.5, 0,
      1,   1.5, 0,  0, 1.5, 0,    0,   0,   2,    0, 0,   3.5,  -0.5, 1,   3.5, 1, -2,  1.5,
      2,   0,   0,  3, 1,   -0.5, 3.5, 1,   -0.5, 0, 1,   -0.5, 0.5,  1,   0.5, 1, 1.5, 1,
      1,   2,   1,  0, 0.5, 0,    0,   0,   2,    0, 0,   3.5,  -0.5, 1,   3.5, 1, -2,  1.5,
      1,   0,   0,  1, 0,   1,    0,   0,   1,    3, 0,   1,    0.5,  1,   -1,  1, 1.5, -2,
      1,   0.5, -2, 0, 3.5, 0,    0,   0,   1,    0, 0,   1.5,  -0.5, 0,   1.5, 1, 0,   1.5};
  static const double v[12] = {-0.5, 0.5, -2.75, -0.5, 0.5, -2.25, -0.75, 0.75, -2.25, 0, 0, -2.75};
  static const double expected[12] = {-0.04756402794306, 0.1705797708848, 2.036951177178,
                                      0.417791589518,    0.6359353883458, 4.057111662275,
                                      -0.5373162036662,  1.700988080259,  4.057111662275,
                                      1.397295940964,    -1.49416999548,  1.92700627845};
  double after[12];
  solve_space(law_from("lzb", "e", 1.0, "mu", 0.5, NULL), 4, W, v, after);
  for (int i = 0; i < 12; i++) TEST_ASSERT_DOUBLE_WITHIN(PROMISE, expected[i], after[i]);
}

void setUp(void) {
}

void tearDown(void) {
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(all_come_to_their_limits_at_once);
  RUN_TEST(one_stays_at_its_limit_while_others_hold);
  RUN_TEST(what_sticks_to_its_end_says_so);
  RUN_TEST(what_has_nothing_left_to_give_does_not_slip);
  RUN_TEST(slip_that_sets_out_goes_on);
  RUN_TEST(what_comes_to_rest_by_many_landings_ends);
  RUN_TEST(slip_that_sets_out_ends_where_it_turns);
  return UNITY_END();
}
