/* law.compliant, for speed only: what the law may ask for. Each call says whether it has done its
 * work (0: the plain way is to be taken), and says 0 where z->fast is NULL. Without all of them
 * answers are the same to what is promised (tests/test_compliant_plain.c), but for phases that
 * would take too many steps (stiff slip, tiny e).
 *
 *   single.c       closed form for one contact without coupling
 *   rigid.c        tiny eta: the limit of rigid tangents
 *   orders.c       short series to an event that is near, longer steps of a linear one
 *   bodies.c       few bodies with many contacts: W = L L^T
 *   series_one.c   turning slip of one contact alone
 *   stiff.c        slip so stiff that it follows v at once
 *   fixed.c        directions of slip that may be taken as fixed although they turn
 *   bounds.c       what surely does not happen
 *   modes.c        a linear phase that lasts: its modes (modes_find.c), and what they can skip
 */
#ifndef IMPACT_LAWS_COMPLIANT_FAST_FAST_H
#define IMPACT_LAWS_COMPLIANT_FAST_FAST_H

#include "impact/laws/compliant/state.h"

/* ---- the whole ---- */

int fast_single(const compliant_params *q, const impact_problem *pr, impact_result *r);
int fast_rigid(const law *l, const impact_problem *pr, core_scratch *s, impact_sink *sink,
               impact_result *r);
core_status fast_start(compliant *z); /* memory; its state at the start of an impact */

/* ---- steps ---- */

double fast_time_ahead(const compliant *z);   /* an event is expected by then [T], or infinity */
int fast_order(const compliant *z, double s); /* of a linear series that is to reach s */
double fast_linear_reach(const compliant *z); /* s up to which the series in hand holds */
int fast_short(const compliant *z);           /* the series in hand has few orders */
int fast_lengthen(compliant *z);              /* to tell whether there is an event */
void fast_note_step(compliant *z, double s);  /* that it goes to s, where it has an event */
double fast_stride(const compliant *z);       /* next step of turning slip, in natural ones */
void fast_learn_stride(compliant *z);         /* from the reach of the series in hand */
int fast_one_series(compliant *z);            /* of turning slip, where there is one contact */
int fast_turn_order(const compliant *z, double time, int *lead);
int fast_stiff_series(compliant *z);
double fast_weight(const compliant *z, const compliant_contact *k, double so_far);
compliant_fixed fast_fix_direction(compliant *z, int i, double so_far);

/* ---- inertia ---- */

int fast_bodies(const compliant *z);
int fast_multiply(const compliant *z, double by, const double *F, double *v);
void fast_accelerate(const compliant *z, int j, double by,
                     double *v); /* order j of a linear series */
double fast_bound_of_bodies(const compliant *z);

/* ---- events ---- */

void fast_bound_motion(compliant *z); /* of a step in which slip turns */
int fast_surely_slips(const compliant *z, int i);
int fast_surely_sticks(const compliant *z, int i);
int fast_surely_quiet(const compliant *z, int i); /* stays open, pressed, in compression */

/* ---- phases that last ---- */

void fast_begin_phase(compliant *z);
int fast_skip(compliant *z, long steps); /* 1 when it has gone on */
double fast_slowest(const compliant *z); /* frequency of the phase, 0: not known [1/T] */
int fast_swings(const compliant *z);     /* event functions are to be lowered by what fast */
int fast_lower(const compliant *z, int i, compliant_event what, int zero, double *c); /* modes do */
double fast_swing_of_margin(const compliant *z, int i); /* and rho - |x| */

#endif
