/* The planar path with friction: against a plain integration in small steps of impulse, and what
 * its three endings must have in common. */
#include "law_help.h"

void setUp(void) {
}
void tearDown(void) {
}

/* ---- brute force: small steps, halved whenever something changes within one ---- */

typedef struct brute {
  long double p[2], v[2], work, friction, work_c, p_c;
  int over, restituting;
} brute;

/* friction per normal impulse in the state: opposes sliding, or what holds a stick */
static long double brute_friction(const law_rule *rule, const double *W, long double vt) {
  if (vt != 0) return vt > 0 ? -rule->mu : rule->mu;
  long double hold = -W[1] / (long double)W[0];
  return fabsl(hold) <= rule->mu_static ? hold : W[1] > 0 ? -rule->mu : rule->mu;
}

static int brute_over(const law_rule *rule, const brute *b, double before) {
  if (!b->restituting) return 0;
  if (rule->ending == LAW_ENERGETIC) return b->work - b->work_c >= -rule->e * rule->e * b->work_c;
  if (rule->ending == LAW_KINETIC) return b->p[1] >= (1 + rule->e) * b->p_c;
  return b->v[1] >= -rule->e * before;
}

static brute brute_step(const double *W, brute b, long double ratio, long double dp) {
  long double v[2] = {b.v[0] + (W[1] + ratio * W[0]) * dp, b.v[1] + (W[3] + ratio * W[1]) * dp};
  b.work += dp * (b.v[1] + v[1]) / 2;
  b.friction -= ratio * dp * (b.v[0] + v[0]) / 2;
  b.p[0] += ratio * dp, b.p[1] += dp;
  b.v[0] = v[0], b.v[1] = v[1];
  return b;
}

static brute brute_force(const law_rule *rule, const double *W, const double *v) {
  brute b = {.v = {v[0], v[1]}};
  long double step = 1e-3 * -v[1] / W[3], dp = step;
  for (long i = 0; i < 50000000; i++) {
    long double ratio = brute_friction(rule, W, b.v[0]);
    int held = b.v[0] == 0 && ratio == -W[1] / (long double)W[0];
    brute next = brute_step(W, b, ratio, dp);
    if (held) next.v[0] = 0;
    int crosses = b.v[0] * next.v[0] < 0, stops = !b.restituting && next.v[1] >= 0;
    int ends = brute_over(rule, &next, v[1]);
    if ((crosses || stops || ends) && dp > 1e-11 * step) {
      dp /= 2;
      continue;
    }
    b = next, dp = step;
    if (crosses) b.v[0] = 0;
    if (stops) b.restituting = 1, b.work_c = b.work, b.p_c = b.p[1];
    if (ends || brute_over(rule, &b, v[1])) {
      b.over = 1;
      return b;
    }
  }
  return b;
}

static void compare_with_brute_force(int which, double e, double mu, double mu_static,
                                     const double *W, const double *v) {
  law_rule rule = {(law_ending)which, e, mu, mu_static};
  law *l = friction_law(names[which], e, mu, mu_static);
  hit h = solve_with(l, 1, 2, W, v, NULL, -1);
  brute b = brute_force(&rule, W, v);
  TEST_ASSERT_EQUAL_INT(CORE_OK, h.r.status);
  TEST_ASSERT_TRUE(b.over);
  for (int i = 0; i < 2; i++) {
    ASSERT_NEAR(1e-10, (double)b.p[i], h.p[i]);
    ASSERT_NEAR(1e-10, (double)b.v[i], h.v[i]);
  }
  ASSERT_NEAR(1e-10, (double)-b.work, h.r.lost_restitution);
  ASSERT_NEAR(1e-10, (double)b.friction, h.r.lost_friction);
  law_free(l);
}

static void small_steps_give_the_same_impact(void) {
  uint64_t seed = 7;
  for (int i = 0; i < 180; i++) {
    double W[4], v[2] = {between(&seed, -2, 2), between(&seed, -2, -0.1)};
    random_W(&seed, 2, W);
    double mu = between(&seed, 0, 1.5), e = between(&seed, 0, 1);
    int which = i % NAMES;
    compare_with_brute_force(which, e, mu, mu * (which == LAW_KINEMATIC || i % 2 ? 1 : 1.3), W, v);
  }
}

/* ---- relations between the endings ---- */

static void endings_agree_without_friction(void) {
  uint64_t seed = 11;
  for (int i = 0; i < 1000; i++) {
    double W[4], v[2] = {between(&seed, -3, 3), between(&seed, -2, -0.1)}, e = fair(&seed);
    random_W(&seed, 2, W);
    for (int k = 0; k < NAMES; k++) {
      law *l = friction_law(names[k], e, 0, NAN);
      hit h = solve_with(l, 1, 2, W, v, NULL, -1);
      ASSERT_NEAR(1e-14, -(1 + e) * v[1] / W[3], h.p[1]);
      ASSERT_NEAR(1e-14, -e * v[1], h.v[1]);
      ASSERT_NEAR(1e-14, (1 - e * e) * v[1] * v[1] / W[3] / 2, h.r.lost_restitution);
      TEST_ASSERT_EQUAL_DOUBLE(0, h.p[0]);
      hit g = solve_with(l, 1, 1, W + 3, v + 1, NULL, -1); /* one row */
      ASSERT_NEAR(1e-15, h.p[1], g.p[0]);
      law_free(l);
    }
  }
}

static void endings_agree_while_sliding_does_not_turn(void) {
  uint64_t seed = 12;
  int compared = 0;
  for (int i = 0; i < 3000; i++) {
    double W[4], v[2] = {between(&seed, -9, 9), between(&seed, -2, -0.1)}, e = fair(&seed);
    random_W(&seed, 2, W);
    law *l[NAMES];
    hit h[NAMES];
    for (int k = 0; k < NAMES; k++) {
      l[k] = friction_law(names[k], e, 0.3, NAN);
      h[k] = solve_with(l[k], 1, 2, W, v, NULL, 0);
    }
    if (h[0].v[0] * v[0] > 0) {
      compared++;
      for (int k = 1; k < NAMES; k++) ASSERT_NEAR(1e-12, h[0].p[1], h[k].p[1]);
    }
    for (int k = 0; k < NAMES; k++) law_free(l[k]);
  }
  TEST_ASSERT_TRUE(compared > 1000);
}

static void without_restitution_all_are_plastic(void) {
  uint64_t seed = 13;
  for (int i = 0; i < 1000; i++) {
    double W[4], v[2] = {between(&seed, -3, 3), between(&seed, -2, -0.1)}, mu = fair(&seed);
    random_W(&seed, 2, W);
    law *plastic = law_from("plastic", "mu", mu, NULL);
    hit h = solve_with(plastic, 1, 2, W, v, NULL, -1);
    TEST_ASSERT_EQUAL_DOUBLE(0, h.v[1]);
    for (int k = 0; k < NAMES; k++) {
      law *l = friction_law(names[k], 0, mu, NAN);
      hit g = solve_with(l, 1, 2, W, v, NULL, -1);
      for (int row = 0; row < 2; row++) ASSERT_NEAR(1e-13, h.p[row], g.p[row]);
      law_free(l);
    }
    law_free(plastic);
  }
}

/* velocities times s give impulses times s; t and v_t mirrored give p_t mirrored */
static void impacts_scale_and_mirror(void) {
  uint64_t seed = 14;
  for (int i = 0; i < 1000; i++) {
    double W[4], v[2] = {between(&seed, -3, 3), between(&seed, -2, -0.1)}, s = 1 / 3.;
    random_W(&seed, 2, W);
    double mirrored[4] = {W[0], -W[1], -W[2], W[3]}, w[2] = {-s * v[0], s * v[1]};
    law *l = friction_law(names[i % NAMES], fair(&seed), fair(&seed), NAN);
    hit h = solve_with(l, 1, 2, W, v, NULL, -1), g = solve_with(l, 1, 2, mirrored, w, NULL, -1);
    ASSERT_NEAR(1e-13, -s * h.p[0], g.p[0]);
    ASSERT_NEAR(1e-13, s * h.p[1], g.p[1]);
    ASSERT_NEAR(1e-13, s * s * h.r.lost_friction, g.r.lost_friction);
    law_free(l);
  }
}

/* Kane's paradox: a double pendulum that meets the floor sliding, with Newton's rule and friction.
 * W from Morgan's (2.1): M and J with r = m = 1 at q = (-75, 10) degrees: the
 * kinetic energy grows to 9.8 times what it was. */
static void kane_newton_with_friction_creates_energy(void) {
  double q1 = -75 * M_PI / 180, q2 = 10 * M_PI / 180, c2 = cos(q2), W[4];
  double J[2][2] = {{-sin(q1) - sin(q1 + q2), -sin(q1 + q2)},
                    {cos(q1) + cos(q1 + q2), cos(q1 + q2)}};
  double m11 = c2 + 5. / 3, m12 = c2 / 2 + 1. / 3, m22 = 1. / 3, det = m11 * m22 - m12 * m12;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      W[j * 2 + i] =
          (J[i][0] * (m22 * J[j][0] - m12 * J[j][1]) + J[i][1] * (m11 * J[j][1] - m12 * J[j][0])) /
          det;
  double v[2] = {-2, -1};
  double before = (W[3] * 4 - 4 * W[1] + W[0]) / (W[0] * W[3] - W[1] * W[1]) / 2; /* v W^-1 v/2 */
  law *newton = law_from("newton", "e", 0.9, "mu", 0.6, NULL);
  law *stronge = law_from("stronge", "e", 0.9, "mu", 0.6, NULL);
  hit h = solve_with(newton, 1, 2, W, v, NULL, 0), g = solve_with(stronge, 1, 2, W, v, NULL, 0);
  TEST_ASSERT_TRUE(check_balance(&h, W, v, 1e-13) > 1e-3);
  TEST_ASSERT_EQUAL_UINT(IMPACT_GAINS_ENERGY, h.r.flags & IMPACT_GAINS_ENERGY);
  TEST_ASSERT_TRUE(newton->type->flags & LAW_MAY_GAIN);
  ASSERT_NEAR(1e-3, 8.794 * before, -h.r.lost_restitution - h.r.lost_friction);
  TEST_ASSERT_TRUE(h.r.lost_restitution < 0 && h.r.lost_friction > 0);
  TEST_ASSERT_TRUE(check_balance(&g, W, v, 1e-13) < 0);
  TEST_ASSERT_EQUAL_UINT(0, g.r.flags & IMPACT_GAINS_ENERGY);
  ASSERT_NEAR(1e-14, 0.9, h.v[1]);
  law_free(newton);
  law_free(stronge);
}

/* W = (1 1; 1 1) leaves v_t - v_n as it is: when v_t stops, v_n stands at 0.07 and no impulse can
 * bring it to e |v_n-| = 0.38. That was called ok. */
static void newton_wedged_on_a_singular_W_has_no_solution(void) {
  double W[4] = {1, 1, 1, 1}, v[2] = {-0.57, -0.5};
  law *l = law_from("newton", "e", 0.76, "mu", 1., NULL);
  for (int told = -1; told < 2; told++) {
    hit h = solve_with(l, 1, 2, W, v, NULL, told);
    TEST_ASSERT_EQUAL_INT(CORE_NO_SOLUTION, h.r.status);
    TEST_ASSERT_EQUAL_STRING("law.newton: friction wedges the contact: v_n stays at 0.07 m/s and "
                             "cannot reach -e v_n = 0.38 m/s",
                             h.err.text);
    ASSERT_NEAR(1e-14, 0.07, h.v[1]);
  }
  law_free(l);
  l = law_from("newton", "e", 0.14, "mu", 1., NULL); /* asks for just that 0.07 */
  hit h = solve_with(l, 1, 2, W, v, NULL, -1);
  TEST_ASSERT_EQUAL_INT(CORE_OK, h.r.status);
  ASSERT_NEAR(1e-14, 0.07, h.v[1]);
  law_free(l);
}

/* ---- the path as it is told ---- */

static void samples_lie_on_the_path_and_keep_the_ledger(void) {
  uint64_t seed = 21;
  law *l = friction_law("stronge", 0.7, 0.5, NAN);
  for (int i = 0; i < 500; i++) {
    double W[4], v[2] = {between(&seed, -3, 3), between(&seed, -2, -0.1)};
    random_W(&seed, 2, W);
    hit h = solve_with(l, 1, 2, W, v, NULL, 4);
    TEST_ASSERT_EQUAL_INT(1 + 4 * (h.event[0].kind == IMPACT_SLIP ? h.events - 1 : h.events),
                          h.samples);
    for (int k = 0; k < h.samples + h.events; k++) {
      const heard *x = k < h.samples ? &h.sample[k] : &h.event[k - h.samples];
      double energy = 0;
      for (int row = 0; row < 2; row++) {
        double after = v[row] + W[row] * x->p[0] + W[2 + row] * x->p[1];
        ASSERT_NEAR(1e-12, after, x->v[row]);
        energy += x->p[row] * (v[row] + x->v[row]) / 2;
      }
      ASSERT_NEAR(1e-12, energy, x->work - x->lost_friction);
      ASSERT_NEAR(1e-12, energy, -x->strain - x->lost_restitution - x->lost_friction);
      TEST_ASSERT_TRUE(x->strain > -1e-12 && x->p[1] >= 0);
    }
    const heard *end = &h.event[h.events - 1];
    TEST_ASSERT_EQUAL_INT(IMPACT_END, end->kind);
    ASSERT_NEAR(1e-13, h.p[1], end->p[1]);
    ASSERT_NEAR(1e-13, h.r.lost_restitution, end->lost_restitution);
  }
  law_free(l);
}

/* the result comes by another way than the path that is told (planar.c, planar_quick.c) */
static void the_path_ends_at_the_result(void) {
  uint64_t seed = 22;
  for (int i = 0; i < 20000; i++) {
    double W[4], v[2] = {i % 40 ? between(&seed, -3, 3) : 0, between(&seed, -2, -0.1)};
    random_W(&seed, 2, W);
    double mu = between(&seed, 0, 1.2), e = i % 10 ? fair(&seed) : i % 20 / 10;
    law *l = friction_law(names[i % NAMES], e, mu, i % 2 ? NAN : 1.3 * mu);
    hit h = solve_with(l, 1, 2, W, v, NULL, -1), g = solve_with(l, 1, 2, W, v, NULL, 0);
    const heard *end = &g.event[g.events - 1];
    TEST_ASSERT_EQUAL_UINT(g.r.flags, h.r.flags);
    double tol = 1e-13 / (1 - W[1] * W[1] / W[0] / W[3]);
    for (int k = 0; k < 2; k++) {
      TEST_ASSERT_TRUE(g.p[k] == h.p[k] && g.v[k] == h.v[k]); /* watched or not */
      ASSERT_NEAR(tol, end->p[k], h.p[k]);
      ASSERT_NEAR(tol, end->v[k], h.v[k]);
    }
    ASSERT_NEAR(tol, end->lost_restitution, h.r.lost_restitution);
    ASSERT_NEAR(tol, end->lost_friction, h.r.lost_friction);
    law_free(l);
  }
}

/* ---- many ---- */

static void random_impacts_break_no_rule(void) {
  for (int k = 0; k < NAMES; k++) {
    uint64_t seed = 100 + (uint64_t)k;
    for (int group = 0; group < 200; group++) {
      double mu = group % 7 ? between(&seed, 0, 2) : INFINITY, hold = mu * between(&seed, 1, 1.5);
      law *l = friction_law(names[k], group % 5 ? fair(&seed) : 1, mu, group % 2 ? NAN : hold);
      double limit = group % 2 || k == LAW_KINEMATIC ? mu : hold;
      for (int i = 0; i < 1000; i++) {
        double W[4], v[2] = {between(&seed, -3, 3), between(&seed, -2, -1e-3)};
        random_W(&seed, 2, W);
        hit h = solve_with(l, 1, 2, W, v, NULL, -1);
        TEST_ASSERT_EQUAL_INT(CORE_OK, h.r.status);
        double gain = check_balance(&h, W, v, 1e-11);
        int flagged = !!(h.r.flags & IMPACT_GAINS_ENERGY), may = k == LAW_KINEMATIC;
        TEST_ASSERT_TRUE(fabs(gain) < 1e-12 || (gain > 0) == flagged);
        TEST_ASSERT_TRUE(may || gain < 1e-12);
        TEST_ASSERT_TRUE(h.v[1] >= 0 && h.p[1] >= 0);
        TEST_ASSERT_TRUE(fabs(h.p[0]) <= limit * h.p[1] * (1 + 1e-12) || isinf(limit));
      }
      law_free(l);
    }
  }
}

static void extremes_give_an_answer_or_a_jam(void) {
  for (int k = 0; k < NAMES; k++) check_extremes(names[k], 1, 2, 5000, 300 + (uint64_t)k);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(small_steps_give_the_same_impact);
  RUN_TEST(endings_agree_without_friction);
  RUN_TEST(endings_agree_while_sliding_does_not_turn);
  RUN_TEST(without_restitution_all_are_plastic);
  RUN_TEST(impacts_scale_and_mirror);
  RUN_TEST(kane_newton_with_friction_creates_energy);
  RUN_TEST(newton_wedged_on_a_singular_W_has_no_solution);
  RUN_TEST(samples_lie_on_the_path_and_keep_the_ledger);
  RUN_TEST(the_path_ends_at_the_result);
  RUN_TEST(random_impacts_break_no_rule);
  RUN_TEST(extremes_give_an_answer_or_a_jam);
  return UNITY_END();
}
