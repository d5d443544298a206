/* Where two bodies touch, and how fast.
 *
 * Body 1 ends in a ball of radius rho about C1: its own ball (C1 = x1), or the bare point
 * C1 = x1 + R1 arm1 with rho = 0. Body 2 is a ball, n = (C1 - x2) / |C1 - x2|, or has a flat face
 * through x2 + R2 arm2 whose normal n turns with it. With the points c1 = C1 - rho n of body 1 and
 * c2 = c1 - gap n of body 2, d_i = c_i - x_i and the frame E = (t1, t2, n):
 *
 *   v = E^T (V1 + omega1 x d1 - V2 - omega2 x d2);  row e of J: (e, d1 x e, -e, -d2 x e)
 */
#include "model/pair.h"

#include <math.h>

#include "model/common.h"
#include "model/rigid.h"

void model_pair_touch(const pair *p, const double *q, pair_touch *t) {
  double far[3];
  model_rotation(q + 3, t->R[0]);
  model_rotation(q + 10, t->R[1]);
  model_turn(t->R[0], p->reach[0], t->reach);
  for (int i = 0; i < 3; i++) t->C[i] = q[i] + t->reach[i] - q[7 + i];
  t->size = sqrt(model_dot(t->C, t->C));
  if (p->face) {
    model_turn(t->R[1], p->n2, t->n);
    model_turn(t->R[1], p->reach[1], far);
    t->gap = model_dot(t->n, t->C) - model_dot(t->n, far) - p->rho;
  } else {
    for (int i = 0; i < 3; i++) t->n[i] = t->C[i] / t->size;
    t->gap = t->size - p->rho - p->r2;
  }
  for (int i = 0; i < 3; i++) {
    t->d[0][i] = t->reach[i] - p->rho * t->n[i];
    t->d[1][i] = t->C[i] - (p->rho + t->gap) * t->n[i];
  }
}

core_status model_pair_gap(const model *m, const double *q, double *out) {
  pair_touch t;
  model_pair_touch(m->params, q, &t);
  *out = t.gap;
  return CORE_OK;
}

static void fill_jacobian(const pair_touch *t, const double *E, double *J) {
  for (int r = 0; r < 3; r++)
    for (int b = 0; b < 2; b++) {
      double sign = b ? -1 : 1, turn[3];
      model_cross(t->d[b], E + 3 * r, turn);
      for (int i = 0; i < 3; i++) {
        J[3 * (6 * b + i) + r] = sign * E[3 * r + i];
        J[3 * (6 * b + 3 + i) + r] = sign * turn[i];
      }
    }
}

core_status model_pair_jacobian(const model *m, const double *q, double *J) {
  pair_touch t;
  double E[9];
  model_pair_touch(m->params, q, &t);
  model_frame(t.n, E);
  fill_jacobian(&t, E, J);
  return CORE_OK;
}

/* Y: 1/m and R Q^-1 R^T on the blocks of J^T; W = J Y */
core_status model_pair_collide(const model *m, const double *q, int n, const int *contacts,
                               core_scratch *s, double *J, double *Y, double *W, double *open) {
  const pair *p = m->params;
  pair_touch t;
  double E[9], inverse[9];
  (void)contacts, (void)s;
  if (n == 0) return CORE_OK;
  model_pair_touch(p, q, &t);
  model_frame(t.n, E);
  fill_jacobian(&t, E, J);
  for (int b = 0; b < 2; b++) {
    model_inertia_world(t.R[b], p->Qi[b], inverse);
    for (int r = 0; r < 3; r++) {
      double *y = Y + 12 * r + 6 * b, turn[3];
      for (int i = 0; i < 3; i++) {
        y[i] = J[3 * (6 * b + i) + r] / p->m[b];
        turn[i] = J[3 * (6 * b + 3 + i) + r];
      }
      model_turn(inverse, turn, y + 3);
    }
  }
  model_waist(12, 3, J, Y, W);
  *open = t.gap;
  return CORE_OK;
}

/* n': omega2 x n for a face, (C' - n n.C') / |C| for a ball */
static void normal_rate(const pair *p, const pair_touch *t, const double *u, const double *Cdot,
                        double *ndot) {
  if (p->face) {
    model_cross(u + 9, t->n, ndot);
    return;
  }
  double along = model_dot(t->n, Cdot);
  for (int i = 0; i < 3; i++) ndot[i] = (Cdot[i] - along * t->n[i]) / t->size;
}

/* with u' = 0:  E'^T v + E^T (omega1 x d1' - omega2 x d2'),
 * d1' = omega1 x reach - rho n',  d2' = C' - rho n' - gap' n - gap n',  gap' = n.v */
core_status model_pair_drift(const model *m, const double *q, const double *u, double *a) {
  const pair *p = m->params;
  pair_touch t;
  double E[9], Ed[9], turn[3], Cd[3], nd[3], v1[3], v2[3], v[3], d1[3], d2[3], a1[3], a2[3], w[3];
  model_pair_touch(p, q, &t);
  model_cross(u + 3, t.reach, turn);
  for (int i = 0; i < 3; i++) Cd[i] = u[i] + turn[i] - u[6 + i];
  normal_rate(p, &t, u, Cd, nd);
  model_cross(u + 3, t.d[0], v1);
  model_cross(u + 9, t.d[1], v2);
  for (int i = 0; i < 3; i++) v[i] = u[i] + v1[i] - u[6 + i] - v2[i];
  double opening = model_dot(t.n, v);
  for (int i = 0; i < 3; i++) {
    d1[i] = turn[i] - p->rho * nd[i];
    d2[i] = Cd[i] - p->rho * nd[i] - opening * t.n[i] - t.gap * nd[i];
  }
  model_cross(u + 3, d1, a1);
  model_cross(u + 9, d2, a2);
  for (int i = 0; i < 3; i++) w[i] = a1[i] - a2[i];
  model_frame(t.n, E);
  model_frame_rate(t.n, nd, Ed);
  for (int r = 0; r < 3; r++) a[r] = model_dot(Ed + 3 * r, v) + model_dot(E + 3 * r, w);
  return CORE_OK;
}
