/* A phase of law.vibration by its modes: exact over any time.
 *
 * Roots: over a piece of length h modes with w h <= 2 are power series; faster ones are at least
 * minus their amplitude about where they carry the point to. So the margin of point p is at least
 *
 *   series of the slow modes + drift of the fast ones - sum of fast |R_pi| amplitude / w^2
 *
 * and no change comes before the first root of that. Long pieces skip what cannot change; where the
 * bound says nothing the piece is made shorter, down to 2 / (largest w), where it is exact. The
 * cost follows what happens, not the fastest mode.
 */
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "core/lin.h"
#include "core/poly.h"
#include "impact/laws/vibration/phase.h"

enum { MOST_GRADED = 24 }; /* points whose frequencies are known each to its own rounding */

/* A square of a frequency below this is the zero of points that depend on each other: rounding of
 * the row sums that make mode i, not of the largest frequency (springs may be 1e16 apart). */
static double least_square(const vibration *z, int i, double most) {
  double sum = 0;
  for (int j = 0; j < z->n; j++) {
    double q = z->Q[i * z->n + j];
    sum += q * q * z->S[j * z->n + j];
  }
  return TOL_ZERO_SQUARE * core_min(sum, most);
}

core_status vibration_make_modes(vibration *z) {
  int n = z->n, m = z->m;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      int p = z->point[i], q = z->point[j];
      z->S[j * n + i] = sqrt(z->k[p] * z->k[q]) * z->W[q * m + p];
    }
  core_status status = n <= MOST_GRADED || n <= z->few
                           ? core_lin_eig_graded(n, z->S, z->scratch, z->w, z->Q)
                           : core_lin_eig_symmetric(n, z->S, z->scratch, z->w, z->Q);
  if (status) return core_fail(z->err, status, "law.vibration: %s", core_status_text(status));
  double most = n ? z->w[n - 1] : 0;
  for (int i = 0; i < n; i++) {
    z->w[i] = z->w[i] > least_square(z, i, most) ? sqrt(z->w[i]) : 0;
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
  z->modes = 1;
  z->since = z->t;
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

/* the state t after the modes were made, in place; a and b are then used up */
void vibration_move_modes(vibration *z, double t) {
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

/* the series of slow mode i over h from where it has z and z': T[j] = its part of Z, orders 2 on */
static void slow_terms(vibration *z, int i, double h, double at, double rate) {
  double *T = z->terms + i, square = -z->w[i] * z->w[i] * h * h;
  int n = z->n;
  T[0] = at * h * h / 2;
  T[n] = rate * h * h * h / 6;
  for (int j = 2; j <= z->order - 2; j++) T[j * n] = square * T[(j - 2) * n] / ((j + 1) * (j + 2));
}

/* a fast mode carries all points by its drift, and swings by at most its amplitude about that */
static void add_fast(vibration *z, int i, double h, double at, double rate) {
  double w2 = z->w[i] * z->w[i], swing = hypot(at, rate / z->w[i]) / w2;
  const double *R = z->R + i * z->m;
  for (int p = 0; p < z->m; p++) {
    z->c[p] -= R[p] * at / w2;
    z->c[z->m + p] -= R[p] * rate * h / w2;
    z->swing[p] += fabs(R[p]) * swing;
  }
}

/* z->c over the piece from t to t + h, and what faster modes can take off it in z->swing */
static void piece_of_modes(vibration *z, double t, double h) {
  int m = z->m, n = z->n, slow = 0;
  modes_at(z, t);
  for (int p = 0; p < m; p++) {
    double rate;
    z->c[p] = point_at(z, p, t, &rate);
    z->c[m + p] = h * rate;
    z->swing[p] = 0;
  }
  for (int i = 0; i < n; i++) {
    double w = z->w[i], c = cos(w * t), s = sin(w * t);
    double at = w > 0 ? z->a[i] * c + z->b[i] / w * s : z->a[i] + z->b[i] * t;
    double rate = z->b[i] * c - z->a[i] * w * s;
    if (w * h <= 2 * (1 + TOL_PIECE))
      slow_terms(z, i, h, at, rate), slow = i + 1;
    else
      add_fast(z, i, h, at, rate);
  }
  if (slow)
    core_lin_multiply('N', 'N', m, z->order - 1, slow, -1, z->R, m, z->terms, n, 0, z->c + 2 * m,
                      m);
  else
    memset(z->c + 2 * m, 0, (size_t)(m * (z->order - 1)) * sizeof *z->c);
}

/* The first change within `limit` of the start of the modes, or limit. */
double vibration_search_modes(vibration *z, double limit, int *found) {
  double least = 2 / core_max(z->w[z->n - 1], 2 / limit), t = 0, h = least;
  while (t < limit && !core_interrupted()) {
    int hit = 0;
    h = core_min(h, core_max(limit - t, least));
    piece_of_modes(z, t, h);
    double first = vibration_look(z, h, &hit);
    if (hit && h <= least) {
      for (int p = 0; p < z->m; p++) z->when[p] += t;
      *found = 1;
      return t + first;
    }
    t += first;
    h = hit ? core_max(h / 4, least) : 4 * h;
  }
  return t;
}
