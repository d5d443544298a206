/* Which touching contacts stay closed, and how: modes that are consistent on acceleration level.
 *
 *   open   a_n >= 0            slip from rest   a_t . s >= 0, f_n >= 0
 *   stick  |f_t| <= mu f_n     slip             f_n >= 0
 *
 * First the worst violation is repaired, one at a time, from the natural guess (sliding ones slide,
 * resting ones stick); that ends almost always. When it goes in circles all combinations are tried.
 * When none is consistent there is no solution: Painleve's paradox.
 */
#include <math.h>
#include <string.h>

#include "sim/motion.h"

typedef struct trial {
  sim_motion *f;
  const sim_space *space;
  sim_closed *c;     /* modes on trial */
  const int *moving; /* n: slides already, its direction is given */
  double *force;     /* rows */
  double *a;         /* rows: acceleration with the forces */
  double tol;        /* accelerations below this are rounding [m/s^2] */
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

static sim_mode natural(const trial *t, int i) {
  return t->moving[i] || !has_friction(t, i) ? SIM_MODE_SLIP : SIM_MODE_STICK;
}

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

/* acceleration along the surface of one that sticks, which no force can take away (the tip of an
 * arm at full stretch); 0 when it is rounding */
static double drags(const trial *t, int i) {
  int tangents = tangents_of(t, i);
  const double *at = t->a + normal_row(t, i) - tangents;
  double size = tangents == 0 ? 0 : tangents == 1 ? fabs(at[0]) : hypot(at[0], at[1]);
  return size > 1e5 * t->tol ? size : 0;
}

/* how far contact i is from consistency [m/s^2]; 0 when it is fine */
static double violation(const trial *t, int i) {
  int n = normal_row(t, i), rows = t->space->setup.problem.rows, tangents = tangents_of(t, i);
  const double *ft = t->force + n - tangents, *at = t->a + n - tangents, *s = t->c->slip + 2 * i;
  double w = t->space->setup.problem.W[n * rows + n], fn = t->force[n], tt = 0, along = 0;
  if (t->c->mode[i] == SIM_MODE_OPEN) return fmax(0, -t->a[n] - t->tol);
  if (fn * w < -t->tol) return -fn * w;
  if (!has_friction(t, i) || t->moving[i]) return 0;
  for (int r = 0; r < tangents; r++) tt += ft[r] * ft[r], along += at[r] * s[r];
  if (t->c->mode[i] == SIM_MODE_SLIP) return fmax(0, -along - t->tol);
  if (drags(t, i) > 0) return drags(t, i);
  double mu = t->f->hold[t->c->ids[i]];
  return isinf(mu) ? 0 : fmax(0, (sqrt(tt) - mu * fmax(fn, 0)) * w - t->tol);
}

/* sliding sets out against the force that could not hold it, or where it is dragged */
static void break_loose(trial *t, int i) {
  int tangents = tangents_of(t, i), first = normal_row(t, i) - tangents, dragged = drags(t, i) > 0;
  const double *along = dragged ? t->a + first : t->force + first;
  double size = 0;
  for (int r = 0; r < tangents; r++) size = hypot(size, along[r]);
  for (int r = 0; r < tangents; r++) t->c->slip[2 * i + r] = (dragged ? 1 : -1) * along[r] / size;
  t->c->mode[i] = SIM_MODE_SLIP;
}

static void repair(trial *t, int i) {
  int n = normal_row(t, i);
  if (t->c->mode[i] == SIM_MODE_OPEN)
    t->c->mode[i] = natural(t, i);
  else if (t->force[n] < 0)
    t->c->mode[i] = SIM_MODE_OPEN;
  else if (t->c->mode[i] == SIM_MODE_STICK)
    break_loose(t, i);
  else
    t->c->mode[i] = SIM_MODE_STICK;
}

/* In space a point that breaks loose slides where its acceleration goes: s = a_t/|a_t|. s goes a
 * part of the way there; returns the largest way that is left. */
static double relax(trial *t, double part) {
  double left = 0;
  if (t->f->dim < 3) return 0;
  for (int i = 0; i < t->c->n; i++) {
    if (t->c->mode[i] != SIM_MODE_SLIP || t->moving[i] || !has_friction(t, i)) continue;
    if (tangents_of(t, i) < 2) continue;
    const double *at = t->a + normal_row(t, i) - 2;
    double *s = t->c->slip + 2 * i, size = hypot(at[0], at[1]);
    if (size <= t->tol) continue;
    left = fmax(left, hypot(at[0] / size - s[0], at[1] / size - s[1]));
    double x = s[0] + part * (at[0] / size - s[0]), y = s[1] + part * (at[1] / size - s[1]);
    s[0] = x / hypot(x, y);
    s[1] = y / hypot(x, y);
  }
  return left;
}

/* directions that stay as they are, by iteration in steps that get smaller */
static core_status relax_directions(trial *t) {
  core_status status = balance(t);
  double left = INFINITY;
  for (double part = 1; part > 0.03 && left > 1e-9; part *= 0.4)
    for (int i = 0; i < 100 && !status && (left = relax(t, part)) > 1e-13; i++) status = balance(t);
  return status || left <= 1e-9 ? status : CORE_NOT_CONVERGED;
}

static int worst(const trial *t, double *by) {
  int at = -1;
  *by = 0;
  for (int i = 0; i < t->c->n; i++) {
    double v = violation(t, i);
    if (v > *by) *by = v, at = i;
  }
  return at;
}

/* repairs the worst violation again and again; 1 when the modes are consistent */
static int repair_all(trial *t) {
  double by;
  for (int i = 0; i < t->c->n; i++) t->c->mode[i] = natural(t, i);
  for (int round = 0; round < 6 * t->c->n + 4; round++) {
    if (relax_directions(t)) return 0;
    int i = worst(t, &by);
    if (i < 0) return 1;
    repair(t, i);
  }
  return 0;
}

/* modes of contact i, number `which`; 0 when there are no more */
static int option(trial *t, int i, int which) {
  double *s = t->c->slip + 2 * i;
  if (t->moving[i] || !has_friction(t, i)) {
    t->c->mode[i] = which == 0 ? SIM_MODE_SLIP : SIM_MODE_OPEN;
    return which < 2;
  }
  t->c->mode[i] = which == 0 ? SIM_MODE_STICK : which == 1 ? SIM_MODE_OPEN : SIM_MODE_SLIP;
  int planar = tangents_of(t, i) == 1, directions = planar ? 2 : 8;
  double angle = 6.283185307179586 * (which - 2) / directions;
  if (which >= 2) s[0] = cos(angle), s[1] = planar ? 0 : sin(angle);
  return which < 2 + directions;
}

/* all combinations, by counting; few contacts only */
static int try_all(trial *t) {
  int digit[6] = {0}, n = t->c->n;
  double by;
  if (n > 6) return 0;
  for (int i = 0; i < n; i++) option(t, i, 0);
  for (;;) {
    if (!relax_directions(t) && worst(t, &by) < 0) return 1;
    int i = 0;
    while (i < n && !option(t, i, ++digit[i])) {
      digit[i] = 0;
      option(t, i++, 0);
    }
    if (i == n) return 0;
    for (int j = 0; j < n; j++) option(t, j, digit[j]);
  }
}

/* sliding speed of contact i that is not rest */
static double speed_of(const sim_motion *f, const sim_closed *c, const sim_space *space, int i,
                       const int *was) {
  const impact_problem *pr = &space->setup.problem;
  const double *v = pr->v + impact_first(pr, i);
  int rows = impact_rows_of(pr, i);
  if (rows == 1 || isinf(f->mu[c->ids[i]])) return 0; /* cannot slide */
  double speed = rows == 2 ? fabs(v[0]) : hypot(v[0], v[1]);
  int stopped = was[i] == SIM_MODE_STICK;
  return speed > 2 * SIM_SLIDES * f->scale.speed && !stopped ? speed : 0;
}

/* The closed ones of the trial become those of the flow. In space, sliding with friction that sets
 * out from rest creeps. */
static void keep(sim_motion *f, const sim_closed *c, const sim_space *space, const int *was) {
  int k = 0;
  for (int i = 0; i < c->n; i++) {
    if (c->mode[i] == SIM_MODE_OPEN) continue;
    int creeps = sim_rows_of(f, c->ids[i]) == 3 && c->mode[i] == SIM_MODE_SLIP &&
                 f->mu[c->ids[i]] > 0 && speed_of(f, c, space, i, was) == 0;
    f->closed.ids[k] = c->ids[i];
    f->closed.mode[k] = creeps ? SIM_MODE_CREEP : c->mode[i];
    memcpy(f->closed.slip + 2 * k, c->slip + 2 * i, 2 * sizeof *c->slip);
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
    moving[i] = speed > 0 || was[i] == SIM_MODE_SLIP;
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
    if (!moving[i] || speed > fmax(SIM_HOPS_STILL * t->f->scale.speed, 10 * fabs(vn))) continue;
    moving[i] = 0;
    was[i] = SIM_MODE_STICK;
    calmed++;
  }
  return calmed;
}

static core_status decide(sim_motion *f, const sim_space *space, int *was, double t) {
  int n = f->trial.n, rows = space->setup.problem.rows;
  int *moving = core_scratch_ints(f->s, (size_t)n);
  double *memory = core_scratch_doubles(f->s, (size_t)(2 * rows));
  if (!moving || !memory) return CORE_NO_MEMORY;
  trial tr = {f, space, &f->trial, moving, memory, memory + rows, tolerance(space)};
  set_directions(&tr, moving, was);
  int found = repair_all(&tr) || try_all(&tr);
  if (!found && treat_slow_as_stuck(&tr, moving, was)) found = repair_all(&tr) || try_all(&tr);
  if (!found)
    return core_fail(f->err, CORE_NO_SOLUTION,
                     "no contact force satisfies the laws at t = %.10g s (Painleve)", t);
  keep(f, &f->trial, space, was);
  return CORE_OK;
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
