/* Forces of law.lzb. F_n = K d^n follows from the deflections, and then friction is a question of
 * its own:
 *
 *   slides   F_t = -mu F_n d, d = v_t/|v_t|
 *   sticks   v_t = 0:  W_SS f_S = -W_S: f,   f_S = -Z f,   Z = W_SS^+ W_S:   (rows S, others f)
 */
#include <math.h>

#include "impact/laws/lzb/state.h"
#include "impact/laws/tolerance.h"

static double power(double x, double n) {
  return n == 1 ? x : n == 1.5 ? x * sqrt(x) : pow(x, n);
}

double lzb_spring(const lzb *z, const lzb_contact *c, double deflection) {
  return deflection > 0 ? c->K * power(deflection, z->q->exponent) : 0;
}

double lzb_energy(const lzb *z, const lzb_contact *c, double deflection) {
  return lzb_spring(z, c, deflection) * deflection / (z->q->exponent + 1);
}

double lzb_waiting_force(const lzb *z, int i) {
  const lzb_contact *c = &z->c[i];
  double x = z->now.x[i];
  return lzb_is_asleep(z, c, x, z->now.v[c->n]) ? 0 : lzb_spring(z, c, x);
}

static double size(int tangents, const double *x) {
  return tangents == 0 ? 0 : tangents == 1 ? fabs(x[0]) : hypot(x[0], x[1]);
}

double lzb_slip(const lzb_contact *c, const double *v) {
  return size(lzb_tangents(c), v + c->t);
}

double lzb_pull(const lzb *z, const lzb_contact *c) {
  return size(lzb_tangents(c), z->f + c->t);
}

double lzb_margin(const lzb *z, const lzb_contact *c) {
  return c->mu * z->f[c->n] - lzb_pull(z, c);
}

double lzb_rate(const lzb *z, int r, double *size) {
  double sum = 0;
  *size = 0;
  for (int j = z->span[r].from; j < z->span[r].to; j++) {
    double term = z->W[r * z->rows + j] * z->f[j];
    sum += term, *size += fabs(term);
  }
  return sum;
}

int lzb_has_direction(const lzb_contact *c, const double *v) {
  if (lzb_tangents(c) < 2 || c->grip != LZB_SLIDE) return 0;
  return lzb_slip(c, v) > (c->sets_out ? LIMIT_LZB_AWAY * TOL_LZB_SETS_OUT : 0);
}

/* in space the direction is that of v; of slip that has just begun it is known otherwise */
static void slide(lzb *z, const lzb_contact *c, const double *v) {
  double limit = c->mu * z->f[c->n], slip = lzb_slip(c, v);
  int turns = lzb_has_direction(c, v);
  for (int r = c->t; r < c->n; r++) z->f[r] = -limit * (turns ? v[r] / slip : c->d[r - c->t]);
}

void lzb_hold(lzb *z, double *f) {
  for (int k = 0; k < z->n_stuck; k++) {
    z->held[k] = 0;
    for (int j = 0; j < z->rows; j++) z->held[k] -= z->Z[j * z->n_stuck + k] * f[j];
  }
  for (int k = 0; k < z->n_stuck; k++) f[z->stuck[k]] = z->held[k];
}

void lzb_forces(lzb *z, const double *x, const double *v) {
  for (int i = 0; i < z->nc; i++) {
    const lzb_contact *c = &z->c[i];
    z->f[c->n] = lzb_touches(c) && !lzb_is_asleep(z, c, x[i], v[c->n]) ? lzb_spring(z, c, x[i]) : 0;
    for (int r = c->t; r < c->n; r++) z->f[r] = 0;
    if (lzb_at_limit(c) && z->f[c->n] != 0) slide(z, c, v);
  }
  if (z->n_stuck) lzb_hold(z, z->f);
}
