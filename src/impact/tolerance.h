/* Every tolerance of the waist and of the solvers under the laws (lcp, modes) and
 * of derivatives, in one table: value,
 * what it is relative to, and why it is what it is. Laws have their own (laws/tolerance.h), what is
 * promised to the outside stands where it is promised (modes.h, law.c).
 */
#ifndef IMPACT_TOLERANCE_H
#define IMPACT_TOLERANCE_H

#include <float.h>

/* ---- what comes in: numbers may come from files with 9 digits ---- */

/* of what a gap is the difference of (model_size): touches, unless the caller says what does;
 * deeper than INSIDE it is a start inside, however small that is; ZERO_GAP is rounding of positions
 * and means zero */
#define TOL_TOUCH 1e-9
#define TOL_INSIDE 1e-6
#define TOL_ZERO_GAP 1e-12
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

/* ---- what goes out ---- */

/* of the velocities: terms of v- + W p that lose two digits or more, and are summed with more. For
 * speed only */
#define LIMIT_CANCELS 100

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

/* of the largest W_ii: how much contacts give, at first and at last, so that they choose one of a
 * continuum of answers (modes_least.c); its cube is rounding, and rounding over it still 1e-11 */
#define LEAST_FIRST 1e-2
#define LEAST_LAST 1e-5

/* ---- modes ---- */

/* of the largest velocity: a normal velocity or a slip that is none; a thousand times the promise
 */
#define TOL_MODES_STILL 1e-9
/* impulses, of those that b asks for: a residual is a part of no more, so that velocities hold to
 * this many times the promise, TOL_MODES_STILL */
#define LIMIT_WEDGED 1e3
/* and where a heavy body lies on a light one; W has five digits left of what the heavy one weighs
 */
#define LIMIT_UNLIKE 1e11
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
/* of the impulses: residual on the interior path from which on Newton may know the modes */
#define TOL_PATH 1e-3
/* of the trace of dF^T dF: added to it, so that changes of rounds that repeat each other can be
 * mixed; far above rounding, and 1e-5 of f is not worth more */
#define TOL_MIXTURE 1e-10
/* of the impulses: residual that mixed rounds have reached after as many as there are contacts,
 * where contacts do not wedge (of 36 piles up to 897 contacts 1e-4 divides those that go on to end
 * from those that do not, and speed alone depends on it) */
#define TOL_WEDGED 1e-4
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
/* of the largest velocity: two answers in space that are surely different; far above what the
 * promise leaves of badly conditioned ones */
#define TOL_ANOTHER 1e-6
/* of the impulses: a change after which the projections may see another mode */
#define TOL_NEAR 1e-9

/* ---- derivatives (derive*.c) ---- */

/* of the impulse so far: events that are closer are told in any order, as one group */
#define TOL_TOLD_TOGETHER 1e-11
/* of mu p_n: friction that is nearer to its limit slides */
#define TOL_AT_CONE 1e-9
/* of the problem's own size, of a parameter (at least of a tenth), of a coordinate [rad or m]:
 * first steps of the differences, which are halved until their extrapolation agrees (core/differ.h)
 */
#define STEP_OF_PROBLEM 0.03
#define STEP_OF_PARAMETER 0.02
#define STEP_OF_COORDINATE 0.05
/* relative error of a difference at which no shorter step is tried, for impulses, and for models,
 * which are smooth; and the one from which on it is no derivative */
#define TOL_DIFFERENCE 1e-11
#define TOL_DIFFERENCE_MODEL 1e-12
#define TOL_VAGUE 1e-3
/* of the largest impulse (velocity): an inequality of a mode that is nearer to zero is not sure */
#define TOL_SURE 1e-9
/* reciprocal condition below which an active set is solved by least squares, and singular values,
 * of the largest, that count as zero there: a little above, so that no answer jumps between them */
#define TOL_ACTIVE_RCOND 1e-12
#define TOL_ACTIVE_RANK 1e-11
/* of the largest change: dv_n of a contact that stands, which then does not stay as it is */
#define TOL_PARTS 1e-9
/* of the impulses: a chain of single impacts that is the law's own, up to rounding of its sums */
#define TOL_CHAIN 1e-12
/* of the largest entry: both sets of shifts give one derivative of a model, up to rounding */
#define TOL_SHIFTS 1e-13
/* of the radius of convergence: a step of a series of order 24, 0.2^24 = 2e-17 */
#define REACH_OF_SERIES 0.2
/* of a step: what is left of it when it is done, some roundings */
#define TOL_STEP_DONE 1e-15
/* of the deepest compression: directions of slip are frozen below, their impulse is its square */
#define TOL_FROZEN 1e-9
/* of the velocities: what is left of slip goes straight */
#define TOL_STRAIGHT 1e-16
/* of a step (of the whole impact, for springs, which are followed from event to event): an event
 * that is further from where the law told it is another one */
#define TOL_LANDED 1e-6
#define TOL_LANDED_SPRINGS 1e-4
/* of the whole impact: two events as good as together */
#define TOL_MOMENT 1e-9
/* of the largest impulse: what a law and its derivative's own route may differ by */
#define TOL_SAME_ROUTE 1e-9
/* of the square of its trace: determinant of a W_tt that can be inverted */
#define TOL_ISOTROPIC 1e-9
/* Pieces shorter than TOGETHER of the impulse: two events as good as together. A tie is one that
 * then changes by more than PART of the direction: a hinge that stops along and across its wall
 * together will do so a little further on. */
#define TOL_TOGETHER 1e-10
#define TOL_TOGETHER_PART 1e-8
/* of the slip's rate (of it and its derivative): Newton's method stands still */
#define TOL_RATE 1e-15
#define TOL_RATE_CHANGE 1e-14

#endif
