/* The state at any place of a step of law.lzb, from its series. */
#include <math.h>
#include <string.h>

#include "impact/laws/lzb/state.h"

enum { N = LZB_ORDER };

static double *row_of(double *series, int r) {
  return series + r * LZB_PAD;
}

/* order k < N of v p'; back: p' backwards, with a zero behind, as v has */
static double order_of_power(int k, const double *v, const double *back) {
  core_pair sum = {0};
  const double *b = back + N - 1 - k;
  for (int i = 0; i <= k; i += 2) sum += core_pair_at(v + i) * core_pair_at(b + i);
  return sum[0] + sum[1];
}

/* -integral of v dp from 0 to s: what friction takes at one row, to the order of v and p */
static double taken(const double *v, const double *p, double s) {
  double sum = 0, back[N + 1] = {0};
  for (int k = 0; k < N; k++) back[N - 1 - k] = (k + 1) * p[k + 1];
  for (int k = N - 1; k >= 0; k--) sum = (sum + order_of_power(k, v, back) / (k + 1)) * s;
  return -sum;
}

double lzb_deflection_at(const lzb *z, int i, double s) {
  const lzb_curve *c = &z->series.of[i];
  if (i != z->series.rooted)
    return core_poly_at(N, c->x, 1, s) * (z->series.clock == LZB_BEGIN ? lzb_time_at(z, s) : 1);
  double a = core_poly_at(N, c->a, 1, s);
  return a > 0 ? a * a : 0;
}

/* velocities as they are, and where those who have them go */
static void go_straight(const lzb *z, double time, lzb_state *to) {
  memcpy(to->v, z->now.v, (size_t)z->rows * sizeof *to->v);
  memcpy(to->p, z->now.p, (size_t)z->rows * sizeof *to->p);
  for (int i = 0; i < z->nc; i++)
    to->x[i] = z->c[i].phase == LZB_OUT ? 0 : z->now.x[i] - time * z->now.v[z->c[i].n];
}

void lzb_at(const lzb *z, double s, lzb_state *to) {
  const lzb_series *q = &z->series;
  double time = lzb_time_at(z, s);
  to->time = z->now.time + time;
  to->lost = z->now.lost;
  go_straight(z, time, to);
  for (int l = 0; l < z->n_live; l++) {
    int i = z->live[l];
    const lzb_contact *c = &z->c[i];
    for (int r = c->t; r <= c->n; r++) {
      to->v[r] = core_poly_at(N, row_of(q->v, r), 1, s);
      to->p[r] = z->now.p[r] + core_poly_at(N, row_of(q->p, r), 1, s);
    }
    if (c->phase != LZB_OUT) to->x[i] = lzb_deflection_at(z, i, s);
    int loses =
        c->grip == LZB_SLIDE || lzb_tangents(c) == 2; /* also by what a stop in space left */
    for (int r = c->t; loses && r < c->n; r++)
      to->lost += taken(row_of(q->v, r), row_of(q->p, r), s);
  }
}
