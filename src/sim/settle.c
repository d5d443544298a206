/* After an event: which contacts stay, which leave, and what is told about it.
 *
 * A touching point stays when it does not move away, when the hop it would make is lower than
 * `rest`, or when it ends a series of bounces (zeno.c). Such a landing takes a time T, in which
 * impacts give the normal impulse P = (a T - v)/W_nd (a: acceleration towards the surface, v: speed
 * of leaving, W_nd = W_nn - mu W_nt s) and the friction mu P. Here v goes to zero at once, by
 * -v/W_nn, and sustained contact does the rest; with friction mu P/(P + v/W_nn) until T is over
 * both impulses are the same.
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
  double *a;       /* rows: acceleration, with the forces of those that stay [m/s^2] */
  int *stays;      /* n */
  double *landing; /* n: time that the hops of one that stays would still take, 0: lies still [s] */
  int *series;     /* n: ... by the rest of a series of bounces */
} touching;

static core_status list_touching(sim_flow *f, double t, const double *y, int except,
                                 touching *list) {
  double power;
  size_t nc = (size_t)f->nc;
  list->ids = core_scratch_ints(f->s, 3 * nc);
  list->a = core_scratch_doubles(f->s, nc * (size_t)(f->dim + 1));
  list->n = 0;
  if (!list->ids || !list->a) return CORE_NO_MEMORY;
  list->stays = list->ids + nc;
  list->series = list->stays + nc;
  list->landing = list->a + nc * (size_t)f->dim;
  core_status status = f->m->type->gap(f->m, y, f->gap);
  for (int i = 0; i < f->nc && !status; i++)
    if (f->gap[i] <= f->touch && i != except) list->ids[list->n++] = i;
  if (status || list->n == 0) return status;
  status = sim_free_acceleration(f, t, y, y + f->nq, f->udot, &power);
  if (status) return status;
  return sim_space_at(f, y, y + f->nq, f->udot, list->n, list->ids, &list->space);
}

/* Modes from before: a contact that just broke loose goes the way it was pulled, one that just
 * stopped counts as still. */
static void hand_on(sim_flow *f, int n, const int *ids, int loose, int *was) {
  for (int i = 0; i < n; i++) {
    was[i] = SIM_MODE_OPEN;
    f->trial.slip[2 * i] = 1;
    f->trial.slip[2 * i + 1] = 0;
    if (ids[i] == f->halted) was[i] = SIM_MODE_STICK;
    if (ids[i] != loose) continue;
    was[i] = SIM_MODE_SLIP;
    memcpy(f->trial.slip + 2 * i, f->loose_slip, sizeof f->loose_slip);
  }
}

static double normal_speed(const sim_flow *f, const touching *list, int i) {
  return list->space.setup.problem.v[i * f->dim + f->dim - 1];
}

/* adds what the forces of f->closed do to the points of the list; closed ones are in the list */
static core_status add_forces(sim_flow *f, double t, const double *y, touching *list) {
  const impact_problem *pr = &list->space.setup.problem;
  int dim = f->dim, k = 0;
  const double *v;
  double *force;
  core_status status = sim_forces_at(f, t, y, &v, &force);
  for (int i = 0; i < list->n && !status; i++) {
    if (k == f->closed.n || f->closed.ids[k] != list->ids[i]) continue;
    for (int r = 0; r < dim; r++)
      for (int row = 0; row < pr->rows; row++)
        list->a[row] += pr->W[(i * dim + r) * pr->rows + row] * force[k * dim + r];
    k++;
  }
  return status;
}

/* Points that leave are pulled back by what the points that stay hold: their forces belong to the
 * acceleration. Without a consistent answer here the free acceleration does. */
static core_status add_supports(sim_flow *f, double t, const double *y, touching *list) {
  int n = 0, *ids = core_scratch_ints(f->s, 2 * (size_t)list->n + 1), *was = ids + list->n;
  if (!ids) return CORE_NO_MEMORY;
  memcpy(list->a, list->space.a_free, (size_t)(list->n * f->dim) * sizeof *list->a);
  for (int i = 0; i < list->n; i++)
    if (list->stays[i]) ids[n++] = list->ids[i];
  if (n == 0 || n == list->n) return CORE_OK;
  hand_on(f, n, ids, -1, was);
  core_status status = sim_decide(f, t, y, y + f->nq, n, ids, was);
  if (!status && f->closed.n) status = add_forces(f, t, y, list);
  f->closed.n = 0;
  if (status == CORE_NO_SOLUTION) f->err->text[0] = 0;
  return status == CORE_NO_SOLUTION ? CORE_OK : status;
}

/* 1 when point i, which leaves, comes down at once: by the rest of a series of bounces, or because
 * its hop is lower than `rest`; sets the time it takes */
static int lands(const sim_flow *f, touching *list, int i, double rest) {
  double v = normal_speed(f, list, i), a = list->a[(i + 1) * f->dim - 1];
  if (a >= 0) return 0;
  double hop = 2 * v / -a, shortest = sim_zeno_time(f, a);
  int bounces = f->bouncing[list->ids[i]] && hop <= 2 * shortest;
  double series = bounces ? sim_zeno_rest(f, shortest) : NAN;
  list->series[i] = !isnan(series);
  list->landing[i] = list->series[i] ? series : v * v / (-2 * a) <= rest ? hop : 0;
  return list->landing[i] > 0;
}

/* Who stays: what does not leave, and what lands. Each one that stays holds others, which may land
 * then too (a ball on a ball: together they fall freely, on the floor they do not), so this goes on
 * until nobody joins. */
static core_status judge(sim_flow *f, double t, const double *y, touching *list) {
  double rest = isnan(f->o->rest) ? SIM_REST * sim_size(f, y) : f->o->rest;
  for (int i = 0; i < list->n; i++) {
    list->stays[i] =
        normal_speed(f, list, i) <= SIM_LEAVES * f->scale.speed || list->ids[i] == f->pinned;
    list->landing[i] = 0;
    list->series[i] = 0;
  }
  for (int joined = 1; joined;) {
    core_mark mark = core_scratch_mark(f->s);
    core_status status = add_supports(f, t, y, list);
    core_scratch_release(f->s, mark);
    if (status) return status;
    joined = 0;
    for (int i = 0; i < list->n; i++) {
      if (list->stays[i] || !lands(f, list, i, rest)) continue;
      list->stays[i] = joined = 1;
    }
  }
  return CORE_OK;
}

/* what friction of contact i of the list is scaled by while it lands */
static double landing_friction(const sim_flow *f, const touching *list, int i) {
  const impact_problem *pr = &list->space.setup.problem;
  int tangents = f->dim - 1, n = impact_normal(pr, i);
  const double *v = pr->v + n - tangents, *W = pr->W + n * pr->rows;
  double speed = 0, along = 0, vn = pr->v[n], a = -list->a[n];
  for (int r = 0; r < tangents; r++) speed = hypot(speed, v[r]);
  for (int r = 0; r < tangents && speed > 0; r++) along += W[n - tangents + r] * v[r] / speed;
  double P = (a * list->landing[i] - vn) / (W[n] - f->mu[list->ids[i]] * along);
  double scale = P / (P + vn / W[n]);
  return scale >= 0 && scale <= 1 ? scale : 1;
}

/* Shrinks the list to those that stay. Friction of those that land is scaled; f->landed_at is the
 * time when that is over, and f->zeno says that it ends a series of bounces. f->hop is how long the
 * shortest flight of the others takes. */
static void keep_staying(sim_flow *f, double t, touching *list) {
  int kept = 0;
  for (int i = 0; i < list->n; i++) {
    int id = list->ids[i];
    double v = normal_speed(f, list, i), a = list->a[(i + 1) * f->dim - 1];
    if (!list->stays[i]) {
      if (a < 0) f->hop = fmin(f->hop, 2 * v / -a);
      continue;
    }
    if (list->landing[i] > 0) {
      f->landed_at = fmax(f->landed_at, t + list->landing[i]); /* NaN loses */
      f->mu[id] *= landing_friction(f, list, i);
      f->zeno |= list->series[i];
    }
    list->ids[kept++] = id;
  }
  list->n = kept;
}

/* ---- putting them on the surface ----------------------------------------------------------------
 */

/* onto the surface; what creeps sets out from rest and stands still here as what sticks does */
static core_status project_still(sim_flow *f, double *y) {
  sim_closed *c = &f->closed;
  core_mark mark = core_scratch_mark(f->s);
  int *kept = c->mode, *still = core_scratch_ints(f->s, (size_t)c->n);
  if (!still) return CORE_NO_MEMORY;
  for (int i = 0; i < c->n; i++)
    still[i] = kept[i] == SIM_MODE_CREEP ? (int)SIM_MODE_STICK : kept[i];
  c->mode = still;
  core_status status = sim_project(f, y);
  c->mode = kept;
  core_scratch_release(f->s, mark);
  return status;
}

/* onto the surface, speeds too; what that costs is booked */
static core_status land(sim_flow *f, double *y) {
  double k0, p0, k1, p1;
  core_status status = sim_energy(f->m, y, y + f->nq, f->s, &k0, &p0);
  if (!status) status = project_still(f, y);
  if (!status) status = sim_energy(f->m, y, y + f->nq, f->s, &k1, &p1);
  if (status) return status;
  f->run->ledger.bounces += k0 - k1 + p0 - p1;
  f->lost += k0 - k1 + p0 - p1;
  return CORE_OK;
}

void sim_landed(sim_flow *f) {
  memcpy(f->mu, f->run->mu, (size_t)f->nc * sizeof *f->mu);
  f->landed_at = NAN;
  f->zeno = 0;
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
  if (now == SIM_MODE_CREEP) now = SIM_MODE_SLIP;
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

static core_status choose(sim_flow *f, double t, double *y, int released, int loose) {
  touching list;
  core_status status = list_touching(f, t, y, released, &list);
  if (!status && list.n) status = judge(f, t, y, &list);
  int *was = core_scratch_ints(f->s, (size_t)list.n + 1);
  if (status || !was) return status ? status : CORE_NO_MEMORY;
  keep_staying(f, t, &list);
  hand_on(f, list.n, list.ids, loose, was);
  status = sim_decide(f, t, y, y + f->nq, list.n, list.ids, was);
  if (f->zeno) sim_zeno_forget(f);
  return status;
}

/* 1 when some contact slides against its direction: landing took a normal speed away, and with it a
 * tangential one of the same size */
static int turned_round(sim_flow *f, const double *y, core_status *status) {
  const sim_closed *c = &f->closed;
  impact_setup setup;
  int turned = 0, dim = f->dim;
  if (dim == 1) return 0;
  core_mark mark = core_scratch_mark(f->s);
  *status = impact_assemble(f->m, y, y + f->nq, c->n, c->ids, f->s, &setup, f->err);
  for (int i = 0; i < c->n && !*status; i++) {
    double along = 0;
    for (int r = 0; r < dim - 1; r++) along += setup.problem.v[i * dim + r] * c->slip[2 * i + r];
    turned |= c->mode[i] == SIM_MODE_SLIP && f->mu[c->ids[i]] > 0 &&
              along < -2 * SIM_SLIDES * f->scale.speed;
  }
  core_scratch_release(f->s, mark);
  return turned;
}

/* decides again for the contacts that are closed */
static core_status decide_again(sim_flow *f, double t, const double *y) {
  core_mark mark = core_scratch_mark(f->s);
  int n = f->closed.n, *ids = core_scratch_ints(f->s, 2 * (size_t)n), *was = ids + n;
  if (!ids) return CORE_NO_MEMORY;
  memcpy(ids, f->closed.ids, (size_t)n * sizeof *ids);
  hand_on(f, n, ids, -1, was);
  core_status status = sim_decide(f, t, y, y + f->nq, n, ids, was);
  core_scratch_release(f->s, mark);
  return status;
}

static core_status land_all(sim_flow *f, double t, double *y) {
  core_status status = land(f, y);
  for (int i = 0; i < 3 && !status && turned_round(f, y, &status) && !status; i++) {
    status = decide_again(f, t, y);
    if (!status) status = land(f, y);
  }
  return status;
}

core_status sim_settle(sim_flow *f, double t, double *y, int released, int loose) {
  f->hop = INFINITY;
  f->closed.n = 0;
  f->noise = 0;
  sim_landed(f);
  core_mark mark = core_scratch_mark(f->s);
  core_status status = f->direction > 0 ? choose(f, t, y, released, loose) : CORE_OK;
  core_scratch_release(f->s, mark);
  if (!status && f->closed.n && f->dim > 1) status = sim_grip(f, t, y);
  if (!status) status = f->closed.n ? land_all(f, t, y) : sim_project(f, y);
  f->pinned = f->halted = -1;
  if (!status && !f->zeno) status = sim_announce(f, t, y);
  return status ? status : sim_store_phase(f);
}
