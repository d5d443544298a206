#include "core/sincos.h"

#include <float.h>
#include <stdio.h>

#include "unity.h"

void setUp(void) {
}

void tearDown(void) {
}

static unsigned long long seed = 88172645463325252ull;

static double uniform(void) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

/* distance from the true value in units of the last place of that value */
static double ulps(double got, long double exact) {
  int exponent;
  frexpl(exact, &exponent);
  return (double)(fabsl((long double)got - exact) / ldexpl(1, exponent - DBL_MANT_DIG));
}

static double worst;

static void check(double x, double y) {
  double at[2] = {x, y};
  core_pair s, c;
  core_sincos2(at, &s, &c);
  for (int i = 0; i < 2; i++) {
    worst = fmax(worst, ulps(s[i], sinl((long double)at[i])));
    worst = fmax(worst, ulps(c[i], cosl((long double)at[i])));
  }
}

static void agrees_with_long_double_on_all_scales(void) {
  worst = 0;
  for (int i = 0; i < 300000; i++) {
    double scale = ldexp(1, (int)(17 * uniform())); /* 2^-17 .. 2^16 */
    check(M_PI * uniform(), scale * uniform());
  }
  char text[60];
  snprintf(text, sizeof text, "largest error %.3f units in the last place", worst);
  TEST_ASSERT_TRUE_MESSAGE(worst < 0.9, text);
}

/* beside every multiple of pi/4 the reduced angle is smallest or largest. The x87's own pi has 66
 * bits, so near a zero the yardstick is the remainder by hand: sin(n pi/2 + d) = +-d for tiny d */
static void holds_beside_multiples_of_a_quarter_turn(void) {
  worst = 0;
  for (int n = -2000; n <= 2000; n++)
    for (int k = -2; k <= 2; k++) {
      if (n % 2 == 0) continue;
      double x = n * M_PI_4;
      for (int step = 0; step < (k < 0 ? -k : k); step++) x = nextafter(x, k * INFINITY);
      check(x, -x);
    }
  TEST_ASSERT_TRUE(worst < 0.9);
}

/* pi to 120 bits: its first 53 are M_PI, the next 53 this */
static void keeps_the_small_rest_near_whole_turns(void) {
  const double rest = 1.2246467991473531772e-16;
  double x[2] = {M_PI, 1e4 * M_PI};
  core_pair s, c;
  core_sincos2(x, &s, &c);
  TEST_ASSERT_TRUE(fabs(s[0] - rest) <= 1e-16 * rest);
  TEST_ASSERT_EQUAL_DOUBLE(-1, c[0]);
  /* 1e4 * M_PI is rounded; its distance from 10^4 pi in exact parts: fma gives the product's rest
   */
  double away = -fma(1e4, M_PI, -x[1]) - 1e4 * rest; /* x - 10^4 pi */
  TEST_ASSERT_TRUE(fabs(s[1] - away) <= 1e-15 * fabs(away));
}

static void four_have_the_bits_of_two_and_two(void) {
  for (int i = 0; i < 20000; i++) {
    double x[4], size = i % 2 ? 3 : 9e4;
    for (int j = 0; j < 4; j++) x[j] = size * uniform();
    core_four at = {x[0], x[1], x[2], x[3]}, s, c;
    core_pair s2[2], c2[2];
    core_sincos4(&at, &s, &c);
    core_sincos2(x, &s2[0], &c2[0]);
    core_sincos2(x + 2, &s2[1], &c2[1]);
    for (int j = 0; j < 4; j++)
      TEST_ASSERT_TRUE(s[j] == s2[j / 2][j % 2] && c[j] == c2[j / 2][j % 2]);
  }
}

static void is_odd_and_even(void) {
  for (int i = 0; i < 1000; i++) {
    double x = 50 * uniform(), at[2] = {x, -x};
    core_pair s, c;
    core_sincos2(at, &s, &c);
    TEST_ASSERT_TRUE(s[0] == -s[1] && c[0] == c[1]);
  }
}

static void leaves_the_rest_to_the_library(void) {
  double x[2] = {1e22, -3e5};
  core_pair s, c;
  core_sincos2(x, &s, &c);
  TEST_ASSERT_TRUE(s[0] == sin(1e22) && c[0] == cos(1e22) && s[1] == sin(-3e5));
  x[0] = NAN, x[1] = INFINITY;
  core_sincos2(x, &s, &c);
  TEST_ASSERT_TRUE(isnan(s[0]) && isnan(c[0]) && isnan(s[1]) && isnan(c[1]));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(agrees_with_long_double_on_all_scales);
  RUN_TEST(holds_beside_multiples_of_a_quarter_turn);
  RUN_TEST(keeps_the_small_rest_near_whole_turns);
  RUN_TEST(four_have_the_bits_of_two_and_two);
  RUN_TEST(is_odd_and_even);
  RUN_TEST(leaves_the_rest_to_the_library);
  return UNITY_END();
}
