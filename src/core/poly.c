/* The first root of a polynomial on [0, limit]: never one that is jumped over.
 *
 *   bound     terms that are not negative are at least 0: most have no root, and show it so
 *   shape     Bernstein coefficients (bernstein.h) all positive: no root; one change of sign: one
 *             root; those of f' change sign once, from falling to rising: f has one minimum, and
 *             at most one root before it. A root that is known to be the only one in its bracket
 *             is found by Newton's steps, kept inside
 *   search    the others some steps from the left, each as long as a bound of f'' allows
 *   halves    the shape of both halves, of halves of these ...
 *   search    what is not clear even so: it touches zero, or very nearly
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

enum {
  ROOM = CORE_POLY_MAX + 1 + 8, /* derivatives look a block ahead */
  MOST_STEPS = 100,             /* Newton's to a root, */
  MOST_MINIMUM = 20,            /* to a minimum */
  MOST_HALVINGS = 16,
  FEW_SEARCH = 6, /* of a search before halves are looked at, */
  MOST_SEARCH = 1000
};

/* f with zeros behind, f' and f'' */
typedef struct poly {
  int n, last; /* degree; last block, of f' and f'' too */
  int derived; /* d and e are there */
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

CORE_PART void find_derivatives(poly *p) {
  if (p->derived) return;
  derive(p, p->c, p->d);
  derive(p, p->d, p->e);
  p->derived = 1;
}

CORE_PART void take(poly *p, int n, const double *c) {
  p->n = n;
  p->derived = 0;
  p->last = n / 4;
  memcpy(p->c, c, (size_t)(n + 1) * sizeof *c);
  for (int j = n + 1; j < 4 * p->last + 8; j++) p->c[j] = 0;
}

/* ---- shape ---- */

enum { BLOCKS = CORE_BERNSTEIN_PADDED / 4, HALF = BLOCKS / 2 };

/* by the table, degree 24; b_i has terms up to j = i alone. Returns the sum of all |x_j|. */
CORE_PART double bernstein_by_table(const poly *p, double limit, double *b) {
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
  return size;
}

/* of degree n, by sums as in Pascal's triangle; back[n - i] becomes b_i */
CORE_PART double bernstein_by_sums(const poly *p, double limit, double *b) {
  double back[CORE_POLY_MAX + 1], power = 1, ways = 1, size = 0;
  int n = p->n;
  for (int j = 0; j <= n; j++, power *= limit) {
    double x = p->c[j] * power;
    size += fabs(x);
    back[n - j] = x / ways;
    ways *= (double)(n - j) / (j + 1);
  }
  for (int k = n; k > 0; k--)
    for (int i = 0; i < k; i++) back[i] += back[i + 1];
  for (int i = 0; i <= n; i++) b[i] = back[n - i];
  return size;
}

/* b of f on [0, limit], and what rounding makes of them. Returns their degree. */
CORE_PART int bernstein(const poly *p, double limit, double *b, double *noise) {
  int n = p->n <= CORE_BERNSTEIN ? CORE_BERNSTEIN : p->n;
  double size =
      p->n > CORE_BERNSTEIN ? bernstein_by_sums(p, limit, b) : bernstein_by_table(p, limit, b);
  *noise = POLY_SHAPE * size * n / CORE_BERNSTEIN;
  return n;
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

/* -m bounds f'' from below on a way so long: second differences of b */
CORE_PART double bend_of_shape(int n, const double *b, double way) {
  double most = 0;
  for (int i = 0; i + 2 <= n; i++) {
    double bend = 2 * b[i + 1] - b[i] - b[i + 2];
    most = core_max(most, bend);
  }
  return most * (n * (n - 1)) / (way * way);
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

/* f falls on [from, t] and rises on [t, to], where t is not known but near x. 1: it has a root, the
 * first one in *x; 0: none, since f is positive as far from x as m allows, and the minimum is
 * there; -1: it hardly touches zero. */
CORE_PART int root_before_minimum(const poly *p, double from, double to, double m, double *x) {
  double lo = from, hi = to, f, df, bend;
  for (int i = 0; i < MOST_MINIMUM; i++) {
    value_and_slope(p, p->c, p->d, *x, &f, &df);
    if (f <= 0) {
      *x = root_between(p, from, *x, from + (*x - from) / 2);
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

/* 1 or 0: whether there is a root on [from, to], *t, where b are those of f; -1: it is not clear */
CORE_PART int root_by_shape(poly *p, double from, double to, int n, const double *b, double noise,
                            double *t) {
  double falls[CORE_POLY_MAX], way = to - from;
  int positive = only_change(n + 1, b, noise);
  if (positive > n) return 0;
  find_derivatives(p);
  if (positive > 0) {
    *t = root_between(p, from, to, from + way * crossing(b, positive) / n);
    return 1;
  }
  for (int i = 0; i < n; i++) falls[i] = b[i] - b[i + 1];
  positive = only_change(n, falls, 2 * noise);
  if (!(positive > 0 && positive < n)) return -1;
  *t = from + way * crossing(falls, positive) / (n - 1);
  return root_before_minimum(p, from, to, bend_of_shape(n, b, way), t);
}

/* The same by halves (de Casteljau), the first one first; b become those of the second. Where it is
 * not clear even so, *t is where that begins. */
static int root_by_halves(poly *p, double from, double to, int n, double *b, double noise,
                          int halvings, double *t) {
  double first[CORE_POLY_MAX + 1], middle = from + (to - from) / 2;
  for (int k = 0; k <= n; k++) {
    first[k] = b[0];
    for (int i = 0; i < n - k; i++) b[i] = (b[i] + b[i + 1]) / 2;
  }
  for (int half = 0; half < 2; half++) {
    double lo = half ? middle : from, hi = half ? to : middle, *x = half ? b : first;
    int found = root_by_shape(p, lo, hi, n, x, noise, t);
    if (found < 0 && halvings > 0)
      found = root_by_halves(p, lo, hi, n, x, noise, halvings - 1, t);
    else if (found < 0)
      *t = lo;
    if (found) return found;
  }
  return 0;
}

/* ---- search ---- */

/* A step that is short beside the way left is taken again with the bend of a shorter way, up to
 * three times as long, or as far again as x is: else f that sets out as 1e-12 t beside t^6 would
 * take millions of them. */
CORE_PART double longer_step(const poly *p, double x, double f, double df, double step) {
  double near = core_min(safe_step(f, df, negative_terms(p, p->e, x + 3 * step)), 3 * step);
  return core_max(near, core_min(safe_step(f, df, negative_terms(p, p->e, 2 * x)), x));
}

/* From *t on, up to which there is none. 1 or 0 as above; -1: more steps are needed. */
CORE_PART int search(const poly *p, double limit, int steps, double *t) {
  double x = *t, m = negative_terms(p, p->e, limit);
  for (int i = 0; i < steps; i++) {
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
  return -1;
}

CORE_WIDE int core_poly_first_root(int n, const double *c, double limit, double *t) {
  poly p;
  *t = 0;
  if (!(c[0] > 0)) return 1;
  take(&p, n, c);
  if (c[0] > negative_terms(&p, p.c, limit)) return 0;
  double b[CORE_POLY_MAX + 1], noise;
  int degree = bernstein(&p, limit, b, &noise);
  int found = root_by_shape(&p, 0, limit, degree, b, noise, t);
  if (found >= 0) return found;
  *t = 0;
  found = search(&p, limit, FEW_SEARCH, t);
  if (found < 0) found = root_by_halves(&p, 0, limit, degree, b, noise, MOST_HALVINGS, t);
  return found < 0 ? search(&p, limit, MOST_SEARCH, t) != 0 : found;
}
