/* Contacts in units of their own, where they are far apart.
 *
 *   p = d p',  u = u'/d,  W' = D W D,  b' = D b     d: 1/sqrt(W_nn) of each contact
 *
 * The stop of a hinge has rad/s and N m s where a foot has m/s and N s: on a machine of nanometres
 * W_nn of the one is 1e18 times that of the other, and what is a small part of the largest impulse
 * is none of its own. Measured by sqrt(W_nn) impulses are roots of energies, whatever the units.
 * d are powers of 2, so that nothing is rounded, as parts of that of the largest W_nn; contacts of
 * much the same have none.
 */
#include <math.h>
#include <string.h>

#include "impact/modes_part.h"

enum { STEP = 10 }; /* powers of 2: W_nn within 2^10 of the largest need no units of their own */

static double normal(const impact_modes *m, int c) {
  int n = impact_modes_normal(m, c);
  return m->W[(size_t)n * (size_t)(m->rows + 1)];
}

double modes_unlike(const impact_modes *m) {
  double most = 0, least = INFINITY;
  for (int c = 0; c < m->nc; c++) {
    double w = normal(m, c);
    if (w > most) most = w;
    if (w < least && w > 0) least = w;
  }
  return least * (1 << STEP) <= most ? most : 0;
}

double modes_unit(const impact_modes *m, int c, double largest) {
  double w = normal(m, c);
  return w > 0 ? ldexp(1, STEP * (int)lround(log2(largest / w) / (2 * STEP))) : 1;
}

core_status modes_in_units(const impact_modes *m, core_scratch *s, impact_modes *to, double **d) {
  size_t rows = (size_t)m->rows, nc = (size_t)m->nc;
  double *W = core_scratch_doubles(s, rows * rows + 3 * rows + nc + 1);
  if (!W) return CORE_NO_MEMORY;
  double *b = W + rows * rows, *guess = b + rows, *low = guess + rows;
  *d = low + nc;
  double largest = modes_unlike(m);
  for (int c = 0; c < m->nc; c++) {
    double unit = modes_unit(m, c, largest);
    if (m->low) low[c] = m->low[c] / unit;
    for (int i = impact_modes_first(m, c); i <= impact_modes_normal(m, c); i++) (*d)[i] = unit;
  }
  for (size_t j = 0; j < rows; j++) {
    b[j] = m->b[j] * (*d)[j];
    if (m->guess) guess[j] = m->guess[j] / (*d)[j];
    for (size_t i = 0; i < rows; i++) W[j * rows + i] = m->W[j * rows + i] * (*d)[i] * (*d)[j];
  }
  *to = *m;
  to->W = W, to->b = b;
  if (m->low) to->low = low;
  if (m->guess) to->guess = guess;
  return CORE_OK;
}
