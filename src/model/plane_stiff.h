/* Trees of bodies in the plane, for stiffness.h: the arm's and those of mechanisms. */
#ifndef MODEL_PLANE_STIFF_H
#define MODEL_PLANE_STIFF_H

#include "model/mechanism.h"
#include "model/stiffness.h"

/* One body on its joint, at one state. Vectors in world axes, angles counterclockwise; rho(r) =
 * (-r_y, r_x). */
typedef struct plane_body {
  int parent;                 /* -1: the world; else an earlier one */
  mechanism_joint joint;      /* hinge, slide, free (on the world) or fixed */
  int at;                     /* index of its first coordinate, and of its first speed */
  double r[2];                /* from the parent's origin to its own [m] */
  double d[2];                /* slide: unit vector */
  double m, mc[2], I;         /* [kg], mass times centre [kg m], about the origin [kg m^2] */
  double k, damper, armature; /* of the joint */
} plane_body;

/* ... and what plane_look adds: coefficients of s, 1 and 1/s in what depends on the shift */
typedef struct plane_state {
  double w, alpha, a[2]; /* its motion; a includes gravity */
  double f[2];           /* force that its parent gives it [N] */
  double Wn, Wf[3][2];   /* moment (1/s alone, beside I s) and force by its spin */
  double g[3][2];        /* its acceleration by the spin of its parent */
  double e[3][2];        /* slide: by its speed */
  double turned;         /* slide: rho(d).f */
} plane_state;

/* One joint with its shifts. Three numbers are moment and force, or spin and acceleration. */
typedef struct plane_joint {
  lanes W[3];    /* by its spin: the force of what it carries */
  lanes A[3][2]; /* by the acceleration of its origin; in the end what its joint leaves of it */
  lanes U[3], V[3], inverse; /* of its elimination; free: W, U, V are rows of an inverse matrix */
  lanes g[2];                /* acceleration by the spin of the parent */
  /* of one solution */
  lanes z[3];  /* force without motion, later the motion */
  lanes q, u;  /* sums of r_q / s and r_u of the angles up to here */
  lanes g0[2]; /* acceleration without motion */
  lanes y;     /* speed without motion of the parent, times -1 */
} plane_joint;

typedef struct plane_tree {
  int n, speeds;
  lane_shift shift;
  plane_body *body;
  plane_state *state;
  plane_joint *joint;
} plane_tree;

static inline double plane_dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1];
}

/* ---- plane_look.c ---- */

size_t plane_bytes(int bodies);
plane_tree *plane_place(void *memory, int bodies, int speeds); /* in memory of plane_bytes */

/* the bodies are filled in; gravity g [m/s^2] */
void plane_look(plane_tree *t, const double *g, const double *u, const double *udot);

/* ---- plane_stiff.c ---- */

core_status plane_factor(const model *m, void *memory, const double (*s)[2]);
void plane_solve(const model *m, void *memory, double *const *re, double *const *im);

#endif
