/* What standing constraints A(q) u = 0 leave of the directions of a state.
 *
 *   speeds   d(A u) = 0:    du += x,   x smallest in u^T M u:  [M A^T; A 0] [x; .] = [0; -d(A u)]
 *   places   A xi = 0 where the model closes loops (they are equations of places too); a planted
 *            foot of a script may stand elsewhere, and its places are free
 *
 * Rows may depend on each other (a loop too many): the block is solved by least squares, in units
 * in which M has ones on its diagonal and each row of A has length one.
 */
#include <math.h>
#include <string.h>

#include "core/lin.h"
#include "sim/vary.h"

/* the block in those units; unit (nu) and length (na) lead back */
static core_status scaled_block(const sim_vary_work *w, const double *q, double *K, double *unit,
                                double *length) {
  const model *m = w->r->m;
  int nu = w->f.nu, na = m->shape.na, n = nu + na;
  core_status status = model_block(m, q, w->s, K);
  if (status) return status;
  for (int j = 0; j < nu; j++) unit[j] = K[j * n + j] > 0 ? 1 / sqrt(K[j * n + j]) : 1;
  for (int r = 0; r < na; r++) {
    length[r] = 0;
    for (int j = 0; j < nu; j++) length[r] = hypot(length[r], K[j * n + nu + r] * unit[j]);
    if (!(length[r] > 0)) length[r] = 1;
  }
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      K[j * n + i] *=
          (i < nu ? unit[i] : 1 / length[i - nu]) * (j < nu ? unit[j] : 1 / length[j - nu]);
  return CORE_OK;
}

/* by (nu x k) with A by = -b (na x k); *rank is that of A */
static core_status push_back(sim_vary_work *w, const double *q, int k, const double *b, double *by,
                             int *rank) {
  int nu = w->f.nu, na = w->r->m->shape.na, n = nu + na;
  double *K = core_scratch_doubles(w->s, (size_t)(n * n + 2 * n * k + n));
  if (!K) return CORE_NO_MEMORY;
  double *rhs = K + n * n, *x = rhs + n * k, *unit = x + n * k, *length = unit + nu;
  core_status status = scaled_block(w, q, K, unit, length);
  if (status) return status;
  memset(rhs, 0, (size_t)(n * k) * sizeof *rhs);
  for (int j = 0; j < k; j++)
    for (int r = 0; r < na; r++) rhs[j * n + nu + r] = -b[j * na + r] / length[r];
  status = core_lin_least_squares(n, n, K, k, rhs, SIM_VARY_DEPENDENT, w->s, x, rank);
  for (int j = 0; j < k && !status; j++)
    for (int i = 0; i < nu; i++) by[j * nu + i] = x[j * n + i] * unit[i];
  *rank -= nu; /* the block has rank nu + rank(A) */
  return status;
}

/* A x */
static core_status times_constraints(sim_vary_work *w, const double *q, const double *x,
                                     double *out) {
  int nu = w->f.nu, na = w->r->m->shape.na;
  core_mark mark = core_scratch_mark(w->s);
  double *A = core_scratch_doubles(w->s, (size_t)(na * nu));
  core_status status = A ? w->r->m->type->constraints(w->r->m, q, A) : CORE_NO_MEMORY;
  for (int r = 0; r < na && !status; r++) {
    out[r] = 0;
    for (int j = 0; j < nu; j++) out[r] += A[j * na + r] * x[j];
  }
  core_scratch_release(w->s, mark);
  return status;
}

static core_status speeds_of(sim_vary_work *w, void *self, double t, const double *y, double *out) {
  (void)self, (void)t;
  return times_constraints(w, y, y + w->f.nq, out);
}

static core_status hold_places(sim_vary_work *w, const double *y, int k, double *d, int *rank) {
  int nu = w->f.nu, na = w->r->m->shape.na;
  double *xi = core_scratch_doubles(w->s, (size_t)(3 * nu * k + na * k + w->f.nq) + 1);
  if (!xi) return CORE_NO_MEMORY;
  double *by = xi + 2 * nu * k, *b = by + nu * k, *dq = b + na * k;
  core_status status = sim_vary_reduce(w, y, k, d, xi);
  for (int j = 0; j < k && !status; j++)
    status = times_constraints(w, y, xi + j * 2 * nu, b + j * na);
  if (!status) status = push_back(w, y, k, b, by, rank);
  for (int j = 0; j < k && !status; j++) {
    status = model_rates(w->r->m, y, by + j * nu, dq);
    for (int i = 0; i < w->f.nq && !status; i++) d[j * w->n + i] += dq[i];
  }
  return status;
}

static core_status hold_speeds(sim_vary_work *w, double t, const double *y, int k, double *d,
                               int *rank) {
  int nu = w->f.nu, na = w->r->m->shape.na;
  double *b = core_scratch_doubles(w->s, (size_t)(na * k + nu * k + 3 * na) + 1);
  if (!b) return CORE_NO_MEMORY;
  double *by = b + na * k, *one = by + nu * k;
  core_status status = CORE_OK;
  for (int j = 0; j < k && !status; j++) {
    status = sim_vary_along(w, speeds_of, NULL, na, t, y, 0, d + j * w->n, one);
    memcpy(b + j * na, one, (size_t)na * sizeof *b);
  }
  if (!status) status = push_back(w, y, k, b, by, rank);
  for (int j = 0; j < k && !status; j++)
    for (int i = 0; i < nu; i++) d[j * w->n + w->f.nq + i] += by[j * nu + i];
  return status;
}

core_status sim_vary_stand(sim_vary_work *w, double t, const double *y, int k, double *d,
                           int *taken) {
  core_mark mark = core_scratch_mark(w->s);
  int places = 0, speeds = 0;
  core_status status = CORE_OK;
  if (w->r->m->shape.na && k) {
    if (w->r->m->type->close) status = hold_places(w, y, k, d, &places);
    if (!status) status = hold_speeds(w, t, y, k, d, &speeds);
  }
  *taken = places + speeds;
  core_scratch_release(w->s, mark);
  return status;
}
