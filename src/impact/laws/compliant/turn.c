/* Slip that turns: whose does, how far a step reaches, and when its direction is known without.
 *
 * Slip turns by v.e / rho. As a contact opens (or is let go) rho goes to zero and d follows v ever
 * faster, and so it does all the time while bodies come to rest against each other and still slide.
 * But then friction hardly gives any impulse that its direction could turn: a fixed one does, and
 * the phase is linear. Where rho is small all the time (eta small) d is on the slow solution near
 * v, which has a series of its own (stiff, series.c).
 */
#include <float.h>
#include <string.h>

#include "impact/laws/compliant/state.h"

const compliant_node compliant_gauss[5] = {{0.14887433898163121088, 0.29552422471475287017},
                                           {0.43339539412924719080, 0.26926671930999635509},
                                           {0.67940956829902440623, 0.21908636251598204400},
                                           {0.86506336668898451073, 0.14945134915058059315},
                                           {0.97390652851717172008, 0.06667134430868813759}};

/* components of x across and along the direction of slip */
static double across(const compliant_contact *k, const double *x) {
  return k->d[0] * x[k->t + 1] - k->d[1] * x[k->t];
}

static double along(const compliant_contact *k, const double *x) {
  return k->d[0] * x[k->t] + k->d[1] * x[k->t + 1];
}

static double tangential(const compliant_contact *k, const double *x) {
  return hypot(x[k->t], x[k->t + 1]);
}

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = core_max(most, fabs(x[i]));
  return most;
}

/* impulse so far, what rounding counts from */
static double given(const compliant *z) {
  return largest(z->rows, z->p);
}

/* ---- who turns ---- */

/* Slip keeps its direction when nothing that can push has a component across it. Theorem 2 of the
 * paper is the case of one contact. */
static int keeps_direction(const compliant *z, const compliant_contact *k) {
  if (fabs(across(k, z->v)) > TOL_ACROSS * z->speed) return 0;
  for (int i = 0; i < z->phase.m; i++) {
    const double *b = z->phase.B + i * z->rows;
    if (fabs(across(k, b)) > TOL_ACROSS * largest(z->rows, b)) return 0;
  }
  return 1;
}

static int slips_in_plane(const compliant_contact *k) {
  return k->touch != OPEN && k->grip == SLIP && k->tangents == 2;
}

static int may_turn(const compliant_contact *k) {
  return slips_in_plane(k) && !k->fixed;
}

/* Pressed and dragged from complete rest: d is known, but not yet v along it. A tiny step with d as
 * it is brings v; force grows from zero so slowly meanwhile that its direction cannot matter. */
static int starts_from_rest(const compliant *z, const compliant_contact *k) {
  return may_turn(k) && k->just_closed && tangential(k, z->v) <= z->v_rounding;
}

void compliant_find_turning(compliant *z) {
  compliant_phase *f = &z->phase;
  f->turning = f->late = 0;
  for (int i = 0; i < z->nc; i++) {
    f->turning |= may_turn(&z->c[i]) && !keeps_direction(z, &z->c[i]);
    f->late |= starts_from_rest(z, &z->c[i]);
  }
  if (f->late) f->turning = 0;
  for (int i = 0; i < z->nc; i++) z->c[i].turning = f->turning && may_turn(&z->c[i]);
}

/* ---- who is fixed ---- */

static double normal_force(const compliant *z, const compliant_contact *k) {
  return k->touch == HELD ? k->hold : -k->k * z->y[k->n];
}

/* rate at which the normal force falls */
static double fading(const compliant *z, const compliant_contact *k) {
  return k->touch == HELD ? -k->hold_rate : k->k * z->v[k->n];
}

/* impulse that the contact still gives if its force falls on at the rate it has */
static double impulse_left(const compliant *z, const compliant_contact *k) {
  double force = normal_force(z, k), rate = fading(z, k);
  return rate > 0 ? force * force / (2 * rate) : INFINITY;
}

/* The mean direction of what friction still gives, for a contact about to open. With v constant the
 * angle a from v to d obeys tan(a/2) = tan(a0/2) u^l, u = F_n / F_n(now), l = |v| / |rho'|, and
 * the force goes with u: the mean of (cos a, sin a) with weight 2 u du; u = w^2 tames the power. 0
 * when l is large: then d will soon be along v anyway. */
static int mean_direction(const compliant *z, const compliant_contact *k, double *mean) {
  double side = across(k, z->v), ahead = along(k, z->v), v = hypot(side, ahead);
  double power = v / (slip_mu(k) / k->kt * fading(z, k));
  double slope = -side / (v + ahead), c = 0, s = 0; /* tan(a0/2), a from v to d */
  if (!(power < 4) || !(v + ahead > 0.1 * v)) return 0;
  for (int i = 0; i < 10; i++) {
    compliant_node g = compliant_gauss[i / 2];
    double u = (1 + (i % 2 ? g.x : -g.x)) / 2, t = slope * pow(u, 2 * power);
    double by = 2 * u * u * u * g.weight / (1 + t * t);
    c += by * (1 - t * t);
    s += by * 2 * t;
  }
  const double *tangent = z->v + k->t;
  mean[0] = (c * tangent[0] - s * tangent[1]) / v;
  mean[1] = (c * tangent[1] + s * tangent[0]) / v;
  return 1;
}

/* bound of generalised force i over a time h */
static double most_force(const compliant *z, int i, double h) {
  int row = z->phase.row[i];
  return 2 * z->phase.stiff[i] * (fabs(z->y[row]) + h * fabs(z->v[row]));
}

/* bound of the normal force of contact c over a time h */
static double most_normal(const compliant *z, int c, double h) {
  const compliant_contact *k = &z->c[c];
  double sum = 0, rate = fading(z, k);
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
  double rate; /* most |v_t'| */
} drift;

static drift drift_over(const compliant *z, int c, double h) {
  const compliant_contact *k = &z->c[c];
  double v = tangential(k, z->v), push = k->mu * most_normal(z, c, h);
  drift r = {push, v, hypot(across(k, z->v), along(k, z->v) - v), 0};
  for (int i = 0; i < z->phase.m; i++) {
    const double *b = z->phase.B + i * z->rows + k->t;
    r.rate += (fabs(b[0]) + fabs(b[1])) * most_force(z, i, h);
  }
  return r;
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

/* Fixes a direction along v for the next step of at most h where nobody can tell from the impulse,
 * as when bodies come to rest against each other while they slide and rho/|v| is tiny. A held
 * contact whose d follows v far faster (by the time rho/|v|) than anything else happens gets the
 * direction of the middle of a step short enough for its error, mu F_n h (|v'| h / |v|)^2. */
static int fix_for_now(compliant *z, int c, double so_far) {
  compliant_contact *k = &z->c[c];
  double h = 2 / z->phase.omega, rate = fading(z, k), room = TOL_FIXED * so_far;
  if (rate > 0) h = core_min(h, 2 * normal_force(z, k) / rate);
  drift r = drift_over(z, c, h);
  if (r.push * h * core_min(r.off + r.rate * h, 2 * r.v) <= room * r.v) {
    align(z, k, 0);
    return 1;
  }
  double lag = tangential(k, z->y) / r.v;
  double step = core_min(h, cbrt(room * r.v * r.v / (r.push * r.rate * r.rate)));
  if (k->touch != HELD || step < 20 * lag || r.push * lag * r.off > room * r.v) return 0;
  align(z, k, step / 2 - lag);
  z->turn.max_fixed_step = core_min(z->turn.max_fixed_step, step);
  return 1;
}

/* Fixes the direction of a contact whose friction cannot turn the impulse beyond rounding in the
 * next step, or whose impulse is all but given (its mean, when the rest moves v by less than the
 * square root of rounding). */
static compliant_fixed fix_direction(compliant *z, int c, double so_far) {
  compliant_contact *k = &z->c[c];
  double left = impulse_left(z, k);
  if (k->fixed == FOR_GOOD && left <= TOL_MEAN_KEEPS * so_far) return FOR_GOOD;
  if (fix_for_now(z, c, so_far)) return FOR_NOW;
  return left <= TOL_MEAN * so_far && mean_direction(z, k, k->d) ? FOR_GOOD : NOT_FIXED;
}

core_status compliant_fix_directions(compliant *z) {
  if (z->phase.late) compliant_find_turning(z);
  if (z->pr->dim < 3) return CORE_OK;
  int changed = 0;
  double so_far = given(z);
  z->turn.max_fixed_step = INFINITY;
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

/* ---- the step ---- */

/* the turning contact that opens first; its force paces the time */
static int find_lead(const compliant *z) {
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
static double natural_step(const compliant *z, int lead) {
  double h = 2 / z->phase.omega;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (!k->turning || k->just_closed) continue;
    double v = tangential(k, z->v);
    if (v > 0 && !k->stiff) h = core_min(h, 3 * tangential(k, z->y) / v);
    if (i == lead) h = core_min(h, -z->y[k->n] / z->v[k->n]);
  }
  return h;
}

/* part of the whole impulse that contact k can give in a step of length h */
static double weight(const compliant *z, const compliant_contact *k, double h, double so_far) {
  double now = k->mu * h * core_max(-k->k * z->y[k->n], k->k * h * fabs(z->v[k->n]));
  if (k->touch == HELD) return 1;
  return core_max(core_min(1, now / core_max(so_far, DBL_MIN)), 1e-10);
}

/* d comes to v like exp(-|v| t / rho), which a polynomial of this order does not follow, but blows
 * up, beyond 8 rho / |v| */
static double stable_reach(const compliant *z, const compliant_contact *k) {
  double v = tangential(k, z->v);
  if (k->just_closed || k->stiff || !(v > 0)) return INFINITY;
  return 8 * tangential(k, z->y) / (v * z->series.h);
}

/* Velocities to rounding; directions and deflections so that the impulse they make is: the last two
 * terms, in units of what they may be, grow as s^j. */
static double usable_reach(const compliant *z) {
  const compliant_series *s = &z->series;
  double so_far = given(z), last[2], reach = LIMIT_STRETCH;
  for (int l = 0; l < 2; l++) last[l] = largest(z->rows, s->v + (N - l) * z->rows) / z->speed;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    const compliant_turn *a = &z->turn.of[i];
    if (!k->turning) continue;
    reach = core_min(reach, stable_reach(z, k));
    double part = weight(z, k, s->h, so_far), deep = core_max(fabs(z->y[k->n]), s->h * z->speed);
    for (int l = 0; l < 2; l++) {
      double bend = core_max(fabs(a->d[0][N - l]), fabs(a->d[1][N - l]));
      double press = fabs(s->y[(N - l) * z->rows + k->n]) / deep;
      last[l] = core_max(last[l], part * core_max(bend, press));
    }
  }
  for (int l = 0; l < 2; l++)
    reach = core_min(reach, core_taylor_reach(last[l], N - l, TOL_SERIES));
  return reach;
}

static void rescale(compliant *z, double x) {
  compliant_series *s = &z->series;
  for (int r = 0; r < z->rows; r++) {
    core_taylor_stretch(N, s->y + r, z->rows, x);
    core_taylor_stretch(N, s->v + r, z->rows, x);
    core_taylor_stretch(N, s->f + r, z->rows, x);
  }
  for (int i = 0; i < z->nc; i++) {
    if (z->c[i].touch == HELD) core_taylor_stretch(N, s->held + i, z->nc, x);
    for (int t = 0; z->c[i].turning && t < 2; t++) core_taylor_stretch(N, z->turn.of[i].d[t], 1, x);
  }
  if (s->uneven) core_taylor_stretch(N, s->pace, 1, x);
  s->h *= x;
  s->reach = 1;
}

/* ---- stiff contacts ---- */

/* How far d is off the slow solution, in units of what may be: it comes to it within rho / |v|, and
 * the impulse that it turns meanwhile must be nothing. */
static double off_slow(const compliant *z, int i, double so_far) {
  const compliant_contact *k = &z->c[i];
  double force = z->series.f_row[k->n * PAD], rho = slip_mu(k) / k->kt * force;
  double ahead = along(k, z->v);
  double angle = fabs(across(k, z->v) - rho * z->turn.of[i].q[0]) / ahead;
  return core_max(angle / TOL_OFF_SLOW,
                  angle * k->mu * force * rho / ahead / (TOL_OFF_SLOW_IMPULSE * so_far));
}

typedef enum outcome { SETTLED, OFF_SLOW, NO_END } outcome;

/* sweeps until the rates of turning of the stiff contacts stand still. OFF_SLOW: some d is not on
 * the slow solution, and sweeps bring it no nearer; NO_END: they do not settle, the step is too
 * long */
static outcome settle_sweeps(compliant *z, int lead) {
  double so_far = given(z), before = INFINITY;
  for (int i = 0; i < z->nc; i++)
    if (z->c[i].stiff) memset(z->turn.of[i].q, 0, sizeof z->turn.of[i].q);
  for (int round = 0; round < 16; round++) {
    double change = 0, off = 0, size = 1 / z->series.h;
    compliant_turn_series(z, lead);
    for (int i = 0; i < z->nc; i++) {
      const compliant_turn *a = &z->turn.of[i];
      if (!z->c[i].stiff) continue;
      for (int j = 0; j < N; j++) change = core_max(change, fabs(a->q[j] - a->old[j]));
      size = core_max(size, largest(N, a->q));
      off = core_max(off, off_slow(z, i, so_far));
    }
    if (!(change < before)) return NO_END;
    if (off > 100) return OFF_SLOW;
    if (change <= TOL_SWEEPS * size) return off <= 1 ? SETTLED : OFF_SLOW;
    before = change;
  }
  return NO_END;
}

/* Would take a hundred small steps where the rest of the system takes one; and d is near v, on
 * which the slow solution is within 1/150 or so. */
static int mark_stiff(compliant *z) {
  int any = 0;
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    k->stiff = k->turning && k->touch == PRESSED && !k->just_closed;
    if (!k->stiff) continue;
    double ahead = along(k, z->v);
    k->stiff =
        ahead > 150 * tangential(k, z->y) * z->phase.omega && fabs(across(k, z->v)) < 0.03 * ahead;
    any |= k->stiff;
  }
  return any;
}

/* those whose d is not on the slow solution are not stiff yet; 1 when others are left */
static int drop_unsettled(compliant *z) {
  double so_far = given(z);
  int left = 0;
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (k->stiff) k->stiff = off_slow(z, i, so_far) <= 1;
    left |= k->stiff;
  }
  return left;
}

/* the small step that stiffness is worth avoiding, of the contact that needs it most */
static double smallest_step(const compliant *z) {
  double h = INFINITY;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (k->stiff) h = core_min(h, 3 * tangential(k, z->y) / along(k, z->v));
  }
  return h;
}

/* The series with stiff contacts, when there are some and they have settled. Where slip has just
 * set out from rest it reaches no further than the time since: then a shorter step is tried, as
 * long as it is worth it. */
static int stiff_series(compliant *z) {
  compliant_series *s = &z->series;
  if (z->turn.patience > 0) {
    z->turn.patience--;
    return 0;
  }
  int any = mark_stiff(z), more = any;
  double part = 1;
  while (more) {
    int lead = find_lead(z);
    s->h = natural_step(z, lead) * part;
    outcome o = settle_sweeps(z, lead);
    if (o == SETTLED) return 1;
    if (o == OFF_SLOW) more = drop_unsettled(z);
    if (o == NO_END) more = (part /= 16) > 1e-4 && s->h > 1000 * smallest_step(z);
  }
  if (any) z->turn.patience = 20;
  for (int i = 0; i < z->nc; i++) z->c[i].stiff = 0;
  return 0;
}

void compliant_stride_series(compliant *z) {
  compliant_series *s = &z->series;
  double *stride = &z->turn.stride;
  int stiff = stiff_series(z);
  if (!stiff) {
    int lead = find_lead(z);
    s->h = natural_step(z, lead) * *stride;
    compliant_turn_series(z, lead);
  }
  double reach = usable_reach(z);
  if (!stiff) *stride = core_min(core_max(*stride * reach, 0.05), 1);
  s->reach = reach;
  if (reach < 0.7) rescale(z, reach);
}
