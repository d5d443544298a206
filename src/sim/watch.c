/* What is watched in a phase. Every function is positive while nothing happens:
 *
 *   gap of an open contact        f_n of a closed one (release)
 *   mu f_n - |f_t| of one that sticks (it breaks loose)
 *   speed of one that slides, along the direction it slides in (it stops)
 *   of those that are held together: what they may move by, less what they would
 *   the user's functions, which may fire in both directions
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "sim/inner.h"
#include "sim/support.h"

/* ---- values ---- */

/* speed along the direction kept; sliding in space ends a little before zero, see contact.c */
static double slide(const sim_flow *f, int at, const double *v, double stopped) {
  const double *s = f->motion.closed.slip + 2 * at;
  if (sim_rows_of(&f->motion, f->motion.closed.ids[at]) == 2) return s[0] * v[0];
  double along = v[0] * s[0] + v[1] * s[1], across = v[1] * s[0] - v[0] * s[1];
  if (f->motion.closed.mode[at] == SIM_MODE_CREEP) return along;
  return (along < 0 ? -1 : 1) * hypot(along, across) - stopped;
}

static double contact_value(const sim_flow *f, const sim_item *item, const impact_problem *pr,
                            const double *force, double stopped) {
  int first = impact_first(pr, item->at), planar = impact_rows_of(pr, item->at) == 2;
  const double *v = pr->v;
  double fn = force[impact_normal(pr, item->at)]; /* NOLINT: items of closed contacts have forces */
  if (item->kind == ITEM_FORCE) return fn;
  if (item->kind == ITEM_SLIDE) return slide(f, item->at, v + first, stopped);
  if (item->kind == ITEM_CREEP)
    return SIM_CREEPS * f->motion.scale.speed - hypot(v[first], v[first + 1]);
  double ft = planar ? fabs(force[first]) : hypot(force[first], force[first + 1]);
  return f->motion.hold[f->motion.closed.ids[item->at]] * fn - ft;
}

static core_status user_value(sim_flow *f, int i, double t, const double *y, double *g) {
  const sim_watch *w = &f->motion.o->watches[i];
  core_status status = w->value(w->self, t, y, y + f->motion.nq, g, f->motion.err);
  if (!status && !isfinite(*g))
    return core_fail(f->motion.err, CORE_CALLBACK, "event '%s': got %g at t = %.10g s", w->name, *g,
                     t);
  return status;
}

/* Rounding of g at (t, q, u): some eps (T dg/dt + |y| dg/dy) by differences, with T the length of
 * the run, for two patterns of signs, since parts may cancel (q1 + q2 = 0 on the section of a
 * walker).
 */
static core_status rounding_of(sim_flow *f, int i, double t, const double *y, double *moved,
                               double *rounding) {
  const double part = SIM_USER_STEP, later = t + part * (f->motion.o->t_end - f->motion.o->t_start);
  double g0, g;
  core_status status = user_value(f, i, t, y, &g0);
  *rounding = 0;
  for (int pattern = 0; pattern < 2 && !status; pattern++) {
    for (int j = 0; j < f->motion.nq + f->motion.nu; j++)
      moved[j] = y[j] * (1 + (pattern && j % 2 ? -part : part));
    status = user_value(f, i, later, moved, &g);
    *rounding = fmax(*rounding, SIM_USER_ROUNDING * DBL_EPSILON / part * fabs(g - g0));
  }
  return status;
}

core_status sim_watch_rounding(sim_flow *f, double t, const double *y) {
  core_mark mark = core_scratch_mark(f->motion.s);
  double *moved = core_scratch_doubles(f->motion.s, (size_t)f->motion.n);
  core_status status = moved ? CORE_OK : CORE_NO_MEMORY;
  for (int i = 0; i < f->motion.o->n_watches && !status; i++) {
    double rounding;
    status = rounding_of(f, i, t, y, moved, &rounding);
    if (!status && fabs(rounding) < INFINITY)
      f->watched.user_level[i] = fmax(f->watched.user_level[i], rounding);
  }
  core_scratch_release(f->motion.s, mark);
  return status;
}

/* Sliding in space is over when its direction cannot be told: at what the accelerations at hand
 * change in SIM_STOPS (or that part of the time, which rounding rules), or well above the tolerance
 * of the speeds, but not more than they change in SIM_VAGUE. The rest of the way is straight, see
 * hybrid.c. One that was found to turn there instead goes on to half its speed. */
static double stopping_speed(const sim_flow *f, double t, const sim_space *space,
                             const double *force) {
  const impact_problem *pr = &space->setup.problem;
  double T = f->motion.scale.time, largest = f->motion.scale.speed / T,
         speeds = f->motion.v_rounding / (SIM_V_ROUNDING * DBL_EPSILON);
  double atol = isnan(f->motion.o->atol) ? SIM_ATOL * f->motion.scale.speed : f->motion.o->atol;
  for (int i = 0, r = 0; i < f->motion.closed.n; i++)
    for (int end = r + impact_rows_of(pr, i); r < end; r++) {
      double a = fabs(space->a_free[r]) + pr->W[r * pr->rows + r] * fabs(force[r]);
      largest = fmax(largest, a / f->motion.scale.per[f->motion.closed.ids[i]]);
    }
  double vague =
      fmin(SIM_VAGUE_SPEED * (atol + f->motion.o->rtol * speeds), SIM_VAGUE * T * largest);
  double least = fmax(SIM_STOPS * fmax(T, fabs(t)) * largest, fmin(vague, f->watched.slow));
  return fmin(least, SIM_SLOW_MOST * f->watched.slow);
}

core_status sim_forces_at(sim_motion *f, double t, const double *y, sim_space *space,
                          double **force) {
  const double *q = y, *u = y + f->nq;
  double power;
  *force = core_scratch_doubles(f->s, (size_t)(f->closed.n * f->dim));
  if (!*force) return CORE_NO_MEMORY;
  core_status status = sim_free_acceleration(f, t, q, u, f->udot, &power);
  return status ? status : sim_contact_forces(f, t, q, u, f->udot, &f->closed, 1, space, *force);
}

core_status sim_watch_values(void *flow, double t, const double *y, double *g) {
  sim_flow *f = flow;
  sim_motion *motion = &f->motion;
  core_mark mark = core_scratch_mark(motion->s);
  sim_space space = {0};
  double *force = NULL, stopped = 0;
  core_status status = motion->m->type->gap(motion->m, y, motion->gap);
  if (!status && motion->closed.n) status = sim_forces_at(motion, t, y, &space, &force);
  if (!status && force && motion->dim == 3) stopped = stopping_speed(f, t, &space, force);
  for (int i = 0; i < f->watched.n_items && !status; i++) {
    const sim_item *item = &f->watched.items[i];
    if (item->kind == ITEM_GAP)
      g[i] = motion->gap[item->at];
    else if (item->kind == ITEM_HOLD)
      status = sim_support_hold(motion, &space, &g[i]);
    else if (item->kind == ITEM_USER)
      status = user_value(f, item->at, t, y, &g[i]);
    else
      g[i] = contact_value(f, item, &space.setup.problem, force, stopped);
  }
  core_scratch_release(motion->s, mark);
  return status;
}

/* in free flight, of models that know it, without functions of the user */
int sim_watch_most(void *flow, const core_ode *o, double *most) {
  sim_flow *f = flow;
  const model *m = f->motion.m;
  if (!m->type->sway || f->motion.closed.n || f->motion.o->n_watches) return 0;
  core_mark mark = core_scratch_mark(f->motion.s);
  double *dq = core_scratch_doubles(f->motion.s, (size_t)f->motion.nq);
  if (dq) core_ode_reach(o, f->motion.nq, dq), m->type->sway(m, dq, most);
  core_scratch_release(f->motion.s, mark);
  return dq != NULL;
}

/* ---- which ones ---- */

static void add(sim_flow *f, int kind, int at) {
  f->watched.items[f->watched.n_items].kind = kind;
  f->watched.items[f->watched.n_items++].at = at;
}

static void list_items(sim_flow *f) {
  const sim_closed *c = &f->motion.closed;
  int k = 0, held = 0;
  for (int i = 0; i < c->n; i++) held |= c->mode[i] == SIM_MODE_HELD;
  f->watched.n_items = 0;
  for (int i = 0; i < f->motion.nc; i++) {
    if (k < c->n && c->ids[k] == i)
      k++;
    else
      add(f, ITEM_GAP, i);
  }
  for (int i = 0; i < c->n; i++) {
    double mu = f->motion.hold[c->ids[i]];
    if (!held) add(f, ITEM_FORCE, i);
    if (sim_rows_of(&f->motion, c->ids[i]) == 1 || mu == 0) continue;
    if (c->mode[i] == SIM_MODE_CREEP) add(f, ITEM_CREEP, i);
    if (!sim_stands(c->mode[i]))
      add(f, ITEM_SLIDE, i);
    else if (isfinite(mu) && !held)
      add(f, ITEM_CONE, i);
  }
  if (held) add(f, ITEM_HOLD, 0);
  for (int i = 0; i < f->motion.o->n_watches; i++) add(f, ITEM_USER, i);
}

/* Direction, how far from zero a function must be to count as being on its side, and down to which
 * step it is resolved: what is left of gaps and forces there is noise; functions of the user may
 * jump; the others have corners. Rounding of a gap is known, in metres; that of the others is a
 * part of their level, in their own units. */
static void set_levels(sim_flow *f, double t, double rounding, double largest_force) {
  core_event *e = &f->watched.events;
  for (int i = 0; i < e->n; i++) {
    int kind = f->watched.items[i].kind, at = f->watched.items[i].at;
    int smooth = kind == ITEM_GAP || kind == ITEM_FORCE ||
                 (kind == ITEM_SLIDE && sim_rows_of(&f->motion, f->motion.closed.ids[at]) == 2);
    e->direction[i] = -1;
    e->shortest[i] = smooth ? SIM_STEPS_SHORTEST * sim_instant(&f->motion, t) : INFINITY;
    e->rounding[i] = kind == ITEM_GAP ? rounding * f->motion.scale.per[at] : 0;
    e->level[i] = kind == ITEM_GAP     ? SIM_GAP_LEVEL * e->rounding[i]
                  : kind == ITEM_SLIDE ? SIM_SLIDES * f->motion.scale.speed
                                       : 0;
    if (kind == ITEM_FORCE || kind == ITEM_CONE)
      e->level[i] =
          SIM_FORCE_ROUNDING * largest_force / f->motion.scale.per[f->motion.closed.ids[at]];
    e->deep[i] = kind == ITEM_GAP ? SIM_GAP_DEEP * e->rounding[i] : e->level[i];
    if (kind != ITEM_USER) continue;
    e->direction[i] = f->motion.o->watches[f->watched.items[i].at].direction;
    e->level[i] = f->watched.user_level[f->watched.items[i].at];
    e->deep[i] = INFINITY;
    e->shortest[i] = SIM_USER_SHORTEST * fabs(f->motion.o->t_end - f->motion.o->t_start);
  }
}

/* touching contacts that leave with some speed are armed at their root; f->u_after is not used */
static core_status arm_leaving(sim_flow *f, const double *y) {
  core_mark mark = core_scratch_mark(f->motion.s);
  core_status status = CORE_OK;
  for (int i = 0; i < f->watched.events.n && !status; i++) {
    if (f->watched.items[i].kind != ITEM_GAP || f->watched.events.armed[i]) continue;
    impact_setup setup;
    status = impact_assemble(f->motion.m, y, y + f->motion.nq, 1, &f->watched.items[i].at,
                             f->motion.s, &setup, f->motion.err);
    if (!status && f->motion.direction * setup.problem.v[setup.problem.rows - 1] >
                       SIM_LEAVES * sim_speed(&f->motion, f->watched.items[i].at))
      f->watched.events.armed[i] = 1;
  }
  core_scratch_release(f->motion.s, mark);
  return status;
}

/* a part of the slowest sliding, for stopping_speed */
static core_status set_slow(sim_flow *f, const double *y) {
  const sim_closed *c = &f->motion.closed;
  impact_setup setup;
  f->watched.slow = INFINITY;
  if (f->motion.dim < 3 || c->n == 0) return CORE_OK;
  core_mark mark = core_scratch_mark(f->motion.s);
  core_status status = impact_assemble(f->motion.m, y, y + f->motion.nq, c->n, c->ids, f->motion.s,
                                       &setup, f->motion.err);
  for (int i = 0; i < c->n && !status; i++)
    if (c->mode[i] == SIM_MODE_SLIP && impact_rows_of(&setup.problem, i) == 3) {
      const double *v = setup.problem.v + impact_first(&setup.problem, i);
      f->watched.slow = fmin(f->watched.slow, SIM_SLOW * hypot(v[0], v[1]));
    }
  core_scratch_release(f->motion.s, mark);
  return status;
}

/* a function that jumped may be on either side of its jump still: it arms by its next sample */
static void disarm_jumped(sim_flow *f) {
  for (int i = f->watched.events.n - f->motion.o->n_watches; i < f->watched.events.n; i++) {
    int *jumped = &f->watched.user_jumped[f->watched.items[i].at];
    if (*jumped) f->watched.events.armed[i] = 0;
    *jumped = 0;
  }
}

/* What forces of closed contacts are the rest of: the forces that would move each alone as it is
 * moved, sum |J_j u'_j| / W. Balls that swing together touch each other and carry nothing. */
static core_status inertia_force(sim_flow *f, double t, const double *y, double *largest) {
  sim_motion *motion = &f->motion;
  core_mark mark = core_scratch_mark(motion->s);
  impact_setup setup;
  double power;
  core_status status = sim_free_acceleration(motion, t, y, y + motion->nq, motion->udot, &power);
  if (!status)
    status = impact_assemble(motion->m, y, y + motion->nq, motion->closed.n, motion->closed.ids,
                             motion->s, &setup, motion->err);
  for (int i = 0; !status && i < setup.problem.nc; i++) {
    int rows = setup.problem.rows, n = impact_normal(&setup.problem, i);
    double sum = 0, w = setup.problem.W[n * rows + n];
    for (int j = 0; j < motion->nu; j++) sum += fabs(setup.J[j * rows + n] * motion->udot[j]);
    if (w > 0) *largest = fmax(*largest, motion->scale.per[motion->closed.ids[i]] * sum / w);
  }
  core_scratch_release(motion->s, mark);
  return status;
}

/* torques of stops as the forces that do as much */
static core_status largest_force(sim_flow *f, double t, const double *y, double *largest) {
  const sim_closed *c = &f->motion.closed;
  const double *force = f->motion.force;
  *largest = 0;
  for (int i = 0; i < c->n; i++)
    for (int r = 0; r < sim_rows_of(&f->motion, c->ids[i]); r++)
      *largest = fmax(*largest, f->motion.scale.per[c->ids[i]] * fabs(*force++));
  return f->motion.closed.n ? inertia_force(f, t, y, largest) : CORE_OK;
}

core_status sim_watch_phase(sim_flow *f, double t, const double *y) {
  list_items(f);
  f->watched.events.n = f->watched.n_items;
  f->watched.events.reads =
      f->motion.closed.n || f->motion.o->n_watches ? f->motion.n : f->motion.nq;
  double largest;
  core_status status = largest_force(f, t, y, &largest);
  set_levels(f, t, SIM_GAP_ROUNDING * DBL_EPSILON * sim_size(&f->motion, y), largest);
  if (!status) status = set_slow(f, y);
  if (!status) status = core_event_begin(&f->watched.events, t, y);
  disarm_jumped(f);
  return status ? status : arm_leaving(f, y);
}
