/* x = S y of K x = b for a singular K: of all solutions the one with y in the range of A = S K S.
 *
 * Where K is symmetric that is the smallest y; with sliding contacts it is the one that has no part
 * which the rows cannot tell: the normal forces are as small as without friction. With U an
 * orthonormal basis of the range, y = U w:
 *
 *   (U^T A U) w = U^T S b
 *
 * Where that is singular too (a range that has a part of the null space) singular values are asked.
 */
#include <math.h>
#include <string.h>

#include "core/lin.h"
#include "sim/motion.h"
#include "sim/tolerance.h"

static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

static void add(int n, double f, const double *x, double *y) {
  for (int i = 0; i < n; i++) y[i] += f * x[i];
}

/* ---- by the range ---- */

/* the longest column of A, and its length */
static int longest(int k, const double *A, double *length) {
  int best = 0;
  *length = -1;
  for (int j = 0; j < k; j++) {
    double size = dot(k, A + j * k, A + j * k);
    if (size > *length) *length = size, best = j;
  }
  *length = sqrt(*length);
  return best;
}

/* Basis of the range of A, which is used up: Gram-Schmidt, the longest of the columns left first,
 * each twice. Returns the rank. */
static int range_of(int k, double *A, double *U) {
  double first = 0, length;
  for (int rank = 0; rank < k; rank++) {
    int best = longest(k, A, &length);
    if (rank == 0) first = length;
    if (!(length > SIM_DEPENDENT * first)) return rank;
    double *u = U + rank * k;
    for (int i = 0; i < k; i++) u[i] = A[best * k + i] / length;
    for (int l = 0; l < rank; l++) add(k, -dot(k, U + l * k, u), U + l * k, u);
    length = sqrt(dot(k, u, u));
    for (int i = 0; i < k; i++) u[i] /= length;
    for (int j = 0; j < k; j++) add(k, -dot(k, u, A + j * k), u, A + j * k);
  }
  return k;
}

/* y of A y = c in the range of A; CORE_SINGULAR: it has none */
static core_status by_range(int k, const double *A, const double *c, core_scratch *s, double *y) {
  size_t n = (size_t)k;
  double *left = core_scratch_doubles(s, 4 * n * n + n), rcond = 0;
  if (!left) return CORE_NO_MEMORY;
  double *U = left + n * n, *T = U + n * n, *G = T + n * n, *w = G + n * n;
  memcpy(left, A, n * n * sizeof *A);
  int rank = range_of(k, left, U);
  core_lin_multiply('N', 'N', k, rank, k, 1, A, k, U, k, 0, T, k);
  core_lin_multiply('T', 'N', rank, rank, k, 1, U, k, T, k, 0, G, rank);
  for (int i = 0; i < rank; i++) w[i] = dot(k, U + i * k, c);
  core_status status = core_lin_solve(rank, G, 1, w, s, &rcond);
  if (!status && rcond < SIM_DEPENDENT) status = CORE_SINGULAR;
  memset(y, 0, n * sizeof *y);
  for (int i = 0; i < rank && !status; i++) add(k, w[i], U + i * k, y);
  return status;
}

/* ---- by singular values ---- */

/* U2^T (y + V2 c) = 0: adds V2 c to y; U2 and V2 are the last d columns of U and V */
static core_status leave_null(int k, int d, const double *U, const double *Vt, core_scratch *s,
                              double *y) {
  double *G = core_scratch_doubles(s, (size_t)(d * d + d)), *c = G + d * d;
  if (!G) return CORE_NO_MEMORY;
  memset(G, 0, (size_t)(d * d + d) * sizeof *G);
  for (int i = 0; i < d; i++) {
    const double *u = U + (k - d + i) * k;
    for (int r = 0; r < k; r++) {
      c[i] -= u[r] * y[r];
      for (int j = 0; j < d; j++) G[j * d + i] += u[r] * Vt[r * k + k - d + j];
    }
  }
  core_status status = core_lin_solve(d, G, 1, c, s, NULL);
  if (status) return status == CORE_SINGULAR ? CORE_OK : status; /* the smallest, then */
  for (int j = 0; j < d; j++)
    for (int r = 0; r < k; r++) y[r] += Vt[r * k + k - d + j] * c[j];
  return CORE_OK;
}

/* y of A y = c in the range of A, or where that has none the smallest */
static core_status by_values(int k, const double *A, const double *c, core_scratch *s, double *y) {
  size_t n = (size_t)k;
  double *U = core_scratch_doubles(s, 2 * n * n + n), *Vt = U + n * n, *sigma = Vt + n * n;
  if (!U) return CORE_NO_MEMORY;
  core_status status = core_lin_svd(k, k, A, s, sigma, U, Vt);
  int rank = 0;
  while (!status && rank < k && sigma[rank] > SIM_DEPENDENT * sigma[0]) rank++;
  memset(y, 0, n * sizeof *y);
  for (int i = 0; i < rank; i++) {
    double part = dot(k, U + i * k, c);
    for (int r = 0; r < k; r++) y[r] += Vt[r * k + i] * part / sigma[i];
  }
  return !status && rank < k ? leave_null(k, k - rank, U, Vt, s, y) : status;
}

/* ---- the door ---- */

core_status sim_solve_smallest(int k, const double *K, const double *S, double *b,
                               core_scratch *s) {
  size_t n = (size_t)k;
  double *A = core_scratch_doubles(s, n * n + 2 * n), *c = A + n * n, *y = c + n;
  if (!A) return CORE_NO_MEMORY;
  for (int j = 0; j < k; j++) {
    c[j] = S[j] * b[j];
    for (int i = 0; i < k; i++) A[j * k + i] = K[j * k + i] * S[i] * S[j];
  }
  core_mark mark = core_scratch_mark(s);
  core_status status = by_range(k, A, c, s, y);
  if (status == CORE_SINGULAR) status = by_values(k, A, c, s, y);
  core_scratch_release(s, mark);
  for (int j = 0; j < k && !status; j++) b[j] = S[j] * y[j];
  return status;
}
