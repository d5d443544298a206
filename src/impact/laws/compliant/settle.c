/* Between two phases: which modes can really go on.
 *
 * Forces are continuous through every event but the start of holding (change.c). So accelerations
 * just after an event do not depend on the modes that are still in question, and each of these is
 * decided alone, from the sign of the first coefficient of its margin that is not zero:
 *
 *   a contact at zero gap with v_n = 0   closes when the first coefficient of its gap is negative
 *   a contact that closes                slips when |x| outgrows rho from the first order on
 *   a contact with |x| = rho and no slip sticks when rho - |x| grows, taking stick for granted
 *
 * Whenever two events fall together (slip stops as compression ends) this says what goes on. If a
 * tie is missed by a time dt, modes are wrong for dt only, and forces by dt: impulses by dt^2.
 */
#include "impact/laws/compliant/fast/fast.h"

/* ---- who touches ---- */

/* The first order at which |x| or rho grows decides between stick and slip; v_t s against
 * (k0/kt) mu |v_n| s when the contact closes at a speed (Proposition 1). v: of that order, v_n: its
 * normal row, 0 when what presses the contact comes later. */
static void first_grip(compliant *z, compliant_contact *k, const double *v, double v_n) {
  k->grip = k->tangents == 0 || k->mu == 0 ? FREE : STICK;
  if (k->grip == FREE || isinf(k->mu)) return;
  double along = norm(k->tangents, v + k->t), most = k->mu * k->k0 / k->kt * fabs(v_n);
  if (along > most) compliant_slide(z, k, v + k->t);
}

static void close_contact(compliant *z, compliant_contact *k, const double *v, double v_n) {
  k->touch = PRESSED;
  k->just_closed = 1;
  k->closing = 0;
  k->stiff_from = z->time;
  k->stick_slip_tie = 0;
  k->from = k->again = 0;
  k->restituting = k->e == 1 && !z->sink; /* its greatest compression changes nothing */
  k->k = k->k0;
  compliant_drop_tangent(z, k);
  z->y[k->n] = 0;
  first_grip(z, k, v, v_n);
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
    compliant_open(z, k);
    k->rested = 1;
  }
}

static void close_approaching(compliant *z) {
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (at_zero(z, k) && !still(z, k) && z->v[k->n] < 0) close_contact(z, k, z->v, z->v[k->n]);
  }
}

/* The order of its gap from which on what the others do presses contact k, which touches without
 * normal speed; more than LENGTH when nothing does. The tiny first step of slip that turns
 * elsewhere may show nothing of that: where two phases in a row have ended because its gap closes,
 * it is. */
static int pressed_from(const compliant *z, const compliant_contact *k) {
  if (!at_zero(z, k) || !still(z, k)) return LENGTH + 1;
  int lead = compliant_lead(z, k, 1);
  int pressed = lead < LENGTH ? z->series.y[lead * z->rows + k->n] < 0 : k->closing >= 2;
  return pressed ? lead : LENGTH + 1;
}

/* Contacts at rest are pressed one after the other through each other: the first order first, for
 * what it does may lift those of higher ones. */
static int close_resting(compliant *z) {
  int rows = z->rows, lead = LENGTH + 1;
  const double *v = z->series.v;
  for (int i = 0; i < z->nc; i++) {
    int from = pressed_from(z, &z->c[i]);
    if (from < lead) lead = from;
  }
  for (int i = 0; i < z->nc && lead <= LENGTH; i++) {
    compliant_contact *k = &z->c[i];
    if (pressed_from(z, k) != lead) continue;
    int order = 0; /* of the first velocity that moves it along, up to the one that presses it */
    while (order < lead - 1 && norm(k->tangents, v + order * rows + k->t) <= z->v_rounding) order++;
    close_contact(z, k, v + order * rows, order < lead - 1 ? 0 : v[order * rows + k->n]);
  }
  return lead <= LENGTH;
}

/* those that were pressed from rest, and are lifted by what has been decided since */
static int open_lifted(compliant *z) {
  int changed = 0;
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (k->touch != PRESSED || !k->just_closed || !still(z, k)) continue;
    int lead = compliant_lead(z, k, 1);
    if (lead >= LENGTH || z->series.y[lead * z->rows + k->n] < 0) continue;
    compliant_open(z, k);
    changed = 1;
  }
  return changed;
}

/* ---- who sticks ---- */

static int decide_ties(compliant *z) {
  int changed = 0;
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (k->touch != PRESSED || !k->stick_slip_tie || compliant_goes_on(z, i)) continue;
    if (k->grip == SLIP && !friction_drops(k)) continue;
    changed = 1;
    if (k->grip == STICK)
      compliant_slide(z, k, z->y + k->t);
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
static void next_combination(compliant *z) {
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (!held_with_friction(k) || !k->stick_slip_tie) continue;
    if (k->grip == STICK) {
      compliant_slide(z, k, z->y + k->t);
      return;
    }
    k->grip = STICK;
  }
}

static int decide_held_ties(compliant *z) {
  int good = 1;
  for (int i = 0; i < z->nc && good; i++)
    if (held_with_friction(&z->c[i]) && z->c[i].stick_slip_tie) good = compliant_goes_on(z, i);
  if (!good) next_combination(z);
  return !good;
}

/* Dragged contacts with W_nn <= mu W_nt.d press themselves in while they slide (Painleve): no force
 * can hold them. */
static int cannot_hold(const compliant *z, const compliant_contact *k) {
  const double *w = z->W + (size_t)k->n * (size_t)z->rows;
  return k->grip == SLIP &&
         w[k->n] - k->mu * dot(k->tangents, w + k->t, k->d) <= TOL_PAINLEVE * w[k->n];
}

/* held again, and its spring, which kept its deflection, slips */
static void hold_again(compliant *z, compliant_contact *k) {
  k->let_go = 0;
  k->touch = HELD;
  if (k->grip != FREE && isfinite(k->mu)) compliant_slide(z, k, z->y + k->t);
}

/* 1 when contact i is not in the state that its force, or the acceleration without one, asks for:
 * then it is put one state on */
static int correct_held(compliant *z, int i) {
  compliant_contact *k = &z->c[i];
  double force = z->series.held[i], x = norm(k->tangents, z->y + k->t);
  if (k->let_go) {
    int pressed = z->series.y[2 * z->rows + k->n] < -z->v_rounding * z->series.h;
    if (pressed) hold_again(z, k);
    return pressed;
  }
  if (k->touch != HELD) return 0;
  double rho = k->mu * force / k->kt;
  int friction = held_with_friction(k);
  if (friction && k->grip == STICK && x > 0 && x > rho * (1 + TOL_AGREE))
    compliant_slide(z, k, z->y + k->t);
  else if (force <= 0 || cannot_hold(z, k))
    k->touch = OPEN, k->let_go = 1;
  else if (friction && k->grip == SLIP && x < rho * (1 - TOL_AGREE))
    k->grip = STICK, k->stick_slip_tie = 0;
  else
    return 0;
  return 1;
}

static void open_let_go(compliant *z) {
  for (int i = 0; i < z->nc; i++)
    if (z->c[i].let_go) compliant_open(z, &z->c[i]);
}

/* Where a contact starts to be held the forces of all held ones change at once, and with them what
 * friction can hold. With x its deflection until then, a held contact whose force F_n grows from 0
 * is let go, slips (its spring falls back to x = rho, its foot has no mass) and sticks from
 * F_n = kt |x| / mu on. Springs keep their deflection until all agree. The first
 * that is wrong changes, then all are looked at anew: Murty's rule, which ends where the answer is
 * unique. */
static int review_held(compliant *z) {
  int changed = 0;
  for (int i = 0; i < z->nc && !changed; i++) changed |= correct_held(z, i);
  for (int i = 0; i < z->nc && !changed; i++) {
    compliant_contact *k = &z->c[i];
    if (!held_with_friction(k) || k->grip != SLIP) continue;
    compliant_fall_back(z, k, z->series.held[i]);
    k->stick_slip_tie = 1;
  }
  if (!changed) open_let_go(z);
  return changed;
}

/* ---- all of them ---- */

/* Decides every mode for the next phase and makes its first series. A round changes at least one
 * contact for good: open -> pressed, stick -> slip (or back, once), held -> open. */
core_status compliant_settle(compliant *z) {
  compliant_phase *f = &z->phase;
  z->max_fixed_step = INFINITY;
  for (int i = 0; i < z->nc; i++)
    if (z->c[i].fixed == FOR_NOW) z->c[i].fixed = NOT_FIXED;
  reset_resting(z);
  close_approaching(z);
  int rounds = 4 * z->nc + 4 + (2 << (f->held < 8 ? f->held : 8));
  for (int round = 0; round <= rounds; round++) {
    core_status status = compliant_build(z);
    if (status) return core_fail(z->err, status, "law.compliant: %s", core_status_text(status));
    if (!f->pressed) {
      open_let_go(z);
      return CORE_OK;
    }
    compliant_find_turning(z);
    compliant_make_series(z, fast_time_ahead(z));
    if (!review_held(z) && !open_lifted(z) && !close_resting(z) && !decide_ties(z) &&
        !(f->held && decide_held_ties(z)))
      return CORE_OK;
  }
  return core_fail(z->err, CORE_LIMIT,
                   "law.compliant: no combination of stick and slip can go on at t = %.6g s%s",
                   z->time * z->unit, f->held ? "; take e > 0 at the held contacts" : "");
}
