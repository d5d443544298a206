/* What is rest: nothing but what rounding makes of velocities and deflections.
 *
 * Velocities are sums of v before the impact and of W p: they are known to v_rounding. A contact
 * that moves and gives way by no more is at rest, and what it does is decided by what others do to
 * it, from the order of the series on at which that is more than rounding.
 */
#include "impact/laws/compliant/state.h"

/* what rounding of the velocities makes of a slip speed: they are sums of terms of their size */
double compliant_noise(const compliant *z, const compliant_contact *k) {
  return z->v_rounding * (1 + k->mu * k->k / k->kt);
}

/* What a slip speed may be that is zero by definition, where stick and slip meet: rounding, and
 * what the series that found the place may leave out of the velocities for a larger `tolerance`.
 * Margin and slip speed are the same number there; where one was zero and the other not, slip that
 * stuck at once and stick that slipped at once took turns for ever. */
double compliant_tie_noise(const compliant *z, const compliant_contact *k) {
  double left_out = z->series.loose > 1 ? TOL_SERIES * z->series.loose * z->speed : 0;
  return core_max(1, left_out / z->v_rounding) * compliant_noise(z, k);
}

/* no normal motion and no deflection but what rounding makes of them */
int compliant_rests(const compliant *z, const compliant_contact *k) {
  double deep = k->touch == PRESSED ? fabs(z->y[k->n]) * sqrt(k->k * w_normal(z, k)) : 0;
  return fabs(z->v[k->n]) <= z->v_rounding && deep <= z->v_rounding;
}

/* Pressed, but neither rho nor x, nor a rate of theirs, is more than rounding: between stick and
 * slip only that could decide. */
int compliant_at_rest(const compliant *z, const compliant_contact *k) {
  if (k->touch != PRESSED || k->grip == FREE || isinf(k->mu) || !compliant_rests(z, k)) return 0;
  double noise = compliant_noise(z, k), ratio = k->mu * k->k / k->kt;
  double rate = ratio * fabs(z->v[k->n]), deep = ratio * fabs(z->y[k->n]);
  return rate <= noise && deep <= noise && rate + norm(k->tangents, z->v + k->t) <= noise &&
         deep + norm(k->tangents, z->y + k->t) <= noise;
}

/* the s at which rho or x of contact k, at rest now, is more than rounding, twice that */
double compliant_emerges(const compliant *z, const compliant_contact *k) {
  double c[LENGTH] = {0}, s, first = z->series.reach;
  for (int r = k->t; r <= k->n; r++)
    for (int sign = -1; sign <= 1; sign += 2) {
      double by = sign * (r == k->n ? k->mu * k->k / k->kt : 1);
      for (int j = 0; j <= z->series.order; j++) c[j] = by * z->series.y[j * z->rows + r];
      c[0] += 2 * compliant_noise(z, k);
      if (core_poly_first_root(z->series.order, c, first, &s)) first = s;
    }
  return first;
}

/* the first order from `from` on at which the normal deflection of contact k is more than what
 * rounding of the state makes of it, v_rounding * h (2^j / j!); LENGTH when none is */
int compliant_lead(const compliant *z, const compliant_contact *k, int from) {
  const compliant_series *s = &z->series;
  while (from <= s->order && fabs(s->y[from * z->rows + k->n]) <= z->v_rounding * s->h) from++;
  return from <= s->order ? from : LENGTH;
}
