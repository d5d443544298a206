/* How far a step of turning slip reaches, and when d is taken as following v at once. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/poly.h"
#include "impact/laws/compliant/turn.h"

enum { N = TURN_N, PAD = TURN_PAD, LENGTH = COMPLIANT_LENGTH };

/* ---- the step ---- */

/* the turning contact that opens first; its force paces the time */
static int find_lead(const compliant *z) {
  int lead = -1;
  double soonest = INFINITY;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (!k->turning || k->stiff || k->touch != PRESSED || !(z->v[k->n] > 0) || k->just_closed)
      continue;
    double left = -z->y[k->n] / z->v[k->n];
    if (left < soonest) {
      soonest = left;
      lead = i;
    }
  }
  return lead;
}

/* where forces, directions and pace change by about themselves */
static double natural_step(const compliant *z, int lead) {
  double h = 2 / z->omega;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (!k->turning || k->just_closed) continue;
    double rho = hypot(z->y[k->t], z->y[k->t + 1]), v = hypot(z->v[k->t], z->v[k->t + 1]);
    if (v > 0 && !k->stiff) h = core_min(h, 3 * rho / v);
    if (i == lead) h = core_min(h, -z->y[k->n] / z->v[k->n]);
  }
  return h;
}

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = core_max(most, fabs(x[i]));
  return most;
}

/* part of the whole impulse that contact k can give in a step of length h */
static double weight(const compliant *z, const compliant_contact *k, double h, double given) {
  double now = k->mu * h * core_max(-k->k * z->y[k->n], k->k * h * fabs(z->v[k->n]));
  if (k->touch == HELD) return 1;
  return core_max(core_min(1, now / core_max(given, DBL_MIN)), 1e-10);
}

/* d comes to v like exp(-|v| t / rho), which a polynomial of this order does not follow, but blows
 * up, beyond 8 rho / |v| */
static double stable_reach(const compliant *z, const compliant_contact *k) {
  double rho = hypot(z->y[k->t], z->y[k->t + 1]), v = hypot(z->v[k->t], z->v[k->t + 1]);
  return k->just_closed || k->stiff || !(v > 0) ? INFINITY : 8 * rho / (v * z->series.h);
}

/* Velocities to rounding; directions and deflections so that the impulse they make is: the last two
 * terms, in units of what they may be, grow as s^j. */
static double usable_reach(const compliant *z) {
  const compliant_series *s = &z->series;
  int n = s->order;
  double given = turn_given(z), last[2], reach = COMPLIANT_STRETCH;
  for (int l = 0; l < 2; l++) last[l] = largest(z->rows, s->v + (n - l) * z->rows) / z->speed;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (!k->turning) continue;
    reach = core_min(reach, stable_reach(z, k));
    const double *d = s->d + 2 * i * LENGTH + n;
    double part = weight(z, k, s->h, given), deep = core_max(fabs(z->y[k->n]), s->h * z->speed);
    for (int l = 0; l < 2; l++) {
      double bend = core_max(fabs(d[-l]), fabs(d[LENGTH - l]));
      double press = fabs(s->y[(n - l) * z->rows + k->n]) / deep;
      last[l] = core_max(last[l], part * core_max(bend, press));
    }
  }
  for (int l = 0; l < 2; l++)
    if (last[l] > 0) reach = core_min(reach, pow(TOL_SERIES / last[l], 1.0 / (n - l)));
  return reach;
}

/* makes s = 1 what s = x was */
static void stretch(int n, double *c, int order, int other, double x) {
  double power = 1;
  for (int j = 0; j <= n; j++, power *= x)
    for (int i = 0; i < other; i++) c[j * order + i] *= power;
}

static void rescale(compliant *z, double x) {
  compliant_series *s = &z->series;
  stretch(s->order, s->y, z->rows, z->rows, x);
  stretch(s->order, s->v, z->rows, z->rows, x);
  stretch(s->order, s->f, z->rows, z->rows, x);
  for (int i = 0; i < z->nc; i++) {
    if (z->c[i].touch == HELD) stretch(s->order, s->held + i, z->nc, 1, x);
    if (!z->c[i].turning) continue;
    stretch(s->order, s->d + 2 * i * LENGTH, 1, 1, x);
    stretch(s->order, s->d + (2 * i + 1) * LENGTH, 1, 1, x);
  }
  if (s->uneven) stretch(s->order, s->pace, 1, 1, x);
  s->h *= x;
  s->reach = 1;
}

/* ---- stiff contacts ---- */

/* How far d is off the slow solution, in units of what may be: it comes to it within rho / |v|, and
 * the impulse that it turns meanwhile must be nothing. */
static double off_slow(const compliant *z, int i, double given) {
  const compliant_contact *k = &z->c[i];
  const turn *a = (const turn *)z->turns + i;
  double force = z->series.fr[k->n * PAD], rho = compliant_slip_mu(k) / k->kt * force;
  double ahead = turn_along(k, z->v), angle = fabs(turn_across(k, z->v) - rho * a->q[0]) / ahead;
  return core_max(angle / TOL_OFF_SLOW,
                  angle * k->mu * force * rho / ahead / (TOL_OFF_SLOW_IMPULSE * given));
}

typedef enum outcome { SETTLED, OFF_SLOW, NO_END } outcome;

/* sweeps until the rates of turning of the stiff contacts stand still. OFF_SLOW: some d is not on
 * the slow solution, and sweeps bring it no nearer; NO_END: they do not settle, the step is too
 * long */
static outcome settle_sweeps(compliant *z, int lead) {
  double given = turn_given(z), before = INFINITY;
  for (int i = 0; i < z->nc; i++)
    if (z->c[i].stiff) memset(((turn *)z->turns + i)->q, 0, PAD * sizeof(double));
  for (int round = 0; round < 16; round++) {
    double change = 0, off = 0, size = 1 / z->series.h;
    turn_sweep(z, lead);
    for (int i = 0; i < z->nc; i++) {
      const turn *a = (const turn *)z->turns + i;
      if (!z->c[i].stiff) continue;
      for (int j = 0; j < N; j++) {
        change = core_max(change, fabs(a->q[j] - a->old[j]));
        size = core_max(size, fabs(a->q[j]));
      }
      off = core_max(off, off_slow(z, i, given));
    }
    if (!(change < before)) return NO_END;
    if (off > 100) return OFF_SLOW;
    if (change <= TOL_SWEEPS * size) return off <= 1 ? SETTLED : OFF_SLOW;
    before = change;
  }
  return NO_END;
}

/* Would take a hundred small steps where the rest of the system takes one; and d is near v, on
 * which the slow solution is within 1/150 or so. */
static int mark_stiff(compliant *z) {
  int any = 0;
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    k->stiff = k->turning && k->touch == PRESSED && !k->just_closed;
    if (!k->stiff) continue;
    double rho = hypot(z->y[k->t], z->y[k->t + 1]), ahead = turn_along(k, z->v);
    k->stiff = ahead > 150 * rho * z->omega && fabs(turn_across(k, z->v)) < 0.03 * ahead;
    any |= k->stiff;
  }
  return any;
}

/* those whose d is not on the slow solution are not stiff yet; 1 when others are left */
static int drop_unsettled(compliant *z) {
  double given = turn_given(z);
  int left = 0;
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (k->stiff) k->stiff = off_slow(z, i, given) <= 1;
    left |= k->stiff;
  }
  return left;
}

/* the small step that stiffness is worth avoiding, of the contact that needs it most */
static double smallest_step(const compliant *z) {
  double h = INFINITY;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (k->stiff) h = core_min(h, 3 * hypot(z->y[k->t], z->y[k->t + 1]) / turn_along(k, z->v));
  }
  return h;
}

/* The series with stiff contacts, when there are some and they have settled. Where slip has just
 * set out from rest it reaches no further than the time since: then a shorter step is tried, as
 * long as it is worth it. */
static int stiff_series(compliant *z) {
  compliant_series *s = &z->series;
  if (z->patience > 0) {
    z->patience--;
    return 0;
  }
  int any = mark_stiff(z), more = any;
  double part = 1;
  while (more) {
    int lead = find_lead(z);
    s->uneven = lead >= 0;
    s->h = natural_step(z, lead) * part;
    outcome o = settle_sweeps(z, lead);
    if (o == SETTLED) return 1;
    if (o == OFF_SLOW) more = drop_unsettled(z);
    if (o == NO_END) more = (part /= 16) > 1e-4 && s->h > 1000 * smallest_step(z);
  }
  if (any) z->patience = 20;
  for (int i = 0; i < z->nc; i++) z->c[i].stiff = 0;
  return 0;
}

void compliant_turn_series(compliant *z) {
  compliant_series *s = &z->series;
  s->turning = 1;
  s->order = N;
  int stiff = stiff_series(z);
  if (!stiff) {
    int lead = find_lead(z);
    s->uneven = lead >= 0;
    s->h = natural_step(z, lead) * z->stride;
    turn_sweep(z, lead);
  }
  double reach = usable_reach(z);
  if (!stiff) z->stride = core_min(core_max(z->stride * reach, 0.05), 1);
  s->reach = reach;
  if (reach < 0.7) rescale(z, reach);
}

size_t compliant_turn_bytes(int nc) {
  return (size_t)nc * sizeof(turn);
}

void compliant_turn_direction(compliant *z, int i, double s) {
  const double *d = z->series.d + 2 * i * LENGTH;
  double d1 = core_poly_at(z->series.order, d, 1, s);
  double d2 = core_poly_at(z->series.order, d + LENGTH, 1, s);
  double size = hypot(d1, d2);
  z->c[i].d[0] = d1 / size;
  z->c[i].d[1] = d2 / size;
}

void compliant_turn_impulse(const compliant *z, double s, double *p) {
  const compliant_series *q = &z->series;
  for (int r = 0; r < z->rows; r++) {
    double sum = 0;
    for (int j = q->order; j >= 0; j--)
      sum = (sum + q->f[j * z->rows + r] * compliant_inverse[j]) * s;
    p[r] += q->h * sum;
  }
}
