/* Modes of contacts that depend on each other (the fourth leg of a table).
 *
 * Their forces are small (contact.c), and these may ask one of them to pull, or for more friction
 * than it has, though the others could carry that. One that pulls is left out. Where it is friction
 * all that stand are `held`: they stand as long as the problem of modes says so, which is watched
 * as a whole.
 */
#include <string.h>

#include "sim/trial.h"

/* Leaves those out which would have to pull, the worst first: what they hold the others hold as
 * well. */
static core_status leave_out(sim_trial *t) {
  const impact_problem *pr = &t->space->setup.problem;
  for (;;) {
    int at = -1;
    double by = t->tol;
    core_status status = sim_trial_balance(t);
    for (int i = 0; i < t->c->n && !status && t->f->redundant; i++) {
      int n = sim_trial_normal(t, i);
      double pulls = -t->force[n] * pr->W[n * (pr->rows + 1)] / t->f->scale.per[t->c->ids[i]];
      if (t->c->mode[i] != SIM_MODE_OPEN && pulls > by) by = pulls, at = i;
    }
    if (at < 0) return status;
    t->c->mode[at] = SIM_MODE_OPEN;
  }
}

int sim_trial_hold_together(sim_trial *t, const sim_support *z) {
  for (int i = 0; i < t->c->n; i++) {
    for (int k = z->first[i]; k < z->first[i + 1]; k++)
      t->c->held[3 * i + k - z->first[i]] = z->p[k];
    if (!(z->p[z->first[i + 1] - 1] > 0)) t->c->mode[i] = SIM_MODE_OPEN;
    if (t->c->mode[i] == SIM_MODE_STICK) t->c->mode[i] = SIM_MODE_HELD, t->held = 1;
  }
  return t->held && sim_trial_balance(t) == CORE_OK && sim_trial_worst(t) < 0;
}

int sim_trial_by_shares(sim_trial *t, sim_support *z) {
  core_status status;
  do status = sim_support_share(t->f, z);
  while (!status && sim_trial_loosen(t, z));
  if (!status) sim_trial_read(t, z);
  return !status && (sim_trial_consistent(t) || sim_trial_leave_unloaded(t, z) ||
                     (!leave_out(t) && sim_trial_worst(t) < 0));
}

int sim_trial_dependent(sim_trial *t, sim_support *z) {
  core_mark mark = core_scratch_mark(t->f->s);
  size_t size = (size_t)t->c->n * sizeof *t->c->mode;
  int *modes = core_scratch_ints(t->f->s, (size_t)t->c->n), found = 0;
  if (modes) {
    memcpy(modes, t->c->mode, size);
    found = leave_out(t) == CORE_OK && sim_trial_worst(t) < 0;
    if (!found) memcpy(t->c->mode, modes, size), found = sim_trial_hold_together(t, z);
    if (!found) t->held = 0, found = sim_trial_by_shares(t, z);
    if (!found) sim_trial_read(t, z), found = sim_trial_hold_together(t, z);
  }
  core_scratch_release(t->f->s, mark);
  return found;
}
