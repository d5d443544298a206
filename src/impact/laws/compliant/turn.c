/* Slip that turns: whose does, and whose direction is known without.
 *
 * Slip turns by v.e / rho. As a contact opens (or is let go) rho goes to zero and d follows v ever
 * faster, and so it does all the time while bodies come to rest against each other and still slide.
 * But then friction hardly gives any impulse that its direction could turn: a fixed one does, and
 * the phase is linear (more of that: fast/fixed.c). Where rho is small all the time (eta small) d
 * is on the slow solution near v, which has a series of its own (fast/stiff.c).
 */
#include "impact/laws/compliant/fast/fast.h"

/* ---- who turns ---- */

/* Slip keeps its direction when nothing that can push has a component across it. Theorem 2 of the
 * paper is the case of one contact. */
static int keeps_direction(compliant *z, const compliant_contact *k) {
  if (fabs(slip_across(k, z->v)) > TOL_ACROSS * z->speed) return 0;
  compliant_make_B(z);
  for (int i = 0; i < z->phase.m; i++) {
    const double *b = z->phase.B + i * z->rows;
    if (fabs(slip_across(k, b)) > TOL_ACROSS * compliant_largest(z->rows, b)) return 0;
  }
  return 1;
}

static int slips_in_plane(const compliant_contact *k) {
  return k->touch != OPEN && k->grip == SLIP && k->tangents == 2;
}

static int may_turn(const compliant_contact *k) {
  return slips_in_plane(k) && !k->fixed;
}

/* late: pressed and dragged from complete rest, d is known, but not yet v along it. A step with d
 * as it is, until the contact is pressed in by more than rounding, brings v. */
void compliant_find_turning(compliant *z) {
  compliant_phase *f = &z->phase;
  f->turning = f->late = 0;
  for (int i = 0; i < z->nc; i++) {
    f->turning |= may_turn(&z->c[i]) && !keeps_direction(z, &z->c[i]);
    f->late |= may_turn(&z->c[i]) && compliant_at_rest(z, &z->c[i]);
  }
  if (f->late) f->turning = 0;
  for (int i = 0; i < z->nc; i++) z->c[i].turning = f->turning && may_turn(&z->c[i]);
}

/* ---- who is fixed ---- */

/* rate at which the normal force falls */
double compliant_fading(const compliant *z, const compliant_contact *k) {
  return k->touch == HELD ? -k->hold_rate : k->k * z->v[k->n];
}

/* impulse that the contact still gives if its force falls on at the rate it has */
double compliant_impulse_left(const compliant *z, const compliant_contact *k) {
  double force = compliant_normal_force(z, k), rate = compliant_fading(z, k);
  return rate > 0 ? force * force / (2 * rate) : INFINITY;
}

/* Fixes the direction of a contact about to open once what friction can still give is rounding. */
static compliant_fixed fix_direction(compliant *z, int i, double so_far) {
  const compliant_contact *k = &z->c[i];
  if (k->fixed == FOR_GOOD) return FOR_GOOD;
  double left = LIMIT_LEFT * k->mu * compliant_impulse_left(z, k);
  if (left <= TOL_FIXED * z->loose * so_far) return FOR_NOW;
  return fast_fix_direction(z, i, so_far);
}

core_status compliant_fix_directions(compliant *z) {
  if (z->phase.late) compliant_find_turning(z);
  if (z->pr->dim < 3) return CORE_OK;
  int changed = 0;
  double so_far = compliant_given(z);
  z->max_fixed_step = INFINITY;
  for (int i = 0; i < z->nc && so_far > 0; i++) {
    compliant_contact *k = &z->c[i];
    if (!slips_in_plane(k)) continue;
    compliant_fixed before = k->fixed;
    k->fixed = fix_direction(z, i, so_far);
    changed |= k->fixed != before || k->fixed == FOR_NOW;
  }
  if (!changed && !(z->phase.turning && z->phase.held)) return CORE_OK;
  core_status status = compliant_build(z); /* directions have moved on */
  if (changed) compliant_find_turning(z);
  return status;
}
