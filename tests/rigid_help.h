/* Rigid bodies for tests: rotation by a unit quaternion, and six points with given moments. */
#ifndef RIGID_HELP_H
#define RIGID_HELP_H

#include "model/rigid.h"
#include "model_help.h"

/* (s, v) turns x into x + 2 s v x x + 2 v x (v x x) */
static inline void rotate(const double *q, const double *x, double *y) {
  double a[3], b[3];
  model_cross(q + 1, x, a);
  model_cross(q + 1, a, b);
  for (int i = 0; i < 3; i++) y[i] = x[i] + 2 * q[0] * a[i] + 2 * b[i];
}

static inline void rotate_back(const double *q, const double *x, double *y) {
  double p[4] = {q[0], -q[1], -q[2], -q[3]};
  rotate(p, x, y);
}

/* point k of six on the principal axes, mass m/6 each, about the centre at q with quaternion q + 3:
 * moments I1 = (m/3)(a2^2 + a3^2) and so on */
static inline void six_points(double m, const double *moments, const double *q, int k, double *part,
                              double *x) {
  double sum = moments[0] + moments[1] + moments[2], at[3] = {0};
  int axis = k / 2;
  at[axis] = (k % 2 ? 1 : -1) * sqrt(1.5 * (sum - 2 * moments[axis]) / m);
  rotate(q + 3, at, x);
  for (int i = 0; i < 3; i++) x[i] += q[i];
  *part = m / 6;
}

/* random unit quaternion */
static inline void any_quaternion(double *q) {
  for (int i = 0; i < 4; i++) q[i] = any();
  model_quaternion_unit(q);
}

/* angular momentum about the origin of a cloud of six points that moves with q, u */
static inline void momentum(const subject *s, const double *q, const double *u, double *L) {
  double part, x[3], v[3], c[3];
  L[0] = L[1] = L[2] = 0;
  for (int k = 0; k < s->points; k++) {
    cloud_velocity(s, q, u, k, &part, v);
    s->cloud(s->m, q, k, &part, x);
    model_cross(x, v, c);
    for (int i = 0; i < 3; i++) L[i] += part * c[i];
  }
}

/* without gravity, M u' = f must keep the angular momentum of the cloud: L' = 0 by differences */
static inline void check_momentum_kept(const subject *s, const double *q, const double *u) {
  int nu = s->m->shape.nu;
  double M[144], udot[12], moved[STATE], later[12], L[3], rate[3] = {0}, size = 1e-3;
  core_scratch scratch;
  core_scratch_init(&scratch);
  s->m->type->forces(s->m, 0, q, u, udot);
  s->m->type->mass(s->m, q, M);
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_solve_spd(nu, M, 1, udot, &scratch, NULL));
  for (int k = 0; k < 4; k++) {
    double step = help_at[k] * 1e-3, half[12];
    for (int i = 0; i < nu; i++) half[i] = u[i] + step / 2 * udot[i];
    for (int i = 0; i < nu; i++) later[i] = u[i] + step * udot[i];
    move(s->m, q, half, step, moved); /* second order in the path is enough: L is linear in u */
    momentum(s, moved, later, L);
    for (int i = 0; i < 3; i++) {
      rate[i] += help_weight[k] * L[i] / 12e-3;
      size = fmax(size, fabs(L[i]));
    }
  }
  for (int i = 0; i < 3; i++) near(0, rate[i], size, 1e-5, "angular momentum");
  core_scratch_free(&scratch);
}

#endif
