/* Dynamic stiffness of a tree in the plane (stiffness.h): 3 x 3 numbers per body and shift.
 *
 * A body with spin w, P its parent, r from the parent's origin, h = rho(m c), moves and needs
 *
 *   a = a_P + alpha_P rho(r) - w_P^2 r  (+ 2 w_P v rho(d) + v' d on a slide along d with speed v)
 *   n = I alpha + h.a,   f = h alpha + m a - w^2 m c;   its parent feels n + rho(r).f and f.
 *
 * Everything turns with the angles, so with W and A the variations of w and a, and with that of the
 * angle (Q + W)/s and of alpha s W - R, where Q and R are sums of r_q and r_u up to the body,
 *
 *   A = A_P + g W_P + g0  (+ e w + e0 on a slide),   (n, f) = Z (W, A) + z0.
 *
 * g: s rho(r) - 2 w_P r - (alpha_P r + w_P^2 rho(r))/s, and on a slide + 2 v rho(d)
 *    + (v' rho(d) - 2 w_P v d)/s;   e: s d + 2 w_P rho(d) + (alpha_P rho(d) - w_P^2 d)/s;
 * Z of a body alone: by W  I s - m c.a/s,  h s - 2 w m c - (alpha m c + w^2 h)/s;  by A  h, m;
 * g0, e0 and z0: the same with Q for W where there is 1/s, -R for W where there is s.
 *
 * The joint turns by w, W = W_P + w, so that n + kappa w + kappa_0 = 0 with kappa = k/s + damper
 * + armature s; a slide has d.f instead, and f turns against d. This row takes w out, and what is
 * left of Z is what the parent feels.
 */
#include "model/plane_stiff.h"

#include <math.h>
#include <string.h>

/* ---- factors: from the tips to the root ---- */

/* a body alone */
CORE_PART void own(const lane_shift *s, const plane_body *b, const plane_state *x, plane_joint *j) {
  const lanes none = {{0}, {0}};
  lanes_at(s, b->I, 0, x->Wn, &j->W[0]);
  for (int c = 0; c < 2; c++) {
    lanes_at(s, x->Wf[0][c], x->Wf[1][c], x->Wf[2][c], &j->W[1 + c]);
    j->A[0][c] = j->A[1][c] = j->A[2][c] = none;
    j->A[0][c].re += x->Wf[0][c];
    j->A[1 + c][c].re += b->m;
    lanes_at(s, x->g[0][c], x->g[1][c], x->g[2][c], &j->g[c]);
  }
}

/* along d: to = d.(rows 1 and 2), which are x and y */
CORE_PART void along(const double *d, const lanes *x, const lanes *y, lanes *to) {
  to->re = d[0] * x->re + d[1] * y->re;
  to->im = d[0] * x->im + d[1] * y->im;
}

/* the column of the joint's speed in U, its row in V */
CORE_PART void joint_row(const lane_shift *s, const plane_body *b, const plane_state *x,
                         plane_joint *j) {
  lanes kappa, e[2];
  lanes_at(s, b->armature, b->damper, b->k, &kappa);
  if (b->joint == MECHANISM_HINGE) {
    memcpy(j->U, j->W, sizeof j->U);
    j->V[0] = j->W[0], j->V[1] = j->A[0][0], j->V[2] = j->A[0][1];
    j->inverse.re = kappa.re + j->W[0].re;
    j->inverse.im = kappa.im + j->W[0].im;
    return;
  }
  for (int c = 0; c < 2; c++) lanes_at(s, x->e[0][c], x->e[1][c], x->e[2][c], &e[c]);
  lanes_at(s, 0, 0, x->turned, &j->U[0]);
  along(b->d, &j->W[1], &j->W[2], &j->V[0]);
  lanes_add_real(&j->V[0], x->turned, &s->by);
  for (int c = 0; c < 2; c++) {
    j->U[1 + c] = (lanes){{0}, {0}};
    along(b->d, &j->A[1][c], &j->A[2][c], &j->V[1 + c]);
  }
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 2; c++) lanes_add(&j->U[r], &j->A[r][c], &e[c]);
  along(b->d, &j->U[1], &j->U[2], &j->inverse);
  j->inverse.re += kappa.re;
  j->inverse.im += kappa.im;
}

/* Z - U V, V over the pivot */
CORE_PART void eliminate(plane_joint *j) {
  lanes_invert(&j->inverse);
  for (int c = 0; c < 3; c++) {
    lanes v = {{0}, {0}};
    lanes_add(&v, &j->V[c], &j->inverse);
    j->V[c] = v;
  }
  for (int r = 0; r < 3; r++) {
    lanes_sub(&j->W[r], &j->U[r], &j->V[0]);
    for (int c = 0; c < 2; c++) lanes_sub(&j->A[r][c], &j->U[r], &j->V[1 + c]);
  }
}

/* x += a force, which acts at r */
CORE_PART void hand_down(const double *r, const lanes *n, const lanes *fx, const lanes *fy,
                         lanes *to_n, lanes *to_x, lanes *to_y) {
  to_n->re += n->re - r[1] * fx->re + r[0] * fy->re;
  to_n->im += n->im - r[1] * fx->im + r[0] * fy->im;
  to_x->re += fx->re, to_x->im += fx->im;
  to_y->re += fy->re, to_y->im += fy->im;
}

CORE_PART void stiffen_parent(const lane_shift *s, const plane_body *b, const plane_state *x,
                              plane_joint *j, plane_joint *up) {
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 2; c++) lanes_add(&j->W[r], &j->A[r][c], &j->g[c]);
  hand_down(b->r, &j->W[0], &j->W[1], &j->W[2], &up->W[0], &up->W[1], &up->W[2]);
  lanes_add_real(&up->W[0], -plane_dot(b->r, x->f), &s->by);
  for (int c = 0; c < 2; c++)
    hand_down(b->r, &j->A[0][c], &j->A[1][c], &j->A[2][c], &up->A[0][c], &up->A[1][c],
              &up->A[2][c]);
}

/* a b - c d */
CORE_PART void minor(const lanes *a, const lanes *b, const lanes *c, const lanes *d, lanes *out) {
  *out = (lanes){{0}, {0}};
  lanes_add(out, a, b);
  lanes_sub(out, c, d);
}

/* A free body: (n, f) + kappa (w, v) = 0 by spin and velocity; the inverse by cofactors, its rows
 * in W, U and V */
CORE_PART void free_inverse(const lane_shift *s, const plane_body *b, plane_joint *j) {
  lanes E[3][3], kappa, C[3][3], det = {{0}, {0}};
  lanes_at(s, b->armature, b->damper, 0, &kappa);
  for (int r = 0; r < 3; r++) {
    E[r][0] = j->W[r];
    for (int c = 0; c < 2; c++) {
      E[r][1 + c] = (lanes){{0}, {0}};
      lanes_add(&E[r][1 + c], &j->A[r][c], &s->s);
    }
    E[r][r].re += kappa.re, E[r][r].im += kappa.im;
  }
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
      minor(&E[r1][c1], &E[r2][c2], &E[r1][c2], &E[r2][c1], &C[c][r]);
    }
  for (int c = 0; c < 3; c++) lanes_add(&det, &E[0][c], &C[c][0]);
  lanes_invert(&det);
  lanes *rows[3] = {j->W, j->U, j->V};
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      rows[r][c] = (lanes){{0}, {0}};
      lanes_add(&rows[r][c], &C[r][c], &det);
    }
  j->inverse = det;
}

CORE_WIDE static void factor_all(plane_tree *t, const double (*s)[2]) {
  lanes_shift(s, &t->shift);
  for (int i = 0; i < t->n; i++) own(&t->shift, &t->body[i], &t->state[i], &t->joint[i]);
  for (int i = t->n - 1; i >= 0; i--) {
    const plane_body *b = &t->body[i];
    plane_joint *j = &t->joint[i];
    if (b->joint == MECHANISM_FREE) {
      free_inverse(&t->shift, b, j);
    } else if (b->joint != MECHANISM_FIXED) {
      joint_row(&t->shift, b, &t->state[i], j);
      eliminate(j);
    }
    if (b->parent >= 0) stiffen_parent(&t->shift, b, &t->state[i], j, &t->joint[b->parent]);
  }
}

core_status plane_factor(const model *m, void *memory, const double (*s)[2]) {
  plane_tree *t = memory;
  (void)m;
  factor_all(t, s);
  for (int i = 0; i < t->n; i++)
    for (int k = 0; k < STIFF_LANES && t->body[i].joint != MECHANISM_FIXED; k++)
      if (!isfinite(t->joint[i].inverse.re[k] + t->joint[i].inverse.im[k])) return CORE_SINGULAR;
  return CORE_OK;
}

/* ---- solutions ---- */

static const plane_joint still; /* the world */

/* -r_u of speed `at`, and r_q / s, of all lanes */
CORE_PART void sides(const plane_tree *t, int at, double *const *re, double *const *im, lanes *q,
                     lanes *u) {
  lanes x;
  lanes_gather(re, im, at, &x);
  lanes_gather(re, im, t->speeds + at, u);
  *q = (lanes){{0}, {0}};
  lanes_add(q, &x, &t->shift.by);
}

/* what a joint adds where nothing moves: kappa_0 into y, sums of angles, e0, and turned forces */
CORE_PART void joint_sides(const plane_tree *t, int i, double *const *re, double *const *im,
                           plane_joint *j) {
  const plane_body *b = &t->body[i];
  const plane_state *x = &t->state[i];
  lanes q, u;
  sides(t, b->at, re, im, &q, &u);
  lanes_add_real(&j->y, b->k, &q);
  lanes_add_real(&j->y, -b->armature, &u);
  if (b->joint == MECHANISM_HINGE) {
    lanes_add_real(&j->q, 1, &q);
    lanes_add_real(&j->u, 1, &u);
    return;
  }
  for (int c = 0; c < 2; c++) {
    lanes_add_real(&j->g0[c], x->e[2][c], &q);
    lanes_add_real(&j->g0[c], -b->d[c], &u);
  }
  lanes_add_real(&j->y, x->turned, &j->q); /* of the parent: a slide does not turn */
  lanes_add_real(&j->z[0], x->turned, &q);
}

CORE_PART void free_sides(const plane_tree *t, int i, double *const *re, double *const *im,
                          plane_joint *j) {
  const plane_body *b = &t->body[i];
  lanes q, u;
  for (int c = 0; c < 2; c++) {
    sides(t, b->at + c, re, im, &q, &u);
    lanes_add_real(&j->g0[c], -1, &u);
    lanes_add_real(&j->z[1 + c], -b->armature, &u);
  }
  sides(t, b->at + 2, re, im, &j->q, &j->u);
  lanes_add_real(&j->z[0], -b->armature, &j->u);
}

/* from the root: g0, z0 and kappa_0 */
CORE_PART void spread(const plane_tree *t, int i, double *const *re, double *const *im) {
  const plane_body *b = &t->body[i];
  const plane_state *x = &t->state[i];
  plane_joint *j = &t->joint[i];
  const plane_joint *up = b->parent < 0 ? &still : &t->joint[b->parent];
  const lanes none = {{0}, {0}};
  j->z[0] = j->z[1] = j->z[2] = j->g0[0] = j->g0[1] = j->y = none;
  j->q = up->q, j->u = up->u;
  for (int c = 0; c < 2; c++) {
    lanes_add_real(&j->g0[c], x->g[2][c], &up->q);
    lanes_add_real(&j->g0[c], -x->g[0][c], &up->u);
  }
  if (b->joint == MECHANISM_FREE)
    free_sides(t, i, re, im, j);
  else if (b->joint != MECHANISM_FIXED)
    joint_sides(t, i, re, im, j);
  lanes_add_real(&j->z[0], x->Wn, &j->q);
  lanes_add_real(&j->z[0], -b->I, &j->u);
  for (int c = 0; c < 2; c++) {
    lanes_add_real(&j->z[1 + c], x->Wf[2][c], &j->q);
    lanes_add_real(&j->z[1 + c], -x->Wf[0][c], &j->u);
  }
}

/* to the root: what each joint leaves of z, and y */
CORE_PART void gather_forces(const plane_tree *t, int i) {
  const plane_body *b = &t->body[i];
  plane_joint *j = &t->joint[i];
  if (b->joint == MECHANISM_HINGE || b->joint == MECHANISM_SLIDE) {
    lanes rest = j->z[0];
    if (b->joint == MECHANISM_SLIDE) along(b->d, &j->z[1], &j->z[2], &rest);
    rest.re += j->y.re, rest.im += j->y.im;
    j->y = (lanes){{0}, {0}};
    lanes_add(&j->y, &rest, &j->inverse);
    for (int r = 0; r < 3; r++) lanes_sub(&j->z[r], &j->U[r], &j->y);
  }
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 2; c++) lanes_add(&j->z[r], &j->A[r][c], &j->g0[c]);
  if (b->parent < 0) return;
  plane_joint *up = &t->joint[b->parent];
  hand_down(b->r, &j->z[0], &j->z[1], &j->z[2], &up->z[0], &up->z[1], &up->z[2]);
  lanes_add_real(&up->z[0], -plane_dot(b->r, t->state[i].f), &up->q);
}

/* w is the answer of speed `at`; that of its coordinate is (r_q + w) / s */
CORE_PART void answer(const plane_tree *t, int at, const lanes *w, double *const *re,
                      double *const *im) {
  lanes q, out = {{0}, {0}};
  lanes_gather(re, im, at, &q);
  q.re += w->re, q.im += w->im;
  lanes_add(&out, &q, &t->shift.by);
  lanes_scatter(&out, at, re, im);
  lanes_scatter(w, t->speeds + at, re, im);
}

CORE_PART void free_out(const plane_tree *t, int i, double *const *re, double *const *im) {
  plane_joint *j = &t->joint[i];
  const lanes *rows[3] = {j->W, j->U, j->V};
  lanes w[3] = {0};
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) lanes_sub(&w[r], &rows[r][c], &j->z[c]);
    answer(t, t->body[i].at + (r + 2) % 3, &w[r], re, im);
  }
  j->z[0] = w[0];
  for (int c = 0; c < 2; c++) {
    j->z[1 + c] = j->g0[c];
    lanes_add(&j->z[1 + c], &w[1 + c], &t->shift.s);
  }
}

/* from the root: speeds and motions, which take the place of z */
CORE_PART void move_out(const plane_tree *t, int i, double *const *re, double *const *im) {
  const plane_body *b = &t->body[i];
  const plane_state *x = &t->state[i];
  plane_joint *j = &t->joint[i];
  const lanes *up = b->parent < 0 ? still.z : t->joint[b->parent].z;
  lanes w = {-j->y.re, -j->y.im};
  j->z[0] = up[0];
  for (int c = 0; c < 2; c++) {
    j->z[1 + c].re = up[1 + c].re + j->g0[c].re;
    j->z[1 + c].im = up[1 + c].im + j->g0[c].im;
    lanes_add(&j->z[1 + c], &j->g[c], &up[0]);
  }
  if (b->joint == MECHANISM_FIXED) return;
  for (int c = 0; c < 3; c++) lanes_sub(&w, &j->V[c], &j->z[c]);
  answer(t, b->at, &w, re, im);
  if (b->joint == MECHANISM_HINGE) lanes_add_real(&j->z[0], 1, &w);
  for (int c = 0; c < 2 && b->joint == MECHANISM_SLIDE; c++) {
    lanes e;
    lanes_at(&t->shift, x->e[0][c], x->e[1][c], x->e[2][c], &e);
    lanes_add(&j->z[1 + c], &e, &w);
  }
}

CORE_WIDE static void solve_all(const plane_tree *t, double *const *re, double *const *im) {
  for (int i = 0; i < t->n; i++) spread(t, i, re, im);
  for (int i = t->n - 1; i >= 0; i--) gather_forces(t, i);
  for (int i = 0; i < t->n; i++)
    if (t->body[i].joint == MECHANISM_FREE)
      free_out(t, i, re, im);
    else
      move_out(t, i, re, im);
}

void plane_solve(const model *m, void *memory, double *const *re, double *const *im) {
  (void)m;
  solve_all(memory, re, im);
}
