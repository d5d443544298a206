/* The planar arm inside: what arm.c derives from its parameters and arm_sweep.c works on. */
#ifndef MODEL_ARM_H
#define MODEL_ARM_H

#include "core/pair.h"
#include "model/model.h"

enum { ARM_WIDE = 16 }; /* from so many links on, four parts at a time are faster */

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

/* Long arms are swept in four parts of `length` links, the last ones; see arm_wide.c. One link of
 * each part side by side. */
typedef struct arm_wide {
  int length;                        /* 0: the arm is short */
  core_loose_four *l, *m, *beta, *I; /* as in arm_link */
} arm_wide;

typedef struct arm {
  int n;     /* links */
  int loose; /* joints have no springs, dampers or torques */
  arm_wide wide;
  arm_link *link;   /* n */
  arm_joint *joint; /* n: between link i - 1 (or the support) and link i */
  int *at;          /* nc: the link whose end is contact c */
  int *contact;     /* n: the contact at the end of link i, or -1 */
  double slope;     /* of the floor [rad]; all directions below are in its frame (t, n) */
  double floor;     /* its height over the support along the normal [m] */
  double g[2];      /* gravity along t and n [m/s^2] */
  int driven;       /* some joint has a damper or a torque */
  double reach;     /* of all links, at full stretch [m] */
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

/* what hangs on a point takes the force A a + b to move with a [kg], [N] */
typedef struct arm_answer {
  double tt, tn, nn, bt, bn;
} arm_answer;

/* ---- arm_wide.c ---- */

/* The four parts of a long arm: q, u and torque (one more than links) of the first of their links
 * on; angle and w are those of the link above. What they answer at their upper end goes to *seen.
 * NULL: not this way (a part does not move by itself, an angle is far, no memory). */
struct arm_parts *model_arm_wide_in(const arm *a, const double *q, const double *u, double angle,
                                    double w, const double *torque, core_scratch *scratch,
                                    arm_answer *seen);
/* u' of their links; the upper end moves with (at, an), the link above turns with `before` */
void model_arm_wide_out(const arm *a, const struct arm_parts *s, double at, double an,
                        double before, double *udot);
void model_arm_wide_fill(arm *a); /* numbers of the links, side by side */

/* ---- arm_sweep.c ---- */

core_status model_arm_kinetic(const model *m, const double *q, const double *u, double *energy);

/* CORE_SINGULAR where links without mass leave the mass matrix singular */
core_status model_arm_regular(const arm *a, const double *q);

/* ---- arm_stiff.c ---- */

extern const model_stiffness model_arm_stiffness;

#endif
