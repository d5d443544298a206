/* One implicit step: seven nodes at once by Newton's method.
 *
 *   R_i = f(t_i, y_old + Z_i) - sum_j D_ij Z_j / h = 0,   Z_i = P(c_i) - y_old
 *
 * Its matrix 1/h D (x) 1 - 1 (x) J comes apart over the eigenvalues of D: for each of them
 *
 *   (lambda/h - J) w = r,  J = [. Ru .; Aq Au .; . . .],  l = lambda/h:
 *   (l - Au - Aq Ru / l) w_u = r_u + Aq r_q / l,   w_q = (r_q + Ru w_u) / l,   w_rest = r_rest / l
 *
 * where dq'/dq is left out: it is the turning of quaternions, and never fast. So is what the rest
 * depends on: once q and u are right, so is its integral.
 */
#include "core/ode_implicit.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "core/lin.h"

enum { S = IMPLICIT_NODES, FIRST = 5 /* stage of the first node */, ROUNDS = 15 };

/* ---- memory ---- */

size_t core_implicit_memory(int n) {
  return (2 * S + 2) * (size_t)n;
}

size_t core_implicit_full_memory(int nq, int nu) {
  size_t q = (size_t)nq, u = (size_t)nu;
  return 2 * q * u + 2 * u * u + IMPLICIT_PAIRS * (2 * u * u + u);
}

core_status core_implicit_init(core_implicit *m, int nq, int nu, int n, double *memory,
                               core_scratch *s) {
  *m = (core_implicit){.nq = nq, .nu = nu};
  m->solve = memory, memory += 2 * (size_t)n;
  m->Z = memory, memory += S * (size_t)n;
  m->R = memory;
  return core_radau_make(&m->radau, s);
}

void core_implicit_full(core_implicit *m, double *memory) {
  size_t q = (size_t)m->nq, u = (size_t)m->nu;
  m->factors = memory, memory += 2 * IMPLICIT_PAIRS * u * u;
  m->Aq = memory, memory += u * q;
  m->Au = memory, memory += u * u;
  m->Ru = memory, memory += q * u;
  m->G = memory, memory += u * u;
  m->pivots = (int *)(void *)memory;
}

/* ---- Jacobians and factors ---- */

static core_status evaluate(core_ode *o, double t, const double *y, double *dy) {
  o->evaluations++;
  return core_interrupted() ? CORE_INTERRUPTED : o->rhs(o->self, t, y, dy);
}

/* how far component j is moved: beside its size, its way in this step, and what is small of it */
static double difference_of(const core_ode *o, int j, double h) {
  double size = fmax(fabs(o->y_old[j]), fabs(h * core_ode_stage(o, 0)[j]));
  double small = o->rtol > 0 ? core_ode_scale(o, j, 0, 0) / o->rtol : 0, y = o->y_old[j];
  double step = ODE_DIFFERENCE * fmax(size, small);
  return step > 0 ? (y + step) - y : ODE_DIFFERENCE;
}

/* column j of the Jacobian, by a forward difference */
static core_status differ(core_ode *o, int j, double h, double *dy) {
  const double *f0 = core_ode_stage(o, 0);
  double step = difference_of(o, j, h);
  memcpy(o->work, o->y_old, (size_t)o->n * sizeof *o->work);
  o->work[j] += step;
  core_status status = evaluate(o, o->t_old, o->work, dy);
  for (int i = 0; i < o->n && !status; i++) dy[i] = (dy[i] - f0[i]) / step;
  return status;
}

static core_status difference_jacobians(core_ode *o, double h) {
  core_implicit *m = o->implicit;
  int nq = m->nq, nu = m->nu;
  if (!m->Aq) return CORE_NO_MEMORY;
  double *column = core_ode_stage(o, FIRST), *u = column + nq;
  size_t bytes = (size_t)nu * sizeof *column;
  core_status status = CORE_OK;
  for (int j = 0; j < nq && !status; j++) {
    status = differ(o, j, h, column);
    memcpy(m->Aq + (size_t)j * (size_t)nu, u, bytes);
  }
  for (int j = 0; j < nu && !status; j++) {
    status = differ(o, nq + j, h, column);
    memcpy(m->Au + (size_t)j * (size_t)nu, u, bytes);
    memcpy(m->Ru + (size_t)j * (size_t)nq, column, (size_t)nq * sizeof *column);
  }
  if (!status) core_lin_multiply('N', 'N', nu, nu, nq, 1, m->Aq, nu, m->Ru, nq, 0, m->G, nu);
  return status;
}

static core_status take_jacobians(core_ode *o, double h) {
  core_implicit *m = o->implicit;
  core_status status = CORE_UNSUPPORTED;
  if (m->shifted.self)
    status = m->shifted.look(m->shifted.self, o->t_old, o->y_old, core_ode_stage(o, 0));
  m->structured = !status;
  if (status == CORE_UNSUPPORTED) status = difference_jacobians(o, h);
  m->has_J = !status;
  m->J_from = o->t_old;
  m->factored_h = 0;
  return status;
}

static double complex eigenvalue(const core_implicit *m, int k, double h) {
  return (m->radau.lambda[k][0] + I * m->radau.lambda[k][1]) / h;
}

static double complex *factors_of(const core_implicit *m, int k) {
  return (double complex *)(void *)m->factors + (size_t)k * (size_t)m->nu * (size_t)m->nu;
}

/* (conj(l) - J) conj(w) = conj(r): pairs are kept so that r = re - i im */
static core_status factor_structured(const core_implicit *m, double h) {
  double l[IMPLICIT_PAIRS][2];
  for (int k = 0; k < IMPLICIT_PAIRS; k++)
    l[k][0] = m->radau.lambda[k][0] / h, l[k][1] = -m->radau.lambda[k][1] / h;
  return core_interrupted() ? CORE_INTERRUPTED : m->shifted.factor(m->shifted.self, l);
}

static core_status factor_full(core_implicit *m, double h) {
  int nu = m->nu;
  core_status status = CORE_OK;
  for (int k = 0; k < IMPLICIT_PAIRS && !status; k++) {
    double complex *A = factors_of(m, k), l = eigenvalue(m, k, h), by = 1 / l;
    for (size_t i = 0, n = (size_t)nu; i < n * n; i++)
      A[i] = -m->Au[i] - m->G[i] * by + (i % (n + 1) == 0 ? l : 0);
    status = core_interrupted() ? CORE_INTERRUPTED
                                : core_lin_factor_complex(nu, (double *)A, m->pivots + k * nu);
  }
  return status;
}

static core_status factor(core_implicit *m, double h) {
  core_status status = m->structured ? factor_structured(m, h) : factor_full(m, h);
  m->factorisations++;
  m->factored_h = status ? 0 : h;
  return status;
}

/* ---- linear solves: re - i im becomes (lambda_k/h - J)^-1 of it; im is NULL for k = 0 ---- */

/* x += A y / l, A real, rows x columns */
static void add_product(int rows, int columns, const double *A, const double complex *y,
                        double complex by, double complex *x) {
  for (int j = 0; j < columns; j++) {
    double complex z = y[j] * by;
    double re = creal(z), im = cimag(z), *out = (double *)x;
    const double *a = A + (size_t)j * (size_t)rows;
    for (int i = 0; i < rows; i++) out[2 * i] += a[i] * re, out[2 * i + 1] += a[i] * im;
  }
}

static void solve_full(const core_implicit *m, int n, int k, double h, double *re, double *im) {
  int nq = m->nq, nu = m->nu;
  double complex *q = (double complex *)(void *)m->solve, *u = q + nq;
  double complex by = 1 / eigenvalue(m, k, h);
  for (int i = 0; i < n; i++) q[i] = re[i] - I * (im ? im[i] : 0);
  add_product(nu, nq, m->Aq, q, by, u);
  core_lin_solve_complex(nu, (const double *)factors_of(m, k), m->pivots + k * nu, (double *)u);
  add_product(nq, nu, m->Ru, u, 1, q);
  for (int i = 0; i < nq; i++) q[i] *= by;
  for (int i = nq + nu; i < n; i++) q[i] *= by;
  for (int i = 0; i < n; i++) re[i] = creal(q[i]);
  for (int i = 0; i < n && im; i++) im[i] = -cimag(q[i]);
}

/* the rest of all lanes: r / l */
static void solve_rest(const core_implicit *m, int n, double h, double *const *re,
                       double *const *im) {
  for (int k = 0; k < IMPLICIT_PAIRS; k++)
    for (int i = m->nq + m->nu; i < n; i++) {
      double complex w = (re[k][i] - I * im[k][i]) / eigenvalue(m, k, h);
      re[k][i] = creal(w), im[k][i] = -cimag(w);
    }
}

/* R holds one row, for the real eigenvalue alone, or seven, for all of them */
static void solve(const core_implicit *m, int n, int pairs, double h, double *R) {
  double *re[IMPLICIT_PAIRS], *im[IMPLICIT_PAIRS], *nothing = m->solve;
  for (int k = 0; k < IMPLICIT_PAIRS; k++) {
    re[k] = k == 0 ? R : k < pairs ? R + (2 * k - 1) * n : nothing;
    im[k] = k > 0 && k < pairs ? R + 2 * k * n : nothing;
  }
  for (int k = 0; k < pairs && !m->structured; k++)
    solve_full(m, n, k, h, re[k], k > 0 ? im[k] : NULL);
  if (!m->structured) return;
  memset(nothing, 0, (size_t)n * sizeof *nothing);
  m->shifted.solve(m->shifted.self, re, im);
  solve_rest(m, n, h, re, im);
}

/* ---- Newton's method ---- */

/* rows of X become M X */
static void mix(int n, const double M[S][S], double *X) {
  for (int c = 0; c < n; c++) {
    double x[S];
    for (int i = 0; i < S; i++) x[i] = X[i * n + c];
    for (int i = 0; i < S; i++) {
      double sum = 0;
      for (int j = 0; j < S; j++) sum += M[i][j] * x[j];
      X[i * n + c] = sum;
    }
  }
}

/* sum_j D_ij Z_j / h of component c, node i counted from 0 */
static double slope(const core_implicit *m, int n, double h, int i, int c) {
  double sum = 0;
  for (int j = 0; j < S; j++) sum += m->radau.D[i][j + 1] * m->Z[j * n + c];
  return sum / h;
}

static core_status residuals(core_ode *o, double h) {
  core_implicit *m = o->implicit;
  int n = o->n;
  core_status status = CORE_OK;
  for (int i = 0; i < S && !status; i++) {
    double *f = core_ode_stage(o, FIRST + i);
    for (int c = 0; c < n; c++) o->work[c] = o->y_old[c] + m->Z[i * n + c];
    status = evaluate(o, o->t_old + m->radau.c[i + 1] * h, o->work, f);
    for (int c = 0; c < n && !status; c++) m->R[i * n + c] = f[c] - slope(m, n, h, i + 1, c);
  }
  return status;
}

/* R becomes the correction of Z, which is made; its size over the tolerance */
static double correct(core_ode *o, double h) {
  core_implicit *m = o->implicit;
  int n = o->n;
  double sum = 0;
  mix(n, m->radau.inverse, m->R);
  solve(m, n, IMPLICIT_PAIRS, h, m->R);
  mix(n, m->radau.T, m->R);
  for (int i = 0; i < S; i++)
    for (int c = 0; c < n; c++) {
      double dz = m->R[i * n + c];
      double r = dz / core_ode_scale(o, c, o->y_old[c], o->y_old[c] + m->Z[i * n + c]);
      m->Z[i * n + c] += dz;
      sum += r * r;
    }
  return sqrt(sum / (S * (n ? n : 1)));
}

/* Rounds until what they leave is small. *done: 0 where it converges too slowly or not at all.
 * A first round is believed only where it is small itself: how fast rounds converged in another
 * step says nothing of what is bent in this one. */
static core_status iterate(core_ode *o, double h, int *done) {
  core_implicit *m = o->implicit;
  double enough = fmax(ODE_NEWTON, ODE_EPSILONS * DBL_EPSILON / o->rtol), before = 0, left = 1;
  for (int round = 0; round < ROUNDS; round++) {
    core_status status = residuals(o, h);
    if (status) return status;
    double size = correct(o, h), part = before > 0 ? size / before : 0;
    if (!isfinite(size) || part >= 1) break;
    if (round > 0) left = part / (1 - part), m->convergence = part;
    *done = left * size <= enough;
    if (*done) return CORE_OK;
    if (round > 0 && left * size * pow(part, ROUNDS - 1 - round) > enough) break; /* hopeless */
    before = size;
  }
  m->convergence = 1;
  return CORE_OK;
}

/* ---- guess: the polynomial of the last try, carried on ---- */

/* factors of P(c_1) .. P(c_7) in P(x), where P(0) = 0 */
static void lagrange(const double *c, double x, double *factor) {
  for (int j = 1; j <= S; j++) {
    factor[j - 1] = x / c[j];
    for (int k = 1; k <= S; k++)
      if (k != j) factor[j - 1] *= (x - c[k]) / (c[j] - c[k]);
  }
}

static void guess(core_ode *o, double h) {
  core_implicit *m = o->implicit;
  double start[S], at[S][S], x = 0, ratio = 0;
  if (m->Z_h != 0) x = (o->t_old - m->Z_from) / m->Z_h, ratio = h / m->Z_h;
  if (!(ratio > 0 && x >= 0 && x + ratio <= 1 + ODE_AHEAD)) {
    memset(m->Z, 0, S * (size_t)o->n * sizeof *m->Z);
    return;
  }
  lagrange(m->radau.c, x, start);
  for (int i = 0; i < S; i++) {
    lagrange(m->radau.c, x + m->radau.c[i + 1] * ratio, at[i]);
    for (int j = 0; j < S; j++) at[i][j] -= start[j];
  }
  mix(o->n, at, m->Z);
}

/* ---- the step ---- */

/* r = f(t_old, y) - P'(0)/h, carried back by the matrix of the real eigenvalue, over the tolerance
 */
static double error_by(core_ode *o, double h, const double *f) {
  core_implicit *m = o->implicit;
  int n = o->n;
  double sum = 0, *r = m->R;
  for (int c = 0; c < n; c++) r[c] = f[c] - slope(m, n, h, 0, c);
  solve(m, n, 1, h, r);
  for (int c = 0; c < n; c++) {
    double part = r[c] / core_ode_scale(o, c, o->y_old[c], o->y[c]);
    sum += part * part;
  }
  return n ? sqrt(sum / n) : 0;
}

/* What settles within the step makes f at its start large, and the estimate with it: where that is
 * too much it is carried back a second time. */
static core_status estimate(core_ode *o, double h) {
  double *f = core_ode_stage(o, 1);
  o->error = error_by(o, h, core_ode_stage(o, 0));
  if (!(o->error > 1) || !isfinite(o->error)) return CORE_OK;
  for (int c = 0; c < o->n; c++) o->work[c] = o->y_old[c] + o->implicit->R[c];
  core_status status = evaluate(o, o->t_old, o->work, f);
  if (core_ode_outside(status)) return CORE_OK;
  if (!status) o->error = fmin(o->error, error_by(o, h, f));
  return status;
}

/* Newton's method with the Jacobians there are; *done: it converged */
static core_status with_jacobians(core_ode *o, double h, int *done) {
  core_implicit *m = o->implicit;
  core_status status = m->factored_h != h ? factor(m, h) : CORE_OK;
  if (status) return status;
  guess(o, h);
  m->Z_h = 0;
  return iterate(o, h, done);
}

int core_implicit_ready(core_ode *o, double h) {
  const core_implicit *m = o->implicit;
  int poor = !m->has_J || (m->convergence > ODE_SLOW && m->J_from != o->t_old);
  return !poor || take_jacobians(o, h) == CORE_OK;
}

/* ... and with new ones where those were of another time, and poor */
static core_status find_nodes(core_ode *o, double h, int *done) {
  const core_implicit *m = o->implicit;
  core_status status = with_jacobians(o, h, done);
  if (status || *done || m->J_from == o->t_old) return status;
  status = take_jacobians(o, h);
  return status ? status : with_jacobians(o, h, done);
}

core_status core_implicit_try(core_ode *o, double h) {
  core_implicit *m = o->implicit;
  int n = o->n, done = 0;
  core_status status = find_nodes(o, h, &done);
  o->error = INFINITY;
  if (status || !done) return status;
  m->Z_from = o->t_old, m->Z_h = h;
  for (int c = 0; c < n; c++) o->y[c] = o->y_old[c] + m->Z[(S - 1) * n + c];
  return estimate(o, h);
}

void core_implicit_dense(core_ode *o) {
  const core_implicit *m = o->implicit;
  int n = o->n;
  memcpy(o->dense, o->y_old, (size_t)n * sizeof *o->dense);
  for (int r = 0; r < S; r++)
    for (int c = 0; c < n; c++) {
      double sum = 0;
      for (int i = 0; i < S; i++) sum += m->radau.dense[r][i] * m->Z[i * n + c];
      o->dense[(r + 1) * n + c] = sum;
    }
  o->has_dense = 1;
}
