/* A phase in which the direction of some slip turns: power series again, of a nonlinear system.
 *
 * Deflection and slip point the same way, x = rho d, rho = mu F_n / kt, |d| = 1. Across d the
 * spring follows the contact, so with e = (-d2, d1) and q the rate of turning
 *
 *   rho q = v.e,   d' = q e,   F_t = -mu F_n d,   v' = W F,   n' = v_n
 *
 * and every coefficient follows from those before it by products of series.
 *
 * Start: a contact that has just closed has rho = 0, rho' > 0. Of all solutions one is regular,
 * with d along v_t; order j + 1 of rho q = v.e then holds q[j] on both sides and gives it.
 *
 * End: as the contact opens rho goes to 0 linearly and d goes to the direction of v_t like a power
 * of the time left, which no series in t can follow. In the time sigma with dt = g dsigma,
 * g = F_n / F_n(now), all is smooth: rho q = g v.e becomes q = v.e / rho(now). The contact is then
 * frozen (d fixed, the rest is linear) when what is left of its impulse cannot be turned by more
 * than rounding.
 *
 * Step: where the last two terms fall below rounding of the impulse they make.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/poly.h"
#include "impact/laws/compliant.h"

enum { N = COMPLIANT_ORDER, LENGTH = COMPLIANT_LENGTH };

/* series of one turning contact; w = v.e */
typedef struct turn {
  double force[LENGTH], rho[LENGTH], v1[LENGTH], v2[LENGTH], w[LENGTH], q[LENGTH];
} turn;

static double across(const compliant_contact *k, const double *x) {
  return k->d[0] * x[k->t + 1] - k->d[1] * x[k->t];
}

/* Slip keeps its direction when nothing that can push has a component across it. Theorem 2 of the
 * paper is the case of one contact. */
static int keeps_direction(const compliant *z, const compliant_contact *k) {
  if (fabs(across(k, z->v)) > 1e-13 * z->speed) return 0;
  for (int i = 0; i < z->m; i++) {
    const double *b = z->B + i * z->rows;
    double size = 0;
    for (int r = 0; r < z->rows; r++) size = fmax(size, fabs(b[r]));
    if (fabs(across(k, b)) > 1e-13 * size) return 0;
  }
  return 1;
}

void compliant_find_turning(compliant *z) {
  z->turning = 0;
  for (int i = 0; i < z->nc && !z->turning; i++) {
    const compliant_contact *k = &z->c[i];
    z->turning = k->touch != OPEN && k->grip == SLIP && k->tangents == 2 && !k->frozen &&
                 !keeps_direction(z, k);
  }
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    k->turning =
        z->turning && k->touch != OPEN && k->grip == SLIP && k->tangents == 2 && !k->frozen;
  }
}

/* impulse that the contact still gives if it opens at the rate it has */
static double impulse_left(const compliant *z, const compliant_contact *k) {
  double n = -z->y[k->n], rate = z->v[k->n];
  return rate > 0 ? k->k * n * n / (2 * rate) : INFINITY;
}

core_status compliant_freeze(compliant *z) {
  if (!z->turning) return CORE_OK;
  int changed = 0;
  double given = 0;
  for (int r = 0; r < z->rows; r++) given = fmax(given, fabs(z->p[r]));
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (!k->turning || k->touch != PRESSED) continue;
    double v = hypot(z->v[k->t], z->v[k->t + 1]);
    double turned = k->mu * impulse_left(z, k) * fabs(across(k, z->v)) / v;
    if (turned <= 1e-17 * given) k->frozen = changed = 1;
  }
  if (!changed && !z->held_count) return CORE_OK;
  core_status status = compliant_build(z); /* directions have moved on */
  if (changed) compliant_find_turning(z);
  return status;
}

/* ---- the recursion ------------------------------------------------------------------------ */

/* the turning contact that opens first; its force paces the time */
static int find_lead(const compliant *z) {
  int lead = -1;
  double soonest = INFINITY;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (!k->turning || k->touch != PRESSED || !(z->v[k->n] > 0) || k->fresh) continue;
    double left = -z->y[k->n] / z->v[k->n];
    if (left < soonest) {
      soonest = left;
      lead = i;
    }
  }
  return lead;
}

static double first_guess(const compliant *z, int lead) {
  double h = 2 / z->omega;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (!k->turning || k->fresh) continue;
    double rho = hypot(z->y[k->t], z->y[k->t + 1]), v = hypot(z->v[k->t], z->v[k->t + 1]);
    if (v > 0) h = fmin(h, 3 * rho / v);
    if (i == lead) h = fmin(h, -z->y[k->n] / z->v[k->n]);
  }
  return h;
}

/* coefficient j of the tangential force of a turning contact, given its normal one up to j */
static void drag(const compliant *z, int i, int j, const turn *a, double *F) {
  const compliant_contact *k = &z->c[i];
  double mu = compliant_slip_mu(k);
  for (int t = 0; t < 2; t++)
    F[k->t + t] = -mu * core_poly_product(j, a->force, z->series.d + (2 * i + t) * LENGTH);
}

/* all forces of order j but the reactions of held contacts, of which only what order < j has */
static void forces_of_order(compliant *z, int j, turn *all, double *F) {
  const double *y = z->series.y + j * z->rows;
  memset(F, 0, (size_t)z->rows * sizeof *F);
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (k->touch == OPEN) continue;
    all[i].force[j] = F[k->n] = k->touch == PRESSED ? -k->k * y[k->n] : 0;
    if (k->grip == STICK)
      for (int t = 0; t < k->tangents; t++) F[k->t + t] = -k->kt * y[k->t + t];
    if (k->grip == SLIP && k->turning) drag(z, i, j, &all[i], F);
    if (k->grip == SLIP && !k->turning)
      for (int t = 0; t < k->tangents; t++) F[k->t + t] = -compliant_slip_mu(k) * F[k->n] * k->d[t];
  }
}

/* normal reactions of order j that keep v_n of held contacts at 0: M q = -(W F)_n */
static void add_reactions(compliant *z, int j, turn *all, double *F) {
  int n = 0, *who = z->who;
  double *rate = z->work, *q = z->work + z->nc;
  for (int i = 0; i < z->nc; i++) {
    if (z->c[i].touch != HELD) continue;
    rate[n] = 0;
    for (int r = 0; r < z->rows; r++) rate[n] += z->W[r * z->rows + z->c[i].n] * F[r];
    who[n++] = i;
  }
  for (int a = 0; a < n; a++) {
    q[a] = 0;
    for (int b = 0; b < n; b++) q[a] -= z->M[b * n + a] * rate[b];
  }
  for (int a = 0; a < n; a++) {
    const compliant_contact *k = &z->c[who[a]];
    z->series.held[j * z->nc + who[a]] = all[who[a]].force[j] = F[k->n] = q[a];
    if (k->grip == SLIP && k->turning) drag(z, who[a], j, &all[who[a]], F);
    if (k->grip == SLIP && !k->turning)
      for (int t = 0; t < k->tangents; t++) F[k->t + t] = -compliant_slip_mu(k) * q[a] * k->d[t];
  }
}

/* coefficient j of the product of pace and a series with a stride */
static double paced(const compliant *z, int j, const double *c, int stride) {
  if (!z->series.uneven) return c[j * stride];
  double sum = 0;
  for (int l = 0; l <= j; l++) sum += z->series.pace[l] * c[(j - l) * stride];
  return sum;
}

/* v[j+1], y[j+1] and pace[j+1] from what is known up to j */
static void move(compliant *z, int j, int lead) {
  compliant_series *s = &z->series;
  int rows = z->rows;
  double by = s->h * compliant_inverse[j], *v = s->v + (j + 1) * rows, *y = s->y + (j + 1) * rows;
  double *f = s->f + j * rows;
  for (int r = 0; r < rows; r++) {
    f[r] = paced(z, j, s->raw + r, rows);
    y[r] = by * paced(z, j, s->v + r, rows);
    v[r] = 0;
  }
  for (int c = 0; c < rows; c++) {
    double fc = by * f[c];
    if (fc == 0) continue;
    const double *w = z->W + (size_t)c * (size_t)rows;
    for (int r = 0; r < rows; r++) v[r] += w[r] * fc;
  }
  if (lead >= 0) s->pace[j + 1] = y[z->c[lead].n] / s->y[z->c[lead].n];
}

/* coefficient j of v.e */
static double cross(int j, const turn *a, const double *d1, const double *d2) {
  double sum = 0;
  for (int i = 0; i <= j; i++) sum += a->v2[i] * d1[j - i] - a->v1[i] * d2[j - i];
  return sum;
}

/* q[j] from rho q = v.e with rho[0] > 0 */
static double rate_regular(const compliant *z, int i, int lead, int j, turn *a, const double *d1,
                           const double *d2) {
  a->w[j] = cross(j, a, d1, d2);
  if (i == lead) return a->w[j] / a->rho[0];
  double sum = paced(z, j, a->w, 1);
  for (int l = 1; l <= j; l++) sum -= a->rho[l] * a->q[j - l];
  return sum / a->rho[0];
}

/* q[j] from order j + 1 of rho q = v.e with rho[0] = 0: d[j+1] holds q[j] too */
static double rate_fresh(const compliant *z, int j, turn *a, const double *d1, const double *d2) {
  double by = z->series.h * compliant_inverse[j], k1 = 0, k2 = 0, sum = 0;
  for (int l = 0; l < j; l++) { /* what is known of d[j+1] */
    k1 -= by * a->q[l] * d2[j - l];
    k2 += by * a->q[l] * d1[j - l];
  }
  sum = a->v2[0] * k1 - a->v1[0] * k2;
  for (int l = 1; l <= j + 1; l++) sum += a->v2[l] * d1[j + 1 - l] - a->v1[l] * d2[j + 1 - l];
  a->w[j + 1] = sum;
  sum = paced(z, j + 1, a->w, 1);
  for (int l = 2; l <= j + 1; l++) sum -= a->rho[l] * a->q[j + 1 - l];
  double along = by * (a->v1[0] * d1[0] + a->v2[0] * d2[0]);
  double q = sum / (a->rho[1] + along);
  a->w[j + 1] -= along * q;
  return q;
}

static void turn_contact(compliant *z, int i, int lead, int j, turn *a) {
  const compliant_contact *k = &z->c[i];
  double *d1 = z->series.d + 2 * i * LENGTH, *d2 = d1 + LENGTH;
  const double *v = z->series.v + (j + 1) * z->rows + k->t;
  double ratio = compliant_slip_mu(k) / k->kt;
  a->v1[j + 1] = v[0];
  a->v2[j + 1] = v[1];
  a->rho[j] = ratio * a->force[j];
  a->rho[j + 1] = -ratio * k->k * z->series.y[(j + 1) * z->rows + k->n]; /* fresh ones only */
  a->q[j] = k->fresh ? rate_fresh(z, j, a, d1, d2) : rate_regular(z, i, lead, j, a, d1, d2);
  double by = z->series.h * compliant_inverse[j], sum1 = 0, sum2 = 0;
  for (int l = 0; l <= j; l++) {
    sum1 += a->q[l] * d2[j - l];
    sum2 += a->q[l] * d1[j - l];
  }
  d1[j + 1] = -by * sum1;
  d2[j + 1] = by * sum2;
}

static void start_contact(compliant *z, int i, turn *a) {
  const compliant_contact *k = &z->c[i];
  double *d = z->series.d + 2 * i * LENGTH;
  d[0] = k->d[0];
  d[LENGTH] = k->d[1];
  a->v1[0] = z->v[k->t];
  a->v2[0] = z->v[k->t + 1];
  a->w[0] = 0;
}

/* largest x with |c[j]| x^j <= tolerance for the last two j */
static double where_small(const double *c, int stride, double tolerance, double x) {
  for (int j = N - 1; j <= N; j++) {
    double size = fabs(c[j * stride]);
    if (size * pow(x, j) > tolerance) x = pow(tolerance / size, 1.0 / j);
  }
  return x;
}

/* Velocities to rounding; directions so that the impulse they turn is right to rounding. */
static double usable_reach(const compliant *z) {
  const compliant_series *s = &z->series;
  double reach = 2, given = 0;
  for (int r = 0; r < z->rows; r++) given = fmax(given, fabs(z->p[r]));
  for (int r = 0; r < z->rows; r++) reach = where_small(s->v + r, z->rows, 1e-16 * z->speed, reach);
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (!k->turning) continue;
    double now = k->mu * s->h * fmax(fabs(s->raw[k->n]), fabs(s->raw[z->rows + k->n]));
    double tolerance = 1e-16 * fmin(fmax(1, given / fmax(now, DBL_MIN)), 1e10);
    reach = where_small(s->d + 2 * i * LENGTH, 1, tolerance, reach);
    reach = where_small(s->d + (2 * i + 1) * LENGTH, 1, tolerance, reach);
  }
  return reach;
}

/* makes s = 1 what s = x was */
static void stretch(double *c, int order, int other, double x) {
  double power = 1;
  for (int j = 0; j < LENGTH; j++, power *= x)
    for (int i = 0; i < other; i++) c[j * order + i] *= power;
}

static void rescale(compliant *z, double x) {
  compliant_series *s = &z->series;
  double *by_row[] = {s->y, s->v, s->f, s->raw};
  for (int i = 0; i < 4; i++) stretch(by_row[i], z->rows, z->rows, x);
  for (int i = 0; i < z->nc; i++) {
    if (z->c[i].touch == HELD) stretch(s->held + i, z->nc, 1, x);
    if (!z->c[i].turning) continue;
    stretch(s->d + 2 * i * LENGTH, 1, 1, x);
    stretch(s->d + (2 * i + 1) * LENGTH, 1, 1, x);
  }
  if (s->uneven) stretch(s->pace, 1, 1, x);
  s->h *= x;
  s->reach = 1;
}

void compliant_turn_series(compliant *z) {
  compliant_series *s = &z->series;
  turn *all = z->turns;
  int lead = find_lead(z);
  s->turning = 1;
  s->uneven = lead >= 0;
  s->pace[0] = 1;
  s->h = first_guess(z, lead);
  memcpy(s->y, z->y, (size_t)z->rows * sizeof *s->y);
  memcpy(s->v, z->v, (size_t)z->rows * sizeof *s->v);
  for (int i = 0; i < z->nc; i++)
    if (z->c[i].turning) start_contact(z, i, &all[i]);
  for (int j = 0; j <= N; j++) {
    double *F = s->raw + j * z->rows;
    forces_of_order(z, j, all, F);
    if (z->held_count) add_reactions(z, j, all, F);
    if (j == N) break;
    move(z, j, lead);
    for (int i = 0; i < z->nc; i++)
      if (z->c[i].turning) turn_contact(z, i, lead, j, &all[i]);
  }
  for (int r = 0; r < z->rows; r++) s->f[N * z->rows + r] = paced(z, N, s->raw + r, z->rows);
  rescale(z, usable_reach(z));
}

size_t compliant_turn_bytes(int nc) {
  return (size_t)nc * sizeof(turn);
}

void compliant_turn_direction(compliant *z, int i, double s) {
  const double *d = z->series.d + 2 * i * LENGTH;
  double d1 = core_poly_at(N, d, 1, s), d2 = core_poly_at(N, d + LENGTH, 1, s);
  double size = hypot(d1, d2);
  z->c[i].d[0] = d1 / size;
  z->c[i].d[1] = d2 / size;
}

void compliant_turn_impulse(const compliant *z, double s, double *p) {
  const compliant_series *q = &z->series;
  for (int r = 0; r < z->rows; r++) {
    double sum = 0;
    for (int j = N; j >= 0; j--) sum = (sum + q->f[j * z->rows + r] * compliant_inverse[j]) * s;
    p[r] += q->h * sum;
  }
}
