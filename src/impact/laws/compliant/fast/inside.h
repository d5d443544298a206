/* What the fast ways of law.compliant keep between them. Nobody else includes this. */
#ifndef IMPACT_LAWS_COMPLIANT_FAST_INSIDE_H
#define IMPACT_LAWS_COMPLIANT_FAST_INSIDE_H

#include "impact/laws/compliant/fast/fast.h"

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
  int stiff; /* the series in hand is one of stiff slip */
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

#endif
