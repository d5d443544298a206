/* What can happen next, as functions of time that are positive now and zero at the event.
 *
 *   open     closes when its gap y_n is used up
 *   pressed  in compression: greatest compression when -v_n reaches 0
 *            in restitution: opens when -y_n reaches 0
 *            plastic: pressed again when v_n reaches 0; then its greatest compression when -v_n
 *            does, or it rejoins the line of loading when -y_n reaches e^2 top
 *   held     let go when its force reaches 0, pressed further when that reaches what it yields to
 *   stick    slips when |x| reaches rho = mu F_n / kt: rho - x and rho + x with one tangent,
 *            rho^2 - x1^2 - x2^2 with two
 *   slip     sticks when the slip speed v.d - rho' reaches 0
 *
 * All are polynomials in s over one step, and core_poly_first_root jumps over no root. At the start
 * of a phase some of them are zero because their event has just been, by definition and not by
 * computation: those leading coefficients are nothing but rounding, beside the others over the time
 * that the contact lasts or beside what rounding of the state makes of them, and are divided out
 * (f/s^k has the same roots for s > 0).
 */
#include <float.h>
#include <string.h>

#include "impact/laws/compliant/fast/fast.h"
#include "impact/laws/compliant/series_turn.h"

enum { LONG = 3 * N + 1 }; /* coefficients of products */

/* ---- polynomials ---- */

/* one row of a series; beyond its order stand zeros */
static void gather(const compliant *z, const double *from, int stride, double factor, double *c) {
  int n = z->series.order;
  for (int j = 0; j <= n; j++) c[j] = factor * from[j * stride];
  for (int j = n + 1; j < LENGTH; j++) c[j] = 0;
}

static void add_row(const compliant *z, const double *from, int stride, double factor, double *c) {
  for (int j = 0; j <= z->series.order; j++) c[j] += factor * from[j * stride];
}

/* order j of the normal force */
static double force_at(const compliant *z, int i, int j) {
  const compliant_contact *k = &z->c[i];
  return k->touch == HELD ? z->series.held[j * z->nc + i] : -k->k * z->series.y[j * z->rows + k->n];
}

static void normal_force(const compliant *z, int i, double by, double *c) {
  const compliant_contact *k = &z->c[i];
  if (k->touch == HELD)
    gather(z, z->series.held + i, z->nc, by, c);
  else
    gather(z, z->series.y + k->n, z->rows, -k->k * by, c);
}

/* ---- event functions of friction ---- */

/* v.d; d itself is a series when it turns. Returns the degree. */
static int speed_along(const compliant *z, int i, double *c) {
  const compliant_contact *k = &z->c[i];
  const double *from = z->series.v + k->t;
  double v[LENGTH], d[LENGTH];
  int n = z->series.order;
  if (!k->turning) {
    gather(z, from, z->rows, k->d[0], c);
    if (k->tangents == 2) add_row(z, from + 1, z->rows, k->d[1], c);
    return n;
  }
  memset(c, 0, LONG * sizeof *c);
  for (int t = 0; t < k->tangents; t++) {
    gather(z, from + t, z->rows, 1, v);
    gather(z, compliant_direction(z, i, t), BESIDE, 1, d);
    core_taylor_add_product(n, v, n, d, c);
  }
  return 2 * n;
}

/* slip speed v.d - rho', times pace for held contacts; returns the degree */
static int slip_speed(const compliant *z, int i, double *c) {
  const compliant_contact *k = &z->c[i];
  const compliant_series *s = &z->series;
  double ratio = slip_mu(k) / k->kt;
  int n = speed_along(z, i, c);
  if (k->touch == PRESSED) {
    add_row(z, s->v + k->n, z->rows, ratio * k->k, c);
    return n;
  }
  if (s->uneven) {
    double even[LONG];
    memcpy(even, c, (size_t)(n + 1) * sizeof *c);
    memset(c, 0, LONG * sizeof *c);
    core_taylor_add_product(n, even, s->order, s->pace, c);
    n += s->order;
  }
  for (int j = 0; j < s->order; j++) c[j] -= ratio / s->h * (j + 1) * s->held[(j + 1) * z->nc + i];
  return n;
}

/* rho - side x for one tangent */
static void margin_line(const compliant *z, int i, double side, double *c) {
  const compliant_contact *k = &z->c[i];
  normal_force(z, i, k->mu / k->kt, c);
  add_row(z, z->series.y + k->t, z->rows, -side, c);
}

/* (rho - less)^2 - x1^2 - x2^2 for two tangents; rho - less too */
static void margin_circle(const compliant *z, int i, double less, double *rho, double *c) {
  const compliant_contact *k = &z->c[i];
  double x[LENGTH];
  memset(c, 0, LONG * sizeof *c);
  normal_force(z, i, k->mu / k->kt, rho);
  rho[0] -= less;
  core_taylor_add_square(z->series.order, rho, 1, c);
  for (int t = 0; t < 2; t++) {
    gather(z, z->series.y + k->t + t, z->rows, 1, x);
    core_taylor_add_square(z->series.order, x, -1, c);
  }
}

/* ---- what is zero ---- */

/* The part of the step in which contact i decides: as long as its force lasts if that falls on at
 * the rate it has, and no longer than its tangential spring takes. Coefficients of what it does are
 * large or small over that time, not over the step: that is as long as others are slow, and a slip
 * speed of 1e-9 was none in steps of slip but one in those of stick. */
static double lasts(const compliant *z, int i) {
  const compliant_contact *k = &z->c[i];
  double force = force_at(z, i, 0), rate = force_at(z, i, 1), w = 0;
  for (int r = k->t; r < k->n; r++) w = core_max(w, z->W[(size_t)r * (size_t)(z->rows + 1)]);
  double x = core_min(1, 2 / (sqrt(k->kt * w) * z->series.h));
  return force > 0 && rate < 0 ? core_min(x, force / -rate) : x;
}

/* largest |c[j] x^j| from j = from on, over x^from */
static double size_of(const double *c, int from, double x) {
  double size = 0, power = 1;
  for (int j = from; j < LENGTH; j++, power *= x) size = core_max(size, fabs(c[j]) * power);
  return size;
}

/* the first coefficient from `from` on that is more than rounding in [0, x]; LENGTH: none is */
static int lead_of(const double *c, int from, double x) {
  double size = size_of(c, from, x);
  for (; from < LENGTH && fabs(c[from]) <= TOL_LEAD * size; from++) size /= x;
  return from;
}

/* A contact that has stopped slipping has used up its margin, and the rate of it as well when it
 * came to rest; when a held one is pressed anew it stops at once, and the margin grows from the
 * start. `noise` is what rounding makes of c[used], `x` how long the contact lasts. */
static int used_up(const double *c, int used, double x, double noise) {
  double size = TOL_TIE_RATE * size_of(c, used, x);
  return fabs(c[used]) > size + noise ? used : used + 1;
}

/* the first coefficient that counts of the margin of a stick that has just begun; rho^2 - x^2
 * starts with 2 (rho rho' - x.v) h, or (rho'^2 - v^2) h^2 when the contact has just closed */
static int lead_of_margin(const compliant *z, int i, const double *c) {
  const compliant_contact *k = &z->c[i];
  double x = lasts(z, i), noise = z->series.h * compliant_tie_noise(z, k);
  if (k->tangents == 1) return lead_of(c, used_up(c, 1, x, noise), x);
  noise *= 2 * norm(2, (k->just_closed ? z->v : z->y) + k->t);
  if (k->just_closed) noise *= z->series.h;
  return lead_of(c, used_up(c, 1 + k->just_closed, x, noise), x);
}

/* side on which a stick with one tangent will slip */
static double side_of(const compliant *z, const compliant_contact *k) {
  return (z->y[k->t] != 0 ? z->y[k->t] : z->v[k->t]) < 0 ? -1 : 1;
}

/* At a tie the first coefficient that counts decides: of the margin when the contact sticks, of the
 * slip speed when it slips. */
int compliant_goes_on(const compliant *z, int i) {
  const compliant_contact *k = &z->c[i];
  double c[LONG], rho[LENGTH], x = lasts(z, i);
  int lead;
  if (k->grip == SLIP) {
    slip_speed(z, i, c);
    lead = lead_of(c, used_up(c, 0, x, compliant_tie_noise(z, k)), x);
  } else {
    if (k->tangents == 1)
      margin_line(z, i, side_of(z, k), c);
    else
      margin_circle(z, i, 0, rho, c);
    lead = lead_of_margin(z, i, c);
  }
  return lead >= LENGTH || c[lead] > 0;
}

/* ---- the search ---- */

static void note(compliant *z, int contact, compliant_event what, double s, double *limit) {
  z->found[z->n_found++] = (compliant_found){contact, what, s};
  *limit = core_min(*limit, s + TOL_TIE * z->series.reach);
}

/* -F' and F''/2 by time, where they are by s: with dt = g ds, F' = F_s / g and F'' = (F_ss - F_s
 * g_s / g) / g^2 (a contact that opens evenly has F ~ exp(-s) by its own pace) */
static void to_time(const compliant *z, double s, double *rate, double *bend) {
  double pace = 0, slope = 0;
  for (int j = z->series.order; j >= 0; j--) {
    slope = slope * s + pace;
    pace = pace * s + z->series.pace[j];
  }
  *bend = (*bend + *rate * slope / (2 * pace)) / (pace * pace);
  *rate /= pace;
}

/* So little normal impulse is left at s that friction on it is nothing beside what the contact has
 * given: whether it sticks or slips until it opens cannot be told from any answer. Slip that stops
 * exactly as the contact opens ends here. Not stick that breaks because the contact moves on and
 * not because it opens: a spring that sticks has no bound. And only where it does open: with the
 * force F - F' t + F'' t^2/2, of which a vibration on k/e^2 may have its least just above 0. */
static int all_but_open(const compliant *z, int i, compliant_event what, double s) {
  const compliant_contact *k = &z->c[i];
  double c[LENGTH], force = 0, rate = 0, bend = 0, v[2] = {0};
  normal_force(z, i, 1, c);
  for (int j = z->series.order; j >= 0; j--) {
    bend = bend * s - rate;
    rate = rate * s - force;
    force = force * s + c[j];
  }
  if (z->series.uneven) to_time(z, s, &rate, &bend);
  for (int t = 0; what == E_SLIP && t < k->tangents; t++)
    v[t] = core_poly_at(z->series.order, z->series.v + k->t + t, z->rows, s);
  if (!(rate > 0) || norm(2, v) * z->series.h > k->mu / k->kt * rate) return 0;
  if (4 * bend * force > rate * rate) return 0;
  double left = core_max(force, 0) * force / (2 * rate) * z->series.h;
  return left * core_max(1, k->mu) <= TOL_LAST * z->p[k->n];
}

/* Looks for the first root of c. The first `zero` coefficients are zero by definition, and divided
 * out; LENGTH: all of them are, and stay so. */
static void look(compliant *z, int contact, compliant_event what, int n, double *c, int zero,
                 double *limit) {
  double s;
  if (fast_swings(z)) zero = fast_lower(z, contact, what, zero, c);
  if (zero > z->series.order) {
    z->series.undecided = 1;
    return;
  }
  if (!core_poly_first_root(n - zero, c + zero, *limit, &s)) return;
  int tangential = what == E_SLIP || what == E_STICK;
  if (!tangential || !all_but_open(z, contact, what, s)) note(z, contact, what, s, limit);
}

static void look_at_open(compliant *z, int i, int first, double *limit) {
  const compliant_contact *k = &z->c[i];
  double c[LENGTH];
  gather(z, z->series.y + k->n, z->rows, 1, c);
  int touches = first ? c[0] == 0 : c[0] <= z->v_rounding && compliant_rests(z, k);
  int zero = touches ? compliant_lead(z, k, 1) : 0;
  look(z, i, E_CLOSE, z->series.order, c, zero, limit);
}

static void look_at_held(compliant *z, int i, double *limit) {
  double c[LENGTH], most = compliant_yield(z, &z->c[i]);
  normal_force(z, i, 1, c);
  c[0] -= z->c[i].swing;
  look(z, i, E_OPEN, z->series.order, c, 0, limit);
  if (isinf(most)) return;
  normal_force(z, i, -1, c);
  c[0] += most;
  look(z, i, E_PRESS, z->series.order, c, 0, limit);
}

/* compression ends: v_n, `sign` 1 for the start of one more in restitution */
static void look_at_turn(compliant *z, int i, double sign, int starts, double *limit) {
  const compliant_contact *k = &z->c[i];
  double c[LENGTH];
  gather(z, z->series.v + k->n, z->rows, sign, c);
  int lead = starts ? compliant_lead(z, k, 1 + k->stopped) : 1;
  int zero = lead < LENGTH ? lead - 1 : LENGTH;
  look(z, i, sign > 0 ? E_AGAIN : E_TOP, z->series.order, c, zero, limit);
}

static void look_at_pressed(compliant *z, int i, int first, double *limit) {
  const compliant_contact *k = &z->c[i];
  double c[LENGTH];
  if (!k->restituting) {
    look_at_turn(z, i, -1, first && (k->just_closed || k->stopped), limit);
    return;
  }
  gather(z, z->series.y + k->n, z->rows, -1, c);
  int zero = first && k->just_closed;
  if (zero) zero = compliant_lead(z, k, 1);
  look(z, i, E_OPEN, z->series.order, c, zero, limit);
  if (!z->plastic || k->e == 1) return;
  look_at_turn(z, i, k->again ? -1 : 1, first && k->stopped, limit);
  if (!k->again) return;
  gather(z, z->series.y + k->n, z->rows, 1, c);
  c[0] += k->e * k->e * k->top;
  look(z, i, E_REJOIN, z->series.order, c, 0, limit);
}

static void look_at_normal(compliant *z, int i, int first, double *limit) {
  compliant_touch touch = z->c[i].touch;
  if (touch == OPEN) look_at_open(z, i, first, limit);
  if (touch == HELD) look_at_held(z, i, limit);
  if (touch == PRESSED) look_at_pressed(z, i, first, limit);
}

/* rho - |x| at s: to rounding also where both are small and the squares have lost it */
static double margin_at(const compliant *z, int i, double s, double *x) {
  const compliant_contact *k = &z->c[i];
  const compliant_series *q = &z->series;
  double force = k->touch == HELD ? core_poly_at(q->order, q->held + i, z->nc, s)
                                  : -k->k * core_poly_at(q->order, q->y + k->n, z->rows, s);
  *x = hypot(core_poly_at(q->order, q->y + k->t, z->rows, s),
             core_poly_at(q->order, q->y + k->t + 1, z->rows, s));
  return force * k->mu / k->kt - *x;
}

/* Squares have lost the root at s where rho is large beside |x| until just before the contact opens
 * (large mu, a nearly direct impact), or where it vibrates and rho is nearly 0 now and then:
 * bisection of the margin itself. Where s is short of the root, that is sought in ever longer
 * steps: soon the margin may be positive again. */
static void look_closer(compliant *z, int i, double s, double *limit) {
  double x, lo = 0, hi = s, step = DBL_EPSILON * *limit;
  for (; margin_at(z, i, hi, &x) >= 0; step *= 2) {
    if (hi >= *limit) return;
    lo = hi, hi = core_min(s + step, *limit);
  }
  for (double mid = lo + (hi - lo) / 2; mid > lo && mid < hi; mid = lo + (hi - lo) / 2)
    *(margin_at(z, i, mid, &x) > 0 ? &lo : &hi) = mid;
  note(z, i, E_SLIP, hi, limit);
}

static void look_at_circle(compliant *z, int i, int closed, double *limit) {
  const compliant_contact *k = &z->c[i];
  double c[LONG], rho[LENGTH], x, before = *limit;
  int count = z->n_found;
  if (fast_surely_sticks(z, i)) return;
  margin_circle(z, i, fast_swing_of_margin(z, i), rho, c);
  if (fast_swings(z))
    look(z, i, E_SLIP, z->series.order, rho, 0, limit); /* positive, and above |x| */
  int zero = closed ? 2 : 0;
  if (k->stick_slip_tie) zero = lead_of_margin(z, i, c);
  look(z, i, E_SLIP, 2 * z->series.order, c, zero, limit);
  if (z->n_found == count || zero || fast_swings(z)) return;
  double s = z->found[count].s, margin = margin_at(z, i, s, &x);
  if (fabs(margin) <= TOL_SQUARES * x) return; /* the squares are to be trusted */
  z->n_found = count;
  *limit = before;
  look_closer(z, i, s, limit);
}

static void look_at_line(compliant *z, int i, int closed, double *limit) {
  const compliant_contact *k = &z->c[i];
  double c[LENGTH];
  for (int side = -1; side <= 1; side += 2) {
    margin_line(z, i, side, c);
    int zero = closed;
    if (k->stick_slip_tie && side == side_of(z, k)) zero = lead_of_margin(z, i, c);
    look(z, i, E_SLIP, z->series.order, c, zero, limit);
  }
}

static void look_at_slip(compliant *z, int i, int first, double *limit) {
  const compliant_contact *k = &z->c[i];
  double c[LONG];
  if (fast_surely_slips(z, i)) return;
  int n = slip_speed(z, i, c), tie = k->stick_slip_tie;
  double x = tie ? lasts(z, i) : 1;
  int starts = first && k->just_closed && c[0] <= z->v_rounding;
  if (tie) starts = c[0] <= 0 || used_up(c, 0, x, compliant_tie_noise(z, k));
  look(z, i, E_STICK, n, c, starts ? lead_of(c, 1, x) : 0, limit);
}

/* Fills z->found with all events up to the first one (and its ties); returns its s, or the reach of
 * the series when there is none. `first`: the series starts at the start of the phase. */
double compliant_watch(compliant *z, int first) {
  double limit = z->series.reach, s = limit;
  z->n_found = z->series.undecided = 0;
  fast_bound_motion(z);
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (!fast_surely_quiet(z, i)) look_at_normal(z, i, first, &limit);
    if (k->touch == OPEN || k->grip == FREE || compliant_at_rest(z, k)) continue;
    if (k->grip == STICK && isfinite(k->mu))
      (k->tangents == 2 ? look_at_circle : look_at_line)(z, i, first && k->just_closed, &limit);
    if (k->grip == SLIP) look_at_slip(z, i, first, &limit);
  }
  for (int i = 0; i < z->n_found; i++) s = core_min(s, z->found[i].s);
  return s;
}
