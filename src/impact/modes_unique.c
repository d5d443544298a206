/* Whether the velocities of an answer are the only ones, where not all modes can be tried.
 *
 * Yes: of two answers with d = p - p' and w = W d, complementarity of p and u^ = (u_t, u_n + mu
 * |u_t|) in the convex cone gives d.(u^ - u^') <= 0, and ||u_t| - |u_t'|| <= |w_t|, so
 *
 *   d.W d <= sum mu |d_n| |w_t| <= 1/2 sum (a d_n^2 mu + |w_t|^2 mu/a)     for any a > 0
 *
 * Where X = 2 W - A - W B W is positive definite, A with mu a in the normal rows and B with mu/a in
 * the tangential ones, d = 0: there is one answer. (A least normal impulse changes nothing in
 * that.) With W singular, let the normal rows of contacts with friction lie in the range of W: what
 * W does not see has no normal part, X does not see it either, and X has to be definite on the
 * range of W for w = 0. So it holds below a bound of friction for feet whose normal rows are
 * independent of all others: two or three points of a body on a floor, not four, and not a wedge.
 *
 * No: another answer is found from other beginnings: each contact alone, with the others open.
 */
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "core/lin.h"
#include "impact/lcp.h"
#include "impact/modes_part.h"
#include "impact/tolerance.h"

/* ---- one answer ---- */

/* a of contact c: f times the mean size of its rows */
static double weight_of(const impact_modes *m, const modes_contact *k, double f) {
  double wn = m->W[(size_t)k->n * (size_t)(m->rows + 1)];
  return f * sqrt(wn / k->rho_t);
}

/* X = 2 W - A - W B W; 0 when mu is infinite or a row has no mass */
static int write_form(const impact_modes *m, const modes_contact *contact, double f, double *Y,
                      double *X) {
  size_t rows = (size_t)m->rows;
  memset(Y, 0, rows * rows * sizeof *Y); /* sqrt(B) W, by rows of W */
  for (size_t i = 0; i < rows * rows; i++) X[i] = 2 * m->W[i];
  for (int c = 0; c < m->nc; c++) {
    const modes_contact *k = &contact[c];
    if (!(k->rho_n > 0) || isinf(k->mu)) return 0;
    if (k->n == k->t || k->mu == 0 || !(k->rho_t > 0)) continue;
    double a = weight_of(m, k, f);
    X[(size_t)k->n * (rows + 1)] -= k->mu * a;
    for (int t = k->t; t < k->n; t++)
      for (size_t j = 0; j < rows; j++)
        Y[j * rows + (size_t)t] = sqrt(k->mu / a) * m->W[j * rows + (size_t)t];
  }
  core_lin_multiply('T', 'N', m->rows, m->rows, m->rows, -1, Y, m->rows, Y, m->rows, 1, X, m->rows);
  return 1;
}

/* Cholesky of n x n with every pivot above what rounding may leave, relative to `size` */
static int is_definite(int n, double *X, double size) {
  for (int k = 0; k < n; k++) {
    double *column = X + k * n;
    if (!(column[k] > TOL_DEFINITE_STOP * size)) return 0;
    for (int j = k + 1; j < n; j++) {
      double f = column[j] / column[k];
      for (int i = j; i < n; i++) X[j * n + i] -= column[i] * f;
    }
  }
  return 1;
}

/* 1 when the normal rows of contacts with friction lie in the range, whose basis Q is rows x rank
 */
static int sees_normals(const impact_modes *m, const double *Q, int rank) {
  for (int c = 0; c < m->nc; c++) {
    double square = 0, q;
    int n = impact_modes_normal(m, c);
    for (int k = 0; k < rank; k++) q = Q[k * m->rows + n], square += q * q;
    if (m->mu[c] > 0 && n > impact_modes_first(m, c) && square < 1 - TOL_DEFINITE_STOP) return 0;
  }
  return 1;
}

static int is_proved(const impact_modes *m, core_scratch *s, const modes_contact *contact) {
  static const double factors[] = {1, 0.5, 2, 0.25, 4, 0.125, 8};
  size_t rows = (size_t)m->rows;
  int n = m->rows, done = 0;
  double *X = core_scratch_doubles(s, 3 * rows * rows + 1), size = 0;
  if (!X) return 0;
  double *Y = X + rows * rows, *Q = Y + rows * rows;
  int rank = law_lcp_range(n, m->W, s, Q);
  if (rank < 0 || !sees_normals(m, Q, rank)) return 0;
  for (size_t i = 0; i < rows; i++) size = fmax(size, m->W[i * (rows + 1)]);
  for (size_t i = 0; i < sizeof factors / sizeof *factors && !done; i++) {
    if (!write_form(m, contact, factors[i], Y, X)) return 0;
    core_lin_multiply('N', 'N', n, rank, n, 1, X, n, Q, n, 0, Y, n);
    core_lin_multiply('T', 'N', rank, rank, n, 1, Q, n, Y, n, 0, X, rank);
    done = is_definite(rank, X, size);
  }
  return done;
}

/* ---- another answer ---- */

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* p that stops contact c by itself */
static void alone(const impact_modes *m, const modes_contact *k, double *p) {
  memset(p, 0, (size_t)m->rows * sizeof *p);
  p[k->n] = fmax(k->low, -k->rho_n * m->b[k->n]);
  for (int t = k->t; t < k->n; t++) p[t] = -k->rho_t * m->b[t];
}

static int is_another(const impact_modes *m, core_scratch *s, const modes_contact *contact,
                      const double *u) {
  size_t rows = (size_t)m->rows;
  double *guess = core_scratch_doubles(s, 3 * rows + 1), *p = guess + rows, *v = p + rows;
  for (int c = 0; guess && c < m->nc && !core_interrupted(); c++) {
    impact_modes other = *m;
    other.guess = guess;
    alone(m, &contact[c], guess);
    if (impact_modes_solve(&other, s, p, v)) continue;
    double fast = fmax(largest(m->rows, u), largest(m->rows, m->b)), apart = 0;
    for (size_t i = 0; i < rows; i++) apart = fmax(apart, fabs(u[i] - v[i]));
    if (apart > TOL_ANOTHER * fast) return 1;
  }
  return 0;
}

impact_modes_known impact_modes_unique(const impact_modes *m, core_scratch *s, const double *u) {
  core_mark mark = core_scratch_mark(s);
  impact_modes_known known = IMPACT_MODES_UNKNOWN;
  modes_contact *contact = core_scratch_bytes(s, ((size_t)m->nc + 1) * sizeof *contact);
  if (contact) {
    modes_describe(m, contact);
    if (!m->general && is_proved(m, s, contact))
      known = IMPACT_MODES_ONE;
    else if (m->nc <= IMPACT_MODES_MOST && is_another(m, s, contact, u))
      known = IMPACT_MODES_SEVERAL;
  }
  core_scratch_release(s, mark);
  return known;
}
