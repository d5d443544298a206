/* The singular value decomposition and what follows from it: least squares, rank, condition. */
#include "core/lin_work.h"

static void set_identity(int n, double *A) {
  if (!A) return;
  for (size_t i = 0; i < lin_size(n, n); i++) A[i] = 0;
  for (int i = 0; i < n; i++) A[lin_size(n, i) + (size_t)i] = 1;
}

/* A = U diag(S) V^T by QR iteration (dgesvd): slower than divide and conquer, but it has no
 * known failures; 'N' skips the vectors that nobody wants */
static core_status decompose(int m, int n, const double *A, core_scratch *s, double *S, double *U,
                             double *Vt) {
  char want_u = U ? 'A' : 'N', want_v = Vt ? 'A' : 'N';
  double best = 0;
  LAPACKE_dgesvd_work(COLUMNS, want_u, want_v, m, n, NULL, m, S, U, m, Vt, n, &best, -1);
  int lwork = (int)best;
  double *work = lin_work(s, lwork);
  double *a = lin_copy(s, lin_size(m, n), A);
  if (!work || !a) return CORE_NO_MEMORY;
  return lin_converged(
      LAPACKE_dgesvd_work(COLUMNS, want_u, want_v, m, n, a, m, S, U, m, Vt, n, work, lwork));
}

core_status core_lin_svd(int m, int n, const double *A, core_scratch *s, double *S, double *U,
                         double *Vt) {
  if (!core_lin_finite(lin_size(m, n), A)) return CORE_NOT_FINITE;
  if (lin_min(m, n) == 0) { /* no singular values; any orthogonal U and V will do */
    set_identity(m, U);
    set_identity(n, Vt);
    return CORE_OK;
  }
  core_mark mark = core_scratch_mark(s);
  core_status status = decompose(m, n, A, s, S, U, Vt);
  core_scratch_release(s, mark);
  return status;
}

static double rank_tolerance(int m, int n, double tol) {
  return tol < 0 ? lin_max(m, n) * DBL_EPSILON : tol;
}

/* B (m x nrhs) and X (n x nrhs) share one array of max(m, n) rows in LAPACK */
static void copy_rows(int rows, int cols, const double *from, int ld_from, double *to, int ld_to) {
  for (int j = 0; j < cols; j++)
    memcpy(to + lin_size(ld_to, j), from + lin_size(ld_from, j), (size_t)rows * sizeof *to);
}

/* X = V diag(1/S, zeros where S <= tol S1) U^T B */
static core_status minimise(int m, int n, const double *A, int nrhs, const double *B, double tol,
                            core_scratch *s, double *X, int *rank) {
  int ld = lin_max(m, n), least = lin_min(m, n);
  double best = 0;
  LAPACKE_dgelss_work(COLUMNS, m, n, nrhs, NULL, m, NULL, ld, NULL, tol, rank, &best, -1);
  int lwork = (int)best;
  double *work = lin_work(s, lwork);
  double *a = lin_copy(s, lin_size(m, n), A);
  double *b = core_scratch_doubles(s, lin_size(ld, nrhs));
  double *S = core_scratch_doubles(s, (size_t)least);
  if (!work || !a || !b || !S) return CORE_NO_MEMORY;
  copy_rows(m, nrhs, B, m, b, ld);
  core_status status = lin_converged(
      LAPACKE_dgelss_work(COLUMNS, m, n, nrhs, a, m, b, ld, S, tol, rank, work, lwork));
  if (!status) copy_rows(n, nrhs, b, ld, X, n);
  return status;
}

core_status core_lin_least_squares(int m, int n, const double *A, int nrhs, const double *B,
                                   double tol, core_scratch *s, double *X, int *rank) {
  int found = 0;
  core_status status = CORE_OK;
  if (!core_lin_finite(lin_size(m, n), A) || !core_lin_finite(lin_size(m, nrhs), B))
    return CORE_NOT_FINITE;
  if (lin_min(m, n) == 0) { /* no equations: the shortest X is 0 */
    for (size_t i = 0; i < lin_size(n, nrhs); i++) X[i] = 0;
  } else {
    core_mark mark = core_scratch_mark(s);
    status = minimise(m, n, A, nrhs, B, rank_tolerance(m, n, tol), s, X, &found);
    core_scratch_release(s, mark);
  }
  if (rank) *rank = found;
  return status;
}

/* what rank, condition and the 2-norm read off the singular values */
typedef struct spectrum {
  int rank;
  double largest, smallest; /* 0 when there are none */
} spectrum;

static core_status singular_values(int m, int n, const double *A, double tol, core_scratch *s,
                                   spectrum *sp) {
  *sp = (spectrum){0, 0, 0};
  int least = lin_min(m, n);
  core_mark mark = core_scratch_mark(s);
  double *S = lin_work(s, least);
  core_status status = S ? core_lin_svd(m, n, A, s, S, NULL, NULL) : CORE_NO_MEMORY;
  if (!status && least) {
    sp->largest = S[0];
    sp->smallest = S[least - 1];
    double floor = rank_tolerance(m, n, tol) * S[0];
    while (sp->rank < least && S[sp->rank] > floor) sp->rank++;
  }
  core_scratch_release(s, mark);
  return status;
}

core_status core_lin_rank(int m, int n, const double *A, double tol, core_scratch *s, int *rank) {
  spectrum sp;
  core_status status = singular_values(m, n, A, tol, s, &sp);
  *rank = sp.rank;
  return status;
}

/* largest / smallest singular value: infinite when singular, 0 when there are none */
core_status core_lin_condition(int m, int n, const double *A, core_scratch *s, double *cond) {
  spectrum sp;
  core_status status = singular_values(m, n, A, -1, s, &sp);
  *cond = lin_min(m, n) == 0 ? 0 : sp.smallest > 0 ? sp.largest / sp.smallest : INFINITY;
  return status;
}

core_status core_lin_norm(char which, int m, int n, const double *A, core_scratch *s,
                          double *norm) {
  if (which == '2') {
    spectrum sp;
    core_status status = singular_values(m, n, A, -1, s, &sp);
    *norm = sp.largest;
    return status;
  }
  if (!core_lin_finite(lin_size(m, n), A)) return CORE_NOT_FINITE;
  core_mark mark = core_scratch_mark(s);
  double *work = lin_work(s, m); /* row sums of the infinity norm */
  if (work) *norm = LAPACKE_dlange_work(COLUMNS, which, m, n, A, lin_ld(m), work);
  core_scratch_release(s, mark);
  return work ? CORE_OK : CORE_NO_MEMORY;
}
