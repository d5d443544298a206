/* Products of power series for turn.c, two coefficients at a time.
 *
 * Coefficient j of a product is sum_i a[i] b[j-i]. With b kept backwards, r[N-i] = b[i], both run
 * forwards: sum_i a[i] r[N-j+i]. Beyond r[N] stand zeros, so that the sum may end in a pair.
 */
#ifndef IMPACT_LAWS_COMPLIANT_TURN_H
#define IMPACT_LAWS_COMPLIANT_TURN_H

#include <math.h>

#include "core/pair.h"
#include "core/poly.h"
#include "impact/laws/compliant/state.h"

enum { TURN_N = COMPLIANT_ORDER, TURN_PAD = COMPLIANT_ORDER + 2 };

/* series of one turning contact, besides those of its rows; r...: backwards */
typedef struct turn {
  double rd1[TURN_PAD], rd2[TURN_PAD]; /* direction of slip */
  double q[TURN_PAD], rq[TURN_PAD];    /* rate of turning */
  double w[TURN_PAD];                  /* v.e */
  double old[TURN_PAD];                /* q of the sweep before, when stiff */
} turn;

/* what order j of the recursion needs of them; terms with q[j], not known yet, are left out */
typedef struct turn_sums {
  double f1, f2; /* F_n d */
  double across; /* v.e = v2 d1 - v1 d2 */
  double q1, q2; /* q d */
  double fq;     /* F_n q */
} turn_sums;

/* component of x across the direction of slip */
static inline double turn_across(const compliant_contact *k, const double *x) {
  return k->d[0] * x[k->t + 1] - k->d[1] * x[k->t];
}

/* component of x along it */
static inline double turn_along(const compliant_contact *k, const double *x) {
  return k->d[0] * x[k->t] + k->d[1] * x[k->t + 1];
}

/* impulse so far, what rounding counts from */
static inline double turn_given(const compliant *z) {
  double most = 0;
  for (int r = 0; r < z->rows; r++) most = core_max(most, fabs(z->p[r]));
  return most;
}

void turn_sweep(compliant *z, int lead);       /* turn.c: the series of any problem */
void turn_sweep_one(compliant *z, int uneven); /* turn_one.c: of one pressed contact */

static inline double turn_both(core_pair a) {
  return a[0] + a[1];
}

static inline turn_sums turn_products(int j, const turn *a, const double *f, const double *v1,
                                      const double *v2) {
  core_pair f1 = {0}, f2 = {0}, across = {0}, q1 = {0}, q2 = {0}, fq = {0};
  const double *d1 = a->rd1 + TURN_N - j, *d2 = a->rd2 + TURN_N - j, *rq = a->rq + TURN_N - j;
  for (int i = 0; i <= j; i += 2) {
    core_pair c = core_pair_at(d1 + i), s = core_pair_at(d2 + i);
    core_pair force = core_pair_at(f + i), q = core_pair_at(a->q + i);
    f1 += force * c;
    f2 += force * s;
    fq += force * core_pair_at(rq + i);
    across += core_pair_at(v2 + i) * c - core_pair_at(v1 + i) * s;
    q1 += q * c;
    q2 += q * s;
  }
  return (turn_sums){turn_both(f1), turn_both(f2), turn_both(across),
                     turn_both(q1), turn_both(q2), turn_both(fq)};
}

/* coefficient j of one product, b backwards */
static inline double turn_product(int j, const double *a, const double *rb) {
  core_pair sum = {0};
  const double *b = rb + TURN_N - j;
  for (int i = 0; i <= j; i += 2) sum += core_pair_at(a + i) * core_pair_at(b + i);
  return turn_both(sum);
}

#endif
