/* Symmetric eigenproblem of a graded matrix by Jacobi's rotations.
 *
 * For A = D H D with D diagonal of any scales and H well conditioned and positive definite, every
 * eigenvalue comes out to rounding of itself (Demmel and Veselic 1992), however far apart they are:
 * springs whose stiffnesses differ by 1e16. LAPACK's dsyev is exact to rounding of the largest
 * only.
 */
#include <math.h>

#include "core/lin_work.h"
#include "core/tiny.h"

/* Makes a_pq zero; 0 when it is nothing beside sqrt(a_pp a_qq) already. */
static int rotate(int n, int p, int q, double *A, double *V) {
  double apq = A[p + n * q], app = A[p + n * p], aqq = A[q + n * q];
  if (fabs(apq) <= 0x1p-53 * sqrt(fabs(app)) * sqrt(fabs(aqq))) return 0;
  core_tiny_turn(n, p, q, A, V);
  return 1;
}

/* ascending, by exchange of the smallest that is left */
static void sort_pairs(int n, double *w, double *V) {
  for (int i = 0; i < n; i++) {
    int least = i;
    for (int j = i + 1; j < n; j++)
      if (w[j] < w[least]) least = j;
    double keep = w[i];
    w[i] = w[least], w[least] = keep;
    for (int k = 0; k < n && least != i; k++) {
      keep = V[k + n * i];
      V[k + n * i] = V[k + n * least], V[k + n * least] = keep;
    }
  }
}

core_status core_lin_eig_graded(int n, const double *A0, core_scratch *s, double *w, double *V) {
  if (!lin_finite_lower(n, A0)) return CORE_NOT_FINITE;
  core_mark mark = core_scratch_mark(s);
  double *A = core_scratch_doubles(s, lin_size(n, n) + 1);
  if (!A) return CORE_NO_MEMORY;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      A[i + n * j] = A0[i >= j ? i + n * j : j + n * i];
      V[i + n * j] = i == j;
    }
  int moved = 1, sweeps = 0;
  for (; moved && sweeps < 60; sweeps++) { /* quadratic: 6 to 10 are usual */
    moved = 0;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) moved |= rotate(n, p, q, A, V);
  }
  for (int i = 0; i < n; i++) w[i] = A[i + n * i];
  sort_pairs(n, w, V);
  core_scratch_release(s, mark);
  return sweeps < 60 ? CORE_OK : CORE_NOT_CONVERGED;
}
