/* Every tolerance of the laws, in one table: value, what it is relative to,
 * and why it is what it is. None has a unit: nothing here depends on how large, heavy or fast the
 * bodies are.
 */
#ifndef IMPACT_LAWS_TOLERANCE_H
#define IMPACT_LAWS_TOLERANCE_H

#include <float.h>

/* ---- rounding and rest ---- */

/* of the terms that a velocity is the sum of: what rounding leaves of it, some 50 roundings */
#define TOL_REST 1e-14
/* of the impulse that its contact has given: an impulse left that no answer can tell */
#define TOL_LAST 1e-14
/* of the speeds: one of several contacts that would rebound with less stays; far below what is
 * promised (1e-10), far above rounding */
#define TOL_FAINT 1e-11

/* ---- events ---- */

/* of a step: two events closer than this are one moment */
#define TOL_TIE 1e-12
/* of each other: deflections closer than this agree, for the question whether friction holds them
 */
#define TOL_AGREE 1e-9
/* of the largest coefficient of a margin or a slip speed: its first one is zero */
#define TOL_TIE_RATE 1e-8
/* of the largest coefficient of an event function: one that is only rounding */
#define TOL_LEAD 1e-12
/* of |x|: rho - |x| at a root of the squares that is to be trusted */
#define TOL_SQUARES 1e-9
/* of W_nn: slip that presses itself in (Painleve) */
#define TOL_PAINLEVE 1e-9

/* ---- series ---- */

/* of what it describes: last terms of a series of turning slip */
#define TOL_SERIES 1e-14
/* of the speeds: last terms of a linear series, for the question how far it reaches */
#define TOL_LINEAR_LAST 1e-18
/* of that: what a series whose last terms are smaller has to spare, so that it reaches further */
#define TOL_LINEAR_SPARE 1e-4
/* of the natural step: the first one of slip that starts from complete rest */
#define TOL_LATE_STEP 1e-3

/* of the impulse so far: a contact that can give less in a step is followed no better than this */
#define TOL_LEAST_PART 1e-10

/* ---- the closed form of one contact ---- */

/* of the normal speed: what is nearer to a tie is left to the general way */
#define TOL_CLEAR 1e-9
/* of the angle, and of R: where stick breaks, one rounding */
#define TOL_ROOT 2e-16

/* ---- directions of slip ---- */

/* of the speeds, and of what pushes: no component across d, so that it does not turn */
#define TOL_ACROSS 1e-13
/* of the impulse so far: what a fixed direction may turn away */
#define TOL_FIXED 1e-16
/* of the impulse so far: what is left of a contact that gets its mean direction (square root of
 * rounding, as the error is the square), and keeps it */
#define TOL_MEAN 2e-8
/* of the impulse so far: what a mean direction may be off because v turns or the force bends while
 * the contact opens, a hundredth of what is promised */
#define TOL_MEAN_TURN 1e-12
/* relative error of an answer, what the others of law.compliant and law.vibration are made for;
 * they grow with the `tolerance` that is asked for */
#define TOL_PROMISED 1e-10
/* the parameter of laws that have it, as a row of their tables */
#define TOLERANCE_PARAM(params)                                                                    \
  {                                                                                                \
    "tolerance", "1", CORE_NUMBER, offsetof(params, tolerance), 1, "1e-10", 1e-10, 1e-3, 0,        \
        "relative error that will do; 1e-6 is faster with many contacts", NULL                     \
  }
/* radians: how far d may be off the slow solution of stiff slip, onto which it is put then: what it
 * does to get there is linear in that */
#define TOL_OFF_SLOW 1e-5
/* of the impulse so far: and what it turns away meanwhile */
#define TOL_OFF_SLOW_IMPULSE 1e-15
/* of their size: what is left of the rates of turning after the last sweep */
#define TOL_SWEEPS 1e-13

/* ---- cycles of events ---- */

/* of the speeds: what a stretch of cycles may miss of the first one, times their number: a
 * thousandth of what is promised, since a vibration that grows later remembers it (4e-8 of the
 * speeds off with 1e-11). That is of order m = 6 in its length, the error at its end mostly of
 * order 2 m - 1; not where a cycle sets in (rods with e = {0.07, 5e-4} came 7e-10 off with 1e-8) */
#define TOL_CYCLE 1e-13
/* of the speeds: the last of Newton's steps for it, rounding; with 1e-12 bounces that grow from a
 * vibration came 2e-10 of the speeds off */
#define TOL_CYCLE_NEWTON 1e-14
/* times that: changes that do not fall any more are what rounding makes of many cycles; 1e3 does
 * the same, with 10 and 1 some stretches are ten times as short */
#define LIMIT_CYCLE_ROUNDED 100

/* ---- modes ---- */

/* of the mean frequency of the rows that make a mode: below this it is the zero of redundant ones
 */
#define TOL_ZERO_MODE 1e-13
/* of W_ii: pivots of Cholesky above this come from points that do not depend on each other; those
 * that do leave rounding, n times 1e-16 and what the elimination makes of it */
#define TOL_CLEAR_PIVOT 1e-4
/* of the mean of two frequencies: what couples their modes of slip, some ten roundings */
#define TOL_MODE 2e-15
/* of the sum of squares of the rows that make a mode of law.vibration: its zero, 64 roundings */
#define TOL_ZERO_SQUARE 1.4210854715202004e-14
/* of a piece: rounding of w h = 2, up to which a mode of law.vibration is a series */
#define TOL_PIECE 1e-9
/* of the largest diagonal: pivots of W = L L^T that are rounding */
#define TOL_RANK 1e-15

/* ---- law.lzb (its units: see lzb/state.h) ---- */

/* of the fastest approach: error of one step in a velocity, so that energies of some ten steps
 * close to 1e-12 */
#define TOL_LZB_STEP 1e-14
/* of that: the last orders of a series, so that what is left out behind them is rounding; with 1
 * errors of rows of balls are twice as large */
#define TOL_LZB_LAST 0.1
/* of the speeds that are left: and no more than this, so that what comes to rest does so as it
 * should */
#define TOL_LZB_PART 1e-5
/* of the fastest row: a contact that approaches more slowly has come to rest */
#define TOL_LZB_AT_REST 1e-11
/* of the length of its contact: a deflection that holds nothing */
#define TOL_LZB_LENGTH 1e-15
/* of the fastest row: what forces of contacts that stand still may make of velocities while others
 * stop, to be no forces: a hundredth of rounding */
#define TOL_LZB_ASLEEP 2e-18
/* e below which nothing comes back: less than rounding of the velocities */
#define TOL_LZB_E 1e-14
/* of the friction that holds a contact: what it may be above its limit */
#define TOL_LZB_STICK 1e-12
/* of the forces a little later: what decides between stick and slip */
#define TOL_LZB_AHEAD 1e-9
/* radians: angles of slip of two sweeps that agree */
#define TOL_LZB_SWEEP 1e-13
/* of the fastest row: slower slip in space has stopped, or has no direction of its own yet */
#define TOL_LZB_SETS_OUT 1e-12
/* of the fastest row: what stiff slip may be off the direction that it soon has */
#define TOL_LZB_OFF 1e-13
/* of the largest singular value: rows that stick and depend on each other */
#define TOL_LZB_RANK 1e-12
/* of the fastest row: slip out of reach of friction, the root of TOL_LZB_RANK; more is the motion
 * of obstacles */
#define TOL_LZB_CREEP 1e-6
/* parts of independent rows that another row is made of: what rounding makes of none */
#define TOL_LZB_JOINED 1e-9
/* of the accelerations that loads make: slower ones are stick, for contacts that depend on each
 * other. They slide off so much too late, with a velocity of its square. */
#define TOL_LZB_SHARE 1e-8
/* of the same: where one slides off, those that move more than this do too, as they have no share
 * any more: x is 1e3 at least (TOL_LZB_ROUNDED). 1e-12 does the same; as large as the one above, a
 * body is 5e-4 off (unit.lzb_body) */
#define TOL_LZB_SHARE_TOO 1e-10
/* of the same: what |a| is rounded by there in the end. Where friction is just at its limit, a is
 * (eps^2/2)^(1/3), 1.7e-9: below TOL_LZB_SHARE */
#define TOL_LZB_ROUNDED 1e-13
/* Newton's steps there: so small beside 1 + x the next one is rounding */
#define TOL_LZB_DESCENT 1e-8

/* ---- limits ---- */

/* e below which a spring in restitution is so stiff that it may vibrate without end */
#define TOL_STIFF_E 1e-3
/* law.lzb: a step at most, in those that its series was scaled for: 4^20 is 1e12, so that the last
 * orders are still more than rounding of the first */
#define LIMIT_LZB_REACH 4
/* the part of a step that is so short that the step was scaled wrongly */
#define LIMIT_LZB_SCALE 0x1p-6
/* and its largest mu: slip is over after the time mu^(-1/(n+1)) of the impact, 1e-12 for n = 1 and
 * 2e-10 for n = 1.5, which is what infinite friction is off by where several contacts begin */
#define LIMIT_LZB_MU 1e24
/* of all normal forces: friction that is enough for any contact, for the question who sticks */
#define LIMIT_LZB_ASKED 1e3
/* Slip in space is stiff where it follows v so many times faster than a step lasts that is longer
 * than the last one by a stride: steps that follow the slip last two or three of its times. Sweeps
 * gain about as much each; where they do not, it is tried again after some steps. */
#define LIMIT_LZB_STIFF 15
#define LIMIT_LZB_STRIDE 8
#define LIMIT_LZB_SWEEPS 12
#define LIMIT_LZB_PATIENCE 3
/* times TOL_LZB_SETS_OUT: slip that has begun anew and has the direction of v */
#define LIMIT_LZB_AWAY 4
/* and slip that may stop together with slip that has: its time to the stop is 1e-9, and its square
 * what that is off by; points of a body that stops have speeds that are so far apart. 30 to 1e4 end
 * alike, 0 does not (unit.lzb_body has the body) */
#define LIMIT_LZB_TOGETHER 1000
/* law.lzb's shares: how much eps falls at once; Newton's steps at one eps; and the x beyond which
 * the linear continuation weighs contacts as if they were there: dpsi/dx is 1e-6 then. Without it
 * weights are rounding and 7 % of 1,500 bodies are off; 1e3 does the same, 10 fails once */
#define LIMIT_LZB_LOWER 0.1
#define LIMIT_LZB_DESCENT 50
#define LIMIT_LZB_BENT 100
/* loads without a share: TOL_LZB_ROUNDED of these, and a tenth, is still a number */
#define LIMIT_LZB_LEAST 1e-290
/* steps without an event: a loaded contact has one in half a period of its own, some ten steps */
#define LIMIT_LZB_STEPS 10000
/* events without time, after which modes get a part of a step to show themselves */
#define LIMIT_LZB_STALLED 8
#define LIMIT_LZB_SHORT 0x1p-6
/* times the energies of the impact: work of obstacles that squeeze the bodies, with forces and
 * times a hundred times those of an impact. Of 5,000 problems of eight contacts (`bench_tail
 * eight`) those that end stay below 4,700 (all but one below 900); those that do not pass 8e6, and
 * two ended beyond 6e4 with numbers that the plain law did not confirm. */
#define LIMIT_SQUEEZED 1e4
/* natural steps of a linear series: one step at most */
#define LIMIT_LINEAR_REACH 1.6
/* what friction can do beyond the impulse that it has left at the rate of now: twice the force for
 * twice the time, along a direction off by 2, and as much again for that rate */
#define LIMIT_LEFT 48
/* |v|/|rho'| up to which a mean direction is needed; beyond d is soon along v; and how far ahead v
 * must point (parts of |v|) for tan(a/2) to be of use */
#define LIMIT_MEAN_POWER 4
#define LIMIT_MEAN_AHEAD 0.1
/* times rho/|v| that a step with the direction of its middle must last, for a held contact */
#define LIMIT_LAGS 20
/* stiff slip, which follows v: rates |v|/rho in those of the system (twenty small steps for one
 * of some five sweeps), how near d must be to v [rad], and how many small steps a part of a step
 * must save; chosen for speed, what is taken is checked (TOL_OFF_SLOW) */
#define STIFF_RATE 30
#define STIFF_ANGLE 0.03
#define STIFF_GAIN 4
/* of the change before: changes of sweeps that fall more slowly ask for a shorter step */
#define LIMIT_SWEEP_FALLS 0.1
/* times TOL_OFF_SLOW: so far off that sweeps will not bring it back; speed only, budget.tail_eight
 * 304 -> 244 M instructions */
#define LIMIT_OFF_SLOW 100
/* natural steps of turning slip: one step at least; and its reach below which it is made s = 1 */
#define LIMIT_LEAST_STRIDE 0.05
#define LIMIT_RESCALE 0.7
/* slow periods of law.vibration in which nothing happens */
#define LIMIT_QUIET_PERIODS 10000
/* natural steps of turning slip: one step at most */
#define LIMIT_STRETCH 4.0
/* radians of the slowest mode (of the fastest where modes are not known) after which a phase is too
 * long: bodies that cannot part */
#define LIMIT_QUIET 2e5
/* steps of one phase: minutes */
#define LIMIT_STEPS 2000000L
/* and without what is there for speed only, which tests ask for: a second */
#define LIMIT_STEPS_PLAIN 20000L

/* ---- newton, moreau, glocker, sequential and the paths of rigid contacts ---- */

/* of the natural size of a velocity (newton.c): an approach that counts as rest */
#define TOL_RESTING 1e-9
/* of the sum of |p| |v|: energy that a law created, beyond the rounding of its terms */
#define TOL_GAINED 1e-13
/* of the normal speed before: slip after moreau or glocker that is told as stick */
#define TOL_NO_SLIP 1e-12
/* of the terms of v- + W p: a velocity that glocker's compression stopped; the promise of modes.h
 */
#define TOL_STOPPED 1e-12

/* of the normal speeds before: slower approach is rest for law.sequential, whose contacts would
 * hand it to and fro without end; a thousandth of what is promised, some 500 roundings */
#define TOL_HANDED 1e-13
/* slip in space (rigid/): step over radius of convergence, 0.13^18 = 1e-16; of the whole speed,
 * what straight slip may leave out; of the rates, a turning that is rounding of its terms; of the
 * larger W_tt, one that is rounding: the contact does not move that way; of the rate, Newton's end
 */
#define REACH_OF_TURN 0.13
#define TOL_TURN_LEFT 1e-16
#define TOL_TURN_NONE (4 * DBL_EPSILON)
#define TOL_EASE (8 * DBL_EPSILON)
#define TOL_LEAVE (2 * DBL_EPSILON)

#endif
