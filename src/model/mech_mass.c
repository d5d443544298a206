/* Inertia of a mechanism: composite bodies for the mass matrix, bias forces, energies.
 *
 * Moments refer to a body's origin. A rigid body with mass centre c has
 *
 *   n = I alpha + m c x a,   f = -m c x alpha + m a        (H = m [c])
 *
 * and seen from a point at -r (its parent's origin) any inertia I, H, M is
 *
 *   M' = M,   H' = H + [r] M,   I' = I - H [r] + [r] H'^T
 *
 * Mass matrix: with A the composite inertia of a body and all it carries, F = A S_i is handed down
 * to the ancestors j, and M_ij = S_j . F (composite-rigid-body algorithm).
 * Bias: the forces that keep u' = 0 (Newton-Euler recursion), gravity as an acceleration -g.
 */
#include <math.h>
#include <string.h>

#include "model/mech.h"
#include "model/rigid.h"

static const int full[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5}; /* where a symmetric matrix keeps (i, j) */

/* y = S x for a symmetric S */
static void symmetric_times(const double S[6], const double x[3], double y[3]) {
  y[0] = S[0] * x[0] + S[1] * x[1] + S[2] * x[2];
  y[1] = S[1] * x[0] + S[3] * x[1] + S[4] * x[2];
  y[2] = S[2] * x[0] + S[4] * x[1] + S[5] * x[2];
}

/* R S R^T for symmetric S */
static void turn_symmetric(const double R[9], const double S[6], double out[6]) {
  double Q[9], world[9];
  for (int i = 0; i < 9; i++) Q[i] = S[full[i]];
  model_inertia_world(R, Q, world);
  out[0] = world[0], out[1] = world[1], out[2] = world[2];
  out[3] = world[4], out[4] = world[5], out[5] = world[8];
}

void mech_rigid(const mech_link *k, const mech_pose *pose, mech_inertia *A) {
  double c[3];
  model_turn(pose->R, k->c, c);
  turn_symmetric(pose->R, k->I, A->I);
  double x = k->m * c[0], y = k->m * c[1], z = k->m * c[2];
  const double H[9] = {0, z, -y, -z, 0, x, y, -x, 0}; /* m [c] */
  const double M[6] = {k->m, 0, 0, k->m, 0, k->m};
  memcpy(A->H, H, sizeof H);
  memcpy(A->M, M, sizeof M);
}

/* [r] A for a full matrix A, column by column */
static void cross_columns(const double r[3], const double A[9], double out[9]) {
  for (int j = 0; j < 3; j++) model_cross(r, A + 3 * j, out + 3 * j);
}

void mech_add_shifted(const mech_inertia *A, const double *r, mech_inertia *to) {
  double M[9], rM[9], H[9], Ht[9], rH[9], Hr[9];
  for (int i = 0; i < 9; i++) M[i] = A->M[full[i]];
  cross_columns(r, M, rM);
  for (int i = 0; i < 9; i++) H[i] = A->H[i] + rM[i];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) Ht[3 * i + j] = H[3 * j + i];
  cross_columns(r, Ht, rH);
  /* row i of -H [r] is r x (row i of H) */
  for (int i = 0; i < 3; i++) {
    double row[3] = {A->H[i], A->H[3 + i], A->H[6 + i]}, turned[3];
    model_cross(r, row, turned);
    for (int j = 0; j < 3; j++) Hr[3 * j + i] = turned[j];
  }
  for (int j = 0; j < 3; j++)
    for (int i = 0; i <= j; i++)
      to->I[full[3 * j + i]] += A->I[full[3 * j + i]] +
                                (Hr[3 * j + i] + rH[3 * j + i] + Hr[3 * i + j] + rH[3 * i + j]) / 2;
  for (int i = 0; i < 9; i++) to->H[i] += H[i];
  for (int i = 0; i < 6; i++) to->M[i] += A->M[i];
}

void mech_times(const mech_inertia *A, const double *motion, double *force) {
  double moment[3], push[3];
  symmetric_times(A->I, motion, moment);
  symmetric_times(A->M, motion + 3, push);
  for (int i = 0; i < 3; i++) {
    force[i] = moment[i] + A->H[i] * motion[3] + A->H[3 + i] * motion[4] + A->H[6 + i] * motion[5];
    force[3 + i] = push[i] + model_dot(A->H + 3 * i, motion);
  }
}

void mech_gyro(const mech_link *k, const mech_pose *pose, const double *w, double *force) {
  double own[3], spun[3], moment[3], c[3], wc[3], wwc[3];
  model_turn_back(pose->R, w, own); /* in the body's axes, where I is constant */
  symmetric_times(k->I, own, spun);
  model_cross(own, spun, moment);
  model_turn(pose->R, moment, force);
  model_turn(pose->R, k->c, c);
  model_cross(w, c, wc);
  model_cross(w, wc, wwc);
  for (int i = 0; i < 3; i++) force[3 + i] = k->m * wwc[i];
}

/* ---- mass matrix ---- */

/* force F at a body's origin, seen from its parent's: the moment grows by r x f */
static void hand_down(const double *r, double *F) {
  double more[3];
  model_cross(r, F + 3, more);
  for (int i = 0; i < 3; i++) F[i] += more[i];
}

static double dot6(const double *a, const double *b) {
  return model_dot(a, b) + model_dot(a + 3, b + 3);
}

/* columns of M that belong to the speeds of body i */
static void mass_columns(const mech *s, int i, const mech_pose *pose, const mech_inertia *A,
                         const double *S, double *M) {
  const mech_link *k = &s->link[i];
  int nu = s->nu;
  for (int c = 0; c < k->nu; c++) {
    double F[6];
    mech_times(&A[i], S + 6 * (k->u + c), F);
    for (int j = i; j >= 0; j = s->link[j].parent) {
      const mech_link *up = &s->link[j];
      for (int r = 0; r < up->nu; r++)
        M[(size_t)(k->u + c) * (size_t)nu + (size_t)(up->u + r)] =
            M[(size_t)(up->u + r) * (size_t)nu + (size_t)(k->u + c)] = dot6(S + 6 * (up->u + r), F);
      hand_down(pose[j].r, F);
    }
    M[(size_t)(k->u + c) * (size_t)nu + (size_t)(k->u + c)] += k->armature;
  }
}

core_status mech_mass(const model *m, const double *q, double *M) {
  const mech *s = m->extra;
  core_mark mark = core_scratch_mark(s->work);
  mech_pose *pose = core_scratch_bytes(s->work, (size_t)s->n * sizeof *pose);
  mech_inertia *A = core_scratch_bytes(s->work, (size_t)s->n * sizeof *A);
  double *S = core_scratch_doubles(s->work, 6 * (size_t)s->nu + 1);
  core_status status = pose && A && S ? CORE_OK : CORE_NO_MEMORY;
  memset(M, 0, (size_t)s->nu * (size_t)s->nu * sizeof *M);
  if (!status) {
    mech_poses(s, q, pose);
    for (int i = 0; i < s->n; i++) {
      mech_rigid(&s->link[i], &pose[i], &A[i]);
      mech_axes(&s->link[i], &pose[i], S + 6 * s->link[i].u);
    }
    for (int i = s->n - 1; i >= 0; i--) {
      mass_columns(s, i, pose, A, S, M);
      if (s->link[i].parent >= 0) mech_add_shifted(&A[i], pose[i].r, &A[s->link[i].parent]);
    }
  }
  core_scratch_release(s->work, mark);
  return status;
}

/* ---- forces ---- */

/* what body i and all it carries need to move with a while u' = 0, less what springs do */
static void needed(const mech_link *k, const mech_pose *pose, const mech_motion *v,
                   const mech_motion *a, const double *wrench, double *F) {
  mech_inertia A;
  double inert[6];
  mech_rigid(k, pose, &A);
  mech_gyro(k, pose, v->w, F);
  mech_times(&A, a->w, inert); /* w and v of a motion lie side by side */
  for (int j = 0; j < 6; j++) F[j] += inert[j] - wrench[j];
}

static core_status newton_euler(const model *m, double t, const double *q, const double *u,
                                double *f) {
  const mech *s = m->extra;
  size_t n = (size_t)s->n;
  mech_pose *pose = core_scratch_bytes(s->work, n * sizeof *pose);
  mech_motion *v = core_scratch_bytes(s->work, 2 * n * sizeof *v), *a = v + n;
  double *wrench = core_scratch_doubles(s->work, 12 * n), *F = wrench + 6 * n, S[36];
  if (!pose || !v || !wrench) return CORE_NO_MEMORY;
  mech_poses(s, q, pose);
  mech_velocities(s, pose, u, v);
  mech_bias_motion(s, pose, v, u, a);
  core_status status = mech_applied(m, t, q, u, pose, v, f, wrench);
  for (int i = 0; i < s->n; i++) {
    for (int j = 0; j < 3; j++) a[i].v[j] -= s->g[j];
    needed(&s->link[i], &pose[i], &v[i], &a[i], wrench + 6 * i, F + 6 * i);
  }
  for (int i = s->n - 1; i >= 0; i--) {
    const mech_link *k = &s->link[i];
    mech_axes(k, &pose[i], S);
    for (int j = 0; j < k->nu; j++) f[k->u + j] -= dot6(S + 6 * j, F + 6 * i);
    hand_down(pose[i].r, F + 6 * i);
    for (int j = 0; j < 6 && k->parent >= 0; j++) F[6 * k->parent + j] += F[6 * i + j];
  }
  return status;
}

core_status mech_forces(const model *m, double t, const double *q, const double *u, double *f) {
  const mech *s = m->extra;
  core_mark mark = core_scratch_mark(s->work);
  core_status status = newton_euler(m, t, q, u, f);
  core_scratch_release(s->work, mark);
  return status;
}

/* ---- energies ---- */

/* 1/2 (omega.I omega + 2 m c x v . omega + m v.v) of every body */
core_status mech_kinetic(const model *m, const double *q, const double *u, double *energy) {
  const mech *s = m->extra;
  core_mark mark = core_scratch_mark(s->work);
  mech_pose *pose = core_scratch_bytes(s->work, (size_t)s->n * sizeof *pose);
  mech_motion *v = core_scratch_bytes(s->work, (size_t)s->n * sizeof *v);
  core_status status = pose && v ? CORE_OK : CORE_NO_MEMORY;
  *energy = 0;
  if (!status) {
    mech_poses(s, q, pose);
    mech_velocities(s, pose, u, v);
    for (int i = 0; i < s->n; i++) {
      mech_inertia A;
      double momentum[6];
      mech_rigid(&s->link[i], &pose[i], &A);
      mech_times(&A, v[i].w, momentum);
      *energy += dot6(v[i].w, momentum) / 2;
      if (s->link[i].nu == 1)
        *energy += s->link[i].armature * u[s->link[i].u] * u[s->link[i].u] / 2;
    }
  }
  core_scratch_release(s->work, mark);
  return status;
}

static double spring_energy(const mech_spring *k, const mech_pose *pose) {
  double a[3], b[3], length = 0;
  mech_point(&k->a, 0, pose, a);
  mech_point(&k->b, 0, pose, b);
  for (int i = 0; i < 3; i++) length += (a[i] - b[i]) * (a[i] - b[i]);
  length = sqrt(length) - k->rest;
  return k->k * length * length / 2;
}

double mech_potential(const model *m, const double *q) {
  const mech *s = m->extra;
  core_mark mark = core_scratch_mark(s->work);
  mech_pose *pose = core_scratch_bytes(s->work, (size_t)s->n * sizeof *pose);
  double sum = pose ? 0 : NAN;
  if (pose) mech_poses(s, q, pose);
  for (int i = 0; i < s->n && pose; i++) {
    const mech_link *k = &s->link[i];
    double c[3];
    model_turn(pose[i].R, k->c, c);
    for (int j = 0; j < 3; j++) sum -= k->m * s->g[j] * (pose[i].x[j] + c[j]);
    if (k->k != 0) sum += k->k * (q[k->q] - k->rest) * (q[k->q] - k->rest) / 2;
  }
  for (int i = 0; i < s->springs && pose; i++) sum += spring_energy(&s->spring[i], pose);
  core_scratch_release(s->work, mark);
  return sum;
}
