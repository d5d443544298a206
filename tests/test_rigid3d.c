/* Rigid impact in space: against integration in small steps with other variables, and at random. */
#include "law_help.h"

void setUp(void) {
}
void tearDown(void) {
}

/* ---- brute force: Runge-Kutta in Cartesian velocities, steps in proportion to the speed ---- */

typedef long double real;

typedef struct brute {
  real p[3], v[3], work, friction, work_c, p_c, p_r;
  int over, restituting, stuck;
} brute;

/* state y = (v1, v2, vn, p1, p2, work, friction) per unit of p_n, friction along (c, s) */
static void rates(const double *W, real mu, const real *y, real *f) {
  real speed = hypotl(y[0], y[1]), c = mu * y[0] / speed, s = mu * y[1] / speed;
  for (int i = 0; i < 3; i++) f[i] = W[6 + i] - c * W[i] - s * W[3 + i];
  f[3] = -c, f[4] = -s, f[5] = y[2], f[6] = mu * speed;
}

static void runge_kutta(const double *W, real mu, real *y, real dp) {
  real k[4][7], z[7];
  for (int stage = 0; stage < 4; stage++) {
    real f = stage == 3 ? dp : dp / 2;
    for (int i = 0; i < 7; i++) z[i] = stage ? y[i] + f * k[stage - 1][i] : y[i];
    rates(W, mu, z, k[stage]);
  }
  for (int i = 0; i < 7; i++) y[i] += dp * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]) / 6;
}

/* the slope of v_n in stick, or the direction in which sliding can start, by scanning the circle */
static int brute_bend(const double *W, const law_rule *rule, real *m, real *d) {
  real det = (real)W[0] * W[4] - (real)W[1] * W[1];
  m[0] = -(W[4] * (real)W[2] - W[1] * (real)W[5]) / det;
  m[1] = -(W[0] * (real)W[5] - W[1] * (real)W[2]) / det;
  if (hypotl(m[0], m[1]) <= rule->mu_static) return 1;
  real last = 0, mu = rule->mu;
  for (int i = 0; i <= 4000; i++) {
    real a = 2 * (real)M_PI * i / 4000, low = a - 2 * (real)M_PI / 4000, g = 0, h = 0;
    for (int k = 0; k < 70; k++) { /* value at a first, then bisection in [low, a] */
      real t = k ? (low + a) / 2 : a, c = cosl(t), s = sinl(t);
      real fx = W[2] - mu * (W[0] * c + W[1] * s), fy = W[5] - mu * (W[1] * c + W[4] * s);
      real here = fy * c - fx * s;
      g = fx * c + fy * s;
      if (!k) {
        h = here;
        if (i == 0 || last * h > 0) break;
      } else if (here * last > 0) {
        low = t;
      } else {
        a = t;
      }
      d[0] = c, d[1] = s;
    }
    if (i && last * h <= 0 && g > 0) return 0;
    last = h;
  }
  TEST_FAIL_MESSAGE("no direction diverges");
  return 0;
}

static int brute_over(const law_rule *rule, const brute *b, double before) {
  if (!b->restituting) return 0;
  if (rule->ending == LAW_ENERGETIC)
    return b->work - b->work_c >= -(real)rule->e * rule->e * b->work_c;
  if (rule->ending == LAW_KINETIC) return b->p[2] - b->p_c >= rule->e * b->p_c;
  return b->v[2] >= -(real)rule->e * before;
}

static brute brute_step(const double *W, const law_rule *rule, brute b, const real *m, real dp) {
  if (b.stuck) {
    real slope = W[8] + W[2] * m[0] + W[5] * m[1];
    b.work += dp * (b.v[2] + slope * dp / 2);
    b.v[2] += slope * dp;
    b.p[0] += m[0] * dp, b.p[1] += m[1] * dp;
  } else {
    real y[7] = {b.v[0], b.v[1], b.v[2], b.p[0], b.p[1], b.work, b.friction};
    runge_kutta(W, rule->mu, y, dp);
    b.v[0] = y[0], b.v[1] = y[1], b.v[2] = y[2], b.p[0] = y[3], b.p[1] = y[4];
    b.work = y[5], b.friction = y[6];
  }
  b.p[2] += dp;
  return b;
}

static brute brute_force(const law_rule *rule, const double *W, const double *v, real eta) {
  brute b = {.v = {v[0], v[1], v[2]}};
  real rate = hypotl(W[2], W[5]) + rule->mu * (W[0] + W[4]), size = hypotl(v[0], v[1]) - v[2];
  real longest = 0.01L * -v[2] / W[8], cut = 1, m[2] = {0}, d[2];
  for (long i = 0; i < 20000000 && !b.over; i++) {
    real speed = hypotl(b.v[0], b.v[1]);
    if (!b.stuck && speed <= 1e-15L * size) {
      b.stuck = brute_bend(W, rule, m, d);
      for (int k = 0; k < 2; k++) b.v[k] = b.stuck ? 0 : 2e-15L * size * d[k];
      continue;
    }
    real dp = cut * (b.stuck ? longest : fminl(longest, eta * speed / rate));
    brute next = brute_step(W, rule, b, m, dp);
    int stops = !b.restituting && next.v[2] >= 0, ends = brute_over(rule, &next, v[2]);
    int falls = b.restituting && rule->ending == LAW_KINETIC && next.v[2] < 0;
    if ((stops || ends || falls) && cut > 1e-10L) {
      cut /= 2;
      continue;
    }
    b = next, cut = 1;
    if (stops) b.restituting = 1, b.work_c = b.work, b.p_c = b.p[2] - b.p_r;
    if (falls) b.restituting = 0, b.p_r = b.p[2] - b.p_c;
    b.over = ends || brute_over(rule, &b, v[2]);
  }
  TEST_ASSERT_TRUE(b.over);
  return b;
}

static hit compare_with_brute_force(int which, double e, double mu, double mu_static,
                                    const double *W, const double *v) {
  double hold = which == LAW_KINEMATIC || isnan(mu_static) ? mu : mu_static;
  law_rule rule = {(law_ending)which, e, mu, hold};
  law *l = friction_law(names[which], e, mu, mu_static);
  hit h = solve_with(l, 1, 3, W, v, NULL, 0);
  brute b = brute_force(&rule, W, v, 0.01L);
  TEST_ASSERT_EQUAL_INT(CORE_OK, h.r.status);
  for (int i = 0; i < 3; i++) {
    ASSERT_NEAR(1e-10, (double)b.p[i], h.p[i]);
    ASSERT_NEAR(1e-10, (double)b.v[i], h.v[i]);
  }
  ASSERT_NEAR(1e-10, (double)-b.work, h.r.lost_restitution);
  ASSERT_NEAR(1e-10, (double)b.friction, h.r.lost_friction);
  TEST_ASSERT_EQUAL_INT(b.stuck, !!(h.r.flags & IMPACT_STUCK));
  check_balance(&h, W, v, 1e-13);
  law_free(l);
  return h;
}

static void small_steps_give_the_same_impact(void) {
  uint64_t seed = 31;
  int stuck = 0;
  for (int i = 0; i < 90; i++) {
    double W[9], v[3];
    random_case(&seed, W, v);
    double mu = between(&seed, 0.05, 1.2), e = fair(&seed);
    hit h = compare_with_brute_force(i % 3, e, mu, mu * (i % 2 ? 1 : 1.2), W, v);
    stuck += !!(h.r.flags & IMPACT_STUCK);
  }
  TEST_ASSERT_TRUE(stuck > 10 && stuck < 80);
}

/* a small sliding speed: sticks or leaves almost at once */
static void slow_sliding_near_stick(void) {
  uint64_t seed = 32;
  for (int i = 0; i < 30; i++) {
    double W[9], v[3];
    random_case(&seed, W, v);
    v[0] *= 1e-4, v[1] *= 1e-4;
    compare_with_brute_force(i % 3, fair(&seed), between(&seed, 0.1, 1.2), NAN, W, v);
  }
}

/* strong coupling against the sliding: it stops, cannot stick, and leaves another way */
static void sliding_that_stops_and_leaves_another_way(void) {
  double W[9] = {1, 0.1, 1.5, 0.1, 2, 0.4, 1.5, 0.4, 5}, v[3] = {-1, -0.15, -3};
  for (int which = 0; which < 3; which++) {
    law *l = friction_law(names[which], 0.6, 0.3, NAN);
    hit h = solve_with(l, 1, 3, W, v, NULL, 0);
    TEST_ASSERT_TRUE(h.v[0] > 0);
    law_free(l);
    compare_with_brute_force(which, 0.6, 0.3, NAN, W, v);
  }
  /* straight into v_t = 0 along an invariant direction: a reversal in the strict sense */
  double P[9] = {1, 0, 1.5, 0, 2, 0, 1.5, 0, 5}, u[3] = {-1, 0, -9};
  hit h = compare_with_brute_force(LAW_ENERGETIC, 0.6, 0.3, NAN, P, u);
  TEST_ASSERT_EQUAL_STRING("reversal compression_end end", story(&h));
}

/* large friction and coupling: v_n falls back to 0 after it has risen */
static void normal_velocity_that_falls_back(void) {
  uint64_t seed = 33;
  int fell = 0;
  for (int i = 0; i < 4000 && fell < 12; i++) {
    double b = between(&seed, 0.4, 0.9), W[9] = {1, 0, b, 0, 1.3, 0, b, 0, 1}, mu = 2.5;
    double v[3] = {between(&seed, -1, 1), between(&seed, -3, 3), between(&seed, -0.3, -0.01)};
    law *l = friction_law("stronge", 0.95, mu, NAN);
    hit h = solve_with(l, 1, 3, W, v, NULL, 40);
    law_free(l);
    int before = fell;
    for (int k = 0, rose = 0; k < h.samples && fell == before; k++) {
      rose |= h.sample[k].v[2] > 0;
      fell += rose && h.sample[k].v[2] < 0;
    }
    if (fell > before)
      for (int which = 0; which < 3; which++) compare_with_brute_force(which, 0.95, mu, NAN, W, v);
  }
  TEST_ASSERT_TRUE(fell >= 3);
}

/* ---- many ---- */

static void random_impacts(int groups) {
  for (int k = 0; k < 3; k++) {
    uint64_t seed = 200 + (uint64_t)k;
    for (int group = 0; group < groups; group++) {
      double mu = group % 7 ? between(&seed, 0, 2) : INFINITY, hold = mu * between(&seed, 1, 1.5);
      law *l = friction_law(names[k], group % 5 ? fair(&seed) : 1, mu, group % 2 ? NAN : hold);
      double limit = group % 2 || k == LAW_KINEMATIC ? mu : hold;
      for (int i = 0; i < 1000; i++) {
        double W[9],
            v[3] = {between(&seed, -3, 3), between(&seed, -3, 3), between(&seed, -2, -1e-3)};
        random_W(&seed, 3, W);
        if (i % 50 == 0) v[0] = v[1] = 0;
        hit h = solve_with(l, 1, 3, W, v, NULL, -1);
        TEST_ASSERT_EQUAL_INT(CORE_OK, h.r.status);
        double gain = check_balance(&h, W, v, 1e-11);
        int flagged = !!(h.r.flags & IMPACT_GAINS_ENERGY), may = k == LAW_KINEMATIC;
        TEST_ASSERT_TRUE(fabs(gain) < 1e-12 || (gain > 0) == flagged);
        TEST_ASSERT_TRUE(may || gain < 1e-12);
        TEST_ASSERT_TRUE(h.v[2] >= 0 && h.p[2] >= 0);
        double pt = hypot(h.p[0], h.p[1]);
        TEST_ASSERT_TRUE(pt <= limit * h.p[2] * (1 + 1e-11) + 1e-12 || isinf(limit));
      }
      law_free(l);
    }
  }
}

static void some_random_impacts_break_no_rule(void) {
  random_impacts(10);
}

static void random_impacts_break_no_rule(void) {
  random_impacts(200);
}

static void extremes_give_an_answer_or_a_jam(void) {
  for (int k = 0; k < 3; k++) check_extremes(names[k], 1, 3, 3000, 310 + (uint64_t)k);
}

/* `test_rigid3d many`: 200,000 impacts for each law */
int main(int argc, char **argv) {
  UNITY_BEGIN();
  if (argc > 1 && !strcmp(argv[1], "many")) {
    RUN_TEST(random_impacts_break_no_rule);
    return UNITY_END();
  }
  RUN_TEST(small_steps_give_the_same_impact);
  RUN_TEST(slow_sliding_near_stick);
  RUN_TEST(sliding_that_stops_and_leaves_another_way);
  RUN_TEST(normal_velocity_that_falls_back);
  RUN_TEST(some_random_impacts_break_no_rule);
  RUN_TEST(extremes_give_an_answer_or_a_jam);
  return UNITY_END();
}
