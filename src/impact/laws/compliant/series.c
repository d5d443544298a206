/* The Taylor series of a step, exact to rounding.
 *
 * Linear: a phase in which no slip turns. p' = D f, v' = B f, y' = v, f_i = -k_i y[row_i], so that
 * v[j+1] = h B f[j] / (j+1), y[j+1] = h v[j] / (j+1). With omega a bound of the frequencies and
 * h omega = 2 the terms left out are 2^25/25! = 2e-18 of the whole. Series need no eigenvectors:
 * slip makes the system unsymmetric, and it may be defective.
 *
 * Turning: deflection and slip point the same way, x = rho d, rho = mu F_n / kt, |d| = 1. Across d
 * the spring follows the contact, so with e = (-d2, d1) and q the rate of turning
 *
 *   rho q = v.e,   d' = q e,   F_t = -mu F_n d,   v' = W F,   n' = v_n
 *
 * and every coefficient follows from those before it by products of series.
 *
 *   Start: a contact that has just closed has rho = 0, rho' > 0. Of all solutions one is regular,
 *   with d along v_t; order j + 1 of rho q = v.e then holds q[j] on both sides and gives it.
 *
 *   End: as the contact opens rho goes to 0 linearly and d goes to the direction of v_t like a
 *   power of the time left, which no series in t can follow. In the time sigma with dt = g dsigma,
 *   g = F_n / F_n(now) the pace, all is smooth: rho q = g v.e becomes q = v.e / rho(now).
 *
 *   Stiff: where rho is tiny beside v h (eta small) d follows v at once, and only tiny steps could
 *   tell that it does not. Then rho q is a small correction: order j + 1 gives q[j] as at the
 *   start, with rho[0] q[j+1] taken from the sweep before, and a few sweeps converge.
 */
#include <string.h>

#include "impact/laws/compliant/state.h"

/* ---- orders ---- */

/* Order n leaves (2 s)^(n+1) / (n+1)! out; up to these s that is 2^25 / 25!, or looser. n even. */
void compliant_choose_orders(compliant *z) {
  static const double reach[] = {0.0050, 0.0225, 0.0608, 0.124,  0.213,
                                 0.327,  0.466,  0.625,  0.8042, 1};
  compliant_series *s = &z->series;
  s->loose = z->loose > 1 ? pow(z->loose, 1.5) : 1;
  for (int n = N; n >= LEAST_ORDER; n -= 2) {
    int i = (n - LEAST_ORDER) / 2;
    s->short_reach[i] = reach[i];
    if (z->loose > 1) s->short_reach[i] *= pow(s->loose, 1.5 / (n + 1));
    if (s->short_reach[i] >= 1) s->most = n;
  }
}

static double short_reach(const compliant *z, int order) {
  return z->series.short_reach[(order - LEAST_ORDER) / 2];
}

int compliant_order_for(const compliant *z, double s) {
  int order = LEAST_ORDER;
  while (order < z->series.most && s > short_reach(z, order)) order += 2;
  return order;
}

/* ---- linear ---- */

/* by f[j]: generalised force i of order j, times by */
static inline double force_of(const compliant *z, int i, int j, double by) {
  const compliant_phase *f = &z->phase;
  return by * (-f->stiff[i] * z->series.y[j * z->rows + f->row[i]]);
}

/* normal forces of held contacts at order j */
static void hold(const compliant *z, int j) {
  double *held = z->series.held + j * z->nc;
  memset(held, 0, (size_t)z->nc * sizeof *held);
  for (int i = 0; i < z->phase.m; i++) {
    double f = force_of(z, i, j, 1);
    for (int c = 0; c < z->nc; c++) held[c] += z->phase.G[i * z->nc + c] * f;
  }
}

/* v += by B f[j], as far as the columns reach */
static void accelerate(const compliant *z, int j, double by, double *v) {
  const compliant_phase *f = &z->phase;
  for (int i = 0; i < f->m; i++) {
    const double *b = f->B + (size_t)i * (size_t)z->rows, force = force_of(z, i, j, by);
    for (int r = f->reach_B[i].from, to = f->reach_B[i].to; r < to; r++) v[r] += b[r] * force;
  }
}

/* the same through the bodies, where W = L L^T: v += L L^T (D f) */
static void accelerate_bodies(const compliant *z, int j, double by, double *v) {
  const compliant_phase *f = &z->phase;
  double *F = z->row_work;
  memset(F, 0, (size_t)z->rows * sizeof *F);
  for (int i = 0; i < f->m; i++) {
    const double *d = f->D + (size_t)i * (size_t)z->rows, force = force_of(z, i, j, by);
    for (int r = f->reach_D[i].from; r < f->reach_D[i].to; r++) F[r] += d[r] * force;
  }
  compliant_multiply(z, F, v);
}

/* The terms left out are (2 s)^(n+1) / (n+1)!, which at s = 1 and all orders is 2e-18. Speed only:
 * they fall faster, with the true omega below its bound: then the same coefficients reach further.
 */
static double linear_reach(const compliant *z) {
  if (z->series.order < N) return core_min(short_reach(z, z->series.order), LIMIT_LINEAR_REACH);
  if (z->phase.m < 3) return 1;
  const double *last = z->series.v + N * z->rows;
  double size = 0, least = TOL_LINEAR_LAST * z->speed;
  for (int r = 0; r < z->rows; r++) size = core_max(size, fabs(last[r]));
  if (size > TOL_LINEAR_SPARE * least) return 1;
  return core_min(LIMIT_LINEAR_REACH, core_taylor_reach(size, N, least));
}

/* goes on with a linear series */
void compliant_linear_orders(compliant *z, int to) {
  compliant_series *s = &z->series;
  int rows = z->rows, from = s->order;
  for (int j = from; j < to; j++) {
    double by = s->h * core_taylor_inverse[j];
    double *v = s->v + (j + 1) * rows, *y = s->y + (j + 1) * rows;
    for (int r = 0; r < rows; r++) y[r] = by * v[r - rows], v[r] = 0;
    (z->inertia.rank ? accelerate_bodies : accelerate)(z, j, by, v);
  }
  for (int j = from; z->phase.held && j <= to; j++) hold(z, j);
  s->order = to;
  s->reach = linear_reach(z);
}

void compliant_linear_series(compliant *z, double time) {
  compliant_series *s = &z->series;
  size_t rows = (size_t)z->rows;
  s->uneven = 0;
  s->h = 2 / z->phase.omega;
  memcpy(s->y, z->y, rows * sizeof *s->y);
  memcpy(s->v, z->v, rows * sizeof *s->v);
  s->order = 0;
  compliant_linear_orders(z, compliant_order_for(z, 2 * time / s->h));
}

/* ---- turning: forces ---- */

/* forces of contact i at order j, `normal` its own */
static void contact_force(compliant *z, int i, int j, double normal) {
  const compliant_contact *k = &z->c[i];
  double *f = z->series.f_row, mu = slip_mu(k);
  f[k->n * PAD + j] = normal;
  for (int t = 0; t < k->tangents; t++) {
    double *at = &f[(k->t + t) * PAD + j];
    if (k->grip == STICK)
      *at = -k->kt * z->series.y[j * z->rows + k->t + t];
    else if (k->turning)
      *at = -mu * z->turn.of[i].f_d[t];
    else
      *at = k->grip == SLIP ? -mu * normal * k->d[t] : 0;
  }
}

/* normal reactions of order j that keep v_n of held contacts at 0: M q = -(W F)_n */
static void add_reactions(compliant *z, int j) {
  int n = 0, *who = z->who;
  double *rate = z->work, *f = z->series.f_row;
  for (int i = 0; i < z->nc; i++) {
    if (z->c[i].touch != HELD) continue;
    rate[n] = 0;
    for (int r = 0; r < z->rows; r++)
      rate[n] += z->inertia.W[r * z->rows + z->c[i].n] * f[r * PAD + j];
    who[n++] = i;
  }
  for (int a = 0; a < n; a++) {
    compliant_turn *t = &z->turn.of[who[a]];
    double q = 0;
    for (int b = 0; b < n; b++) q -= z->phase.M[b * n + a] * rate[b];
    z->series.held[j * z->nc + who[a]] = q;
    for (int i = 0; i < 2; i++) t->f_d[i] += q * z->c[who[a]].d[i];
    t->f_q += q * t->q[0];
    contact_force(z, who[a], j, q);
  }
}

static void turning_forces(compliant *z, int j) {
  const compliant_series *s = &z->series;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (k->touch == OPEN) continue;
    double normal = k->touch == PRESSED ? -k->k * s->y[j * z->rows + k->n] : 0;
    const double *v1 = s->v_row + k->t * PAD;
    s->f_row[k->n * PAD + j] = normal;
    if (k->turning) compliant_turn_products(j, &z->turn.of[i], s->f_row + k->n * PAD, v1, v1 + PAD);
    contact_force(z, i, j, normal);
  }
  if (z->phase.held) add_reactions(z, j);
}

/* ---- turning: motion ---- */

static double paced(const compliant_series *s, int j, const double *c) {
  return s->uneven ? core_taylor_product_back(j, c, s->r_pace) : c[j];
}

/* v[j+1], y[j+1] and pace[j+1] from what is known up to j; forces of open contacts are zero */
static void move(compliant *z, int j, int lead) {
  compliant_series *s = &z->series;
  int rows = z->rows;
  double by = s->h * core_taylor_inverse[j], *v = s->v + (j + 1) * rows, *y = s->y + (j + 1) * rows;
  double *F = z->row_work;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    for (int r = k->t; r <= k->n; r++) {
      y[r] = r == k->n || k->grip == STICK ? by * paced(s, j, s->v_row + r * PAD) : 0;
      if (k->touch != OPEN) s->f[j * rows + r] = paced(s, j, s->f_row + r * PAD);
    }
  }
  for (int r = 0; r < rows; r++) F[r] = by * s->f[j * rows + r], v[r] = 0;
  compliant_multiply(z, F, v);
  for (int r = 0; r < rows; r++) s->v_row[r * PAD + j + 1] = v[r];
  if (lead < 0) return;
  int n = z->c[lead].n;
  s->pace[j + 1] = s->r_pace[N - j - 1] = y[n] / s->y[n];
}

/* d[j+1] from the sums with q d and q[j] */
static void turn_by(const compliant_contact *k, compliant_turn *a, int j, double by, double q) {
  a->d[0][j + 1] = a->r_d[0][N - j - 1] = -by * (a->q_d[1] + q * k->d[1]);
  a->d[1][j + 1] = a->r_d[1][N - j - 1] = by * (a->q_d[0] + q * k->d[0]);
}

/* q[j] from order j + 1 of rho q = v.e, with rho[0] q[j+1] from the last sweep (or rho[0] = 0):
 * d[j+1] = (known - q[j] h d2 / (j+1), known + q[j] h d1 / (j+1)) holds q[j] too */
static double rate_slow(const compliant *z, int i, int j, compliant_turn *a) {
  const compliant_contact *k = &z->c[i];
  const compliant_series *s = &z->series;
  const double *v1 = s->v_row + k->t * PAD, *v2 = v1 + PAD, *f = s->f_row + k->n * PAD;
  double by = s->h * core_taylor_inverse[j], ratio = slip_mu(k) / k->kt;
  turn_by(k, a, j, by, 0);
  a->w[j + 1] = core_taylor_product_back(j + 1, v2, a->r_d[0]) -
                core_taylor_product_back(j + 1, v1, a->r_d[1]);
  double next = -k->k * s->y[(j + 1) * z->rows + k->n]; /* force[j+1]; f holds up to j */
  double known = core_taylor_product_back(j + 1, f, a->r_q) + next * a->q[0] + f[0] * a->old[j + 1];
  double here = by * (v1[0] * k->d[0] + v2[0] * k->d[1]);
  double first = j ? f[1] : next; /* force[1] */
  double q = (paced(s, j + 1, a->w) - ratio * known) / (ratio * first + here);
  a->w[j + 1] -= here * q;
  return q;
}

/* q[j] from rho q = v.e with rho[0] > 0; the sums hold no q[j] */
static double rate_regular(const compliant *z, int i, int is_lead, int j, compliant_turn *a) {
  const compliant_contact *k = &z->c[i];
  double ratio = slip_mu(k) / k->kt, force = z->series.f_row[k->n * PAD];
  a->w[j] = a->across;
  if (is_lead) return a->w[j] / (ratio * force);
  return (paced(&z->series, j, a->w) - ratio * a->f_q) / (ratio * force);
}

static void turn(compliant *z, int i, int lead, int j) {
  const compliant_contact *k = &z->c[i];
  compliant_turn *a = &z->turn.of[i];
  int slow = k->just_closed || k->stiff;
  double q = slow ? rate_slow(z, i, j, a) : rate_regular(z, i, i == lead, j, a);
  a->q[j] = a->r_q[N - j] = q;
  turn_by(k, a, j, z->series.h * core_taylor_inverse[j], q);
}

/* the first n numbers of a series and of one backwards, up to where factors look ahead */
static void clear(double *ahead, double *back, int n) {
  memset(ahead, 0, (size_t)n * sizeof *ahead);
  if (back) memset(back + PAD - n, 0, (size_t)n * sizeof *back);
}

static void start_turn(const compliant *z, const compliant_contact *k, int order,
                       compliant_turn *a) {
  int n = order + 2;
  memcpy(a->old, a->q, sizeof a->old);
  if (!k->stiff) memset(a->old, 0, sizeof a->old);
  clear(a->q, a->r_q, n);
  clear(a->w, NULL, n);
  for (int t = 0; t < 2; t++) clear(a->d[t], a->r_d[t], n);
  a->w[0] = k->d[0] * z->v[k->t + 1] - k->d[1] * z->v[k->t];
  for (int t = 0; t < 2; t++) a->d[t][0] = a->r_d[t][N] = k->d[t];
}

static void start_series(compliant *z, int order) {
  compliant_series *s = &z->series;
  size_t rows = (size_t)z->rows;
  memcpy(s->y, z->y, rows * sizeof *s->y);
  memcpy(s->v, z->v, rows * sizeof *s->v);
  memset(s->f, 0, rows * (size_t)(order + 1) * sizeof *s->f);
  memset(s->r_pace, 0, PAD * sizeof *s->r_pace);
  for (size_t r = 0; r < rows; r++) {
    clear(s->f_row + r * PAD, NULL, order + 2);
    clear(s->v_row + r * PAD, NULL, order + 2);
  }
  s->pace[0] = s->r_pace[N] = 1;
  for (size_t r = 0; r < rows; r++) s->v_row[r * PAD] = z->v[r];
  for (int i = 0; i < z->nc; i++)
    if (z->c[i].turning) start_turn(z, &z->c[i], order, &z->turn.of[i]);
}

/* one run through the orders */
void compliant_turn_series(compliant *z, int lead, int order) {
  compliant_series *s = &z->series;
  if (z->nc == 1) order = N;
  s->uneven = lead >= 0;
  start_series(z, order);
  if (z->nc == 1 && !z->c->stiff && z->c->touch == PRESSED) {
    s->order = N;
    compliant_turn_series_one(z);
    return;
  }
  for (int j = 0; j < order; j++) {
    turning_forces(z, j);
    move(z, j, lead);
    for (int i = 0; i < z->nc; i++)
      if (z->c[i].turning) turn(z, i, lead, j);
  }
  turning_forces(z, order);
  for (int r = 0; r < z->rows; r++) s->f[order * z->rows + r] = paced(s, order, s->f_row + r * PAD);
  s->order = order;
}
