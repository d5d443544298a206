#include "impact/block.h"

#include <math.h>
#include <string.h>

#include "core/lin.h"
#include "impact/tolerance.h"

/* how many rows of A are independent, each row counted at unit length */
static core_status count_rows(int n, int m, const double *A, core_scratch *s, int *rank) {
  double *B = core_scratch_doubles(s, (size_t)m * (size_t)n);
  if (!B) return CORE_NO_MEMORY;
  for (int i = 0; i < m; i++) {
    double norm = 0;
    for (int j = 0; j < n; j++) norm = hypot(norm, A[j * m + i]);
    for (int j = 0; j < n; j++) B[j * m + i] = norm > 0 ? A[j * m + i] / norm : 0;
  }
  return core_lin_rank(m, n, B, -1, s, rank);
}

/* powers of 2 that bring the largest entry of each row and column of symmetric K near 1 */
static void balance(int n, double *K, double *scale) {
  for (int i = 0; i < n; i++) scale[i] = 1;
  for (int sweep = 0; sweep < 4; sweep++)
    for (int i = 0; i < n; i++) {
      double most = 0;
      for (int j = 0; j < n; j++) most = fmax(most, fabs(K[i * n + j]));
      if (most == 0) continue;
      double f = exp2(-round(log2(most) / 2));
      for (int j = 0; j < n; j++) K[i * n + j] *= f, K[j * n + i] *= f;
      scale[i] *= f;
    }
}

/* X = K^-1 for K = [M B^T; B 0] with the r rows of B; X is (n + r) x (n + r) */
static core_status invert(int n, int r, const double *M, const double *B, core_scratch *s,
                          double *X, double *rcond) {
  int size = n + r;
  double *scale = core_scratch_doubles(s, (size_t)size);
  if (!scale) return CORE_NO_MEMORY;
  memset(X, 0, (size_t)size * (size_t)size * sizeof *X);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) X[j * size + i] = (M[j * n + i] + M[i * n + j]) / 2;
    for (int i = 0; i < r; i++) X[j * size + n + i] = X[(n + i) * size + j] = B[j * r + i];
  }
  balance(size, X, scale);
  core_status status = core_lin_inverse(size, X, s, rcond);
  if (status) return status;
  for (int j = 0; j < size; j++)
    for (int i = 0; i < size; i++) X[j * size + i] *= scale[i] * scale[j];
  return CORE_OK;
}

/* With A = U B, U^T U = I, B of full rank: A† = U B†, Λ† = U Λ_B† U^T. */
static core_status daggers(int n, int m, const double *M, const double *A, int rank,
                           core_scratch *s, impact_block_result *r) {
  size_t size = (size_t)(n + rank), rows = (size_t)m;
  double *X = core_scratch_doubles(s, size * size + (size_t)rank * (size_t)(n + m));
  double *U = core_scratch_doubles(s, rows * rows), *S = core_scratch_doubles(s, (size_t)(n + m));
  if (!X || !U || !S) return CORE_NO_MEMORY;
  double *B = X + size * size, *UL = B + rank * n;
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++) U[j * m + i] = i == j;
  core_status status = rank < m ? core_lin_svd(m, n, A, s, S, U, NULL) : CORE_OK;
  if (status) return status;
  core_lin_multiply('T', 'N', rank, n, m, 1, U, m, A, m, 0, B, rank);
  status = invert(n, rank, M, B, s, X, &r->rcond);
  if (status) return status;
  int ld = n + rank;
  for (int j = 0; j < n; j++) memcpy(r->M_dagger + j * n, X + j * ld, (size_t)n * sizeof *X);
  core_lin_multiply('N', 'N', m, n, rank, 1, U, m, X + n, ld, 0, r->A_dagger, m);
  core_lin_multiply('N', 'N', m, rank, rank, 1, U, m, X + n * ld + n, ld, 0, UL, m);
  core_lin_multiply('N', 'T', m, m, rank, 1, UL, m, U, m, 0, r->L_dagger, m);
  return CORE_OK;
}

/* u+ and P^ from the daggers, and whether A u+ = -e A u- came true */
static core_status apply(int n, int m, const double *A, const double *u, const double *e,
                         core_scratch *s, impact_block_result *r) {
  double *jump = core_scratch_doubles(s, (size_t)m);
  if (!jump) return CORE_NO_MEMORY;
  core_lin_multiply('N', 'N', m, 1, n, 1, A, m, u, n, 0, jump, m);
  double size = 0;
  for (int i = 0; i < m; i++) jump[i] *= 1 + e[i], size = fmax(size, fabs(jump[i]));
  memcpy(r->u, u, (size_t)n * sizeof *u);
  core_lin_multiply('T', 'N', n, 1, m, -1, r->A_dagger, m, jump, m, 1, r->u, n);
  core_lin_multiply('N', 'N', m, 1, m, -1, r->L_dagger, m, jump, m, 0, r->P, m);
  if (r->rank == m) return CORE_OK;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) jump[i] += A[j * m + i] * (r->u[j] - u[j]);
  for (int i = 0; i < m; i++)
    if (fabs(jump[i]) > TOL_FOLLOWS * size) return CORE_NO_SOLUTION;
  return CORE_OK;
}

static core_status solve(int n, int m, const double *M, const double *A, const double *u,
                         const double *e, core_scratch *s, impact_block_result *r) {
  if (!core_lin_finite((size_t)n * (size_t)n, M) || !core_lin_finite((size_t)m * (size_t)n, A) ||
      !core_lin_finite((size_t)n, u) || !core_lin_finite((size_t)m, e))
    return CORE_NOT_FINITE;
  core_status status = count_rows(n, m, A, s, &r->rank);
  if (!status) status = daggers(n, m, M, A, r->rank, s, r);
  return status ? status : apply(n, m, A, u, e, s, r);
}

core_status impact_block(int n, int m, const double *M, const double *A, const double *u,
                         const double *e, core_scratch *s, impact_block_result *r,
                         core_error *err) {
  core_mark mark = core_scratch_mark(s);
  core_status status = solve(n, m, M, A, u, e, s, r);
  core_scratch_release(s, mark);
  if (status == CORE_OK) return status;
  const char *text = core_status_text(status);
  if (status == CORE_SINGULAR) text = "the matrix [M A^T; A 0] is singular";
  if (status == CORE_NO_SOLUTION) text = "rows of A depend on each other and their e contradict";
  return core_fail(err, status, "block: %s", text);
}
