/* Matrices for the tests of src/core: column-major, reproducible, and plain loops that share no
 * code with what they check. */
#ifndef TESTS_LIN_HELP_H
#define TESTS_LIN_HELP_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* xorshift64*: uniform in [-1, 1) */
static inline double uniform(uint64_t *seed) {
  *seed ^= *seed >> 12;
  *seed ^= *seed << 25;
  *seed ^= *seed >> 27;
  return (double)(*seed * UINT64_C(2685821657736338717) >> 11) * 0x1p-52 - 1;
}

static inline double *matrix(int m, int n) {
  return calloc((size_t)m * (size_t)n + 1, sizeof(double));
}

static inline double *copy_of(int m, int n, const double *A) {
  double *C = matrix(m, n);
  memcpy(C, A, (size_t)m * (size_t)n * sizeof *C);
  return C;
}

static inline double *random_matrix(int m, int n, uint64_t seed) {
  seed = seed * 77777 + 12345;
  double *A = matrix(m, n);
  for (int i = 0; i < m * n; i++) A[i] = uniform(&seed);
  return A;
}

/* textbook product, row by row */
static inline double *product(int m, int k, int n, const double *A, const double *B) {
  double *C = matrix(m, n);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int l = 0; l < k; l++) C[i + m * j] += A[i + m * l] * B[l + k * j];
  return C;
}

static inline double *transposed(int m, int n, const double *A) {
  double *T = matrix(n, m);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) T[j + n * i] = A[i + m * j];
  return T;
}

static inline double *identity(int n) {
  double *I = matrix(n, n);
  for (int i = 0; i < n; i++) I[i + n * i] = 1;
  return I;
}

/* R R^T + I / 10: positive definite */
static inline double *random_spd(int n, uint64_t seed) {
  double *R = random_matrix(n, n, seed), *T = transposed(n, n, R), *A = product(n, n, n, R, T);
  for (int i = 0; i < n; i++) A[i + n * i] += 0.1;
  free(R);
  free(T);
  return A;
}

static inline double *random_symmetric(int n, uint64_t seed) {
  double *A = random_matrix(n, n, seed);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < j; i++) A[i + n * j] = A[j + n * i];
  return A;
}

/* orthogonal: a product of n reflections I - 2 v v^T / v^T v */
static inline double *random_orthogonal(int n, uint64_t seed) {
  double *Q = identity(n), *v = matrix(n, 1);
  seed = seed * 99991 + 7;
  for (int r = 0; r < n; r++) {
    double vv = 0;
    for (int i = 0; i < n; i++) v[i] = uniform(&seed), vv += v[i] * v[i];
    for (int j = 0; j < n; j++) {
      double vq = 0;
      for (int i = 0; i < n; i++) vq += v[i] * Q[i + n * j];
      for (int i = 0; i < n; i++) Q[i + n * j] -= 2 * v[i] * vq / vv;
    }
  }
  free(v);
  return Q;
}

/* m x n with exactly `rank` singular values, 1 down to 0.1 */
static inline double *random_of_rank(int m, int n, int rank, uint64_t seed) {
  double *U = random_orthogonal(m, seed), *V = random_orthogonal(n, seed + 1), *A = matrix(m, n);
  for (int r = 0; r < rank; r++) {
    double sigma = rank > 1 ? 1 - 0.9 * r / (rank - 1) : 1;
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) A[i + m * j] += sigma * U[i + m * r] * V[j + n * r];
  }
  free(U);
  free(V);
  return A;
}

static inline double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fabs(x[i]) > most || isnan(x[i]) ? fabs(x[i]) : most;
  return most;
}

/* largest |x - y| */
static inline double apart(int n, const double *x, const double *y) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    double d = fabs(x[i] - y[i]);
    if (d > most || isnan(d)) most = d;
  }
  return most;
}

#endif
