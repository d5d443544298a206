/* Reading a run: any time, from the dense output that was kept. */
#include <math.h>
#include <string.h>

#include "core/ode.h"
#include "sim/support.h"

/* steps are in order of time: forwards ascending, backwards descending */
size_t sim_find(const sim_run *r, double t, int before) {
  double way = r->o.backward ? -1 : 1;
  size_t low = 0, high = r->n_steps;
  while (high - low > 1) { /* steps[low].t0 is at or before t */
    size_t middle = low + (high - low) / 2;
    double d = way * (r->steps[middle].t0 - t);
    if (d < 0 || (d == 0 && !before))
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* the impact with which the run began, when the state in front of it is asked for: no step has
 * that. (Functions of the user do not fire where a run begins.) */
static const sim_event *event_at_start(const sim_run *r, double t, int before) {
  const sim_event *first = r->n_events ? r->events : NULL;
  if (!before || !first || t != r->o.t_start || first->t != t) return NULL;
  return sim_is_impact(first) ? first : NULL;
}

/* the motion in a phase, or with all contacts open (-1); memory from s */
static core_status motion_in(const sim_run *r, int phase, core_scratch *s, core_error *err,
                             sim_motion *f) {
  const model_shape *shape = &r->m->shape;
  double *numbers = core_scratch_doubles(s, sim_motion_numbers(shape));
  int *ints = core_scratch_ints(s, sim_motion_ints(shape) + 1);
  if (!numbers || !ints) return core_no_memory(err);
  sim_motion_init(f, r, s, err, numbers, ints);
  if (phase >= 0) f->closed = sim_closed_in(r, phase);
  return CORE_OK;
}

static sim_mode told(int mode) {
  return mode == SIM_MODE_CREEP  ? SIM_MODE_SLIP
         : mode == SIM_MODE_HELD ? SIM_MODE_STICK
                                 : (sim_mode)mode;
}

/* contact forces at a state, by the equations of the phase */
static core_status forces_at(sim_motion *f, double t, const double *y, sim_state *at) {
  const sim_closed *c = &f->closed;
  double power;
  if (at->mode) memset(at->mode, 0, (size_t)f->nc * sizeof *at->mode);
  for (int i = 0; at->mode && i < c->n; i++) at->mode[c->ids[i]] = told(c->mode[i]);
  at->redundant = 0;
  if (at->solutions) *at->solutions = 1;
  if (!at->force) return CORE_OK;
  memset(at->force, 0, (size_t)model_all_rows(&f->m->shape) * sizeof *at->force);
  if (c->n == 0) return CORE_OK;
  sim_space space;
  core_status status = sim_free_acceleration(f, t, y, y + f->nq, f->udot, &power);
  if (!status) status = sim_contact_forces(f, t, y, y + f->nq, f->udot, c, 1, &space, f->force);
  for (int i = 0; i < c->n && !status; i++) {
    if (c->mode[i] != SIM_MODE_HELD) continue;
    status = sim_support_forces(f, &space, f->force);
    break;
  }
  at->redundant = f->redundant;
  if (!status && at->solutions) status = sim_support_solutions(f, &space, at->solutions);
  int none = core_ode_outside(status); /* at the very end of a run that had no solution */
  for (int r = 0; none && r < sim_closed_rows(f, c); r++) f->force[r] = NAN;
  if (status && !none) return status;
  for (int i = 0, from = 0; i < c->n; i++) {
    int rows = sim_rows_of(f, c->ids[i]);
    memcpy(at->force + model_first(&f->m->shape, c->ids[i]), f->force + from,
           (size_t)rows * sizeof *f->force);
    from += rows;
  }
  return CORE_OK;
}

/* the dense output drifts a little off closed contacts: back onto them first */
static core_status fill(sim_motion *f, const sim_step *step, double t, double *y, sim_state *at) {
  int nq = f->nq, nu = f->nu;
  core_status status = sim_project(f, &f->closed, NULL, y, NULL);
  if (at->q) memcpy(at->q, y, (size_t)nq * sizeof *y);
  if (at->u) memcpy(at->u, y + nq, (size_t)nu * sizeof *y);
  at->t = t;
  at->work = y[nq + nu];
  at->sliding = y[nq + nu + 1];
  at->lost = step->lost;
  at->reset = step->reset;
  if (!status) status = sim_energy(f->m, y, y + nq, f->s, &at->kinetic, &at->potential);
  if (!status && at->gap) status = f->m->type->gap(f->m, y, at->gap);
  return status ? status : forces_at(f, t, y, at);
}

/* the state in a step, or in a flight by its closed form */
static void read_step(const sim_run *r, const sim_step *step, double t, double *y) {
  const double *from = r->numbers + step->dense;
  int nq = r->m->shape.nq;
  if (!step->flight) {
    double theta = step->h != 0 ? (t - step->t0) / step->h : 0;
    core_ode_read(from, r->n, fmin(fmax(theta, 0), 1), 0, r->n, y);
    return;
  }
  memcpy(y, from, (size_t)r->n * sizeof *y);
  r->m->type->coast(r->m, fmin(fmax(t - step->t0, 0), step->h), from, from + nq, y, y + nq);
}

/* in front of it; no work was done yet, nothing slid */
static void state_of_event(const sim_run *r, const sim_event *e, double *y) {
  memset(y, 0, (size_t)r->n * sizeof *y);
  memcpy(y, sim_event_q(r, e), (size_t)(r->n - 2) * sizeof *y);
}

static core_status outside(const sim_run *r, double t, core_error *err) {
  if (r->n_steps == 0)
    return core_fail(err, CORE_BAD_INPUT, "run: the dense output was not kept (keep = false)");
  return core_fail(err, CORE_BAD_INPUT, "run: t must be between %.10g and %.10g s, got %.10g",
                   fmin(r->o.t_start, r->t), fmax(r->o.t_start, r->t),
                   isnan(t) ? (double)NAN : t); /* no -nan */
}

core_status sim_at(const sim_run *r, double t, int before, core_scratch *s, sim_state *at,
                   core_error *err) {
  double low = fmin(r->o.t_start, r->t), high = fmax(r->o.t_start, r->t);
  if (r->n_steps == 0 || !(t >= low && t <= high)) return outside(r, t, err);
  const sim_event *first = event_at_start(r, t, before);
  const sim_step untouched = {.t0 = t, .t1 = t, .phase = -1};
  const sim_step *step = first ? &untouched : &r->steps[sim_find(r, t, before)];
  core_mark mark = core_scratch_mark(s);
  sim_motion f;
  double *y = core_scratch_doubles(s, (size_t)r->n);
  core_status status = y ? motion_in(r, step->phase, s, err, &f) : core_no_memory(err);
  if (!status) {
    if (first)
      state_of_event(r, first, y);
    else
      read_step(r, step, t, y);
    status = fill(&f, step, t, y, at);
  }
  core_scratch_release(s, mark);
  return status;
}
