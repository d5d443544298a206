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
 * given a fixed d (the rest is linear) when what is left of its impulse cannot be turned by more
 * than rounding.
 *
 * Stiff: where rho is tiny beside v h (eta small) d follows v at once, and only tiny steps could
 * tell that it does not. Then rho q is a small correction: order j + 1 gives q[j] as at the start,
 * with rho[0] q[j+1] taken from the sweep before, and a few sweeps converge. It is used when d has
 * come to that slow solution to rounding.
 */
#include "impact/laws/compliant/turn.h"

#include <string.h>

enum { N = TURN_N, PAD = TURN_PAD, LENGTH = COMPLIANT_LENGTH };

/* forces of contact i at order j, without reactions of held ones (force: its normal series) */
static void contact_force(compliant *z, int i, int j, double normal, const turn_sums *s) {
  const compliant_contact *k = &z->c[i];
  double *fr = z->series.fr, mu = compliant_slip_mu(k);
  const double *y = z->series.y + j * z->rows;
  fr[k->n * PAD + j] = normal;
  for (int t = 0; t < k->tangents; t++) {
    double *f = &fr[(k->t + t) * PAD + j];
    if (k->grip == STICK)
      *f = -k->kt * y[k->t + t];
    else if (k->turning)
      *f = -mu * (t ? s->f2 : s->f1);
    else
      *f = k->grip == SLIP ? -mu * normal * k->d[t] : 0;
  }
}

/* normal reactions of order j that keep v_n of held contacts at 0: M q = -(W F)_n */
static void add_reactions(compliant *z, int j, turn_sums *sums) {
  int n = 0, *who = z->who;
  double *rate = z->work, *q = z->work + z->nc, *fr = z->series.fr;
  for (int i = 0; i < z->nc; i++) {
    if (z->c[i].touch != HELD) continue;
    rate[n] = 0;
    for (int r = 0; r < z->rows; r++) rate[n] += z->W[r * z->rows + z->c[i].n] * fr[r * PAD + j];
    who[n++] = i;
  }
  for (int a = 0; a < n; a++) {
    q[a] = 0;
    for (int b = 0; b < n; b++) q[a] -= z->M[b * n + a] * rate[b];
  }
  for (int a = 0; a < n; a++) {
    const compliant_contact *k = &z->c[who[a]];
    z->series.held[j * z->nc + who[a]] = q[a];
    sums[who[a]].f1 += q[a] * k->d[0];
    sums[who[a]].f2 += q[a] * k->d[1];
    sums[who[a]].fq += q[a] * ((const turn *)z->turns + who[a])->q[0];
    contact_force(z, who[a], j, q[a], &sums[who[a]]);
  }
}

static void forces_of_order(compliant *z, int j, turn_sums *sums) {
  const turn *all = z->turns;
  const compliant_series *s = &z->series;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (k->touch == OPEN) continue;
    double normal = k->touch == PRESSED ? -k->k * s->y[j * z->rows + k->n] : 0;
    s->fr[k->n * PAD + j] = normal;
    if (k->turning)
      sums[i] = turn_products(j, &all[i], s->fr + k->n * PAD, s->vr + k->t * PAD,
                              s->vr + (k->t + 1) * PAD);
    contact_force(z, i, j, normal, &sums[i]);
  }
  if (z->held_count) add_reactions(z, j, sums);
}

static double paced(const compliant *z, int j, const double *c) {
  return z->series.uneven ? turn_product(j, c, z->series.rpace) : c[j];
}

/* v[j+1], y[j+1] and pace[j+1] from what is known up to j */
static void move(compliant *z, int j, int lead) {
  compliant_series *s = &z->series;
  int rows = z->rows;
  double by = s->h * compliant_inverse[j], *v = s->v + (j + 1) * rows, *y = s->y + (j + 1) * rows;
  double *F = z->row_sum;
  memset(v, 0, (size_t)rows * sizeof *v);
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    for (int r = k->t; r <= k->n; r++) {
      y[r] = r == k->n || k->grip == STICK ? by * paced(z, j, s->vr + r * PAD) : 0;
      if (k->touch != OPEN) s->f[j * rows + r] = paced(z, j, s->fr + r * PAD);
      F[r] = k->touch == OPEN ? 0 : by * s->f[j * rows + r];
    }
  }
  compliant_multiply(z, F, v);
  for (int r = 0; r < rows; r++) s->vr[r * PAD + j + 1] = v[r];
  if (lead < 0) return;
  int n = z->c[lead].n;
  s->pace[j + 1] = s->rpace[N - j - 1] = y[n] / s->y[n];
}

/* q[j] from rho q = v.e with rho[0] > 0; the sums hold no q[j] */
static double rate_regular(const compliant *z, int is_lead, int j, turn *a, double ratio,
                           double force, const turn_sums *s) {
  a->w[j] = s->across;
  if (is_lead) return a->w[j] / (ratio * force);
  return (paced(z, j, a->w) - ratio * s->fq) / (ratio * force);
}

/* q[j] from order j + 1 of rho q = v.e, with rho[0] q[j+1] from the last sweep (or rho[0] = 0):
 * d[j+1] = (known - q[j] h d2 / (j+1), known + q[j] h d1 / (j+1)) holds q[j] too */
static double rate_slow(const compliant *z, int i, int j, turn *a, const turn_sums *s) {
  const compliant_contact *k = &z->c[i];
  const double *v1 = z->series.vr + k->t * PAD, *v2 = v1 + PAD, *f = z->series.fr + k->n * PAD;
  double by = z->series.h * compliant_inverse[j], ratio = compliant_slip_mu(k) / k->kt;
  a->rd1[N - j - 1] = -by * s->q2;
  a->rd2[N - j - 1] = by * s->q1;
  a->w[j + 1] = turn_product(j + 1, v2, a->rd1) - turn_product(j + 1, v1, a->rd2);
  double next = -k->k * z->series.y[(j + 1) * z->rows + k->n]; /* force[j+1]; f holds up to j */
  double known = turn_product(j + 1, f, a->rq) + next * a->q[0] + f[0] * a->old[j + 1];
  double here = by * (v1[0] * k->d[0] + v2[0] * k->d[1]);
  double first = j ? f[1] : next; /* force[1] */
  double q = (paced(z, j + 1, a->w) - ratio * known) / (ratio * first + here);
  a->w[j + 1] -= here * q;
  return q;
}

static void turn_contact(compliant *z, int i, int lead, int j, const turn_sums *s) {
  const compliant_contact *k = &z->c[i];
  turn *a = (turn *)z->turns + i;
  double by = z->series.h * compliant_inverse[j], ratio = compliant_slip_mu(k) / k->kt;
  double force = z->series.fr[k->n * PAD], q;
  if (k->just_closed || k->stiff)
    q = rate_slow(z, i, j, a, s);
  else
    q = rate_regular(z, i == lead, j, a, ratio, force, s);
  a->q[j] = a->rq[N - j] = q;
  a->rd1[N - j - 1] = -by * (s->q2 + q * k->d[1]);
  a->rd2[N - j - 1] = by * (s->q1 + q * k->d[0]);
}

static void start_series(compliant *z) {
  compliant_series *s = &z->series;
  size_t rows = (size_t)z->rows;
  memcpy(s->y, z->y, rows * sizeof *s->y);
  memcpy(s->v, z->v, rows * sizeof *s->v);
  memset(s->fr, 0, rows * PAD * sizeof *s->fr);
  memset(s->vr, 0, rows * PAD * sizeof *s->vr);
  memset(s->f, 0, rows * LENGTH * sizeof *s->f);
  memset(s->rpace, 0, PAD * sizeof *s->rpace);
  s->pace[0] = s->rpace[N] = 1;
  for (size_t r = 0; r < rows; r++) s->vr[r * PAD] = z->v[r];
  for (int i = 0; i < z->nc; i++) {
    turn *a = (turn *)z->turns + i;
    if (!z->c[i].turning) continue;
    double old[PAD];
    memcpy(old, a->q, sizeof old);
    memset(a, 0, sizeof *a);
    if (z->c[i].stiff) memcpy(a->old, old, sizeof old);
    a->w[0] = turn_across(&z->c[i], z->v);
    a->rd1[N] = z->c[i].d[0];
    a->rd2[N] = z->c[i].d[1];
  }
}

/* one run through all orders */
void turn_sweep(compliant *z, int lead) {
  if (z->nc == 1 && !z->c->stiff && z->c->touch == PRESSED) {
    turn_sweep_one(z, lead >= 0);
    return;
  }
  compliant_series *s = &z->series;
  turn_sums *sums = z->sums;
  start_series(z);
  for (int j = 0; j <= N; j++) {
    forces_of_order(z, j, sums);
    if (j == N) break;
    move(z, j, lead);
    for (int i = 0; i < z->nc; i++)
      if (z->c[i].turning) turn_contact(z, i, lead, j, &sums[i]);
  }
  for (int r = 0; r < z->rows; r++) s->f[N * z->rows + r] = paced(z, N, s->fr + r * PAD);
  for (int i = 0; i < z->nc; i++) {
    const turn *a = (const turn *)z->turns + i;
    if (!z->c[i].turning) continue;
    double *d = s->d + 2 * i * LENGTH;
    for (int j = 0; j <= N; j++) d[j] = a->rd1[N - j], d[LENGTH + j] = a->rd2[N - j];
  }
}
