/* What holds a body at rest: many contacts that stick, slide and leave, redundant ones too. The
 * decisions of a run are checked against Coulomb's law itself, written once more here:
 *
 *   a = a_free + W f;   f_n >= 0, a_n >= 0, f_n a_n = 0
 *   at rest along the surface:  a_t = 0 and |f_t| <= mu f_n, or f_t = -mu f_n a_t/|a_t|
 *   sliding along s:            f_t = -mu f_n s
 */
#include "linear_help.h"
#include "sim_help.h"

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

static sim_run *start(const double *mu, const double *u) {
  model *m = NULL;
  core_error err = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, model_create(&linear_type, NULL, &m, &err), err.text);
  memcpy(m->u, u, (size_t)linear.nu * sizeof *u);
  setting of = {"mu", linear.nc, {0}, 0};
  memcpy(of.x, mu, (size_t)linear.nc * sizeof *mu);
  law *l = make_law("moreau", 2, (setting[]){of, ONE("e", 0)});
  sim_options o = sim_defaults();
  o.t_end = 1e-3;
  return go(m, l, o);
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

/* forces of one combination: 0 open, 1 stick, 2 and 3 slip; -1 when it is singular, and 0 when a
 * sliding contact drives itself in */
static int forces_of(const support *s, long code, double slow, double *f) {
  double A[LINEAR_ROWS * LINEAR_ROWS] = {0}, b[LINEAR_ROWS];
  int rows = s->rows, held = 1;
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
      held = 0;
  }
  return eliminate(rows, A, b, f) ? held : -1;
}

/* solutions whose sliding contacts can be held */
static int solutions(const support *s, double slow) {
  double f[LINEAR_ROWS];
  long codes = 1;
  int found = 0;
  for (int c = 0; c < s->nc; c++) codes *= 4;
  for (long code = 0; code < codes; code++)
    found += forces_of(s, code, slow, f) == 1 && violation(s, f, slow) <= 1e-10;
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

/* what slides already may have no answer (Painleve): exactly where no combination of modes does */
static void test_sliding_contacts_have_an_answer_where_one_exists(void) {
  int none = 0;
  kind d = {2, 5, 12, 1, 6};
  seed = 3;
  for (int i = 0; i < 400; i++) {
    double mu[LINEAR_CONTACTS], u[LINEAR_SPEEDS];
    support s = draw_support(&d, u, mu);
    sim_run *r = start(mu, u);
    char text[320];
    int count = solutions(&s, 1e-6);
    snprintf(text, sizeof text, "case %d: %d contacts, %d solutions: %s", i, s.nc, count,
             r->error.text);
    if (!count) {
      none++;
      TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_NO_SOLUTION, r->status, text);
    } else {
      TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, r->status, text);
      TEST_ASSERT_TRUE_MESSAGE(violation(&s, state_at(r, 0)->force, 1e-6) <= 1e-9, text);
    }
    done(r);
  }
  TEST_ASSERT_TRUE(none > 3);
}

/* ---- closed forms ---- */

/* A table of mass 1 on a slope: frame x downhill, y across, z normal; legs at (+-a, +-b, -h) from
 * its centre of mass. Coordinates are weighted by the roots of mass and moments, M = 1. */
static const double leg_a = 0.5, leg_b = 0.4, leg_h = 0.5, gravity = 9.81;

static void table_on_slope(double angle) {
  static const double I[3] = {0.2, 0.3, 0.25};
  linear.nu = 6, linear.nc = 4, linear.dim = 3, linear.rows = 12;
  memset(linear.J, 0, sizeof linear.J);
  for (int c = 0; c <= 4; c++) linear.first[c] = 3 * c;
  for (int c = 0; c < 4; c++) {
    double r[3] = {c & 1 ? leg_a : -leg_a, c & 2 ? leg_b : -leg_b, -leg_h};
    for (int k = 0; k < 3; k++) {
      int p = (k + 1) % 3, q = (k + 2) % 3; /* v_k + w_p r_q - w_q r_p */
      linear.J[k * 12 + 3 * c + k] = 1;
      linear.J[(3 + p) * 12 + 3 * c + k] = r[q] / sqrt(I[p]);
      linear.J[(3 + q) * 12 + 3 * c + k] = -r[p] / sqrt(I[q]);
    }
  }
  memset(linear.f, 0, sizeof linear.f);
  linear.f[0] = gravity * sin(angle), linear.f[2] = -gravity * cos(angle);
}

/* N of a leg downhill (1) or uphill (-1) when friction takes T in all: the moment T h is theirs */
static double leg_load(double angle, double T, int side) {
  return gravity * cos(angle) / 4 + side * T * leg_h / (4 * leg_a);
}

static const double even[4] = {0.6, 0.6, 0.6, 0.6}, still[LINEAR_SPEEDS] = {0};

/* its legs uphill carry a quarter of the load of the others: with friction shared alike they could
 * not hold, though the table stands up to tan(angle) = mu */
static void test_a_table_stands_on_a_slope(void) {
  double angle = atan(0.55), T = gravity * sin(angle);
  table_on_slope(angle);
  sim_run *r = start(even, still);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, r->status, r->error.text);
  const sim_state *at = state_at(r, r->t);
  TEST_ASSERT_TRUE(at->redundant);
  for (int c = 0; c < 4; c++) {
    double N = leg_load(angle, T, c & 1 ? 1 : -1);
    TEST_ASSERT_EQUAL_INT(SIM_MODE_STICK, at->mode[c]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, N, at->force[3 * c + 2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, -T * N / (gravity * cos(angle)), at->force[3 * c]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0, at->force[3 * c + 1]);
  }
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0, at->u[0]);
  done(r);
}

static void test_a_table_slides_down_a_slope(void) {
  double angle = atan(0.9), mu = even[0], a = gravity * (sin(angle) - mu * cos(angle));
  table_on_slope(angle);
  sim_run *r = start(even, still);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, r->status, r->error.text);
  const sim_state *at = state_at(r, r->t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, a * r->t, at->u[0]);
  for (int c = 0; c < 4; c++) {
    double N = leg_load(angle, mu * gravity * cos(angle), c & 1 ? 1 : -1);
    TEST_ASSERT_EQUAL_INT(SIM_MODE_SLIP, at->mode[c]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, N, at->force[3 * c + 2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, -mu * N, at->force[3 * c]);
  }
  done(r);
}

/* pulled downhill by a force that grows, it breaks loose when that, and what pulls already, reach
 * mu N; all legs at once */
static core_status pull(void *self, double t, const double *q, const double *u, double *h,
                        core_error *err) {
  (void)q, (void)u, (void)err;
  memset(h, 0, 6 * sizeof *h);
  h[0] = *(const double *)self * t;
  return CORE_OK;
}

static void test_a_table_breaks_loose_when_all_of_its_friction_is_used(void) {
  double angle = atan(0.3), rate = 2;
  double t = gravity * (even[0] * cos(angle) - sin(angle)) / rate;
  table_on_slope(angle);
  model *m = NULL;
  TEST_ASSERT_EQUAL_INT(CORE_OK, model_create(&linear_type, NULL, &m, NULL));
  sim_options o = sim_defaults();
  o.t_end = t + 0.2, o.force = pull, o.force_self = &rate;
  sim_run *r = go(m, LAW("moreau", ONE("mu", even[0]), ONE("e", 0)), o);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, r->status, r->error.text);
  TEST_ASSERT_EQUAL_INT(4, count_events(r, SIM_SLIP));
  for (int i = 0; i < 4; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-8, t, need(r, SIM_SLIP, i)->t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-7, rate * 0.2 * 0.2 / 2, r->u[0]);
  done(r);
}

/* Turned by a torque that grows while it is pulled: it stands up to the torque at which some rigid
 * motion, a turn about c, gives more than friction takes:  M* = min_c sum mu N_i |r_i - c| - T c_y.
 * (With normal forces that the legs press on each other, + - + -, it could stand a little longer:
 * the answer is not unique, and those are not taken.) */
static double takes(double T, double x, double y) {
  double sum = -T * y;
  for (int c = 0; c < 4; c++)
    sum += even[0] * leg_load(0, T, c & 1 ? 1 : -1) *
           hypot((c & 1 ? leg_a : -leg_a) - x, (c & 2 ? leg_b : -leg_b) - y);
  return sum;
}

/* least over y, then over x: convex in both */
static double least_over(double T, double x) {
  double low = -2, high = 2;
  for (int i = 0; i < 90; i++) {
    double a = low + (high - low) / 3, b = high - (high - low) / 3;
    double fa = isnan(x) ? least_over(T, a) : takes(T, x, a);
    double fb = isnan(x) ? least_over(T, b) : takes(T, x, b);
    if (fa > fb)
      low = a;
    else
      high = b;
  }
  return isnan(x) ? least_over(T, low) : takes(T, x, low);
}

static core_status turn(void *self, double t, const double *q, const double *u, double *h,
                        core_error *err) {
  (void)q, (void)u, (void)err;
  memset(h, 0, 6 * sizeof *h);
  h[0] = *(const double *)self, h[5] = t / sqrt(0.25);
  return CORE_OK;
}

static void check_turn(double T, double M, double tol) {
  table_on_slope(0);
  model *m = NULL;
  TEST_ASSERT_EQUAL_INT(CORE_OK, model_create(&linear_type, NULL, &m, NULL));
  sim_options o = sim_defaults();
  o.t_end = M + 0.1, o.force = turn, o.force_self = &T;
  sim_run *r = go(m, LAW("moreau", ONE("mu", even[0]), ONE("e", 0)), o);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, r->status, r->error.text);
  TEST_ASSERT_EQUAL_INT(4, count_events(r, SIM_SLIP));
  TEST_ASSERT_DOUBLE_WITHIN(tol, M, need(r, SIM_SLIP, 0)->t);
  TEST_ASSERT_TRUE(r->u[5] > 0);
  done(r);
}

static void test_a_table_stands_until_some_turn_is_stronger_than_its_friction(void) {
  double r = hypot(leg_a, leg_b);
  check_turn(0, even[0] * gravity * r, 1e-8);
  check_turn(2, least_over(2, NAN), 1e-5); /* what may move before it counts: SIM_STANDS */
}

/* A tower of 6 blocks of mass 1, each on two feet on the one below (rows t, n; blocks do not turn):
 * each foot carries half of what is above. The lowest is pulled by less than its friction. */
static void test_a_stack_stands_and_its_feet_share_alike(void) {
  enum { N = 6 };
  linear.nu = 2 * N, linear.nc = 2 * N, linear.dim = 2, linear.rows = 4 * N;
  memset(linear.J, 0, sizeof linear.J);
  memset(linear.f, 0, sizeof linear.f);
  for (int c = 0; c <= 2 * N; c++) linear.first[c] = 2 * c;
  for (int c = 0; c < 2 * N; c++)
    for (int k = 0; k < 2; k++) {
      int block = c / 2, row = 2 * c + k;
      linear.J[(2 * block + k) * linear.rows + row] = 1;
      if (block) linear.J[(2 * block - 2 + k) * linear.rows + row] = -1;
    }
  for (int block = 0; block < N; block++) linear.f[2 * block + 1] = -gravity;
  linear.f[2 * N - 2] = 0.3 * gravity; /* the highest is pulled aside */
  double mu[LINEAR_CONTACTS];
  for (int c = 0; c < 2 * N; c++) mu[c] = 0.4;
  sim_run *r = start(mu, still);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, r->status, r->error.text);
  const sim_state *at = state_at(r, r->t);
  for (int c = 0; c < 2 * N; c++) {
    TEST_ASSERT_EQUAL_INT(SIM_MODE_STICK, at->mode[c]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, gravity * (N - c / 2) / 2.0, at->force[2 * c + 1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, -0.15 * gravity, at->force[2 * c]);
  }
  done(r);
}

/* A block of mass m slides without friction on a wedge of mass M that stands on two feet and slides
 * too: A = m g sin cos/(M + m sin^2) */
static void test_a_wedge_gives_way_to_a_block(void) {
  double angle = 0.6, M = 3, m = 1, c = cos(angle), s = sin(angle);
  linear.nu = 4, linear.nc = 3, linear.dim = 2, linear.rows = 6; /* X, Z of the wedge; x, z */
  memset(linear.J, 0, sizeof linear.J);
  memset(linear.f, 0, sizeof linear.f);
  for (int i = 0; i <= 3; i++) linear.first[i] = 2 * i;
  for (int k = 0; k < 2; k++) { /* feet */
    linear.J[k * 6 + k] = linear.J[k * 6 + 2 + k] = 1 / sqrt(M);
  }
  const double t[2] = {c, -s}, n[2] = {s, c}; /* the wedge falls to the right */
  for (int k = 0; k < 2; k++) {
    linear.J[k * 6 + 4] = -t[k] / sqrt(M), linear.J[k * 6 + 5] = -n[k] / sqrt(M);
    linear.J[(2 + k) * 6 + 4] = t[k] / sqrt(m), linear.J[(2 + k) * 6 + 5] = n[k] / sqrt(m);
  }
  linear.f[1] = -gravity * sqrt(M), linear.f[3] = -gravity * sqrt(m);
  const double mu[3] = {0, 0, 0};
  sim_run *r = start(mu, still);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, r->status, r->error.text);
  double A = m * gravity * s * c / (M + m * s * s);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -A * r->t * sqrt(M), state_at(r, r->t)->u[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, M * A / s, state_at(r, r->t)->force[5]);
  TEST_ASSERT_TRUE(state_at(r, r->t)->redundant);
  done(r);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_at_rest_many_contacts_stick_slide_and_leave_in_the_plane);
  RUN_TEST(test_at_rest_many_contacts_stick_slide_and_leave_in_space);
  RUN_TEST(test_sliding_contacts_have_an_answer_where_one_exists);
  RUN_TEST(test_a_table_stands_on_a_slope);
  RUN_TEST(test_a_table_slides_down_a_slope);
  RUN_TEST(test_a_table_breaks_loose_when_all_of_its_friction_is_used);
  RUN_TEST(test_a_table_stands_until_some_turn_is_stronger_than_its_friction);
  RUN_TEST(test_a_stack_stands_and_its_feet_share_alike);
  RUN_TEST(test_a_wedge_gives_way_to_a_block);
  return UNITY_END();
}
