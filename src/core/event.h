/* Events: where functions g(t, y) of the solution pass through zero inside a step of core_ode.
 *
 * All functions are sampled at several points of the dense output. A change of sign is a root; a
 * dip between samples is followed to its lowest point, so that a function that touches zero and
 * comes back inside one step is found too. A function only fires when it is armed: it must have
 * been on its own side, further from zero than its level. A fired one is disarmed.
 *
 * The integrator may take steps in which a function of the solution turns over several times (the
 * height of a spinning rod's end, where angle and centre are polynomials). Samples
 * must resolve a function that is smooth; otherwise the step is made again, half as long.
 *
 *   core_event_init -> core_event_begin at the start of a phase
 *   after each core_ode_step: core_event_scan; when it finds a root: core_event_refine
 */
#ifndef CORE_EVENT_H
#define CORE_EVENT_H

#include <stddef.h>

#include "core/ode.h"

typedef core_status (*core_event_values)(void *self, double t, const double *y, double *g);

enum { CORE_EVENT_NODES = 9 }; /* samples per step, both ends included */

/* A bound on how far each function moves in the last step of o; 0: not known. For functions that
 * fall to zero from far away: steps that cannot take them there need not be searched. */
typedef int (*core_event_most)(void *self, const core_ode *o, double *most);

typedef struct core_event {
  int n;                    /* functions */
  core_event_values values; /* all of them at one point */
  core_event_most most;     /* may be NULL */
  void *self;               /* handed to both */
  int reads;                /* leading components of y that `values` looks at */
  int *direction;           /* n: -1 fires when falling, +1 when rising, 0 both */
  int *armed;               /* n: 0 not armed, else the side it is on: +1 or -1 */
  int *side;                /* n: the same at the end of the last step */
  double *level;            /* n: |g| must exceed this to arm */
  double *shortest;         /* n: its samples must resolve it in steps longer than this */
  double *deep;             /* n: a disarmed one that goes this far the wrong way fires too */
  double *g;                /* nodes x n: values in the last step */
  double *y;                /* reads: a state of the dense output */
  double *probe;            /* n: values while searching */
  double *rounding;         /* n: what rounding can make of zero; 0 by default */
  int below;                /* the first row of g is a bound from below, not the values */
  double h_good;            /* steps up to this long are resolved, as far as one can tell */
  int at_start;             /* set by the caller: nothing led to the state that the next step starts
                             * from (the start, a reset), so that a function whose value there is
                             * rounding beside those in the step is on its root: no crossing */
} core_event;

size_t core_event_memory(int n, int reads); /* doubles */
void core_event_init(core_event *e, int n, int reads, core_event_values values, void *self,
                     double *memory);

/* Values at the start of a phase; arms what is beyond its level. Set direction, level and, for a
 * function that starts at its root and surely leaves it, armed[i] afterwards. */
core_status core_event_begin(core_event *e, double t, const double *y);

/* Earliest event in the last step of o (its dense output gets prepared where it must be searched,
 * and it is made shorter when a function is not resolved): which = -1 when there is none, else
 * theta in [0, 1]. Without an event the state is carried on to the next step. */
core_status core_event_scan(core_event *e, core_ode *o, int *which, double *theta);

/* Ends the last step of o at the event, with the full order of the method and the root polished on
 * it (the dense output is of lower order). Where f is not smooth the shorter step may miss the
 * tolerance that the whole step kept: then the step ends well before the event, *fired is 0, and
 * the caller goes on. */
core_status core_event_refine(core_event *e, core_ode *o, int which, double theta, int *fired);

/* 1 when function i reaches zero together with an event at theta: it was on its side before that,
 * and `now`, its value at the event, is nothing beside what it was in the step */
int core_event_joins(const core_event *e, int i, double theta, double now);

#endif
