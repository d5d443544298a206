/* Speed only: the series of a step (series.c) where no slip turns and n or n + 1/2 is whole. Then
 * all forces are linear in the normal ones, F, and these need the normal velocities alone:
 *
 *   p' = G F,   v_n' = M F,   x' = pace v_n,   F = K x^m, or K x^m y with y^2 = x
 *
 * G holds the directions of slip and the friction of what sticks, M the normal rows of W G. Order k
 * of y needs half a product, 2 y_0 y_k = x_k - sum_(0<j<k) y_j y_(k-j). Where time runs by the root
 * of a contact (LZB_ROOT), y of that contact is the root a, a' = pace v_n/2, and all rates are
 * multiplied by a.
 *
 * Contacts stand side by side, four in a register: order k of contact c at [k width + c]. Contacts
 * without load have y = 0.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/pair.h"
#include "impact/laws/lzb/state.h"

enum { N = LZB_ORDER };

/* four lanes; functions get and give them by address, which every target can */
#define FOUR(x) (*(const core_loose_four *)(x))
#define PUT(x) (*(core_loose_four *)(x))

/* ---- memory ---- */

int lzb_lanes_start(lzb *z) {
  lzb_lanes *q = &z->lanes;
  double n = z->q->exponent;
  size_t nc = (size_t)z->nc, rows = (size_t)z->rows, width = (nc + 3) / 4 * 4;
  q->known = 0;
  q->n.is_half = !z->is_whole;
  q->n.factors = (int)floor(n) - z->is_whole;
  q->possible = 2 * n == floor(2 * n);
  if (!q->possible) return 1;
  size_t of_step = (N + 1) * width;
  size_t all = of_step * (size_t)(q->n.factors + 6) + width * (width + 5) + 2 * rows * nc;
  double *x = core_scratch_doubles(z->s, all);
  q->near = core_scratch_bytes(z->s, width / 4 * sizeof *q->near);
  if (!x || !q->near) return 0;
  q->x = x, q->v = q->x + of_step, q->f = q->v + of_step, q->g = q->f + of_step;
  q->u = q->g + of_step, q->power = q->u + of_step;
  q->M = q->power + (size_t)(q->n.factors + 1) * of_step;
  q->pace = q->M + width * width, q->K = q->pace + width;
  q->half = q->K + width, q->turn = q->half + width;
  q->waits = q->turn + width, q->G = q->waits + width, q->WG = q->G + rows * nc;
  return 1;
}

/* ---- forces by normal forces ---- */

/* lanes whose forces move each four of them; all, where contacts that stick hand them on */
static void find_near(lzb *z) {
  impact_span all = {0, z->n_stuck ? z->n_live : 0}, *near = z->lanes.near;
  for (int b = 0; b < z->lanes.width / 4; b++) near[b] = all;
  for (int l = 0; l < z->n_live && !z->n_stuck; l++) {
    const lzb_contact *c = &z->c[z->live[l]];
    impact_include(&near[l / 4], (impact_span){l, l + 1});
    for (int j = c->t; j <= c->n; j++)
      for (int r = z->span[j].from; r < z->span[j].to; r++) {
        int lane = z->place[z->owner[r]];
        if (lane >= 0) impact_include(&near[lane / 4], (impact_span){l, l + 1});
      }
  }
}

/* x = 0 in the rows of four lanes */
static void clear(const lzb *z, int b, double *x) {
  for (int l = 4 * b; l < 4 * b + 4 && l < z->n_live; l++)
    for (int r = z->c[z->live[l]].t; r <= z->c[z->live[l]].n; r++) x[r] = 0;
}

/* forces of all live rows that a unit of normal force of lane l makes, where all are zero yet */
static void unit_of(lzb *z, int l, double *g) {
  const lzb_contact *c = &z->c[z->live[l]];
  if (z->n_stuck) memset(g, 0, (size_t)z->rows * sizeof *g); /* lzb_hold looks at all */
  g[c->n] = 1;
  for (int r = c->t; r < c->n && lzb_at_limit(c); r++) g[r] = -c->mu * c->d[r - c->t];
  if (z->n_stuck) lzb_hold(z, g);
}

/* and how these move them */
static void accelerate(const lzb *z, int l, const double *g, double *w) {
  int from = z->n_stuck ? 0 : l, to = z->n_stuck ? z->n_live : l + 1;
  for (int k = from; k < to; k++)
    for (int j = z->c[z->live[k]].t; j <= z->c[z->live[k]].n; j++)
      for (int r = z->span[j].from; r < z->span[j].to && g[j] != 0; r++)
        if (z->place[z->owner[r]] >= 0) w[r] += z->W[j * z->rows + r] * g[j];
}

static void put_rows(lzb *z, int b, int l) {
  lzb_lanes *q = &z->lanes;
  for (int c = 4 * b; c < 4 * b + 4; c++)
    q->M[l * q->width + c] = c < z->n_live ? q->WG[l * z->rows + z->c[z->live[c]].n] : 0;
}

static void reduce(lzb *z) {
  lzb_lanes *q = &z->lanes;
  int rows = z->rows;
  q->width = (z->n_live + 3) / 4 * 4;
  find_near(z);
  if (q->width == 4) memset(q->M, 0, 16 * sizeof *q->M); /* times_few takes all of it */
  for (int b = 0; b < q->width / 4; b++)
    for (int l = q->near[b].from; l < q->near[b].to; l++)
      clear(z, b, q->G + l * rows), clear(z, b, q->WG + l * rows);
  for (int l = 0; l < z->n_live; l++) {
    unit_of(z, l, q->G + l * rows);
    accelerate(z, l, q->G + l * rows, q->WG + l * rows);
  }
  for (int b = 0; b < q->width / 4; b++)
    for (int l = q->near[b].from; l < q->near[b].to; l++) put_rows(z, b, l);
  q->known = z->pr->dim < 3; /* in space directions of slip may have changed */
}

/* ---- start ---- */

int lzb_lanes_take(const lzb *z) {
  if (z->plain || !z->lanes.possible || z->series.clock == LZB_SQUARE) return 0;
  for (int l = 0; l < z->n_live; l++) {
    const lzb_curve *c = &z->series.of[z->live[l]];
    if (c->slip != LZB_FIXED || (c->load == LZB_LOADED && !(z->now.x[z->live[l]] > 0))) return 0;
  }
  return 1;
}

static void start_lane(lzb *z, int l) {
  lzb_lanes *q = &z->lanes;
  int i = z->live[l], loaded = z->series.of[i].load == LZB_LOADED, rooted = i == z->series.rooted;
  const lzb_contact *c = &z->c[i];
  double x = z->now.x[i];
  q->x[l] = x, q->v[l] = z->now.v[c->n];
  q->pace[l] = c->phase == LZB_OUT ? 0 : lzb_pace(c);
  q->K[l] = loaded ? c->K : 0;
  q->waits[l] = z->series.of[i].load == LZB_WAITS ? lzb_waiting_force(z, i) : 0;
  q->power[l] = !loaded ? 0 : q->n.is_half ? sqrt(x) : x;
  q->half[l] = loaded && !rooted ? 0.5 / q->power[l] : 0;
  q->turn[l] = rooted ? 0.5 * z->series.h * q->pace[l] : 0;
}

static void start(lzb *z) {
  lzb_lanes *q = &z->lanes;
  if (!q->known) reduce(z);
  for (int l = 0; l < z->n_live; l++) start_lane(z, l);
  for (int l = z->n_live; l < q->width; l++) {
    q->x[l] = q->v[l] = q->pace[l] = q->K[l] = q->waits[l] = 0;
    q->power[l] = q->half[l] = q->turn[l] = 0;
  }
}

/* ---- one order ---- */

/* Sums go from the middle to the ends: what is new comes last, so that the processor can begin with
 * the next order before this one is there. */

/* order k of a b in four lanes */
CORE_PART void product(int k, const double *a, const double *b, int width, core_four *out) {
  core_four low = {0}, high = {0};
  ptrdiff_t i = (k + 1) / 2 - 1, j = k - i;
  if (k % 2 == 0) low = FOUR(a + k / 2 * width) * FOUR(b + k / 2 * width);
  for (; j <= k; i--, j++) {
    low += FOUR(a + i * width) * FOUR(b + j * width);
    high += FOUR(a + j * width) * FOUR(b + i * width);
  }
  *out = low + high;
}

/* sum over 0 < j < k of y_j y_(k-j) */
CORE_PART void inner_square(int k, const double *y, int width, core_four *out) {
  core_four sum = {0};
  ptrdiff_t i = (k + 1) / 2 - 1, j = k - i;
  if (k % 2 == 0) sum = 0.5 * FOUR(y + k / 2 * width) * FOUR(y + k / 2 * width);
  for (; j < k; i--, j++) sum += FOUR(y + i * width) * FOUR(y + j * width);
  *out = sum + sum;
}

/* order k > 0 of the first factor of F: the root of x, or x; of the contact that time runs by
 * (half is 0 there, turn is not) h pace v/2 of the order before */
CORE_PART void first_factor(lzb_lanes *q, lzb_power n, int width, int k, int c, int rooted) {
  double *y = q->power + c, by = core_taylor_inverse[k - 1];
  core_four x = FOUR(q->x + k * width + c), inner = {0}, all = {by, by, by, by};
  if (n.is_half) {
    inner_square(k, y, width, &inner);
    x = (x - inner) * FOUR(q->half + c);
  }
  if (rooted >= 0) x += FOUR(q->v + (k - 1) * width + c) * FOUR(q->turn + c) * all;
  PUT(y + k * width) = x;
}

/* order k of F from that, also into *out */
CORE_PART void force(lzb_lanes *q, lzb_power n, int width, int k, int c, core_four *out) {
  double *b = q->power + c;
  core_four f = FOUR(b + k * width);
  for (int m = 0; m < n.factors; m++, b += (N + 1) * width) {
    product(k, q->x + c, b, width, &f);
    PUT(b + (N + 1) * width + k * width) = f;
  }
  f *= FOUR(q->K + c);
  if (k == 0) f += FOUR(q->waits + c);
  PUT(q->f + k * width + c) = *out = f;
}

/* f += F a, v += V a in four lanes */
CORE_PART void add_slowed(const double *F, const double *V, double a, core_four *f, core_four *v) {
  core_four by = {a, a, a, a};
  *f += FOUR(F) * by, *v += FOUR(V) * by;
}

/* order k of F a, also into *g, and v a, where a is the root of the contact that time runs by */
CORE_PART void slow_down(lzb_lanes *q, int width, int k, int c, const double *a, core_four *g) {
  core_four f[2] = {{0}, {0}}, v[2] = {{0}, {0}};
  const double *F = q->f + c, *V = q->v + c;
  ptrdiff_t i = k / 2, j = k - i;
  if (i == j) add_slowed(F + i * width, V + i * width, a[i * width], &f[0], &v[0]), i--, j++;
  for (; j <= k; i--, j++) {
    add_slowed(F + i * width, V + i * width, a[j * width], &f[0], &v[0]);
    add_slowed(F + j * width, V + j * width, a[i * width], &f[1], &v[1]);
  }
  PUT(q->g + k * width + c) = *g = f[0] + f[1], PUT(q->u + k * width + c) = v[0] + v[1];
}

/* M g for few contacts; g is still in its register */
CORE_PART void times_few(const double *M, const core_four *g, core_four *sum) {
  core_four all = *g;
#define LANE(j) (FOUR(M + 4 * (j)) * (core_four){all[j], all[j], all[j], all[j]})
  *sum = (LANE(0) + LANE(1)) + (LANE(2) + LANE(3));
#undef LANE
}

CORE_PART void times_many(const double *M, const double *g, impact_span near, int width,
                          core_four *sum) {
  *sum = (core_four){0};
  for (int j = near.from; j < near.to; j++) {
    double x = g[j];
    *sum += FOUR(M + j * width) * (core_four){x, x, x, x};
  }
}

/* order k + 1 of v and x: h M g_k/(k + 1), h pace u_k/(k + 1) */
CORE_PART void advance(lzb_lanes *q, int width, int k, int c, double by, const double *g,
                       const core_four *last, const double *u) {
  core_four sum, all = {by, by, by, by};
  if (width == 4)
    times_few(q->M, last, &sum);
  else
    times_many(q->M + c, g + k * width, q->near[c / 4], width, &sum);
  PUT(q->v + (k + 1) * width + c) = sum * all;
  PUT(q->x + (k + 1) * width + c) = FOUR(u + k * width + c) * FOUR(q->pace + c) * all;
}

/* order k of F, order k + 1 of v and x; rooted: time runs by the root of that contact */
CORE_PART void one_order(lzb_lanes *q, lzb_power n, int width, int k, int rooted, double h) {
  const double *a = q->power + rooted, *g = rooted < 0 ? q->f : q->g, *u = rooted < 0 ? q->v : q->u;
  for (int c = 0; c < width && k; c += 4) first_factor(q, n, width, k, c, rooted);
  core_four last = {0};
  for (int c = 0; c < width; c += 4) force(q, n, width, k, c, &last);
  for (int c = 0; c < width && rooted >= 0; c += 4) slow_down(q, width, k, c, a, &last);
  for (int c = 0; c < width; c += 4)
    advance(q, width, k, c, h * core_taylor_inverse[k], g, &last, u);
}

static const lzb_power HERTZ = {1, 1};

/* four contacts at most, n = 1.5: what is known when it is compiled */
CORE_PART void few(lzb_lanes *q, int rooted, double h) {
  for (int k = 0; k < N; k++) one_order(q, HERTZ, 4, k, rooted, h);
}

CORE_WIDE static void orders(lzb_lanes *q, int rooted, double h) {
  int width = q->width, is_few = width == 4 && q->n.is_half && q->n.factors == 1;
  if (is_few && rooted < 0) few(q, -1, h);
  if (is_few && rooted >= 0) few(q, rooted, h);
  for (int k = 0; k < N && !is_few; k++) one_order(q, q->n, width, k, rooted, h);
  for (int c = 0; c < width && rooted >= 0; c += 4) first_factor(q, q->n, width, N, c, rooted);
}

/* ---- the series of all rows ---- */

static void put_lane(const lzb_lanes *q, const double *lane, double *to) {
  for (int k = 0; k <= N; k++) to[k] = lane[k * q->width];
  to[N + 1] = 0;
}

/* p of a normal row: h g_k/(k + 1) */
static void put_impulse(const lzb *z, int l, const double *g) {
  double *p = z->series.p + z->c[z->live[l]].n * LZB_PAD;
  p[0] = p[N + 1] = 0;
  for (int k = 0; k < N; k++)
    p[k + 1] = z->series.h * core_taylor_inverse[k] * g[k * z->lanes.width + l];
}

static void add(double by, const double *x, double *to) {
  if (by == 0) return;
  for (int k = 1; k <= N; k++) to[k] += by * x[k];
}

/* p and v of tangential row r by the normal impulses */
static void put_tangent(const lzb *z, int r) {
  impact_span near = z->lanes.near[z->place[z->owner[r]] / 4];
  double *p = z->series.p + r * LZB_PAD, *v = z->series.v + r * LZB_PAD;
  memset(p, 0, LZB_PAD * sizeof *p);
  memset(v, 0, LZB_PAD * sizeof *v);
  v[0] = z->now.v[r];
  for (int l = near.from; l < near.to; l++) {
    const double *normal = z->series.p + z->c[z->live[l]].n * LZB_PAD;
    add(z->lanes.G[l * z->rows + r], normal, p);
    add(z->lanes.WG[l * z->rows + r], normal, v);
  }
}

static void put_contact(const lzb *z, int l) {
  const lzb_lanes *q = &z->lanes;
  int i = z->live[l];
  put_lane(q, q->x + l, z->series.of[i].x);
  put_lane(q, q->v + l, z->series.v + z->c[i].n * LZB_PAD);
  put_impulse(z, l, z->series.rooted < 0 ? q->f : q->g);
}

void lzb_lanes_sweep(lzb *z) {
  lzb_lanes *q = &z->lanes;
  int rooted = z->series.rooted, lane = rooted < 0 ? -1 : z->place[rooted];
  start(z);
  orders(q, lane, z->series.h);
  for (int l = 0; l < z->n_live; l++) put_contact(z, l);
  if (rooted >= 0) put_lane(q, q->power + lane, z->series.of[rooted].a);
  for (int l = 0; l < z->n_live; l++)
    for (int r = z->c[z->live[l]].t; r < z->c[z->live[l]].n; r++) put_tangent(z, r);
}
