/* Inside of law.vibration: what vibration.c (the law and its course) and vibration_modes.c (one
 * phase by its modes) share. */
#ifndef IMPACT_LAWS_VIBRATION_H
#define IMPACT_LAWS_VIBRATION_H

#include "impact/law.h"

typedef struct vibration {
  const impact_problem *pr;
  core_scratch *scratch;
  impact_sink *sink;
  core_error *err;
  int m;             /* points */
  double *W;         /* m x m: normal rows */
  double *k, *d, *v; /* m: stiffness, deflection (gap when positive), velocity now */
  double *p;         /* rows: impulse so far */
  double t, speed;   /* [s], [m/s] */
  double fastest;    /* largest sqrt(k W_pp) [rad/s] */
  double window;     /* longest flight inside the impact [s], NaN: see impact_may_fly */
  double period;     /* of the slowest point [s] */
  int *touching;     /* m */
  int events;
  int redundant; /* points that depend on each other have touched together */

  int n;             /* touching points = modes */
  int *point;        /* n: which they are */
  double *w, *a, *b; /* n: frequency [rad/s], start of each mode */
  double *Q, *R;     /* n x n, m x n */
  double *Z, *Zdot;  /* n: double and single integral of each mode at the last time asked for */
  double *S;         /* n x n work */
  double *when;      /* m: time of the next change of each point, from the start of the phase */
  double *work;      /* 3 m */
  double *out_x, *out_v, *out_f; /* rows each, for the sink */
  int *mode, *restituting;
} vibration;

/* vibration_modes.c */
core_status vibration_modes(vibration *z);                 /* of the points that touch now */
void vibration_move(vibration *z, double t);               /* the state after t, in place */
double vibration_first_change(vibration *z, double limit); /* fills z->when; limit when none */

#endif
