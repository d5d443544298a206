/* Eigenproblems: symmetric, symmetric-definite pairs, general. */
#include "core/lin_work.h"

core_status core_lin_eig_symmetric(int n, const double *A, core_scratch *s, double *w, double *V) {
  if (!lin_finite_lower(n, A)) return CORE_NOT_FINITE;
  core_mark mark = core_scratch_mark(s);
  double best = 0;
  LAPACKE_dsyev_work(COLUMNS, 'V', 'L', n, V, lin_ld(n), w, &best, -1);
  int lwork = lin_ld((int)best);
  double *work = lin_work(s, lwork);
  double *a = V ? V : core_scratch_doubles(s, lin_size(n, n) + 1);
  core_status status = CORE_NO_MEMORY;
  if (work && a) {
    if (n) memcpy(a, A, lin_size(n, n) * sizeof *a);
    char job = V ? 'V' : 'N';
    status = lin_converged(LAPACKE_dsyev_work(COLUMNS, job, 'L', n, a, lin_ld(n), w, work, lwork));
  }
  core_scratch_release(s, mark);
  return status;
}

/* dsygv: info > n says that B's Cholesky factorisation failed */
static core_status pair_status(int n, int info) {
  return info > n ? CORE_SINGULAR : lin_converged(info);
}

core_status core_lin_eig_generalised(int n, const double *A, const double *B, core_scratch *s,
                                     double *w, double *V) {
  if (!lin_finite_lower(n, A) || !lin_finite_lower(n, B)) return CORE_NOT_FINITE;
  core_mark mark = core_scratch_mark(s);
  int ld = lin_ld(n);
  double best = 0;
  LAPACKE_dsygv_work(COLUMNS, 1, 'V', 'L', n, V, ld, NULL, ld, w, &best, -1);
  int lwork = lin_ld((int)best);
  double *work = lin_work(s, lwork);
  double *b = lin_copy(s, lin_size(n, n), B);
  double *a = V ? V : core_scratch_doubles(s, lin_size(n, n) + 1);
  core_status status = CORE_NO_MEMORY;
  if (work && a && b) {
    if (n) memcpy(a, A, lin_size(n, n) * sizeof *a);
    char job = V ? 'V' : 'N';
    status =
        pair_status(n, LAPACKE_dsygv_work(COLUMNS, 1, job, 'L', n, a, ld, b, ld, w, work, lwork));
  }
  core_scratch_release(s, mark);
  return status;
}

core_status core_lin_eig(int n, const double *A, core_scratch *s, double *w_re, double *w_im,
                         double *V) {
  if (!core_lin_finite(lin_size(n, n), A)) return CORE_NOT_FINITE;
  core_mark mark = core_scratch_mark(s);
  char job = V ? 'V' : 'N';
  int ld = lin_ld(n);
  double best = 0;
  LAPACKE_dgeev_work(COLUMNS, 'N', job, n, NULL, ld, NULL, NULL, NULL, 1, V, ld, &best, -1);
  int lwork = lin_ld((int)best);
  double *work = lin_work(s, lwork);
  double *a = lin_copy(s, lin_size(n, n), A);
  core_status status = CORE_NO_MEMORY;
  if (work && a)
    status = lin_converged(
        LAPACKE_dgeev_work(COLUMNS, 'N', job, n, a, ld, w_re, w_im, NULL, 1, V, ld, work, lwork));
  core_scratch_release(s, mark);
  return status;
}
