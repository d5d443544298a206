/* The right-hand side: y = (q, u, work, sliding loss).
 *
 *   q' = rates(q, u),  u' = M^-1 (f + h) + Y lambda,  Y = M^-1 J^T
 *   work' = power of the model's forces outside its potential + h.u
 *   sliding' = -lambda_t . v_t of those that slide
 */
#include <math.h>
#include <string.h>

#include "sim/motion.h"

/* ---- memory ---- */

size_t sim_motion_numbers(const model_shape *shape) {
  size_t nc = (size_t)shape->nc, rows = (size_t)model_all_rows(shape);
  return 14 * nc + 2 * rows + 2 * (size_t)shape->nu;
}

size_t sim_motion_ints(const model_shape *shape) {
  return 4 * (size_t)shape->nc;
}

static double *take(double **block, int n) {
  double *at = *block;
  *block += n;
  return at;
}

static sim_closed take_closed(int nc, double **numbers, int **ints) {
  sim_closed c = {0, *ints, *ints + nc, take(numbers, 2 * nc), take(numbers, 3 * nc)};
  *ints += 2 * nc;
  return c;
}

void sim_motion_init(sim_motion *f, const sim_run *r, core_scratch *s, core_error *err,
                     double *numbers, int *ints) {
  const model_shape *shape = &r->m->shape;
  int nc = shape->nc, rows = model_all_rows(shape);
  *f = (sim_motion){.m = r->m, .o = &r->o, .s = s, .err = err, .n = r->n};
  f->nq = shape->nq, f->nu = shape->nu, f->nc = nc, f->dim = shape->dim;
  f->direction = r->o.backward ? -1 : 1;
  f->scale = r->scale;
  f->touch = r->o.touch;
  f->closed = take_closed(nc, &numbers, &ints);
  f->trial = take_closed(nc, &numbers, &ints);
  f->mu = take(&numbers, nc);
  f->hold = r->mu + nc;
  f->gap = take(&numbers, nc);
  f->creep = take(&numbers, 2 * nc);
  f->force = take(&numbers, rows);
  f->all_rows = take(&numbers, rows);
  f->extra = take(&numbers, shape->nu);
  f->udot = take(&numbers, shape->nu);
  memcpy(f->mu, r->mu, (size_t)nc * sizeof *f->mu);
}

/* ---- the equations ---- */

/* the extra force of the user, which must be finite */
static core_status extra_force(sim_motion *f, double t, const double *q, const double *u,
                               double *power) {
  core_status status = f->o->force(f->o->force_self, t, q, u, f->extra, f->err);
  if (status) return status;
  for (int i = 0; i < f->nu; i++) {
    if (!isfinite(f->extra[i]))
      return core_fail(f->err, CORE_CALLBACK, "force: number %d is %g at t = %.10g s", i + 1,
                       f->extra[i], t);
    *power += f->extra[i] * u[i];
  }
  return CORE_OK;
}

core_status sim_free_acceleration(sim_motion *f, double t, const double *q, const double *u,
                                  double *udot, double *power) {
  const model *m = f->m;
  *power = m->type->power ? m->type->power(m, t, q, u) : 0;
  if (f->o->force) {
    core_status status = extra_force(f, t, q, u, power);
    if (status) return status;
  }
  return model_accelerate(m, t, q, u, f->o->force ? f->extra : NULL, f->s, udot);
}

/* adds the contact forces to udot; sliding gets the power lost to friction */
static core_status add_contacts(sim_motion *f, double t, const double *q, const double *u,
                                double *udot, double *sliding) {
  sim_space space;
  core_status status = sim_contact_forces(f, t, q, u, udot, &f->closed, 0, &space, f->force);
  if (status) return status;
  const impact_problem *pr = &space.setup.problem;
  for (int r = 0; r < pr->rows; r++)
    for (int i = 0; i < f->nu; i++) udot[i] += space.setup.Y[r * f->nu + i] * f->force[r];
  for (int c = 0; c < pr->nc; c++)
    for (int r = impact_first(pr, c); !sim_stands(f->closed.mode[c]) && r < impact_normal(pr, c);
         r++)
      *sliding -= f->force[r] * pr->v[r];
  return CORE_OK;
}

core_status sim_rhs(void *motion, double t, const double *y, double *dy) {
  sim_motion *f = motion;
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
