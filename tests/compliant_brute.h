/* The compliant contacts by brute force: Runge-Kutta of order 4 in tiny steps, each halved until no
 * event is overstepped by more than rounding. State and rules as in the paper, in plain words; no
 * series, no generalised forces, nothing shared with the law.
 *
 * Near a contact that has just closed, or is about to open, slip turns ever faster: there steps are
 * a small part of the time since, or of the time left. */
#ifndef TESTS_COMPLIANT_BRUTE_H
#define TESTS_COMPLIANT_BRUTE_H

#include "compliant_help.h"

enum { BRUTE_OPEN, BRUTE_STICK, BRUTE_SLIP, BRUTE_MOST = 8 };

typedef struct brute_contact {
  double mu, e, kt, k, k0, d[2], since, top;
  int mode, restituting, held;
} brute_contact;

typedef struct brute {
  int nc, dim, rows;
  const double *W;
  brute_contact c[BRUTE_MOST];
  double v[ROWS], p[ROWS], y[ROWS], friction, restitution, t, window;
  long steps, most;
  int plastic;
} brute;

static inline int brute_n(const brute *b, int i) {
  return i * b->dim + b->dim - 1;
}

/* slip speed times d, deflection rate: what each mode does to its tangential spring */
static inline double brute_dir(const brute *b, int i, double *d) {
  const double *x = b->y + i * b->dim, *v = b->v + i * b->dim;
  int tangents = b->dim - 1;
  double size = tangents == 2 ? hypot(x[0], x[1]) : fabs(x[0]);
  const double *from = size > 0 ? x : v;
  if (tangents == 1 && b->c[i].mode == BRUTE_SLIP) from = b->c[i].d;
  double norm = tangents == 2 ? hypot(from[0], from[1]) : fabs(from[0]);
  for (int t = 0; t < tangents; t++) d[t] = norm > 0 ? from[t] / norm : 0;
  return size;
}

/* normal forces; held ones keep their v_n: Gauss elimination on what they need */
static inline void brute_forces(const brute *b, double *F) {
  int held[BRUTE_MOST], n = 0;
  double A[BRUTE_MOST][BRUTE_MOST + 1];
  memset(F, 0, ROWS * sizeof *F);
  for (int i = 0; i < b->nc; i++) {
    const brute_contact *c = &b->c[i];
    int t0 = i * b->dim, nr = brute_n(b, i);
    if (c->mode == BRUTE_OPEN) continue;
    if (c->held)
      held[n++] = i;
    else
      F[nr] = -c->k * b->y[nr];
    if (c->held && c->mode == BRUTE_SLIP) continue;
    for (int t = 0; t < b->dim - 1; t++) F[t0 + t] = -c->kt * b->y[t0 + t];
  }
  for (int r = 0; r < n; r++) {
    int nr = brute_n(b, held[r]);
    A[r][n] = 0;
    for (int j = 0; j < b->rows; j++) A[r][n] -= b->W[j * b->rows + nr] * F[j];
    for (int s = 0; s < n; s++) {
      int hs = held[s];
      A[r][s] = b->W[brute_n(b, hs) * b->rows + nr];
      if (b->c[hs].mode != BRUTE_SLIP) continue;
      double d[2] = {0};
      brute_dir(b, hs, d);
      for (int t = 0; t < b->dim - 1; t++)
        A[r][s] -= b->c[hs].mu * d[t] * b->W[(hs * b->dim + t) * b->rows + nr];
    }
  }
  for (int r = 0; r < n; r++)
    for (int s = r + 1; s < n; s++) {
      double by = A[s][r] / A[r][r];
      for (int j = r; j <= n; j++) A[s][j] -= by * A[r][j];
    }
  for (int r = n - 1; r >= 0; r--) {
    for (int s = r + 1; s < n; s++) A[r][n] -= A[r][s] * A[s][n];
    A[r][n] /= A[r][r];
    int h = held[r];
    F[brute_n(b, h)] = A[r][n];
    if (b->c[h].mode != BRUTE_SLIP) continue;
    double d[2] = {0};
    brute_dir(b, h, d);
    for (int t = 0; t < b->dim - 1; t++) F[h * b->dim + t] = -b->c[h].mu * A[r][n] * d[t];
  }
}

typedef struct brute_rate {
  double v[ROWS], p[ROWS], y[ROWS], friction;
} brute_rate;

/* a held contact in slip: its x only carries the direction, which turns by v.e / rho */
static inline void brute_held_turn(const brute *b, int i, const double *F, brute_rate *r) {
  const brute_contact *c = &b->c[i];
  int t0 = i * 3;
  double d[2] = {0}, size = brute_dir(b, i, d), rho = c->mu * F[t0 + 2] / c->kt;
  double turn = (b->v[t0 + 1] * d[0] - b->v[t0] * d[1]) / rho;
  r->y[t0] = -turn * size * d[1];
  r->y[t0 + 1] = turn * size * d[0];
}

static inline void brute_contact_rate(const brute *b, int i, const double *F, brute_rate *r) {
  const brute_contact *c = &b->c[i];
  int t0 = i * b->dim, nr = brute_n(b, i), tangents = b->dim - 1;
  r->y[nr] = c->held ? 0 : b->v[nr];
  for (int t = 0; t < tangents; t++) r->y[t0 + t] = c->mode == BRUTE_STICK ? b->v[t0 + t] : 0;
  if (c->mode != BRUTE_SLIP || c->mu == 0) return;
  if (c->held && tangents == 2) brute_held_turn(b, i, F, r);
  if (c->held) return;
  double d[2] = {0}, along = 0, across = 0, rho = -c->mu * c->k / c->kt * b->v[nr];
  brute_dir(b, i, d);
  for (int t = 0; t < tangents; t++) along += b->v[t0 + t] * d[t];
  if (tangents == 2) across = b->v[t0 + 1] * d[0] - b->v[t0] * d[1];
  for (int t = 0; t < tangents; t++) r->y[t0 + t] = rho * d[t];
  if (tangents == 2) r->y[t0] -= across * d[1], r->y[t0 + 1] += across * d[0];
  r->friction += c->mu * F[nr] * (along - rho);
}

static inline void brute_rates(const brute *b, brute_rate *r) {
  double F[ROWS];
  brute_forces(b, F);
  r->friction = 0;
  for (int j = 0; j < b->rows; j++) {
    r->p[j] = F[j];
    r->v[j] = 0;
    for (int l = 0; l < b->rows; l++) r->v[j] += b->W[l * b->rows + j] * F[l];
  }
  for (int i = 0; i < b->nc; i++) brute_contact_rate(b, i, F, r);
}

static inline brute brute_add(const brute *b, const brute_rate *r, double h) {
  brute next = *b;
  for (int j = 0; j < b->rows; j++) {
    next.v[j] += h * r->v[j];
    next.p[j] += h * r->p[j];
    next.y[j] += h * r->y[j];
  }
  next.friction += h * r->friction;
  next.t += h;
  return next;
}

static inline brute brute_step(const brute *b, double h) {
  brute_rate k1, k2, k3, k4, sum;
  brute_rates(b, &k1);
  brute m = brute_add(b, &k1, h / 2);
  brute_rates(&m, &k2);
  m = brute_add(b, &k2, h / 2);
  brute_rates(&m, &k3);
  m = brute_add(b, &k3, h);
  brute_rates(&m, &k4);
  for (int j = 0; j < b->rows; j++) {
    sum.v[j] = (k1.v[j] + 2 * k2.v[j] + 2 * k3.v[j] + k4.v[j]) / 6;
    sum.p[j] = (k1.p[j] + 2 * k2.p[j] + 2 * k3.p[j] + k4.p[j]) / 6;
    sum.y[j] = (k1.y[j] + 2 * k2.y[j] + 2 * k3.y[j] + k4.y[j]) / 6;
  }
  sum.friction = (k1.friction + 2 * k2.friction + 2 * k3.friction + k4.friction) / 6;
  return brute_add(b, &sum, h);
}

/* rate of the normal force of contact i, by a difference: what a held contact's rho needs */
static inline double brute_force_rate(const brute *b, int i) {
  brute_rate r;
  double F[ROWS], G[ROWS], dt = 1e-6;
  brute_rates(b, &r);
  brute ahead = brute_add(b, &r, dt), behind = brute_add(b, &r, -dt);
  brute_forces(&ahead, F);
  brute_forces(&behind, G);
  return (F[brute_n(b, i)] - G[brute_n(b, i)]) / (2 * dt);
}

/* which event contact i has run into: 0 none, 'c' close, 't' top, 'o' open, 's' slip, 'k' stick,
 * and, plastic, 'r': on the line of loading again */
static inline char brute_event(const brute *b, int i) {
  const brute_contact *c = &b->c[i];
  int t0 = i * b->dim, nr = brute_n(b, i), tangents = b->dim - 1;
  if (c->mode == BRUTE_OPEN) return b->y[nr] < 0 && b->v[nr] < 0 ? 'c' : 0;
  double F[ROWS], d[2] = {0}, along = 0;
  brute_forces(b, F);
  if (c->held && F[nr] < 0) return 'o';
  if (!c->held && !c->restituting && b->v[nr] > 0) return 't';
  if (!c->held && c->restituting && b->y[nr] > 0) return 'o';
  if (b->plastic && c->restituting && F[nr] > c->k0 * c->top * (1 + 1e-15) &&
      (c->held || b->v[nr] < 0))
    return 'r';
  if (c->mu == 0 || tangents == 0 || isinf(c->mu)) return 0;
  double size = brute_dir(b, i, d), rho = c->mu * F[nr] / c->kt;
  if (c->mode == BRUTE_STICK) return size > rho + 1e-12 ? 's' : 0; /* x drifts by less */
  for (int t = 0; t < tangents; t++) along += b->v[t0 + t] * d[t];
  if (c->held) return along - c->mu / c->kt * brute_force_rate(b, i) < -1e-10 ? 'k' : 0;
  return along + c->mu * c->k / c->kt * b->v[nr] < 0 ? 'k' : 0;
}

static inline int brute_any(const brute *b) {
  for (int i = 0; i < b->nc; i++)
    if (brute_event(b, i)) return 1;
  return 0;
}

static inline void brute_close(brute *b, int i) {
  brute_contact *c = &b->c[i];
  int t0 = i * b->dim, nr = brute_n(b, i), tangents = b->dim - 1;
  double v = tangents == 2 ? hypot(b->v[t0], b->v[t0 + 1]) : tangents ? fabs(b->v[t0]) : 0;
  c->k = c->k0, c->restituting = c->held = 0, c->since = b->t;
  b->y[nr] = 0;
  for (int t = 0; t < tangents; t++) b->y[t0 + t] = 0;
  c->mode = v >= c->mu * c->k0 / c->kt * -b->v[nr] ? BRUTE_SLIP : BRUTE_STICK;
  c->d[0] = b->v[t0] < 0 ? -1 : 1;
}

static inline void brute_apply(brute *b, int i, char what) {
  brute_contact *c = &b->c[i];
  int t0 = i * b->dim, nr = brute_n(b, i);
  double *y = b->y;
  if (what == 'c') brute_close(b, i);
  if (what == 's') c->mode = BRUTE_SLIP, c->d[0] = y[t0] < 0 ? -1 : 1;
  if (what == 'k') c->mode = BRUTE_STICK;
  if (what == 'o') {
    for (int t = 0; t < b->dim - 1; t++) {
      b->friction += c->kt * y[t0 + t] * y[t0 + t] / 2;
      y[t0 + t] = 0;
    }
    c->mode = BRUTE_OPEN, y[nr] = 0, c->held = 0;
  }
  if (what == 'r') { /* what was lost there is in the spring again */
    b->restitution -= (1 - c->e * c->e) * c->k0 * c->top * c->top / 2;
    c->restituting = c->held = 0;
    c->k = c->k0;
    y[nr] = -c->top;
  }
  if (what == 't') {
    c->top = -y[nr];
    b->restitution += (1 - c->e * c->e) * c->k * y[nr] * y[nr] / 2;
    c->restituting = 1;
    y[nr] *= c->e * c->e;
    if (c->e > 0)
      c->k = c->k0 / (c->e * c->e);
    else
      c->held = 1;
  }
}

static inline double brute_radius(const brute *b, int i) {
  double F[ROWS];
  brute_forces(b, F);
  return b->c[i].mu * F[brute_n(b, i)] / b->c[i].kt;
}

/* a small part of what is left to, or since, the ends of slip that may turn */
static inline double brute_size(const brute *b, double fine) {
  double h = INFINITY;
  for (int i = 0; i < b->nc; i++) {
    const brute_contact *c = &b->c[i];
    double n = -b->y[brute_n(b, i)], rate = b->v[brute_n(b, i)];
    if (c->mode == BRUTE_SLIP && b->dim == 3 && c->mu > 0) { /* d follows v in the time rho/|v| */
      const double *v = b->v + 3 * i;
      double part = c->held ? 0.03 : 0.3;
      h = fmin(h, part * fmax(0, brute_radius(b, i)) / hypot(v[0], v[1]) + 1e-12);
    }
    if (c->mode == BRUTE_OPEN || c->held) continue;
    h = fmin(h, fine / sqrt(c->k));
    if (c->mode != BRUTE_SLIP || b->dim < 3) continue;
    h = fmin(h, 0.02 * (b->t - c->since) + 1e-12);
    if (rate > 0) h = fmin(h, 0.02 * n / rate + 1e-12);
  }
  return h;
}

static inline double brute_flight(const brute *b) {
  double soonest = INFINITY;
  for (int i = 0; i < b->nc; i++) {
    double gap = b->y[brute_n(b, i)], rate = -b->v[brute_n(b, i)];
    if (b->c[i].mode == BRUTE_OPEN && rate > 1e-12) soonest = fmin(soonest, gap / rate);
  }
  return soonest;
}

/* contacts that press; not those that have come to rest */
static inline int brute_pressed(const brute *b) {
  int n = 0;
  for (int i = 0; i < b->nc; i++) {
    int row = brute_n(b, i), rests = fabs(b->v[row]) < 1e-12 && fabs(b->y[row]) < 1e-12;
    n += b->c[i].mode != BRUTE_OPEN && !b->c[i].held && !rests;
  }
  return n;
}

static inline void brute_events(brute *b) {
  char what[BRUTE_MOST];
  for (int i = 0; i < b->nc; i++) what[i] = brute_event(b, i);
  for (int i = 0; i < b->nc; i++)
    if (what[i]) brute_apply(b, i, what[i]);
}

static inline int brute_fits(const brute *b, int i) {
  const brute_contact *c = &b->c[i];
  return c->held && b->dim > 1 && c->mu > 0 && c->mode != BRUTE_OPEN;
}

/* x of a held contact in slip is its rho */
static inline void brute_follow(brute *b, int i) {
  double d[2] = {0}, rho = brute_radius(b, i), *x = b->y + i * b->dim;
  brute_dir(b, i, d);
  for (int t = 0; t < b->dim - 1; t++) x[t] = rho * d[t];
}

/* tangential force of a held contact whose spring slips back to what the normal force can hold */
static inline void brute_slip_back(const brute *b, int i, double normal, double *F) {
  double d[2] = {0}, size = b->dim > 1 ? brute_dir(b, i, d) : 0;
  double x = fmin(size, b->c[i].mu * normal / b->c[i].kt);
  for (int t = 0; t < b->dim - 1; t++) F[i * b->dim + t] = -b->c[i].kt * x * d[t];
}

/* Forces jump as holding starts. They do what those of stiff and heavily damped contacts would:
 * F_n' = -v_n' from what they were, not below 0. F: forces before, and in the end. */
static inline void brute_relax(const brute *b, double *F) {
  double by = 0, moved = 1;
  for (int i = 0; i < b->rows; i++) by = fmax(by, b->W[i * (b->rows + 1)]);
  by = 0.3 / (by * b->rows);
  for (long step = 0; step < 100000 && moved > 1e-14; step++) {
    double rate[BRUTE_MOST] = {0};
    moved = 0;
    for (int i = 0; i < b->nc; i++) {
      if (!b->c[i].held) continue;
      brute_slip_back(b, i, F[brute_n(b, i)], F);
      for (int j = 0; j < b->rows; j++) rate[i] += b->W[j * b->rows + brute_n(b, i)] * F[j];
    }
    for (int i = 0; i < b->nc; i++) {
      double *f = &F[brute_n(b, i)], next = fmax(0, *f - by * rate[i]);
      if (!b->c[i].held) continue;
      moved = fmax(moved, fabs(next - *f));
      *f = next;
    }
  }
}

/* held contacts without a force are let go; those whose spring slips back or sticks, do */
static inline void brute_hold(brute *b, const double *before) {
  double F[ROWS];
  int held = 0;
  for (int i = 0; i < b->nc; i++) held += b->c[i].held;
  if (!held) return;
  brute_forces(b, F);
  for (int i = 0; i < b->nc; i++)
    if (b->c[i].held) F[brute_n(b, i)] = before[brute_n(b, i)];
  brute_relax(b, F);
  for (int i = 0; i < b->nc; i++) {
    brute_contact *c = &b->c[i];
    double d[2], *x = b->y + i * b->dim, normal = F[brute_n(b, i)], rho = c->mu * normal / c->kt;
    if (c->held && normal < 1e-12) brute_apply(b, i, 'o');
    if (!brute_fits(b, i)) continue;
    double size = brute_dir(b, i, d);
    if (c->mode == BRUTE_SLIP && size < rho * (1 - 1e-9)) c->mode = BRUTE_STICK;
    if (c->mode == BRUTE_STICK && size > rho * (1 + 1e-9))
      c->mode = BRUTE_SLIP, c->d[0] = x[0] < 0 ? -1 : 1;
  }
  for (int i = 0; i < b->nc; i++) {
    double d[2], size = brute_dir(b, i, d);
    if (!brute_fits(b, i) || b->c[i].mode != BRUTE_SLIP) continue;
    brute_follow(b, i);
    double after = brute_dir(b, i, d);
    b->friction += b->c[i].kt * (size * size - after * after) / 2;
  }
}

/* runs to the end; returns 0 when it takes too long */
static inline int brute_run(brute *b, double fine) {
  for (;;) {
    if (++b->steps > b->most) return 0;
    if (!brute_pressed(b)) {
      double dt = brute_flight(b);
      if (!isfinite(dt) || dt > b->window) return 1;
      for (int i = 0; i < b->nc; i++)
        if (b->c[i].held) brute_apply(b, i, 'o');
      for (int i = 0; i < b->nc; i++) b->y[brute_n(b, i)] += dt * b->v[brute_n(b, i)];
      b->t += dt;
      for (int i = 0; i < b->nc; i++)
        if (b->v[brute_n(b, i)] < 0 && b->y[brute_n(b, i)] < 1e-14) brute_close(b, i);
      continue;
    }
    double h = brute_size(b, fine);
    brute next = brute_step(b, h);
    if (!brute_any(&next)) {
      *b = next;
      continue;
    }
    double lo = 0, hi = h;
    for (int i = 0; i < 60 && hi - lo > 1e-17; i++) {
      double mid = (lo + hi) / 2;
      next = brute_step(b, mid);
      if (brute_any(&next))
        hi = mid;
      else
        lo = mid;
    }
    *b = brute_step(b, hi);
    for (int i = 0; i < b->nc; i++)
      if (brute_fits(b, i) && b->c[i].mode == BRUTE_SLIP) brute_follow(b, i);
    double before[ROWS];
    brute_forces(b, before);
    brute_events(b);
    brute_hold(b, before);
  }
}

static inline double spec_at(const double *x, int n, int i) {
  return x[n == 1 ? 0 : i];
}

static inline brute brute_start(const spec *q, int nc, int dim, const double *W, const double *v,
                                const double *gap) {
  brute b = {.nc = nc,
             .dim = dim,
             .rows = nc * dim,
             .W = W,
             .window = q->window,
             .most = 400000,
             .plastic = q->plastic};
  memcpy(b.v, v, (size_t)b.rows * sizeof *v);
  for (int i = 0; i < nc; i++) {
    brute_contact *c = &b.c[i];
    double eta = spec_at(q->eta, q->n, i);
    c->mu = dim > 1 ? spec_at(q->mu, q->n, i) : 0, c->e = spec_at(q->e, q->n, i);
    c->k0 = c->k = spec_at(q->k, q->n, i), c->kt = c->k0 / (eta * eta);
    b.y[brute_n(&b, i)] = gap ? gap[i] : 0;
    if (b.y[brute_n(&b, i)] == 0 && b.v[brute_n(&b, i)] < 0) brute_close(&b, i);
  }
  return b;
}

#endif
