/* What the events change, contact by contact.
 *
 * Forces are continuous through every event but the start of holding: deflections are, and k n is
 * when k becomes k/e^2 and n becomes e^2 n, or back where a contact rejoins the line of loading.
 */
#include "impact/laws/compliant/events.h"

#include "core/poly.h"

enum { LENGTH = COMPLIANT_LENGTH };

static double tangential_energy(const compliant *z, const compliant_contact *k) {
  const double *x = z->y + k->t;
  return k->kt * dot(k->tangents, x, x) / 2;
}

/* Slip speed v.d + rate, rate = -rho', is nothing beside its two parts, or beside rounding of v,
 * which counts when a bounce is nearly over. */
int event_no_slip(const compliant *z, const compliant_contact *k, double speed, double rate) {
  double parts = norm(k->tangents, z->v + k->t) + fabs(rate);
  return fabs(speed) <= TOL_STILL * parts + compliant_noise(z, k);
}

void event_drop_tangent(compliant *z, compliant_contact *k) {
  for (int t = 0; t < k->tangents; t++) z->y[k->t + t] = 0;
}

static double normal_energy(const compliant *z, const compliant_contact *k) {
  return k->touch == PRESSED ? k->k * z->y[k->n] * z->y[k->n] / 2 : 0;
}

/* v_n is 0, or the contact opens: what its spring has taken in or given back since it last was */
static void book_work(const compliant *z, compliant_contact *k) {
  double now = normal_energy(z, k), gain = now - k->from;
  *(gain > 0 ? &k->absorbed : &k->returned) += fabs(gain);
  k->from = now;
}

/* The contact parts. In slip x is zero by then; what a spring of a contact with infinite mu still
 * holds is lost in the last instant, as it is for large mu. */
void event_open(compliant *z, compliant_contact *k) {
  book_work(z, k);
  k->returned += k->from; /* rounding of y at the event */
  k->from = 0;
  z->lost_friction += tangential_energy(z, k);
  event_drop_tangent(z, k);
  z->y[k->n] = 0;
  k->touch = OPEN;
  k->restituting = k->turning = k->again = k->stopped = 0;
  k->fixed = NOT_FIXED;
  k->k = k->k0;
}

void compliant_release_all(compliant *z) {
  for (int i = 0; i < z->nc; i++)
    if (z->c[i].touch != OPEN) event_open(z, &z->c[i]);
}

/* slip along a given direction; where that is zero, the way the contact is about to go */
void event_slide(compliant *z, compliant_contact *k, const double *direction) {
  const compliant_series *s = &z->series;
  double size = norm(k->tangents, direction);
  if (size == 0) size = norm(k->tangents, direction = z->v + k->t);
  for (int j = 1; size == 0 && j < LENGTH; j++)
    size = norm(k->tangents, direction = s->v + j * z->rows + k->t);
  for (int t = 0; t < k->tangents; t++) k->d[t] = size > 0 ? direction[t] / size : t == 0;
  k->grip = SLIP;
  k->fixed = NOT_FIXED;
}

/* Friction is less while slipping than where slip starts (the published program only, and holding):
 * the spring falls back to rho at once. */
void event_fall_back(compliant *z, compliant_contact *k, double rho) {
  double before = tangential_energy(z, k);
  for (int t = 0; t < k->tangents; t++) z->y[k->t + t] = rho * k->d[t];
  z->lost_friction += before - tangential_energy(z, k);
}

/* A force below this could only make a rebound that is nothing beside the impact: k n with
 * e n sqrt(k w) = 1e-11 of the speeds. */
static double faint(const compliant *z, const compliant_contact *k) {
  double w = z->W[(size_t)k->n * (size_t)z->rows + (size_t)k->n];
  double least = core_max(TOL_FAINT * z->speed, TOL_FAINT_ROUNDINGS * z->v_rounding);
  return least * sqrt(k->k0 / w) / k->e;
}

/* The contact has come to rest: it is held from now on as with e = 0, as long as nothing presses it
 * by more than that. Bodies between two others bounce ever lower, without end otherwise; a contact
 * alone rebounds once, however lightly it grazes. */
static int rebound_negligible(const compliant *z, const compliant_contact *k) {
  return z->nc > 1 && k->e > 0 && k->e < 1 && -k->k * z->y[k->n] <= faint(z, k);
}

/* One that had come to rest is pressed in earnest by more than faintly; one with e = 0 by more than
 * it has borne (plastic), or not at all. */
double compliant_yield(const compliant *z, const compliant_contact *k) {
  if (k->e > 0) return 2 * faint(z, k);
  return z->plastic ? k->k0 * k->top : INFINITY;
}

/* its spring goes on along the line of loading with the force it has, and what was booked as lost
 * there is in it again */
static void press_further(compliant *z, compliant_contact *k, double force) {
  k->touch = PRESSED;
  k->restituting = 0;
  k->stopped = 1;
  k->k = k->k0;
  z->y[k->n] = -force / k->k0;
  k->from = normal_energy(z, k);
  if (k->e > 0) return;
  z->lost_restitution -= k->from;
  z->pressed_again = 1;
}

/* greatest compression: k becomes k/e^2, n becomes e^2 n, (1 - e^2) of the energy is lost */
static void begin_restitution(compliant *z, compliant_contact *k) {
  book_work(z, k);
  if (k->again) { /* plastic, below where it left the line of loading: nothing more is lost */
    k->again = 0;
    k->stopped = 1;
    return;
  }
  double n = z->y[k->n], keep = rebound_negligible(z, k) ? 0 : k->e * k->e;
  k->top = -n;
  k->stopped = 1;
  z->lost_restitution += (1 - keep) * k->k * n * n / 2;
  k->restituting = k->ended = 1;
  z->y[k->n] = keep * n;
  k->from *= keep;
  if (keep == 0) {
    k->touch = HELD;
    k->hold = k->hold_rate = 0;
    return;
  }
  k->k = k->k0 / keep;
  if (event_friction_drops(k) && k->grip == SLIP)
    event_fall_back(z, k, -k->e * k->mu * k->k * keep * n / k->kt);
}

/* Work that contact i took in or gave back up to where v_n changes its sign in [from, to], by the
 * false position: the energy is stationary there, so that its error is the square of the place's.
 */
static void book_turn(compliant *z, int i, double from, double to) {
  compliant_contact *k = &z->c[i];
  const compliant_series *q = &z->series;
  const double *series = q->v + k->n;
  double a = from, b = to, at = to;
  double va = core_poly_at(q->order, series, z->rows, a),
         vb = core_poly_at(q->order, series, z->rows, b);
  for (int j = 0; j < 6 && (va < 0) != (vb < 0); j++) {
    at = a + (b - a) * va / (va - vb);
    double v = core_poly_at(q->order, series, z->rows, at);
    if ((v < 0) == (va < 0))
      a = at, va = v, vb /= 2;
    else
      b = at, vb = v, va /= 2;
  }
  double n = core_poly_at(q->order, q->y + k->n, z->rows, at), gain = k->k * n * n / 2 - k->from;
  *(gain > 0 ? &k->absorbed : &k->returned) += fabs(gain);
  k->from += gain;
}

/* Elastic: a contact in restitution that is pressed again is no event, but worth a word, and its
 * work is booked where somebody listens. Steps are shorter than half a period: two looks at each.
 */
void compliant_book_reloads(compliant *z, double s) {
  if (z->plastic || (z->pressed_again && !z->sink)) return;
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (k->touch != PRESSED || !k->restituting || (k->e == 1 && !z->sink)) continue;
    for (int half = 1; half <= 2; half++) {
      double at = s * half / 2;
      double v = core_poly_at(z->series.order, z->series.v + k->n, z->rows, at);
      if (fabs(v) <= z->v_rounding || (v < 0) == k->again) continue;
      if (z->sink) book_turn(z, i, at - s / 2, at);
      k->again = v < 0;
      z->pressed_again |= k->again && k->e < 1;
    }
  }
}

/* plastic: pressed again on k/e^2, before it has opened */
static void reload(compliant *z, compliant_contact *k) {
  book_work(z, k);
  k->again = k->stopped = 1;
  z->pressed_again |= k->e < 1;
}

/* back to the force where it left the line of loading: k/e^2 becomes k, n becomes n/e^2, and what
 * was lost there will be lost at the next greatest compression */
static void rejoin(compliant *z, compliant_contact *k) {
  double e2 = k->e * k->e;
  book_work(z, k);
  k->k = k->k0;
  z->y[k->n] = -k->top;
  k->restituting = k->again = 0;
  k->from = normal_energy(z, k);
  z->lost_restitution -= (1 - e2) * k->from;
}

/* |x| has reached rho: slip, unless the slip speed is zero too and stick may hold on */
static void break_loose(compliant *z, compliant_contact *k) {
  const double *x = z->y + k->t;
  event_slide(z, k, x);
  double rate = k->touch == PRESSED ? k->mu * k->k / k->kt * z->v[k->n] : 0;
  double speed = dot(k->tangents, z->v + k->t, k->d) + rate;
  if (k->touch == PRESSED && event_no_slip(z, k, speed, rate) && !event_friction_drops(k)) {
    k->grip = STICK;
    k->stick_slip_tie = 1;
  } else if (event_friction_drops(k)) {
    event_fall_back(z, k, -k->e * k->mu * k->k * z->y[k->n] / k->kt);
  }
}

/* Slip has come to rest: stick is tried first. Not where friction drops as slip starts (the
 * published program): there slip is tried first. */
void event_stop_sliding(compliant_contact *k) {
  if (!event_friction_drops(k)) k->grip = STICK;
  k->stick_slip_tie = 1;
}

static void apply(compliant *z, const compliant_found *hit) {
  compliant_contact *k = &z->c[hit->contact];
  switch (hit->what) {
    case W_CLOSE: z->y[k->n] = 0; break;
    case W_TOP: begin_restitution(z, k); break;
    case W_OPEN:
    case W_RELEASE: event_open(z, k); break;
    case W_PRESS: press_further(z, k, compliant_yield(z, k)); break;
    case W_AGAIN: reload(z, k); break;
    case W_REJOIN: rejoin(z, k); break;
    case W_SLIP:
      if (k->grip == STICK && k->touch != OPEN) break_loose(z, k);
      break;
    case W_STICK:
      if (k->grip == SLIP && k->touch != OPEN) event_stop_sliding(k);
      break;
  }
}

/* applies the first events and those tied with them: normal ones first, they may undo the others */
void compliant_apply(compliant *z) {
  double first = INFINITY;
  for (int i = 0; i < z->n_found; i++) first = core_min(first, z->found[i].s);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < z->n_found; i++) {
      int tangential = z->found[i].what == W_SLIP || z->found[i].what == W_STICK;
      if (z->found[i].s <= first + TOL_TIE * z->series.reach && tangential == pass)
        apply(z, &z->found[i]);
    }
}
