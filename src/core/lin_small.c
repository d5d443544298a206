/* Factors of small matrices. */
#include "core/lin_factor.h"

typedef void back_solver(int n, const double *F, const int *pivots, double *b);

/* largest column sum of |A|; of the lower triangle mirrored when `lower` */
static double norm_1(int n, const double *A, int lower) {
  double most = 0;
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += fabs(lower && i < j ? A[j + n * i] : A[i + n * j]);
    if (sum > most) most = sum;
  }
  return most;
}

/* |A^-1|_1: the largest A^-1 e_j */
static double inverse_norm(int n, const double *F, const int *pivots, back_solver *solve) {
  double most = 0;
  for (int j = 0; j < n; j++) {
    double e[LIN_SMALL], sum = 0;
    for (int i = 0; i < n; i++) e[i] = i == j;
    solve(n, F, pivots, e);
    for (int i = 0; i < n; i++) sum += fabs(e[i]);
    if (!(sum <= most)) most = sum; /* keeps a NaN */
  }
  return most;
}

static double rcond_of(int n, double norm, const double *F, const int *pivots, back_solver *solve) {
  return n ? fmin(1, 1 / norm / inverse_norm(n, F, pivots, solve)) : 1;
}

/* ---- P A = L U ---- */

static void swap_rows(int n, double *A, int k, int p) {
  for (int j = 0; j < n; j++) {
    double t = A[k + n * j];
    A[k + n * j] = A[p + n * j];
    A[p + n * j] = t;
  }
}

/* in place, L below the diagonal with ones on it; 0 when a pivot is 0 */
static int lu(int n, double *A, int *pivots) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i + n * k]) > fabs(A[p + n * k])) p = i;
    pivots[k] = p;
    if (A[p + n * k] == 0) return 0;
    if (p != k) swap_rows(n, A, k, p);
    for (int i = k + 1; i < n; i++) A[i + n * k] /= A[k + n * k];
    for (int j = k + 1; j < n; j++)
      for (int i = k + 1; i < n; i++) A[i + n * j] -= A[i + n * k] * A[k + n * j];
  }
  return 1;
}

static void lu_solve(int n, const double *F, const int *pivots, double *b) {
  for (int k = 0; k < n; k++) {
    double t = b[pivots[k]];
    b[pivots[k]] = b[k];
    b[k] = t;
  }
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) b[i] -= F[i + n * k] * b[k];
  for (int k = n - 1; k >= 0; k--) {
    b[k] /= F[k + n * k];
    for (int i = 0; i < k; i++) b[i] -= F[i + n * k] * b[k];
  }
}

static core_status factor_general(int n, double *A, lin_factors *f) {
  double norm = norm_1(n, A, 0);
  if (!lu(n, A, f->pivots)) return CORE_SINGULAR;
  f->rcond = rcond_of(n, norm, A, f->pivots, lu_solve);
  return lin_regular(f->rcond);
}

static void solve_general(int n, const double *A, const lin_factors *f, int nrhs, double *B) {
  for (int k = 0; k < nrhs; k++) lu_solve(n, A, f->pivots, B + n * k);
}

/* ---- A = L L^T, in the lower triangle ---- */

/* Returns part = product of l_jj^2 / a_jj = det H for A = D H D with a unit diagonal of H, or 0
 * when A is not positive definite. */
static double cholesky(int n, double *A) {
  double part = 1, diagonal[LIN_SMALL];
  for (int j = 0; j < n; j++) diagonal[j] = A[j + n * j];
  for (int j = 0; j < n; j++) {
    double d = A[j + n * j];
    if (!(d > 0)) return 0;
    part *= d / diagonal[j];
    double l = A[j + n * j] = sqrt(d);
    for (int i = j + 1; i < n; i++) A[i + n * j] /= l;
    for (int k = j + 1; k < n; k++)
      for (int i = k; i < n; i++) A[i + n * k] -= A[i + n * j] * A[k + n * j];
  }
  return part;
}

static void cholesky_solve(int n, const double *F, const int *pivots, double *b) {
  (void)pivots;
  for (int k = 0; k < n; k++) {
    b[k] /= F[k + n * k];
    for (int i = k + 1; i < n; i++) b[i] -= F[i + n * k] * b[k];
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int i = k + 1; i < n; i++) b[k] -= F[i + n * k] * b[i];
    b[k] /= F[k + n * k];
  }
}

/* The smallest eigenvalue of H is at least det H ((n - 1) / n)^(n - 1) > det H / e, because its
 * eigenvalues add up to n: det H > 1e-8 is far from singular, and needs no further look. */
static core_status factor_spd(int n, double *A, lin_factors *f) {
  double norm = norm_1(n, A, 1), part = cholesky(n, A);
  if (part == 0) return CORE_SINGULAR;
  if (!f->want && part > 1e-8) return CORE_OK;
  f->rcond = rcond_of(n, norm, A, NULL, cholesky_solve);
  return lin_regular(f->rcond);
}

static void solve_spd(int n, const double *A, const lin_factors *f, int nrhs, double *B) {
  (void)f;
  for (int k = 0; k < nrhs; k++) cholesky_solve(n, A, NULL, B + n * k);
}

const lin_way lin_small_general = {factor_general, solve_general};
const lin_way lin_small_spd = {factor_spd, solve_spd};
