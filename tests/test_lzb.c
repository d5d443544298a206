/* law.lzb against conservation, law.compliant, law.sequential and law.stronge, which share no code
 * with it. */
#include "law_help.h"

enum { MOST = 16 };

/* n balls of mass 1 in a row, the first comes in with 1 m/s */
static void row_of_balls(int n, double *W, double *v) {
  int nc = n - 1;
  for (int i = 0; i < nc; i++) {
    v[i] = i ? 0 : -1;
    for (int j = 0; j < nc; j++) W[j * nc + i] = i == j ? 2 : i == j + 1 || j == i + 1 ? -1 : 0;
  }
}

static core_status run(law *l, int nc, const double *W, const double *v, double *p, double *after) {
  impact_problem pr = {.nc = nc, .dim = 1, .rows = nc, .W = W, .v = v};
  impact_result r = {.p = p, .v = after};
  core_scratch s;
  core_scratch_init(&s);
  core_status status = law_solve(l, &pr, &s, NULL, &r, NULL);
  core_scratch_free(&s);
  law_free(l);
  return status;
}

/* velocities of the balls from the impulses between them */
static void balls(int n, const double *p, double *u) {
  for (int i = 0; i < n; i++) u[i] = (i == 0 ? 1 - p[0] : p[i - 1] - (i < n - 1 ? p[i] : 0));
}

static void elastic_rows_keep_energy_and_momentum(void) {
  int sizes[2] = {3, 10};
  double exponents[3] = {1, 1.5, 2};
  for (int i = 0; i < 6; i++) {
    int n = sizes[i / 3];
    double W[MOST * MOST], v[MOST], p[MOST], after[MOST], u[MOST], momentum = 0, energy = 0;
    row_of_balls(n, W, v);
    law *l = law_from("lzb", "exponent", exponents[i % 3], NULL);
    TEST_ASSERT_EQUAL_INT(CORE_OK, run(l, n - 1, W, v, p, after));
    balls(n, p, u);
    for (int k = 0; k < n; k++) momentum += u[k], energy += u[k] * u[k];
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 1, momentum);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, 1, energy);
  }
}

static void linear_elastic_contacts_are_springs(void) {
  for (int n = 3; n <= 10; n += 7) {
    double W[MOST * MOST], v[MOST], p[MOST], q[MOST], after[MOST];
    row_of_balls(n, W, v);
    law *l = law_from("lzb", "exponent", 1.0, NULL), *c = law_from("compliant", NULL);
    TEST_ASSERT_EQUAL_INT(CORE_OK, run(l, n - 1, W, v, p, after));
    TEST_ASSERT_EQUAL_INT(CORE_OK, run(c, n - 1, W, v, q, after));
    for (int k = 0; k < n - 1; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-9, q[k], p[k]);
  }
}

/* three balls, the nearer contact far stiffer or far softer: 1 m/s goes through ball by ball */
static void stiffness_far_apart_is_one_impact_after_the_other(void) {
  double W[4], v[2], p[2], after[2], u[3], stiffness[2] = {1e10, 1};
  row_of_balls(3, W, v);
  law *l = law_from("lzb", "exponent", 1.0, NULL);
  const core_param *key = core_schema_find(&l->type->schema, "stiffness");
  TEST_ASSERT_EQUAL_INT(CORE_OK,
                        core_param_set(&l->type->schema, key, l->params, 2, stiffness, NULL));
  TEST_ASSERT_EQUAL_INT(CORE_OK, run(l, 2, W, v, p, after));
  balls(3, p, u);
  TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0, u[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0, u[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-4, 1, u[2]);
}

/* one contact: energetic restitution and friction along the path are Stronge's law */
static void one_contact_is_stronges_law(void) {
  uint64_t seed = 5;
  int compared = 0;
  for (int i = 0; i < 400; i++) {
    double W[4], v[2] = {between(&seed, -2, 2), between(&seed, -2, -0.1)};
    double mu = between(&seed, 0, 1), e = between(&seed, 0.05, 1);
    random_W(&seed, 2, W);
    W[0] += 0.1, W[3] += 0.1;
    law *a = law_from("lzb", "mu", mu, "e", e, NULL),
        *b = law_from("stronge", "mu", mu, "e", e, NULL);
    hit x = solve_with(a, 1, 2, W, v, NULL, -1), y = solve_with(b, 1, 2, W, v, NULL, -1);
    if (!x.r.status && !y.r.status) {
      compared++;
      TEST_ASSERT_DOUBLE_WITHIN(1e-8, y.v[0], x.v[0]);
      TEST_ASSERT_DOUBLE_WITHIN(1e-8, y.v[1], x.v[1]);
    }
    law_free(a), law_free(b);
  }
  TEST_ASSERT_TRUE(compared > 390);
}

void setUp(void) {
}

void tearDown(void) {
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(elastic_rows_keep_energy_and_momentum);
  RUN_TEST(linear_elastic_contacts_are_springs);
  RUN_TEST(stiffness_far_apart_is_one_impact_after_the_other);
  RUN_TEST(one_contact_is_stronges_law);
  return UNITY_END();
}
