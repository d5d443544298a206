/* Sums over the rows of a series: their values, their integrals, and the work that friction takes.
 *
 * All rows go side by side: many along memory, a few four and two at a time (two contacts in the
 * plane 9 to 19 % more without the few).
 */
#include <string.h>

#include "core/pair.h"
#include "impact/laws/compliant/state.h"

typedef core_loose_four four;

enum { FEW_ROWS = 8 };

/* ---- values and integrals ---- */

/* Horner's rule; an integral is s times the sum of c[j] / (j + 1) s^j */
CORE_PART void many(int integral, int order, int rows, const double *c, double s, double *out) {
  memset(out, 0, (size_t)rows * sizeof *out);
  for (int j = order; j >= 0; j--) {
    const double *cj = c + j * rows, by = core_taylor_inverse[j];
    for (int r = 0; r < rows; r++) out[r] = out[r] * s + (integral ? cj[r] * by : cj[r]);
  }
  for (int r = 0; integral && r < rows; r++) out[r] *= s;
}

CORE_PART void few(int integral, int order, int rows, const double *c, double s, double *out) {
  int r = 0;
  for (; r + 3 < rows; r += 4) {
    four f = {0};
    for (int j = order; j >= 0; j--)
      f = f * s + *(const four *)(c + j * rows + r) * (integral ? core_taylor_inverse[j] : 1);
    *(four *)(out + r) = f * (integral ? s : 1);
  }
  for (; r + 1 < rows; r += 2) {
    core_pair f = {0};
    for (int j = order; j >= 0; j--)
      f = f * s + core_pair_at(c + j * rows + r) * (integral ? core_taylor_inverse[j] : 1);
    core_pair_put(out + r, f * (integral ? s : 1));
  }
  if (r == rows) return;
  out[r] =
      integral ? core_taylor_integral(order, c + r, rows, s) : core_poly_at(order, c + r, rows, s);
}

CORE_WIDE void compliant_rows_at(const compliant *z, int order, const double *c, double s,
                                 double *out) {
  if (z->rows < FEW_ROWS)
    few(0, order, z->rows, c, s, out);
  else
    many(0, order, z->rows, c, s, out);
}

CORE_WIDE void compliant_rows_up_to(const compliant *z, const double *c, double s, double *out) {
  if (z->rows < FEW_ROWS)
    few(1, z->series.order, z->rows, c, s, out);
  else
    many(1, z->series.order, z->rows, c, s, out);
}

/* ---- friction's work ---- */

const compliant_node compliant_gauss[5] = {{0.14887433898163121088, 0.29552422471475287017},
                                           {0.43339539412924719080, 0.26926671930999635509},
                                           {0.67940956829902440623, 0.21908636251598204400},
                                           {0.86506336668898451073, 0.14945134915058059315},
                                           {0.97390652851717172008, 0.06667134430868813759}};

/* the integral of the product of two series over the step up to s, by 2/s: both side by side at the
 * 10 nodes (and two idle ones) */
CORE_PART double product(int order, const double *a, int na, const double *b, int nb,
                         const four *at) {
  const compliant_node *node = compliant_gauss;
  four x[3] = {{0}}, y[3] = {{0}}, sum = {0};
  a += order * na, b += order * nb;
  for (int j = order; j >= 0; j--, a -= na, b -= nb)
    for (int g = 0; g < 3; g++) x[g] = x[g] * at[g] + *a, y[g] = y[g] * at[g] + *b;
  for (int g = 0; g < 3; g++, node += 2) {
    four weight = {node[0].weight, node[0].weight};
    if (g < 2) weight[2] = weight[3] = node[1].weight;
    sum += weight * x[g] * y[g];
  }
  return sum[0] + sum[1] + sum[2] + sum[3];
}

/* of one contact: -F_t.v_t, which is mu F_n v.d where d is fixed */
CORE_PART double work_of(const compliant *z, int i, const four *at) {
  const compliant_contact *k = &z->c[i];
  const compliant_series *q = &z->series;
  int held = k->touch == HELD, n = q->order, rows = z->rows;
  const double *v = q->v + k->t, *press = held ? q->held + i : q->y + k->n;
  double sum = 0, friction = slip_mu(k) * (held ? 1 : -k->k);
  for (int t = 0; t < k->tangents; t++)
    sum += q->turning
               ? -product(n, q->f + k->t + t, rows, v + t, rows, at)
               : friction * k->d[t] * product(n, press, held ? z->nc : rows, v + t, rows, at);
  return sum;
}

/* The work against the tangential forces of slipping contacts, integrated (Gauss, 10
 * points, exact to rounding on a step). What the springs do not keep of it, friction
 * takes: that is not what is missing from the energy as a whole, and the ledger checks it. */
CORE_WIDE double compliant_slip_work(const compliant *z, double s) {
  double sum = 0;
  four at[3] = {{0}};
  for (int g = 0; g < 5; g++) {
    double x = compliant_gauss[g].x;
    at[g / 2][g % 2 * 2] = s * (1 - x) / 2, at[g / 2][g % 2 * 2 + 1] = s * (1 + x) / 2;
  }
  for (int i = 0; i < z->nc; i++)
    if (slips(&z->c[i])) sum += work_of(z, i, at);
  return sum * z->series.h * s / 2;
}
