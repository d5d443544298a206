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

void mech_flatten(mech *m); /* fills m->flat */
core_status mech_plane_accelerate(const model *m, double t, const double *q, const double *u,
                                  const double *h, core_scratch *scratch, double *udot);
core_status mech_plane_collide(const model *m, const double *q, int n, const int *contacts,
                               core_scratch *scratch, double *J, double *Y, double *W, double *gap);

/* direction of row r of a site */
const double *mech_row(const mech *s, const mech_site *site, int r);

/* rows of one contact into J with leading dimension `rows`, from `first` on; J is zero there */
void mech_contact_jacobian(const mech *s, const mech_contact *c, const mech_site *site,
                           const mech_pose *pose, int first, int rows, double *J);

#endif
