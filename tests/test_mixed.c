/* Contacts with different numbers of rows in one problem. The reference is the same problem with
 * every contact brought to the most rows by rows that nothing moves: W_tt = 1 beside zeros, v_t =
 * 0, so that friction has nothing to do there. */
#include "impact/assemble.h"
#include "law_help.h"
#include "mixed_help.h"

enum { MOST = 6 };

static core_scratch s;

void setUp(void) {
  core_scratch_init(&s);
}

void tearDown(void) {
  core_scratch_free(&s);
}

/* ---- the model's way to the waist ---- */

static model *plank(void) {
  model *m = NULL;
  core_error err = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, model_create(&mixed_type, NULL, &m, &err), err.text);
  return m;
}

static void test_rows_of_chosen_contacts(void) {
  model *m = plank();
  const double q[3] = {0, 0.4, 0.2}, u[3] = {0.3, -1, 0.8};
  double J[3 * MIXED_ROWS];
  const int chosen[2] = {1, 2}, rows[3] = {2, 3, 4};
  impact_setup setup;
  TEST_ASSERT_EQUAL_INT(CORE_OK, impact_assemble(m, q, u, 2, chosen, &s, &setup, NULL));
  const impact_problem *pr = &setup.problem;
  TEST_ASSERT_EQUAL_INT(3, pr->rows);
  TEST_ASSERT_EQUAL_INT(2, pr->dim);
  TEST_ASSERT_EQUAL_INT(0, impact_normal(pr, 0));
  TEST_ASSERT_EQUAL_INT(1, impact_first(pr, 1));
  TEST_ASSERT_EQUAL_INT(2, impact_normal(pr, 1));
  mixed_J(m, q, J);
  const double inverse[3] = {1 / mixed_mass, 1 / mixed_mass, 1 / mixed_inertia};
  for (int i = 0; i < 3; i++) {
    double v = 0;
    for (int k = 0; k < 3; k++) v += J[k * MIXED_ROWS + rows[i]] * u[k];
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, v, pr->v[i]);
    for (int j = 0; j < 3; j++) {
      double w = 0;
      for (int k = 0; k < 3; k++)
        w += J[k * MIXED_ROWS + rows[i]] * inverse[k] * J[k * MIXED_ROWS + rows[j]];
      TEST_ASSERT_DOUBLE_WITHIN(1e-15, w, pr->W[j * 3 + i]);
    }
  }
  model_free(m);
}

/* contacts that agree make a uniform problem, whatever the model's others have */
static void test_contacts_that_agree_are_uniform(void) {
  model *m = plank();
  const int feet[2] = {0, 2}, stop[1] = {1};
  impact_setup setup;
  TEST_ASSERT_EQUAL_INT(CORE_OK, impact_assemble(m, m->q, m->u, 2, feet, &s, &setup, NULL));
  TEST_ASSERT_NULL(setup.problem.first);
  TEST_ASSERT_EQUAL_INT(4, setup.problem.rows);
  TEST_ASSERT_EQUAL_INT(CORE_OK, impact_assemble(m, m->q, m->u, 1, stop, &s, &setup, NULL));
  TEST_ASSERT_NULL(setup.problem.first);
  TEST_ASSERT_EQUAL_INT(1, setup.problem.dim);
  TEST_ASSERT_EQUAL_INT(1, setup.problem.rows);
  model_free(m);
}

/* ---- laws ---- */

typedef struct mixed {
  int nc, first[4];                         /* its own rows */
  double W[MOST * MOST], v[MOST];           /* of the rows that are */
  int at[MOST];                             /* row -> row of the padded problem */
  double padded_W[81], padded_v[9], gap[3]; /* dim rows each */
} mixed;

/* rows[c] of each contact out of a random W; the padded problem beside it */
static mixed random_mixed(uint64_t *seed, int nc, const int *rows, int dim) {
  mixed x = {.nc = nc};
  for (int c = 0; c < nc; c++) {
    x.first[c + 1] = x.first[c] + rows[c];
    for (int i = 0; i < rows[c]; i++) x.at[x.first[c] + i] = (c + 1) * dim - rows[c] + i;
  }
  int n = x.first[nc], all = nc * dim;
  random_W(seed, n, x.W);
  for (int i = 0; i < n; i++) x.W[i * n + i] += 0.1;
  for (int i = 0; i < all; i++) x.padded_W[i * all + i] = 1;
  for (int i = 0; i < n; i++) {
    x.v[i] = x.padded_v[x.at[i]] = between(seed, -2, 1);
    for (int j = 0; j < n; j++) x.padded_W[x.at[j] * all + x.at[i]] = x.W[j * n + i];
  }
  return x;
}

static core_status solve_mixed(const law *l, const mixed *x, int dim, int padded, impact_sink *sink,
                               impact_result *r, core_error *err) {
  impact_problem pr = {.nc = x->nc, .dim = dim, .gap = x->gap};
  pr.rows = padded ? x->nc * dim : x->first[x->nc];
  pr.W = padded ? x->padded_W : x->W, pr.v = padded ? x->padded_v : x->v;
  pr.first = padded ? NULL : x->first;
  return law_solve(l, &pr, &s, sink, r, err);
}

/* the end of the path is the answer */
typedef struct last {
  int rows, ends;
  double p[MOST], v[MOST];
} last;

static void keep_last(void *self, const impact_event *e) {
  last *to = self;
  if (e->kind != IMPACT_END) return;
  to->ends++;
  memcpy(to->p, e->sample.p, (size_t)to->rows * sizeof *to->p);
  memcpy(to->v, e->sample.v, (size_t)to->rows * sizeof *to->v);
}

static void ignore(void *self, const impact_sample *sample) {
  (void)self, (void)sample;
}

/* 1 when there was an impact to compare */
static int compare_one(const law *l, const mixed *x, int dim, double tol) {
  double p[9], v[9], P[9], V[9];
  core_error err = {0};
  impact_result r = {.p = p, .v = v}, R = {.p = P, .v = V};
  last end = {.rows = x->first[x->nc]};
  impact_sink sink = {&end, 2, 0, ignore, keep_last};
  core_status status = solve_mixed(l, x, dim, 0, &sink, &r, &err);
  core_status wanted = solve_mixed(l, x, dim, 1, NULL, &R, NULL);
  TEST_ASSERT_EQUAL_INT_MESSAGE(wanted, status, err.text);
  if (status) return 0;
  TEST_ASSERT_EQUAL_INT(1, end.ends);
  double size = 0;
  for (int i = 0; i < x->nc * dim; i++) size = fmax(size, fabs(P[i]));
  for (int i = 0; i < end.rows; i++) {
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(tol * size, P[x->at[i]], p[i], l->type->name);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(tol * size, V[x->at[i]], v[i], l->type->name);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(tol * size, p[i], end.p[i], l->type->name);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(tol * size, v[i], end.v[i], l->type->name);
  }
  TEST_ASSERT_DOUBLE_WITHIN(tol * (1 + size), R.lost_restitution, r.lost_restitution);
  TEST_ASSERT_DOUBLE_WITHIN(tol * (1 + size), R.lost_friction, r.lost_friction);
  /* a padded contact sticks on rows that nothing moves; without them there is nothing to stick */
  TEST_ASSERT_EQUAL_UINT(R.flags & ~IMPACT_STUCK, r.flags & ~IMPACT_STUCK);
  return 1;
}

static law *any_law(const law_type *type, uint64_t *seed, law *inner) {
  void *params = calloc(1, type->schema.size);
  law *l = NULL;
  core_error err = {0};
  core_schema_defaults(&type->schema, params);
  const double e = between(seed, 0.2, 1), mu = between(seed, 0, 1);
  const core_param *of = core_schema_find(&type->schema, "e");
  if (of) core_param_set(&type->schema, of, params, 1, &e, &err);
  of = core_schema_find(&type->schema, "mu"); /* newton takes several contacts without friction */
  if (of && of->kind == CORE_LIST) core_param_set(&type->schema, of, params, 1, &mu, &err);
  of = core_schema_find(&type->schema, "law");
  if (of) *(law **)((char *)params + of->at) = inner;
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, law_create(type, params, &l, &err), err.text);
  core_schema_free(&type->schema, params);
  free(params);
  return l;
}

static const int shapes[][4] = {/* dim, rows */
                                {2, 2, 1, 2}, {2, 1, 2, 0}, {3, 3, 1, 0},
                                {3, 1, 2, 3}, {3, 2, 3, 1}, {3, 3, 2, 0}};

static void compare_law(const law_type *type, uint64_t *seed) {
  int impacts = 0;
  double tol = type->flags & LAW_TIME ? 1e-10 : 1e-12;
  for (int i = 0; i < 120; i++) {
    const int *shape = shapes[i % 6];
    mixed x = random_mixed(seed, shape[3] ? 3 : 2, shape + 1, shape[0]);
    law *inner = law_from("stronge", "e", 0.6, "mu", between(seed, 0, 0.8), NULL);
    law *l = any_law(type, seed, inner);
    impacts += compare_one(l, &x, shape[0], tol);
    law_free(l);
    law_free(inner);
  }
  /* four of the six shapes are in space */
  TEST_ASSERT_TRUE_MESSAGE(impacts > (type->flags & LAW_DIM3 ? 60 : 20), type->name);
}

static void refuses(const law_type *type, uint64_t *seed) {
  mixed x = random_mixed(seed, 2, shapes[1] + 1, 2);
  double p[4], v[4];
  core_error err = {0};
  impact_result r = {.p = p, .v = v};
  law *l = any_law(type, seed, NULL);
  TEST_ASSERT_EQUAL_INT(CORE_UNSUPPORTED, solve_mixed(l, &x, 2, 0, NULL, &r, &err));
  TEST_ASSERT_NOT_NULL_MESSAGE(
      strstr(err.text, type->flags & LAW_MANY ? "same number of rows" : "takes one contact"),
      err.text);
  law_free(l);
}

static void test_laws_equal_themselves_with_rows_that_nothing_moves(void) {
  uint64_t seed = 17;
  for (const law_type *const *type = law_table; *type; type++)
    if ((*type)->flags & LAW_MIXED)
      compare_law(*type, &seed);
    else
      refuses(*type, &seed);
}

static void test_offsets_that_are_wrong_are_refused(void) {
  uint64_t seed = 3;
  mixed x = random_mixed(&seed, 2, shapes[1] + 1, 2);
  law *l = law_from("newton", NULL);
  double p[4], v[4];
  impact_result r = {.p = p, .v = v};
  core_error err = {0};
  x.first[1] = 0;
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, solve_mixed(l, &x, 2, 0, NULL, &r, &err));
  TEST_ASSERT_EQUAL_STRING("contact 1 must have 1, 2 or 3 rows, got 0", err.text);
  impact_problem pr = {2, 3, 3, x.W, x.v, NULL, 0, 0, (const int[]){0, 1, 3}, NULL};
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, impact_problem_check(&pr, &err));
  law_free(l);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_rows_of_chosen_contacts);
  RUN_TEST(test_contacts_that_agree_are_uniform);
  RUN_TEST(test_laws_equal_themselves_with_rows_that_nothing_moves);
  RUN_TEST(test_offsets_that_are_wrong_are_refused);
  return UNITY_END();
}
