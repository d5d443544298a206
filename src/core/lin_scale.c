/* Taking the units out of a square matrix, with powers of two. */
#include <stdint.h>

#include "core/lin_factor.h"

/* 2^-(half the exponent of x): 1 for x in [0.5, 4) and for 0; by bits, which is quicker than
 * ilogb and ldexp and cannot overflow */
static double half_scale(double x) {
  uint64_t bits;
  if (!(x > 0)) return 1;
  memcpy(&bits, &x, sizeof bits);
  int half = ((int)(bits >> 52) - 1023) / 2;
  bits = (uint64_t)(1023 - half) << 52;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* largest entries of each row and column */
static void maxima(int n, const double *A, double *rows, double *cols) {
  for (int i = 0; i < n; i++) rows[i] = cols[i] = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      double a = fabs(A[i + lin_size(n, j)]);
      if (a > rows[i]) rows[i] = a;
      if (a > cols[j]) cols[j] = a;
    }
}

/* one step: scales by the square roots of the maxima; 0 when there was nothing to do */
static int scale_step(int n, double *A, double *r, double *c, double *rows, double *cols) {
  int changed = 0;
  maxima(n, A, rows, cols);
  for (int i = 0; i < n; i++) {
    rows[i] = half_scale(rows[i]), cols[i] = half_scale(cols[i]);
    r[i] *= rows[i], c[i] *= cols[i];
    changed |= rows[i] != 1 || cols[i] != 1;
  }
  for (int j = 0; j < n && changed; j++)
    for (int i = 0; i < n; i++) A[i + lin_size(n, j)] *= rows[i] * cols[j];
  return changed;
}

/* Ruiz: each step halves the exponents of all maxima; a symmetric A stays symmetric. rows and cols
 * live behind r and c, which have 2 n numbers. */
void lin_equilibrate(int n, double *A, double *r, double *c) {
  for (int i = 0; i < n; i++) r[i] = c[i] = 1;
  for (int step = 0; step < 10; step++)
    if (!scale_step(n, A, r, c, r + n, c + n)) return;
}

int lin_equilibrate_spd(int n, double *A, double *r, double *c) {
  for (int i = 0; i < n; i++) {
    if (!(A[i + lin_size(n, i)] > 0)) return 0;
    r[i] = c[i] = half_scale(A[i + lin_size(n, i)]);
  }
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) A[i + lin_size(n, j)] *= r[i] * c[j];
  return 1;
}
