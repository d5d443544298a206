/* Where the bodies of a mechanism are, and how they move.
 *
 * A body's origin is where its joint is. With r from the parent's origin to it, P the parent,
 *
 *   omega = omega_P + S_w u,    v = v_P + omega_P x r + S_v u
 *   alpha = alpha_P + S_w u' + omega_P x (S_w u)
 *   a     = a_P + alpha_P x r + S_v u' + omega_P x (omega_P x r) + 2 omega_P x (S_v u)
 *
 * where the columns of S (S_w over S_v) are what each speed does: (axis, 0) for a hinge, (0, axis)
 * for a slide, (body axes, 0) for a ball; a free body has the world's axes and then its own.
 */
#include <math.h>
#include <string.h>

#include "model/mech.h"
#include "model/rigid.h"

/* ---- configuration ---- */

/* R = 1 + sin [k] + (1 - cos) [k]^2 for a turn about the unit vector k */
static void turn_about(const double k[3], double angle, double R[9]) {
  double s = sin(angle), c = cos(angle), v = 1 - c, x = k[0], y = k[1], z = k[2];
  R[0] = c + v * x * x, R[1] = v * x * y + s * z, R[2] = v * x * z - s * y;
  R[3] = v * x * y - s * z, R[4] = c + v * y * y, R[5] = v * y * z + s * x;
  R[6] = v * x * z + s * y, R[7] = v * y * z - s * x, R[8] = c + v * z * z;
}

/* C = A B */
static void product(const double A[9], const double B[9], double C[9]) {
  for (int j = 0; j < 3; j++) model_turn(A, B + 3 * j, C + 3 * j);
}

static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static const double into_the_page[3] = {0, -1, 0}; /* turns in the plane are about -y */

/* turn of the body against its joint, and way of its origin from the joint in the joint's axes */
static void joint_at(const mech *s, const mech_link *k, const double *q, double R[9],
                     double way[3]) {
  const double *at = q + k->q;
  memcpy(R, unit, sizeof unit);
  way[0] = way[1] = way[2] = 0;
  switch (k->joint) {
    case MECHANISM_HINGE: turn_about(k->axis, at[0], R); break;
    case MECHANISM_SLIDE:
      for (int i = 0; i < 3; i++) way[i] = at[0] * k->axis[i];
      break;
    case MECHANISM_BALL: model_rotation(at, R); break;
    case MECHANISM_FREE:
      way[0] = at[0], way[2] = at[s->plane ? 1 : 2];
      if (s->plane) {
        turn_about(into_the_page, at[2], R);
      } else {
        way[1] = at[1];
        model_rotation(at + 3, R);
      }
      break;
    default: break;
  }
}

static void pose_of(const mech *s, int i, const double *q, mech_pose *pose) {
  const mech_link *k = &s->link[i];
  const double *R_parent = k->parent < 0 ? unit : pose[k->parent].R;
  double turned[9], joint[9], own[9], way[3], there[3], moved[3];
  product(R_parent, k->turn, joint);
  joint_at(s, k, q, own, way);
  product(joint, own, turned);
  memcpy(pose[i].R, turned, sizeof turned);
  model_turn(R_parent, k->at, there);
  model_turn(joint, way, moved);
  for (int j = 0; j < 3; j++) {
    pose[i].r[j] = there[j] + moved[j];
    pose[i].x[j] = pose[i].r[j] + (k->parent < 0 ? 0 : pose[k->parent].x[j]);
  }
}

void mech_poses(const mech *s, const double *q, mech_pose *pose) {
  for (int i = 0; i < s->n; i++) pose_of(s, i, q, pose);
}

/* ---- motion ---- */

static void free_axes(const mech_link *k, const mech_pose *pose, double *S) {
  int plane = k->nu == 3;
  for (int j = 0; j < (plane ? 2 : 3); j++) S[6 * j + 3 + (plane ? 2 * j : j)] = 1;
  if (plane) {
    S[12 + 1] = -1;
    return;
  }
  for (int j = 0; j < 3; j++) memcpy(S + 6 * (3 + j), pose->R + 3 * j, 3 * sizeof *S);
}

void mech_axes(const mech_link *k, const mech_pose *pose, double *S) {
  memset(S, 0, (size_t)(6 * k->nu) * sizeof *S);
  switch (k->joint) {
    case MECHANISM_HINGE: model_turn(pose->R, k->axis, S); break;
    case MECHANISM_SLIDE: model_turn(pose->R, k->axis, S + 3); break;
    case MECHANISM_BALL:
      for (int j = 0; j < 3; j++) memcpy(S + 6 * j, pose->R + 3 * j, 3 * sizeof *S);
      break;
    case MECHANISM_FREE: free_axes(k, pose, S); break;
    default: break;
  }
}

/* S u: what the joint adds to the velocity */
static void joint_velocity(const mech_link *k, const mech_pose *pose, const double *u,
                           double *add) {
  double S[36];
  mech_axes(k, pose, S);
  for (int i = 0; i < 6; i++) {
    add[i] = 0;
    for (int j = 0; j < k->nu; j++) add[i] += S[6 * j + i] * u[k->u + j];
  }
}

static const mech_motion still = {{0, 0, 0}, {0, 0, 0}};

void mech_velocities(const mech *s, const mech_pose *pose, const double *u, mech_motion *v) {
  for (int i = 0; i < s->n; i++) {
    const mech_link *k = &s->link[i];
    const mech_motion *parent = k->parent < 0 ? &still : &v[k->parent];
    double add[6], carried[3];
    joint_velocity(k, &pose[i], u, add);
    model_cross(parent->w, pose[i].r, carried);
    for (int j = 0; j < 3; j++) {
      v[i].w[j] = parent->w[j] + add[j];
      v[i].v[j] = parent->v[j] + carried[j] + add[3 + j];
    }
  }
}

void mech_joint_bias(const mech *s, int i, const mech_pose *pose, const mech_motion *v,
                     const double *u, mech_motion *c) {
  const mech_link *k = &s->link[i];
  if (k->parent < 0) {
    *c = still;
    return;
  }
  const double *w = v[k->parent].w;
  double add[6], carried[3], centripetal[3], coriolis[3];
  joint_velocity(k, &pose[i], u, add);
  model_cross(w, add, c->w);
  model_cross(w, pose[i].r, carried);
  model_cross(w, carried, centripetal);
  model_cross(w, add + 3, coriolis);
  for (int j = 0; j < 3; j++) c->v[j] = centripetal[j] + 2 * coriolis[j];
}

void mech_bias_motion(const mech *s, const mech_pose *pose, const mech_motion *v, const double *u,
                      mech_motion *a) {
  for (int i = 0; i < s->n; i++) {
    int parent = s->link[i].parent;
    mech_motion c;
    double carried[3];
    mech_joint_bias(s, i, pose, v, u, &c);
    a[i] = c;
    if (parent < 0) continue;
    model_cross(a[parent].w, pose[i].r, carried);
    for (int j = 0; j < 3; j++) {
      a[i].w[j] += a[parent].w[j];
      a[i].v[j] += a[parent].v[j] + carried[j];
    }
  }
}

/* ---- q' and quaternions ---- */

core_status mech_rates(const model *m, const double *q, const double *u, double *qdot) {
  const mech *s = m->extra;
  for (int i = 0; i < s->n; i++) {
    const mech_link *k = &s->link[i];
    int ball = k->joint == MECHANISM_BALL, in_space = k->joint == MECHANISM_FREE && !s->plane;
    if (ball)
      model_quaternion_rate_body(q + k->q, u + k->u, qdot + k->q);
    else
      memcpy(qdot + k->q, u + k->u, (size_t)(in_space ? 3 : k->nu) * sizeof *u);
    if (in_space) model_quaternion_rate_body(q + k->q + 3, u + k->u + 3, qdot + k->q + 3);
  }
  return CORE_OK;
}

void mech_normalise(const model *m, double *q) {
  const mech *s = m->extra;
  for (int i = 0; i < s->n; i++) {
    const mech_link *k = &s->link[i];
    if (k->joint == MECHANISM_BALL) model_quaternion_unit(q + k->q);
    if (k->joint == MECHANISM_FREE && !s->plane) model_quaternion_unit(q + k->q + 3);
  }
}
