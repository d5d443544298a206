/* What counts as zero in src/core, with what it is relative to and why. */
#ifndef CORE_TOLERANCE_H
#define CORE_TOLERANCE_H

/* ---- events (event.c); parts of a step count from 0 to 1 ---- */

/* Rounding of an event function, relative to the level at which it counts as away from zero. */
#define EVENT_ROUNDING 1e-5
/* A root is located to this part of its step: rounding of the dense output. */
#define EVENT_ROOT 1e-15
/* A root this near to the end of a step is at its end. */
#define EVENT_AT_END 1e-9
/* A bracket whose ends do not shrink to this part of their start holds a jump, no root. */
#define EVENT_JUMP 1e-3
/* A dip is looked for until its bracket is this part of the step. */
#define EVENT_DIP 1e-9
/* Steps back towards a root end at this part of the step: shorter ones are below rounding. */
#define EVENT_SHORTEST 1e-18
/* Way of the difference for the slope at a root, in steps. */
#define EVENT_SLOPE 1e-6
/* Newton's last move: taken when g is this small beside its size and the move this part of a step;
 * below NUDGE the state is moved along its rate, above it the step is made again. */
#define EVENT_NEAR 1e-3
#define EVENT_NUDGE 1e-8
/* Functions that are zero together to this part of their size fire together. */
#define EVENT_TOGETHER 1e-9

/* ---- roots of polynomials (poly.c) ---- */

/* A step so short beside x is near a root: rounding of f is asked for only there. */
#define POLY_NEAR 1e-6
/* Of the sum of all |c[j]| t^j: rounding of Bernstein coefficients, sums of 25 terms. */
#define POLY_SHAPE 7e-15

/* ---- integration (ode.h, ode.c) ---- */

/* A step this small beside the time (or beside ODE_LEAST of the unit of time) does not move it. */
#define ODE_STANDS 1e-12
#define ODE_LEAST 1e-3
/* Moves of the end of a step up to this part of it leave its dense output as good as it was. */
#define ODE_DENSE 1e-12
/* |h lambda| from which on something fast is not resolved: well above what accuracy allows (1 to
 * 3), below where stability ends (5.5 to 6.4). */
#define ODE_HURRIES 4
/* ... and steps of this much of it are kept short by it. */
#define ODE_HURRIED 3.5
/* A polynomial whose doubt is more than this many tolerances is of a step beyond stability. */
#define ODE_INSIDE 10

/* ---- implicit steps (ode_implicit.c) ---- */

/* A step that may grow by less than this stays as it is: that saves its factors. */
#define ODE_SAME 1.2
/* Newton's method ends when what it leaves is this part of the tolerance (or rounding, EPSILONS of
 * it): the error estimate then sees no more of it than its own doubt. */
#define ODE_NEWTON 1e-2
#define ODE_EPSILONS 10
/* ... and converges so slowly that a new Jacobian pays, when each round leaves this part. */
#define ODE_SLOW 0.05
/* Steps of a difference, beside the size of a component: forward differences err by their root. */
#define ODE_DIFFERENCE 1.5e-8
/* How many steps ahead the last polynomial is still a better guess than none. */
#define ODE_AHEAD 2

#endif
