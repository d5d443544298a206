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
#include "impact/laws/compliant.h"

enum { N = COMPLIANT_ORDER, LENGTH = COMPLIANT_LENGTH, LONG = 3 * N + 1 };

/* one row of a series; zeros beyond its order */
static void gather(const compliant *z, const double *from, int stride, double factor, double *c) {
  int order = z->series.order;
  for (int j = 0; j <= order; j++) c[j] = factor * from[j * stride];
  for (int j = order + 1; j < LENGTH; j++) c[j] = 0;
}

/* c += sign a b, in full: c has 2 N + 1 coefficients and more */
static void add_product(int na, const double *a, const double *b, double sign, double *c) {
  for (int i = 0; i <= na; i++) {
    double by = sign * a[i];
    if (by == 0) continue;
    for (int j = 0; j < LENGTH; j++) c[i + j] += by * b[j];
  }
}

/* c += sign a^2: twice every product but the squares */
static void add_square(const double *a, double sign, double *c) {
  for (int i = 0; i <= N; i++) {
    double by = 2 * sign * a[i];
    if (by == 0) continue;
    c[2 * i] += sign * a[i] * a[i];
    for (int j = i + 1; j <= N; j++) c[i + j] += by * a[j];
  }
}

void compliant_normal_force(const compliant *z, int i, double *c) {
  const compliant_contact *k = &z->c[i];
  if (k->touch == HELD)
    gather(z, z->series.held + i, z->nc, 1, c);
  else
    gather(z, z->series.y + k->n, z->rows, -k->k, c);
}

/* v.d; d itself is a series when it turns. Returns the degree. */
static int speed_along(const compliant *z, int i, double *c) {
  const compliant_contact *k = &z->c[i];
  const compliant_series *s = &z->series;
  double v[LENGTH];
  memset(c, 0, LONG * sizeof *c);
  for (int t = 0; t < k->tangents; t++) {
    gather(z, s->v + k->t + t, z->rows, k->turning ? 1 : k->d[t], v);
    if (k->turning)
      add_product(N, v, s->d + (2 * i + t) * LENGTH, 1, c);
    else
      for (int j = 0; j < LENGTH; j++) c[j] += v[j];
  }
  return k->turning ? 2 * N : N;
}

/* slip speed v.d - rho', times pace for held contacts; returns the degree */
static int slip_speed(const compliant *z, int i, double *c) {
  const compliant_contact *k = &z->c[i];
  const compliant_series *s = &z->series;
  double ratio = compliant_slip_mu(k) / k->kt;
  int n = speed_along(z, i, c);
  if (k->touch == PRESSED) {
    for (int j = 0; j <= s->order; j++) c[j] += ratio * k->k * s->v[j * z->rows + k->n];
    return n;
  }
  if (s->uneven) {
    double even[LONG];
    memcpy(even, c, sizeof even);
    memset(c, 0, sizeof even);
    add_product(n, even, s->pace, 1, c);
    n += N;
  }
  for (int j = 0; j < s->order; j++) c[j] -= ratio / s->h * (j + 1) * s->held[(j + 1) * z->nc + i];
  return n;
}

/* |a(s)| is at most this on the step */
static double most_of(int order, const double *c, int stride, double reach) {
  double sum = 0;
  for (int j = order; j >= 0; j--) sum = sum * reach + fabs(c[j * stride]);
  return sum;
}

/* In restitution the spring gives way so fast that slip cannot stop, whatever v.d is: true when the
 * least of -rho' is above the most of |v_t|. Saves the products of turning slip. */
static int surely_slips(const compliant *z, int i) {
  const compliant_contact *k = &z->c[i];
  const compliant_series *s = &z->series;
  if (k->touch != PRESSED || !(z->v[k->n] > 0)) return 0;
  double reach = s->reach, ratio = compliant_slip_mu(k) / k->kt * k->k;
  double least = 2 * s->v[k->n] - most_of(s->order, s->v + k->n, z->rows, reach), most = 0;
  for (int t = 0; t < k->tangents; t++) most += most_of(s->order, s->v + k->t + t, z->rows, reach);
  return ratio * least > most;
}

/* what rounding of the velocities makes of a slip speed: they are sums of terms of their size */
double compliant_noise(const compliant *z, const compliant_contact *k) {
  return z->nothing * (1 + k->mu * k->k / k->kt);
}

/* The part of the step that contact i lasts if its force falls on at the rate it has: coefficients
 * of what it does are large or small over that time, not over the step. */
static double lasts(const compliant *z, int i) {
  double c[LENGTH];
  compliant_normal_force(z, i, c);
  return c[0] > 0 && c[1] < 0 ? core_min(1, c[0] / -c[1]) : 1;
}

/* largest |c[j] x^j| from j = from on, over x^from */
static double size_of(const double *c, int from, double x) {
  double size = 0, power = 1;
  for (int j = from; j < LENGTH; j++, power *= x) size = core_max(size, fabs(c[j]) * power);
  return size;
}

/* A contact that has stopped slipping has used up its margin, and the rate of it as well when it
 * came to rest; when a held one is pressed anew it stops at once, and the margin grows from the
 * start. `noise` is what rounding makes of c[used], `x` how long the contact lasts. Wider for
 * margins (used > 0) than for slip speeds: a contact in doubt sticks. */
static int skip_of_edge(const double *c, int used, double x, double noise) {
  double size = size_of(c, used, x);
  return fabs(c[used]) > (used ? 1e-7 : 1e-8) * size + noise ? used : used + 1;
}

static int skip_of_line(const compliant *z, int i, const double *c) {
  const compliant_contact *k = &z->c[i];
  return skip_of_edge(c, 1, lasts(z, i), z->series.h * compliant_noise(z, k));
}

/* rho^2 - x^2 starts with 2 (rho rho' - x.v) h, or (rho'^2 - v^2) h^2 when the contact is fresh */
static int skip_of_circle(const compliant *z, int i, int fresh, const double *c) {
  const compliant_contact *k = &z->c[i];
  double h = z->series.h, x = lasts(z, i), noise = 2 * h * compliant_noise(z, k);
  if (fresh) return skip_of_edge(c, 2, x, noise * h * hypot(z->v[k->t], z->v[k->t + 1]));
  return skip_of_edge(c, 1, x, noise * hypot(z->y[k->t], z->y[k->t + 1]));
}

/* sign of the slip speed just after the start of a phase that contact i starts without any */
int compliant_slip_sign(const compliant *z, int i) {
  const compliant_contact *k = &z->c[i];
  double c[LONG];
  slip_speed(z, i, c);
  double x = lasts(z, i);
  int lead = compliant_lead(c, skip_of_edge(c, 0, x, compliant_noise(z, k)), x);
  return lead >= LENGTH || c[lead] > 0 ? 1 : -1;
}

/* rho - side x for one tangent */
static void margin_line(const compliant *z, int i, double side, double *c) {
  const compliant_contact *k = &z->c[i];
  double x[LENGTH];
  compliant_normal_force(z, i, c);
  gather(z, z->series.y + k->t, z->rows, 1, x);
  for (int j = 0; j < LENGTH; j++) c[j] = c[j] * (k->mu / k->kt) - side * x[j];
}

/* rho^2 - x1^2 - x2^2 for two tangents */
static void margin_circle(const compliant *z, int i, double *c) {
  const compliant_contact *k = &z->c[i];
  double a[LENGTH];
  memset(c, 0, LONG * sizeof *c);
  compliant_normal_force(z, i, a);
  for (int j = 0; j < LENGTH; j++) a[j] *= k->mu / k->kt;
  add_square(a, 1, c);
  for (int t = 0; t < 2; t++) {
    gather(z, z->series.y + k->t + t, z->rows, 1, a);
    add_square(a, -1, c);
  }
}

/* index of the first coefficient from `from` on that is more than rounding in [0, x]; LENGTH when
 * none is */
int compliant_lead(const double *c, int from, double x) {
  double size = size_of(c, from, x);
  for (; from < LENGTH && fabs(c[from]) <= 1e-12 * size; from++) size /= x;
  return from;
}

/* the first coefficient from `from` on that is more than what rounding of the state makes of it:
 * one of a deflection, nothing * h (2^j / j!), or of a velocity; LENGTH when none is */
int compliant_above(const double *c, int from, double noise) {
  while (from < LENGTH && fabs(c[from]) <= noise) from++;
  return from;
}

/* no normal motion and no deflection but what rounding makes of them */
int compliant_rests(const compliant *z, const compliant_contact *k) {
  double w = z->W[(size_t)k->n * (size_t)z->rows + (size_t)k->n];
  double deep = k->touch == PRESSED ? fabs(z->y[k->n]) * sqrt(k->k * w) : 0;
  return fabs(z->v[k->n]) <= z->nothing && deep <= z->nothing;
}

/* sign of the margin against slip just after the start of a phase in which contact i sticks */
int compliant_margin_sign(const compliant *z, int i) {
  const compliant_contact *k = &z->c[i];
  const double *x = z->y + k->t;
  double c[LONG];
  int from;
  if (k->tangents == 1) {
    double side = x[0] != 0 ? x[0] : z->v[k->t];
    margin_line(z, i, side < 0 ? -1 : 1, c);
    from = skip_of_line(z, i, c);
  } else {
    margin_circle(z, i, c);
    from = skip_of_circle(z, i, k->fresh, c);
  }
  int lead = compliant_lead(c, from, lasts(z, i));
  return lead >= LENGTH || c[lead] > 0 ? 1 : -1;
}

static void note(compliant *z, int contact, compliant_watch what, double s, double *limit) {
  z->hits[z->nhits++] = (compliant_hit){contact, what, s};
  *limit = core_min(*limit, s + COMPLIANT_TIE * z->series.reach);
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
  return left * core_max(1, k->mu) <= COMPLIANT_LAST * given;
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
  if (skip >= LENGTH && most <= z->nothing * core_max(1, z->series.h)) return LENGTH;
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
  while (n > skip && fabs(c[n]) <= 1e-19 * size) n--;
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
  gather(z, z->series.v + k->n, z->rows, k->again ? -1 : 1, c);
  int from = starts && k->stopped ? compliant_above(c, 1, z->nothing) : 0;
  look(z, i, k->again ? W_TOP : W_AGAIN, N, c, from, limit);
  if (!k->again) return;
  gather(z, z->series.y + k->n, z->rows, 1, c);
  c[0] += k->e * k->e * k->top;
  look(z, i, W_REJOIN, N, c, 0, limit);
}

static void look_at_normal(compliant *z, int i, int first, double *limit) {
  const compliant_contact *k = &z->c[i];
  double c[LENGTH], noise = z->nothing * z->series.h; /* of deflections */
  int starts = first && (k->fresh || k->stopped), rests = compliant_rests(z, k);
  if (k->touch == OPEN) {
    if (!first && z->v[k->n] >= 0 && z->y[k->n] >= 0 && z->m == 0) return;
    gather(z, z->series.y + k->n, z->rows, 1, c);
    int touches = first ? c[0] == 0 : c[0] <= z->nothing && rests;
    look(z, i, W_CLOSE, N, c, touches ? compliant_above(c, 1, noise) : 0, limit);
  } else if (k->touch == HELD) {
    compliant_normal_force(z, i, c);
    look(z, i, W_RELEASE, N, c, 0, limit);
    double most = compliant_yield(z, k);
    for (int j = 0; j < LENGTH; j++) c[j] = (j ? 0 : most) - c[j];
    if (isfinite(most)) look(z, i, W_PRESS, N, c, 0, limit);
  } else if (!k->restituting) {
    gather(z, z->series.v + k->n, z->rows, -1, c);
    look(z, i, W_TOP, N, c, starts || rests ? compliant_above(c, k->stopped, z->nothing) : 0,
         limit);
  } else {
    gather(z, z->series.y + k->n, z->rows, -1, c);
    look(z, i, W_OPEN, N, c, (first && k->fresh) || rests ? compliant_above(c, 1, noise) : 0,
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
  add_square(a, 1, c);
  for (int t = 0; t < 2; t++) {
    gather(z, z->series.y + k->t + t, z->rows, 1, a);
    add_square(a, -1, c);
  }
  look(z, i, W_SLIP, 2 * N, c, 0, limit); /* and above |x| */
}

static void look_at_circle(compliant *z, int i, int fresh, int edge, double *limit) {
  const compliant_contact *k = &z->c[i];
  double c[LONG], before = *limit;
  int count = z->nhits;
  margin_circle(z, i, c);
  if (z->modes.bounds) {
    look_at_bounded_circle(z, i, limit);
    return;
  }
  double noise = compliant_noise(z, k) * z->series.h;
  int skip = fresh ? first_above(c, 2, noise * noise) : 0;
  if (edge) skip = compliant_lead(c, skip_of_circle(z, i, fresh, c), lasts(z, i));
  look(z, i, W_SLIP, 2 * N, c, skip, limit);
  if (z->nhits == count || skip) return;
  double s = z->hits[count].s,
         x = hypot(core_poly_at(z->series.order, z->series.y + k->t, z->rows, s),
                   core_poly_at(z->series.order, z->series.y + k->t + 1, z->rows, s));
  if (fabs(margin_at(z, i, s)) <= 1e-9 * x) return; /* the squares are to be trusted */
  z->nhits = count;
  *limit = before;
  look_closer(z, i, s, limit);
}

static void look_at_stick(compliant *z, int i, int first, double *limit) {
  const compliant_contact *k = &z->c[i];
  int fresh = first && k->fresh, edge = k->edge;
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
    if (edge && side * x > 0) skip = compliant_lead(c, skip_of_line(z, i, c), lasts(z, i));
    look(z, i, W_SLIP, N, c, skip, limit);
  }
}

/* Fills z->hits with all events up to the first one (and its ties); returns its s, or the reach of
 * the series when there is none. `first`: the series starts at the start of the phase. */
double compliant_watch_step(compliant *z, int first) {
  double limit = z->series.reach, c[LONG];
  z->nhits = 0;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    look_at_normal(z, i, first, &limit);
    if (k->touch == OPEN || k->grip == FREE) continue;
    if (k->grip == STICK && isfinite(k->mu)) look_at_stick(z, i, first, &limit);
    if (k->grip == SLIP && !(k->turning && surely_slips(z, i))) {
      int n = slip_speed(z, i, c);
      double x = k->edge ? lasts(z, i) : 1;
      int starts = first && k->fresh && c[0] <= z->nothing;
      if (k->edge) starts = c[0] <= 0 || skip_of_edge(c, 0, x, compliant_noise(z, k));
      look(z, i, W_STICK, n, c, starts ? compliant_lead(c, 1, x) : 0, &limit);
    }
  }
  double s = z->series.reach;
  for (int i = 0; i < z->nhits; i++) s = core_min(s, z->hits[i].s);
  return s;
}
