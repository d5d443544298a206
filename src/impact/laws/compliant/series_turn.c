/* The Taylor series of a step in which slip turns, exact to rounding.
 *
 * Deflection and slip point the same way, x = rho d, rho = mu F_n / kt, |d| = 1. Across d the
 * spring follows the contact, so with e = (-d2, d1) and q the rate of turning
 *
 *   rho q = v.e,   d' = q e,   F_t = -mu F_n d,   v' = W F,   n' = v_n
 *
 * and every coefficient follows from those before it by products of series.
 *
 *   Start: a contact that has just closed has rho = 0, rho' > 0. Of all solutions one is regular,
 *   with d along v_t; order j + 1 of rho q = v.e then holds q[j] on both sides and gives it.
 *
 *   End: as the contact opens rho goes to 0 linearly and d goes to the direction of v_t like a
 *   power of the time left, which no series in t can follow. In the time sigma with dt = g dsigma,
 *   g = F_n / F_n(now) the pace, all is smooth: y' = g v, v' = g W F, and rho q = g v.e becomes
 *   q = v.e / rho(now) for the contact that sets the pace.
 */
#include <string.h>

#include "impact/laws/compliant/fast/fast.h"

/* coefficient j of a b, with a stride of each, from coefficient `from` of a on */
static double product(int j, int from, const double *a, int na, const double *b, int nb) {
  double sum = 0;
  for (int i = from; i <= j; i++) sum += a[i * na] * b[(j - i) * nb];
  return sum;
}

/* the series of row r times pace: coefficient j */
static double paced(const compliant *z, int j, const double *row) {
  const compliant_series *s = &z->series;
  return s->uneven ? product(j, 0, row, z->rows, s->pace, 1) : row[j * z->rows];
}

/* ---- forces ---- */

/* F_n but for that of held contacts, F_t of what is known */
static void contact_force(compliant *z, int i, int j) {
  const compliant_contact *k = &z->c[i];
  compliant_series *s = &z->series;
  int rows = z->rows;
  double *F = s->F + j * rows;
  const double *y = s->y + j * rows;
  F[k->n] = k->touch == PRESSED ? -k->k * y[k->n] : 0;
  for (int r = k->t; r < k->n; r++) {
    F[r] = 0;
    if (k->touch != OPEN && k->grip == STICK) F[r] = -k->kt * y[r];
    if (!slips(k)) continue;
    const double *d = compliant_direction(z, i, r - k->t);
    F[r] = -slip_mu(k) * product(j, 0, s->F + k->n, rows, d, BESIDE);
  }
}

/* normal reactions of order j that keep v_n of held contacts at 0: M q = -(W F)_n; their friction
 * is in M */
static void add_reactions(compliant *z, int j) {
  int n = 0, *who = z->who, rows = z->rows;
  double *rate = z->work, *F = z->series.F + j * rows;
  for (int i = 0; i < z->nc; i++) {
    if (z->c[i].touch != HELD) continue;
    rate[n] = dot(rows, z->W + (size_t)z->c[i].n * (size_t)rows, F);
    who[n++] = i;
  }
  for (int a = 0; a < n; a++) {
    const compliant_contact *k = &z->c[who[a]];
    double q = 0;
    for (int b = 0; b < n; b++) q -= z->phase.M[b * n + a] * rate[b];
    z->series.held[j * z->nc + who[a]] = F[k->n] = q;
    for (int t = 0; slips(k) && t < k->tangents; t++)
      F[k->t + t] -= slip_mu(k) * q * *compliant_direction(z, who[a], t);
  }
}

/* forces of order j, and times pace */
static void forces(compliant *z, int j) {
  for (int i = 0; i < z->nc; i++) contact_force(z, i, j);
  if (z->phase.held) add_reactions(z, j);
  for (int r = 0; r < z->rows; r++) z->series.f[j * z->rows + r] = paced(z, j, z->series.F + r);
}

/* v[j+1], y[j+1] and pace[j+1] from what is known up to j; slip has no y of its own */
static void move(compliant *z, int j, double by, int lead) {
  compliant_series *s = &z->series;
  int rows = z->rows;
  double *v = s->v + (j + 1) * rows, *y = s->y + (j + 1) * rows;
  for (int r = 0; r < rows; r++) y[r] = by * paced(z, j, s->v + r);
  memset(v, 0, (size_t)rows * sizeof *v);
  compliant_multiply(z, by, s->f + j * rows, v);
  if (lead >= 0) s->pace[j + 1] = y[z->c[lead].n] / s->y[z->c[lead].n];
}

/* ---- turning ---- */

/* v.e at order j */
static double across(const compliant *z, int i, int j) {
  const double *v = z->series.v + z->c[i].t;
  const double *d1 = compliant_direction(z, i, 0), *d2 = compliant_direction(z, i, 1);
  int rows = z->rows;
  return product(j, 0, v + 1, rows, d1, BESIDE) - product(j, 0, v, rows, d2, BESIDE);
}

/* d[j+1] of d' = q e */
static void turn_direction(compliant *z, int i, int j, double by) {
  const double *q = z->series.q + i;
  double *d1 = compliant_direction(z, i, 0), *d2 = compliant_direction(z, i, 1);
  d1[(j + 1) * BESIDE] = -by * product(j, 0, q, z->nc, d2, BESIDE);
  d2[(j + 1) * BESIDE] = by * product(j, 0, q, z->nc, d1, BESIDE);
}

/* q[j] from order j of rho q = g v.e, rho[0] > 0; of the contact that sets the pace rho(now) q =
 * v.e
 */
static double rate_of_turning(const compliant *z, int i, int j, int lead) {
  const compliant_contact *k = &z->c[i];
  const compliant_series *s = &z->series;
  double ratio = slip_mu(k) / k->kt, rho = ratio * s->F[k->n];
  if (i == lead) return s->w[j * z->nc + i] / rho;
  double w = s->uneven ? product(j, 0, s->w + i, z->nc, s->pace, 1) : s->w[j * z->nc + i];
  return (w - ratio * product(j, 1, s->F + k->n, z->rows, s->q + i, z->nc)) / rho;
}

/* q[j] of a contact that has just closed, from order j + 1 of rho q = g v.e: d[j+1] holds q[j] too
 */
static double first_rate(compliant *z, int i, int j, double by) {
  const compliant_contact *k = &z->c[i];
  compliant_series *s = &z->series;
  int nc = z->nc, rows = z->rows;
  double ratio = slip_mu(k) / k->kt, *F = s->F + k->n, *q = s->q + i;
  F[(j + 1) * rows] = -k->k * s->y[(j + 1) * rows + k->n];
  q[j * nc] = 0;
  turn_direction(z, i, j, by);
  double w = across(z, i, j + 1);
  for (int l = 0; s->uneven && l <= j; l++) w += s->w[l * nc + i] * s->pace[j + 1 - l];
  double known = j ? product(j + 1, 2, F, rows, q, nc) : 0;
  return (w - ratio * known) / (ratio * F[rows] + by * slip_along(k, z->v));
}

/* ---- the whole ---- */

static void start(compliant *z, int lead, int order) {
  compliant_series *s = &z->series;
  size_t rows = (size_t)z->rows;
  s->uneven = lead >= 0;
  s->order = order;
  s->pace[0] = 1;
  memcpy(s->y, z->y, rows * sizeof *s->y);
  memcpy(s->v, z->v, rows * sizeof *s->v);
}

static void start_direction(const compliant_contact *k, int t, double *d) {
  for (int j = 1; j < LENGTH; j++) d[j * BESIDE] = 0;
  d[0] = slips(k) ? k->d[t] : 0;
}

void compliant_turn_series(compliant *z, int lead, int order) {
  compliant_series *s = &z->series;
  start(z, lead, order);
  if (fast_turn_series(z, lead, order)) return;
  for (int i = 0; i < z->nc; i++)
    for (int t = 0; t < z->c[i].tangents; t++)
      start_direction(&z->c[i], t, compliant_direction(z, i, t));
  for (int j = 0; j < order; j++) {
    double by = s->h * core_taylor_inverse[j];
    forces(z, j);
    move(z, j, by, lead);
    for (int i = 0; i < z->nc; i++) {
      const compliant_contact *k = &z->c[i];
      if (!k->turning) continue;
      s->w[j * z->nc + i] = across(z, i, j);
      s->q[j * z->nc + i] =
          k->just_closed ? first_rate(z, i, j, by) : rate_of_turning(z, i, j, lead);
      turn_direction(z, i, j, by);
    }
  }
  forces(z, order);
}
