/* Is there progress? Events that follow each other at one time, and steps that get nowhere, end a
 * run with a status instead of hanging, and with the reason. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/lin.h"
#include "sim/inner.h"

/* many events and no progress: something chatters that neither rests nor leaves */
core_status sim_check_progress(sim_flow *f, double t) {
  if (!(fabs(t - f->pace.t_stalled) <= sim_instant(&f->motion, t))) {
    f->pace.t_stalled = t;
    f->pace.stalled = 0;
  }
  if (++f->pace.stalled < SIM_STALLED) return CORE_OK;
  return core_fail(f->motion.err, CORE_NOT_CONVERGED,
                   "events follow each other without progress at t = %.10g s", t);
}

/* who makes forces that the integrator cannot follow */
static const char *who_forces(const sim_flow *f, char *text, size_t size) {
  if (f->motion.o->force) return "the function `force`";
  snprintf(text, size, "the forces of %s", f->motion.m->type->schema.owner);
  return text;
}

/* Steps so short that the run would take SIM_HOPELESS of them, or (t_end may be for ever) SIM_LONG
 * times what it has come so far would, or the motion's own time: SIM_SLOW_TIMES in a row, over
 * SIM_TRIES each, without an event other than the user's. A force that switches without end (a
 * sliding mode) or jumps at random does that. */
core_status sim_check_pace(sim_flow *f) {
  char text[64];
  const core_ode *o = &f->ode;
  long tries = o->steps + o->rejected;
  if (o->steps > f->motion.o->max_steps)
    return core_fail(f->motion.err, CORE_LIMIT,
                     "stopped at t = %.10g s after %ld steps (max_steps)", o->t, o->steps);
  if (tries - f->pace.tries < SIM_TRIES) return CORE_OK;
  double gone = fabs(o->t - f->pace.t), left = fabs(f->motion.o->t_end - o->t);
  left = fmin(left, SIM_LONG * fmax(f->motion.scale.time, fabs(o->t - f->motion.o->t_start)));
  int hopeless = left * SIM_TRIES > SIM_HOPELESS * gone;
  f->pace.slow = hopeless ? f->pace.slow + 1 : 0;
  f->pace.tries = tries;
  f->pace.t = o->t;
  if (f->pace.slow < SIM_SLOW_TIMES) return CORE_OK;
  return core_fail(
      f->motion.err, CORE_LIMIT,
      "no progress at t = %.10g s (steps of %.2g s): %s switches without end or jumps; "
      "smooth it, or make the switch an event",
      o->t, gone / SIM_TRIES, who_forces(f, text, sizeof text));
}

/* ---- why a step cannot be made ---- */

/* A mass matrix that stops being positive definite a little ahead: nothing moves through that. */
static int loses_mass(sim_flow *f) {
  sim_motion *motion = &f->motion;
  int nq = motion->nq, nu = motion->nu;
  core_mark mark = core_scratch_mark(motion->s);
  double *M = core_scratch_doubles(motion->s, (size_t)nu * (size_t)nu);
  double *q = core_scratch_doubles(motion->s, (size_t)(nq + nu)), *x = q + nq;
  double dt = SIM_AHEAD * fmax(motion->scale.time, fabs(f->ode.t)) * motion->direction;
  int lost = 0;
  if (M && q && !motion->m->shape.na && !model_rates(motion->m, f->ode.y, f->ode.y + nq, q)) {
    for (int i = 0; i < nq; i++) q[i] = f->ode.y[i] + dt * q[i];
    memset(x, 0, (size_t)nu * sizeof *x);
    lost = motion->m->type->mass(motion->m, q, M) == CORE_OK &&
           core_lin_solve_spd(nu, M, 1, x, motion->s, NULL) == CORE_SINGULAR;
  }
  core_scratch_release(motion->s, mark);
  return lost;
}

/* A step that becomes too short for time while contact forces are far beyond what they have to hold
 * runs into a singularity of the laws of friction, not of the motion. */
core_status sim_explain_failure(sim_flow *f, core_status failed) {
  core_mark mark = core_scratch_mark(f->motion.s);
  const double *y = f->ode.y;
  double power, most = 0, held = 0;
  sim_space space;
  int model_fails = failed == CORE_NOT_CONVERGED || failed == CORE_SINGULAR;
  if (model_fails && loses_mass(f))
    return core_fail(f->motion.err, CORE_SINGULAR,
                     "%s: the mass matrix stops being positive definite at t = %.10g s",
                     f->motion.m->type->schema.owner, f->ode.t);
  if (failed != CORE_NOT_CONVERGED || f->motion.closed.n == 0) return failed;
  core_status status =
      sim_free_acceleration(&f->motion, f->ode.t, y, y + f->motion.nq, f->motion.udot, &power);
  if (!status)
    status = sim_contact_forces(&f->motion, f->ode.t, y, y + f->motion.nq, f->motion.udot,
                                &f->motion.closed, 0, &space, f->motion.force);
  for (int r = 0; !status && r < space.setup.problem.rows; r++) {
    const impact_problem *pr = &space.setup.problem;
    most = fmax(most, pr->W[r * pr->rows + r] * fabs(f->motion.force[r]));
    held = fmax(held, fabs(space.a_free[r]));
  }
  core_scratch_release(f->motion.s, mark);
  if (status || most < SIM_GROWS * held) return failed;
  return core_fail(f->motion.err, CORE_NO_SOLUTION,
                   "contact forces grow beyond bounds at t = %.10g s (Painleve)", f->ode.t);
}
