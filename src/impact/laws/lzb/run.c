/* The course of an impact by law.lzb: from event to event, and over flights.
 *
 * A contact that opens moves on with its gap, -d, and may come back under load or after a flight in
 * which nothing is pressed. Both are of the size of the deflections: nothing, for rigid bodies. The
 * impact is over when no contact is loaded and none approaches.
 *
 * Why it ends. Forces are bounded by the energy, which never grows, so that a contact needs a time
 * between its events; what bounces ever lower comes to rest (TOL_LZB_AT_REST); springs that hold
 * more than all kinetic energy show that something cannot be stopped (jam).
 */
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "core/lin.h"
#include "impact/laws/lzb/state.h"
#include "impact/laws/tolerance.h"

enum { MOST_STEPS = 200000 };
/* which contact has its root taken: chosen for speed, the step size keeps the accuracy */
static const double MUCH_NEARER = 0.3, PART_ROUGH = 0.01, PART_FAST = 0.01;

/* ---- phases ---- */

static double least(const lzb_contact *c) {
  return TOL_LZB_LENGTH * c->length;
}

static void enter(lzb *z, int i, lzb_phase phase) {
  z->c[i].phase = phase;
  z->c[i].from = lzb_touches(&z->c[i]) ? lzb_energy(z, &z->c[i], z->y[i]) : 0;
}

static void opens(lzb *z, int i) {
  z->y[i] = 0;
  z->c[i].last = z->c[i].grip;
  enter(z, i, LZB_APART);
  lzb_tell(z, IMPACT_OPEN, i, z->y);
}

/* greatest compression: nothing comes back with e = 0, and the contact is free at once */
static void expands(lzb *z, int i) {
  lzb_contact *c = &z->c[i];
  c->absorbed += lzb_energy(z, c, z->y[i]) - c->from;
  enter(z, i, LZB_EXPANDING);
  lzb_tell(z, IMPACT_COMPRESSION_END, i, z->y);
  if (c->e == 0) opens(z, i);
}

static void ends_expansion(lzb *z, int i) {
  lzb_contact *c = &z->c[i];
  double held = z->y[i] > least(c) ? lzb_energy(z, c, z->y[i]) : 0;
  c->returned += c->e * c->e * (c->from - held);
  if (held > 0)
    enter(z, i, LZB_PRESSED);
  else
    opens(z, i);
}

/* A contact without load comes nearer: by its velocity, or, where that is rounding, by what the
 * others do to it. */
static int approaches(lzb *z, int i) {
  int n = z->c[i].n;
  double rate = 0;
  lzb_forces(z, z->y);
  if (fabs(z->v[n]) > 2 * z->noise) return z->v[n] < 0;
  for (int j = 0; j < z->rows; j++) rate += z->W[j * z->rows + n] * z->f[j];
  return rate < 0 || (rate == 0 && z->v[n] <= 0);
}

/* 1 when contact i is in another phase now */
static int move_on(lzb *z, int i) {
  lzb_contact *c = &z->c[i];
  double vn = z->v[c->n], half = z->noise / 2;
  lzb_phase was = c->phase;
  if (was == LZB_APART && z->y[i] >= -least(c) && approaches(z, i)) {
    z->y[i] = 0;
    enter(z, i, LZB_PRESSED);
    if (lzb_time(z, z->y) > 0) lzb_tell(z, IMPACT_CLOSE, i, z->y);
  } else if (was == LZB_PRESSED && z->y[i] > least(c) && vn > half) {
    expands(z, i);
  } else if (was == LZB_PRESSED && z->y[i] <= least(c) && !approaches(z, i)) {
    z->y[i] = 0, enter(z, i, LZB_APART);
  } else if (was == LZB_EXPANDING && (z->y[i] <= least(c) || vn < -half)) {
    ends_expansion(z, i);
  }
  return c->phase != was;
}

static void move_all_on(lzb *z) {
  lzb_velocity(z, z->y);
  for (int i = 0; i < z->nc; i++)
    while (move_on(z, i)) lzb_velocity(z, z->y);
}

/* ---- friction ---- */

static int reverses(const lzb_contact *c, const double *d) {
  return c->d[0] * d[0] + (lzb_tangents(c) > 1 ? c->d[1] * d[1] : 0) < 0;
}

static void tell_grip(lzb *z, int i, const double *d) {
  const lzb_contact *c = &z->c[i];
  if (c->before == LZB_SLIDE && c->grip == LZB_STICK) lzb_tell(z, IMPACT_STICK, i, z->y);
  if (c->before == LZB_STICK && c->grip == LZB_SLIDE) lzb_tell(z, IMPACT_SLIP, i, z->y);
  if (c->before == LZB_SLIDE && c->grip == LZB_SLIDE && reverses(c, d))
    lzb_tell(z, IMPACT_REVERSAL, i, z->y);
}

static core_status settle(lzb *z) {
  for (int i = 0; i < z->nc; i++) {
    z->c[i].before = z->c[i].grip;
    memcpy(z->d + 2 * i, z->c[i].d, sizeof z->c[i].d);
  }
  core_status status = lzb_settle(z);
  for (int i = 0; i < z->nc && !status; i++) tell_grip(z, i, z->d + 2 * i);
  return status;
}

/* ---- pieces ---- */

/* what rounding makes of v- + W p */
static void measure_noise(lzb *z) {
  double most = 1;
  for (int r = 0; r < z->rows; r++) {
    double sum = fabs(z->v0[r]);
    for (int j = 0; j < z->rows; j++) sum += fabs(z->W[j * z->rows + r] * z->y[z->nc + j]);
    most = fmax(most, sum);
  }
  z->noise = TOL_REST * most;
}

/* T = v- W^+ v- / 2, infinite when a part of v- is out of reach of all impulses */
static core_status kinetic(lzb *z, double *energy) {
  size_t rows = (size_t)z->rows;
  core_mark mark = core_scratch_mark(z->s);
  double *p = core_scratch_doubles(z->s, rows), off = 0;
  int rank;
  if (!p) return CORE_NO_MEMORY;
  core_status status =
      core_lin_least_squares(z->rows, z->rows, z->W, 1, z->v0, TOL_LZB_RANK, z->s, p, &rank);
  *energy = 0;
  for (int r = 0; r < z->rows; r++) {
    double v = -z->v0[r];
    for (int j = 0; j < z->rows; j++) v += z->W[j * z->rows + r] * p[j];
    off = fmax(off, fabs(v));
    *energy += p[r] * z->v0[r] / 2;
  }
  if (off > TOL_LZB_REACH) *energy = INFINITY;
  core_scratch_release(z->s, mark);
  return status;
}

static core_status jam(lzb *z) {
  return core_fail(z->err, CORE_JAM, "law.lzb: %s", core_status_text(CORE_JAM));
}

/* springs that hold more than there is */
static core_status check_jam(lzb *z) {
  double held = 0, all;
  for (int i = 0; i < z->nc; i++)
    if (lzb_touches(&z->c[i])) held += lzb_energy(z, &z->c[i], lzb_deflection(z, i, z->ode.y));
  if (held < z->most_energy) return CORE_OK;
  core_status status = kinetic(z, &all);
  if (status) return status;
  z->most_energy = fmax(z->most_energy, 2 * all);
  return isinf(all) || held > z->most_energy ? jam(z) : CORE_OK;
}

/* slips and their directions at the start of the next step, in space */
static void turn(lzb *z, const double *y) {
  lzb_velocity(z, y);
  for (int i = 0; i < z->nc; i++) {
    lzb_contact *c = &z->c[i];
    c->slip = lzb_slip(z, c);
    if (c->grip != LZB_SLIDE || lzb_tangents(c) < 2 || c->slip <= TOL_LZB_FRESH) continue;
    for (int r = c->t; r < c->n; r++) c->d[r - c->t] = z->v[r] / c->slip;
  }
}

static core_status too_long(lzb *z) {
  return core_fail(z->err, CORE_LIMIT, "law.lzb: no end after %ld events and %ld steps", z->events,
                   z->ode.steps);
}

/* ---- the root of one deflection as independent variable ---- */

static double fastest_normal(const lzb *z) {
  double most = 0;
  for (int i = 0; i < z->nc; i++) most = fmax(most, fabs(z->v[z->c[i].n]));
  return most;
}

/* Time from the start or to the end of contact i at its rate now. Infinite for those that are
 * smooth for long: pressed and not just begun, begun without a velocity, or not going to end soon
 * because they are pressed again before: d^n is smooth where d comes and goes as t^2. */
static double distance(const lzb *z, int i) {
  const lzb_contact *c = &z->c[i];
  double x = lzb_deflection(z, i, z->ode.y), v = z->v[c->n], rate = 0;
  if (c->phase == LZB_PRESSED) {
    if (i == z->rooted) return x / fabs(v);
    int begins = z->after_event && x <= least(c);
    return begins && -v > PART_FAST * fastest_normal(z) ? 0 : INFINITY;
  }
  if (c->phase != LZB_EXPANDING) return INFINITY;
  x *= c->e * c->e;
  for (int j = 0; j < z->rows; j++) rate += z->W[j * z->rows + c->n] * z->f[j];
  return v * v > -4 * rate * x ? x / fabs(v) : INFINITY;
}

/* how rough its end is: K d'^n */
static double roughness(const lzb *z, int i) {
  const lzb_contact *c = &z->c[i];
  if (!lzb_touches(c)) return 0;
  double v = c->phase == LZB_EXPANDING ? z->v[c->n] / (c->e * c->e) : -z->v[c->n];
  return lzb_spring(z, c, v);
}

/* the contact that is nearest to its end, of those that matter; -1 where powers of d are smooth */
static int nearest(lzb *z) {
  int best = -1;
  double least = INFINITY, most = 0;
  if (z->is_smooth) return -1;
  lzb_forces(z, z->ode.y);
  for (int i = 0; i < z->nc; i++)
    if (!isinf(distance(z, i))) most = fmax(most, roughness(z, i));
  for (int i = 0; i < z->nc; i++) {
    double x = distance(z, i);
    if (x < least && roughness(z, i) > PART_ROUGH * most) least = x, best = i;
  }
  return best;
}

/* another contact is much nearer to its end now */
static int is_outdated(lzb *z) {
  z->after_event = 0;
  int best = nearest(z);
  if (best == z->rooted) return 0;
  return z->rooted < 0 || best < 0 || distance(z, best) < MUCH_NEARER * distance(z, z->rooted);
}

/* speeds along normals that there are still, or that springs can make */
static double speed_now(const lzb *z) {
  double most = TOL_LZB_AT_REST * TOL_LZB_AT_REST;
  for (int i = 0; i < z->nc; i++) {
    const lzb_contact *c = &z->c[i];
    if (!lzb_touches(c)) continue;
    most = fmax(most, fmax(z->v[c->n] * z->v[c->n], lzb_energy(z, c, z->y[i])));
  }
  return sqrt(most);
}

/* Tolerances of deflections: where speeds are small and times long, rounding of the velocities adds
 * up to more in them, and as much more is allowed: T = (v^2/K)^(1/(n+1))/v, d from v T, over e
 * while a contact expands. */
static void set_tolerances(lzb *z, double v) {
  double n = z->q->exponent, longer = pow(v, (1 - n) / (n + 1)), d = pow(v, 2 / (n + 1));
  for (int i = 0; i < z->nc; i++) {
    const lzb_contact *c = &z->c[i];
    z->atols[i] = z->ode.rtol * c->length * longer / (c->phase == LZB_EXPANDING ? c->e : 1);
    if (i == z->rooted) z->atols[i] /= 2 * sqrt(c->length * d);
  }
  z->atols[z->ode.n - 1] = TOL_LZB_TIME * longer;
}

static void take_root(lzb *z) {
  memcpy(z->ode.y, z->y, (size_t)z->ode.n * sizeof *z->y);
  z->rooted = -1;
  z->rooted = nearest(z);
  lzb_velocity(z, z->y);
  set_tolerances(z, speed_now(z));
  if (z->rooted >= 0) z->y[z->rooted] = sqrt(fmax(z->y[z->rooted], 0));
}

static void give_root_back(lzb *z) {
  memcpy(z->y, z->ode.y, (size_t)z->ode.n * sizeof *z->y);
  if (z->rooted >= 0) z->y[z->rooted] = fmax(lzb_deflection(z, z->rooted, z->y), 0);
  z->rooted = -1;
}

/* ---- one smooth piece: up to the next event ---- */

/* dt/dx */
static double pace_at(const lzb *z, const double *y) {
  return z->rooted < 0 ? 1 : y[z->rooted];
}

/* the first step lasts as long as was proposed for the next one */
static core_status start(lzb *z) {
  double pace = pace_at(z, z->y), h = pace > 0 ? z->next_step / pace : 0;
  return core_ode_start(&z->ode, 0, z->y, 1, isfinite(h) ? fabs(h) : 0);
}

/* one step, up to an event if there is one */
static core_status step(lzb *z, int *happens) {
  core_ode *o = &z->ode;
  double part;
  core_status status = core_ode_step(o, INFINITY);
  if (!status) status = check_jam(z);
  if (!status && o->steps > MOST_STEPS) return too_long(z);
  if (!status) z->next_step = o->h_next * pace_at(z, o->y_old);
  if (!status) status = lzb_watch(z, &part, happens);
  if (!status && *happens) status = lzb_cut(z, part);
  if (status) return status;
  lzb_tell_step(z);
  if (!*happens) turn(z, o->y);
  if (!*happens) lzb_tell_state(z, o->y);
  return CORE_OK;
}

static core_status piece(lzb *z, int *happens) {
  measure_noise(z);
  turn(z, z->y);
  take_root(z);
  core_status status = start(z);
  for (*happens = 0; !status && !*happens;) {
    status = step(z, happens);
    if (!status && !*happens && is_outdated(z)) break;
  }
  if (status == CORE_JAM || status == CORE_INTERRUPTED || status == CORE_LIMIT) return status;
  if (status) return core_fail(z->err, status, "law.lzb: %s", core_status_text(status));
  give_root_back(z);
  return CORE_OK;
}

/* ---- flights and the end ---- */

/* some contact approaches, or holds energy that could make a velocity */
static int is_loaded(const lzb *z) {
  static const double RESTS = TOL_LZB_AT_REST * TOL_LZB_AT_REST;
  for (int i = 0; i < z->nc; i++) {
    const lzb_contact *c = &z->c[i];
    if (!lzb_touches(c)) continue;
    if (z->v[c->n] < -TOL_LZB_AT_REST || lzb_energy(z, c, z->y[i]) > RESTS) return 1;
  }
  return 0;
}

/* time until the first contact that is apart comes back; infinite when none does */
static double flight(const lzb *z) {
  double soonest = INFINITY;
  for (int i = 0; i < z->nc; i++) {
    const lzb_contact *c = &z->c[i];
    if (c->phase == LZB_APART && z->v[c->n] < -TOL_LZB_AT_REST)
      soonest = fmin(soonest, fmax(0, z->y[i] / z->v[c->n]));
  }
  return soonest;
}

static void fly(lzb *z, double duration) {
  z->y[z->ode.n - 1] += duration;
  for (int i = 0; i < z->nc; i++) {
    const lzb_contact *c = &z->c[i];
    if (c->phase == LZB_OUT) continue;
    double back = z->y[i] / z->v[c->n];
    int arrives = z->v[c->n] < -TOL_LZB_AT_REST && back <= duration * (1 + TOL_TIE);
    z->y[i] = arrives ? 0 : fmin(z->y[i] - duration * z->v[c->n], 0);
  }
}

/* phases and grips for what comes; *over when nothing does */
static core_status change(lzb *z, int *over) {
  move_all_on(z);
  lzb_velocity(z, z->y);
  if (!is_loaded(z)) {
    double duration = flight(z);
    *over = isinf(duration);
    if (*over) return CORE_OK;
    fly(z, duration);
    move_all_on(z);
  }
  return settle(z);
}

core_status lzb_run(lzb *z) {
  int over = 0;
  z->after_event = 1;
  measure_noise(z);
  core_status status = change(z, &over);
  lzb_tell_state(z, z->y);
  while (!status && !over) {
    if (core_interrupted()) return core_fail(z->err, CORE_INTERRUPTED, "%s", "");
    if (z->events > z->q->max_events) return too_long(z);
    int happens;
    status = piece(z, &happens);
    z->after_event = happens;
    if (!status && happens) status = change(z, &over);
  }
  if (!status) lzb_tell(z, IMPACT_END, -1, z->y);
  return status;
}
