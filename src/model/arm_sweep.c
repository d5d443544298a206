/* The recursions of the planar arm: articulated bodies, with everything in the frame of the floor.
 *
 * What hangs on the end of link i answers a force F there like a 2 x 2 mass A: F = A a + b. With
 * r = l (-s, c), how the end moves with the link's absolute angle, the link and what hangs on it
 * have about their upper joint
 *
 *   D = I + r.A r,   U = A r + beta r  (beta = m c / l),
 *   D alpha + U.a = torque + r.F,    and above the joint they answer like  A + m - U U^T / D.
 *
 * One sweep from the tip to the support gives D, U and what is left of each force, one sweep back
 * gives the angular accelerations alpha. With tau = r.F for unit impulses F, M^-1 = L^T D^-1 L
 * becomes W = sum tau tau^T / D: symmetric and positive semi-definite by construction.
 */
#include <math.h>
#include <string.h>

#include "core/sincos.h"
#include "model/arm.h"
#include "model/tolerance.h"

#define SWEEP_INLINE static inline __attribute__((always_inline))

/* 2 x 2 symmetric mass [kg] */
typedef struct mass2 {
  double tt, tn, nn;
} mass2;

/* what one link adds: D, its inverse and U / D */
typedef struct hinge {
  double D, inverse, t, n;
} hinge;

SWEEP_INLINE hinge hinge_of(const arm_link *k, const double *r, mass2 A) {
  double wt = A.tt * r[0] + A.tn * r[1], wn = A.tn * r[0] + A.nn * r[1];
  hinge h;
  h.D = k->I + r[0] * wt + r[1] * wn;
  h.inverse = 1 / h.D;
  h.t = (wt + k->beta * r[0]) * h.inverse;
  h.n = (wn + k->beta * r[1]) * h.inverse;
  return h;
}

/* 0 when D is nothing but rounding of what it is made of, or NaN */
SWEEP_INLINE int turns(const arm_link *k, mass2 A, hinge h) {
  return h.D > MODEL_LINK_MASSLESS * (k->I + k->l * k->l * (A.tt + A.nn));
}

static core_status stuck(hinge h) {
  return isfinite(h.D) ? CORE_SINGULAR : CORE_NOT_FINITE;
}

/* A + m - U U^T / D */
SWEEP_INLINE mass2 above(const arm_link *k, mass2 A, hinge h) {
  double Ut = h.t * h.D, Un = h.n * h.D;
  return (mass2){A.tt + k->m - Ut * h.t, A.tn - Ut * h.n, A.nn + k->m - Un * h.n};
}

/* r of the first n links */
static void turn_links(const arm *a, int n, const double *q, double *r) {
  double angle[2] = {0, -a->slope};
  core_pair s, c;
  for (int i = 0; i < n; i += 2) { /* two at a time; of an odd number the last one alone */
    int last = i + 1 == n;
    angle[0] = angle[1] + q[i];
    angle[1] = angle[0] + (last ? 0 : q[i + 1]);
    core_sincos2(angle, &s, &c);
    r[2 * i] = -a->link[i].l * s[0], r[2 * i + 1] = a->link[i].l * c[0];
    if (!last) r[2 * i + 2] = -a->link[i + 1].l * s[1], r[2 * i + 3] = a->link[i + 1].l * c[1];
  }
}

/* ---- impacts ---- */

/* memory of a sweep */
typedef struct sweep {
  double *r; /* 2 n */
  double *U; /* 2 n: U / D */
  double *F; /* 2 rows: what is left of each unit impulse */
  double *x; /* 2 n contacts: contact seen from the current joint; later a: 2 rows */
} sweep;

/* from the tip to the support: J, D, U and tau / D (into Y), W */
SWEEP_INLINE core_status inwards(const int nc, const arm *a, const int *contacts, sweep *s,
                                 double *J, double *Y, double *W, double *gap) {
  const int rows = 2 * nc;
  int n = a->n;
  mass2 A = {0, 0, 0};
  double tau[2];
  for (int i = 0; i < 2 * rows; i++) s->F[i] = 0;
  for (int i = 0; i < rows; i++) s->x[i] = 0;
  for (int i = 0; i < rows * rows; i++) W[i] = 0;
  for (int i = n - 1; i >= 0; i--) {
    const arm_link *k = &a->link[i];
    const double *r = s->r + 2 * i;
    hinge h = hinge_of(k, r, A);
    if (!turns(k, A, h)) return stuck(h);
    A = above(k, A, h);
    s->U[2 * i] = h.t, s->U[2 * i + 1] = h.n;
    for (int c = 0; c < nc; c++) {
      double *F = s->F + 4 * c, *x = s->x + 2 * c;
      if (i == a->at[contacts[c]]) F[0] = F[3] = 1;
      if (i <= a->at[contacts[c]]) x[0] += r[0], x[1] += r[1];
      J[i * rows + 2 * c] = x[0];
      J[i * rows + 2 * c + 1] = x[1];
      for (int e = 0; e < 2; e++) {
        tau[e] = r[0] * F[2 * e] + r[1] * F[2 * e + 1];
        Y[(2 * c + e) * n + i] = tau[e] * h.inverse;
        F[2 * e] -= h.t * tau[e];
        F[2 * e + 1] -= h.n * tau[e];
      }
      for (int e = 0; e < 2; e++)
        for (int p = 0; p <= 2 * c + e; p++) W[p * rows + 2 * c + e] += tau[e] * Y[p * n + i];
    }
  }
  for (int j = 0; j < rows; j++)
    for (int i = 0; i < j; i++) W[j * rows + i] = W[i * rows + j];
  for (int c = 0; c < nc; c++) gap[c] = -s->x[2 * c] - a->floor; /* x is turned by a right angle */
  return CORE_OK;
}

/* back to the tip: alpha = tau / D - (U / D).a, relative rates into Y, a of the next joint */
SWEEP_INLINE void outwards(const int nc, const arm *a, sweep *s, double *Y) {
  const int rows = 2 * nc;
  int n = a->n;
  double *at = s->F, *before = s->x;
  for (int i = 0; i < 2 * rows; i++) at[i] = 0;
  for (int i = 0; i < rows; i++) before[i] = 0;
  for (int i = 0; i < n; i++)
    for (int p = 0; p < rows; p++) {
      double alpha = Y[p * n + i] - s->U[2 * i] * at[2 * p] - s->U[2 * i + 1] * at[2 * p + 1];
      Y[p * n + i] = alpha - before[p];
      before[p] = alpha;
      at[2 * p] += s->r[2 * i] * alpha;
      at[2 * p + 1] += s->r[2 * i + 1] * alpha;
    }
}

/* one contact in registers: the common case */
static core_status collide_one(const arm *a, const int *contacts, sweep *s, double *J, double *Y,
                               double *W, double *gap) {
  double F[4], x[2], w[4];
  s->F = F, s->x = x;
  core_status status = inwards(1, a, contacts, s, J, Y, w, gap);
  if (!status) outwards(1, a, s, Y);
  memcpy(W, w, sizeof w);
  return status;
}

core_status model_arm_collide(const model *m, const double *q, int n, const int *contacts,
                              core_scratch *scratch, double *J, double *Y, double *W, double *gap) {
  const arm *a = m->extra;
  size_t links = (size_t)a->n, contacts_n = (size_t)n;
  double *block = core_scratch_doubles(scratch, 4 * links + 6 * contacts_n);
  if (!block) return CORE_NO_MEMORY;
  sweep s = {block, block + 2 * links, block + 4 * links, block + 4 * links + 4 * contacts_n};
  turn_links(a, a->n, q, s.r);
  if (n == 1) return collide_one(a, contacts, &s, J, Y, W, gap);
  core_status status = inwards(n, a, contacts, &s, J, Y, W, gap);
  if (!status) outwards(n, a, &s, Y);
  return status;
}

core_status model_arm_regular(const arm *a, const double *q) {
  double angle = -a->slope, r[2];
  mass2 A = {0, 0, 0};
  for (int i = 0; i < a->n; i++) angle += q[i];
  for (int i = a->n - 1; i >= 0; angle -= q[i--]) {
    const arm_link *k = &a->link[i];
    r[0] = -k->l * sin(angle), r[1] = k->l * cos(angle);
    hinge h = hinge_of(k, r, A);
    if (!turns(k, A, h)) return stuck(h);
    A = above(k, A, h);
  }
  return CORE_OK;
}

/* ---- motion ---- */

/* torques of all joints, and that of none beyond the tip */
static void torques(const arm *a, const double *q, const double *u, const double *h, double *out) {
  if (a->loose)
    memset(out, 0, (size_t)a->n * sizeof *out);
  else
    for (int i = 0; i < a->n; i++) out[i] = arm_torque(a, i, q, u);
  for (int i = 0; h && i < a->n; i++) out[i] += h[i];
  out[a->n] = 0;
}

/* With w the absolute rate of the last of n links, the end of a link moves with a_end = a + r alpha
 * - z, where z = l w^2 (c, s) = w^2 (r_n, -r_t); gravity enters as the support's acceleration -g:
 *   torque = D alpha + U.a + r.(b - A z)
 *   b above the joint: b - A z - beta z + (U / D) (torque - r.(b - A z))
 * `end` is what hangs on the last of them. */
static core_status bias_inwards(const arm *a, int n, const double *u, const double *torque,
                                double w, arm_answer end, const double *r, double *U,
                                double *alpha) {
  mass2 A = {end.tt, end.tn, end.nn};
  double bt = end.bt, bn = end.bn;
  for (int i = n - 1; i >= 0; w -= u[i--]) {
    const arm_link *k = &a->link[i];
    const double *ri = r + 2 * i;
    hinge hg = hinge_of(k, ri, A);
    if (!turns(k, A, hg)) return stuck(hg);
    double zt = w * w * ri[1], zn = -w * w * ri[0];
    double ft = bt - A.tt * zt - A.tn * zn, fn = bn - A.tn * zt - A.nn * zn;
    double tau = torque[i] - torque[i + 1] - ri[0] * ft - ri[1] * fn;
    alpha[i] = tau * hg.inverse;
    bt = ft - k->beta * zt + hg.t * tau;
    bn = fn - k->beta * zn + hg.n * tau;
    A = above(k, A, hg);
    U[2 * i] = hg.t, U[2 * i + 1] = hg.n;
  }
  return CORE_OK;
}

/* how a joint moves, and the link above it turns */
typedef struct carried {
  double at, an, alpha;
} carried;

/* back along the first n links: relative accelerations into udot; what their end does comes out */
static carried bias_outwards(const arm *a, int n, const double *u, const double *r, const double *U,
                             double *udot) {
  double w = 0, at = -a->g[0], an = -a->g[1], before = 0;
  for (int i = 0; i < n; i++) {
    const double *ri = r + 2 * i;
    double alpha = udot[i] - U[2 * i] * at - U[2 * i + 1] * an;
    w += u[i];
    at += ri[0] * alpha - w * w * ri[1];
    an += ri[1] * alpha + w * w * ri[0];
    udot[i] = alpha - before;
    before = alpha;
  }
  return (carried){at, an, before};
}

static double sum_of(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i];
  return sum;
}

core_status model_arm_accelerate(const model *m, double t, const double *q, const double *u,
                                 const double *h, core_scratch *s, double *udot) {
  const arm *a = m->extra;
  size_t n = (size_t)a->n;
  int alone = a->n - 4 * a->wide.length; /* links before the four parts */
  double *r = core_scratch_doubles(s, 5 * n + 1), *U = r + 2 * n, *torque = U + 2 * n;
  arm_answer end = {0, 0, 0, 0, 0};
  struct arm_parts *parts = NULL;
  (void)t;
  if (!r) return CORE_NO_MEMORY;
  torques(a, q, u, h, torque);
  if (alone < a->n)
    parts = model_arm_wide_in(a, q + alone, u + alone, sum_of(alone, q) - a->slope,
                              sum_of(alone, u), torque + alone, s, &end);
  if (!parts) alone = a->n;
  turn_links(a, alone, q, r);
  core_status status = bias_inwards(a, alone, u, torque, sum_of(alone, u), end, r, U, udot);
  if (status) return status;
  carried last = bias_outwards(a, alone, u, r, U, udot);
  if (parts) model_arm_wide_out(a, parts, last.at, last.an, last.alpha, udot + alone);
  return CORE_OK;
}

/* Each link turns with w about its upper joint, which moves with v:
 *   2 T = sum m v^2 + 2 beta l w (v . n) + I w^2,  v of the next joint = v + l w n. */
core_status model_arm_kinetic(const model *m, const double *q, const double *u, double *energy) {
  const arm *a = m->extra;
  double angle = 0, w = 0, vx = 0, vy = 0, twice = 0;
  for (int i = 0; i < a->n; i++) {
    const arm_link *k = &a->link[i];
    angle += q[i];
    w += u[i];
    double nx = -k->l * w * sin(angle), ny = k->l * w * cos(angle); /* l w n */
    twice += k->m * (vx * vx + vy * vy) + 2 * k->beta * (vx * nx + vy * ny) + k->I * w * w;
    vx += nx, vy += ny;
  }
  *energy = twice / 2;
  return CORE_OK;
}
