#include "impact/problem.h"
#include "impact/tolerance.h"

#include <math.h>
#include <string.h>

static int finite_all(int n, const double *x) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return 0;
  return 1;
}

static core_status check_W(const impact_problem *pr, core_error *err) {
  int n = pr->rows;
  for (int j = 0; j < n; j++) {
    if (pr->W[j * n + j] < 0)
      return core_fail(err, CORE_BAD_INPUT, "W is not positive semi-definite: W[%d][%d] = %.10g",
                       j + 1, j + 1, pr->W[j * n + j]);
    for (int i = 0; i < j; i++) {
      double a = pr->W[j * n + i], b = pr->W[i * n + j];
      double scale = sqrt(pr->W[i * n + i] * pr->W[j * n + j]);
      if (fabs(a - b) > TOL_SYMMETRIC * scale)
        return core_fail(err, CORE_BAD_INPUT,
                         "W is not symmetric: W[%d][%d] = %.10g, W[%d][%d] = %.10g", i + 1, j + 1,
                         a, j + 1, i + 1, b);
      if (fabs(a) > scale * (1 + TOL_SYMMETRIC))
        return core_fail(err, CORE_BAD_INPUT,
                         "W is not positive semi-definite: |W[%d][%d]| = %.10g exceeds %.10g",
                         i + 1, j + 1, fabs(a), scale);
    }
  }
  return CORE_OK;
}

/* contacts with rows of their own: 1, 2 or 3 each, dim the most of them, `rows` in all */
static core_status check_first(const impact_problem *pr, core_error *err) {
  int most = 0;
  for (int c = 0; c < pr->nc; c++) {
    int rows = impact_rows_of(pr, c);
    if (rows < 1 || rows > 3)
      return core_fail(err, CORE_BAD_INPUT, "contact %d must have 1, 2 or 3 rows, got %d", c + 1,
                       rows);
    if (rows > most) most = rows;
  }
  if (pr->first[0] == 0 && pr->first[pr->nc] == pr->rows && most == pr->dim) return CORE_OK;
  return core_fail(err, CORE_BAD_INPUT, "rows of the contacts must add up to the %d of W, got %d",
                   pr->rows, pr->first[pr->nc] - pr->first[0]);
}

static core_status check_sizes(const impact_problem *pr, core_error *err) {
  if (pr->nc >= 1 && pr->first) return check_first(pr, err);
  if (pr->nc >= 1 && pr->dim >= 1 && pr->dim <= 3 && pr->rows == pr->nc * pr->dim) return CORE_OK;
  return core_fail(err, CORE_BAD_INPUT,
                   "a problem needs at least one contact with 1, 2 or 3 rows, got %d "
                   "contacts with %d rows",
                   pr->nc, pr->dim);
}

core_status impact_problem_check(const impact_problem *pr, core_error *err) {
  int n = pr->rows;
  core_status status = check_sizes(pr, err);
  if (status) return status;
  if (!finite_all(n * n, pr->W))
    return core_fail(err, CORE_NOT_FINITE, "solve: W holds a NaN or an infinity");
  if (!finite_all(n, pr->v))
    return core_fail(err, CORE_NOT_FINITE, "solve: v holds a NaN or an infinity");
  if (pr->gap) {
    if (!finite_all(pr->nc, pr->gap))
      return core_fail(err, CORE_NOT_FINITE, "solve: gap holds a NaN or an infinity");
    for (int c = 0; c < pr->nc; c++)
      if (pr->gap[c] < 0)
        return core_fail(err, CORE_BAD_INPUT,
                         "gap[%d] must be a non-negative number of m, got %.10g", c + 1,
                         pr->gap[c]);
  }
  return check_W(pr, err);
}

/* W scaled to a unit diagonal; rows without a diagonal stay as they are. Column-major, own copy. */
static void scale_to_unit(const impact_problem *pr, double *S, double *root) {
  int n = pr->rows;
  for (int i = 0; i < n; i++) root[i] = pr->W[i * n + i] > 0 ? sqrt(pr->W[i * n + i]) : 1;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) S[j * n + i] = pr->W[j * n + i] / (root[i] * root[j]);
}

/* one step of W = L L^T: what is left after row and column k, of the rows still in `left`; bodies
 * in a chain have few that row k reaches */
static void eliminate(int n, double *S, int k, int m, const int *left) {
  double *column = S + k * n, pivot = column[k];
  for (int j = 0; j < m; j++) {
    double factor = column[left[j]] / pivot, *to = S + left[j] * n;
    if (factor == 0) continue;
    for (int i = 0; i < m; i++) to[left[i]] -= factor * column[left[i]];
  }
}

/* Cholesky with the largest pivot first: its factors stay below 1, so that rounding does not grow,
 * and what is left when no pivot above TOL_DEFINITE_STOP is there is what the matrix lacks of being
 * W = L L^T. (Row by row, a small pivot early on made 0.3 % of the W of rigid bodies on 3 or 4
 * points look indefinite.) Returns the worst entry left: a diagonal below 0 or any off-diagonal. */
static double what_is_left(int n, double *S, int *left) {
  int m = n;
  for (int i = 0; i < n; i++) left[i] = i;
  while (m > 0) {
    int best = 0;
    for (int i = 1; i < m; i++)
      if (S[left[i] * n + left[i]] > S[left[best] * n + left[best]]) best = i;
    int k = left[best];
    if (!(S[k * n + k] > TOL_DEFINITE_STOP)) break;
    left[best] = left[--m];
    eliminate(n, S, k, m, left);
  }
  double worst = 0;
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++) {
      double x = S[left[j] * n + left[i]];
      worst = fmax(worst, i == j ? -x : fabs(x));
    }
  return worst;
}

core_status impact_problem_definite(const impact_problem *pr, core_scratch *s, core_error *err) {
  size_t n = (size_t)pr->rows;
  core_mark mark = core_scratch_mark(s);
  double *S = core_scratch_doubles(s, n * n + n);
  int *left = core_scratch_ints(s, n);
  if (!S || !left) return core_no_memory(err);
  scale_to_unit(pr, S, S + n * n);
  double worst = what_is_left(pr->rows, S, left);
  core_scratch_release(s, mark);
  if (worst <= TOL_DEFINITE) return CORE_OK;
  return core_fail(err, CORE_BAD_INPUT,
                   "W is not positive semi-definite: it lacks %.3g of its diagonal", worst);
}

void impact_find_spans(int n, const double *W, impact_span *span) {
  for (int j = 0; j < n; j++, W += n) {
    int from = 0, to = n;
    while (from < to && W[from] == 0) from++;
    while (to > from && W[to - 1] == 0) to--;
    span[j] = (impact_span){from, to};
  }
}

const impact_span *impact_spans(const impact_problem *pr, core_scratch *s) {
  if (pr->span) return pr->span;
  impact_span *span = core_scratch_bytes(s, (size_t)pr->rows * sizeof *span);
  if (span) impact_find_spans(pr->rows, pr->W, span);
  return span;
}

/* ints that fill whole doubles, so that what follows is aligned */
static size_t first_size(const impact_problem *pr) {
  size_t ints = pr->first ? (size_t)pr->nc + 1 : 0, per = sizeof(double) / sizeof(int);
  return (ints + per - 1) / per * sizeof(double);
}

size_t impact_problem_size(const impact_problem *pr) {
  size_t rows = (size_t)pr->rows, nc = (size_t)pr->nc;
  return (rows * rows + rows + nc) * sizeof(double) + first_size(pr);
}

void impact_problem_copy(const impact_problem *pr, void *room, impact_problem *copy) {
  size_t rows = (size_t)pr->rows, nc = (size_t)pr->nc;
  double *W = room, *v = W + rows * rows, *gap = v + rows;
  *copy = *pr;
  copy->span = NULL;
  copy->W = memcpy(W, pr->W, rows * rows * sizeof *W);
  copy->v = memcpy(v, pr->v, rows * sizeof *v);
  if (pr->gap) copy->gap = memcpy(gap, pr->gap, nc * sizeof *gap);
  if (pr->first) copy->first = memcpy(gap + nc, pr->first, (nc + 1) * sizeof *pr->first);
}

/* a bound of the terms of W p in units of the velocities, by |W_ij| <= sqrt(W_ii W_jj) */
static double cancellation(const impact_problem *pr, const double *p, const double *v) {
  double given = 0, widest = 0, fastest = 0;
  for (int i = 0, n = pr->rows; i < n; i++) {
    double root = sqrt(pr->W[i * n + i]);
    given += root * fabs(p[i]);
    widest = fmax(widest, root);
    fastest = fmax(fastest, fmax(fabs(v[i]), fabs(pr->v[i])));
  }
  return widest * given / fastest;
}

/* Impulses that hold each other (obstacles that squeeze a body, rows that depend on each other) may
 * be far larger than what they do: there the sum is taken again with more digits, or v+ would
 * be that of nobody's p, and the ledger open by p times what is wrong with it. */
void impact_velocity_after(const impact_problem *pr, const double *p, double *v) {
  int n = pr->rows;
  for (int i = 0; i < n; i++) v[i] = pr->v[i];
  for (int j = 0; j < n; j++) {
    int from = pr->span ? pr->span[j].from : 0, to = pr->span ? pr->span[j].to : n;
    for (int i = from; i < to; i++) v[i] += pr->W[j * n + i] * p[j];
  }
  if (!(cancellation(pr, p, v) > LIMIT_CANCELS)) return;
  for (int i = 0; i < n; i++) {
    long double sum = pr->v[i];
    for (int j = 0; j < n; j++) sum += (long double)pr->W[j * n + i] * p[j];
    v[i] = (double)sum;
  }
}

core_status impact_nothing(const impact_problem *pr, impact_result *r) {
  memset(r->p, 0, (size_t)pr->rows * sizeof *r->p);
  memcpy(r->v, pr->v, (size_t)pr->rows * sizeof *r->v);
  r->lost_restitution = r->lost_friction = r->stored = 0;
  r->flags = 0;
  r->duration = r->residual = NAN;
  return r->status = CORE_NO_IMPACT;
}
