/* law.compliant with and without what is there for speed only (laws/compliant/fast): the same
 * answers to what is promised, and the same course. The plain law shares with the fast one what
 * happens at events and the recursion of turning slip (which one contact alone has twice:
 * fast/series_one.c), not how steps are chosen and searched.
 *
 * Left out, counted and kept to a small share:
 *
 *   stiff slip   the plain law follows it in steps of rho/|v| (LIMIT_STEPS_PLAIN); mostly e = 0,
 *                where contacts that already slide are pressed from rest
 *   many events  rounding grows with every one; after some thousand it is 1e-6 of the answer
 *   grazing      a contact let go and closed again by rounding: answers are compared, the course
 *                is not
 *
 * Not drawn: e < 0.01, where a spring k/e^2 that others press is followed swing by swing.
 */
#include "compliant_scene.h"

enum { MOST_EVENTS = 100 };

static const double SAME_TIME = 1e-9; /* of the unit of time: events nearer than this are one */
static const double GRAZING = 1e-6;   /* of the speeds: closes so slowly that rounding tells when */
static const double SHARE_LEFT_OUT = 0.05, SHARE_GRAZING = 0.15;

void setUp(void) {
}
void tearDown(void) {
}

static law_type plain_type(void) {
  law_type type = *law_find("compliant");
  type.solve = compliant_solve_plain;
  return type;
}

typedef struct tally {
  int compared, stiff, long_ones, grazing;
  int several; /* impacts of more than one contact */
} tally;

static void judge_tally(const tally *t) {
  int out = t->stiff + t->long_ones;
  printf("%d compared, left out: %d stiff slip, %d many events; %d grazing\n", t->compared,
         t->stiff, t->long_ones, t->grazing);
  TEST_ASSERT_TRUE(t->grazing <= SHARE_GRAZING * t->compared);
  TEST_ASSERT_TRUE(t->several > t->compared / 3);
  TEST_ASSERT_TRUE(out <= SHARE_LEFT_OUT * (t->compared + out));
}

/* ---- answers ---- */

static void compare_rows(int n, const double *a, const double *b, double size, const char *what) {
  for (int i = 0; i < n; i++)
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(TOL_PROMISED * size, a[i], b[i], what);
}

static double largest(int n, const double *x) {
  double size = 0;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
  return size;
}

/* 1 when both have an answer to compare */
static int both(const course *fast, const course *plain, tally *t, const char *what) {
  if (fast->r.status == CORE_OK && plain->r.status == CORE_LIMIT &&
      strstr(plain->err.text, "steps of slip that turns")) {
    t->stiff++;
    return 0;
  }
  TEST_ASSERT_EQUAL_INT_MESSAGE(fast->r.status, plain->r.status, what);
  if (fast->n > MOST_EVENTS) {
    t->long_ones++;
    return 0;
  }
  return fast->r.status == CORE_OK;
}

/* 1 when they have answers, and the same */
static int compare(const course *fast, const course *plain, const double *v, tally *t,
                   const char *what) {
  int n = fast->rows, given = 0;
  if (!both(fast, plain, t, what)) return 0;
  compare_rows(n, fast->p, plain->p, largest(n, fast->p), what);
  compare_rows(n, fast->v, plain->v, largest(n, v), what);
  double lost = fast->r.lost_friction + fast->r.lost_restitution;
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(TOL_PROMISED * lost, fast->r.lost_friction,
                                    plain->r.lost_friction, what);
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(TOL_PROMISED * fast->r.duration, fast->r.duration,
                                    plain->r.duration, what);
  for (int i = 0; i < fast->nc; i++) given += fabs(fast->p[(i + 1) * n / fast->nc - 1]) > 0;
  t->compared++;
  t->several += given > 1;
  return 1;
}

/* ---- courses ---- */

/* The moment after event i and all that fall together with it: modes of contacts are compared
 * there, as the order of tied events is nobody's. */
static int last_of_moment(const course *c, int i, double unit) {
  while (i + 1 < c->n && c->at[i + 1].t - c->at[i].t <= SAME_TIME * unit) i++;
  return i;
}

static int same_modes(const course *c, const moment *a, const moment *b) {
  size_t size = (size_t)c->nc * sizeof *a->mode;
  return !memcmp(a->mode, b->mode, size) && !memcmp(a->restituting, b->restituting, size);
}

/* the next moment from event i on that leaves other modes than `before`; n: there is none */
static int next_change(const course *c, int i, const moment *before, double unit) {
  for (; i < c->n; i++) {
    i = last_of_moment(c, i, unit);
    if (!before || !same_modes(c, before, &c->at[i])) return i;
  }
  return c->n;
}

static int grazes(const course *c, double speed) {
  for (int i = 0; i < c->n; i++) {
    int normal = (c->at[i].contact + 1) * c->rows / c->nc - 1;
    if (c->at[i].kind == IMPACT_CLOSE && fabs(c->at[i].v[normal]) <= GRAZING * speed) return 1;
  }
  return 0;
}

static void compare_courses(const course *a, const course *b, double unit, const char *what) {
  const moment *at = NULL, *same = NULL;
  for (int i = -1, j = -1;;) {
    i = next_change(a, i + 1, at, unit), j = next_change(b, j + 1, same, unit);
    TEST_ASSERT_EQUAL_INT_MESSAGE(i < a->n, j < b->n, what);
    if (i == a->n) return;
    at = &a->at[i], same = &b->at[j];
    TEST_ASSERT_TRUE_MESSAGE(same_modes(a, at, same), what);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(SAME_TIME * (unit + at->t), at->t, same->t, what);
  }
}

/* ---- random problems ---- */

/* what is varied beyond draw_scene */
typedef enum variety { SOME_E, NO_E, ANY_ETA, ANY_K, VARIETIES } variety;

static scene draw_variety(uint64_t *seed, int dim, variety way) {
  int nc = 1 + (int)(4 * fair(seed));
  scene s = draw_scene(seed, nc, dim, fair(seed) < 0.3);
  s.q.plastic = fair(seed) < 0.3;
  s.q.max_events = 3000;
  for (int i = 0; i < nc; i++) {
    if (way == SOME_E) s.q.e[i] = fair(seed) < 0.3 ? 0 : between(seed, 0.01, 1);
    if (way == NO_E) s.q.e[i] = 0;
    if (way == ANY_ETA) s.q.eta[i] = exp(between(seed, log(0.05), log(2)));
    if (way == ANY_K) s.q.k[i] = exp(between(seed, log(0.03), log(30)));
  }
  return s;
}

/* per_phase < 0: without a sink, where one contact has its closed form and e = 1 no greatest
 * compression */
static void both_ways(const scene *s, int per_phase, tally *t, const char *what) {
  law_type type = plain_type();
  law *l = compliant_law(&s->q);
  const law_type *as_it_was = l->type;
  const course *fast = keep(run_law(l, s->nc, s->dim, s->W, s->v, s->gap, per_phase));
  l->type = &type;
  const course *plain = keep(run_law(l, s->nc, s->dim, s->W, s->v, s->gap, per_phase));
  l->type = as_it_was;
  law_free(l);
  if (!compare(fast, plain, s->v, t, what) || per_phase < 0) return;
  double speed = largest(s->rows, s->v);
  if (grazes(fast, speed) || grazes(plain, speed)) {
    t->grazing++;
    return;
  }
  double rate = 0; /* 1 / unit of time */
  for (int i = 0; i < s->nc; i++)
    rate = fmax(rate, sqrt(s->q.k[i] * s->W[(s->rows + 1) * (s->dim * (i + 1) - 1)]));
  compare_courses(fast, plain, 1 / rate, what);
}

static void many(int dim, int count, int per_phase) {
  tally t = {0};
  for (int i = 0; i < count; i++) {
    uint64_t seed = (uint64_t)(1000000 * dim + i);
    char what[64];
    snprintf(what, sizeof what, "dim %d number %d, variety %d", dim, i, i % VARIETIES);
    scene s = draw_variety(&seed, dim, (variety)(i % VARIETIES));
    both_ways(&s, per_phase, &t, what);
  }
  judge_tally(&t);
}

static void test_normal_rows_only(void) {
  many(1, 400, 0);
  many(1, 400, -1);
}

static void test_in_the_plane(void) {
  many(2, 400, 0);
  many(2, 400, -1);
}

static void test_in_space(void) {
  many(3, 400, 0);
  many(3, 400, -1);
}

/* A held contact is let go while another one vibrates fast: its force bends before it is gone, and
 * the mean direction of what is left was 1.3e-10 off (fast/fixed.c, mean_will_do). */
static void test_force_that_bends_at_the_end(void) {
  scene s = {.nc = 2,
             .dim = 3,
             .rows = 6,
             .W = {1.027008704458436,    0.50373602726791167,    -0.24420724251274362,
                   -0.21889722830028899, -0.85718605884398358,   0.56198981939936432,
                   0.50373602726791167,  1.4112636873456434,     0.28673428165647707,
                   0.60452738444216236,  -0.0078022639645805025, -0.4848076296188949,
                   -0.24420724251274362, 0.28673428165647707,    0.20027583807864657,
                   0.30707394538517951,  0.34989349495120819,    -0.39782047892458183,
                   -0.21889722830028899, 0.60452738444216236,    0.30707394538517951,
                   0.64246858232449755,  0.48438698673942626,    -0.55112462567398468,
                   -0.85718605884398358, -0.0078022639645805025, 0.34989349495120819,
                   0.48438698673942626,  0.87688201058010673,    -0.72824328711385222,
                   0.56198981939936432,  -0.4848076296188949,    -0.39782047892458183,
                   -0.55112462567398468, -0.72824328711385222,   0.81132922751743219},
             .v = {-0.52097398038703435, -1.414568893710004, -0.32228886465391859,
                   -1.6304684098010682, -0.29361408546429268, 0.25532324065981715},
             .gap = {0, 0.094151007328021508},
             .q = {.mu = {0.67172225904376026, 0},
                   .e = {0, 0.41680464889083035},
                   .eta = {1.7194942361349592, 1.6200429050757745},
                   .k = {0.83498617799999231, 1.9527803013277458},
                   .n = 2,
                   .plastic = 0,
                   .window = 5,
                   .max_events = 3000}};
  tally t = {0};
  both_ways(&s, 0, &t, "bends");
  TEST_ASSERT_EQUAL_INT(1, t.compared);
}

/* ---- many contacts of one body: W = L L^T ---- */

enum { POINTS_OF_PLATE = 14, PLATE_ROWS = 3 * POINTS_OF_PLATE };

/* J of a free body with contacts at r: v + w x r, mass 1, principal inertia J0 */
static void free_body(uint64_t *seed, double *W, double *v) {
  const double J0[3] = {0.2, 0.3, 0.45};
  double J[6][PLATE_ROWS] = {{0}}, u[6];
  for (int j = 0; j < 6; j++) u[j] = between(seed, -1, 1);
  u[2] = -2;
  for (int i = 0; i < POINTS_OF_PLATE; i++) {
    double r[3] = {between(seed, -1, 1), between(seed, -1, 1), -0.1};
    for (int t = 0; t < 3; t++) {
      J[t][3 * i + t] = 1;
      int a = (t + 1) % 3, b = (t + 2) % 3; /* (w x r)_t = w_a r_b - w_b r_a */
      J[3 + a][3 * i + t] = r[b], J[3 + b][3 * i + t] = -r[a];
    }
  }
  for (int i = 0; i < PLATE_ROWS; i++) {
    v[i] = 0;
    for (int j = 0; j < 6; j++) v[i] += J[j][i] * u[j];
    for (int k = 0; k < PLATE_ROWS; k++) {
      W[k * PLATE_ROWS + i] = 0;
      for (int j = 0; j < 6; j++)
        W[k * PLATE_ROWS + i] += J[j][i] * J[j][k] / (j < 3 ? 1 : J0[j - 3]);
    }
  }
}

static impact_result solve_plate(law *l, const law_type *type, const double *W, const double *v,
                                 double *p, double *after, core_error *err) {
  const law_type *as_it_was = l->type;
  core_scratch s;
  core_scratch_init(&s);
  impact_problem pr = {.nc = POINTS_OF_PLATE, .dim = 3, .rows = PLATE_ROWS, .W = W, .v = v};
  impact_result r = {.p = p, .v = after};
  l->type = type;
  law_solve(l, &pr, &s, NULL, &r, err);
  l->type = as_it_was;
  core_scratch_free(&s);
  return r;
}

static void test_many_contacts_of_one_body(void) {
  static double W[PLATE_ROWS * PLATE_ROWS], v[PLATE_ROWS], p[2][PLATE_ROWS], after[2][PLATE_ROWS];
  law_type type = plain_type();
  for (uint64_t seed = 1; seed <= 6; seed++) {
    uint64_t draw = seed;
    core_error err = {0};
    free_body(&draw, W, v);
    law *l = law_from("compliant", "mu", 0.3, "e", 0.7, "eta", 1.1, NULL);
    impact_result fast = solve_plate(l, l->type, W, v, p[0], after[0], &err);
    impact_result plain = solve_plate(l, &type, W, v, p[1], after[1], &err);
    law_free(l);
    TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, fast.status, err.text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, plain.status, err.text);
    compare_rows(PLATE_ROWS, p[0], p[1], largest(PLATE_ROWS, p[0]), "impulse");
    compare_rows(PLATE_ROWS, after[0], after[1], largest(PLATE_ROWS, v), "velocity");
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_normal_rows_only);
  RUN_TEST(test_in_the_plane);
  RUN_TEST(test_in_space);
  RUN_TEST(test_force_that_bends_at_the_end);
  RUN_TEST(test_many_contacts_of_one_body);
  return UNITY_END();
}
