/* A second kinematics of mechanisms: a place in a body, carried to the world by quaternions only.
 */
#ifndef MECHANISM_CARRY_H
#define MECHANISM_CARRY_H

#include "mechanism_help.h"

static inline void rotate(const double q[4], const double x[3], double y[3]) {
  double t[3] = {2 * (q[2] * x[2] - q[3] * x[1]), 2 * (q[3] * x[0] - q[1] * x[2]),
                 2 * (q[1] * x[1] - q[2] * x[0])};
  double r[3] = {x[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1],
                 x[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2],
                 x[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0]};
  memcpy(y, r, sizeof r);
}

static inline void unit4(const double *from, double q[4]) {
  double l = sqrt(from[0] * from[0] + from[1] * from[1] + from[2] * from[2] + from[3] * from[3]);
  for (int i = 0; i < 4; i++) q[i] = l > 0 ? from[i] / l : i == 0;
}

static inline int place_of(const machine *k, int body, int *nu) {
  int at = 0, u = 0;
  static const int size[] = {0, 1, 1, 4, 7}, speeds[] = {0, 1, 1, 3, 6};
  for (int i = 0; i < body; i++) {
    int flat = k->plane && k->body[i].joint == MECHANISM_FREE;
    at += flat ? 3 : size[k->body[i].joint], u += flat ? 3 : speeds[k->body[i].joint];
  }
  if (nu) *nu = u;
  return at;
}

static inline void vec(const machine *k, const char *owner, const char *field, double x[3]) {
  x[0] = value(k->m, owner, field, 0);
  x[1] = k->plane ? 0 : value(k->m, owner, field, 1);
  x[2] = value(k->m, owner, field, k->plane ? 1 : 2);
}

static inline void carry(const machine *k, const double *q, int body, double x[3]) {
  for (; body >= 0; body = k->body[body].parent) {
    const char *name = k->name[body];
    const double *at = q + place_of(k, body, NULL);
    double axis[3], turn[4], raw[4], r[4] = {1, 0, 0, 0}, shift[3] = {0, 0, 0};
    mechanism_joint joint = k->body[body].joint;
    vec(k, name, "axis", axis);
    double l = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    if (joint == MECHANISM_HINGE) {
      double s = sin(at[0] / 2);
      r[0] = cos(at[0] / 2);
      if (k->plane)
        r[2] = -s;
      else
        for (int i = 0; i < 3; i++) r[1 + i] = s * axis[i] / l;
    } else if (joint == MECHANISM_SLIDE) {
      for (int i = 0; i < 3; i++) shift[i] = at[0] * axis[i] / l;
    } else if (joint == MECHANISM_BALL) {
      unit4(at, r);
    } else if (joint == MECHANISM_FREE) {
      shift[0] = at[0], shift[1] = k->plane ? 0 : at[1], shift[2] = at[k->plane ? 1 : 2];
      if (k->plane)
        r[0] = cos(at[2] / 2), r[2] = -sin(at[2] / 2);
      else
        unit4(at + 3, r);
    }
    rotate(r, x, x);
    for (int i = 0; i < 3; i++) x[i] += shift[i];
    if (joint == MECHANISM_FREE) continue;
    for (int i = 0; i < 4; i++) raw[i] = k->plane ? 0 : value(k->m, name, "turn", i);
    if (k->plane) {
      double a = value(k->m, name, "turn", 0);
      raw[0] = cos(a / 2), raw[2] = -sin(a / 2);
    }
    unit4(raw, turn);
    rotate(turn, x, x);
    double to[3];
    vec(k, name, "at", to);
    for (int i = 0; i < 3; i++) x[i] += to[i];
  }
}

/* shapes well apart: where they pass through each other the normal jumps */
static inline int random_state(const machine *k, double *q, double *u) {
  double gap[MAX_ROWS];
  for (int round = 0; round < 50; round++) {
    double least = 1;
    for (int i = 0; i < k->m->shape.nq; i++) q[i] = 2 * any();
    for (int i = 0; i < k->m->shape.nu; i++) u[i] = any();
    k->m->type->normalise(k->m, q);
    core_status status = k->m->type->gap(k->m, q, gap);
    if (status == CORE_SINGULAR) continue; /* two capsules cross: no normal */
    TEST_ASSERT_EQUAL_INT(CORE_OK, status);
    for (int c = 0; c < k->m->shape.nc; c++) least = fmin(least, gap[c]);
    if (least > 0.2) return 1;
  }
  return 0;
}

#endif
