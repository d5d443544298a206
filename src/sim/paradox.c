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
 * would a moment later without forces. The limit is  2 p(h/2) - p(h)  with an approach of SIM_RAY
 * of the largest velocity: exact for laws that are linear in v piece by piece, with an error of
 * SIM_RAY^2 for others.
 *
 * Sliding that comes to where the bracket vanishes (and a_free with it) has forces beyond all
 * bounds, which the law still finds; an approach of what slides with SIM_RAY_BEYOND times as much
 * is more than they hold, and the limit is that of the other side.
 *
 * A law that makes nothing of either (one without friction, say) cannot do it; nor is it done where
 * several contacts have forces that fit, but one of them drives itself in: the law finds these too,
 * and nothing happens.
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

/* what stays has no normal velocity but rounding */
static void stay(const impact_problem *pr) {
  for (int i = 0; i < pr->nc; i++) ((double *)pr->v)[impact_normal(pr, i)] = 0;
}

/* h a_free, so that the fastest approaches with `speed`; 0 when none is pressed */
static int fall(const sim_flow *f, const sim_space *space, double speed, double *ray) {
  const impact_problem *pr = &space->setup.problem;
  double pull = 0;
  for (int i = 0; i < pr->nc; i++)
    pull = fmax(pull, -space->a_free[impact_normal(pr, i)] /
                          f->motion.scale.per[space->setup.contacts[i]]);
  for (int k = 0; k < pr->rows && pull > 0; k++) ray[k] = speed / pull * space->a_free[k];
  return pull > 0;
}

/* normal approaches with `speed` of what slides; 0 when nothing does */
static int press(const sim_flow *f, const impact_setup *setup, double speed, double *ray) {
  const impact_problem *pr = &setup->problem;
  int some = 0;
  for (int i = 0; i < pr->nc; i++) {
    int n = impact_normal(pr, i), slides = 0;
    for (int k = impact_first(pr, i); k < n; k++) {
      ray[k] = 0;
      slides |= fabs(pr->v[k]) > SIM_SLIDES * sim_speed(&f->motion, setup->contacts[i]);
    }
    ray[n] = slides ? -speed * f->motion.scale.per[setup->contacts[i]] : 0;
    some |= slides;
  }
  return some;
}

/* the law at v + part ray */
static core_status ask(sim_flow *f, double t, const double *y, const impact_setup *of, double part,
                       const double *ray, impact_result *r, sim_kept **kept) {
  impact_setup setup = *of;
  int rows = setup.problem.rows;
  double *v = core_scratch_doubles(f->motion.s, (size_t)rows);
  if (!v) return CORE_NO_MEMORY;
  for (int k = 0; k < rows; k++) v[k] = of->problem.v[k] + part * ray[k];
  setup.problem.v = v;
  return sim_law_acts(f, t, y, &setup, kept != NULL, r, kept);
}

/* r: from the answers at half of the ray (which it is) and at all of it to that at 0; 0 when they
 * are not neighbours, or nothing happens */
static int to_limit(const impact_problem *pr, const impact_result *at_h, double size,
                    impact_result *r) {
  double most = 0, apart = 0;
  for (int k = 0; k < pr->rows; k++) {
    most = fmax(most, fabs(r->v[k] - pr->v[k]));     /* NOLINT: both are solved */
    apart = fmax(apart, fabs(r->v[k] - at_h->v[k])); /* NOLINT */
    r->p[k] = 2 * r->p[k] - at_h->p[k];
  }
  for (int k = 0; k < pr->rows; k++) {
    r->v[k] = pr->v[k];
    for (int j = 0; j < pr->rows; j++) r->v[k] += pr->W[j * pr->rows + k] * r->p[j];
  }
  r->lost_restitution = 2 * r->lost_restitution - at_h->lost_restitution; /* NOLINT */
  r->stored = 2 * r->stored - at_h->stored;
  double lost = 0; /* exactly; what the limit leaves open is friction's */
  for (int k = 0; k < pr->rows; k++) lost -= r->p[k] * (pr->v[k] + r->v[k]) / 2;
  r->lost_friction = lost - r->lost_restitution - r->stored;
  return most > SIM_JOLTS * size && apart < SIM_APART * most;
}

/* the hit that is kept is the limit; its path is that of half the ray */
static void keep_limit(const impact_problem *pr, const impact_result *r, sim_kept *kept) {
  size_t size = (size_t)pr->rows * sizeof *r->p;
  double *p = kept->r.p, *v = kept->r.v;
  memcpy((double *)kept->pr.v, pr->v, size);
  kept->r = *r;
  kept->r.p = memcpy(p, r->p, size);
  kept->r.v = memcpy(v, r->v, size);
}

/* 1 when the law makes an impact of the ray: r, and f->u_after */
static int strikes_along(sim_flow *f, double t, const double *y, const impact_setup *setup,
                         const double *ray, impact_result *r, sim_kept **kept,
                         core_status *status) {
  impact_result whole;
  sim_kept_free(*kept);
  *kept = NULL;
  *status = ask(f, t, y, setup, 1, ray, &whole, NULL);
  if (!core_status_good(*status)) return 0;
  *status = ask(f, t, y, setup, 0.5, ray, r, kept);
  if (!core_status_good(*status) || !to_limit(&setup->problem, &whole, fastest(f, setup), r))
    return 0;
  impact_back(setup, y + f->motion.nq, r->p, f->u_after);
  if (*kept) keep_limit(&setup->problem, r, *kept);
  return 1;
}

/* ... of falling, or of an approach that is more than what holds sliding near its singularity */
static int strikes(sim_flow *f, double t, const double *y, sim_space *space, impact_result *r,
                   sim_kept **kept, core_status *status) {
  impact_setup *setup = &space->setup;
  double *ray = core_scratch_doubles(f->motion.s, (size_t)setup->problem.rows);
  if (!ray) return *status = CORE_NO_MEMORY, 0;
  stay(&setup->problem);
  sim_law_sees(f, setup);
  double speed = SIM_RAY * fastest(f, setup);
  if (fall(f, space, speed, ray) && strikes_along(f, t, y, setup, ray, r, kept, status)) return 1;
  return press(f, setup, SIM_RAY_BEYOND * speed, ray) &&
         strikes_along(f, t, y, setup, ray, r, kept, status);
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
  status = sim_put_on(f, on, NULL, y);
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
  impact_result r = {0};
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
