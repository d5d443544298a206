/* An active-set method that goes downhill all the time.
 *
 * F holds rows with w = 0 whose A_FF is regular (Cholesky), z = 0 elsewhere. As long as some w_i is
 * negative, z_i grows from 0 and drags z_F along so that w_F stays 0:
 *
 *   d_F = -A_FF^-1 A_Fi,   w_i grows by  s = A_ii + A_iF d_F >= 0
 *
 * until w_i = 0 (i joins F), or until some z_j of F is 0 (j leaves F, i goes on). When s = 0 the
 * row depends on F and only the second can stop it; if nothing does, there is no solution. Every
 * round lowers the objective by a finite amount, so that no F comes back.
 *
 * Dependent rows (lcp_range.c): the z of smallest norm over the rows with w = 0. Where Newton does
 * not find it, with Q the projector on the null space of A it is z_0 + Q (nu - z_0) with 0 <= nu, z
 * >= 0, nu.z = 0: the same problem again.
 */
#include "impact/lcp.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "core/lin.h"
#include "impact/tolerance.h"

typedef struct active {
  int n, nf;         /* size, rows in F */
  const double *A;   /* n x n */
  const double *q;   /* n */
  const double *tol; /* n, or NULL */
  double *z, *w;     /* n */
  double *L;         /* n x n, by rows: the leading nf x nf holds the factor of A_FF */
  double *d;         /* n: direction of z_F in the order of F, then the half-solved column */
  double *size;      /* n: magnitude of the terms of w */
  int *F, *place;    /* F in its order; place of a row in F or -1 */
  int *from;         /* of rows of L: what is before is zero, as in a row of balls */
} active;

/* ---- the factor of A_FF ---- */

/* x.y in four sums, so that they do not wait for each other */
static double dot(int n, const double *x, const double *y) {
  double sum[4] = {0, 0, 0, 0};
  int k = 0;
  for (; k + 4 <= n; k += 4)
    for (int i = 0; i < 4; i++) sum[i] += x[k + i] * y[k + i];
  for (; k < n; k++) sum[0] += x[k] * y[k];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* d = L^-1 d */
static void forward_solve(active *a) {
  for (int k = 0; k < a->nf; k++) {
    int from = a->from[k];
    const double *row = a->L + k * a->n;
    a->d[k] = (a->d[k] - dot(k - from, row + from, a->d + from)) / row[k];
  }
}

/* d = L^-1 A_Fi */
static void half_solve(active *a, int i) {
  for (int k = 0; k < a->nf; k++) a->d[k] = a->A[i * a->n + a->F[k]];
  forward_solve(a);
}

/* d = L^-T d */
static void back_solve(active *a) {
  for (int k = a->nf - 1; k >= 0; k--) {
    const double *row = a->L + k * a->n;
    a->d[k] /= row[k];
    for (int j = a->from[k]; j < k; j++) a->d[j] -= row[j] * a->d[k];
  }
}

/* where a row of n numbers begins not to be zero */
static int begin_of(int n, const double *row) {
  int from = 0;
  while (from < n && row[from] == 0) from++;
  return from;
}

/* what is left of A_ii after elimination of F; 0 when it is rounding. Leaves d = L^-1 A_Fi */
static double schur(active *a, int i) {
  double left = a->A[i * a->n + i];
  half_solve(a, i);
  left -= dot(a->nf, a->d, a->d);
  return left > TOL_SUM(a->n) * a->A[i * a->n + i] ? left : 0;
}

/* i joins F; needs d and left of schur */
static void join(active *a, int i, double left) {
  memcpy(a->L + a->nf * a->n, a->d, (size_t)a->nf * sizeof *a->d);
  a->L[a->nf * a->n + a->nf] = sqrt(left);
  a->from[a->nf] = begin_of(a->nf, a->d);
  a->place[i] = a->nf;
  a->F[a->nf++] = i;
}

/* the row at place k leaves F; those after it join again */
static void leave(active *a, int k) {
  int nf = a->nf;
  a->place[a->F[k]] = -1;
  a->nf = k;
  for (int j = k + 1; j < nf; j++) {
    double left = schur(a, a->F[j]);
    join(a, a->F[j], left > 0 ? left : DBL_EPSILON * a->A[a->F[j] * a->n + a->F[j]]);
  }
}

/* ---- the method ---- */

static double rounding(const active *a, int i) {
  double own = TOL_SUM(a->n) * a->size[i];
  return a->tol ? fmax(own, a->tol[i]) : own;
}

/* w = A z + q */
static void refresh_w(active *a) {
  int n = a->n;
  memcpy(a->w, a->q, (size_t)n * sizeof *a->w);
  for (int k = 0; k < a->nf; k++) {
    const double *column = a->A + a->F[k] * n, z = a->z[a->F[k]];
    for (int i = 0; i < n; i++) a->w[i] += column[i] * z;
  }
}

/* the same, with the magnitude of its terms, which tells what rounding is */
static void refresh(active *a) {
  int n = a->n;
  refresh_w(a);
  for (int i = 0; i < n; i++) a->size[i] = fabs(a->q[i]);
  for (int k = 0; k < a->nf; k++) {
    const double *column = a->A + a->F[k] * n, z = fabs(a->z[a->F[k]]);
    for (int i = 0; i < n; i++) a->size[i] += fabs(column[i]) * z;
  }
}

/* the row outside F with the most negative w, or -1 */
static int most_negative(const active *a) {
  int best = -1;
  double least = 0;
  for (int i = 0; i < a->n; i++) {
    if (a->place[i] >= 0 || a->w[i] >= -rounding(a, i)) continue;
    double scaled = a->w[i] / sqrt(fmax(a->A[i * a->n + i], DBL_MIN));
    if (scaled < least) least = scaled, best = i;
  }
  return best;
}

/* lets z_i grow until w_i = 0 */
static core_status drive(active *a, int i) {
  for (;;) {
    double left = schur(a, i), w = a->q[i] + a->A[i * a->n + i] * a->z[i];
    for (int k = 0; k < a->nf; k++) w += a->A[a->F[k] * a->n + i] * a->z[a->F[k]];
    double *column = a->d + a->n, go = left > 0 ? fmax(0, -w / left) : INFINITY;
    memcpy(column, a->d, (size_t)a->nf * sizeof *column);
    back_solve(a); /* direction is -d */
    int blocks = -1;
    for (int k = 0; k < a->nf; k++)
      if (a->d[k] > 0 && a->z[a->F[k]] < go * a->d[k]) go = a->z[a->F[k]] / a->d[k], blocks = k;
    if (isinf(go)) return CORE_JAM;
    a->z[i] += go;
    for (int k = 0; k < a->nf; k++) a->z[a->F[k]] -= go * a->d[k];
    if (blocks < 0) {
      memcpy(a->d, column, (size_t)a->nf * sizeof *column);
      join(a, i, left);
      return CORE_OK;
    }
    a->z[a->F[blocks]] = 0;
    leave(a, blocks);
  }
}

/* z_F -= A_FF^-1 w_F: solves for z_F, or takes out what rounding left in w_F */
static void correct(active *a) {
  refresh(a);
  for (int k = 0; k < a->nf; k++) a->d[k] = a->w[a->F[k]];
  forward_solve(a);
  back_solve(a);
  for (int k = 0; k < a->nf; k++) a->z[a->F[k]] -= a->d[k];
}

static void polish(active *a) {
  correct(a);
  for (int k = 0; k < a->nf; k++) a->z[a->F[k]] = fmax(0, a->z[a->F[k]]);
  refresh(a);
  for (int k = 0; k < a->nf; k++) a->w[a->F[k]] = 0;
}

/* ---- a start ---- */

/* rounds of z_i <- max(0, z_i - w_i/A_ii), one row after the other: who is likely to press */
static void guess(active *a) {
  enum { ROUNDS = 6 };
  int n = a->n;
  memcpy(a->w, a->q, (size_t)n * sizeof *a->w);
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < n; i++) {
      const double *column = a->A + (size_t)i * (size_t)n;
      double to = column[i] > 0 ? fmax(0, a->z[i] - a->w[i] / column[i]) : 0, by = to - a->z[i];
      if (by == 0) continue;
      a->z[i] = to;
      for (int k = 0; k < n; k++) a->w[k] += by * column[k];
    }
}

/* the factor of A_FF for F as it is; 0 when it is not clearly regular */
static int factor(active *a) {
  int n = a->n;
  for (int k = 0; k < a->nf; k++) {
    for (int j = 0; j <= k; j++) a->L[k * n + j] = a->A[a->F[k] * n + a->F[j]];
    a->from[k] = begin_of(k, a->L + k * n);
  }
  if (core_lin_cholesky_below(a->nf, a->L, n, a->from))
    return 0; /* the columns of U are the rows of L */
  for (int k = 0; k < a->nf; k++) {
    double pivot = a->L[k * n + k];
    if (pivot * pivot <= TOL_SUM(n) * a->A[a->F[k] * (n + 1)]) return 0;
  }
  return 1;
}

/* F = rows with z > 0 in F, and those outside with w < 0; returns how many changed */
static int exchange(active *a, int first) {
  int changed = 0, nf = 0;
  for (int i = 0; i < a->n; i++) {
    int was = a->place[i] >= 0, is = first || was ? a->z[i] > 0 : a->w[i] < -rounding(a, i);
    changed += was != is;
    a->place[i] = is ? nf : -1;
    if (is) a->F[nf++] = i;
    if (!is) a->z[i] = 0;
  }
  a->nf = nf;
  return changed;
}

static void begin_cold(active *a) {
  a->nf = 0;
  for (int i = 0; i < a->n; i++) a->z[i] = 0, a->place[i] = -1;
}

/* Many rows: F by rounds, then all rows that are wrong change sides at once (block pivots), each
 * time with one Cholesky. It ends with z_F >= 0 and w_F = 0, or begins from nothing. */
static void begin_warm(active *a) {
  enum { BLOCKS = 10 };
  int good = 0;
  guess(a);
  exchange(a, 1);
  for (int i = 0; i < BLOCKS && !good; i++) {
    if (!factor(a)) break;
    correct(a);
    refresh(a);
    good = 1;
    for (int k = 0; k < a->nf; k++) good &= a->z[a->F[k]] >= 0;
    if (good || !exchange(a, 0)) break;
  }
  if (!good) begin_cold(a);
}

static core_status descend(active *a) {
  enum { MANY = 32 };
  if (a->n >= MANY) begin_warm(a);
  refresh(a);
  for (int round = 0; round < 50 * a->n + 50; round++) {
    int i = most_negative(a);
    if (i < 0) {
      polish(a);
      if (most_negative(a) < 0) return CORE_OK;
      i = most_negative(a);
    }
    if (core_interrupted()) return CORE_INTERRUPTED;
    core_status status = drive(a, i);
    if (status) return status;
    if (round % 16)
      refresh_w(a); /* sizes change slowly */
    else
      refresh(a);
  }
  return CORE_NOT_CONVERGED;
}

static core_status start(active *a, int n, const double *A, const double *q, const double *tol,
                         core_scratch *s, double *z, double *w) {
  size_t size = (size_t)n;
  *a = (active){.n = n, .A = A, .q = q, .tol = tol, .z = z, .w = w};
  a->L = core_scratch_doubles(s, size * size + 3 * size);
  a->F = core_scratch_ints(s, 3 * size);
  if (!a->L || !a->F) return CORE_NO_MEMORY;
  a->d = a->L + size * size, a->size = a->d + 2 * size, a->place = a->F + n;
  a->from = a->place + n;
  for (int i = 0; i < n; i++) z[i] = 0, a->place[i] = -1;
  return CORE_OK;
}

/* ---- dependent rows ---- */

/* rows with w = 0: F, and those outside that no more than touch. These join F as far as they are
 * independent of it; the rest makes the impulses ambiguous. Returns how many rows there are. */
static int touching(active *a, int *rows, int *dependent) {
  int m = 0;
  *dependent = 0;
  for (int i = 0; i < a->n; i++) {
    if (a->place[i] < 0) {
      if (!(a->w[i] <= fmax(TOL_TOUCHES * a->size[i], rounding(a, i)) && a->A[i * a->n + i] > 0))
        continue;
      double left = schur(a, i);
      if (left > 0)
        join(a, i, left);
      else
        *dependent = 1;
    }
    rows[m++] = i;
  }
  return m;
}

/* the z of smallest norm over the m rows that touch */
static core_status share_out(active *a, int m, const int *rows, core_scratch *s) {
  size_t size = (size_t)m;
  double *B = core_scratch_doubles(s, 2 * size * size + 4 * size);
  if (!B) return CORE_NO_MEMORY;
  double *R = B + size * size, *z = R + size * size, *least = z + m, *nu = least + m;
  double *share = nu + m;
  active b;
  for (int j = 0; j < m; j++) {
    z[j] = a->z[rows[j]];
    for (int i = 0; i < m; i++) B[j * m + i] = a->A[rows[j] * a->n + rows[i]];
  }
  int rank = law_lcp_range(m, B, s, R);
  if (rank < 0 || rank == m) return rank < 0 ? CORE_NO_MEMORY : CORE_OK;
  core_status status = CORE_OK;
  if (!law_lcp_least(m, rank, R, z, s, share)) {
    double *Q = B; /* the projector on the null space; W itself is not needed any more */
    law_lcp_null(m, rank, R, Q);
    law_lcp_take_out(m, Q, z, least);
    status = start(&b, m, Q, least, NULL, s, nu, share);
    if (!status) status = descend(&b);
  }
  for (int i = 0; i < m && !status; i++) a->z[rows[i]] = fmax(0, share[i]);
  return status;
}

core_status law_lcp(int n, const double *A, const double *q, const double *tol, core_scratch *s,
                    double *z, double *w, int *redundant) {
  core_mark mark = core_scratch_mark(s);
  active a;
  core_status status = start(&a, n, A, q, tol, s, z, w);
  if (!status) status = descend(&a);
  int *rows = core_scratch_ints(s, (size_t)n);
  if (!status && !rows) status = CORE_NO_MEMORY;
  *redundant = 0;
  if (!status && a.nf < n) {
    int m = touching(&a, rows, redundant);
    if (*redundant) status = share_out(&a, m, rows, s);
  }
  core_scratch_release(s, mark);
  return status;
}

/* ---- equality ---- */

/* F takes every row that does not depend on those before; the others must follow of themselves */
static core_status solve_independent(active *a) {
  for (int i = 0; i < a->n; i++) {
    double left = schur(a, i);
    if (left > 0) join(a, i, left);
  }
  correct(a);
  correct(a);
  refresh(a);
  for (int i = 0; i < a->n; i++)
    if (fabs(a->w[i]) > TOL_FOLLOWS * a->size[i]) return CORE_NO_SOLUTION;
  return CORE_OK;
}

core_status law_lcp_equality(int n, const double *A, const double *q, core_scratch *s, double *z,
                             int *redundant) {
  core_mark mark = core_scratch_mark(s);
  size_t size = (size_t)n;
  double *w = core_scratch_doubles(s, 2 * size * size + 2 * size), *Q = w + n;
  double *all = Q + size * size, *R = all + n;
  active a;
  core_status status = w ? start(&a, n, A, q, NULL, s, all, w) : CORE_NO_MEMORY;
  if (!status) status = solve_independent(&a);
  *redundant = !status && a.nf < n;
  int rank = *redundant ? law_lcp_range(n, A, s, R) : 0;
  if (rank < 0) status = CORE_NO_MEMORY;
  if (!status && *redundant) law_lcp_null(n, rank, R, Q);
  if (!status && *redundant) law_lcp_take_out(n, Q, all, z);
  if (!status && !*redundant) memcpy(z, all, size * sizeof *z);
  core_scratch_release(s, mark);
  return status;
}
