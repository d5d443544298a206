/* Articulated bodies in the plane: what mech_plane_factor.c, mech_plane.c (contacts) and
 * mech_plane_move.c share. */
#ifndef MODEL_MECH_PLANE_H
#define MODEL_MECH_PLANE_H

#include "model/mech.h"
#include "model/mech_part.h"

#define INLINE static inline __attribute__((always_inline))

/* one body and its joint, as the planar recursions want them: what they read, close together */
struct mech_flat_link {
  int parent, joint; /* as in mech_link */
  int q, u;
  double at[2], turn; /* joint in the parent's axes [m], [rad] */
  double axis[2];     /* slide: unit */
  double m, mc[2];    /* [kg], mass times centre [kg m] */
  double I;           /* about the origin [kg m^2] */
};

/* where a body is, what it and all it carries answer, and what its joint takes of that */
typedef struct mech_flat {
  double s, c;       /* of its angle */
  double x[2], r[2]; /* origin; from the parent's origin [m] */
  double axis[2];    /* slide: direction */
  double I, h[2];    /* as the parent feels them [kg m^2], [kg m] */
  double xx, xz, zz; /* A [kg]; of a free body I, h and A hold the inverse of D */
  double D;          /* hinge and slide: 1/D */
  double V[3];       /* hinge and slide: U/D = (n, f) */
} mech_flat;

/* places, articulated inertias and what the joints take of them */
core_status mech_flat_factor(const mech *m, const double *q, core_scratch *s, mech_flat **b);

/* y := y - V^T (motion of the joint), and what the joint adds to the motion (w, x, z) */
INLINE void mech_joint_out(const mech_flat_link *k, const mech_flat *b, double *w, double *x,
                           double *z, double *y) {
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
