/* What is watched in a phase. Every function is positive while nothing happens:
 *
 *   gap of an open contact        f_n of a closed one (release)
 *   mu f_n - |f_t| of one that sticks (it breaks loose)
 *   speed of one that slides, along the direction it slides in (it stops)
 *   the user's functions, which may fire in both directions
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "sim/inner.h"

/* ---- values -----------------------------------------------------------------------------------
 */

/* speed along the direction kept; sliding in space ends a little before zero, see contact.c */
static double slide(const sim_flow *f, int at, const double *v) {
  const double *s = f->closed.slip + 2 * at;
  if (f->dim == 2) return s[0] * v[0];
  double along = v[0] * s[0] + v[1] * s[1], across = v[1] * s[0] - v[0] * s[1];
  if (f->closed.mode[at] == SIM_MODE_CREEP) return along;
  return (along < 0 ? -1 : 1) * hypot(along, across) - f->stopped;
}

static double contact_value(const sim_flow *f, const sim_item *item, const double *v,
                            const double *force) {
  int first = item->at * f->dim;
  double fn = force[first + f->dim - 1];
  if (item->kind == ITEM_FORCE) return fn;
  if (item->kind == ITEM_SLIDE) return slide(f, item->at, v + first);
  if (item->kind == ITEM_CREEP) return SIM_CREEPS * f->scale.speed - hypot(v[first], v[first + 1]);
  double ft = f->dim == 2 ? fabs(force[first]) : hypot(force[first], force[first + 1]);
  return f->hold[f->closed.ids[item->at]] * fn - ft;
}

static core_status user_value(sim_flow *f, int i, double t, const double *y, double *g) {
  const sim_watch *w = &f->o->watches[i];
  core_status status = w->value(w->self, t, y, y + f->nq, g, f->err);
  if (!status && !isfinite(*g))
    return core_fail(f->err, CORE_CALLBACK, "event '%s': got %g at t = %.10g s", w->name, *g, t);
  return status;
}

/* Rounding of g at (t, q, u): 16 eps (T dg/dt + |y| dg/dy) by differences, with T the length of the
 * run, for two patterns of signs, since parts may cancel (q1 + q2 = 0 on the section of a walker).
 */
static core_status rounding_of(sim_flow *f, int i, double t, const double *y, double *moved,
                               double *rounding) {
  const double part = 1e-7, later = t + part * (f->o->t_end - f->o->t_start);
  double g0, g;
  core_status status = user_value(f, i, t, y, &g0);
  *rounding = 0;
  for (int pattern = 0; pattern < 2 && !status; pattern++) {
    for (int j = 0; j < f->nq + f->nu; j++)
      moved[j] = y[j] * (1 + (pattern && j % 2 ? -part : part));
    status = user_value(f, i, later, moved, &g);
    *rounding = fmax(*rounding, 16 * DBL_EPSILON / part * fabs(g - g0));
  }
  return status;
}

core_status sim_watch_rounding(sim_flow *f, double t, const double *y) {
  core_mark mark = core_scratch_mark(f->s);
  double *moved = core_scratch_doubles(f->s, (size_t)f->n);
  core_status status = moved ? CORE_OK : CORE_NO_MEMORY;
  for (int i = 0; i < f->o->n_watches && !status; i++) {
    double rounding;
    status = rounding_of(f, i, t, y, moved, &rounding);
    if (!status && fabs(rounding) < INFINITY) f->user_level[i] = fmax(f->user_level[i], rounding);
  }
  core_scratch_release(f->s, mark);
  return status;
}

/* Sliding in space is over when its direction cannot be told: at what the accelerations at hand
 * change in SIM_STOPS (or that part of the time, which rounding rules), or well above the tolerance
 * of the speeds, but not more than they change in SIM_VAGUE. The rest of the way is straight, see
 * hybrid.c. One that was found to turn there instead goes on to half its speed. */
static double stopping_speed(const sim_flow *f, double t, const sim_space *space,
                             const double *force) {
  const impact_problem *pr = &space->setup.problem;
  double T = f->scale.time, largest = f->scale.speed / T, speeds = f->noise / (64 * DBL_EPSILON);
  double atol = isnan(f->o->atol) ? SIM_ATOL * f->scale.speed : f->o->atol;
  for (int r = 0; r < pr->rows; r++)
    largest = fmax(largest, fabs(space->a_free[r]) + pr->W[r * pr->rows + r] * fabs(force[r]));
  double vague = fmin(1e3 * (atol + f->o->rtol * speeds), SIM_VAGUE * T * largest);
  double least = fmax(SIM_STOPS * fmax(T, fabs(t)) * largest, fmin(vague, f->slow));
  return fmin(least, 50 * f->slow);
}

core_status sim_forces_at(sim_flow *f, double t, const double *y, const double **v,
                          double **force) {
  const double *q = y, *u = y + f->nq;
  double power;
  sim_space space;
  *force = core_scratch_doubles(f->s, (size_t)(f->closed.n * f->dim));
  if (!*force) return CORE_NO_MEMORY;
  core_status status = sim_free_acceleration(f, t, q, u, f->udot, &power);
  if (!status) status = sim_contact_forces(f, t, q, u, f->udot, &f->closed, &space, *force);
  if (status) return status;
  *v = space.setup.problem.v;
  f->stopped = f->dim == 3 ? stopping_speed(f, t, &space, *force) : 0;
  return CORE_OK;
}

core_status sim_watch_values(void *flow, double t, const double *y, double *g) {
  sim_flow *f = flow;
  core_mark mark = core_scratch_mark(f->s);
  const double *v = NULL;
  double *force = NULL;
  core_status status = f->m->type->gap(f->m, y, f->gap);
  f->watching = 1;
  if (!status && f->closed.n) status = sim_forces_at(f, t, y, &v, &force);
  f->watching = 0;
  for (int i = 0; i < f->n_items && !status; i++) {
    const sim_item *item = &f->items[i];
    if (item->kind == ITEM_GAP)
      g[i] = f->gap[item->at];
    else if (item->kind == ITEM_USER)
      status = user_value(f, item->at, t, y, &g[i]);
    else
      g[i] = contact_value(f, item, v, force);
  }
  core_scratch_release(f->s, mark);
  return status;
}

/* ---- which ones -------------------------------------------------------------------------------
 */

static void add(sim_flow *f, int kind, int at) {
  f->items[f->n_items].kind = kind;
  f->items[f->n_items++].at = at;
}

static void list_items(sim_flow *f) {
  const sim_closed *c = &f->closed;
  int k = 0;
  f->n_items = 0;
  for (int i = 0; i < f->nc; i++) {
    if (k < c->n && c->ids[k] == i)
      k++;
    else
      add(f, ITEM_GAP, i);
  }
  for (int i = 0; i < c->n; i++) {
    double mu = f->hold[c->ids[i]];
    add(f, ITEM_FORCE, i);
    if (f->dim == 1 || mu == 0) continue;
    if (c->mode[i] == SIM_MODE_CREEP) add(f, ITEM_CREEP, i);
    if (c->mode[i] != SIM_MODE_STICK)
      add(f, ITEM_SLIDE, i);
    else if (isfinite(mu))
      add(f, ITEM_CONE, i);
  }
  for (int i = 0; i < f->o->n_watches; i++) add(f, ITEM_USER, i);
}

/* Direction, how far from zero a function must be to count as being on its side, and down to which
 * step it is resolved: what is left of gaps and forces there is noise; functions of the user may
 * jump; the others have corners. */
static void set_levels(sim_flow *f, double t, double largest_force) {
  core_event *e = &f->events;
  for (int i = 0; i < e->n; i++) {
    int kind = f->items[i].kind;
    int smooth = kind == ITEM_GAP || kind == ITEM_FORCE || (kind == ITEM_SLIDE && f->dim == 2);
    e->direction[i] = -1;
    e->shortest[i] = smooth ? 1e3 * SIM_SHORTEST * fmax(1e-3 * f->scale.time, fabs(t)) : INFINITY;
    e->level[i] = kind == ITEM_GAP     ? 4 * e->rounding
                  : kind == ITEM_SLIDE ? SIM_SLIDES * f->scale.speed
                                       : 0;
    if (kind == ITEM_FORCE || kind == ITEM_CONE) e->level[i] = SIM_FORCE_ROUNDING * largest_force;
    e->deep[i] = kind == ITEM_GAP ? 256 * e->rounding : e->level[i];
    if (kind != ITEM_USER) continue;
    e->direction[i] = f->o->watches[f->items[i].at].direction;
    e->level[i] = f->user_level[f->items[i].at];
    e->deep[i] = INFINITY;
    e->shortest[i] = 1e-5 * fabs(f->o->t_end - f->o->t_start);
  }
}

/* touching contacts that leave with some speed are armed at their root; f->u_after is not used */
static core_status arm_leaving(sim_flow *f, const double *y) {
  core_mark mark = core_scratch_mark(f->s);
  core_status status = CORE_OK;
  for (int i = 0; i < f->events.n && !status; i++) {
    if (f->items[i].kind != ITEM_GAP || f->events.armed[i]) continue;
    impact_setup setup;
    status = impact_assemble(f->m, y, y + f->nq, 1, &f->items[i].at, f->s, &setup, f->err);
    if (!status && f->direction * setup.problem.v[f->dim - 1] > SIM_LEAVES * f->scale.speed)
      f->events.armed[i] = 1;
  }
  core_scratch_release(f->s, mark);
  return status;
}

/* a part of the slowest sliding, for stopping_speed */
static core_status set_slow(sim_flow *f, const double *y) {
  const sim_closed *c = &f->closed;
  impact_setup setup;
  f->slow = INFINITY;
  if (f->dim < 3 || c->n == 0) return CORE_OK;
  core_mark mark = core_scratch_mark(f->s);
  core_status status = impact_assemble(f->m, y, y + f->nq, c->n, c->ids, f->s, &setup, f->err);
  for (int i = 0; i < c->n && !status; i++)
    if (c->mode[i] == SIM_MODE_SLIP)
      f->slow = fmin(f->slow, 0.01 * hypot(setup.problem.v[3 * i], setup.problem.v[3 * i + 1]));
  core_scratch_release(f->s, mark);
  return status;
}

/* a function that jumped may be on either side of its jump still: it arms by its next sample */
static void disarm_jumped(sim_flow *f) {
  for (int i = f->events.n - f->o->n_watches; i < f->events.n; i++) {
    int *jumped = &f->user_jumped[f->items[i].at];
    if (*jumped) f->events.armed[i] = 0;
    *jumped = 0;
  }
}

static double largest_force(const sim_flow *f) {
  double largest = 0;
  for (int r = 0; r < f->closed.n * f->dim; r++) largest = fmax(largest, fabs(f->contact[r]));
  return largest;
}

core_status sim_watch_phase(sim_flow *f, double t, const double *y) {
  list_items(f);
  f->events.n = f->n_items;
  f->events.reads = f->closed.n || f->o->n_watches ? f->n : f->nq;
  f->events.rounding = SIM_GAP_ROUNDING * DBL_EPSILON * sim_size(f, y);
  set_levels(f, t, largest_force(f));
  core_status status = set_slow(f, y);
  if (!status) status = core_event_begin(&f->events, t, y);
  disarm_jumped(f);
  return status ? status : arm_leaving(f, y);
}
