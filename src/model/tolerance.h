/* What counts as zero in src/model, with what it is relative to and why. */
#ifndef MODEL_TOLERANCE_H
#define MODEL_TOLERANCE_H

/* A start this much inside an obstacle is rounding of its numbers; relative to the size of the
 * model and its distances. */
#define MODEL_INSIDE 1e-9

/* Two directions are parallel: the square of the sine between them, relative to 1. */
#define MODEL_PARALLEL 1e-14

/* A pivot of a recursion that is this part of what it is the rest of is rounding: nothing moves
 * there. Relative to the sum of its positive terms; links sum up a little more than single bodies.
 */
#define MODEL_MASSLESS 1e-13
#define MODEL_LINK_MASSLESS 1e-14

/* Moments of inertia that a body can have, and symmetric matrices; relative to their entries, which
 * people write with some ten digits. */
#define MODEL_INERTIA 1e-9
#define MODEL_SYMMETRIC 1e-12

/* Loops: points are together, relative to the size of the mechanism: reached by Newton's method,
 * and enough for a start. A loop that moves by less than LOOP_STILL of what its points could is
 * tied already. A start open by up to LOOP_OPEN of the size is closed, more is a mistake. */
#define MODEL_LOOP_REACHED 1e-14
#define MODEL_LOOP_CLOSED 1e-9
#define MODEL_LOOP_STILL 1e-12
#define MODEL_LOOP_OPEN 0.01
/* Singular values of the loops' Jacobian below this part of the largest belong to redundant loops.
 */
#define MODEL_LOOP_REDUNDANT 1e-10

/* k.check: a difference of this part of the terms compared is no contradiction; asymmetry and
 * negative eigenvalues of this part of the diagonal are rounding. */
#define MODEL_AGREES 1e-6
#define MODEL_ROUNDING 1e-10

/* Quaternions inside a step are this near to unit length, to 1. */
#define MODEL_UNIT_LENGTH 0.01

/* A direction that is seen end on is not drawn: the sine, relative to 1. */
#define MODEL_END_ON 1e-9

/* An angle at its limit is within it: relative to the limit. */
#define MODEL_LIMIT 1e-12

/* Step of differences along a motion, in units of 1/speed: fourth order, so that it and rounding
 * weigh the same. */
#define MODEL_STEP 1e-3

#endif
