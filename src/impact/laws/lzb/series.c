/* The Taylor series of one step of law.lzb, with the modes as they are:
 *
 *   x' = -v_n (over e^2 while it expands),  F = K x^n,  p' = F and its friction,  v' = W p'
 *
 * Order k of F gives order k + 1 of p, v, and v that of x. A power b = a^m of a series has
 *
 *   k a_0 b_k = sum_j ((m + 1) j - k) a_j b_(k-j)
 *
 * with s for time, which may run in other ways (clock.c).
 *
 * A contact that waits for its load (x = 0, v = 0: the next in a row of balls) begins as a power of
 * time, in general no whole one. It stays as it is up to where its force counts: a step ends there.
 */
#include <math.h>
#include <string.h>

#include "impact/laws/lzb/state.h"
#include "impact/laws/tolerance.h"

enum { N = LZB_ORDER, LAST = CORE_TAYLOR_ORDER };

static double *row_of(double *series, int r) {
  return series + r * LZB_PAD;
}

static void put(double *c, int k, double x) {
  c[k] = x, c[k + 1] = 0;
}

static void put_back(double *back, int k, double x) {
  back[LAST - k] = x;
}

/* ---- powers ---- */

/* order k of a^m by the recursion above; aj: j a_j */
static double power_order(int k, double m, const double *a, const double *aj, double *b,
                          double *back) {
  put_back(back, k, 0);
  double sum = k ? ((m + 1) * core_taylor_product_back(k, aj, back) -
                    k * core_taylor_product_back(k, a, back)) *
                       core_taylor_inverse[k - 1] / a[0]
                 : pow(a[0], m);
  put(b, k, sum), put_back(back, k, sum);
  return sum;
}

/* order k of a^power, where a_k is new; small whole powers by products, which are smooth at a = 0
 */
static double power_of(lzb_curve *c, int k, double a) {
  put(c->a, k, a), put_back(c->a_back, k, a);
  if (c->power == 1) return a;
  if (c->power == 2) return core_taylor_product_back(k, c->a, c->a_back);
  if (c->power == 3) {
    put(c->w, k, core_taylor_product_back(k, c->a, c->a_back));
    return core_taylor_product_back(k, c->w, c->a_back);
  }
  put(c->w, k, k * a);
  return power_order(k, c->power, c->a, c->w, c->b, c->b_back);
}

/* ---- what a contact does in this step ---- */

/* Whole powers of time are followed, unless friction is still to be asked for. */
int lzb_must_wait(const lzb *z, int i) {
  if (z->now.x[i] > lzb_faint(z, i) || lzb_begins(z, i)) return 0;
  int whole = z->is_whole || (z->series.clock == LZB_BEGIN && lzb_waits(z, i));
  return !whole || z->c[i].grip == LZB_NEW;
}

/* order of s with which its deflection begins; -1: it will be found */
static int lead_of(const lzb *z, int i) {
  if (z->now.x[i] != 0) return 0;
  if (z->series.clock == LZB_BEGIN && lzb_begins(z, i)) return 0;
  return z->series.clock == LZB_SQUARE ? 2 : -1;
}

static void start_curve(lzb *z, int i) {
  const lzb_contact *c = &z->c[i];
  lzb_curve *k = &z->series.of[i];
  double x = z->now.x[i], n = z->q->exponent;
  k->load = lzb_touches(c) ? LZB_LOADED : LZB_NO_LOAD;
  k->lead = lead_of(z, i);
  k->power = i == z->series.rooted ? 2 * n : n;
  k->slip = lzb_has_direction(c, z->now.v) ? LZB_TURNS : LZB_FIXED;
  put(k->x, 0, z->series.clock == LZB_BEGIN ? lzb_first_deflection(z, i, 0, z->now.v[c->n]) : x);
  if (k->load == LZB_LOADED && lzb_must_wait(z, i)) k->load = LZB_WAITS;
}

/* ---- one order ---- */

/* the first order that is not zero: it begins, or leaves; or waits, where its force would be no
 * whole power */
static void find_lead(lzb_curve *c, int k, double n) {
  if (c->x[k] > 0) c->lead = k;
  if (c->x[k] > 0 && k * n != floor(k * n)) c->load = LZB_WAITS;
  if (c->x[k] < 0) c->load = LZB_NO_LOAD;
}

/* order k of F */
static double force(const lzb *z, int i, int k) {
  lzb_curve *c = &z->series.of[i];
  if (c->load == LZB_LOADED && c->lead < 0) find_lead(c, k, z->q->exponent);
  if (c->load == LZB_WAITS) return k ? 0 : lzb_waiting_force(z, i);
  if (c->load == LZB_NO_LOAD || c->lead < 0) return 0;
  int j = k - (int)(c->lead * z->q->exponent);
  if (j < 0) return 0;
  double a = i != z->series.rooted ? c->x[c->lead + j] : k ? c->a[k] : sqrt(c->x[0]);
  return z->c[i].K * power_of(c, j, a);
}

/* order k of F dt/ds / h; the rooted contact comes first, all others need its a */
static double paced(const lzb *z, int i, int k) {
  const lzb_series *q = &z->series;
  lzb_curve *c = &q->of[i];
  put(c->f, k, force(z, i, k));
  if (q->clock == LZB_EVEN) return c->f[k];
  if (q->clock == LZB_SQUARE) return k ? 2 * c->f[k - 1] : 0;
  if (q->clock == LZB_BEGIN) return k ? q->first * c->f[k - 1] : 0;
  return core_taylor_product_back(k, c->f, q->of[q->rooted].a_back);
}

void lzb_direction(lzb_curve *q, int k, const double *v, const double *w) {
  double s = core_taylor_product(k, v, v) + core_taylor_product(k, w, w);
  put(q->square, k, s), put(q->sj, k, k * s);
  power_order(k, -0.5, q->square, q->sj, q->r, q->r_back);
  put(q->u[0], k, core_taylor_product_back(k, v, q->r_back));
  put(q->u[1], k, core_taylor_product_back(k, w, q->r_back));
}

/* friction with a direction that is a series */
static void pull_along(const lzb *z, int i, int k) {
  const lzb_contact *c = &z->c[i];
  const lzb_curve *q = &z->series.of[i];
  for (int t = 0; t < 2; t++)
    z->series.g[c->t + t] = -c->mu * core_taylor_product_back(k, q->u[t], q->f_back);
}

static void friction(const lzb *z, int i, int k) {
  const lzb_contact *c = &z->c[i];
  lzb_curve *q = &z->series.of[i];
  double *g = z->series.g;
  for (int r = c->t; r < c->n; r++) g[r] = lzb_at_limit(c) ? -c->mu * g[c->n] * c->d[r - c->t] : 0;
  if (q->slip == LZB_TURNS)
    lzb_direction(q, k, row_of(z->series.v, c->t), row_of(z->series.v, c->t + 1));
  if (q->slip == LZB_STIFF) lzb_turn_known(z, i, k);
  if (q->slip != LZB_FIXED) pull_along(z, i, k);
}

static core_status forces(lzb *z, int k) {
  lzb_series *q = &z->series;
  if (q->rooted >= 0) q->g[z->c[q->rooted].n] = paced(z, q->rooted, k);
  for (int l = 0; l < z->n_live; l++) {
    int i = z->live[l];
    if (i != q->rooted) q->g[z->c[i].n] = paced(z, i, k);
    if (q->of[i].slip != LZB_FIXED) put_back(q->of[i].f_back, k, q->g[z->c[i].n]);
    if (lzb_tangents(&z->c[i])) friction(z, i, k);
  }
  if (z->n_stuck) lzb_hold(z, q->g);
  return z->n_stiff ? lzb_turn_order(z, k) : CORE_OK;
}

/* v of order k + 1 by a force at row j, whose impulse is x */
static void push(const lzb *z, int j, int k, double x) {
  const double *column = z->W + j * z->rows;
  for (int i = z->span[j].from, to = z->span[j].to; i < to; i++)
    row_of(z->series.v, i)[k + 1] += column[i] * x;
}

/* p and v of order k + 1 */
static void accelerate(lzb *z, int k) {
  lzb_series *q = &z->series;
  double by = q->h * core_taylor_inverse[k];
  for (int l = 0; l < z->n_live; l++)
    for (int r = z->c[z->live[l]].t; r <= z->c[z->live[l]].n; r++) put(row_of(q->v, r), k + 1, 0);
  for (int l = 0; l < z->n_live; l++)
    for (int r = z->c[z->live[l]].t; r <= z->c[z->live[l]].n; r++) {
      double x = by * q->g[r];
      put(row_of(q->p, r), k + 1, x);
      if (x != 0) push(z, r, k, x);
    }
}

/* order k + 1 of a deflection; of its root where that is taken */
static void move(lzb *z, int i, int k) {
  lzb_series *q = &z->series;
  const double *v = row_of(q->v, z->c[i].n);
  double by = lzb_pace(&z->c[i]) * q->h * core_taylor_inverse[k], rate = v[k];
  if (i == q->rooted) {
    put(q->of[i].a, k + 1, by * rate / 2);
    return;
  }
  if (q->clock == LZB_BEGIN) {
    put(q->of[i].x, k + 1, lzb_first_deflection(z, i, k + 1, v[k + 1]));
    return;
  }
  if (q->clock == LZB_SQUARE) rate = k ? 2 * v[k - 1] : 0;
  if (q->clock == LZB_ROOT) rate = core_taylor_product_back(k, v, q->of[q->rooted].a_back);
  put(q->of[i].x, k + 1, by * rate);
}

/* ---- how far it holds ---- */

/* Where contacts begin, only every (n + 1)-th power of time is there: of 2 (n + 1) last orders one
 * at least is, with t = h s^2 too. Where n is no whole number contacts begin by no other clock that
 * leaves out more than every second order. */
static int last_orders(const lzb *z) {
  int many = z->is_whole || z->series.clock == LZB_SQUARE;
  return many ? (int)fmin(2 * (z->q->exponent + 1), N / 2.) : 2;
}

/* the largest of these */
static double largest_last(const lzb *z) {
  double most = 0;
  int from = N + 1 - last_orders(z);
  for (int l = 0; l < z->n_live; l++)
    for (int r = z->c[z->live[l]].t; r <= z->c[z->live[l]].n; r++) {
      const double *v = row_of(z->series.v, r), *p = row_of(z->series.p, r);
      for (int k = from; k <= N; k++)
        if (!(fabs(v[k]) + fabs(p[k]) <= most)) most = fabs(v[k]) + fabs(p[k]); /* NaN too */
    }
  return most;
}

/* the first s, up to `most`, where `by` times the series of contact i is twice what is faint */
static double load_begins(const lzb *z, int i, double by, double most) {
  double c[N + 1], s;
  for (int k = 0; k <= N; k++) c[k] = -by * z->series.of[i].x[k];
  c[0] += 2 * lzb_faint(z, i);
  return core_poly_first_root(N, c, most, &s) ? s : most;
}

/* Contacts that wait do so until their force begins to count. In BEGIN the series is that of x/t:
 * with t of an s beyond, it ends too soon, with t of that one too late, and then nearer. */
static void stop_where_load_begins(lzb *z, int i) {
  double reach = z->series.reach, s = reach;
  int turns = z->series.clock == LZB_BEGIN ? 3 : 1;
  for (int k = 0; k < turns; k++) s = load_begins(z, i, turns > 1 ? lzb_time_at(z, s) : 1, reach);
  z->series.reach = s;
}

static void find_natural(lzb *z) {
  z->series.natural = core_taylor_reach(largest_last(z), N, TOL_LZB_LAST * lzb_tolerance(z));
}

static void find_reach(lzb *z) {
  lzb_series *q = &z->series;
  q->reach = fmin(LIMIT_LZB_REACH, q->natural);
  for (int l = 0; l < z->n_live; l++)
    if (q->of[z->live[l]].load == LZB_WAITS) stop_where_load_begins(z, z->live[l]);
  lzb_turn_reach(z);
}

static core_status sweep(lzb *z) {
  core_status status = CORE_OK;
  for (int k = 0; k < N && !status; k++) {
    status = forces(z, k);
    accelerate(z, k);
    for (int l = 0; l < z->n_live; l++)
      if (z->c[z->live[l]].phase != LZB_OUT) move(z, z->live[l], k);
  }
  return status;
}

/* begins: only slip that begins */
static void find_stiff(lzb *z, int begins) {
  z->n_stiff = 0;
  for (int i = 0; i < z->nc && z->pr->dim == 3; i++) {
    if (lzb_stiffness(z, i) <= 1 || z->place[i] < 0 || z->series.of[i].load != LZB_LOADED) continue;
    if (begins && lzb_has_direction(&z->c[i], z->now.v)) continue;
    z->series.of[i].slip = LZB_STIFF;
    z->stiff[z->n_stiff++] = i;
  }
}

static void start(lzb *z) {
  lzb_choose_clock(z);
  lzb_find_live(z);
  memset(z->series.g, 0, (size_t)z->rows * sizeof *z->series.g);
  for (int l = 0; l < z->n_live; l++) {
    const lzb_contact *c = &z->c[z->live[l]];
    for (int r = c->t; r <= c->n; r++) {
      put(row_of(z->series.v, r), 0, z->now.v[r]);
      put(row_of(z->series.p, r), 0, 0);
    }
    start_curve(z, z->live[l]);
  }
}

static int sweep_stiff(lzb *z) {
  if (!lzb_turn_begin(z)) return 0;
  for (int again = 0; again < LIMIT_LZB_SWEEPS; again++) {
    if (sweep(z)) return 0;
    if (lzb_turn_converged(z) && lzb_turn_off(z) <= TOL_LZB_OFF) return 1;
  }
  return 0;
}

/* 1: a series by the directions of stiff slip, over longer steps than others could take */
static int expand_stiff(lzb *z) {
  double was = z->next_time;
  core_mark mark = core_scratch_mark(z->s);
  int done = 0;
  if (!z->starts_slip) z->next_time *= LIMIT_LZB_STRIDE;
  for (int begins = 0; begins <= z->starts_slip && !done; begins++) {
    start(z);
    find_stiff(z, begins);
    done = sweep_stiff(z);
    core_scratch_release(z->s, mark);
  }
  if (done) return 1;
  z->next_time = was;
  z->patience = LIMIT_LZB_PATIENCE;
  return 0;
}

static int is_stiff(lzb *z) {
  int stiff = 0;
  z->starts_slip = 0;
  for (int i = 0; i < z->nc && z->pr->dim == 3; i++) stiff |= lzb_stiffness(z, i) > LIMIT_LZB_STIFF;
  return stiff && (z->starts_slip || z->patience-- <= 0);
}

static void expand(lzb *z) {
  if (is_stiff(z) && expand_stiff(z)) {
    find_natural(z);
    return;
  }
  z->n_stiff = 0;
  start(z);
  if (lzb_lanes_take(z))
    lzb_lanes_sweep(z);
  else
    sweep(z);
  find_natural(z);
}

/* again where things happen far faster than expected: numbers that grow so much go out of range */
void lzb_expand(lzb *z) {
  lzb_forces(z, z->now.x, z->now.v);
  lzb_find_faint(z);
  expand(z);
  for (int again = 0; again < 100; again++) {
    double reach = z->series.natural;
    if (reach > LIMIT_LZB_SCALE) break;
    z->next_time *= reach > LIMIT_LZB_SCALE * LIMIT_LZB_SCALE ? reach : LIMIT_LZB_SCALE; /* NaN */
    expand(z);
  }
  find_reach(z);
}
