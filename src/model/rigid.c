#include "model/rigid.h"

#include <math.h>
#include <string.h>

/* R = 1 + (2/|q|^2) (w [v] + [v]^2), with [v] the cross product by v = (x, y, z) */
void model_rotation(const double q[4], double R[9]) {
  double w = q[0], x = q[1], y = q[2], z = q[3];
  double s = 2 / (w * w + x * x + y * y + z * z);
  R[0] = 1 - s * (y * y + z * z), R[1] = s * (x * y + w * z), R[2] = s * (x * z - w * y);
  R[3] = s * (x * y - w * z), R[4] = 1 - s * (x * x + z * z), R[5] = s * (y * z + w * x);
  R[6] = s * (x * z + w * y), R[7] = s * (y * z - w * x), R[8] = 1 - s * (x * x + y * y);
}

/* q' = (0, w) q / 2 */
void model_quaternion_rate_world(const double q[4], const double w[3], double qdot[4]) {
  qdot[0] = -(w[0] * q[1] + w[1] * q[2] + w[2] * q[3]) / 2;
  qdot[1] = (w[0] * q[0] + w[1] * q[3] - w[2] * q[2]) / 2;
  qdot[2] = (w[1] * q[0] + w[2] * q[1] - w[0] * q[3]) / 2;
  qdot[3] = (w[2] * q[0] + w[0] * q[2] - w[1] * q[1]) / 2;
}

/* q' = q (0, w) / 2 */
void model_quaternion_rate_body(const double q[4], const double w[3], double qdot[4]) {
  qdot[0] = -(w[0] * q[1] + w[1] * q[2] + w[2] * q[3]) / 2;
  qdot[1] = (w[0] * q[0] - w[1] * q[3] + w[2] * q[2]) / 2;
  qdot[2] = (w[1] * q[0] - w[2] * q[1] + w[0] * q[3]) / 2;
  qdot[3] = (w[2] * q[0] - w[0] * q[2] + w[1] * q[1]) / 2;
}

void model_quaternion_unit(double q[4]) {
  double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; i++) q[i] /= length;
}

core_status model_body_rates_world(const model *m, const double *q, const double *u, double *qdot) {
  (void)m;
  memcpy(qdot, u, 3 * sizeof *u);
  model_quaternion_rate_world(q + 3, u + 3, qdot + 3);
  return CORE_OK;
}

core_status model_body_rates_own(const model *m, const double *q, const double *u, double *qdot) {
  (void)m;
  memcpy(qdot, u, 3 * sizeof *u);
  model_quaternion_rate_body(q + 3, u + 3, qdot + 3);
  return CORE_OK;
}

void model_body_normalise(const model *m, double *q) {
  (void)m;
  model_quaternion_unit(q + 3);
}

/* which pole the frame is turned from */
static double pole(const double n[3]) {
  return n[2] < -0.7 ? -1 : 1;
}

/* with s = 1 or -1 and a = 1/(s + n_z):
 * t1 = (1 - s a n_x^2, -s a n_x n_y, -s n_x),  t2 = (-a n_x n_y, s - a n_y^2, -n_y) */
void model_frame(const double n[3], double E[9]) {
  double s = pole(n), a = 1 / (s + n[2]), b = a * n[0] * n[1];
  E[0] = 1 - s * a * n[0] * n[0], E[1] = -s * b, E[2] = -s * n[0];
  E[3] = -b, E[4] = s - a * n[1] * n[1], E[5] = -n[1];
  E[6] = n[0], E[7] = n[1], E[8] = n[2];
}

/* the derivative of the above, a' = -a^2 n_z' */
void model_frame_rate(const double n[3], const double d[3], double Edot[9]) {
  double s = pole(n), a = 1 / (s + n[2]), ad = -a * a * d[2];
  double b = ad * n[0] * n[1] + a * (d[0] * n[1] + n[0] * d[1]);
  Edot[0] = -s * (ad * n[0] * n[0] + 2 * a * n[0] * d[0]), Edot[1] = -s * b, Edot[2] = -s * d[0];
  Edot[3] = -b, Edot[4] = -(ad * n[1] * n[1] + 2 * a * n[1] * d[1]), Edot[5] = -d[1];
  Edot[6] = d[0], Edot[7] = d[1], Edot[8] = d[2];
}

void model_inertia_world(const double R[9], const double Q[9], double I[9]) {
  double RQ[9];
  for (int j = 0; j < 3; j++) model_turn(R, Q + 3 * j, RQ + 3 * j); /* R Q */
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i; j++)
      I[3 * j + i] = I[3 * i + j] = RQ[i] * R[j] + RQ[3 + i] * R[3 + j] + RQ[6 + i] * R[6 + j];
}
