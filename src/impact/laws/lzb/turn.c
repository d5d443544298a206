/* Slip in space that is stiff. With v_t = s u, u a unit vector at the angle theta and e across it,
 *
 *   e.v_t' = s theta',   v' = W p',   friction -mu F_n u
 *
 * Where s is small beside mu F_n W_tt, as when stick ends, u follows within the time s/(mu F_n
 * W_tt) the direction in which contacts accelerate along their slip, and v_t/|v_t| is no good
 * variable. theta is: order k of the equation has A theta_k, A = e W e mu F_n and more, and is
 * solved for it. It also has s_0 theta_(k+1), one order up: zero where slip starts (s_0 = 0), and
 * else taken from the sweep before; sweeps converge by s_0/A each, to the solution without fast
 * parts, which have died out.
 */
#include <math.h>
#include <string.h>

#include "core/lin.h"
#include "impact/laws/lzb/state.h"
#include "impact/laws/tolerance.h"

enum { N = LZB_ORDER };

static const double *v_of(const lzb *z, int row) {
  return z->series.v + row * LZB_PAD;
}

/* order k of v' at row r of the problem, where order k of p' is z->series.g */
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

int lzb_is_stiff(lzb *z, int i) {
  const lzb_contact *c = &z->c[i];
  if (lzb_tangents(c) < 2 || c->grip != LZB_SLIDE || c->pinned || !(z->f[c->n] > 0)) return 0;
  double slip = lzb_slip(c, z->now.v);
  if (!lzb_has_direction(c, z->now.v)) return z->starts_slip = 1;
  double rate = c->mu * z->f[c->n] * ease(z, c, slip) / slip;
  return rate * z->next_time * LIMIT_LZB_STRIDE > LIMIT_LZB_STIFF;
}

void lzb_turn_start(const lzb *z, int i) {
  const lzb_contact *c = &z->c[i];
  lzb_curve *q = &z->series.of[i];
  double slip = lzb_slip(c, z->now.v);
  int fresh = !lzb_has_direction(c, z->now.v);
  memset(q->theta, 0, sizeof q->theta);
  for (int t = 0; t < 2; t++) q->u[t][0] = fresh ? c->d[t] : z->now.v[c->t + t] / slip;
  q->s[0] = fresh ? 0 : slip;
}

/* ---- one order ---- */

static double across(const lzb_curve *q, int j, double x, double y) {
  return -q->u[1][j] * x + q->u[0][j] * y;
}

/* order k of u, without the part of theta_k, and order K of s: e_0.v_0 = 0, so that theta_k has no
 * part in it */
void lzb_turn_known(const lzb *z, int i, int K) {
  lzb_curve *q = &z->series.of[i];
  const double *v = v_of(z, z->c[i].t), *w = v_of(z, z->c[i].t + 1);
  int k = K - (z->series.clock == LZB_SQUARE);
  double x = 0, y = 0, s = 0;
  if (K == 0) return;
  for (int j = 1; j < k; j++) {
    double by = (k - j) * q->theta[k - j];
    x -= q->u[1][j] * by, y += q->u[0][j] * by;
  }
  q->u[0][K] = q->u[1][K] = 0;
  if (k > 0) q->u[0][k] = x / k, q->u[1][k] = y / k;
  for (int j = 0; j <= k; j++) s += q->u[0][j] * v[K - j] + q->u[1][j] * w[K - j];
  q->s[K] = s;
}

/* e.v' - s theta' of order K, where theta_k is still missing and later ones are those of the last
 * sweep */
static double residual(const lzb *z, int i, int K, int k) {
  const lzb_contact *c = &z->c[i];
  const lzb_curve *q = &z->series.of[i];
  const double *v = v_of(z, c->t), *w = v_of(z, c->t + 1);
  double sum = across(q, 0, rate_now(z, c->t, z->series.g), rate_now(z, c->t + 1, z->series.g));
  for (int j = 1; j <= k; j++)
    sum += across(q, j, (K - j + 1) * v[K - j + 1], (K - j + 1) * w[K - j + 1]);
  for (int j = 0; j <= K; j++) {
    int m = K - j + 1;
    double theta = m < k ? q->theta[m] : m > k && m <= N ? q->last[m] : 0;
    sum -= q->s[j] * m * theta;
  }
  return sum;
}

/* A: what a unit of theta at contact j takes off e.v' at contact i */
static void fill(lzb *z, const double *first) {
  int m = z->n_stiff;
  double *g = z->turn.g;
  for (int b = 0; b < m; b++) {
    const lzb_contact *c = &z->c[z->stiff[b]];
    const lzb_curve *q = &z->series.of[z->stiff[b]];
    memset(g, 0, (size_t)z->rows * sizeof *g);
    g[c->t] = -q->u[1][0] * c->mu * first[c->n], g[c->t + 1] = q->u[0][0] * c->mu * first[c->n];
    if (z->n_stuck) lzb_hold(z, g);
    for (int a = 0; a < m; a++) {
      const lzb_contact *d = &z->c[z->stiff[a]];
      z->turn.A[b * m + a] =
          across(&z->series.of[z->stiff[a]], 0, rate_now(z, d->t, g), rate_now(z, d->t + 1, g));
    }
    z->turn.A[b * m + b] +=
        q->u[0][0] * rate_now(z, c->t, first) + q->u[1][0] * rate_now(z, c->t + 1, first);
  }
}

static void rotate(lzb_curve *q, double by) {
  double x = q->u[0][0], y = q->u[1][0], c = cos(by), s = sin(by);
  q->u[0][0] = c * x - s * y, q->u[1][0] = s * x + c * y;
}

/* theta_k of all that are stiff, and what it does to the forces of order K; the first order only
 * turns what slides already */
static void apply(lzb *z, int k, const double *theta) {
  for (int a = 0; a < z->n_stiff; a++) {
    const lzb_contact *c = &z->c[z->stiff[a]];
    lzb_curve *q = &z->series.of[z->stiff[a]];
    double by = theta[a], x = -q->u[1][0] * by, y = q->u[0][0] * by;
    if (k == 0 && q->s[0] == 0) continue;
    z->series.g[c->t] -= c->mu * z->turn.first[c->n] * x;
    z->series.g[c->t + 1] -= c->mu * z->turn.first[c->n] * y;
    if (k == 0) {
      rotate(q, by);
      continue;
    }
    q->theta[k] = by, q->u[0][k] += x, q->u[1][k] += y;
  }
}

/* A theta = r; contacts of one body may slide in fewer ways than there are angles: least norm */
static core_status solve(lzb *z, double *A, double *r) {
  int rank, m = z->n_stiff;
  if (m == 1) {
    r[0] /= A[0];
    return A[0] > 0 ? CORE_OK : CORE_SINGULAR;
  }
  double *b = r + m;
  memcpy(b, r, (size_t)m * sizeof *b);
  return core_lin_least_squares(m, m, A, 1, b, TOL_LZB_RANK, z->s, r, &rank);
}

core_status lzb_turn_order(lzb *z, int K) {
  int late = z->series.clock == LZB_SQUARE, k = K - late, m = z->n_stiff;
  double *A = z->turn.work, *r = A + m * m;
  if (k < 0) return CORE_OK;
  if (k == 0) {
    memcpy(z->turn.first, z->series.g, (size_t)z->rows * sizeof *z->series.g);
    fill(z, z->turn.first);
  }
  memcpy(A, z->turn.A, (size_t)(m * m) * sizeof *A);
  for (int a = 0; a < m; a++) {
    r[a] = residual(z, z->stiff[a], K, k);
    A[a * m + a] += k * z->series.of[z->stiff[a]].s[late + 1];
  }
  core_status status = solve(z, A, r);
  if (status) return status;
  apply(z, k, r);
  for (int j = 0; j < z->n_stuck; j++) z->series.g[z->stuck[j]] = 0;
  if (z->n_stuck) lzb_hold(z, z->series.g);
  return CORE_OK;
}

/* ---- sweeps ---- */

/* 1: the sweep before gave the same */
int lzb_turn_converged(lzb *z) {
  int same = 1;
  for (int a = 0; a < z->n_stiff; a++) {
    lzb_curve *q = &z->series.of[z->stiff[a]];
    for (int k = 1; k <= N && q->s[0] > 0; k++)
      same &= fabs(q->theta[k] - q->last[k]) <= TOL_LZB_SWEEP * (1 + fabs(q->theta[k]));
    memcpy(q->last, q->theta, sizeof q->last);
  }
  return same;
}

/* what is left of fast parts: v_t across the direction that it soon has */
double lzb_turn_off(const lzb *z) {
  double most = 0;
  for (int a = 0; a < z->n_stiff; a++) {
    const double *v = z->now.v + z->c[z->stiff[a]].t;
    const lzb_curve *q = &z->series.of[z->stiff[a]];
    if (q->s[0] > 0) most = fmax(most, fabs(across(q, 0, v[0], v[1])));
  }
  return most;
}

void lzb_turn_end(lzb *z, double s) {
  for (int a = 0; a < z->n_stiff; a++) {
    lzb_curve *q = &z->series.of[z->stiff[a]];
    double x = core_poly_at(N, q->u[0], 1, s), y = core_poly_at(N, q->u[1], 1, s),
           size = hypot(x, y);
    z->c[z->stiff[a]].d[0] = x / size, z->c[z->stiff[a]].d[1] = y / size;
  }
}
