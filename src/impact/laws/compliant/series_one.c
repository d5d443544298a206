/* Speed only: the recursion of series.c for one pressed contact that slips and turns, the same
 * equations with every product of one order in one loop. Pencil of paper Y: 453,000 instructions
 * without it, 316,000 with. With pace, g = F_n / F_n(now):
 *
 *   v' = g W F,  n' = g v_n,  q = v.e / rho(now)      (without: g = 1, rho q = v.e)
 *
 * With n = 0 at the start, q[j] from the next order, as there. Sums leave out the terms with what
 * order j is about to give (q[j], F_t[j]); they are added after.
 */
#include <string.h>

#include "impact/laws/compliant/state.h"

/* products with pace at order j: of F_t, F_n and v_n */
static void pace(const compliant_series *s, int j, double out[4]) {
  const double *f = s->f_row;
  if (s->uneven)
    core_taylor_products_back(
        j, (const double *const[]){f, f + PAD, f + 2 * PAD, s->v_row + 2 * PAD}, s->r_pace, out);
  else
    out[0] = out[1] = 0, out[2] = f[2 * PAD + j], out[3] = s->v_row[2 * PAD + j];
}

/* q[j] of a contact that has just closed, from order j + 1 */
static double first_rate(const compliant *z, compliant_turn *a, int j, double by, double ratio) {
  const compliant_contact *k = z->c;
  const compliant_series *s = &z->series;
  const double *v1 = s->v_row, *v2 = v1 + PAD, *fn = s->f_row + 2 * PAD;
  a->r_d[0][N - j - 1] = -by * a->q_d[1], a->r_d[1][N - j - 1] = by * a->q_d[0];
  double w = core_taylor_product_back(j + 1, v2, a->r_d[0]) -
             core_taylor_product_back(j + 1, v1, a->r_d[1]);
  double force = -k->k * s->y[3 * (j + 1) + 2], first = j ? fn[1] : force;
  double known = core_taylor_product_back(j + 1, fn, a->r_q) + force * a->q[0];
  return (w - ratio * known) / (ratio * first + by * dot(2, z->v, k->d));
}

void compliant_turn_series_one(compliant *z) {
  compliant_series *s = &z->series;
  const compliant_contact *k = z->c;
  compliant_turn *a = z->turn.of;
  const double *W = z->inertia.W, mu = slip_mu(k), ratio = mu / k->kt;
  double *f1 = s->f_row, *f2 = f1 + PAD, *fn = f2 + PAD, *v1 = s->v_row, *v2 = v1 + PAD,
         *vn = v2 + PAD, *y = s->y, *v = s->v;
  double per_rho = 1 / (-ratio * k->k * y[2]), per_n = 1 / y[2], out[4];
  for (int j = 0;; j++) {
    double by = s->h * core_taylor_inverse[j], *F = s->f + 3 * j, *next = v + 3 * (j + 1);
    fn[j] = -k->k * y[3 * j + 2];
    compliant_turn_products(j, a, fn, v1, v2);
    pace(s, j, out);
    f1[j] = -mu * a->f_d[0], f2[j] = -mu * a->f_d[1];
    F[0] = out[0] + f1[j], F[1] = out[1] + f2[j], F[2] = out[2];
    if (j == N) return;
    for (int r = 0; r < 3; r++) next[r] = by * (W[r] * F[0] + W[3 + r] * F[1] + W[6 + r] * F[2]);
    v1[j + 1] = next[0], v2[j + 1] = next[1], vn[j + 1] = next[2];
    y[3 * (j + 1)] = y[3 * (j + 1) + 1] = 0, y[3 * (j + 1) + 2] = by * out[3];
    s->pace[j + 1] = s->r_pace[N - j - 1] = y[3 * (j + 1) + 2] * per_n;
    double q = s->uneven ? a->across * per_rho : (a->across - ratio * a->f_q) * per_rho;
    if (k->just_closed) q = first_rate(z, a, j, by, ratio);
    a->q[j] = a->r_q[N - j] = q;
    a->d[0][j + 1] = a->r_d[0][N - j - 1] = -by * (a->q_d[1] + q * k->d[1]);
    a->d[1][j + 1] = a->r_d[1][N - j - 1] = by * (a->q_d[0] + q * k->d[0]);
  }
}
