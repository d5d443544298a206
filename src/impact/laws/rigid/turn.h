/* Sliding whose direction turns: the hard part of a rigid impact in space. */
#ifndef IMPACT_LAWS_RIGID_TURN_H
#define IMPACT_LAWS_RIGID_TURN_H

#include "impact/laws/rigid/piece.h"

/* Where a sliding contact is. Tangential axes are the principal axes of W_tt. */
typedef struct law_sliding {
  double tt[2], tn[2], nn; /* W: diagonal of W_tt, W_tn, W_nn [1/kg] */
  double nu, kappa;        /* dp_n = nu dl, dp_t = -kappa (v_t/|v_t|) dl */
  double direction[2];     /* of v_t, unit vector */
  double speed;            /* |v_t| [m/s] */
  double pt[2];            /* tangential impulse so far [N s] */
  double lost;             /* to friction so far [J] */
  law_normal n;            /* the normal direction */
} law_sliding;

/* d(speed)/dl, and speed * d(angle)/dl */
double law_sliding_gain(const law_sliding *s);
double law_sliding_turn(const law_sliding *s);

/* dv_n/dl */
double law_sliding_slope(const law_sliding *s);

/* 1 when the rest of the sliding is straight: its direction does not turn, or too little to see */
int law_sliding_settled(const law_sliding *s);

/* Slides on until the direction is settled (LAW_STOP_PIECE) or the normal direction stops.
 * `tell`, unless NULL, is called `samples` times in each step of the way, last at its end unless
 * something stops there. */
typedef void (*law_turn_tell)(void *self, const law_sliding *s);
core_status law_turn(law_sliding *s, law_stop *stop, int samples, law_turn_tell tell, void *self);

#endif
