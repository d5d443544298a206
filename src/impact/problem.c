#include "impact/problem.h"

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
      if (fabs(a - b) > 1e-8 * scale)
        return core_fail(err, CORE_BAD_INPUT,
                         "W is not symmetric: W[%d][%d] = %.10g, W[%d][%d] = %.10g", i + 1, j + 1,
                         a, j + 1, i + 1, b);
      if (fabs(a) > scale * (1 + 1e-8))
        return core_fail(err, CORE_BAD_INPUT,
                         "W is not positive semi-definite: |W[%d][%d]| = %.10g exceeds %.10g",
                         i + 1, j + 1, fabs(a), scale);
    }
  }
  return CORE_OK;
}

core_status impact_problem_check(const impact_problem *pr, core_error *err) {
  int n = pr->rows;
  if (pr->nc < 1 || pr->dim < 1 || pr->dim > 3 || n != pr->nc * pr->dim)
    return core_fail(err, CORE_BAD_INPUT,
                     "a problem needs at least one contact with 1, 2 or 3 rows, got %d "
                     "contacts with %d rows",
                     pr->nc, pr->dim);
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

/* W = L D L^T row by row: a pivot well below 0 tells; one that is 0 to rounding has nothing below
 * it */
core_status impact_problem_definite(const impact_problem *pr, core_scratch *s, core_error *err) {
  int n = pr->rows;
  core_mark mark = core_scratch_mark(s);
  double *L = core_scratch_doubles(s, (size_t)n * (size_t)n), least = 0;
  if (!L) return core_fail(err, CORE_NO_MEMORY, "%s", "");
  for (int k = 0; k < n; k++) {
    double *row = L + k * n, own = pr->W[k * n + k], pivot = own;
    for (int j = 0; j < k; j++) {
      double d = L[j * n + j], sum = pr->W[j * n + k];
      for (int i = 0; i < j; i++) sum -= row[i] * L[i * n + i] * L[j * n + i];
      row[j] = d > 0 ? sum / d : 0;
      pivot -= row[j] * row[j] * d;
    }
    row[k] = pivot > 1e-8 * own ? pivot : 0;
    if (pivot < -1e-8 * own) least = pivot < least ? pivot : least;
  }
  core_scratch_release(s, mark);
  if (least == 0) return CORE_OK;
  return core_fail(err, CORE_BAD_INPUT, "W is not positive semi-definite: it has a pivot of %.10g",
                   least);
}

void impact_velocity_after(const impact_problem *pr, const double *p, double *v) {
  int n = pr->rows;
  for (int i = 0; i < n; i++) v[i] = pr->v[i];
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) v[i] += pr->W[j * n + i] * p[j];
}

core_status impact_nothing(const impact_problem *pr, impact_result *r) {
  memset(r->p, 0, (size_t)pr->rows * sizeof *r->p);
  memcpy(r->v, pr->v, (size_t)pr->rows * sizeof *r->v);
  r->lost_restitution = r->lost_friction = r->stored = 0;
  r->flags = 0;
  r->duration = NAN;
  return r->status = CORE_NO_IMPACT;
}
