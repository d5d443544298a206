/* What holds a body at rest: many contacts that stick, slide and leave, redundant ones too. The
 * decisions of a run are checked against Coulomb's law itself, written once more here:
 *
 *   a = a_free + W f;   f_n >= 0, a_n >= 0, f_n a_n = 0
 *   at rest along the surface:  a_t = 0 and |f_t| <= mu f_n, or f_t = -mu f_n a_t/|a_t|
 *   sliding along s:            f_t = -mu f_n s
 */
#include "linear_run.h"

static uint64_t seed;

void setUp(void) {
  core_scratch_init(&sim_scratch);
}

void tearDown(void) {
  core_scratch_free(&sim_scratch);
}

static double between(double a, double b) {
  uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return a + (b - a) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

/* ---- the law, once more ---- */

typedef struct support {
  int rows, nc;
  double W[LINEAR_ROWS * LINEAR_ROWS], a_free[LINEAR_ROWS];
  double mu[LINEAR_CONTACTS], v[LINEAR_ROWS];
} support;

static support support_of(const double *mu, const double *u) {
  support s = {.rows = linear.rows, .nc = linear.nc};
  for (int i = 0; i < s.rows; i++) {
    for (int j = 0; j < linear.nu; j++) {
      s.a_free[i] += linear.J[j * s.rows + i] * linear.f[j];
      s.v[i] += linear.J[j * s.rows + i] * u[j];
    }
    for (int k = 0; k < s.rows; k++)
      for (int j = 0; j < linear.nu; j++)
        s.W[k * s.rows + i] += linear.J[j * s.rows + i] * linear.J[j * s.rows + k];
  }
  memcpy(s.mu, mu, (size_t)s.nc * sizeof *mu);
  return s;
}

/* the worst violation by forces f, in units of accelerations; slow: speeds that are rest */
static double violation(const support *s, const double *f, double slow) {
  double a[LINEAR_ROWS], worst = 0;
  for (int i = 0; i < s->rows; i++) {
    a[i] = s->a_free[i];
    for (int j = 0; j < s->rows; j++) a[i] += s->W[j * s->rows + i] * f[j];
  }
  for (int c = 0; c < s->nc; c++) {
    int t = linear.first[c], n = linear.first[c + 1] - 1, tangents = n - t;
    double w = s->W[n * s->rows + n], ft = 0, at = 0, vt = 0;
    worst = fmax(worst, fmax(-f[n] * w, -a[n]));
    worst = fmax(worst, fmin(fabs(f[n]) * w, fabs(a[n])));
    for (int i = t; i < n; i++) ft = hypot(ft, f[i]), at = hypot(at, a[i]), vt = hypot(vt, s->v[i]);
    if (!tangents) continue;
    worst = fmax(worst, (ft - s->mu[c] * fmax(f[n], 0)) * w);
    const double *along = vt > slow ? s->v : a;
    double size = vt > slow ? vt : at, off = 0;
    if (vt <= slow && at <= 1e-9) continue;
    for (int i = t; i < n; i++) off = hypot(off, f[i] + s->mu[c] * f[n] * along[i] / size);
    worst = fmax(worst, vt > slow ? off * w : fmin(off * w, at));
  }
  return worst;
}

/* ---- random contacts ---- */

static void random_contacts(int nc, int dim, int nu) {
  linear.nu = nu, linear.nc = nc, linear.dim = dim, linear.rows = nc * dim;
  for (int c = 0; c <= nc; c++) linear.first[c] = c * dim;
  for (int i = 0; i < linear.rows * nu; i++) linear.J[i] = between(-1, 1);
  for (int j = 0; j < nu; j++) linear.f[j] = between(-1, 1);
}

/* speeds that keep all contacts closed, and slide */
static void slide_along(double *u) {
  double N[LINEAR_CONTACTS][LINEAR_SPEEDS];
  for (int j = 0; j < linear.nu; j++) u[j] = between(-1, 1);
  for (int c = 0; c < linear.nc; c++) {
    for (int j = 0; j < linear.nu; j++)
      N[c][j] = linear.J[j * linear.rows + linear.first[c + 1] - 1];
    for (int pass = 0; pass < 2; pass++)
      for (int k = 0; k < c; k++) {
        double dot = 0;
        for (int j = 0; j < linear.nu; j++) dot += N[c][j] * N[k][j];
        for (int j = 0; j < linear.nu; j++) N[c][j] -= dot * N[k][j];
      }
    double size = 0;
    for (int j = 0; j < linear.nu; j++) size = hypot(size, N[c][j]);
    for (int j = 0; j < linear.nu; j++) N[c][j] /= size;
  }
  for (int pass = 0; pass < 2; pass++)
    for (int c = 0; c < linear.nc; c++) {
      double dot = 0;
      for (int j = 0; j < linear.nu; j++) dot += N[c][j] * u[j];
      for (int j = 0; j < linear.nu; j++) u[j] -= dot * N[c][j];
    }
}

/* ---- brute force: all combinations of modes of planar contacts whose rows are independent ---- */

/* A x = b by elimination with full pivots; 0 when singular */
static int eliminate(int n, double *A, double *b, double *x) {
  int column[LINEAR_ROWS];
  for (int j = 0; j < n; j++) column[j] = j;
  for (int k = 0; k < n; k++) {
    int pi = k, pj = k;
    for (int i = k; i < n; i++)
      for (int j = k; j < n; j++)
        if (fabs(A[i * n + j]) > fabs(A[pi * n + pj])) pi = i, pj = j;
    if (fabs(A[pi * n + pj]) < 1e-12) return 0;
    for (int j = 0; j < n; j++) {
      double t = A[k * n + j];
      A[k * n + j] = A[pi * n + j], A[pi * n + j] = t;
    }
    double t = b[k];
    b[k] = b[pi], b[pi] = t;
    for (int i = 0; i < n; i++) {
      t = A[i * n + k];
      A[i * n + k] = A[i * n + pj], A[i * n + pj] = t;
    }
    int c = column[k];
    column[k] = column[pj], column[pj] = c;
    for (int i = k + 1; i < n; i++) {
      double f = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; j++) A[i * n + j] -= f * A[k * n + j];
      b[i] -= f * b[k];
    }
  }
  for (int k = n; k-- > 0;) {
    for (int j = k + 1; j < n; j++) b[k] -= A[k * n + j] * x[column[j]];
    x[column[k]] = b[k] / A[k * n + k];
  }
  return 1;
}

/* 1 when a unit of normal acceleration at row n takes a force that pushes: the others hold it */
static int others_hold(const support *s, const double *A, int n) {
  double copy[LINEAR_ROWS * LINEAR_ROWS], unit[LINEAR_ROWS] = {0}, f[LINEAR_ROWS];
  memcpy(copy, A, (size_t)(s->rows * s->rows) * sizeof *copy);
  unit[n] = 1;
  return eliminate(s->rows, copy, unit, f) && f[n] > 0 && 1 / f[n] > 1e-6 * s->W[n * s->rows + n];
}

/* forces of one combination: 0 open, 1 stick, 2 and 3 slip; -1 when it is singular, and 0 when a
 * sliding contact drives itself in, alone and with the others */
static int forces_of(const support *s, long code, double slow, double *f) {
  double A[LINEAR_ROWS * LINEAR_ROWS] = {0}, b[LINEAR_ROWS];
  int rows = s->rows, held = 1, wedged[LINEAR_CONTACTS], n_wedged = 0;
  for (int c = 0; c < s->nc; c++, code /= 4) {
    int t = 2 * c, n = t + 1, mode = (int)(code % 4), moving = fabs(s->v[t]) > slow;
    double sign = moving ? (s->v[t] > 0 ? 1 : -1) : mode == 2 ? -1 : 1;
    if ((moving && (mode == 1 || mode == 2)) ||
        (s->mu[c] == 0 && !moving && (mode == 1 || mode == 2)))
      return -1;
    for (int j = 0; j < rows; j++) {
      A[n * rows + j] = mode ? s->W[j * rows + n] : (double)(j == n);
      A[t * rows + j] =
          mode == 1 ? s->W[j * rows + t] : (j == t) + (mode ? sign * s->mu[c] * (j == n) : 0);
    }
    b[n] = mode ? -s->a_free[n] : 0, b[t] = mode == 1 ? -s->a_free[t] : 0;
    if (mode > 1 &&
        s->W[n * rows + n] - sign * s->mu[c] * s->W[t * rows + n] <= 1e-6 * s->W[n * rows + n])
      wedged[n_wedged++] = n;
  }
  for (int i = 0; i < n_wedged; i++) held &= others_hold(s, A, wedged[i]);
  return eliminate(rows, A, b, f) ? held : -1;
}

/* solutions, those whose sliding contacts can be held (1) or not (0) */
static int solutions(const support *s, double slow, int held) {
  double f[LINEAR_ROWS];
  long codes = 1;
  int found = 0;
  for (int c = 0; c < s->nc; c++) codes *= 4;
  for (long code = 0; code < codes; code++)
    found += forces_of(s, code, slow, f) == held && violation(s, f, slow) <= 1e-10;
  return found;
}

/* ---- tests ---- */

typedef struct kind {
  int dim, most, speeds; /* contacts up to `most`; speeds 0: any number */
  int moving;
  double mu; /* largest */
} kind;

static support draw_support(const kind *d, double *u, double *mu) {
  int nc = 1 + (int)between(0, d->most), nu = 1 + (int)between(0, LINEAR_SPEEDS);
  memset(u, 0, LINEAR_SPEEDS * sizeof *u);
  random_contacts(nc, d->dim, d->speeds ? d->speeds : nu);
  for (int c = 0; c < nc; c++) mu[c] = between(0, 1) < 0.2 ? 0 : between(0, d->mu);
  if (d->moving) slide_along(u);
  return support_of(mu, u);
}

/* all of them must have an answer that keeps Coulomb's law; returns how many were redundant */
static int check_rest(kind d, int cases) {
  int redundant = 0;
  for (int i = 0; i < cases; i++) {
    double mu[LINEAR_CONTACTS], u[LINEAR_SPEEDS];
    support s = draw_support(&d, u, mu);
    sim_run *r = start(mu, u);
    char text[320];
    snprintf(text, sizeof text, "case %d: %d contacts, %d speeds: %s", i, s.nc, linear.nu,
             r->error.text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, r->status, text);
    const sim_state *at = state_at(r, 0);
    TEST_ASSERT_TRUE_MESSAGE(violation(&s, at->force, 1e-6) <= 1e-9, text);
    redundant += at->redundant;
    done(r);
  }
  return redundant;
}

static void test_at_rest_many_contacts_stick_slide_and_leave_in_the_plane(void) {
  seed = 1;
  TEST_ASSERT_TRUE(check_rest((kind){2, 8, 0, 0, 1.5}, 400) > 50);
}

static void test_at_rest_many_contacts_stick_slide_and_leave_in_space(void) {
  seed = 2;
  TEST_ASSERT_TRUE(check_rest((kind){3, 4, 0, 0, 1.5}, 200) > 10);
}

/* Where no force fits there is an impact without collision, v+ = v + W p: Coulomb's law for
 * impulses is that of forces at rest, with v in the place of a_free. Returns the energy that it
 * takes. */
static double check_jolt(const support *s, const sim_run *r, const char *text) {
  const sim_event *e = &r->events[0];
  TEST_ASSERT_EQUAL_INT_MESSAGE(SIM_JOLT, e->kind, text);
  TEST_ASSERT_EQUAL_INT_MESSAGE(s->nc, e->n, text);
  const double *p = r->numbers + e->impulse;
  support impulses = *s;
  double lost = 0;
  memcpy(impulses.a_free, s->v, sizeof s->v);
  memset(impulses.v, 0, sizeof impulses.v);
  TEST_ASSERT_TRUE_MESSAGE(violation(&impulses, p, 1e-6) <= 1e-9, text);
  for (int i = 0; i < s->rows; i++) { /* -p (v- + v+)/2 */
    lost -= p[i] * s->v[i];
    for (int j = 0; j < s->rows; j++) lost -= p[i] * s->W[j * s->rows + i] * p[j] / 2;
  }
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-10, lost, e->lost, text);
  return lost;
}

/* What slides already may have no answer (Painleve): exactly where no combination of modes does.
 * The run goes on by an impact without collision then. It stops where forces fit with which a
 * contact drives itself in, now or (rarely, mu is up to 6) after that impact. */
static void test_sliding_contacts_have_an_answer_where_one_exists(void) {
  int none = 0, driven = 0, stopped = 0;
  kind d = {2, 5, 12, 1, 6};
  seed = 3;
  for (int i = 0; i < 400; i++) {
    double mu[LINEAR_CONTACTS], u[LINEAR_SPEEDS];
    support s = draw_support(&d, u, mu);
    sim_run *r = start(mu, u);
    char text[320];
    int count = solutions(&s, 1e-6, 1);
    snprintf(text, sizeof text, "case %d: %d contacts, %d solutions: %s", i, s.nc, count,
             r->error.text);
    if (!count && r->status == CORE_NO_SOLUTION && r->impacts == 0) {
      driven++;
      TEST_ASSERT_TRUE_MESSAGE(solutions(&s, 1e-6, 0) > 0, text);
    } else if (!count) {
      none++, stopped += r->status == CORE_NO_SOLUTION;
      TEST_ASSERT_TRUE_MESSAGE(r->status == CORE_OK || r->status == CORE_NO_SOLUTION, text);
      TEST_ASSERT_TRUE_MESSAGE(check_jolt(&s, r, text) > 1e-6, text);
    } else {
      TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, r->status, text);
      TEST_ASSERT_TRUE_MESSAGE(violation(&s, state_at(r, 0)->force, 1e-6) <= 1e-9, text);
    }
    done(r);
  }
  printf("%d: no force fits, %d of these stop later; %d: one drives itself in\n", none, stopped,
         driven);
  TEST_ASSERT_TRUE(none > 50 && stopped < none / 10);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_at_rest_many_contacts_stick_slide_and_leave_in_the_plane);
  RUN_TEST(test_at_rest_many_contacts_stick_slide_and_leave_in_space);
  RUN_TEST(test_sliding_contacts_have_an_answer_where_one_exists);
  return UNITY_END();
}
