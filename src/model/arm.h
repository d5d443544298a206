/* The planar arm inside: what arm.c derives from its parameters and arm_sweep.c works on. */
#ifndef MODEL_ARM_H
#define MODEL_ARM_H

#include "model/model.h"

typedef struct arm_link {
  double l;    /* length [m] */
  double m;    /* mass [kg] */
  double beta; /* mass times centre over length: m c / l [kg] */
  double I;    /* moment about the upper joint: inertia + m c^2 [kg m^2] */
} arm_link;

typedef struct arm_joint {
  double k;      /* spring [N m/rad] */
  double rest;   /* angle where the spring is at rest [rad] */
  double d;      /* damper [N m s/rad] */
  double torque; /* [N m] */
} arm_joint;

typedef struct arm {
  int n;            /* links */
  arm_link *link;   /* n */
  arm_joint *joint; /* n: between link i - 1 (or the support) and link i */
  int *at;          /* nc: the link whose end is contact c */
  int *contact;     /* n: the contact at the end of link i, or -1 */
  double slope;     /* of the floor [rad]; all directions below are in its frame (t, n) */
  double floor;     /* its height over the support along the normal [m] */
  double g[2];      /* gravity along t and n [m/s^2] */
  int driven;       /* some joint has a damper or a torque */
} arm;

/* torque of spring, damper and drive at joint i [N m] */
static inline double arm_torque(const arm *a, int i, const double *q, const double *u) {
  const arm_joint *j = &a->joint[i];
  return j->torque - j->k * (q[i] - j->rest) - j->d * u[i];
}

/* J, Y = M^-1 J^T and W of some contacts in time and memory proportional to the links */
core_status model_arm_collide(const model *m, const double *q, int n, const int *contacts,
                              core_scratch *s, double *J, double *Y, double *W, double *gap);

/* u' in time and memory proportional to the links */
core_status model_arm_accelerate(const model *m, double t, const double *q, const double *u,
                                 const double *h, core_scratch *s, double *udot);

/* CORE_SINGULAR where links without mass leave the mass matrix singular */
core_status model_arm_regular(const arm *a, const double *q);

#endif
