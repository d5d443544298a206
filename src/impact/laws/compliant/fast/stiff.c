/* Slip so stiff that d follows v at once: where rho is tiny beside v h (eta small) only tiny steps
 * could tell that it does not. Then rho q is a small correction, found by a few sweeps through the
 * orders (series_four.c).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "impact/laws/compliant/fast/inside.h"

enum { LAGS_TO_RETRY = 40 };

/* How far d is off the slow solution, in units of what may be: it comes to it within rho / |v|, and
 * the impulse that it turns meanwhile must be nothing. Less what the last sweep has moved that
 * solution by, twice. */
static double off_slow(const compliant *z, int i, double so_far) {
  const compliant_contact *k = &z->c[i];
  const compliant_turn *a = &z->fast->four[i / 4];
  double force = a->f[2][0][i % 4], rho = slip_mu(k) / k->kt * force, q = a->q[0][i % 4];
  double ahead = slip_along(k, z->v), off = fabs(slip_across(k, z->v) - rho * q);
  double angle = (off - 2 * rho * fabs(q - a->old[0][i % 4])) / ahead;
  return core_max(angle / TOL_OFF_SLOW,
                  angle * k->mu * force * rho / ahead / (TOL_OFF_SLOW_IMPULSE * z->loose * so_far));
}

typedef enum outcome { SETTLED, OFF_SLOW, NO_END } outcome;

/* sweeps until the rates of turning of the stiff contacts stand still. OFF_SLOW: some d is not on
 * the slow solution, and sweeps bring it no nearer; NO_END: they do not settle, the step is too
 * long */
static outcome settle_sweeps(compliant *z, int lead) {
  double so_far = compliant_given(z), before = INFINITY;
  for (int i = 0; i < (z->nc + 3) / 4; i++)
    memset(z->fast->four[i].q, 0, sizeof z->fast->four[i].q);
  for (int round = 0; round < 16; round++) {
    double change = 0, off = 0, size = 1 / z->series.h;
    compliant_turn_series(z, lead, N);
    for (int i = 0; i < z->nc; i++) {
      const compliant_turn *a = &z->fast->four[i / 4];
      if (!z->c[i].stiff) continue;
      for (int j = 0; j < N; j++) {
        double q = a->q[j][i % 4];
        change = core_max(change, fabs(q - a->old[j][i % 4]));
        size = core_max(size, fabs(q));
      }
      off = core_max(off, off_slow(z, i, so_far));
    }
    if (!(change < before)) return NO_END;
    if (off > LIMIT_OFF_SLOW) return OFF_SLOW;
    if (change <= TOL_SWEEPS * size) return off <= 1 ? SETTLED : OFF_SLOW;
    before = change;
    for (int i = 0; i < z->nc; i++)
      if (z->c[i].stiff) fast_improve_rates(z, i);
  }
  return NO_END;
}

/* Would take a hundred small steps where the rest of the system takes one; and d is near v, on
 * which the slow solution is within 1/150 or so. */
static int mark_stiff(compliant *z) {
  int any = 0;
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    k->stiff = k->turning && k->touch == PRESSED && !k->just_closed && z->time >= k->stiff_from;
    if (!k->stiff) continue;
    double ahead = slip_along(k, z->v);
    k->stiff = ahead > STIFF_RATE * slip_tangential(k, z->y) * z->phase.omega &&
               fabs(slip_across(k, z->v)) < STIFF_ANGLE * ahead;
    any |= k->stiff;
  }
  return any;
}

/* asks again after so many times of d's coming to the slow solution */
static void not_before(const compliant *z, compliant_contact *k, double lags) {
  k->stiff_from = z->time + lags * slip_tangential(k, z->y) / slip_along(k, z->v);
}

/* Those whose d is not on the slow solution are not stiff yet; 1 when others are left. Three
 * contacts of which one is off, 18,131 -> 730 series. */
static int drop_unsettled(compliant *z) {
  double so_far = compliant_given(z);
  int left = 0;
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (!k->stiff) continue;
    double off = off_slow(z, i, so_far);
    k->stiff = off <= 1;
    if (!k->stiff) not_before(z, k, log(off));
    left |= k->stiff;
  }
  return left;
}

/* the small step that stiffness is worth avoiding, of the contact that needs it most */
static double smallest_step(const compliant *z) {
  double h = INFINITY;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (k->stiff) h = core_min(h, 3 * slip_tangential(k, z->y) / slip_along(k, z->v));
  }
  return h;
}

/* the one that follows v least well; 1 when others are left */
static int drop_slowest(compliant *z) {
  compliant_contact *slowest = NULL;
  double least = INFINITY;
  int stiff = 0;
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (!k->stiff) continue;
    double rate = slip_along(k, z->v) / slip_tangential(k, z->y);
    if (rate < least) least = rate, slowest = k;
    stiff++;
  }
  if (slowest) slowest->stiff = 0, not_before(z, slowest, LAGS_TO_RETRY);
  return stiff > 1;
}

/* The series with stiff contacts, when there are some and they have settled. Where slip has just
 * set out from rest, or is about to come to it, it reaches no further than the time since or until
 * then: a shorter step is tried, as long as it is worth it, then fewer contacts. */
static int try_stiff(compliant *z) {
  compliant_series *s = &z->series;
  double part = z->memory.part;
  for (int more = mark_stiff(z); more;) {
    int lead = compliant_find_lead(z);
    s->h = compliant_natural_step(z, lead) * part;
    outcome o = settle_sweeps(z, lead);
    if (o == OFF_SLOW) more = drop_unsettled(z);
    if (o == NO_END) part /= 4;
    if (o == NO_END && s->h < 4 * STIFF_GAIN * smallest_step(z)) more = drop_slowest(z), part = 1;
    if (o != SETTLED) continue;
    z->memory.part = core_min(1, 4 * part);
    return 1;
  }
  z->memory.part = 1;
  return 0;
}

int fast_stiff_series(compliant *z) {
  return z->fast && (z->fast->stiff = try_stiff(z));
}
