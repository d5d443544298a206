/* law.compliant: contacts that are pressed again before they open. */
#include "compliant_brute.h"
#include "compliant_scene.h"

void setUp(void) {
}
void tearDown(void) {
}

/* balls of 1, 0.2 and 3 kg: the light one goes to and fro between the others */
static const double light_W[4] = {6, -5, -5, 5 + 1. / 3}, light_v[2] = {-1, 0};

static const course *light_ball(double e, int plastic) {
  spec q = uniform(0, e, 1);
  q.k[0] = 1, q.plastic = plastic;
  const course *c = run_spec(&q, 2, 1, light_W, light_v, NULL, 3);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, c->r.status, c->err.text);
  ASSERT_BELOW(1e-12, worst_ledger(c, light_v));
  return keep(c);
}

static double given_back(const course *c, int i) {
  const moment *m = &c->at[c->n - 1];
  return m->returned[i] / m->absorbed[i];
}

/* issue 12, point 13: 59 % comes back at contact 1 for e = 0.5, and now the result says so */
static void test_elastic_reload_gives_back_more(void) {
  const course *c = light_ball(0.5, 0);
  TEST_ASSERT_TRUE(c->r.flags & IMPACT_PRESSED_AGAIN);
  ASSERT_NEAR(0.005, 0.59, given_back(c, 0));
  double lost = 0;
  const moment *m = &c->at[c->n - 1];
  for (int i = 0; i < 2; i++) lost += m->absorbed[i] - m->returned[i];
  ASSERT_NEAR(1e-13, c->r.lost_restitution, lost);
}

/* a contact that opens as it should gives back e^2, and nothing is said */
static void test_no_reload_gives_back_e_squared(void) {
  const double W[4] = {2, 0.5, 0.5, 3}, v[2] = {-1, -0.7};
  spec q = uniform(0, 0.6, 1);
  const course *c = run_spec(&q, 2, 1, W, v, NULL, 0);
  TEST_ASSERT_FALSE(c->r.flags & IMPACT_PRESSED_AGAIN);
  for (int i = 0; i < 2; i++) ASSERT_NEAR(1e-12, 0.36, given_back(c, i));
}

/* a touch of compression before the blow decides nothing (elastic: it does) */
static void test_plastic_reload_is_continuous(void) {
  double W[36], v[6] = {0, 0, 0.0112, 0.0497, -1.0138, 1.0427}, p[2][6];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) W[j * 6 + i] = i == j ? (i ? 2 : 1) : abs(i - j) == 1 ? -1 : 0;
  spec q = uniform(0, 0.9, 1);
  q.k[0] = 1, q.plastic = 1, q.window = 1e-9;
  for (int side = 0; side < 2; side++) {
    v[1] = side ? -1e-8 : 1e-8;
    memcpy(p[side], run_spec(&q, 6, 1, W, v, NULL, 0)->p, sizeof p[side]);
  }
  for (int r = 0; r < 6; r++) ASSERT_NEAR(1e-6, p[0][r], p[1][r]);
}

/* balls of unlike masses in a row, the first one comes in */
static scene row_of_balls(uint64_t *seed, int nc) {
  scene s = {.nc = nc, .dim = 1, .rows = nc};
  double m[5];
  for (int i = 0; i <= nc; i++) m[i] = pow(10, between(seed, -1, 1));
  for (int i = 0; i < nc; i++) {
    for (int j = 0; j < nc; j++)
      s.W[j * nc + i] = i == j            ? 1 / m[i] + 1 / m[i + 1]
                        : abs(i - j) == 1 ? -1 / m[i > j ? i : j]
                                          : 0;
    s.v[i] = i ? 0 : -1;
    s.q.e[i] = fair(seed) < 0.2 ? 0 : between(seed, 0.3, 1);
    s.q.k[i] = between(seed, 0.5, 2), s.q.eta[i] = 1;
  }
  s.q.n = nc, s.q.window = 100, s.q.plastic = 1;
  return s;
}

/* 1 when it was compared and a contact was pressed again, 0 when none was, -1: not compared */
static int compare_with_brute(const scene *s) {
  brute b = brute_start(&s->q, s->nc, s->dim, s->W, s->v, s->gap);
  if (!brute_run(&b, 1e-3)) return -1;
  const course *c = solve_scene(s, -1);
  for (int r = 0; r < s->rows; r++) TEST_ASSERT_DOUBLE_WITHIN(1e-8 * size_of(c), b.p[r], c->p[r]);
  return (c->r.flags & IMPACT_PRESSED_AGAIN) != 0;
}

static void test_plastic_reload_by_brute_force(void) {
  uint64_t seed = 45;
  int counts[3] = {0}; /* not compared, not pressed again, pressed again */
  for (int i = 0; i < 160; i++) {
    scene s = i % 2 ? draw(&seed, 2 + i % 3, 2) : row_of_balls(&seed, 2 + i % 3);
    s.q.plastic = 1;
    counts[1 + compare_with_brute(&s)]++;
  }
  TEST_ASSERT_TRUE(counts[0] < 8);
  TEST_ASSERT_TRUE(counts[2] > 20);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_elastic_reload_gives_back_more);
  RUN_TEST(test_no_reload_gives_back_e_squared);
  RUN_TEST(test_plastic_reload_is_continuous);
  RUN_TEST(test_plastic_reload_by_brute_force);
  return UNITY_END();
}
