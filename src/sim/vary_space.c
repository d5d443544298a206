/* Directions of a state: from rates(q) xi to dq and back, and what contacts leave of them.
 *
 *   places   a.dq = 0 at closed contacts:      xi -= Y_n x,  W_nn x = J_n xi
 *   speeds   d(J u) = 0 in the rows held:      du -= Y_h x,  W_hh x = d(J u)_h
 */
#include <math.h>
#include <string.h>

#include "core/lin.h"
#include "sim/vary.h"

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static int plain(const sim_vary_work *w) {
  return !w->r->m->type->rates && w->f.nq == w->f.nu;
}

core_status sim_vary_basis(sim_vary_work *w, const double *y, double *B) {
  int n = w->n, nq = w->f.nq, nu = w->f.nu;
  core_mark mark = core_scratch_mark(w->s);
  double *e = core_scratch_doubles(w->s, (size_t)nu);
  core_status status = e ? CORE_OK : CORE_NO_MEMORY;
  memset(B, 0, (size_t)(n * 2 * nu) * sizeof *B);
  for (int j = 0; j < nu && !status; j++) {
    memset(e, 0, (size_t)nu * sizeof *e);
    e[j] = 1;
    status = model_rates(w->r->m, y, e, B + j * n);
    B[(nu + j) * n + nq + j] = 1;
  }
  core_scratch_release(w->s, mark);
  return status;
}

/* Columns of rates are orthogonal: units of places and angles, and of quaternions half of four that
 * are. So that each is found by itself, and no metre is beside a radian. */
core_status sim_vary_reduce(sim_vary_work *w, const double *y, int k, const double *d,
                            double *out) {
  int n = w->n, nq = w->f.nq, nu = w->f.nu;
  for (int j = 0; j < k; j++)
    memcpy(out + j * 2 * nu + nu, d + j * n + nq, (size_t)nu * sizeof *out);
  if (plain(w)) {
    for (int j = 0; j < k; j++) memcpy(out + j * 2 * nu, d + j * n, (size_t)nu * sizeof *out);
    return CORE_OK;
  }
  core_mark mark = core_scratch_mark(w->s);
  double *B = core_scratch_doubles(w->s, (size_t)(n * 2 * nu));
  core_status status = B ? sim_vary_basis(w, y, B) : CORE_NO_MEMORY;
  for (int i = 0; i < nu && !status; i++) {
    const double *b = B + i * n;
    double size = dot(nq, b, b);
    for (int j = 0; j < k; j++) out[j * 2 * nu + i] = dot(nq, b, d + j * n) / size;
  }
  core_scratch_release(w->s, mark);
  return status;
}

/* ---- contacts ---- */

/* the contacts concerned, and the rows of them that are held */
typedef struct held {
  int n, closed; /* contacts, of which the first ones stay closed */
  int *ids;
  impact_setup setup;
  int np, nv; /* rows held in place, and in speed */
  int *place, *speed;
} held;

static core_status list_held(sim_vary_work *w, const double *y, int more, const int *others,
                             held *h) {
  const sim_closed *c = &w->f.closed;
  h->n = c->n + more, h->closed = c->n, h->np = h->nv = 0;
  h->ids = core_scratch_ints(w->s, 7 * (size_t)h->n + 1);
  if (!h->ids) return CORE_NO_MEMORY;
  h->place = h->ids + h->n, h->speed = h->place + 3 * h->n;
  for (int i = 0; i < h->n; i++) h->ids[i] = i < c->n ? c->ids[i] : others[i - c->n];
  core_status status =
      impact_assemble(w->r->m, y, y + w->f.nq, h->n, h->ids, w->s, &h->setup, w->err);
  const impact_problem *pr = &h->setup.problem;
  for (int i = 0; i < h->n && !status; i++) {
    int normal = impact_normal(pr, i);
    h->place[h->np++] = normal;
    for (int r = impact_first(pr, i); r <= normal && i < c->n; r++)
      if (r == normal || sim_stands(c->mode[i])) h->speed[h->nv++] = r;
  }
  return status;
}

/* x with W_rr x = b on some rows: smallest norm; then -Y_r x into by, nu x k */
static core_status push_back(sim_vary_work *w, const held *h, int m, const int *rows, int k,
                             const double *b, double *by, int *rank) {
  int all = h->setup.problem.rows, nu = w->f.nu;
  double *W = core_scratch_doubles(w->s, (size_t)(m * m + m * k) + 1), *x = W + m * m;
  if (!W) return CORE_NO_MEMORY;
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++) W[j * m + i] = h->setup.problem.W[rows[j] * all + rows[i]];
  core_status status = core_lin_least_squares(m, m, W, k, b, SIM_VARY_DEPENDENT, w->s, x, rank);
  memset(by, 0, (size_t)(nu * k) * sizeof *by);
  for (int j = 0; j < k && !status; j++)
    for (int r = 0; r < m; r++)
      for (int i = 0; i < nu; i++) by[j * nu + i] -= h->setup.Y[rows[r] * nu + i] * x[j * m + r];
  return status;
}

static core_status hold_places(sim_vary_work *w, const double *y, const held *h, int k, double *d,
                               int *rank) {
  int nu = w->f.nu, n = w->n, all = h->setup.problem.rows;
  double *xi = core_scratch_doubles(w->s, (size_t)(2 * nu * k + h->np * k + nu * k + n) + 1);
  if (!xi) return CORE_NO_MEMORY;
  double *b = xi + 2 * nu * k, *by = b + h->np * k, *dq = by + nu * k;
  core_status status = sim_vary_reduce(w, y, k, d, xi);
  for (int j = 0; j < k && !status; j++)
    for (int r = 0; r < h->np; r++) {
      double sum = 0;
      for (int i = 0; i < nu; i++) sum += h->setup.J[i * all + h->place[r]] * xi[j * 2 * nu + i];
      b[j * h->np + r] = sum;
    }
  if (!status) status = push_back(w, h, h->np, h->place, k, b, by, rank);
  for (int j = 0; j < k && !status; j++) {
    status = model_rates(w->r->m, y, by + j * nu, dq);
    for (int i = 0; i < w->f.nq && !status; i++) d[j * n + i] += dq[i];
  }
  return status;
}

/* contact velocities of the closed contacts, for differences along a direction */
static core_status velocities(sim_vary_work *w, void *self, double t, const double *y,
                              double *out) {
  const held *h = self;
  core_mark mark = core_scratch_mark(w->s);
  impact_setup setup;
  core_status status = impact_assemble(w->r->m, y, y + w->f.nq, h->n, h->ids, w->s, &setup, w->err);
  (void)t;
  if (!status) memcpy(out, setup.problem.v, (size_t)setup.problem.rows * sizeof *out);
  core_scratch_release(w->s, mark);
  return status;
}

static core_status hold_speeds(sim_vary_work *w, double t, const double *y, const held *h, int k,
                               double *d, int *rank) {
  int nu = w->f.nu, nq = w->f.nq, n = w->n, all = h->setup.problem.rows;
  double *dv = core_scratch_doubles(w->s, (size_t)(3 * all + h->nv * k + nu * k) + 1);
  if (!dv) return CORE_NO_MEMORY;
  double *b = dv + 3 * all, *by = b + h->nv * k;
  core_status status = CORE_OK;
  for (int j = 0; j < k && !status; j++) {
    status = sim_vary_along(w, velocities, (void *)h, all, t, y, 0, d + j * n, dv);
    for (int r = 0; r < h->nv; r++) b[j * h->nv + r] = dv[h->speed[r]];
  }
  if (!status) status = push_back(w, h, h->nv, h->speed, k, b, by, rank);
  for (int j = 0; j < k && !status; j++)
    for (int i = 0; i < nu; i++) d[j * n + nq + i] += by[j * nu + i];
  return status;
}

core_status sim_vary_hold(sim_vary_work *w, double t, const double *y, int more, const int *others,
                          int k, double *d, int *rank) {
  core_mark mark = core_scratch_mark(w->s);
  int places = 0, speeds = 0, taken;
  held h;
  core_status status = sim_vary_stand(w, t, y, k, d, &taken);
  if (w->f.closed.n + more > 0) {
    if (!status) status = list_held(w, y, more, others, &h);
    if (!status && h.np) status = hold_places(w, y, &h, k, d, &places);
    if (!status && h.nv) status = hold_speeds(w, t, y, &h, k, d, &speeds);
  }
  *rank = 2 * w->f.nu - taken - places - speeds;
  core_scratch_release(w->s, mark);
  return status;
}
