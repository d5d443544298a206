/* Every tolerance of the waist and of the solvers under the laws (lcp, modes), in one table: value,
 * what it is relative to, and why it is what it is. Laws have their own (laws/tolerance.h), what is
 * promised to the outside stands where it is promised (modes.h, law.c).
 */
#ifndef IMPACT_TOLERANCE_H
#define IMPACT_TOLERANCE_H

#include <float.h>

/* ---- what comes in: numbers may come from files with 9 digits ---- */

/* metres: a gap that is deeper is a start inside, however small the model's touch is */
#define TOL_INSIDE 1e-6
/* metres: a gap that is meant as zero and is rounding of positions of about a metre */
#define TOL_TOUCH 1e-12
/* of sqrt(W_ii W_jj): W_ij and W_ji that differ by less are one; and by how much |W_ij| may be
 * larger
 */
#define TOL_SYMMETRIC 1e-8
/* of the diagonal: pivots of W below it end the check, and below minus that it is not definite */
#define TOL_DEFINITE_STOP 1e-9
#define TOL_DEFINITE 1e-8
/* of its terms: what is left of the block matrix' dependent rows, which must follow of themselves
 */
#define TOL_FOLLOWS 1e-9

/* ---- lcp ---- */

/* of the terms of a sum of n products: what n roundings and those of the factors can leave */
#define TOL_SUM(n) (64.0 * (n)*DBL_EPSILON)
/* of the terms of w: a row that does no more than touch takes part in sharing; above rounding of
 * z, below what is promised of velocities */
#define TOL_TOUCHES 1e-10

/* ---- shares: shortest impulses by Newton (lcp_range.c, modes_share.c) ---- */

/* of 1, the norm of Q^T Q: added where the projection is flat; Newton still gains 9 digits a step
 */
#define TOL_FLAT 1e-9
/* of the step: what a line search must gain */
#define TOL_GAIN 0.1
/* of the right side: rounding, where Newton stops; and up to where its answer counts as found */
#define TOL_SHARE_ROUNDING 1e-15
#define TOL_SHARE_FOUND 1e-13
/* of the largest velocity: what other shares may move it by, so that it is the same answer */
#define TOL_SHARE_APART 1e-11

/* ---- modes ---- */

/* of the largest velocity: a normal velocity or a slip that is none; a thousand times the promise
 */
#define TOL_MODES_STILL 1e-9
/* of the impulses: a residual that is hardly anything but rounding of a few products */
#define TOL_RESIDUAL 1e-14
/* of a system scaled to a diagonal of about 1: a pivot that is rounding of the elimination */
#define TOL_PIVOT 1e-12
/* of the diagonal: what makes a singular system solvable; sqrt(DBL_EPSILON), so that it costs half
 * the digits of a step and none of the answer */
#define TOL_PROXIMAL 1e-8
/* of the largest impulse: one that is not worth an unknown once the residual holds */
#define TOL_IDLE 1e-9
/* of the impulses: residual of a link of the proximal chain; below the promise, so that the last
 * link is an answer */
#define TOL_LINK 1e-13
/* of W_ii: a pivot of two contacts written out; below it the systematic way is taken */
#define TOL_PAIR_PIVOT 1e-9
/* radians: the direction of one sliding contact stands still */
#define TOL_ANGLE 1e-14
/* entries of Lemke's tableau, whose diagonal began as about 1 */
#define TOL_TABLEAU 1e-11
/* instead of an infinite mu in Lemke's tableau; Newton goes on with the true one */
#define MOST_MU 1e6

/* ---- all modes (modes_all.c, modes_face.c) ---- */

/* of the impulses: a residual that may be an answer whose system is badly conditioned */
#define TOL_LOOSE 1e-10
/* singular values, of the largest: where all modes are tried rows that agree to COARSE are one;
 * near an answer they are what is looked at; below NULL a direction is free */
#define TOL_COARSE 1e-12
#define TOL_FINE 1e-15
#define TOL_NULL 1e-11
/* of the largest velocity: answers that are closer are one */
#define TOL_SAME_ANSWER 1e-9
/* of the impulses: a change after which the projections may see another mode */
#define TOL_NEAR 1e-9

#endif
