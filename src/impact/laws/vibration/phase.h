/* Inside of law.vibration: what its files share.
 *
 *   vibration.c         the law: parameters, who touches, flights, samples and events, result
 *   phase.c   one phase, piece by piece as a power series, up to its first changes
 *   modes.c   a phase that lasts: its modes, and how they skip what cannot change
 */
#ifndef IMPACT_LAWS_VIBRATION_PHASE_H
#define IMPACT_LAWS_VIBRATION_PHASE_H

#include "core/taylor.h"
#include "impact/law.h"
#include "impact/laws/tolerance.h"

enum { VIBRATION_ORDER = CORE_TAYLOR_ORDER, VIBRATION_LENGTH = CORE_TAYLOR_LENGTH };

typedef struct vibration {
  const impact_problem *pr;
  core_scratch *scratch;
  impact_sink *sink;
  core_error *err;
  int m;             /* points */
  double *W;         /* m x m: normal rows, */
  impact_span *span; /* m: where its columns are not zero */
  double *k, *d, *v; /* m: stiffness, deflection (gap when positive), velocity now */
  double *p;         /* rows: impulse so far */
  double t, speed;   /* [s], [m/s] */
  double v_rounding; /* what rounding makes of the velocities [m/s] */
  double fastest;    /* largest sqrt(k W_pp) [rad/s] */
  double bound;      /* of the frequencies of any phase [rad/s] */
  double window;     /* [s], NaN: automatic */
  double period;     /* of the slowest point [s] */
  int *touching;     /* m */
  int events;
  int few;       /* up to so many touching points get their modes at once */
  int redundant; /* points that depend on each other have touched together */

  int n;        /* touching points */
  int *point;   /* n: which they are */
  double omega; /* bound of the frequencies of this phase [rad/s] */
  int order;    /* of the power series */
  double *c; /* power series of d over a piece of length h: coefficient j of point p at [j m + p] */
  double *when; /* m: time of the next change of each point, from the start of the search */
  double *kept; /* rows + 2 m: the start of the phase */
  double *last; /* rows + 2 m: its end, while samples are taken */

  int modes;         /* made for this phase */
  double since;      /* time at which they start [s] */
  double *w, *a, *b; /* n: frequency [rad/s], start of each mode */
  double *Q, *R;     /* n x n, m x n */
  double *Z, *Zdot;  /* n: double and single integral of each mode at the last time asked for */
  double *S;         /* n x n work */
  double *swing;     /* m: by how much modes beside the series can move each point [m] */
  double *terms;     /* n x VIBRATION_LENGTH: series of the modes */
  double *out_x, *out_v, *out_f; /* rows each, for the sink */
  int *mode, *restituting;
} vibration;

/* what rounding makes of a deflection [m] */
static inline double vibration_noise(const vibration *z) {
  return z->v_rounding / z->fastest;
}

/* phase.c */
int vibration_order(double tolerance);               /* of the power series */
double vibration_bound(const vibration *z, int all); /* of frequencies [rad/s], of all points or of
                                                      * those that touch */
void vibration_begin(vibration *z);                  /* of the points that touch now */
void vibration_series(vibration *z, double h);       /* z->c from the state now */
void vibration_move(vibration *z, double t);         /* the state t later, in place */
core_status vibration_run(vibration *z);             /* up to the first changes, or long */
double vibration_look(vibration *z, double h, int *found); /* first change on the series in z->c */

/* modes.c */
core_status vibration_make_modes(vibration *z);
void vibration_move_modes(vibration *z, double t);
double vibration_search_modes(vibration *z, double limit, int *found);

#endif
