/* The course of an impact by law.lzb: from event to event, and over flights.
 *
 * A contact that opens moves on with its gap, -x, and may come back under load or after a flight in
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

/* ---- friction ---- */

static int reverses(const lzb_contact *c, const double *d) {
  return c->d[0] * d[0] + (lzb_tangents(c) > 1 ? c->d[1] * d[1] : 0) < 0;
}

static void tell_grip(lzb *z, int i, const double *d) {
  const lzb_contact *c = &z->c[i];
  if (c->before == LZB_SLIDE && c->grip == LZB_STICK) lzb_tell(z, IMPACT_STICK, i);
  if (c->before == LZB_STICK && c->grip == LZB_SLIDE) lzb_tell(z, IMPACT_SLIP, i);
  if (c->before == LZB_SLIDE && c->grip == LZB_SLIDE && reverses(c, d))
    lzb_tell(z, IMPACT_REVERSAL, i);
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

/* ---- scales ---- */

/* what rounding makes of v- + W p */
static void measure_noise(lzb *z) {
  double most = 1;
  for (int r = 0; r < z->rows; r++) {
    double sum = fabs(z->v0[r]);
    for (int j = z->span[r].from; j < z->span[r].to; j++)
      sum += fabs(z->W[r * z->rows + j] * z->now.p[j]);
    most = fmax(most, sum);
  }
  z->noise = TOL_REST * most;
}

/* T = v- W^+ v- / 2: all that impulses can take from the bodies; each row by what it alone would
 * have, so that no m/s is small beside a rad/s */
static core_status kinetic(lzb *z, double *energy) {
  core_mark mark = core_scratch_mark(z->s);
  int n = z->rows, rank;
  double *p = core_scratch_doubles(z->s, (size_t)(n * n + 3 * n)), *v = p + n, *unit = v + n,
         *W = unit + n;
  if (!p) return CORE_NO_MEMORY;
  for (int r = 0; r < n; r++) {
    double w = z->W[r * n + r];
    unit[r] = w > 0 ? 1 / sqrt(w) : 1;
    v[r] = unit[r] * z->v0[r];
  }
  for (int i = 0; i < n * n; i++) W[i] = unit[i / n] * z->W[i] * unit[i % n];
  core_status status = core_lin_least_squares(n, n, W, 1, v, TOL_LZB_RANK, z->s, p, &rank);
  *energy = 0;
  for (int r = 0; r < n; r++) *energy += p[r] * v[r] / 2;
  core_scratch_release(z->s, mark);
  return status;
}

static core_status fail(lzb *z, core_status status) {
  return core_fail(z->err, status, "law.lzb: %s", core_status_text(status));
}

/* springs that hold more than there is */
static core_status check_jam(lzb *z) {
  double held = 0, all;
  for (int i = 0; i < z->nc; i++)
    if (lzb_touches(&z->c[i])) held += lzb_energy(z, &z->c[i], z->now.x[i]);
  if (held < z->most_energy) return CORE_OK;
  core_status status = kinetic(z, &all);
  if (status) return status;
  z->most_energy = fmax(z->most_energy, 2 * all);
  return held > z->most_energy ? fail(z, CORE_JAM) : CORE_OK;
}

static core_status too_long(lzb *z) {
  return core_fail(z->err, CORE_LIMIT, "law.lzb: no end after %ld events and %ld steps", z->events,
                   z->steps);
}

/* speeds along normals that there are still, or that springs can make */
static double speed_now(const lzb *z) {
  double most = TOL_LZB_AT_REST * TOL_LZB_AT_REST;
  for (int i = 0; i < z->nc; i++) {
    const lzb_contact *c = &z->c[i];
    double v = z->now.v[c->n];
    if (!lzb_touches(c)) continue;
    most = fmax(most, fmax(v * v, lzb_energy(z, c, z->now.x[i])));
  }
  return sqrt(most);
}

/* ---- one smooth piece: up to the next event ---- */

/* slip that has begun and has a direction now */
static void find_direction(lzb *z) {
  for (int i = 0; i < z->nc; i++)
    if (lzb_slip(&z->c[i], z->now.v) > LIMIT_LZB_AWAY * TOL_LZB_SETS_OUT) z->c[i].sets_out = 0;
}

static void advance(lzb *z, double s) {
  lzb_state old = z->now;
  lzb_at(z, s, &z->at);
  lzb_turn_end(z, s);
  z->now = z->at, z->at = old;
  find_direction(z);
  z->steps++;
  z->stalled = s > TOL_TIE * z->series.reach ? 0 : z->stalled + 1;
  if (s == z->series.natural || s == LIMIT_LZB_REACH) z->next_time = lzb_time_at(z, s);
}

/* a contact that waited has load now */
static int load_begins(const lzb *z) {
  for (int i = 0; i < z->nc; i++)
    if (lzb_touches(&z->c[i]) && z->c[i].grip == LZB_NEW && !lzb_waits(z, i)) return 1;
  return 0;
}

static core_status piece(lzb *z) {
  core_status status = CORE_OK;
  for (long n = 0; !status; n++) {
    if (core_interrupted()) return core_fail(z->err, CORE_INTERRUPTED, "%s", "");
    if (n > LIMIT_LZB_STEPS) return too_long(z);
    z->speed = speed_now(z);
    lzb_expand(z);
    double s = lzb_watch(z);
    if (!isfinite(s)) return fail(z, CORE_NOT_FINITE);
    lzb_tell_step(z, s);
    advance(z, s);
    if (z->n_found || load_begins(z)) break;
    lzb_tell_state(z, &z->now);
    status = check_jam(z);
  }
  return status;
}

/* ---- flights and the end ---- */

/* Springs that balance each other, and nothing moves: friction holds what is wedged in, and keeps
 * its energy. T: time in which the softest spring could make a velocity of it. */
static int is_wedged(const lzb *z) {
  double T = pow(z->softest, -1 / (z->q->exponent + 1)), size;
  for (int i = 0; i < z->nc; i++) {
    const lzb_contact *c = &z->c[i];
    if (!lzb_touches(c)) continue;
    if (fabs(z->now.v[c->n]) > TOL_LZB_AT_REST) return 0;
    for (int r = c->t; r <= c->n; r++)
      if (fabs(lzb_rate(z, r, &size)) * T > TOL_LZB_AT_REST) return 0;
  }
  return 1;
}

/* some contact approaches, or holds energy that could make a velocity */
static int is_loaded(const lzb *z) {
  static const double RESTS = TOL_LZB_AT_REST * TOL_LZB_AT_REST;
  for (int i = 0; i < z->nc; i++) {
    const lzb_contact *c = &z->c[i];
    if (!lzb_touches(c)) continue;
    double held = lzb_energy(z, c, z->now.x[i]) * (1 + c->mu); /* with what friction could do */
    if (z->now.v[c->n] < -TOL_LZB_AT_REST || held > RESTS) return !is_wedged(z);
  }
  return 0;
}

/* time until contact i, which is apart, is back; infinite when it does not come */
static double way_back(const lzb *z, int i) {
  const lzb_contact *c = &z->c[i];
  double v = z->now.v[c->n];
  return c->phase == LZB_APART && v < -TOL_LZB_AT_REST ? fmax(0, z->now.x[i] / v) : INFINITY;
}

static void fly(lzb *z, double duration) {
  z->now.time += duration;
  for (int i = 0; i < z->nc; i++) {
    const lzb_contact *c = &z->c[i];
    if (c->phase == LZB_OUT) continue;
    int arrives = way_back(z, i) <= duration * (1 + TOL_TIE);
    z->now.x[i] = arrives ? 0 : fmin(z->now.x[i] - duration * z->now.v[c->n], 0);
  }
}

/* phases and grips for what comes: one depends on the other */
static core_status settle_all(lzb *z) {
  core_status status = CORE_OK;
  for (int turn = 0; turn < z->nc + 4 && !status; turn++) {
    status = settle(z);
    lzb_forces(z, z->now.x, z->now.v);
    if (!lzb_move_on(z)) break;
  }
  return status;
}

/* v = v- + W p: rounding of the steps does not add up to velocities that no motion has; and what is
 * only rounding of these terms is zero */
void lzb_refresh(lzb *z) {
  measure_noise(z);
  memcpy(z->now.v, z->v0, (size_t)z->rows * sizeof *z->now.v);
  for (int j = 0; j < z->rows; j++)
    for (int r = z->span[j].from; r < z->span[j].to; r++)
      z->now.v[r] += z->W[j * z->rows + r] * z->now.p[j];
  for (int r = 0; r < z->rows; r++)
    if (fabs(z->now.v[r]) <= z->noise) z->now.v[r] = 0;
}

/* *over when nothing comes */
static core_status change(lzb *z, int *over) {
  if (z->steps) lzb_refresh(z);
  lzb_arrive(z);
  core_status status = settle_all(z);
  if (status || is_loaded(z)) return status;
  double duration = INFINITY;
  for (int i = 0; i < z->nc; i++) duration = fmin(duration, way_back(z, i));
  *over = isinf(duration);
  if (*over) return CORE_OK;
  fly(z, duration);
  return settle_all(z);
}

core_status lzb_run(lzb *z) {
  int over = 0;
  z->next_time = 1;
  measure_noise(z);
  core_status status = change(z, &over);
  z->first_speed = speed_now(z);
  lzb_tell_state(z, &z->now);
  for (long pieces = 1; !status && !over; pieces++) { /* an event that ends one may go untold */
    if (pieces > z->q->max_events || z->events > z->q->max_events) return too_long(z);
    status = piece(z);
    if (!status) status = change(z, &over);
  }
  if (!status) lzb_tell(z, IMPACT_END, -1);
  return status;
}
