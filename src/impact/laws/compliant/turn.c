/* Slip that turns: whose does, and whose direction is known without.
 *
 * Slip turns by v.e / rho. As a contact opens (or is let go) rho goes to zero and d follows v ever
 * faster, and so it does all the time while bodies come to rest against each other and still slide.
 * But then friction hardly gives any impulse that its direction could turn: a fixed one does, and
 * the phase is linear. Where rho is small all the time (eta small) d is on the slow solution near
 * v, which has a series of its own (stiff, series.c).
 */
#include "impact/laws/compliant/fast/fast.h"

const compliant_node compliant_gauss[5] = {{0.14887433898163121088, 0.29552422471475287017},
                                           {0.43339539412924719080, 0.26926671930999635509},
                                           {0.67940956829902440623, 0.21908636251598204400},
                                           {0.86506336668898451073, 0.14945134915058059315},
                                           {0.97390652851717172008, 0.06667134430868813759}};

const compliant_node compliant_gauss_6[3] = {{0.23861918608319690863, 0.46791393457269104739},
                                             {0.66120938646626451366, 0.36076157304813860757},
                                             {0.93246951420315202781, 0.17132449237917034504}};

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

static double normal_force(const compliant *z, const compliant_contact *k) {
  return k->touch == HELD ? k->hold : -k->k * z->y[k->n];
}

/* rate at which the normal force falls */
double compliant_fading(const compliant *z, const compliant_contact *k) {
  return k->touch == HELD ? -k->hold_rate : k->k * z->v[k->n];
}

/* impulse that the contact still gives if its force falls on at the rate it has */
static double impulse_left(const compliant *z, const compliant_contact *k) {
  double force = normal_force(z, k), rate = compliant_fading(z, k);
  return rate > 0 ? force * force / (2 * rate) : INFINITY;
}

/* bound of generalised force i over a time h */
static double most_force(const compliant *z, int i, double h) {
  int row = z->phase.row[i];
  return 2 * z->phase.stiff[i] * (fabs(z->y[row]) + h * fabs(z->v[row]));
}

/* bound of the normal force of contact c over a time h */
static double most_normal(const compliant *z, int c, double h) {
  const compliant_contact *k = &z->c[c];
  double sum = 0, rate = compliant_fading(z, k);
  if (k->touch == PRESSED || rate > 0) return 2 * (normal_force(z, k) + h * fabs(rate));
  for (int i = 0; i < z->phase.m; i++) sum += fabs(z->phase.G[i * z->nc + c]) * most_force(z, i, h);
  return sum;
}

/* What a fixed direction of friction does to the impulse in a time h: mu F_n turns with v, by
 * |v'| h / |v|, from where it is off by now. */
typedef struct drift {
  double push; /* most friction */
  double v;    /* |v_t| */
  double off;  /* |v - |v| d|, what d is off v by: it may also point the other way */
} drift;

static drift drift_over(const compliant *z, int c, double h) {
  const compliant_contact *k = &z->c[c];
  double v = slip_tangential(k, z->v), push = k->mu * most_normal(z, c, h);
  return (drift){push, v, hypot(slip_across(k, z->v), slip_along(k, z->v) - v)};
}

/* most |v_t'| */
static double most_rate(compliant *z, const compliant_contact *k, double h) {
  double rate = 0;
  compliant_make_B(z);
  for (int i = 0; i < z->phase.m; i++) {
    const double *b = z->phase.B + i * z->rows + k->t;
    rate += (fabs(b[0]) + fabs(b[1])) * most_force(z, i, h);
  }
  return rate;
}

/* along v, at the time `ahead` from now */
static void align(compliant *z, compliant_contact *k, double ahead) {
  const compliant_phase *f = &z->phase;
  double v[2] = {z->v[k->t], z->v[k->t + 1]};
  for (int i = 0; i < f->m; i++)
    for (int t = 0; t < 2; t++)
      v[t] -= ahead * f->B[i * z->rows + k->t + t] * f->stiff[i] * z->y[f->row[i]];
  double size = hypot(v[0], v[1]);
  for (int t = 0; t < 2 && size > 0; t++) k->d[t] = v[t] / size;
}

/* Leaves a direction as it is for the next step of at most h where nobody can tell from the
 * impulse, as when bodies come to rest against each other while they slide and rho/|v| is tiny. A
 * held contact whose d follows v far faster (by the time rho/|v|) than anything else happens gets
 * the direction of the middle of a step short enough for its error, mu F_n h (|v'| h / |v|)^2. */
static int fix_for_now(compliant *z, int c, double so_far) {
  compliant_contact *k = &z->c[c];
  double h = 2 / z->phase.omega, rate = compliant_fading(z, k),
         room = TOL_FIXED * z->loose * so_far;
  if (rate > 0) h = core_min(h, 2 * normal_force(z, k) / rate);
  drift r = drift_over(z, c, h);
  if (r.push * h * 2 * r.v <= room * r.v) return 1;
  if (k->touch != HELD && r.push * h * r.off > room * r.v) return 0;
  double turned = most_rate(z, k, h), lag = slip_tangential(k, z->y) / r.v;
  if (r.push * h * (r.off + turned * h) <= room * r.v) return 1;
  double step = core_min(h, cbrt(room * r.v * r.v / (r.push * turned * turned)));
  if (k->touch != HELD || step < LIMIT_LAGS * lag || r.push * lag * r.off > room * r.v) return 0;
  align(z, k, step / 2 - lag);
  z->max_fixed_step = core_min(z->max_fixed_step, step);
  return 1;
}

/* Fixes the direction of a contact whose friction cannot turn the impulse beyond rounding in the
 * next step, or whose impulse is all but given (its mean, when the rest moves v by less than the
 * square root of rounding). */
static compliant_fixed fix_direction(compliant *z, int c, double so_far) {
  compliant_contact *k = &z->c[c];
  if (k->fixed == FOR_GOOD) return FOR_GOOD;
  if (fix_for_now(z, c, so_far)) return FOR_NOW;
  return fast_mean_direction(z, k, impulse_left(z, k), so_far) ? FOR_GOOD : NOT_FIXED;
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
