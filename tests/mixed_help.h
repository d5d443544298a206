/* A mechanism whose contacts differ in their rows: a plank in the plane that swings against a stop.
 *
 *   q = (x, z, angle), M = diag(m, m, I)
 *   contacts 1 and 3: the ends at -a and b over the floor, rows (t, n)
 *   contact 2: the stop of the angle, gap = limit - angle, one row (0, 0, -1)
 */
#ifndef TESTS_MIXED_HELP_H
#define TESTS_MIXED_HELP_H

#include <math.h>
#include <string.h>

#include "model/model.h"

enum { MIXED_CONTACTS = 3, MIXED_ROWS = 5 };

static const double mixed_mass = 2, mixed_inertia = 0.5, mixed_a = 0.7, mixed_b = 1.1;
static const double mixed_limit = 0.3, mixed_gravity = 9.81;
static const int mixed_first[MIXED_CONTACTS + 1] = {0, 2, 3, 5};

static inline core_status mixed_build(model *m, core_error *err) {
  (void)err;
  m->shape = (model_shape){3, 3, MIXED_CONTACTS, 2, 0, mixed_first};
  return CORE_OK;
}

static inline core_status mixed_start(const model *m, double *q, double *u, core_error *err) {
  (void)m, (void)err;
  q[0] = 0, q[1] = 1, q[2] = 0;
  u[0] = u[1] = u[2] = 0;
  return CORE_OK;
}

static inline core_status mixed_M(const model *m, const double *q, double *M) {
  (void)m, (void)q;
  memset(M, 0, 9 * sizeof *M);
  M[0] = M[4] = mixed_mass, M[8] = mixed_inertia;
  return CORE_OK;
}

static inline core_status mixed_gap(const model *m, const double *q, double *gap) {
  (void)m;
  gap[0] = q[1] - mixed_a * sin(q[2]);
  gap[1] = mixed_limit - q[2];
  gap[2] = q[1] + mixed_b * sin(q[2]);
  return CORE_OK;
}

static inline core_status mixed_J(const model *m, const double *q, double *J) {
  (void)m;
  double c = cos(q[2]), s = sin(q[2]);
  const double rows[MIXED_ROWS][3] = {{1, 0, mixed_a * s},
                                      {0, 1, -mixed_a * c},
                                      {0, 0, -1},
                                      {1, 0, -mixed_b * s},
                                      {0, 1, mixed_b * c}};
  for (int i = 0; i < MIXED_ROWS; i++)
    for (int j = 0; j < 3; j++) J[j * MIXED_ROWS + i] = rows[i][j];
  return CORE_OK;
}

static inline core_status mixed_forces(const model *m, double t, const double *q, const double *u,
                                       double *f) {
  (void)m, (void)t, (void)q, (void)u;
  f[0] = f[2] = 0, f[1] = -mixed_mass * mixed_gravity;
  return CORE_OK;
}

static inline double mixed_potential(const model *m, const double *q) {
  (void)m;
  return mixed_mass * mixed_gravity * q[1];
}

static const model_group mixed_groups[] = {{0}};

static const model_type mixed_type = {
    .schema = {"mixed", NULL, 0, 0},
    .doc = "",
    .paper = "",
    .example = "",
    .groups = mixed_groups,
    .build = mixed_build,
    .start = mixed_start,
    .mass = mixed_M,
    .gap = mixed_gap,
    .jacobian = mixed_J,
    .forces = mixed_forces,
    .potential = mixed_potential,
};

#endif
