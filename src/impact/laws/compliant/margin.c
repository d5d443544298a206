/* Margins against the next events as polynomials over a step, and their signs just after the start.
 *
 * rho = mu F_n / kt. A margin that starts at zero by definition has leading coefficients that are
 * nothing but rounding: beside the others over the time that the contact lasts, or beside what
 * rounding of the state makes of them.
 */
#include "impact/laws/compliant/margin.h"

#include <math.h>
#include <string.h>

#include "core/poly.h"

enum { N = COMPLIANT_ORDER, LENGTH = COMPLIANT_LENGTH, LONG = MARGIN_LONG };

/* one row of a series; zeros beyond its order */
void margin_gather(const compliant *z, const double *from, int stride, double factor, double *c) {
  int order = z->series.order;
  for (int j = 0; j <= order; j++) c[j] = factor * from[j * stride];
  for (int j = order + 1; j < LENGTH; j++) c[j] = 0;
}

/* c += sign a b, in full: c has 2 N + 1 coefficients and more */
static void add_product(int na, const double *a, const double *b, double sign, double *c) {
  for (int i = 0; i <= na; i++) {
    double by = sign * a[i];
    if (by == 0) continue;
    for (int j = 0; j < LENGTH; j++) c[i + j] += by * b[j];
  }
}

/* c += sign a^2: twice every product but the squares */
void margin_add_square(const double *a, double sign, double *c) {
  for (int i = 0; i <= N; i++) {
    double by = 2 * sign * a[i];
    if (by == 0) continue;
    c[2 * i] += sign * a[i] * a[i];
    for (int j = i + 1; j <= N; j++) c[i + j] += by * a[j];
  }
}

void compliant_normal_force(const compliant *z, int i, double *c) {
  const compliant_contact *k = &z->c[i];
  if (k->touch == HELD)
    margin_gather(z, z->series.held + i, z->nc, 1, c);
  else
    margin_gather(z, z->series.y + k->n, z->rows, -k->k, c);
}

/* v.d; d itself is a series when it turns. Returns the degree. */
static int speed_along(const compliant *z, int i, double *c) {
  const compliant_contact *k = &z->c[i];
  const compliant_series *s = &z->series;
  double v[LENGTH];
  memset(c, 0, LONG * sizeof *c);
  for (int t = 0; t < k->tangents; t++) {
    margin_gather(z, s->v + k->t + t, z->rows, k->turning ? 1 : k->d[t], v);
    if (k->turning)
      add_product(N, v, s->d + (2 * i + t) * LENGTH, 1, c);
    else
      for (int j = 0; j < LENGTH; j++) c[j] += v[j];
  }
  return k->turning ? 2 * N : N;
}

/* slip speed v.d - rho', times pace for held contacts; returns the degree */
int margin_slip_speed(const compliant *z, int i, double *c) {
  const compliant_contact *k = &z->c[i];
  const compliant_series *s = &z->series;
  double ratio = compliant_slip_mu(k) / k->kt;
  int n = speed_along(z, i, c);
  if (k->touch == PRESSED) {
    for (int j = 0; j <= s->order; j++) c[j] += ratio * k->k * s->v[j * z->rows + k->n];
    return n;
  }
  if (s->uneven) {
    double even[LONG];
    memcpy(even, c, sizeof even);
    memset(c, 0, sizeof even);
    add_product(n, even, s->pace, 1, c);
    n += N;
  }
  for (int j = 0; j < s->order; j++) c[j] -= ratio / s->h * (j + 1) * s->held[(j + 1) * z->nc + i];
  return n;
}

/* |a(s)| is at most this on the step */
static double most_of(int order, const double *c, int stride, double reach) {
  double sum = 0;
  for (int j = order; j >= 0; j--) sum = sum * reach + fabs(c[j * stride]);
  return sum;
}

/* In restitution the spring gives way so fast that slip cannot stop, whatever v.d is: true when the
 * least of -rho' is above the most of |v_t|. Saves the products of turning slip. */
int margin_surely_slips(const compliant *z, int i) {
  const compliant_contact *k = &z->c[i];
  const compliant_series *s = &z->series;
  if (k->touch != PRESSED || !(z->v[k->n] > 0)) return 0;
  double reach = s->reach, ratio = compliant_slip_mu(k) / k->kt * k->k;
  double least = 2 * s->v[k->n] - most_of(s->order, s->v + k->n, z->rows, reach), most = 0;
  for (int t = 0; t < k->tangents; t++) most += most_of(s->order, s->v + k->t + t, z->rows, reach);
  return ratio * least > most;
}

/* what rounding of the velocities makes of a slip speed: they are sums of terms of their size */
double compliant_noise(const compliant *z, const compliant_contact *k) {
  return z->v_rounding * (1 + k->mu * k->k / k->kt);
}

/* The part of the step that contact i lasts if its force falls on at the rate it has: coefficients
 * of what it does are large or small over that time, not over the step. */
double margin_lasts(const compliant *z, int i) {
  double c[LENGTH];
  compliant_normal_force(z, i, c);
  return c[0] > 0 && c[1] < 0 ? core_min(1, c[0] / -c[1]) : 1;
}

/* largest |c[j] x^j| from j = from on, over x^from */
static double size_of(const double *c, int from, double x) {
  double size = 0, power = 1;
  for (int j = from; j < LENGTH; j++, power *= x) size = core_max(size, fabs(c[j]) * power);
  return size;
}

/* A contact that has stopped slipping has used up its margin, and the rate of it as well when it
 * came to rest; when a held one is pressed anew it stops at once, and the margin grows from the
 * start. `noise` is what rounding makes of c[used], `x` how long the contact lasts. Wider for
 * margins (used > 0) than for slip speeds: a contact in doubt sticks. */
int margin_skip(const double *c, int used, double x, double noise) {
  double size = size_of(c, used, x);
  return fabs(c[used]) > (used ? TOL_EDGE_MARGIN : TOL_EDGE_SPEED) * size + noise ? used : used + 1;
}

int margin_skip_line(const compliant *z, int i, const double *c) {
  const compliant_contact *k = &z->c[i];
  return margin_skip(c, 1, margin_lasts(z, i), z->series.h * compliant_noise(z, k));
}

/* rho^2 - x^2 starts with 2 (rho rho' - x.v) h, or (rho'^2 - v^2) h^2 when the contact is fresh */
int margin_skip_circle(const compliant *z, int i, int fresh, const double *c) {
  const compliant_contact *k = &z->c[i];
  double h = z->series.h, x = margin_lasts(z, i), noise = 2 * h * compliant_noise(z, k);
  if (fresh) return margin_skip(c, 2, x, noise * h * hypot(z->v[k->t], z->v[k->t + 1]));
  return margin_skip(c, 1, x, noise * hypot(z->y[k->t], z->y[k->t + 1]));
}

/* sign of the slip speed just after the start of a phase that contact i starts without any */
int compliant_slip_sign(const compliant *z, int i) {
  const compliant_contact *k = &z->c[i];
  double c[LONG];
  margin_slip_speed(z, i, c);
  double x = margin_lasts(z, i);
  int lead = compliant_lead(c, margin_skip(c, 0, x, compliant_noise(z, k)), x);
  return lead >= LENGTH || c[lead] > 0 ? 1 : -1;
}

/* rho - side x for one tangent */
void margin_line(const compliant *z, int i, double side, double *c) {
  const compliant_contact *k = &z->c[i];
  double x[LENGTH];
  compliant_normal_force(z, i, c);
  margin_gather(z, z->series.y + k->t, z->rows, 1, x);
  for (int j = 0; j < LENGTH; j++) c[j] = c[j] * (k->mu / k->kt) - side * x[j];
}

/* rho^2 - x1^2 - x2^2 for two tangents */
void margin_circle(const compliant *z, int i, double *c) {
  const compliant_contact *k = &z->c[i];
  double a[LENGTH];
  memset(c, 0, LONG * sizeof *c);
  compliant_normal_force(z, i, a);
  for (int j = 0; j < LENGTH; j++) a[j] *= k->mu / k->kt;
  margin_add_square(a, 1, c);
  for (int t = 0; t < 2; t++) {
    margin_gather(z, z->series.y + k->t + t, z->rows, 1, a);
    margin_add_square(a, -1, c);
  }
}

/* index of the first coefficient from `from` on that is more than rounding in [0, x]; LENGTH when
 * none is */
int compliant_lead(const double *c, int from, double x) {
  double size = size_of(c, from, x);
  for (; from < LENGTH && fabs(c[from]) <= TOL_LEAD * size; from++) size /= x;
  return from;
}

/* the first coefficient from `from` on that is more than what rounding of the state makes of it:
 * one of a deflection, nothing * h (2^j / j!), or of a velocity; LENGTH when none is */
int compliant_above(const double *c, int from, double noise) {
  while (from < LENGTH && fabs(c[from]) <= noise) from++;
  return from;
}

/* no normal motion and no deflection but what rounding makes of them */
int compliant_rests(const compliant *z, const compliant_contact *k) {
  double w = z->W[(size_t)k->n * (size_t)z->rows + (size_t)k->n];
  double deep = k->touch == PRESSED ? fabs(z->y[k->n]) * sqrt(k->k * w) : 0;
  return fabs(z->v[k->n]) <= z->v_rounding && deep <= z->v_rounding;
}

/* sign of the margin against slip just after the start of a phase in which contact i sticks */
int compliant_margin_sign(const compliant *z, int i) {
  const compliant_contact *k = &z->c[i];
  const double *x = z->y + k->t;
  double c[LONG];
  int from;
  if (k->tangents == 1) {
    double side = x[0] != 0 ? x[0] : z->v[k->t];
    margin_line(z, i, side < 0 ? -1 : 1, c);
    from = margin_skip_line(z, i, c);
  } else {
    margin_circle(z, i, c);
    from = margin_skip_circle(z, i, k->just_closed, c);
  }
  int lead = compliant_lead(c, from, margin_lasts(z, i));
  return lead >= LENGTH || c[lead] > 0 ? 1 : -1;
}
