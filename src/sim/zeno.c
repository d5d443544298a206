/* Zeno: bounces that get shorter by a steady ratio take a finite time together.
 *
 * Each contact has its own flights f0, f1 ... (newest first), since others may bounce meanwhile.
 * They are compared in windows of c flights: two feet that bounce in turn may repeat each other
 * after two or more. With w = f0 + ... + f_(c-1) and r = w / (the c flights before them) the rest
 * of the series takes
 *
 *   T = w (r + r^2 + ...) = w r / (1 - r)   from the last impact on
 *
 * exact for a ball on a plane, where r = e. The hop that begins is the newest flight of all where
 * it agrees with the last ones, and T = hop/(1 - r) then. The series is steady when each f_i /
 * f_(i+c) is r; how far they differ says how well T is known,
 *
 *   dT = w dr / (1 - r)^2
 *
 * and the window that knows it best is taken. What is not steady (a fall from far away before the
 * first bounces) bounces on until all that is left is a small part of the threshold, as a pile does
 * whose bodies toss each other about. When the next flight would be shorter than the threshold the
 * point is put to rest on the surface and the series is reported at its limit. Until then sustained
 * contact takes the place of the bounces: over the series the mean of the impacts' forces is the
 * contact's force, and what is left out is of the order T^2. A smaller threshold is no better in
 * the end: a hop must stay well above the rounding of positions.
 */
#include <math.h>
#include <string.h>

#include "sim/inner.h"

void sim_zeno_forget(sim_flow *f, int contact) {
  f->landing.series[contact] = (sim_series){.t = NAN};
}

void sim_zeno_impact(sim_flow *f, int contact, double t) {
  sim_series *s = &f->landing.series[contact];
  double flight = t - s->t;
  if (flight == 0) return; /* several impacts at one time */
  s->t = t;
  if (isnan(flight)) return;
  memmove(s->flights + 1, s->flights, (SIM_ZENO_MAX - 1) * sizeof *s->flights);
  s->flights[0] = flight;
  if (s->n < SIM_ZENO_MAX) s->n++;
}

/* g t^2/8 is the height of a hop that takes t */
double sim_zeno_time(const sim_flow *f, double a) {
  if (!isnan(f->motion.o->zeno_time)) return f->motion.o->zeno_time;
  return sqrt(8 * SIM_ZENO_HOP * f->motion.scale.length / fabs(a));
}

/* what one window makes of a series */
typedef struct limit {
  double rest;  /* time from the end of the newest flight to the limit [s] */
  double doubt; /* how well that is known [s]; infinity: it cannot be summed yet */
} limit;

/* flights that are short enough: for the run; and for rounding, which makes hops unsteady, and
 * those that lose no more than it, h (1 - r^2), grow again */
typedef struct brief {
  double shortest, rounded; /* of the run; of a hop as high as gaps are rounded [s] */
} brief;

static double longest(const brief *b, double r) {
  return fmax(b->shortest, b->rounded * sqrt(fmax(SIM_ZENO_NOISE, SIM_ZENO_GROWS / (1 - r * r))));
}

/* windows of c of the flights x (2 c of them, with one more before for c = 1), newest first */
static limit sum_up(const double *x, int c, double hop, const brief *b) {
  int ratios = c > 1 ? c : 2;
  double w = 0, before = 0, low = INFINITY, high = 0;
  for (int i = 0; i < c; i++) w += x[i], before += x[i + c];
  for (int i = 0; i < ratios; i++)
    low = fmin(low, x[i] / x[i + c]), high = fmax(high, x[i] / x[i + c]);
  double r = w / before, rest = w * r / (1 - r);
  if (!(r < SIM_ZENO_RATIO) || fmax(hop / 2, x[c - 1] * r) > longest(b, r))
    return (limit){NAN, INFINITY};
  if (high - low <= SIM_ZENO_STEADY * r)
    return (limit){rest, w * (high - low) / ((1 - r) * (1 - r))};
  return rest <= SIM_ZENO_VAGUE * b->shortest ? (limit){rest, rest} : (limit){NAN, INFINITY};
}

double sim_zeno_rest(const sim_flow *f, int contact, double t, double hop, double a,
                     double rounding) {
  const sim_series *s = &f->landing.series[contact];
  int given = !isnan(f->motion.o->zeno_time);
  brief b = {sim_zeno_time(f, a), given ? 0 : sqrt(8 * rounding / fabs(a))};
  limit best = {NAN, INFINITY};
  if (!f->motion.o->zeno) return NAN;
  for (int c = 1; 2 * c <= s->n; c++) {
    limit l = {NAN, INFINITY};
    if (c > 1 || s->n > 2) l = sum_up(s->flights, c, hop, &b);
    if (l.doubt < best.doubt) best = (limit){s->t - t + l.rest, l.doubt};
  }
  if (t == s->t && s->n >= 2) { /* with the hop that begins */
    double x[3] = {hop, s->flights[0], s->flights[1]};
    limit l = sum_up(x, 1, hop, &b);
    if (l.doubt < best.doubt) best = (limit){hop + l.rest, l.doubt};
  }
  return best.rest > 0 ? best.rest : NAN;
}
