/* Rounds over the contacts, each solved by itself while the others wait (Gauss-Seidel). Slow at the
 * end, but a round costs no more than W has entries that are not zero: for many contacts.
 *
 * One contact: with q its velocity for p = 0, either q_n >= 0 and p = 0, or it sticks with
 * p = -W^-1 q in the cone, or it slides along -d:
 *
 *   p_n = -q_n/(W_nn + mu W_nt.d),   u_t = q_t + p_n (W_tn + mu W_tt d),   u_t x d = 0, u_t.d <= 0
 *
 * In space d is found by Newton on its angle; where that fails, p <- proj(p - rho u) must do. W is
 * read from blocks that lie side by side: out of the whole W a round takes ten times as long.
 */
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "impact/modes_part.h"
#include "impact/tolerance.h"

enum { SIDE = MODES_SIDE };

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

/* W_cd of each contact d that c feels, by rows of SIDE, in the order of near->who */
static void copy_blocks(const modes_work *w, double *block) {
  const modes_near *near = w->near;
  for (int c = 0; c < w->m->nc; c++)
    for (int i = near->start[c]; i < near->start[c + 1]; i++) {
      const modes_contact *a = &w->contact[c], *b = &w->contact[near->who[i]];
      double *to = block + (size_t)i * SIDE * SIDE;
      memset(to, 0, SIDE * SIDE * sizeof *to);
      for (int k = b->t; k <= b->n; k++)
        for (int r = a->t; r <= a->n; r++)
          to[(r - a->t) * SIDE + k - b->t] = w->m->W[(size_t)k * (size_t)w->m->rows + (size_t)r];
    }
}

core_status modes_round_begin(modes_work *w, modes_round *z) {
  z->w = w;
  z->block = core_scratch_doubles(w->s, (size_t)w->near->start[w->m->nc] * SIDE * SIDE + 1);
  if (!z->block) return CORE_NO_MEMORY;
  copy_blocks(w, z->block);
  return CORE_OK;
}

/* q += the block times x */
static inline void add_block(const double *b, int rows, int columns, const double *x, double *q) {
  if (rows == SIDE && columns == SIDE) {
    for (int r = 0; r < SIDE; r++, b += SIDE) q[r] += b[0] * x[0] + b[1] * x[1] + b[2] * x[2];
    return;
  }
  for (int r = 0; r < rows; r++)
    for (int k = 0; k < columns; k++) q[r] += b[r * SIDE + k] * x[k];
}

/* contact c and what the others do to it */
static one seen_by(const modes_round *z, int c, const double *p) {
  const modes_contact *k = &z->w->contact[c], *d;
  const modes_near *near = z->w->near;
  one o = {.dim = k->n - k->t + 1, .mu = k->mu, .low = k->low};
  memcpy(o.q, z->w->m->b + k->t, (size_t)o.dim * sizeof *o.q);
  for (int i = near->start[c]; i < near->start[c + 1]; i++) {
    const double *b = z->block + (size_t)i * SIDE * SIDE;
    d = &z->w->contact[near->who[i]];
    if (d != k) {
      add_block(b, o.dim, d->n - d->t + 1, p + d->t, o.q);
      continue;
    }
    for (int j = 0; j < o.dim; j++)
      for (int r = 0; r < o.dim; r++) o.W[j * o.dim + r] = b[r * SIDE + j];
  }
  return o;
}

void modes_round_over(const modes_round *z, double *p) {
  for (int c = 0; c < z->w->m->nc; c++) {
    modes_contact k = z->w->contact[c];
    one o = seen_by(z, c, p);
    double to[SIDE], u[SIDE], *x = p + k.t;
    if (!alone(&o, to)) {
      for (int r = 0; r < o.dim; r++) {
        u[r] = o.q[r];
        for (int j = 0; j < o.dim; j++) u[r] += o.W[j * o.dim + r] * x[j];
      }
      k.n -= k.t, k.t = 0;
      modes_project(&k, x, u, to);
    }
    memcpy(x, to, (size_t)o.dim * sizeof *x);
  }
}

core_status modes_rounds(modes_work *w, int rounds, double enough) {
  enum { LOOK = 25 };
  core_mark mark = core_scratch_mark(w->s);
  modes_near *before = w->near; /* few contacts are solved without, and are again */
  core_status status = before ? CORE_OK : modes_find_near(w);
  modes_round z;
  if (!status) status = modes_round_begin(w, &z);
  for (int i = 1; i <= rounds && !status; i++) {
    modes_round_over(&z, w->p);
    if (core_interrupted()) status = CORE_INTERRUPTED;
    if (i % LOOK && i < rounds) continue;
    modes_near_velocity(w, w->p, w->u);
    modes_look(w, w->p, w->u);
    if (w->residual <= enough) break;
  }
  w->near = before;
  core_scratch_release(w->s, mark);
  return status;
}
