/* The Taylor series of a step in which no slip turns, exact to rounding.
 *
 * p' = D f, v' = B f, y' = v, f_i = -k_i y[row_i], so that
 * v[j+1] = h B f[j] / (j+1), y[j+1] = h v[j] / (j+1). With omega a bound of the frequencies and
 * h omega = 2 the terms left out are 2^25/25! = 2e-18 of the whole. Series need no eigenvectors:
 * slip makes the system unsymmetric, and it may be defective.
 */
#include <string.h>

#include "core/pair.h"
#include "impact/laws/compliant/fast/fast.h"

typedef core_loose_four four;

enum { FEW = 4 };

/* normal forces of held contacts at order j */
static void hold(const compliant *z, int j) {
  double *held = z->series.held + j * z->nc;
  memset(held, 0, (size_t)z->nc * sizeof *held);
  for (int i = 0; i < z->phase.m; i++) {
    double f = compliant_force(z, i, j, 1);
    for (int c = 0; c < z->nc; c++) held[c] += z->phase.G[i * z->nc + c] * f;
  }
}

/* v += by B f[j], as far as the columns reach */
static void accelerate(const compliant *z, int j, double by, double *v) {
  const compliant_phase *f = &z->phase;
  for (int i = 0; i < f->m; i++) {
    const double *b = f->B + (size_t)i * (size_t)z->rows, force = compliant_force(z, i, j, by);
    for (int r = f->reach_B[i].from, to = f->reach_B[i].to; r < to; r++) v[r] += b[r] * force;
  }
}

static void orders_of_many(compliant *z, int to) {
  compliant_series *s = &z->series;
  int rows = z->rows, bodies = fast_bodies(z);
  for (int j = s->order; j < to; j++) {
    double by = s->h * core_taylor_inverse[j];
    double *v = s->v + (j + 1) * rows, *y = s->y + (j + 1) * rows;
    for (int r = 0; r < rows; r++) y[r] = by * v[r - rows], v[r] = 0;
    (bodies ? fast_accelerate : accelerate)(z, j, by, v);
  }
}

/* The same of at most four rows (two contacts in the plane), all at once with B in registers, and
 * zeros for lanes and forces that there are not: a phase there is a step or two, and a tail
 * thousands of phases. Three balls 62 %, two contacts in the plane 48 % more without. */
CORE_PART void orders_of(int rows, compliant *z, int to) {
  const compliant_phase *f = &z->phase;
  compliant_series *s = &z->series;
  double *y = s->y + s->order * rows, *v = s->v + s->order * rows, stiff[FEW] = {0};
  size_t row[FEW] = {0}, size = (size_t)rows * sizeof *y;
  four B[FEW] = {{0}}, now = {0};
  for (int i = 0; i < f->m; i++) {
    memcpy(&B[i], f->B + i * rows, size);
    stiff[i] = -f->stiff[i], row[i] = (size_t)f->row[i];
  }
  memcpy(&now, v, size);
  for (int j = s->order; j < to; j++, y += rows) {
    double by = s->h * core_taylor_inverse[j];
    four next = {0}, moved = by * now;
    for (int i = 0; i < rows; i++) next += B[i] * (by * (stiff[i] * y[row[i]]));
    memcpy(y + rows, &moved, size);
    memcpy(v += rows, &next, size);
    now = next;
  }
}

CORE_WIDE static void find_orders(compliant *z, int to) {
  switch (z->rows) {
    case 2: orders_of(2, z, to); break;
    case 3: orders_of(3, z, to); break;
    case 4: orders_of(4, z, to); break;
    default: orders_of_many(z, to);
  }
}

/* goes on with a linear series */
void compliant_linear_orders(compliant *z, int to) {
  compliant_series *s = &z->series;
  int from = s->order;
  find_orders(z, to);
  for (int j = from; z->phase.held && j <= to; j++) hold(z, j);
  s->order = to;
  s->reach = fast_linear_reach(z);
}

void compliant_linear_series(compliant *z, double time) {
  compliant_series *s = &z->series;
  size_t rows = (size_t)z->rows;
  s->uneven = 0;
  s->h = 2 / z->phase.omega;
  memcpy(s->y, z->y, rows * sizeof *s->y);
  memcpy(s->v, z->v, rows * sizeof *s->v);
  s->order = 0;
  compliant_linear_orders(z, fast_order(z, 2 * time / s->h));
}
