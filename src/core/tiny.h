/* Linear algebra for n = 1, 2, 3, inlined: what one or two contacts need.
 *
 * Column-major like lin.h, no workspace. Each body is written once with loops over a constant n;
 * the dispatcher hands it 1, 2 or 3, and the compiler unrolls it.
 *
 * Singular here means: the determinant is nothing but rounding, that is at most CORE_TINY_ROUNDING
 * times the sum of the magnitudes of its terms. This does not depend on the units of rows and
 * columns; lin.h's test on rcond does. A NaN counts as singular. Entries should lie between
 * 1e-100 and 1e100, so that products of three stay in range.
 */
#ifndef CORE_TINY_H
#define CORE_TINY_H

#include <float.h>
#include <math.h>

#include "core/status.h"

#define CORE_TINY_ROUNDING (16 * DBL_EPSILON)
#define CORE_TINY_INLINE static inline __attribute__((always_inline))

/* calls body(n, ...) with a constant n; the others are programmer mistakes */
#define CORE_TINY_DISPATCH(n, body, ...)                                                           \
  ((n) == 3 ? body(3, __VA_ARGS__) : (n) == 2 ? body(2, __VA_ARGS__) : body(1, __VA_ARGS__))

/* ---- Cholesky: A = L L^T ---- */

/* l_jj^2 = a_jj - sum l_jk^2,  l_ij = (a_ij - sum l_ik l_jk) / l_jj;
 * part = product of l_jj^2 / a_jj = det A / product of a_jj, whose rounding error is a few eps */
CORE_TINY_INLINE core_status core_tiny_chol_n(const int n, double *A) {
  double part = 1;
  for (int j = 0; j < n; j++) {
    double a = A[j + n * j], d = a;
    for (int k = 0; k < j; k++) d -= A[j + n * k] * A[j + n * k];
    part *= d / a;
    if (!(d > 0 && part > CORE_TINY_ROUNDING)) return CORE_SINGULAR;
    double l = A[j + n * j] = sqrt(d);
    for (int i = j + 1; i < n; i++) {
      for (int k = 0; k < j; k++) A[i + n * j] -= A[i + n * k] * A[j + n * k];
      A[i + n * j] /= l;
    }
  }
  return CORE_OK;
}

/* L y = b forward, L^T x = y backward */
CORE_TINY_INLINE int core_tiny_chol_solve_n(const int n, const double *L, double *b) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) b[i] -= L[i + n * k] * b[k];
    b[i] /= L[i + n * i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) b[i] -= L[k + n * i] * b[k];
    b[i] /= L[i + n * i];
  }
  return 0;
}

/* factors in place; the lower triangle is read and written. CORE_SINGULAR: not positive definite */
static inline core_status core_tiny_chol(int n, double *A) {
  return CORE_TINY_DISPATCH(n, core_tiny_chol_n, A);
}

/* b becomes A^-1 b, with L from core_tiny_chol */
static inline void core_tiny_chol_solve(int n, const double *L, double *b) {
  (void)CORE_TINY_DISPATCH(n, core_tiny_chol_solve_n, L, b);
}

CORE_TINY_INLINE core_status core_tiny_solve_spd_n(const int n, const double *A, double *b) {
  double L[9];
  for (int i = 0; i < n * n; i++) L[i] = A[i];
  core_status status = core_tiny_chol_n(n, L);
  if (!status) core_tiny_chol_solve_n(n, L, b);
  return status;
}

/* b becomes A^-1 b for positive definite A; b stays when CORE_SINGULAR */
static inline core_status core_tiny_solve_spd(int n, const double *A, double *b) {
  return CORE_TINY_DISPATCH(n, core_tiny_solve_spd_n, A, b);
}

/* ---- determinant and inverse by cofactors ---- */

static inline double core_tiny_det2(const double *A) {
  return A[0] * A[3] - A[2] * A[1];
}

static inline double core_tiny_det3(const double *A) {
  return A[0] * (A[4] * A[8] - A[7] * A[5]) - A[3] * (A[1] * A[8] - A[7] * A[2]) +
         A[6] * (A[1] * A[5] - A[4] * A[2]);
}

static inline double core_tiny_det(int n, const double *A) {
  return n == 3 ? core_tiny_det3(A) : n == 2 ? core_tiny_det2(A) : A[0];
}

/* the determinant with all terms added: the yardstick for its rounding */
static inline double core_tiny_permanent(int n, const double *A) {
  if (n == 1) return fabs(A[0]);
  if (n == 2) return fabs(A[0] * A[3]) + fabs(A[2] * A[1]);
  return fabs(A[0]) * (fabs(A[4] * A[8]) + fabs(A[7] * A[5])) +
         fabs(A[3]) * (fabs(A[1] * A[8]) + fabs(A[7] * A[2])) +
         fabs(A[6]) * (fabs(A[1] * A[5]) + fabs(A[4] * A[2]));
}

/* X = adj(A), so that A X = det(A) I; X must not be A */
static inline void core_tiny_adjugate(int n, const double *A, double *X) {
  if (n == 1) {
    X[0] = 1;
  } else if (n == 2) {
    X[0] = A[3], X[1] = -A[1];
    X[2] = -A[2], X[3] = A[0];
  } else {
    X[0] = A[4] * A[8] - A[7] * A[5], X[1] = A[7] * A[2] - A[1] * A[8];
    X[2] = A[1] * A[5] - A[4] * A[2], X[3] = A[6] * A[5] - A[3] * A[8];
    X[4] = A[0] * A[8] - A[6] * A[2], X[5] = A[3] * A[2] - A[0] * A[5];
    X[6] = A[3] * A[7] - A[6] * A[4], X[7] = A[6] * A[1] - A[0] * A[7];
    X[8] = A[0] * A[4] - A[3] * A[1];
  }
}

/* X = A^-1; X must not be A and holds no inverse when CORE_SINGULAR */
static inline core_status core_tiny_inverse(int n, const double *A, double *X) {
  double det = core_tiny_det(n, A);
  if (!(fabs(det) > CORE_TINY_ROUNDING * core_tiny_permanent(n, A))) return CORE_SINGULAR;
  core_tiny_adjugate(n, A, X);
  for (int i = 0; i < n * n; i++) X[i] /= det;
  return CORE_OK;
}

/* ---- LU with partial pivoting ---- */

CORE_TINY_INLINE void core_tiny_swap(double *a, double *b) {
  double t = *a;
  *a = *b;
  *b = t;
}

/* brings the largest entry of column k at or below the diagonal to the diagonal, in A and b */
CORE_TINY_INLINE void core_tiny_pivot(const int n, int k, double *A, double *b) {
  int p = k;
  for (int i = k + 1; i < n; i++)
    if (fabs(A[i + n * k]) > fabs(A[p + n * k])) p = i;
  if (p == k) return;
  for (int j = 0; j < n; j++) core_tiny_swap(&A[k + n * j], &A[p + n * j]);
  core_tiny_swap(&b[k], &b[p]);
}

/* elimination on a copy, then backwards; det is the product of the pivots but for its sign */
CORE_TINY_INLINE core_status core_tiny_solve_n(const int n, const double *A0, double *b0) {
  double A[9], b[3], det = 1;
  for (int i = 0; i < n * n; i++) A[i] = A0[i];
  for (int i = 0; i < n; i++) b[i] = b0[i];
  for (int k = 0; k < n; k++) {
    core_tiny_pivot(n, k, A, b);
    det *= A[k + n * k];
    if (!(fabs(det) > 0)) return CORE_SINGULAR;
    for (int i = k + 1; i < n; i++) {
      double l = A[i + n * k] / A[k + n * k];
      for (int j = k + 1; j < n; j++) A[i + n * j] -= l * A[k + n * j];
      b[i] -= l * b[k];
    }
  }
  if (!(fabs(det) > CORE_TINY_ROUNDING * core_tiny_permanent(n, A0))) return CORE_SINGULAR;
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) b[i] -= A[i + n * k] * b[k];
    b0[i] = b[i] /= A[i + n * i];
  }
  return CORE_OK;
}

/* b becomes A^-1 b for any regular A; b stays when CORE_SINGULAR */
static inline core_status core_tiny_solve(int n, const double *A, double *b) {
  return CORE_TINY_DISPATCH(n, core_tiny_solve_n, A, b);
}

/* ---- symmetric eigenproblem: cyclic Jacobi ---- */

/* The rotation that makes a_pq zero: t = tan of the smaller angle, with t^2 + 2 theta t - 1 = 0,
 * theta = (a_qq - a_pp) / (2 a_pq). A is kept full and symmetric, V turns with it. */
CORE_TINY_INLINE void core_tiny_turn(const int n, int p, int q, double *A, double *V) {
  double apq = A[p + n * q], app = A[p + n * p], aqq = A[q + n * q];
  double theta = (aqq - app) / (2 * apq);
  double t = copysign(1 / (fabs(theta) + sqrt(theta * theta + 1)), theta);
  double c = 1 / sqrt(t * t + 1), s = t * c;
  A[p + n * p] = app - t * apq;
  A[q + n * q] = aqq + t * apq;
  A[p + n * q] = A[q + n * p] = 0;
  for (int k = 0; k < n; k++) {
    if (k != p && k != q) {
      double akp = A[k + n * p], akq = A[k + n * q];
      A[k + n * p] = A[p + n * k] = c * akp - s * akq;
      A[k + n * q] = A[q + n * k] = s * akp + c * akq;
    }
    double vkp = V[k + n * p], vkq = V[k + n * q];
    V[k + n * p] = c * vkp - s * vkq;
    V[k + n * q] = s * vkp + c * vkq;
  }
}

/* Makes a_pq zero. Returns 0 when it is already nothing beside both diagonal entries. */
CORE_TINY_INLINE int core_tiny_rotate(const int n, int p, int q, double *A, double *V) {
  double apq = A[p + n * q], beside = fmin(fabs(A[p + n * p]), fabs(A[q + n * q]));
  if (apq == 0) return 0;
  if (fabs(apq) <= 0.125 * DBL_EPSILON * beside) {
    A[p + n * q] = A[q + n * p] = 0;
    return 0;
  }
  core_tiny_turn(n, p, q, A, V);
  return 1;
}

/* swaps pairs i and j when they are in the wrong order */
CORE_TINY_INLINE void core_tiny_order(const int n, int i, int j, double *w, double *V) {
  if (!(w[i] > w[j])) return;
  core_tiny_swap(&w[i], &w[j]);
  for (int k = 0; k < n; k++) core_tiny_swap(&V[k + n * i], &V[k + n * j]);
}

CORE_TINY_INLINE core_status core_tiny_eig_n(const int n, const double *A0, double *w, double *V) {
  double A[9], zero = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      A[i + n * j] = A0[i >= j ? i + n * j : j + n * i];
      V[i + n * j] = i == j;
      zero += 0 * A[i + n * j];
    }
  if (zero != 0) return CORE_NOT_FINITE;
  /* quadratic convergence: 6 sweeps are usual, 40 cannot happen */
  for (int sweep = 0, moved = 1; moved; sweep++) {
    if (sweep == 40) return CORE_NOT_CONVERGED;
    moved = 0;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) moved |= core_tiny_rotate(n, p, q, A, V);
  }
  for (int i = 0; i < n; i++) w[i] = A[i + n * i];
  if (n > 1) core_tiny_order(n, 0, 1, w, V);
  if (n > 2) {
    core_tiny_order(n, 1, 2, w, V);
    core_tiny_order(n, 0, 1, w, V);
  }
  return CORE_OK;
}

/* A = V diag(w) V^T for symmetric A (lower triangle is read), w ascending, V orthogonal also for
 * repeated eigenvalues */
static inline core_status core_tiny_eig_symmetric(int n, const double *A, double *w, double *V) {
  return CORE_TINY_DISPATCH(n, core_tiny_eig_n, A, w, V);
}

#endif
