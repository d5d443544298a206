/* The state at any place of a step of law.lzb, from its series. */
#include <math.h>

#include "impact/laws/lzb/state.h"

enum { N = LZB_ORDER };

static double *row_of(double *series, int r) {
  return series + r * LZB_PAD;
}

double lzb_time_at(const lzb_series *q, double s) {
  if (q->clock != LZB_ROOT) return q->h * (q->clock == LZB_SQUARE ? s * s : s);
  return q->h * core_taylor_integral(N - 1, q->of[q->rooted].a, 1, s);
}

/* -integral of v dp from 0 to s: what friction takes at one row; orders that are complete, as v and
 * p' end with order N - 1 */
static double taken(const double *v, const double *p, double s) {
  double sum = 0, rate_back[LZB_PAD];
  for (int k = 0; k < N; k++) rate_back[CORE_TAYLOR_ORDER - k] = (k + 1) * p[k + 1];
  rate_back[CORE_TAYLOR_ORDER + 1] = 0;
  for (int k = N - 1; k >= 0; k--)
    sum = (sum + core_taylor_product_back(k, v, rate_back) * core_taylor_inverse[k]) * s;
  return -sum;
}

double lzb_deflection_at(const lzb *z, int i, double s) {
  const lzb_curve *c = &z->series.of[i];
  if (i != z->series.rooted) return core_poly_at(N, c->x, 1, s);
  double a = core_poly_at(N, c->a, 1, s);
  return a > 0 ? a * a : 0;
}

void lzb_at(const lzb *z, double s, lzb_state *to) {
  const lzb_series *q = &z->series;
  to->time = z->now.time + lzb_time_at(q, s);
  to->lost = z->now.lost;
  for (int r = 0; r < z->rows; r++) {
    to->v[r] = core_poly_at(N, row_of(q->v, r), 1, s);
    to->p[r] = z->now.p[r] + core_poly_at(N, row_of(q->p, r), 1, s);
  }
  for (int i = 0; i < z->nc; i++) {
    const lzb_contact *c = &z->c[i];
    to->x[i] = c->phase == LZB_OUT ? 0 : lzb_deflection_at(z, i, s);
    int loses =
        c->grip == LZB_SLIDE || lzb_tangents(c) == 2; /* also by what a stop in space left */
    for (int r = c->t; loses && r < c->n; r++)
      to->lost += taken(row_of(q->v, r), row_of(q->p, r), s);
  }
}
