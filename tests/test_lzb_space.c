/* law.lzb in space: against law.stronge and the plane; tangents may be any. */
#include "lzb_space.h"

static void one_contact_in_space_is_stronges_law(void) {
  uint64_t seed = 6;
  int compared = 0;
  for (int i = 0; i < 200; i++) {
    double W[9], v[3], mu = between(&seed, 0, 1.5), e = between(&seed, 0.05, 1);
    random_case(&seed, W, v);
    if (i % 5 == 0) v[0] = v[1] = 0;
    law *a = law_from("lzb", "mu", mu, "e", e, "exponent", 1 + 0.5 * (i % 3), NULL),
        *b = law_from("stronge", "mu", mu, "e", e, NULL);
    hit x = solve_with(a, 1, 3, W, v, NULL, -1), y = solve_with(b, 1, 3, W, v, NULL, -1);
    if (!y.r.status) {
      compared++;
      TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, x.r.status, x.err.text);
      for (int k = 0; k < 3; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-10, y.v[k], x.v[k]);
    }
    law_free(a), law_free(b);
  }
  TEST_ASSERT_TRUE(compared > 190);
}

/* Two contacts in the plane t1, n as rows of three: t2 has its own mass and does not move. Turned
 * by any angle about the normals, that is the same. */
static void a_planar_problem_turned_about_the_normal_is_the_planar_one(void) {
  uint64_t seed = 77;
  static const int row[4] = {0, 2, 3, 5};
  for (int i = 0; i < 60; i++) {
    double P[16], w[4], a = between(&seed, 0, 6.3), angles[2] = {a, a};
    double mu = between(&seed, 0, 1), e = between(&seed, 0.1, 1);
    problem q = {.nc = 2}, turned;
    answer y;
    random_W(&seed, 4, P);
    for (int k = 0; k < 4; k++)
      P[5 * k] += 0.1, w[k] = k % 2 ? between(&seed, -1, -0.1) : between(&seed, -1, 1);
    for (int k = 0; k < 4; k++) {
      q.v[row[k]] = w[k];
      for (int j = 0; j < 4; j++) q.W[6 * row[j] + row[k]] = P[4 * j + k];
    }
    q.W[7] = q.W[28] = 1;
    turn(&q, angles, &turned);
    law *l = law_from("lzb", "mu", mu, "e", e, NULL);
    hit x = solve_with(l, 2, 2, P, w, NULL, -1);
    law_free(l);
    solve_by(law_from("lzb", "mu", mu, "e", e, NULL), &turned, &y);
    TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, x.r.status, x.err.text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, y.r.status, y.err.text);
    for (int c = 0; c < 2; c++) {
      double v[3];
      turn_back(y.v + 3 * c, a, v);
      TEST_ASSERT_DOUBLE_WITHIN(2e-10, x.v[2 * c], v[0]);
      TEST_ASSERT_DOUBLE_WITHIN(2e-10, 0, v[1]);
      TEST_ASSERT_DOUBLE_WITHIN(2e-10, x.v[2 * c + 1], v[2]);
    }
  }
}

/* tangents turned at each contact turn its impulses, and nothing else; nothing is lost at e = 1
 * without friction, and all that is lost is in the ledger */
static void tangents_in_space_may_be_any(void) {
  uint64_t seed = 78;
  for (int i = 0; i < 60; i++) {
    problem q = {.nc = 2, .exponent = 1.5, .K = {1, 1}}, turned;
    answer x, y;
    double angle[2], mu = i % 6 ? between(&seed, 0, 1) : 0;
    random_W(&seed, 6, q.W);
    for (int k = 0; k < 6; k++)
      q.W[7 * k] += 0.1, q.v[k] = k % 3 == 2 ? between(&seed, -1, -0.1) : between(&seed, -1, 1);
    for (int c = 0; c < 2; c++)
      angle[c] = between(&seed, 0, 6.3), q.mu[c] = mu, q.e[c] = i % 6 ? 0.7 : 1;
    turn(&q, angle, &turned);
    solve(&q, &x), solve(&turned, &y);
    TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, x.r.status, x.err.text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, y.r.status, y.err.text);
    ledger_closes(&q, &x);
    if (mu == 0) TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, x.r.lost_friction + x.r.lost_restitution);
    for (int c = 0; c < 2; c++) {
      double p[3];
      turn_back(y.p + 3 * c, angle[c], p);
      for (int k = 0; k < 3; k++)
        TEST_ASSERT_DOUBLE_WITHIN(1e-9 * (1 + fabs(p[k])), x.p[3 * c + k], p[k]);
    }
  }
}

/* Two bodies that have nothing to do with each other, the second so slow that a part of its load
 * is no number any more: 0/0 where contacts share friction, status "not finite". A row of nine
 * balls came there by itself. */
static void a_load_too_small_for_numbers_has_no_share(void) {
  static const double speeds[] = {1e-150, 1e-205, 1e-212, 1e-310};
  double W[36] = {0}, v[6] = {0, 0, -1};
  for (int i = 0; i < 6; i++) W[7 * i] = 1;
  for (double n = 1; n < 2.1; n += 0.5)
    for (int i = 0; i < 4; i++) {
      law *l = law_from("lzb", "mu", 0.3, "e", 0.5, "exponent", n, NULL);
      v[5] = -speeds[i];
      hit h = solve_with(l, 2, 3, W, v, NULL, -1);
      TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, h.r.status, h.err.text);
      TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.5, h.p[2]);
      TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, h.p[5]);
      law_free(l);
    }
}

void setUp(void) {
}

void tearDown(void) {
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(one_contact_in_space_is_stronges_law);
  RUN_TEST(a_planar_problem_turned_about_the_normal_is_the_planar_one);
  RUN_TEST(tangents_in_space_may_be_any);
  RUN_TEST(a_load_too_small_for_numbers_has_no_share);
  return UNITY_END();
}
