/* Free flight in closed form, where a model has it (model_type.coast).
 *
 * Contacts move along their normals with constant acceleration then,
 *
 *   gap(t) = g + v t + a t^2/2,   v = J_n u,  a = J_n u',  both J_n and u' the same everywhere
 *
 * so the next impact is the first falling root of a parabola, and the flight there is one step
 * without an error. Extra forces and functions of the user need the integrator.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "sim/inner.h"

enum { MOST = 4096 }; /* numbers of J_n that are kept at most */

/* rows of J and accelerations, once per run */
core_status sim_coast_init(sim_flow *f) {
  sim_motion *motion = &f->motion;
  const model *m = motion->m;
  sim_coast *c = &f->coast;
  int nu = motion->nu;
  double power;
  c->ready = 0;
  if (!m->type->coast || motion->o->force || motion->o->n_watches || motion->direction < 0 ||
      m->shape.na || motion->nc * nu > MOST)
    return CORE_OK;
  c->J = core_scratch_doubles(motion->s, (size_t)(motion->nc * (nu + 1)));
  if (!c->J) return CORE_NO_MEMORY;
  c->a = c->J + motion->nc * nu;
  core_status status =
      sim_free_acceleration(motion, motion->o->t_start, m->q, m->u, motion->udot, &power);
  for (int i = 0; i < motion->nc && !status; i++) {
    core_mark mark = core_scratch_mark(motion->s);
    impact_setup setup;
    status = impact_assemble(m, m->q, m->u, 1, &i, motion->s, &setup, motion->err);
    c->a[i] = 0;
    for (int j = 0; j < nu && !status; j++) {
      c->J[i * nu + j] = setup.J[(j + 1) * setup.problem.rows - 1];
      c->a[i] += c->J[i * nu + j] * motion->udot[j];
    }
    core_scratch_release(motion->s, mark);
  }
  c->ready = !status;
  return status;
}

/* the first time > 0 at which g + v t + a t^2/2 falls through 0, infinity when it never does. What
 * starts at 0 and leaves has left. */
static double falls_at(double g, double v, double a) {
  double d = v * v - 2 * a * g;
  if (d < 0 || (a >= 0 && v >= 0)) return INFINITY;
  return v > 0 ? (v + sqrt(d)) / -a : 2 * g / (sqrt(d) - v);
}

static double speed_of(const sim_flow *f, int i, const double *u) {
  const double *row = f->coast.J + i * f->motion.nu;
  double v = 0;
  for (int j = 0; j < f->motion.nu; j++) v += row[j] * u[j];
  return v;
}

/* Time until the first contact closes; NaN when one touches without leaving, which is not for us */
static double next_impact(sim_flow *f, const double *y) {
  const sim_motion *motion = &f->motion;
  double first = INFINITY;
  double closed = SIM_GAP_LEVEL * SIM_GAP_ROUNDING * DBL_EPSILON * sim_size(motion, y);
  for (int i = 0; i < motion->nc; i++) {
    double v = speed_of(f, i, y + motion->nq), g = motion->gap[i];
    if (fabs(g) <= closed && !(v > SIM_LEAVES * motion->scale.speed)) return NAN;
    if (g < -closed) return NAN;
    first = fmin(first, falls_at(fabs(g) <= closed ? 0 : g, v, f->coast.a[i]));
  }
  return first;
}

/* a hop that is far from the end of a series, and from rest */
static int hops(const sim_flow *f, double v, double a, double rest) {
  if (!(v > SIM_LEAVES * f->motion.scale.speed)) return 0;
  if (a >= 0) return 1;
  return v > sim_zeno_time(f, a) * -a && v * v > -2 * a * rest;
}

int sim_coast_leaves(sim_flow *f, const double *y) {
  sim_motion *motion = &f->motion;
  if (!f->coast.ready || motion->m->type->gap(motion->m, y, motion->gap)) return 0;
  double rest = isnan(motion->o->rest) ? SIM_REST * sim_size(motion, y) : motion->o->rest;
  for (int i = 0; i < motion->nc; i++) {
    if (motion->gap[i] > sim_touch(motion, i)) continue;
    if (!hops(f, speed_of(f, i, y + motion->nq), f->coast.a[i], rest)) return 0;
  }
  return 1;
}

int sim_may_coast(const sim_flow *f) {
  return f->coast.ready && f->motion.closed.n == 0 && isnan(f->landing.next);
}

core_status sim_coast_step(sim_flow *f, int *hits) {
  sim_motion *motion = &f->motion;
  core_ode *o = &f->ode;
  double *y = o->y, t_end = motion->o->t_end;
  *hits = -1;
  if (core_interrupted()) return CORE_INTERRUPTED;
  core_status status = motion->m->type->gap(motion->m, y, motion->gap);
  double dt = status ? 0 : next_impact(f, y);
  if (status || isnan(dt)) return status;
  double left = t_end - o->t;
  *hits = dt <= left + SIM_AT_END * fmax(left, fabs(t_end)); /* at the very end is in time */
  if (!*hits) dt = left;
  memcpy(o->y_old, y, (size_t)o->n * sizeof *y);
  o->t_old = o->t;
  o->t = *hits ? fmin(o->t + dt, t_end) : t_end;
  o->h = o->t - o->t_old;
  o->steps++;
  motion->m->type->coast(motion->m, dt, o->y_old, o->y_old + motion->nq, y, y + motion->nq);
  return sim_store_flight(f, o);
}
