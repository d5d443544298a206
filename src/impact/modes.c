/* Semismooth Newton on Alart and Curnier's equations, with projected Gauss-Seidel as safeguard.
 *
 *   a = p - rho u,   R = mu max(low, a_n)
 *   normal       F_n = p_n - max(low, a_n):   p_n - low where a_n <= low, else rho u_n
 *   tangential   F_t = p_t - proj(a_t, R):    rho u_t where |a_t| <= R, else p_t - R a_t/|a_t|
 *
 * with rho_n = 1/W_nn and rho_t = 1/(largest of W_tt): F has the unit of an impulse. Newton's step
 * is taken with a line search on |F|; where it stalls, rounds of p <- proj(p - rho u), contact by
 * contact, give it another start. Whatever way led there, an answer is certified by its residual.
 */
#include "impact/modes.h"

#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "core/lin.h"
#include "impact/lcp.h"

enum { NEWTON_STEPS = 60, HALVINGS = 12, RESTARTS = 8, FIRST_ROUNDS = 20 };

static const double ROUNDING = 1e-15; /* a residual that is nothing else */

static double W_at(const impact_modes *m, int i, int j) {
  return m->W[j * m->rows + i];
}

static double low_of(const impact_modes *m, int c) {
  return m->low ? m->low[c] : 0;
}

static void velocity(const impact_modes *m, const double *p, double *u) {
  memcpy(u, m->b, (size_t)m->rows * sizeof *u);
  for (int j = 0; j < m->rows; j++)
    for (int i = 0; i < m->rows && p[j] != 0; i++) u[i] += m->W[j * m->rows + i] * p[j];
}

/* ---- one contact ---- */

typedef struct local {
  int t, n;           /* first row, normal row */
  double rho[2];      /* normal, tangential [kg] */
  double an, at[2];   /* p - rho u */
  double length, R;   /* |a_t|, mu max(low, a_n) */
  int pressed, slips; /* a_n > low, |a_t| > R */
} local;

static void choose_steps(const impact_modes *m, local *l) {
  double most = 0, wn = W_at(m, l->n, l->n);
  for (int i = l->t; i < l->n; i++) most = fmax(most, W_at(m, i, i));
  if (m->dim == 3) most += fabs(W_at(m, l->t, l->t + 1)); /* at least W_tt's larger eigenvalue */
  l->rho[0] = wn > 0 ? 1 / wn : 0;
  l->rho[1] = most > 0 ? 1 / most : 0;
}

static local look(const impact_modes *m, int c, const double *p, const double *u) {
  local l = {.t = c * m->dim, .n = c * m->dim + m->dim - 1};
  choose_steps(m, &l);
  l.an = p[l.n] - l.rho[0] * u[l.n];
  l.pressed = l.an > low_of(m, c);
  for (int k = l.t; k < l.n; k++) {
    l.at[k - l.t] = p[k] - l.rho[1] * u[k];
    l.length = hypot(l.length, l.at[k - l.t]);
  }
  double most = fmax(low_of(m, c), l.an);
  l.R = most > 0 ? m->mu[c] * most : 0; /* not infinity times 0 */
  l.slips = l.length > l.R;
  return l;
}

/* F of one contact's rows */
static void local_equations(const impact_modes *m, const local *l, int c, const double *p,
                            const double *u, double *F) {
  F[l->n] = l->pressed ? l->rho[0] * u[l->n] : p[l->n] - low_of(m, c);
  for (int k = l->t; k < l->n; k++)
    F[k] = l->slips ? p[k] - l->R / l->length * l->at[k - l->t] : l->rho[1] * u[k];
}

/* ---- all contacts ---- */

/* F; returns |F|^2 */
static double equations(const impact_modes *m, const double *p, const double *u, double *F) {
  double sum = 0;
  for (int c = 0; c < m->nc; c++) {
    local l = look(m, c, p, u);
    local_equations(m, &l, c, p, u, F);
  }
  for (int i = 0; i < m->rows; i++) sum += F[i] * F[i];
  return sum;
}

double impact_modes_residual(const impact_modes *m, const double *p, const double *u) {
  double worst = 0, size = 0;
  for (int c = 0; c < m->nc; c++) {
    double F[3];
    local l = look(m, c, p, u);
    int t = l.t;
    local_equations(m, &l, c, p, u, F - t);
    for (int k = t; k <= l.n; k++) {
      double rho = l.rho[k < l.n];
      worst = fmax(worst, fabs(F[k - t]));
      size = fmax(size, fmax(fabs(p[k]), rho * fabs(m->b[k])));
    }
  }
  return size > 0 ? worst / size : worst;
}

/* row k of dF/dp where the contact slides: dp_t - d dR - R (I - d d^T)/|a_t| da_t */
static void slip_row(const impact_modes *m, const local *l, int c, int k, double *D) {
  int rows = m->rows;
  double dk = l->at[k - l->t] / l->length, turn = l->R / l->length;
  for (int j = 0; j < rows; j++) {
    double dR = 0, along = 0, own = 0;
    if (l->pressed) dR = m->mu[c] * ((j == l->n) - l->rho[0] * W_at(m, l->n, j));
    for (int i = l->t; i < l->n; i++) {
      double da = (j == i) - l->rho[1] * W_at(m, i, j);
      along += l->at[i - l->t] / l->length * da;
      if (i == k) own = da;
    }
    D[j * rows + k] = (j == k) - dk * dR - turn * (own - dk * along);
  }
}

static void derivative(const impact_modes *m, const double *p, const double *u, double *D) {
  int rows = m->rows;
  for (int c = 0; c < m->nc; c++) {
    local l = look(m, c, p, u);
    for (int j = 0; j < rows; j++)
      D[j * rows + l.n] = l.pressed ? l.rho[0] * W_at(m, l.n, j) : (double)(j == l.n);
    for (int k = l.t; k < l.n; k++) {
      if (l.slips) slip_row(m, &l, c, k, D);
      for (int j = 0; j < rows && !l.slips; j++)
        D[j * rows + k] = l.rho[1] > 0 ? l.rho[1] * W_at(m, k, j) : (double)(j == k);
    }
  }
}

/* ---- the two methods ---- */

typedef struct work {
  double *F, *D, *copy, *step; /* rows, rows x rows, rows x rows, rows */
  double *p, *u, *trial;       /* rows each: a try of the line search, and F there */
} work;

static int take_memory(const impact_modes *m, core_scratch *s, work *w) {
  size_t n = (size_t)m->rows;
  double *x = core_scratch_doubles(s, 2 * n * n + 5 * n);
  if (!x) return 0;
  *w = (work){x, x + n, x + n + n * n, x + n + 2 * n * n, 0, 0, 0};
  w->p = w->step + n, w->u = w->p + n, w->trial = w->u + n;
  return 1;
}

/* step = -D^-1 F, of smallest norm where D is singular */
static core_status newton_step(const impact_modes *m, core_scratch *s, work *w) {
  int n = m->rows, rank;
  for (int i = 0; i < n; i++) w->step[i] = -w->F[i];
  memcpy(w->copy, w->D, (size_t)n * (size_t)n * sizeof *w->D);
  core_status status = core_lin_solve(n, w->copy, 1, w->step, s, NULL);
  if (status != CORE_SINGULAR) return status;
  return core_lin_least_squares(n, n, w->D, 1, w->trial, 1e-13, s, w->step, &rank);
}

/* goes on along the step; 0 when |F| does not fall any more (boldly: the whole step, whatever |F|
 * does, which leads out of valleys that end above 0) */
static int go(const impact_modes *m, int boldly, double *p, double *u, double *square, work *w) {
  double f = 1;
  for (int i = 0; i < HALVINGS; i++, f /= 2) {
    for (int k = 0; k < m->rows; k++) w->p[k] = p[k] + f * w->step[k];
    velocity(m, w->p, w->u);
    double now = equations(m, w->p, w->u, w->trial);
    if (!boldly && !(now < *square * (1 - 1e-4 * f))) continue;
    memcpy(p, w->p, (size_t)m->rows * sizeof *p);
    memcpy(u, w->u, (size_t)m->rows * sizeof *u);
    memcpy(w->F, w->trial, (size_t)m->rows * sizeof *p);
    *square = now;
    return 1;
  }
  return 0;
}

static core_status newton(const impact_modes *m, int boldly, core_scratch *s, work *w, double *p,
                          double *u) {
  velocity(m, p, u);
  double square = equations(m, p, u, w->F);
  for (int i = 0; i < NEWTON_STEPS && square > 0; i++) {
    if (boldly && impact_modes_residual(m, p, u) <= IMPACT_MODES_PROMISE) break;
    if (core_interrupted()) return CORE_INTERRUPTED;
    derivative(m, p, u, w->D);
    for (int k = 0; k < m->rows; k++) w->trial[k] = -w->F[k];
    core_mark mark = core_scratch_mark(s);
    core_status status = newton_step(m, s, w);
    core_scratch_release(s, mark);
    if (status) return status == CORE_NOT_FINITE ? CORE_OK : status;
    if (!go(m, boldly, p, u, &square, w)) break;
  }
  return CORE_OK;
}

/* p <- proj(p - rho u) of one contact; u follows */
static void relax(const impact_modes *m, int c, double *p, double *u) {
  local l = look(m, c, p, u);
  double to[3] = {0, 0, 0}, low = low_of(m, c);
  to[l.n - l.t] = fmax(low, l.an);
  for (int k = l.t; k < l.n; k++)
    to[k - l.t] = l.slips ? l.R / l.length * l.at[k - l.t] : l.at[k - l.t];
  for (int k = l.t; k <= l.n; k++) {
    double change = to[k - l.t] - p[k];
    p[k] = to[k - l.t];
    for (int i = 0; i < m->rows && change != 0; i++) u[i] += m->W[k * m->rows + i] * change;
  }
}

static void gauss_seidel(const impact_modes *m, int rounds, double *p, double *u) {
  velocity(m, p, u);
  for (int i = 0; i < rounds && !core_interrupted(); i++)
    for (int c = 0; c < m->nc; c++) relax(m, c, p, u);
}

/* ---- the solver ---- */

/* without friction it is a linear complementarity problem (low moves into b) */
static core_status frictionless(const impact_modes *m, core_scratch *s, double *p, double *u) {
  int n = m->nc, redundant;
  double *A = core_scratch_doubles(s, (size_t)n * (size_t)n + 3 * (size_t)n);
  if (!A) return CORE_NO_MEMORY;
  double *q = A + n * n, *z = q + n, *w = z + n;
  for (int c = 0; c < n; c++) {
    int i = c * m->dim + m->dim - 1;
    q[c] = m->b[i];
    for (int d = 0; d < n; d++) {
      A[d * n + c] = W_at(m, i, d * m->dim + m->dim - 1);
      q[c] += A[d * n + c] * low_of(m, d);
    }
  }
  core_status status = law_lcp(n, A, q, NULL, s, z, w, &redundant);
  if (status) return status;
  memset(p, 0, (size_t)m->rows * sizeof *p);
  for (int c = 0; c < n; c++) p[c * m->dim + m->dim - 1] = low_of(m, c) + z[c];
  velocity(m, p, u);
  return CORE_OK;
}

static int has_friction(const impact_modes *m) {
  for (int c = 0; c < m->nc && m->dim > 1; c++)
    if (m->mu[c] > 0) return 1;
  return 0;
}

typedef struct first_one {
  int rows, done;
  double *p, *u;
} first_one;

static void keep_first(void *self, const double *p, const double *u) {
  first_one *keep = self;
  if (keep->done++) return;
  memcpy(keep->p, p, (size_t)keep->rows * sizeof *p);
  memcpy(keep->u, u, (size_t)keep->rows * sizeof *u);
}

/* the exact way out in the plane: the first combination of modes that is a solution */
static core_status by_trying_all(const impact_modes *m, core_scratch *s, double *p, double *u) {
  first_one keep = {m->rows, 0, p, u};
  if (impact_modes_all(m, s, keep_first, &keep) < 0) return CORE_NOT_CONVERGED;
  return keep.done ? CORE_OK : CORE_NO_SOLUTION;
}

core_status impact_modes_solve(const impact_modes *m, core_scratch *s, double *p, double *u) {
  core_mark mark = core_scratch_mark(s);
  work w = {0};
  core_status status = take_memory(m, s, &w) ? frictionless(m, s, p, u) : CORE_NO_MEMORY;
  if (status == CORE_JAM && has_friction(m)) memset(p, 0, (size_t)m->rows * sizeof *p), status = 0;
  int rounds = FIRST_ROUNDS, found = !has_friction(m);
  for (int i = 0; i < RESTARTS && !status && !found; i++, rounds *= 3) {
    if (i > 0) gauss_seidel(m, rounds, p, u);
    status = newton(m, i % 2, s, &w, p, u);
    found = !status && impact_modes_residual(m, p, u) <= IMPACT_MODES_PROMISE;
    if (found && impact_modes_residual(m, p, u) > ROUNDING)
      status = newton(m, 0, s, &w, p, u); /* as far down as rounding lets it */
  }
  if (!status && !found) status = by_trying_all(m, s, p, u);
  core_scratch_release(s, mark);
  return status;
}
