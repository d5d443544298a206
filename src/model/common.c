#include "model/common.h"
#include "model/tolerance.h"

#include <string.h>

core_status model_fits(const model *m, const char *key, const core_list *l, int n,
                       core_error *err) {
  if (l->n == 1 || l->n == n) return CORE_OK;
  return core_fail(err, CORE_BAD_INPUT, "%s: %s must be one number or %d, got %d",
                   m->type->schema.owner, key, n, l->n);
}

core_status model_exactly(const model *m, const char *key, int got, int n, core_error *err) {
  if (got == n) return CORE_OK;
  return core_fail(err, CORE_BAD_INPUT, "%s: %s must be a list of %d numbers, got %d",
                   m->type->schema.owner, key, n, got);
}

core_status model_gravity(const model *m, const core_list *l, int dim, double *g, core_error *err) {
  core_status status = model_fits(m, "gravity", l, dim, err);
  if (status) return status;
  for (int i = 0; i < dim; i++) g[i] = 0;
  if (l->n == 1)
    g[dim - 1] = -core_list_at(l, 0);
  else
    memcpy(g, core_list_data(l), (size_t)dim * sizeof *g);
  return CORE_OK;
}

core_status model_unit(const model *m, const char *key, int dim, const double *normal, double *n,
                       double *length, core_error *err) {
  double largest = 0, sum = 0;
  for (int i = 0; i < dim; i++) largest = fmax(largest, fabs(normal[i]));
  if (!(largest > 0))
    return core_fail(err, CORE_BAD_INPUT, "%s: %s must not be of length zero",
                     m->type->schema.owner, key);
  for (int i = 0; i < dim; i++) sum += normal[i] / largest * (normal[i] / largest);
  *length = largest * sqrt(sum);
  for (int i = 0; i < dim; i++) n[i] = normal[i] / *length;
  return CORE_OK;
}

core_status model_outside(const model *m, const double *q, const double *gap, core_error *err) {
  for (int c = 0; c < m->shape.nc; c++)
    if (gap[c] < -MODEL_INSIDE * model_size(m, q, c))
      return core_fail(err, CORE_BAD_INPUT, "%s: starts inside the obstacle: gap %d is %.6g m",
                       m->type->schema.owner, c + 1, gap[c]);
  return CORE_OK;
}

void model_stack_rows(const model *m, model_rows *rows_of, const double *q, int n,
                      const int *contacts, double *J) {
  int rows = 0, at = 0;
  for (int c = 0; c < n; c++) rows += model_rows_of(&m->shape, contacts ? contacts[c] : c);
  memset(J, 0, (size_t)rows * (size_t)m->shape.nu * sizeof *J);
  for (int c = 0; c < n; c++) {
    int of = contacts ? contacts[c] : c;
    rows_of(m, q, of, rows, J + at);
    at += model_rows_of(&m->shape, of);
  }
}

void model_waist(int nu, int rows, const double *J, const double *Y, double *W) {
  for (int r = 0; r < rows; r++)
    for (int k = 0; k <= r; k++) {
      double w = 0;
      for (int i = 0; i < nu; i++) w += J[i * rows + r] * Y[k * nu + i];
      W[k * rows + r] = W[r * rows + k] = w;
    }
}

void model_waist_diagonal(int nu, int rows, const double *inverse, const double *J, double *Y,
                          double *W) {
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < nu; i++) Y[r * nu + i] = inverse[i] * J[i * rows + r];
  model_waist(nu, rows, J, Y, W);
}

void model_draw_line(model_pen *pen, double x1, double z1, double x2, double z2, const char *part) {
  double xz[4] = {x1, z1, x2, z2};
  pen->line(pen->self, 2, xz, part);
}

void model_draw_floor(model_pen *pen, double nx, double nz, double level, double x, double z,
                      double half) {
  double above = nx * x + nz * z - level;
  double fx = x - above * nx, fz = z - above * nz;
  model_draw_line(pen, fx - half * nz, fz + half * nx, fx + half * nz, fz - half * nx, "floor");
}
