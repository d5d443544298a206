#include "core/differ.h"

#include <float.h>
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

/* How far d is from entry i of a column, in distances of its neighbours. Differences that become
 * smaller by r for each half step leave 1/(r - 1) of the last one, and r times that from the
 * coarser neighbour. Where f is smooth r is 2 or more; with a part |s|^(1 + a) of f, a < 1, it is
 * 2^a in every column: no whole power takes it away. */
static double beyond(const core_differ *w, const double *rows, int i) {
  const double *last = rows + (CORE_DIFFER_LEVELS - 3) * w->n + i;
  double before = fabs(last[w->n] - last[0]), now = fabs(last[2 * w->n] - last[w->n]);
  double r = now > 0 ? before / now : INFINITY;
  return r >= 2 ? 1 : fmax(r, 1) / fmax(r - 1, CORE_DIFFER_SLOWEST);
}

/* Rounding of f over a step h: quotients may agree better than that by chance. What does not change
 * at all has none. */
static double rounding(double f, double quotient, double h) {
  return quotient == 0 ? 0 : DBL_EPSILON / 2 * fabs(f / h);
}

/* Romberg's table in place, column by column from the last row up; the best pair of neighbours
 * gives value and error. Row k is that of the step h/2^k. */
static void extrapolate(const core_differ *w, double h, double *rows, double *d, double *error) {
  int n = w->n;
  double *more = w->work + (CORE_DIFFER_LEVELS + 4) * n;
  const double *f = w->work + n; /* at the shortest step */
  for (int i = 0; i < n; i++) more[i] = beyond(w, rows, i);
  for (int j = 1; j < CORE_DIFFER_LEVELS; j++) {
    double factor = ldexp(1, w->side ? j : 2 * j);
    for (int k = CORE_DIFFER_LEVELS - 1; k >= j; k--) {
      double *fine = rows + k * n, *coarse = rows + (k - 1) * n, change = 0;
      for (int i = 0; i < n; i++) {
        double better = fine[i] + (fine[i] - coarse[i]) / (factor - 1);
        double apart = fmax(fabs(better - fine[i]), fabs(better - coarse[i]));
        change = fmax(change, fmax(more[i] * apart, rounding(f[i], better, ldexp(h, -k))));
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
  extrapolate(w, h, rows, d, error);
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
