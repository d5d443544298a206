/* Products, a look for NaN, and what we were linked with. */
#include <stdint.h>
#include <stdio.h>

#include "core/lin_work.h"

#ifndef KNOCK_LAPACK_KIND
#define KNOCK_LAPACK_KIND "unknown"
#endif

const char *core_lin_backend(void) {
  static char text[80]; /* always the same bytes, whoever writes them */
  int major = 0, minor = 0, patch = 0;
  LAPACKE_ilaver(&major, &minor, &patch);
  snprintf(text, sizeof text, "LAPACK %d.%d.%d (%s)", major, minor, patch, KNOCK_LAPACK_KIND);
  return text;
}

/* NaN and infinity have all bits of the exponent set: adding 1 to it carries into the sign bit.
 * Integers, so that the compiler makes a vector loop of it. */
int core_lin_finite(size_t n, const double *x) {
  const uint64_t exponent = UINT64_C(0x7ff) << 52, one = UINT64_C(1) << 52;
  uint64_t carries = 0;
  for (size_t i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    carries |= (bits & exponent) + one;
  }
  return carries >> 63 == 0;
}

/* C = beta C; beta = 0 clears also what is not a number */
static void scale(int m, int n, double beta, double *C, int ldc) {
  if (beta == 1) return;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      C[lin_size(ldc, j) + (size_t)i] = beta == 0 ? 0 : beta * C[lin_size(ldc, j) + (size_t)i];
}

/* c += A b for a column c of m numbers and a column b of k numbers that are `step` apart;
 * four columns of A at a time */
static void add_columns(int m, int k, double alpha, const double *A, int lda, const double *b,
                        size_t step, double *restrict c) {
  int l = 0;
  for (; l + 4 <= k; l += 4) {
    const double *a0 = A + lin_size(lda, l), *a1 = a0 + lda, *a2 = a1 + lda, *a3 = a2 + lda;
    const double *bl = b + (size_t)l * step;
    double b0 = alpha * bl[0], b1 = alpha * bl[step];
    double b2 = alpha * bl[2 * step], b3 = alpha * bl[3 * step];
    for (int i = 0; i < m; i++) c[i] += (a0[i] * b0 + a1[i] * b1) + (a2[i] * b2 + a3[i] * b3);
  }
  for (; l < k; l++) {
    const double *a = A + lin_size(lda, l);
    double bl = alpha * b[(size_t)l * step];
    for (int i = 0; i < m; i++) c[i] += a[i] * bl;
  }
}

/* c += A^T b: each entry is the product of a column of A with b */
static void add_dots(int m, int k, double alpha, const double *A, int lda, const double *b,
                     size_t step, double *restrict c) {
  for (int i = 0; i < m; i++) {
    const double *a = A + lin_size(lda, i);
    double sum = 0;
    for (int l = 0; l < k; l++) sum += a[l] * b[(size_t)l * step];
    c[i] += alpha * sum;
  }
}

void core_lin_multiply(char op_a, char op_b, int m, int n, int k, double alpha, const double *A,
                       int lda, const double *B, int ldb, double beta, double *C, int ldc) {
  scale(m, n, beta, C, ldc);
  for (int j = 0; j < n; j++) {
    /* column j of op(B) */
    const double *b = op_b == 'T' ? B + j : B + lin_size(ldb, j);
    size_t step = op_b == 'T' ? (size_t)ldb : 1;
    double *c = C + lin_size(ldc, j);
    if (op_a == 'T')
      add_dots(m, k, alpha, A, lda, b, step, c);
    else
      add_columns(m, k, alpha, A, lda, b, step, c);
  }
}
