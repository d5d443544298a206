/* First roots of polynomials against a scan of many points in long double, and bisection. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "core/poly.h"
#include "unity.h"

enum { SCAN = 4000, MOST = 50 };

static const double SAME = 1e-9; /* of a root: another place */

void setUp(void) {
}
void tearDown(void) {
}

static double fair(uint64_t *seed) { /* splitmix64 */
  uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double between(uint64_t *seed, double a, double b) {
  return a + (b - a) * fair(seed);
}

static long double at(int n, const double *c, long double t) {
  long double f = 0;
  for (int j = n; j >= 0; j--) f = f * t + c[j];
  return f;
}

static double terms(int n, const double *c, double t) {
  double sum = 0;
  for (int j = n; j >= 0; j--) sum = sum * t + fabs(c[j]);
  return sum;
}

/* what rounding may make of f up to t */
static double noise(int n, const double *c, double t) {
  return 64 * DBL_EPSILON * terms(n, c, t);
}

/* of its terms: a dip so near to zero the scan may step over, and by rounding it may touch zero */
static const double NEARLY = 1e-6;

/* the first change of sign: 1 and *root; 0: none; -1: f touches zero, or nearly */
static int scan(int n, const double *c, double limit, long double *root) {
  double tiny = NEARLY * terms(n, c, limit);
  for (int i = 1; i <= SCAN; i++) {
    long double lo = limit * (long double)(i - 1) / SCAN, hi = limit * (long double)i / SCAN;
    long double f = at(n, c, hi);
    if (fabsl(f) <= tiny) return -1;
    if (f > 0) continue;
    for (int k = 0; k < 80; k++) {
      long double mid = (lo + hi) / 2;
      *(at(n, c, mid) > 0 ? &lo : &hi) = mid;
    }
    *root = hi;
    return 1;
  }
  return 0;
}

/* |f| at what was found is noise, and it is not behind the first root */
static int agrees(int n, const double *c, double limit) {
  long double want = 0;
  double t;
  int known = scan(n, c, limit, &want), found = core_poly_first_root(n, c, limit, &t);
  if (known < 0) return 1;
  if (found && fabsl(at(n, c, t)) > noise(n, c, t)) return 0;
  return known ? found && t <= (double)want * (1 + SAME) : !found;
}

static void judge(int n, const double *c, double limit) {
  if (agrees(n, c, limit)) return;
  for (int j = 0; j <= n; j++) printf(" %.17g,", c[j]);
  printf(" n = %d, limit %.17g\n", n, limit);
  TEST_FAIL();
}

/* a drift and some vibrations with w <= 2 */
static void vibrations(uint64_t *seed, int n, double *c) {
  double w[4], a[4], phase[4];
  int count = 1 + (int)(4 * fair(seed));
  for (int i = 0; i < count; i++) {
    w[i] = between(seed, 0, 2), a[i] = between(seed, -1, 1), phase[i] = between(seed, 0, 2 * M_PI);
  }
  for (int j = 0; j <= n; j++) {
    c[j] = j == 0 ? between(seed, 0, 2) : j == 1 ? between(seed, -0.3, 0.3) : 0;
    for (int i = 0; i < count; i++)
      c[j] += a[i] * cos(phase[i] + j * M_PI_2) * pow(w[i], j) / tgamma(j + 1);
  }
}

static void test_vibrations(void) {
  uint64_t seed = 1;
  double c[MOST];
  for (int i = 0; i < 20000; i++) {
    int n = 4 + (int)(21 * fair(&seed));
    vibrations(&seed, n, c);
    if (c[0] > 0) judge(n, c, between(&seed, 0.01, 1.6));
  }
}

/* (f - f(at))^2 + depth: a minimum that is just above zero, or just below */
static void test_dips(void) {
  uint64_t seed = 2;
  double g[MOST], c[MOST];
  for (int i = 0; i < 20000; i++) {
    int n = 2 + (int)(23 * fair(&seed));
    vibrations(&seed, n, g);
    g[0] -= (double)at(n, g, between(&seed, 0.1, 1.4));
    for (int j = 0; j <= 2 * n; j++) c[j] = 0;
    for (int j = 0; j <= n; j++)
      for (int k = 0; k <= n; k++) c[j + k] += g[j] * g[k];
    c[0] += between(&seed, -1, 1) * pow(10, -between(&seed, 1, 11)) * c[0];
    if (c[0] > 0) judge(2 * n, c, between(&seed, 0.5, 1.6));
  }
}

/* products of lines: roots that are known, some of them close together */
static void test_products(void) {
  uint64_t seed = 3;
  for (int i = 0; i < 20000; i++) {
    double c[MOST] = {1};
    int n = 1 + (int)(12 * fair(&seed));
    double last = between(&seed, 0.2, 1.5);
    for (int k = 1; k <= n; k++) {
      double x =
          fair(&seed) < 0.2 ? last * (1 + pow(10, -between(&seed, 1, 6))) : between(&seed, -4, 4);
      last = x;
      for (int j = k; j > 0; j--) c[j] = c[j] - c[j - 1] / x;
    }
    judge(n, c, between(&seed, 0.1, 2));
  }
}

/* any size of t and f */
static void test_scales(void) {
  uint64_t seed = 4;
  double c[MOST];
  for (int i = 0; i < 20000; i++) {
    int n = 2 + (int)(15 * fair(&seed));
    double t = pow(10, between(&seed, -14, 14)), f = pow(10, between(&seed, -25, 5));
    vibrations(&seed, n, c);
    double limit = between(&seed, 0.1, 1.6);
    for (int j = 0; j <= n; j++) c[j] *= f * pow(t, -j);
    if (c[0] > 0) judge(n, c, limit * t);
  }
}

static void test_ends(void) {
  const double zero[] = {0, 1}, falls[] = {1, -1}, flat[] = {1};
  double t;
  TEST_ASSERT_TRUE(core_poly_first_root(1, zero, 1, &t) && t == 0);
  TEST_ASSERT_TRUE(core_poly_first_root(1, falls, 1, &t) && fabs(t - 1) <= DBL_EPSILON);
  TEST_ASSERT_FALSE(core_poly_first_root(1, falls, 0.999, &t));
  TEST_ASSERT_FALSE(core_poly_first_root(0, flat, 1, &t));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_vibrations);
  RUN_TEST(test_dips);
  RUN_TEST(test_products);
  RUN_TEST(test_scales);
  RUN_TEST(test_ends);
  return UNITY_END();
}
