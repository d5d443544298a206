/* law.compliant: what must hold whatever the numbers are. Two ways to the same answer, symmetries,
 * limits, and what it refuses. */
#include "compliant_scene.h"
#include "core/interrupt.h"

#include <stdio.h>

void setUp(void) {
}
void tearDown(void) {
  core_interrupt_flag = 0;
}

/* ---- two ways ---- */

/* one contact with uncoupled normal has a closed form, used when nobody listens */
static void test_closed_form_agrees_with_the_series(void) {
  uint64_t seed = 1;
  for (int i = 0; i < 4000; i++) {
    int dim = i % 3 ? 3 : 2;
    double a = between(&seed, 0.1, 6), W3[9] = {a, 0, 0, 0, a, 0, 0, 0, between(&seed, 0.1, 6)};
    double W2[4] = {a, 0, 0, W3[8]}, v[3] = {between(&seed, -4, 4), between(&seed, -4, 4), 0};
    v[dim - 1] = between(&seed, -3, -0.05);
    spec q = uniform(between(&seed, 0.01, 1.5), i % 5 ? between(&seed, 0.05, 1) : i % 2,
                     between(&seed, 0.3, 3));
    const double *W = dim == 3 ? W3 : W2;
    const course *quick = keep(run_spec(&q, 1, dim, W, v, NULL, -1));
    const course *full = run_spec(&q, 1, dim, W, v, NULL, 0);
    TEST_ASSERT_EQUAL_INT(CORE_OK, quick->r.status);
    for (int r = 0; r < dim; r++) ASSERT_NEAR(1e-13, full->p[r], quick->p[r]);
    ASSERT_NEAR(1e-12, full->r.lost_friction, quick->r.lost_friction);
    ASSERT_NEAR(1e-13, full->r.lost_restitution, quick->r.lost_restitution);
    ASSERT_NEAR(1e-12, full->r.stored, quick->r.stored);
    ASSERT_NEAR(1e-13, full->r.duration * 1e4, quick->r.duration * 1e4);
    TEST_ASSERT_EQUAL_UINT(full->r.flags, quick->r.flags);
  }
}

/* ---- symmetries ---- */

/* tangent axes turned by an angle of its own at every contact */
static void test_tangent_axes_do_not_matter(void) {
  uint64_t seed = 3;
  for (int i = 0; i < 40; i++) {
    scene s = draw(&seed, 1 + i % 3, 3), t = s;
    int n = s.rows;
    double R[ROWS * ROWS] = {0};
    for (int c = 0; c < s.nc; c++) {
      double a = between(&seed, 0, 6.28), *at = R + 3 * c * n + 3 * c;
      at[0] = at[n + 1] = cos(a), at[1] = sin(a), at[n] = -sin(a), at[2 * n + 2] = 1;
    }
    for (int r = 0; r < n; r++) {
      t.v[r] = 0;
      for (int k = 0; k < n; k++) t.v[r] += R[k * n + r] * s.v[k];
      for (int q = 0; q < n; q++) {
        t.W[q * n + r] = 0;
        for (int k = 0; k < n; k++)
          for (int l = 0; l < n; l++)
            t.W[q * n + r] += R[k * n + r] * s.W[l * n + k] * R[l * n + q];
      }
    }
    for (int r = 0; r < n; r++) /* symmetric to the last bit */
      for (int q = 0; q < r; q++) t.W[q * n + r] = t.W[r * n + q];
    const course *a = solve_scene(&s, -1), *b = solve_scene(&t, -1);
    for (int r = 0; r < n; r++) {
      double turned = 0;
      for (int k = 0; k < n; k++) turned += R[k * n + r] * a->p[k];
      TEST_ASSERT_DOUBLE_WITHIN(1e-11 * size_of(a), turned, b->p[r]);
    }
  }
}

static void test_order_of_contacts_does_not_matter(void) {
  uint64_t seed = 4;
  for (int i = 0; i < 60; i++) {
    scene s = draw(&seed, 3, 1 + i % 3), t = s;
    const int to[3] = {2, 0, 1};
    int dim = s.dim, n = s.rows;
    for (int c = 0; c < 3; c++) {
      t.gap[to[c]] = s.gap[c];
      t.q.mu[to[c]] = s.q.mu[c], t.q.e[to[c]] = s.q.e[c];
      t.q.eta[to[c]] = s.q.eta[c], t.q.k[to[c]] = s.q.k[c];
      for (int r = 0; r < dim; r++) {
        t.v[to[c] * dim + r] = s.v[c * dim + r];
        for (int d = 0; d < 3; d++)
          for (int l = 0; l < dim; l++)
            t.W[(to[d] * dim + l) * n + to[c] * dim + r] = s.W[(d * dim + l) * n + c * dim + r];
      }
    }
    const course *a = solve_scene(&s, -1), *b = solve_scene(&t, -1);
    for (int c = 0; c < 3; c++)
      for (int r = 0; r < dim; r++)
        TEST_ASSERT_DOUBLE_WITHIN(1e-11 * size_of(a), a->p[c * dim + r], b->p[to[c] * dim + r]);
  }
}

/* the same point twice, each half as stiff: together they do what one did */
static void test_a_contact_split_in_two(void) {
  uint64_t seed = 5;
  for (int i = 0; i < 60; i++) {
    scene s = draw(&seed, 1, 1 + i % 3), t = {.nc = 2, .dim = s.dim, .rows = 2 * s.dim};
    int dim = s.dim;
    for (int a = 0; a < 2; a++)
      for (int r = 0; r < dim; r++) {
        t.v[a * dim + r] = s.v[r];
        for (int b = 0; b < 2; b++)
          for (int l = 0; l < dim; l++)
            t.W[(b * dim + l) * 2 * dim + a * dim + r] = s.W[l * dim + r];
      }
    t.q = s.q;
    t.q.k[0] /= 2;
    const course *one = solve_scene(&s, -1), *two = solve_scene(&t, -1);
    for (int r = 0; r < dim; r++) {
      TEST_ASSERT_DOUBLE_WITHIN(1e-11 * size_of(one), one->p[r], two->p[r] + two->p[dim + r]);
      TEST_ASSERT_DOUBLE_WITHIN(1e-11 * size_of(one), two->p[r], two->p[dim + r]);
    }
    ASSERT_NEAR(1e-11, one->r.lost_friction, two->r.lost_friction);
  }
}

/* all springs stiffer by the same factor, gaps smaller by its root: only the time changes */
static void test_common_stiffness_only_scales_time(void) {
  uint64_t seed = 6;
  for (int i = 0; i < 30; i++) {
    scene s = draw(&seed, 2, 1 + i % 3), t = s;
    for (int c = 0; c < 2; c++) t.q.k[c] *= 1e8, t.gap[c] *= 1e-4;
    t.q.window *= 1e-4;
    const course *a = solve_scene(&s, -1), *b = solve_scene(&t, -1);
    for (int r = 0; r < s.rows; r++)
      TEST_ASSERT_DOUBLE_WITHIN(1e-11 * size_of(a), a->p[r], b->p[r]);
    ASSERT_NEAR(1e-11, a->r.duration, b->r.duration * 1e4);
  }
}

/* ---- limits ---- */

/* infinite friction never slips; large friction slips in the last instant only */
static void test_infinite_friction_is_the_limit(void) {
  uint64_t seed = 7;
  for (int i = 0; i < 30; i++) {
    scene s = draw(&seed, 1 + i % 2, 2 + i % 2), t = s;
    for (int c = 0; c < s.nc; c++) s.q.mu[c] = INFINITY, t.q.mu[c] = 1e6;
    const course *a = solve_scene(&s, 5), *b = solve_scene(&t, -1);
    for (int r = 0; r < s.rows; r++) TEST_ASSERT_DOUBLE_WITHIN(3e-5 * size_of(a), b->p[r], a->p[r]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4 * (1 + b->r.lost_friction), b->r.lost_friction,
                              a->r.lost_friction);
    ASSERT_BELOW(1e-12, worst_ledger(a, s.v));
    TEST_ASSERT_TRUE(a->r.flags & IMPACT_STUCK);
    for (int m = 0; m < a->n; m++)
      for (int c = 0; c < s.nc; c++) TEST_ASSERT_TRUE(a->at[m].mode[c] != IMPACT_MODE_SLIP);
  }
}

static void test_no_friction_gives_no_tangential_impulse(void) {
  uint64_t seed = 8;
  for (int i = 0; i < 30; i++) {
    scene s = draw(&seed, 2, 3), t = {.nc = 2, .dim = 1, .rows = 2, .q = s.q};
    for (int c = 0; c < 2; c++) {
      s.q.mu[c] = 0;
      t.v[c] = s.v[3 * c + 2], t.gap[c] = s.gap[c];
      for (int d = 0; d < 2; d++) t.W[2 * d + c] = s.W[(3 * d + 2) * 6 + 3 * c + 2];
    }
    const course *a = solve_scene(&s, -1), *b = solve_scene(&t, -1);
    for (int c = 0; c < 2; c++) {
      TEST_ASSERT_EQUAL_DOUBLE(0, a->p[3 * c]);
      TEST_ASSERT_EQUAL_DOUBLE(0, a->p[3 * c + 1]);
      ASSERT_NEAR(1e-12, b->p[c], a->p[3 * c + 2]);
    }
  }
}

/* as eta goes to 0 the tangential springs stiffen, and the rigid law with energetic restitution
 * remains: the difference falls with eta */
static double off_rigid(const scene *s, const law *rigid, double eta) {
  scene t = *s;
  t.q.eta[0] = eta;
  const course *a = solve_scene(&t, -1);
  hit h = solve_with(rigid, 1, s->dim, s->W, s->v, NULL, -1);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, h.r.status, h.err.text);
  double worst = 0;
  for (int r = 0; r < s->rows; r++) worst = fmax(worst, fabs(h.p[r] - a->p[r]));
  return worst / size_of(a);
}

static void converge(int dim, int count, const double *etas, int n, uint64_t seed, double last) {
  double worst[8] = {0};
  for (int i = 0; i < count; i++) {
    scene s = draw(&seed, 1, dim);
    law *rigid = friction_law("stronge", s.q.e[0], s.q.mu[0], s.q.mu[0]);
    for (int j = 0; j < n; j++) worst[j] = fmax(worst[j], off_rigid(&s, rigid, etas[j]));
    law_free(rigid);
  }
  for (int j = 0; j < n; j++)
    printf("%d rows, eta %g: off stronge by %.2g\n", dim, etas[j], worst[j]);
  for (int j = 1; j < n; j++) TEST_ASSERT_TRUE(worst[j] < worst[j - 1] / 2);
  TEST_ASSERT_TRUE(worst[n - 1] < last);
}

static void test_small_eta_is_stronge(void) {
  const double planar[] = {0.3, 0.03, 0.003, 3e-4}, space[] = {0.3, 0.03, 0.003};
  converge(2, 40, planar, 4, 9, 1e-3);
  converge(3, 20, space, 3, 10, 1e-2);
}

/* ---- endless, interrupted, refused ---- */

static void test_bouncing_between_two_walls_stops_at_the_limit(void) {
  const double W[4] = {1, -1, -1, 1}, v[2] = {-1, 1}, gap[2] = {0, 1e-3};
  spec q = uniform(0, 1, 1);
  q.window = INFINITY;
  q.max_events = 1000;
  const course *c = run_spec(&q, 2, 1, W, v, gap, -1);
  TEST_ASSERT_EQUAL_INT(CORE_LIMIT, c->r.status);
  q.e[0] = 0.9; /* comes to rest between them */
  q.max_events = 10000;
  c = run_spec(&q, 2, 1, W, v, gap, -1);
  TEST_ASSERT_EQUAL_INT(CORE_OK, c->r.status);
  ASSERT_NEAR(1e-12, 0, c->v[0]);
  q.window = 1e-9; /* the second wall is another impact */
  c = run_spec(&q, 2, 1, W, v, gap, -1);
  ASSERT_NEAR(1e-13, 0.9, c->v[0]);
}

static void test_interruption(void) {
  uint64_t seed = 15;
  scene s = draw(&seed, 2, 3);
  core_interrupt_flag = 1;
  const course *c = run_spec(&s.q, 2, 3, s.W, s.v, s.gap, -1);
  TEST_ASSERT_EQUAL_INT(CORE_INTERRUPTED, c->r.status);
}

static core_error refusal(const char *key, int n, const double *x) {
  const law_type *type = law_find("compliant");
  compliant_params params;
  core_error err = {0};
  core_schema_defaults(&type->schema, &params);
  core_status status =
      core_param_set(&type->schema, core_schema_find(&type->schema, key), &params, n, x, &err);
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, status);
  core_schema_free(&type->schema, &params);
  return err;
}

static void test_bad_parameters(void) {
  const double zero = 0, minus = -1, two = 2, nan_ = NAN;
  TEST_ASSERT_EQUAL_STRING("law.compliant: k must be a positive number of N/m or a list of them, "
                           "got 0",
                           refusal("k", 1, &zero).text);
  TEST_ASSERT_EQUAL_STRING("law.compliant: eta must be a positive number or a list of them, got -1",
                           refusal("eta", 1, &minus).text);
  TEST_ASSERT_EQUAL_STRING(
      "law.compliant: e must be a number between 0 and 1 or a list of them, got 2",
      refusal("e", 1, &two).text);
  TEST_ASSERT_NOT_NULL(strstr(refusal("mu", 1, &minus).text, "mu must be a non-negative number"));
  TEST_ASSERT_NOT_NULL(strstr(refusal("mu", 1, &nan_).text, "got nan"));
}

static void refuse(const char *text, core_status status, const spec *q, int nc, int dim,
                   const double *W, const double *v, const double *gap) {
  const course *c = run_spec(q, nc, dim, W, v, gap, -1);
  TEST_ASSERT_EQUAL_INT(status, c->r.status);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(c->err.text, text), c->err.text);
}

static void test_bad_problems(void) {
  spec q = uniform(0.4, 0.5, 1);
  const double W[9] = {3, 0, 0, 0, 3, 0, 0, 0, 1}, v[3] = {1, 0, -1}, up[3] = {1, 0, 0};
  const double minus = -1e-3, skew[9] = {3, 0, 0, 0, 3, 1, 0, 0, 1};
  const double saddle[9] = {1, 0.9, -0.9, 0.9, 1, 0.9, -0.9, 0.9, 1};
  const double broken[9] = {3, 0, 0, 0, NAN, 0, 0, 0, 1}, hard[9] = {3, 0, 0, 0, 3, 0, 0, 0, 0};
  const course *c = run_spec(&q, 1, 3, W, up, NULL, -1);
  TEST_ASSERT_EQUAL_INT(CORE_NO_IMPACT, c->r.status);
  for (int i = 0; i < 3; i++) TEST_ASSERT_EQUAL_DOUBLE(up[i], c->v[i]);
  refuse("gap[1] must be a non-negative number of m, got -0.001", CORE_BAD_INPUT, &q, 1, 3, W, v,
         &minus);
  refuse("W is not symmetric", CORE_BAD_INPUT, &q, 1, 3, skew, v, NULL);
  refuse("W is not positive semi-definite", CORE_BAD_INPUT, &q, 1, 3, saddle, v, NULL);
  refuse("NaN", CORE_NOT_FINITE, &q, 1, 3, broken, v, NULL);
  refuse("no impulse can stop it", CORE_JAM, &q, 1, 3, hard, v, NULL);
  q.n = 2;
  refuse("mu must be one number or one per contact (1), got 2", CORE_BAD_INPUT, &q, 1, 3, W, v,
         NULL);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_closed_form_agrees_with_the_series);
  RUN_TEST(test_tangent_axes_do_not_matter);
  RUN_TEST(test_order_of_contacts_does_not_matter);
  RUN_TEST(test_a_contact_split_in_two);
  RUN_TEST(test_common_stiffness_only_scales_time);
  RUN_TEST(test_infinite_friction_is_the_limit);
  RUN_TEST(test_no_friction_gives_no_tangential_impulse);
  RUN_TEST(test_small_eta_is_stronge);
  RUN_TEST(test_bouncing_between_two_walls_stops_at_the_limit);
  RUN_TEST(test_interruption);
  RUN_TEST(test_bad_parameters);
  RUN_TEST(test_bad_problems);
  return UNITY_END();
}
