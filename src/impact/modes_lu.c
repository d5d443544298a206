/* LU with row pivots, four columns at a time: what is right of a panel is read and written once
 * for all four. Column-major, no memory. */
#include <math.h>

#include "impact/modes_part.h"

enum { PANEL = 4 };

static void swap_rows(int n, double *A, int from, int to, int i, int k) {
  for (int j = from; j < to; j++) {
    double x = A[j * n + i];
    A[j * n + i] = A[j * n + k], A[j * n + k] = x;
  }
}

/* columns k .. end - 1 below row k; returns the least pivot */
static double factor_panel(int n, double *A, int *pivot, int k, int end) {
  double least = INFINITY;
  for (; k < end; k++) {
    double *a = A + k * n;
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i]) > fabs(a[best])) best = i;
    pivot[k] = best;
    if (best != k) swap_rows(n, A, 0, n, k, best);
    if (!(fabs(a[k]) >= least)) least = fabs(a[k]);
    double over = a[k] != 0 ? 1 / a[k] : 0;
    for (int i = k + 1; i < n; i++) a[i] *= over;
    for (int j = k + 1; j < end; j++) {
      double *restrict b = A + j * n, f = b[k];
      for (int i = k + 1; i < n; i++) b[i] -= a[i] * f;
    }
  }
  return least;
}

/* columns from `end` on, after the whole panel k .. k + 3 */
static void update_rest(int n, double *A, int k) {
  const double *restrict a0 = A + k * n, *restrict a1 = a0 + n, *restrict a2 = a1 + n,
                         *restrict a3 = a2 + n;
  for (int j = k + PANEL; j < n; j++) {
    double *restrict b = A + j * n;
    double f0 = b[k], f1 = b[k + 1] -= a0[k + 1] * f0;
    double f2 = b[k + 2] -= a0[k + 2] * f0 + a1[k + 2] * f1;
    double f3 = b[k + 3] -= a0[k + 3] * f0 + a1[k + 3] * f1 + a2[k + 3] * f2;
    for (int i = k + PANEL; i < n; i++) b[i] -= a0[i] * f0 + a1[i] * f1 + a2[i] * f2 + a3[i] * f3;
  }
}

double modes_lu(int n, double *A, int *pivot) {
  double least = INFINITY;
  for (int k = 0; k < n; k += PANEL) {
    int end = k + PANEL < n ? k + PANEL : n;
    double here = factor_panel(n, A, pivot, k, end);
    least = here < least ? here : least;
    if (end < n) update_rest(n, A, k);
  }
  return least;
}

void modes_lu_solve(int n, const double *A, const int *pivot, double *x) {
  for (int k = 0; k < n; k++) {
    double swap = x[pivot[k]];
    x[pivot[k]] = x[k], x[k] = swap;
  }
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) x[i] -= A[k * n + i] * x[k];
  for (int k = n - 1; k >= 0; k--) {
    x[k] /= A[k * n + k];
    for (int i = 0; i < k; i++) x[i] -= A[k * n + i] * x[k];
  }
}
