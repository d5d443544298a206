/* How far a step of turning slip reaches. */
#include "impact/laws/compliant/fast/fast.h"
#include "impact/laws/compliant/series_turn.h"

/* Orders per time rho / |v| that a step may last: sum of (-x)^j / j! up to order n stays within 1
 * up to x = n / e and a little more */
enum { ORDERS_PER_LAG = 3 };

/* ---- the step ---- */

/* the turning contact that opens first; its force paces the time */
int compliant_find_lead(const compliant *z) {
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
double compliant_natural_step(const compliant *z, int lead) {
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

/* d comes to v like exp(-|v| t / rho), which a polynomial of order n does not follow, but blows up,
 * beyond some n/3 rho / |v|. A contact that gives little, or any with a large `tolerance`, is
 * followed no better than that is worth: it would swing to and fro with each step, and never come
 * to v. */
static double stable_reach(const compliant *z, const compliant_contact *k) {
  double v = slip_tangential(k, z->v);
  if (k->just_closed || k->stiff || !(v > 0)) return INFINITY;
  return z->series.order * slip_tangential(k, z->y) / (ORDERS_PER_LAG * v * z->series.h);
}

/* Velocities to rounding; directions and deflections so that the impulse they make is; and forces
 * beside those of compression, where deflections are about as large as the speeds. A spring on
 * k/e^2 gives way by e^2 of that: followed to rounding of the speeds only, its force moved by 1e-11
 * in every stick and slip, always the same way, and answers came up to 7e-9 off after thousands.
 * The last two terms, in units of what they may be, grow as s^j. */
static double usable_reach(const compliant *z) {
  const compliant_series *s = &z->series;
  double so_far = compliant_given(z), last[2], reach = LIMIT_STRETCH;
  int n = s->order;
  for (int l = 0; l < 2; l++)
    last[l] = compliant_largest(z->rows, s->v + (n - l) * z->rows) / z->speed;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    for (int l = 0; l < 2 && k->touch == PRESSED; l++) {
      double force = k->k * s->y[(n - l) * z->rows + k->n];
      last[l] = core_max(last[l], fabs(force) / (k->k0 * z->speed));
    }
    if (!k->turning) continue;
    reach = core_min(reach, stable_reach(z, k));
    double part = fast_weight(z, k, so_far), deep = core_max(fabs(z->y[k->n]), s->h * z->speed);
    for (int l = 0; l < 2; l++) {
      double bend = core_max(fabs(compliant_direction(z, i, 0)[BESIDE * (n - l)]),
                             fabs(compliant_direction(z, i, 1)[BESIDE * (n - l)]));
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
  compliant_stretch_turning(z, x);
  if (s->uneven) core_taylor_stretch(n, s->pace, 1, x);
  s->h *= x;
  s->reach = 1;
}

void compliant_stride_series(compliant *z, double time) {
  compliant_series *s = &z->series;
  if (!fast_stiff_series(z)) {
    int lead = compliant_find_lead(z);
    s->h = compliant_natural_step(z, lead) * fast_stride(z);
    int order = fast_turn_order(z, time, &lead);
    compliant_turn_series(z, lead, order);
  }
  s->reach = usable_reach(z);
  fast_learn_stride(z);
  if (s->reach < LIMIT_RESCALE && !fast_short(z)) rescale(z, s->reach);
}
