#include "model/check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/lin.h"
#include "model/tolerance.h"

typedef struct checker {
  const model *m;
  const model_check_how *how;
  core_scratch *s;
  core_error *err;
} checker;

static core_status refuse(const checker *k, const char *text) {
  return core_fail(k->err, CORE_BAD_INPUT, "%s: %s (check = false switches this off)",
                   k->m->type->schema.owner, text);
}

/* ---- derivatives ---- */

/* a function of q with n values */
typedef core_status (*function)(const checker *k, const double *q, double *out);

enum { STEPS = 7 };

/* differences of n values: room for one step */
typedef struct differences {
  int n;
  double *here;  /* n: f */
  double *work;  /* n: f beside it */
  double *moved; /* nq */
  double *first; /* n: (f(-2h) - 8 f(-h) + 8 f(h) - f(2h)) / 12h along q' */
  double *bend;  /* n: (f(h) - 2 f + f(-h)) / h, which stays when h shrinks at an edge of f */
  double *last;  /* n: first, at the step before */
  double noise;  /* rounding in both */
} differences;

static core_status room_for(const checker *k, int n, differences *d) {
  double *x = core_scratch_doubles(k->s, (size_t)(5 * n + k->m->shape.nq));
  if (!x) return CORE_NO_MEMORY;
  *d = (differences){n, x, x + n, x + 5 * n, x + 2 * n, x + 3 * n, x + 4 * n, 0};
  return CORE_OK;
}

static core_status difference(const checker *k, function f, const double *q, const double *qdot,
                              double h, differences *d) {
  static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
  double size = 0;
  for (int r = 0; r < d->n; r++) d->first[r] = 0, d->bend[r] = -2 * d->here[r] / h;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < k->m->shape.nq; j++) d->moved[j] = q[j] + at[i] * h * qdot[j];
    core_status status = f(k, d->moved, d->work);
    if (status) return status;
    for (int r = 0; r < d->n; r++) {
      d->first[r] += weight[i] / (12 * h) * d->work[r];
      if (i == 1 || i == 2) d->bend[r] += d->work[r] / h;
      size = fmax(size, fabs(d->work[r]));
    }
  }
  d->noise = 16 * DBL_EPSILON * size / h;
  return CORE_OK;
}

static double reach(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* d f/dt along q' with an error for each of the n values: of the steps of a ladder, the one that
 * agrees best with its neighbour and bends least. INFINITY where nothing is known. */
static core_status derivative(const checker *k, function f, int n, const double *q,
                              const double *qdot, double *slope, double *error) {
  int nq = k->m->shape.nq;
  differences d;
  core_status status = room_for(k, n, &d);
  if (!status) status = f(k, q, d.here);
  if (status) return status;
  double speed = reach(nq, qdot), scale = fmax(1, reach(nq, q)) / (speed > 0 ? speed : 1);
  for (int r = 0; r < n; r++) slope[r] = 0, error[r] = INFINITY, d.last[r] = NAN;
  for (int i = 0; i < STEPS; i++) {
    if (difference(k, f, q, qdot, ldexp(scale, -7 - 5 * i), &d)) continue;
    for (int r = 0; r < n; r++) {
      double apart = fabs(d.first[r] - d.last[r]) + fabs(d.bend[r]) + d.noise; /* NaN at first */
      if (apart < error[r]) error[r] = apart, slope[r] = d.first[r];
      d.last[r] = d.first[r];
    }
  }
  return CORE_OK;
}

static int contradicts(double given, double d, double error) {
  return fabs(given - d) > MODEL_AGREES * fmax(fabs(given), fabs(d)) + 8 * error;
}

/* ---- mass ---- */

static core_status check_symmetry(const checker *k, int n, const double *M) {
  char text[160];
  for (int j = 0; j < n; j++)
    for (int i = 0; i < j; i++) {
      double a = M[j * n + i], b = M[i * n + j];
      double size = fmax(sqrt(fabs(M[i * n + i] * M[j * n + j])), fmax(fabs(a), fabs(b)));
      if (fabs(a - b) <= MODEL_ROUNDING * size) continue;
      snprintf(text, sizeof text, "mass must be symmetric, M[%d][%d] is %.6g and M[%d][%d] is %.6g",
               i + 1, j + 1, a, j + 1, i + 1, b);
      return refuse(k, text);
    }
  return CORE_OK;
}

/* eigenvalues of M scaled to a unit diagonal */
static core_status check_positive(const checker *k, int n, double *M) {
  double *w = core_scratch_doubles(k->s, 2 * (size_t)n), *scale = w + n;
  if (!w) return CORE_NO_MEMORY;
  for (int i = 0; i < n; i++) scale[i] = M[i * n + i] > 0 ? 1 / sqrt(M[i * n + i]) : 1;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) M[j * n + i] *= scale[i] * scale[j];
  core_status status = core_lin_eig_symmetric(n, M, k->s, w, NULL);
  if (status) return status;
  double least = w[0];
  for (int i = 1; i < n; i++) least = fmin(least, w[i]);
  if (least < -MODEL_ROUNDING)
    return refuse(k, "mass must be positive: some speeds have negative kinetic energy");
  if (least > DBL_EPSILON * n || k->m->shape.na) return CORE_OK;
  return core_fail(k->err, CORE_SINGULAR, "%s: the mass matrix is singular",
                   k->m->type->schema.owner);
}

static core_status check_mass(const checker *k, const double *q) {
  int n = k->m->shape.nu;
  double *M = core_scratch_doubles(k->s, (size_t)n * (size_t)n);
  core_status status = M ? k->m->type->mass(k->m, q, M) : CORE_NO_MEMORY;
  if (!status) status = check_symmetry(k, n, M);
  return status ? status : check_positive(k, n, M);
}

/* ---- jacobian ---- */

static core_status gap_of(const checker *k, const double *q, double *out) {
  return k->m->type->gap(k->m, q, out);
}

static core_status position_of(const checker *k, const double *q, double *out) {
  return k->how->position(k->m, q, out);
}

static core_status refuse_entry(const checker *k, int j, int c, int row, double given, double d,
                                double error) {
  char text[200], what[40];
  int rows = model_rows_of(&k->m->shape, c), normal = row == rows - 1;
  if (normal)
    snprintf(what, sizeof what, "gap[%d]", c + 1);
  else
    snprintf(what, sizeof what, "position[%d][%d]", c + 1, row + 1);
  if (fabs(d) <= 8 * error) d = 0;
  snprintf(text, sizeof text,
           "jacobian contradicts %s: row %s of contact %d has %.6g for speed %d, differences of "
           "the %s give %.6g",
           normal ? "gap" : "position",
           normal      ? "n"
           : row       ? "t2"
           : rows == 2 ? "t"
                       : "t1",
           c + 1, given, j + 1, what, d);
  return refuse(k, text);
}

/* column j of J against the rates of gap and position when speed j is 1 */
static core_status check_column(const checker *k, const double *q, int j, const double *J) {
  const model *m = k->m;
  const model_shape *shape = &m->shape;
  int nc = shape->nc, dim = shape->dim, nu = shape->nu, all = nc * dim, n = model_all_rows(shape);
  double *u = core_scratch_doubles(k->s, (size_t)(nu + shape->nq + 2 * all));
  if (!u) return CORE_NO_MEMORY;
  double *qdot = u + nu, *d = qdot + shape->nq, *error = d + all;
  memset(u, 0, (size_t)nu * sizeof *u);
  u[j] = 1;
  core_status status = model_rates(m, q, u, qdot);
  if (!status) status = derivative(k, gap_of, nc, q, qdot, d, error);
  for (int c = 0; c < nc && !status; c++) {
    double given = J[j * n + model_normal(shape, c)];
    if (contradicts(given, d[c], error[c]))
      return refuse_entry(k, j, c, model_rows_of(shape, c) - 1, given, d[c], error[c]);
  }
  if (status || !k->how->position || dim == 1) return status;
  status = derivative(k, position_of, all, q, qdot, d, error);
  for (int c = 0; c < nc && !status; c++)
    for (int i = 0; i < model_rows_of(shape, c) - 1; i++) {
      double given = J[j * n + model_first(shape, c) + i];
      if (contradicts(given, d[i * nc + c], error[i * nc + c]))
        return refuse_entry(k, j, c, i, given, d[i * nc + c], error[i * nc + c]);
    }
  return status;
}

static core_status check_jacobian(const checker *k, const double *q) {
  const model *m = k->m;
  double *J = core_scratch_doubles(k->s, (size_t)(model_all_rows(&m->shape) * m->shape.nu));
  core_status status = J ? m->type->jacobian(m, q, J) : CORE_NO_MEMORY;
  for (int j = 0; j < m->shape.nu && !status; j++) {
    core_mark mark = core_scratch_mark(k->s);
    status = check_column(k, q, j, J);
    core_scratch_release(k->s, mark);
  }
  return status;
}

/* ---- forces ---- */

static core_status mass_of(const checker *k, const double *q, double *out) {
  return k->m->type->mass(k->m, q, out);
}

static core_status potential_of(const checker *k, const double *q, double *out) {
  *out = k->m->type->potential(k->m, q);
  return isnan(*out) ? CORE_NOT_FINITE : CORE_OK;
}

/* u.f + u.M'u/2 + dV/dt against the power that is told */
static core_status check_energy(const checker *k, const double *q, const double *u) {
  const model *m = k->m;
  int n = m->shape.nu;
  double *f = core_scratch_doubles(k->s, (size_t)(n + m->shape.nq + 2 * n * n));
  if (!f) return CORE_NO_MEMORY;
  double *qdot = f + n, *dM = qdot + m->shape.nq, *error = dM + n * n, dV, V_error;
  core_status status = m->type->forces(m, 0, q, u, f);
  if (!status) status = model_rates(m, q, u, qdot);
  if (!status) status = derivative(k, mass_of, n * n, q, qdot, dM, error);
  if (!status) status = derivative(k, potential_of, 1, q, qdot, &dV, &V_error);
  if (status) return status;
  double sum = dV, size = fabs(dV), slack = V_error;
  for (int j = 0; j < n; j++) {
    sum += u[j] * f[j], size += fabs(u[j] * f[j]);
    for (int i = 0; i < n; i++) {
      sum += u[i] * dM[j * n + i] * u[j] / 2, size += fabs(u[i] * dM[j * n + i] * u[j] / 2);
      slack += fabs(u[i] * u[j]) * error[j * n + i] / 2;
    }
  }
  double told = m->type->power ? m->type->power(m, 0, q, u) : 0;
  if (!(fabs(sum - told) > MODEL_AGREES * (size + fabs(told)) + 8 * slack)) return CORE_OK;
  char text[200];
  snprintf(text, sizeof text,
           "forces contradict mass and potential: they do work at %.6g W that the potential does "
           "not have, %s %.6g W",
           sum, m->type->power ? "and power tells" : "and without power = it must be", told);
  return refuse(k, text);
}

/* at the speeds the model has, and at others */
static core_status check_forces(const checker *k, const double *q) {
  int n = k->m->shape.nu;
  double *u = core_scratch_doubles(k->s, (size_t)n), size = fmax(1, reach(n, k->m->u));
  if (!u) return CORE_NO_MEMORY;
  core_status status = check_energy(k, q, k->m->u);
  for (int i = 0; i < n; i++) u[i] = size * cos(1.7 * i + 0.3);
  return status ? status : check_energy(k, q, u);
}

/* ---- all ---- */

static core_status check_at(const checker *k, const double *q) {
  core_mark mark = core_scratch_mark(k->s);
  core_status status = check_mass(k, q);
  if (!status) status = check_jacobian(k, q);
  if (!status && k->how->energy) status = check_forces(k, q);
  core_scratch_release(k->s, mark);
  return status;
}

core_status model_check(const model *m, const model_check_how *how, core_scratch *s,
                        core_error *err) {
  checker k = {m, how, s, err};
  int nq = m->shape.nq;
  core_status status = check_at(&k, m->q);
  if (status) return status;
  core_mark mark = core_scratch_mark(s);
  double *beside = core_scratch_doubles(s, (size_t)nq);
  if (!beside) return core_no_memory(err);
  for (int j = 0; j < nq; j++)
    beside[j] = m->q[j] + 0.03 * cos(2.3 * j + 0.7) * fmax(1, fabs(m->q[j]));
  if (m->type->normalise) m->type->normalise(m, beside);
  status = check_at(&k, beside);
  core_scratch_release(s, mark);
  /* functions need not be defined there */
  return status == CORE_BAD_INPUT || status == CORE_NO_MEMORY || status == CORE_INTERRUPTED
             ? status
             : CORE_OK;
}
