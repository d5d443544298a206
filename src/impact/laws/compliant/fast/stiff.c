/* Slip so stiff that d follows v at once: where rho is tiny beside v h (eta small) only tiny steps
 * could tell that it does not. Then rho q is a small correction, found by a few sweeps through the
 * orders (series_turn.c), each of more orders than the one before: eight contacts in space,
 * budget.tail_eight 246 -> 176 M instructions, budget.tail_slow 175 -> 103 M.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "impact/laws/compliant/fast/inside.h"
#include "impact/laws/compliant/series_turn.h"

/* orders of the first sweep, and how many more each further one has at most: 3, 6, 12, 18, 24. Most
 * that will not settle show it by the second. Fewer sweeps leave more of what they should find:
 * with 3, 6, 12, 24 one problem of 2,958 is 6e-10 off the law without stiffness (2.5e-11 so). */
enum { FIRST_SWEEP = 3, MORE_ORDERS = 6, MOST_SWEEPS = 16 };
enum { LAGS_TO_RETRY = 8, LAGS_SHORTER = 16 };

/* ---- onto the slow solution ---- */

/* Radians from d to the slow solution as the last sweep has it, by order 0 of rho q = v.e, and what
 * that sweep has moved it by. */
typedef struct aside {
  double angle, moved;
} aside;

static aside to_slow(const compliant *z, int i) {
  const compliant_contact *k = &z->c[i];
  const compliant_turn *a = &z->series.four[i / 4];
  double rho = slip_mu(k) / k->kt * a->f[2][0][i % 4], q = a->q[0][i % 4];
  double ahead = slip_along(k, z->v);
  return (aside){(slip_across(k, z->v) - rho * q) / ahead,
                 rho * fabs(q - a->old[0][i % 4]) / ahead};
}

/* How far d was off the slow solution, in units of what may be: it comes to it within rho / |v|,
 * and the impulse that it turns meanwhile must be nothing. Less what the last sweep has moved that
 * solution by, twice. */
static double off_slow(const compliant *z, int i, double so_far) {
  const compliant_contact *k = &z->c[i];
  double force = z->series.four[i / 4].f[2][0][i % 4];
  double lag = slip_mu(k) / k->kt * force / slip_along(k, z->v);
  aside r = to_slow(z, i);
  double angle = fabs(k->put + r.angle) - 2 * r.moved;
  return core_max(angle / TOL_OFF_SLOW,
                  angle * k->mu * force * lag / (TOL_OFF_SLOW_IMPULSE * z->loose * so_far));
}

/* d is put on the slow solution, where that is known well enough: off it, it would stay so for the
 * whole step (2e-11 to 1e-10 of the speeds, eight contacts) */
static void put_on_slow(compliant *z, int i) {
  compliant_contact *k = &z->c[i];
  aside r = to_slow(z, i);
  if (!(fabs(r.angle) > 2 * r.moved && fabs(r.angle) < STIFF_ANGLE)) return;
  double c = cos(r.angle), s = sin(r.angle), d = k->d[0];
  k->d[0] = c * d - s * k->d[1];
  k->d[1] = c * k->d[1] + s * d;
  k->put += r.angle;
}

static void put_back(compliant *z) {
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (k->put == 0) continue;
    k->d[0] = k->d_before[0], k->d[1] = k->d_before[1];
    k->put = 0;
  }
}

/* ---- sweeps ---- */

typedef enum outcome { SETTLED, OFF_SLOW, NO_END } outcome;

/* what a sweep has changed: rates of turning, times h, and the most that some d was off */
typedef struct swept {
  double change, size, off;
} swept;

static swept sweep(compliant *z, int lead, int order, double so_far) {
  swept r = {0, 1, 0};
  compliant_turn_series(z, lead, order);
  for (int i = 0; i < z->nc; i++) {
    const compliant_turn *a = &z->series.four[i / 4];
    if (!z->c[i].stiff) continue;
    for (int j = 0; j < order; j++) {
      double q = a->q[j][i % 4];
      r.change = core_max(r.change, z->series.h * fabs(q - a->old[j][i % 4]));
      r.size = core_max(r.size, z->series.h * fabs(q));
    }
    r.off = core_max(r.off, off_slow(z, i, so_far));
  }
  return r;
}

/* twice as many, or six more */
static int more_orders(int order) {
  int more = order < MORE_ORDERS ? order : MORE_ORDERS;
  return order + more < N ? order + more : N;
}

/* Sweeps until the rates of turning of the stiff contacts stand still, each of more orders than the
 * one before: low ones settle first. What is left after a sweep is its change times the factor by
 * which changes fall. OFF_SLOW: some d is not on the slow solution, and sweeps bring it no nearer;
 * NO_END: they do not settle, the step is too long. */
static outcome settle_sweeps(compliant *z, int lead) {
  double so_far = compliant_given(z), before = INFINITY;
  for (int i = 0; i < (z->nc + 3) / 4; i++)
    memset(z->series.four[i].q, 0, sizeof z->series.four[i].q);
  for (int round = 0, order = FIRST_SWEEP; round < MOST_SWEEPS; round++) {
    swept r = sweep(z, lead, order, so_far);
    if (r.off > LIMIT_OFF_SLOW) return OFF_SLOW;
    double falls = core_min(1, r.change / before), least = TOL_SWEEPS * r.size;
    if (!(falls < LIMIT_SWEEP_FALLS || r.change <= least)) return NO_END;
    if (order == N && r.change * falls <= least) return r.off <= 1 ? SETTLED : OFF_SLOW;
    before = r.change;
    for (int i = 0; i < z->nc; i++) {
      if (!z->c[i].stiff) continue;
      put_on_slow(z, i);
      compliant_improve_rates(z, i);
    }
    order = more_orders(order);
  }
  return NO_END;
}

/* ---- who is stiff ---- */

/* By times rho/|v| as they were; or as they are now, when they have become far shorter, as slip
 * that had just set out was slow. Two contacts in space, eta = 1e-4: 2,000,000 steps -> 972. */
static int may_be_tried(const compliant *z, const compliant_contact *k) {
  return z->time >= k->stiff_from || (z->time - k->refused) * slip_along(k, z->v) >=
                                         LAGS_SHORTER * k->lags * slip_tangential(k, z->y);
}

/* Would take a hundred small steps where the rest of the system takes one; and d is near v, on
 * which the slow solution is within 1/150 or so. */
static int mark_stiff(compliant *z) {
  int any = 0;
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    k->put = 0, k->d_before[0] = k->d[0], k->d_before[1] = k->d[1];
    k->stiff = k->turning && k->touch == PRESSED && !k->just_closed && may_be_tried(z, k);
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
  k->refused = z->time;
  k->lags = lags;
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
    if (o != SETTLED) put_back(z);
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
