/* Our solvers beside those of Siconos (Debian's libsiconos-numerics-dev), in one run, by one judge
 * (scene.h): bench_siconos [eight | wall | pile | lcp]. "says no": a solver's own status. Siconos
 * gets W as a matrix of 3 x 3 blocks without the empty ones where its solver takes that. */
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <lcp_cst.h>
#include <stdio.h>

#include "impact/lcp.h"
#include "scene.h"

static void say(const char *who, double seconds, double residual, int failed) {
  printf("    %-24s %12.1f us  residual %.0e%s\n", who, 1e6 * seconds, residual,
         failed ? "  says no" : "");
}

/* ---- their matrices ---- */

/* their rows are (n, t1, t2) */
static int theirs(int row) {
  return row % 3 == 2 ? row - 2 : row + 1;
}

static NumericsMatrix *dense(const impact_modes *m) {
  double *W = malloc((size_t)m->rows * (size_t)m->rows * sizeof *W);
  for (int j = 0; j < m->rows; j++)
    for (int i = 0; i < m->rows; i++) W[theirs(j) * m->rows + theirs(i)] = m->W[j * m->rows + i];
  return NM_create_from_data(NM_DENSE, m->rows, m->rows, W);
}

/* the block of contacts c and d, by columns; 0 when it is empty */
static int block_of(const NumericsMatrix *A, int c, int d, double *to) {
  int some = 0;
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) {
      to[3 * j + i] = A->matrix0[(3 * d + j) * A->size0 + 3 * c + i];
      some |= to[3 * j + i] != 0;
    }
  return some;
}

static NumericsMatrix *blocks(const impact_modes *m) {
  NumericsMatrix *A = dense(m);
  SparseBlockStructuredMatrix *B = SBM_new();
  size_t n = (size_t)m->nc, filled = 0;
  B->blocknumber0 = B->blocknumber1 = (unsigned)m->nc;
  B->blocksize0 = malloc(n * sizeof *B->blocksize0), B->blocksize1 = B->blocksize0;
  B->index1_data = malloc((n + 1) * sizeof *B->index1_data);
  B->index2_data = malloc(n * n * sizeof *B->index2_data);
  B->block = malloc(n * n * sizeof *B->block);
  for (size_t c = 0; c < n; c++) {
    B->blocksize0[c] = 3 * ((unsigned)c + 1);
    B->index1_data[c] = filled;
    for (size_t d = 0; d < n; d++) {
      double block[9];
      if (!block_of(A, (int)c, (int)d, block)) continue;
      B->block[filled] = memcpy(malloc(sizeof block), block, sizeof block);
      B->index2_data[filled++] = d;
    }
  }
  B->index1_data[n] = filled;
  B->nbblocks = (unsigned)filled, B->filled1 = n + 1, B->filled2 = filled;
  return NM_new_SBM(m->rows, m->rows, B);
}

/* ---- cones ---- */

static void solve_theirs(const char *who, const impact_modes *m, NumericsMatrix *A, int id,
                         double tol, int rounds, int turns) {
  size_t rows = (size_t)m->rows;
  double *q = malloc(4 * rows * sizeof *q), *r = q + rows, *u = r + rows, *p = u + rows;
  double *mu = memcpy(malloc((size_t)m->nc * sizeof *mu), m->mu, (size_t)m->nc * sizeof *mu);
  double best = INFINITY;
  int failed = 0;
  for (size_t i = 0; i < rows; i++) q[theirs((int)i)] = m->b[i];
  FrictionContactProblem *f = frictionContactProblem_new_with_data(3, m->nc, A, q, mu);
  for (int i = 0; i < turns; i++) {
    SolverOptions *o = solver_options_create(id);
    o->dparam[SICONOS_DPARAM_TOL] = tol, o->iparam[SICONOS_IPARAM_MAX_ITER] = rounds;
    memset(r, 0, 2 * rows * sizeof *r);
    double t = now();
    failed = fc3d_driver(f, r, u, o);
    best = fmin(best, now() - t);
    solver_options_delete(o);
  }
  for (size_t i = 0; i < rows; i++) p[i] = r[theirs((int)i)];
  say(who, best, judge(m, p), failed);
  free(f), free(q), free(mu);
}

static void solve_ours(const impact_modes *m, int turns) {
  core_scratch s;
  core_scratch_init(&s);
  double *p = malloc(2 * (size_t)m->rows * sizeof *p), best = INFINITY;
  core_status status = CORE_OK;
  for (int i = 0; i < turns; i++) {
    double t = now();
    status = impact_modes_solve(m, &s, p, p + m->rows);
    best = fmin(best, now() - t);
  }
  say("knock", best, judge(m, p), status != CORE_OK);
  core_scratch_free(&s);
  free(p);
}

static void cones(const char *name, const scene *s, double tol, int turns) {
  impact_modes m = assemble(s, 0.3);
  printf("%s, %d contacts, asked for %.0e\n", name, m.nc, tol);
  solve_ours(&m, turns);
  solve_theirs("Siconos NSGS, blocks", &m, blocks(&m), SICONOS_FRICTION_3D_NSGS, tol, 20000, turns);
  solve_theirs("Siconos NSGS, dense", &m, dense(&m), SICONOS_FRICTION_3D_NSGS, tol, 2000, 1);
  solve_theirs("Siconos Newton (AC)", &m, dense(&m), SICONOS_FRICTION_3D_NSN_AC, tol, 200, turns);
  if (m.nc <= 100)
    solve_theirs("Siconos ADMM", &m, dense(&m), SICONOS_FRICTION_3D_ADMM, tol, 5000, turns);
  drop(m);
}

/* ---- without friction ---- */

typedef struct lcp {
  int n;
  double *A, *q, *z, *w;
} lcp;

static double residual_of(const lcp *x) {
  for (int i = 0; i < x->n; i++) {
    x->w[i] = x->q[i];
    for (int j = 0; j < x->n; j++) x->w[i] += x->A[j * x->n + i] * x->z[j];
  }
  return lcp_residual(x->n, x->q, x->z, x->w);
}

static void lcp_theirs(const char *who, const lcp *x, int id, double tol, int rounds) {
  LinearComplementarityProblem f = {
      .size = x->n, .M = NM_create_from_data(NM_DENSE, x->n, x->n, x->A), .q = x->q};
  double best = INFINITY;
  int failed = 0;
  for (int i = 0; i < 5; i++) {
    SolverOptions *o = solver_options_create(id);
    o->dparam[SICONOS_DPARAM_TOL] = tol, o->iparam[SICONOS_IPARAM_MAX_ITER] = rounds;
    memset(x->z, 0, (size_t)x->n * sizeof *x->z), memset(x->w, 0, (size_t)x->n * sizeof *x->w);
    double t = now();
    failed = linearComplementarity_driver(&f, x->z, x->w, o);
    best = fmin(best, now() - t);
    solver_options_delete(o);
  }
  say(who, best, residual_of(x), failed);
}

static void lcp_ours(const lcp *x) {
  core_scratch s;
  core_scratch_init(&s);
  double best = INFINITY, least = INFINITY;
  int redundant, failed = 0;
  size_t n = (size_t)x->n;
  double *B = malloc((n * n + n) * sizeof *B);
  for (int i = 0; i < 5; i++) {
    double t = now();
    failed = law_lcp(x->n, x->A, x->q, NULL, &s, x->z, x->w, &redundant) != CORE_OK;
    best = fmin(best, now() - t);
    memcpy(B, x->A, n * n * sizeof *B), memcpy(B + n * n, x->q, n * sizeof *B);
    for (size_t k = 0; k < n; k++) B[k * n + k] += 1;
    t = now();
    core_lin_solve_spd(x->n, B, 1, B + n * n, &s, NULL);
    least = fmin(least, now() - t);
  }
  say("knock", best, residual_of(x), failed);
  say("one Cholesky, our LAPACK", least, 0, 0);
  core_scratch_free(&s);
  free(B);
}

static void lcps(const char *name, int n, int nu, int all) {
  size_t size = (size_t)n;
  double *A = malloc((size * size + 3 * size) * sizeof *A);
  lcp x = {n, A, A + size * size, A + size * size + size, A + size * size + 2 * size};
  make_lcp(n, nu, all, x.A, x.q);
  printf("%s, n = %d\n", name, n);
  lcp_ours(&x);
  lcp_theirs("Siconos Lemke", &x, SICONOS_LCP_LEMKE, 1e-12, 10000);
  lcp_theirs("Siconos PGS, 1e-10", &x, SICONOS_LCP_PGS, 1e-10, 100000);
  if (n <= 128) lcp_theirs("Siconos Newton (min)", &x, SICONOS_LCP_NEWTONMIN, 1e-12, 1000);
  free(A);
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  const char *name = argc > 1 ? argv[1] : "";
  static scene s;
  for (int i = 0; i < 5 && (!*name || !strcmp(name, "eight")); i++)
    eight(&s), cones("one body", &s, 1e-12, 20);
  for (int n = 4; n <= 4 && (!*name || !strcmp(name, "wall")); n++)
    wall(&s, n), cones("wall", &s, 1e-12, 5);
  for (int n = 125; n <= 1000 && (!*name || !strcmp(name, "pile")); n *= 2)
    pile(&s, n), cones("pile", &s, 1e-8, 1);
  for (int n = 64; n <= 512 && (!*name || !strcmp(name, "lcp")); n *= 2) {
    lcps("some press", n, n, 0);
    lcps("all press", n, n, 1);
    lcps("plate", n, 3, 1);
  }
  return 0;
}
