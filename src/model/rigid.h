/* Rigid bodies in space: unit quaternions (w, x, y, z) that turn body axes into world axes, and
 * contact frames. Matrices are 3 x 3, column-major. */
#ifndef MODEL_RIGID_H
#define MODEL_RIGID_H

#include <math.h>

#include "model/model.h"

static inline double model_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double model_length(const double x[3]) {
  return sqrt(model_dot(x, x));
}

static inline void model_cross(const double a[3], const double b[3], double c[3]) {
  double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
  c[0] = x;
  c[1] = y;
}

/* y = A x and y = A^T x; y must not be x */
static inline void model_turn(const double A[9], const double x[3], double y[3]) {
  for (int i = 0; i < 3; i++) y[i] = A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2];
}

static inline void model_turn_back(const double A[9], const double x[3], double y[3]) {
  for (int i = 0; i < 3; i++) y[i] = model_dot(A + 3 * i, x);
}

/* R of a quaternion of any length but zero (R does not depend on the length) */
void model_rotation(const double q[4], double R[9]);

/* q' of a body that turns with w, given in world axes or in body axes */
void model_quaternion_rate_world(const double q[4], const double w[3], double qdot[4]);
void model_quaternion_rate_body(const double q[4], const double w[3], double qdot[4]);

void model_quaternion_unit(double q[4]);

/* A body in space with q = (place, quaternion) and u = (velocity, spin): q' with the spin in world
 * axes or in the body's own, and the quaternion brought back to length 1. */
core_status model_body_rates_world(const model *m, const double *q, const double *u, double *qdot);
core_status model_body_rates_own(const model *m, const double *q, const double *u, double *qdot);
void model_body_normalise(const model *m, double *q);

/* Frame E = (t1, t2, n) for a unit normal: the world frame turned the shortest way from z to n
 * (z gives t1 = x, t2 = y), and for n_z < -0.7 from -z. Smooth in n but for that jump. */
void model_frame(const double n[3], double E[9]);
void model_frame_rate(const double n[3], const double ndot[3], double Edot[9]);

/* R Q R^T: an inertia matrix from body axes into world axes */
void model_inertia_world(const double R[9], const double Q[9], double I[9]);

#endif
