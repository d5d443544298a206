/* Random problems of all shapes for every law: no answer may break a conservation law, leave the
 * friction cone, pull, penetrate, or create energy without saying so. test_violations [cases] */
#include "conformance.h"

static int cases = 2000; /* of each law */

typedef struct spread {
  int good, nothing, jam, limit, unsupported;
} spread;

/* W = B B^T with B of random size, and each body's mass its own; now and then nearly singular */
static void random_W(uint64_t *seed, int n, double *W) {
  double B[MOST_ROWS * MOST_ROWS], scale = pow(10, between(seed, -2, 2));
  double floor = between(seed, 0, 1) < 0.1 ? 1e-9 : 1e-2;
  for (int i = 0; i < n * n; i++) B[i] = between(seed, -1, 1);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = i == j ? floor : 0;
      for (int k = 0; k < n; k++) sum += B[k * n + i] * B[k * n + j];
      W[j * n + i] = W[i * n + j] = scale * sum;
    }
}

static int random_dim(uint64_t *seed, unsigned flags) {
  for (;;) {
    int dim = 1 + (int)between(seed, 0, 3);
    if (flags & (LAW_DIM1 << (dim - 1))) return dim;
  }
}

/* ---- one answer -------------------------------------------------------------------------------
 */

typedef struct sizes {
  double p, v, energy; /* what errors are relative to */
} sizes;

static sizes sizes_of(const impact_problem *pr, const outcome *o) {
  sizes z = {largest(pr->rows, o->p), largest(pr->rows, pr->v), 0};
  for (int i = 0; i < pr->rows; i++) {
    double term = 0;
    for (int j = 0; j < pr->rows; j++) term = fmax(term, fabs(pr->W[j * pr->rows + i] * o->p[j]));
    z.v = fmax(z.v, term);
    z.energy += fabs(o->p[i]) * (fabs(pr->v[i]) + term);
  }
  return z;
}

static void check_answer(const trial *t, const impact_problem *pr, const outcome *o) {
  double tol = t->l->type->flags & LAW_TIME ? 1e-10 : 1e-11, work = 0;
  sizes z = sizes_of(pr, o);
  for (int i = 0; i < pr->rows; i++) {
    double v = pr->v[i];
    for (int j = 0; j < pr->rows; j++) v += pr->W[j * pr->rows + i] * o->p[j];
    demand(t, "v+ = v- + W p", fabs(v - o->v[i]), 1e-12 * z.v);
    work += o->p[i] * (pr->v[i] + v) / 2;
  }
  double lost = o->r.lost_restitution + o->r.lost_friction + o->r.stored;
  demand(t, "the ledger", fabs(work + lost), tol * z.energy);
  if (!(o->r.flags & IMPACT_GAINS_ENERGY)) demand(t, "created energy", work, tol * z.energy);
  for (int c = 0; c < pr->nc; c++) {
    int n = impact_normal(pr, c);
    double tangential = 0, mu = law_friction_limit(t->l, c);
    for (int i = c * pr->dim; i < n; i++) tangential = hypot(tangential, o->p[i]);
    demand(t, "pull", -o->p[n], tol * z.p);
    demand(t, "penetration", -o->v[n], tol * z.v);
    if (!isnan(mu)) demand(t, "the cone", tangential - mu * o->p[n], tol * z.p);
  }
}

/* ---- all of them ------------------------------------------------------------------------------
 */

static void count(const trial *t, const outcome *o, spread *found) {
  switch (o->status) {
    case CORE_OK: found->good++; break;
    case CORE_NO_IMPACT: found->nothing++; break;
    case CORE_JAM: found->jam++; break;
    case CORE_LIMIT: found->limit++; break;
    case CORE_UNSUPPORTED: found->unsupported++; break;
    default: demand(t, o->err.text, 1, 0);
  }
}

static void one_case(trial *t, const law_type *type, spread *found) {
  static const model_type none = {.schema.owner = "random W"};
  static const model nobody = {.type = &none};
  double W[MOST_ROWS * MOST_ROWS], v[MOST_ROWS];
  int dim = random_dim(&t->seed, type->flags);
  int nc = type->flags & LAW_MANY && between(&t->seed, 0, 1) < 0.3 ? 2 : 1;
  double mu = between(&t->seed, 0, 1) < 0.2 ? 0 : between(&t->seed, 0, 1.2);
  double e = between(&t->seed, 0, 1);
  law *inner = random_law(law_find("stronge"), &t->seed, e, mu, NULL);
  law *l = random_law(type, &t->seed, e, mu, inner);
  t->m = &nobody;
  t->l = l;
  uint64_t seed = t->seed;
  random_W(&t->seed, nc * dim, W);
  for (int i = 0; i < nc * dim; i++) v[i] = between(&t->seed, -1, i % dim == dim - 1 ? 0.1 : 1);
  impact_problem pr = {.nc = nc, .dim = dim, .rows = nc * dim, .W = W, .v = v};
  t->setup.problem = pr;
  outcome o = solve_problem(t, &pr, NULL);
  uint64_t after = t->seed;
  t->seed = seed; /* what a failure prints */
  count(t, &o, found);
  if (core_status_good(o.status)) check_answer(t, &pr, &o);
  t->seed = after;
  law_free(l);
  law_free(inner);
}

static void no_law_breaks_mechanics(void) {
  for (int j = 0; law_table[j]; j++) {
    trial t = {.seed = (uint64_t)(j + 1)};
    spread found = {0};
    core_scratch_init(&t.s);
    for (int i = 0; i < cases; i++) one_case(&t, law_table[j], &found);
    core_scratch_free(&t.s);
    printf("%-16s %d answers, %d without impact, %d jams, %d limits, %d refused\n",
           law_table[j]->schema.owner, found.good, found.nothing, found.jam, found.limit,
           found.unsupported);
    TEST_ASSERT_TRUE_MESSAGE(found.good > cases / 4, law_table[j]->schema.owner);
    TEST_ASSERT_TRUE_MESSAGE(found.limit < cases / 100 + 1, law_table[j]->schema.owner);
  }
}

void setUp(void) {
}

void tearDown(void) {
}

int main(int argc, char **argv) {
  if (argc > 1) cases = atoi(argv[1]);
  UNITY_BEGIN();
  RUN_TEST(no_law_breaks_mechanics);
  return UNITY_END();
}
