/* Reading a run: any time, from the dense output that was kept. */
#include <math.h>
#include <string.h>

#include "sim/inner.h"

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

static sim_closed closed_in(const sim_run *r, const sim_step *step) {
  const sim_phase *p = &r->phases[step->phase];
  int *ids = r->integers + p->ids;
  return (sim_closed){p->n, ids, ids + p->n, r->numbers + p->slip};
}

/* contact forces at a state, by the equations of the phase */
static core_status forces_at(const sim_run *r, const sim_step *step, double t, const double *y,
                             core_scratch *s, sim_state *at, core_error *err) {
  const model_shape *shape = &r->m->shape;
  sim_closed c = closed_in(r, step);
  int dim = shape->dim;
  if (at->force) memset(at->force, 0, (size_t)(shape->nc * dim) * sizeof *at->force);
  if (at->mode) memset(at->mode, 0, (size_t)shape->nc * sizeof *at->mode);
  for (int i = 0; at->mode && i < c.n; i++) at->mode[c.ids[i]] = c.mode[i];
  if (!at->force || c.n == 0) return CORE_OK;
  sim_flow f = {.m = r->m, .l = r->l, .o = &r->o, .s = s, .err = err, .mu = r->mu};
  f.hold = r->mu + shape->nc;
  f.nq = shape->nq, f.nu = shape->nu, f.nc = shape->nc, f.dim = dim;
  double *block = core_scratch_doubles(s, (size_t)(2 * shape->nu + 2 * shape->nc * dim)), power;
  if (!block) return CORE_NO_MEMORY;
  f.udot = block;
  f.h = f.udot + shape->nu;
  f.full = f.h + shape->nu;
  double *force = f.full + shape->nc * dim;
  sim_space space;
  core_status status = sim_free_acceleration(&f, t, y, y + f.nq, f.udot, &power);
  if (!status) status = sim_contact_forces(&f, t, y, y + f.nq, f.udot, &c, &space, force);
  for (int i = 0; i < c.n && !status; i++)
    memcpy(at->force + c.ids[i] * dim, force + i * dim, (size_t)dim * sizeof *force);
  return status;
}

static core_status fill(const sim_run *r, const sim_step *step, double t, double *y,
                        core_scratch *s, sim_state *at, core_error *err) {
  int nq = r->m->shape.nq, nu = r->m->shape.nu;
  if (r->m->type->normalise) r->m->type->normalise(r->m, y);
  if (at->q) memcpy(at->q, y, (size_t)nq * sizeof *y);
  if (at->u) memcpy(at->u, y + nq, (size_t)nu * sizeof *y);
  at->t = t;
  at->work = y[nq + nu];
  at->sliding = y[nq + nu + 1];
  at->lost = step->lost;
  at->reset = step->reset;
  core_status status = sim_energy(r->m, y, y + nq, s, &at->kinetic, &at->potential);
  if (!status && at->gap) status = r->m->type->gap(r->m, y, at->gap);
  return status ? status : forces_at(r, step, t, y, s, at, err);
}

static core_status outside(const sim_run *r, double t, core_error *err) {
  if (r->n_steps == 0)
    return core_fail(err, CORE_BAD_INPUT, "run: the dense output was not kept (keep = false)");
  return core_fail(err, CORE_BAD_INPUT, "run: t must be between %.10g and %.10g s, got %.10g",
                   fmin(r->o.t_start, r->t), fmax(r->o.t_start, r->t), t);
}

core_status sim_at(const sim_run *r, double t, int before, core_scratch *s, sim_state *at,
                   core_error *err) {
  double low = fmin(r->o.t_start, r->t), high = fmax(r->o.t_start, r->t);
  if (r->n_steps == 0 || !(t >= low && t <= high)) return outside(r, t, err);
  const sim_step *step = &r->steps[sim_find(r, t, before)];
  core_mark mark = core_scratch_mark(s);
  double *y = core_scratch_doubles(s, (size_t)r->n);
  core_status status = y ? CORE_OK : core_fail(err, CORE_NO_MEMORY, "%s", "");
  if (!status) {
    double theta = step->h != 0 ? (t - step->t0) / step->h : 0;
    core_ode_read(r->numbers + step->dense, r->n, fmin(fmax(theta, 0), 1), 0, r->n, y);
    status = fill(r, step, t, y, s, at, err);
  }
  core_scratch_release(s, mark);
  return status;
}
