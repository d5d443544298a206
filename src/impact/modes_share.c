/* How dependent contacts share an impulse: of all p that give the same u, that of smallest norm.
 *
 * u says what each contact may do: with u_n > 0 nothing (p_n = low), where it slides p lies on a
 * ray, where it sticks in the cone; a contact that does no more than touch may take its share. In
 * coordinates x of these sets (one for a ray, all rows for a cone) W p = W p* is B x = B x*, B =
 * C^T W C; with Q an orthonormal basis of the range of B, the least x is P(Q y), P the projection
 * on the sets, where
 *
 *   Q^T P(Q y) = Q^T x*
 *
 * the optimality of a convex problem in y: Newton with a line search. Where no set bounds it, that
 * is x = Q Q^T x* at once.
 */
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "core/lin.h"
#include "impact/lcp.h"
#include "impact/modes_part.h"
#include "impact/tolerance.h"

enum { STEPS = 60, HALVINGS = 30, WORTH = 60 }; /* coordinates from which on blocks save time */

typedef enum set { FIXED, RAY, CONE, DISC } set;

typedef struct share {
  const impact_modes *m;
  set *sets;     /* nc */
  int *at;       /* nc + 1: first coordinate of each contact */
  double *d;     /* rows: unit direction of a ray */
  int n, rank;   /* coordinates, rank of B */
  double *B, *Q; /* n x n, n x rank */
  double *x, *z; /* n: the answer, Q y */
  double *y, *g; /* rank: y, what is left of the equation */
  double *H, *T; /* rank x rank, n x rank */
} share;

static double low_of(const impact_modes *m, int c) {
  return m->low ? m->low[c] : 0;
}

/* ---- the sets ---- */

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static set set_of(const share *z, int c, const double *u, double fast) {
  const impact_modes *m = z->m;
  int t = impact_modes_first(m, c), n = impact_modes_normal(m, c);
  double slip = 0, mu = m->mu[c];
  for (int i = t; i < n; i++) slip = hypot(slip, u[i]);
  int slides = n == t || mu == 0 || slip > TOL_MODES_STILL * fast;
  if (u[n] > TOL_MODES_STILL * fast) return low_of(m, c) > 0 && !slides ? DISC : FIXED;
  if (slides && isinf(mu)) return FIXED;
  for (int i = t; i < n; i++) z->d[i] = slides && mu > 0 ? -mu * u[i] / slip : 0;
  double length = slides && n > t && mu > 0 ? sqrt(1 + mu * mu) : 1;
  for (int i = t; i < n; i++) z->d[i] /= length;
  z->d[n] = 1 / length;
  return slides ? RAY : CONE;
}

static int coordinates(const share *z, int c, set kind) {
  int rows = impact_modes_normal(z->m, c) - impact_modes_first(z->m, c) + 1;
  return kind == FIXED ? 0 : kind == RAY ? 1 : kind == DISC ? rows - 1 : rows;
}

/* x of p, or p of x where a set has coordinates */
static void to_x(const share *z, const double *p, double *x) {
  for (int c = 0; c < z->m->nc; c++) {
    int t = impact_modes_first(z->m, c);
    if (z->sets[c] == RAY) {
      x[z->at[c]] = 0;
      for (int i = t; i <= impact_modes_normal(z->m, c); i++) x[z->at[c]] += z->d[i] * p[i];
    } else {
      for (int i = z->at[c]; i < z->at[c + 1]; i++) x[i] = p[t + i - z->at[c]];
    }
  }
}

static void to_p(const share *z, const double *x, double *p) {
  for (int c = 0; c < z->m->nc; c++) {
    int t = impact_modes_first(z->m, c);
    if (z->sets[c] == RAY)
      for (int i = t; i <= impact_modes_normal(z->m, c); i++) p[i] = z->d[i] * x[z->at[c]];
    else
      for (int i = z->at[c]; i < z->at[c + 1]; i++) p[t + i - z->at[c]] = x[i];
  }
}

/* B = C^T W C, C with the directions d of rays */
static void gram(const share *z, const double *d, double *B) {
  const impact_modes *m = z->m;
  for (int c = 0; c < m->nc; c++)
    for (int i = z->at[c]; i < z->at[c + 1]; i++)
      for (int e = 0; e < m->nc; e++)
        for (int j = z->at[e]; j < z->at[e + 1]; j++) {
          int r = impact_modes_first(m, c), s = impact_modes_first(m, e);
          int rn = z->sets[c] == RAY ? impact_modes_normal(m, c) : r + i - z->at[c];
          int sn = z->sets[e] == RAY ? impact_modes_normal(m, e) : s + j - z->at[e];
          double sum = 0;
          for (int k = z->sets[c] == RAY ? r : rn; k <= rn; k++)
            for (int l = z->sets[e] == RAY ? s : sn; l <= sn; l++)
              sum += (z->sets[c] == RAY ? d[k] : 1) * (z->sets[e] == RAY ? d[l] : 1) *
                     m->W[l * m->rows + k];
          B[j * z->n + i] = sum;
        }
}

/* rows: 1 in normal ones; in g */
static const double *normals(const share *z) {
  memset(z->g, 0, (size_t)z->m->rows * sizeof *z->g);
  for (int c = 0; c < z->m->nc; c++) z->g[impact_modes_normal(z->m, c)] = 1;
  return z->g;
}

/* Rank of the rows that must stand still: as B, with n alone where a contact slides. If it is less
 * than that of B, shares of them move what slides. Uses H and T. */
static int rank_of_rows(const share *z, core_scratch *s) {
  gram(z, normals(z), z->H);
  return law_lcp_range(z->n, z->H, s, z->T);
}

static int some_slide(const share *z) {
  for (int c = 0; c < z->m->nc; c++)
    if (z->sets[c] == RAY && z->m->mu[c] > 0 &&
        impact_modes_normal(z->m, c) > impact_modes_first(z->m, c))
      return 1;
  return 0;
}

/* ---- the projections ---- */

/* on |t| <= R: x and its derivative times the columns of J (k of them, leading n) */
static void on_disc(int rows, double R, double *x, int k, double *J, int n) {
  double length = rows == 2 ? hypot(x[0], x[1]) : rows == 1 ? fabs(x[0]) : 0;
  if (length <= R || rows == 0) return;
  double d[2] = {x[0] / length, rows == 2 ? x[1] / length : 0};
  for (int i = 0; i < rows && i < 2; i++) x[i] = R * d[i];
  for (int j = 0; j < k; j++, J += n) {
    double along = J[0] * d[0] + (rows == 2 ? J[1] * d[1] : 0);
    for (int i = 0; i < rows && i < 2; i++) J[i] = (J[i] - along * d[i]) * R / length;
  }
}

/* on |t| <= mu n, n >= low */
static void on_cone(int rows, double mu, double low, double *x, int k, double *J, int n) {
  double *xn = x + rows - 1, length = rows == 3 ? hypot(x[0], x[1]) : rows == 2 ? fabs(x[0]) : 0;
  if (*xn >= low && (rows == 1 || length <= mu * *xn)) return;
  double along = isinf(mu) || rows == 1 ? *xn : (*xn + mu * length) / (1 + mu * mu);
  if (along <= low || rows == 1) { /* at the least: the apex, or the disc above it */
    *xn = low;
    for (int j = 0; j < k; j++) J[j * n + rows - 1] = 0;
    on_disc(rows - 1, low > 0 ? mu * low : 0, x, k, J, n);
    return;
  }
  double d[2] = {x[0] / length, rows == 3 ? x[1] / length : 0}, R = mu * along;
  for (int i = 0; i < rows - 1; i++) x[i] = R * d[i];
  *xn = along;
  for (int j = 0; j < k; j++, J += n) {
    double radial = J[0] * d[0] + (rows == 3 ? J[1] * d[1] : 0);
    double step = (J[rows - 1] + mu * radial) / (1 + mu * mu);
    for (int i = 0; i < rows - 1; i++)
      J[i] = (J[i] - radial * d[i]) * R / length + mu * step * d[i];
    J[rows - 1] = step;
  }
}

/* x = P(z), and T = P'(z) Q */
static void project(share *s) {
  memcpy(s->x, s->z, (size_t)s->n * sizeof *s->x);
  memcpy(s->T, s->Q, (size_t)s->n * (size_t)s->rank * sizeof *s->T);
  for (int c = 0; c < s->m->nc; c++) {
    int i = s->at[c], rows = s->at[c + 1] - i;
    double low = low_of(s->m, c), mu = s->m->mu[c];
    if (s->sets[c] == RAY) {
      double least = low / s->d[impact_modes_normal(s->m, c)];
      if (s->x[i] >= least) continue;
      s->x[i] = least;
      for (int j = 0; j < s->rank; j++) s->T[j * s->n + i] = 0;
    }
    if (s->sets[c] == CONE) on_cone(rows, mu, low, s->x + i, s->rank, s->T + i, s->n);
    if (s->sets[c] == DISC) on_disc(rows, mu * low, s->x + i, s->rank, s->T + i, s->n);
  }
}

/* ---- Newton ---- */

/* x = P(Q y), and g = Q^T x - want; returns |g| */
static double evaluate(share *s, const double *want) {
  core_lin_multiply('N', 'N', s->n, 1, s->rank, 1, s->Q, s->n, s->y, s->rank, 0, s->z, s->n);
  project(s);
  memcpy(s->g, want, (size_t)s->rank * sizeof *s->g);
  core_lin_multiply('T', 'N', s->rank, 1, s->n, 1, s->Q, s->n, s->x, s->n, -1, s->g, s->rank);
  return largest(s->rank, s->g);
}

/* y of Newton's step from `from`, H = Q^T P' Q slightly enlarged where P' is 0 */
static core_status step(share *s, core_scratch *scratch, double *by) {
  int r = s->rank;
  core_lin_multiply('T', 'N', r, r, s->n, 1, s->Q, s->n, s->T, s->n, 0, s->H, r);
  for (int i = 0; i < r; i++) s->H[i * r + i] += TOL_FLAT, by[i] = -s->g[i];
  core_mark mark = core_scratch_mark(scratch);
  core_status status = core_lin_solve_spd(r, s->H, 1, by, scratch, NULL);
  core_scratch_release(scratch, mark);
  return status;
}

/* 1 when x is found; want = Q^T x*, by and from have rank numbers */
static int least_norm(share *s, core_scratch *scratch, const double *want, double *by,
                      double *from) {
  double size = largest(s->rank, want), left;
  memcpy(s->y, want, (size_t)s->rank * sizeof *s->y);
  left = evaluate(s, want);
  for (int i = 0; i < STEPS && left > TOL_SHARE_ROUNDING * size && !core_interrupted(); i++) {
    double f = 1, now = left;
    if (step(s, scratch, by)) return 0;
    memcpy(from, s->y, (size_t)s->rank * sizeof *from);
    for (int k = 0; k < HALVINGS; k++, f /= 2) {
      for (int j = 0; j < s->rank; j++) s->y[j] = from[j] + f * by[j];
      now = evaluate(s, want);
      if (now < left * (1 - TOL_GAIN * f)) break;
    }
    if (!(now < left)) break;
    left = now;
  }
  return left <= TOL_SHARE_FOUND * size;
}

/* ---- the door ---- */

/* directions of each contact's coordinates, those of rays along d */
static modes_regular regularity(const share *z, core_scratch *s, const double *d) {
  const impact_modes *m = z->m;
  core_mark mark = core_scratch_mark(s);
  modes_block *block = core_scratch_bytes(s, ((size_t)m->nc + 1) * sizeof *block);
  for (int c = 0; c < m->nc && block; c++) {
    int t = impact_modes_first(m, c), n = impact_modes_normal(m, c), ray = z->sets[c] == RAY;
    memset(&block[c], 0, sizeof block[c]);
    block[c].size = z->at[c + 1] - z->at[c];
    for (int j = 0; j < block[c].size && !ray; j++) block[c].row[j][j] = 1;
    for (int i = t; i <= n && ray; i++) block[c].row[0][i - t] = d[i];
  }
  modes_regular found = block ? modes_regularity(m, s, block) : MODES_UNCLEAR;
  core_scratch_release(s, mark);
  return found;
}

/* many contacts that are shown to be independent by blocks: one p gives u. 1: so is what is to be
 * known of those that slide */
static int alone_by_blocks(const share *z, core_scratch *s, impact_modes_freedom *freedom) {
  if (z->n < WORTH || regularity(z, s, z->d) != MODES_REGULAR) return 0;
  modes_regular still = some_slide(z) ? regularity(z, s, normals(z)) : MODES_REGULAR;
  if (still == MODES_DEPENDENT) *freedom = IMPACT_MODES_CONTINUUM;
  return still != MODES_UNCLEAR;
}

static int take_sets(share *z, core_scratch *s, const double *u) {
  const impact_modes *m = z->m;
  z->sets = core_scratch_bytes(s, ((size_t)m->nc + 1) * sizeof *z->sets);
  z->at = core_scratch_ints(s, (size_t)m->nc + 1);
  z->d = core_scratch_doubles(s, (size_t)m->rows + 1);
  if (!z->sets || !z->at || !z->d) return 0;
  double fast = fmax(largest(m->rows, u), largest(m->rows, m->b));
  for (int c = 0; c < m->nc; c++) {
    z->sets[c] = set_of(z, c, u, fast);
    z->at[c] = z->n;
    z->n += coordinates(z, c, z->sets[c]);
  }
  z->at[m->nc] = z->n;
  size_t n = (size_t)z->n;
  z->B = core_scratch_doubles(s, 4 * n * n + 6 * n + (size_t)m->rows + 1);
  if (!z->B) return 0;
  z->Q = z->B + n * n, z->H = z->Q + n * n, z->T = z->H + n * n, z->x = z->T + n * n;
  z->z = z->x + n, z->y = z->z + n, z->g = z->y + n;
  return 1;
}

/* what W p may have rounded off, in its worst row [m/s]: impulses that press against themselves may
 * be large */
static double rounded_off(const impact_modes *m, const double *p) {
  double most = 0;
  for (int i = 0; i < m->rows; i++) {
    double terms = 0;
    for (int j = 0; j < m->rows; j++) terms += fabs(m->W[j * m->rows + i] * p[j]);
    most = fmax(most, terms);
  }
  return TOL_SUM(m->rows) * most;
}

/* shares q, v of impulses that are large have what those rounded off: solved again from there */
static core_status solve_again(const impact_modes *m, core_scratch *s, double *q, double *v) {
  impact_modes from = *m;
  from.guess = q;
  return modes_solve_as_is(&from, s, q, v);
}

/* p with the new shares, if its residual is no larger than before, or well below the promise by the
 * map of others too: |p - P_K(p - u^)| with u^_n = u_n + mu |u_t| counts what is left of u_t 1 + mu
 * times; 4 is for the sum over several contacts */
static void take_over(const share *z, core_scratch *s, double *p, const double *u) {
  size_t rows = (size_t)z->m->rows;
  double *q = core_scratch_doubles(s, 2 * rows), *v = q + rows;
  if (!q) return;
  memcpy(q, p, rows * sizeof *q);
  to_p(z, z->x, q);
  modes_velocity(z->m, q, v);
  double fast = fmax(largest((int)rows, u), largest((int)rows, z->m->b)), apart = 0, mu = 0;
  for (int c = 0; c < z->m->nc; c++) mu = fmax(mu, isinf(z->m->mu[c]) ? 0 : z->m->mu[c]);
  double worst =
      fmax(impact_modes_promise(z->m) / (4 * (1 + mu)), impact_modes_residual(z->m, p, u));
  double enough = TOL_SHARE_APART * fast, rounded = rounded_off(z->m, p);
  if (rounded > enough && impact_modes_residual(z->m, q, v) > worst && solve_again(z->m, s, q, v))
    return;
  for (size_t i = 0; i < rows; i++) apart = fmax(apart, fabs(v[i] - u[i]));
  if (apart <= fmax(enough, rounded) && impact_modes_residual(z->m, q, v) <= worst)
    memcpy(p, q, rows * sizeof *q);
}

core_status impact_modes_share(const impact_modes *m, core_scratch *s, double *p, const double *u,
                               impact_modes_freedom *freedom) {
  core_mark mark = core_scratch_mark(s);
  share z = {.m = m};
  *freedom = IMPACT_MODES_ALONE;
  if (!take_sets(&z, s, u)) return CORE_NO_MEMORY;
  if (alone_by_blocks(&z, s, freedom)) {
    core_scratch_release(s, mark);
    return CORE_OK;
  }
  gram(&z, z.d, z.B);
  z.rank = law_lcp_range(z.n, z.B, s, z.Q);
  core_status status = z.rank < 0 ? CORE_NO_MEMORY : CORE_OK;
  if (!status && z.rank < z.n) *freedom = IMPACT_MODES_SHARED;
  if (!status && some_slide(&z) && rank_of_rows(&z, s) < z.rank) *freedom = IMPACT_MODES_CONTINUUM;
  if (!status && z.rank < z.n) {
    double *want = z.g + z.n, *by = want + z.n, *from = by + z.n;
    to_x(&z, p, z.x);
    core_lin_multiply('T', 'N', z.rank, 1, z.n, 1, z.Q, z.n, z.x, z.n, 0, want, z.rank);
    if (least_norm(&z, s, want, by, from)) take_over(&z, s, p, u);
  }
  core_scratch_release(s, mark);
  return status;
}
