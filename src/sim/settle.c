/* After an event: which contacts stay, which leave, and what is told about it.
 *
 * A touching point stays when it does not move away, when the hop it would make is lower than
 * `rest`, or when it ends a series of bounces (zeno.c). Its normal speed goes to zero by an impulse
 * along the direction of its contact force, so that the friction which belongs to the bounces left
 * out is not lost.
 */
#include <math.h>
#include <string.h>

#include "sim/inner.h"

/* ---- who may stay ------------------------------------------------------------------------------
 */

typedef struct touching {
  int n;
  int *ids;
  sim_space space;
} touching;

static core_status list_touching(sim_flow *f, double t, const double *y, int except,
                                 touching *list) {
  double power;
  list->ids = core_scratch_ints(f->s, (size_t)f->nc);
  list->n = 0;
  if (!list->ids) return CORE_NO_MEMORY;
  core_status status = f->m->type->gap(f->m, y, f->gap);
  for (int i = 0; i < f->nc && !status; i++)
    if (f->gap[i] <= f->o->touch && i != except) list->ids[list->n++] = i;
  if (status || list->n == 0) return status;
  status = sim_free_acceleration(f, t, y, y + f->nq, f->udot, &power);
  if (status) return status;
  return sim_space_at(f, y, y + f->nq, f->udot, list->n, list->ids, &list->space);
}

/* scale of lengths in the model, for what rounding can tell apart [m] */
static double size_of(const sim_flow *f, const double *q) {
  double size = 1;
  for (int i = 0; i < f->nq; i++) size = fmax(size, fabs(q[i]));
  return size;
}

/* 1: stays, 0: leaves; ends a series when its hop is as short as the series says */
static int stays(sim_flow *f, double v, double a, int bounces_end, double size) {
  if (v <= sim_slow_normal) return 1;
  if (a >= 0) return 0;
  double hop = 2 * v / -a;
  if (v * v / (-2 * a) <= f->o->rest * size) return 1;
  if (bounces_end && hop <= 4 * f->o->zeno_time) return 1;
  f->hop = fmin(f->hop, hop);
  return 0;
}

/* shrinks the list to those that may stay; *ended when one of them ends a series of bounces */
static void keep_staying(sim_flow *f, const double *y, touching *list, int series, int *ended) {
  int kept = 0, last = f->dim - 1;
  double size = size_of(f, y);
  f->hop = INFINITY;
  *ended = 0;
  for (int i = 0; i < list->n; i++) {
    double v = list->space.setup.problem.v[i * f->dim + last];
    double a = list->space.a_free[i * f->dim + last];
    int bounces = series && f->bouncing[list->ids[i]];
    if (!stays(f, v, a, bounces, size)) continue;
    if (bounces && v > sim_slow_normal) *ended = 1;
    list->ids[kept++] = list->ids[i];
  }
  list->n = kept;
}

/* ---- putting them on the surface ----------------------------------------------------------------
 */

/* speeds of closed contacts to zero by impulses in the directions of their forces */
static core_status land(sim_flow *f, double *y) {
  sim_space space;
  const sim_closed *c = &f->closed;
  double *x = core_scratch_doubles(f->s, (size_t)(c->n * f->dim));
  if (!x) return CORE_NO_MEMORY;
  double before, after;
  core_status status =
      impact_assemble(f->m, y, y + f->nq, c->n, c->ids, f->s, &space.setup, f->err);
  if (!status) status = sim_balance(f, &space, c, space.setup.problem.v, x);
  if (!status) status = model_kinetic(f->m, y, y + f->nq, f->s, &before);
  if (status) return status;
  impact_back(&space.setup, y + f->nq, x, f->u_after);
  memcpy(y + f->nq, f->u_after, (size_t)f->nu * sizeof *y);
  status = model_kinetic(f->m, y, y + f->nq, f->s, &after);
  f->run->ledger.bounces += before - after;
  f->lost += before - after;
  return status;
}

/* ---- telling ------------------------------------------------------------------------------------
 */

static core_status tell(sim_flow *f, sim_event_kind kind, double t, const double *y, int contact,
                        sim_mode mode) {
  sim_event *e;
  core_status status = sim_store_event(f, kind, t, y, NULL, &e);
  if (status) return status;
  e->contact = contact;
  e->mode = mode;
  return CORE_OK;
}

static core_status tell_one(sim_flow *f, double t, const double *y, int id, sim_mode now,
                            double heading) {
  sim_mode was = f->announced[id];
  int turned = now == SIM_MODE_SLIP && f->dim == 2 && f->mu[id] > 0 && heading != f->heading[id];
  f->announced[id] = now;
  f->heading[id] = heading;
  if (was == now && !turned) return CORE_OK;
  if (was == SIM_MODE_OPEN) return tell(f, SIM_CONTACT, t, y, id, now);
  if (now == SIM_MODE_OPEN) return tell(f, SIM_RELEASE, t, y, id, now);
  return tell(f, now == SIM_MODE_STICK ? SIM_STICK : SIM_SLIP, t, y, id, now);
}

core_status sim_announce(sim_flow *f, double t, const double *y) {
  core_status status = CORE_OK;
  int k = 0;
  for (int i = 0; i < f->nc && !status; i++) {
    int closed = k < f->closed.n && f->closed.ids[k] == i;
    status = tell_one(f, t, y, i, closed ? (sim_mode)f->closed.mode[k] : SIM_MODE_OPEN,
                      closed ? f->closed.slip[2 * k] : 0);
    k += closed;
  }
  return status;
}

/* ---- all together
 * -------------------------------------------------------------------------------- */

/* modes from before: a contact that just broke loose goes the way it was pulled */
static void hand_on(sim_flow *f, const touching *list, int loose, int *was) {
  for (int i = 0; i < list->n; i++) {
    was[i] = SIM_MODE_OPEN;
    f->trial.slip[2 * i] = 1;
    f->trial.slip[2 * i + 1] = 0;
    if (list->ids[i] != loose) continue;
    was[i] = SIM_MODE_SLIP;
    memcpy(f->trial.slip + 2 * i, f->loose_slip, sizeof f->loose_slip);
  }
}

static core_status choose(sim_flow *f, double t, double *y, int released, int loose) {
  touching list;
  int ended = 0;
  double rest = sim_zeno_rest(f);
  core_status status = list_touching(f, t, y, released, &list);
  if (status) return status;
  keep_staying(f, y, &list, !isnan(rest), &ended);
  int *was = core_scratch_ints(f->s, (size_t)list.n + 1);
  if (!was) return CORE_NO_MEMORY;
  hand_on(f, &list, loose, was);
  status = sim_decide(f, t, y, y + f->nq, list.n, list.ids, was);
  if (!status && f->closed.n) status = land(f, y);
  if (ended) f->zeno_at = t + rest;
  if (ended) sim_zeno_forget(f);
  return status;
}

core_status sim_settle(sim_flow *f, double t, double *y, int released, int loose) {
  f->hop = INFINITY;
  f->closed.n = 0;
  core_mark mark = core_scratch_mark(f->s);
  core_status status = f->direction > 0 ? choose(f, t, y, released, loose) : CORE_OK;
  core_scratch_release(f->s, mark);
  if (!status) status = sim_project(f, y);
  if (!status && isnan(f->zeno_at)) status = sim_announce(f, t, y);
  return status ? status : sim_store_phase(f);
}
