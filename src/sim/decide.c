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
 *
 * Contacts that depend on each other (the fourth leg of a table) have forces that are small
 * (contact.c), and these may ask one of them to pull, or for more friction than it has, though the
 * others could carry that. One that pulls is left out. Where it is friction all that stand are
 * `held`: they stand as long as the problem of modes says so, which is watched as a whole.
 */
#include <math.h>
#include <string.h>

#include "sim/support.h"

enum { AT_REST, IN_MOTION, LOOSE };

typedef struct trial {
  sim_motion *f;
  const sim_space *space;
  sim_closed *c;     /* modes on trial */
  const int *moving; /* n: its direction is given: IN_MOTION, or LOOSE if it has no speed yet */
  double *force;     /* rows */
  double *a;         /* rows: acceleration with the forces */
  double tol;        /* accelerations below this are rounding [m/s^2] */
  int held;          /* contacts are held together: forces of others are within their limits */
  double slack;      /* ... of one that breaks loose: as tol, or what held contacts may move by */
} trial;

static int normal_row(const trial *t, int i) {
  return impact_normal(&t->space->setup.problem, i);
}

static int tangents_of(const trial *t, int i) {
  return impact_rows_of(&t->space->setup.problem, i) - 1;
}

static int has_friction(const trial *t, int i) {
  return tangents_of(t, i) > 0 && t->f->hold[t->c->ids[i]] > 0;
}

/* sliding in space that sets out from rest creeps: its direction is kept, it has no velocity yet */
static sim_mode sliding(const trial *t, int i) {
  int sets_out = tangents_of(t, i) == 2 && t->moving[i] != IN_MOTION && t->f->mu[t->c->ids[i]] > 0;
  return sets_out ? SIM_MODE_CREEP : SIM_MODE_SLIP;
}

static sim_mode natural(const trial *t, int i) {
  return t->moving[i] || !has_friction(t, i) ? sliding(t, i) : SIM_MODE_STICK;
}

/* ---- are modes consistent? ---- */

static core_status balance(trial *t) {
  int rows = t->space->setup.problem.rows;
  const double *W = t->space->setup.problem.W;
  core_status status =
      sim_balance(t->f, t->space, t->c, (sim_rule){t->f->mu, 1}, t->space->a_free, t->force);
  memcpy(t->a, t->space->a_free, (size_t)rows * sizeof *t->a);
  for (int j = 0; j < rows && !status; j++)
    for (int i = 0; i < rows; i++) t->a[i] += W[j * rows + i] * t->force[j];
  return status;
}

/* acceleration along the surface */
static double acceleration_along(const trial *t, int i) {
  int tangents = tangents_of(t, i);
  const double *at = t->a + normal_row(t, i) - tangents;
  return tangents == 0 ? 0 : tangents == 1 ? fabs(at[0]) : hypot(at[0], at[1]);
}

/* ... of one that sticks, which no force can take away (the tip of an arm at full stretch); 0 when
 * it is rounding */
static double drags(const trial *t, int i) {
  double size = acceleration_along(t, i);
  return size > SIM_DRAGS * t->tol ? size : 0;
}

/* how far contact i is from consistency [m/s^2]; 0 when it is fine */
static double violation(const trial *t, int i) {
  int n = normal_row(t, i), rows = t->space->setup.problem.rows, tangents = tangents_of(t, i);
  const double *ft = t->force + n - tangents, *at = t->a + n - tangents, *s = t->c->slip + 2 * i;
  double w = t->space->setup.problem.W[n * rows + n], fn = t->force[n], tt = 0, along = 0;
  if (t->c->mode[i] == SIM_MODE_OPEN) return fmax(0, -t->a[n] - t->tol);
  if (t->c->mode[i] == SIM_MODE_HELD) return drags(t, i);
  if (fn * w < -t->tol && !t->held) return -fn * w;
  if (!has_friction(t, i) || t->moving[i]) return 0;
  for (int r = 0; r < tangents; r++) tt += ft[r] * ft[r], along += at[r] * s[r];
  if (!sim_stands(t->c->mode[i])) return fmax(0, -along - t->slack);
  if (drags(t, i) > 0) return drags(t, i);
  double mu = t->f->hold[t->c->ids[i]];
  return isinf(mu) ? 0 : fmax(0, (sqrt(tt) - mu * fmax(fn, 0)) * w - t->tol);
}

static int worst(const trial *t) {
  int at = -1;
  double by = 0;
  for (int i = 0; i < t->c->n; i++) {
    double v = violation(t, i);
    if (v > by) by = v, at = i;
  }
  return at;
}

/* 1 when nobody violates anything */
static int is_consistent(trial *t) {
  return balance(t) == CORE_OK && worst(t) < 0;
}

/* what slides slides on, what rests sticks */
static int guess(trial *t) {
  for (int i = 0; i < t->c->n; i++) t->c->mode[i] = natural(t, i);
  return is_consistent(t);
}

/* all leave: a solution where nothing presses, and the one that lasts where sliding contacts could
 * press themselves in as well (Painleve) */
static int leave(trial *t) {
  for (int i = 0; i < t->c->n; i++) t->c->mode[i] = SIM_MODE_OPEN;
  return is_consistent(t);
}

/* ---- the mode problem ---- */

static double slips_by(const sim_support *z, int i) {
  double size = 0;
  for (int k = z->first[i]; k < z->first[i + 1] - 1; k++) size = hypot(size, z->u[k]);
  return size;
}

/* 1 when a contact that held slides, and has less friction from now on */
static int loosen(const trial *t, sim_support *z) {
  int some = 0;
  for (int i = 0; i < t->c->n; i++) {
    double mu = t->f->mu[t->c->ids[i]];
    if (natural(t, i) != SIM_MODE_STICK || z->mu[i] <= mu || slips_by(z, i) <= t->tol) continue;
    z->mu[i] = mu, some = 1;
  }
  return some;
}

/* Contacts without a force in the answer may leave, though they hardly do: 1 when that is
 * consistent. */
static int leave_unloaded(trial *t, const sim_support *z) {
  for (int i = 0; i < t->c->n; i++)
    if (!(z->p[z->first[i + 1] - 1] > 0)) t->c->mode[i] = SIM_MODE_OPEN;
  return is_consistent(t);
}

/* modes and directions of an answer */
static void read_modes(trial *t, const sim_support *z) {
  for (int i = 0; i < t->c->n; i++) {
    int n = z->first[i + 1] - 1, tangents = n - z->first[i];
    double size = slips_by(z, i), *s = t->c->slip + 2 * i;
    int sticks = natural(t, i) == SIM_MODE_STICK && size <= t->tol;
    t->c->mode[i] = z->u[n] > t->tol ? SIM_MODE_OPEN : sticks ? SIM_MODE_STICK : sliding(t, i);
    for (int r = 0; r < tangents && size > t->tol; r++) s[r] = z->u[z->first[i] + r] / size;
  }
}

/* the answer, with friction that holds at first, a part `less` of it missing; CORE_OK: modes of
 * t->c are those of a solution */
static core_status solve_modes(trial *t, double less, sim_support *z) {
  int *line = core_scratch_ints(t->f->s, (size_t)t->c->n);
  core_status status = line ? CORE_OK : CORE_NO_MEMORY;
  for (int i = 0; i < t->c->n && line; i++) line[i] = natural(t, i) != SIM_MODE_STICK;
  if (!status) status = sim_support_make(t->f, t->space, t->c, line, t->f->mu, t->space->a_free, z);
  for (int i = 0; i < t->c->n && !status; i++) z->mu[i] *= 1 - less;
  for (int more = 1; more && !status; more = !status && loosen(t, z))
    status = impact_modes_solve(&z->m, t->f->s, z->p, z->u);
  if (!status) read_modes(t, z);
  return status;
}

/* Where the solver's answer cannot last (sliding contacts that press themselves in), or it has
 * none: all answers in the plane, until one does. */
typedef struct others {
  trial *t;
  sim_support *z;
  int found;
} others;

static void try_one(void *self, const double *p, const double *u) {
  others *o = self;
  if (o->found) return;
  memcpy(o->z->p, p, (size_t)o->z->m.rows * sizeof *p);
  memcpy(o->z->u, u, (size_t)o->z->m.rows * sizeof *u);
  read_modes(o->t, o->z);
  o->found = is_consistent(o->t) || leave_unloaded(o->t, o->z);
}

static int find_another(trial *t, sim_support *z) {
  others o = {t, z, 0};
  impact_modes_all(&z->m, t->f->s, try_one, &o);
  return o.found;
}

/* ---- contacts that depend on each other ---- */

/* Leaves those out which would have to pull, the worst first: what they hold the others hold as
 * well. */
static core_status leave_out(trial *t) {
  const impact_problem *pr = &t->space->setup.problem;
  for (;;) {
    int at = -1;
    double by = t->tol;
    core_status status = balance(t);
    for (int i = 0; i < t->c->n && !status && t->f->redundant; i++) {
      int n = normal_row(t, i);
      double pulls = -t->force[n] * pr->W[n * (pr->rows + 1)];
      if (t->c->mode[i] != SIM_MODE_OPEN && pulls > by) by = pulls, at = i;
    }
    if (at < 0) return status;
    t->c->mode[at] = SIM_MODE_OPEN;
  }
}

/* The solver found that contacts stand, though the forces of contact.c are outside of their limits:
 * others are within (support.c). Those with a force are held together, the others are left. */
static int hold_together(trial *t, const sim_support *z) {
  for (int i = 0; i < t->c->n; i++) {
    for (int k = z->first[i]; k < z->first[i + 1]; k++)
      t->c->held[3 * i + k - z->first[i]] = z->p[k];
    if (!(z->p[z->first[i + 1] - 1] > 0)) t->c->mode[i] = SIM_MODE_OPEN;
    if (t->c->mode[i] == SIM_MODE_STICK) t->c->mode[i] = SIM_MODE_HELD, t->held = 1;
  }
  return t->held && balance(t) == CORE_OK && worst(t) < 0;
}

/* Modes that go with the forces that contacts have which depend on each other: which of them sticks
 * may hang on how the load is shared. 1 when they are consistent. */
static int decide_by_shares(trial *t, sim_support *z) {
  core_status status;
  do status = sim_support_share(t->f, z);
  while (!status && loosen(t, z));
  if (!status) read_modes(t, z);
  return !status && (is_consistent(t) || leave_unloaded(t, z) || (!leave_out(t) && worst(t) < 0));
}

/* modes of the solver whose forces are not the only ones: 1 when there are some that are within all
 * limits */
static int settle_redundant(trial *t, sim_support *z) {
  core_mark mark = core_scratch_mark(t->f->s);
  size_t size = (size_t)t->c->n * sizeof *t->c->mode;
  int *modes = core_scratch_ints(t->f->s, (size_t)t->c->n), found = 0;
  if (modes) {
    memcpy(modes, t->c->mode, size);
    found = leave_out(t) == CORE_OK && worst(t) < 0;
    if (!found) memcpy(t->c->mode, modes, size), found = hold_together(t, z);
    if (!found) t->held = 0, found = decide_by_shares(t, z);
    if (!found) read_modes(t, z), found = hold_together(t, z);
  }
  core_scratch_release(t->f->s, mark);
  return found;
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
static void keep(const trial *t) {
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
static void set_directions(trial *t, int *moving, const int *was) {
  for (int i = 0; i < t->c->n; i++) {
    const double *v = t->space->setup.problem.v + normal_row(t, i) - tangents_of(t, i);
    double *s = t->c->slip + 2 * i, speed = speed_of(t->f, t->c, t->space, i, was);
    moving[i] = speed > 0 ? IN_MOTION : was[i] == SIM_MODE_SLIP ? LOOSE : AT_REST;
    if (speed == 0) continue;
    s[0] = v[0] / speed;
    s[1] = tangents_of(t, i) == 2 ? v[1] / speed : 0;
  }
}

static double tolerance(const sim_space *space) {
  double largest = 0;
  for (int r = 0; r < space->setup.problem.rows; r++)
    largest = fmax(largest, fabs(space->a_free[r]));
  return SIM_FORCE_ROUNDING * largest;
}

/* Contacts that move as slowly as the hops that are left out count as still after all. Returns how
 * many. */
static int treat_slow_as_stuck(const trial *t, int *moving, int *was) {
  int calmed = 0;
  for (int i = 0; i < t->c->n; i++) {
    double speed = speed_of(t->f, t->c, t->space, i, was);
    double vn = t->space->setup.problem.v[normal_row(t, i)];
    if (!moving[i] || speed > fmax(SIM_HOPS_STILL * t->f->scale.speed, SIM_SLOW_AS_HOPS * fabs(vn)))
      continue;
    moving[i] = AT_REST;
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
static int is_at_limit(const trial *t, const int *was) {
  for (int i = 0; i < t->c->n; i++)
    if (was[i] == SIM_MODE_HELD) return 1;
  return 0;
}

/* what rests stays */
static int all_stand(const trial *t) {
  for (int i = 0; i < t->c->n; i++)
    if (natural(t, i) == SIM_MODE_STICK && t->c->mode[i] != SIM_MODE_STICK) return 0;
  return 1;
}

/* CORE_OK: t->c has modes that are consistent */
static core_status find(trial *t, const int *was) {
  sim_support z;
  core_mark mark = core_scratch_mark(t->f->s);
  t->held = 0;
  int limit = is_at_limit(t, was);
  t->slack = limit ? SIM_STANDS / SIM_FORCE_ROUNDING * t->tol : t->tol;
  int found = limit && solve_modes(t, SIM_EDGE, &z) == CORE_OK;
  found = found && ((!all_stand(t) && is_consistent(t)) ||
                    (t->f->redundant && decide_by_shares(t, &z) && !all_stand(t)));
  core_scratch_release(t->f->s, mark);
  if (found || (!limit && (guess(t) || leave(t)))) return CORE_OK;
  core_status status = solve_modes(t, 0, &z);
  if (limit && !status && hold_together(t, &z)) {
    core_scratch_release(t->f->s, mark);
    return CORE_OK;
  }
  if (limit && !status) read_modes(t, &z);
  found = !status && (is_consistent(t) || (t->f->redundant && settle_redundant(t, &z)));
  if (!found && (!status || hopeless(status)))
    status = find_another(t, &z) ? CORE_OK : CORE_NO_SOLUTION;
  core_scratch_release(t->f->s, mark);
  return status;
}

/* Where several motions satisfy the laws (f->answers > 1), `find` takes the first of: all slide on
 * and stick as they did, all leave, the solver's answer. The run says so. */
static core_status count_answers(const trial *t) {
  enum { LOOKED_AT = 2 }; /* contacts: with 4 a run of a stack takes a quarter more */
  t->f->answers = -1;
  if (t->c->n > LOOKED_AT) return CORE_OK;
  int *line = core_scratch_ints(t->f->s, (size_t)t->c->n);
  if (!line) return CORE_NO_MEMORY;
  for (int i = 0; i < t->c->n; i++) line[i] = natural(t, i) != SIM_MODE_STICK;
  return sim_support_count(t->f, t->space, t->c, line, &t->f->answers);
}

static core_status decide(sim_motion *f, const sim_space *space, int *was, double t) {
  int n = f->trial.n, rows = space->setup.problem.rows;
  int *moving = core_scratch_ints(f->s, (size_t)n);
  double *memory = core_scratch_doubles(f->s, (size_t)(2 * rows));
  if (!moving || !memory) return CORE_NO_MEMORY;
  trial tr = {f, space, &f->trial, moving, memory, memory + rows, tolerance(space), 0, 0};
  set_directions(&tr, moving, was);
  core_status status = find(&tr, was);
  if (hopeless(status) && treat_slow_as_stuck(&tr, moving, was)) status = find(&tr, was);
  if (status && !hopeless(status)) return status;
  if (status)
    return core_fail(f->err, CORE_NO_SOLUTION,
                     "no contact force satisfies the laws at t = %.10g s (Painleve)", t);
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
