/* Derivatives of impacts against differences that the test takes itself (five points, no
 * extrapolation), on random problems of every law (test_derive_closed.c has closed forms).
 * test_derive [cases] */
#include "impact/derive.h"
#include "law_help.h"

enum { ROWS = 9 };
static int cases = 2000;
static core_scratch scratch;

typedef struct problem {
  int nc, dim, rows;
  double W[ROWS * ROWS], v[ROWS], dW[ROWS * ROWS], dv[ROWS];
  double gap[ROWS], dgap[ROWS]; /* nc */
} problem;
static int open_contacts; /* 1: the last contacts are open, the first one touches */

/* W = B B^T + 0.2 and its direction B dB^T + dB B^T: as mechanisms make them */
static problem random_problem(uint64_t *seed, int nc, int dim) {
  problem q = {.nc = nc, .dim = dim, .rows = nc * dim};
  double B[ROWS * ROWS], dB[ROWS * ROWS];
  int n = q.rows;
  for (int c = 1; c < nc && open_contacts; c++)
    q.gap[c] = between(seed, 0.05, 1), q.dgap[c] = between(seed, -1, 1);
  for (int i = 0; i < n * n; i++) B[i] = between(seed, -1, 1), dB[i] = between(seed, -1, 1);
  for (int i = 0; i < n; i++) {
    q.v[i] = between(seed, -2, 2), q.dv[i] = between(seed, -1, 1);
    if (i % dim == dim - 1) q.v[i] = between(seed, -2, -0.1);
    for (int j = 0; j < n; j++) {
      q.W[j * n + i] = i == j ? 0.2 : 0, q.dW[j * n + i] = 0;
      for (int k = 0; k < n; k++) {
        q.W[j * n + i] += B[k * n + i] * B[k * n + j];
        q.dW[j * n + i] += B[k * n + i] * dB[k * n + j] + dB[k * n + i] * B[k * n + j];
      }
    }
  }
  return q;
}

static impact_problem as_problem(const problem *q) {
  return (impact_problem){
      .nc = q->nc, .dim = q->dim, .rows = q->rows, .W = q->W, .v = q->v, .gap = q->gap};
}

/* what happened, to keep stencils on one side of a tie */
static void count_events(void *self, const impact_event *e) {
  unsigned long *hash = self;
  *hash = *hash * 31 + (unsigned long)(7 * e->contact + (int)e->kind + 8);
}

static core_status solve_at(const law *l, const problem *q, double s, double *p,
                            unsigned long *hash) {
  problem at = *q;
  double v[ROWS];
  for (int i = 0; i < q->rows * q->rows; i++) at.W[i] += s * q->dW[i];
  for (int i = 0; i < q->rows; i++) at.v[i] += s * q->dv[i];
  for (int c = 0; c < q->nc; c++) at.gap[c] += s * q->dgap[c];
  impact_problem pr = as_problem(&at);
  impact_result r = {.p = p, .v = v};
  impact_sink sink = {hash, 0, 0, NULL, count_events};
  *hash = 0;
  return law_solve(l, &pr, &scratch, &sink, &r, NULL);
}

/* five points; 0 when the story differs on them or their answer hangs on the step: near a tie */
static int differences(const law *l, const problem *q, double h, double *d) {
  static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
  unsigned long first, hash;
  double p[ROWS];
  if (solve_at(l, q, 0, p, &first)) return 0;
  for (int i = 0; i < q->rows; i++) d[i] = 0;
  for (int k = 0; k < 4; k++) {
    if (solve_at(l, q, at[k] * h, p, &hash) || hash != first) return 0;
    for (int i = 0; i < q->rows; i++) d[i] += weight[k] * p[i] / (12 * h);
  }
  return 1;
}

static double distance(int n, const double *a, const double *b) {
  double most = 0, size = 1e-300;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(a[i] - b[i]));
    size = fmax(size, fabs(b[i]));
  }
  return most / size;
}

/* every law on `cases` problems: the worst distance, how many were compared, by which routes */
typedef struct figures {
  double worst;
  int compared, ties, routes[4];
} figures;

static figures compare(const law *l, int nc, int dim, double bound) {
  figures f = {0};
  uint64_t seed = 18;
  for (int tries = 0; f.compared < cases && tries < 4 * cases; tries++) {
    problem q = random_problem(&seed, nc, dim);
    impact_problem pr = as_problem(&q);
    double p[ROWS], v[ROWS], dp[ROWS], d[ROWS], finer[ROWS];
    impact_result r = {.p = p, .v = v};
    impact_direction way = {.W = q.dW, .v = q.dv, .gap = q.dgap};
    impact_derived how = {0};
    if (law_solve(l, &pr, &scratch, NULL, &r, NULL)) continue;
    if (!differences(l, &q, 1e-3, d) || !differences(l, &q, 5e-4, finer)) continue;
    if (distance(pr.rows, d, finer) > 1e-8) continue; /* near a tie */
    TEST_ASSERT_EQUAL(CORE_OK, impact_derive(l, &pr, &r, &way, &scratch, dp, &how, NULL));
    if (how.tie) {
      f.ties++;
      continue;
    }
    double far = distance(pr.rows, dp, finer);
    f.worst = fmax(f.worst, far);
    f.routes[how.route]++;
    f.compared++;
    if (far > bound) printf("  case %d: %.3g by route %d\n", tries, far, (int)how.route);
  }
  return f;
}

/* the differences of the test are themselves good to 1e-8 at best: h^4 and eps/h */
static void check(const char *name, const law *l, int nc, int dim, impact_route route) {
  figures f = compare(l, nc, dim, 1e-6);
  printf("%-10s %d x %d: worst %.2g of %d, %d ties, routes %d %d %d %d\n", name, nc, dim, f.worst,
         f.compared, f.ties, f.routes[0], f.routes[1], f.routes[2], f.routes[3]);
  TEST_ASSERT_TRUE_MESSAGE(f.worst < 1e-6, name);
  TEST_ASSERT_TRUE_MESSAGE(f.compared >= cases * 9 / 10, name);
  TEST_ASSERT_TRUE_MESSAGE(f.ties <= cases / 20, name);
  TEST_ASSERT_TRUE_MESSAGE(f.routes[route] > f.compared / 2, name);
}

static void with_law(law *l, int nc, int dim, impact_route route) {
  check(l->type->name, l, nc, dim, route);
  law_free(l);
}

/* a second geometry of a law that has had its 2,000 */
static void some(law *l, int nc, int dim, impact_route route) {
  int all = cases;
  cases = (all + 4) / 5;
  with_law(l, nc, dim, route);
  cases = all;
}

static void test_rigid_laws_in_the_plane_by_closed_form(void) {
  with_law(law_from("newton", "e", 0.6, "mu", 0.3, NULL), 1, 2, IMPACT_CLOSED_FORM);
  with_law(law_from("plastic", "mu", 0.3, NULL), 1, 2, IMPACT_CLOSED_FORM);
  with_law(law_from("stronge", "e", 0.6, "mu", 0.5, NULL), 1, 2, IMPACT_CLOSED_FORM);
  with_law(law_from("poisson", "e", 0.6, "mu", 0.5, NULL), 1, 2, IMPACT_CLOSED_FORM);
}

static void test_cones_by_active_sets(void) {
  with_law(law_from("newton", "e", 0.6, NULL), 3, 1, IMPACT_ACTIVE_SET);
  with_law(law_from("plastic", NULL), 3, 2, IMPACT_ACTIVE_SET);
  with_law(law_from("moreau", "e", 0.6, "mu", 0.4, NULL), 3, 2, IMPACT_ACTIVE_SET);
  some(law_from("moreau", "e", 0.3, "mu", 0.4, NULL), 2, 3, IMPACT_ACTIVE_SET);
  with_law(law_from("glocker", "e", 0.6, "mu", 0.4, NULL), 2, 2, IMPACT_ACTIVE_SET);
}

static void test_springs_in_the_plane_event_by_event(void) {
  with_law(law_from("compliant", "e", 0.6, "mu", 0.5, "eta", 1.1, NULL), 1, 2, IMPACT_BY_EVENTS);
  with_law(law_from("compliant", "e", 0.8, NULL), 2, 1, IMPACT_BY_EVENTS);
  with_law(law_from("vibration", NULL), 2, 1, IMPACT_BY_EVENTS);
  with_law(law_from("compliant", "e", 0.6, "mu", 0.3, "eta", 1.1, NULL), 2, 2, IMPACT_BY_EVENTS);
}

static void test_rigid_laws_in_space_event_by_event(void) {
  with_law(law_from("stronge", "e", 0.6, "mu", 0.5, NULL), 1, 3, IMPACT_BY_EVENTS);
  some(law_from("poisson", "e", 0.6, "mu", 1.5, NULL), 1, 3, IMPACT_BY_EVENTS);
  some(law_from("newton", "e", 0.4, "mu", 0.3, NULL), 1, 3, IMPACT_BY_EVENTS);
  some(law_from("plastic", "mu", 0.5, NULL), 1, 3, IMPACT_BY_EVENTS);
}

static void test_springs_in_space_event_by_event(void) {
  with_law(law_from("compliant", "e", 0.6, "mu", 0.5, "eta", 1.1, NULL), 1, 3, IMPACT_BY_EVENTS);
  some(law_from("compliant", "e", 0.0, "mu", 0.3, "eta", 0.7, NULL), 1, 3, IMPACT_BY_EVENTS);
  some(law_from("compliant", "e", 0.8, "mu", 0.4, "eta", 1.1, NULL), 2, 3, IMPACT_BY_EVENTS);
}

/* ---- two routes of our own that share nothing but the law ---- */

/* 1: compared; the worst distance of the two so far */
static int routes_agree(const law *l, const impact_problem *pr, const impact_direction *way,
                        double *worst) {
  double p[ROWS], v[ROWS], dp[ROWS], other[ROWS];
  impact_result r = {.p = p, .v = v};
  impact_derived how = {0}, by = {0};
  if (law_solve(l, pr, &scratch, NULL, &r, NULL)) return 0;
  TEST_ASSERT_EQUAL(CORE_OK, impact_derive(l, pr, &r, way, &scratch, dp, &how, NULL));
  TEST_ASSERT_EQUAL(CORE_OK, impact_derive_differences(l, pr, way, &scratch, other, &by, NULL));
  if (how.tie || by.tie || how.route == IMPACT_DIFFERENCES || by.error > 1e-11) return 0;
  TEST_ASSERT_TRUE(how.error == 0);
  double size = 0, far = 0;
  for (int i = 0; i < pr->rows; i++) {
    size = fmax(size, fmax(fabs(p[i]), fabs(other[i])));
    far = fmax(far, fabs(dp[i] - other[i]));
  }
  *worst = fmax(*worst, far / size);
  return 1;
}

static void agree_with_richardson(law *l, int nc) {
  static const char *const keys[] = {"mu", "e", "eta", "k"};
  uint64_t seed = 77;
  double worst = 0, worst_of_law = 0;
  int problems = 0, parameters = 0;
  for (int i = 0; i < cases / 10; i++) {
    problem q = random_problem(&seed, nc, 3);
    impact_problem pr = as_problem(&q);
    impact_direction way = {.W = q.dW, .v = q.dv};
    problems += routes_agree(l, &pr, &way, &worst);
    const core_param *param = core_schema_find(&l->type->schema, keys[i % 4]);
    impact_direction of = {.of = l, .param = param, .at = -1};
    if (param) parameters += routes_agree(l, &pr, &of, &worst_of_law);
  }
  printf("%-10s %d x 3: events and differences %.2g of %d, of parameters %.2g of %d\n",
         l->type->name, nc, worst, problems, worst_of_law, parameters);
  TEST_ASSERT_TRUE_MESSAGE(worst < 1e-10 && worst_of_law < 1e-10, l->type->name);
  TEST_ASSERT_TRUE_MESSAGE(problems > cases / 20, l->type->name);
  law_free(l);
}

static void test_events_in_space_agree_with_richardson(void) {
  agree_with_richardson(law_from("stronge", "e", 0.6, "mu", 0.5, NULL), 1);
  agree_with_richardson(law_from("poisson", "e", 0.3, "mu", 0.8, NULL), 1);
  agree_with_richardson(law_from("newton", "e", 0.4, "mu", 0.3, NULL), 1);
  agree_with_richardson(law_from("compliant", "e", 0.6, "mu", 0.5, "eta", 1.1, NULL), 1);
  agree_with_richardson(law_from("compliant", "e", 0.0, "mu", 0.5, "eta", 1.1, NULL), 1);
}

/* law.lzb integrates energies of contacts: Richardson's on one sequence of events */
static void test_lzb_by_differences(void) {
  if (!law_find("lzb")) TEST_IGNORE_MESSAGE("law.lzb is not in the table");
  with_law(law_from("lzb", "e", 0.7, NULL), 2, 1, IMPACT_DIFFERENCES);
  some(law_from("lzb", "e", 0.6, "mu", 0.3, NULL), 1, 2, IMPACT_DIFFERENCES);
}

typedef struct chain_params {
  law *law;
  double window;
  int limit;
} chain_params;

/* chains of single impacts take the routes of these, also over flights within the impact */
static void chains(law *single, int nc, int dim, double window, impact_route route) {
  chain_params p = {single, window, 1000000};
  open_contacts = !isnan(window);
  with_law(make_law("sequential", &p), nc, dim, route);
  open_contacts = 0;
  law_free(single);
}

static void test_chains_by_their_single_impacts(void) {
  chains(law_from("newton", "e", 0.6, "mu", 0.3, NULL), 2, 2, NAN, IMPACT_CLOSED_FORM);
  int all = cases;
  cases = (all + 4) / 5;
  chains(law_from("stronge", "e", 0.6, "mu", 0.4, NULL), 2, 2, NAN, IMPACT_CLOSED_FORM);
  chains(law_from("stronge", "e", 0.6, "mu", 0.4, NULL), 3, 2, NAN, IMPACT_CLOSED_FORM);
  chains(law_from("stronge", "e", 0.6, "mu", 0.4, NULL), 2, 2, INFINITY, IMPACT_CLOSED_FORM);
  chains(law_from("newton", "e", 0.6, "mu", 0.3, NULL), 3, 2, INFINITY, IMPACT_CLOSED_FORM);
  chains(law_from("stronge", "e", 0.6, "mu", 0.4, NULL), 2, 3, NAN, IMPACT_BY_EVENTS);
  cases = all;
}

/* the parameter of the law inside moves all single impacts; whole chains by Richardson's beside it
 */
static void parameters_through(law *single, int nc, int dim) {
  chain_params p = {single, NAN, 1000000};
  law *l = make_law("sequential", &p);
  const law *inside = law_sequential_inner(l, -1);
  static const char *const keys[] = {"mu", "e"};
  uint64_t seed = 9;
  double worst = 0;
  int compared = 0;
  for (int i = 0; i < cases / 10; i++) {
    problem q = random_problem(&seed, nc, dim);
    impact_problem pr = as_problem(&q);
    impact_direction way = {
        .of = inside, .param = core_schema_find(&inside->type->schema, keys[i % 2]), .at = -1};
    compared += routes_agree(l, &pr, &way, &worst);
  }
  printf("sequential %s %d x %d: parameters %.2g of %d\n", single->type->name, nc, dim, worst,
         compared);
  TEST_ASSERT_TRUE(worst < 1e-9 && compared > cases / 20);
  law_free(l), law_free(single);
}

static void test_parameters_through_chains(void) {
  parameters_through(law_from("stronge", "e", 0.6, "mu", 0.4, NULL), 2, 2);
  parameters_through(law_from("newton", "e", 0.6, "mu", 0.3, NULL), 3, 2);
  parameters_through(law_from("stronge", "e", 0.6, "mu", 0.4, NULL), 2, 3);
}

void setUp(void) {
  core_scratch_init(&scratch);
}
void tearDown(void) {
  core_scratch_free(&scratch);
}

int main(int argc, char **argv) {
  if (argc > 1) cases = atoi(argv[1]);
  UNITY_BEGIN();
  RUN_TEST(test_rigid_laws_in_the_plane_by_closed_form);
  RUN_TEST(test_cones_by_active_sets);
  RUN_TEST(test_springs_in_the_plane_event_by_event);
  RUN_TEST(test_rigid_laws_in_space_event_by_event);
  RUN_TEST(test_lzb_by_differences);
  RUN_TEST(test_chains_by_their_single_impacts);
  RUN_TEST(test_parameters_through_chains);
  RUN_TEST(test_springs_in_space_event_by_event);
  RUN_TEST(test_events_in_space_agree_with_richardson);
  return UNITY_END();
}
