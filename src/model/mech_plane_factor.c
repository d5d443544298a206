/* Articulated bodies in the plane: what mech_space.c does, with two rows and one angle.
 *
 * Coordinates (x, z), angles counterclockwise, rho(r) = (-r_z, r_x), so that a point at r moves
 * with omega rho(r) and a force f there has the moment rho(r).f. About a body's origin
 *
 *   n = I alpha + h.a,   f = h alpha + A a        rigid: A = m, h = m rho(c)
 *
 * and seen from its parent, with rho of the way r:  h' = h + A rho,  I' = I + h.rho + rho.h'.
 * A hinge takes all of I and h:  A - h h^T / I;  a slide along d, with U = (h.d, A d) and D = d.A
 * d, leaves I - U_n^2/D, h - U_n U_f/D, A - U_f U_f^T/D; a free body leaves nothing.
 */
#include <math.h>

#include "core/sincos.h"
#include "model/mech.h"
#include "model/mech_plane.h"
#include "model/tolerance.h"

void mech_flatten(mech *m) {
  m->chain = 1;
  for (int i = 0; i < m->n; i++) m->chain &= m->link[i].parent == i - 1;
  for (int i = 0; i < m->n; i++) {
    const mech_link *k = &m->link[i];
    m->flat[i] = (mech_flat_link){.parent = k->parent,
                                  .joint = (int)k->joint,
                                  .q = k->q,
                                  .u = k->u,
                                  .at = {k->at[0], k->at[2]},
                                  .turn = k->flat_turn,
                                  .axis = {k->axis[0], k->axis[2]},
                                  .m = k->m,
                                  .mc = {k->m * k->c[0], k->m * k->c[2]},
                                  .I = k->I[3]}; /* about y */
  }
}

/* ---- where the bodies are ---- */

static const mech_flat world = {.c = 1};

INLINE void place(const mech_flat_link *k, const double *q, const mech_flat *up, mech_flat *b) {
  if (k->joint == MECHANISM_FREE) {
    b->r[0] = q[k->q], b->r[1] = q[k->q + 1];
  } else {
    b->r[0] = up->c * k->at[0] - up->s * k->at[1];
    b->r[1] = up->s * k->at[0] + up->c * k->at[1];
  }
  if (k->joint == MECHANISM_SLIDE) { /* its joint is turned as the body is */
    b->axis[0] = b->c * k->axis[0] - b->s * k->axis[1];
    b->axis[1] = b->s * k->axis[0] + b->c * k->axis[1];
    b->r[0] += q[k->q] * b->axis[0];
    b->r[1] += q[k->q] * b->axis[1];
  }
  b->x[0] = up->x[0] + b->r[0];
  b->x[1] = up->x[1] + b->r[1];
}

INLINE double angle_of(const mech_flat_link *k, const double *q, const double *angle) {
  double turned = (k->parent < 0 ? 0 : angle[k->parent]) + k->turn;
  if (k->joint == MECHANISM_HINGE) return turned + q[k->q];
  return k->joint == MECHANISM_FREE ? turned + q[k->q + 2] : turned;
}

/* what a body hands to its parent: A alone at a hinge, seen from the parent's origin */
typedef struct load {
  double I, hx, hz, xx, xz, zz;
} load;

INLINE load load_of(const mech_flat *b) {
  return (load){b->I, b->h[0], b->h[1], b->xx, b->xz, b->zz};
}

INLINE void put_load(load l, mech_flat *b) {
  b->I = l.I, b->h[0] = l.hx, b->h[1] = l.hz, b->xx = l.xx, b->xz = l.xz, b->zz = l.zz;
}

INLINE load add_load(load a, load b) {
  return (load){a.I + b.I, a.hx + b.hx, a.hz + b.hz, a.xx + b.xx, a.xz + b.xz, a.zz + b.zz};
}

/* the inertia of a body alone */
INLINE load own_load(const mech_flat_link *k, const mech_flat *b) {
  return (load){
      k->I, -b->s * k->mc[0] - b->c * k->mc[1], b->c * k->mc[0] - b->s * k->mc[1], k->m, 0, k->m};
}

/* places, and, where others may add to it, the inertia of each body alone */
static void stand(const mech *m, const double *q, double *angle, mech_flat *b) {
  for (int i = 0; i < m->n; i++) angle[i] = angle_of(&m->flat[i], q, angle);
  for (int i = 0; i < m->n; i += 2) { /* two at a time; of an odd number the last one twice */
    int second = i + (i + 1 < m->n);
    double both[2] = {angle[i], angle[second]};
    core_pair s, c;
    core_sincos2(both, &s, &c);
    b[i].s = s[0], b[i].c = c[0];
    b[second].s = s[1], b[second].c = c[1];
  }
  for (int i = 0; i < m->n; i++) {
    const mech_flat_link *k = &m->flat[i];
    place(k, q, k->parent < 0 ? &world : &b[k->parent], &b[i]);
    if (!m->chain) put_load(own_load(k, &b[i]), &b[i]);
  }
}

/* ---- what joints take ---- */

static core_status nothing_there(double x) {
  return isfinite(x) ? CORE_SINGULAR : CORE_NOT_FINITE;
}

/* a hinge takes all of I and h; its parent feels A' = A - h h^T/I:  h = A' rho, I = rho.A' rho */
INLINE load take_hinge(load at, mech_flat *b) {
  double inverse = 1 / at.I, Vx = at.hx * inverse, Vz = at.hz * inverse;
  double xx = at.xx - at.hx * Vx, xz = at.xz - at.hx * Vz, zz = at.zz - at.hz * Vz;
  double px = -b->r[1], pz = b->r[0], fx = xx * px + xz * pz, fz = xz * px + zz * pz;
  b->D = inverse;
  b->V[0] = 1, b->V[1] = Vx, b->V[2] = Vz;
  b->xx = xx, b->xz = xz, b->zz = zz;
  return (load){px * fx + pz * fz, fx, fz, xx, xz, zz};
}

static core_status take_slide(mech_flat *b) {
  double dx = b->axis[0], dz = b->axis[1], n = b->h[0] * dx + b->h[1] * dz;
  double fx = b->xx * dx + b->xz * dz, fz = b->xz * dx + b->zz * dz, D = dx * fx + dz * fz;
  if (!(D > MODEL_MASSLESS * (b->xx + b->zz))) return nothing_there(D);
  b->D = 1 / D;
  b->V[0] = n / D, b->V[1] = fx / D, b->V[2] = fz / D;
  b->I -= n * b->V[0];
  b->h[0] -= n * b->V[1], b->h[1] -= n * b->V[2];
  b->xx -= fx * b->V[1], b->xz -= fx * b->V[2], b->zz -= fz * b->V[2];
  return CORE_OK;
}

/* D = [A h; h^T I] over (x, z, angle): first the angle, then the rest by its Schur complement; its
 * inverse takes the place of A, h, I */
static core_status take_free(mech_flat *b) {
  double size = b->xx + b->zz, hx = b->h[0], hz = b->h[1];
  if (!(b->I > 0)) return nothing_there(b->I);
  double i = 1 / b->I, xx = b->xx - hx * hx * i, xz = b->xz - hx * hz * i, zz = b->zz - hz * hz * i;
  double det = xx * zz - xz * xz;
  if (!(xx > MODEL_MASSLESS * size && det > MODEL_MASSLESS * size * size))
    return nothing_there(det);
  b->xx = zz / det, b->xz = -xz / det, b->zz = xx / det;
  b->h[0] = -(b->xx * hx + b->xz * hz) * i, b->h[1] = -(b->xz * hx + b->zz * hz) * i;
  b->I = i - (b->h[0] * hx + b->h[1] * hz) * i;
  return CORE_OK;
}

/* what the parent feels of I, h and A of a body */
static load seen_from_parent(const mech_flat *b) {
  double px = -b->r[1], pz = b->r[0];
  double hx = b->h[0] + b->xx * px + b->xz * pz, hz = b->h[1] + b->xz * px + b->zz * pz;
  return (load){
      b->I + b->h[0] * px + b->h[1] * pz + px * hx + pz * hz, hx, hz, b->xx, b->xz, b->zz};
}

static core_status factor_joint(const mech_flat_link *k, mech_flat *b, load *down) {
  core_status status = CORE_OK;
  if (k->joint == MECHANISM_SLIDE)
    status = take_slide(b);
  else if (k->joint == MECHANISM_FREE)
    status = take_free(b);
  *down = seen_from_parent(b);
  return status;
}

/* a hinge turns nothing when its I is rounding of what it is the rest of */
INLINE int turns(const mech_flat_link *k, load l) {
  return l.I > MODEL_MASSLESS * k->I &&
         l.I * (l.xx + l.zz) >= MODEL_MASSLESS * (l.hx * l.hx + l.hz * l.hz);
}

/* from the tips to the root; what the next body in the list is handed stays in registers */
static core_status take_joints(const mech *m, mech_flat *b) {
  load next = {0, 0, 0, 0, 0, 0};
  for (int i = m->n - 1; i >= 0; i--) {
    const mech_flat_link *k = &m->flat[i];
    load at = add_load(m->chain ? own_load(k, &b[i]) : load_of(&b[i]), next), down;
    if (k->joint == MECHANISM_HINGE) {
      if (!turns(k, at)) return nothing_there(at.I);
      down = take_hinge(at, &b[i]);
    } else {
      put_load(at, &b[i]);
      core_status status = factor_joint(k, &b[i], &down);
      if (status) return status;
    }
    next = (load){0, 0, 0, 0, 0, 0};
    if (k->parent == i - 1)
      next = down;
    else if (k->parent >= 0)
      put_load(add_load(load_of(&b[k->parent]), down), &b[k->parent]);
  }
  return CORE_OK;
}

core_status mech_flat_factor(const mech *m, const double *q, core_scratch *s, mech_flat **out) {
  mech_flat *b = core_scratch_bytes(s, (size_t)m->n * sizeof *b + 1);
  double *angle = core_scratch_doubles(s, (size_t)m->n + 1);
  if (!b || !angle) return CORE_NO_MEMORY;
  *out = b;
  stand(m, q, angle, b);
  return take_joints(m, b);
}
