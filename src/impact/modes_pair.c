/* Speed only: Newton's steps of modes_newton.c written out for one or two contacts in the plane
 * (5,400 instructions become 2,000). It sees the same modes in the same order; where it does not
 * end at once, the general way begins again.
 *
 * Unknowns: p_n of a contact that slides, with p_t = s mu p_n; p_t and p_n of one that sticks. */
#include <math.h>

#include "impact/modes_part.h"
#include "impact/tolerance.h"

enum { MOST = 4, STEPS = 8 };

typedef struct small {
  const impact_modes *m;
  int n;           /* unknowns */
  int row[MOST];   /* their equations: u of this row is 0 */
  int other[MOST]; /* the row that goes with it, or -1 */
  double f[MOST];  /* p_other = f p_row */
  double A[MOST][MOST + 1];
  double residual; /* of p, u */
  double speed;    /* largest |b| [m/s] */
  int free;        /* the last unknown is: two ends of one body that both stick */
} small;

static void add_unknown(small *z, int row, int other, double f) {
  z->row[z->n] = row, z->other[z->n] = other, z->f[z->n++] = f;
}

/* modes at p, u by Alart and Curnier's projections, and the residual there; none of impulses that
 * may be those of a wedge */
static void look(small *z, const double *p, const double *u) {
  const impact_modes *m = z->m;
  double worst = 0, most = 0, pushed = 0;
  z->n = 0;
  for (int c = 0; c < m->nc; c++) {
    int t = impact_modes_first(m, c), n = impact_modes_normal(m, c);
    double rho = 1 / m->W[n * m->rows + n], an = p[n] - rho * u[n];
    double Fn = an > 0 ? rho * u[n] : p[n], Ft = 0, push = rho * fabs(m->b[n]);
    if (n > t) {
      double rt = 1 / m->W[t * m->rows + t], at = p[t] - rt * u[t], R = an > 0 ? m->mu[c] * an : 0;
      double s = at > 0 ? 1 : -1, slips = fabs(at) > R || R == 0;
      int mode = an <= 0 ? 0 : !slips ? 1 : s > 0 ? 2 : 3;
      Ft = slips ? p[t] - s * R : rt * u[t];
      push = fmax(push, rt * fabs(m->b[t]));
      most = fmax(most, fabs(p[t]));
      if (mode == 1) add_unknown(z, t, -1, 0);
      if (mode) add_unknown(z, n, mode > 1 ? t : -1, s * m->mu[c]);
    } else if (an > 0) {
      add_unknown(z, n, -1, 0);
    }
    worst = fmax(worst, fmax(fabs(Fn), fabs(Ft)));
    most = fmax(most, fabs(p[n]));
    pushed = fmax(pushed, push);
  }
  double size = fmax(most, pushed);
  z->residual = most > LIMIT_WEDGED * pushed ? INFINITY : size > 0 ? worst / size : worst;
}

/* the system of the modes, by elimination; 0 when it is singular to rounding */
static int eliminate(small *z) {
  const impact_modes *m = z->m;
  int n = z->n, rows = m->rows;
  z->free = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      z->A[i][j] = m->W[z->row[j] * rows + z->row[i]];
      if (z->other[j] >= 0) z->A[i][j] += z->f[j] * m->W[z->other[j] * rows + z->row[i]];
    }
    z->A[i][n] = -m->b[z->row[i]];
  }
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(z->A[i][k]) > fabs(z->A[best][k])) best = i;
    if (!(fabs(z->A[best][k]) > TOL_PAIR_PIVOT * m->W[z->row[k] * rows + z->row[k]]))
      return z->free = k == n - 1 && fabs(z->A[k][n]) <= TOL_RESIDUAL * z->speed;
    for (int j = k; j <= n && best != k; j++) {
      double swap = z->A[k][j];
      z->A[k][j] = z->A[best][j], z->A[best][j] = swap;
    }
    for (int i = k + 1; i < n; i++) {
      double f = z->A[i][k] / z->A[k][k];
      for (int j = k + 1; j <= n; j++) z->A[i][j] -= f * z->A[k][j];
    }
  }
  return 1;
}

/* x from the triangle, the last unknown given */
static void substitute(const small *z, double last, int homogeneous, double *x) {
  int n = z->n;
  for (int k = n - 1; k >= 0; k--) {
    x[k] = homogeneous ? 0 : z->A[k][n];
    for (int j = k + 1; j < n; j++) x[k] -= z->A[k][j] * x[j];
    x[k] = k == n - 1 && z->free ? last : x[k] / z->A[k][k];
  }
}

static void read_off(small *z, double *p, double *u) {
  const impact_modes *m = z->m;
  int rows = m->rows;
  double x[MOST], y[MOST], xy = 0, yy = 0;
  substitute(z, 0, 0, x);
  if (z->free) { /* the shortest of them */
    substitute(z, 1, 1, y);
    for (int k = 0; k < z->n; k++) xy += x[k] * y[k], yy += y[k] * y[k];
    for (int k = 0; k < z->n; k++) x[k] -= xy / yy * y[k];
  }
  for (int i = 0; i < rows; i++) p[i] = 0, u[i] = m->b[i];
  for (int k = 0; k < z->n; k++) {
    p[z->row[k]] = x[k];
    if (z->other[k] >= 0) p[z->other[k]] = z->f[k] * x[k];
  }
  for (int j = 0; j < rows; j++)
    for (int i = 0; i < rows; i++) u[i] += m->W[j * rows + i] * p[j];
}

int modes_pair(const impact_modes *m, double *p, double *u) {
  small z = {.m = m};
  if (m->nc > 2 || m->low || m->guess || m->rows > MOST) return 0;
  for (int c = 0; c < m->nc; c++)
    if (impact_modes_normal(m, c) > impact_modes_first(m, c) + 1) return 0;
  for (int i = 0; i < m->rows; i++) {
    if (!(m->W[i * m->rows + i] > 0)) return 0;
    p[i] = 0, u[i] = m->b[i];
    z.speed = fmax(z.speed, fabs(m->b[i]));
  }
  look(&z, p, u);
  for (int i = 0; i < STEPS; i++) {
    if (z.residual <= TOL_RESIDUAL) return 1;
    if (!eliminate(&z)) return 0;
    read_off(&z, p, u);
    look(&z, p, u);
  }
  return z.residual <= TOL_RESIDUAL;
}
