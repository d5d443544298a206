/* A mechanism inside: a tree of bodies on joints. Only mech_*.c include this.
 *
 *   mech_tree.c      where the bodies are and how they move
 *   mech_space.c     articulated bodies in space: accelerations and M^-1 J^T in O(n)
 *   mech_plane.c     the same in the plane, where it is three times cheaper
 *   mech_mass.c      mass matrix by composite bodies, bias forces, energies
 *   mech_touch.c     where shapes touch: gaps, frames, rows of J
 *   mech_drift.c     Jdot u
 *   mech_sway.c      how far gaps can move
 *   mech_force.c     springs, dampers, torques, gravity
 *   mech_stiff.c     derivatives of all that, solved in O(n) for implicit steps
 *   mech_loop.c      points that stay together: standing constraints
 *   mechanism.c      the definition: its parameters, names and hooks
 *   mech_build.c     from the parameters of a model to its tree
 *   mech_start.c     its first state, and the checks that need one
 *   mech_names.c     what coordinates, speeds and contacts are called
 *
 * Everything is in world axes, x to the right and z up; a mechanism in the plane lives at y = 0 and
 * turns about -y, which is counterclockwise as one looks at x and z. Moments and velocities of a
 * body refer to its own origin, the place of its joint, so that nothing depends on how far from the
 * world's origin it is.
 *
 * Matrices are 3 x 3, column-major. Symmetric ones are xx, xy, xz, yy, yz, zz.
 */
#ifndef MODEL_MECH_H
#define MODEL_MECH_H

#include "model/mechanism.h"
#include "model/model.h"

/* one body and the joint that carries it */
typedef struct mech_link {
  int parent; /* -1: the world; else less than its own index */
  mechanism_joint joint;
  int q, u;         /* its first coordinate and its first speed */
  int nu;           /* how many speeds */
  double at[3];     /* the joint in the parent's axes [m] */
  double turn[9];   /* the joint's axes in the parent's */
  double flat_turn; /* plane: the angle of that [rad] */
  double axis[3];   /* hinge and slide: unit vector in the body's axes */
  double m;         /* [kg] */
  double c[3];      /* mass centre in the body's axes [m] */
  double I[6];      /* about the body's origin, in the body's axes [kg m^2] */
  double k;         /* spring of a hinge or slide [N m/rad or N/m] */
  double rest;      /* where it is at rest [rad or m] */
  double d;         /* damper; of a ball and a free joint against the spin [N m s/rad or N s/m] */
  double torque;    /* constant drive [N m or N] */
  double armature;  /* inertia of the motor, on the diagonal of M [kg m^2 or kg] */
} mech_link;

/* a point of a body with a radius around it; of a capsule the second end too */
typedef struct mech_feature {
  int body;       /* -1: the world */
  double p[2][3]; /* ends in the body's axes [m]; a point or a ball has the same twice */
  double r;       /* radius [m]; 0 for a point or a corner */
  int segment;    /* p[0] and p[1] differ */
} mech_feature;

/* a plane on a body */
typedef struct mech_face {
  int body;    /* -1: the world */
  double p[3]; /* a point of it, in the body's axes [m] */
  double n[3]; /* unit normal, away from the obstacle, in the body's axes */
} mech_face;

/* what one contact is made of */
typedef enum mech_contact_kind {
  MECH_ON_FACE,
  MECH_ON_ROUND,
  MECH_STOP,
  MECH_LOOP
} mech_contact_kind;

typedef struct mech_contact {
  mech_contact_kind kind;
  mech_feature a; /* ON_FACE: one end only, p[0] */
  mech_feature b; /* ON_ROUND, LOOP: the other one */
  mech_face face; /* ON_FACE */
  int link;       /* STOP: of this joint */
  double sign;    /* STOP: gap = sign (q - limit): 1 for the lower limit, -1 for the upper one */
  double limit;   /* STOP: [rad or m] */
} mech_contact;

/* a spring and a damper between two points */
typedef struct mech_spring {
  mech_feature a, b;
  double k;    /* [N/m] */
  double d;    /* [N s/m] */
  double rest; /* length where it is at rest [m] */
} mech_spring;

typedef struct mech_flat_link mech_flat_link; /* mech_plane.h */

typedef struct mech {
  int plane;            /* 1: in the plane */
  int dim;              /* rows of a contact: 2 in the plane, 3 in space */
  int n;                /* bodies */
  int nq, nu;           /* coordinates, speeds */
  mech_link *link;      /* n, parents first */
  mech_flat_link *flat; /* n, the same for the planar recursions; NULL in space */
  int armature;         /* some joint has one */
  int chain;            /* plane: every body is carried by the one before it */
  int nc, springs, loops;
  mech_contact *contact; /* nc, and the loops behind them */
  int *first;            /* nc + 1: first row of each contact in J */
  mech_spring *spring;
  double g[3];           /* gravity [m/s^2] */
  double size;           /* of the whole thing, for what rounding can tell apart [m] */
  int *place, n_places;  /* coordinates that are lengths */
  mechanism_drive drive; /* or NULL */
  core_scratch *work;    /* for hooks that get none; used with marks, so that they may nest */
} mech;

/* ---- mech_tree.c ---- */

typedef struct mech_pose {
  double R[9]; /* body axes to world axes */
  double x[3]; /* origin [m] */
  double r[3]; /* from the parent's origin to it [m] */
} mech_pose;

typedef struct mech_motion {
  double w[3]; /* spin [rad/s] or angular acceleration [rad/s^2] */
  double v[3]; /* velocity or acceleration of the origin */
} mech_motion;

void mech_poses(const mech *s, const double *q, mech_pose *pose);
void mech_velocities(const mech *s, const mech_pose *pose, const double *u, mech_motion *v);
/* accelerations when u' = 0, without gravity */
void mech_bias_motion(const mech *s, const mech_pose *pose, const mech_motion *v, const double *u,
                      mech_motion *a);
/* what the joint adds to the motion of its body: S of 6 numbers (turning, moving) per speed */
void mech_axes(const mech_link *k, const mech_pose *pose, double *S);
/* acceleration of a body that comes from its joint and its parent's spin alone, u' = 0 */
void mech_joint_bias(const mech *s, int i, const mech_pose *pose, const mech_motion *v,
                     const double *u, mech_motion *c);

core_status mech_rates(const model *m, const double *q, const double *u, double *qdot);
void mech_normalise(const model *m, double *q);

/* ---- mech_mass.c ---- */

/* composite and articulated inertias: moment n = I alpha + H a, force f = H^T alpha + M a */
typedef struct mech_inertia {
  double I[6]; /* [kg m^2] */
  double H[9]; /* [kg m] */
  double M[6]; /* [kg] */
} mech_inertia;

void mech_rigid(const mech_link *k, const mech_pose *pose, mech_inertia *A);
void mech_add_shifted(const mech_inertia *A, const double *r, mech_inertia *to);
void mech_times(const mech_inertia *A, const double *motion, double *force);
/* moment and force that a body needs to go on as it does: omega x I omega, m omega x (omega x c) */
void mech_gyro(const mech_link *k, const mech_pose *pose, const double *w, double *force);

core_status mech_mass(const model *m, const double *q, double *M);
core_status mech_forces(const model *m, double t, const double *q, const double *u, double *f);
core_status mech_kinetic(const model *m, const double *q, const double *u, double *energy);
double mech_potential(const model *m, const double *q);
double mech_power(const model *m, double t, const double *q, const double *u);

/* ---- mech_force.c ---- */

/* torques of the joints into tau (nu, set), and forces of springs on the bodies into wrench (6 per
 * body: moment about its origin, force; set, gravity not included) */
core_status mech_applied(const model *m, double t, const double *q, const double *u,
                         const mech_pose *pose, const mech_motion *v, double *tau, double *wrench);
void mech_point(const mech_feature *f, int end, const mech_pose *pose, double *x);
void mech_point_velocity(int body, const double *x, const mech_pose *pose, const mech_motion *v,
                         double *velocity);

/* ---- mech_touch.c ---- */

/* A contact at one configuration: row e of its frame is the direction of a unit impulse on body a
 * at pa, and of the opposite one on body b at pb. */
typedef struct mech_site {
  int a, b;     /* bodies, -1: the world */
  double pa[3]; /* place on a, from the world's origin [m] */
  double pb[3];
  double E[9]; /* t1, t2, n as columns; plane: t in E[0..2], n in E[6..8] */
  double gap;  /* [m or rad] */
} mech_site;

core_status mech_touch(const mech *s, const mech_contact *c, const mech_pose *pose, const double *q,
                       mech_site *site);
int mech_contact_rows(const mech *s, const mech_contact *c);
core_status mech_gap(const model *m, const double *q, double *gap);
double mech_reach(const mech *s, const double *q); /* lengths that places are sums of [m] */
double mech_gap_size(const model *m, const double *q, int c); /* what it is the difference of */
core_status mech_jacobian(const model *m, const double *q, double *J);
core_status mech_drift(const model *m, const double *q, const double *u, double *a);

/* ---- mech_sway.c ---- */
void mech_sway(const model *m, const double *dq, double *most);

#endif
