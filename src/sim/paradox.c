/* Painleve's paradox: impacts without collision.
 *
 * A contact that slides along s can be pressed into the surface by its own friction: with
 * f_t = -mu f_n s its acceleration is a_n = a_free + (W_nn - mu W_nt s) f_n, and where the bracket
 * is negative no force f_n >= 0 keeps a_n >= 0 when a_free < 0. Rigid bodies have no motion with
 * finite forces there. What they have is an impulse, as in an impact, though nothing approaches:
 * sliding presses the contact, the impulse grows until the sliding has stopped, and then the law of
 * impacts ends it as any other (one planar contact with e = 0: p = -W^-1 v where it sticks then).
 *
 * So the law is asked for the impact of  v + h a_free,  h -> 0+: the contacts approach as they
 * would a moment later without forces. h is not zero but so small that it is rounding: SIM_RAY of
 * the largest velocity. A law that makes nothing of it (one without friction, say) cannot do it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/inner.h"

/* the largest contact velocity, in units of length over time [m/s] */
static double fastest(const sim_flow *f, const impact_setup *setup) {
  const impact_problem *pr = &setup->problem;
  double most = 0;
  for (int i = 0; i < pr->nc; i++)
    for (int r = impact_first(pr, i); r <= impact_normal(pr, i); r++)
      most = fmax(most, fabs(pr->v[r]) / f->motion.scale.per[setup->contacts[i]]);
  return most;
}

/* What stays has no normal velocity but rounding. *h: the time after which the fastest approaches
 * with SIM_RAY times `size`; 0 when none is pressed. */
static void find_ray(const sim_flow *f, sim_space *space, double size, double *h) {
  const impact_problem *pr = &space->setup.problem;
  double *v = (double *)pr->v, pull = 0;
  for (int i = 0; i < pr->nc; i++) {
    int id = space->setup.contacts[i], n = impact_normal(pr, i);
    v[n] = 0;
    pull = fmax(pull, -space->a_free[n] / f->motion.scale.per[id]);
  }
  *h = pull > 0 ? SIM_RAY * size / pull : 0;
}

/* the law at v + h a_free */
static core_status ask(sim_flow *f, double t, const double *y, const sim_space *space, double h,
                       impact_result *r, sim_kept **kept) {
  impact_setup setup = space->setup;
  int rows = setup.problem.rows;
  double *v = core_scratch_doubles(f->motion.s, (size_t)rows);
  if (!v) return CORE_NO_MEMORY;
  for (int k = 0; k < rows; k++) v[k] = space->setup.problem.v[k] + h * space->a_free[k];
  setup.problem.v = v;
  return sim_law_acts(f, t, y, &setup, kept != NULL, r, kept);
}

/* r: from the answers at h/2 (which it is) and at h to that at 0; 0 when they are not neighbours,
 * or nothing happens */
static int to_limit(const impact_problem *pr, const impact_result *at_h, double size,
                    impact_result *r) {
  double most = 0, apart = 0;
  for (int k = 0; k < pr->rows; k++) {
    most = fmax(most, fabs(r->v[k] - pr->v[k]));
    apart = fmax(apart, fabs(r->v[k] - at_h->v[k]));
    r->p[k] = 2 * r->p[k] - at_h->p[k];
  }
  for (int k = 0; k < pr->rows; k++) {
    r->v[k] = pr->v[k];
    for (int j = 0; j < pr->rows; j++) r->v[k] += pr->W[j * pr->rows + k] * r->p[j];
  }
  r->lost_restitution = 2 * r->lost_restitution - at_h->lost_restitution;
  r->lost_friction = 2 * r->lost_friction - at_h->lost_friction;
  r->stored = 2 * r->stored - at_h->stored;
  return most > SIM_JOLTS * size && apart < SIM_JOLTS * size;
}

/* the hit that is kept is the limit; its path is that of h/2 */
static void keep_limit(const impact_problem *pr, const impact_result *r, sim_kept *kept) {
  size_t size = (size_t)pr->rows * sizeof *r->p;
  double *p = kept->r.p, *v = kept->r.v;
  memcpy((double *)kept->pr.v, pr->v, size);
  kept->r = *r;
  kept->r.p = memcpy(p, r->p, size);
  kept->r.v = memcpy(v, r->v, size);
}

/* 1 when the law makes an impact of it: r, and f->u_after */
static int strikes(sim_flow *f, double t, const double *y, sim_space *space, impact_result *r,
                   sim_kept **kept, core_status *status) {
  const impact_problem *pr = &space->setup.problem;
  impact_result at_h;
  double h, size = fastest(f, &space->setup);
  find_ray(f, space, size, &h);
  if (h == 0) return 0;
  sim_law_sees(f, &space->setup);
  *status = ask(f, t, y, space, h, &at_h, NULL);
  if (!core_status_good(*status)) return 0;
  *status = ask(f, t, y, space, h / 2, r, kept);
  if (!core_status_good(*status) || !to_limit(pr, &at_h, size, r)) return 0;
  impact_back(&space->setup, y + f->motion.nq, r->p, f->u_after);
  if (*kept) keep_limit(pr, r, *kept);
  return 1;
}

/* what was said, and that the law does not help */
static core_status give_up(const sim_flow *f, const char *said) {
  return core_fail(f->motion.err, CORE_NO_SOLUTION, "%.150s, and %s makes no impact of it", said,
                   f->l->type->schema.owner);
}

/* 1 when a contact still had a normal velocity, which landing would have taken away */
static int was_landing(const sim_flow *f, const impact_setup *setup) {
  const impact_problem *pr = &setup->problem;
  for (int i = 0; i < pr->nc; i++)
    if (fabs(pr->v[impact_normal(pr, i)]) > SIM_LEAVES * sim_speed(&f->motion, setup->contacts[i]))
      return 1;
  return 0;
}

/* The contacts of c on the surface, free to slide. *landed: that took normal velocities away, and
 * tangential ones with them, so that there may be forces now. */
static core_status put_down(sim_flow *f, const sim_closed *c, sim_closed *on, double *y,
                            int *landed) {
  sim_motion *motion = &f->motion;
  impact_setup setup;
  *on = *c;
  on->ids = core_scratch_ints(motion->s, 2 * (size_t)c->n);
  if (!on->ids) return CORE_NO_MEMORY;
  memcpy(on->ids, c->ids, (size_t)c->n * sizeof *c->ids);
  on->mode = on->ids + c->n;
  for (int i = 0; i < c->n; i++) on->mode[i] = SIM_MODE_SLIP;
  core_status status =
      impact_assemble(motion->m, y, y + motion->nq, on->n, on->ids, motion->s, &setup, motion->err);
  if (status) return status;
  *landed = was_landing(f, &setup);
  status = sim_put_on(f, on, y);
  return status ? status : motion->m->type->gap(motion->m, y, motion->gap);
}

core_status sim_without_collision(sim_flow *f, double t, double *y, const sim_closed *c) {
  sim_motion *motion = &f->motion;
  core_mark mark = core_scratch_mark(motion->s);
  char said[sizeof motion->err->text];
  snprintf(said, sizeof said, "%s", motion->err->text);
  int found = 0, landed = 0;
  double power, *u = y + motion->nq;
  sim_closed on;
  sim_space space;
  impact_result r;
  sim_kept *kept = NULL;
  core_status status = put_down(f, c, &on, y, &landed);
  if (!status && landed) {
    core_scratch_release(motion->s, mark);
    return CORE_OK;
  }
  if (!status) status = sim_free_acceleration(motion, t, y, u, motion->udot, &power);
  if (!status) status = sim_space_at(motion, y, u, motion->udot, on.n, on.ids, &space);
  if (!status) found = strikes(f, t, y, &space, &r, &kept, &status);
  if (found)
    status = sim_record_impact(f, SIM_JOLT, t, y, &space.setup, &r, kept);
  else if (status != CORE_INTERRUPTED && status != CORE_NO_MEMORY)
    status = give_up(f, said);
  if (!found) sim_kept_free(kept);
  core_scratch_release(motion->s, mark);
  return status;
}
