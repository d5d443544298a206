/* Paper B: its rod and its walker, by modes (law.vibration) and by series (law.compliant), and the
 * two against each other on random points. */
#include "compliant_brute.h"
#include "impact/assemble.h"
#include "model_help.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { BY_MODES, BY_SERIES, LAWS, MOST_EVENTS = 300 };

typedef struct vibration_like {
  core_list k;
  double window;
  int max_events;
  double tolerance;
} vibration_like;

static law *points_law(int which, int n, const double *k, double window) {
  if (which == BY_SERIES) {
    spec q = {.n = n, .window = window, .max_events = MOST_EVENTS};
    for (int i = 0; i < n; i++) q.mu[i] = 0, q.e[i] = q.eta[i] = 1, q.k[i] = k[i];
    return compliant_law(&q);
  }
  const law_type *type = law_find("vibration");
  vibration_like params;
  TEST_ASSERT_EQUAL_UINT(sizeof params, type->schema.size);
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_schema_defaults(&type->schema, &params));
  core_list_set(&params.k, n, k);
  if (window > 0) params.window = window;
  params.max_events = MOST_EVENTS;
  law *l = make_law("vibration", &params);
  core_schema_free(&type->schema, &params);
  return l;
}

/* ---- the rod: Table 1 ---- */

/* G at 1 m from P and 3 m from Q, m = 1, I = 1/3 */
static const double rod_W[4] = {1 + 1 * 3, 1 - 3 * 3, 1 - 3 * 3, 1 + 9 * 3};

typedef struct rod_case {
  double v[2], gap[2], after[2], tol;
  struct {
    impact_event_kind kind;
    int contact, number;
    double ms;
  } phase[8];
  int phases;
} rod_case;

static const rod_case rod_cases[] = {
    {{-1, -1},
     {0, 0},
     {1.1310258925, 0.594929365},
     1e-9,
     {{IMPACT_OPEN, 0, 0, 0.2475}, {IMPACT_OPEN, 1, 0, 0.2752}},
     2},
    {{-1, -1},
     {350e-6, 0},
     {1.2153622611, 0.3203995614},
     1e-9,
     {{IMPACT_OPEN, 1, 0, 0.0594},
      {IMPACT_CLOSE, 0, 0, 0.2335},
      {IMPACT_CLOSE, 1, 0, 0.3586},
      {IMPACT_OPEN, 1, 1, 0.4208},
      {IMPACT_OPEN, 0, 0, 0.5459},
      {IMPACT_CLOSE, 1, 1, 1.2513},
      {IMPACT_OPEN, 1, 2, 1.3106}},
     7},
    {{0, -4},
     {0, 0},
     {0.6298845511, 2.5885729247},
     1e-9,
     {{IMPACT_OPEN, 1, 0, 0.0622},
      {IMPACT_CLOSE, 1, 0, 0.1455},
      {IMPACT_OPEN, 1, 1, 0.211},
      {IMPACT_OPEN, 0, 0, 0.3005}},
     4},
    {{0, -4},
     {250e-6, 0},
     {32 / 49., 124 / 49.},
     1e-13,
     {{IMPACT_OPEN, 1, 0, 0.0594},
      {IMPACT_OPEN, 0, 0, 0.2961},
      {IMPACT_OPEN, 1, 1, 0.4000},
      {IMPACT_OPEN, 0, 1, 0.7872}},
     4},
};

static void test_all_rows_of_the_rod(void) {
  const double k = 1e8;
  for (int which = 0; which < LAWS; which++)
    for (int i = 0; i < 4; i++) {
      const rod_case *r = &rod_cases[i];
      law *l = points_law(which, 1, &k, 0);
      const course *c = run_law(l, 2, 1, rod_W, r->v, r->gap, 10);
      law_free(l);
      TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, c->r.status, c->err.text);
      for (int j = 0; j < 2; j++) ASSERT_NEAR(r->tol, r->after[j], c->v[j]);
      for (int j = 0; j < r->phases; j++) {
        const moment *m = event_of(c, r->phase[j].kind, r->phase[j].contact, r->phase[j].number);
        TEST_ASSERT_DOUBLE_WITHIN(0.6e-7, r->phase[j].ms * 1e-3, m->t);
      }
      ASSERT_BELOW(1e-13, worst_ledger(c, r->v));
      TEST_ASSERT_EQUAL_UINT(r->gap[0] > 0 ? IMPACT_CLOSED_GAP : 0, c->r.flags);
    }
}

/* Fig 5: no overlap, so Newton's rule with e = 1, four times: Q, P, Q, P */
static void test_rod_without_overlap_is_newton_four_times(void) {
  double v[2] = {0, -4};
  for (int turn = 0; turn < 4; turn++) {
    int j = turn % 2 ? 0 : 1;
    double p = -2 * v[j] / rod_W[3 * j];
    for (int i = 0; i < 2; i++) v[i] += rod_W[2 * j + i] * p;
  }
  ASSERT_NEAR(1e-14, 32 / 49., v[0]);
  ASSERT_NEAR(1e-14, 124 / 49., v[1]);
}

/* the printed digits of Table 1, which are cm/s */
static void test_printed_rod_velocities(void) {
  const double printed[4][2] = {{113.10, 59.49}, {121.54, 32.04}, {62.99, 258.86}, {65.31, 253.06}};
  const double k = 1e8;
  for (int i = 0; i < 4; i++) {
    law *l = points_law(BY_MODES, 1, &k, 0);
    const course *c = run_law(l, 2, 1, rod_W, rod_cases[i].v, rod_cases[i].gap, -1);
    law_free(l);
    for (int j = 0; j < 2; j++) TEST_ASSERT_DOUBLE_WITHIN(0.00501, printed[i][j], 100 * c->v[j]);
  }
}

/* ---- the walker with crutches ---- */

static const course *walk(int which, const double *u, const double **v) {
  static impact_setup setup;
  static core_scratch s;
  const double k = 1e9;
  const int both[2] = {0, 1};
  static int made;
  if (made++) core_scratch_free(&s);
  core_scratch_init(&s);
  model *m = MAKE("crutch_walker", {"u", 6, {u[0], u[1], u[2], 0, 0, 0}, 0});
  core_error err = {0};
  double q[6] = {0, 0, 15, 10, 150, -20};
  for (int i = 2; i < 6; i++) q[i] *= M_PI / 180;
  TEST_ASSERT_EQUAL_INT(CORE_OK, impact_assemble(m, q, u, 2, both, &s, &setup, &err));
  const impact_problem *pr = &setup.problem;
  law *l = points_law(which, 1, &k, 0);
  const course *c = run_law(l, 2, 2, pr->W, pr->v, NULL, 10);
  law_free(l);
  model_free(m);
  *v = pr->v;
  return c;
}

static void test_walker_figure_8(void) {
  const double u[6] = {0, 0, 2};
  for (int which = 0; which < LAWS; which++) {
    const double *v;
    const course *c = walk(which, u, &v);
    TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, c->r.status, c->err.text);
    ASSERT_NEAR(1e-5, -2.02654, v[3]);
    ASSERT_NEAR(1e-8, 0.06695438, c->v[1]);
    ASSERT_NEAR(1e-7, 2.0265425, c->v[3]);
    ASSERT_NEAR(1e-13, 0, c->p[1]);
    ASSERT_NEAR(1e-8, 8.89774928, c->p[3]);
    TEST_ASSERT_DOUBLE_WITHIN(0.6e-7, 0.1472e-3, c->r.duration);
    ASSERT_BELOW(1e-13, worst_ledger(c, v));
  }
}

static void test_walker_figure_9(void) {
  const double u[6] = {0, -0.5, 1};
  for (int which = 0; which < LAWS; which++) {
    const double *v;
    const course *c = walk(which, u, &v);
    TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, c->r.status, c->err.text);
    ASSERT_NEAR(1e-5, -1.51327, v[3]);
    ASSERT_NEAR(1e-8, 0.45433145, c->v[1]);
    ASSERT_NEAR(1e-8, 1.78175577, c->v[3]);
    ASSERT_NEAR(1e-8, 38.7616708, c->p[1]);
    ASSERT_NEAR(1e-8, 6.5932643, c->p[3]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.14645e-3, event_of(c, IMPACT_OPEN, 1, 0)->t);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.64253e-3, event_of(c, IMPACT_OPEN, 0, 0)->t);
    ASSERT_BELOW(1e-13, worst_ledger(c, v));
  }
}

/* ---- modes against series ---- */

/* random points: W = J J^T with `velocities` columns, so redundant when there are few */
static void random_points(uint64_t *seed, int n, int velocities, double *W, double *v) {
  double J[ROWS * ROWS];
  for (int i = 0; i < n * velocities; i++) J[i] = between(seed, -1, 1);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      W[j * n + i] = 0;
      for (int k = 0; k < velocities; k++) W[j * n + i] += J[k * n + i] * J[k * n + j];
    }
  memset(v, 0, (size_t)n * sizeof *v);
  for (int k = 0; k < velocities; k++) {
    double u = between(seed, -2, 2);
    for (int i = 0; i < n; i++) v[i] += J[k * n + i] * u;
  }
}

/* 0 when they bounce on and on: then rounding decides how they end */
static int compare_laws(uint64_t *seed, int n, int velocities) {
  double W[ROWS * ROWS], v[ROWS], gap[ROWS], k[ROWS];
  do random_points(seed, n, velocities, W, v);
  while (v[0] > -0.2);
  for (int i = 0; i < n; i++) {
    gap[i] = i && fair(seed) < 0.5 ? between(seed, 0, 1e-4) : 0;
    k[i] = between(seed, 1e7, 1e9);
  }
  const course *got[LAWS];
  for (int which = 0; which < LAWS; which++) {
    law *l = points_law(which, n, k, 1e-3);
    got[which] = keep(run_law(l, n, 1, W, v, gap, -1));
    law_free(l);
  }
  if (got[BY_SERIES]->r.status == CORE_LIMIT) return 0;
  TEST_ASSERT_EQUAL_INT(CORE_OK, got[BY_SERIES]->r.status);
  TEST_ASSERT_EQUAL_INT(CORE_OK, got[BY_MODES]->r.status);
  double size = 0;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(got[BY_SERIES]->p[i]));
  for (int i = 0; i < n; i++)
    TEST_ASSERT_DOUBLE_WITHIN(1e-10 * size, got[BY_SERIES]->p[i], got[BY_MODES]->p[i]);
  return 1;
}

static void test_modes_agree_with_series(void) {
  uint64_t seed = 7;
  for (int n = 1; n <= 6; n++)
    for (int i = 0; i < 30; i++) TEST_ASSERT_TRUE(compare_laws(&seed, n, n + 1));
}

static void test_redundant_points_agree_too(void) {
  uint64_t seed = 8;
  int compared = 0;
  for (int n = 2; n <= 6; n++)
    for (int i = 0; i < 20; i++) compared += compare_laws(&seed, n, (n + 2) / 2);
  TEST_ASSERT_TRUE(compared > 80);
}

/* A table on four legs: three velocities, four points. The springs split the load with the smallest
 * norm, p = W^+ (v+ - v-), and the result says so. */
static void test_redundant_split_has_the_smallest_norm(void) {
  const double x[4] = {1, -1, -1, 1}, y[4] = {1, 1, -1, -1}, k = 1e8;
  double W[16], v[4], change[4], least[4];
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) W[4 * j + i] = 1 + 2 * x[i] * x[j] + 3 * y[i] * y[j];
    v[i] = -2 + 0.1 * x[i] - 0.2 * y[i];
  }
  law *l = points_law(BY_MODES, 1, &k, 0);
  const course *c = run_law(l, 4, 1, W, v, NULL, 5);
  law_free(l);
  const moment *first = event_of(c, IMPACT_OPEN, -1, 0); /* all four touch up to here */
  core_scratch s;
  core_scratch_init(&s);
  int rank;
  for (int i = 0; i < 4; i++) change[i] = first->v[i] - v[i];
  TEST_ASSERT_EQUAL_INT(CORE_OK,
                        core_lin_least_squares(4, 4, W, 1, change, 1e-10, &s, least, &rank));
  TEST_ASSERT_EQUAL_INT(3, rank);
  for (int i = 0; i < 4; i++) ASSERT_NEAR(1e-12, least[i], first->p[i]);
  TEST_ASSERT_EQUAL_UINT(IMPACT_REDUNDANT, c->r.flags);
  core_scratch_free(&s);
}

/* ---- three balls in a line ---- */

/* The middle and right ball touch, the left one arrives; contacts have v_n = v_right - v_left.
 * Equal springs, unit masses: relative motion has frequencies 1 and sqrt(3), and by hand until the
 * first contact opens at 2.4558. */
static void test_three_balls(void) {
  const double W[4] = {2, -1, -1, 2}, v[2] = {-1, 0}, k = 1;
  for (int which = 0; which < LAWS; which++) {
    law *l = points_law(which, 1, &k, 0);
    const course *c = run_law(l, 2, 1, W, v, NULL, 3);
    law_free(l);
    double t = event_of(c, IMPACT_OPEN, 0, 0)->t, r = sqrt(3);
    /* d1 = -(sin t + sin(r t)/r)/2, d2 = (sin(r t)/r - sin t)/2 */
    ASSERT_NEAR(1e-12, 0, (sin(t) + sin(r * t) / r) / 2);
    double left = 1 - c->p[0], middle = c->p[0] - c->p[1], right = c->p[1];
    double u1 = -(cos(t) + cos(r * t)) / 2, d2 = (sin(r * t) / r - sin(t)) / 2;
    double u2 = (cos(r * t) - cos(t)) / 2, out = sqrt(u2 * u2 + 2 * d2 * d2);
    ASSERT_NEAR(1e-12, out, right - middle);
    ASSERT_NEAR(1e-12, 1, left + middle + right);
    ASSERT_NEAR(1e-12, 1, left * left + middle * middle + right * right);
    TEST_ASSERT_TRUE(u1 > 0);
  }
}

/* ---- what it refuses ---- */

/* the far contacts of a chain start as t^3, t^5, ... t^13: this did not finish */
static void test_seven_balls(void) {
  enum { CONTACTS = 6 };
  double W[CONTACTS * CONTACTS], v[CONTACTS] = {-1}, k = 1;
  for (int i = 0; i < CONTACTS; i++)
    for (int j = 0; j < CONTACTS; j++)
      W[j * CONTACTS + i] = i == j ? 2 : i - j == 1 || j - i == 1 ? -1 : 0;
  law *l = points_law(BY_MODES, 1, &k, 0);
  const course *c = run_law(l, CONTACTS, 1, W, v, NULL, 3);
  law_free(l);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, c->r.status, c->err.text);
  ASSERT_BELOW(1e-13, worst_ledger(c, v));
  spec q = uniform(0, 1, 1);
  q.k[0] = 1, q.window = 1e3;
  brute b = brute_start(&q, CONTACTS, 1, W, v, NULL);
  TEST_ASSERT_TRUE(brute_run(&b, 1e-3));
  for (int i = 0; i < CONTACTS; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-10, b.p[i], c->p[i]);
}

static void test_bad_input(void) {
  const double k = 1e8, up[2] = {1, 0}, nothing[4] = {0, 0, 0, 1}, down[2] = {-1, -1};
  for (int which = 0; which < LAWS; which++) {
    law *l = points_law(which, 1, &k, 0);
    const course *c = run_law(l, 2, 1, rod_W, up, NULL, -1);
    TEST_ASSERT_EQUAL_INT(CORE_NO_IMPACT, c->r.status);
    for (int i = 0; i < 2; i++) TEST_ASSERT_EQUAL_DOUBLE(up[i], c->v[i]);
    c = run_law(l, 2, 1, nothing, down, NULL, -1);
    TEST_ASSERT_EQUAL_INT(CORE_JAM, c->r.status);
    law_free(l);
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_all_rows_of_the_rod);
  RUN_TEST(test_rod_without_overlap_is_newton_four_times);
  RUN_TEST(test_printed_rod_velocities);
  RUN_TEST(test_walker_figure_8);
  RUN_TEST(test_walker_figure_9);
  RUN_TEST(test_modes_agree_with_series);
  RUN_TEST(test_redundant_points_agree_too);
  RUN_TEST(test_redundant_split_has_the_smallest_norm);
  RUN_TEST(test_three_balls);
  RUN_TEST(test_seven_balls);
  RUN_TEST(test_bad_input);
  return UNITY_END();
}
