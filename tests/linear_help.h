/* A model whose contact space can be anything: M = 1, J and the forces are constant numbers, the
 * gaps J_n q. From rest on its contacts it moves with constant acceleration u' = f + J^T lambda. */
#ifndef TESTS_LINEAR_HELP_H
#define TESTS_LINEAR_HELP_H

#include <string.h>

#include "model/model.h"

enum { LINEAR_SPEEDS = 12, LINEAR_ROWS = 24, LINEAR_CONTACTS = 12 };

/* what the next model_create makes */
static struct {
  int nu, nc, dim, rows;
  int first[LINEAR_CONTACTS + 1];
  double J[LINEAR_ROWS * LINEAR_SPEEDS]; /* rows x nu, column-major */
  double f[LINEAR_SPEEDS];
} linear;

static inline core_status linear_build(model *m, core_error *err) {
  (void)err;
  m->shape = (model_shape){linear.nu, linear.nu, linear.nc, linear.dim, 0, linear.first};
  return CORE_OK;
}

static inline core_status linear_start(const model *m, double *q, double *u, core_error *err) {
  (void)err;
  memset(q, 0, (size_t)m->shape.nq * sizeof *q);
  memset(u, 0, (size_t)m->shape.nu * sizeof *u);
  return CORE_OK;
}

static inline core_status linear_mass(const model *m, const double *q, double *M) {
  (void)q;
  int n = m->shape.nu;
  for (int i = 0; i < n * n; i++) M[i] = i % (n + 1) == 0;
  return CORE_OK;
}

static inline core_status linear_gap(const model *m, const double *q, double *gap) {
  for (int c = 0; c < m->shape.nc; c++) {
    gap[c] = 0;
    for (int j = 0; j < m->shape.nu; j++)
      gap[c] += linear.J[j * linear.rows + linear.first[c + 1] - 1] * q[j];
  }
  return CORE_OK;
}

static inline core_status linear_jacobian(const model *m, const double *q, double *J) {
  (void)q;
  memcpy(J, linear.J, (size_t)(linear.rows * m->shape.nu) * sizeof *J);
  return CORE_OK;
}

static inline core_status linear_forces(const model *m, double t, const double *q, const double *u,
                                        double *f) {
  (void)t, (void)q, (void)u;
  memcpy(f, linear.f, (size_t)m->shape.nu * sizeof *f);
  return CORE_OK;
}

static inline double linear_potential(const model *m, const double *q) {
  double V = 0;
  for (int j = 0; j < m->shape.nu; j++) V -= linear.f[j] * q[j];
  return V;
}

static const model_group linear_groups[] = {{0}};

static const model_type linear_type = {
    .schema = {"linear", NULL, 0, 0},
    .doc = "",
    .paper = "",
    .example = "",
    .groups = linear_groups,
    .build = linear_build,
    .start = linear_start,
    .mass = linear_mass,
    .gap = linear_gap,
    .jacobian = linear_jacobian,
    .forces = linear_forces,
    .potential = linear_potential,
};

#endif
