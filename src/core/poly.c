#include "core/poly.h"

#include <float.h>
#include <math.h>

#include "core/tolerance.h"

/* a lower bound of f on [0, t]: terms with a positive coefficient are at least 0; two chains in t^2
 */
static double lower_bound(int n, const double *c, double t) {
  double t2 = t * t, even = 0, odd = 0;
  int j = n;
  if (n % 2 == 0 && n > 0) even = core_min(c[j--], 0) * t2;
  for (; j > 1; j -= 2) {
    odd = (odd + core_min(c[j], 0)) * t2;
    even = (even + core_min(c[j - 1], 0)) * t2;
  }
  if (j == 1) odd += core_min(c[1], 0);
  return c[0] + even + t * odd;
}

/* f and f' = sum j c[j] t^(j-1), as four interleaved chains in t^2; d[j] = (j+1) c[j+1] */
static void value_and_slope(int n, const double *c, const double *d, double t, double *f,
                            double *df) {
  double t2 = t * t, even = 0, odd = 0, deven = 0, dodd = 0;
  int j = n;
  if (n % 2 == 0) even = c[j--];
  for (; j > 0; j -= 2) {
    odd = odd * t2 + c[j];
    even = even * t2 + c[j - 1];
    dodd = dodd * t2 + d[j];
    deven = deven * t2 + d[j - 1];
  }
  *f = even + t * odd;
  *df = deven + t * dodd;
}

/* From the left, f(t + x) >= f + f' x - m x^2 / 2 with -m a lower bound of f'' on the way. The
 * right side stays positive up to its own root, so that root is a safe step; near a simple root it
 * is Newton's step, and the steps converge quadratically. */
static double safe_step(double f, double df, double m) {
  double root = sqrt(df * df + 2 * m * f);
  if (df < 0) return 2 * f / (root - df);
  return m > 0 ? (df + root) / m : INFINITY;
}

/* m on [0, end]; d[j] = (j+1) c[j+1] */
static double bend(int n, const double *d, double end) {
  double m = 0;
  for (int j = n; j >= 2; j--) m = m * end - core_min((j - 1) * d[j - 1], 0);
  return m;
}

/* what rounding makes of f(t) */
static double rounding_at(int n, const double *c, double t) {
  double sum = 0;
  for (int j = n; j >= 0; j--) sum = sum * t + fabs(c[j]);
  return DBL_EPSILON * sum;
}

/* A step that is short beside the way left is taken again with the bend of a shorter way, up to
 * three times as long, or as far again as x is: else f that sets out as 1e-12 t beside t^6 would
 * take millions of them. */
static double longer_step(int n, const double *d, double x, double f, double df, double step) {
  double near = core_min(safe_step(f, df, bend(n, d, x + 3 * step)), 3 * step);
  return core_max(near, core_min(safe_step(f, df, bend(n, d, 2 * x)), x));
}

int core_poly_first_root(int n, const double *c, double limit, double *t) {
  *t = 0;
  if (!(c[0] > 0)) return 1;
  if (lower_bound(n, c, limit) > 0) return 0;
  double d[CORE_POLY_MAX + 1], x = 0;
  for (int j = 0; j < n; j++) d[j] = (j + 1) * c[j + 1];
  d[n] = 0;
  double m = bend(n, d, limit);
  for (int i = 0; i < 1000; i++) {
    double f, df;
    value_and_slope(n, c, d, x, &f, &df);
    double step = f > 0 ? safe_step(f, df, m) : 0;
    if (f <= 0 || (df <= 0 && step <= POLY_NEAR * x && f <= rounding_at(n, c, x))) {
      *t = x;
      return 1;
    }
    if (i > 4 && step < 0.1 * (limit - x)) step = longer_step(n, d, x, f, df, step);
    if (x + step > limit) return 0;
    if (step <= DBL_EPSILON * x) {
      *t = x;
      return df <= 0;
    }
    x += step;
  }
  *t = x;
  return 1;
}
