/* Ordinary differential equations y' = f(t, y): Dormand-Prince 8(5,3) with dense output of order 7;
 * ode_implicit.h has implicit steps for stiff ones, with the same dense output.
 *
 *   core_ode_memory(n) doubles from the caller, then
 *   core_ode_init -> core_ode_start(t, y, direction) -> core_ode_step until done
 *
 * One step is one call, so that the caller watches events between steps: core_ode_dense prepares
 * the polynomial of the last step (three more evaluations), core_ode_at reads it, core_ode_redo
 * shortens the last step to an event's time with the full order of the method. Backwards in time is
 * a negative direction. Nothing here calls malloc, nothing here jumps; the right-hand side may fail
 * and its status comes out.
 *
 * Method: E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I,
 * II.5-II.6.
 */
#ifndef CORE_ODE_H
#define CORE_ODE_H

#include <math.h>
#include <stddef.h>

#include "core/status.h"
#include "core/tolerance.h"

enum {
  CORE_ODE_STAGES = 16, /* 12 of a step, f at its end, 3 for the dense output */
  CORE_ODE_DENSE = 8    /* numbers per component in the dense output */
};

typedef core_status (*core_ode_rhs)(void *self, double t, const double *y, double *dy);

typedef struct core_ode {
  int n;               /* components in use */
  int stride;          /* n rounded up to 4: distance between two stages */
  core_ode_rhs rhs;    /* dy = f(t, y) */
  void *self;          /* handed to rhs */
  double rtol;         /* relative tolerance per component, default 1e-9 */
  double atol;         /* absolute tolerance per component, default 1e-12 */
  const double *atols; /* n: of each component in its own unit, instead; NULL: atol */
  double unit;         /* a time that is neither long nor short [of t], default 1 */
  double h_max;        /* largest |step|, default infinity */
  int keeps_dense;     /* the polynomial of every step is wanted, and must be good; default 0 */
  long evaluations;    /* calls of rhs so far */
  long steps;          /* accepted */
  long rejected;       /* steps tried again, shorter */
  long hurried;        /* accepted ones in which something is faster than the method resolves */
  long implicit_steps; /* accepted ones that were implicit */

  double t;      /* where y stands */
  double *y;     /* n: state at t */
  double t_old;  /* start of the last step */
  double *y_old; /* n: state there */
  double h;      /* last step: t - t_old, signed */
  double error;  /* its estimated local error over the tolerance */
  double inside; /* doubt of its polynomial, beside the tolerance; dense output is there */
  double hurry;  /* |h lambda| of what is fastest in it, about; 0: implicit */
  double h_next; /* proposal for the next one, signed */
  double *k;     /* stages: k[0] = f(t_old, y_old), k[12] = f(t, y); row i at k + i * stride */
  double *dense; /* 8 rows of n (at distance n): see core_ode_at */
  double *work;  /* stride */
  int has_dense; /* the polynomial of the last step is there */
  int has_step;  /* k[12], y_old, t_old belong to a step that was made */

  struct core_implicit *implicit; /* steps are implicit (ode_implicit.h); NULL: they are not */
  int by_nodes;                   /* the last try was; f may have no Jacobian where it begins */
} core_ode;

/* doubles that core_ode_init needs for n components */
size_t core_ode_memory(int n);

/* sets the sizes and defaults; memory has core_ode_memory(n) doubles, aligned as malloc does */
void core_ode_init(core_ode *o, int n, core_ode_rhs rhs, void *self, double *memory);

/* Stands at (t, y) and evaluates f there. direction is +1 or -1. h > 0 proposes the size of the
 * first step; h = 0 chooses it from the tolerances. */
core_status core_ode_start(core_ode *o, double t, const double *y, int direction, double h);

/* One accepted step that does not go beyond t_limit (exactly t_limit when it comes near).
 * CORE_NOT_CONVERGED when the step size falls to rounding, CORE_INTERRUPTED on Ctrl-C.
 * A status NOT_FINITE, SINGULAR, NO_SOLUTION or CALLBACK of f shortens the step first. After a
 * failure t and y stand where they stood before the call. */
core_status core_ode_step(core_ode *o, double t_limit);

/* prepares core_ode_at for the last step; does nothing when it is prepared already */
core_status core_ode_dense(core_ode *o);

/* state at theta = (t - t_old)/h in [0, 1] of the last step: components first .. first + n - 1.
 * core_ode_at_rate gives d/dt of the same polynomial. */
void core_ode_at(const core_ode *o, double theta, int first, int n, double *y);
void core_ode_at_rate(const core_ode *o, double theta, int first, int n, double *dy);

/* the same from 8 rows that the caller kept, each n long, of components first .. first + count - 1
 */
void core_ode_read(const double *dense, int n, double theta, int first, int count, double *y);

/* how far components 0 .. n - 1 can have moved in the last step, at any time of it: |h| times twice
 * the largest rate that its stages saw */
void core_ode_reach(const core_ode *o, int n, double *most);

/* what an error of component i is measured by, between the values a and b */
static inline double core_ode_scale(const core_ode *o, int i, double a, double b) {
  return (o->atols ? o->atols[i] : o->atol) + o->rtol * fmax(fabs(a), fabs(b));
}

/* row i of k: stages of explicit steps; f at the start (0), the nodes (5 .. 11) and the end (12) of
 * implicit ones */
static inline double *core_ode_stage(const core_ode *o, int i) {
  return o->k + i * o->stride;
}

/* 1 for statuses of f that say: outside of its domain, a shorter step may stay inside. A function
 * of the script that fails has its domain too (a sensor file ends): the run goes up to there. */
static inline int core_ode_outside(core_status status) {
  return status == CORE_NOT_FINITE || status == CORE_SINGULAR || status == CORE_NO_SOLUTION ||
         status == CORE_CALLBACK;
}

/* 1 for steps so short that to shorten them further is no use */
static inline int core_ode_is_short(const core_ode *o, double h) {
  double t = fabs(o->t_old), least = ODE_LEAST * o->unit;
  return fabs(h) <= ODE_STANDS * (t > least ? t : least);
}

/* Makes the last step again with its end at t (between t_old and the end it had). Look at o->error:
 * where f is not smooth even the shorter step may be worse than the tolerance. */
core_status core_ode_redo(core_ode *o, double t);

/* Undoes the last step: stands at t_old again. */
void core_ode_back(core_ode *o);

/* Moves the end of the last step by a tiny dt along f: t += dt, y += f dt. For the last digits of
 * an event's time, where dt^2 is below rounding. */
void core_ode_nudge(core_ode *o, double dt);

/* A short step of length dt by the midpoint rule, with its dense output, from where o stands: for
 * the last bit of the way to where f ends. f at its end is not asked for: start again from there.
 */
core_status core_ode_hop(core_ode *o, double dt);

/* y was changed by the caller (projected on a constraint): evaluates f again at the same t */
core_status core_ode_touch(core_ode *o);

#endif
