/* The right-hand side: y = (q, u, work, sliding loss).
 *
 *   q' = rates(q, u),  u' = M^-1 (f + h) + Y lambda,  Y = M^-1 J^T
 *   work' = power of the model's forces outside its potential + h.u
 *   sliding' = -lambda_t . v_t of those that slide
 */
#include <math.h>
#include <string.h>

#include "sim/inner.h"

/* the extra force of the user, which must be finite */
static core_status extra_force(sim_flow *f, double t, const double *q, const double *u,
                               double *power) {
  core_status status = f->o->force(f->o->force_self, t, q, u, f->h, f->err);
  if (status) return status;
  for (int i = 0; i < f->nu; i++) {
    if (!isfinite(f->h[i]))
      return core_fail(f->err, CORE_CALLBACK, "force: number %d is %g at t = %.10g s", i + 1,
                       f->h[i], t);
    *power += f->h[i] * u[i];
  }
  return CORE_OK;
}

core_status sim_free_acceleration(sim_flow *f, double t, const double *q, const double *u,
                                  double *udot, double *power) {
  const model *m = f->m;
  *power = m->type->power ? m->type->power(m, t, q, u) : 0;
  if (f->o->force) {
    core_status status = extra_force(f, t, q, u, power);
    if (status) return status;
  }
  return model_accelerate(m, t, q, u, f->o->force ? f->h : NULL, f->s, udot);
}

/* adds the contact forces to udot; sliding gets the power lost to friction */
static core_status add_contacts(sim_flow *f, double t, const double *q, const double *u,
                                double *udot, double *sliding) {
  sim_space space;
  core_status status = sim_contact_forces(f, t, q, u, udot, &f->closed, &space, f->contact);
  if (status) return status;
  int rows = space.setup.problem.rows, dim = f->dim;
  for (int r = 0; r < rows; r++) {
    for (int i = 0; i < f->nu; i++) udot[i] += space.setup.Y[r * f->nu + i] * f->contact[r];
    if (r % dim != dim - 1 && f->closed.mode[r / dim] != SIM_MODE_STICK)
      *sliding -= f->contact[r] * space.setup.problem.v[r];
  }
  return CORE_OK;
}

core_status sim_rhs(void *flow, double t, const double *y, double *dy) {
  sim_flow *f = flow;
  const double *q = y, *u = y + f->nq;
  double *udot = dy + f->nq, *work = udot + f->nu;
  work[1] = 0;
  core_status status = model_rates(f->m, q, u, dy);
  if (!status) status = sim_free_acceleration(f, t, q, u, udot, &work[0]);
  if (status || f->closed.n == 0) return status;
  core_mark mark = core_scratch_mark(f->s);
  status = add_contacts(f, t, q, u, udot, &work[1]);
  core_scratch_release(f->s, mark);
  return status;
}

core_status sim_energy(const model *m, const double *q, const double *u, core_scratch *s,
                       double *kinetic, double *potential) {
  *potential = m->type->potential ? m->type->potential(m, q) : 0;
  return model_kinetic(m, q, u, s, kinetic);
}
