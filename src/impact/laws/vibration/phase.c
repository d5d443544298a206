/* One phase of law.vibration: the same points touch from its start to its first change.
 *
 * Over a piece of length h the deflections are power series, from d'' = -W K* d alone:
 *
 *   c[j+2] = -h^2 / ((j+1)(j+2)) W K* c[j],   c[0] = d,  c[1] = h v
 *
 * With h = 2 / omega, omega a bound of the frequencies, what is left out is 2^25/25! = 2e-18. Far
 * points of a chain set out as a high power of t: the series says which, and core_poly_first_root
 * divides it out. A phase that lasts many pieces gets its modes (modes.c).
 */
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "core/poly.h"
#include "core/taylor.h"
#include "impact/laws/vibration/phase.h"

enum { LENGTH = VIBRATION_LENGTH };

/* Order n leaves 2^(n+1) / (n+1)! of a piece out; that is 2e-18 at the tolerance that is promised,
 * and grows faster than a tolerance that is asked for: errors of many pieces add up. */
int vibration_order(double tolerance) {
  double room = pow(tolerance / TOL_PROMISED, 1.75), left = 1;
  int n = VIBRATION_ORDER;
  while (n > 6 && (left *= (n + 1) / 2.0) <= room) n--;
  return n;
}

/* sum_j sqrt(k_i k_j) |W_ij| bounds the square of every frequency */
double vibration_bound(const vibration *z, int all) {
  double most = 0;
  for (int p = 0; p < z->m; p++) {
    double sum = 0;
    for (int q = z->span[p].from; q < z->span[p].to && (all || z->touching[p]); q++)
      if (all || z->touching[q]) sum += sqrt(z->k[q]) * fabs(z->W[p * z->m + q]);
    most = core_max(most, sum * sqrt(z->k[p]));
  }
  return sqrt(most);
}

void vibration_begin(vibration *z) {
  z->n = z->modes = 0;
  for (int i = 0; i < z->m; i++)
    if (z->touching[i]) z->point[z->n++] = i;
  z->omega = vibration_bound(z, 0);
}

void vibration_series(vibration *z, double h) {
  int m = z->m;
  for (int p = 0; p < m; p++) z->c[p] = z->d[p], z->c[m + p] = h * z->v[p];
  for (int j = 2; j <= z->order; j++) {
    double *c = z->c + j * m, by = -h * h / (j * (j - 1.0));
    const double *before = c - 2 * m;
    memset(c, 0, (size_t)m * sizeof *c);
    for (int i = 0; i < z->n; i++) {
      int q = z->point[i];
      double f = by * z->k[q] * before[q];
      const double *w = z->W + (size_t)q * (size_t)m;
      for (int p = z->span[q].from, to = z->span[q].to; f != 0 && p < to; p++) c[p] += w[p] * f;
    }
  }
}

/* d, v and impulses at s of the piece in z->c */
static void move_piece(vibration *z, double h, double s) {
  int m = z->m;
  for (int i = 0; i < z->n; i++) {
    int q = z->point[i];
    z->p[impact_normal(z->pr, q)] -= z->k[q] * h * core_taylor_integral(z->order, z->c + q, m, s);
  }
  for (int p = 0; p < m; p++) {
    double d = z->c[z->order * m + p], v = 0;
    for (int j = z->order - 1; j >= 0; j--) {
      v = v * s + d;
      d = d * s + z->c[j * m + p];
    }
    z->d[p] = d, z->v[p] = v / h;
  }
  z->t += h * s;
}

void vibration_move(vibration *z, double t) {
  double h = z->n ? 2 / z->omega : t, end = z->t + t;
  if (z->modes) {
    vibration_move_modes(z, t);
    return;
  }
  for (; t > 0; t -= h) {
    vibration_series(z, h);
    move_piece(z, h, core_min(t / h, 1));
  }
  z->t = end;
}

/* The first coefficient of a point that counts: c[0] is zero by definition where it has just
 * changed sides, and what rests has only rounding: |c[j]| at most 10 noise (h bound)^j / j!.
 * One that has just changed sides goes the way that settle found by the same orders: where those on
 * the verge of rounding say otherwise here, they are rounding (long pieces of
 * modes become shorter instead). Beyond the order: it rests. */
static int lead_of(const vibration *z, double h, const double *c) {
  double noise = vibration_noise(z), by = h * z->bound;
  int from = c[0] == 0, rests = fabs(c[1]) <= noise * by && fabs(c[0]) <= noise;
  if (!from && !rests) return 0;
  noise *= from ? 10 * by : 10;
  for (; from <= z->order && fabs(c[from]) <= noise; from++) noise *= by / (from + 1);
  while (c[0] == 0 && !z->modes && from <= z->order && c[from] < 0) from++;
  return from;
}

/* Fills z->when with changes on the piece, infinity where there is none; returns the first. */
double vibration_look(vibration *z, double h, int *found) {
  double limit = 1, c[LENGTH] = {0}, s;
  for (int p = 0; p < z->m; p++) {
    double side = z->touching[p] ? -1 : 1;
    for (int j = 0; j <= z->order; j++) c[j] = side * z->c[j * z->m + p];
    int lead = lead_of(z, h, c);
    z->when[p] = INFINITY;
    if (lead > z->order && z->swing[p] <= vibration_noise(z)) continue;
    if (z->swing[p] > 0) c[0] -= z->swing[p], lead = 0;
    if (!core_poly_first_root(z->order - lead, c + lead, limit, &s)) continue;
    z->when[p] = s * h;
    limit = core_min(1, s + TOL_TIE);
    *found = 1;
  }
  double first = h;
  for (int p = 0; p < z->m; p++) first = core_min(first, z->when[p]);
  return first;
}

/* those that change now stand at zero */
static void arrive(vibration *z, double first) {
  for (int p = 0; p < z->m; p++)
    if (z->when[p] <= first + TOL_TIE / z->fastest) z->d[p] = 0;
}

/* the rest of a phase that lasts, by its modes; at most one slow period */
static core_status run_modes(vibration *z) {
  int found = 0;
  core_status status = vibration_make_modes(z);
  if (status) return status;
  double slowest = z->fastest;
  for (int i = 0; i < z->n; i++) {
    if (z->w[i] > 0) slowest = fmin(slowest, z->w[i]);
    z->redundant |= z->w[i] == 0;
  }
  double length = vibration_search_modes(z, 2 * M_PI / slowest, &found);
  vibration_move_modes(z, length);
  arrive(z, found ? length : -1);
  return CORE_OK;
}

core_status vibration_run(vibration *z) {
  double h = 2 / z->omega;
  int found = 0, most = z->n <= z->few ? 0 : z->n;
  for (int pieces = 0; !found && pieces < most; pieces++) {
    if (core_interrupted()) return core_fail(z->err, CORE_INTERRUPTED, "%s", "");
    vibration_series(z, h);
    memset(z->swing, 0, (size_t)z->m * sizeof *z->swing);
    double first = vibration_look(z, h, &found);
    move_piece(z, h, first / h);
    arrive(z, found ? first : -1);
  }
  return found ? CORE_OK : run_modes(z);
}
