/* The state machine: step, look for events, act on them, go on. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/inner.h"

/* ---- phases ------------------------------------------------------------------------------------
 */

/* starts the integrator and the watch from f->y at t */
static core_status begin(sim_flow *f, double t) {
  double h = fabs(f->ode.h_next);
  if (f->hop < INFINITY) h = h > 0 ? fmin(h, f->hop) : f->hop; /* a parabola ends at its impact */
  core_status status = core_ode_start(&f->ode, t, f->y, f->direction, h);
  if (!status) status = sim_watch_phase(f, t, f->y);
  if (!status) f->at_event = 0;
  return status;
}

static core_status settle_and_begin(sim_flow *f, double t, int released, int loose) {
  core_status status = sim_settle(f, t, f->y, released, loose);
  return status ? status : begin(f, t);
}

/* something approaches at the start: it hits at once */
static int approaches(sim_flow *f, core_status *status) {
  core_mark mark = core_scratch_mark(f->s);
  impact_setup setup;
  int hits = 0;
  *status = f->m->type->gap(f->m, f->y, f->gap);
  for (int i = 0; i < f->nc && !*status && !hits; i++) {
    if (f->gap[i] > f->touch) continue;
    *status = impact_assemble(f->m, f->y, f->y + f->nq, 1, &i, f->s, &setup, f->err);
    hits = !*status && f->direction * setup.problem.v[f->dim - 1] < -SIM_LEAVES * f->scale.speed;
  }
  core_scratch_release(f->s, mark);
  return hits;
}

/* ---- ends --------------------------------------------------------------------------------------
 */

static void stop(sim_flow *f, sim_stop why) {
  f->run->why = why;
}

static int stopped(const sim_flow *f) {
  return (int)f->run->why >= 0;
}

/* the next step does not go beyond this */
static double limit_of(const sim_flow *f) {
  return f->direction * fmin(f->direction * f->o->t_end, f->landed_at); /* NaN loses */
}

/* ---- events ------------------------------------------------------------------------------------
 */

static core_status impact(sim_flow *f, double t) {
  long before = f->run->impacts;
  if (f->direction < 0) {
    stop(f, SIM_STOP_OBSTACLE);
    return CORE_OK;
  }
  core_status status = sim_strike(f, t, f->y);
  if (status) return status;
  if (f->run->impacts > before) sim_zeno_impact(f, t);
  if (f->run->impacts >= f->o->max_impacts) stop(f, SIM_STOP_IMPACTS);
  return settle_and_begin(f, t, -1, -1);
}

/* a sticking contact breaks loose against its tangential force */
static core_status break_loose(sim_flow *f, double t, int at) {
  core_mark mark = core_scratch_mark(f->s);
  const double *v;
  double *force, ft[2] = {0, 0};
  core_status status = sim_forces_at(f, t, f->y, &v, &force);
  for (int r = 0; r < f->dim - 1 && !status; r++) ft[r] = force[at * f->dim + r];
  core_scratch_release(f->s, mark);
  if (status) return status;
  double size = hypot(ft[0], ft[1]);
  for (int r = 0; r < 2 && size > 0; r++) f->loose_slip[r] = -ft[r] / size;
  return settle_and_begin(f, t, -1, size > 0 ? f->closed.ids[at] : -1);
}

/* size of function i in the last step */
static double size_in_step(const sim_flow *f, int i) {
  double largest = 0;
  for (int k = 0; k < CORE_EVENT_NODES; k++)
    largest = fmax(largest, fabs(f->events.g[k * f->events.n + i]));
  return largest;
}

/* a reset may put the model anywhere but inside an obstacle */
static core_status check_outside(sim_flow *f, double t, const sim_watch *w) {
  core_status status = f->m->type->gap(f->m, f->y, f->gap);
  for (int i = 0; i < f->nc && !status; i++)
    if (f->gap[i] < -f->touch)
      return core_fail(f->err, CORE_CALLBACK,
                       "event '%s' at t = %.10g s: its reset is inside the obstacle: gap %d is "
                       "%.6g m",
                       w->name, t, i + 1, f->gap[i]);
  return status;
}

static core_status reset(sim_flow *f, double t, const sim_watch *w, sim_event *e) {
  double k0, p0, k1, p1;
  size_t before = e->state, after = before + (size_t)(f->nq + f->nu);
  core_status status = sim_energy(f->m, f->y, f->y + f->nq, f->s, &k0, &p0);
  if (!status) status = w->reset(w->self, t, f->y, f->y + f->nq, f->err);
  if (!status) status = check_outside(f, t, w);
  if (!status) status = sim_energy(f->m, f->y, f->y + f->nq, f->s, &k1, &p1);
  if (status) memcpy(f->y, f->run->numbers + before, (size_t)(f->nq + f->nu) * sizeof *f->y);
  if (status) return status;
  memcpy(f->run->numbers + after, f->y + f->nq, (size_t)f->nu * sizeof *f->y);
  f->reset += k1 + p1 - k0 - p0;
  sim_zeno_forget(f);
  return CORE_OK;
}

/* Tells of one function of the user. It arms again when it is away from zero by a part of what it
 * was in this step. */
static core_status fire(sim_flow *f, double t, int item, int *was_reset) {
  sim_event *e;
  int i = f->items[item].at;
  const sim_watch *w = &f->o->watches[i];
  core_status status = sim_store_event(f, SIM_USER, t, f->y, NULL, &e);
  if (status) return status;
  e->watch = i;
  double size = size_in_step(f, item);
  f->user_level[i] = SIM_USER_AGAIN * size;
  f->user_jumped[i] = fabs(f->events.probe[item]) > SIM_USER_JUMPED * size;
  if (w->stop) stop(f, SIM_STOP_USER);
  if (w->reset) *was_reset = 1, status = reset(f, t, w, e);
  return status;
}

/* functions of the user that fire at this time: `which`, and others that reach zero with it */
static core_status fire_all(sim_flow *f, double t, int which, int *was_reset) {
  core_event *e = &f->events;
  core_status status = f->o->n_watches ? e->values(e->self, t, f->y, e->probe) : CORE_OK;
  for (int i = e->n - f->o->n_watches; i < e->n && !status; i++) {
    if (i == which || core_event_joins(e, i, f->theta, e->probe[i]))
      status = fire(f, t, i, was_reset);
  }
  return status;
}

/* from a state that may be anything, also on the root of a function of the user */
static core_status start_over(sim_flow *f, double t) {
  core_status status;
  int hits = approaches(f, &status);
  f->events.at_start = 1;
  if (!status) status = sim_watch_rounding(f, t, f->y);
  if (status) return status;
  return hits ? impact(f, t) : settle_and_begin(f, t, -1, -1);
}

/* How long the point at `at` still takes to stop, by v.v/(-v.a); 0 when it does not slow down, and
 * infinity when it turns rather than stops: a is not against v, though there is speed enough to
 * tell. */
static core_status time_to_stop(sim_flow *f, int at, double *dt) {
  core_mark mark = core_scratch_mark(f->s);
  sim_space space; /* with all forces in udot, a_free is the acceleration */
  const double *q = f->ode.y, *udot = f->ode.k + 12 * f->ode.stride + f->nq;
  core_status status = sim_space_at(f, q, q + f->nq, udot, f->closed.n, f->closed.ids, &space);
  if (!status) {
    const double *v = space.setup.problem.v + 3 * at, *a = space.a_free + 3 * at;
    double vv = v[0] * v[0] + v[1] * v[1], va = v[0] * a[0] + v[1] * a[1];
    double across = fabs(v[0] * a[1] - v[1] * a[0]);
    *dt = va < 0 ? vv / -va : 0;
    double least = SIM_TURNS * f->scale.speed;
    if (across > 1e-3 * fabs(va) && vv > least * least) *dt = INFINITY;
  }
  core_scratch_release(f->s, mark);
  return status;
}

/* sliding in space was found slow, not still: goes the last bit of the way */
static core_status stop_sliding(sim_flow *f, const sim_item *item) {
  double dt = 0;
  if (item->kind != ITEM_SLIDE || f->dim < 3) return CORE_OK;
  core_status status = time_to_stop(f, item->at, &dt);
  if (status || dt > SIM_LAST_HOP * f->scale.time) return status;
  f->halted = f->closed.ids[item->at];
  if (dt == 0 || f->ode.t + dt >= f->o->t_end) return CORE_OK;
  f->watching = 1;
  status = core_ode_hop(&f->ode, dt);
  f->watching = 0;
  return status ? status : sim_store_step(f, &f->ode);
}

/* the rest of a series of bounces is over: tell */
static core_status end_series(sim_flow *f, double t) {
  sim_event *e;
  core_status status = sim_store_event(f, SIM_ZENO, t, f->y, NULL, &e);
  if (status) return status;
  for (int i = f->closed.n; i-- > 0;)
    if (f->announced[f->closed.ids[i]] == SIM_MODE_OPEN) e->contact = f->closed.ids[i];
  return CORE_OK;
}

static core_status act(sim_flow *f, double t, int which) {
  const sim_item *item = &f->items[which];
  int was_reset = 0;
  core_status status = fire_all(f, t, which, &was_reset);
  if (status) return status;
  if (was_reset) return start_over(f, t);
  if (item->kind == ITEM_USER) return begin(f, t);
  f->slow_paces = 0;
  if (f->zeno) status = end_series(f, t); /* what follows ends it a little early */
  if (!status && f->zeno) status = sim_announce(f, t, f->y);
  if (status) return status;
  if (item->kind == ITEM_GAP && f->theta == 0 && f->stalled > 1)
    f->pinned = item->at; /* left at this very time: its hop cannot be seen */
  if (item->kind == ITEM_GAP) return impact(f, t);
  if (item->kind == ITEM_FORCE) return settle_and_begin(f, t, f->closed.ids[item->at], -1);
  if (item->kind == ITEM_CONE) return break_loose(f, t, item->at);
  return settle_and_begin(f, t, -1, -1);
}

/* many events and no progress: something chatters that neither rests nor leaves */
static core_status check_progress(sim_flow *f, double t) {
  if (!(fabs(t - f->t_stalled) <= SIM_SHORTEST * fmax(1e-3 * f->scale.time, fabs(t)))) {
    f->t_stalled = t;
    f->stalled = 0;
  }
  if (++f->stalled < 200) return CORE_OK;
  return core_fail(f->err, CORE_NOT_CONVERGED,
                   "events follow each other without progress at t = %.10g s", t);
}

/* ---- steps -------------------------------------------------------------------------------------
 */

/* kept directions of sliding follow the motion in space */
static void follow_sliding(sim_flow *f) {
  if (f->dim < 3 || f->closed.n == 0) return;
  core_mark mark = core_scratch_mark(f->s);
  impact_setup setup;
  sim_closed *c = &f->closed;
  if (!impact_assemble(f->m, f->ode.y, f->ode.y + f->nq, c->n, c->ids, f->s, &setup, NULL))
    for (int i = 0; i < c->n; i++) {
      const double *v = setup.problem.v + 3 * i;
      double speed = hypot(v[0], v[1]);
      if (c->mode[i] == SIM_MODE_CREEP) memcpy(c->slip + 2 * i, f->creep + 2 * i, 2 * sizeof *v);
      if (c->mode[i] != SIM_MODE_SLIP || speed < 2 * f->noise) continue;
      c->slip[2 * i] = v[0] / speed;
      c->slip[2 * i + 1] = v[1] / speed;
    }
  core_scratch_release(f->s, mark);
}

/* the step is over without an event: back onto the constraints, and on */
static core_status carry_on(sim_flow *f) {
  core_ode *o = &f->ode;
  follow_sliding(f);
  core_status status = sim_project(f, o->y);
  int moved = f->closed.n || f->m->shape.na;
  return status || !moved ? status : core_ode_touch(o);
}

/* Points have landed: friction is what it is from here on. What less of it let slide may stand
 * still by now, and need not be able to go on sliding with all of it, so the modes are chosen
 * again. */
static core_status end_landing(sim_flow *f) {
  double t = f->ode.t;
  int zeno = f->zeno;
  memcpy(f->y, f->ode.y, (size_t)f->n * sizeof *f->y);
  f->at_event = 1;
  sim_landed(f);
  core_status status = zeno ? end_series(f, t) : CORE_OK;
  return status ? status : settle_and_begin(f, t, -1, -1);
}

/* what is due at times that are known, which events may pass by rounding */
static core_status at_limit(sim_flow *f) {
  core_status status = f->ode.t >= f->landed_at ? end_landing(f) : CORE_OK; /* NaN: none lands */
  if (!status && f->direction * (f->o->t_end - f->ode.t) <= 0) stop(f, SIM_STOP_TIME);
  return status;
}

static core_status at_event(sim_flow *f, int which) {
  core_ode *o = &f->ode;
  core_status status = check_progress(f, o->t);
  if (status) return status;
  f->at_event = 1;
  memcpy(f->y, o->y, (size_t)f->n * sizeof *o->y);
  status = sim_project(f, f->y);
  return status ? status : act(f, o->t, which);
}

/* A step that becomes too short for time while contact forces are far beyond what they have to hold
 * runs into a singularity of the laws of friction, not of the motion. */
static core_status explain_failure(sim_flow *f, core_status failed) {
  core_mark mark = core_scratch_mark(f->s);
  const double *y = f->ode.y;
  double power, most = 0, held = 0;
  sim_space space;
  if (failed != CORE_NOT_CONVERGED || f->closed.n == 0) return failed;
  core_status status = sim_free_acceleration(f, f->ode.t, y, y + f->nq, f->udot, &power);
  if (!status)
    status = sim_contact_forces(f, f->ode.t, y, y + f->nq, f->udot, &f->closed, &space, f->contact);
  for (int r = 0; r < f->closed.n * f->dim && !status; r++) {
    const impact_problem *pr = &space.setup.problem;
    most = fmax(most, pr->W[r * pr->rows + r] * fabs(f->contact[r]));
    held = fmax(held, fabs(space.a_free[r]));
  }
  core_scratch_release(f->s, mark);
  if (status || most < 1e3 * held) return failed;
  return core_fail(f->err, CORE_NO_SOLUTION,
                   "contact forces grow beyond bounds at t = %.10g s (Painleve)", f->ode.t);
}

/* who makes forces that the integrator cannot follow */
static const char *who_forces(const sim_flow *f, char *text, size_t size) {
  if (f->o->force) return "the function `force`";
  snprintf(text, size, "the forces of %s", f->m->type->schema.owner);
  return text;
}

/* Steps so short that the run would take 1e9 of them: four times in a row, over 5000 tries each,
 * without an event other than the user's. A force that switches without end (a sliding mode) or
 * jumps at random does that. */
static core_status check_pace(sim_flow *f) {
  char text[64];
  const core_ode *o = &f->ode;
  long tries = o->steps + o->rejected;
  if (o->steps > f->o->max_steps)
    return core_fail(f->err, CORE_LIMIT, "stopped at t = %.10g s after %ld steps (max_steps)", o->t,
                     o->steps);
  if (tries - f->tries_pace < 5000) return CORE_OK;
  double gone = fabs(o->t - f->t_pace), left = fabs(f->o->t_end - o->t);
  int hopeless = left * 5000 > 1e9 * gone;
  f->slow_paces = hopeless ? f->slow_paces + 1 : 0;
  f->tries_pace = tries;
  f->t_pace = o->t;
  if (f->slow_paces < 4) return CORE_OK;
  return core_fail(
      f->err, CORE_LIMIT,
      "no progress at t = %.10g s (steps of %.2g s): %s switches without end or jumps; "
      "smooth it, or make the switch an event",
      o->t, gone / 5000, who_forces(f, text, sizeof text));
}

static core_status one_step(sim_flow *f) {
  core_ode *o = &f->ode;
  int which, fired = 0;
  double theta;
  core_status status = core_ode_step(o, limit_of(f));
  if (status) return explain_failure(f, status);
  status = core_event_scan(&f->events, o, &which, &theta);
  if (!status && which >= 0) status = core_event_refine(&f->events, o, which, theta, &fired);
  if (!status) status = core_ode_dense(o);
  if (!status && o->t != o->t_old) status = sim_store_step(f, o);
  if (status) core_ode_back(o); /* what could not be looked at or kept was not made */
  if (!status && fired) status = stop_sliding(f, &f->items[which]);
  if (!status && f->o->progress) f->o->progress(f->o->progress_self, o->t, o->y);
  f->theta = theta;
  if (!status) status = fired ? at_event(f, which) : carry_on(f);
  return status || stopped(f) ? status : at_limit(f);
}

core_status sim_hybrid(sim_flow *f) {
  core_status status = start_over(f, f->o->t_start);
  if (!status && !stopped(f)) status = at_limit(f);
  while (!status && !stopped(f)) {
    status = one_step(f);
    if (!status && !stopped(f)) status = check_pace(f);
  }
  return status;
}
