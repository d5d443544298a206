/* Square systems: take the units out, factor, look at the condition, solve.
 *
 * All three kinds go the same way. With H = R A C (see lin_equilibrate), P H = L U (general),
 * H = L L^T (positive definite) or H = L D L^T (symmetric indefinite, Bunch-Kaufman); then
 * rcond = 1 / (|H|_1 |H^-1|_1) from the factors, and only a regular H is solved with:
 * A X = B gives X = C H^-1 R B.
 */
#include "core/lin_factor.h"

/* ---- the ways by LAPACK ---- */

static core_status factor_general(int n, double *A, lin_factors *f) {
  double norm = LAPACKE_dlange_work(COLUMNS, '1', n, n, A, lin_ld(n), f->work);
  if (LAPACKE_dgetrf_work(COLUMNS, n, n, A, lin_ld(n), f->pivots)) return CORE_SINGULAR;
  LAPACKE_dgecon_work(COLUMNS, '1', n, A, lin_ld(n), norm, &f->rcond, f->work, f->iwork);
  return lin_regular(f->rcond);
}

static void solve_general(int n, const double *A, const lin_factors *f, int nrhs, double *B) {
  LAPACKE_dgetrs_work(COLUMNS, 'N', n, nrhs, A, lin_ld(n), f->pivots, B, lin_ld(n));
}

static core_status factor_spd(int n, double *A, lin_factors *f) {
  double norm = LAPACKE_dlansy_work(COLUMNS, '1', 'L', n, A, lin_ld(n), f->work);
  if (LAPACKE_dpotrf_work(COLUMNS, 'L', n, A, lin_ld(n))) return CORE_SINGULAR;
  LAPACKE_dpocon_work(COLUMNS, 'L', n, A, lin_ld(n), norm, &f->rcond, f->work, f->iwork);
  return lin_regular(f->rcond);
}

static void solve_spd(int n, const double *A, const lin_factors *f, int nrhs, double *B) {
  (void)f;
  LAPACKE_dpotrs_work(COLUMNS, 'L', n, nrhs, A, lin_ld(n), B, lin_ld(n));
}

static core_status factor_symmetric(int n, double *A, lin_factors *f) {
  double norm = LAPACKE_dlansy_work(COLUMNS, '1', 'L', n, A, lin_ld(n), f->work);
  if (LAPACKE_dsytrf_work(COLUMNS, 'L', n, A, lin_ld(n), f->pivots, f->work, f->lwork))
    return CORE_SINGULAR;
  LAPACKE_dsycon_work(COLUMNS, 'L', n, A, lin_ld(n), f->pivots, norm, &f->rcond, f->work, f->iwork);
  return lin_regular(f->rcond);
}

static void solve_symmetric(int n, const double *A, const lin_factors *f, int nrhs, double *B) {
  LAPACKE_dsytrs_work(COLUMNS, 'L', n, nrhs, A, lin_ld(n), f->pivots, B, lin_ld(n));
}

static const lin_way general = {factor_general, solve_general};
static const lin_way spd = {factor_spd, solve_spd};
static const lin_way symmetric = {factor_symmetric, solve_symmetric};

/* ---- the common road ---- */

static core_status take(lin_factors *f, int n, int lwork, int want, core_scratch *s) {
  f->rcond = 0;
  f->want = want;
  f->lwork = n > LIN_SMALL ? lin_max(4 * n, lwork) : 1;
  f->pivots = core_scratch_ints(s, (size_t)lin_ld(2 * n));
  f->r = lin_work(s, 4 * n);
  f->work = lin_work(s, f->lwork);
  if (!f->pivots || !f->r || !f->work) return CORE_NO_MEMORY;
  f->iwork = f->pivots + n;
  f->c = f->r + 2 * n;
  return CORE_OK;
}

static void scale_rows(int n, int nrhs, const double *d, double *B) {
  for (int j = 0; j < nrhs; j++)
    for (int i = 0; i < n; i++) B[lin_size(n, j) + (size_t)i] *= d[i];
}

/* factors the scaled A, then X = C H^-1 R B */
static core_status factor_and_solve(const lin_way *way, lin_factors *f, int n, double *A, int nrhs,
                                    double *B) {
  core_status status = way->factor(n, A, f);
  if (status) return status;
  scale_rows(n, nrhs, f->r, B);
  way->solve(n, A, f, nrhs, B);
  scale_rows(n, nrhs, f->c, B);
  return CORE_OK;
}

static core_status leave(core_status status, const lin_factors *f, core_scratch *s, core_mark mark,
                         double *rcond) {
  core_scratch_release(s, mark);
  if (rcond) *rcond = f->rcond;
  return status;
}

core_status core_lin_solve(int n, double *A, int nrhs, double *B, core_scratch *s, double *rcond) {
  core_mark mark = core_scratch_mark(s);
  lin_factors f;
  core_status status = take(&f, n, 0, rcond != NULL, s);
  int finite = core_lin_finite(lin_size(n, n), A) && core_lin_finite(lin_size(n, nrhs), B);
  if (!status && !finite) status = CORE_NOT_FINITE;
  if (!status) {
    lin_equilibrate(n, A, f.r, f.c);
    status = factor_and_solve(n > LIN_SMALL ? &general : &lin_small_general, &f, n, A, nrhs, B);
  }
  return leave(status, &f, s, mark, rcond);
}

core_status core_lin_solve_spd(int n, double *A, int nrhs, double *B, core_scratch *s,
                               double *rcond) {
  core_mark mark = core_scratch_mark(s);
  lin_factors f;
  core_status status = take(&f, n, 0, rcond != NULL, s);
  int finite = lin_finite_lower(n, A) && core_lin_finite(lin_size(n, nrhs), B);
  if (!status && !finite) status = CORE_NOT_FINITE;
  if (!status && !lin_equilibrate_spd(n, A, f.r, f.c)) status = CORE_SINGULAR;
  if (!status) status = factor_and_solve(n > LIN_SMALL ? &spd : &lin_small_spd, &f, n, A, nrhs, B);
  return leave(status, &f, s, mark, rcond);
}

core_status core_lin_cholesky(int n, double *A, int ld) {
  return n > 0 && LAPACKE_dpotrf_work(COLUMNS, 'U', n, A, ld) ? CORE_SINGULAR : CORE_OK;
}

/* columns so short that plain sums below their zeros are faster than LAPACK with them */
static int is_narrow(int n, const int *from) {
  double work = 0, all = n;
  for (int j = 0; j < n; j++) work += (double)(j - from[j]) * (j - from[j]);
  return 32 * work < all * all * all;
}

/* column by column, U_ij = (A_ij - sum_k U_ki U_kj)/U_ii over what is not zero in both */
static core_status narrow_cholesky(int n, double *A, int ld, const int *from) {
  for (int j = 0; j < n; j++) {
    double *b = A + lin_size(ld, j);
    for (int i = from[j]; i <= j; i++) {
      const double *a = A + lin_size(ld, i);
      double sum = b[i];
      for (int k = lin_max(from[i], from[j]); k < i; k++) sum -= a[k] * b[k];
      if (i == j && !(sum > 0)) return CORE_SINGULAR;
      b[i] = i == j ? sqrt(sum) : sum / a[i];
    }
  }
  return CORE_OK;
}

core_status core_lin_cholesky_below(int n, double *A, int ld, const int *from) {
  return is_narrow(n, from) ? narrow_cholesky(n, A, ld, from) : core_lin_cholesky(n, A, ld);
}

/* the upper triangle becomes the mirror image of the lower one */
static void mirror(int n, double *A) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < j; i++) A[i + lin_size(n, j)] = A[j + lin_size(n, i)];
}

core_status core_lin_solve_symmetric(int n, double *A, int nrhs, double *B, core_scratch *s,
                                     double *rcond) {
  core_mark mark = core_scratch_mark(s);
  lin_factors f;
  int pivot;
  double best = 0;
  if (n > LIN_SMALL) LAPACKE_dsytrf_work(COLUMNS, 'L', n, A, n, &pivot, &best, -1);
  core_status status = take(&f, n, (int)best, rcond != NULL, s);
  int finite = lin_finite_lower(n, A) && core_lin_finite(lin_size(n, nrhs), B);
  if (!status && !finite) status = CORE_NOT_FINITE;
  if (!status) {
    mirror(n, A);
    lin_equilibrate(n, A, f.r, f.c);
    status = factor_and_solve(n > LIN_SMALL ? &symmetric : &lin_small_general, &f, n, A, nrhs, B);
  }
  return leave(status, &f, s, mark, rcond);
}

/* A^-1 = A \ I */
core_status core_lin_inverse(int n, double *A, core_scratch *s, double *rcond) {
  core_mark mark = core_scratch_mark(s);
  double *X = lin_work(s, n * n);
  if (rcond) *rcond = 0;
  core_status status = X ? CORE_OK : CORE_NO_MEMORY;
  if (!status) {
    for (int i = 0; i < n * n; i++) X[i] = i % (n + 1) == 0;
    status = core_lin_solve(n, A, n, X, s, rcond);
  }
  if (!status && n) memcpy(A, X, lin_size(n, n) * sizeof *A);
  core_scratch_release(s, mark);
  return status;
}

/* ---- determinant ---- */

/* det = sign of P times the product of U's diagonal; mantissas and exponents go separately, so
 * that nothing overflows on the way to a result that does not */
static double det_of_factors(int n, const double *LU, const int *pivots) {
  double mantissa = 1;
  long exponent = 0;
  for (int i = 0; i < n; i++) {
    int e;
    mantissa = frexp(mantissa * LU[lin_size(n, i) + (size_t)i], &e);
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
