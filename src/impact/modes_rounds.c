/* Rounds over the contacts, each solved by itself while the others wait (Gauss-Seidel). Slow at the
 * end, but a round costs no more than W has entries that are not zero: for many contacts.
 *
 * One contact: with q its velocity for p = 0, either q_n >= 0 and p = 0, or it sticks with
 * p = -W^-1 q in the cone, or it slides along -d:
 *
 *   p_n = -q_n/(W_nn + mu W_nt.d),   u_t = q_t + p_n (W_tn + mu W_tt d),   u_t x d = 0, u_t.d <= 0
 *
 * In space d is found by Newton on its angle; where that fails, p <- proj(p - rho u) must do.
 */
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "impact/modes_part.h"
#include "impact/tolerance.h"

/* ---- one contact ---- */

typedef struct one {
  int dim;        /* rows */
  double W[9];    /* dim x dim by columns */
  double q[3];    /* velocity for p = 0 */
  double mu, low; /* low: least normal impulse */
} one;

static int in_cone(const one *o, const double *p) {
  int n = o->dim - 1;
  double t = n == 2 ? hypot(p[0], p[1]) : n == 1 ? fabs(p[0]) : 0;
  return p[n] >= o->low && t <= o->mu * p[n];
}

static int stick(const one *o, double *p) {
  double A[9], r[3];
  int n = o->dim;
  memcpy(A, o->W, sizeof A);
  for (int i = 0; i < n; i++) r[i] = -o->q[i];
  int pivot[3];
  if (modes_lu(n, A, pivot) <= TOL_PIVOT * o->W[n * n - 1]) return 0;
  modes_lu_solve(n, A, pivot, r);
  memcpy(p, r, (size_t)n * sizeof *p);
  return in_cone(o, p);
}

/* p for sliding along -d; u_t x d, and its derivative by the angle; 0 when nothing stops it */
static int slide(const one *o, const double *d, double *p, double *cross, double *slope) {
  int n = o->dim - 1, k = o->dim;
  double along = 0, turned = 0;
  for (int i = 0; i < n; i++) along += o->W[n * k + i] * d[i]; /* NOLINT: n is 1 or 2 */
  double den = o->W[n * k + n] + o->mu * along;
  if (den <= 0) return 0;
  double pn = fmax(o->low, -o->q[n] / den);
  p[n] = pn;
  for (int i = 0; i < n; i++) p[i] = o->mu * pn * d[i];
  if (n < 2) return 1;
  double x[2] = {-d[1], d[0]}, v[2], dv[2];
  for (int i = 0; i < 2; i++) turned += o->W[n * k + i] * x[i];
  double dpn = pn > o->low ? -pn * o->mu * turned / den : 0;
  for (int i = 0; i < 2; i++) {
    double push = o->W[n * k + i] + o->mu * (o->W[i] * d[0] + o->W[k + i] * d[1]);
    v[i] = o->q[i] + pn * push;
    dv[i] = dpn * push + pn * o->mu * (o->W[i] * x[0] + o->W[k + i] * x[1]);
  }
  *cross = v[0] * d[1] - v[1] * d[0];
  *slope = dv[0] * d[1] - dv[1] * d[0] + v[0] * x[1] - v[1] * x[0];
  return 1;
}

/* the direction of friction from d on; 1 when it was found and opposes the slip */
static int turn_to(const one *o, double *d, double *p) {
  double cross = 0, slope = 0;
  for (int i = 0; i < 12; i++) {
    if (!slide(o, d, p, &cross, &slope) || slope == 0) return 0;
    double by = -cross / slope;
    if (fabs(by) > 1) by = copysign(1, by);
    double C = cos(by), S = sin(by), x = d[0] * C - d[1] * S;
    d[1] = d[0] * S + d[1] * C, d[0] = x;
    if (fabs(by) < TOL_ANGLE) break;
  }
  double along = 0;
  for (int i = 0; i < 2; i++)
    along += d[i] * (o->q[i] + o->W[i] * p[0] + o->W[3 + i] * p[1] + o->W[6 + i] * p[2]);
  return along <= 0;
}

/* where sliding goes in the plane: the sign whose velocity it opposes */
static int slide_planar(const one *o, double *p) {
  for (int s = -1; s <= 1; s += 2) {
    double d = s, unused;
    if (slide(o, &d, p, &unused, &unused) && s * (o->q[0] + o->W[0] * p[0] + o->W[2] * p[1]) <= 0)
      return 1;
  }
  return 0;
}

/* p of the contact alone; 0 when this way does not find it */
static int alone(const one *o, double *p) {
  int n = o->dim - 1;
  if (o->low <= 0 && o->q[n] >= 0) {
    for (int i = 0; i <= n; i++) p[i] = 0;
    return 1;
  }
  double d[2] = {0, 0}, unused;
  if (n == 0 || o->mu == 0) return slide(o, d, p, &unused, &unused);
  if (stick(o, p)) return 1;
  if (n == 1) return slide_planar(o, p);
  double size = hypot(o->q[0], o->q[1]);
  if (size == 0) return 0;
  d[0] = -o->q[0] / size, d[1] = -o->q[1] / size;
  return turn_to(o, d, p);
}

/* ---- rounds ---- */

static void relax(modes_work *w, int c, const modes_near *near) {
  const impact_modes *m = w->m;
  modes_contact *k = &w->contact[c];
  one o = {.dim = k->n - k->t + 1, .mu = k->mu, .low = k->low};
  double to[3];
  for (int i = 0; i < o.dim; i++) o.q[i] = w->u[k->t + i];
  for (int j = 0; j < o.dim; j++)
    for (int i = 0; i < o.dim; i++) {
      o.W[j * o.dim + i] = m->W[(size_t)(k->t + j) * (size_t)m->rows + (size_t)(k->t + i)];
      o.q[i] -= o.W[j * o.dim + i] * w->p[k->t + j];
    }
  if (!alone(&o, to)) modes_project(k, w->p, w->u, to);
  for (int j = 0; j < o.dim; j++) {
    double change = to[j] - w->p[k->t + j];
    const double *column = m->W + (size_t)(k->t + j) * (size_t)m->rows;
    w->p[k->t + j] = to[j];
    if (change == 0) continue;
    for (int i = near->start[c]; i < near->start[c + 1]; i++) {
      const modes_contact *other = &w->contact[near->who[i]];
      for (int r = other->t; r <= other->n; r++) w->u[r] += column[r] * change;
    }
  }
}

core_status modes_rounds(modes_work *w, int rounds, double enough) {
  enum { LOOK = 25 };
  core_status status = w->near ? CORE_OK : modes_find_near(w);
  if (status) return status;
  modes_near_velocity(w, w->p, w->u);
  for (int i = 1; i <= rounds && !status; i++) {
    for (int c = 0; c < w->m->nc; c++) relax(w, c, w->near);
    if (core_interrupted()) status = CORE_INTERRUPTED;
    if (i % LOOK && i < rounds) continue;
    modes_near_velocity(w, w->p, w->u);
    modes_look(w, w->p, w->u);
    if (w->residual <= enough) break;
  }
  return status;
}
