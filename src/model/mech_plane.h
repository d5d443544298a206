/* Articulated bodies in the plane: what mech_plane.c (contacts) and mech_plane_move.c share. */
#ifndef MODEL_MECH_PLANE_H
#define MODEL_MECH_PLANE_H

#include "model/mech.h"
#include "model/mech_part.h"

#define INLINE static inline __attribute__((always_inline))

/* where a body is, what it and all it carries answer, and what its joint takes */
typedef struct mech_flat {
  double s, c;       /* of its angle */
  double x[2], r[2]; /* origin; from the parent's origin [m] */
  double I, h[2];    /* [kg m^2], [kg m] */
  double xx, xz, zz; /* A [kg] */
  double axis[2];    /* slide: direction */
  double V[9];       /* U D^-1: 3 numbers (n, f) per speed */
  double D[6];       /* inverse of D: one number; free: xx, xz, zz, x angle, z angle, angle */
} mech_flat;

/* places, articulated inertias and what the joints take of them */
core_status mech_flat_factor(const mech *m, const double *q, core_scratch *s, mech_flat **b);

/* y := y - V^T (motion of the joint), and what the joint adds to the motion (w, x, z) */
INLINE void mech_joint_out(const mech_link *k, const mech_flat *b, double *w, double *x, double *z,
                           double *y) {
  if (k->joint == MECHANISM_HINGE) {
    *w += *y -= *w + b->V[1] * *x + b->V[2] * *z;
  } else if (k->joint == MECHANISM_SLIDE) {
    *y -= b->V[0] * *w + b->V[1] * *x + b->V[2] * *z;
    *x += *y * b->axis[0], *z += *y * b->axis[1];
  } else if (k->joint == MECHANISM_FREE) {
    y[0] -= *x, y[1] -= *z, y[2] -= *w;
    *x += y[0], *z += y[1], *w += y[2];
  }
}

#endif
