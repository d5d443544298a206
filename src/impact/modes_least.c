/* Of a continuum of answers the one of least impulses.
 *
 * Four corners that slide on a floor have dependent normal rows: they can share the load in many
 * ways, and as friction follows the shares, each way is another velocity. What contacts do that
 * give a little, all alike, is one of them:
 *
 *   u = (W + a w) p + b,   a -> 0,   w = the largest W_ii
 *
 * it does not depend on where a search began, on the order of contacts or on rounding, and among
 * shares that are the same velocity it is the least sum of squares. The limit is taken from a,
 * a/2 and a/4 (its error is of the order a^3): the answer itself, or one step of Newton beside it.
 */
#include <math.h>
#include <string.h>

#include "impact/modes_part.h"
#include "impact/tolerance.h"

/* the answer p, u of the problem with a, beginning at p */
static core_status give(const impact_modes *m, core_scratch *s, double a, double *W, double *guess,
                        double *p, double *u) {
  size_t rows = (size_t)m->rows;
  double most = 0;
  for (size_t i = 0; i < rows; i++) most = fmax(most, m->W[i * (rows + 1)]);
  memcpy(W, m->W, rows * rows * sizeof *W);
  for (size_t i = 0; i < rows; i++) W[i * (rows + 1)] += a * most;
  memcpy(guess, p, rows * sizeof *guess);
  impact_modes soft = *m;
  soft.W = a > 0 ? W : m->W, soft.guess = guess;
  return modes_solve_as_is(&soft, s, p, u);
}

/* q becomes the limit of a -> 0; x has the answers for a, a/2 and a/4 */
static core_status limit(const impact_modes *m, core_scratch *s, double *W, double *guess,
                         double *q, double *v, double *x) {
  static const double weight[3] = {1. / 3, -2, 8. / 3};
  size_t rows = (size_t)m->rows;
  core_status status = CORE_OK;
  for (double a = LEAST_FIRST; a > LEAST_LAST && !status; a *= LEAST_FIRST)
    status = give(m, s, a, W, guess, q, v);
  for (int k = 0; k < 3 && !status; k++) {
    status = give(m, s, ldexp(LEAST_LAST, -k), W, guess, q, v);
    memcpy(x + (size_t)k * rows, q, rows * sizeof *q);
  }
  memset(q, 0, rows * sizeof *q);
  for (size_t i = 0; i < 3 * rows && !status; i++) q[i % rows] += weight[i / rows] * x[i];
  return status;
}

core_status impact_modes_least(const impact_modes *m, core_scratch *s, double *p, double *u) {
  size_t rows = (size_t)m->rows;
  core_mark mark = core_scratch_mark(s);
  double *W = core_scratch_doubles(s, rows * rows + 6 * rows);
  if (!W) return CORE_NO_MEMORY;
  double *guess = W + rows * rows, *q = guess + rows, *v = q + rows, *x = v + rows;
  memcpy(q, p, rows * sizeof *q);
  core_status status = limit(m, s, W, guess, q, v, x);
  modes_velocity(m, q, v);
  if (!status && !(impact_modes_residual(m, q, v) <= TOL_LINK))
    status = give(m, s, 0, W, guess, q, v);
  if (!status) {
    memcpy(p, q, rows * sizeof *p);
    memcpy(u, v, rows * sizeof *u);
  }
  core_scratch_release(s, mark);
  /* where contacts that give have no answer, the one that was found stays */
  return status == CORE_NO_MEMORY || status == CORE_INTERRUPTED ? status : CORE_OK;
}
