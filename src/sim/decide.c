/* Which touching contacts stay closed, and how: contact modes on acceleration level.
 *
 *   a = a_free + W f,   f_n >= 0,  a_n >= 0,  f_n a_n = 0
 *   at rest along the surface   a_t = 0 and |f_t| <= mu f_n, or f_t = -mu f_n a_t/|a_t|
 *   sliding along s             f_t = -mu f_n s
 *
 * The natural guess (what slides slides on, what rests sticks) is tried first. Where it does not
 * hold, this is a problem of contact modes (support.c) with accelerations in the place of
 * velocities. Friction that holds more than it drags (mu_static) holds first; what slides in the
 * answer has mu from then on, and the problem is solved again. No answer: Painleve's paradox.
 * Contacts that depend on each other have a file of their own (depend.c).
 */
#include <math.h>
#include <string.h>

#include "core/lin.h"
#include "sim/trial.h"

/* what slides slides on, what rests sticks */
static int guess(sim_trial *t) {
  for (int i = 0; i < t->c->n; i++) t->c->mode[i] = sim_trial_natural(t, i);
  return sim_trial_consistent(t);
}

/* all leave: a solution where nothing presses, and the one that lasts where sliding contacts could
 * press themselves in as well (Painleve) */
static int leave(sim_trial *t) {
  for (int i = 0; i < t->c->n; i++) t->c->mode[i] = SIM_MODE_OPEN;
  return sim_trial_consistent(t);
}

/* Where the solver's answer cannot last (sliding contacts that press themselves in), or it has
 * none: all answers in the plane, until one does. */
typedef struct others {
  sim_trial *t;
  sim_support *z;
  int found;
} others;

static void try_one(void *self, const double *p, const double *u) {
  others *o = self;
  if (o->found) return;
  memcpy(o->z->p, p, (size_t)o->z->m.rows * sizeof *p);
  memcpy(o->z->u, u, (size_t)o->z->m.rows * sizeof *u);
  sim_trial_read(o->t, o->z);
  o->found = sim_trial_consistent(o->t) || sim_trial_leave_unloaded(o->t, o->z);
}

static int find_another(sim_trial *t, sim_support *z) {
  others o = {t, z, 0};
  impact_modes_all(&z->m, t->f->s, try_one, &o);
  return o.found;
}

/* ---- all together ---- */

/* sliding speed of contact i that is not rest */
static double speed_of(const sim_motion *f, const sim_closed *c, const sim_space *space, int i,
                       const int *was) {
  const impact_problem *pr = &space->setup.problem;
  const double *v = pr->v + impact_first(pr, i);
  int rows = impact_rows_of(pr, i);
  if (rows == 1 || isinf(f->mu[c->ids[i]])) return 0; /* cannot slide */
  double speed = rows == 2 ? fabs(v[0]) : hypot(v[0], v[1]);
  int stopped = was[i] == SIM_MODE_STICK;
  return speed > SIM_SLIDES_FOR_SURE * SIM_SLIDES * f->scale.speed && !stopped ? speed : 0;
}

/* the closed ones of the trial become those of the flow */
static void keep(const sim_trial *t) {
  sim_motion *f = t->f;
  const sim_closed *c = t->c;
  int k = 0;
  for (int i = 0; i < c->n; i++) {
    if (c->mode[i] == SIM_MODE_OPEN) continue;
    f->closed.ids[k] = c->ids[i];
    f->closed.mode[k] = c->mode[i];
    memcpy(f->closed.slip + 2 * k, c->slip + 2 * i, 2 * sizeof *c->slip);
    memcpy(f->closed.held + 3 * k, c->held + 3 * i, 3 * sizeof *c->held);
    k++;
  }
  f->closed.n = k;
}

/* direction of sliding contacts; those that hardly move are free to stick, unless `was` says that
 * they just broke loose in the direction kept for them */
static void set_directions(sim_trial *t, int *moving, const int *was) {
  for (int i = 0; i < t->c->n; i++) {
    const double *v = t->space->setup.problem.v + sim_trial_normal(t, i) - sim_trial_tangents(t, i);
    double *s = t->c->slip + 2 * i, speed = speed_of(t->f, t->c, t->space, i, was);
    moving[i] = speed > 0 ? TRIAL_SLIDES : was[i] == SIM_MODE_SLIP ? TRIAL_LOOSE : TRIAL_RESTS;
    if (speed == 0) continue;
    s[0] = v[0] / speed;
    s[1] = sim_trial_tangents(t, i) == 2 ? v[1] / speed : 0;
  }
}

/* in metres; see sim_trial_tolerance */
static double tolerance(const sim_motion *f, const sim_space *space) {
  double largest = 0;
  const double *a = space->a_free;
  for (int i = 0; i < f->trial.n; i++)
    for (int r = 0; r < impact_rows_of(&space->setup.problem, i); r++)
      largest = fmax(largest, fabs(*a++) / f->scale.per[f->trial.ids[i]]);
  return SIM_FORCE_ROUNDING * largest;
}

/* Contacts that move as slowly as the hops that are left out count as still after all. Returns how
 * many. */
static int treat_slow_as_stuck(const sim_trial *t, int *moving, int *was) {
  int calmed = 0;
  for (int i = 0; i < t->c->n; i++) {
    double speed = speed_of(t->f, t->c, t->space, i, was);
    double vn = t->space->setup.problem.v[sim_trial_normal(t, i)];
    if (!moving[i] || speed > fmax(SIM_HOPS_STILL * t->f->scale.speed, SIM_SLOW_AS_HOPS * fabs(vn)))
      continue;
    moving[i] = TRIAL_RESTS;
    was[i] = SIM_MODE_STICK;
    calmed++;
  }
  return calmed;
}

/* the modes were looked for, and there are none */
static int hopeless(core_status status) {
  return status == CORE_NO_SOLUTION || status == CORE_NOT_CONVERGED || status == CORE_JAM;
}

/* a contact came to the limit of its friction, which others may hold */
static int is_at_limit(const sim_trial *t, const int *was) {
  for (int i = 0; i < t->c->n; i++)
    if (was[i] == SIM_MODE_HELD) return 1;
  return 0;
}

/* what rests stays */
static int all_stand(const sim_trial *t) {
  for (int i = 0; i < t->c->n; i++)
    if (sim_trial_natural(t, i) == SIM_MODE_STICK && t->c->mode[i] != SIM_MODE_STICK) return 0;
  return 1;
}

/* CORE_OK: t->c has modes that are consistent */
static core_status find(sim_trial *t, const int *was) {
  sim_support z;
  core_mark mark = core_scratch_mark(t->f->s);
  t->held = 0;
  int limit = is_at_limit(t, was);
  t->slack = limit ? SIM_STANDS / SIM_FORCE_ROUNDING * t->tol : t->tol;
  int found = limit && sim_trial_solve(t, SIM_EDGE, &z) == CORE_OK;
  found = found && ((!all_stand(t) && sim_trial_consistent(t)) ||
                    (t->f->redundant && sim_trial_by_shares(t, &z) && !all_stand(t)));
  core_scratch_release(t->f->s, mark);
  if (found || (!limit && (guess(t) || leave(t)))) return CORE_OK;
  core_status status = sim_trial_solve(t, 0, &z);
  if (limit && !status && sim_trial_hold_together(t, &z)) {
    core_scratch_release(t->f->s, mark);
    return CORE_OK;
  }
  if (limit && !status) sim_trial_read(t, &z);
  found = !status && (sim_trial_consistent(t) || (t->f->redundant && sim_trial_dependent(t, &z)));
  if (!found && (!status || hopeless(status)))
    status = find_another(t, &z) ? CORE_OK : CORE_NO_SOLUTION;
  core_scratch_release(t->f->s, mark);
  return status;
}

/* Where several motions satisfy the laws (f->answers > 1), `find` takes the first of: all slide on
 * and stick as they did, all leave, the solver's answer. The run says so. */
static core_status count_answers(const sim_trial *t) {
  enum { LOOKED_AT = 2 }; /* contacts: with 4 a run of a stack takes a quarter more */
  t->f->answers = -1;
  if (t->c->n > LOOKED_AT) return CORE_OK;
  int *line = core_scratch_ints(t->f->s, (size_t)t->c->n);
  if (!line) return CORE_NO_MEMORY;
  for (int i = 0; i < t->c->n; i++) line[i] = sim_trial_natural(t, i) != SIM_MODE_STICK;
  return sim_support_count(t->f, t->space, t->c, line, &t->f->answers);
}

/* Largest condition of the W of one contact: along one way it moves by far less than along another
 * (a small inertia beside its mass, an arm at full stretch), and no digits are left to tell its
 * force. */
static double condition_of(const sim_motion *f, const sim_space *space, int *contact) {
  const impact_problem *pr = &space->setup.problem;
  double most = 0;
  for (int i = 0; i < pr->nc; i++) {
    int first = impact_first(pr, i), rows = impact_rows_of(pr, i);
    double block[9], condition = 0;
    for (int r = 0; r < rows; r++)
      for (int s = 0; s < rows; s++)
        block[s * rows + r] = pr->W[(first + s) * pr->rows + first + r];
    if (!core_lin_condition(rows, rows, block, f->s, &condition) && condition > most)
      most = condition, *contact = f->trial.ids[i];
  }
  return most;
}

/* why no modes were found */
static core_status say_why(const sim_motion *f, const sim_space *space, double t) {
  int contact = 0;
  double condition = condition_of(f, space, &contact);
  if (condition > 1 / SIM_DEPENDENT)
    return core_fail(f->err, CORE_NO_SOLUTION,
                     "no contact force can be told at t = %.10g s: W of contact %d has condition "
                     "%.2g, which leaves too few digits",
                     t, contact + 1, condition);
  return core_fail(f->err, CORE_NO_SOLUTION,
                   "no contact force satisfies the laws at t = %.10g s (Painleve)", t);
}

static core_status decide(sim_motion *f, const sim_space *space, int *was, double t) {
  int n = f->trial.n, rows = space->setup.problem.rows;
  int *moving = core_scratch_ints(f->s, (size_t)n);
  double *memory = core_scratch_doubles(f->s, (size_t)(2 * rows));
  if (!moving || !memory) return CORE_NO_MEMORY;
  sim_trial tr = {f, space, &f->trial, moving, memory, memory + rows, tolerance(f, space), 0, 0};
  set_directions(&tr, moving, was);
  core_status status = find(&tr, was);
  if (hopeless(status) && treat_slow_as_stuck(&tr, moving, was)) status = find(&tr, was);
  if (status && !hopeless(status)) return status;
  if (status) return say_why(f, space, t);
  keep(&tr);
  return count_answers(&tr);
}

core_status sim_decide(sim_motion *f, double t, const double *q, const double *u, int n,
                       const int *ids, int *was) {
  double power;
  sim_space space;
  f->closed.n = 0;
  if (n == 0) return CORE_OK;
  core_mark mark = core_scratch_mark(f->s);
  f->trial.n = n;
  memmove(f->trial.ids, ids, (size_t)n * sizeof *ids);
  core_status status = sim_free_acceleration(f, t, q, u, f->udot, &power);
  if (!status) status = sim_space_at(f, q, u, f->udot, n, f->trial.ids, &space);
  if (!status) status = decide(f, &space, was, t);
  core_scratch_release(f->s, mark);
  return status;
}
