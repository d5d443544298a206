/* Life of a model, and the general ways that serve types without a fast hook of their own. */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/lin.h"
#include "model/tolerance.h"

/* ---- life ---- */

static core_status out_of_memory(core_error *err) {
  return core_no_memory(err);
}

/* params copied, nothing built yet; NULL when memory is out */
static model *blank(const model_type *type, const void *params) {
  model *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->type = type;
  m->params = malloc(type->schema.size ? type->schema.size : 1);
  if (!m->params || core_schema_copy(&type->schema, m->params, params)) {
    free(m->params);
    free(m);
    return NULL;
  }
  return m;
}

/* q and u in one block, zeroed */
static core_status allocate_state(model *m, core_error *err) {
  m->q = calloc((size_t)(m->shape.nq + m->shape.nu) + 1, sizeof *m->q);
  if (!m->q) return out_of_memory(err);
  m->u = m->q + m->shape.nq;
  return CORE_OK;
}

static core_status build(model *m, core_error *err) {
  core_status status = m->type->build(m, err);
  return status ? status : allocate_state(m, err);
}

core_status model_create(const model_type *type, const void *params, model **m, core_error *err) {
  *m = NULL;
  model *made = blank(type, params);
  if (!made) return out_of_memory(err);
  core_status status = build(made, err);
  if (!status) status = type->start(made, made->q, made->u, err);
  if (status) {
    model_free(made);
    return status;
  }
  *m = made;
  return CORE_OK;
}

core_status model_copy(const model *from, model **m) {
  *m = NULL;
  model *made = blank(from->type, from->params);
  if (!made) return CORE_NO_MEMORY;
  core_status status = build(made, NULL);
  if (status) {
    model_free(made);
    return status;
  }
  memcpy(made->q, from->q, (size_t)(from->shape.nq + from->shape.nu) * sizeof *from->q);
  *m = made;
  return CORE_OK;
}

double model_size(const model *m, const double *q, int c) {
  return m->type->size ? m->type->size(m, q, c) : 1;
}

/* ---- in one piece: struct, params, q and u ---- */

static size_t rounded(size_t bytes) {
  return (bytes + 7) / 8 * 8;
}

size_t model_piece(const model *m) {
  if (m->type->destroy || !core_schema_is_flat(&m->type->schema, m->params)) return 0;
  return rounded(sizeof *m) + rounded(m->type->schema.size) +
         (size_t)(m->shape.nq + m->shape.nu) * sizeof *m->q;
}

model *model_place(const model *m, void *piece) {
  model *made = piece;
  *made = (model){.type = m->type, .params = (char *)piece + rounded(sizeof *m)};
  memcpy(made->params, m->params, m->type->schema.size);
  return made;
}

static core_status start_in_piece(model *made, core_error *err) {
  made->q = (double *)((char *)made->params + rounded(made->type->schema.size));
  made->u = made->q + made->shape.nq;
  memset(made->q, 0, (size_t)(made->shape.nq + made->shape.nu) * sizeof *made->q);
  return made->type->start(made, made->q, made->u, err);
}

core_status model_restart(model *made, const model *like, core_error *err) {
  made->shape = like->shape;
  return start_in_piece(made, err);
}

core_status model_settle(model *made, const model *like, core_error *err) {
  if (!core_schema_is_flat(&made->type->schema, made->params)) return CORE_UNSUPPORTED;
  core_status status = made->type->build(made, err);
  if (status) return status;
  int n = like->shape.nq + like->shape.nu, own = made->shape.nq + made->shape.nu;
  return own == n ? start_in_piece(made, err) : CORE_UNSUPPORTED;
}

core_status model_rebuild(model *m, core_error *err) {
  model_shape before = m->shape; /* but for `first`, which goes with m->extra */
  int rows = model_all_rows(&m->shape);
  if (m->type->destroy) m->type->destroy(m);
  m->extra = NULL;
  core_status status = m->type->build(m, err);
  if (status) return status;
  if (m->shape.nq != before.nq || m->shape.nu != before.nu || m->shape.nc != before.nc ||
      model_all_rows(&m->shape) != rows)
    return core_fail(err, CORE_BAD_INPUT,
                     "%s: a parameter that changes its size cannot be swept here",
                     m->type->schema.owner);
  return m->type->start(m, m->q, m->u, err);
}

void model_free(model *m) {
  if (!m) return;
  if (m->type->destroy) m->type->destroy(m);
  core_schema_free(&m->type->schema, m->params);
  free(m->params);
  free(m->q);
  free(m);
}

/* ---- general ways ---- */

core_status model_rates(const model *m, const double *q, const double *u, double *qdot) {
  if (m->type->rates) return m->type->rates(m, q, u, qdot);
  memcpy(qdot, u, (size_t)m->shape.nu * sizeof *u);
  return CORE_OK;
}

/* J(q) or A(q) of a model */
typedef core_status (*rows_of)(const model *m, const double *q, double *B);

/* B(q + step q') u, added to a with the given weight */
static core_status add_shifted(const model *m, rows_of B, int rows, const double *q,
                               const double *qdot, const double *u, double step, double weight,
                               double *work, double *shifted, double *a) {
  int nu = m->shape.nu;
  for (int i = 0; i < m->shape.nq; i++) shifted[i] = q[i] + step * qdot[i];
  core_status status = B(m, shifted, work);
  if (status) return status;
  for (int j = 0; j < nu; j++)
    for (int i = 0; i < rows; i++) a[i] += weight * work[j * rows + i] * u[j];
  return CORE_OK;
}

/* Bdot u by differences along q', fourth order; the step (a thousandth of a metre or radian of the
 * fastest coordinate) balances rounding and truncation */
static core_status rate_by_differences(const model *m, rows_of B, int rows, const double *q,
                                       const double *u, core_scratch *s, double *a) {
  int nq = m->shape.nq, nu = m->shape.nu;
  double *qdot = core_scratch_doubles(s, (size_t)nq),
         *shifted = core_scratch_doubles(s, (size_t)nq);
  double *work = core_scratch_doubles(s, (size_t)rows * (size_t)nu);
  if (!qdot || !shifted || !work) return CORE_NO_MEMORY;
  core_status status = model_rates(m, q, u, qdot);
  double speed = 0;
  for (int i = 0; i < nq; i++) speed = fmax(speed, fabs(qdot[i]));
  memset(a, 0, (size_t)rows * sizeof *a);
  if (status || speed == 0) return status;
  static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
  double h = MODEL_STEP / speed;
  for (int i = 0; i < 4 && !status; i++)
    status = add_shifted(m, B, rows, q, qdot, u, at[i] * h, weight[i] / (12 * h), work, shifted, a);
  return status;
}

core_status model_block(const model *m, const double *q, core_scratch *s, double *K) {
  int nu = m->shape.nu, na = m->shape.na, n = nu + na;
  core_mark mark = core_scratch_mark(s);
  double *M = core_scratch_doubles(s, (size_t)nu * (size_t)nu);
  double *A = core_scratch_doubles(s, (size_t)na * (size_t)nu + 1);
  core_status status = M && A ? m->type->mass(m, q, M) : CORE_NO_MEMORY;
  if (!status && na) status = m->type->constraints(m, q, A);
  memset(K, 0, (size_t)n * (size_t)n * sizeof *K);
  for (int j = 0; j < nu && !status; j++) {
    memcpy(K + j * n, M + j * nu, (size_t)nu * sizeof *M);
    for (int i = 0; i < na; i++) K[j * n + nu + i] = K[(nu + i) * n + j] = A[j * na + i];
  }
  core_scratch_release(s, mark);
  return status;
}

/* M udot = f + h with standing constraints A u = 0 kept, A udot = -Adot u: [M A^T; A 0] */
static core_status solve_constrained(const model *m, const double *q, const double *u,
                                     const double *f, core_scratch *s, double *udot) {
  int nu = m->shape.nu, na = m->shape.na, n = nu + na;
  double *K = core_scratch_doubles(s, (size_t)n * (size_t)n);
  double *x = core_scratch_doubles(s, (size_t)n);
  if (!K || !x) return CORE_NO_MEMORY;
  core_status status = model_block(m, q, s, K);
  if (!status) status = rate_by_differences(m, m->type->constraints, na, q, u, s, x + nu);
  if (status) return status;
  memcpy(x, f, (size_t)nu * sizeof *f);
  for (int i = nu; i < n; i++) x[i] = -x[i];
  status = core_lin_solve_symmetric(n, K, 1, x, s, NULL);
  memcpy(udot, x, (size_t)nu * sizeof *udot);
  return status;
}

static core_status accelerate_dense(const model *m, double t, const double *q, const double *u,
                                    const double *h, core_scratch *s, double *udot) {
  int nu = m->shape.nu;
  double *M = core_scratch_doubles(s, (size_t)nu * (size_t)nu);
  double *f = core_scratch_doubles(s, (size_t)nu);
  if (!M || !f) return CORE_NO_MEMORY;
  core_status status = m->type->forces(m, t, q, u, f);
  for (int i = 0; h && i < nu; i++) f[i] += h[i];
  if (status || m->shape.na) return status ? status : solve_constrained(m, q, u, f, s, udot);
  status = m->type->mass(m, q, M);
  if (status) return status;
  memcpy(udot, f, (size_t)nu * sizeof *f);
  return core_lin_solve_spd(nu, M, 1, udot, s, NULL);
}

core_status model_accelerate(const model *m, double t, const double *q, const double *u,
                             const double *h, core_scratch *s, double *udot) {
  core_mark mark = core_scratch_mark(s);
  core_status status = m->type->accelerate ? m->type->accelerate(m, t, q, u, h, s, udot)
                                           : accelerate_dense(m, t, q, u, h, s, udot);
  core_scratch_release(s, mark);
  return status;
}

core_status model_drift(const model *m, const double *q, const double *u, core_scratch *s,
                        double *a) {
  if (m->type->drift) return m->type->drift(m, q, u, a);
  core_mark mark = core_scratch_mark(s);
  int rows = model_all_rows(&m->shape);
  core_status status = rate_by_differences(m, m->type->jacobian, rows, q, u, s, a);
  core_scratch_release(s, mark);
  return status;
}

core_status model_kinetic(const model *m, const double *q, const double *u, core_scratch *s,
                          double *energy) {
  int nu = m->shape.nu;
  if (m->type->kinetic) return m->type->kinetic(m, q, u, energy);
  core_mark mark = core_scratch_mark(s);
  double *M = core_scratch_doubles(s, (size_t)nu * (size_t)nu);
  core_status status = M ? m->type->mass(m, q, M) : CORE_NO_MEMORY;
  double twice = 0;
  for (int j = 0; j < nu && !status; j++)
    for (int i = 0; i < nu; i++) twice += u[i] * M[j * nu + i] * u[j];
  *energy = twice / 2;
  core_scratch_release(s, mark);
  return status;
}
