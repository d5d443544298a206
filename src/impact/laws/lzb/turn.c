/* Slip in space that is stiff. Where slip is slow beside what friction does in a step, as when
 * stick ends, its direction follows within the time |v_t|/(mu F_n W_tt) the forces, and v_t/|v_t|
 * is no good variable. The direction is: contacts that slide in ways that depend on each other, as
 * points of one body do, are a group (group.c) with
 *
 *   v_i = B_i y,   y = eta(t) w(t),   w.w_0 = 1,   u_i = B_i w/|B_i w|,   friction -mu F_n u_i
 *
 * and y' = eta' w + eta w'. Order k of that has the unknown w_k in the forces and in eta w', and is
 * solved for it: (c - D) w_k = r across w_0, where D is what directions do to y' and c = (k + l +
 * 1) eta_(l+1), l the order in which forces begin. It also has eta_0 w_(k+1), one order up: zero
 * where slip starts (eta_0 = 0), and else taken from the sweep before; sweeps converge by eta_0/D
 * each, to the solution without fast parts, which have died out.
 */
#include <math.h>
#include <string.h>

#include "core/lin.h"
#include "impact/laws/lzb/group.h"
#include "impact/laws/tolerance.h"

enum { N = LZB_ORDER };

static const double *v_of(const lzb *z, int row) {
  return z->series.v + row * LZB_PAD;
}

static double *order_of(double *series, int j) {
  return series + j * LZB_PAD;
}

/* order k of v' at row r of the problem, where order k of p' is g */
static double rate_now(const lzb *z, int r, const double *g) {
  double sum = 0;
  for (int j = 0; j < z->rows; j++) sum += z->W[j * z->rows + r] * g[j];
  return sum * z->series.h;
}

/* ---- who is stiff ---- */

/* e W_tt e for e across the slip */
static double ease(const lzb *z, const lzb_contact *c, double slip) {
  const double *W = z->W + c->t * z->rows + c->t, *v = z->now.v + c->t;
  double x = v[0] / slip, y = v[1] / slip;
  return y * y * W[0] - 2 * x * y * W[1] + x * x * W[z->rows + 1];
}

double lzb_stiffness(lzb *z, int i) {
  const lzb_contact *c = &z->c[i];
  if (lzb_tangents(c) < 2 || c->grip != LZB_SLIDE || !(z->f[c->n] > 0)) return 0;
  double slip = lzb_slip(c, z->now.v);
  if (!lzb_has_direction(c, z->now.v)) {
    z->starts_slip = 1;
    return INFINITY;
  }
  return c->mu * z->f[c->n] * ease(z, c, slip) / slip * z->next_time * LIMIT_LZB_STRIDE;
}

/* ---- directions ---- */

/* order 0 of u of the contacts of a group; 0: one of them stands where the others slide */
static int aim(lzb *z, lzb_group *a) {
  double most = 0, least = INFINITY;
  for (int m = 0; m < a->n; m++) {
    lzb_curve *q = &z->series.of[a->of[m]];
    for (int t = 0; t < 2; t++) q->V[t][0] = lzb_group_row(a, 2 * m + t, a->w, LZB_PAD);
    double size = hypot(q->V[0][0], q->V[1][0]);
    q->square[0] = size * size, q->r[0] = 1 / size;
    q->r_back[CORE_TAYLOR_ORDER] = q->r[0];
    for (int t = 0; t < 2; t++) q->u[t][0] = q->V[t][0] / size;
    most = fmax(most, size), least = fmin(least, size);
  }
  return least > TOL_LZB_SHARE * most;
}

/* y at the start: of what slides, or of the accelerations by which it begins */
static void find_start(const lzb *z, const lzb_group *a, double *y, int *begins) {
  double v[2 * LZB_GROUP_MOST];
  *begins = 1;
  for (int m = 0; m < a->n; m++)
    if (lzb_has_direction(&z->c[a->of[m]], z->now.v)) *begins = 0;
  for (int m = 0; m < a->n; m++)
    for (int t = 0; t < 2; t++) {
      const lzb_contact *c = &z->c[a->of[m]];
      v[2 * m + t] = *begins ? c->d[t] * c->off : z->now.v[c->t + t];
    }
  lzb_group_solve(a, v, y);
}

static int begin_group(lzb *z, lzb_group *a) {
  double y[2 * LZB_GROUP_MOST], size = 0;
  int begins;
  find_start(z, a, y, &begins);
  for (int j = 0; j < a->r; j++) size = hypot(size, y[j]);
  if (!(size > 0)) return 0;
  memset(a->w, 0, (size_t)(2 * a->r * LZB_PAD) * sizeof *a->w);
  memset(a->eta, 0, sizeof a->eta);
  for (int j = 0; j < a->r; j++) order_of(a->w, j)[0] = y[j] / size;
  a->eta[0] = begins ? 0 : size;
  return aim(z, a);
}

/* 1: groups of the contacts z->stiff, each with a direction */
int lzb_turn_begin(lzb *z) {
  if (!lzb_group_all(z)) return 0;
  for (int g = 0; g < z->turn.groups; g++)
    if (!begin_group(z, &z->turn.group[g])) return 0;
  return 1;
}

/* ---- one order ---- */

/* order k of u without the part of w_k, and order K of |v_t|, in which it has no part */
void lzb_turn_known(const lzb *z, int i, int K) {
  lzb_curve *q = &z->series.of[i];
  const double *v = v_of(z, z->c[i].t), *w = v_of(z, z->c[i].t + 1);
  int k = K - (z->series.clock == LZB_SQUARE);
  double s = 0;
  q->s[K] = q->u[0][0] * v[K] + q->u[1][0] * w[K];
  if (K == 0) return;
  for (int t = 0; t < 2; t++) q->u[t][K] = q->u[t][K + 1] = q->V[t][K] = q->V[t][K + 1] = 0;
  if (k > 0) lzb_direction(q, k, q->V[0], q->V[1]);
  for (int j = 0; j <= k; j++) s += q->u[0][j] * v[K - j] + q->u[1][j] * w[K - j];
  q->s[K] = s;
}

/* y' of order K at the forces g */
static void rate_of(const lzb *z, const lzb_group *a, const double *g, double *y) {
  double v[2 * LZB_GROUP_MOST];
  for (int m = 0; m < a->n; m++)
    for (int t = 0; t < 2; t++) v[2 * m + t] = rate_now(z, z->c[a->of[m]].t + t, g);
  lzb_group_solve(a, v, y);
}

/* order K of eta = w_0.y */
static void find_eta(const lzb *z, lzb_group *a, int K) {
  double v[2 * LZB_GROUP_MOST], y[2 * LZB_GROUP_MOST], sum = 0;
  if (K == 0) return;
  for (int m = 0; m < a->n; m++)
    for (int t = 0; t < 2; t++) v[2 * m + t] = v_of(z, z->c[a->of[m]].t + t)[K];
  lzb_group_solve(a, v, y);
  for (int j = 0; j < a->r; j++) sum += order_of(a->w, j)[0] * y[j];
  a->eta[K] = sum;
}

/* w_m as far as it is known: later ones are those of the last sweep; 0 for w_k */
static double known(const lzb_group *a, int j, int m, int k) {
  return m < k ? a->w[j * LZB_PAD + m] : m > k && m <= N ? a->last[j * LZB_PAD + m] : 0;
}

/* y' - eta' w - eta w' of order K, without w_k */
static void residual(const lzb *z, const lzb_group *a, int K, int k, double *r) {
  rate_of(z, a, z->series.g, r);
  for (int j = 0; j < a->r; j++) {
    for (int i = 0; i < K; i++) r[j] -= (i + 1) * a->eta[i + 1] * known(a, j, K - i, k);
    for (int i = 0; i <= K; i++) r[j] -= a->eta[i] * (K - i + 1) * known(a, j, K - i + 1, k);
  }
}

/* x less its part along w_0 */
static void project(const lzb_group *a, double *x) {
  double sum = 0;
  for (int j = 0; j < a->r; j++) sum += x[j] * a->w[j * LZB_PAD];
  for (int j = 0; j < a->r; j++) x[j] -= sum * a->w[j * LZB_PAD];
}

/* forces that a change of w by the vector x makes */
static void push(const lzb *z, const lzb_group *a, const double *x, double *g) {
  for (int m = 0; m < a->n; m++) {
    const lzb_contact *c = &z->c[a->of[m]];
    const lzb_curve *q = &z->series.of[a->of[m]];
    double p = lzb_group_row(a, 2 * m, x, 1), s = lzb_group_row(a, 2 * m + 1, x, 1);
    double on = q->u[0][0] * p + q->u[1][0] * s, by = -c->mu * z->turn.first[c->n] * q->r[0];
    g[c->t] = by * (p - on * q->u[0][0]), g[c->t + 1] = by * (s - on * q->u[1][0]);
  }
}

/* -D, across all w_0 */
static void fill(lzb *z) {
  int n = z->turn.n;
  double x[2 * LZB_GROUP_MOST], *g = z->turn.g;
  for (int b = 0; b < z->turn.groups; b++) {
    const lzb_group *from = &z->turn.group[b];
    for (int c = 0; c < from->r; c++) {
      memset(g, 0, (size_t)z->rows * sizeof *g);
      memset(x, 0, sizeof x);
      x[c] = 1;
      project(from, x);
      push(z, from, x, g);
      if (z->n_stuck) lzb_hold(z, g);
      for (int a = 0; a < z->turn.groups; a++) {
        const lzb_group *to = &z->turn.group[a];
        rate_of(z, to, g, x);
        project(to, x);
        for (int j = 0; j < to->r; j++) z->turn.A[(from->at + c) * n + to->at + j] = -x[j];
      }
    }
  }
}

/* A = c - D + w_0 w_0^T, each of its size */
static void complete(const lzb *z, int k, int late, double *A) {
  int n = z->turn.n;
  double size = 0;
  memcpy(A, z->turn.A, (size_t)(n * n) * sizeof *A);
  for (int i = 0; i < n * n; i++) size = fmax(size, fabs(A[i]));
  for (int b = 0; b < z->turn.groups; b++) {
    const lzb_group *a = &z->turn.group[b];
    double c = (k + late + 1) * a->eta[late + 1];
    for (int i = 0; i < a->r; i++)
      for (int j = 0; j < a->r; j++)
        A[(a->at + j) * n + a->at + i] +=
            c * (i == j) + (size + fabs(c)) * a->w[i * LZB_PAD] * a->w[j * LZB_PAD];
  }
}

/* A x = r; least norm where directions do nothing, as by symmetry */
static core_status solve(lzb *z, double *A, double *r) {
  int rank, n = z->turn.n;
  double *copy = A + n * n, *b = copy + n * n;
  memcpy(copy, A, (size_t)(n * n) * sizeof *A);
  memcpy(b, r, (size_t)n * sizeof *b);
  core_status status = core_lin_solve(n, A, 1, r, z->s, NULL);
  if (status != CORE_SINGULAR) return status;
  return core_lin_least_squares(n, n, copy, 1, b, TOL_LZB_RANK, z->s, r, &rank);
}

static void turn_first(lzb *z, lzb_group *a, const double *x) {
  double size = 0;
  for (int j = 0; j < a->r; j++) size = hypot(size, order_of(a->w, j)[0] += x[j]);
  for (int j = 0; j < a->r; j++) order_of(a->w, j)[0] /= size;
  aim(z, a);
  for (int m = 0; m < a->n; m++) {
    const lzb_contact *c = &z->c[a->of[m]];
    for (int t = 0; t < 2; t++)
      z->series.g[c->t + t] = -c->mu * z->turn.first[c->n] * z->series.of[a->of[m]].u[t][0];
  }
}

static void turn_on(lzb *z, lzb_group *a, int k, const double *x) {
  for (int j = 0; j < a->r; j++) order_of(a->w, j)[k] = x[j];
  for (int m = 0; m < a->n; m++) {
    lzb_curve *q = &z->series.of[a->of[m]];
    const lzb_contact *c = &z->c[a->of[m]];
    double was[2] = {q->u[0][k], q->u[1][k]};
    for (int t = 0; t < 2; t++) q->V[t][k] = lzb_group_row(a, 2 * m + t, x, 1);
    lzb_direction(q, k, q->V[0], q->V[1]);
    for (int t = 0; t < 2; t++)
      z->series.g[c->t + t] -= c->mu * z->turn.first[c->n] * (q->u[t][k] - was[t]);
  }
}

/* w_k of a group, and what it does to the forces of order K; the first order only turns what
 * slides already */
static void apply(lzb *z, lzb_group *a, int k, const double *x) {
  if (k > 0) turn_on(z, a, k, x);
  if (k == 0 && a->eta[0] > 0) turn_first(z, a, x);
}

core_status lzb_turn_order(lzb *z, int K) {
  int late = z->series.clock == LZB_SQUARE, k = K - late;
  double *A = z->turn.work, *r = z->turn.x;
  if (k == 0) {
    memcpy(z->turn.first, z->series.g, (size_t)z->rows * sizeof *z->series.g);
    fill(z);
  }
  for (int b = 0; b < z->turn.groups; b++) {
    lzb_group *a = &z->turn.group[b];
    double y[2 * LZB_GROUP_MOST], sum = 0;
    find_eta(z, a, K);
    if (k != 0) continue;
    rate_of(z, a, z->series.g, y);
    for (int j = 0; j < a->r; j++) sum += a->w[j * LZB_PAD] * y[j];
    a->eta[late + 1] = sum / (late + 1);
  }
  if (k < 0) return CORE_OK;
  complete(z, k, late, A);
  for (int b = 0; b < z->turn.groups; b++) {
    lzb_group *a = &z->turn.group[b];
    residual(z, a, K, k, r + a->at);
    project(a, r + a->at);
  }
  core_status status = solve(z, A, r);
  if (status) return status;
  for (int b = 0; b < z->turn.groups; b++) apply(z, &z->turn.group[b], k, r + z->turn.group[b].at);
  for (int j = 0; j < z->n_stuck; j++) z->series.g[z->stuck[j]] = 0;
  if (z->n_stuck) lzb_hold(z, z->series.g);
  return CORE_OK;
}

/* ---- sweeps ---- */

/* 1: the sweep before gave the same; the next one begins with its direction */
int lzb_turn_converged(lzb *z) {
  int same = 1;
  for (int b = 0; b < z->turn.groups; b++) {
    lzb_group *a = &z->turn.group[b];
    for (int j = 0; j < a->r && a->eta[0] > 0; j++)
      for (int k = 0; k <= N; k++) {
        double w = a->w[j * LZB_PAD + k], last = a->last[j * LZB_PAD + k];
        same &= fabs(w - last) <= TOL_LZB_SWEEP * (1 + fabs(w));
      }
    memcpy(a->last, a->w, (size_t)(a->r * LZB_PAD) * sizeof *a->w);
    for (int j = 0; j < a->r; j++) memset(order_of(a->w, j) + 1, 0, (LZB_PAD - 1) * sizeof *a->w);
  }
  return same;
}

/* what is left of fast parts: v_t across the direction that it soon has; infinite where that is
 * another one that forces keep as well, against v_t */
double lzb_turn_off(const lzb *z) {
  double most = 0;
  for (int a = 0; a < z->n_stiff; a++) {
    const lzb_contact *c = &z->c[z->stiff[a]];
    const double *v = z->now.v + c->t;
    const lzb_curve *q = &z->series.of[z->stiff[a]];
    if (q->s[0] <= 0 && lzb_has_direction(c, z->now.v)) return INFINITY;
    if (q->s[0] > 0) most = fmax(most, fabs(q->u[0][0] * v[1] - q->u[1][0] * v[0]));
  }
  return most;
}

void lzb_turn_end(lzb *z, double s) {
  for (int a = 0; a < z->n_stiff; a++) {
    lzb_contact *c = &z->c[z->stiff[a]];
    lzb_curve *q = &z->series.of[z->stiff[a]];
    double x = core_poly_at(N, q->V[0], 1, s), y = core_poly_at(N, q->V[1], 1, s);
    c->off = hypot(x, y);
    c->d[0] = x / c->off, c->d[1] = y / c->off;
  }
}

/* ---- slip that sets out ---- */

/* goes by the direction d, */
static int keeps_direction(const lzb *z, int i) {
  const lzb_contact *c = &z->c[i];
  return lzb_tangents(c) == 2 && c->grip == LZB_SLIDE && lzb_touches(c) &&
         z->series.of[i].slip == LZB_FIXED;
}

/* up to where v_t has a direction of its own, v_t^2 = (2 AWAY SETS_OUT)^2 */
static void stop_where_it_turns(lzb *z, int i) {
  const double *v = v_of(z, z->c[i].t), most = 2 * LIMIT_LZB_AWAY * TOL_LZB_SETS_OUT;
  double c[2 * N + 1] = {most * most}, s;
  for (int t = 0; t < 2; t++) core_taylor_add_square(N, v + t * LZB_PAD, -1, c);
  if (core_poly_first_root(2 * N, c, z->series.reach, &s)) z->series.reach = s;
}

void lzb_turn_reach(lzb *z) {
  for (int l = 0; l < z->n_live; l++)
    if (keeps_direction(z, z->live[l])) stop_where_it_turns(z, z->live[l]);
}
