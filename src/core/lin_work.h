/* What the lin_*.c files share: the door to LAPACKE and how they take their workspace. */
#ifndef CORE_LIN_WORK_H
#define CORE_LIN_WORK_H

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "core/lin.h"

_Static_assert(sizeof(lapack_int) == sizeof(int), "core_scratch_ints serves LAPACK's integers");

enum { COLUMNS = LAPACK_COL_MAJOR };

/* leading dimension of a matrix with n rows: LAPACK wants at least 1 */
static inline int lin_ld(int n) {
  return n > 1 ? n : 1;
}

static inline int lin_min(int a, int b) {
  return a < b ? a : b;
}

static inline int lin_max(int a, int b) {
  return a > b ? a : b;
}

static inline size_t lin_size(int m, int n) {
  return (size_t)m * (size_t)n;
}

/* doubles of workspace; LAPACK wants at least 1 */
static inline double *lin_work(core_scratch *s, int n) {
  return core_scratch_doubles(s, (size_t)lin_ld(n));
}

/* a copy of n numbers in the scratch, NULL when memory is out */
static inline double *lin_copy(core_scratch *s, size_t n, const double *x) {
  double *copy = core_scratch_doubles(s, n + 1);
  if (copy && n) memcpy(copy, x, n * sizeof *x);
  return copy;
}

/* the lower triangle only: the upper one need not hold numbers */
static inline int lin_finite_lower(int n, const double *A) {
  for (int j = 0; j < n; j++)
    if (!core_lin_finite((size_t)(n - j), A + lin_size(n, j) + j)) return 0;
  return 1;
}

/* LAPACK's rcond: what it means for us */
static inline core_status lin_regular(double rcond) {
  return rcond >= DBL_EPSILON ? CORE_OK : CORE_SINGULAR;
}

/* info of a routine that iterates: > 0 is no convergence; < 0 can only be a NaN born inside */
static inline core_status lin_converged(int info) {
  return info == 0 ? CORE_OK : info > 0 ? CORE_NOT_CONVERGED : CORE_NOT_FINITE;
}

#endif
