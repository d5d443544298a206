/* Dependent rows: the range of A, and the shortest z >= 0 that gives the same A z.
 *
 * With R an orthonormal basis of the range, A z = A z* is R^T z = R^T z*, and the shortest z >= 0
 * is max(0, R y) where
 *
 *   R^T max(0, R y) = R^T z*
 *
 * the optimality of a convex problem in y, of as many numbers as A has rank: Newton with a line
 * search, whose matrix is R^T R over the rows with R y > 0.
 */
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "core/lin.h"
#include "impact/lcp.h"
#include "impact/tolerance.h"

static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* The row of largest pivot first: B = R R^T to rounding, R n x rank by columns. B, whose diagonal
 * is 1 or 0, is used up; left has n numbers. Returns the rank. */
static int pivoted_cholesky(int n, double *B, double *R, double *left) {
  double small = n * TOL_SUM(n);
  int rank = 0;
  for (int i = 0; i < n; i++) left[i] = B[i * n + i];
  for (; rank < n; rank++) {
    int best = 0;
    for (int i = 1; i < n; i++)
      if (left[i] > left[best]) best = i;
    if (left[best] <= small) break;
    double *r = R + rank * n, root = sqrt(left[best]);
    memcpy(r, B + best * n, (size_t)n * sizeof *r);
    for (int k = 0; k < rank; k++) {
      double factor = R[k * n + best];
      for (int i = 0; i < n; i++) r[i] -= factor * R[k * n + i];
    }
    for (int i = 0; i < n; i++) r[i] /= root, left[i] -= r[i] * r[i];
    left[best] = 0;
  }
  return rank;
}

/* columns 0 .. rank - 1 made orthonormal, by Gram-Schmidt (twice) */
static void orthonormalise(int n, int rank, double *R) {
  for (int k = 0; k < rank; k++) {
    double *y = R + k * n;
    for (int twice = 0; twice < 2; twice++)
      for (int l = 0; l < k; l++) {
        double along = dot(n, R + l * n, y);
        for (int i = 0; i < n; i++) y[i] -= along * R[l * n + i];
      }
    double norm = sqrt(dot(n, y, y));
    for (int i = 0; i < n; i++) y[i] /= norm;
  }
}

/* The rank is decided on A scaled to a unit diagonal: D A D = R R^T, so that D^-1 R spans the range
 * of A. */
int law_lcp_range(int n, const double *A, core_scratch *s, double *R) {
  size_t size = (size_t)n;
  core_mark mark = core_scratch_mark(s);
  double *B = core_scratch_doubles(s, size * size + 2 * size);
  if (!B) return -1;
  double *scale = B + size * size, *left = scale + size;
  for (int i = 0; i < n; i++) scale[i] = A[i * n + i] > 0 ? 1 / sqrt(A[i * n + i]) : 1;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) B[j * n + i] = A[j * n + i] * scale[i] * scale[j];
  int rank = pivoted_cholesky(n, B, R, left);
  for (int k = 0; k < rank; k++)
    for (int i = 0; i < n; i++) R[k * n + i] /= scale[i];
  orthonormalise(n, rank, R);
  core_scratch_release(s, mark);
  return rank;
}

void law_lcp_null(int n, int rank, const double *R, double *Q) {
  core_lin_multiply('N', 'T', n, n, rank, -1, R, n, R, n, 0, Q, n);
  for (int i = 0; i < n; i++) Q[i * n + i] += 1;
}

void law_lcp_take_out(int n, const double *Q, const double *x, double *y) {
  memcpy(y, x, (size_t)n * sizeof *y);
  core_lin_multiply('N', 'N', n, 1, n, -1, Q, n, x, n, 1, y, n);
}

/* ---- the shortest z ---- */

typedef struct shortest {
  int n, rank;
  const double *R;
  double *z;     /* n: max(0, R y) */
  double *g;     /* rank: what is left of the equation */
  double *want;  /* rank: R^T z* */
  double *H, *T; /* rank x rank, n x rank */
} shortest;

/* z and g at y; returns the largest |g| */
static double look(const shortest *x, const double *y) {
  double most = 0;
  core_lin_multiply('N', 'N', x->n, 1, x->rank, 1, x->R, x->n, y, x->rank, 0, x->z, x->n);
  for (int i = 0; i < x->n; i++) x->z[i] = fmax(0, x->z[i]);
  memcpy(x->g, x->want, (size_t)x->rank * sizeof *x->g);
  core_lin_multiply('T', 'N', x->rank, 1, x->n, 1, x->R, x->n, x->z, x->n, -1, x->g, x->rank);
  for (int k = 0; k < x->rank; k++) most = fmax(most, fabs(x->g[k]));
  return most;
}

/* Newton's step from where look was last: H is slightly enlarged where few rows are positive */
static core_status newton_step(const shortest *x, core_scratch *s, double *by) {
  int n = x->n, r = x->rank;
  for (int k = 0; k < r; k++)
    for (int i = 0; i < n; i++) x->T[k * n + i] = x->z[i] > 0 ? x->R[k * n + i] : 0;
  core_lin_multiply('T', 'N', r, r, n, 1, x->R, n, x->T, n, 0, x->H, r);
  for (int k = 0; k < r; k++) x->H[k * r + k] += TOL_FLAT, by[k] = -x->g[k];
  core_mark mark = core_scratch_mark(s);
  core_status status = core_lin_solve_spd(r, x->H, 1, by, s, NULL);
  core_scratch_release(s, mark);
  return status;
}

/* y by steps that gain; returns what is left */
static double walk(const shortest *x, core_scratch *s, double enough, double *y, double *by,
                   double *from) {
  enum { STEPS = 60, HALVINGS = 30 };
  double left = look(x, y);
  for (int i = 0; i < STEPS && left > enough && !core_interrupted(); i++) {
    double f = 1, now = left;
    if (newton_step(x, s, by)) break;
    memcpy(from, y, (size_t)x->rank * sizeof *from);
    for (int k = 0; k < HALVINGS; k++, f /= 2) {
      for (int j = 0; j < x->rank; j++) y[j] = from[j] + f * by[j];
      now = look(x, y);
      if (now < left * (1 - TOL_GAIN * f)) break;
    }
    if (!(now < left)) break;
    left = now;
  }
  return left;
}

int law_lcp_least(int n, int rank, const double *R, const double *z, core_scratch *s,
                  double *least) {
  size_t r = (size_t)rank;
  core_mark mark = core_scratch_mark(s);
  double *memory = core_scratch_doubles(s, r * r + (size_t)n * r + 5 * r + 1), size = 0;
  if (!memory) return 0;
  shortest x = {.n = n, .rank = rank, .R = R, .z = least, .H = memory, .T = memory + r * r};
  x.g = x.T + (size_t)n * r, x.want = x.g + r;
  double *y = x.want + r, *by = y + r, *from = by + r;
  core_lin_multiply('T', 'N', rank, 1, n, 1, R, n, z, n, 0, x.want, rank);
  for (int k = 0; k < rank; k++) size = fmax(size, fabs(x.want[k]));
  memcpy(y, x.want, r * sizeof *y);
  double left = walk(&x, s, TOL_SHARE_ROUNDING * size, y, by, from);
  core_scratch_release(s, mark);
  return left <= TOL_SHARE_FOUND * size;
}
