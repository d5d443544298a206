/* Random problems of all shapes for every law: no answer may break a conservation law, leave the
 * friction cone, pull, penetrate, or create energy without saying so.
 *
 *   test_violations [cases of each law [first seed [law]]]
 *   test_violations long [store [seconds]]     1e8 impacts, most of them of the fast laws: goes on
 *                                              where the store says the last sitting ended
 *
 * One to eight contacts (one for laws that take one); a quarter of the problems each is
 *
 *   free    W = B B^T of any size, now and then nearly singular
 *   body    one rigid body on its points: W of rank 6 (in space), 3 (in the plane), 2 (in a line)
 *   round   a body of round numbers, so that events coincide
 *   chain   contacts in a row, as between balls, half of them with equal masses
 *
 * A failure prints the problem and the law as Lua. */
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "campaign.h"
#include "conformance.h"
#include "core/interrupt.h"

static int cases = 2000; /* of each law */
static uint64_t first_seed = 1;
static const char *only; /* this law */

/* an impact that takes longer than this many seconds of CPU time is printed and counted, not waited
 * for; sanitizers take their time */
#ifdef __SANITIZE_ADDRESS__
enum { SLOW = 20 };
#else
enum { SLOW = 4 };
#endif

static void ring(int number) {
  (void)number;
  core_interrupt_flag = 1;
}

static void limit_time(int seconds) {
  struct itimerval in = {.it_value.tv_sec = seconds};
  setitimer(ITIMER_VIRTUAL, &in, NULL);
}

/* ---- problems ---- */

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

/* a number between a and b; on a grid of halves when round */
static double number(uint64_t *seed, double a, double b, int round) {
  double x = between(seed, a, b);
  return round ? rint(2 * x) / 2 : x;
}

/* rows of J (nu numbers each) of a point at r of a body; speeds (v, omega), the plane has x and z
 */
static void point_rows(int dim, const double *r, double (*J)[6]) {
  static const int axes[3][3] = {{2, 0, 0}, {0, 2, 0}, {0, 1, 2}};
  for (int k = 0; k < dim; k++) {
    int a = axes[dim - 1][k], b = (a + 1) % 3, c = (a + 2) % 3;
    for (int i = 0; i < 6; i++) J[k][i] = i == a;
    J[k][3 + b] = r[c]; /* v + omega x r */
    J[k][3 + c] = -r[b];
    if (dim < 3) J[k][3] = J[k][5] = 0; /* turns about y only */
  }
}

/* one body that touches at nc points, and moves on at random */
static void body(uint64_t *seed, int nc, int dim, int round, double *W, double *v) {
  double J[MOST_ROWS][6], inverse[6], u[6], mass = round ? 1 : between(seed, 0.5, 2);
  int rows = nc * dim;
  for (int c = 0; c < nc; c++) {
    double r[3];
    for (int i = 0; i < 3; i++) r[i] = number(seed, -1, 1, round);
    point_rows(dim, r, J + c * dim);
  }
  for (int i = 0; i < 6; i++) {
    inverse[i] = i < 3 ? 1 / mass : 1 / (round ? 0.5 : between(seed, 0.05, 0.7));
    u[i] = number(seed, -1, 1, round);
  }
  u[2] = number(seed, -3, -0.3, round);
  for (int i = 0; i < rows; i++) {
    v[i] = 0;
    for (int k = 0; k < 6; k++) v[i] += J[i][k] * u[k];
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) sum += J[i][k] * inverse[k] * J[j][k];
      W[j * rows + i] = W[i * rows + j] = sum;
    }
  }
}

/* nc contacts between nc + 1 bodies in a row: W_cc = 1/m_c + 1/m_c+1, W_c,c+1 = -1/m_c+1; the
 * tangential rows are those of bodies that do not turn */
static void chain(uint64_t *seed, int nc, int dim, double *W, double *v) {
  double inverse[MOST_CONTACTS + 1], equal = between(seed, 0, 1) < 0.5;
  int rows = nc * dim;
  memset(W, 0, (size_t)(rows * rows) * sizeof *W);
  for (int c = 0; c <= nc; c++) inverse[c] = equal ? 1 : 1 / between(seed, 0.2, 3);
  for (int c = 0; c < nc; c++)
    for (int k = 0; k < dim; k++) {
      int i = c * dim + k, next = i + dim;
      W[i * rows + i] = inverse[c] + inverse[c + 1];
      if (c < nc - 1) W[next * rows + i] = W[i * rows + next] = -inverse[c + 1];
      v[i] = equal ? (double)(c == 0 && k == dim - 1) * -1 : between(seed, -1, 0.2);
    }
}

static void random_problem(uint64_t *seed, int nc, int dim, double *W, double *v) {
  int family = (int)between(seed, 0, 4);
  if (family == 1 || family == 2) body(seed, nc, dim, family == 2, W, v);
  if (family == 3) chain(seed, nc, dim, W, v);
  if (family) return;
  random_W(seed, nc * dim, W);
  for (int i = 0; i < nc * dim; i++) v[i] = between(seed, -1, i % dim == dim - 1 ? 0.1 : 1);
}

static int random_dim(uint64_t *seed, unsigned flags) {
  for (;;) {
    int dim = 1 + (int)between(seed, 0, 3);
    if (flags & (LAW_DIM1 << (dim - 1))) return dim;
  }
}

/* ---- one answer ---- */

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

static void check_answer(const trial *t, const impact_problem *pr, const outcome *o,
                         spread *found) {
  double tol = t->l->type->flags & LAW_TIME ? 1e-10 : 1e-11, work = 0;
  sizes z = sizes_of(pr, o);
  for (int i = 0; i < pr->rows; i++) {
    double v = pr->v[i];
    for (int j = 0; j < pr->rows; j++) v += pr->W[j * pr->rows + i] * o->p[j];
    demand(t, "v+ = v- + W p", fabs(v - o->v[i]), 1e-12 * z.v);
    work += o->p[i] * (pr->v[i] + v) / 2;
  }
  double lost = o->r.lost_restitution + o->r.lost_friction + o->r.stored;
  /* of laws that integrate in time one that is open by more is said by a flag, and rare */
  int said = t->l->type->flags & LAW_TIME && o->r.flags & IMPACT_OPEN_LEDGER;
  if (!said)
    demand(t, "the ledger", fabs(work + lost), tol * z.energy);
  else if (fabs(work + lost) > tol * z.energy)
    found->ledger++;
  if (!(o->r.flags & IMPACT_GAINS_ENERGY)) demand(t, "created energy", work, tol * z.energy);
  for (int c = 0; c < pr->nc; c++) {
    int n = impact_normal(pr, c);
    double tangential = 0, mu = law_friction_limit(t->l, c);
    for (int i = c * pr->dim; i < n; i++) tangential = hypot(tangential, o->p[i]);
    demand(t, "pull", -o->p[n], tol * z.p);
    if (!(o->r.flags & IMPACT_RETURNS)) demand(t, "penetration", -o->v[n], tol * z.v);
    if (!isnan(mu)) demand(t, "the cone", tangential - mu * o->p[n], tol * z.p);
  }
}

/* ---- all of them ---- */

static void count(const trial *t, const outcome *o, spread *found) {
  switch (o->status) {
    case CORE_OK: found->good++; break;
    case CORE_NO_IMPACT: found->nothing++; break;
    case CORE_JAM: found->jam++; break;
    case CORE_LIMIT: found->limit++; break;
    case CORE_UNSUPPORTED: found->unsupported++; break;
    case CORE_NOT_CONVERGED: found->open++; break;
    case CORE_INTERRUPTED: /* by the alarm */
      core_interrupt_flag = 0;
      found->slow++;
      print_case(t);
      break;
    case CORE_NO_SOLUTION:
      demand(t, o->err.text, !strstr(o->err.text, "wedges"), 0);
      found->wedged++;
      break;
    default: demand(t, o->err.text, 1, 0);
  }
}

/* few more often than many, which take long */
static int contacts(uint64_t *seed) {
  double x = between(seed, 0, 1);
  return x < 0.4 ? 1 : x < 0.8 ? 2 + (int)between(seed, 0, 3) : 5 + (int)between(seed, 0, 4);
}

/* contacts that approach again are those whose flight is longer than the law's window: with an
 * infinite one all leave for good */
static void check_returns(trial *t, const law *patient, const impact_problem *pr, spread *found) {
  const law *usual = t->l;
  t->l = patient;
  limit_time(SLOW);
  outcome o = solve_problem(t, pr, NULL);
  limit_time(0);
  core_interrupt_flag = 0;
  found->returns++;
  if (core_status_good(o.status)) demand(t, "returns", o.r.flags & IMPACT_RETURNS, 0);
  t->l = usual;
}

static void one_case(trial *t, const law_type *type, spread *found) {
  static const model_type none = {.schema.owner = "random W"};
  static const model nobody = {.type = &none};
  double W[MOST_ROWS * MOST_ROWS], v[MOST_ROWS];
  int dim = random_dim(&t->seed, type->flags);
  int nc = type->flags & LAW_MANY ? contacts(&t->seed) : 1, round = between(&t->seed, 0, 1) < 0.3;
  if (type == law_find("vibration") && nc > 3) nc = 3; /* takes minutes beyond */
  double mu = between(&t->seed, 0, 1) < 0.2 ? 0 : number(&t->seed, 0, 1.2, round);
  double e = number(&t->seed, 0, 1, round);
  if (nc > 1 && type->friction && type->friction->kind == CORE_NUMBER) mu = 0; /* of one contact */
  law *inner = law_of(law_find("stronge"), e, mu, 1, NAN, NULL);
  double eta = between(&t->seed, 0.5, 2);
  law *l = law_of(type, e, mu, eta, NAN, inner);
  law *patient = law_of(type, e, mu, eta, INFINITY, inner);
  t->m = &nobody;
  t->l = l;
  uint64_t seed = t->seed;
  random_problem(&t->seed, nc, dim, W, v);
  impact_problem pr = {.nc = nc, .dim = dim, .rows = nc * dim, .W = W, .v = v};
  t->setup.problem = pr;
  limit_time(SLOW);
  outcome o = solve_problem(t, &pr, NULL);
  limit_time(0);
  uint64_t after = t->seed;
  t->seed = seed; /* what a failure prints */
  count(t, &o, found);
  if (core_status_good(o.status)) check_answer(t, &pr, &o, found);
  if (o.r.flags & IMPACT_RETURNS) check_returns(t, patient, &pr, found);
  t->seed = after;
  law_free(l);
  law_free(patient);
  law_free(inner);
}

static void report(const law_type *type, const spread *f) {
  printf("%-16s %ld answers, %ld without impact, %ld jams, %ld limits, %ld refused, %ld wedged, "
         "%ld return, %ld slow, %ld not converged, %ld with an open ledger\n",
         type->schema.owner, f->good, f->nothing, f->jam, f->limit, f->unsupported, f->wedged,
         f->returns, f->slow, f->open, f->ledger);
}

static void judge(const law_type *type, const spread *found, long n) {
  TEST_ASSERT_TRUE_MESSAGE(found->good > n / 4, type->schema.owner);
  /* one after the other never ends where bounces die out in a wedge or a corner */
  long most = type->inner ? n / 10 : n / 100;
  TEST_ASSERT_TRUE_MESSAGE(found->limit < most + 1, type->schema.owner);
  TEST_ASSERT_TRUE_MESSAGE(found->slow <= n / 500, type->schema.owner);
  TEST_ASSERT_TRUE_MESSAGE(found->ledger <= n / 100000, type->schema.owner);
}

static void no_law_breaks_mechanics(void) {
  for (int j = 0; law_table[j]; j++) {
    if (only && strcmp(only, law_table[j]->name)) continue;
    trial t = {.seed = first_seed + (uint64_t)j};
    spread found = {0};
    core_scratch_init(&t.s);
    int n = only || strcmp(law_table[j]->name, "lzb") ? cases : cases / 5; /* it integrates */
    for (int i = 0; i < n; i++) one_case(&t, law_table[j], &found);
    core_scratch_free(&t.s);
    report(law_table[j], &found);
    judge(law_table[j], &found, n);
  }
}

/* ---- a campaign of many sittings ---- */

enum { SLICES = 1000 };

static const char *store = "violations.store";
static double most_seconds = INFINITY;

/* impacts of a law in the whole campaign: what is fast does most, and all laws do enough; together
 * 1.005e8 with the nine laws of today */
static long goal(const law_type *type) {
  static const struct {
    const char *name;
    long n;
  } goals[] = {{"stronge", 35000000}, {"poisson", 35000000},  {"newton", 10000000},
               {"plastic", 10000000}, {"vibration", 7000000}, {"sequential", 1500000},
               {"glocker", 1000000},  {"moreau", 500000},     {"compliant", 500000}};
  for (size_t i = 0; i < sizeof goals / sizeof *goals; i++)
    if (!strcmp(goals[i].name, type->name)) return goals[i].n;
  return 500000;
}

/* a thousandth of what a law is to do; 1: it has done all */
static int slice(leg *l, const law_type *type) {
  trial t = {.seed = l->seed};
  long end = l->n + goal(type) / SLICES;
  core_scratch_init(&t.s);
  for (; l->n < end && l->n < goal(type); l->n++) one_case(&t, type, &l->found);
  core_scratch_free(&t.s);
  l->seed = t.seed;
  return l->n >= goal(type);
}

/* the store is kept: the next campaign has other seeds */
static void end_campaign(leg *legs) {
  for (int j = 0; law_table[j]; j++) {
    leg *l = leg_of(legs, law_table[j]->name);
    judge(law_table[j], &l->found, l->n);
    *l = (leg){.seed = l->seed};
    snprintf(l->name, sizeof l->name, "%s", law_table[j]->name);
  }
  save(store, legs);
}

static void a_campaign_of_1e8_impacts(void) {
  static leg legs[MOST_LAWS];
  time_t start = time(NULL);
  int whole = 0;
  long total = 0;
  load(store, legs);
  while (!whole && difftime(time(NULL), start) < most_seconds) {
    whole = 1;
    for (int j = 0; law_table[j]; j++) {
      leg *l = leg_of(legs, law_table[j]->name);
      if (!l->seed) l->seed = first_seed + ((uint64_t)j << 56);
      whole &= slice(l, law_table[j]);
    }
    save(store, legs);
  }
  for (int j = 0; law_table[j]; j++) {
    const leg *l = leg_of(legs, law_table[j]->name);
    total += l->n;
    report(law_table[j], &l->found);
  }
  printf("%ld impacts, %s, %ld failures in this sitting\n", total,
         whole ? "all of the campaign" : "to be gone on with", demand_failures);
  TEST_ASSERT_EQUAL_INT64(0, demand_failures);
  if (whole) end_campaign(legs);
}

void setUp(void) {
}

void tearDown(void) {
}

int main(int argc, char **argv) {
  signal(SIGVTALRM, ring);
  setvbuf(stdout, NULL, _IOLBF, 0);
  int campaign = argc > 1 && !strcmp(argv[1], "long");
  demand_goes_on = campaign;
  if (campaign && argc > 2) store = argv[2];
  if (campaign && argc > 3) most_seconds = atof(argv[3]);
  if (!campaign && argc > 1) cases = atoi(argv[1]);
  if (!campaign && argc > 2) first_seed = strtoull(argv[2], NULL, 10);
  if (!campaign && argc > 3) only = argv[3];
  UNITY_BEGIN();
  if (campaign)
    RUN_TEST(a_campaign_of_1e8_impacts);
  else
    RUN_TEST(no_law_breaks_mechanics);
  return UNITY_END();
}
