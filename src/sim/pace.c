/* Is there progress? Events that follow each other at one time, and steps that get nowhere, end a
 * run with a status instead of hanging. */
#include <math.h>
#include <stdio.h>

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

/* Steps so short that the run would take SIM_HOPELESS of them: SIM_SLOW_TIMES in a row, over
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
