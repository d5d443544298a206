/* Ways to slide that friction cannot reach. Where points of one body are not quite on one level, as
 * when a box rocks, they slide a little on each other, by the angle s times the rocking: rows T of
 * all tangents have W_TT of s^2 there, less than rounding, while W_Tn and v_T have s. Friction had
 * to be 1/s times the other forces to stop that: it is no slip that can end, and contacts that
 * stick would creep by it for ever, in directions of their own. So it is left out, for v_T in the
 * range of W_TT and W_Tn too; the velocities after the impact have it, as its work does.
 */
#include <math.h>

#include "core/lin.h"
#include "impact/laws/lzb/state.h"
#include "impact/laws/tolerance.h"

static int list_tangents(const lzb *z, int *T) {
  int n = 0;
  for (int i = 0; i < z->nc; i++)
    for (int r = z->c[i].t; r < z->c[i].n; r++)
      if (z->c[i].mu > 0 && z->c[i].phase != LZB_OUT) T[n++] = r;
  return n;
}

/* q.x, with `stride` between the rows of x */
static double part(int n, const int *T, const double *q, const double *x, int stride) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += q[i] * x[T[i] * stride];
  return sum;
}

static void leave_out(int n, const int *T, const double *q, double *x, int stride) {
  double by = part(n, T, q, x, stride);
  for (int i = 0; i < n; i++) x[T[i] * stride] -= by * q[i];
}

/* v and W without the direction q of the rows T */
static void reduce(lzb *z, int n, const int *T, const double *q) {
  leave_out(n, T, q, z->v0, 1);
  for (int j = 0; j < z->rows; j++) leave_out(n, T, q, z->W + j * z->rows, 1);
  for (int j = 0; j < z->rows; j++) leave_out(n, T, q, z->W + j, z->rows);
}

/* the directions that count as none, of the eigenvalues w */
static int count_lost(const lzb *z, int n, const int *T, const double *w, const double *Q) {
  int lost = 0;
  while (lost < n && w[lost] <= TOL_LZB_RANK * w[n - 1]) lost++;
  for (int k = 0; k < lost; k++)
    if (fabs(part(n, T, Q + k * n, z->v0, 1)) > TOL_LZB_CREEP) return 0; /* obstacles move */
  return lost;
}

core_status lzb_reach(lzb *z) {
  core_mark mark = core_scratch_mark(z->s);
  int *T = core_scratch_ints(z->s, (size_t)z->rows), n = T ? list_tangents(z, T) : 0;
  size_t size = (size_t)n;
  double *A = core_scratch_doubles(z->s, 2 * size * size + size + 1);
  if (!T || !A) return CORE_NO_MEMORY;
  double *w = A + n * n, *Q = w + n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) A[j * n + i] = z->W[T[j] * z->rows + T[i]];
  core_status status = n ? core_lin_eig_symmetric(n, A, z->s, w, Q) : CORE_OK;
  int lost = n && !status ? count_lost(z, n, T, w, Q) : 0;
  for (int k = 0; k < lost; k++) reduce(z, n, T, Q + k * n);
  for (int r = 0; r < z->rows; r++) z->now.v[r] = z->v0[r];
  z->crept = lost > 0;
  core_scratch_release(z->s, mark);
  return status;
}
