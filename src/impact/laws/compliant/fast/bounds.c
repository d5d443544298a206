/* What surely does not happen on a step, by bounds that are far cheaper than event functions.
 * Pencil 464,000 -> 394,000 instructions, plate on 64 contacts in space 167 -> 136 M.
 */
#include <stdint.h>

#include "impact/laws/compliant/fast/inside.h"
#include "impact/laws/compliant/series_turn.h"

typedef compliant_four four;

/* ---- of a step in which slip turns: four contacts at once ---- */

CORE_PART void size(const four *x, four *out) {
  core_four_bits sign = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
  *out = (four)((core_four_bits)*x & ~sign);
}

/* sum of |x[j]| s^j from j = 1 on */
CORE_PART void most_change(int order, double s, const four *x, four *out) {
  four sum = {0}, y;
  for (int j = order; j > 0; j--) {
    size(&x[j], &y);
    sum = (sum + y) * s;
  }
  *out = sum;
}

/* The slip speed v.d - rho' is at least v.d at the start less |change of v| + |v| |change of d|, or
 * -|v|, and less what -rho' may lose. */
CORE_WIDE static void bound_fours(compliant *z) {
  compliant_turn *a = z->series.four;
  int n = z->series.order;
  double s = z->series.reach;
  for (int b = 0; b < z->nc; b += 4, a++) {
    four v1, v2, d1, d2, x, y;
    most_change(n, s, a->v[2], &a->sway);
    if (!a->slides && !a->sticks) continue;
    most_change(n, s, a->v[0], &v1), most_change(n, s, a->v[1], &v2);
    size(&a->v[0][0], &x), size(&a->v[1][0], &y);
    a->most[0] = x + v1, a->most[1] = y + v2;
    if (!a->slides) continue;
    most_change(n, s, a->d[0], &d1), most_change(n, s, a->d[1], &d2);
    y = x + y;
    x = a->v[0][0] * a->d[0][0] + a->v[1][0] * a->d[1][0] - y * (d1 + d2);
    for (int l = 0; l < 4; l++) x[l] = core_max(x[l], -y[l]);
    a->least = x - v1 - v2 + a->give * (a->v[2][0] - a->sway);
  }
}

void fast_bound_motion(compliant *z) {
  if (!z->fast || !z->series.turning) return;
  compliant_series *s = &z->series;
  double pace = 0;
  for (int j = s->order; s->uneven && j >= 0; j--) pace = pace * s->reach + fabs(s->pace[j]);
  s->lasts = s->h * s->reach * (s->uneven ? pace : 1);
  bound_fours(z);
}

/* ---- contact by contact ---- */

int fast_surely_slips(const compliant *z, int i) {
  return z->fast && z->series.turning && z->c[i].touch == PRESSED &&
         z->series.four[i / 4].least[i % 4] > 0;
}

/* rho - |x| is larger than the time of the step times the most that it can fall by */
int fast_surely_sticks(const compliant *z, int i) {
  const compliant_contact *k = &z->c[i];
  if (!z->fast || !z->series.turning || k->touch != PRESSED || k->tangents < 2) return 0;
  const compliant_turn *a = &z->series.four[i / 4];
  double v[2] = {a->most[0][i % 4], a->most[1][i % 4]};
  double ratio = k->mu * k->k / k->kt, opens = core_max(z->v[k->n], 0) + a->sway[i % 4];
  double margin = -ratio * z->y[k->n] - norm(2, z->y + k->t);
  return margin > z->series.lasts * (norm(2, v) + ratio * opens);
}

/* v_n does not change its sign, or n not: it is at most the time of the step times the most v_n */
int fast_surely_quiet(const compliant *z, int i) {
  const compliant_contact *k = &z->c[i];
  const compliant_series *s = &z->series;
  if (!z->fast || !s->turning || k->touch == HELD || (z->plastic && k->e < 1)) return 0;
  double sway = z->series.four[i / 4].sway[i % 4], v = z->v[k->n], y = z->y[k->n];
  if (k->touch == PRESSED && !k->restituting) return -v > sway;
  if (k->touch == PRESSED) v = -v, y = -y;
  return y > s->lasts * (core_max(-v, 0) + sway);
}
