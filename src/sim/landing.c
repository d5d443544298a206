/* After an event: which contacts stay, which leave, and what is told about it.
 *
 * A touching point stays when it does not move away, when the hop it would make is lower than
 * `rest`, or when it ends a series of bounces (zeno.c). Such a landing takes a time T, in which
 * impacts give the normal impulses P with v + W_nd P + a T = 0 (v: speeds of leaving, a:
 * accelerations without them, W_nd = W_nn - mu W_nt s where points slide along s), and the friction
 * mu P. Here v goes to zero at once, by P0 = -W_nd^-1 v, which pulls, with the friction mu P0,
 * which pushes; sustained contact does the rest, -W_nd^-1 a T, with its friction. At T both
 * impulses are the same, at the points that land and at all others that are closed.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "sim/inner.h"

/* ---- who may stay ---- */

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
  size_t nc = (size_t)f->motion.nc;
  list->ids = core_scratch_ints(f->motion.s, 3 * nc);
  list->a = core_scratch_doubles(f->motion.s, nc * (size_t)(f->motion.dim + 1));
  list->n = 0;
  if (!list->ids || !list->a) return CORE_NO_MEMORY;
  list->stays = list->ids + nc;
  list->series = list->stays + nc;
  list->landing = list->a + nc * (size_t)f->motion.dim;
  core_status status = f->motion.m->type->gap(f->motion.m, y, f->motion.gap);
  for (int i = 0; i < f->motion.nc && !status; i++)
    if (f->motion.gap[i] <= sim_touch(&f->motion, i) && i != except) list->ids[list->n++] = i;
  if (status || list->n == 0) return status;
  status = sim_free_acceleration(&f->motion, t, y, y + f->motion.nq, f->motion.udot, &power);
  if (status) return status;
  return sim_space_at(&f->motion, y, y + f->motion.nq, f->motion.udot, list->n, list->ids,
                      &list->space);
}

/* Modes from before: a contact that just broke loose goes the way it was pulled, one that just
 * stopped counts as still. */
static void start_modes(sim_flow *f, int n, const int *ids, const sim_cause *cause, int *was) {
  for (int i = 0; i < n; i++) {
    was[i] = SIM_MODE_OPEN;
    f->motion.trial.slip[2 * i] = 1;
    f->motion.trial.slip[2 * i + 1] = 0;
    if (ids[i] == cause->stopped) was[i] = SIM_MODE_STICK;
    if (ids[i] != cause->loose) continue;
    was[i] = cause->held ? SIM_MODE_HELD : SIM_MODE_SLIP;
    memcpy(f->motion.trial.slip + 2 * i, cause->slip, sizeof cause->slip);
  }
}

static double normal_speed(const touching *list, int i) {
  return list->space.setup.problem.v[impact_normal(&list->space.setup.problem, i)];
}

static double normal_acceleration(const touching *list, int i) {
  return list->a[impact_normal(&list->space.setup.problem, i)];
}

/* adds what the forces of f->motion.closed do to the points of the list; closed ones are in the
 * list */
static core_status add_forces(sim_flow *f, double t, const double *y, touching *list) {
  const impact_problem *pr = &list->space.setup.problem;
  int k = 0;
  sim_space space;
  double *force;
  core_status status = sim_forces_at(&f->motion, t, y, &space, &force);
  for (int i = 0; i < list->n && !status; i++) {
    if (k == f->motion.closed.n || f->motion.closed.ids[k] != list->ids[i]) continue;
    int from = impact_first(pr, i), of = impact_first(&space.setup.problem, k);
    for (int r = 0; r < impact_rows_of(pr, i); r++)
      for (int row = 0; row < pr->rows; row++)
        list->a[row] += pr->W[(from + r) * pr->rows + row] * force[of + r];
    k++;
  }
  return status;
}

/* Points that leave are pulled back by what the points that stay hold: their forces belong to the
 * acceleration. Without a consistent answer here the free acceleration does. */
static core_status add_supports(sim_flow *f, double t, const double *y, const sim_cause *cause,
                                touching *list) {
  sim_cause as_it_is = {-1, -1, cause->stopped, -1, 0, {0, 0}};
  int n = 0, *ids = core_scratch_ints(f->motion.s, 2 * (size_t)list->n + 1), *was = ids + list->n;
  if (!ids) return CORE_NO_MEMORY;
  memcpy(list->a, list->space.a_free, (size_t)list->space.setup.problem.rows * sizeof *list->a);
  for (int i = 0; i < list->n; i++)
    if (list->stays[i]) ids[n++] = list->ids[i];
  if (n == 0 || n == list->n) return CORE_OK;
  start_modes(f, n, ids, &as_it_is, was);
  core_status status = sim_decide(&f->motion, t, y, y + f->motion.nq, n, ids, was);
  if (!status && f->motion.closed.n) status = add_forces(f, t, y, list);
  f->motion.closed.n = 0;
  if (status == CORE_NO_SOLUTION) f->motion.err->text[0] = 0;
  return status == CORE_NO_SOLUTION ? CORE_OK : status;
}

/* 1 when point i, which leaves, comes down at once: by the rest of a series of bounces, or because
 * its hop is lower than `rest`; sets the time it takes */
static int lands(const sim_flow *f, double t, double size, touching *list, int i, double rest) {
  double v = normal_speed(list, i), a = normal_acceleration(list, i);
  if (a >= 0) return 0;
  double per = f->motion.scale.per[list->ids[i]];
  double hop = 2 * v / -a, rounding = SIM_GAP_ROUNDING * DBL_EPSILON * size;
  double series = sim_zeno_rest(f, list->ids[i], t, hop, a / per, rounding);
  list->series[i] = !isnan(series);
  list->landing[i] = list->series[i] ? series : v * v / (-2 * a) <= rest * per ? hop : 0;
  return list->landing[i] > 0;
}

/* Who stays: what does not leave, and what lands. Each one that stays holds others, which may land
 * then too (a ball on a ball: together they fall freely, on the floor they do not), so this goes on
 * until nobody joins. */
static core_status judge(sim_flow *f, double t, const double *y, const sim_cause *cause,
                         touching *list) {
  double size = sim_size(&f->motion, y);
  double rest = isnan(f->motion.o->rest) ? SIM_REST * size : f->motion.o->rest;
  for (int i = 0; i < list->n; i++) {
    list->stays[i] = normal_speed(list, i) <= SIM_LEAVES * sim_speed(&f->motion, list->ids[i]) ||
                     list->ids[i] == cause->forced_closed;
    list->landing[i] = 0;
    list->series[i] = 0;
  }
  for (int joined = 1; joined;) {
    core_mark mark = core_scratch_mark(f->motion.s);
    core_status status = add_supports(f, t, y, cause, list);
    core_scratch_release(f->motion.s, mark);
    if (status) return status;
    joined = 0;
    for (int i = 0; i < list->n; i++) {
      if (list->stays[i] || !lands(f, t, size, list, i, rest)) continue;
      list->stays[i] = joined = 1;
    }
  }
  return CORE_OK;
}

/* Shrinks the list to those that stay. Of those that land over_at is the time when that is over,
 * and ends_series says that it ends a series of bounces. *hop is how long the shortest flight of
 * the others takes. */
static void keep_staying(sim_flow *f, double t, touching *list, double *hop) {
  int kept = 0;
  for (int i = 0; i < list->n; i++) {
    int id = list->ids[i];
    double v = normal_speed(list, i), a = normal_acceleration(list, i);
    if (!list->stays[i]) {
      if (a < 0) *hop = fmin(*hop, 2 * v / -a);
      continue;
    }
    if (list->landing[i] > 0) {
      sim_landed(f, id);
      f->landing.over_at[id] = t + list->landing[i];
      f->landing.ends_series[id] = list->series[i];
      if (list->series[i]) sim_zeno_forget(f, id);
    }
    list->ids[kept++] = id;
  }
  list->n = kept;
}

/* ---- putting them on the surface ---- */

core_status sim_put_on(sim_flow *f, const sim_closed *c, const double *mu, double *y) {
  double k0, p0, k1, p1, friction;
  core_status status = sim_energy(f->motion.m, y, y + f->motion.nq, f->motion.s, &k0, &p0);
  if (!status) status = sim_project(&f->motion, c, mu, y, &friction);
  if (!status) status = sim_energy(f->motion.m, y, y + f->motion.nq, f->motion.s, &k1, &p1);
  if (status) return status;
  f->run->ledger.bounces += k0 - k1 + p0 - p1 - friction;
  f->lost += k0 - k1 + p0 - p1 - friction;
  y[f->motion.n - 1] += friction;
  return CORE_OK;
}

/* 1 when some contact slides against its direction: landing took a normal speed away, and with it a
 * tangential one of the same size. In space also when nothing is left of its speed, and so of its
 * direction (one that sets out from rest creeps). */
static int turned_round(sim_flow *f, const double *y, core_status *status) {
  const sim_closed *c = &f->motion.closed;
  impact_setup setup;
  int turned = 0;
  if (f->motion.dim == 1) return 0;
  core_mark mark = core_scratch_mark(f->motion.s);
  *status = impact_assemble(f->motion.m, y, y + f->motion.nq, c->n, c->ids, f->motion.s, &setup,
                            f->motion.err);
  for (int i = 0; i < c->n && !*status; i++) {
    double along = 0, sure = SIM_SLIDES_FOR_SURE * SIM_SLIDES * f->motion.scale.speed;
    const double *v = setup.problem.v + impact_first(&setup.problem, i);
    int tangents = impact_rows_of(&setup.problem, i) - 1;
    for (int r = 0; r < tangents; r++) along += v[r] * c->slip[2 * i + r];
    turned |= c->mode[i] == SIM_MODE_SLIP && f->motion.mu[c->ids[i]] > 0 &&
              (along < -sure || (tangents == 2 && hypot(v[0], v[1]) <= sure));
  }
  core_scratch_release(f->motion.s, mark);
  return turned;
}

/* ... with friction, unless that has no answer, or would turn points round that it can only stop */
static core_status put_on_sliding(sim_flow *f, const sim_closed *c, double *y) {
  double bounces = f->run->ledger.bounces, lost = f->lost;
  size_t size = (size_t)f->motion.n * sizeof *y;
  double *before = core_scratch_doubles(f->motion.s, (size_t)f->motion.n);
  if (!before) return CORE_NO_MEMORY;
  memcpy(before, y, size);
  core_status status = sim_put_on(f, c, f->motion.mu, y);
  int turned = !status && turned_round(f, y, &status);
  if (status != CORE_NO_SOLUTION && !turned) return status;
  f->motion.err->text[0] = 0;
  memcpy(y, before, size);
  f->run->ledger.bounces = bounces, f->lost = lost;
  return sim_put_on(f, c, NULL, y);
}

/* onto the surface; what creeps sets out from rest and stands still here as what sticks does, and
 * so does one whose sliding is over, also where it slides the other way from here on */
static core_status land(sim_flow *f, int stopped, double *y) {
  sim_closed still = f->motion.closed;
  core_mark mark = core_scratch_mark(f->motion.s);
  still.mode = core_scratch_ints(f->motion.s, (size_t)still.n);
  if (!still.mode) return CORE_NO_MEMORY;
  for (int i = 0; i < still.n; i++) {
    int mode = f->motion.closed.mode[i];
    int stands = mode == SIM_MODE_CREEP || still.ids[i] == stopped;
    still.mode[i] = stands ? (int)SIM_MODE_STICK : mode;
  }
  core_status status = put_on_sliding(f, &still, y);
  core_scratch_release(f->motion.s, mark);
  return status;
}

/* those that no longer touch do not land; what is the next to lie still? */
static void look_ahead(sim_flow *f) {
  sim_landing *l = &f->landing;
  int k = 0;
  l->next = NAN;
  for (int i = 0; i < f->motion.nc; i++) {
    int closed = k < f->motion.closed.n && f->motion.closed.ids[k] == i;
    k += closed;
    if (isnan(l->over_at[i])) continue;
    if (!closed) sim_landed(f, i);
    l->next = fmin(l->next, l->over_at[i]); /* NaN loses */
  }
}

/* ---- all together ---- */

static core_status choose(sim_flow *f, double t, double *y, const sim_cause *cause, double *hop) {
  touching list;
  core_status status = list_touching(f, t, y, cause->released, &list);
  if (!status && list.n) status = judge(f, t, y, cause, &list);
  int *was = core_scratch_ints(f->motion.s, (size_t)list.n + 1);
  if (status || !was) return status ? status : CORE_NO_MEMORY;
  keep_staying(f, t, &list, hop);
  start_modes(f, list.n, list.ids, cause, was);
  status = sim_decide(&f->motion, t, y, y + f->motion.nq, list.n, list.ids, was);
  if (!status && list.n && f->motion.answers > 1 && f->run->ambiguous++ == 0)
    f->run->t_ambiguous = t;
  return status;
}

/* decides again for the contacts that are closed */
static core_status decide_again(sim_flow *f, double t, const double *y, const sim_cause *cause) {
  sim_cause as_it_is = {-1, -1, cause->stopped, -1, 0, {0, 0}};
  core_mark mark = core_scratch_mark(f->motion.s);
  int n = f->motion.closed.n, *ids = core_scratch_ints(f->motion.s, 2 * (size_t)n), *was = ids + n;
  if (!ids) return CORE_NO_MEMORY;
  memcpy(ids, f->motion.closed.ids, (size_t)n * sizeof *ids);
  start_modes(f, n, ids, &as_it_is, was);
  core_status status = sim_decide(&f->motion, t, y, y + f->motion.nq, n, ids, was);
  core_scratch_release(f->motion.s, mark);
  return status;
}

/* those that are marked become closed too; ids stay in order */
static void insert(sim_closed *c, int nc, const int *marked, int more) {
  int from = c->n, to = c->n + more;
  c->n = to;
  for (int i = nc; i-- > 0 && to > from;) {
    if (from > 0 && c->ids[from - 1] == i) {
      from--, to--;
      c->ids[to] = i, c->mode[to] = c->mode[from];
      memmove(c->slip + 2 * to, c->slip + 2 * from, 2 * sizeof *c->slip);
      memmove(c->held + 3 * to, c->held + 3 * from, 3 * sizeof *c->held);
    } else if (marked[i]) {
      to--;
      c->ids[to] = i, c->mode[to] = SIM_MODE_SLIP;
      c->slip[2 * to] = 1, c->slip[2 * to + 1] = 0;
    }
  }
}

/* Landing takes normal speeds away, and may press other points that touch against what they touch:
 * these join those that are closed (by their normals: their modes are decided next). *joined: how
 * many. */
static core_status join_pressed(sim_flow *f, const double *y, int *joined) {
  sim_motion *motion = &f->motion;
  sim_closed *c = &motion->closed;
  core_mark mark = core_scratch_mark(motion->s);
  core_status status = motion->m->type->gap(motion->m, y, motion->gap);
  int *pressed = core_scratch_ints(motion->s, (size_t)motion->nc), k = c->n;
  if (!pressed) return CORE_NO_MEMORY;
  *joined = 0;
  for (int i = motion->nc; i-- > 0 && !status;) {
    impact_setup setup;
    pressed[i] = 0;
    if (k > 0 && c->ids[k - 1] == i)
      k--;
    else if (motion->gap[i] <= sim_touch(motion, i)) {
      status = impact_assemble(motion->m, y, y + motion->nq, 1, &i, motion->s, &setup, motion->err);
      pressed[i] =
          !status && setup.problem.v[setup.problem.rows - 1] < -SIM_LEAVES * sim_speed(motion, i);
      *joined += pressed[i];
    }
  }
  if (!status && *joined) insert(c, motion->nc, pressed, *joined);
  core_scratch_release(motion->s, mark);
  return status;
}

static core_status land_all(sim_flow *f, double t, double *y, const sim_cause *cause) {
  core_status status = land(f, cause->stopped, y);
  for (int joined = 1; joined && !status;) {
    status = join_pressed(f, y, &joined);
    if (!status && joined) status = land(f, cause->stopped, y);
    if (!status && joined) status = decide_again(f, t, y, cause);
    if (!status && joined) status = land(f, cause->stopped, y);
  }
  for (int i = 0; i < SIM_LANDINGS && !status && turned_round(f, y, &status) && !status; i++) {
    status = decide_again(f, t, y, cause);
    if (!status) status = land(f, cause->stopped, y);
  }
  return status;
}

core_status sim_after_event(sim_flow *f, double t, double *y, const sim_cause *cause, double *hop) {
  sim_motion *motion = &f->motion;
  *hop = INFINITY;
  motion->closed.n = 0;
  motion->v_rounding = 0;
  core_mark mark = core_scratch_mark(motion->s);
  int flies = motion->direction < 0 || (cause->forced_closed < 0 && sim_coast_leaves(f, y));
  core_status status = flies ? CORE_OK : choose(f, t, y, cause, hop);
  core_scratch_release(motion->s, mark);
  if (!status && motion->closed.n && motion->dim > 1) status = sim_grip(f, t, y);
  if (!status)
    status = motion->closed.n ? land_all(f, t, y, cause)
                              : sim_project(motion, &motion->closed, NULL, y, NULL);
  look_ahead(f);
  if (!status) status = sim_announce(f, t, y);
  return status ? status : sim_store_phase(f);
}
