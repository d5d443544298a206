/* Between two phases: what the events change, and which modes can really go on.
 *
 * Forces are continuous through every event but the start of holding: deflections are, and k n is
 * when k becomes k/e^2 and n becomes e^2 n, or back where a contact rejoins the line of loading. So
 * accelerations just after an event do not depend on the modes that are still in question, and each
 * of these is decided alone, from the sign of the first coefficient of its margin that is not zero:
 *
 *   a contact at zero gap with v_n = 0   closes when the first coefficient of its gap is negative
 *   a contact that closes                slips when |x| outgrows rho from the first order on
 *   a contact with |x| = rho and no slip sticks when rho - |x| grows, taking stick for granted
 *
 * Whenever two events fall together (slip stops as compression ends) this says what goes on. If a
 * tie is missed by a time dt, modes are wrong for dt only, and forces by dt: impulses by dt^2.
 */
#include <string.h>

#include "impact/laws/compliant/state.h"

/* as printed: less friction in slip than what starts it */
static int friction_drops(const compliant_contact *k) {
  return slip_mu(k) < k->mu;
}

static double tangential_energy(const compliant *z, const compliant_contact *k) {
  const double *x = z->y + k->t;
  return k->kt * dot(k->tangents, x, x) / 2;
}

static double normal_energy(const compliant *z, const compliant_contact *k) {
  return k->touch == PRESSED ? k->k * z->y[k->n] * z->y[k->n] / 2 : 0;
}

/* v_n is 0, or the contact opens: what its spring has taken in or given back since it last was */
static void book_work(compliant_contact *k, double now) {
  double gain = now - k->from;
  *(gain > 0 ? &k->absorbed : &k->returned) += fabs(gain);
  k->from = now;
}

static void drop_tangent(compliant *z, compliant_contact *k) {
  for (int r = k->t; r < k->n; r++) z->y[r] = 0;
}

/* ---- normal events ---- */

/* In slip x is zero by then; what a spring of a contact with infinite mu still holds is lost in the
 * last instant, as it is for large mu. */
static void open_contact(compliant *z, compliant_contact *k) {
  book_work(k, normal_energy(z, k));
  k->returned += k->from; /* rounding of y at the event */
  k->from = 0;
  z->lost_friction += tangential_energy(z, k);
  drop_tangent(z, k);
  z->y[k->n] = 0;
  k->touch = OPEN;
  k->restituting = k->turning = k->again = k->stopped = 0;
  k->fixed = NOT_FIXED;
  k->k = k->k0;
}

void compliant_release_all(compliant *z) {
  for (int i = 0; i < z->nc; i++)
    if (z->c[i].touch != OPEN) open_contact(z, &z->c[i]);
}

/* slip along a given direction; where that is zero, the way the contact is about to go */
static void slide(compliant *z, compliant_contact *k, const double *direction) {
  double size = norm(k->tangents, direction);
  if (size == 0) size = norm(k->tangents, direction = z->v + k->t);
  for (int j = 1; size == 0 && j < LENGTH; j++)
    size = norm(k->tangents, direction = z->series.v + j * z->rows + k->t);
  for (int t = 0; t < k->tangents; t++) k->d[t] = size > 0 ? direction[t] / size : t == 0;
  k->grip = SLIP;
  k->fixed = NOT_FIXED;
}

/* Friction is less while slipping than where slip starts (as printed, and when holding begins): the
 * spring falls back to rho at once. */
static void fall_back(compliant *z, compliant_contact *k, double normal) {
  double before = tangential_energy(z, k), rho = slip_mu(k) * normal / k->kt;
  for (int t = 0; t < k->tangents; t++) z->y[k->t + t] = rho * k->d[t];
  z->lost_friction += before - tangential_energy(z, k);
}

/* A force below this could only make a rebound that is nothing beside the impact: k n with
 * e n sqrt(k w) = 1e-11 of the speeds. */
static double faint(const compliant *z, const compliant_contact *k) {
  double least = core_max(TOL_FAINT * z->speed, TOL_FAINT_ROUNDINGS * z->v_rounding);
  return least * sqrt(k->k0 / w_normal(z, k)) / k->e;
}

/* The contact has come to rest: it is held from now on as with e = 0, as long as nothing presses it
 * by more than that. Bodies between two others bounce ever lower, without end otherwise; a contact
 * alone rebounds once, however lightly it grazes. */
static int rebound_negligible(const compliant *z, const compliant_contact *k) {
  return z->nc > 1 && k->e > 0 && k->e < 1 && -k->k * z->y[k->n] <= faint(z, k);
}

/* One that had come to rest is pressed in earnest by more than faintly; one with e = 0 by more than
 * it has borne (plastic), or not at all. [scaled N] */
double compliant_yield(const compliant *z, const compliant_contact *k) {
  if (k->e > 0) return 2 * faint(z, k);
  return z->plastic ? k->k0 * k->top : INFINITY;
}

/* its spring goes on along the line of loading with the force it has, and what was booked as lost
 * there is in it again */
static void press_further(compliant *z, compliant_contact *k) {
  z->y[k->n] = -compliant_yield(z, k) / k->k0;
  k->touch = PRESSED;
  k->restituting = 0;
  k->stopped = 1;
  k->k = k->k0;
  k->from = normal_energy(z, k);
  if (k->e > 0) return;
  z->lost_restitution -= k->from;
  z->pressed_again = 1;
}

/* greatest compression: k becomes k/e^2, n becomes e^2 n, (1 - e^2) of the energy is lost */
static void begin_restitution(compliant *z, compliant_contact *k) {
  book_work(k, normal_energy(z, k));
  k->stopped = 1;
  if (k->again) { /* plastic, below where it left the line of loading: nothing more is lost */
    k->again = 0;
    return;
  }
  double n = z->y[k->n], keep = rebound_negligible(z, k) ? 0 : k->e * k->e;
  k->top = -n;
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
  if (friction_drops(k) && k->grip == SLIP) fall_back(z, k, -k->k * z->y[k->n]);
}

/* plastic: pressed again on k/e^2, before it has opened */
static void reload(compliant *z, compliant_contact *k) {
  book_work(k, normal_energy(z, k));
  k->again = k->stopped = 1;
  z->pressed_again |= k->e < 1;
}

/* back to the force where it left the line of loading: k/e^2 becomes k, n becomes n/e^2, and what
 * was lost there will be lost at the next greatest compression */
static void rejoin(compliant *z, compliant_contact *k) {
  book_work(k, normal_energy(z, k));
  k->k = k->k0;
  z->y[k->n] = -k->top;
  k->restituting = k->again = 0;
  k->from = normal_energy(z, k);
  z->lost_restitution -= (1 - k->e * k->e) * k->from;
}

/* Work that contact k took in or gave back up to where v_n changes its sign in [a, b], by the
 * false position: the energy is stationary there, so that its error is the square of the place's.
 */
static void book_turn(compliant *z, compliant_contact *k, double a, double b) {
  const compliant_series *q = &z->series;
  const double *v_n = q->v + k->n;
  double at = b, va = core_poly_at(N, v_n, z->rows, a), vb = core_poly_at(N, v_n, z->rows, b);
  for (int j = 0; j < 6 && (va < 0) != (vb < 0); j++) {
    at = a + (b - a) * va / (va - vb);
    double v = core_poly_at(N, v_n, z->rows, at);
    if ((v < 0) == (va < 0))
      a = at, va = v, vb /= 2;
    else
      b = at, vb = v, va /= 2;
  }
  double n = core_poly_at(N, q->y + k->n, z->rows, at);
  book_work(k, k->k * n * n / 2);
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
      double at = s * half / 2, v = core_poly_at(N, z->series.v + k->n, z->rows, at);
      if (fabs(v) <= z->v_rounding || (v < 0) == k->again) continue;
      if (z->sink) book_turn(z, k, at - s / 2, at);
      k->again = v < 0;
      z->pressed_again |= k->again && k->e < 1;
    }
  }
}

/* ---- tangential events ---- */

/* Slip speed v.d + rate, rate = -rho', is nothing beside its two parts, or beside rounding of v,
 * which counts when a bounce is nearly over. */
static int no_slip(const compliant *z, const compliant_contact *k, double speed, double rate) {
  double parts = norm(k->tangents, z->v + k->t) + fabs(rate);
  return fabs(speed) <= TOL_STILL * parts + compliant_noise(z, k);
}

/* |x| has reached rho: slip, unless the slip speed is zero too and stick may hold on */
static void break_loose(compliant *z, compliant_contact *k) {
  slide(z, k, z->y + k->t);
  double rate = k->touch == PRESSED ? k->mu * k->k / k->kt * z->v[k->n] : 0;
  double speed = dot(k->tangents, z->v + k->t, k->d) + rate;
  if (friction_drops(k)) {
    fall_back(z, k, -k->k * z->y[k->n]);
  } else if (k->touch == PRESSED && no_slip(z, k, speed, rate)) {
    k->grip = STICK;
    k->stick_slip_tie = 1;
  }
}

/* Slip has come to rest: stick is tried first. Not where friction drops as slip starts: there slip
 * is tried first. */
static void stop_sliding(compliant_contact *k) {
  if (!friction_drops(k)) k->grip = STICK;
  k->stick_slip_tie = 1;
}

/* ---- all events of a moment ---- */

static void apply(compliant *z, compliant_event what, compliant_contact *k) {
  switch (what) {
    case E_CLOSE: z->y[k->n] = 0; break;
    case E_TOP: begin_restitution(z, k); break;
    case E_OPEN: open_contact(z, k); break;
    case E_PRESS: press_further(z, k); break;
    case E_AGAIN: reload(z, k); break;
    case E_REJOIN: rejoin(z, k); break;
    case E_SLIP:
      if (k->grip == STICK && k->touch != OPEN) break_loose(z, k);
      break;
    case E_STICK:
      if (k->grip == SLIP && k->touch != OPEN) stop_sliding(k);
      break;
  }
}

/* applies the first events and those tied with them: normal ones first, they may undo the others */
void compliant_apply(compliant *z) {
  double first = INFINITY;
  for (int i = 0; i < z->n_found; i++) first = core_min(first, z->found[i].s);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < z->n_found; i++) {
      const compliant_found *it = &z->found[i];
      int tangential = it->what == E_SLIP || it->what == E_STICK;
      if (it->s <= first + TOL_TIE * z->series.reach && tangential == pass)
        apply(z, it->what, &z->c[it->contact]);
    }
}

/* ---- who touches ---- */

/* The first order at which |x| or rho grows decides between stick and slip; v_t s against
 * (k0/kt) mu |v_n| s when the contact closes at a speed (Proposition 1). */
static void first_grip(compliant *z, compliant_contact *k, const double *v) {
  k->grip = k->tangents == 0 || k->mu == 0 ? FREE : STICK;
  if (k->grip == FREE || isinf(k->mu)) return;
  double along = norm(k->tangents, v + k->t), most = k->mu * k->k0 / k->kt * fabs(v[k->n]);
  if (fabs(along - most) <= TOL_STILL * core_max(along, most))
    k->stick_slip_tie = 1;
  else if (along > most)
    slide(z, k, v + k->t);
}

static void close_contact(compliant *z, compliant_contact *k, const double *v) {
  k->touch = PRESSED;
  k->just_closed = 1;
  k->stick_slip_tie = 0;
  k->from = k->again = 0;
  k->restituting = k->e == 1 && !z->sink; /* its greatest compression changes nothing */
  k->k = k->k0;
  drop_tangent(z, k);
  z->y[k->n] = 0;
  first_grip(z, k, v);
}

static int at_zero(const compliant *z, const compliant_contact *k) {
  return k->touch == OPEN && z->y[k->n] <= 0;
}

static int still(const compliant *z, const compliant_contact *k) {
  return fabs(z->v[k->n]) <= z->v_rounding;
}

/* Rounding is rest: a pressed contact that has neither moved nor given way by more is as good as
 * one that has not closed yet. Whether it will be pressed the forces of the others say. */
static void reset_resting(compliant *z) {
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (k->touch != PRESSED || !compliant_rests(z, k)) continue;
    open_contact(z, k);
    k->rested = 1;
  }
}

static void close_approaching(compliant *z) {
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (at_zero(z, k) && !still(z, k) && z->v[k->n] < 0) close_contact(z, k, z->v);
  }
}

/* a touching contact without normal speed is pressed when what the others do to it says so */
static int close_resting(compliant *z) {
  int changed = 0, rows = z->rows;
  const compliant_series *s = &z->series;
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    double gap[LENGTH];
    if (!at_zero(z, k) || !still(z, k)) continue;
    for (int j = 0; j < LENGTH; j++) gap[j] = s->y[j * rows + k->n];
    int lead = compliant_above(gap, 1, z->v_rounding * s->h), order = 0;
    if (lead >= LENGTH || gap[lead] > 0) continue;
    /* the first velocity that moves it along, up to the one that presses it */
    while (order < lead - 1 && norm(k->tangents, s->v + order * rows + k->t) <= z->v_rounding)
      order++;
    close_contact(z, k, s->v + order * rows);
    changed = 1;
  }
  return changed;
}

/* ---- who sticks ---- */

/* slip that has come to rest while something else happened */
static void find_ties(compliant *z) {
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (k->touch != PRESSED || k->grip != SLIP || k->just_closed) continue;
    double rate = slip_mu(k) * k->k / k->kt * z->v[k->n];
    double speed = dot(k->tangents, z->v + k->t, k->d) + rate;
    int none = no_slip(z, k, speed, rate);
    if (none || speed < 0) stop_sliding(k);
    if (k->grip == SLIP && speed < 0 && !none) k->grip = STICK, k->stick_slip_tie = 0;
  }
}

static int decide_ties(compliant *z) {
  int changed = 0;
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (k->touch != PRESSED || !k->stick_slip_tie || compliant_goes_on(z, i)) continue;
    if (k->grip == SLIP && !friction_drops(k)) continue;
    changed = 1;
    if (k->grip == STICK)
      slide(z, k, z->y + k->t);
    else
      k->grip = STICK, k->stick_slip_tie = 0;
  }
  return changed;
}

/* ---- held contacts: forces and rates depend on each other's modes ---- */

static int held_with_friction(const compliant_contact *k) {
  return k->touch == HELD && k->grip != FREE && isfinite(k->mu);
}

/* Where changing all that disagree does not help, all combinations of stick and slip are tried,
 * like digits of a binary number. */
static void next_combination(compliant *z, int ties_only) {
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (!held_with_friction(k) || (ties_only && !k->stick_slip_tie)) continue;
    if (k->grip == STICK) {
      slide(z, k, z->y + k->t);
      return;
    }
    k->grip = STICK;
  }
}

static int decide_held_ties(compliant *z) {
  int good = 1;
  for (int i = 0; i < z->nc && good; i++)
    if (held_with_friction(&z->c[i]) && z->c[i].stick_slip_tie) good = compliant_goes_on(z, i);
  if (!good) next_combination(z, 1);
  return !good;
}

/* Dragged contacts with W_nn <= mu W_nt.d press themselves in while they slide (Painleve): no force
 * can hold them. */
static int cannot_hold(const compliant *z, const compliant_contact *k) {
  const double *w = z->inertia.W + (size_t)k->n * (size_t)z->rows;
  return k->grip == SLIP &&
         w[k->n] - k->mu * dot(k->tangents, w + k->t, k->d) <= TOL_PAINLEVE * w[k->n];
}

/* Held contacts that would have to pull are let go, the worst first: that may be enough. */
static int release_worst(compliant *z) {
  compliant_contact *worst = NULL;
  double least = 0;
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (k->touch != HELD) continue;
    double force = z->series.held[i] - TOL_HELD_PULL * z->speed * k->k0;
    if (cannot_hold(z, k)) force = -INFINITY;
    if (force > least) continue;
    worst = k;
    least = force;
  }
  if (worst) open_contact(z, worst);
  return worst != NULL;
}

/* Where a contact starts to be held the forces of all held ones change at once, and with them what
 * friction can hold: a tangential spring beyond that slips (its foot has no mass), one within it
 * sticks. 1 when a mode has changed. Springs keep their deflection until all agree. */
static int review_friction(compliant *z, int round) {
  int wrong = 0;
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (!held_with_friction(k)) continue;
    double rho = k->mu * z->series.held[i] / k->kt, x = norm(k->tangents, z->y + k->t);
    int beyond = x > rho * (1 + TOL_AGREE), within = x < rho * (1 - TOL_AGREE);
    if (k->grip == STICK ? !beyond : !within) continue;
    wrong = 1;
    if (round > z->nc) continue;
    if (beyond) slide(z, k, z->y + k->t);
    if (within) k->grip = STICK, k->stick_slip_tie = 0;
  }
  if (wrong && round > z->nc) next_combination(z, 0);
  return wrong;
}

static int review_held(compliant *z, int round) {
  if (release_worst(z) || review_friction(z, round)) return 1;
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (!held_with_friction(k) || k->grip != SLIP) continue;
    fall_back(z, k, z->series.held[i]);
    k->stick_slip_tie = 1;
  }
  return 0;
}

/* ---- all of them ---- */

/* Decides every mode for the next phase and makes its first series. A round changes at least one
 * contact for good: open -> pressed, stick -> slip (or back, once), held -> open. */
core_status compliant_settle(compliant *z) {
  compliant_phase *f = &z->phase;
  z->turn.max_fixed_step = INFINITY;
  for (int i = 0; i < z->nc; i++)
    if (z->c[i].fixed == FOR_NOW) z->c[i].fixed = NOT_FIXED;
  reset_resting(z);
  find_ties(z);
  close_approaching(z);
  int rounds = 4 * z->nc + 4 + (2 << (f->held < 8 ? f->held : 8));
  for (int round = 0; round <= rounds; round++) {
    core_status status = compliant_build(z);
    if (status) return core_fail(z->err, status, "law.compliant: %s", core_status_text(status));
    if (!f->pressed) return CORE_OK;
    compliant_find_turning(z);
    compliant_make_series(z);
    if (!(f->held && review_held(z, round)) && !close_resting(z) && !decide_ties(z) &&
        !(f->held && decide_held_ties(z)))
      return CORE_OK;
  }
  return core_fail(z->err, CORE_LIMIT,
                   "law.compliant: no combination of stick and slip can go on at t = %.6g s%s",
                   z->time * z->unit, f->held ? "; take e > 0 at the held contacts" : "");
}
