/* The complementarity problem of frictionless contacts: bench_lcp. Cholesky is the floor. */
#include <stdio.h>

#include "impact/lcp.h"
#include "scene.h"

static void bench(const char *name, int n, int nu, int all) {
  size_t size = (size_t)n;
  double *A = malloc((2 * size * size + 5 * size) * sizeof *A), *B = A + size * size;
  double *q = B + size * size, *z = q + n, *w = z + n, *b = w + n;
  core_scratch s;
  core_scratch_init(&s);
  double best = INFINITY, floor = INFINITY, worst = 0;
  int redundant = 0;
  for (int i = 0; i < 5; i++) {
    make_lcp(n, nu, all, A, q);
    double t = now();
    core_status status = law_lcp(n, A, q, NULL, &s, z, w, &redundant);
    best = fmin(best, now() - t);
    if (status) printf("failed: %s\n", core_status_text(status));
    for (int k = 0; k < n; k++) {
      w[k] = q[k];
      for (int j = 0; j < n; j++) w[k] += A[j * n + k] * z[j];
    }
    worst = fmax(worst, lcp_residual(n, q, z, w));
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
