/* Pieces of a mechanism's dynamics that its files share. */
#ifndef MODEL_MECH_PART_H
#define MODEL_MECH_PART_H

#include "model/mech.h"

/* what mech_space.c keeps of all joints at one configuration */
typedef struct mech_factors {
  mech_pose *pose; /* n */
  mech_inertia *A; /* n: as the parent feels it, at the body's origin */
  double *S;       /* 6 nu: axes */
  double *V;       /* 6 nu: U L^-T */
  double *L;       /* 6 nu: rows of the factors of D */
} mech_factors;

core_status mech_factor(const mech *s, const double *q, core_scratch *scratch, mech_factors *f);

core_status mech_space_accelerate(const model *m, double t, const double *q, const double *u,
                                  const double *h, core_scratch *scratch, double *udot);
core_status mech_space_collide(const model *m, const double *q, int n, const int *contacts,
                               core_scratch *scratch, double *J, double *Y, double *W, double *gap);

/* W = sum tau y of all pairs of rows (nu numbers each), symmetric to the last bit */
core_status mech_waist(int rows, int nu, const double *tau, const double *Y, core_scratch *scratch,
                       double *W);

void mech_flatten(mech *m); /* fills m->flat */
core_status mech_plane_accelerate(const model *m, double t, const double *q, const double *u,
                                  const double *h, core_scratch *scratch, double *udot);
core_status mech_plane_collide(const model *m, const double *q, int n, const int *contacts,
                               core_scratch *scratch, double *J, double *Y, double *W, double *gap);

extern const model_stiffness mech_plane_stiffness; /* mech_stiff.c */

/* the same with loops; loops = 0 is no special case but a slower one */
core_status mech_loop_accelerate(const model *m, double t, const double *q, const double *u,
                                 const double *h, core_scratch *scratch, double *udot);
core_status mech_loop_collide(const model *m, const double *q, int n, const int *contacts,
                              core_scratch *scratch, double *J, double *Y, double *W, double *gap);
core_status mech_constraints(const model *m, const double *q, double *A);
/* brings the points of all loops together; how far apart they are in the end [m] */
core_status mech_close(const model *m, double *q, double *distance);
/* 0: the points of a loop cannot move against each other, so that it has nothing to hold */
core_status mech_loop_moves(const model *m, const double *q, int loop, int *moves);
core_status mech_apart(const model *m, const double *q, double *distance);
core_status mech_hold(const model *m, const double *q, double *u); /* u onto A u = 0 */
core_status mech_project(const model *m, double *q, double *u);    /* both */

/* mech_drift.c: Adot u of the loops */
core_status mech_loop_drift(const mech *s, const double *q, const double *u, double *a);

/* nearest points of two segments, or of points: places along them, which are free where they are
 * not at an end */
typedef struct mech_nearest {
  double s, t;         /* places along a and b */
  int s_free, t_free;  /* inside, not at an end */
  double A[3], B[3];   /* the segments [m] */
  double ca[3], cb[3]; /* [m] */
} mech_nearest;

void mech_find_nearest(const mech_contact *c, const mech_pose *pose, mech_nearest *n);

/* corner `which` of a box, a bit for each axis (mech_build.c) */
mech_feature mech_corner(const model *m, int part, int which);

/* direction of row r of a site */
const double *mech_row(const mech *s, const mech_site *site, int r);

/* rows of one contact into J with leading dimension `rows`, from `first` on; J is zero there */
void mech_contact_jacobian(const mech *s, const mech_contact *c, const mech_site *site,
                           const mech_pose *pose, int first, int rows, double *J);

#endif
