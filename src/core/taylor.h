/* Power series of one step: coefficients c[0] + c[1] s + ... that a recursion gives one by one.
 *
 * x' = f(x) gives order j + 1 of x from order j of f, divided by j + 1; products inside f are sums
 * over the orders known so far. Coefficient j of a product is sum_i a[i] b[j-i]. With b kept
 * backwards as well, r[N-i] = b[i], both run forwards, two at a time: sum_i a[i] r[N-j+i]. Beyond
 * r[N] stand zeros, so that the sum may end in a pair.
 */
#ifndef CORE_TAYLOR_H
#define CORE_TAYLOR_H

#include <math.h>

#include "core/pair.h"

enum {
  CORE_TAYLOR_ORDER = 24,
  CORE_TAYLOR_LENGTH = CORE_TAYLOR_ORDER + 1,
  CORE_TAYLOR_PAD = CORE_TAYLOR_ORDER + 2 /* of series that are factors of products */
};

/* 1/(j+1): a division takes as long as ten products */
#define I(j) 1.0 / (j + 1)
static const double core_taylor_inverse[CORE_TAYLOR_LENGTH] = {
    I(0),  I(1),  I(2),  I(3),  I(4),  I(5),  I(6),  I(7),  I(8),  I(9),  I(10), I(11), I(12),
    I(13), I(14), I(15), I(16), I(17), I(18), I(19), I(20), I(21), I(22), I(23), I(24)};
#undef I

/* coefficient j of a b */
static inline double core_taylor_product(int j, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i <= j; i++) sum += a[i] * b[j - i];
  return sum;
}

/* the same with b backwards, both of CORE_TAYLOR_PAD numbers */
static inline double core_taylor_product_back(int j, const double *a, const double *back) {
  core_pair sum = {0};
  const double *b = back + CORE_TAYLOR_ORDER - j;
  for (int i = 0; i <= j; i += 2) sum += core_pair_at(a + i) * core_pair_at(b + i);
  return sum[0] + sum[1];
}

/* four such products with one b in one loop: speed only */
static inline void core_taylor_products_back(int j, const double *const a[4], const double *back,
                                             double out[4]) {
  core_pair sum[4] = {{0}, {0}, {0}, {0}};
  const double *b = back + CORE_TAYLOR_ORDER - j;
  for (int i = 0; i <= j; i += 2) {
    core_pair x = core_pair_at(b + i);
    for (int k = 0; k < 4; k++) sum[k] += core_pair_at(a[k] + i) * x;
  }
  for (int k = 0; k < 4; k++) out[k] = sum[k][0] + sum[k][1];
}

/* c += a b in full, of the orders na and nb */
static inline void core_taylor_add_product(int na, const double *a, int nb, const double *b,
                                           double *c) {
  for (int i = 0; i <= na; i++) {
    if (a[i] == 0) continue;
    for (int j = 0; j <= nb; j++) c[i + j] += a[i] * b[j];
  }
}

/* c += sign a^2 in full: twice every product but the squares */
static inline void core_taylor_add_square(int n, const double *a, double sign, double *c) {
  for (int i = 0; i <= n; i++) {
    double by = 2 * sign * a[i];
    if (by == 0) continue;
    c[2 * i] += sign * a[i] * a[i];
    for (int j = i + 1; j <= n; j++) c[i + j] += by * a[j];
  }
}

/* integral from 0 to s of a series with `stride` between two coefficients */
static inline double core_taylor_integral(int order, const double *c, int stride, double s) {
  double sum = 0;
  for (int j = order; j >= 0; j--) sum = (sum + c[j * stride] * core_taylor_inverse[j]) * s;
  return sum;
}

/* the s up to which a term that is `size` at s = 1 and grows as s^j stays below tol */
static inline double core_taylor_reach(double size, int j, double tol) {
  return size > 0 ? pow(tol / size, 1.0 / j) : INFINITY;
}

/* makes s = 1 what s = x was */
static inline void core_taylor_stretch(int order, double *c, int stride, double x) {
  double power = 1;
  for (int j = 0; j <= order; j++, power *= x) c[j * stride] *= power;
}

#endif
