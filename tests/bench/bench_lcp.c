/* The complementarity problem of frictionless contacts: bench_lcp. Cholesky is the floor. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/lin.h"
#include "impact/lcp.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t seed = 7;

static double between(double a, double b) {
  uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return a + (b - a) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

/* W = J J^T with nu columns: nu = n is dense and regular, nu = 3 a plate on n points */
static void make(int n, int nu, int all, double *A, double *q) {
  double *J = calloc((size_t)(n * nu), sizeof *J), u[1024];
  for (int k = 0; k < nu; k++) u[k] = between(-1, 1);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < nu; k++) J[k * n + i] = nu == 3 && k == 0 ? 1 : between(-1, 1);
  if (nu == 3) u[0] = -1;
  core_lin_multiply('N', 'T', n, n, nu, 1, J, n, J, n, 0, A, n);
  for (int i = 0; i < n; i++) {
    q[i] = nu == n ? between(-1, all ? 0 : 1) : 0;
    for (int k = 0; k < nu && nu < n; k++) q[i] += J[k * n + i] * u[k];
  }
  free(J);
}

/* the largest of -z, -w and |z w|, relative */
static double residual(int n, const double *q, const double *z, const double *w) {
  double worst = 0, most_z = 0, most_w = 0;
  for (int i = 0; i < n; i++) most_z = fmax(most_z, fabs(z[i])), most_w = fmax(most_w, fabs(q[i]));
  for (int i = 0; i < n; i++) {
    worst = fmax(worst, fmax(-z[i] / most_z, -w[i] / fmax(most_w, 1e-300)));
    worst = fmax(worst, fmin(fabs(z[i]) / most_z, fabs(w[i]) / fmax(most_w, 1e-300)));
  }
  return worst;
}

static void bench(const char *name, int n, int nu, int all) {
  size_t size = (size_t)n;
  double *A = malloc((2 * size * size + 5 * size) * sizeof *A), *B = A + size * size;
  double *q = B + size * size, *z = q + n, *w = z + n, *b = w + n;
  core_scratch s;
  core_scratch_init(&s);
  double best = INFINITY, floor = INFINITY, worst = 0;
  int redundant = 0;
  for (int i = 0; i < 5; i++) {
    make(n, nu, all, A, q);
    double t = now();
    core_status status = law_lcp(n, A, q, NULL, &s, z, w, &redundant);
    best = fmin(best, now() - t);
    if (status) printf("failed: %s\n", core_status_text(status));
    for (int k = 0; k < n; k++) {
      w[k] = q[k];
      for (int j = 0; j < n; j++) w[k] += A[j * n + k] * z[j];
    }
    worst = fmax(worst, residual(n, q, z, w));
    memcpy(B, A, size * size * sizeof *B);
    for (int k = 0; k < n; k++) B[k * n + k] += 1, b[k] = q[k];
    t = now();
    core_lin_solve_spd(n, B, 1, b, &s, NULL);
    floor = fmin(floor, now() - t);
  }
  printf("%-10s n = %3d  %9.3f ms, Cholesky %7.3f ms, residual %.0e%s\n", name, n, 1e3 * best,
         1e3 * floor, worst, redundant ? ", redundant" : "");
  core_scratch_free(&s);
  free(A);
}

int main(void) {
  for (int n = 16; n <= 512; n *= 2) bench("some press", n, n, 0);
  for (int n = 16; n <= 512; n *= 2) bench("all press", n, n, 1);
  for (int n = 16; n <= 512; n *= 2) bench("plate", n, 3, 1);
  return 0;
}
