#include "core/differ.h"

#include <math.h>
#include <string.h>

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* one difference quotient with step h into out; plus and minus are work */
static core_status quotient(const core_differ *w, double h, double *plus, double *minus,
                            double *out) {
  core_status status = w->f(w->self, w->side < 0 ? -h : h, plus);
  if (!status && w->side == 0) status = w->f(w->self, -h, minus);
  const double *low = w->side ? w->work : minus;
  double width = w->side == 0 ? 2 * h : w->side < 0 ? -h : h;
  for (int i = 0; i < w->n && !status; i++) out[i] = (plus[i] - low[i]) / width;
  return status;
}

/* Romberg's table in place, column by column from the last row up; the best pair of neighbours
 * gives value and error */
static void extrapolate(const core_differ *w, double *rows, double *d, double *error) {
  int n = w->n;
  for (int j = 1; j < CORE_DIFFER_LEVELS; j++) {
    double factor = ldexp(1, w->side ? j : 2 * j);
    for (int k = CORE_DIFFER_LEVELS - 1; k >= j; k--) {
      double *fine = rows + k * n, *coarse = rows + (k - 1) * n, change = 0;
      for (int i = 0; i < n; i++) {
        double better = fine[i] + (fine[i] - coarse[i]) / (factor - 1);
        change = fmax(change, fmax(fabs(better - fine[i]), fabs(better - coarse[i])));
        fine[i] = better;
      }
      if (!(change < *error)) continue;
      *error = change;
      memcpy(d, fine, (size_t)n * sizeof *d);
    }
  }
}

/* the whole table from step h on: value and error */
static core_status table(const core_differ *w, double h, double *d, double *error) {
  int n = w->n;
  double *plus = w->work + n, *minus = plus + n, *rows = minus + n;
  core_status status = CORE_OK;
  for (int k = 0; k < CORE_DIFFER_LEVELS && !status; k++)
    status = quotient(w, ldexp(h, -k), plus, minus, rows + k * n);
  if (status) return status;
  if (!isfinite(largest(CORE_DIFFER_LEVELS * n, rows))) return CORE_NOT_FINITE;
  memcpy(d, rows + (CORE_DIFFER_LEVELS - 1) * n, (size_t)n * sizeof *d);
  *error = INFINITY;
  extrapolate(w, rows, d, error);
  return CORE_OK;
}

core_status core_differ_at(const core_differ *w, double *d, double *error) {
  double *trial = w->work + (CORE_DIFFER_LEVELS + 3) * w->n, h = w->h, found = INFINITY;
  int some = 0;
  *error = INFINITY;
  for (int again = 0; again < CORE_DIFFER_TRIES; again++, h /= 8) {
    core_status status = table(w, h, trial, &found);
    if (status && status != CORE_NO_SOLUTION) return status;
    if (status || (some && !(found < *error))) continue;
    some = 1;
    *error = found;
    memcpy(d, trial, (size_t)w->n * sizeof *d);
    if (!(found > w->goal) || w->goal == 0) break;
  }
  return some ? CORE_OK : CORE_NO_SOLUTION;
}
