/* Square systems: factor, estimate the condition, solve.
 *
 * All three kinds go the same way: P A = L U (general), A = L L^T (positive definite),
 * A = L D L^T (symmetric indefinite, Bunch-Kaufman); then rcond = 1 / (|A|_1 |A^-1|_1) is
 * estimated from the factors, and only a regular A is solved with.
 */
#include "core/lin_work.h"

/* workspace of one factorisation */
typedef struct factors {
  int *pivots;  /* n */
  int *iwork;   /* n */
  double *work; /* 4 n, or what the factorisation asks for */
  int lwork;
  double rcond;
} factors;

static core_status take(factors *f, int n, int lwork, core_scratch *s) {
  f->rcond = 0;
  f->lwork = lin_max(lin_ld(4 * n), lwork);
  f->pivots = core_scratch_ints(s, (size_t)lin_ld(n));
  f->iwork = core_scratch_ints(s, (size_t)lin_ld(n));
  f->work = lin_work(s, f->lwork);
  return f->pivots && f->iwork && f->work ? CORE_OK : CORE_NO_MEMORY;
}

/* P A = L U in place, and rcond */
static core_status factor_general(int n, double *A, factors *f) {
  if (!core_lin_finite(lin_size(n, n), A)) return CORE_NOT_FINITE;
  double norm = LAPACKE_dlange_work(COLUMNS, '1', n, n, A, lin_ld(n), f->work);
  if (LAPACKE_dgetrf_work(COLUMNS, n, n, A, lin_ld(n), f->pivots)) return CORE_SINGULAR;
  LAPACKE_dgecon_work(COLUMNS, '1', n, A, lin_ld(n), norm, &f->rcond, f->work, f->iwork);
  return lin_regular(f->rcond);
}

/* A = L L^T in place, and rcond */
static core_status factor_spd(int n, double *A, factors *f) {
  if (!lin_finite_lower(n, A)) return CORE_NOT_FINITE;
  double norm = LAPACKE_dlansy_work(COLUMNS, '1', 'L', n, A, lin_ld(n), f->work);
  if (LAPACKE_dpotrf_work(COLUMNS, 'L', n, A, lin_ld(n))) return CORE_SINGULAR;
  LAPACKE_dpocon_work(COLUMNS, 'L', n, A, lin_ld(n), norm, &f->rcond, f->work, f->iwork);
  return lin_regular(f->rcond);
}

/* A = L D L^T in place, and rcond */
static core_status factor_symmetric(int n, double *A, factors *f) {
  if (!lin_finite_lower(n, A)) return CORE_NOT_FINITE;
  double norm = LAPACKE_dlansy_work(COLUMNS, '1', 'L', n, A, lin_ld(n), f->work);
  if (LAPACKE_dsytrf_work(COLUMNS, 'L', n, A, lin_ld(n), f->pivots, f->work, f->lwork))
    return CORE_SINGULAR;
  LAPACKE_dsycon_work(COLUMNS, 'L', n, A, lin_ld(n), f->pivots, norm, &f->rcond, f->work, f->iwork);
  return lin_regular(f->rcond);
}

/* gives the scratch back and reports */
static core_status leave(core_status status, const factors *f, core_scratch *s, core_mark mark,
                         double *rcond) {
  core_scratch_release(s, mark);
  if (rcond) *rcond = f->rcond;
  return status;
}

core_status core_lin_solve(int n, double *A, int nrhs, double *B, core_scratch *s, double *rcond) {
  core_mark mark = core_scratch_mark(s);
  factors f;
  core_status status = take(&f, n, 0, s);
  if (!status && !core_lin_finite(lin_size(n, nrhs), B)) status = CORE_NOT_FINITE;
  if (!status) status = factor_general(n, A, &f);
  if (!status) LAPACKE_dgetrs_work(COLUMNS, 'N', n, nrhs, A, lin_ld(n), f.pivots, B, lin_ld(n));
  return leave(status, &f, s, mark, rcond);
}

core_status core_lin_solve_spd(int n, double *A, int nrhs, double *B, core_scratch *s,
                               double *rcond) {
  core_mark mark = core_scratch_mark(s);
  factors f;
  core_status status = take(&f, n, 0, s);
  if (!status && !core_lin_finite(lin_size(n, nrhs), B)) status = CORE_NOT_FINITE;
  if (!status) status = factor_spd(n, A, &f);
  if (!status) LAPACKE_dpotrs_work(COLUMNS, 'L', n, nrhs, A, lin_ld(n), B, lin_ld(n));
  return leave(status, &f, s, mark, rcond);
}

core_status core_lin_solve_symmetric(int n, double *A, int nrhs, double *B, core_scratch *s,
                                     double *rcond) {
  core_mark mark = core_scratch_mark(s);
  factors f;
  int pivot;
  double best = 0;
  LAPACKE_dsytrf_work(COLUMNS, 'L', n, A, lin_ld(n), &pivot, &best, -1);
  core_status status = take(&f, n, (int)best, s);
  if (!status && !core_lin_finite(lin_size(n, nrhs), B)) status = CORE_NOT_FINITE;
  if (!status) status = factor_symmetric(n, A, &f);
  if (!status) LAPACKE_dsytrs_work(COLUMNS, 'L', n, nrhs, A, lin_ld(n), f.pivots, B, lin_ld(n));
  return leave(status, &f, s, mark, rcond);
}

core_status core_lin_inverse(int n, double *A, core_scratch *s, double *rcond) {
  core_mark mark = core_scratch_mark(s);
  factors f;
  int pivot;
  double best = 0;
  LAPACKE_dgetri_work(COLUMNS, n, A, lin_ld(n), &pivot, &best, -1);
  core_status status = take(&f, n, (int)best, s);
  if (!status) status = factor_general(n, A, &f);
  if (!status) LAPACKE_dgetri_work(COLUMNS, n, A, lin_ld(n), f.pivots, f.work, f.lwork);
  return leave(status, &f, s, mark, rcond);
}

/* det = sign of P times the product of U's diagonal; mantissas and exponents go separately, so
 * that nothing overflows on the way to a result that does not */
static double det_of_factors(int n, const double *LU, const int *pivots) {
  double mantissa = 1;
  long exponent = 0;
  for (int i = 0; i < n; i++) {
    int e;
    mantissa = frexp(mantissa * LU[lin_size(n, i) + i], &e);
    if (pivots[i] != i + 1) mantissa = -mantissa;
    exponent += e;
  }
  if (mantissa == 0) return 0;
  return ldexp(mantissa, (int)fmax(fmin((double)exponent, 5000), -5000));
}

core_status core_lin_det(int n, const double *A, core_scratch *s, double *det) {
  if (!core_lin_finite(lin_size(n, n), A)) return CORE_NOT_FINITE;
  core_mark mark = core_scratch_mark(s);
  double *LU = lin_copy(s, lin_size(n, n), A);
  int *pivots = core_scratch_ints(s, (size_t)lin_ld(n));
  if (LU && pivots) {
    /* an exactly singular A is no failure: its zero pivot makes the product 0 */
    LAPACKE_dgetrf_work(COLUMNS, n, n, LU, lin_ld(n), pivots);
    *det = det_of_factors(n, LU, pivots);
  }
  core_scratch_release(s, mark);
  return LU && pivots ? CORE_OK : CORE_NO_MEMORY;
}
