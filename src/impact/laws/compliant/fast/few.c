/* Linear steps of at most four rows (two contacts in the plane), all of them at once: the sums of
 * the plain way in its order, so that all bits stay. A phase there is a step or two, and a tail
 * thousands of phases.
 */
#include <string.h>

#include "impact/laws/compliant/fast/inside.h"

typedef compliant_four four;

enum { FEW = 4 };

/* ---- the forces ---- */

/* B = W D, whose columns are zero but on the rows of one contact */
CORE_PART void make_B(int rows, compliant *z) {
  compliant_phase *f = &z->phase;
  size_t size = (size_t)rows * sizeof *f->B;
  for (int i = 0; i < f->m; i++) {
    const double *column = f->D + i * rows;
    four sum = {0}, w = {0};
    for (int r = f->reach_D[i].to - 1; r >= f->reach_D[i].from; r--) {
      memcpy(&w, z->W + r * rows, size);
      sum += w * column[r];
    }
    memcpy(f->B + i * rows, &sum, size);
    f->reach_B[i] = (impact_span){0, rows};
  }
}

CORE_WIDE int fast_make_B(compliant *z) {
  if (!z->fast) return 0;
  switch (z->rows) {
    case 2: make_B(2, z); return 1;
    case 3: make_B(3, z); return 1;
    case 4: make_B(4, z); return 1;
    default: return 0;
  }
}

/* ---- the series ---- */

/* v[j+1] = h B f[j] / (j+1), y[j+1] = h v[j] / (j+1); B in registers, with zeros for lanes and
 * forces that there are not */
CORE_PART void orders(int rows, compliant *z, int to) {
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

CORE_WIDE int fast_linear_orders(compliant *z, int to) {
  if (!z->fast) return 0;
  switch (z->rows) {
    case 2: orders(2, z, to); return 1;
    case 3: orders(3, z, to); return 1;
    case 4: orders(4, z, to); return 1;
    default: return 0;
  }
}

/* ---- friction's work ---- */

/* F_n and v.d of one contact, side by side at the 10 nodes of Gauss's rule on [0, s] (and two idle
 * ones) */
CORE_PART double work_of(const compliant *z, int i, const four *at) {
  const compliant_contact *k = &z->c[i];
  const compliant_series *q = &z->series;
  int held = k->touch == HELD, stride = held ? z->nc : z->rows, plane = k->tangents == 1;
  const double *press = (held ? q->held + i : q->y + k->n) + q->order * stride;
  const double *v = q->v + q->order * z->rows + k->t, d = k->d[0], other = k->d[1];
  four force[3] = {{0}}, speed[3] = {{0}}, power = {0};
  for (int j = q->order; j >= 0; j--, press -= stride, v -= z->rows) {
    double along = plane ? v[0] * d : v[0] * d + v[1] * other, normal = *press;
    for (int g = 0; g < 3; g++) {
      force[g] = force[g] * at[g] + normal;
      speed[g] = speed[g] * at[g] + along;
    }
  }
  for (int g = 0; g < 3; g++) {
    const compliant_node *node = compliant_gauss;
    four weight = {node[2 * g].weight, node[2 * g].weight};
    if (g < 2) weight[2] = weight[3] = node[2 * g + 1].weight;
    power += weight * force[g] * speed[g];
  }
  return slip_mu(k) * (held ? 1 : -k->k) * (power[0] + power[1] + power[2] + power[3]);
}

CORE_WIDE int fast_linear_work(const compliant *z, double s, double *work) {
  if (!z->fast || z->series.turning) return 0;
  double sum = 0;
  four at[3] = {{0}};
  for (int g = 0; g < 5; g++) {
    double x = compliant_gauss[g].x;
    at[g / 2][g % 2 * 2] = s * (1 - x) / 2, at[g / 2][g % 2 * 2 + 1] = s * (1 + x) / 2;
  }
  for (int i = 0; i < z->nc; i++)
    if (slips(&z->c[i])) sum += work_of(z, i, at);
  *work = sum * z->series.h * s / 2;
  return 1;
}
