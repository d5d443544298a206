/* One impact: everything that touches takes part, by whatever law. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/inner.h"

/* the contacts that touch, in ids; then those that are open, for laws that look at gaps */
static core_status take_part(sim_flow *f, const double *q, int *touching, int *n, int *ids) {
  const sim_motion *motion = &f->motion;
  core_status status = motion->m->type->gap(motion->m, q, motion->gap);
  *n = 0;
  for (int i = 0; i < motion->nc && !status; i++)
    if (motion->gap[i] <= sim_touch(motion, i)) ids[(*n)++] = i;
  *touching = *n;
  if (!(f->l->type->flags & LAW_TIME) || !(f->l->type->flags & LAW_GAPS)) return status;
  for (int i = 0; i < motion->nc && !status; i++)
    if (motion->gap[i] > sim_touch(motion, i)) ids[(*n)++] = i;
  return status;
}

/* "at t = 0.3 s contacts 1, 3 touch: " in front of what the law said */
static void say_where(sim_flow *f, double t, int n, const int *ids, core_status status) {
  char list[64] = "", said[sizeof f->motion.err->text];
  size_t used = 0;
  for (int i = 0; i < n && used < sizeof list - 12; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%d", i ? ", " : "", ids[i] + 1);
  snprintf(said, sizeof said, "%s",
           f->motion.err->text[0] ? f->motion.err->text : core_status_text(status));
  core_fail(f->motion.err, status, "at t = %.10g s contact%s %s touch%s: %.170s", t,
            n > 1 ? "s" : "", list, n > 1 ? "" : "es", said);
}

/* ---- laws that run a script ---- */

/* room for a problem, its answer and its path; NULL when memory is out */
static sim_kept *keep_problem(const impact_setup *setup) {
  const impact_problem *pr = &setup->problem;
  size_t rows = (size_t)pr->rows, nc = (size_t)pr->nc, size = impact_problem_size(pr);
  sim_kept *kept = calloc(1, sizeof *kept + 2 * rows * sizeof(double) + size + nc * sizeof(int));
  if (!kept) return NULL;
  kept->r.p = kept->data, kept->r.v = kept->r.p + rows;
  char *room = (char *)(kept->r.v + rows);
  impact_problem_copy(pr, room, &kept->pr);
  kept->contacts = (int *)(room + size);
  memcpy(kept->contacts, setup->contacts, nc * sizeof *kept->contacts);
  impact_path_init(&kept->path, &kept->pr);
  return kept;
}

/* the law, its path recorded when nobody can ask it for that again (or `always`); *out is NULL when
 * it can */
static core_status solve_and_keep(sim_flow *f, const law *l, const impact_setup *setup, int always,
                                  impact_result *r, sim_kept **out) {
  if (out) *out = NULL;
  if (!out || !f->run->o.keep || (law_repeats(l) && !always))
    return law_solve(l, &setup->problem, f->motion.s, NULL, r, f->motion.err);
  sim_kept *kept = keep_problem(setup);
  if (!kept) return CORE_NO_MEMORY;
  impact_sink sink = impact_path_sink(&kept->path, SIM_KEPT_POINTS);
  core_status status = law_solve(l, &setup->problem, f->motion.s, &sink, r, f->motion.err);
  double *p = kept->r.p, *v = kept->r.v;
  memcpy(p, r->p, (size_t)setup->problem.rows * sizeof *p);
  memcpy(v, r->v, (size_t)setup->problem.rows * sizeof *v);
  kept->r = *r;
  kept->r.p = p, kept->r.v = v;
  *out = kept;
  return status ? status : kept->path.status;
}

/* ---- one impact ---- */

/* Contacts that were closed do not move along their normals, those that stood not at all: what J u
 * says of them is rounding, which a law could take for a direction. */
static void hold_still(const sim_flow *f, impact_setup *setup) {
  const sim_closed *c = &f->motion.closed;
  const impact_problem *pr = &setup->problem;
  double *v = (double *)pr->v;
  for (int i = 0, k = 0; i < pr->nc; i++) {
    while (k < c->n && c->ids[k] < setup->contacts[i]) k++;
    if (k == c->n || c->ids[k] != setup->contacts[i]) continue;
    int n = impact_normal(pr, i), from = sim_stands(c->mode[k]) ? impact_first(pr, i) : n;
    for (int r = from; r <= n; r++)
      if (fabs(v[r]) <= SIM_LEAVES * sim_speed(&f->motion, c->ids[k])) v[r] = 0;
  }
}

core_status sim_law_acts(sim_flow *f, double t, const double *y, const impact_setup *setup,
                         int always, impact_result *r, sim_kept **kept) {
  int n = setup->problem.nc;
  core_status status = CORE_OK;
  law *part = NULL;
  r->p = core_scratch_doubles(f->motion.s, (size_t)(2 * setup->problem.rows));
  if (!r->p) return CORE_NO_MEMORY;
  r->v = r->p + setup->problem.rows;
  if (n < f->motion.nc && law_longest_list(f->l) == f->motion.nc)
    status = law_part(f->l, f->motion.nc, n, setup->contacts, &part, f->motion.err);
  if (status) return status;
  status = solve_and_keep(f, part ? part : f->l, setup, always, r, kept);
  law_free(part);
  if (core_status_good(status)) {
    impact_back(setup, y + f->motion.nq, r->p, f->u_after);
    return status;
  }
  say_where(f, t, n, setup->contacts, status);
  return status;
}

void sim_law_sees(const sim_flow *f, impact_setup *setup) {
  impact_problem *pr = &setup->problem;
  for (int i = 0; i < pr->nc; i++) { /* as they are: what touches is the run's to say */
    int id = setup->contacts[i];
    ((double *)pr->gap)[i] = f->motion.gap[id] <= sim_touch(&f->motion, id) ? 0 : f->motion.gap[id];
  }
  pr->in_run = 1;
}

/* the law; r->p and r->v in scratch, f->u_after set */
static core_status solve(sim_flow *f, double t, const double *y, int n, const int *ids,
                         impact_setup *setup, impact_result *r, sim_kept **kept) {
  *kept = NULL;
  if (!n) /* the landing was seen by a change of sign, but nothing is near zero */
    return core_fail(
        f->motion.err, CORE_BAD_INPUT,
        "at t = %.10g s a gap jumps through zero: %s must have gaps that are continuous "
        "in q",
        t, f->motion.m->type->schema.owner);
  core_status status =
      impact_assemble(f->motion.m, y, y + f->motion.nq, n, ids, f->motion.s, setup, f->motion.err);
  if (status) return status;
  sim_law_sees(f, setup);
  hold_still(f, setup);
  return sim_law_acts(f, t, y, setup, 0, r, kept);
}

/* contacts and impulses of an event: those that took part, or all for laws that look at gaps */
static core_status record_impulse(sim_flow *f, const impact_setup *setup, const impact_result *r,
                                  sim_event *e) {
  const impact_problem *pr = &setup->problem;
  const model_shape *shape = &f->motion.m->shape;
  int nc = f->motion.nc, all = f->l->type->flags & LAW_GAPS && pr->nc < nc;
  int rows = model_all_rows(shape);
  core_mark mark = core_scratch_mark(f->motion.s);
  int *ids = core_scratch_ints(f->motion.s, (size_t)nc);
  double *p = core_scratch_doubles(f->motion.s, (size_t)rows);
  if (!ids || !p) return CORE_NO_MEMORY;
  memset(p, 0, (size_t)rows * sizeof *p);
  for (int i = 0; i < nc; i++) ids[i] = i;
  for (int i = 0; i < pr->nc && all; i++)
    memcpy(p + model_first(shape, setup->contacts[i]), r->p + impact_first(pr, i),
           (size_t)impact_rows_of(pr, i) * sizeof *p);
  e->n = all ? nc : pr->nc;
  core_status status = sim_store_ints(f->run, e->n, all ? ids : setup->contacts, &e->ids);
  if (!status)
    status = sim_store_numbers(f->run, all ? rows : pr->rows, all ? p : r->p, &e->impulse);
  core_scratch_release(f->motion.s, mark);
  return status;
}

core_status sim_record_impact(sim_flow *f, sim_event_kind kind, double t, double *y,
                              const impact_setup *setup, const impact_result *r, sim_kept *kept) {
  sim_event *e;
  int n = setup->problem.nc; /* NOLINT: the law was solved, so there is a problem */
  double lost = r->lost_restitution + r->lost_friction + r->stored;
  core_status status = sim_store_event(f, kind, t, y, f->u_after, &e);
  if (status) {
    sim_kept_free(kept);
    return status;
  }
  e->kept = kept;
  status = record_impulse(f, setup, r, e);
  if (status) return status;
  e->contact = -1;
  e->status = r->status;
  e->flags = r->flags;
  f->run->flags |= r->flags;
  e->lost = lost;
  for (int i = 0; i < n; i++)
    if (r->p[impact_normal(&setup->problem, i)] != 0) {
      if (e->contact < 0) e->contact = setup->contacts[i];
      if (kind == SIM_IMPACT) sim_zeno_impact(f, setup->contacts[i], t);
      sim_landed(f, setup->contacts[i]); /* what it was doing is over */
    }
  f->run->ledger.restitution += r->lost_restitution;
  f->run->ledger.friction += r->lost_friction;
  f->run->ledger.stored += r->stored;
  f->lost += lost;
  f->run->impacts++;
  f->run->jolts += kind == SIM_JOLT;
  memcpy(y + f->motion.nq, f->u_after, (size_t)f->motion.nu * sizeof *y);
  return CORE_OK;
}

/* ---- grip ---- */

/* some closed contact that cannot slide moves along the surface, beyond what landing makes of it */
static int slides_though_stuck(const sim_flow *f, const impact_problem *pr) {
  const sim_closed *c = &f->motion.closed;
  for (int i = 0; i < c->n; i++) {
    double speed = 0;
    for (int r = impact_first(pr, i); r < impact_normal(pr, i); r++) speed = hypot(speed, pr->v[r]);
    if (isinf(f->motion.mu[c->ids[i]]) && speed > SIM_GRIPS * f->motion.scale.speed) return 1;
  }
  return 0;
}

/* Infinite friction stops a point along the surface in no time: the limit of ever stronger
 * friction, which takes ever less time to stop it. An impact, with its impulse and its loss by
 * friction. */
core_status sim_grip(sim_flow *f, double t, double *y) {
  core_mark mark = core_scratch_mark(f->motion.s);
  sim_space space;
  impact_result r = {.status = CORE_OK, .flags = IMPACT_STUCK};
  double before = 0, after = 0, p;
  core_status status =
      impact_assemble(f->motion.m, y, y + f->motion.nq, f->motion.closed.n, f->motion.closed.ids,
                      f->motion.s, &space.setup, f->motion.err);
  if (!status && slides_though_stuck(f, &space.setup.problem)) {
    r.p = space.setup.room;
    status = sim_balance(&f->motion, &space, &f->motion.closed, (sim_rule){f->motion.mu, 1},
                         space.setup.problem.v, r.p);
    if (!status) impact_back(&space.setup, y + f->motion.nq, r.p, f->u_after);
    if (!status) status = sim_energy(f->motion.m, y, y + f->motion.nq, f->motion.s, &before, &p);
    if (!status) status = sim_energy(f->motion.m, y, f->u_after, f->motion.s, &after, &p);
    r.lost_friction = before - after;
    if (!status) status = sim_record_impact(f, SIM_IMPACT, t, y, &space.setup, &r, NULL);
  }
  core_scratch_release(f->motion.s, mark);
  return status;
}

/* some touching contact still approaches after the law */
static int goes_on(const sim_flow *f, const impact_setup *setup, const double *v) {
  const impact_problem *pr = &setup->problem;
  const double *per = f->motion.scale.per;
  double size = f->motion.scale.speed;
  for (int i = 0; i < pr->nc; i++)
    for (int r = impact_first(pr, i); r <= impact_normal(pr, i); r++)
      size = fmax(size, fabs(v[r]) / per[setup->contacts[i]]);
  for (int i = 0; i < pr->nc; i++)
    if (pr->gap[i] <= 0 && v[impact_normal(pr, i)] < -SIM_GOES_ON * size * per[setup->contacts[i]])
      return 1;
  return 0;
}

/* ---- open contacts that an impact with time may reach ---- */

/* 1 when one of the open contacts, ids[touching] to ids[n - 1], may close while the others are
 * loaded: its gap is within the time of the impact times the most that its speed can be,
 * |v| + sum |W p| over the rows of the others */
static int may_reach(sim_flow *f, const double *y, int touching, int n, const int *ids,
                     const impact_result *r, core_status *status) {
  sim_motion *motion = &f->motion;
  core_mark mark = core_scratch_mark(motion->s);
  impact_setup all;
  int reached = 0;
  *status = impact_assemble(motion->m, y, y + motion->nq, n, ids, motion->s, &all, motion->err);
  for (int i = touching; i < n && !*status; i++) {
    const impact_problem *pr = &all.problem;
    int row = impact_normal(pr, i);
    double most = fabs(pr->v[row]);
    for (int k = 0; k < impact_first(pr, touching); k++)
      most += fabs(pr->W[k * pr->rows + row] * r->p[k]);
    reached |= motion->gap[ids[i]] <= SIM_REACHES * most * r->duration;
  }
  core_scratch_release(motion->s, mark);
  return reached;
}

static int by_number(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

/* those that touch, alone where no other can be reached */
static core_status solve_some(sim_flow *f, double t, const double *y, int touching, int n, int *ids,
                              impact_setup *setup, impact_result *r, sim_kept **kept) {
  int first = touching ? touching : n;
  core_status status = solve(f, t, y, first, ids, setup, r, kept), failed = CORE_OK;
  if (status || first == n || !may_reach(f, y, touching, n, ids, r, &failed))
    return failed ? failed : status;
  int *all = core_scratch_ints(f->motion.s, (size_t)n);
  if (!all) return CORE_NO_MEMORY;
  memcpy(all, ids, (size_t)n * sizeof *ids);
  qsort(all, (size_t)n, sizeof *all, by_number);
  sim_kept_free(*kept);
  return solve(f, t, y, n, all, setup, r, kept);
}

/* Contacts that close together are on the surface, all of them: those that went through it a
 * little before the event was seen are put back. One that leaves slowly would stay inside for long
 * otherwise, and count as closing all the time. */
static core_status lift(sim_flow *f, int touching, const int *ids, double *y) {
  double raised;
  core_status status = sim_lift(&f->motion, touching, ids, y, &raised);
  f->run->ledger.bounces -= raised;
  f->lost -= raised;
  return status;
}

core_status sim_strike(sim_flow *f, double t, double *y) {
  core_mark mark = core_scratch_mark(f->motion.s);
  int touching = 0, n = 0, *ids = core_scratch_ints(f->motion.s, (size_t)f->motion.nc);
  core_status status = ids ? take_part(f, y, &touching, &n, ids) : CORE_NO_MEMORY;
  if (!status) status = lift(f, touching, ids, y);
  for (int round = 0; !status; round++) {
    impact_setup setup;
    impact_result r;
    sim_kept *kept;
    status = solve_some(f, t, y, touching, n, ids, &setup, &r, &kept);
    if (status) sim_kept_free(kept);
    if (status == CORE_NO_IMPACT) {
      status = CORE_OK;
      break;
    }
    if (!status) status = sim_record_impact(f, SIM_IMPACT, t, y, &setup, &r, kept);
    if (status || !goes_on(f, &setup, r.v)) break; /* NOLINT: r is filled when status is 0 */
    if (round == SIM_IMPACTS_AT_ONCE)
      status = core_fail(f->motion.err, CORE_NOT_CONVERGED,
                         "contacts still approach after %d impacts at t = %.10g s",
                         SIM_IMPACTS_AT_ONCE, t);
  }
  core_scratch_release(f->motion.s, mark);
  return status;
}
