/* Semismooth Newton on Alart and Curnier's equations, reduced to the rows that are really unknown.
 *
 *   a = p - rho u,   R = mu max(low, a_n)
 *   normal       F_n = p_n - max(low, a_n):   p_n - low where a_n <= low, else rho u_n
 *   tangential   F_t = p_t - proj(a_t, R):    rho u_t where |a_t| <= R, else p_t - R a_t/|a_t|
 *
 * A step solves the linearised equations for the next p. With d = a_t/|a_t| and d' across it:
 *
 *   not pressed  p_n = low, known          pressed   u_n = 0
 *   stick        u_t = 0                   slip      p_t = mu p_n d + x d',
 *                                                    d'.u_t + k x = 0,  k = (|a_t| - R)/(R rho)
 *
 * (k is |u_t|/|p_t| at the solution.) So a contact that is open has no unknown, one that slides has
 * p_n and in space x, one that sticks all its rows. With R the directions of the rows that vanish
 * and C those of the impulses, (R^T W C + k) x = -R^T (b + W p_known). In the plane a system
 * belongs to one combination of modes and is exact.
 *
 * Where contacts depend on each other that system is singular; a small multiple of its diagonal is
 * then added to it, and the same times the last x on the right (a proximal step: it moves p as
 * little as need be, and a solution stays one).
 */
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "impact/modes_part.h"
#include "impact/tolerance.h"

void modes_velocity(const impact_modes *m, const double *p, double *u) {
  int rows = m->rows;
  memcpy(u, m->b, (size_t)rows * sizeof *u);
  for (int j = 0; j < rows; j++) {
    if (p[j] == 0) continue;
    const double *column = m->W + (size_t)j * (size_t)rows, x = p[j];
    for (int i = 0; i < rows; i++) u[i] += column[i] * x;
  }
}

/* ---- how the projections see p and u ---- */

/* the larger eigenvalue of W_tt */
static double tangential_size(const impact_modes *m, int t, int n) {
  if (n == t) return 0;
  double a = m->W[t * m->rows + t];
  if (n == t + 1) return a;
  double b = m->W[(t + 1) * m->rows + t + 1], c = m->W[t * m->rows + t + 1];
  return (a + b) / 2 + sqrt((a - b) * (a - b) / 4 + c * c);
}

void modes_describe(const impact_modes *m, modes_contact *contact) {
  for (int c = 0; c < m->nc; c++) {
    modes_contact *k = &contact[c];
    k->t = impact_modes_first(m, c), k->n = impact_modes_normal(m, c);
    k->mu = m->mu[c], k->low = m->low ? m->low[c] : 0;
    double wn = m->W[k->n * m->rows + k->n], wt = tangential_size(m, k->t, k->n);
    k->rho_n = wn > 0 ? 1 / wn : 0;
    k->rho_t = wt > 0 ? 1 / wt : 0;
  }
}

static void look_at(modes_contact *k, const double *p, const double *u) {
  k->an = p[k->n] - k->rho_n * u[k->n];
  k->pressed = k->an > k->low;
  double most = k->pressed ? k->an : k->low;
  k->R = most > 0 ? k->mu * most : 0; /* not infinity times 0 */
  k->slips = 0;
  if (k->n == k->t) return;
  k->at[0] = p[k->t] - k->rho_t * u[k->t];
  k->at[1] = k->n - k->t == 2 ? p[k->t + 1] - k->rho_t * u[k->t + 1] : 0;
  k->length = k->n - k->t == 2 ? hypot(k->at[0], k->at[1]) : fabs(k->at[0]);
  k->slips = k->length > k->R || k->R == 0;
  if (!k->slips || k->length == 0) return;
  k->d[0] = k->at[0] / k->length, k->d[1] = k->at[1] / k->length;
}

/* F of one contact's rows */
static void equations(const modes_contact *k, const double *p, const double *u, double *F) {
  F[k->n] = k->pressed ? k->rho_n * u[k->n] : p[k->n] - k->low;
  for (int i = k->t; i < k->n; i++) {
    double to = k->length > 0 ? k->R * k->d[i - k->t] : 0;
    F[i] = k->slips ? p[i] - to : k->rho_t * u[i];
  }
}

void modes_project(modes_contact *k, const double *p, const double *u, double *to) {
  look_at(k, p, u);
  to[k->n - k->t] = fmax(k->low, k->an);
  for (int i = 0; i < k->n - k->t; i++)
    to[i] = !k->slips ? k->at[i] : k->length > 0 ? k->R * k->d[i] : 0;
}

/* largest rho |b|, least impulse [N s] */
static double push(const impact_modes *m, const modes_contact *k) {
  double most = fmax(k->low, k->rho_n * fabs(m->b[k->n]));
  for (int i = k->t; i < k->n; i++) most = fmax(most, k->rho_t * fabs(m->b[i]));
  return most;
}

double modes_push(const modes_work *w) {
  double most = 0;
  for (int c = 0; c < w->m->nc; c++) most = fmax(most, push(w->m, &w->contact[c]));
  return most;
}

void modes_look(modes_work *w, const double *p, const double *u) {
  const impact_modes *m = w->m;
  double worst = 0;
  modes_measure size = {.push = w->size_b};
  for (int c = 0; c < m->nc; c++) {
    modes_contact *k = &w->contact[c];
    look_at(k, p, u);
    equations(k, p, u, w->F);
    for (int i = k->t; i <= k->n; i++) {
      double f = fabs(w->F[i]);
      worst = worst >= f ? worst : f; /* a NaN wins */
      modes_measure_row(&size, p[i], u[i] - m->b[i]);
    }
  }
  w->residual = modes_relative(&size, worst);
}

double impact_modes_residual(const impact_modes *m, const double *p, const double *u) {
  double worst = 0, F[3];
  double largest = modes_unlike(m);
  modes_measure size = {0};
  for (int c = 0; c < m->nc; c++) {
    modes_contact k;
    impact_modes one = *m;
    one.nc = 1, one.mu += c, one.low = m->low ? m->low + c : NULL;
    int first[2] = {impact_modes_first(m, c), impact_modes_first(m, c + 1)};
    one.first = first;
    modes_describe(&one, &k);
    look_at(&k, p, u);
    equations(&k, p, u, F - k.t);
    double d = largest > 0 ? modes_unit(m, c, largest) : 1;
    size.push = fmax(size.push, push(m, &k) / d);
    for (int i = k.t; i <= k.n; i++) {
      modes_measure_row(&size, p[i] / d, (u[i] - m->b[i]) * d);
      worst = worst >= fabs(F[i - k.t]) / d ? worst : fabs(F[i - k.t]) / d;
    }
  }
  return modes_relative(&size, worst);
}

double impact_modes_true_residual(const impact_modes *m, const double *p, double *u) {
  modes_velocity(m, p, u);
  return impact_modes_residual(m, p, u);
}

/* ---- the reduced system ---- */

/* which unknowns a contact has */
static int has_normal(const modes_contact *k) {
  return k->pressed;
}

/* to = fx x + fy y, n numbers */
static void combine(int n, double fx, const double *x, double fy, const double *y, double *to) {
  for (int i = 0; i < n; i++) to[i] = fx * x[i] + fy * y[i];
}

/* to += f x */
static void add(int n, double f, const double *x, double *to) {
  for (int i = 0; i < n; i++) to[i] += f * x[i];
}

/* columns W C of contact k into T from column `at` on, and the last x; returns the next column */
static int columns(modes_work *w, const modes_contact *k, int at) {
  int rows = w->m->rows;
  const double *W = w->m->W, *t1 = W + k->t * rows, *t2 = t1 + rows, *n = W + k->n * rows;
  if (modes_sticks(k))
    for (int i = k->t; i < k->n; i++, at++) {
      memcpy(w->T + at * rows, W + i * rows, (size_t)rows * sizeof *w->T);
      w->x[at] = w->p[i];
    }
  if (modes_has_across(k)) {
    combine(rows, -k->d[1], t1, k->d[0], t2, w->T + at * rows);
    w->x[at++] = -k->d[1] * w->p[k->t] + k->d[0] * w->p[k->t + 1];
  }
  if (!has_normal(k)) return at;
  double *to = w->T + at * rows;
  memcpy(to, n, (size_t)rows * sizeof *to);
  if (k->slips && k->R > 0) {
    add(rows, k->mu * k->d[0], t1, to);
    if (k->n - k->t == 2) add(rows, k->mu * k->d[1], t2, to);
  }
  w->x[at] = w->p[k->n];
  return at + 1;
}

/* one row of the system: R^T of a column (rows numbers) of T */
static int picked(const modes_contact *k, const double *column, double *to) {
  int n = 0;
  if (modes_sticks(k))
    for (int i = k->t; i < k->n; i++) to[n++] = column[i];
  if (modes_has_across(k)) to[n++] = -k->d[1] * column[k->t] + k->d[0] * column[k->t + 1];
  if (has_normal(k)) to[n++] = column[k->n];
  return n;
}

int modes_scales(const modes_work *w, const modes_contact *k, int at, double *scale) {
  const double *W = w->m->W;
  int rows = w->m->rows, n = at;
  if (modes_sticks(k))
    for (int i = k->t; i < k->n; i++) scale[n++] = W[i * rows + i];
  if (modes_has_across(k)) {
    double a = W[k->t * rows + k->t], b = W[(k->t + 1) * rows + k->t + 1];
    double across = k->d[1] * k->d[1] * a + k->d[0] * k->d[0] * b -
                    2 * k->d[0] * k->d[1] * W[k->t * rows + k->t + 1];
    scale[n++] = fmax(across, 0) + modes_stiffening(k);
  }
  if (has_normal(k)) scale[n++] = W[k->n * rows + k->n];
  for (; at < n; at++) scale[at] = scale[at] > 0 ? 1 / sqrt(scale[at]) : 1;
  return n;
}

void modes_known(const modes_contact *k, double *p) {
  for (int i = k->t; i <= k->n; i++) p[i] = 0;
  if (k->pressed || k->low <= 0) return;
  p[k->n] = k->low;
  for (int i = k->t; i < k->n && k->slips; i++) p[i] = k->R * k->d[i - k->t];
}

/* h = b + W p of what is known */
static void known(const modes_work *w, double *h) {
  const impact_modes *m = w->m;
  memcpy(h, m->b, (size_t)m->rows * sizeof *h);
  for (int c = 0; c < m->nc && m->low; c++) {
    const modes_contact *k = &w->contact[c];
    if (k->pressed || k->low <= 0) continue;
    add(m->rows, k->low, m->W + k->n * m->rows, h);
    for (int i = k->t; i < k->n && k->slips; i++)
      add(m->rows, k->R * k->d[i - k->t], m->W + i * m->rows, h);
  }
}

/* A = S (R^T W C + k) S by columns, and the right side in v; S in q. Returns the size. */
static int reduced(modes_work *w) {
  const impact_modes *m = w->m;
  int n = 0, at = 0, row = 0;
  double *scale = w->q, *side = w->v;
  for (int c = 0; c < m->nc; c++) {
    modes_scales(w, &w->contact[c], n, scale);
    n = columns(w, &w->contact[c], n);
  }
  for (int j = 0; j < n; j++)
    for (int c = at = 0; c < m->nc; c++)
      at += picked(&w->contact[c], w->T + j * m->rows, w->A + j * n + at);
  known(w, w->T);
  for (int c = at = 0; c < m->nc; c++) at += picked(&w->contact[c], w->T, side + at);
  for (int c = at = 0; c < m->nc; c++) {
    const modes_contact *k = &w->contact[c];
    if (modes_sticks(k)) at += k->n - k->t;
    if (modes_has_across(k)) w->A[at * n + at] += modes_stiffening(k), at++;
    if (has_normal(k)) at++;
  }
  for (; row < n; row++) side[row] *= -scale[row];
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) w->A[j * n + i] *= scale[i] * scale[j];
  return n;
}

/* the next p from x */
static void expand(const modes_work *w, const double *x, double *p) {
  for (int c = 0; c < w->m->nc; c++) {
    const modes_contact *k = &w->contact[c];
    double across = 0;
    int stick = modes_sticks(k);
    for (int i = k->t; i < k->n; i++) p[i] = stick ? *x++ : 0;
    if (modes_has_across(k)) across = *x++;
    p[k->n] = has_normal(k) ? *x++ : k->low;
    if (stick || k->R == 0 || k->n == k->t) continue;
    double along = k->mu * p[k->n];
    p[k->t] = along * k->d[0] - across * k->d[1];
    if (k->n - k->t == 2) p[k->t + 1] = along * k->d[1] + across * k->d[0];
  }
}

static int is_finite(const modes_work *w) {
  double zero = 0;
  for (int i = 0; i < w->m->rows; i++) zero += 0 * w->q[i];
  return zero == 0;
}

/* w->q = the next p; 0 when the system cannot be solved */
static int next_p(modes_work *w) {
  if (w->near) return modes_sparse_next(w, TOL_PIVOT, TOL_PROXIMAL) && is_finite(w);
  int n = reduced(w), redo = 0;
  double *scale = w->q, *side = w->v;
  size_t bytes = (size_t)n * (size_t)n * sizeof *w->A;
  memcpy(w->T, w->A, bytes);
  for (;; redo = 1) {
    if (redo || w->tiny_pivot)
      for (int i = 0; i < n; i++) {
        w->A[i * n + i] += TOL_PROXIMAL;
        side[i] += TOL_PROXIMAL * w->x[i] / scale[i];
      }
    double pivot = modes_lu(n, w->A, w->pivot);
    if (w->tiny_pivot || redo || pivot > TOL_PIVOT) break;
    memcpy(w->A, w->T, bytes);
  }
  w->tiny_pivot |= redo;
  modes_lu_solve(n, w->A, w->pivot, side);
  for (int i = 0; i < n; i++) side[i] *= scale[i];
  expand(w, side, w->q);
  return is_finite(w);
}

/* ---- steps ---- */

static void take_step(modes_work *w) {
  double *p = w->p, *u = w->u;
  w->p = w->q, w->u = w->v, w->q = p, w->v = u;
}

/* Near the solution a contact with next to no impulse is not worth an unknown: where many do no
 * more than touch, rounding would press some of them. */
static void release_idle(modes_work *w) {
  double most = 0;
  for (int i = 0; i < w->m->rows; i++) most = fmax(most, fabs(w->p[i]));
  for (int c = 0; c < w->m->nc; c++) {
    modes_contact *k = &w->contact[c];
    if (k->low > 0 || k->an > TOL_IDLE * most) continue;
    k->pressed = 0, k->R = 0, k->slips = 1;
  }
}

static void velocity(const modes_work *w, const double *p, double *u) {
  if (w->near)
    modes_near_velocity(w, p, u);
  else
    modes_velocity(w->m, p, u);
}

void modes_look_at_p(modes_work *w) {
  velocity(w, w->p, w->u);
  modes_look(w, w->p, w->u);
}

core_status modes_newton(modes_work *w, int steps, double enough) {
  double promise = impact_modes_promise(w->m);
  modes_look_at_p(w);
  enough = fmax(fmax(enough, TOL_RESIDUAL), impact_modes_asked(w->m));
  for (int i = 0, more = steps; i < more && !(w->residual <= enough); i++) {
    double before = w->residual;
    if (core_interrupted()) return CORE_INTERRUPTED;
    if (before <= promise) release_idle(w);
    if (!next_p(w)) return CORE_OK;
    velocity(w, w->q, w->v);
    modes_look(w, w->q, w->v);
    if (before <= promise && !(w->residual < before)) {
      w->residual = before; /* p stays: it is as good as rounding lets it be */
      return CORE_OK;
    }
    take_step(w);
    if (i + 1 == more && more < 2 * steps && w->residual < before / 10) more++; /* nearly there */
  }
  return CORE_OK;
}
