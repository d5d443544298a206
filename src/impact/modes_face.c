/* Whether an answer lies within a continuum of answers, and how far that reaches.
 *
 * The modes at (p, u) leave each contact directions for its impulse: none where it parts, along the
 * cone's edge where it slides, all rows where it sticks or does no more than touch. With C those
 * directions and R the rows that stay zero, the answers next to p are p + t C x with
 *
 *   R^T W C x = 0
 *
 * as far as p stays in the cones, slip keeps its direction and nothing closes: linear in t. The
 * velocity moves along with W C x, or stays where that is zero (redundant contacts).
 */
#include <math.h>
#include <string.h>

#include "core/lin.h"
#include "impact/modes_part.h"
#include "impact/tolerance.h"

typedef struct face {
  const impact_modes *m;
  const double *p, *u;
  double fast, size; /* largest velocity [m/s], impulse [N s] */
  int n;             /* unknowns */
  int *contact;      /* n: whose they are */
  double *C, *R;     /* rows x n each */
} face;

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* -1, 0, 1: how contact c slides; with one row it does not */
static int slides(const face *f, int c) {
  int t = impact_modes_first(f->m, c);
  if (t == impact_modes_normal(f->m, c) || fabs(f->u[t]) <= TOL_MODES_STILL * f->fast) return 0;
  return f->u[t] > 0 ? 1 : -1;
}

static int parts(const face *f, int c) {
  return f->u[impact_modes_normal(f->m, c)] > TOL_MODES_STILL * f->fast;
}

/* one more unknown: the impulse along (t, n), the row that stays zero */
static void add(face *f, int c, double along_t, double along_n, int row) {
  size_t at = (size_t)f->n * (size_t)f->m->rows;
  int n = impact_modes_normal(f->m, c);
  memset(f->C + at, 0, (size_t)f->m->rows * sizeof *f->C);
  memset(f->R + at, 0, (size_t)f->m->rows * sizeof *f->R);
  f->C[at + (size_t)n] = along_n, f->R[at + (size_t)row] = 1;
  if (along_t != 0) f->C[at + (size_t)impact_modes_first(f->m, c)] = along_t;
  f->contact[f->n++] = c;
}

static void find_unknowns(face *f) {
  for (int c = 0; c < f->m->nc; c++) {
    int n = impact_modes_normal(f->m, c), t = impact_modes_first(f->m, c), s = slides(f, c);
    if (parts(f, c) || (s && isinf(f->m->mu[c]))) continue;
    if (t < n && !s && f->m->mu[c] > 0) add(f, c, 1, 0, t);
    add(f, c, s ? -s * f->m->mu[c] : 0, 1, n);
  }
}

/* ---- how far ---- */

/* a + t b >= 0 */
static void bound(double a, double b, double range[2]) {
  if (b > 0) range[0] = fmax(range[0], fmin(0, -a / b));
  if (b < 0) range[1] = fmin(range[1], fmax(0, -a / b));
}

static void reach(const face *f, const double *dp, const double *du, double range[2]) {
  range[0] = -INFINITY, range[1] = INFINITY;
  for (int c = 0; c < f->m->nc; c++) {
    int n = impact_modes_normal(f->m, c), t = impact_modes_first(f->m, c), s = slides(f, c);
    double mu = f->m->mu[c];
    if (parts(f, c)) {
      bound(f->u[n], fabs(du[n]) > TOL_MODES_STILL * f->fast / f->size ? du[n] : 0, range);
      continue;
    }
    bound(f->p[n], dp[n], range);
    if (t == n) continue;
    if (s)
      bound(s * f->u[t], fabs(du[t]) > TOL_MODES_STILL * f->fast / f->size ? s * du[t] : 0, range);
    if (s || isinf(mu)) continue;
    bound(mu * f->p[n] - f->p[t], mu * dp[n] - dp[t], range);
    bound(mu * f->p[n] + f->p[t], mu * dp[n] + dp[t], range);
  }
}

/* ---- the door ---- */

/* A = R^T W C (n x n), by columns */
static void reduced(const face *f, double *x, double *A) {
  int rows = f->m->rows;
  for (int j = 0; j < f->n; j++) {
    core_lin_multiply('N', 'N', rows, 1, rows, 1, f->m->W, rows, f->C + j * rows, rows, 0, x, rows);
    core_lin_multiply('T', 'N', f->n, 1, rows, 1, f->R, rows, x, rows, 0, A + j * f->n, f->n);
  }
}

/* the null vector with its reach; 1 when that is more than a point. dp, du: rows */
static int segment(const face *f, const double *Vt, int k, double *dp, double *du,
                   double range[2]) {
  int rows = f->m->rows;
  memset(dp, 0, (size_t)rows * sizeof *dp);
  for (int j = 0; j < f->n; j++)
    for (int i = 0; i < rows; i++) dp[i] += Vt[j * f->n + k] * f->C[j * rows + i];
  core_lin_multiply('N', 'N', rows, 1, rows, 1, f->m->W, rows, dp, rows, 0, du, rows);
  reach(f, dp, du, range);
  return range[1] - range[0] > TOL_MODES_STILL * f->size;
}

static int take_memory(face *f, core_scratch *s) {
  size_t rows = (size_t)f->m->rows;
  f->C = core_scratch_doubles(s, 2 * rows * rows + 1);
  f->contact = core_scratch_ints(s, rows + 1);
  if (!f->C || !f->contact) return 0;
  f->R = f->C + rows * rows;
  return 1;
}

int impact_modes_face(const impact_modes *m, core_scratch *s, const double *p, const double *u,
                      impact_modes_end found, void *self) {
  face f = {.m = m, .p = p, .u = u, .size = largest(m->rows, p)};
  int count = 0;
  core_mark mark = core_scratch_mark(s);
  f.fast = fmax(largest(m->rows, u), largest(m->rows, m->b));
  if (!take_memory(&f, s)) return -1;
  find_unknowns(&f);
  size_t n = (size_t)f.n, rows = (size_t)m->rows;
  double *A = core_scratch_doubles(s, 2 * n * n + n + 4 * rows + 1);
  if (!A) return -1;
  double *Vt = A + n * n, *S = Vt + n * n, *dp = S + n, *du = dp + rows, *x = du + rows;
  reduced(&f, x, A);
  if (n == 0 || core_lin_svd(f.n, f.n, A, s, S, NULL, Vt)) n = 0;
  for (int k = 0; k < (int)n; k++) {
    double range[2];
    if (S[k] > TOL_NULL * S[0] || !segment(&f, Vt, k, dp, du, range)) continue;
    int moves = largest(m->rows, du) * fmin(range[1] - range[0], f.size) > TOL_MODES_STILL * f.fast;
    count++;
    for (int i = 0; i < 2; i++) {
      double t = range[i];
      for (size_t r = 0; r < rows && isfinite(t); r++) x[r] = p[r] + t * dp[r];
      found(self, isfinite(t) ? x : NULL, moves);
    }
  }
  core_scratch_release(s, mark);
  return count;
}
