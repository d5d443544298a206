/* Rigid impact in space where the answer is known another way: the planar law where the motion is
 * planar, turned axes, a ball by hand, no friction and all friction; and the path as it is told. */
#include "law_help.h"

void setUp(void) {
}
void tearDown(void) {
}

/* ---- planar, isotropic, frictionless ---- */

/* W and v of a planar impact put into space, its plane turned by `angle` */
static void embed(const double *W2, const double *v2, double other, double angle, double *W,
                  double *v) {
  double c = cos(angle), s = sin(angle), d[2] = {c, s}, o[2] = {-s, c};
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) W[j * 3 + i] = W2[0] * d[i] * d[j] + other * o[i] * o[j];
    W[6 + i] = W[i * 3 + 2] = W2[1] * d[i];
    v[i] = v2[0] * d[i];
  }
  W[8] = W2[3], v[2] = v2[1];
}

static void planar_motion_equals_the_planar_law(void) {
  uint64_t seed = 34;
  for (int i = 0; i < 3000; i++) {
    double W2[4], v2[2] = {between(&seed, -2, 2), between(&seed, -2, -0.1)}, W[9], v[3];
    random_W(&seed, 2, W2);
    double angle = i % 4 ? between(&seed, 0, 6.3) : 0, c = cos(angle), s = sin(angle);
    embed(W2, v2, between(&seed, 0.1, 2), angle, W, v);
    double mu = i % 9 ? between(&seed, 0, 1.5) : INFINITY;
    law *l = friction_law(names[i % 3], fair(&seed), mu, NAN);
    hit flat = solve_with(l, 1, 2, W2, v2, NULL, 0), h = solve_with(l, 1, 3, W, v, NULL, 0);
    TEST_ASSERT_EQUAL_INT(flat.r.status, h.r.status);
    double size = 1e-13 / (1 - W2[1] * W2[1] / W2[0] / W2[3]);
    ASSERT_NEAR(size, flat.p[1], h.p[2]);
    ASSERT_NEAR(size, flat.p[0], c * h.p[0] + s * h.p[1]);
    ASSERT_NEAR(size, 0, -s * h.p[0] + c * h.p[1]);
    ASSERT_NEAR(size, flat.v[0], c * h.v[0] + s * h.v[1]);
    ASSERT_NEAR(size, flat.v[1], h.v[2]);
    if (angle == 0 && mu > 0) {
      static char text[512];
      strcpy(text, story(&flat));
      TEST_ASSERT_EQUAL_STRING(text, story(&h));
    }
    law_free(l);
  }
}

static void axes_do_not_matter(void) {
  uint64_t seed = 35;
  for (int i = 0; i < 1500; i++) {
    double W[9], v[3], R[9], w[3], a = between(&seed, 0, 6.3),
                                   T[4] = {cos(a), sin(a), -sin(a), cos(a)};
    random_case(&seed, W, v);
    for (int j = 0; j < 2; j++) {
      w[j] = T[j] * v[0] + T[2 + j] * v[1];
      R[6 + j] = R[3 * j + 2] = T[j] * W[6] + T[2 + j] * W[7];
      for (int k = 0; k < 2; k++) {
        R[3 * k + j] = 0;
        for (int p = 0; p < 4; p++)
          R[3 * k + j] += T[2 * (p & 1) + j] * W[3 * (p >> 1) + (p & 1)] * T[2 * (p >> 1) + k];
      }
    }
    R[8] = W[8], w[2] = v[2];
    R[1] = R[3];
    double mu = between(&seed, 0, 1.2);
    law *l = friction_law(names[i % 3], fair(&seed), mu, NAN);
    hit h = solve_with(l, 1, 3, W, v, NULL, -1), g = solve_with(l, 1, 3, R, w, NULL, -1);
    ASSERT_NEAR(1e-11, h.p[2], g.p[2]);
    for (int j = 0; j < 2; j++) {
      ASSERT_NEAR(1e-11, T[j] * h.p[0] + T[2 + j] * h.p[1], g.p[j]);
      ASSERT_NEAR(1e-11, T[j] * h.v[0] + T[2 + j] * h.v[1], g.v[j]);
    }
    law_free(l);
  }
}

/* a ball: sliding slows in its own direction; everything by hand */
static void isotropic_sliding_is_straight(void) {
  double W[9] = {3.5, 0, 0, 0, 3.5, 0, 0, 0, 1}, v[3] = {3, 4, -2};
  law *l = friction_law("stronge", 0.5, 0.2, NAN);
  hit h = solve_with(l, 1, 3, W, v, NULL, 0);
  TEST_ASSERT_EQUAL_STRING("compression_end end", story(&h));
  ASSERT_NEAR(1e-15, 3, h.p[2]);
  ASSERT_NEAR(1e-15, -0.36, h.p[0]);
  ASSERT_NEAR(1e-15, -0.48, h.p[1]);
  law_free(l);
  l = friction_law("stronge", 0.5, 0.9, NAN);
  h = solve_with(l, 1, 3, W, v, NULL, 0);
  TEST_ASSERT_EQUAL_STRING("stick compression_end end", story(&h));
  ASSERT_NEAR(1e-15, 5 / 3.5 / 0.9, h.event[0].p[2]);
  ASSERT_NEAR(1e-15, -3 / 3.5, h.p[0]);
  law_free(l);
}

static void endings_agree_without_friction(void) {
  uint64_t seed = 36;
  for (int i = 0; i < 300; i++) {
    double W[9], v[3], e = fair(&seed);
    random_case(&seed, W, v);
    law *l = friction_law(names[i % 3], e, 0, NAN);
    hit h = solve_with(l, 1, 3, W, v, NULL, 0);
    ASSERT_NEAR(1e-14, -(1 + e) * v[2] / W[8], h.p[2]);
    ASSERT_NEAR(1e-14, -e * v[2], h.v[2]);
    check_balance(&h, W, v, 1e-14);
    law_free(l);
  }
}

static void large_friction_goes_to_the_infinite_one(void) {
  uint64_t seed = 37;
  for (int i = 0; i < 300; i++) {
    double W[9], v[3];
    random_case(&seed, W, v);
    law *big = friction_law(names[i % 3], 0.5, 1e8, NAN);
    law *all = friction_law(names[i % 3], 0.5, INFINITY, NAN);
    hit h = solve_with(big, 1, 3, W, v, NULL, -1), g = solve_with(all, 1, 3, W, v, NULL, -1);
    TEST_ASSERT_EQUAL_INT(CORE_OK, g.r.status);
    for (int k = 0; k < 3; k++) ASSERT_NEAR(1e-3, h.p[k], g.p[k]);
    check_balance(&g, W, v, 1e-11);
    law_free(big);
    law_free(all);
  }
}

/* ---- the path as it is told ---- */

static void samples_lie_on_the_path_and_keep_the_ledger(void) {
  uint64_t seed = 38;
  law *l = friction_law("stronge", 0.7, 0.5, NAN);
  for (int i = 0; i < 200; i++) {
    double W[9], v[3], last = -1;
    random_case(&seed, W, v);
    hit h = solve_with(l, 1, 3, W, v, NULL, 8);
    for (int k = 0; k < h.samples; k++) {
      const heard *x = &h.sample[k];
      double energy = 0;
      TEST_ASSERT_TRUE(x->p[2] >= last);
      last = x->p[2];
      for (int row = 0; row < 3; row++) {
        double after = v[row] + W[row] * x->p[0] + W[3 + row] * x->p[1] + W[6 + row] * x->p[2];
        ASSERT_NEAR(1e-12, after, x->v[row]);
        energy += x->p[row] * (v[row] + x->v[row]) / 2;
      }
      ASSERT_NEAR(1e-12, energy, x->work - x->lost_friction);
      TEST_ASSERT_TRUE(hypot(x->p[0], x->p[1]) <= 0.5 * x->p[2] + 1e-12);
    }
    TEST_ASSERT_EQUAL_INT(IMPACT_END, h.event[h.events - 1].kind);
  }
  law_free(l);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(planar_motion_equals_the_planar_law);
  RUN_TEST(axes_do_not_matter);
  RUN_TEST(isotropic_sliding_is_straight);
  RUN_TEST(endings_agree_without_friction);
  RUN_TEST(large_friction_goes_to_the_infinite_one);
  RUN_TEST(samples_lie_on_the_path_and_keep_the_ledger);
  return UNITY_END();
}
