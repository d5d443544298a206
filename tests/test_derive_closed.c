/* Derivatives of impacts against closed forms, and where there is none. */
#include "impact/derive.h"
#include "law_help.h"

static const int cases = 2000;
static core_scratch scratch;

/* one row: p = -(1 + e) v / W */
static void test_one_row_is_exact(void) {
  uint64_t seed = 3;
  for (int i = 0; i < cases; i++) {
    double W = between(&seed, 0.1, 3), v = between(&seed, -3, -0.1), e = between(&seed, 0.1, 0.9);
    double dW = between(&seed, -1, 1), dv = between(&seed, -1, 1), p, after, dp, de;
    static const char *const laws[] = {"newton", "stronge", "poisson", "moreau", "glocker"};
    law *l = law_from(laws[i % 5], "e", e, NULL);
    impact_problem pr = {.nc = 1, .dim = 1, .rows = 1, .W = &W, .v = &v};
    impact_result r = {.p = &p, .v = &after};
    impact_direction way = {.W = &dW, .v = &dv};
    impact_direction more = {.of = l, .param = core_schema_find(&l->type->schema, "e"), .at = -1};
    impact_derived how = {0};
    TEST_ASSERT_EQUAL(CORE_OK, law_solve(l, &pr, &scratch, NULL, &r, NULL));
    TEST_ASSERT_EQUAL(CORE_OK, impact_derive(l, &pr, &r, &way, &scratch, &dp, &how, NULL));
    TEST_ASSERT_EQUAL(CORE_OK, impact_derive(l, &pr, &r, &more, &scratch, &de, &how, NULL));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, dp / (-(1 + e) * (dv / W - v * dW / (W * W))));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, de / (-v / W));
    TEST_ASSERT_TRUE(how.route != IMPACT_DIFFERENCES && how.error == 0);
    law_free(l);
  }
}

/* slip to the end: p_n = -(1 + e) v_n / (W_nn - mu s W_tn), p_t = -mu s p_n (newton, poisson) */
static void test_full_slip_is_exact(void) {
  uint64_t seed = 4;
  for (int i = 0; i < cases; i++) {
    double a = between(&seed, 1, 2), b = between(&seed, -0.5, 0.5), c = between(&seed, 1, 2);
    double mu = 0.1, e = 0.5, s = i % 2 ? 1 : -1, v[2] = {s * 9, -1}, p[2], after[2], dp[2];
    double W[4] = {a, b, b, c}, dW[4] = {0, 0.7, 0.7, -0.4}, dv[2] = {1, 0.3};
    law *l = law_from(i % 4 < 2 ? "newton" : "poisson", "e", e, "mu", mu, NULL);
    impact_problem pr = {.nc = 1, .dim = 2, .rows = 2, .W = W, .v = v};
    impact_result r = {.p = p, .v = after};
    impact_direction way = {.W = dW, .v = dv};
    impact_derived how = {0};
    double k = c - mu * s * b, dk = dW[3] - mu * s * dW[1];
    double expected = -(1 + e) * (dv[1] / k - v[1] * dk / (k * k));
    TEST_ASSERT_EQUAL(CORE_OK, law_solve(l, &pr, &scratch, NULL, &r, NULL));
    TEST_ASSERT_EQUAL(CORE_OK, impact_derive(l, &pr, &r, &way, &scratch, dp, &how, NULL));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, dp[1] / expected);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, dp[0] / (-mu * s * expected));
    law_free(l);
  }
}

/* stick from the start with v_t = 0: p = -(W^-1 (0, (1 + e) v_n)) for Newton's ending at e = 0 */
static void test_stick_is_the_inverse_of_W(void) {
  double W[4] = {2, 0.3, 0.3, 1}, v[2] = {0, -1}, dv[2] = {0.1, 0.2}, p[2], after[2], dp[2];
  law *l = law_from("plastic", "mu", 1.0, NULL);
  impact_problem pr = {.nc = 1, .dim = 2, .rows = 2, .W = W, .v = v};
  impact_result r = {.p = p, .v = after};
  impact_direction way = {.v = dv};
  impact_derived how = {0};
  double det = 2 * 1 - 0.09;
  TEST_ASSERT_EQUAL(CORE_OK, law_solve(l, &pr, &scratch, NULL, &r, NULL));
  TEST_ASSERT_EQUAL(CORE_OK, impact_derive(l, &pr, &r, &way, &scratch, dp, &how, NULL));
  TEST_ASSERT_FALSE(how.tie);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, -(dv[0] - 0.3 * dv[1]) / det, dp[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, -(-0.3 * dv[0] + 2 * dv[1]) / det, dp[1]);
  law_free(l);
}

/* slip that stops exactly where compression ends: said, not computed */
static void test_a_tie_is_said(void) {
  double W[4] = {1, 0, 0, 1}, v[2] = {0.5, -1}, dv[2] = {1, 0}, p[2], after[2], dp[2];
  law *l = law_from("stronge", "e", 0.5, "mu", 0.5, NULL);
  impact_problem pr = {.nc = 1, .dim = 2, .rows = 2, .W = W, .v = v};
  impact_result r = {.p = p, .v = after};
  impact_direction way = {.v = dv};
  impact_derived how = {0};
  TEST_ASSERT_EQUAL(CORE_OK, law_solve(l, &pr, &scratch, NULL, &r, NULL));
  TEST_ASSERT_EQUAL(CORE_OK, impact_derive(l, &pr, &r, &way, &scratch, dp, &how, NULL));
  TEST_ASSERT_TRUE(how.tie);
  TEST_ASSERT_TRUE(isnan(dp[0]));
  law_free(l);
}

/* parameters of laws that have no formulas, also at the end of their range */
static void test_parameters_of_the_compliant_law(void) {
  double W[4] = {3.5, 0.4, 0.4, 1}, v[2] = {-0.6, -2}, p[2], after[2], dp[2], high[2], low[2],
         h = 1e-4;
  static const char *const keys[] = {"mu", "e", "eta"};
  for (int k = 0; k < 3; k++) {
    double at[3] = {0.4, 0.6, 1.1}, x[3];
    law *l = law_from("compliant", "mu", at[0], "e", at[1], "eta", at[2], NULL);
    impact_problem pr = {.nc = 1, .dim = 2, .rows = 2, .W = W, .v = v};
    impact_result r = {.p = p, .v = after};
    impact_direction way = {
        .of = l, .param = core_schema_find(&l->type->schema, keys[k]), .at = -1};
    impact_derived how = {0};
    TEST_ASSERT_EQUAL(CORE_OK, law_solve(l, &pr, &scratch, NULL, &r, NULL));
    TEST_ASSERT_EQUAL(CORE_OK, impact_derive(l, &pr, &r, &way, &scratch, dp, &how, NULL));
    TEST_ASSERT_TRUE(how.error < 1e-8);
    law_free(l);
    for (int side = 0; side < 2; side++) {
      memcpy(x, at, sizeof x);
      x[k] += side ? h : -h;
      l = law_from("compliant", "mu", x[0], "e", x[1], "eta", x[2], NULL);
      r.p = side ? high : low;
      TEST_ASSERT_EQUAL(CORE_OK, law_solve(l, &pr, &scratch, NULL, &r, NULL));
      law_free(l);
    }
    for (int i = 0; i < 2; i++)
      TEST_ASSERT_DOUBLE_WITHIN(1e-6, (high[i] - low[i]) / (2 * h), dp[i]);
  }
}

void setUp(void) {
  core_scratch_init(&scratch);
}
void tearDown(void) {
  core_scratch_free(&scratch);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_one_row_is_exact);
  RUN_TEST(test_full_slip_is_exact);
  RUN_TEST(test_stick_is_the_inverse_of_W);
  RUN_TEST(test_a_tie_is_said);
  RUN_TEST(test_parameters_of_the_compliant_law);
  return UNITY_END();
}
