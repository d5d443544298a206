/* For tests of the block matrix: a scratch that each test gets anew, and what the solve gives. */
#ifndef BLOCK_HELP_H
#define BLOCK_HELP_H

#include "impact/block.h"
#include "law_help.h"

static core_scratch scratch;

void setUp(void) {
  core_scratch_init(&scratch);
}
void tearDown(void) {
  core_scratch_free(&scratch);
}

enum { MOST = 8 };
typedef struct block {
  double u[MOST], P[MOST], Md[MOST * MOST], Ad[MOST * MOST], Ld[MOST * MOST];
  impact_block_result r;
  core_status status;
  core_error err;
} block;

static block solve_block(int n, int m, const double *M, const double *A, const double *u,
                         const double *e) {
  static block b;
  memset(&b, 0, sizeof b);
  b.r = (impact_block_result){
      .u = b.u, .P = b.P, .M_dagger = b.Md, .A_dagger = b.Ad, .L_dagger = b.Ld};
  b.status = impact_block(n, m, M, A, u, e, &scratch, &b.r, &b.err);
  return b;
}

static void random_block(uint64_t *seed, int n, int m, double *M, double *A, double *u, double *e) {
  random_W(seed, n, M);
  for (int i = 0; i < n; i++) M[i * n + i] += 0.5, u[i] = between(seed, -1, 1);
  for (int i = 0; i < m * n; i++) A[i] = between(seed, -1, 1);
  for (int i = 0; i < m; i++) e[i] = 0.5;
}

#endif
