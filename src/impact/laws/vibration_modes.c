/* One phase of law.vibration: modes, motion, and the first point that changes sides.
 *
 * Roots: |d_p''| is at most m = sum |R_pi| |amplitude of z_i|, so from f > 0 the time to the root
 * of f + f' x - m x^2/2 is always safe, and near the root it is Newton's step.
 */
#include "impact/laws/vibration.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/lin.h"

core_status vibration_modes(vibration *z) {
  int n = z->n = 0, m = z->m;
  for (int i = 0; i < m; i++)
    if (z->touching[i]) z->point[z->n++] = i;
  n = z->n;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      int p = z->point[i], q = z->point[j];
      z->S[j * n + i] = sqrt(z->k[p] * z->k[q]) * z->W[q * m + p];
    }
  core_status status = core_lin_eig_symmetric(n, z->S, z->scratch, z->w, z->Q);
  if (status) return core_fail(z->err, status, "law.vibration: %s", core_status_text(status));
  double most = n ? z->w[n - 1] : 0;
  for (int i = 0; i < n; i++) {
    z->w[i] = z->w[i] > 64 * DBL_EPSILON * most ? sqrt(z->w[i]) : 0;
    z->a[i] = z->b[i] = 0;
    memset(z->R + i * m, 0, (size_t)m * sizeof *z->R);
    for (int j = 0; j < n; j++) {
      int q = z->point[j];
      double root = sqrt(z->k[q]) * z->Q[i * n + j];
      z->a[i] += root * z->d[q];
      z->b[i] += root * z->v[q];
      for (int p = 0; p < m; p++) z->R[i * m + p] += z->W[q * m + p] * root;
    }
  }
  return CORE_OK;
}

/* Z and Z' of every mode after t */
static void modes_at(vibration *z, double t) {
  for (int i = 0; i < z->n; i++) {
    double w = z->w[i], a = z->a[i], b = z->b[i];
    if (w == 0) {
      z->Zdot[i] = (a + b * t / 2) * t;
      z->Z[i] = (a / 2 + b * t / 6) * t * t;
      continue;
    }
    double s = sin(w * t), half = sin(w * t / 2), versed = 2 * half * half;
    z->Zdot[i] = a * s / w + b * versed / (w * w);
    z->Z[i] = (a * versed + b * (t - s / w)) / (w * w);
  }
}

static double point_at(const vibration *z, int p, double t, double *rate) {
  double d = z->d[p] + z->v[p] * t, v = z->v[p];
  for (int i = 0; i < z->n; i++) {
    d -= z->R[i * z->m + p] * z->Z[i];
    v -= z->R[i * z->m + p] * z->Zdot[i];
  }
  *rate = v;
  return d;
}

/* bound of |d_p''| up to the time t */
static double curvature(const vibration *z, int p, double t) {
  double sum = 0;
  for (int i = 0; i < z->n; i++) {
    double b = z->w[i] > 0 ? z->b[i] / z->w[i] : z->b[i] * t;
    sum += fabs(z->R[i * z->m + p]) * (fabs(z->a[i]) + fabs(b));
  }
  return sum;
}

/* the state after t of the phase, in place; a and b of the modes are then used up */
void vibration_move(vibration *z, double t) {
  modes_at(z, t);
  for (int p = 0; p < z->m; p++) {
    double v;
    z->d[p] = point_at(z, p, t, &v);
    z->v[p] = v;
  }
  for (int j = 0; j < z->n; j++) {
    double sum = 0;
    for (int i = 0; i < z->n; i++) sum += z->Q[i * z->n + j] * z->Zdot[i];
    z->p[impact_normal(z->pr, z->point[j])] -= sqrt(z->k[z->point[j]]) * sum;
  }
  z->t += t;
}

/* ---- the first point that changes ---- */

/* first time in (from, limit] at which point p changes sides; infinity when there is none */
static double change_of(vibration *z, int p, double from, double limit) {
  double side = z->touching[p] ? -1 : 1, m = curvature(z, p, limit), t = from;
  double noise = DBL_EPSILON * z->speed / z->fastest, least = 1e-3 / z->fastest;
  for (;;) {
    double rate, f;
    modes_at(z, t);
    f = side * point_at(z, p, t, &rate);
    rate *= side;
    if (f <= noise && rate < 0) return t;
    double root = sqrt(rate * rate + 2 * m * fmax(f, 0));
    double step = rate < 0 ? 2 * f / (root - rate) : m > 0 ? (rate + root) / m : INFINITY;
    if (rate < 0 && step <= DBL_EPSILON * t) return t;
    if (rate >= 0 && f <= noise) step = fmax(step, least); /* rests at zero, or touches it */
    if (t + step > limit) return INFINITY;
    t += step;
  }
}

/* Points that stand at zero have just changed sides: the search starts where they have left it. */
double vibration_first_change(vibration *z, double limit) {
  double first = limit;
  for (int p = 0; p < z->m; p++) {
    z->when[p] = change_of(z, p, z->d[p] == 0 ? 1e-5 / z->fastest : 0, limit);
    first = fmin(first, z->when[p]);
  }
  return first;
}
