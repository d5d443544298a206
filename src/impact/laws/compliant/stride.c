/* How far a step of turning slip reaches, and when d is taken as following v at once (stiff). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "impact/laws/compliant/state.h"

enum { STABLE_LAGS = 8, LAGS_TO_RETRY = 40 };

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
    if (left < soonest) soonest = left, lead = i;
  }
  return lead;
}

/* where forces, directions and pace change by about themselves */
static double natural_step(const compliant *z, int lead) {
  double h = 2 / z->phase.omega;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (!k->turning || k->just_closed) continue;
    double v = slip_tangential(k, z->v);
    if (v > 0 && !k->stiff) h = core_min(h, 3 * slip_tangential(k, z->y) / v);
    if (i == lead) h = core_min(h, -z->y[k->n] / z->v[k->n]);
  }
  return h;
}

/* Speed only (pencil and plate on 8 contacts 15 % more without): part of the whole impulse that
 * contact k can give in a step of length h. */
static double weight(const compliant *z, const compliant_contact *k, double h, double so_far) {
  double now = k->mu * h * core_max(-k->k * z->y[k->n], k->k * h * fabs(z->v[k->n]));
  if (k->touch == HELD) return 1;
  return core_max(core_min(1, now / core_max(so_far, DBL_MIN)), TOL_LEAST_PART);
}

/* d comes to v like exp(-|v| t / rho), which a polynomial of this order does not follow, but blows
 * up, beyond 8 rho / |v| */
static double stable_reach(const compliant *z, const compliant_contact *k) {
  double v = slip_tangential(k, z->v);
  if (k->just_closed || k->stiff || !(v > 0)) return INFINITY;
  return STABLE_LAGS * slip_tangential(k, z->y) / (v * z->series.h);
}

/* Velocities to rounding; directions and deflections so that the impulse they make is: the last two
 * terms, in units of what they may be, grow as s^j. */
static double usable_reach(const compliant *z) {
  const compliant_series *s = &z->series;
  double so_far = compliant_given(z), last[2], reach = LIMIT_STRETCH;
  int n = s->order;
  for (int l = 0; l < 2; l++)
    last[l] = compliant_largest(z->rows, s->v + (n - l) * z->rows) / z->speed;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (!k->turning) continue;
    reach = core_min(reach, stable_reach(z, k));
    double part = weight(z, k, s->h, so_far), deep = core_max(fabs(z->y[k->n]), s->h * z->speed);
    for (int l = 0; l < 2; l++) {
      double bend = core_max(fabs(compliant_direction(z, i, 0)[4 * (n - l)]),
                             fabs(compliant_direction(z, i, 1)[4 * (n - l)]));
      double press = fabs(s->y[(n - l) * z->rows + k->n]) / deep;
      last[l] = core_max(last[l], part * core_max(bend, press));
    }
  }
  for (int l = 0; l < 2; l++)
    reach = core_min(reach, core_taylor_reach(last[l], n - l, TOL_SERIES * s->loose));
  return reach;
}

static void rescale(compliant *z, double x) {
  compliant_series *s = &z->series;
  int n = s->order;
  for (int r = 0; r < z->rows; r++) {
    core_taylor_stretch(n, s->y + r, z->rows, x);
    core_taylor_stretch(n, s->v + r, z->rows, x);
    core_taylor_stretch(n, s->f + r, z->rows, x);
  }
  for (int i = 0; i < z->nc; i++)
    if (z->c[i].touch == HELD) core_taylor_stretch(n, s->held + i, z->nc, x);
  compliant_stretch_turn(z, x);
  if (s->uneven) core_taylor_stretch(n, s->pace, 1, x);
  s->h *= x;
  s->reach = 1;
}

/* ---- stiff contacts ---- */

/* How far d is off the slow solution, in units of what may be: it comes to it within rho / |v|, and
 * the impulse that it turns meanwhile must be nothing. Less what the last sweep has moved that
 * solution by, twice. */
static double off_slow(const compliant *z, int i, double so_far) {
  const compliant_contact *k = &z->c[i];
  const compliant_turn *a = &z->turn.of[i / 4];
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
  for (int i = 0; i < (z->nc + 3) / 4; i++) memset(z->turn.of[i].q, 0, sizeof z->turn.of[i].q);
  for (int round = 0; round < 16; round++) {
    double change = 0, off = 0, size = 1 / z->series.h;
    compliant_turn_series(z, lead, N);
    for (int i = 0; i < z->nc; i++) {
      const compliant_turn *a = &z->turn.of[i / 4];
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
      if (z->c[i].stiff) compliant_improve_rates(z, i);
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

/* Those whose d is not on the slow solution are not stiff yet; 1 when others are left. Speed only:
 * three contacts of which one is off, 18,131 -> 730 series. */
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
static int stiff_series(compliant *z) {
  compliant_series *s = &z->series;
  double part = z->turn.part;
  for (int more = mark_stiff(z); more;) {
    int lead = find_lead(z);
    s->h = natural_step(z, lead) * part;
    outcome o = settle_sweeps(z, lead);
    if (o == OFF_SLOW) more = drop_unsettled(z);
    if (o == NO_END) part /= 4;
    if (o == NO_END && s->h < 4 * STIFF_GAIN * smallest_step(z)) more = drop_slowest(z), part = 1;
    if (o != SETTLED) continue;
    z->turn.part = core_min(1, 4 * part);
    return 1;
  }
  z->turn.part = 1;
  return 0;
}

/* Steps of `lead` to where the mean direction of what it has left is known, in those that take F_n
 * to 1/e. */
static double folds_ahead(const compliant *z, int lead) {
  const compliant_contact *k = &z->c[lead];
  double room = compliant_mean_room(z, compliant_given(z));
  double left = k->k * z->y[k->n] * z->y[k->n] / (2 * z->v[k->n] * room);
  return left > 1 ? log(left) / 2 + 0.1 : INFINITY; /* below there was none */
}

/* Time runs evenly to an event that is near; else as the contact sets it that opens next. */
static void walk(compliant *z, double time) {
  compliant_series *s = &z->series;
  int lead = find_lead(z);
  s->h = natural_step(z, lead) * z->turn.stride;
  int order = compliant_order_for(z, time / s->h);
  if (order == s->most && lead >= 0 && !s->undecided)
    order = compliant_order_for(z, folds_ahead(z, lead) / 2);
  else if (order < s->most)
    lead = -1;
  compliant_turn_series(z, lead, order);
}

void compliant_stride_series(compliant *z, double time) {
  double *stride = &z->turn.stride;
  int stiff = stiff_series(z);
  if (!stiff) walk(z, time);
  double reach = z->series.reach = usable_reach(z);
  if (z->series.order < z->series.most)
    return; /* only all orders tell how long the next step may be */
  if (!stiff) *stride = core_min(core_max(*stride * reach, LIMIT_LEAST_STRIDE), 1);
  if (reach < LIMIT_RESCALE) rescale(z, reach);
}
