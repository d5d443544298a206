/* law.lzb with and without what is there for speed only (lzb/lanes.c, and steps in time where the
 * root of a deflection is not needed): the same answers to what is promised. They share what
 * happens at events, not how a series is worked out.
 */
#include <stdio.h>

#include "impact/laws/lzb/state.h"
#include "impact/laws/tolerance.h"
#include "law_help.h"

enum { MOST = 12 };

/* of the duration, with speeds of 1 at the end: an impact is over when springs hold
 * TOL_LZB_AT_REST^2, which is a way of 5e-7 for n = 2.5 that may be left out or not */
static const double SAME_TIME = 1e-6;

typedef struct scene {
  int nc, dim, rows;
  double W[MOST * MOST], v[MOST], e[MOST], mu[MOST], K[MOST];
  double exponent;
} scene;

typedef struct answer {
  core_status status;
  double p[MOST], v[MOST], lost_friction, lost_restitution, duration;
} answer;

static law *law_of(const scene *s) {
  law *l = law_from("lzb", "exponent", s->exponent, NULL);
  const struct {
    const char *name;
    const double *x;
  } lists[] = {{"e", s->e}, {"mu", s->mu}, {"stiffness", s->K}};
  for (int i = 0; i < 3; i++) {
    const core_param *key = core_schema_find(&l->type->schema, lists[i].name);
    core_param_set(&l->type->schema, key, l->params, s->nc, lists[i].x, NULL);
  }
  return l;
}

static answer solve(const scene *s, int plain) {
  answer a = {0};
  impact_problem pr = {.nc = s->nc, .dim = s->dim, .rows = s->rows, .W = s->W, .v = s->v};
  impact_result r = {.p = a.p, .v = a.v};
  law *l = law_of(s);
  law_type type = *l->type;
  core_scratch scratch;
  core_scratch_init(&scratch);
  if (plain) type.solve = lzb_solve_plain, l->type = &type;
  a.status = law_solve(l, &pr, &scratch, NULL, &r, NULL);
  a.lost_friction = r.lost_friction, a.lost_restitution = r.lost_restitution;
  a.duration = r.duration;
  core_scratch_free(&scratch);
  l->type = law_find("lzb");
  law_free(l);
  return a;
}

/* the largest difference, of the largest speed, impulse, and their product for losses */
static double differ(const scene *s, const answer *a, const answer *b) {
  double v = 0, p = 0, dv = 0, dp = 0;
  for (int i = 0; i < s->rows; i++) {
    v = fmax(v, fabs(s->v[i])), p = fmax(p, fabs(a->p[i]));
    dv = fmax(dv, fabs(a->v[i] - b->v[i])), dp = fmax(dp, fabs(a->p[i] - b->p[i]));
  }
  return fmax(fmax(dv / v, dp / p), fabs(a->lost_friction - b->lost_friction) / (v * p));
}

/* normal speed after the impact */
static double slowest(const scene *s, const answer *a) {
  double least = 1;
  for (int i = 0; i < s->nc; i++) least = fmin(least, fabs(a->v[s->dim * i + s->dim - 1]));
  return least;
}

/* W = J J^T of nc contacts that approach, or the next ones in a row of balls */
static scene draw(uint64_t *seed, int nc, int dim) {
  static const double exponents[] = {1, 1.5, 1.5, 1.5, 2, 2.5};
  scene s = {.nc = nc, .dim = dim, .rows = nc * dim};
  int row = dim == 1 && fair(seed) < 0.5;
  s.exponent = exponents[(int)(6 * fair(seed))];
  if (!row) random_W(seed, s.rows, s.W);
  for (int i = 0; i < s.rows; i++) {
    int normal = i % dim == dim - 1;
    s.W[i * (s.rows + 1)] += row ? 2 : 0.2;
    s.v[i] = row      ? -(i == 0)
             : normal ? between(seed, -1, i < dim ? -0.5 : 0.2)
                      : between(seed, -1, 1);
    if (row && i) s.W[i * s.rows + i - 1] = s.W[(i - 1) * s.rows + i] = -1;
  }
  for (int i = 0; i < nc; i++) {
    s.e[i] = fair(seed) < 0.4 ? 1 : between(seed, 0.3, 1);
    s.mu[i] = dim == 3 ? (fair(seed) < 0.5 ? 0 : 1e3) : fair(seed) < 0.2 ? 0 : between(seed, 0, 1);
    s.K[i] = fair(seed) < 0.5 ? 1 : pow(10, between(seed, -2, 2));
  }
  return s;
}

static void fast_and_plain_agree(void) {
  uint64_t seed = 31;
  int compared = 0;
  double worst = 0;
  for (int i = 0; i < 1200; i++) {
    int dim = 1 + i % 3, most = dim == 1 ? 8 : dim == 2 ? 4 : 2;
    uint64_t from = seed;
    scene s = draw(&seed, 1 + (int)(fair(&seed) * most), dim);
    answer a = solve(&s, 0), b = solve(&s, 1);
    char what[80];
    snprintf(what, sizeof what, "case %d, seed %#llx", i, (unsigned long long)from);
    TEST_ASSERT_EQUAL_INT_MESSAGE(b.status, a.status, what);
    if (a.status) continue;
    double off = differ(&s, &b, &a);
    compared++, worst = fmax(worst, off);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(SAME_TIME / slowest(&s, &b) * b.duration, b.duration,
                                      a.duration, what);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(TOL_PROMISED, 0, off, what);
  }
  printf("%d compared, worst %.1e\n", compared, worst);
  TEST_ASSERT_TRUE(compared > 1140);
}

void setUp(void) {
}

void tearDown(void) {
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(fast_and_plain_agree);
  return UNITY_END();
}
