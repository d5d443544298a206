/* law.compliant: contacts at rest, or nearly, in a column of bodies that others hit. What rounding
 * leaves of a velocity must not decide anything. */
#include "compliant_brute.h"

void setUp(void) {
}
void tearDown(void) {
}

/* n balls of 1 kg above each other: contact 0 with the floor, then the neighbours */
static void column(int n, double *W) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) W[j * n + i] = i == j ? (i ? 2 : 1) : abs(i - j) == 1 ? -1 : 0;
}

/* one-row contacts with k = 1; sound: ok, nobody goes on into another, the ledger closes */
static const course *drop(int n, const double *W, const double *v, double e) {
  spec q = uniform(0, e, 1);
  q.k[0] = 1, q.window = 1e12;
  const course *c = run_spec(&q, n, 1, W, v, NULL, 0);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, c->r.status, c->err.text);
  ASSERT_BELOW(1e-12, worst_ledger(c, v));
  double size = 0;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(v[i]));
  for (int i = 0; i < n; i++) TEST_ASSERT_TRUE(c->v[i] >= -1e-10 * size);
  return c;
}

/* Rounding is rest: the brute force, which takes any speed at its word, gets zeros for it. */
static void compare_with_brute(int n, const double *W, double *v, double e) {
  spec q = uniform(0, e, 1);
  q.k[0] = 1, q.window = 1e-9;
  const course *c = run_spec(&q, n, 1, W, v, NULL, 0);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, c->r.status, c->err.text);
  for (int i = 0; i < n; i++) v[i] = fabs(v[i]) < 1e-10 ? 0 : v[i];
  brute b = brute_start(&q, n, 1, W, v, NULL);
  TEST_ASSERT_TRUE(brute_run(&b, 1e-3));
  double size = 0;
  for (int i = 0; i < n; i++) size = fmax(size, b.p[i]);
  for (int i = 0; i < n; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-9 * size, b.p[i], c->p[i]);
}

/* issue 12, point 3: 153 of 1,700 speeds between 1e-20 and 1e-3 ended with `limit` */
static void test_speed_of_rounding_beside_a_blow(void) {
  const double W[4] = {2, -1, -1, 2}, W3[9] = {1, -1, 0, -1, 2, -1, 0, -1, 2};
  double v[2] = {1e-13, -1};
  drop(2, W, v, 0.7);
  for (double x = -20; x < -3; x += 0.05)
    for (int sign = -1; sign <= 1; sign += 2) {
      double slow = sign * pow(10, x), pair[2] = {slow, -1}, three[3] = {0, slow, -1};
      drop(2, W, pair, 0.7);
      drop(3, W3, three, 0.7);
    }
  v[0] = 0;
  double rest = keep(drop(2, W, v, 0.7))->p[0];
  for (double x = -18; x < -6; x += 0.1) {
    v[0] = pow(10, x);
    ASSERT_NEAR(1e-12 + 10 * v[0], rest, drop(2, W, v, 0.7)->p[0]);
  }
}

/* states in which runs of columns with 6, 7 and 8 balls stopped: "the modes do not settle" */
static void test_columns_that_did_not_settle(void) {
  const double six[6] = {0,
                         -3.068376851428703e-18,
                         2.246484191679635e-06,
                         9.9400948388128027e-06,
                         -0.00020276348146394468,
                         0.00020854602876990781};
  const double eight[8] = {0,
                           -1.4068793737420301e-17,
                           1.1036509185585225e-05,
                           4.0269815529503544e-05,
                           -0.00022382400897936271,
                           0.00023995767818758493,
                           -0.00072268501826298155,
                           0.00016935006947460795};
  double W[64], scaled[8];
  column(6, W);
  drop(6, W, six, 0.9);
  for (int i = 0; i < 6; i++) scaled[i] = six[i] / 2e-4;
  compare_with_brute(6, W, scaled, 0.9);
  column(8, W);
  drop(8, W, eight, 0.9);
  for (int i = 0; i < 8; i++) scaled[i] = eight[i] / 7e-4;
  compare_with_brute(8, W, scaled, 0.9);
}

/* Contacts 3, 4, 5 came to rest before the wave reached them, and stayed held as if e were 0 while
 * it passed: impulses off by some per cent, the ledger open by 2e-10. */
static void test_contact_at_rest_is_pressed_again(void) {
  double W[36], v[6] = {-1,
                        -4.8501691150649289e-06,
                        -2.1905896270995059e-20,
                        7.1386822719763286e-12,
                        -1.6693548783465799e-17,
                        -6.0835515437403709e-14};
  column(6, W);
  drop(6, W, v, 0.8292163285689631);
  compare_with_brute(6, W, v, 0.8292163285689631);
}

/* columns hit anywhere while the rest of them stands, to rounding */
static void test_columns_in_all_states_of_rest(void) {
  uint64_t seed = 31;
  for (int i = 0; i < 600; i++) {
    int n = 2 + i % 12;
    double W[ROWS * ROWS], v[ROWS], e = between(&seed, 0.05, 0.98);
    column(n, W);
    for (int c = 0; c < n; c++) {
      double size = pow(10, between(&seed, -20, 0));
      v[c] = fair(&seed) < 0.3 ? 0 : (fair(&seed) < 0.5 ? -1 : 1) * size;
    }
    v[(int)(fair(&seed) * n)] = -1;
    drop(n, W, v, e);
  }
}

/* Four bodies slide on each other and come to rest. Slip of a held contact takes steps of 3e-11,
 * which show nothing of what presses contact 1, at rest; the next long step saw it close, and so on
 * for minutes (found by test_violations). Tangents do not couple to normals here, so that the
 * normal impulses are those of the same bodies without friction, which brute force can do: it takes
 * rests of 1e-11 at their word, and is asked until its bodies are that slow. */
static void test_resting_contact_beside_tiny_steps(void) {
  const double d[4] = {1.2114997425347607, 1.1045357399897635, 0.77954324420063714,
                       0.75963246049696886};
  const double o[3] = {-0.66449478553258501, -0.4400409544571785, -0.33950228974345864};
  const double v[12] = {0.16990457913539858,  -0.85595969415288542, -0.84216658471124295,
                        -0.25381318016037502, -0.17004794425960446, -0.071528338054274165,
                        -0.50007139178069893, -0.56391189587081203, 0.19013747219906474,
                        0.1434185406694477,   -0.59298201943622486, -0.10021418009810024};
  double W[144] = {0};
  for (int i = 0; i < 12; i++) {
    W[i * 13] = d[i / 3];
    if (i < 9) W[i * 12 + i + 3] = W[(i + 3) * 12 + i] = o[i / 3];
  }
  spec q = uniform(0.31636169630736172, 0.21873244061573682, 1.2564070611705287);
  q.k[0] = 1, q.max_events = 2000, q.window = 1e4;
  const course *c = run_spec(&q, 4, 3, W, v, NULL, 0);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, c->r.status, c->err.text);
  ASSERT_BELOW(1e-12, worst_ledger(c, v));
  for (int i = 2; i < 12; i += 3) TEST_ASSERT_TRUE(c->v[i] >= -1e-10);
  double W1[16], v1[4];
  for (int i = 0; i < 4; i++) {
    v1[i] = v[3 * i + 2];
    for (int j = 0; j < 4; j++) W1[4 * j + i] = W[(3 * j + 2) * 12 + 3 * i + 2];
  }
  brute b = brute_start(&q, 4, 1, W1, v1, NULL);
  brute_run(&b, 2e-3);
  for (int i = 0; i < 4; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-8, b.p[i], c->p[3 * i + 2]);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_resting_contact_beside_tiny_steps);
  RUN_TEST(test_speed_of_rounding_beside_a_blow);
  RUN_TEST(test_columns_that_did_not_settle);
  RUN_TEST(test_contact_at_rest_is_pressed_again);
  RUN_TEST(test_columns_in_all_states_of_rest);
  return UNITY_END();
}
