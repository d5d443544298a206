/* Roots against bisection, against known roots, and against quadruple precision. */
#include <float.h>
#include <math.h>

#include "core/interrupt.h"
#include "core/root.h"
#include "lin_help.h"
#include "unity.h"

void setUp(void) {
}

void tearDown(void) {
  core_interrupt_flag = 0;
}

/* ---- functions with one sign change in their interval ---- */

typedef struct problem {
  double (*f)(double);
  double a, b;
} problem;

static double cosine(double x) {
  return cos(x) - x;
}
static double ninth(double x) {
  return pow(x - 1, 9);
}
static double step(double x) {
  return x < 1.0 / 3 ? -1 : 1e-3;
}
static double steep(double x) {
  return atan(1e6 * (x - 0.1)) + 1e-3;
}
static double line(double x) {
  return 3 * x - 1;
}
static double falling(double x) {
  return exp(-x) - 1e-8;
}
static double gap(double x) {
  return 2 - 0.3 * x - 4.905 * x * x;
}
static double pole(double x) {
  return 1 / (x - 0.70710678);
}
static double through_zero(double x) {
  return x * (1 + x * x);
}

static const problem problems[] = {
    {cosine, 0, 1},         {ninth, 0, 3.7},  {step, 0, 1},      {steep, -1, 1},
    {line, 0, 1},           {falling, 0, 50}, {gap, 0, 1},       {gap, 1, 0},
    {pole, 0, 1},           {cosine, 5, -4},  {line, -1e9, 1e9}, {falling, 700, 0},
    {through_zero, -1, 0.7}};
enum { PROBLEMS = sizeof problems / sizeof *problems };

static core_status call(void *self, double x, double *y) {
  *y = ((const problem *)self)->f(x);
  return CORE_OK;
}

/* plain halving until the ends are neighbours */
static double halve(const problem *p) {
  double a = p->a, b = p->b, fa = p->f(a);
  for (int i = 0; i < 2200; i++) {
    double m = a + 0.5 * (b - a), fm = p->f(m);
    if (m == a || m == b || fm == 0) return m;
    if ((fa < 0) == (fm < 0))
      a = m;
    else
      b = m;
  }
  return a;
}

static core_status solve(const problem *p, double xtol, core_bracket *br, double *x) {
  core_status status = core_root_bracket(call, (void *)p, p->a, p->b, br);
  return status ? status : core_root_find(call, (void *)p, br, xtol, x);
}

static void roots_agree_with_bisection_to_the_last_bits(void) {
  for (int i = 0; i < PROBLEMS; i++) {
    if (problems[i].f == ninth) continue; /* flat to rounding far around its root */
    core_bracket br;
    double x, expected = halve(&problems[i]);
    TEST_ASSERT_EQUAL_INT(CORE_OK, solve(&problems[i], 0, &br, &x));
    TEST_ASSERT_DOUBLE_WITHIN(6 * DBL_EPSILON * fabs(expected) + 1e-300, expected, x);
  }
}

static void known_roots_are_found(void) {
  core_bracket br;
  double x;
  solve(&problems[0], 0, &br, &x);
  TEST_ASSERT_DOUBLE_WITHIN(3e-16, 0.73908513321516064166, x);
  solve(&(problem){falling, 0, 50}, 0, &br, &x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 8 * log(10), x);
  solve(&(problem){gap, 0, 1}, 0, &br, &x);
  TEST_ASSERT_DOUBLE_WITHIN(3e-16, (-0.3 + sqrt(0.09 + 8 * 4.905)) / 9.81, x);
}

/* every problem within 3 times bisection, smooth ones in a handful */
static void few_evaluations_are_needed(void) {
  int smooth = 0;
  for (int i = 0; i < PROBLEMS; i++) {
    core_bracket br;
    double x;
    TEST_ASSERT_EQUAL_INT(CORE_OK, solve(&problems[i], 1e-12, &br, &x));
    double halvings = log2(fabs(problems[i].b - problems[i].a) / 1e-12);
    TEST_ASSERT_TRUE(br.evaluations <= 3 * halvings);
    if (problems[i].f == gap || problems[i].f == cosine) smooth += br.evaluations;
  }
  TEST_ASSERT_TRUE(smooth <= 4 * 11);
}

static void the_ends_keep_their_sides_and_come_within_the_tolerance(void) {
  for (int i = 0; i < PROBLEMS; i++) {
    const problem *p = &problems[i];
    core_bracket br;
    double x, xtol = 1e-7;
    TEST_ASSERT_EQUAL_INT(CORE_OK, solve(p, xtol, &br, &x));
    TEST_ASSERT_TRUE(br.fa == p->f(br.a) && br.fb == p->f(br.b));
    TEST_ASSERT_TRUE(br.fa == 0 || (br.fa > 0) == (p->f(p->a) > 0));
    TEST_ASSERT_TRUE(br.fb == 0 || (br.fb > 0) == (p->f(p->b) > 0));
    TEST_ASSERT_TRUE(x == br.a || x == br.b);
    if (br.fa == 0 || br.fb == 0) continue;
    TEST_ASSERT_TRUE(fabs(br.a - br.b) <= xtol + 4 * DBL_EPSILON * fabs(x) + DBL_MIN);
    TEST_ASSERT_TRUE((br.a < br.b) == (p->a < p->b));
  }
}

static void a_root_at_an_end_is_taken(void) {
  core_bracket br;
  double x = 9;
  TEST_ASSERT_EQUAL_INT(CORE_OK, solve(&(problem){through_zero, 0, 5}, 0, &br, &x));
  TEST_ASSERT_TRUE(x == 0);
  TEST_ASSERT_EQUAL_INT(CORE_OK, solve(&(problem){through_zero, -5, 0}, 0, &br, &x));
  TEST_ASSERT_TRUE(x == 0 && br.evaluations == 2);
}

static void no_sign_change_is_bad_input(void) {
  core_bracket br;
  double x;
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, solve(&(problem){cosine, 1, 2}, 0, &br, &x));
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, core_root_find(call, NULL, &br, 0, &x));
}

static double poisoned(double x) {
  return x > 0.3 && x < 0.7 ? NAN : x - 0.5;
}

static core_status fails(void *self, double x, double *y) {
  int *left = self;
  *y = x - 0.123;
  return (*left)-- > 0 ? CORE_OK : CORE_CALLBACK;
}

static void failures_come_out(void) {
  core_bracket br;
  double x;
  TEST_ASSERT_EQUAL_INT(CORE_NOT_FINITE, solve(&(problem){poisoned, 0, 1}, 0, &br, &x));
  TEST_ASSERT_EQUAL_INT(CORE_NOT_FINITE, solve(&(problem){line, 0, INFINITY}, 0, &br, &x));
  int left = 1;
  TEST_ASSERT_EQUAL_INT(CORE_CALLBACK, core_root_bracket(fails, &left, 0, 1, &br));
  left = 2;
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_root_bracket(fails, &left, 0, 1, &br));
  TEST_ASSERT_EQUAL_INT(CORE_CALLBACK, core_root_find(fails, &left, &br, 0, &x));
  core_interrupt_flag = 1;
  TEST_ASSERT_EQUAL_INT(CORE_INTERRUPTED, solve(&problems[0], 0, &br, &x));
}

static core_status expand(const problem *p, double lo, double hi, core_bracket *br) {
  return core_root_expand(call, (void *)p, p->a, p->b, lo, hi, br);
}

static void brackets_grow_until_the_sign_changes(void) {
  core_bracket br;
  double x;
  TEST_ASSERT_EQUAL_INT(CORE_OK, expand(&(problem){falling, 0, 1}, -INFINITY, INFINITY, &br));
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_root_find(call, &(problem){falling, 0, 1}, &br, 0, &x));
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 8 * log(10), x);
  TEST_ASSERT_EQUAL_INT(CORE_OK, expand(&(problem){gap, -9, -8}, -INFINITY, INFINITY, &br));
  TEST_ASSERT_TRUE((br.fa < 0) != (br.fb < 0));
  TEST_ASSERT_EQUAL_INT(CORE_OK, expand(&(problem){line, 1e9, 1e9 + 1}, 0, INFINITY, &br));
  TEST_ASSERT_TRUE(br.a >= 0 && br.fa <= 0);
}

static double positive(double x) {
  return 1 + x * x;
}

static void brackets_stay_within_their_limits(void) {
  core_bracket br;
  TEST_ASSERT_EQUAL_INT(CORE_NOT_CONVERGED, expand(&(problem){falling, 0, 1}, -5, 10, &br));
  TEST_ASSERT_TRUE(br.a == -5 && br.b == 10);
  core_status status = expand(&(problem){positive, 0, 1}, -INFINITY, INFINITY, &br);
  TEST_ASSERT_TRUE(status == CORE_NOT_FINITE || status == CORE_NOT_CONVERGED);
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, expand(&(problem){line, 1, 0}, -5, 5, &br));
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, expand(&(problem){line, 0, 1}, 0.5, 5, &br));
}

/* ---- polynomials ---- */

typedef __float128 quad;

/* square root by Newton from double's */
static quad quad_sqrt(quad x) {
  quad r = sqrtl((long double)x);
  return r == 0 ? 0 : 0.5Q * (r + x / r);
}

static void quadratic_roots_agree_with_quadruple_precision(void) {
  uint64_t seed = 1;
  int with_roots = 0;
  for (int t = 0; t < 20000; t++) {
    double a = uniform(&seed), b = uniform(&seed) * pow(10, t % 9), c = uniform(&seed), x[2];
    quad d = (quad)b * b - 4 * (quad)a * c;
    int n = core_root_quadratic(a, b, c, x);
    TEST_ASSERT_EQUAL_INT(d < 0 ? 0 : 2, n);
    if (n == 0) continue;
    quad q = b > 0 ? -(b + quad_sqrt(d)) / 2 : (-b + quad_sqrt(d)) / 2;
    double r = (double)(q / a), s = (double)(c / q);
    TEST_ASSERT_DOUBLE_WITHIN(4 * DBL_EPSILON * fabs(fmin(r, s)), fmin(r, s), x[0]);
    TEST_ASSERT_DOUBLE_WITHIN(4 * DBL_EPSILON * fabs(fmax(r, s)), fmax(r, s), x[1]);
    with_roots++;
  }
  TEST_ASSERT_TRUE(with_roots > 5000);
}

/* discriminants that are nothing but rounding in plain double arithmetic */
static void near_double_roots_are_told_apart(void) {
  double x[2];
  TEST_ASSERT_EQUAL_INT(2, core_root_quadratic(94906265.625, -2 * 94906267.0, 94906268.375, x));
  TEST_ASSERT_DOUBLE_WITHIN(2e-16, 1.0, x[0]);
  TEST_ASSERT_DOUBLE_WITHIN(3e-16, 1.000000028975958, x[1]);
  TEST_ASSERT_EQUAL_INT(1, core_root_quadratic(1, -2, 1, x));
  TEST_ASSERT_TRUE(x[0] == 1);
  TEST_ASSERT_EQUAL_INT(0, core_root_quadratic(1, -2, 1 + DBL_EPSILON, x));
  TEST_ASSERT_EQUAL_INT(2, core_root_quadratic(1, -2, 1 - DBL_EPSILON, x));
}

static void degenerate_quadratics_are_sorted_out(void) {
  double x[2];
  TEST_ASSERT_EQUAL_INT(-1, core_root_quadratic(0, 0, 0, x));
  TEST_ASSERT_EQUAL_INT(0, core_root_quadratic(0, 0, 3, x));
  TEST_ASSERT_EQUAL_INT(1, core_root_quadratic(0, 2, -3, x));
  TEST_ASSERT_TRUE(x[0] == 1.5);
  TEST_ASSERT_EQUAL_INT(1, core_root_quadratic(5, 0, 0, x));
  TEST_ASSERT_TRUE(x[0] == 0);
  TEST_ASSERT_EQUAL_INT(2, core_root_quadratic(2, -6, 0, x));
  TEST_ASSERT_TRUE(x[0] == 0 && !signbit(x[0]) && x[1] == 3);
  TEST_ASSERT_EQUAL_INT(2, core_root_quadratic(1e300, -3e300, 2e300, x)); /* squares overflow */
  TEST_ASSERT_TRUE(x[0] == 1 && x[1] == 2);
  TEST_ASSERT_EQUAL_INT(0, core_root_quadratic(NAN, 1, 1, x));
}

/* a (x - p)(x - q)(x - r) with p, q, r apart: the roots come back */
static void cubic_roots_come_back(void) {
  uint64_t seed = 3;
  for (int t = 0; t < 5000; t++) {
    double p = uniform(&seed) - 2, q = uniform(&seed) * 0.4, r = uniform(&seed) * 50 + 60, x[3];
    double a = uniform(&seed) + 2;
    quad b = -(quad)a * ((quad)p + q + r), c = (quad)a * ((quad)p * q + (quad)q * r + (quad)r * p);
    quad d = -(quad)a * p * q * r;
    int n = core_root_cubic(a, (double)b, (double)c, (double)d, x);
    TEST_ASSERT_EQUAL_INT(3, n);
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, p, x[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, q, x[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, r, x[2]);
  }
}

/* (x - p)(x^2 + u x + v) with a negative discriminant: one real root */
static void one_real_root_is_found(void) {
  uint64_t seed = 4;
  for (int t = 0; t < 5000; t++) {
    double p = 3 * uniform(&seed), u = uniform(&seed), v = 1 + uniform(&seed) * 0.5, x[3];
    TEST_ASSERT_EQUAL_INT(1, core_root_cubic(1, u - p, v - u * p, -v * p, x));
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, p, x[0]);
  }
}

static void degenerate_cubics_are_sorted_out(void) {
  double x[3];
  TEST_ASSERT_EQUAL_INT(2, core_root_cubic(0, 1, -3, 2, x));
  TEST_ASSERT_TRUE(x[0] == 1 && x[1] == 2);
  TEST_ASSERT_EQUAL_INT(1, core_root_cubic(1, 0, 0, 0, x));
  TEST_ASSERT_TRUE(x[0] == 0);
  TEST_ASSERT_EQUAL_INT(1, core_root_cubic(1, -3, 3, -1, x)); /* (x - 1)^3 */
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1, x[0]);
  TEST_ASSERT_EQUAL_INT(1, core_root_cubic(8, 0, 0, -27, x));
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1.5, x[0]);
  TEST_ASSERT_EQUAL_INT(3, core_root_cubic(1, 0, -4, 0, x));
  TEST_ASSERT_TRUE(x[0] == -2 && x[1] == 0 && x[2] == 2);
  TEST_ASSERT_EQUAL_INT(-1, core_root_cubic(0, 0, 0, 0, x));
  TEST_ASSERT_EQUAL_INT(0, core_root_cubic(0, 0, 0, 1, x));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(roots_agree_with_bisection_to_the_last_bits);
  RUN_TEST(known_roots_are_found);
  RUN_TEST(few_evaluations_are_needed);
  RUN_TEST(the_ends_keep_their_sides_and_come_within_the_tolerance);
  RUN_TEST(a_root_at_an_end_is_taken);
  RUN_TEST(no_sign_change_is_bad_input);
  RUN_TEST(failures_come_out);
  RUN_TEST(brackets_grow_until_the_sign_changes);
  RUN_TEST(brackets_stay_within_their_limits);
  RUN_TEST(quadratic_roots_agree_with_quadruple_precision);
  RUN_TEST(near_double_roots_are_told_apart);
  RUN_TEST(degenerate_quadratics_are_sorted_out);
  RUN_TEST(cubic_roots_come_back);
  RUN_TEST(one_real_root_is_found);
  RUN_TEST(degenerate_cubics_are_sorted_out);
  return UNITY_END();
}
