/* The Taylor series of a step in which no slip turns, exact to rounding.
 *
 * p' = D f, v' = B f, y' = v, f_i = -k_i y[row_i], so that
 * v[j+1] = h B f[j] / (j+1), y[j+1] = h v[j] / (j+1). With omega a bound of the frequencies and
 * h omega = 2 the terms left out are 2^25/25! = 2e-18 of the whole. Series need no eigenvectors:
 * slip makes the system unsymmetric, and it may be defective.
 */
#include <string.h>

#include "impact/laws/compliant/state.h"

/* ---- orders ---- */

/* Order n leaves (2 s)^(n+1) / (n+1)! out; up to these s that is 2^25 / 25!, or looser. n even. */
void compliant_choose_orders(compliant *z) {
  static const double reach[] = {0.0050, 0.0225, 0.0608, 0.124,  0.213,
                                 0.327,  0.466,  0.625,  0.8042, 1};
  compliant_series *s = &z->series;
  s->loose = z->loose > 1 ? pow(z->loose, 1.5) : 1;
  for (int n = N; n >= LEAST_ORDER; n -= 2) {
    int i = (n - LEAST_ORDER) / 2;
    s->short_reach[i] = reach[i];
    if (z->loose > 1) s->short_reach[i] *= pow(s->loose, 1.5 / (n + 1));
    if (s->short_reach[i] >= 1) s->most = n;
  }
}

static double short_reach(const compliant *z, int order) {
  return z->series.short_reach[(order - LEAST_ORDER) / 2];
}

int compliant_order_for(const compliant *z, double s) {
  int order = LEAST_ORDER;
  while (order < z->series.most && s > short_reach(z, order)) order += 2;
  return order;
}

/* ---- linear ---- */

/* by f[j]: generalised force i of order j, times by */
static inline double force_of(const compliant *z, int i, int j, double by) {
  const compliant_phase *f = &z->phase;
  return by * (-f->stiff[i] * z->series.y[j * z->rows + f->row[i]]);
}

/* normal forces of held contacts at order j */
static void hold(const compliant *z, int j) {
  double *held = z->series.held + j * z->nc;
  memset(held, 0, (size_t)z->nc * sizeof *held);
  for (int i = 0; i < z->phase.m; i++) {
    double f = force_of(z, i, j, 1);
    for (int c = 0; c < z->nc; c++) held[c] += z->phase.G[i * z->nc + c] * f;
  }
}

/* v += by B f[j], as far as the columns reach */
static void accelerate(const compliant *z, int j, double by, double *v) {
  const compliant_phase *f = &z->phase;
  for (int i = 0; i < f->m; i++) {
    const double *b = f->B + (size_t)i * (size_t)z->rows, force = force_of(z, i, j, by);
    for (int r = f->reach_B[i].from, to = f->reach_B[i].to; r < to; r++) v[r] += b[r] * force;
  }
}

/* the same through the bodies, where W = L L^T: v += L L^T (D f) */
static void accelerate_bodies(const compliant *z, int j, double by, double *v) {
  const compliant_phase *f = &z->phase;
  double *F = z->row_work;
  memset(F, 0, (size_t)z->rows * sizeof *F);
  for (int i = 0; i < f->m; i++) {
    const double *d = f->D + (size_t)i * (size_t)z->rows, force = force_of(z, i, j, by);
    for (int r = f->reach_D[i].from; r < f->reach_D[i].to; r++) F[r] += d[r] * force;
  }
  compliant_multiply(z, 1, F, v);
}

/* The terms left out are (2 s)^(n+1) / (n+1)!, which at s = 1 and all orders is 2e-18. Speed only:
 * with the true omega below its bound they fall faster, and the same coefficients reach further
 * (two contacts with friction, e = 1 and 1e-4: budget.tail_friction 256 -> 223 M instructions). */
static double linear_reach(const compliant *z) {
  const compliant_series *s = &z->series;
  if (s->order < N) return core_min(short_reach(z, s->order), LIMIT_LINEAR_REACH);
  if (z->phase.m < 3) return 1;
  double size = compliant_largest(z->rows, s->v + N * z->rows), least = TOL_LINEAR_LAST * z->speed;
  if (size > TOL_LINEAR_SPARE * least) return 1;
  return core_min(LIMIT_LINEAR_REACH, core_taylor_reach(size, N, least));
}

/* goes on with a linear series */
void compliant_linear_orders(compliant *z, int to) {
  compliant_series *s = &z->series;
  int rows = z->rows, from = s->order;
  for (int j = from; j < to; j++) {
    double by = s->h * core_taylor_inverse[j];
    double *v = s->v + (j + 1) * rows, *y = s->y + (j + 1) * rows;
    for (int r = 0; r < rows; r++) y[r] = by * v[r - rows], v[r] = 0;
    (z->inertia.rank ? accelerate_bodies : accelerate)(z, j, by, v);
  }
  for (int j = from; z->phase.held && j <= to; j++) hold(z, j);
  s->order = to;
  s->reach = linear_reach(z);
}

void compliant_linear_series(compliant *z, double time) {
  compliant_series *s = &z->series;
  size_t rows = (size_t)z->rows;
  s->uneven = 0;
  s->h = 2 / z->phase.omega;
  memcpy(s->y, z->y, rows * sizeof *s->y);
  memcpy(s->v, z->v, rows * sizeof *s->v);
  s->order = 0;
  compliant_linear_orders(z, compliant_order_for(z, 2 * time / s->h));
}
