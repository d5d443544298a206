/* Complex square systems, factored once and solved with often. */
#include "core/lin_work.h"

/* real and imaginary parts side by side are what LAPACK takes */
static lapack_complex_double *as_complex(double *A) {
  return (lapack_complex_double *)(void *)A;
}

core_status core_lin_factor_complex(int n, double *A, int *pivots) {
  if (!core_lin_finite(2 * lin_size(n, n), A)) return CORE_NOT_FINITE;
  return LAPACKE_zgetrf_work(COLUMNS, n, n, as_complex(A), lin_ld(n), pivots) ? CORE_SINGULAR
                                                                              : CORE_OK;
}

void core_lin_solve_complex(int n, const double *factors, const int *pivots, double *b) {
  LAPACKE_zgetrs_work(COLUMNS, 'N', n, 1, as_complex((double *)factors), lin_ld(n), pivots,
                      as_complex(b), lin_ld(n));
}
