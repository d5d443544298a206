/* Forces of law.lzb. F_n = K d^n follows from the deflections, and then friction is a question of
 * its own:
 *
 *   slides   F_t = -mu F_n d, d = v_t/|v_t|
 *   sticks   v_t = 0:  W_SS f_S = -W_S: f,   f_S = -Z f,   Z = W_SS^+ W_S:   (rows S, others f)
 *
 * Where n is no whole number, d^n is not smooth at d = 0, where a contact begins and opens. With
 * the root s of the deflection of the contact that is nearest to its end, d = s^2, and the
 * independent variable dt = s dx, it is:
 *
 *   s' = d'/2 (per x),   F = K s^(2n),   all other rates times s
 *
 * and goes on smoothly beyond the end (s < 0).
 */
#include <math.h>
#include <string.h>

#include "impact/laws/lzb/state.h"
#include "impact/laws/tolerance.h"

void lzb_velocity(lzb *z, const double *y) {
  const double *p = y + z->nc;
  int rows = z->rows;
  for (int i = 0; i < rows; i++) z->v[i] = z->v0[i];
  for (int j = 0; j < rows; j++) {
    const double *column = z->W + j * rows;
    double x = p[j];
    if (x == 0) continue;
    for (int i = 0; i < rows; i++) z->v[i] += column[i] * x;
  }
}

static double power(double x, double n) {
  return n == 1 ? x : n == 1.5 ? x * sqrt(x) : pow(x, n);
}

double lzb_spring(const lzb *z, const lzb_contact *c, double deflection) {
  return deflection > 0 ? c->K * power(deflection, z->q->exponent) : 0;
}

/* a contact that expands goes on smoothly beyond its end, where the step is cut */
static double spring_at(const lzb *z, int i, const double *y) {
  const lzb_contact *c = &z->c[i];
  double x = lzb_deflection(z, i, y);
  if (!lzb_touches(c)) return 0;
  return x < 0 && c->phase == LZB_EXPANDING ? -lzb_spring(z, c, -x) : lzb_spring(z, c, x);
}

double lzb_energy(const lzb *z, const lzb_contact *c, double deflection) {
  return lzb_spring(z, c, deflection) * deflection / (z->q->exponent + 1);
}

double lzb_slip(const lzb *z, const lzb_contact *c) {
  int k = lzb_tangents(c);
  return k == 0 ? 0 : k == 1 ? fabs(z->v[c->t]) : hypot(z->v[c->t], z->v[c->t + 1]);
}

double lzb_pull(const lzb *z, const lzb_contact *c) {
  int k = lzb_tangents(c);
  return k == 0 ? 0 : k == 1 ? fabs(z->f[c->t]) : hypot(z->f[c->t], z->f[c->t + 1]);
}

double lzb_margin(const lzb *z, const lzb_contact *c) {
  return c->mu * z->f[c->n] - lzb_pull(z, c);
}

/* Friction of a contact that slides. In space its direction is that of v, until little is left of
 * the slip that the step began with: near the stop, and where slip begins, rounding would decide.
 */
static void slide(lzb *z, const lzb_contact *c) {
  double limit = c->mu * z->f[c->n];
  if (lzb_tangents(c) == 1) {
    z->f[c->t] = -limit * c->d[0];
    return;
  }
  const double *v = z->v + c->t;
  int turns = v[0] * c->d[0] + v[1] * c->d[1] > fmax(TOL_LZB_LITTLE * c->slip, TOL_LZB_FRESH);
  double slip = turns ? hypot(v[0], v[1]) : 1;
  for (int i = 0; i < 2; i++) z->f[c->t + i] = -limit * (turns ? v[i] / slip : c->d[i]);
}

/* the rows that stick are zero in f so far */
static void hold(lzb *z) {
  for (int k = 0; k < z->n_stuck; k++) {
    z->held[k] = 0;
    for (int j = 0; j < z->rows; j++) z->held[k] -= z->Z[j * z->n_stuck + k] * z->f[j];
  }
  for (int k = 0; k < z->n_stuck; k++) z->f[z->stuck[k]] = z->held[k];
}

void lzb_forces(lzb *z, const double *y) {
  lzb_velocity(z, y);
  for (int i = 0; i < z->nc; i++) {
    const lzb_contact *c = &z->c[i];
    z->f[c->n] = spring_at(z, i, y);
    for (int r = c->t; r < c->n; r++) z->f[r] = 0;
    if (c->grip == LZB_SLIDE && z->f[c->n] != 0) slide(z, c);
  }
  if (z->n_stuck) hold(z);
}

core_status lzb_rhs(void *self, double t, const double *y, double *dy) {
  lzb *z = self;
  double lost = 0;
  (void)t;
  lzb_forces(z, y);
  for (int i = 0; i < z->nc; i++) {
    const lzb_contact *c = &z->c[i];
    double rate = -z->v[c->n];
    dy[i] = c->phase == LZB_OUT ? 0 : c->phase == LZB_EXPANDING ? rate / (c->e * c->e) : rate;
    if (c->grip == LZB_SLIDE)
      for (int r = c->t; r < c->n; r++) lost -= z->f[r] * z->v[r];
  }
  memcpy(dy + z->nc, z->f, (size_t)z->rows * sizeof *dy);
  dy[z->nc + z->rows] = lost;
  dy[z->nc + z->rows + 1] = 1;
  if (z->rooted < 0) return CORE_OK;
  double rate = dy[z->rooted];
  for (int i = 0; i < z->ode.n; i++) dy[i] *= y[z->rooted];
  dy[z->rooted] = rate / 2;
  return CORE_OK;
}
