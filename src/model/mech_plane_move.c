/* Accelerations of a mechanism in the plane; mech_plane.c says what D, U and V are.
 *
 * With u' = 0 the joint brings c = -omega_P^2 r + 2 omega_P rho(S_v u), and a body needs the force
 * -m omega^2 c beyond that of its acceleration. From the tips  y = D^-1 (tau - S.b),  the parent
 * feels  b + A c + U D^-1 (tau - S.b);  back to the tips  u' = y - D^-1 U^T (X a_P + c).
 */
#include <string.h>

#include "model/mech_plane.h"

/* torques of joints into tau, forces of springs on the bodies into F (3 per body, set) */
static core_status applied(const model *of, double t, const double *q, const double *u,
                           core_scratch *s, double *tau, double *F) {
  const mech *m = of->extra;
  size_t n = (size_t)m->n;
  mech_pose *pose = NULL;
  mech_motion *v = NULL;
  double *wrench = core_scratch_doubles(s, 6 * n + 1);
  if (m->springs) {
    pose = core_scratch_bytes(s, n * sizeof *pose);
    v = core_scratch_bytes(s, n * sizeof *v);
  }
  if (!wrench || (m->springs && (!pose || !v))) return CORE_NO_MEMORY;
  if (m->springs) {
    mech_poses(m, q, pose);
    mech_velocities(m, pose, u, v);
  }
  core_status status = mech_applied(of, t, q, u, pose, v, tau, wrench);
  for (size_t i = 0; i < n; i++) {
    F[3 * i] = -wrench[6 * i + 1]; /* about -y */
    F[3 * i + 1] = wrench[6 * i + 3], F[3 * i + 2] = wrench[6 * i + 5];
  }
  return status;
}

/* spin of every body, and the acceleration that its joint brings with u' = 0 */
static void spins(const mech *m, const mech_flat *b, const double *u, double *w, double *c) {
  for (int i = 0; i < m->n; i++) {
    const mech_flat_link *k = &m->flat[i];
    double up = k->parent < 0 ? 0 : w[k->parent];
    c[2 * i] = -up * up * b[i].r[0], c[2 * i + 1] = -up * up * b[i].r[1];
    w[i] = up;
    if (k->joint == MECHANISM_HINGE)
      w[i] += u[k->u];
    else if (k->joint == MECHANISM_FREE)
      w[i] += u[k->u + 2];
    else if (k->joint == MECHANISM_SLIDE) {
      c[2 * i] -= 2 * up * b[i].axis[1] * u[k->u];
      c[2 * i + 1] += 2 * up * b[i].axis[0] * u[k->u];
    }
  }
}

/* from the tips: y = D^-1 (tau - S.b) of every joint; b (3 per body) are the forces that the bodies
 * need beyond those of their acceleration */
static void bias_in(const mech *m, const mech_flat *b, const double *c, double *bias, double *y) {
  for (int i = m->n - 1; i >= 0; i--) {
    const mech_flat_link *k = &m->flat[i];
    const mech_flat *at = &b[i];
    double *F = bias + 3 * i, cx = c[2 * i], cz = c[2 * i + 1];
    double *u = y + k->u;
    if (k->joint == MECHANISM_FREE) {
      double x = u[0] - F[1], z = u[1] - F[2], n = u[2] - F[0];
      u[0] = at->xx * x + at->xz * z + at->h[0] * n;
      u[1] = at->xz * x + at->zz * z + at->h[1] * n;
      u[2] = at->h[0] * x + at->h[1] * z + at->I * n;
      continue;
    }
    if (k->joint != MECHANISM_FIXED) {
      double t =
          *u - (k->joint == MECHANISM_HINGE ? F[0] : at->axis[0] * F[1] + at->axis[1] * F[2]);
      *u = t * at->D;
      for (int r = 0; r < 3; r++) F[r] += at->V[r] * t;
    }
    if (k->parent < 0) continue;
    if (k->joint != MECHANISM_HINGE) F[0] += at->h[0] * cx + at->h[1] * cz; /* it has taken h */
    F[1] += at->xx * cx + at->xz * cz, F[2] += at->xz * cx + at->zz * cz;
    double *up = bias + 3 * k->parent;
    up[0] += F[0] + at->r[0] * F[2] - at->r[1] * F[1];
    up[1] += F[1], up[2] += F[2];
  }
}

/* run_out with the accelerations that joints bring */
static void motion_out(const mech *m, const mech_flat *b, const double *c, double *a, double *y) {
  const double root[3] = {0, -m->g[0], -m->g[2]};
  for (int i = 0; i < m->n; i++) {
    const mech_flat_link *k = &m->flat[i];
    const double *up = k->parent < 0 ? root : a + 3 * k->parent;
    double w = up[0], x = up[1] - w * b[i].r[1] + c[2 * i],
           z = up[2] + w * b[i].r[0] + c[2 * i + 1];
    mech_joint_out(k, &b[i], &w, &x, &z, y + k->u);
    a[3 * i] = w, a[3 * i + 1] = x, a[3 * i + 2] = z;
  }
}

core_status mech_plane_accelerate(const model *of, double t, const double *q, const double *u,
                                  const double *h, core_scratch *s, double *udot) {
  const mech *m = of->extra;
  if (m->armature) return mech_space_accelerate(of, t, q, u, h, s, udot);
  size_t n = (size_t)m->n;
  mech_flat *b;
  double *bias = core_scratch_doubles(s, 9 * n + 1), *w = bias + 3 * n, *c = w + n, *a = c + 2 * n;
  core_status status = bias ? mech_flat_factor(m, q, s, &b) : CORE_NO_MEMORY;
  if (!status) status = applied(of, t, q, u, s, udot, bias);
  if (status) return status;
  spins(m, b, u, w, c);
  for (int i = 0; i < m->n; i++) { /* centripetal force of its own mass: -m omega^2 c */
    const mech_flat_link *k = &m->flat[i];
    double cx = b[i].c * k->mc[0] - b[i].s * k->mc[1], cz = b[i].s * k->mc[0] + b[i].c * k->mc[1];
    bias[3 * i] = -bias[3 * i];
    bias[3 * i + 1] = -bias[3 * i + 1] - w[i] * w[i] * cx;
    bias[3 * i + 2] = -bias[3 * i + 2] - w[i] * w[i] * cz;
  }
  for (int i = 0; h && i < m->nu; i++) udot[i] += h[i];
  bias_in(m, b, c, bias, udot);
  motion_out(m, b, c, a, udot);
  return CORE_OK;
}
