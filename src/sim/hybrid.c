/* The state machine: step, look for events, act on them, go on. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "sim/inner.h"

/* ---- phases ---- */

/* stands at f->y, to fly from there */
static core_status stand(sim_flow *f, double t) {
  f->ode.t = t;
  memcpy(f->ode.y, f->y, (size_t)f->motion.n * sizeof *f->y);
  f->at_event = 0;
  return CORE_OK;
}

/* starts the integrator and the watch from f->y at t; the first flight takes `hop`, or infinity */
static core_status begin(sim_flow *f, double t, double hop) {
  f->coasting = sim_may_coast(f);
  if (f->coasting) return stand(f, t);
  double h = fabs(f->ode.h_next);
  if (hop < INFINITY) h = h > 0 ? fmin(h, hop) : hop; /* a parabola ends at its impact */
  core_status status = core_ode_start(&f->ode, t, f->y, f->motion.direction, h);
  if (!status) status = sim_watch_phase(f, t, f->y);
  if (!status) f->at_event = 0;
  return status;
}

static core_status jolt(sim_flow *f, double t, const sim_closed *c);

/* chooses what goes on, and begins with it; an impact without collision where nothing can */
static core_status go_on(sim_flow *f, double t, sim_cause cause) {
  double hop;
  core_status status = sim_after_event(f, t, f->y, &cause, &hop);
  if (status == CORE_NO_SOLUTION) return jolt(f, t, &f->motion.trial);
  if (!status) status = begin(f, t, hop);
  return status == CORE_NO_SOLUTION ? jolt(f, t, &f->motion.closed) : status;
}

/* something that touches approaches: it hits at once */
static int approaches(sim_flow *f, core_status *status) {
  core_mark mark = core_scratch_mark(f->motion.s);
  impact_setup setup;
  int hits = 0;
  *status = f->motion.m->type->gap(f->motion.m, f->y, f->motion.gap);
  for (int i = 0; i < f->motion.nc && !*status && !hits; i++) {
    if (f->motion.gap[i] > sim_touch(&f->motion, i)) continue;
    *status = impact_assemble(f->motion.m, f->y, f->y + f->motion.nq, 1, &i, f->motion.s, &setup,
                              f->motion.err);
    hits = !*status && f->motion.direction * setup.problem.v[setup.problem.rows - 1] <
                           -SIM_LEAVES * sim_speed(&f->motion, i);
  }
  core_scratch_release(f->motion.s, mark);
  return hits;
}

/* ---- ends ---- */

static void stop(sim_flow *f, sim_stop why) {
  f->run->why = why;
}

static int stopped(const sim_flow *f) {
  return (int)f->run->why >= 0;
}

/* the next step does not go beyond this */
static double limit_of(const sim_flow *f) {
  return f->motion.direction *
         fmin(f->motion.direction * f->motion.o->t_end, f->landing.next); /* NaN loses */
}

/* ---- events ---- */

static core_status impact(sim_flow *f, double t, sim_cause cause) {
  if (f->motion.direction < 0) {
    stop(f, SIM_STOP_OBSTACLE);
    return CORE_OK;
  }
  core_status status = sim_strike(f, t, f->y);
  if (status) return status;
  if (f->run->impacts >= f->motion.o->max_events) stop(f, SIM_STOP_IMPACTS);
  return go_on(f, t, cause);
}

/* no series of bounces goes on through what happens now, and nothing lands */
static void forget_bounces(sim_flow *f) {
  for (int i = 0; i < f->motion.nc; i++) {
    sim_zeno_forget(f, i);
    sim_landed(f, i);
  }
}

/* no contact force satisfies the laws at f->y for the contacts of c */
static core_status jolt(sim_flow *f, double t, const sim_closed *c) {
  core_status status = sim_check_progress(f, t);
  if (!status) status = sim_without_collision(f, t, f->y, c);
  if (status) return status;
  forget_bounces(f);
  if (f->run->impacts >= f->motion.o->max_events) stop(f, SIM_STOP_IMPACTS);
  int hits = approaches(f, &status);
  if (status) return status;
  return hits ? impact(f, t, sim_no_cause()) : go_on(f, t, sim_no_cause());
}

/* a sticking contact breaks loose against its tangential force */
static core_status break_loose(sim_flow *f, double t, int at, sim_cause cause) {
  sim_motion *motion = &f->motion;
  core_mark mark = core_scratch_mark(motion->s);
  sim_space space;
  double *force, ft[2] = {0, 0};
  core_status status = sim_forces_at(motion, t, f->y, &space, &force);
  const impact_problem *pr = &space.setup.problem;
  for (int r = 0; !status && r < impact_rows_of(pr, at) - 1; r++)
    ft[r] = force[impact_first(pr, at) + r];
  core_scratch_release(motion->s, mark);
  if (status) return status;
  double size = hypot(ft[0], ft[1]);
  for (int r = 0; r < 2 && size > 0; r++) cause.slip[r] = -ft[r] / size;
  if (size > 0) cause.loose = motion->closed.ids[at], cause.held = motion->redundant;
  return go_on(f, t, cause);
}

/* size of function i in the last step */
static double size_in_step(const sim_flow *f, int i) {
  double largest = 0;
  for (int k = 0; k < CORE_EVENT_NODES; k++)
    largest = fmax(largest, fabs(f->watched.events.g[k * f->watched.events.n + i]));
  return largest;
}

/* a reset may put the model anywhere but inside an obstacle */
static core_status check_outside(sim_flow *f, double t, const sim_watch *w) {
  core_status status = f->motion.m->type->gap(f->motion.m, f->y, f->motion.gap);
  for (int i = 0; i < f->motion.nc && !status; i++)
    if (f->motion.gap[i] < -sim_touch(&f->motion, i))
      return core_fail(f->motion.err, CORE_CALLBACK,
                       "event '%s' at t = %.10g s: its reset is inside the obstacle: gap %d is "
                       "%.6g m",
                       w->name, t, i + 1, f->motion.gap[i]);
  return status;
}

static core_status reset(sim_flow *f, double t, const sim_watch *w, sim_event *e) {
  double k0, p0, k1, p1;
  size_t before = e->state, after = before + (size_t)(f->motion.nq + f->motion.nu);
  core_status status = sim_energy(f->motion.m, f->y, f->y + f->motion.nq, f->motion.s, &k0, &p0);
  if (!status) status = w->reset(w->self, t, f->y, f->y + f->motion.nq, f->motion.err);
  if (!status) status = check_outside(f, t, w);
  if (!status) status = sim_energy(f->motion.m, f->y, f->y + f->motion.nq, f->motion.s, &k1, &p1);
  if (status)
    memcpy(f->y, f->run->numbers + before, (size_t)(f->motion.nq + f->motion.nu) * sizeof *f->y);
  if (status) return status;
  memcpy(f->run->numbers + after, f->y + f->motion.nq, (size_t)f->motion.nu * sizeof *f->y);
  f->reset += k1 + p1 - k0 - p0;
  forget_bounces(f);
  return CORE_OK;
}

/* Tells of one function of the user. It arms again when it is away from zero by a part of what it
 * was in this step. */
static core_status fire(sim_flow *f, double t, int item, int *was_reset) {
  sim_event *e;
  int i = f->watched.items[item].at;
  const sim_watch *w = &f->motion.o->watches[i];
  core_status status = sim_store_event(f, SIM_USER, t, f->y, NULL, &e);
  if (status) return status;
  e->watch = i;
  double size = size_in_step(f, item);
  f->watched.user_level[i] = SIM_USER_AGAIN * size;
  f->watched.user_jumped[i] = fabs(f->watched.events.probe[item]) > SIM_USER_JUMPED * size;
  if (w->stop) stop(f, SIM_STOP_USER);
  if (w->reset) *was_reset = 1, status = reset(f, t, w, e);
  return status;
}

/* functions of the user that fire at this time: `which`, and others that reach zero with it */
static core_status fire_all(sim_flow *f, double t, int which, double theta, int *was_reset) {
  core_event *e = &f->watched.events;
  core_status status = f->motion.o->n_watches ? e->values(e->self, t, f->y, e->probe) : CORE_OK;
  for (int i = e->n - f->motion.o->n_watches; i < e->n && !status; i++) {
    if (i == which || core_event_joins(e, i, theta, e->probe[i])) status = fire(f, t, i, was_reset);
  }
  return status;
}

/* from a state that may be anything, also on the root of a function of the user */
static core_status start_over(sim_flow *f, double t) {
  core_status status;
  int hits = approaches(f, &status);
  f->watched.events.at_start = 1;
  if (!status) status = sim_watch_rounding(f, t, f->y);
  if (status) return status;
  return hits ? impact(f, t, sim_no_cause()) : go_on(f, t, sim_no_cause());
}

/* How long the point at `at` still takes to stop, by v.v/(-v.a); 0 when it does not slow down, and
 * infinity when it turns rather than stops: a is not against v, though there is speed enough to
 * tell. */
static core_status time_to_stop(sim_flow *f, int at, double *dt) {
  core_mark mark = core_scratch_mark(f->motion.s);
  sim_space space; /* with all forces in udot, a_free is the acceleration */
  const double *q = f->ode.y, *udot = f->ode.k + 12 * f->ode.stride + f->motion.nq;
  core_status status = sim_space_at(&f->motion, q, q + f->motion.nq, udot, f->motion.closed.n,
                                    f->motion.closed.ids, &space);
  if (!status) {
    int first = impact_first(&space.setup.problem, at);
    const double *v = space.setup.problem.v + first, *a = space.a_free + first;
    double vv = v[0] * v[0] + v[1] * v[1], va = v[0] * a[0] + v[1] * a[1];
    double across = fabs(v[0] * a[1] - v[1] * a[0]);
    *dt = va < 0 ? vv / -va : 0;
    double least = SIM_TURNS * f->motion.scale.speed;
    if (across > SIM_TURNS_AWAY * fabs(va) && vv > least * least) *dt = INFINITY;
  }
  core_scratch_release(f->motion.s, mark);
  return status;
}

/* sliding in space was found slow, not still: goes the last bit of the way; *stopped is the contact
 */
static core_status stop_sliding(sim_flow *f, const sim_item *item, int *stopped) {
  double dt = 0;
  if (item->kind != ITEM_SLIDE || sim_rows_of(&f->motion, f->motion.closed.ids[item->at]) < 3)
    return CORE_OK;
  core_status status = time_to_stop(f, item->at, &dt);
  if (status || dt > SIM_LAST_HOP * f->motion.scale.time) return status;
  *stopped = f->motion.closed.ids[item->at];
  if (dt == 0 || f->ode.t + dt >= f->motion.o->t_end) return CORE_OK;
  status = core_ode_hop(&f->ode, dt);
  if (core_ode_outside(status)) return CORE_OK; /* still by rounding: it stands where it stands */
  return status ? status : sim_store_step(f, &f->ode);
}

static core_status act(sim_flow *f, double t, int which, double theta, sim_cause cause) {
  const sim_item *item = &f->watched.items[which];
  int was_reset = 0;
  core_status status = fire_all(f, t, which, theta, &was_reset);
  if (status) return status;
  if (was_reset) return start_over(f, t);
  if (item->kind == ITEM_USER) return begin(f, t, INFINITY);
  f->pace.slow = 0;
  if (item->kind == ITEM_HOLD)
    for (int i = 0; i < f->motion.closed.n && !status; i++)
      status = sim_cut_landing(f, t, f->motion.closed.ids[i]);
  else if (item->kind != ITEM_GAP)
    status = sim_cut_landing(f, t, f->motion.closed.ids[item->at]);
  if (status) return status;
  if (item->kind == ITEM_GAP && theta == 0 && f->pace.stalled > 1)
    cause.forced_closed = item->at; /* left at this very time: its hop cannot be seen */
  if (item->kind == ITEM_SLIDE && theta == 0 && f->pace.stalled > 1)
    cause.stopped = f->motion.closed.ids[item->at];            /* it stops before time can tell */
  int hits = item->kind == ITEM_GAP || approaches(f, &status); /* another may hit at this time */
  if (status) return status;
  if (hits) return impact(f, t, item->kind == ITEM_GAP ? cause : sim_no_cause());
  if (item->kind == ITEM_CONE) return break_loose(f, t, item->at, cause);
  if (item->kind == ITEM_FORCE) cause.released = f->motion.closed.ids[item->at];
  return go_on(f, t, cause);
}

/* ---- steps ---- */

/* kept directions of sliding follow the motion in space */
static void follow_sliding(sim_flow *f) {
  if (f->motion.dim < 3 || f->motion.closed.n == 0) return;
  core_mark mark = core_scratch_mark(f->motion.s);
  impact_setup setup;
  sim_closed *c = &f->motion.closed;
  if (!impact_assemble(f->motion.m, f->ode.y, f->ode.y + f->motion.nq, c->n, c->ids, f->motion.s,
                       &setup, NULL))
    for (int i = 0; i < c->n; i++) {
      if (impact_rows_of(&setup.problem, i) < 3) continue;
      const double *v = setup.problem.v + impact_first(&setup.problem, i);
      double speed = hypot(v[0], v[1]);
      if (c->mode[i] == SIM_MODE_CREEP)
        memcpy(c->slip + 2 * i, f->motion.creep + 2 * i, 2 * sizeof *v);
      if (c->mode[i] != SIM_MODE_SLIP || speed < 2 * f->motion.v_rounding) continue;
      c->slip[2 * i] = v[0] / speed;
      c->slip[2 * i + 1] = v[1] / speed;
    }
  core_scratch_release(f->motion.s, mark);
}

/* the step is over without an event: back onto the constraints, and on */
static core_status carry_on(sim_flow *f) {
  core_ode *o = &f->ode;
  follow_sliding(f);
  core_status status = sim_project(&f->motion, &f->motion.closed, NULL, o->y, NULL);
  int moved = f->motion.closed.n || f->motion.m->shape.na;
  return status || !moved ? status : core_ode_touch(o);
}

/* Points have landed: friction is what it is from here on. What less of it let slide may stand
 * still by now, and need not be able to go on sliding with all of it, so the modes are chosen
 * again. */
static core_status end_landing(sim_flow *f) {
  double t = f->ode.t;
  memcpy(f->y, f->ode.y, (size_t)f->motion.n * sizeof *f->y);
  f->at_event = 1;
  core_status status = sim_land_until(f, t);
  int hits = !status && approaches(f, &status);
  if (status) return status;
  return hits ? impact(f, t, sim_no_cause()) : go_on(f, t, sim_no_cause());
}

/* what is due at times that are known, which events may pass by rounding */
static core_status at_limit(sim_flow *f) {
  core_status status = f->ode.t >= f->landing.next ? end_landing(f) : CORE_OK; /* NaN: none lands */
  if (!status && f->motion.direction * (f->motion.o->t_end - f->ode.t) <= 0) stop(f, SIM_STOP_TIME);
  return status;
}

static core_status at_event(sim_flow *f, int which, double theta, sim_cause cause) {
  core_ode *o = &f->ode;
  core_status status = sim_check_progress(f, o->t);
  if (status) return status;
  f->at_event = 1;
  memcpy(f->y, o->y, (size_t)f->motion.n * sizeof *o->y);
  status = sim_project(&f->motion, &f->motion.closed, NULL, f->y, NULL);
  return status ? status : act(f, o->t, which, theta, cause);
}

/* a flight in closed form, up to its impact */
static core_status fly(sim_flow *f) {
  core_ode *o = &f->ode;
  int hits;
  core_status status = sim_coast_step(f, &hits);
  if (status) return status;
  if (hits < 0) { /* something touches and does not leave: look closer */
    f->coasting = 0;
    memcpy(f->y, o->y, (size_t)f->motion.n * sizeof *o->y);
    status = core_ode_start(o, o->t, f->y, f->motion.direction, fabs(o->h_next));
    return status ? status : sim_watch_phase(f, o->t, f->y);
  }
  if (f->motion.o->progress) f->motion.o->progress(f->motion.o->progress_self, o->t, o->y);
  if (!hits) return at_limit(f);
  status = sim_check_progress(f, o->t);
  if (status) return status;
  f->at_event = 1;
  f->pace.slow = 0;
  memcpy(f->y, o->y, (size_t)f->motion.n * sizeof *o->y);
  status = impact(f, o->t, sim_no_cause());
  return status || stopped(f) ? status : at_limit(f);
}

/* sliding came to where no force can hold it */
static core_status no_step(sim_flow *f, core_status status) {
  if (status != CORE_NO_SOLUTION) return status;
  memcpy(f->y, f->ode.y, (size_t)f->motion.n * sizeof *f->y);
  f->at_event = 1;
  return jolt(f, f->ode.t, &f->motion.closed);
}

static core_status one_step(sim_flow *f) {
  core_ode *o = &f->ode;
  int which, fired = 0;
  double theta;
  sim_cause cause = sim_no_cause();
  sim_stiff_room(f);
  core_status status = core_ode_step(o, limit_of(f));
  if (status && status != CORE_INTERRUPTED && o->implicit && f->motion.o->method == SIM_AUTO) {
    sim_stiff_off(f); /* what stops these may not stop others */
    return CORE_OK;
  }
  if (status) return no_step(f, sim_explain_failure(f, status));
  status = core_event_scan(&f->watched.events, o, &which, &theta);
  if (!status && which >= 0)
    status = core_event_refine(&f->watched.events, o, which, theta, &fired);
  if (!status && f->motion.o->keep) status = core_ode_dense(o);
  if (!status && o->t != o->t_old) status = sim_store_step(f, o);
  if (status) core_ode_back(o); /* what could not be looked at or kept was not made */
  if (!status && fired) status = stop_sliding(f, &f->watched.items[which], &cause.stopped);
  if (!status && f->motion.o->progress)
    f->motion.o->progress(f->motion.o->progress_self, o->t, o->y);
  if (!status) status = fired ? at_event(f, which, theta, cause) : carry_on(f);
  return status || stopped(f) ? status : at_limit(f);
}

core_status sim_hybrid(sim_flow *f) {
  core_status status = start_over(f, f->motion.o->t_start);
  if (!status && !stopped(f)) status = at_limit(f);
  while (!status && !stopped(f)) {
    status = f->coasting ? fly(f) : one_step(f);
    if (!status && !stopped(f)) status = sim_check_pace(f);
    if (!status && !f->coasting) status = sim_stiff_check(f);
  }
  return status;
}
