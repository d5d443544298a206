/* The pair of rigid bodies inside: what pair.c derives from its parameters, and the contact of both
 * that pair_contact.c works out. */
#ifndef MODEL_PAIR_H
#define MODEL_PAIR_H

#include "model/model.h"

typedef struct pair {
  core_list mass;                          /* of both bodies [kg] */
  core_list radius;                        /* of both balls [m] */
  core_list inertia1, inertia2;            /* in body axes [kg m^2] */
  double position1[3], position2[3];       /* mass centres [m] */
  double orientation1[4], orientation2[4]; /* quaternions w, x, y, z */
  double velocity1[3], velocity2[3];       /* [m/s] */
  double spin1[3], spin2[3];               /* world axes [rad/s] */
  double arm1[3], arm2[3];                 /* from the mass centre, body axes [m] */
  double normal[3];                        /* from body 2 to body 1, any length */
  core_list gravity;                       /* [m/s^2] */
  /* derived by build */
  int face;           /* body 2 has a flat face */
  double m[2];        /* [kg] */
  double rho, r2;     /* radii of the balls in contact [m] */
  double reach[2][3]; /* arms, zero for balls, body axes [m] */
  double Q[2][9];     /* body axes [kg m^2] */
  double Qi[2][9];    /* their inverses */
  double n[3], n2[3]; /* unit normal at the start in world axes; in the axes of body 2 */
  double g[3];        /* [m/s^2] */
} pair;

/* how the two bodies stand to each other */
typedef struct pair_touch {
  double R[2][9];  /* body axes to world axes */
  double C[3];     /* from x2 to C1 [m] */
  double size;     /* its length [m] */
  double reach[3]; /* from x1 to C1, world axes [m] */
  double n[3];     /* normal */
  double gap;      /* [m] */
  double d[2][3];  /* from the mass centres to the points of contact [m] */
} pair_touch;

void model_pair_touch(const pair *p, const double *q, pair_touch *t);

core_status model_pair_gap(const model *m, const double *q, double *gap);
core_status model_pair_jacobian(const model *m, const double *q, double *J);
core_status model_pair_drift(const model *m, const double *q, const double *u, double *a);
core_status model_pair_collide(const model *m, const double *q, int n, const int *contacts,
                               core_scratch *s, double *J, double *Y, double *W, double *gap);

#endif
