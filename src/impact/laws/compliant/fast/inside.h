/* What the fast ways of law.compliant keep between them. Nobody else includes this. */
#ifndef IMPACT_LAWS_COMPLIANT_FAST_INSIDE_H
#define IMPACT_LAWS_COMPLIANT_FAST_INSIDE_H

#include "core/pair.h"
#include "impact/laws/compliant/fast/fast.h"

typedef core_loose_four compliant_four;

/* Series of four contacts side by side in a step in which slip turns: coefficient j of contact
 * 4 b + l is [j][l] of of[b]. Then the sums of the order in hand. Aligned for speed only. */
typedef struct __attribute__((aligned(64))) compliant_turn {
  compliant_four f[3][CORE_TAYLOR_LENGTH], v[3][CORE_TAYLOR_LENGTH]; /* along t1, t2, n */
  compliant_four d[2][CORE_TAYLOR_LENGTH];                           /* direction of slip */
  compliant_four q[CORE_TAYLOR_LENGTH];                              /* rate of turning */
  compliant_four w[CORE_TAYLOR_LENGTH];                              /* v.e, e across d */
  compliant_four old[CORE_TAYLOR_LENGTH];  /* q of the sweep before, when stiff */
  compliant_four lean[CORE_TAYLOR_LENGTH]; /* -dq[j] / d(old[j+1]) of slow ones */
  compliant_four press, stick, drag;       /* F_n = press y_n, F_t = stick y_t + drag F_n d */
  compliant_four follows, slips;           /* 1: y_t' = v_t; slip */
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
} compliant_turn;

/* a linear phase that lasts (modes.c) */
typedef struct compliant_modes {
  enum { MODES_UNKNOWN, MODES_MADE, MODES_NONE } state;
  double *w;         /* m: frequencies [1/T], ascending; sqrt(|w^2|) of those that do not swing */
  double *square;    /* m: w^2 */
  int *other;        /* m: the other one of a pair, or itself: */
  double *beside;    /* m: q'' = -square q - beside q_other */
  double longest;    /* step of those that do not swing [T] */
  double *X, *Y;     /* m x m: u = K^-1/2 X q, and Y = X^-1 */
  int driven;        /* rows that drive a force, */
  int *driving_none; /* and the others */
  int slips;         /* some contact does */
  double *G, *H, *P; /* rows, nc, rows x m: velocity, held force, impulse by mode, see there */
  double *S;         /* m x m work */
  double *q, *rate;  /* m: the modes now */
  double slowest;    /* frequency that is not 0 [1/T] */
  double length;     /* of the next skip [T], 0: any */
  long next_try;     /* step of the phase at which it is tried */
  int bounds;        /* event functions are lowered by what fast modes can do: */
  double *swing_y, *swing_v, *swing_held; /* rows, rows, nc */
} compliant_modes;

/* few bodies with many contacts: W = L L^T of small rank (bodies.c) */
typedef struct compliant_bodies {
  int rank;          /* 0: none is known */
  int padded;        /* rank, a multiple of four */
  int dense;         /* few rows, and most of W is not zero */
  double *L, *row_L; /* rows x rank; row by row, padded */
  double *body;      /* 2 padded x padded work */
} compliant_bodies;

enum { LEAST_ORDER = 6 }; /* of a step to an event that is near */

struct compliant_fast {
  int most; /* orders that there are, N unless `tolerance` is more (orders.c) */
  double short_reach[(N - LEAST_ORDER) / 2 + 1]; /* s up to which orders 6, 8, ... 24 do */
  compliant_bodies bodies;
  compliant_modes modes;
  compliant_turn *four; /* every four contacts */
  int stiff;            /* the series in hand is one of stiff slip */
};

/* modes_find.c */
/* 1 when the phase has some, rounded by so many times what they are to be */
int fast_find_modes(compliant *z, double loose);
static inline int fast_bounded(const compliant_modes *o, int i) { /* swings by its amplitude */
  return o->other[i] == i && !(o->square[i] < 0 && o->w[i] > 0);
}

/* bodies.c */
void fast_find_bodies(compliant *z);

/* fixed.c */
double fast_mean_room(const compliant *z, double so_far);

/* orders.c */
void fast_choose_orders(compliant *z);

/* series_four.c */
void fast_four_series(compliant *z, int lead, int order);
void fast_improve_rates(compliant *z, int i); /* of a stiff contact */

/* series_one.c */
void fast_one_series(compliant *z); /* one pressed contact */

#endif
