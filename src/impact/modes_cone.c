/* The algebra of one cone x_0 >= |x_1|: det x = x_0^2 - |x_1|^2, and the scaling of Nesterov and
 * Todd. With x' = x/sqrt(det x), z' = z/sqrt(det z), J = diag(1, -1, -1),
 *
 *   w = (z' + J x')/(2 g),  g^2 = (1 + x'.z')/2,   eta^4 = det z/det x
 *   H = eta (w_0, w_1^T; w_1, 1 + w_1 w_1^T/(1 + w_0)),   H^2 = eta^2 (2 w w^T - J)
 */
#include "impact/modes_cone.h"

#include <math.h>

enum { SIDE = CONE_SIDE };

static double det(int n, const double *x) {
  double t = n == 3 ? hypot(x[1], x[2]) : n == 2 ? fabs(x[1]) : 0;
  return (x[0] - t) * (x[0] + t);
}

double modes_cone_dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* eta (w y) with the sign of w_1 */
static void times(const modes_cone *k, double eta, double sign, const double *y, double *to) {
  double along = 0;
  for (int i = 1; i < k->dim; i++) along += sign * k->w[i] * y[i];
  double f = y[0] + along / (1 + k->w[0]);
  to[0] = eta * (k->w[0] * y[0] + along);
  for (int i = 1; i < k->dim; i++) to[i] = eta * (y[i] + f * sign * k->w[i]);
}

void modes_cone_times(const modes_cone *k, const double *y, double *to) {
  times(k, k->eta, 1, y, to);
}

void modes_cone_over(const modes_cone *k, const double *y, double *to) {
  times(k, 1 / k->eta, -1, y, to);
}

double modes_cone_square(const modes_cone *k, int i, int j) {
  double J = i != j ? 0 : i == 0 ? 1 : -1;
  return k->eta * k->eta * (2 * k->w[i] * k->w[j] - J);
}

void modes_cone_scale(modes_cone *k) {
  double a = sqrt(det(k->dim, k->x)), b = sqrt(det(k->dim, k->z));
  double g = sqrt((1 + modes_cone_dot(k->dim, k->x, k->z) / (a * b)) / 2);
  for (int i = 0; i < k->dim; i++) k->w[i] = (k->z[i] / b + (i ? -1 : 1) * k->x[i] / a) / (2 * g);
  k->eta = sqrt(b / a);
  modes_cone_times(k, k->x, k->l);
}

/* entry i of l o l */
static double squared(const modes_cone *k, int i) {
  return i ? 2 * k->l[0] * k->l[i] : modes_cone_dot(k->dim, k->l, k->l);
}

void modes_cone_aim(const modes_cone *k, double nu, double centre, double along, double *to) {
  double d[SIDE] = {0, 0, 0}, sum;
  for (int i = 0; i < k->dim; i++) d[i] = -centre * squared(k, i);
  d[0] += (centre + along) * nu;
  sum = k->l[0] * d[0];
  for (int i = 1; i < k->dim; i++) sum -= k->l[i] * d[i];
  to[0] = sum / det(k->dim, k->l);
  for (int i = 1; i < k->dim; i++) to[i] = (d[i] - to[0] * k->l[i]) / k->l[0];
}

double modes_cone_apart(const modes_cone *k, double nu) {
  double most = fabs(nu - squared(k, 0));
  for (int i = 1; i < k->dim; i++) {
    double d = fabs(squared(k, i));
    most = most >= d ? most : d; /* a NaN wins */
  }
  return most / nu;
}

double modes_cone_reach(int n, const double *x, const double *dx) {
  double inside = det(n, x), a = dx[0] * dx[0], b = x[0] * dx[0];
  double to = dx[0] < 0 ? -x[0] / dx[0] : INFINITY;
  for (int i = 1; i < n; i++) a -= dx[i] * dx[i], b -= x[i] * dx[i];
  double root = b * b - a * inside; /* inside + 2 b t + a t^2 = 0 */
  if (n > 1 && root >= 0 && (a < 0 || b < 0)) to = fmin(to, inside / (sqrt(root) - b));
  return to;
}
