/* Polynomials c[0] + c[1] t + ... + c[n] t^n in monomial form, as power series give them.
 *
 * Meant for |t| of order 1 and coefficients that fall off: there Horner's rule is exact to rounding
 * of the largest term.
 */
#ifndef CORE_POLY_H
#define CORE_POLY_H

/* fmax and fmin for numbers that are not NaN; these the compiler inlines */
static inline double core_max(double a, double b) {
  return a > b ? a : b;
}

static inline double core_min(double a, double b) {
  return a < b ? a : b;
}

/* f(t); with `stride` between two coefficients */
static inline double core_poly_at(int n, const double *c, int stride, double t) {
  double f = c[n * stride];
  for (int j = n - 1; j >= 0; j--) f = f * t + c[j * stride];
  return f;
}

/* The first t in [0, limit] where f stops being positive, located to rounding; 1 when there is one.
 * No root is ever jumped over. n is at most CORE_POLY_MAX. f(0) <= 0 gives t = 0. */
enum { CORE_POLY_MAX = 127 };
int core_poly_first_root(int n, const double *c, double limit, double *t);

#endif
