/* What can happen next, as functions of time that are positive now and zero at the event.
 *
 *   open     closes when its gap y_n is used up
 *   pressed  in compression: greatest compression when -v_n reaches 0
 *            in restitution: opens when -y_n reaches 0
 *            plastic: pressed again when v_n reaches 0; then it turns back when -v_n
 *            does, or rejoins the line of loading when -y_n reaches e^2 top
 *   held     released when its force reaches 0, pressed further when the force
 *            reaches what it yields to
 *   stick    slips when |x| reaches rho = mu F_n / kt: rho - x and rho + x with one
 *            tangent, rho^2 - x1^2 - x2^2 with two
 *   slip     sticks when the slip speed v.d - rho' reaches 0
 *
 * All are polynomials in s over one step, and core_poly_first_root jumps over no root. At the start
 * of a phase some of them are zero because their event has just been, by definition and not by
 * computation: those leading coefficients are divided out (f/s^k has the same roots for s > 0).
 */
#include <math.h>
#include <string.h>

#include "core/poly.h"
#include "impact/laws/compliant/margin.h"

enum { N = COMPLIANT_ORDER, LENGTH = COMPLIANT_LENGTH, LONG = MARGIN_LONG };

static void note(compliant *z, int contact, compliant_watch what, double s, double *limit) {
  z->found[z->n_found++] = (compliant_found){contact, what, s};
  *limit = core_min(*limit, s + TOL_TIE * z->series.reach);
}

/* So little normal impulse is left at s that friction on it is nothing beside what the contact has
 * given: whether it sticks or slips until it opens cannot be told from any answer. Slip that stops
 * exactly as the contact opens ends here. */
static int all_but_open(const compliant *z, int i, double s) {
  const compliant_contact *k = &z->c[i];
  double c[LENGTH], force = 0, slope = 0, given = z->p[k->n];
  compliant_normal_force(z, i, c);
  for (int j = z->series.order; j >= 0; j--) {
    slope = slope * s + force;
    force = force * s + c[j];
  }
  if (!(slope < 0)) return 0;
  double left = core_max(force, 0) * force / (-2 * slope) * z->series.h;
  return left * core_max(1, k->mu) <= TOL_LAST * given;
}

/* what fast modes can take off the slip speed of a pressed contact; held ones are not skipped */
static double swing_of_slip(const compliant *z, const compliant_contact *k) {
  const compliant_modes *o = &z->modes;
  double sum = compliant_slip_mu(k) / k->kt * k->k * o->swing_v[k->n];
  for (int t = 0; t < k->tangents; t++) sum += fabs(k->d[t]) * o->swing_v[k->t + t];
  return k->touch == PRESSED ? sum : INFINITY;
}

/* Takes off what fast modes can do to an event function over a long step. One that rests stays so
 * when they do nothing to it either; others must not start at zero. */
static int lower(const compliant *z, int i, compliant_watch what, int skip, double *c) {
  const compliant_contact *k = &z->c[i];
  const compliant_modes *o = &z->modes;
  double most = 0;
  if (what == W_CLOSE || what == W_OPEN || what == W_REJOIN) most = o->swing_y[k->n];
  if (what == W_TOP || what == W_AGAIN) most = o->swing_v[k->n];
  if (what == W_RELEASE || what == W_PRESS) most = o->swing_held[i];
  if (what == W_STICK) most = swing_of_slip(z, k);
  if (skip >= LENGTH && most <= z->v_rounding * core_max(1, z->series.h)) return LENGTH;
  c[0] -= most;
  return 0;
}

/* Looks for the first root of c. The first `skip` coefficients are zero by definition, and divided
 * out; LENGTH: all of them are. */
static void look(compliant *z, int contact, compliant_watch what, int n, double *c, int skip,
                 double *limit) {
  double s, size = 0;
  int tangential = what == W_SLIP || what == W_STICK;
  if (z->modes.bounds && what != W_SLIP) skip = lower(z, contact, what, skip, c);
  if (skip >= LENGTH) return;
  for (int j = skip; j < LENGTH; j++) size = core_max(size, fabs(c[j]));
  while (n > skip && fabs(c[n]) <= TOL_TRAILING * size) n--;
  if (!core_poly_first_root(n - skip, c + skip, *limit, &s)) return;
  if (!tangential || !all_but_open(z, contact, s)) note(z, contact, what, s, limit);
}

/* the first coefficient that counts when c[from] does only beyond its rounding */
static int first_above(const double *c, int from, double noise) {
  return fabs(c[from]) > noise ? from : compliant_lead(c, from + 1, 1);
}

/* plastic: a contact in restitution that is pressed again */
static void look_at_reload(compliant *z, int i, int starts, double *limit) {
  const compliant_contact *k = &z->c[i];
  double c[LENGTH];
  if (!z->plastic || k->e == 1) return;
  margin_gather(z, z->series.v + k->n, z->rows, k->again ? -1 : 1, c);
  int from = starts && k->stopped ? compliant_above(c, 1, z->v_rounding) : 0;
  look(z, i, k->again ? W_TOP : W_AGAIN, N, c, from, limit);
  if (!k->again) return;
  margin_gather(z, z->series.y + k->n, z->rows, 1, c);
  c[0] += k->e * k->e * k->top;
  look(z, i, W_REJOIN, N, c, 0, limit);
}

static void look_at_normal(compliant *z, int i, int first, double *limit) {
  const compliant_contact *k = &z->c[i];
  double c[LENGTH], noise = z->v_rounding * z->series.h; /* of deflections */
  int starts = first && (k->just_closed || k->stopped), rests = compliant_rests(z, k);
  if (k->touch == OPEN) {
    if (!first && z->v[k->n] >= 0 && z->y[k->n] >= 0 && z->m == 0) return;
    margin_gather(z, z->series.y + k->n, z->rows, 1, c);
    int touches = first ? c[0] == 0 : c[0] <= z->v_rounding && rests;
    look(z, i, W_CLOSE, N, c, touches ? compliant_above(c, 1, noise) : 0, limit);
  } else if (k->touch == HELD) {
    compliant_normal_force(z, i, c);
    look(z, i, W_RELEASE, N, c, 0, limit);
    double most = compliant_yield(z, k);
    for (int j = 0; j < LENGTH; j++) c[j] = (j ? 0 : most) - c[j];
    if (isfinite(most)) look(z, i, W_PRESS, N, c, 0, limit);
  } else if (!k->restituting) {
    margin_gather(z, z->series.v + k->n, z->rows, -1, c);
    look(z, i, W_TOP, N, c, starts || rests ? compliant_above(c, k->stopped, z->v_rounding) : 0,
         limit);
  } else {
    margin_gather(z, z->series.y + k->n, z->rows, -1, c);
    look(z, i, W_OPEN, N, c, (first && k->just_closed) || rests ? compliant_above(c, 1, noise) : 0,
         limit);
    look_at_reload(z, i, starts, limit);
  }
}

/* rho - |x| at s: to rounding also where both are small and the squares have lost it */
static double margin_at(const compliant *z, int i, double s) {
  const compliant_contact *k = &z->c[i];
  const compliant_series *q = &z->series;
  double force = k->touch == HELD ? core_poly_at(q->order, q->held + i, z->nc, s)
                                  : -k->k * core_poly_at(q->order, q->y + k->n, z->rows, s);
  return force * k->mu / k->kt - hypot(core_poly_at(q->order, q->y + k->t, z->rows, s),
                                       core_poly_at(q->order, q->y + k->t + 1, z->rows, s));
}

/* Squares have lost the root at s where rho is large beside |x| until just before the contact opens
 * (large mu, a nearly direct impact): bisection of the margin itself. */
static void look_closer(compliant *z, int i, double s, double *limit) {
  int before = margin_at(z, i, s) > 0;
  double lo = before ? s : 0, hi = before ? *limit : s;
  if (margin_at(z, i, hi) >= 0) return;
  while (hi - lo > 1e-16 * hi) {
    double mid = lo + (hi - lo) / 2;
    if (mid <= lo || mid >= hi) break;
    *(margin_at(z, i, mid) > 0 ? &lo : &hi) = mid;
  }
  note(z, i, W_SLIP, hi, limit);
}

/* what fast modes can take off rho - |x| */
static double swing_of_margin(const compliant *z, int i) {
  const compliant_contact *k = &z->c[i];
  const compliant_modes *o = &z->modes;
  double force = k->touch == HELD ? o->swing_held[i] : k->k * o->swing_y[k->n], x = 0;
  for (int t = 0; t < k->tangents; t++) x += o->swing_y[k->t + t];
  return k->mu / k->kt * force + x;
}

/* rho less all swings against the slow |x| */
static void look_at_bounded_circle(compliant *z, int i, double *limit) {
  const compliant_contact *k = &z->c[i];
  double c[LONG] = {0}, a[LENGTH];
  compliant_normal_force(z, i, a);
  for (int j = 0; j < LENGTH; j++) a[j] *= k->mu / k->kt;
  a[0] -= swing_of_margin(z, i);
  look(z, i, W_SLIP, N, a, 0, limit); /* it stays positive, */
  margin_add_square(a, 1, c);
  for (int t = 0; t < 2; t++) {
    margin_gather(z, z->series.y + k->t + t, z->rows, 1, a);
    margin_add_square(a, -1, c);
  }
  look(z, i, W_SLIP, 2 * N, c, 0, limit); /* and above |x| */
}

static void look_at_circle(compliant *z, int i, int fresh, int edge, double *limit) {
  const compliant_contact *k = &z->c[i];
  double c[LONG], before = *limit;
  int count = z->n_found;
  margin_circle(z, i, c);
  if (z->modes.bounds) {
    look_at_bounded_circle(z, i, limit);
    return;
  }
  double noise = compliant_noise(z, k) * z->series.h;
  int skip = fresh ? first_above(c, 2, noise * noise) : 0;
  if (edge) skip = compliant_lead(c, margin_skip_circle(z, i, fresh, c), margin_lasts(z, i));
  look(z, i, W_SLIP, 2 * N, c, skip, limit);
  if (z->n_found == count || skip) return;
  double s = z->found[count].s,
         x = hypot(core_poly_at(z->series.order, z->series.y + k->t, z->rows, s),
                   core_poly_at(z->series.order, z->series.y + k->t + 1, z->rows, s));
  if (fabs(margin_at(z, i, s)) <= TOL_SQUARES * x) return; /* the squares are to be trusted */
  z->n_found = count;
  *limit = before;
  look_closer(z, i, s, limit);
}

static void look_at_stick(compliant *z, int i, int first, double *limit) {
  const compliant_contact *k = &z->c[i];
  int fresh = first && k->just_closed, edge = k->stick_slip_tie;
  if (k->tangents == 2) {
    look_at_circle(z, i, fresh, edge, limit);
    return;
  }
  double c[LENGTH];
  double x = z->y[k->t] != 0 ? z->y[k->t] : z->v[k->t];
  for (int side = -1; side <= 1; side += 2) {
    margin_line(z, i, side, c);
    if (z->modes.bounds) c[0] -= swing_of_margin(z, i);
    int skip = fresh ? first_above(c, 1, compliant_noise(z, k) * z->series.h) : 0;
    if (edge && side * x > 0)
      skip = compliant_lead(c, margin_skip_line(z, i, c), margin_lasts(z, i));
    look(z, i, W_SLIP, N, c, skip, limit);
  }
}

/* Fills z->found with all events up to the first one (and its ties); returns its s, or the reach of
 * the series when there is none. `first`: the series starts at the start of the phase. */
double compliant_watch_step(compliant *z, int first) {
  double limit = z->series.reach, c[LONG];
  z->n_found = 0;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    look_at_normal(z, i, first, &limit);
    if (k->touch == OPEN || k->grip == FREE) continue;
    if (k->grip == STICK && isfinite(k->mu)) look_at_stick(z, i, first, &limit);
    if (k->grip == SLIP && !(k->turning && margin_surely_slips(z, i))) {
      int n = margin_slip_speed(z, i, c);
      double x = k->stick_slip_tie ? margin_lasts(z, i) : 1;
      int starts = first && k->just_closed && c[0] <= z->v_rounding;
      if (k->stick_slip_tie) starts = c[0] <= 0 || margin_skip(c, 0, x, compliant_noise(z, k));
      look(z, i, W_STICK, n, c, starts ? compliant_lead(c, 1, x) : 0, &limit);
    }
  }
  double s = z->series.reach;
  for (int i = 0; i < z->n_found; i++) s = core_min(s, z->found[i].s);
  return s;
}
