/* The series of a step in which slip turns, as series_turn.c makes them and what is for speed only
 * looks at them. */
#ifndef IMPACT_LAWS_COMPLIANT_SERIES_TURN_H
#define IMPACT_LAWS_COMPLIANT_SERIES_TURN_H

#include "core/pair.h"
#include "impact/laws/compliant/state.h"

typedef core_loose_four compliant_four;

/* Series of four contacts side by side in a step in which slip turns: coefficient j of contact
 * 4 b + l is [j][l] of of[b]. Then the sums of the order in hand. Aligned for speed only. */
struct __attribute__((aligned(64))) compliant_turn {
  compliant_four f[3][CORE_TAYLOR_LENGTH], v[3][CORE_TAYLOR_LENGTH]; /* along t1, t2, n */
  compliant_four d[2][CORE_TAYLOR_LENGTH];                           /* direction of slip */
  compliant_four q[CORE_TAYLOR_LENGTH];                              /* rate of turning */
  compliant_four w[CORE_TAYLOR_LENGTH];                              /* v.e, e across d */
  compliant_four old[CORE_TAYLOR_LENGTH];  /* q of the sweep before, when stiff */
  compliant_four lean[CORE_TAYLOR_LENGTH]; /* -dq[j] / d(old[j+1]) of slow ones */
  compliant_four press, stick, drag;       /* F_n = press y_n, F_t = stick y_t + drag F_n d */
  compliant_four follows;                  /* 1: y_t' = v_t */
  compliant_four give;    /* mu k / kt: -rho' is that times v_n, where it slips and is pressed */
  compliant_four least;   /* slip speed on the step */
  compliant_four sway;    /* most change of v_n on it */
  compliant_four most[2]; /* most |v_t| on it, by tangents */
  compliant_four ratio, per_rho;        /* mu / kt and 1 / rho of those that turn, else 0 */
  int pressed, sticks, slides, turning; /* some are or do */
  int whole;                            /* four contacts of three rows */
  int slow;                             /* bits: just closed or stiff */
  int lead;                             /* the one whose force is the pace, or -1 */
  compliant_four y[3];                  /* deflections */
  compliant_four f_d[2], q_d[2], f_q;   /* F_n d, q d, F_n q without the terms of q[j] */
  compliant_four paced_f[3], paced_v[3], paced_w; /* times pace */
};

/* series of component t of the direction of contact i, whose coefficients are BESIDE apart */
static inline double *compliant_direction(const compliant *z, int i, int t) {
  return (double *)z->series.four[i / BESIDE].d[t] + i % BESIDE;
}

#endif
