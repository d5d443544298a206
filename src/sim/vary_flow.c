/* The variational equations inside one phase.
 *
 *   d' = A(t) d on a step of the run, by Gauss's collocation with four nodes (order 8, as the run's
 *   own integrator): K_i = A_i (d + h sum_j a_ij K_j), d+ = d + h sum_i b_i K_i
 *
 * It stands on the steps and the dense output of the run, whose tolerance its errors share. A_i is
 * taken by differences of the equations of the phase.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "core/lin.h"
#include "core/ode.h"
#include "sim/vary.h"

/* ---- differences ---- */

static const double LARGEST = 1e3; /* size of a coordinate that contacts hardly feel */

/* The time in which speeds change: that of the contacts at the start, which may hardly move there,
 * and no longer than the integrator could see ahead. */
static double pace(const sim_run *r) {
  double longest = 0;
  for (size_t i = 0; i < r->n_steps; i++)
    if (!r->steps[i].flight) longest = fmax(longest, fabs(r->steps[i].h));
  return longest > 0 ? fmin(r->scale.time, longest) : r->scale.time;
}

/* does coordinate i go with one speed, as its integral? Entries of quaternions do not. */
static int speed_of(const sim_vary_work *w, int i, const double *B) {
  int of = -1;
  for (int j = 0; j < w->f.nu; j++) {
    if (B[j * w->n + i] == 0) continue;
    if (of >= 0 || B[j * w->n + i] != 1) return -1;
    of = j;
  }
  return of;
}

/* how far each coordinate goes in the run */
static void find_ranges(const sim_vary_work *w, double *range) {
  int nq = w->f.nq;
  double *low = w->low, *high = w->high;
  for (size_t s = 0; s < w->r->n_steps; s++) {
    const sim_step *step = &w->r->steps[s];
    for (int end = 0; end < 2; end++) {
      sim_vary_read(w->r, step, end ? step->t1 : step->t0, w->y);
      for (int i = 0; i < nq; i++) {
        low[i] = s + (size_t)end ? fmin(low[i], w->y[i]) : w->y[i];
        high[i] = s + (size_t)end ? fmax(high[i], w->y[i]) : w->y[i];
      }
    }
  }
  for (int i = 0; i < nq; i++) range[i] = w->r->n_steps ? high[i] - low[i] : 0;
}

/* Sizes of coordinates and speeds: as far as contacts move by the run's length, which may be more
 * than the run went (a start on the surface tells no other length than speed times time), so no
 * more than that unless it is next to nothing. Entries of quaternions are of the size of one. */
static core_status set_steps(sim_vary_work *w) {
  const sim_scale *scale = &w->r->scale;
  double part = w->o->fine ? SIM_VARY_FOUR_POINTS : SIM_VARY_TWO_POINTS, time = w->pace;
  int nq = w->f.nq, nu = w->f.nu;
  core_mark mark = core_scratch_mark(w->s);
  double *B = core_scratch_doubles(w->s, (size_t)(w->n * 2 * nu + nq)), *range = B + w->n * 2 * nu;
  core_status status = B ? sim_vary_basis(w, w->r->m->q, B) : CORE_NO_MEMORY;
  if (B) find_ranges(w, range);
  for (int i = 0; i < nu; i++) w->step[nq + i] = 0;
  for (int i = 0; i < nq && !status; i++) {
    int j = speed_of(w, i, B);
    double reach = j >= 0 ? scale->reach[j] : 0;
    double size = reach > 0 ? fmin(scale->length / reach, LARGEST) : 1;
    w->step[i] = part * (reach > 0 ? fmin(size, fmax(range[i], SIM_VARY_LEAST * size)) : size);
    if (j >= 0) w->step[nq + j] = w->step[i] / time;
  }
  for (int i = nq; i < w->n && !status; i++)
    if (w->step[i] == 0) w->step[i] = part / time; /* of a turn */
  core_scratch_release(w->s, mark);
  return status;
}

core_status sim_vary_begin(const sim_run *r, const sim_vary_options *o, core_scratch *s,
                           core_error *err, sim_vary_work *w) {
  const model_shape *shape = &r->m->shape;
  int n = shape->nq + shape->nu;
  double *x = core_scratch_doubles(s, sim_motion_numbers(shape) + (size_t)(n + 3 * r->n));
  int *ints = core_scratch_ints(s, sim_motion_ints(shape) + 1);
  if (!x || !ints) return core_no_memory(err);
  *w = (sim_vary_work){.r = r, .o = o, .s = s, .err = err, .n = n};
  w->step = x, w->y = x + n, w->high = w->y + r->n, w->low = w->high + r->n;
  sim_motion_init(&w->f, r, s, err, w->low + r->n, ints);
  w->pace = pace(r);
  return set_steps(w);
}

void sim_vary_enter(sim_vary_work *w, int phase) {
  if (phase < 0) {
    w->f.closed.n = 0;
    return;
  }
  w->f.closed = sim_closed_in(w->r, phase);
}

core_status sim_vary_rates(sim_vary_work *w, double t, const double *y, double *F) {
  core_mark mark = core_scratch_mark(w->s);
  double *dy = core_scratch_doubles(w->s, (size_t)w->r->n);
  core_status status = dy ? sim_rhs(&w->f, t, y, dy) : CORE_NO_MEMORY;
  if (!status) memcpy(F, dy, (size_t)w->n * sizeof *F);
  core_scratch_release(w->s, mark);
  return status;
}

/* how far to go along d so that no component goes further than its step */
static double along_step(const sim_vary_work *w, double dt, const double *d) {
  double most = fabs(dt) / ((w->o->fine ? SIM_VARY_FOUR_POINTS : SIM_VARY_TWO_POINTS) * w->pace);
  for (int i = 0; i < w->n; i++) most = fmax(most, fabs(d[i]) / w->step[i]);
  return most > 0 ? 1 / most : 0;
}

/* adds weight * f(y + h d) to out */
static core_status add_value(sim_vary_work *w, sim_vary_f f, void *self, int m, double t,
                             const double *y, double dt, const double *d, double h, double weight,
                             double *value, double *out) {
  for (int i = 0; i < w->n; i++) w->high[i] = y[i] + h * d[i];
  w->high[w->n] = w->high[w->n + 1] = 0; /* work and sliding play no part */
  core_status status = f(w, self, t + h * dt, w->high, value);
  for (int i = 0; i < m && !status; i++) out[i] += weight * value[i];
  return status;
}

core_status sim_vary_along(sim_vary_work *w, sim_vary_f f, void *self, int m, double t,
                           const double *y, double dt, const double *d, double *out) {
  double h = along_step(w, dt, d), *value = out + m;
  core_status status = CORE_OK;
  memset(out, 0, (size_t)m * sizeof *out);
  if (h == 0) return CORE_OK;
  static const double at[4] = {1, -1, 2, -2};
  double weight[4] = {8 / (12 * h), -8 / (12 * h), -1 / (12 * h), 1 / (12 * h)};
  if (!w->o->fine) weight[0] = 1 / (2 * h), weight[1] = -weight[0];
  for (int i = 0; i < (w->o->fine ? 4 : 2) && !status; i++)
    status = add_value(w, f, self, m, t, y, dt, d, at[i] * h, weight[i], value, out);
  return status;
}

static core_status flow_of(sim_vary_work *w, void *self, double t, const double *y, double *out) {
  (void)self;
  return sim_vary_rates(w, t, y, out);
}

/* A at (t, y), n x n */
static core_status matrix_at(sim_vary_work *w, double t, const double *y, double *A) {
  int n = w->n;
  core_mark mark = core_scratch_mark(w->s);
  double *e = core_scratch_doubles(w->s, 4 * (size_t)n), *column = e + n;
  core_status status = e ? CORE_OK : CORE_NO_MEMORY;
  for (int j = 0; j < n && !status; j++) {
    memset(e, 0, (size_t)n * sizeof *e);
    e[j] = 1;
    status = sim_vary_along(w, flow_of, NULL, n, t, y, 0, e, column);
    memcpy(A + j * n, column, (size_t)n * sizeof *A);
  }
  core_scratch_release(w->s, mark);
  return status;
}

/* Differences of order p leave c h^p, those of twice the step 2^p c h^p; and eps/part of rounding.
 */
core_status sim_vary_doubt(sim_vary_work *w, const sim_step *step, double *error) {
  int n = w->n;
  core_mark mark = core_scratch_mark(w->s);
  double *A = core_scratch_doubles(w->s, 2 * (size_t)(n * n)), *B = A + n * n, far = 0, most = 0;
  core_status status = A ? CORE_OK : CORE_NO_MEMORY;
  if (!status) sim_vary_read(w->r, step, (step->t0 + step->t1) / 2, w->y);
  if (!status) status = matrix_at(w, (step->t0 + step->t1) / 2, w->y, A);
  for (int i = 0; i < n; i++) w->step[i] *= 2;
  if (!status) status = matrix_at(w, (step->t0 + step->t1) / 2, w->y, B);
  for (int i = 0; i < n; i++) w->step[i] /= 2;
  for (int j = 0; j < n && !status; j++)
    for (int i = 0; i < n; i++) {
      double unit = w->step[j] / w->step[i];
      far = fmax(far, fabs(A[j * n + i] - B[j * n + i]) * unit);
      most = fmax(most, fabs(A[j * n + i]) * unit);
    }
  double part = w->o->fine ? SIM_VARY_FOUR_POINTS : SIM_VARY_TWO_POINTS,
         order = w->o->fine ? 15 : 3;
  *error = most > 0 ? far / (order * most) + DBL_EPSILON / part : 0;
  core_scratch_release(w->s, mark);
  return status;
}

/* ---- collocation ---- */

enum { NODES = 4 };

/* Gauss's nodes on [0, 1], and a_ij, b_i: integrals of the polynomials that are 1 at one node and 0
 * at the others, by Gauss's own rule on [0, c_i], which is exact for them */
typedef struct gauss {
  double c[NODES], a[NODES][NODES], b[NODES];
} gauss;

static double lagrange(const double *c, int j, double x) {
  double product = 1;
  for (int k = 0; k < NODES; k++)
    if (k != j) product *= (x - c[k]) / (c[j] - c[k]);
  return product;
}

static gauss make_gauss(void) {
  gauss g;
  double inner = sqrt(3. / 7 - 2. / 7 * sqrt(1.2)), outer = sqrt(3. / 7 + 2. / 7 * sqrt(1.2));
  double x[NODES] = {-outer, -inner, inner, outer};
  double heavy = (18 + sqrt(30)) / 72, light = (18 - sqrt(30)) / 72;
  double b[NODES] = {light, heavy, heavy, light};
  for (int i = 0; i < NODES; i++) g.c[i] = (1 + x[i]) / 2, g.b[i] = b[i];
  for (int i = 0; i < NODES; i++)
    for (int j = 0; j < NODES; j++) {
      g.a[i][j] = 0;
      for (int k = 0; k < NODES; k++)
        g.a[i][j] += g.c[i] * g.b[k] * lagrange(g.c, j, g.c[i] * g.c[k]);
    }
  return g;
}

/* K of all nodes at once: (1 - h a (x) A) K = A d, 4n x 4n */
static core_status stages(const gauss *g, int n, double h, const double *A, int k, const double *d,
                          core_scratch *s, double *K) {
  int N = NODES * n;
  double *S = core_scratch_doubles(s, (size_t)N * (size_t)N);
  if (!S) return CORE_NO_MEMORY;
  for (int j = 0; j < NODES; j++)
    for (int q = 0; q < n; q++) {
      double *column = S + (j * n + q) * N;
      for (int i = 0; i < NODES; i++)
        for (int p = 0; p < n; p++)
          column[i * n + p] = (i == j && p == q) - h * g->a[i][j] * A[i * n * n + q * n + p];
    }
  for (int i = 0; i < NODES; i++)
    core_lin_multiply('N', 'N', n, k, n, 1, A + i * n * n, n, d, n, 0, K + i * n, N);
  return core_lin_solve(N, S, k, K, s, NULL);
}

/* The same where q' = u, with the lower half A = [0 1; Q U] alone, K of the speeds:
 *
 *   K_i = Q_i (dq + h c_i du + h^2 sum_j (a a)_ij K_j) + U_i (du + h sum_j a_ij K_j)
 *
 * and for the places K^q_i = du + h sum_j a_ij K_j: 4 nu x 4 nu, an eighth of the work. */
static core_status stages_plain(const gauss *g, int nu, double h, const double *A, int k,
                                const double *d, core_scratch *s, double *K) {
  int n = 2 * nu, M = NODES * nu, N = NODES * n;
  double *S = core_scratch_doubles(s, (size_t)(M * M + M * k)), *V = S + M * M, aa[NODES][NODES];
  if (!S) return CORE_NO_MEMORY;
  for (int i = 0; i < NODES; i++)
    for (int j = 0; j < NODES; j++) {
      aa[i][j] = 0;
      for (int l = 0; l < NODES; l++) aa[i][j] += g->a[i][l] * g->a[l][j];
    }
  for (int j = 0; j < NODES; j++)
    for (int q = 0; q < nu; q++)
      for (int i = 0; i < NODES; i++) {
        const double *Q = A + i * n * n + q * n + nu, *U = Q + nu * n;
        double *column = S + (j * nu + q) * M + i * nu, x = h * h * aa[i][j], y = h * g->a[i][j];
        for (int p = 0; p < nu; p++) column[p] = (i == j && p == q) - x * Q[p] - y * U[p];
      }
  for (int c = 0; c < k; c++)
    for (int i = 0; i < NODES; i++)
      for (int p = 0; p < nu; p++) {
        const double *Q = A + i * n * n + nu + p, *U = Q + nu * n, *dq = d + c * n, *du = dq + nu;
        double sum = 0;
        for (int q = 0; q < nu; q++)
          sum += Q[q * n] * (dq[q] + h * g->c[i] * du[q]) + U[q * n] * du[q];
        V[c * M + i * nu + p] = sum;
      }
  core_status status = core_lin_solve(M, S, k, V, s, NULL);
  for (int c = 0; c < k && !status; c++)
    for (int i = 0; i < NODES; i++)
      for (int p = 0; p < nu; p++) {
        double sum = d[c * n + nu + p];
        for (int j = 0; j < NODES; j++) sum += h * g->a[i][j] * V[c * M + j * nu + p];
        K[c * N + i * n + p] = sum;
        K[c * N + i * n + nu + p] = V[c * M + i * nu + p];
      }
  return status;
}

/* h times the square root of the largest row sum of |A|^2, in units in which speeds are places per
 * h: an upper bound of h times the fastest rate, and nothing but how far places go together is
 * taken from the run's scales */
static double unit(const sim_vary_work *w, int i, double h) {
  return i < w->f.nq ? w->step[i] : w->step[i] * w->pace / fabs(h);
}

static double strength(const sim_vary_work *w, double h, const double *A) {
  int n = w->n;
  double most = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n && A[k * n + i] != 0; j++)
        sum += fabs(A[k * n + i] * A[j * n + k]) * unit(w, j, h) / unit(w, i, h);
    most = fmax(most, sum);
  }
  return fabs(h) * sqrt(most);
}

/* what one set of nodes takes: its error is about 6e-10 of strength^9 */
static const double STRONGEST = 0.8;

static core_status piece(sim_vary_work *w, const gauss *g, const sim_step *step, double t, double h,
                         int k, double *d, int *too_long) {
  int n = w->n, N = NODES * n;
  core_mark mark = core_scratch_mark(w->s);
  double *A = core_scratch_doubles(w->s, (size_t)(NODES * n * n)),
         *K = core_scratch_doubles(w->s, (size_t)N * (size_t)k + 1);
  core_status status = A && K ? CORE_OK : CORE_NO_MEMORY;
  *too_long = 0;
  for (int i = 0; i < NODES && !status && !*too_long; i++) {
    sim_vary_read(w->r, step, t + g->c[i] * h, w->y);
    status = matrix_at(w, t + g->c[i] * h, w->y, A + i * n * n);
    if (!status && !step->flight) *too_long = strength(w, h, A + i * n * n) > STRONGEST;
  }
  if (!status && !*too_long) {
    int plain = !w->r->m->type->rates && w->f.nq == w->f.nu;
    status =
        plain ? stages_plain(g, w->f.nu, h, A, k, d, w->s, K) : stages(g, n, h, A, k, d, w->s, K);
    for (int j = 0; j < k && !status; j++)
      for (int i = 0; i < NODES; i++)
        for (int p = 0; p < n; p++) d[j * n + p] += h * g->b[i] * K[j * N + i * n + p];
  }
  core_scratch_release(w->s, mark);
  return status;
}

core_status sim_vary_step(sim_vary_work *w, const sim_step *step, int k, double *d) {
  gauss g = make_gauss();
  double t = step->t0, end = step->t1, h = end - t;
  core_status status = CORE_OK;
  for (int halvings = 0; h != 0 && !status && (end - t) / h > SIM_VARY_DONE;) {
    int too_long;
    if (fabs(h) > fabs(end - t)) h = end - t;
    if (core_interrupted()) return core_fail(w->err, CORE_INTERRUPTED, "%s", "");
    status = piece(w, &g, step, t, h, k, d, &too_long);
    if (too_long && halvings++ < 40)
      h /= 2;
    else
      t += h;
  }
  return status;
}

void sim_vary_read(const sim_run *r, const sim_step *step, double t, double *y) {
  const double *from = r->numbers + step->dense;
  int nq = r->m->shape.nq;
  if (!step->flight) {
    double theta = step->h != 0 ? (t - step->t0) / step->h : 0;
    core_ode_read(from, r->n, fmin(fmax(theta, 0), 1), 0, r->n, y);
    return;
  }
  memcpy(y, from, (size_t)r->n * sizeof *y);
  r->m->type->coast(r->m, fmin(fmax(t - step->t0, 0), step->h), from, from + nq, y, y + nq);
}
