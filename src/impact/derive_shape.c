/* How J, Y = M^-1 J^T and W change with a place, exactly where models are made of joints.
 *
 * Along one joint M, A and J of a tree of bodies are sines and cosines of its angle, or polynomials
 * of its way, of degree two at most: places are linear in them, and M is a square of places. Such
 * functions are differentiated exactly by shifts that are not small, with no more rounding than
 * they have themselves:
 *
 *   turn   f' = sum_k c_k (f(s_k) - f(-s_k)),   2 sum c_k sin s_k = 1,  2 sum c_k sin 2 s_k = 2
 *   way    f' = (f(h) - f(-h)) / 2h
 *
 * A turn of a quaternion by s is q + 2 tan(s/2) dq, normalised. Nothing is believed: a second set
 * of shifts must give the same to rounding, else the model is not of that kind (round bodies
 * against each other, a user's functions) and core/differ.h takes over. Then
 *
 *   K = [M A^T; A 0],  K X = [J^T; 0]:   dX = K^-1 ([dJ^T; 0] - dK X),  dW = dJ Y + J dY,  dgap =
 * J_n
 */
#include <math.h>
#include <string.h>

#include "core/lin.h"
#include "impact/derive.h"
#include "impact/tolerance.h"

enum { MOST = 64 }; /* speeds: beyond, whole matrices are not cheap */

typedef struct shifts {
  int n;
  double at[2], weight[2];
} shifts;

/* ---- what kind of joint ---- */

/* two sets for speed i; 0: nothing is known of it */
static int sets_of(const model *m, int i, double length, shifts *set) {
  char unit = impact_derive_unit(m, i);
  double pi = acos(-1), r = sqrt(2), t = sqrt(3), a = (1 - 2 / t) / (t - 1);
  if (unit == 'r') {
    set[0] = (shifts){2, {pi / 2, pi / 4}, {(1 - r) / 2, 1}};
    set[1] = (shifts){2, {pi / 3, pi / 6}, {a, 2 / t - a}};
    return 1;
  }
  for (int k = 0; k < 2; k++) set[k] = (shifts){1, {(k + 1) * length}, {0.5 / ((k + 1) * length)}};
  return unit == 'm';
}

/* ---- K and J at a place ---- */

typedef struct line {
  const impact_point *at;
  const double *dq;
  int n, quaternion; /* of K; dq turns one */
  double *q, *full;  /* nq; J of all contacts, and what comes with it */
  core_scratch *s;
} line;

static int count(const line *w) {
  return w->n * w->n + w->at->setup.problem.rows * w->at->setup.nu;
}

/* rows of the contacts that take part; the others may have none here (one body inside another) */
static core_status rows_at(const line *w, double *J) {
  const model *m = w->at->m;
  const impact_setup *t = &w->at->setup;
  int rows = t->problem.rows, all = model_all_rows(&m->shape), row = 0;
  double *Y = w->full + all * t->nu, *W = Y + t->nu * rows, *gap = W + rows * rows;
  if (m->type->collide)
    return m->type->collide(m, w->q, t->problem.nc, t->contacts, w->s, J, Y, W, gap);
  core_status status = m->type->jacobian(m, w->q, w->full);
  for (int c = 0; c < t->problem.nc && !status; c++) {
    int first = model_first(&m->shape, t->contacts[c]);
    for (int r = 0; r < impact_rows_of(&t->problem, c); r++, row++)
      for (int j = 0; j < t->nu; j++) J[j * rows + row] = w->full[j * all + first + r];
  }
  return status;
}

static core_status numbers_at(const line *w, double s, double *out) {
  const model *m = w->at->m;
  core_mark mark = core_scratch_mark(w->s);
  double step = w->quaternion ? 2 * tan(s / 2) : s;
  for (int i = 0; i < m->shape.nq; i++) w->q[i] = w->at->q[i] + step * w->dq[i];
  if (w->quaternion && m->type->normalise) m->type->normalise(m, w->q);
  core_status status = model_block(m, w->q, w->s, out);
  if (!status) status = rows_at(w, out + w->n * w->n);
  core_scratch_release(w->s, mark);
  return status;
}

static core_status shift(const line *w, const shifts *set, double *work, double *out) {
  core_status status = CORE_OK;
  int n = count(w);
  memset(out, 0, (size_t)n * sizeof *out);
  for (int k = 0; k < 2 * set->n && !status; k++) {
    double sign = k % 2 ? -1 : 1;
    status = numbers_at(w, sign * set->at[k / 2], work);
    for (int i = 0; i < n && !status; i++) out[i] += sign * set->weight[k / 2] * work[i];
  }
  return status;
}

static double largest(int n, const double *x, const double *weight) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]) * weight[i]);
  return most;
}

static int same(int n, double *a, const double *b, const double *weight, double size) {
  for (int i = 0; i < n; i++) a[i] -= b[i];
  return largest(n, a, weight) <= TOL_SHIFTS * size;
}

/* factors that take the units out of K and J */
static void weigh(const line *w, const impact_size *size, const double *here, double *weight) {
  int n = w->n, nu = w->at->setup.nu, rows = w->at->setup.problem.rows;
  double *J = weight + n * n;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      weight[j * n + i] = (i < nu ? size->speed[i] : 1) * (j < nu ? size->speed[j] : 1);
  for (int r = nu; r < n; r++) { /* standing constraints */
    double most = largest(nu, here + r * n, weight + r * n);
    for (int j = 0; j < n && most > 0; j++) weight[r * n + j] /= most, weight[j * n + r] /= most;
  }
  for (int j = 0; j < nu; j++)
    for (int r = 0; r < rows; r++) J[j * rows + r] = size->speed[j] / size->row[r];
}

/* dK and dJ in `to`; here is K and J; CORE_UNSUPPORTED: not of that kind */
static core_status both_sets(const line *w, const impact_size *size, int i, double *here,
                             double *to) {
  int n = count(w), square = w->n * w->n;
  double *work = core_scratch_doubles(w->s, 3 * (size_t)n), *second = work + n,
         *weight = second + n;
  shifts set[2];
  core_status status = work ? numbers_at(w, 0, here) : CORE_NO_MEMORY;
  if (status) return status;
  if (!sets_of(w->at->m, i, size->length, set)) return CORE_UNSUPPORTED;
  status = shift(w, &set[0], work, to);
  if (!status) status = shift(w, &set[1], work, second);
  if (status) return CORE_UNSUPPORTED;
  weigh(w, size, here, weight);
  double turn = set[0].n == 2 ? 1 : 1 / set[0].at[0], *J = weight + square;
  double K = fmax(largest(square, here, weight) * turn, largest(square, to, weight));
  double most =
      fmax(largest(n - square, here + square, J) * turn, largest(n - square, to + square, J));
  return same(square, second, to, weight, K) &&
                 same(n - square, second + square, to + square, J, most)
             ? CORE_OK
             : CORE_UNSUPPORTED;
}

/* ---- from dK, dJ to dY, dW ---- */

/* X and then dX, n x rows each, in place: solves with K, which is kept */
static core_status solve(const line *w, const double *K, double *X) {
  int n = w->n, rows = w->at->setup.problem.rows;
  double *copy = core_scratch_doubles(w->s, (size_t)(n * n));
  if (!copy) return CORE_NO_MEMORY;
  memcpy(copy, K, (size_t)(n * n) * sizeof *K);
  return core_lin_solve_symmetric(n, copy, rows, X, w->s, NULL);
}

static void transpose_in(const line *w, const double *J, double *X) {
  int n = w->n, nu = w->at->setup.nu, rows = w->at->setup.problem.rows;
  memset(X, 0, (size_t)(n * rows) * sizeof *X);
  for (int r = 0; r < rows; r++)
    for (int j = 0; j < nu; j++) X[r * n + j] = J[j * rows + r];
}

static core_status fill(const line *w, const double *here, const double *change, double *d) {
  int n = w->n, nu = w->at->setup.nu, rows = w->at->setup.problem.rows;
  const double *J = here + n * n, *dJ = change + n * n;
  double *X = core_scratch_doubles(w->s, 2 * (size_t)(n * rows) + 1), *dX = X + n * rows;
  double *dY = d + nu * rows, *dW = dY + nu * rows;
  if (!X) return CORE_NO_MEMORY;
  transpose_in(w, J, X);
  transpose_in(w, dJ, dX);
  core_status status = solve(w, here, X);
  if (status) return CORE_UNSUPPORTED;
  core_lin_multiply('N', 'N', n, rows, n, -1, change, n, X, n, 1, dX, n);
  if (solve(w, here, dX)) return CORE_UNSUPPORTED;
  memcpy(d, dJ, (size_t)(nu * rows) * sizeof *d);
  for (int r = 0; r < rows; r++) memcpy(dY + r * nu, dX + r * n, (size_t)nu * sizeof *d);
  for (int a = 0; a < rows; a++)
    for (int b = 0; b < rows; b++) {
      double sum = 0;
      for (int j = 0; j < nu; j++)
        sum += dJ[j * rows + a] * X[b * n + j] + J[j * rows + a] * dX[b * n + j];
      dW[b * rows + a] = sum;
    }
  for (int a = 0; a < rows; a++) /* symmetric to the last bit */
    for (int b = 0; b < a; b++)
      dW[b * rows + a] = dW[a * rows + b] = (dW[b * rows + a] + dW[a * rows + b]) / 2;
  return CORE_OK;
}

core_status impact_derive_joint(const impact_point *at, const impact_size *size, int i,
                                const double *dq, core_scratch *s, double *d) {
  const model *m = at->m;
  const impact_problem *pr = &at->setup.problem;
  int nu = at->setup.nu, rows = pr->rows, plain = 0, others = 0;
  if (nu > MOST) return CORE_UNSUPPORTED;
  for (int k = 0; k < m->shape.nq; k++) plain += dq[k] == 1, others += dq[k] != 0 && dq[k] != 1;
  line w = {.at = at, .dq = dq, .n = nu + m->shape.na, .s = s, .quaternion = others > 0};
  if (plain && others) return CORE_UNSUPPORTED;
  w.q = core_scratch_doubles(s, (size_t)m->shape.nq);
  int room = (model_all_rows(&m->shape) + rows) * nu + rows * rows + pr->nc;
  w.full = core_scratch_doubles(s, (size_t)room);
  double *here = core_scratch_doubles(s, 2 * (size_t)count(&w));
  if (!w.q || !w.full || !here) return CORE_NO_MEMORY;
  core_status status = both_sets(&w, size, i, here, here + count(&w));
  if (!status) status = fill(&w, here, here + count(&w), d);
  double *gap = d + 2 * nu * rows + rows * rows;
  for (int c = 0; c < pr->nc && !status; c++)
    gap[c] = impact_was_open(pr, c) ? at->setup.J[i * rows + impact_normal(pr, c)] : 0;
  return status;
}
