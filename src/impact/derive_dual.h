/* Numbers with a derivative beside them, for impact/derive_*.c: x + d eps, eps^2 = 0. */
#ifndef IMPACT_DERIVE_DUAL_H
#define IMPACT_DERIVE_DUAL_H

#include <math.h>

typedef struct dual {
  double x, d;
} dual;

static inline dual add(dual a, dual b) {
  return (dual){a.x + b.x, a.d + b.d};
}
static inline dual sub(dual a, dual b) {
  return (dual){a.x - b.x, a.d - b.d};
}
static inline dual mul(dual a, dual b) {
  return (dual){a.x * b.x, a.x * b.d + a.d * b.x};
}
static inline dual over(dual a, dual b) {
  double x = a.x / b.x;
  return (dual){x, (a.d - x * b.d) / b.x};
}
static inline dual root(dual a) {
  double x = sqrt(a.x);
  return (dual){x, a.d / (2 * x)};
}
static inline dual times(double k, dual a) {
  return (dual){k * a.x, k * a.d};
}
static inline dual minus(dual a) {
  return (dual){-a.x, -a.d};
}
static inline dual dot2(const dual *a, const dual *b) {
  return add(mul(a[0], b[0]), mul(a[1], b[1]));
}
static inline dual number_at(const double *x, const double *d, int i) {
  return (dual){x[i], d ? d[i] : 0};
}

/* coefficient k of the product of two series, from coefficient `from` of a on */
static inline dual product_from(int from, int k, const dual *a, const dual *b) {
  dual sum = {0, 0};
  for (int j = from; j <= k; j++) {
    sum.x += a[j].x * b[k - j].x;
    sum.d += a[j].x * b[k - j].d + a[j].d * b[k - j].x;
  }
  return sum;
}
static inline dual product(int k, const dual *a, const dual *b) {
  return product_from(0, k, a, b);
}

/* a polynomial at t, and its rate (d/dt, value alone) */
static inline dual series_at(int order, const dual *a, dual t) {
  dual sum = a[order];
  for (int k = order - 1; k >= 0; k--) sum = add(mul(sum, t), a[k]);
  return sum;
}
static inline double series_rate(int order, const dual *a, double t) {
  double sum = order * a[order].x;
  for (int k = order - 1; k > 0; k--) sum = sum * t + k * a[k].x;
  return sum;
}

#endif
