/* What events.c and compliant/settle.c share: small changes of one contact. */
#ifndef IMPACT_LAWS_COMPLIANT_EVENTS_H
#define IMPACT_LAWS_COMPLIANT_EVENTS_H

#include <math.h>

#include "impact/laws/compliant/state.h"

static inline double norm(int n, const double *x) {
  return n == 2 ? hypot(x[0], x[1]) : n == 1 ? fabs(x[0]) : 0;
}

static inline double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* the published program: less friction in slip than what starts it */
static inline int event_friction_drops(const compliant_contact *k) {
  return k->printed && k->restituting && k->e < 1;
}

/* Slip speed v.d + rate, rate = -rho', is nothing beside its two parts, or beside rounding of v,
 * which counts when a bounce is nearly over. */
int event_no_slip(const compliant *z, const compliant_contact *k, double speed, double rate);

void event_drop_tangent(compliant *z, compliant_contact *k); /* its springs let go */
void event_open(compliant *z, compliant_contact *k);
void event_slide(compliant *z, compliant_contact *k, const double *direction);
void event_fall_back(compliant *z, compliant_contact *k, double rho);
void event_stop_sliding(compliant_contact *k);

#endif
