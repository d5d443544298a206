/* Cone problems of the tests: one body on its points, laws on them, and the natural map, which
 * shares nothing with the solver. */
#ifndef MODES_HELP_H
#define MODES_HELP_H

#include "impact/modes.h"
#include "law_help.h"

enum { MOST = 8, ROWS = 24 };

typedef struct problem {
  int nc, dim, rows;
  double W[ROWS * ROWS], v[ROWS], mu[MOST], e;
} problem;

/* one body on its points: W of rank 6, 3 or 2, entries of about 1; or, every third, a regular W */
static inline problem random_body(uint64_t *seed, int dim, int most, double mu) {
  problem q = {.nc = 1 + (int)between(seed, 0, most), .dim = dim, .e = between(seed, 0, 1)};
  double J[ROWS][6], inverse[6], u[6];
  static const int axes[3][3] = {{2, 0, 0}, {0, 2, 0}, {0, 1, 2}};
  int regular = between(seed, 0, 3) < 1;
  q.rows = q.nc * dim;
  for (int i = 0; i < 6; i++) u[i] = between(seed, -1, 1), inverse[i] = between(seed, 0.5, 2);
  u[2] = between(seed, -2, -0.2);
  for (int c = 0; c < q.nc; c++) {
    double r[3] = {between(seed, -1, 1), between(seed, -1, 1), between(seed, -1, 0)};
    q.mu[c] = mu;
    for (int k = 0; k < dim; k++) {
      int a = axes[dim - 1][k], b = (a + 1) % 3, d = (a + 2) % 3;
      double *row = J[c * dim + k];
      for (int i = 0; i < 6; i++) row[i] = i == a;
      row[3 + b] = r[d], row[3 + d] = -r[b];
      if (dim < 3) row[3] = row[5] = 0;
    }
  }
  for (int i = 0; i < q.rows; i++) {
    q.v[i] = 0;
    for (int k = 0; k < 6; k++) q.v[i] += J[i][k] * u[k];
    for (int j = 0; j <= i; j++) {
      double sum = regular && i == j ? 0.3 : 0;
      for (int k = 0; k < 6; k++) sum += J[i][k] * inverse[k] * J[j][k];
      q.W[j * q.rows + i] = q.W[i * q.rows + j] = sum;
    }
  }
  return q;
}

typedef struct answer {
  core_status status;
  unsigned flags;
  double p[ROWS], v[ROWS], lost, residual;
} answer;

static inline answer solve(const char *name, const problem *q, double e) {
  law *l = strcmp(name, "plastic") ? law_from(name, "mu", q->mu[0], "e", e, NULL)
                                   : law_from(name, "mu", q->mu[0], NULL);
  answer a;
  impact_problem pr = {.nc = q->nc, .dim = q->dim, .rows = q->rows, .W = q->W, .v = q->v};
  impact_result r = {.p = a.p, .v = a.v};
  core_scratch s;
  core_scratch_init(&s);
  a.status = law_solve(l, &pr, &s, NULL, &r, NULL);
  a.flags = r.flags, a.residual = r.residual;
  a.lost = r.lost_restitution + r.lost_friction;
  core_scratch_free(&s);
  law_free(l);
  return a;
}

/* ---- the natural map ---- */

/* projection of x = (t..., n) on |t| <= mu n */
static inline void project(int dim, double mu, const double *x, double *to) {
  double n = x[dim - 1], t = 0;
  for (int i = 0; i < dim - 1; i++) t = hypot(t, x[i]);
  if (t <= mu * n && n >= 0) {
    memcpy(to, x, (size_t)dim * sizeof *x);
  } else if (mu * t <= -n) {
    for (int i = 0; i < dim; i++) to[i] = 0;
  } else {
    double along = (n + mu * t) / (1 + mu * mu);
    for (int i = 0; i < dim - 1; i++) to[i] = mu * along * x[i] / t;
    to[dim - 1] = along;
  }
}

/* |p - P_K(p - u^)| / max(|v|, |p|, |u|) of law.moreau's problem */
static inline double residual(const problem *q, double e, const double *p) {
  double u[ROWS], sum = 0, size[3] = {0, 0, 0};
  for (int i = 0; i < q->rows; i++) {
    int normal = i % q->dim == q->dim - 1;
    u[i] = q->v[i] * (1 + (normal && q->v[i] < 0 ? e : 0));
    for (int j = 0; j < q->rows; j++) u[i] += q->W[j * q->rows + i] * p[j];
    size[0] += q->v[i] * q->v[i], size[1] += p[i] * p[i], size[2] += u[i] * u[i];
  }
  for (int c = 0; c < q->nc; c++) {
    double x[3], to[3], slip = 0;
    int t = c * q->dim, n = q->dim - 1;
    for (int i = 0; i < n; i++) slip = hypot(slip, u[t + i]);
    for (int i = 0; i <= n; i++) x[i] = p[t + i] - u[t + i] - (i == n ? q->mu[c] * slip : 0);
    project(q->dim, q->mu[c], x, to);
    for (int i = 0; i <= n; i++) sum += (p[t + i] - to[i]) * (p[t + i] - to[i]);
  }
  return sqrt(sum) / sqrt(fmax(size[0], fmax(size[1], size[2])));
}

static inline double apart(int n, const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

#endif
