/* The recursion of turn.c for one pressed contact that slips and turns: the same
 * equations with every product of one order in one loop. With pace, g = F_n / F_n(now):
 *
 *   v' = g W F,  n' = g v_n,  q = v.e / rho(now)      (without: g = 1, rho q = v.e)
 *
 * With n = 0 at the start, q[j] from the next order, as there.
 * Sums leave out the terms with what order j is about to give (q[j], F_t[j]); they are added after.
 */
#include <string.h>

#include "impact/laws/compliant/turn.h"

enum { N = TURN_N, PAD = TURN_PAD, LENGTH = COMPLIANT_LENGTH };

/* products with pace at order j: of F_n, F_t and v_n */
typedef struct paced_sums {
  double fn, f1, f2, vn;
} paced_sums;

static inline paced_sums paced_products(int j, const double *rg, const double *fn, const double *f1,
                                        const double *f2, const double *vn) {
  core_pair a = {0}, b = {0}, c = {0}, d = {0};
  rg += N - j;
  for (int i = 0; i <= j; i += 2) {
    core_pair g = core_pair_at(rg + i);
    a += core_pair_at(fn + i) * g;
    b += core_pair_at(f1 + i) * g;
    c += core_pair_at(f2 + i) * g;
    d += core_pair_at(vn + i) * g;
  }
  return (paced_sums){turn_both(a), turn_both(b), turn_both(c), turn_both(d)};
}

void turn_sweep_one(compliant *z, int uneven) {
  compliant_series *s = &z->series;
  const compliant_contact *k = z->c;
  const double *W = z->W, mu = compliant_slip_mu(k), ratio = mu / k->kt;
  turn *a = z->turns;
  double *f1 = s->fr, *f2 = f1 + PAD, *fn = f2 + PAD, *v1 = s->vr, *v2 = v1 + PAD, *vn = v2 + PAD;
  double *rg = s->rpace, *d1 = s->d, *d2 = d1 + LENGTH, *y = s->y, *v = s->v, *f = s->f;
  memset(f1, 0, 3 * PAD * sizeof *f1);
  memset(v1, 0, 3 * PAD * sizeof *v1);
  memset(a, 0, sizeof *a);
  memset(rg, 0, PAD * sizeof *rg);
  memset(d1, 0, 2 * LENGTH * sizeof *d1);
  memset(y, 0, 3 * LENGTH * sizeof *y);
  memcpy(y, z->y, 3 * sizeof *y);
  memcpy(v, z->v, 3 * sizeof *v);
  v1[0] = v[0], v2[0] = v[1], vn[0] = v[2];
  d1[0] = a->rd1[N] = k->d[0], d2[0] = a->rd2[N] = k->d[1];
  rg[N] = s->pace[0] = 1;
  double per_rho = 1 / (-ratio * k->k * y[2]), per_n = 1 / y[2];
  double forward = v1[0] * k->d[0] + v2[0] * k->d[1];
  for (int j = 0;; j++) {
    double by = s->h * compliant_inverse[j];
    fn[j] = -k->k * y[3 * j + 2];
    turn_sums t = turn_products(j, a, fn, v1, v2);
    paced_sums g = {fn[j], 0, 0, vn[j]};
    if (uneven) g = paced_products(j, rg, fn, f1, f2, vn);
    f1[j] = -mu * t.f1, f2[j] = -mu * t.f2;
    double F1 = g.f1 + f1[j], F2 = g.f2 + f2[j], *F = f + 3 * j;
    F[0] = F1, F[1] = F2, F[2] = g.fn;
    if (j == s->order) return;
    /* what moves */
    double *next = v + 3 * (j + 1);
    for (int r = 0; r < 3; r++) next[r] = by * (W[r] * F1 + W[3 + r] * F2 + W[6 + r] * g.fn);
    v1[j + 1] = next[0], v2[j + 1] = next[1], vn[j + 1] = next[2];
    y[3 * (j + 1) + 2] = by * g.vn;
    s->pace[j + 1] = rg[N - j - 1] = y[3 * (j + 1) + 2] * per_n;
    /* what turns */
    double q = uneven ? t.across * per_rho : (t.across - ratio * t.fq) * per_rho;
    if (k->just_closed) {
      a->rd1[N - j - 1] = -by * t.q2, a->rd2[N - j - 1] = by * t.q1;
      double w = turn_product(j + 1, v2, a->rd1) - turn_product(j + 1, v1, a->rd2);
      double force = -k->k * y[3 * (j + 1) + 2], first = j ? fn[1] : force;
      double known = turn_product(j + 1, fn, a->rq) + force * a->q[0];
      q = (w - ratio * known) / (ratio * first + by * forward);
    }
    a->q[j] = a->rq[N - j] = q;
    d1[j + 1] = a->rd1[N - j - 1] = -by * (t.q2 + q * k->d[1]);
    d2[j + 1] = a->rd2[N - j - 1] = by * (t.q1 + q * k->d[0]);
  }
}
