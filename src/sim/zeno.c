/* Zeno: bounces that get shorter by a steady ratio take a finite time together.
 *
 * The last flights are added up in windows of c flights (c = 4, 3, 2, 1: two feet may bounce in
 * turn). With r = newest window / the one before it, the rest of the series takes
 *
 *   T = w (r + r^2 + ...) = w r / (1 - r)
 *
 * exact for a ball on a plane, where r = e. When the next flight would be shorter than the
 * threshold the bouncing points are put to rest on the surface and the series is reported at t + T.
 * Until then sustained contact takes the place of the bounces: over the series the mean of the
 * impacts' forces is the contact's force, and what is left out is of the order T^2. A smaller
 * threshold is no better in the end: a hop must stay well above the rounding of positions.
 */
#include <math.h>
#include <string.h>

#include "sim/inner.h"

void sim_zeno_forget(sim_flow *f) {
  f->landing.n_flights = 0;
  f->landing.t_impact = NAN;
  memset(f->landing.bouncing, 0, (size_t)f->motion.nc * sizeof *f->landing.bouncing);
}

void sim_zeno_impact(sim_flow *f, double t) {
  double flight = t - f->landing.t_impact;
  f->landing.t_impact = t;
  if (isnan(flight)) return;
  memmove(f->landing.flights + 1, f->landing.flights,
          (SIM_ZENO_MAX - 1) * sizeof *f->landing.flights);
  f->landing.flights[0] = flight;
  if (f->landing.n_flights < SIM_ZENO_MAX) f->landing.n_flights++;
}

static double window(const sim_flow *f, int first, int c) {
  double sum = 0;
  for (int i = 0; i < c; i++) sum += f->landing.flights[first + i];
  return sum;
}

/* g t^2/8 is the height of a hop that takes t */
double sim_zeno_time(const sim_flow *f, double a) {
  if (!isnan(f->motion.o->zeno_time)) return f->motion.o->zeno_time;
  return sqrt(8 * SIM_ZENO_HOP * f->motion.scale.length / fabs(a));
}

double sim_zeno_rest(const sim_flow *f, double shortest) {
  if (!f->motion.o->zeno) return NAN;
  for (int c = f->landing.n_flights / 2; c > 0; c--) { /* long windows first: less noise */
    double w = window(f, 0, c), before = window(f, c, c), r = w / before;
    if (!(r < SIM_ZENO_RATIO)) continue;
    if (f->landing.flights[c - 1] * r <= shortest) return w * r / (1 - r);
  }
  return NAN;
}
