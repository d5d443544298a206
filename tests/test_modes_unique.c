/* How many answers there are: what is proved or found without trying all modes, against all modes;
 * and why their number is odd, or even. test_modes_unique [cases] */
#include "modes_help.h"

static int cases = 1500;

typedef struct answers {
  int n, rows;
  double u[64][ROWS];
} answers;

static void keep(void *self, const double *p, const double *u) {
  answers *to = self;
  (void)p;
  memcpy(to->u[to->n++], u, (size_t)to->rows * sizeof *u);
}

static impact_modes modes_of(const problem *q) {
  return (impact_modes){
      .nc = q->nc, .dim = q->dim, .rows = q->rows, .W = q->W, .b = q->v, .mu = q->mu};
}

static answers all_of(const problem *q, core_scratch *s) {
  answers a = {.rows = q->rows};
  impact_modes m = modes_of(q);
  int n = impact_modes_all(&m, s, keep, &a);
  TEST_ASSERT_EQUAL_INT(n, a.n);
  return a;
}

/* the least pivot of W is more than rounding */
static int is_regular(const problem *q) {
  double A[ROWS * ROWS];
  int n = q->rows;
  memcpy(A, q->W, sizeof A);
  for (int k = 0; k < n; k++) {
    if (A[k * n + k] < 1e-9) return 0;
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++) A[j * n + i] -= A[k * n + i] / A[k * n + k] * A[j * n + k];
  }
  return 1;
}

static void what_is_proved_or_found_agrees_with_all_modes(void) {
  uint64_t seed = 17;
  core_scratch s;
  core_scratch_init(&s);
  int count[3] = {0, 0, 0};
  for (int i = 0; i < cases; i++) {
    problem q = random_body(&seed, 2, 3, between(&seed, 0, i % 2 ? 8 : 0.5));
    impact_modes m = modes_of(&q);
    answers a = all_of(&q, &s);
    double p[2 * ROWS];
    TEST_ASSERT_EQUAL_INT(CORE_OK, impact_modes_solve(&m, &s, p, p + ROWS));
    impact_modes_known known = impact_modes_unique(&m, &s, p + ROWS);
    TEST_ASSERT_TRUE(known != IMPACT_MODES_ONE || a.n == 1);
    TEST_ASSERT_TRUE(known != IMPACT_MODES_SEVERAL || a.n > 1);
    count[known]++;
  }
  printf("one %d, several %d, unknown %d\n", count[IMPACT_MODES_ONE], count[IMPACT_MODES_SEVERAL],
         count[IMPACT_MODES_UNKNOWN]);
  TEST_ASSERT_TRUE(count[IMPACT_MODES_ONE] > cases / 4 && count[IMPACT_MODES_SEVERAL] > 0);
  core_scratch_free(&s);
}

/* how far the answers of W + eps are from those of W, at most; their number is odd */
static double moved(problem q, const answers *a, double eps, core_scratch *s) {
  double worst = 0;
  for (int k = 0; k < q.rows; k++) q.W[k * q.rows + k] += eps;
  answers b = all_of(&q, s);
  TEST_ASSERT_EQUAL_INT(1, b.n % 2);
  for (int k = 0; k < b.n; k++) {
    double near = INFINITY;
    for (int j = 0; j < a->n; j++) near = fmin(near, apart(q.rows, a->u[j], b.u[k]));
    worst = fmax(worst, near);
  }
  return worst;
}

/* With W regular an odd number (the degree of the problem is one). Where rows depend on each other
 * some have two: one of them sticks with shares in a continuum, all of one velocity. With W made
 * regular by a little a third one, which sticks at one contact and creeps at the other, stands
 * apart from it by as little. */
static void an_even_number_of_answers_has_dependent_rows(void) {
  uint64_t seed = 5;
  core_scratch s;
  core_scratch_init(&s);
  int even = 0;
  for (int i = 0; i < cases; i++) {
    problem q = random_body(&seed, 2, 3, between(&seed, 0.3, 3));
    answers a = all_of(&q, &s);
    TEST_ASSERT_TRUE(a.n % 2 || !is_regular(&q));
    if (a.n % 2) continue;
    even++;
    TEST_ASSERT_TRUE(moved(q, &a, 1e-6, &s) < moved(q, &a, 1e-5, &s) / 5);
  }
  printf("%d of %d with an even number\n", even, cases);
  TEST_ASSERT_TRUE(even > 0);
  core_scratch_free(&s);
}

/* W of points of one body of unit mass and inertia in space, over a floor h below its centre */
static void points_of_a_body(int n, double (*at)[2], double h, double *W) {
  double J[ROWS][6];
  memset(J, 0, sizeof J);
  for (int c = 0; c < n; c++) {
    double x = at[c][0], y = at[c][1];
    for (int k = 0; k < 3; k++) J[3 * c + k][k] = 1;
    J[3 * c][4] = -h, J[3 * c][5] = -y;       /* v_x + w_y z - w_z y */
    J[3 * c + 1][3] = h, J[3 * c + 1][5] = x; /* v_y + w_z x - w_x z */
    J[3 * c + 2][3] = y, J[3 * c + 2][4] = -x;
  }
  for (int i = 0; i < 3 * n; i++)
    for (int j = 0; j < 3 * n; j++) {
      W[j * 3 * n + i] = 0;
      for (int k = 0; k < 6; k++) W[j * 3 * n + i] += J[i][k] * J[j][k];
    }
}

/* four feet share the load as they like, and what slides feels how: nothing is proved of four,
 * though the same friction proves three */
static void four_feet_that_may_share_are_not_proved(void) {
  double at[4][2] = {{1, 0}, {-0.5, 0.9}, {-0.5, -0.9}, {0.3, 0.2}}, W[144], b[12], p[24];
  const double mu[4] = {0.05, 0.05, 0.05, 0.05};
  core_scratch s;
  core_scratch_init(&s);
  for (int n = 3; n <= 4; n++) {
    points_of_a_body(n, at, 0.3, W);
    for (int c = 0; c < n; c++) b[3 * c] = 1, b[3 * c + 1] = 0.2, b[3 * c + 2] = -1;
    impact_modes m = {.nc = n, .dim = 3, .rows = 3 * n, .W = W, .b = b, .mu = mu};
    TEST_ASSERT_EQUAL_INT(CORE_OK, impact_modes_solve(&m, &s, p, p + 3 * n));
    impact_modes_known known = impact_modes_unique(&m, &s, p + 3 * n);
    TEST_ASSERT_EQUAL_INT(n == 3, known == IMPACT_MODES_ONE);
  }
  core_scratch_free(&s);
}

void setUp(void) {
}

void tearDown(void) {
}

int main(int argc, char **argv) {
  if (argc > 1) cases = atoi(argv[1]);
  UNITY_BEGIN();
  RUN_TEST(what_is_proved_or_found_agrees_with_all_modes);
  RUN_TEST(an_even_number_of_answers_has_dependent_rows);
  RUN_TEST(four_feet_that_may_share_are_not_proved);
  return UNITY_END();
}
