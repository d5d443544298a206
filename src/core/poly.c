/* The first root of a polynomial on [0, limit]: never one that is jumped over.
 *
 *   bound     terms that are not negative are at least 0: most have no root, and show it so
 *   shape     Bernstein coefficients (bernstein.h) all positive: no root; one change of sign: one
 *             root; those of f' change sign once, from falling to rising: f has one minimum, and
 *             at most one root before it. A root that is known to be the only one in its bracket
 *             is found by Newton's steps, kept inside
 *   search    the others step by step from the left, each step as long as a bound of f'' allows
 *
 * Sums go over blocks of four coefficients, sum_k t^(4k) (c[4k] + c[4k+1] t + ...).
 */
#include "core/poly.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/bernstein.h"
#include "core/pair.h"
#include "core/tolerance.h"

typedef core_loose_four four;

/* derivatives look a block ahead; steps of a search, of Newton to a root and to a minimum */
enum { ROOM = CORE_POLY_MAX + 1 + 8, MOST_SEARCH = 1000, MOST_STEPS = 100, MOST_MINIMUM = 20 };

/* f with zeros behind, f' and f'' */
typedef struct poly {
  int n, last; /* degree; last block, of f' and f'' too */
  double c[ROOM], d[ROOM], e[ROOM];
} poly;

/* ---- values ---- */

CORE_PART const four *block(const double *c, int k) {
  return (const four *)(c + 4 * k);
}

/* sum[0] + sum[1] t + ... */
CORE_PART double sum_of(const four *sum, double t) {
  double t2 = t * t;
  return ((*sum)[0] + t * (*sum)[1]) + t2 * ((*sum)[2] + t * (*sum)[3]);
}

CORE_PART double to_fourth(double t) {
  double t2 = t * t;
  return t2 * t2;
}

CORE_PART double value(const poly *p, const double *c, double t) {
  double t4 = to_fourth(t);
  four sum = {0};
  for (int k = p->last; k >= 0; k--) sum = sum * t4 + *block(c, k);
  return sum_of(&sum, t);
}

CORE_PART void value_and_slope(const poly *p, const double *c, const double *d, double t, double *f,
                               double *df) {
  double t4 = to_fourth(t);
  four a = {0}, b = {0};
  for (int k = p->last; k >= 0; k--) {
    a = a * t4 + *block(c, k);
    b = b * t4 + *block(d, k);
  }
  *f = sum_of(&a, t);
  *df = sum_of(&b, t);
}

/* sum of the negative terms at t, as a number that is positive */
CORE_PART double negative_terms(const poly *p, const double *c, double t) {
  double t4 = to_fourth(t);
  four sum = {0}, none = {0};
  for (int k = p->last; k >= 0; k--) {
    core_four_bits negative = *block(c, k) < none;
    sum = sum * t4 - (four)((core_four_bits)*block(c, k) & negative);
  }
  return sum_of(&sum, t);
}

/* what rounding makes of f(t) */
CORE_PART double rounding_at(const poly *p, double t) {
  core_four_bits sign = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
  double t4 = to_fourth(t);
  four sum = {0};
  for (int k = p->last; k >= 0; k--)
    sum = sum * t4 + (four)((core_four_bits)*block(p->c, k) & ~sign);
  return DBL_EPSILON * sum_of(&sum, t);
}

/* d[j] = (j + 1) c[j + 1] */
CORE_PART void derive(const poly *p, const double *c, double *d) {
  four j = {1, 2, 3, 4};
  for (int k = 0; k <= p->last; k++, j += 4)
    *(four *)(d + 4 * k) = j * *(const four *)(c + 4 * k + 1);
  *(four *)(d + 4 * (p->last + 1)) = (four){0};
}

CORE_PART void take(poly *p, int n, const double *c) {
  p->n = n;
  p->last = n / 4;
  memcpy(p->c, c, (size_t)(n + 1) * sizeof *c);
  for (int j = n + 1; j < 4 * p->last + 8; j++) p->c[j] = 0;
}

/* ---- shape ---- */

enum { BLOCKS = CORE_BERNSTEIN_PADDED / 4, HALF = BLOCKS / 2 };

/* b of f on [0, limit], and what rounding makes of them; b_i has terms up to j = i alone */
CORE_PART double bernstein(const poly *p, double limit, double *b) {
  four sum[BLOCKS] = {{0}};
  double power = 1, size = 0;
  for (int j = 0; j <= p->n; j++, power *= limit) {
    double x = p->c[j] * power;
    size += fabs(x);
    for (int k = HALF; k < BLOCKS; k++) sum[k] += x * *block(core_bernstein[j], k);
    if (j >= 4 * HALF) continue;
    for (int k = 0; k < HALF; k++) sum[k] += x * *block(core_bernstein[j], k);
  }
  memcpy(b, sum, sizeof sum);
  return POLY_SHAPE * size;
}

/* Where n numbers change their sign for the only time, from positive to negative: after so many
 * that are positive; n: all are; -1: they do not, or more often, or it is not clear. One of them
 * may be anything, where they change. */
static int only_change(int n, const double *x, double noise) {
  int positive = 0, rest = n;
  while (positive < n && x[positive] > noise) positive++;
  if (positive == n) return n;
  while (rest > positive && x[rest - 1] < -noise) rest--;
  return positive > 0 && rest < n && rest <= positive + 1 ? positive : -1;
}

/* where the line through them does */
static double crossing(const double *x, int positive) {
  double part = x[positive - 1] / (x[positive - 1] - x[positive]);
  return positive - 1 + core_min(part, 1);
}

/* -m bounds f'' on [0, limit] from below: second differences of b */
CORE_PART double bend_of_shape(const double *b, double limit) {
  double most = 0;
  for (int i = 0; i + 2 <= CORE_BERNSTEIN; i++) {
    double bend = 2 * b[i + 1] - b[i] - b[i + 2];
    most = core_max(most, bend);
  }
  return most * (CORE_BERNSTEIN * (CORE_BERNSTEIN - 1)) / (limit * limit);
}

/* ---- steps ---- */

/* From the left, f(t + x) >= f + f' x - m x^2 / 2 with -m a lower bound of f'' on the way. The
 * right side stays positive up to its own root, so that root is a safe step; near a simple root it
 * is Newton's step, and the steps converge quadratically. */
static double safe_step(double f, double df, double m) {
  double root = sqrt(df * df + 2 * m * f);
  if (df < 0) return 2 * f / (root - df);
  return m > 0 ? (df + root) / m : INFINITY;
}

/* The only root in (lo, hi), from x on: Newton's steps, or the middle. Each is about the square of
 * the one before, so that the last is not looked at. */
CORE_PART double root_between(const poly *p, double lo, double hi, double x) {
  double last = 0; /* nothing is known of it */
  for (int i = 0; i < MOST_STEPS; i++) {
    double f, df;
    value_and_slope(p, p->c, p->d, x, &f, &df);
    double by = f / df, step = fabs(by), falls = step / last;
    if (f == 0 || step <= DBL_EPSILON * x) return x;
    *(f > 0 ? &lo : &hi) = x;
    last = step;
    if (x - by > lo && x - by < hi) {
      x -= by;
      if (step * falls * falls <= DBL_EPSILON * x) return x;
      if (step <= POLY_NEAR * x && fabs(f) <= rounding_at(p, x)) return x;
    } else {
      x = lo + (hi - lo) / 2;
      last = 0;
    }
  }
  return x;
}

/* f falls on [0, t] and rises on [t, limit], where t is not known but near x. 1: it has a root, the
 * first one in *x; 0: none, since f is positive as far from x as m allows, and the minimum is
 * there; -1: it hardly touches zero. */
CORE_PART int root_before_minimum(const poly *p, double limit, double m, double *x) {
  double lo = 0, hi = limit, f, df, bend;
  for (int i = 0; i < MOST_MINIMUM; i++) {
    value_and_slope(p, p->c, p->d, *x, &f, &df);
    if (f <= 0) {
      *x = root_between(p, 0, *x, *x / 2);
      return 1;
    }
    double left = *x - safe_step(f, -df, m), right = *x + safe_step(f, df, m);
    *(df < 0 ? &lo : &hi) = *x;
    value_and_slope(p, p->d, p->e, *x, &df, &bend);
    if ((left <= lo || value(p, p->d, left) < 0) && (right >= hi || value(p, p->d, right) > 0))
      return 0;
    *x -= df / bend;
    if (!(*x > lo && *x < hi)) *x = lo + (hi - lo) / 2;
  }
  return -1;
}

/* 1 or 0: whether there is a root, *t; -1: it is not clear */
CORE_PART int root_by_shape(poly *p, double limit, double *m, double *t) {
  double b[CORE_BERNSTEIN_PADDED], falls[CORE_BERNSTEIN];
  double noise = bernstein(p, limit, b);
  int positive = only_change(CORE_BERNSTEIN + 1, b, noise);
  if (positive > CORE_BERNSTEIN) return 0;
  derive(p, p->c, p->d);
  if (positive > 0) {
    *t = root_between(p, 0, limit, limit * crossing(b, positive) / CORE_BERNSTEIN);
    return 1;
  }
  for (int i = 0; i < CORE_BERNSTEIN; i++) falls[i] = b[i] - b[i + 1];
  positive = only_change(CORE_BERNSTEIN, falls, 2 * noise);
  *m = bend_of_shape(b, limit);
  derive(p, p->d, p->e);
  if (!(positive > 0 && positive < CORE_BERNSTEIN)) return -1;
  *t = limit * crossing(falls, positive) / (CORE_BERNSTEIN - 1);
  return root_before_minimum(p, limit, *m, t);
}

/* ---- search ---- */

/* A step that is short beside the way left is taken again with the bend of a shorter way, up to
 * three times as long, or as far again as x is: else f that sets out as 1e-12 t beside t^6 would
 * take millions of them. */
CORE_PART double longer_step(const poly *p, double x, double f, double df, double step) {
  double near = core_min(safe_step(f, df, negative_terms(p, p->e, x + 3 * step)), 3 * step);
  return core_max(near, core_min(safe_step(f, df, negative_terms(p, p->e, 2 * x)), x));
}

CORE_PART int search(const poly *p, double limit, double m, double *t) {
  double x = 0;
  for (int i = 0; i < MOST_SEARCH; i++) {
    double f, df;
    value_and_slope(p, p->c, p->d, x, &f, &df);
    double step = f > 0 ? safe_step(f, df, m) : 0;
    *t = x;
    if (f <= 0) return 1;
    if (df <= 0 && step <= POLY_NEAR * x && f <= rounding_at(p, x)) {
      *t = core_min(x + step, limit);
      return 1;
    }
    if (i > 4 && step < 0.1 * (limit - x)) step = longer_step(p, x, f, df, step);
    if (x + step > limit) return 0;
    if (step <= DBL_EPSILON * x) return df <= 0;
    x += step;
  }
  *t = x;
  return 1;
}

CORE_WIDE int core_poly_first_root(int n, const double *c, double limit, double *t) {
  poly p;
  *t = 0;
  if (!(c[0] > 0)) return 1;
  take(&p, n, c);
  if (c[0] > negative_terms(&p, p.c, limit)) return 0;
  double m = INFINITY;
  if (n <= CORE_BERNSTEIN) {
    int found = root_by_shape(&p, limit, &m, t);
    if (found >= 0) return found;
  } else {
    derive(&p, p.c, p.d);
    derive(&p, p.d, p.e);
  }
  return search(&p, limit, core_min(m, negative_terms(&p, p.e, limit)), t);
}
