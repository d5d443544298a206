/* Contact modes on trial: are they consistent with the laws of decide.c, and which ones does the
 * mode problem (support.c) propose? */
#include <math.h>
#include <string.h>

#include "sim/trial.h"

int sim_trial_normal(const sim_trial *t, int i) {
  return impact_normal(&t->space->setup.problem, i);
}

int sim_trial_tangents(const sim_trial *t, int i) {
  return impact_rows_of(&t->space->setup.problem, i) - 1;
}

double sim_trial_tolerance(const sim_trial *t, int i) {
  return t->tol * t->f->scale.per[t->c->ids[i]];
}

static int has_friction(const sim_trial *t, int i) {
  return sim_trial_tangents(t, i) > 0 && t->f->hold[t->c->ids[i]] > 0;
}

/* sliding in space that sets out from rest creeps: its direction is kept, it has no velocity yet */
static sim_mode sliding(const sim_trial *t, int i) {
  int sets_out =
      sim_trial_tangents(t, i) == 2 && t->moving[i] != TRIAL_SLIDES && t->f->mu[t->c->ids[i]] > 0;
  return sets_out ? SIM_MODE_CREEP : SIM_MODE_SLIP;
}

sim_mode sim_trial_natural(const sim_trial *t, int i) {
  return t->moving[i] || !has_friction(t, i) ? sliding(t, i) : SIM_MODE_STICK;
}

/* ---- are modes consistent? ---- */

core_status sim_trial_balance(sim_trial *t) {
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
static double acceleration_along(const sim_trial *t, int i) {
  int tangents = sim_trial_tangents(t, i);
  const double *at = t->a + sim_trial_normal(t, i) - tangents;
  return tangents == 0 ? 0 : tangents == 1 ? fabs(at[0]) : hypot(at[0], at[1]);
}

/* ... of one that sticks, which no force can take away (the tip of an arm at full stretch); 0 when
 * it is rounding */
static double drags(const sim_trial *t, int i) {
  double size = acceleration_along(t, i);
  return size > SIM_DRAGS * t->tol ? size : 0;
}

/* how far contact i is from consistency [m/s^2]; 0 when it is fine */
static double violation(const sim_trial *t, int i) {
  int n = sim_trial_normal(t, i), rows = t->space->setup.problem.rows,
      tangents = sim_trial_tangents(t, i);
  const double *ft = t->force + n - tangents, *at = t->a + n - tangents, *s = t->c->slip + 2 * i;
  double w = t->space->setup.problem.W[n * rows + n], fn = t->force[n], tt = 0, along = 0;
  double tol = sim_trial_tolerance(t, i);
  if (t->c->mode[i] == SIM_MODE_OPEN) return fmax(0, -t->a[n] - tol);
  if (t->c->mode[i] == SIM_MODE_HELD) return drags(t, i);
  if (fn * w < -tol && !t->held) return -fn * w;
  if (!has_friction(t, i) || t->moving[i]) return 0;
  for (int r = 0; r < tangents; r++) tt += ft[r] * ft[r], along += at[r] * s[r];
  if (!sim_stands(t->c->mode[i])) return fmax(0, -along - t->slack);
  if (drags(t, i) > 0) return drags(t, i);
  double mu = t->f->hold[t->c->ids[i]];
  return isinf(mu) ? 0 : fmax(0, (sqrt(tt) - mu * fmax(fn, 0)) * w - t->tol);
}

int sim_trial_worst(const sim_trial *t) {
  int at = -1;
  double by = 0;
  for (int i = 0; i < t->c->n; i++) {
    double v = violation(t, i);
    if (v > by) by = v, at = i;
  }
  return at;
}

int sim_trial_consistent(sim_trial *t) {
  return sim_trial_balance(t) == CORE_OK && sim_trial_worst(t) < 0;
}

/* ---- the mode problem ---- */

static double slips_by(const sim_support *z, int i) {
  double size = 0;
  for (int k = z->first[i]; k < z->first[i + 1] - 1; k++) size = hypot(size, z->u[k]);
  return size;
}

int sim_trial_loosen(const sim_trial *t, sim_support *z) {
  int some = 0;
  for (int i = 0; i < t->c->n; i++) {
    double mu = t->f->mu[t->c->ids[i]];
    if (sim_trial_natural(t, i) != SIM_MODE_STICK || z->mu[i] <= mu || slips_by(z, i) <= t->tol)
      continue;
    z->mu[i] = mu, some = 1;
  }
  return some;
}

int sim_trial_leave_unloaded(sim_trial *t, const sim_support *z) {
  for (int i = 0; i < t->c->n; i++)
    if (!(z->p[z->first[i + 1] - 1] > 0)) t->c->mode[i] = SIM_MODE_OPEN;
  return sim_trial_consistent(t);
}

void sim_trial_read(sim_trial *t, const sim_support *z) {
  for (int i = 0; i < t->c->n; i++) {
    int n = z->first[i + 1] - 1, tangents = n - z->first[i];
    double size = slips_by(z, i), *s = t->c->slip + 2 * i;
    int sticks = sim_trial_natural(t, i) == SIM_MODE_STICK && size <= t->tol;
    int leaves = z->u[n] > sim_trial_tolerance(t, i);
    t->c->mode[i] = leaves ? SIM_MODE_OPEN : sticks ? SIM_MODE_STICK : sliding(t, i);
    for (int r = 0; r < tangents && size > t->tol; r++) s[r] = z->u[z->first[i] + r] / size;
  }
}

core_status sim_trial_solve(sim_trial *t, double less, sim_support *z) {
  int *line = core_scratch_ints(t->f->s, (size_t)t->c->n);
  core_status status = line ? CORE_OK : CORE_NO_MEMORY;
  for (int i = 0; i < t->c->n && line; i++) line[i] = sim_trial_natural(t, i) != SIM_MODE_STICK;
  if (!status) status = sim_support_make(t->f, t->space, t->c, line, t->f->mu, t->space->a_free, z);
  for (int i = 0; i < t->c->n && !status; i++) z->mu[i] *= 1 - less;
  for (int more = 1; more && !status; more = !status && sim_trial_loosen(t, z))
    status = impact_modes_solve(&z->m, t->f->s, z->p, z->u);
  if (!status) sim_trial_read(t, z);
  return status;
}
